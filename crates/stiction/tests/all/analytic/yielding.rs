//! Contacts that yield under the exact law: stiffness [N/m], dissipation [s/m] or relaxation time [s] of the surfaces.

use super::worlds::{EXACT, G, Run, on_ground};
use stiction::collision::Shape;
use stiction::contact::Material as Law;
use stiction::dynamics::spatial::{Pose, vec3};
use stiction::world::{Compliance, Material};
use stiction::{FreeBody, State};

const MASS: f64 = 2.0;
const RADIUS: f64 = 0.1;

fn soft(stiffness: f64, relaxation: Option<f64>, dissipation: Option<f64>) -> Material {
    let compliance = Compliance { stiffness: Some(stiffness), relaxation, dissipation };
    Material { compliance, friction: 0.5, ..Material::default() }
}

/// A body of 2 kg, its lowest point at `height`, thrown along x and down.
fn body(shape: Shape, low: f64, material: Material, along: f64, down: f64) -> stiction::Composer {
    let mut c = on_ground(0.5, 0.0);
    let pose = Pose::from_translation(vec3(0.0, 0.0, RADIUS + low));
    let velocity = vec3(along, 0.0, -down);
    c.body(FreeBody { material, velocity, ..FreeBody::new("body", shape, MASS, pose) }).unwrap();
    c
}

/// A ball sinks by m g/k, a box by m g/(4 k): k is that of a contact point.
#[test]
fn what_rests_sinks_by_its_weight() {
    let half = vec3(0.1, 0.1, 0.1);
    for contact in EXACT.into_iter().chain(["auto", "ncp-admm", "ncp-ipm"]) {
        for (shape, points) in [(Shape::Sphere { radius: RADIUS }, 1.0), (Shape::Box { half }, 4.0)] {
            for material in [soft(1e4, Some(0.02), None), soft(1e5, None, Some(20.0))] {
                let k = material.compliance.stiffness.unwrap();
                let mut run = Run::new(body(shape.clone(), 0.0, material, 0.0, 0.0), contact, 1e-3);
                run.steps(4000);
                let sunk = RADIUS - run.sim.state().q[2];
                let off = sunk - MASS * G / (points * k);
                assert!(off.abs() < 1e-9, "{contact} {points}: off by {off:e}");
                run.assert_exact();
            }
        }
    }
}

/// What slides on a spring is braked by μ m g, as on rigid ground.
#[test]
fn friction_is_that_of_the_weight() {
    let half = vec3(0.1, 0.1, 0.1);
    let sunk = MASS * G / (4.0 * 1e5);
    let mut run =
        Run::new(body(Shape::Box { half }, -sunk, soft(1e5, Some(0.01), None), 2.0, 0.0), "auto", 1e-3);
    run.steps(200);
    let v = run.sim.state().v[0];
    assert!((v - (2.0 - 0.5 * G * 0.2)).abs() < 1e-3, "{v}");
    run.assert_exact();
}

/// Speed at which a ball that comes back from a central impact at `speed` passes the height at which it touched, by
/// small explicit steps of m δ̈ = −k δ (1 + d δ̇) − k τ δ̇ ≤ 0.
fn rebound([k, tau, d]: [f64; 3], speed: f64) -> f64 {
    let (mut x, mut v, h) = (0.0, speed, 1e-7);
    loop {
        let force = (k * x * (1.0 + d * v) + k * tau * v).max(0.0);
        v += h * (G - force / MASS);
        x += h * v;
        if v < 0.0 && (x <= 0.0 || force == 0.0) {
            return (v * v - 2.0 * G * x.max(0.0)).sqrt();
        }
    }
}

/// Spring, dashpot and Hunt–Crossley rebound as their equation of motion says, the better the smaller the step.
#[test]
fn impacts_follow_the_equation_of_motion() {
    for (material, law) in [
        (soft(1e5, None, None), [1e5, 0.0, 0.0]),
        (soft(1e5, Some(1e-3), None), [1e5, 1e-3, 0.0]),
        (soft(1e5, None, Some(0.5)), [1e5, 0.0, 0.5]),
    ] {
        let expected = rebound(law, 1.0);
        let mut off = Vec::new();
        for dt in [2e-5, 5e-6] {
            let mut run = Run::new(
                body(Shape::Sphere { radius: RADIUS }, 0.0, material, 0.0, 1.0),
                "nsgs-accelerated",
                dt,
            );
            run.steps((0.03 / dt) as usize);
            run.assert_exact();
            // From the height that it has reached.
            let State { q, v, .. } = run.sim.state();
            off.push(((v[2].powi(2) + 2.0 * G * (q[2] - RADIUS)).sqrt() - expected).abs());
        }
        assert!(off[1] < 3e-3 && off[1] < 0.6 * off[0], "{law:?}: {expected} off by {off:?}");
    }
}

/// The spring that MuJoCo's constraint is: the same depth at rest under the exact law as under MuJoCo's.
#[test]
fn mujocos_numbers_convert() {
    let ball = |material| body(Shape::Sphere { radius: RADIUS }, 0.0, material, 0.0, 0.0);
    let mut theirs = Run::new(ball(Material { friction: 0.5, ..Material::default() }), "mujoco", 1e-3);
    theirs.steps(3000);
    let depth = RADIUS - theirs.sim.state().q[2];
    let (k, tau) = Law::default().spring_of_mujoco(MASS, depth, 1e-3);
    let mut ours = Run::new(ball(soft(k, Some(tau), None)), "auto", 1e-3);
    ours.steps(3000);
    let sunk = RADIUS - ours.sim.state().q[2];
    assert!((sunk - depth).abs() < 1e-9, "{sunk} {depth}");
}
