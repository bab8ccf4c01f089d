//! Steps of the multibody canon, one at a time: the solution maps of the two bricks that complementarity problems are taught
//! with, what a relaxation lifts, force at a distance, and the order of every stepper on a ball that slides until it rolls.
//!
//! ```text
//!     normal force     0 ≤ q + h v + h² f/m ⟂ f ≥ 0:   f = m (−q/h − v)₊/h,   q⁺ = q + h v + h² f/m            (1)
//!     friction         v⁺ = sign(v) (|v| − μ g h)₊,   f = m (v⁺ − v)/h                                     (2)
//!     relaxation       v_N⁺ = μ (v − μ g h)/(1 + μ²) of a brick that touches                               (3)
//!     regularisation   λ = m (u* − v)₊/(1 + ε),   u* = v − 2 h (1 + ε)/κ v − h (1 + ε)/κ² φ                  (4)
//!     ball             slides to t = 2 v/(7 μ g), then rolls at 5/7 v                                      (5)
//! ```

use super::{Experiment, ExperimentError, Findings, Size};
use crate::plot::{Figure, Series};
use crate::scene::Scene;
use std::path::Path;
use stiction::{Simulation, StepperName, StepperParams};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "ways-to-step",
    title: "The bricks of complementarity problems, hover, force at a distance, and orders of the canon's steppers",
    source: "Courses on multibody dynamics; [StewartTrinkle1996, Anitescu2006, Todorov2014]",
    measure,
};

const G: f64 = 9.81;
const MU: f64 = 0.3;
const MASS: f64 = 2.0;

/// A ball before a wall, without weight or friction: the cart of (1) and (4), its gap and speed along z.
const CART: &str = "gravity = [0.0, 0.0, 0.0]\n[ground]\nfriction = 0.0\n[[body]]\nname = \"cart\"\nshape = \"sphere\"\n\
                    radius = 0.1\nmass = 2.0\nfriction = 0.0\nposition = [0.0, 0.0, 0.1]\n";
/// A flat brick on the ground: (2) and (3).
const BRICK: &str = "[ground]\nfriction = 0.3\n[[body]]\nname = \"brick\"\nshape = \"box\"\nsize = [0.4, 0.4, 0.04]\n\
                     mass = 2.0\nfriction = 0.3\nposition = [0.0, 0.0, 0.02]\n";
/// The ball of (5).
const BALL: &str = "[ground]\nfriction = 0.3\n[[body]]\nname = \"ball\"\nshape = \"sphere\"\nradius = 0.1\nmass = 2.0\n\
                    friction = 0.3\nposition = [0.0, 0.0, 0.1]\n";

/// `text` under the stepper, at h.
fn simulation(
    text: &str,
    (method, h): (&str, f64),
    change: impl FnOnce(&mut StepperParams),
) -> Result<Simulation, ExperimentError> {
    let setup = Scene::from_toml(text, Path::new("ways-to-step"))?.build()?;
    let mut settings = setup.settings;
    settings.stepper.dt = h;
    settings.stepper.method = StepperName::of(method).unwrap_or_default();
    settings.tolerance = 1e-12;
    change(&mut settings.stepper);
    Ok(Simulation::new(setup.world, setup.state, settings)?)
}

/// One step from `q` above where it starts and the velocity `v` of the first three dofs.
fn one_step(sim: &mut Simulation, q: f64, v: [f64; 3]) -> Result<(), ExperimentError> {
    let mut state = sim.state().clone();
    state.q[2] += q;
    state.v[..3].copy_from_slice(&v);
    sim.set_state(state).map_err(stiction::SetupError::from)?;
    step(sim)
}

fn step(sim: &mut Simulation) -> Result<(), ExperimentError> {
    let report = sim.step();
    match report.failure() {
        None => Ok(()),
        Some(cause) => {
            let (contact, cause) = (sim.contact_model().to_owned(), cause.to_owned());
            Err(ExperimentError::Step { step: 0, contact, cause })
        }
    }
}

/// Points of several curves by label, and what was predicted of them.
#[derive(Default)]
struct Curves {
    measured: Vec<Series>,
    predicted: Vec<Series>,
    worst: f64,
}

impl Curves {
    fn push(&mut self, label: &str, points: Vec<[f64; 3]>) {
        for (series, k) in [(&mut self.measured, 1), (&mut self.predicted, 2)] {
            series.push(Series {
                label: label.to_owned(),
                points: points.iter().map(|p| [p[0], p[k]]).collect(),
            });
        }
        self.worst = points.iter().fold(self.worst, |worst, p| worst.max((p[1] - p[2]).abs()));
    }
}

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let mut findings = Findings::default();
    normal_force(size, &mut findings)?;
    friction(size, &mut findings)?;
    hover(&mut findings)?;
    at_a_distance(size, &mut findings)?;
    orders(size, &mut findings)?;
    Ok(findings)
}

fn count(size: Size, full: u32) -> u32 {
    if size == Size::Small { 8 } else { full }
}

/// Measures (1).
fn normal_force(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let h = 0.1;
    let (mut ends, mut forces) = (Curves::default(), Curves::default());
    for v in [-2.0, -1.0, 0.0, 1.0] {
        let (mut of_end, mut of_force) = (Vec::new(), Vec::new());
        let n = count(size, 40);
        for k in 0..=n {
            let q = -0.1 + 0.4 * f64::from(k) / f64::from(n);
            let mut sim = simulation(CART, ("stewart-trinkle", h), |_| {})?;
            one_step(&mut sim, q, [0.0, 0.0, v])?;
            let force = sim.impulses().iter().sum::<f64>() / h;
            let expected = MASS * (-q / h - v).max(0.0) / h;
            of_end.push([q, sim.state().q[2] - 0.1, q + h * v + h * h * expected / MASS]);
            of_force.push([q, force, expected]);
        }
        ends.push(&format!("v = {v} m/s"), of_end);
        forces.push(&format!("v = {v} m/s"), of_force);
    }
    findings.bound("normal force: q[n+1] of the closed form".to_owned(), "m", ends.worst, 1e-9);
    findings.bound("normal force: f[n] of the closed form".to_owned(), "N", forces.worst, 1e-6);
    let plain: fn(Figure) -> Figure = |figure| figure;
    let title = "A cart before a wall: where a step of the linear complementarity problem ends";
    let axes = ["gap q[n] [m]", "gap q[n+1] [m]"];
    findings.keep_beside("normal-force-position", title, axes, [ends.measured, ends.predicted], plain);
    let title = "A cart before a wall: the force of a step";
    let axes = ["gap q[n] [m]", "force f[n] [N]"];
    findings.keep_beside("normal-force", title, axes, [forces.measured, forces.predicted], plain);
    Ok(())
}

/// Measures (2).
fn friction(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let h = 0.1;
    let (mut ends, mut forces) = (Curves::default(), Curves::default());
    let (mut of_end, mut of_force) = (Vec::new(), Vec::new());
    let n = count(size, 60);
    for k in 0..=n {
        let v = -1.0 + 2.0 * f64::from(k) / f64::from(n);
        let mut sim = simulation(BRICK, ("stewart-trinkle", h), |_| {})?;
        one_step(&mut sim, 0.0, [v, 0.0, 0.0])?;
        let expected = v.signum() * (v.abs() - MU * G * h).max(0.0);
        let after = sim.state().v[0];
        of_end.push([v, after, expected]);
        of_force.push([v, MASS * (after - v) / h, MASS * (expected - v) / h]);
    }
    ends.push("v[n+1]", of_end);
    forces.push("f[n]", of_force);
    findings.bound("friction: v[n+1] of the closed form".to_owned(), "m/s", ends.worst, 1e-8);
    let plain: fn(Figure) -> Figure = |figure| figure;
    let title = "A brick on the ground: Coulomb's force by slack variables";
    let axes = ["speed v[n] [m/s]", "friction f[n] [N]"];
    findings.keep_beside("coulomb-brick", title, axes, [forces.measured, forces.predicted], plain);
    Ok(())
}

/// Measures (3), and the gap μ v h at which what slides hovers.
fn hover(findings: &mut Findings) -> Result<(), ExperimentError> {
    let (h, v) = (0.01, 2.0);
    let mut sim = simulation(BRICK, ("anitescu", h), |_| {})?;
    one_step(&mut sim, 0.0, [v, 0.0, 0.0])?;
    let expected = MU * (v - MU * G * h) / (1.0 + MU * MU);
    findings.predict("anitescu: a brick takes off".to_owned(), "m/s", expected, sim.state().v[2], 1e-6);
    let mut sim = simulation(BRICK, ("anitescu", h), |_| {})?;
    one_step(&mut sim, MU * v * h, [v, 0.0, 0.0])?;
    let mut points = Vec::new();
    for _ in 0..30 {
        points.push([sim.state().t, sim.state().q[2] - 0.02, MU * h * sim.state().v[0]]);
        step(&mut sim)?;
    }
    let mut curves = Curves::default();
    curves.push("anitescu", points);
    findings.bound("anitescu: hover height μ v h".to_owned(), "m", curves.worst, 1e-7);
    let plain: fn(Figure) -> Figure = |figure| figure;
    let title = "A brick that hovers as it slides";
    findings.keep_beside("hover", title, ["t [s]", "gap [m]"], [curves.measured, curves.predicted], plain);
    Ok(())
}

/// Measures (4).
fn at_a_distance(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let (h, epsilon, kappa) = (0.01, 0.1, 0.05);
    let mut curves = Curves::default();
    let (mut far, mut without) = (0.0_f64, 0.0_f64);
    for v in [-0.5, -1.0, -1.5] {
        let mut points = Vec::new();
        let n = count(size, 40);
        for k in 0..=n {
            let q = 0.15 * f64::from(k) / f64::from(n);
            let impulse = |margin: f64| {
                let mut sim = simulation(CART, ("todorov", h), |params| {
                    let own = &mut params.canon.todorov;
                    (own.regularization, own.time_constant, own.margin) = (epsilon, kappa, margin);
                })?;
                one_step(&mut sim, q, [0.0, 0.0, v])?;
                Ok::<f64, ExperimentError>(MASS * (sim.state().v[2] - v))
            };
            let soft = (1.0 + epsilon) / kappa;
            let expected = MASS * (-2.0 * h * soft * v - h * soft / kappa * q).max(0.0) / (1.0 + epsilon);
            let (with, none) = (impulse(1.0)?, impulse(0.0)?);
            points.push([q, with / h, expected / h]);
            if q > 1e-3 {
                far = far.max(with / h);
                without = without.max(none.abs() / h);
            }
        }
        curves.push(&format!("v = {v} m/s"), points);
    }
    findings.bound("todorov: the force of the closed form".to_owned(), "N", curves.worst, 1e-5);
    findings.bound("todorov: force at a distance without a margin".to_owned(), "N", without, 1e-12);
    findings.bound(
        "todorov: a margin makes force at a distance, its inverse".to_owned(),
        "1/N",
        1.0 / far,
        0.1,
    );
    let plain: fn(Figure) -> Figure = |figure| figure;
    let title = "Todorov's regularised step: force on a cart that is still at a distance";
    let axes = ["gap [m]", "force [N]"];
    findings.keep_beside("force-at-a-distance", title, axes, [curves.measured, curves.predicted], plain);
    Ok(())
}

/// Error of the place of the ball of (5) after 0.25 s, over h.
fn orders(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let (v, end) = (1.0, 0.25);
    let t = 2.0 * v / (7.0 * MU * G);
    let expected = v * t - 0.5 * MU * G * t * t + 5.0 / 7.0 * v * (end - t);
    let steps: &[f64] = if size == Size::Small { &[25.0, 100.0] } else { &[25.0, 50.0, 100.0, 200.0, 400.0] };
    let mut series = Vec::new();
    for method in ["time-stepping", "moreau", "stewart-trinkle", "event-driven"] {
        let mut points = Vec::new();
        for &n in steps {
            let mut sim = simulation(BALL, (method, end / n), |_| {})?;
            let mut state = sim.state().clone();
            state.v[0] = v;
            sim.set_state(state).map_err(stiction::SetupError::from)?;
            for _ in 0..n as usize {
                step(&mut sim)?;
            }
            points.push([end / n, (sim.state().q[0] - expected).abs().max(1e-12)]);
        }
        let (first, last) = (points[0], points[points.len() - 1]);
        let order = (first[1] / last[1]).ln() / (first[0] / last[0]).ln();
        match method {
            "event-driven" => {
                let worst = points.iter().fold(0.0_f64, |worst, p| worst.max(p[1]));
                findings.bound("event-driven: error whatever the step".to_owned(), "m", worst, 1e-7);
            }
            _ => findings.bound(
                format!("{method}: error falls at least as h, order {order:.2}: 1 − order"),
                "-",
                1.0 - order,
                0.25,
            ),
        }
        series.push(Series { label: method.to_owned(), points });
    }
    let title = "A ball that slides until it rolls: error of its place after 0.25 s";
    findings.keep_over("orders", title, ["step h [s]", "error [m]"], series, |figure| figure.log_x().log_y());
    Ok(())
}
