//! Two-step differences beside backward Euler: order of a pendulum and of a body that tumbles, and that impacts are not carried on.

#![allow(clippy::unwrap_used, non_snake_case)]

use stiction_dynamics::spatial::{Inertia, Pose, Sym3, Vec3, vec3};
use stiction_dynamics::{JointSpec, ModelBuilder};
use stiction_nmdp::sites::{BodySite, Sites};
use stiction_nmdp::wrench_set::cone::{Cone, Ground, Growth};
use stiction_nmdp::{Acting, Method, Nmdp, NmdpParams};
use stiction_world::World;

const G: f64 = 9.81;
const LENGTH: f64 = 0.7;

fn params(differences: u32) -> NmdpParams {
    NmdpParams { differences, residual_tolerance: 1e-13, ..NmdpParams::default() }
}

/// A point of 2 kg at the end of a rod on a hinge about y.
fn pendulum() -> World {
    let mut b = ModelBuilder::new();
    let link = b.link("bob", None, Pose::IDENTITY, Inertia::new(2.0, vec3(0.0, 0.0, -LENGTH), Sym3::ZERO));
    b.joints(link, [JointSpec::hinge("hinge", Vec3::Y)]);
    World::new("pendulum", b.build(vec3(0.0, 0.0, -G)).unwrap())
}

/// The angle after 1 s from rest at 1 rad, with steps of h.
fn swung(method: Method, differences: u32, h: f64) -> f64 {
    let world = pendulum();
    let mut nmdp = Nmdp::new(&world, method, params(differences), Sites::new(Vec::new(), Vec::new()));
    let (mut q, mut v) = ([1.0], [0.0]);
    for _ in 0..(1.0 / h).round() as usize {
        nmdp.step(&world, (&mut q, &mut v), &Acting { control: &[], generalized: &[0.0] }, h).unwrap();
    }
    q[0]
}

/// The angle by Runge and Kutta's method on φ̈ = −(g/l) sin φ.
fn pendulum_by_runge_kutta() -> f64 {
    let f = |[a, b]: [f64; 2]| [b, -G / LENGTH * a.sin()];
    let plus = |x: [f64; 2], k: [f64; 2], s: f64| [x[0] + s * k[0], x[1] + s * k[1]];
    let (mut x, h) = ([1.0, 0.0], 1e-4);
    for _ in 0..10_000 {
        let k1 = f(x);
        let k2 = f(plus(x, k1, 0.5 * h));
        let k3 = f(plus(x, k2, 0.5 * h));
        let k4 = f(plus(x, k3, h));
        x = [0, 1].map(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    x[0]
}

#[test]
fn a_pendulum_is_of_the_order_that_is_asked_for() {
    let exact = pendulum_by_runge_kutta();
    for method in [Method::NeNmdpPgm, Method::NeNmdpZopgm] {
        let off = |order: u32, h: f64| (swung(method, order, h) - exact).abs();
        for (order, ratio) in [(1, 2.0), (2, 4.0)] {
            let fell = off(order, 4e-3) / off(order, 2e-3);
            assert!(
                (fell / ratio - 1.0).abs() < 0.15,
                "{} of order {order}: errors fall by {fell}",
                method.name()
            );
        }
        assert!(off(2, 4e-3) < 0.05 * off(1, 4e-3), "{}", method.name());
    }
    assert!(
        swung(Method::PbdNmdpPgm, 2, 4e-3) == swung(Method::PbdNmdpPgm, 1, 4e-3),
        "points know backward Euler alone"
    );
}

/// A body without symmetry that tumbles: rotations in three axes are of second order as well, by Richardson's quotient.
#[test]
fn a_tumbling_body_is_of_second_order() {
    let mut b = ModelBuilder::new();
    let I = Sym3::diagonal(0.02, 0.05, 0.06);
    let link = b.link("body", None, Pose::IDENTITY, Inertia::new(1.0, Vec3::ZERO, I));
    b.joints(link, [JointSpec::free("root")]);
    let world = World::new("body", b.build(Vec3::ZERO).unwrap());
    let turned = |h: f64| {
        let mut nmdp = Nmdp::new(&world, Method::NeNmdpPgm, params(2), Sites::new(Vec::new(), Vec::new()));
        let mut q = world.model.neutral();
        let mut v = vec![0.0, 0.0, 0.0, 0.5, 3.0, 0.2];
        for _ in 0..(0.5 / h).round() as usize {
            nmdp.step(&world, (&mut q, &mut v), &Acting { control: &[], generalized: &[0.0; 6] }, h).unwrap();
        }
        q
    };
    let [a, b, c] = [4e-3, 2e-3, 1e-3].map(turned);
    let apart = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
    let fell = apart(&a, &b) / apart(&b, &c);
    assert!((fell / 4.0 - 1.0).abs() < 0.15, "differences fall by {fell}");
}

/// A mass that falls into its set at 1.4 m/s is caught: it leaves at less than a tenth of that, where differences over the jump would carry a
/// third of it on.
#[test]
fn an_impact_is_not_carried_on() {
    let mut b = ModelBuilder::new();
    let link = b.link("mass", None, Pose::IDENTITY, Inertia::new(2.0, Vec3::ZERO, Sym3::ZERO));
    b.joints(link, JointSpec::translation("root"));
    let world = World::new("point mass", b.build(vec3(0.0, 0.0, -G)).unwrap());
    let ground = Ground { normal: Vec3::Z, offset: 0.0 };
    let set = Box::new(Cone::new(ground, 0.0, Growth { stiffness: 1e5, ..Growth::default() }, 0.3, 4));
    let sites = Sites::new(vec![BodySite { body: 0, p_BS: Vec3::ZERO, set }], Vec::new());
    for h in [1e-3, 5e-3] {
        let mut nmdp = Nmdp::new(&world, Method::NeNmdpPgm, params(2), sites.clone());
        let (mut q, mut v) = ([0.0, 0.0, 0.1], [0.4, 0.0, 0.0]);
        let (mut low, mut fastest) = (f64::INFINITY, 0.0_f64);
        for _ in 0..(2.0 / h) as usize {
            nmdp.step(&world, (&mut q, &mut v), &Acting { control: &[], generalized: &[0.0; 3] }, h).unwrap();
            low = low.min(q[2]);
            if low < 0.0 {
                fastest = fastest.max(v[2]);
            }
        }
        let arrives = (2.0 * G * 0.1_f64).sqrt();
        assert!(fastest < 0.1 * arrives, "{h}: it leaves its set at {fastest} m/s");
        assert!(v.iter().all(|v| v.abs() < 1e-6), "{h}: {v:?}");
    }
}
