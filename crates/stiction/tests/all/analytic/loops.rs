//! Loops (scene A23): linkages, welds and rods whose motion is known, or that a tree says as well.

use super::worlds::{EXACT, G, Run};
use std::path::Path;
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Inertia, Pose, Quat, Sym3, Vec3, vec3};
use stiction::dynamics::{JointKind, JointSpec, ModelBuilder};
use stiction::models::{LoadOptions, load_str};
use stiction::world::{Hold, LoopClosure, World};
use stiction::{Composer, FreeBody, State};

/// Length and distance of the cranks [m], mass of a crank and of the coupler [kg].
const CRANK: f64 = 0.5;
const APART: f64 = 0.4;
const CRANK_MASS: f64 = 0.7;
const COUPLER_MASS: f64 = 1.3;

fn body(mass: f64, com: Vec3) -> Inertia {
    Inertia::new(mass, com, Sym3::diagonal(2e-2 * mass, 3e-2 * mass, 1e-2 * mass))
}

/// Parallel cranks hang side by side along x and carry one coupler: the first by a hinge of the tree, the others
/// by loops.
fn parallelogram(cranks: usize, hold: Hold) -> World {
    let mut b = ModelBuilder::new();
    let mut ends = Vec::new();
    for i in 0..cranks {
        let X = Pose::from_translation(vec3(APART * i as f64, 0.0, 0.0));
        let crank = b.link(format!("crank {i}"), None, X, body(CRANK_MASS, vec3(0.0, 0.0, -0.5 * CRANK)));
        b.joint(crank, JointSpec::new(format!("pivot {i}"), JointKind::Hinge, Vec3::Y));
        ends.push(crank);
    }
    let tip = Pose::from_translation(vec3(0.0, 0.0, -CRANK));
    let coupler = b.link("coupler", Some(ends[0]), tip, body(COUPLER_MASS, vec3(0.5 * APART, 0.0, 0.0)));
    b.joint(coupler, JointSpec::new("pin", JointKind::Hinge, Vec3::Y));
    let mut world = World::new("parallelogram", b.build(vec3(0.0, 0.0, -G)).unwrap());
    // z of the frames along the pins.
    let pin = Quat::between(Vec3::Z, Vec3::Y);
    for (i, &crank) in ends.iter().enumerate().skip(1) {
        let on_coupler = Pose::new(pin, vec3(APART * i as f64, 0.0, 0.0));
        let on_crank = Pose::new(pin, vec3(0.0, 0.0, -CRANK));
        let ends = [(Some(crank), on_crank), (Some(coupler), on_coupler)];
        world.loops.push(LoopClosure::new(format!("loop {i}"), ends, hold));
    }
    world
}

/// Cranks at `angle`, the coupler level.
fn swung(world: &World, angle: f64) -> State {
    let mut state = State::neutral(&world.model);
    for (j, joint) in world.model.joints.iter().enumerate() {
        state.q[joint.idx_q] = if world.model.joints[j].name == "pin" { -angle } else { angle };
    }
    state
}

/// Period of a pendulum of frequency ω₀ at small swings, released at rest at `angle`.
fn period(omega: f64, angle: f64) -> f64 {
    let (mut a, mut b) = (1.0, (0.5 * angle).cos());
    for _ in 0..8 {
        (a, b) = (0.5 * (a + b), f64::sqrt(a * b));
    }
    std::f64::consts::TAU / (omega * a)
}

/// How far the ends of the loops are apart, at most [m].
fn drift(run: &mut Run) -> f64 {
    let kin = run.sim.kinematics().clone();
    let world = run.sim.world();
    let place = |(link, X): (Option<usize>, Pose)| {
        let (body, X) = world.mount(link, X);
        body.map_or(X, |b| kin.X_WB[b] * X).translation
    };
    let apart = |l: &LoopClosure| {
        let distance = (place(l.ends[0]) - place(l.ends[1])).norm();
        if let Hold::Distance(length) = l.hold { (distance - length).abs() } else { distance }
    };
    world.loops.iter().map(apart).fold(0.0, f64::max)
}

/// Steps until the coordinate `i`, released at rest, has swung to the other side and back; the time taken, between
/// steps by the velocity, and the largest drift.
fn swing(run: &mut Run, i: usize) -> (f64, f64) {
    let (mut worst, mut turns) = (0.0_f64, 0);
    let start = run.sim.state().q[i];
    let mut before = -start;
    for _ in 0..1_000_000 {
        run.step();
        worst = worst.max(drift(run));
        let state = run.sim.state();
        let v = state.v[i];
        if v * before < 0.0 {
            turns += 1;
            if turns == 2 {
                return (state.t - (1.0 - before / (before - v)) * run.sim.settings().stepper.dt, worst);
            }
        }
        before = v;
    }
    panic!("it does not swing");
}

/// A parallelogram swings like a pendulum: (n I + m L²) θ̈ = −(n m_c L/2 + m L) g sin θ. Its rows are redundant: in
/// space as soon as there is a loop, in the plane from the third crank on.
#[test]
fn parallelograms_swing_like_pendulums() {
    for contact in ["auto", "nsgs-accelerated"] {
        for (cranks, hold) in [(2, Hold::Point), (2, Hold::Hinge), (3, Hold::Point), (4, Hold::Hinge)] {
            let (n, angle) = (cranks as f64, 1.0);
            let about_pivot = 3e-2 * CRANK_MASS + CRANK_MASS * (0.5 * CRANK).powi(2);
            let inertia = n * about_pivot + COUPLER_MASS * CRANK * CRANK;
            let moment = (n * 0.5 * CRANK_MASS + COUPLER_MASS) * CRANK * G;
            let expected = period((moment / inertia).sqrt(), angle);
            let world = parallelogram(cranks, hold);
            let state = swung(&world, angle);
            let mut run = Run::of(world, state, contact, 1e-3);
            let (took, drift) = swing(&mut run, 0);
            assert!((took / expected - 1.0).abs() < 2e-6, "{contact} {cranks} {hold:?}: {took} {expected}");
            assert!(drift < 1e-9, "{contact} {cranks} {hold:?}: {drift}");
            run.assert_exact();
        }
    }
}

/// A file's <connect>, between body and body and between body and world.
#[test]
fn a_connect_of_a_file_closes_its_linkage() {
    let text = r#"<mujoco><compiler angle="radian"/><worldbody>
        <body name="a"><joint axis="0 1 0"/><inertial mass="0.7" pos="0 0 -0.25" diaginertia="0.014 0.021 0.007"/>
          <body name="c" pos="0 0 -0.5"><joint axis="0 1 0"/><inertial mass="1.3" pos="0.2 0 0" diaginertia="0.026 0.039 0.013"/>
            <body name="b" pos="0.4 0 0"><joint axis="0 1 0"/><inertial mass="0.7" pos="0 0 0.25" diaginertia="0.014 0.021 0.007"/>
          </body></body></body></worldbody>
        <equality><connect body1="b" anchor="0 0 0.5"/></equality></mujoco>"#;
    let world = load_str(text, Path::new("m.xml"), Path::new("."), &LoadOptions::default()).unwrap();
    assert!(world.ledger.of(stiction::world::Fate::Unsupported).next().is_none());
    let other = parallelogram(2, Hold::Point);
    let mut state = State::neutral(&world.model);
    state.q.copy_from_slice(&[0.8, -0.8, 0.8]);
    let mut run = Run::of(world, state, "auto", 1e-3);
    let start = swung(&other, 0.8);
    let mut twin = Run::of(other, start, "auto", 1e-3);
    for _ in 0..500 {
        run.step();
        twin.step();
    }
    let (a, b) = (run.sim.state().q[0], twin.sim.state().q[0]);
    assert!((a - b).abs() < 1e-4, "{a} {b}");
    run.assert_exact();
}

/// A crank of 0.3 m and a rocker of 0.4 m, 0.6 m apart, in MuJoCo 4.0 with the stiffest constraint that its step
/// allows (`solref` 2 h, `solimp` 0.9999): the crank passes its lowest point at these times, h being 0.05 ms.
#[test]
fn a_linkage_swings_as_in_mujoco() {
    let text = r#"<mujoco><compiler angle="radian"/><worldbody>
        <body name="a"><joint axis="0 1 0"/><inertial mass="0.7" pos="0 0 -0.15" diaginertia="0.014 0.021 0.007"/>
          <body name="c" pos="0 0 -0.3"><joint axis="0 1 0"/><inertial mass="1.3" pos="0.25 0 0.05" diaginertia="0.026 0.039 0.013"/></body></body>
        <body name="b" pos="0.6 0 0"><joint axis="0 1 0"/><inertial mass="0.9" pos="0 0 -0.25" diaginertia="0.014 0.021 0.007"/></body>
        </worldbody><equality><connect body1="c" body2="b" anchor="0.6 0 -0.1"/></equality></mujoco>"#;
    let world = load_str(text, Path::new("m.xml"), Path::new("."), &LoadOptions::default()).unwrap();
    let mut state = State::neutral(&world.model);
    state.v.copy_from_slice(&[3.0, -3.0, 2.25]);
    let dt = 2e-4;
    let mut run = Run::of(world, state, "auto", dt);
    let (mut passed, mut worst) = (Vec::new(), 0.0_f64);
    while passed.len() < 3 {
        let before = run.sim.state().q[0];
        run.step();
        worst = worst.max(drift(&mut run));
        let (t, now) = (run.sim.state().t, run.sim.state().q[0]);
        if before * now < 0.0 {
            passed.push(t - dt * now / (now - before));
        }
    }
    let theirs = [0.588_847_97, 1.187_205_87, 1.776_053_89];
    assert!(passed.iter().zip(theirs).all(|(a, b)| (a - b).abs() < 1e-6), "{passed:?}");
    assert!(worst < 2e-7, "{worst}");
    run.assert_exact();
}

/// Two boxes welded together and thrown: their common centre flies a parabola, they turn as one at the rate that
/// their angular momentum asks for, and stay as they are to each other.
#[test]
fn welded_boxes_are_one_body() {
    for contact in EXACT.into_iter().chain(["auto"]) {
        let mut c = Composer::new("welded", vec3(0.0, 0.0, -G)).unwrap();
        let shape = || Shape::Box { half: vec3(0.1, 0.1, 0.1) };
        for (i, x) in [-0.15, 0.15].into_iter().enumerate() {
            let pose = Pose::from_translation(vec3(x, 0.0, 0.0));
            let mut body = FreeBody::new(format!("box {i}"), shape(), 1.0, pose);
            // About z through the common centre.
            body.angular_velocity = vec3(0.0, 0.0, 4.0);
            body.velocity = vec3(1.0, 4.0 * x, 3.0);
            c.body(body).unwrap();
        }
        let (mut world, state) = c.finish();
        let between = Pose::from_translation(vec3(0.3, 0.0, 0.0));
        world.loops.push(LoopClosure::new(
            "weld",
            [(Some(0), between), (Some(1), Pose::IDENTITY)],
            Hold::Frame,
        ));
        let mut run = Run::of(world, state, contact, 1e-3);
        run.steps(1000);
        let q = run.sim.state().q.clone();
        let pose = |i: usize| {
            let q = &q[7 * i..];
            Pose::new(Quat::new(q[3], q[4], q[5], q[6]), vec3(q[0], q[1], q[2]))
        };
        let (a, b) = (pose(0), pose(1));
        let centre = (a.translation + b.translation) * 0.5;
        let fallen = 3.0 - 0.5 * G;
        assert!((centre - vec3(1.0, 0.0, fallen)).norm() < 1e-9, "{contact}: {centre:?}");
        let left = (a * between).inverse() * b;
        assert!(left.translation.norm() < 2e-5 && left.rotation.log().norm() < 1e-9, "{contact}: {left:?}");
        // 4 rad in the second, less what the drift of the arm takes.
        let turned = (Quat::from_axis_angle(Vec3::Z, 4.0).conjugate() * a.rotation).log().norm();
        assert!(turned < 1e-3, "{contact}: {turned}");
        run.assert_exact();
    }
}

/// A ball on a rod from its centre swings like the mathematical pendulum of that length.
#[test]
fn a_rod_makes_a_pendulum() {
    let (length, angle) = (0.8, 1.2_f64);
    let mut c = Composer::new("rod", vec3(0.0, 0.0, -G)).unwrap();
    let place = vec3(length * angle.sin(), 0.0, -length * angle.cos());
    let ball = FreeBody::new("ball", Shape::Sphere { radius: 0.05 }, 2.0, Pose::from_translation(place));
    c.body(ball).unwrap();
    let (mut world, state) = c.finish();
    let ends = [(None, Pose::IDENTITY), (Some(0), Pose::IDENTITY)];
    world.loops.push(LoopClosure::new("rod", ends, Hold::Distance(length)));
    let mut run = Run::of(world, state, "auto", 1e-3);
    let (took, drift) = swing(&mut run, 0);
    let expected = period((G / length).sqrt(), angle);
    assert!((took / expected - 1.0).abs() < 1e-4 && drift < 5e-5, "{took} {expected}, {drift}");
    run.assert_exact();
}

/// What a tree says as well: a body on a hinge and on a slide in the world. The tree moves to the fifth order in the
/// step, what loops hold to the second.
#[test]
fn loops_hold_as_joints_do() {
    let tilt = Quat::from_rpy(0.3, 0.5, -0.2);
    for (hold, kind) in [(Hold::Hinge, JointKind::Hinge), (Hold::Slide, JointKind::Slide)] {
        let build = |kind: Option<JointKind>| {
            let mut b = ModelBuilder::new();
            let link = b.link("body", None, Pose::new(tilt, Vec3::ZERO), body(1.5, vec3(0.2, 0.1, 0.0)));
            b.joint(link, JointSpec::new("joint", kind.unwrap_or(JointKind::Free), Vec3::Z));
            World::new("held", b.build(vec3(0.0, 0.0, -G)).unwrap())
        };
        let apart = |h: f64| {
            let (tree, mut free) = (build(Some(kind)), build(None));
            let ends = [(None, Pose::new(tilt, Vec3::ZERO)), (Some(0), Pose::IDENTITY)];
            free.loops.push(LoopClosure::new("loop", ends, hold));
            let neutral = State::neutral(&free.model);
            let mut run = Run::of(free, neutral, "auto", h);
            let neutral = State::neutral(&tree.model);
            let mut twin = Run::of(tree, neutral, "auto", h);
            let steps = (0.5 / h).round() as usize;
            run.steps(steps);
            twin.steps(steps);
            let (X, Y) = (run.sim.kinematics().X_WB[0], twin.sim.kinematics().X_WB[0]);
            run.assert_exact();
            let between = X.inverse() * Y;
            [between.translation.norm(), between.rotation.log().norm()]
        };
        let (coarse, fine) = (apart(1e-3), apart(5e-4));
        let (along, across) = if kind == JointKind::Hinge { (1, 0) } else { (0, 1) };
        assert!(coarse[across] < 1e-9 && coarse[along] < 1e-6, "{hold:?}: {coarse:?}");
        // What slides in a straight line has no error but rounding.
        if kind == JointKind::Hinge {
            assert!((3.8..4.2).contains(&(coarse[along] / fine[along])), "{hold:?}: {coarse:?}, {fine:?}");
        } else {
            assert!(coarse[along] < 1e-9, "{coarse:?}");
        }
    }
}

/// Frames that start apart come together no faster than overlaps are pushed out, and stay. Where they cannot, the
/// linkage locks, and nothing runs away.
#[test]
fn what_is_open_closes_gently() {
    for cranks in [2, 3] {
        let mut world = parallelogram(cranks, Hold::Point);
        world.loops.iter_mut().for_each(|l| l.ends[0].1.translation.z -= 0.1);
        let state = swung(&world, 0.3);
        let mut run = Run::of(world, state, "auto", 1e-3);
        for _ in 0..3000 {
            run.step();
            assert!(run.sim.state().v.iter().all(|v| v.abs() < 20.0), "{:?}", run.sim.state().v);
        }
        let apart = drift(&mut run);
        assert!(if cranks == 2 { apart < 1e-5 } else { apart < 0.2 }, "{cranks} cranks: {apart}");
        run.assert_exact();
    }
}
