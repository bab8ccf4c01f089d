//! Prisms of 6, 8 and 16 sides, on their ends and on their sides, on a plane, a box and each other:
//! engines that keep the wrong four corners of a polygon tip them over (rapier 0.36: by 48°).

use super::scene::{FLOORS, Floor, prism, rotation, run, standing, tilt_between};
use std::f64::consts::{FRAC_PI_2, PI};
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};

/// A thousandth of a degree.
const UPRIGHT: f64 = 1e-3;
const SIDES: [usize; 3] = [6, 8, 16];
const YAWS: [f64; 4] = [0.0, 0.3, 1.234, 2.5];
/// Two simulated seconds.
const STEPS: usize = 1000;

/// Every prism of [`SIDES`] at every yaw, a metre apart; `place(n, yaw)` in the column of its own.
fn all(place: impl Fn(usize, Quat) -> Vec<Pose>) -> Vec<(usize, Pose)> {
    let mut poses = Vec::new();
    for (i, n) in SIDES.into_iter().enumerate() {
        for (j, yaw) in YAWS.into_iter().enumerate() {
            let at = Pose::from_translation(vec3(i as f64, j as f64, 0.0));
            let turn = Quat::from_axis_angle(Vec3::Z, yaw);
            poses.extend(place(n, turn).into_iter().map(|X| (n, at * X)));
        }
    }
    poses
}

fn stay_upright(floor: Floor, poses: &[(usize, Pose)], half_height: f64) {
    let bodies = poses.iter().map(|(n, X)| (prism(*n, half_height), *X)).collect();
    let mut sim = standing(floor, bodies);
    run(&mut sim, STEPS);
    for (i, (n, X)) in poses.iter().enumerate() {
        let tilt = tilt_between(X.rotation, rotation(&sim, i));
        assert!(tilt <= UPRIGHT, "{n}-gon at {X:?} on {floor:?} tilts by {tilt:e} degrees");
        let v = &sim.state().v[6 * i..6 * i + 6];
        assert!(v.iter().all(|v| v.abs() < 1e-6), "{n}-gon on {floor:?} moves: {v:?}");
        let q = &sim.state().q[7 * i..];
        let moved = (vec3(q[0], q[1], q[2]) - X.translation).norm();
        assert!(moved < 1.1e-3, "{n}-gon on {floor:?} moved by {moved} m");
    }
}

/// Dropped from a millimetre, so that the step of the landing counts too.
#[test]
fn on_their_ends() {
    for floor in FLOORS {
        stay_upright(floor, &all(|_, turn| vec![Pose::new(turn, vec3(0.0, 0.0, 0.051))]), 0.05);
    }
}

#[test]
fn on_their_sides() {
    for floor in FLOORS {
        let lying = |n: usize, turn: Quat| {
            // The axis lies along y; half a side's angle turns a flat side down.
            let side_down = Quat::from_axis_angle(Vec3::Z, FRAC_PI_2 + PI / n as f64);
            let q = turn * Quat::from_axis_angle(Vec3::X, FRAC_PI_2) * side_down;
            vec![Pose::new(q, Vec3::Z * (0.1 * (PI / n as f64).cos() + 1e-3))]
        };
        stay_upright(floor, &all(lying), 0.05);
    }
}

/// The upper one turned against the lower.
#[test]
fn on_each_other() {
    for floor in FLOORS {
        let pair = |_: usize, turn: Quat| {
            let lower = Pose::from_translation(vec3(0.0, 0.0, 0.05));
            vec![lower, Pose::new(turn, vec3(0.01, -0.02, 0.151))]
        };
        stay_upright(floor, &all(pair), 0.05);
    }
}

/// Five high, each turned against the one below.
#[test]
fn towers_of_five() {
    let tower = |_: usize, turn: Quat| {
        let mut q = Quat::IDENTITY;
        let mut storey = |k: usize| {
            q = q * turn;
            Pose::new(q, vec3(0.0, 0.0, 0.05 + 0.1 * k as f64))
        };
        (0..5).map(&mut storey).collect()
    };
    stay_upright(Floor::Plane, &all(tower), 0.05);
}
