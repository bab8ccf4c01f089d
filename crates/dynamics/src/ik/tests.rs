//! Solutions are checked by kinematics of their own; nearest points by search.

use super::*;
use crate::spatial::{Inertia, Quat, Sym3};
use crate::testing::*;
use crate::{JointSpec, Kinematics, ModelBuilder, frame_pose};
use std::f64::consts::{FRAC_PI_2, PI};

fn body() -> Inertia {
    Inertia::new(1.0, Vec3::ZERO, Sym3::diagonal(0.1, 0.1, 0.1))
}

fn hinge(name: &str, axis: Vec3, range: f64) -> JointSpec {
    JointSpec { limit: Some([-range, range]), ..JointSpec::hinge(name, axis) }
}

/// Seven hinges along a column, turning and bending by turns, as on many arms; the last link is a
/// tool. Upper arm and forearm of 0.4 m.
fn arm() -> Model {
    let (mut b, mut parent) = (ModelBuilder::new(), None);
    let heights = [0.15, 0.19, 0.21, 0.19, 0.21, 0.19, 0.08];
    for (k, z) in heights.into_iter().enumerate() {
        let link = b.link(format!("link{k}"), parent, Pose::from_translation(Vec3::Z * z), body());
        let (axis, degrees) = if k % 2 == 0 { (Vec3::Z, 170.0_f64) } else { (Vec3::Y, 120.0) };
        b.joint(link, hinge(&format!("joint{k}"), axis, degrees.to_radians()));
        parent = Some(link);
    }
    b.link("tool", parent, Pose::from_translation(Vec3::Z * 0.1), Inertia::ZERO);
    b.build(GRAVITY).unwrap()
}

/// Hinges about z in the plane, links of these lengths along x; the last link is the tip.
fn planar(lengths: &[f64], limit: Option<f64>) -> Model {
    let (mut b, mut parent, mut x) = (ModelBuilder::new(), None, 0.0);
    for (k, length) in lengths.iter().enumerate() {
        let link = b.link(format!("link{k}"), parent, Pose::from_translation(Vec3::X * x), body());
        let joint = JointSpec::hinge(format!("joint{k}"), Vec3::Z);
        b.joint(link, JointSpec { limit: limit.map(|l| [-l, l]), ..joint });
        (parent, x) = (Some(link), *length);
    }
    b.link("tip", parent, Pose::from_translation(Vec3::X * x), Inertia::ZERO);
    b.build(GRAVITY).unwrap()
}

fn pose_of(model: &Model, link: usize, q: &[f64]) -> Pose {
    let mut kin = Kinematics::new(model);
    kin.update(model, q);
    frame_pose(model, &kin, link)
}

fn within_limits(model: &Model, q: &[f64]) -> bool {
    model.joints.iter().all(|j| j.limit.is_none_or(|[lo, hi]| (lo..=hi).contains(&q[j.idx_q])))
}

fn random_within(model: &Model, dice: &mut Dice) -> Vec<f64> {
    model.joints.iter().map(|j| j.limit.map_or(PI, |[_, hi]| hi) * dice.roll()).collect()
}

fn turned(a: Quat, b: Quat) -> f64 {
    (a.conjugate() * b).log().norm()
}

/// A thousand poses of the tool, all of them reachable, each from a random start.
#[test]
fn seven_joints_reach_what_they_can() {
    let (model, mut dice) = (arm(), Dice::new(150));
    let (tool, mut ik) = (model.link_named("tool").unwrap(), InverseKinematics::new(&model));
    let params = IkParams { restarts: 5, seed: 1, ..IkParams::default() };
    let (mut found, mut starts, mut steps) = (0, 0, 0);
    for _ in 0..1000 {
        let X_WT = pose_of(&model, tool, &random_within(&model, &mut dice));
        let mut q = random_within(&model, &mut dice);
        let report = ik.solve(&model, &[Target::pose(tool, X_WT)], None, &params, &mut q).unwrap();
        let X = pose_of(&model, tool, &q);
        let (off, turn) = ((X.translation - X_WT.translation).norm(), turned(X.rotation, X_WT.rotation));
        assert!((off - report.position_error).abs() + (turn - report.rotation_error).abs() < 1e-12);
        assert!(within_limits(&model, &q));
        assert_eq!(report.status == IkStatus::Converged, off <= 1e-9 && turn <= 1e-9, "{report:?}");
        found += usize::from(report.status == IkStatus::Converged);
        starts += 1 + report.restarts;
        steps += report.iterations;
    }
    assert!(found >= 990, "{found} of 1000, {starts} starts, {steps} steps");
}

/// Beyond its reach an arm points at the target; inside the hole of its reach likewise.
#[test]
fn out_of_reach_the_nearest_point_is_returned() {
    let model = planar(&[0.7, 0.4], None);
    let mut ik = InverseKinematics::new(&model);
    for (angle, distance, expected) in
        [(0.3, 1.5, 1.5 - 1.1), (-2.0, 30.0, 30.0 - 1.1), (1.0, 0.1, 0.3 - 0.1)]
    {
        let p = vec3(f64::cos(angle), f64::sin(angle), 0.0) * distance;
        let mut q = vec![0.4, 0.9];
        let report = ik.solve(&model, &[Target::position(2, p)], None, &IkParams::default(), &mut q).unwrap();
        assert_eq!(report.status, IkStatus::Stalled, "{report:?}");
        assert!((report.position_error - expected).abs() < 1e-9, "{report:?}");
        let tip = pose_of(&model, 2, &q).translation;
        assert!(((tip - p).norm() - report.position_error).abs() < 1e-12);
    }
}

/// With limits the nearest point is on their boundary: against a search over all q.
#[test]
fn limits_are_kept_and_named() {
    let model = planar(&[0.7, 0.4], Some(0.5));
    let mut ik = InverseKinematics::new(&model);
    let p = vec3(0.1, 0.6, 0.0);
    let mut q = vec![0.0, 0.0];
    let report = ik.solve(&model, &[Target::position(2, p)], None, &IkParams::default(), &mut q).unwrap();
    assert_eq!(report.status, IkStatus::LimitsReached);
    assert!(within_limits(&model, &q));
    let grid = |k: i32| 0.5 * f64::from(k) / 200.0;
    let nearest = (-200..=200)
        .flat_map(|i| (-200..=200).map(move |j| (grid(i), grid(j))))
        .map(|(a, b)| {
            let tip = vec3(0.7 * a.cos() + 0.4 * (a + b).cos(), 0.7 * a.sin() + 0.4 * (a + b).sin(), 0.0);
            (tip - p).norm()
        })
        .fold(f64::INFINITY, f64::min);
    assert!((report.position_error - nearest).abs() < 1e-4, "{report:?}, {nearest}");
}

/// Four feet on given places, the trunk where it is wanted: five targets on one floating tree.
#[test]
fn a_quadruped_places_its_feet() {
    let mut b = ModelBuilder::new();
    let trunk = b.link("trunk", None, Pose::IDENTITY, body());
    b.joint(trunk, JointSpec::free("base"));
    let mut feet = Vec::new();
    for (leg, (x, y)) in [(0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1)].into_iter().enumerate() {
        let hip = b.link(format!("hip{leg}"), Some(trunk), Pose::from_translation(vec3(x, y, 0.0)), body());
        b.joint(hip, hinge(&format!("abduct{leg}"), Vec3::X, 0.8));
        let thigh = b.link(format!("thigh{leg}"), Some(hip), Pose::from_translation(Vec3::Y * y), body());
        b.joint(thigh, hinge(&format!("hip{leg}"), Vec3::Y, 1.6));
        let shin = b.link(format!("shin{leg}"), Some(thigh), Pose::from_translation(Vec3::Z * -0.2), body());
        b.joint(
            shin,
            JointSpec { limit: Some([-2.6, -0.2]), ..JointSpec::hinge(format!("knee{leg}"), Vec3::Y) },
        );
        feet.push(b.link(
            format!("foot{leg}"),
            Some(shin),
            Pose::from_translation(Vec3::Z * -0.2),
            Inertia::ZERO,
        ));
    }
    let model = b.build(GRAVITY).unwrap();
    let mut ik = InverseKinematics::new(&model);
    let X_WT = Pose::new(Quat::from_rpy(0.05, -0.1, 0.2), vec3(1.0, 2.0, 0.3));
    let mut targets = vec![Target::pose(trunk, X_WT)];
    for (foot, at) in feet.iter().zip([(0.2, 0.2), (0.25, -0.2), (-0.2, 0.22), (-0.15, -0.2)]) {
        targets.push(Target::position(*foot, X_WT.transform(vec3(at.0, at.1, -0.3))));
    }
    let mut q = model.neutral();
    let report = ik.solve(&model, &targets, None, &IkParams::default(), &mut q).unwrap();
    assert_eq!(report.status, IkStatus::Converged, "{report:?}");
    for t in &targets {
        assert!((pose_of(&model, t.link, &q).translation - t.X_WT.translation).norm() < 1e-9);
    }
    // One foot alone: its leg and the trunk move, the other legs do not.
    let before = q.clone();
    let lifted = [Target::position(feet[0], targets[1].X_WT.translation + Vec3::Z * 0.1)];
    let report = ik.solve(&model, &lifted, None, &IkParams::default(), &mut q).unwrap();
    assert_eq!(report.status, IkStatus::Converged, "{report:?}");
    assert_eq!(q[10..], before[10..]);
}

/// Axes only, over a ball with a limited angle; and a direction only, by the weights.
#[test]
fn orientations_alone() {
    let mut b = ModelBuilder::new();
    let upper = b.link("upper", None, Pose::IDENTITY, body());
    b.joint(upper, JointSpec { limit: Some([0.0, 0.8]), ..JointSpec::ball("shoulder") });
    let lower = b.link("lower", Some(upper), Pose::from_translation(Vec3::X), body());
    b.joint(lower, hinge("elbow", Vec3::Y, 2.0));
    let model = b.build(GRAVITY).unwrap();
    let mut ik = InverseKinematics::new(&model);
    let asked = Pose::new(Quat::exp(vec3(0.3, 1.9, -0.2)), Vec3::ZERO);
    let mut q = model.neutral();
    let report =
        ik.solve(&model, &[Target::orientation(lower, asked)], None, &IkParams::default(), &mut q).unwrap();
    assert_eq!((report.status, report.position_error), (IkStatus::Converged, 0.0), "{report:?}");
    assert!(turned(pose_of(&model, lower, &q).rotation, asked.rotation) < 1e-9);
    assert!(Quat::new(q[0], q[1], q[2], q[3]).log().norm() <= 0.8 + 1e-12);

    // Beyond what ball and hinge can do together.
    let far = Pose::new(Quat::exp(vec3(1.7, 0.0, 0.0)), Vec3::ZERO);
    let mut q = model.neutral();
    let report =
        ik.solve(&model, &[Target::orientation(upper, far)], None, &IkParams::default(), &mut q).unwrap();
    assert_eq!(report.status, IkStatus::LimitsReached, "{report:?}");
    assert!((report.rotation_error - 0.9).abs() < 1e-9, "{report:?}");

    // The direction of z alone: any turn about it will do.
    let asked = Pose::new(Quat::exp(vec3(0.4, 0.7, 3.0)), Vec3::ZERO);
    let towards = Target { rotation_weight: vec3(1.0, 1.0, 0.0), ..Target::orientation(lower, asked) };
    let mut q = model.neutral();
    let report = ik.solve(&model, &[towards], None, &IkParams::default(), &mut q).unwrap();
    assert_eq!(report.status, IkStatus::Converged, "{report:?}");
    let (z, z_asked) = (pose_of(&model, lower, &q).rotation.rotate(Vec3::Z), asked.rotation.rotate(Vec3::Z));
    assert!((z - z_asked).norm() < 1e-9);
}

/// Three links for a place in the plane leave one freedom: the nearest of all solutions near the
/// start to the posture, against a search over the angle of the last link.
#[test]
fn the_free_motion_goes_to_the_posture() {
    let model = planar(&[0.5, 0.4, 0.3], None);
    let mut ik = InverseKinematics::new(&model);
    let (p, posture) = (vec3(0.6, 0.3, 0.0), [0.2, 0.9, -0.4]);
    let target = [Target::position(3, p)];
    let mut q = vec![0.1, 0.5, 0.5];
    let report = ik.solve(&model, &target, Some(&posture), &IkParams::default(), &mut q).unwrap();
    assert_eq!(report.status, IkStatus::Converged, "{report:?}");
    let distance = |q: &[f64]| q.iter().zip(&posture).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let nearest = (0..100_000)
        .filter_map(|k| {
            // The wrist, then the elbow on either side: cos of the inner angle by the law of cosines.
            let phi = f64::from(k) * 2.0 * PI / 1e5 - PI;
            let (x, y) = (p.x - 0.3 * phi.cos(), p.y - 0.3 * phi.sin());
            let c = (x * x + y * y - 0.25 - 0.16) / (2.0 * 0.5 * 0.4);
            (c.abs() <= 1.0).then(|| {
                [c.acos(), -c.acos()].map(|b| {
                    let a = y.atan2(x) - (0.4 * b.sin()).atan2(0.5 + 0.4 * b.cos());
                    distance(&[a, b, phi - a - b])
                })
            })
        })
        .flatten()
        .fold(f64::INFINITY, f64::min);
    assert!((distance(&q) - nearest).abs() < 1e-6, "{} is not {nearest}: {q:?}, {report:?}", distance(&q));
}

/// An arm that may not pass behind its base runs into its limit on the near way round; a random
/// start finds the far way. The same seed, the same bits.
#[test]
fn restarts_find_the_way_round() {
    let model = planar(&[0.7, 0.4], Some(2.8));
    let mut ik = InverseKinematics::new(&model);
    let mut solve = |restarts| {
        let p = vec3(f64::cos(-2.6), f64::sin(-2.6), 0.0) * 1.05;
        let params = IkParams { restarts, seed: 3, ..IkParams::default() };
        let mut q = vec![2.7, 0.1];
        let report = ik.solve(&model, &[Target::position(2, p)], None, &params, &mut q).unwrap();
        (report, q)
    };
    let (stuck, free) = (solve(0), solve(20));
    assert_eq!(stuck.0.status, IkStatus::LimitsReached, "{stuck:?}");
    assert!(free.0.restarts > 0 && free.0.status == IkStatus::Converged, "{free:?}");
    assert_eq!(free, solve(20));
}

/// On forests of every kind of joint, with targets mostly out of reach: the report is what is measured,
/// and where the solver says that nothing helps, none of many small steps within the limits does.
#[test]
fn a_status_never_lies() {
    let (h, mut ended) = (1e-6, 0);
    for seed in 160..168 {
        let (mut model, mut dice) = (random_trees(seed, 10), Dice::new(seed));
        for joint in &mut model.joints {
            joint.limit = match joint.kind.nq() {
                1 => Some([joint.reference - 0.5, joint.reference + 0.7]),
                4 => Some([0.0, 0.6]),
                _ => None,
            };
        }
        let last = model.links.len() - 1;
        let targets = [Target::pose(last, dice.pose()), Target::position(last / 2, dice.vec3())];
        let (mut ik, mut q) = (InverseKinematics::new(&model), model.neutral());
        let params = IkParams { iterations: 400, ..IkParams::default() };
        let report = ik.solve(&model, &targets, None, &params, &mut q).unwrap();
        let measure = |q: &[f64]| {
            let [a, b] = [0, 1].map(|k| {
                let X = pose_of(&model, targets[k].link, q);
                let off = (X.translation - targets[k].X_WT.translation).norm();
                (off, turned(targets[k].X_WT.rotation, X.rotation))
            });
            (0.5 * (a.0 * a.0 + a.1 * a.1 + b.0 * b.0), a.0.max(b.0), a.1)
        };
        let (cost, position, rotation) = measure(&q);
        assert!((position - report.position_error).abs() + (rotation - report.rotation_error).abs() < 1e-12);
        let met = position <= params.position_tolerance && rotation <= params.rotation_tolerance;
        assert_eq!(report.status == IkStatus::Converged, met, "{report:?}");
        if matches!(report.status, IkStatus::Stalled | IkStatus::LimitsReached) {
            ended += 1;
            for _ in 0..300 {
                let mut near = moved(&model, &q, &dice.vector(model.nv()), h);
                for joint in &model.joints {
                    let Some([lo, hi]) = joint.limit else { continue };
                    let q = &mut near[joint.idx_q..];
                    if joint.kind.nq() == 1 {
                        q[0] = q[0].clamp(lo, hi);
                    } else {
                        let turn = Quat::new(q[0], q[1], q[2], q[3]).log();
                        let within = Quat::exp(turn * (hi / turn.norm()).min(1.0));
                        q[..4].copy_from_slice(&within.to_array());
                    }
                }
                assert!(measure(&near).0 > cost - 1e-5 * h * (1.0 + cost), "seed {seed}: {report:?}");
            }
        }
    }
    assert!(ended >= 6, "{ended} of 8 ended at a point that is stationary");
}

#[test]
fn nonsense_is_refused() {
    let model = planar(&[1.0], None);
    let mut ik = InverseKinematics::new(&model);
    let mut error = |target: Target, q: &mut [f64], params: &IkParams| {
        ik.solve(&model, &[target], None, params, q).unwrap_err().to_string()
    };
    let (fine, params) = (Target::position(1, Vec3::X), IkParams::default());
    assert!(error(Target { link: 9, ..fine }, &mut [0.0], &params).contains("no link 9"));
    assert!(error(Target::position(1, Vec3::X * f64::NAN), &mut [0.0], &params).contains("pose"));
    let heavy = Target { position_weight: vec3(-1.0, 0.0, 0.0), ..fine };
    assert!(error(heavy, &mut [0.0], &params).contains("position weight"));
    assert!(error(fine, &mut [0.0, 1.0], &params).contains("2 numbers, expected 1"));
    assert!(error(fine, &mut [f64::NAN], &params).contains("finite"));
    let loose = IkParams { rotation_tolerance: 0.0, ..params };
    assert!(error(fine, &mut [0.0], &loose).contains("rotation_tolerance"));
    // Nothing asked is nothing to do.
    let report = ik.solve(&model, &[], Some(&[0.3]), &params, &mut [0.0]).unwrap();
    assert_eq!((report.status, report.iterations), (IkStatus::Converged, 0));
    // A target on the world that is not met cannot be.
    let mut fixed = model.clone();
    let post = fixed.add_frame("post", None, Pose::IDENTITY).unwrap();
    let report = ik.solve(&fixed, &[Target::position(post, Vec3::X * FRAC_PI_2)], None, &params, &mut [0.0]);
    assert_eq!(report.map(|r| (r.status, r.position_error)), Ok((IkStatus::Stalled, FRAC_PI_2)));
}
