//! Steps of the canon, one at a time: the solution maps of the two bricks that complementarity problems are taught with, what a
//! relaxation lifts, and force at a distance.
//!
//! ```text
//!     normal force     0 ≤ q + h v + h² f/m ⟂ f ≥ 0:   f = m (−q/h − v)₊/h,   q⁺ = q + h v + h² f/m            (1)
//!     friction         v⁺ = sign(v) (|v| − μ g h)₊,   f = m (v⁺ − v)/h                                     (2)
//!     relaxation       v_N⁺ = μ (v − μ g h)/(1 + μ²) of a brick that touches                               (3)
//!     regularisation   λ = m (u* − v)₊/(1 + ε),   u* = v − 2 h (1 + ε)/κ v − h (1 + ε)/κ² φ                  (4)
//! ```
//!
//! (2) with its slack variables: β₊ and β₋ push along ±x, ψ is the slip that is left, 0 ≤ μ λ_N − β₊ − β₋ ⟂ ψ ≥ 0, so that
//! ψ = |v⁺| where friction is whole, and f = (β₊ − β₋)/h.

use super::super::worst::Worst;
use super::{Curves, ExperimentError, Findings, G, Size, scene, step};
use stiction::{SetupError, Simulation, StepperParams};

const MU: f64 = 0.3;
const MASS: f64 = 2.0;

/// A ball before a wall, without weight or friction: the cart of (1) and (4), its gap and speed along z.
const CART: &str = "gravity = [0.0, 0.0, 0.0]\n[ground]\nfriction = 0.0\n[[body]]\nname = \"cart\"\nshape = \"sphere\"\n\
                    radius = 0.1\nmass = 2.0\nfriction = 0.0\nposition = [0.0, 0.0, 0.1]\n";
/// A flat brick on the ground: (2) and (3).
const BRICK: &str = "[ground]\nfriction = 0.3\n[[body]]\nname = \"brick\"\nshape = \"box\"\nsize = [0.4, 0.4, 0.04]\n\
                     mass = 2.0\nfriction = 0.3\nposition = [0.0, 0.0, 0.02]\n";

fn simulation(
    text: &str,
    how: (&str, f64),
    change: impl FnOnce(&mut StepperParams),
) -> Result<Simulation, ExperimentError> {
    super::simulation(scene(text)?, how, change)
}

/// One step from `q` above where it starts and the velocity `v` of the first three dofs.
fn one_step(sim: &mut Simulation, q: f64, v: [f64; 3]) -> Result<(), ExperimentError> {
    let mut state = sim.state().clone();
    state.q[2] += q;
    state.v[..3].copy_from_slice(&v);
    sim.set_state(state).map_err(SetupError::from)?;
    step(sim).map(|_| ())
}

pub(super) fn measure(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    normal_force(size, findings)?;
    friction(size, findings)?;
    hover(findings)?;
    at_a_distance(size, findings)
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
        ends.push(&format!("v = {v} m/s"), &of_end);
        forces.push(&format!("v = {v} m/s"), &of_force);
    }
    findings.bound("normal force: q[n+1] of the closed form".to_owned(), "m", ends.worst, 1e-9);
    findings.bound("normal force: f[n] of the closed form".to_owned(), "N", forces.worst, 1e-6);
    let title = "A cart before a wall: where a step of the linear complementarity problem ends";
    let axes = ["gap q[n] [m]", "gap q[n+1] [m]"];
    ends.keep(findings, "normal-force-position", title, axes);
    let title = "A cart before a wall: the force of a step";
    let axes = ["gap q[n] [m]", "force f[n] [N]"];
    forces.keep(findings, "normal-force", title, axes);
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
    ends.push("v[n+1]", &of_end);
    forces.push("f[n]", &of_force);
    findings.bound("friction: v[n+1] of the closed form".to_owned(), "m/s", ends.worst, 1e-8);
    let title = "A brick on the ground: the slip that is left, ψ = |v[n+1]|";
    ends.keep(findings, "coulomb-brick-slip", title, ["speed v[n] [m/s]", "v[n+1] [m/s]"]);
    findings.bound("friction: f[n] of the closed form".to_owned(), "N", forces.worst, 1e-6);
    let title = "A brick on the ground: Coulomb's force by slack variables";
    let axes = ["speed v[n] [m/s]", "friction f[n] [N]"];
    forces.keep(findings, "coulomb-brick", title, axes);
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
    curves.push("anitescu", &points);
    findings.bound("anitescu: hover height μ v h".to_owned(), "m", curves.worst, 1e-7);
    let title = "A brick that hovers as it slides";
    curves.keep(findings, "hover", title, ["t [s]", "gap [m]"]);
    Ok(())
}

/// Measures (4).
fn at_a_distance(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let (h, epsilon, kappa) = (0.01, 0.1, 0.05);
    let mut curves = Curves::default();
    let (mut far, mut without) = (0.0_f64, Worst::default());
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
                without.see(none.abs() / h);
            }
        }
        curves.push(&format!("v = {v} m/s"), &points);
    }
    findings.bound("todorov: the force of the closed form".to_owned(), "N", curves.worst, 1e-5);
    findings.bound("todorov: force at a distance without a margin".to_owned(), "N", without, 1e-12);
    findings.bound(
        "todorov: a margin makes force at a distance, its inverse".to_owned(),
        "1/N",
        1.0 / far,
        0.1,
    );
    let title = "Todorov's regularised step: force on a cart that is still at a distance";
    let axes = ["gap [m]", "force [N]"];
    curves.keep(findings, "force-at-a-distance", title, axes);
    Ok(())
}
