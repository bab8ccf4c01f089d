//! Contact sets: derivatives by finite differences, and what they do to bodies whose motion is known.

#![allow(clippy::unwrap_used, non_snake_case)]

use crate::common;

use common::Dice;
use std::sync::Arc;
use stiction_dynamics::spatial::{Force, Inertia, Pose, Quat, Sym3, Vec3, vec3};
use stiction_dynamics::{JointSpec, ModelBuilder};
use stiction_nmdp::sites::{BodySite, Sites};
use stiction_nmdp::sole::Sole;
use stiction_nmdp::wrench_set::cone::{Cone, Ground, Growth};
use stiction_nmdp::wrench_set::granular::{Granular, GranularParams};
use stiction_nmdp::wrench_set::learned::{Learned, LearnedParams, LearnedTable};
use stiction_nmdp::wrench_set::patch::Patch;
use stiction_nmdp::wrench_set::{Place, WrenchSet};
use stiction_nmdp::{Acting, Method, Nmdp, NmdpParams};
use stiction_world::World;

const GROUND: Ground = Ground { normal: Vec3::Z, offset: 0.0 };
const FACE: ([f64; 2], [Vec3; 3]) = ([0.1, 0.1], [Vec3::X, vec3(0.0, -1.0, 0.0), vec3(0.0, 0.0, -1.0)]);

fn granular(rings: u32) -> Granular {
    let params = GranularParams { strength: 1e5, rings, azimuths: 6 };
    Granular::new(GROUND, &Sole::disc(0.05, vec3(0.0, 0.0, -1.0)), &params)
}

fn learned() -> Learned {
    let table = LearnedTable::of_teacher(&granular(12), GROUND, Vec3::Z, &LearnedParams::default()).unwrap();
    Learned::new(Arc::new(table), GROUND, Vec3::Z)
}

fn patch(growth: Growth, edges: usize) -> Patch {
    Patch::new(GROUND, growth, FACE, 0.4, [edges, 6])
}

fn all() -> Vec<(&'static str, Box<dyn WrenchSet>)> {
    let growth = Growth { stiffness: 1e4, ..Growth::default() };
    let cubic = Growth { stiffness: 1e6, exponent: 3.0, offset: 0.5 };
    vec![
        ("cone", Box::new(Cone::new(GROUND, 0.03, growth, 0.5, 6))),
        ("cone, cubic", Box::new(Cone::new(GROUND, 0.03, cubic, 0.5, 4))),
        ("patch", Box::new(patch(growth, 4))),
        ("granular", Box::new(granular(3))),
        ("learned", Box::new(learned())),
    ]
}

/// The slope of every set is that of its vertices, at poses that are deep, tilted and turned.
#[test]
fn slopes_are_those_of_the_vertices() {
    let mut dice = Dice::new(2);
    for (name, set) in all() {
        for _ in 0..20 {
            let turn = Quat::exp(dice.vec3() * 0.15);
            let place = Place { R_WB: turn.to_matrix(), p: vec3(0.3, 0.1, -0.03 + 0.005 * dice.roll()) };
            let w: Vec<f64> = dice.vector(set.len()).iter().map(|w| w.abs()).collect();
            let wrench = |place: &Place| {
                let mut vertices = vec![Force::new(Vec3::ZERO, Vec3::ZERO); set.len()];
                set.vertices_into(place, &mut vertices);
                vertices.iter().zip(&w).fold(Force::new(Vec3::ZERO, Vec3::ZERO), |sum, (v, w)| sum + *v * *w)
            };
            let slope = set.slope(&place, &w);
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                let eps = 1e-6;
                let turned = |e: f64| {
                    let R_WB = (Quat::exp(axis * e) * turn).to_matrix();
                    wrench(&Place { R_WB, p: place.p })
                };
                let moved = |e: f64| wrench(&Place { p: place.p + axis * e, ..place });
                let by_a = (turned(eps) - turned(-eps)) * (0.5 / eps);
                let by_u = (moved(eps) - moved(-eps)) * (0.5 / eps);
                let scale = 1e-6 * (1.0 + wrench(&place).linear.norm() / 0.01);
                for (ours, fd) in [
                    (slope.aa * axis, by_a.angular),
                    (slope.la * axis, by_a.linear),
                    (slope.al * axis, by_u.angular),
                    (slope.ll * axis, by_u.linear),
                ] {
                    assert!((ours - fd).norm() < scale, "{name} {axis:?}: {ours:?} {fd:?}");
                }
            }
        }
    }
}

/// A body that hovers feels nothing, unless its cone has an offset.
#[test]
fn nothing_acts_above_the_ground() {
    let place = Place { R_WB: Quat::exp(Vec3::X * 0.1).to_matrix(), p: vec3(0.0, 0.0, 0.2) };
    for (name, set) in all() {
        let mut vertices = vec![Force::new(Vec3::ZERO, Vec3::ZERO); set.len()];
        set.vertices_into(&place, &mut vertices);
        let largest = vertices.iter().map(|v| v.linear.norm()).fold(0.0, f64::max);
        assert_eq!(largest > 0.0, name == "cone, cubic", "{name}: {largest} N");
        assert_eq!(set.acts(&place), name == "cone, cubic", "{name}");
    }
}

/// The student differs from its teacher by a few per cent of the largest force, between its samples too.
#[test]
fn the_learned_set_is_close_to_its_teacher() {
    let (teacher, student) = (granular(12), learned());
    let mut dice = Dice::new(9);
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    for _ in 0..500 {
        let depth = 0.025 + 0.02 * dice.roll();
        let R_WB = Quat::exp(dice.vec3() * 0.2).to_matrix();
        let place = Place { R_WB, p: vec3(0.0, 0.0, -depth) };
        let zero = Force::new(Vec3::ZERO, Vec3::ZERO);
        let (mut a, mut b) = (vec![zero; teacher.len()], vec![zero; student.len()]);
        teacher.vertices_into(&place, &mut a);
        student.vertices_into(&place, &mut b);
        for (a, b) in a.iter().zip(&b) {
            worst = worst.max((a.linear - b.linear).norm());
            largest = largest.max(a.linear.norm());
        }
    }
    assert!(worst < 0.05 * largest, "{worst} N of {largest} N");
}

/// One body with one site, free or moving without turning.
struct Run {
    world: World,
    nmdp: Nmdp,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Run {
    fn new(method: Method, set: Box<dyn WrenchSet>, free: bool, z: f64) -> Self {
        let mut b = ModelBuilder::new();
        let link = b.link("body", None, Pose::IDENTITY, block());
        if free {
            b.joint(link, JointSpec::free("root"));
        } else {
            b.joints(link, JointSpec::translation("root"));
        }
        let world = World::new("body", b.build(vec3(0.0, 0.0, -9.81)).unwrap());
        let sites = Sites::new(vec![BodySite { body: 0, p_BS: Vec3::ZERO, set }], Vec::new());
        let params = NmdpParams { energy_tolerance: 1e-12, ..NmdpParams::default() };
        let nmdp = Nmdp::new(&world, method, params, sites);
        let mut q = world.model.neutral();
        q[2] = z;
        let v = vec![0.0; world.model.nv()];
        Self { world, nmdp, q, v }
    }

    fn step(&mut self, h: f64) {
        let acting = Acting { control: &[], generalized: &vec![0.0; self.v.len()] };
        self.nmdp.step(&self.world, (&mut self.q, &mut self.v), &acting, h).unwrap();
    }
}

/// A block on its face, its centre of mass in the face so that friction does not tip it.
fn block() -> Inertia {
    Inertia::new(2.0, Vec3::ZERO, Sym3::diagonal(0.02, 0.02, 0.02))
}

/// Spinning on a saturated patch, a square block slows by the torque of even pressure, μ m g times the mean distance of its
/// points from the centre, 0.382598 sides; and it stops.
#[test]
fn a_spinning_patch_slows_by_the_torque_of_even_pressure() {
    let growth = Growth { stiffness: 1e5, ..Growth::default() };
    let rest = (2.0 * 9.81 / growth.stiffness).sqrt();
    // The zeroth-order method stops where its gradient, which lacks a part, leads nowhere: the farther off, the larger h.
    let first = [(Method::NeNmdpPgm, 0.01, 0.01), (Method::PbdNmdpPgm, 0.01, 0.02)];
    let zeroth = [(Method::NeNmdpZopgm, 0.001, 0.1), (Method::PbdNmdpZopgm, 0.001, 0.1)];
    for (method, h, within) in first.into_iter().chain(zeroth) {
        let mut run = Run::new(method, Box::new(patch(growth, 0)), true, -rest);
        run.v[5] = 2.0;
        let slowing = 0.4 * 2.0 * 9.81 * 0.382_598 * 0.2 / 0.02;
        let steps = f64::round(0.04 / h) as usize;
        for _ in 0..steps {
            run.step(h);
        }
        let expected = 2.0 - slowing * 0.04;
        assert!((run.v[5] - expected).abs() < within * expected, "{method:?} {h}: {} {expected}", run.v[5]);
        for _ in 0..(0.6 / h) as usize {
            run.step(h);
        }
        assert!(run.v[5].abs() < 1e-3, "{method:?} {h}: {}", run.v[5]);
    }
}

/// Backward Euler on points brakes what turns: of a free turn by φ = ω h a step, 2 sin φ⁺ − sin(φ⁺ + φ) = 0 is left, which
/// is ω̇ = −ω³ h; backward Euler on velocities does not.
#[test]
fn displaced_points_brake_free_turns() {
    let h = 0.01;
    for (method, braking) in [(Method::NeNmdpPgm, 0.0), (Method::PbdNmdpPgm, 1.0)] {
        let mut run = Run::new(method, Box::new(granular(1)), true, 100.0);
        run.v[5] = 5.0;
        let mut turn: f64 = 5.0 * h;
        for _ in 0..20 {
            run.step(h);
            let last = turn;
            for _ in 0..50 {
                let g = 2.0 * turn.sin() - (turn + last).sin();
                turn -= braking * g / (2.0 * turn.cos() - (turn + last).cos());
            }
        }
        assert!((run.v[5] - turn / h).abs() < 1e-6, "{method:?}: {} {}", run.v[5], turn / h);
        assert!((run.v[5] - 5.0 + braking * 125.0 * h * 0.2).abs() < 0.02, "{method:?}");
    }
}

/// A foot sinks into granular ground until it bears the weight: at ζ α_z(0, 90°) A δ = m g, if the set is saturated; it goes
/// deeper where it is caught, and the learned set catches it at the same depth.
#[test]
fn a_foot_sinks_until_the_ground_bears_it() {
    let [_, [z, _]] = stiction_nmdp::wrench_set::granular::stress(0.0, std::f64::consts::FRAC_PI_2);
    let area = std::f64::consts::PI * 0.05 * 0.05;
    let depth = 2.0 * 9.81 / (1e5 * z * area);
    let sets: [(&str, Box<dyn WrenchSet>); 2] =
        [("granular", Box::new(granular(3))), ("learned", Box::new(learned()))];
    for (name, set) in sets {
        for method in [Method::NeNmdpPgm, Method::PbdNmdpPgm] {
            for h in [0.001, 0.01] {
                let mut run = Run::new(method, set.clone(), false, -depth);
                for _ in 0..(0.3 / h) as usize {
                    run.step(h);
                }
                let z = run.q[2];
                assert!((z + depth).abs() < 0.05 * depth, "{name} {method:?} {h}: {z} m, {depth} m");
                assert!(run.v[2].abs() < 1e-3, "{name} {method:?} {h}: {} m/s", run.v[2]);
                // Pushed level it slides and is stopped by the ground before it.
                run.v[0] = 0.2;
                for _ in 0..(0.5 / h) as usize {
                    run.step(h);
                }
                assert!(run.v[0].abs() < 1e-3, "{name} {method:?} {h}: {} m/s", run.v[0]);
            }
        }
    }
}
