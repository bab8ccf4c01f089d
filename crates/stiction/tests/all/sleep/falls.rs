//! What falls asleep, what does not, and what is told of what sleeps.

use super::scene::{G, contacts, distance, ground, pile, rough, settings, simulation, step, steps};
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Inertia, Pose, Quat, Sym3, Vec3, vec3};
use stiction::dynamics::{JointKind, JointSpec, ModelBuilder};
use stiction::world::World;
use stiction::{Composer, FreeBody, Settings, Sleep, State, StepStatus};

/// Asleep after a good 50 ms; then not a bit changes, and the ground still carries the weight.
#[test]
fn a_stack_falls_asleep_and_stays_as_it_is() {
    let mut c = ground(0.0);
    pile(&mut c, "box", 0.0, 10);
    let mut sim = simulation(c, settings(Sleep::Auto));
    let asleep_after = (1..=300).find(|_| step(&mut sim).asleep == 10).unwrap();
    assert!((50..300).contains(&asleep_after), "{asleep_after}");
    let (start, marks, verdict) = (sim.state().clone(), contacts(&mut sim), sim.certificate());
    assert!(start.v.iter().all(|v| *v == 0.0));
    assert!(verdict.natural_map <= 1e-8, "{verdict:?}");
    for k in 1..=1000 {
        let report = sim.step();
        assert_eq!((report.status, report.asleep, report.contacts), (StepStatus::Converged, 10, marks.len()));
        assert!(report.penetration > 0.0 && report.penetration < 2e-5);
        assert!(sim.state().q == start.q && sim.state().v == start.v);
        assert!((sim.state().t - start.t - 1e-3 * f64::from(k)).abs() < 1e-9);
    }
    let now = contacts(&mut sim);
    assert!(now.iter().zip(&marks).all(|(a, b)| a.force == b.force && a.position == b.position));
    let carried: f64 = now.iter().filter(|c| c.bodies[0].is_none()).map(|c| c.force.z).sum();
    assert!((carried - 10.0 * G).abs() < 1e-4, "{carried}");
    let later = sim.certificate();
    assert_eq!((later.natural_map, later.eps_abs), (verdict.natural_map, verdict.eps_abs));
    assert!(sim.problem().is_empty() && sim.own_natural_map() == later.natural_map);
}

/// Down a slope a little steeper than friction holds, a cube gains a (t²)/2 with a = g (sin − μ cos) from rest; on one
/// a little less steep it sleeps.
#[test]
fn what_accelerates_slowly_does_not_sleep() {
    for excess in [1e-3, 1e-5, -1e-3] {
        let tilt = f64::atan(0.5 * (1.0 + excess));
        let mut c = ground(tilt);
        let turn = Quat::from_rpy(0.0, tilt, 0.0);
        let shape = Shape::Box { half: vec3(0.1, 0.1, 0.1) };
        let body = FreeBody::new("cube", shape, 1.0, Pose::new(turn, turn.rotate(Vec3::Z * 0.1)));
        c.body(FreeBody { material: rough(0.5), ..body }).unwrap();
        let mut sim = simulation(c, Settings { tolerance: 1e-13, ..settings(Sleep::Auto) });
        let start = sim.state().q.clone();
        let slept = (0..1000).map(|_| step(&mut sim).asleep).sum::<usize>();
        let way = distance(&sim.state().q[..3], &start[..3]) / tilt.cos();
        if excess > 0.0 {
            let gained = 0.5 * G * (tilt.sin() - 0.5 * tilt.cos());
            assert_eq!(slept, 0, "{excess}");
            assert!((way / gained - 1.0).abs() < 0.02, "{excess}: {way:e} m, {gained:e} m expected");
        } else {
            assert!(slept > 800 && way < 1e-9, "{slept} {way:e}");
        }
    }
}

/// Without gravity a body goes on for ever, however slowly.
#[test]
fn what_nothing_holds_does_not_sleep() {
    let mut c = Composer::new("space", Vec3::ZERO).unwrap();
    let mut body = FreeBody::new("stone", Shape::Sphere { radius: 0.1 }, 1.0, Pose::IDENTITY);
    body.velocity = vec3(1e-9, 0.0, 0.0);
    c.body(body).unwrap();
    let mut sim = simulation(c, settings(Sleep::On));
    assert_eq!(steps(&mut sim, 1000).asleep, 0);
    assert!((sim.state().q[0] - 1e-9).abs() < 1e-15);
}

/// A pendulum with a bob that touches nothing, standing on its head.
fn pendulum() -> (World, State) {
    let mut b = ModelBuilder::new();
    let rod = b.link(
        "rod",
        None,
        Pose::IDENTITY,
        Inertia::new(1.0, vec3(0.0, 0.0, 1.0), Sym3::diagonal(1.1, 1.1, 0.1)),
    );
    b.joint(rod, JointSpec::new("hinge", JointKind::Hinge, Vec3::X));
    let model = b.build(vec3(0.0, 0.0, -G)).unwrap();
    let state = State::neutral(&model);
    (World::new("pendulum", model), state)
}

/// `Auto` lets nothing sleep beside a joint; `On` lets a box, though not the pendulum.
#[test]
fn beside_robots_only_when_asked() {
    for (sleep, asleep) in [(Sleep::Auto, 0), (Sleep::On, 2), (Sleep::Off, 0)] {
        let mut c = ground(0.0);
        let (world, state) = pendulum();
        c.robot(world, &state, Pose::from_translation(vec3(5.0, 0.0, 3.0)), "");
        pile(&mut c, "box", 0.0, 2);
        let mut sim = simulation(c, settings(sleep));
        assert_eq!(steps(&mut sim, 200).asleep, asleep, "{sleep:?}");
    }
}

/// What rests under a compliant law goes on being computed.
#[test]
fn compliant_laws_let_nothing_sleep() {
    for contact in ["sap", "mujoco"] {
        let mut c = ground(0.0);
        pile(&mut c, "box", 0.0, 1);
        let mut sim = simulation(c, Settings { contact: contact.to_owned(), ..settings(Sleep::On) });
        let slept = (0..500).map(|_| sim.step().asleep).sum::<usize>();
        assert_eq!(slept, 0, "{contact}");
    }
}
