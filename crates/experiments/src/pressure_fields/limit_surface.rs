//! Friction of an area that slides and turns, and how a disc comes to rest.
//!
//! A disc of radius R under uniform pressure that moves at v and turns at ω has, with ε = v/(R ω) and the complete elliptic integrals
//! K and E of modulus k = min(ε, 1/ε), the friction [Farkas2003]
//!
//! ```text
//!     F/(μ N)   = 4/(3π) ((ε² + 1) E + (ε² − 1) K)/ε,       T/(μ N R) = 4/(9π) ((4 − 2 ε²) E + (ε² − 1) K)            ε ≤ 1
//!     F/(μ N)   = 4/(3π) ((ε² + 1) E − (ε² − 1) K),         T/(μ N R) = 4 ε/(9π) ((4 − 2 ε²) E + (2 ε² − 5 + 3/ε²) K)  ε > 1   (1)
//! ```
//!
//! Both end at once, and before that d ln ε/d ln ω = F/(2 ε T) − 1 brings ε to 0.653 whatever it was.               (2)
//! On the ellipse F² + (3 T/2)² = 1, in units of (1), as contacts that resist spinning have it, v and ω end at once too, but v goes
//! with ω^(9/8) and ε to zero: (2) with F/(2 ε T) = 9/8.                                                              (3)

use super::{ExperimentError, Findings, Size, patch};
use crate::multibody::{robot, step};
use std::f64::consts::{FRAC_PI_2, PI};
use stiction::collision::{PressureGeometry, Shape, ShapeError, representative_points};
use stiction::dynamics::spatial::{Pose, Vec3, vec3};
use stiction::world::{Hydroelastic, HydroelasticKind};
use stiction::{Settings, Simulation, Sleep};
use stiction_plot::Series;

/// R [m].
const R: f64 = 0.1;
const MU: f64 = 0.3;
const G: f64 = 9.81;
const PLANE: [f64; 2] = [1e6, 1.0]; // modulus [Pa], thickness [m]
/// ε of (2) at the end, as published.
const LAST: f64 = 0.653;

pub(super) fn measure(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    surface(size, findings)?;
    disc(size, findings)
}

/// K and E of a modulus below one, by the arithmetic and geometric mean.
fn elliptic(k: f64) -> [f64; 2] {
    let (mut a, mut g, mut sum, mut power) = (1.0_f64, (1.0 - k * k).sqrt(), 0.5 * k * k, 0.5);
    while (a - g).abs() > 1e-15 * a {
        let half = 0.5 * (a - g);
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
        power *= 2.0;
        sum += power * half * half;
    }
    let first = FRAC_PI_2 / a;
    [first, first * (1.0 - sum)]
}

/// F and T of (1).
fn exact(slide: f64) -> [f64; 2] {
    let e2 = slide * slide;
    if (slide - 1.0).abs() < 1e-9 {
        return [8.0 / (3.0 * PI), 8.0 / (9.0 * PI)];
    }
    let [first, second] = elliptic(slide.min(1.0 / slide));
    let shares = if slide < 1.0 {
        [((e2 + 1.0) * second + (e2 - 1.0) * first) / slide, (4.0 - 2.0 * e2) * second + (e2 - 1.0) * first]
    } else {
        [
            (e2 + 1.0) * second - (e2 - 1.0) * first,
            slide * ((4.0 - 2.0 * e2) * second + (2.0 * e2 - 5.0 + 3.0 / e2) * first),
        ]
    };
    [4.0 / (3.0 * PI) * shares[0], 4.0 / (9.0 * PI) * shares[1]]
}

/// ε where the ratio no longer changes, by (2).
fn last_ratio() -> f64 {
    let (mut low, mut high) = (0.3, 1.0);
    for _ in 0..60 {
        let middle: f64 = 0.5 * (low + high);
        let [f, t] = exact(middle);
        if f < 2.0 * t * middle { low = middle } else { high = middle }
    }
    low
}

/// ε after ω has fallen to a `share`, by (2).
fn ratio_at(start: f64, share: f64) -> f64 {
    let slope = |x: f64| {
        let [f, t] = exact(x.exp());
        f / (2.0 * x.exp() * t) - 1.0
    };
    let steps = 400;
    let h = share.ln() / f64::from(steps);
    let mut x = start.ln();
    for _ in 0..steps {
        let a = slope(x);
        let b = slope(x + 0.5 * h * a);
        let c = slope(x + 0.5 * h * b);
        let d = slope(x + h * c);
        x += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
    }
    x.exp()
}

/// F and T, in units of (1), of points with these shares of the load, which move at ε along x while they turn about the centre.
fn of_points(points: &[(Vec3, f64)], slide: f64) -> [f64; 2] {
    let load: f64 = points.iter().map(|p| p.1).sum();
    let mut sum = [0.0; 2];
    for (x, weight) in points {
        let velocity = vec3(slide * R - x.y, x.x, 0.0);
        let friction = velocity.normalized().unwrap_or(Vec3::ZERO) * (weight / load);
        sum[0] += friction.x;
        sum[1] += (x.x * friction.y - x.y * friction.x) / R;
    }
    sum
}

/// The disc on compliant ground, without motion: its polygons, and the four points that stand for them.
fn points_of_disc(edge: f64) -> Result<[Vec<(Vec3, f64)>; 2], ShapeError> {
    let ground = PressureGeometry::compliant(&Shape::Plane, PLANE[0], None, Some(PLANE[1]))?;
    let disc = PressureGeometry::rigid(&Shape::Cylinder { radius: R, half_length: 0.02 }, Some(edge))?;
    let pose = Pose::from_translation(vec3(0.0, 0.0, 0.02 - 1e-3));
    let found = patch((&ground, &Pose::IDENTITY), (&disc, &pose));
    let polygons = found.elements().iter().map(|e| (e.center_of_pressure, e.area * e.pressure)).collect();
    let mut four = Vec::new();
    representative_points(&found, &mut four);
    Ok([polygons, four.iter().map(|p| (p.position, -p.gap * p.stiffness)).collect()])
}

/// The limit surface: (1), polygons, four points, the ellipse.
fn surface(size: Size, findings: &mut Findings) -> Result<(), ShapeError> {
    let edge = if size == Size::Small { R / 8.0 } else { R / 16.0 };
    let [polygons, four] = points_of_disc(edge)?;
    let (mut curves, mut off) = ([const { Vec::new() }; 4], [0.0_f64; 2]);
    for k in 0..=60 {
        // From pure spin to a slide, evenly in angle.
        let slide = (FRAC_PI_2 * (f64::from(k) + 0.5) / 61.0).tan();
        let [f, t] = exact(slide);
        let [pf, pt] = of_points(&polygons, slide);
        off[0] = off[0].max((pf - f).abs()).max((pt - t).abs());
        let ellipse = f.hypot(1.5 * t);
        off[1] = off[1].max(1.0 / ellipse - 1.0);
        let [ff, ft] = of_points(&four, slide);
        for (curve, point) in curves.iter_mut().zip([[t, f], [pt, pf], [ft, ff], [t / ellipse, f / ellipse]])
        {
            curve.push(point);
        }
    }
    findings.bound(
        "limit surface of a disc: polygons beside the integral".to_owned(),
        "of μ N, μ N R",
        off[0],
        1e-2,
    );
    let spin = |points: &[(Vec3, f64)]| of_points(points, 0.0)[1];
    let claim = "limit surface of a disc: moment of its polygons against spinning".to_owned();
    findings.predict(claim, "of μ N R", 2.0 / 3.0, spin(&polygons), 1e-2);
    let claim = "limit surface of a disc: moment of four points, 2 R/3 from the axis".to_owned();
    findings.predict(claim, "of μ N R", 2.0 / 3.0, spin(&four), 1e-2);
    let claim = "limit surface of a disc: the ellipse is outside of it by at most".to_owned();
    findings.bound(claim, "of it", off[1], 0.075);
    let labels = ["exact", "polygons", "four points", "ellipse"];
    let series =
        labels.into_iter().zip(curves).map(|(label, points)| Series { label: label.to_owned(), points });
    findings.keep_over(
        "limit-surface",
        "Limit surface of a disc under uniform pressure",
        ["moment over μ N R [-]", "force over μ N [-]"],
        series.collect(),
        |figure| figure,
    );
    Ok(())
}

/// How a law is given the disc.
#[derive(Clone, Copy, PartialEq)]
enum Given {
    Polygons,
    Four,
    Ellipse,
}

/// The disc as it slides at ε R ω and turns at ω, in the engine. It stays level, so that the pressure stays uniform.
fn simulation(given: Given, edge: f64, [slide, turning]: [f64; 2]) -> Result<Simulation, ExperimentError> {
    let shape = if given == Given::Ellipse {
        format!("<geom type='sphere' size='{R}' mass='0' condim='4' friction='{MU} {} 0'/>", MU * R / 1.5)
    } else {
        format!("<geom type='cylinder' size='{R} 0.02' pos='0 0 {}' mass='0'/>", 0.02 - R)
    };
    let (mut world, mut state) = robot(&format!(
        "<mujoco><option gravity='0 0 -{G}'/><default><geom friction='{MU} 0 0' condim='3'/></default><worldbody>\
         <geom type='plane' size='0 0 1' condim='3'/><body pos='0 0 {R}'><joint type='slide' axis='1 0 0'/>\
         <joint type='slide' axis='0 1 0'/><joint type='slide' axis='0 0 1'/><joint axis='0 0 1'/>\
         <inertial pos='0 0 0' mass='1' diaginertia='{} {} {}'/>{shape}</body></worldbody></mujoco>",
        0.25 * R * R,
        0.25 * R * R,
        0.5 * R * R
    ))?;
    if given != Given::Ellipse {
        for geometry in &mut world.geometries {
            let compliant = matches!(geometry.shape, Shape::Plane);
            let kind = if compliant { HydroelasticKind::Compliant } else { HydroelasticKind::Rigid };
            let resolution = (!compliant).then_some(edge);
            geometry.material.hydroelastic =
                Hydroelastic { kind, modulus: PLANE[0], thickness: PLANE[1], resolution };
            geometry.material.compliance.dissipation = Some(20.0);
        }
        // As deep as the weight presses it in.
        state.q[2] = -G / (PI * R * R) * PLANE[1] / PLANE[0];
    }
    state.v.copy_from_slice(&[slide * R * turning, 0.0, 0.0, turning]);
    let mut settings = Settings { tolerance: 1e-10, ..Settings::default() };
    settings.stepper.dt = 5e-4;
    settings.stepper.sleep = Sleep::Off;
    if given == Given::Polygons {
        settings.set_contact("lagged");
    }
    Ok(Simulation::new(world, state, settings)?)
}

/// Farkas' disc.
fn disc(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let claim = "sliding, spinning disc: v/(R ω) at the end, by its friction in closed form".to_owned();
    findings.predict(claim, "", LAST, last_ratio(), 1e-3);
    let (turning, share) = (10.0, 0.05);
    let (starts, edge): (&[f64], f64) = match size {
        Size::Small => (&[1.0], R / 8.0),
        Size::Full => (&[0.5, 1.0, 2.0], R / 16.0),
    };
    let mut series = Vec::new();
    for (given, name) in
        [(Given::Polygons, "polygons"), (Given::Four, "four points"), (Given::Ellipse, "spinning contact")]
    {
        for &start in starts {
            let mut sim = simulation(given, edge, [start, turning])?;
            // When v and ω fall under 1 % of their starts.
            let mut ends = [f64::NAN; 2];
            let mut points = Vec::new();
            let mut at = f64::NAN;
            while ends.iter().any(|t| t.is_nan()) && sim.state().t < 2.0 {
                step(&mut sim)?;
                let (t, v) = (sim.state().t, &sim.state().v);
                let (speed, spin) = (v[0].hypot(v[1]), v[3]);
                for (end, left) in ends.iter_mut().zip([speed / (start * R * turning), spin / turning]) {
                    if end.is_nan() && left < 0.01 {
                        *end = t;
                    }
                }
                if spin > share * turning {
                    at = speed / (R * spin);
                    points.push([spin / turning, at]);
                }
            }
            let (expected, within) = match given {
                Given::Polygons => (ratio_at(start, share), 0.02),
                // 0.67 where the disc comes to turn about one of the points, down to 0.57 where it slides between two of them.
                Given::Four => (ratio_at(start, share), 0.14),
                Given::Ellipse => (start * share.powf(1.0 / 8.0), 0.02),
            };
            let claim = format!("disc from v = {start} R ω, {name}: v/(R ω) where ω is {share} of its start");
            findings.predict(claim, "", expected, at, within);
            let apart = (ends[0] - ends[1]).abs() / ends[1];
            let claim = format!("disc from v = {start} R ω, {name}: its slide and its spin end at once");
            findings.bound(claim, "of the time", apart, 0.05);
            series.push(Series { label: format!("{name} from {start}"), points });
        }
    }
    findings.keep_over(
        "farkas-disc",
        "A disc that slides and spins comes to rest",
        ["ω over its start [-]", "v/(R ω) [-]"],
        series,
        |figure| figure.log_x(),
    );
    Ok(())
}
