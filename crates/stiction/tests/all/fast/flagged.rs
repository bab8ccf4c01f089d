//! Single bodies ask to be swept; the others of the same world are not.
use super::range::{HALF, Range, position, run, velocity};
use stiction::dynamics::spatial::{Vec3, vec3};

const DT: f64 = 1e-2;
const SPEED: f64 = 100.0;
const RADIUS: f64 = 5e-3;

/// Two balls of 10 mm at rest, each hit by a ball at 100 m/s towards a plate of 1 mm. When the step begins
/// nothing moves towards the plate: looking ahead does not see it. The flagged ball stops there; the other,
/// hit two steps before, passes.
#[test]
fn a_flagged_ball_does_not_pass_a_plate_and_another_does() {
    let mut range = Range::new(0.0);
    range.plate(Vec3::ZERO, 1.0);
    let pair = |range: &mut Range, x: f64, height: f64, continuous: bool| {
        let target = range.ball(RADIUS, vec3(x, 0.0, 0.03), Vec3::ZERO, continuous);
        range.ball(RADIUS, vec3(x, 0.0, height), vec3(0.0, 0.0, -SPEED), continuous);
        target
    };
    let (flagged, other) = (pair(&mut range, 0.0, 2.1, true), pair(&mut range, 0.3, 0.1, false));
    let mut sim = range.start(DT, false);
    run(&mut sim, 20);
    assert!(position(&sim, flagged).z > RADIUS + HALF - 1e-4, "{:?}", position(&sim, flagged));
    assert!(velocity(&sim, flagged).norm() < 1e-3, "{:?}", velocity(&sim, flagged));
    assert!(position(&sim, other).z < -0.5, "{:?}", position(&sim, other));
}

/// Shot straight at the plate both leave it when they should, whether swept or looked ahead for; the flag of the one
/// changes nothing of the other.
#[test]
fn both_balls_bounce_at_the_right_time() {
    let e = 0.5;
    let end = |flag: bool| {
        let mut range = Range::new(e);
        range.plate(Vec3::ZERO, 1.0);
        let down = vec3(0.0, 0.0, -SPEED);
        let shots = [(0.0, 0.34, flag), (0.3, 1.34, false)];
        let balls = shots.map(|(x, z, flag)| range.ball(RADIUS, vec3(x, 0.0, z), down, flag));
        let mut sim = range.start(DT, false);
        run(&mut sim, 3);
        balls.map(|i| (position(&sim, i).z, velocity(&sim, i).z))
    };
    let (swept, unswept) = (end(true), end(false));
    let touch = RADIUS + HALF;
    let off = |z: f64, from: f64| (z - touch - e * SPEED * (3.0 * DT - (from - touch) / SPEED)).abs();
    for [near, far] in [swept, unswept] {
        assert!(off(near.0, 0.34) < 1e-4 && (near.1 - e * SPEED).abs() < 1e-6, "{near:?}");
        assert!(off(far.0, 1.34) < 1e-4 && (far.1 - e * SPEED).abs() < 1e-6, "{far:?}");
    }
    assert!((swept[1].0 - unswept[1].0).abs() < 1e-12 && (swept[1].1 - unswept[1].1).abs() < 1e-12);
}
