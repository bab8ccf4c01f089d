//! Friction pyramids and polygons turn and change the friction force. [LeLidec2023, Fig. 4]
//!
//! A point of mass m is pushed along the plane at the angle θ, far past the limit r = μ λ_N. Each law takes the
//! point of its set nearest to −m g_T:
//!
//! ```text
//!     disc (nsgs)            −r (cos θ, sin θ)                                                  (1)
//!     square (lcp-pgs)       −(clamp(m g_x, r), clamp(m g_y, r)):  √2 r at 45°                  (2)
//!     octagon (lcp-lemke)    s = κ r, |t| ≤ σ r of the edge it looks at:  κ = cos π/8 at 22.5°  (3)
//! ```
//!
//! A cube thrown at v and 30° comes to rest after v²/(2 μ g) under (1). Under (2) each coordinate stops on its
//! own, and the path bends. Under (3) friction pulls along 45°, the path turns to 22.5°, and on from there
//! with κ μ g:
//!
//! ```text
//!     (v_x², v_y²)/(2 μ g)                                                                      (4)
//!     t₁ = v sin 7.5°/(μ g sin 22.5°),   v₁ = v cos 7.5° − μ g t₁ cos 22.5°,   v₁²/(2 κ μ g)    (5)
//! ```

use super::worst::Worst;
use super::{Claim, Experiment, ExperimentError, Findings, Size, simulation, step};
use std::f64::consts::{FRAC_PI_4, FRAC_PI_8, SQRT_2, TAU};
use stiction::contact::corpus;
use stiction::solvers::registry::{self, Common};
use stiction_plot::Series;
use stiction_scene::{NotNegative, Scene, Vector};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "pyramid-bias",
    title: "Friction force over the direction of the push, and the path of a sliding cube, under pyramids",
    source: "After Le Lidec et al., Contact Models in Robotics: a Comparative Analysis, Fig. 4 [LeLidec2023]",
    measure,
};

const CONTACTS: [&str; 3] = ["nsgs", "lcp-pgs", "lcp-lemke"];
const MU: f64 = 0.3;
const MASS: f64 = 2.0;
/// Velocity into the plane that the contact takes away [m/s]; the push is 1 m/s.
const PRESS: f64 = 0.1;
/// Initial speed of the cube [m/s].
const SPEED: f64 = 1.0;
const ANGLE: f64 = 30.0;
const DT: f64 = 1e-3;
const G: f64 = 9.81;

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let mut findings = Findings::default();
    force(&mut findings, if size == Size::Full { 720 } else { 16 })?;
    path(&mut findings)?;
    Ok(findings)
}

/// (1)–(3) for a push of 1 m/s at θ, over r.
fn predicted(contact: &str, angle: f64) -> [f64; 2] {
    let (sin, cos) = angle.sin_cos();
    // m g_T over r = μ m PRESS.
    let push = 1.0 / (MU * PRESS);
    match contact {
        "lcp-pgs" => [-(push * cos).clamp(-1.0, 1.0), -(push * sin).clamp(-1.0, 1.0)],
        "lcp-lemke" => {
            let middle = ((angle / FRAC_PI_4).floor() + 0.5) * FRAC_PI_4;
            let across = (push * (angle - middle).sin()).clamp(-FRAC_PI_8.sin(), FRAC_PI_8.sin());
            let (s, c, along) = (middle.sin(), middle.cos(), FRAC_PI_8.cos());
            [-(along * c - across * s), -(along * s + across * c)]
        }
        _ => [-cos, -sin],
    }
}

fn force(findings: &mut Findings, directions: u32) -> Result<(), ExperimentError> {
    let (mut size, mut turn) = (Vec::new(), Vec::new());
    let shown = CONTACTS.into_iter().chain(["mujoco-pyramidal", "anitescu-qp"]);
    for contact in shown {
        let mut solver = registry::make(contact, &Common { tolerance: 1e-11, max_iterations: 1000 })?;
        let named = || Series { label: contact.to_owned(), points: Vec::new() };
        let (mut share, mut aside, mut worst) = (named(), named(), Worst::default());
        let mut largest = [Worst::default(); 2];
        for k in 0..directions {
            let angle = f64::from(k) * TAU / f64::from(directions);
            let (sin, cos) = angle.sin_cos();
            let problem = corpus::point(MASS, MU, [cos, sin, -PRESS]);
            let (mut x, mut c) = (vec![0.0; 3], Vec::new());
            solver.solve(&problem, &mut x);
            problem.velocities_into(&x, &mut c);
            let limit = MU * x[2];
            let off = [0, 1].map(|i| x[i] / limit - predicted(contact, angle)[i]);
            worst.see(off[0].hypot(off[1]));
            let force = x[0].hypot(x[1]) / limit;
            // From the slip to the force against it.
            let cross = c[0] * -x[1] - c[1] * -x[0];
            let angle_off = cross.atan2(-(c[0] * x[0] + c[1] * x[1])).to_degrees();
            share.points.push([angle.to_degrees(), force]);
            aside.points.push([angle.to_degrees(), angle_off]);
            largest[0].see(force);
            largest[1].see(angle_off.abs());
        }
        if CONTACTS.contains(&contact) {
            let claim =
                format!("{contact}: friction force over {directions} directions, off its closed form");
            findings.bound(claim, "μ λ_N", worst, 1e-7);
        }
        match contact {
            "nsgs" => findings.bound("nsgs: force aside of the slip".to_owned(), "degrees", largest[1], 1e-4),
            "lcp-pgs" => {
                let claim = "lcp-pgs: largest friction over the Coulomb limit".to_owned();
                findings.predict(claim, "-", SQRT_2, largest[0], 1e-9);
            }
            "lcp-lemke" => {
                let least = share.points.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
                let claim = "lcp-lemke: least friction over the Coulomb limit".to_owned();
                findings.predict(claim, "-", FRAC_PI_8.cos(), Worst::about(least, share.points.len()), 1e-6);
            }
            _ => {}
        }
        size.push(share);
        turn.push(aside);
    }
    let push = "direction of the push [degrees]";
    findings.keep_over("force", "Friction force of a sliding point", [push, "over μ λ_N [-]"], size, |f| f);
    let aside = [push, "force aside of the slip [degrees]"];
    findings.keep_over("direction", "Direction of the friction force", aside, turn, |f| f);
    Ok(())
}

/// Where the cube comes to rest: (4) and (5).
fn rest(contact: &str) -> [f64; 2] {
    let (sin, cos) = ANGLE.to_radians().sin_cos();
    let (stop, a) = (SPEED * SPEED / (2.0 * MU * G), MU * G);
    match contact {
        "lcp-pgs" => [stop * cos * cos, stop * sin * sin],
        "lcp-lemke" => {
            let (k, s) = (FRAC_PI_8.cos(), FRAC_PI_8.sin());
            let lean = ANGLE.to_radians() - FRAC_PI_8;
            let (across, along) = (SPEED * lean.sin(), SPEED * lean.cos());
            let turned = across / (a * s);
            let left = along - a * turned * k;
            let x = (along + left) / 2.0 * turned + left * left / (2.0 * k * a);
            let y = across / 2.0 * turned;
            [k * x - s * y, s * x + k * y]
        }
        _ => [stop * cos, stop * sin],
    }
}

fn path(findings: &mut Findings) -> Result<(), ExperimentError> {
    let mut scene = Scene::builtin("cube-slide")?;
    scene.stepper.dt = DT;
    let (sin, cos) = ANGLE.to_radians().sin_cos();
    if let Some(ground) = &mut scene.ground {
        ground.friction = Some(NotNegative(MU));
    }
    for body in &mut scene.body {
        body.friction = Some(NotNegative(MU));
        body.velocity = Vector([SPEED * cos, SPEED * sin, 0.0]);
    }
    let mut series = Vec::new();
    for contact in CONTACTS {
        let mut sim = simulation(&scene, contact)?;
        let mut points = vec![[0.0, 0.0]];
        for k in 1..=500 {
            step(&mut sim, k)?;
            points.push([sim.sim().state().q[0], sim.sim().state().q[1]]);
        }
        let (end, expected) = (points[points.len() - 1], rest(contact));
        let off = (end[0] - expected[0]).hypot(end[1] - expected[1]);
        let within = DT * SPEED;
        findings.claims.push(Claim {
            claim: format!("{contact}: where the cube comes to rest (to h v = {within} m)"),
            measured: format!(
                "({:.5}, {:.5}) m, predicted ({:.5}, {:.5})",
                end[0], end[1], expected[0], expected[1]
            ),
            holds: off <= within,
            sample: points.len(),
        });
        series.push(Series { label: contact.to_owned(), points });
    }
    let title = format!("Path of a cube thrown at {SPEED} m/s and {ANGLE}°, from above");
    findings.keep_over("path", &title, ["x [m]", "y [m]"], series, stiction_plot::Figure::equal);
    Ok(())
}
