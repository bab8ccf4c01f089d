//! The laws of contact as pictures, every line of them computed by the code that simulates.
//!
//! ```text
//!     Signorini          impulse and velocity of a point that arrives at many speeds, with R = 0 and with R > 0
//!     cones              the largest push along every direction that a point under friction withstands, over μ λ_N
//!     RaiSim's ellipse   K ∩ {c_N = 0} of one contact, seen from above: with A = G_ii and g̃ the velocity without its impulse,
//!                        λ_N (A_NN + μ (A_Nx cos θ + A_Ny sin θ)) = −g̃_N                                      (1)
//!     its centres        λ_v0 = −A⁻¹ g̃, and with De Saxcé's correction the least of ½λᵀAλ + λᵀ(g̃ + Γ) on c_N = 0:
//!                        λ_v0^cor = λ_v0 − ‖Γ‖ (A⁻¹ e_N − e_N/A_NN)                                           (2)
//!     coordinates        n of a tilted face and the tangents that the engine gives it, with the cone on them
//! ```

use super::worst::Worst;
use super::{Claim, Experiment, ExperimentError, Findings, Size};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_8, TAU};
use stiction::contact::{ConstraintProblem, corpus};
use stiction::dynamics::spatial::{Vec3, vec3};
use stiction::solvers::registry::{self, Common};
use stiction_plot::{Figure, Series, Sheet};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "laws-drawn",
    title: "Signorini's graph, cones and pyramids, RaiSim's ellipse, contact coordinates, a die, drawn from the laws",
    source: "After the figures of Le Lidec et al. [LeLidec2023, LeLidec2024]",
    measure,
};

const MASS: f64 = 2.0;
const MU: f64 = 0.5;
/// Compliance of the second graph [1/kg].
const COMPLIANCE: f64 = 0.25;
const LIMIT: Common = Common { tolerance: 1e-11, max_iterations: 5000 };

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let points = if size == Size::Full { 144 } else { 24 };
    let mut findings = Findings::default();
    let mut panels = signorini(points, &mut findings)?;
    panels.push(cones(points, &mut findings)?);
    panels.push(ellipse(points, &mut findings)?);
    panels.push(coordinates(points, &mut findings));
    panels.push(die(&mut findings));
    let caption = format!(
        "(a) Rigid contact: 0 ≤ λ_N ⟂ c_N ≥ 0, a point of {MASS} kg at speeds of −1 to 1 m/s. (b) Compliant: the point moves at −R λ_N, R = \
         {COMPLIANCE} 1/kg. (c) The largest friction along every direction, over μ λ_N: Coulomb's disc under nsgs, a square under lcp-pgs, an octagon under \
         lcp-lemke. (d) One contact whose normal and tangential rows are coupled, from above: the impulses of the cone with c_N = 0 are an \
         ellipse, on which RaiSim's law takes the point of least energy and the exact law the one that opposes slip; λ_v0 and λ_{{v0,cor}} are the \
         centres of the two energies. (e) Axes t_1, t_2, n of a contact, n from A to B, with the cone K_μ. (f) \
         The die of [Fazeli2020] on a corner: an impulse there turns it by its lever; tapers, whose size is not published, are not drawn."
    );
    let sheet = Sheet::of_panels("Laws of contact", 3, panels).captioned(&caption);
    findings.sheets.push(("laws".to_owned(), sheet));
    Ok(findings)
}

/// The die of the dropped-die experiment as figure 2 of [Fazeli2020] shows it, in mm, standing on a corner, with the levers of that contact: by the
/// numbers that learners use.
fn die(findings: &mut Findings) -> Figure {
    let die = stiction_learn::dice::DiceParameters::default();
    let (side, turned) = (1e3 * 2.0 * die.half, 0.35_f64);
    let corner = |a: f64, b: f64| {
        let (s, c) = turned.sin_cos();
        [0.5 * side * (a * c - b * s), 0.5 * side * (a * s + b * c)]
    };
    let lowest = corner(-1.0, -1.0);
    let up = |p: [f64; 2]| [p[0], p[1] - lowest[1]];
    let [ground, centre, touch] = [[0.0, 0.0], up([0.0, 0.0]), up(lowest)];
    let square =
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)].map(|(a, b)| up(corner(a, b)));
    let radius = 1e3 * die.gyration;
    let gyration =
        (0..=72).map(|k| f64::from(k) * TAU / 72.0).map(|t| [radius * t.cos(), centre[1] + radius * t.sin()]);
    let curves = [
        line("die", square.to_vec()),
        line("ground", vec![[-1.3 * side, ground[1]], [1.3 * side, ground[1]]]),
        line("lever of the impulse", vec![touch, centre]),
        line("radius of gyration", gyration.collect()),
    ];
    let edge = (square[1][0] - square[0][0]).hypot(square[1][1] - square[0][1]);
    findings.bound("the die: its side is 60 mm".to_owned(), "mm", (edge - 60.0).abs(), 1e-9);
    let thick = (radius - side / 6.0_f64.sqrt()).abs();
    findings.bound("the die: its radius of gyration is that of a full square".to_owned(), "mm", thick, 0.1);
    Figure::of_series("a die", "x [mm]", "z [mm]", &curves)
        .dotted(&[line("centre of mass", vec![centre])])
        .equal()
}

fn line(label: &str, points: Vec<[f64; 2]>) -> Series {
    Series { label: label.to_owned(), points }
}

/// The answer of a solver, and the velocities without compliance.
fn solved(solver: &str, problem: &ConstraintProblem) -> Result<[Vec<f64>; 2], ExperimentError> {
    let mut solver = registry::make(solver, &LIMIT)?;
    let (mut impulses, mut c) = (vec![0.0; problem.rows()], Vec::new());
    solver.solve(problem, &mut impulses);
    problem.velocities_into(&impulses, &mut c);
    for ((c, r), l) in c.iter_mut().zip(&problem.compliance).zip(&impulses) {
        *c -= r * l;
    }
    Ok([impulses, c])
}

fn signorini(points: u32, findings: &mut Findings) -> Result<Vec<Figure>, ExperimentError> {
    let mut panels = Vec::new();
    for (title, compliance) in [("Signorini's graph", 0.0), ("its compliant form", COMPLIANCE)] {
        let mut graph = Vec::new();
        let mut off = Worst::default();
        for k in 0..=points {
            let arrives = -1.0 + 2.0 * f64::from(k) / f64::from(points);
            let mut problem = corpus::point(MASS, MU, [0.0, 0.0, arrives]);
            problem.compliance[2] = compliance;
            let [impulses, c] = solved("nsgs", &problem)?;
            graph.push([c[2], impulses[2]]);
            // 0 ≤ λ_N ⟂ u_N + R λ_N ≥ 0.
            off.see(impulses[2].min(c[2] + compliance * impulses[2]).abs());
        }
        graph.sort_by(|a, b| a[0].total_cmp(&b[0]).then(b[1].total_cmp(&a[1])));
        findings.bound(format!("{title}: 0 ≤ λ_N ⟂ u_N + R λ_N ≥ 0"), "m/s", off, 1e-9);
        let figure =
            Figure::of_series(title, "velocity u_N [m/s]", "impulse λ_N [N·s]", &[line("nsgs", graph)]);
        panels.push(figure.within_x(-0.6, 1.1).within_y(-0.1, 2.2));
    }
    Ok(panels)
}

/// The largest push along θ, over μ λ_N, at which a point pressed with λ_N still sticks.
fn withstands(solver: &str, angle: f64) -> Result<f64, ExperimentError> {
    let (press, [sin, cos]) = (0.1, [angle.sin(), angle.cos()]);
    let (mut low, mut high) = (0.0, 2.0);
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        let push = middle * MU * press;
        let [_, c] = solved(solver, &corpus::point(MASS, MU, [push * cos, push * sin, -press]))?;
        if c[0].hypot(c[1]) < 1e-8 { low = middle } else { high = middle }
    }
    Ok(low)
}

/// The radius of a set along an angle.
type Radius<'a> = &'a dyn Fn(f64) -> f64;

fn cones(points: u32, findings: &mut Findings) -> Result<Figure, ExperimentError> {
    let mut curves = Vec::new();
    // The radius of the set along θ.
    let disc = |_: f64| 1.0;
    let square = |a: f64| 1.0 / a.cos().abs().max(a.sin().abs());
    let octagon = |a: f64| {
        let edge = (a / (2.0 * FRAC_PI_8)).floor() * 2.0 * FRAC_PI_8 + FRAC_PI_8;
        FRAC_PI_8.cos() / (a - edge).cos()
    };
    let sets: [(&str, &str, Radius<'_>); 3] =
        [("nsgs", "disc", &disc), ("lcp-pgs", "square", &square), ("lcp-lemke", "octagon", &octagon)];
    for (solver, shape, radius) in sets {
        let mut rim = Vec::new();
        let mut off = Worst::default();
        for k in 0..=points {
            let angle = (f64::from(k) + 0.25) * TAU / f64::from(points);
            let r = withstands(solver, angle)?;
            off.see((r - radius(angle.rem_euclid(TAU))).abs());
            rim.push([r * angle.cos(), r * angle.sin()]);
        }
        findings.bound(format!("{solver}: what sticks is a {shape}"), "μ λ_N", off, 1e-4);
        curves.push(line(solver, rim));
    }
    let axes = ["λ_x over μ λ_N [–]", "λ_y over μ λ_N [–]"];
    Ok(Figure::of_series("cone and pyramids", axes[0], axes[1], &curves).equal())
}

/// One contact with coupled rows (x, y, n) [1/kg], friction, and the velocity without its impulse [m/s].
const A: [f64; 9] = [1.2, 0.1, 0.5, 0.1, 1.0, -0.35, 0.5, -0.35, 1.1];
const MU_OF_A: f64 = 0.8;
const FREE: [f64; 3] = [0.9, 0.5, -1.0];

/// λ of (1) at the angle θ.
fn on_ellipse(angle: f64) -> Vec3 {
    let (s, c) = angle.sin_cos();
    let normal = -FREE[2] / (A[8] + MU_OF_A * (A[6] * c + A[7] * s));
    vec3(MU_OF_A * normal * c, MU_OF_A * normal * s, normal)
}

fn times_a(x: Vec3) -> Vec3 {
    let row = |i: usize| A[3 * i] * x.x + A[3 * i + 1] * x.y + A[3 * i + 2] * x.z;
    vec3(row(0), row(1), row(2))
}

/// A⁻¹ x by Cramer's rule.
fn solve_a(x: Vec3) -> Vec3 {
    let column = |j: usize| vec3(A[j], A[3 + j], A[6 + j]);
    let det = |a: Vec3, b: Vec3, c: Vec3| a.dot(b.cross(c));
    let [a, b, c] = [0, 1, 2].map(column);
    let d = det(a, b, c);
    vec3(det(x, b, c) / d, det(a, x, c) / d, det(a, b, x) / d)
}

fn ellipse(points: u32, findings: &mut Findings) -> Result<Figure, ExperimentError> {
    let free = vec3(FREE[0], FREE[1], FREE[2]);
    let problem = corpus::one_contact(A, FREE, MU_OF_A);
    let answer = |solver: &str| solved(solver, &problem).map(|[x, c]| (vec3(x[0], x[1], x[2]), c));
    let ((raisim, _), (exact, c)) = (answer("raisim-accelerated")?, answer("nsgs")?);
    let angles = (0..=points).map(|k| f64::from(k) * TAU / f64::from(points));
    let rim: Vec<Vec3> = angles.map(on_ellipse).collect();
    let energy = |x: Vec3| 0.5 * x.dot(times_a(x)) + x.dot(free);
    let least = rim.iter().map(|x| energy(*x)).fold(f64::INFINITY, f64::min);
    let off = |x: Vec3| {
        let angle = x.y.atan2(x.x);
        (on_ellipse(angle) - x).norm()
    };
    let both = Worst::of([off(raisim), off(exact)]);
    findings.bound("answers of both laws are on the ellipse".to_owned(), "N·s", both, 1e-6);
    findings.claims.push(Claim {
        claim: "RaiSim's answer has the least energy of the ellipse".to_owned(),
        measured: format!("{:.6e} J, of {} points at least {least:.6e}", energy(raisim), rim.len()),
        holds: energy(raisim) <= least + 1e-9,
        sample: rim.len(),
    });
    let turn = |x: Vec3, c: Vec3| {
        let (f, v) = (vec3(-x.x, -x.y, 0.0), vec3(c.x, c.y, 0.0));
        (f.x * v.y - f.y * v.x).atan2(f.dot(v)).abs()
    };
    let slip_of = |x: Vec3| times_a(x) + free;
    let angle = turn(raisim, slip_of(raisim));
    findings.bound("the exact answer opposes slip".to_owned(), "rad", turn(exact, slip_of(exact)), 1e-6);
    findings.claims.push(Claim {
        claim: "RaiSim's answer does not, by more than 0.05 rad".to_owned(),
        measured: format!("{angle:.3} rad"),
        holds: angle > 0.05,
        sample: 1,
    });
    let correction = MU_OF_A * c[0].hypot(c[1]);
    let stick = -solve_a(free);
    let corrected = stick - (solve_a(Vec3::Z) - Vec3::Z * (1.0 / A[8])) * correction; // (2)
    // Stationary on c_N = 0: what is left of the corrected gradient is along the normal of that plane, A e_N.
    let gradient = times_a(corrected) + free + Vec3::Z * correction;
    let normal = times_a(Vec3::Z);
    let across = gradient - normal * (gradient.dot(normal) / normal.norm_squared());
    findings.bound("λ_v0,cor is stationary on c_N = 0".to_owned(), "m/s", across.norm(), 1e-12);
    let flat = |x: Vec3| [x.x, x.y];
    let shadow = line("K ∩ {c_N = 0}", rim.iter().map(|x| flat(*x)).collect());
    let ring = |label: &str, x: Vec3| line(label, vec![flat(x)]);
    let rings = [ring("raisim", raisim), ring("nsgs", exact)];
    let dots = [ring("λ_v0", stick), ring("λ_{v0,cor}", corrected)];
    let figure = Figure::of_series("RaiSim's ellipse", "λ_x [N·s]", "λ_y [N·s]", &[shadow]);
    Ok(figure.ringed(&rings).dotted(&dots).equal())
}

fn coordinates(points: u32, findings: &mut Findings) -> Figure {
    let n = vec3(0.25, -0.3, 1.0);
    let n = n * (1.0 / n.norm());
    let (t1, t2) = n.tangents();
    let off =
        Worst::of([t1.dot(t2).abs(), t1.dot(n).abs(), (t1.norm() - 1.0).abs(), (t1.cross(t2) - n).norm()]);
    findings.bound("t_1, t_2, n are orthonormal and right-handed".to_owned(), "–", off, 1e-12);
    // From the front, above and to the right.
    let seen = |p: Vec3| {
        let (right, up) = (vec3(FRAC_1_SQRT_2, FRAC_1_SQRT_2, 0.0), vec3(-0.35, 0.35, 0.87));
        [p.dot(right), p.dot(up)]
    };
    let path = |label: &str, of: &[Vec3]| line(label, of.iter().map(|p| seen(*p)).collect());
    let corner = |a: f64, b: f64| t1 * a + t2 * b;
    let face =
        [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0)];
    let rim: Vec<Vec3> = (0..=points)
        .map(|k| f64::from(k) * TAU / f64::from(points))
        .map(|a| n * 0.9 + corner(0.9 * MU * a.cos(), 0.9 * MU * a.sin()))
        .collect();
    let side = |a: f64| n * 0.9 + corner(0.9 * MU * a.cos(), 0.9 * MU * a.sin());
    let mut cone = vec![side(FRAC_PI_8), Vec3::ZERO, side(FRAC_PI_8 + 0.5 * TAU)];
    cone.reverse();
    let curves = [
        path("surface of A", &face),
        path("n", &[Vec3::ZERO, n * 1.2]),
        path("t_1", &[Vec3::ZERO, t1]),
        path("t_2", &[Vec3::ZERO, t2]),
        path("K_μ", &rim),
        path("K_μ: its sides", &cone),
    ];
    Figure::of_series("contact coordinates", "", "", &curves).equal()
}
