//! Trees that nothing touches, with springs, dampers and servos from soft to stiff: no cliff between the methods.

use super::worlds::{G, geometry};
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Inertia, Pose, Sym3, Vec3, vec3};
use stiction::dynamics::{JointSpec, ModelBuilder};
use stiction::world::{Actuator, ActuatorLaw, Material, World};
use stiction::{HigherOrder, Quadrature, Settings, Simulation, State, StepperParams};

/// Dampers, springs and servos of every joint.
#[derive(Clone, Copy, Debug, Default)]
struct Gains {
    damping: f64,
    stiffness: f64,
    kp: f64,
    kv: f64,
    limit: Option<f64>,
}

/// Gain of a motor is that of what it holds.
fn actuator(dof: usize, g: &Gains) -> Actuator {
    let gain = if g.kp > 0.0 { g.kp } else { g.kv };
    Actuator {
        name: format!("servo {dof}"),
        transmission: vec![(dof, 1.0)],
        law: ActuatorLaw { gain, bias: 0.0, bias_length: -g.kp, bias_velocity: -g.kv },
        effort_limit: g.limit.map(|l| [-l, l]),
        control_limit: None,
    }
}

/// An arm of four links whose wrist is a hundred times lighter than its shoulder, in motion.
fn arm(g: &Gains) -> (World, State) {
    let mut b = ModelBuilder::new();
    let mut parent = None;
    let links = [(4.0, Vec3::Z), (3.0, Vec3::Y), (1.5, Vec3::X), (0.04, Vec3::Y)];
    for (i, (mass, axis)) in links.into_iter().enumerate() {
        let at = vec3(0.0, 0.0, if i == 0 { 0.0 } else { 0.25 });
        let size = mass * 4e-3;
        let inertia = Inertia::new(mass, vec3(0.02, 0.0, 0.1), Sym3::diagonal(size, size, 0.3 * size));
        let link = b.link(format!("link {i}"), parent, Pose::from_translation(at), inertia);
        let mut joint = JointSpec::hinge(format!("joint {i}"), axis);
        (joint.damping, joint.stiffness) = (g.damping, g.stiffness);
        b.joint(link, joint);
        parent = Some(link);
    }
    let mut world = World::new("arm", b.build(vec3(0.0, 0.0, -G)).unwrap());
    if g.kp + g.kv > 0.0 {
        (0..4).for_each(|dof| world.actuators.push(actuator(dof, g)));
    }
    (world, State { t: 0.0, q: vec![0.3, -0.5, 0.4, 0.8], v: vec![0.5, -1.0, 0.7, 3.0] })
}

/// A trunk with limbs on ball joints, tumbling.
fn tumbler(g: &Gains) -> (World, State) {
    let solid =
        |m: f64| Inertia::new(m, vec3(0.05, 0.02, -0.1), Sym3::diagonal(0.02 * m, 0.03 * m, 0.04 * m));
    let mut b = ModelBuilder::new();
    let trunk = b.link("trunk", None, Pose::IDENTITY, solid(3.0));
    b.joint(trunk, JointSpec::free("base"));
    for (i, mass) in [0.5, 0.05].into_iter().enumerate() {
        let at = Pose::from_translation(vec3(0.2, 0.1 * i as f64, 0.0));
        let limb = b.link(format!("limb {i}"), Some(trunk), at, solid(mass));
        let mut joint = JointSpec::ball(format!("ball {i}"));
        (joint.damping, joint.stiffness) = (g.damping, g.stiffness);
        b.joint(limb, joint);
    }
    let world = World::new("tumbler", b.build(Vec3::ZERO).unwrap());
    let mut state = State::neutral(&world.model);
    state.v.copy_from_slice(&[0.1, 0.2, 0.3, 1.0, -2.0, 0.5, 2.0, 0.0, -1.0, 0.0, 3.0, 1.0]);
    (world, state)
}

fn simulation((world, state): (World, State), dt: f64, higher_order: HigherOrder) -> Simulation {
    let stepper = StepperParams { dt, higher_order, ..StepperParams::default() };
    let mut sim = Simulation::new(world, state, Settings { stepper, ..Settings::default() }).unwrap();
    sim.control_mut().iter_mut().zip([0.5, 0.3, -0.4, 0.2]).for_each(|(u, x)| *u = x);
    sim
}

/// Positions after 0.24 s.
fn after(start: (World, State), dt: f64, higher_order: HigherOrder) -> Vec<f64> {
    let mut sim = simulation(start, dt, higher_order);
    for _ in 0..(0.24 / dt).round() as usize {
        let report = sim.step();
        // Of what is touched, the energy of a wrist that turns by .4 rad a step is off by a hundredth.
        assert!(report.failure().is_none() && (higher_order == HigherOrder::Passive || !report.flagged()));
    }
    sim.state().q.clone()
}

fn largest(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |d, (a, b)| d.max((a - b).abs()))
}

/// Against steps so small that everything is soft in them, which go by the explicit method of the fifth order; at every step
/// from 8 to 1 ms, errors are small, under servos less than a third of those of the rule of trees that are touched, and they fall at
/// least with the square of the step over the range.
#[test]
fn there_is_no_cliff_between_soft_and_stiff() {
    let cases = [
        Gains { damping: 0.02, ..Gains::default() },
        Gains { damping: 0.3, ..Gains::default() },
        Gains { damping: 3.0, ..Gains::default() },
        Gains { damping: 0.1, stiffness: 50.0, ..Gains::default() },
        Gains { kp: 100.0, kv: 10.0, ..Gains::default() },
        Gains { kp: 100.0, damping: 0.3, ..Gains::default() },
        Gains { kv: 2.0, ..Gains::default() },
        Gains { kv: 20.0, ..Gains::default() },
    ];
    for g in cases {
        let servos = g.kp + g.kv > 0.0;
        let reference = after(arm(&g), 2e-5, HigherOrder::Always);
        let errors =
            [8e-3, 4e-3, 2e-3, 1e-3].map(|dt| largest(&after(arm(&g), dt, HigherOrder::Always), &reference));
        assert!(errors[0] < 5e-3 && errors[3] < 2e-5, "{g:?}: {errors:?}");
        assert!(errors[0] / errors[3] > 20.0, "{g:?}: {errors:?}");
        if servos {
            let touched =
                [2e-3, 1e-3].map(|dt| largest(&after(arm(&g), dt, HigherOrder::Passive), &reference));
            assert!(errors[2] < 0.3 * touched[0], "{g:?}: {errors:?}, {touched:?}");
            assert!(errors[3] < 0.3 * touched[1], "{g:?}: {errors:?}, {touched:?}");
        }
    }
}

/// A body that floats, with springs and dampers in ball joints.
#[test]
fn stiff_ball_joints_are_of_the_second_order() {
    for (damping, stiffness) in [(0.1, 0.0), (1.0, 20.0), (0.02, 100.0)] {
        let g = Gains { damping, stiffness, ..Gains::default() };
        let reference = after(tumbler(&g), 2e-5, HigherOrder::Always);
        let errors = [8e-3, 4e-3, 2e-3, 1e-3]
            .map(|dt| largest(&after(tumbler(&g), dt, HigherOrder::Always), &reference));
        assert!(errors[0] < 5e-3 && errors[3] < 2e-5, "{g:?}: {errors:?}");
        assert!(errors[0] / errors[3] > 20.0, "{g:?}: {errors:?}");
    }
}

/// The efforts that are told are those that moved the body: m (v⁺ − v) = Σ h (e − m g), soft, stiff and at the limit.
#[test]
fn what_servos_exert_is_what_moves() {
    for (kp, kv, limit) in [(50.0, 1.0, None), (1e5, 1e3, None), (0.0, 1e4, None), (1e4, 100.0, Some(60.0))] {
        let mut b = ModelBuilder::new();
        let mass = b.link("mass", None, Pose::IDENTITY, Inertia::new(2.0, Vec3::ZERO, Sym3::ZERO));
        b.joint(mass, JointSpec::slide("slide", Vec3::Z));
        let mut world = World::new("slider", b.build(vec3(0.0, 0.0, -G)).unwrap());
        world.actuators.push(actuator(0, &Gains { kp, kv, limit, ..Gains::default() }));
        let state = State { t: 0.0, q: vec![0.1], v: vec![0.2] };
        let mut sim = simulation((world, state), 5e-3, HigherOrder::Always);
        let (mut impulse, mut efforts) = (0.0, Vec::new());
        for step in 0..200 {
            assert!(!sim.step().flagged());
            sim.efforts_into(&mut efforts);
            impulse += 5e-3 * (efforts[0] - 2.0 * G);
            let gained = 2.0 * (sim.state().v[0] - 0.2);
            assert!((impulse - gained).abs() < 1e-9, "{kp}, {kv}, step {step}: {impulse} {gained}");
            assert!(limit.is_none_or(|l| efforts[0].abs() < l * (1.0 + 1e-9)), "{efforts:?}");
        }
    }
}

/// A servo may press by more than a step of its linearised force tells: an arm goes by the rule of higher order where its tip hangs in
/// the air, and not where it touches, though nothing presses.
#[test]
fn what_touches_is_not_of_higher_order() {
    for (gap, flies) in [(0.5, true), (-1e-5, false)] {
        let mut b = ModelBuilder::new();
        let link = b.link(
            "arm",
            None,
            Pose::from_translation(vec3(0.0, 0.0, 0.1 + gap)),
            Inertia::new(0.5, vec3(0.2, 0.0, 0.0), Sym3::diagonal(1e-3, 1e-2, 1e-2)),
        );
        b.joint(link, JointSpec::hinge("hinge", Vec3::Y));
        let mut world = World::new("arm on the ground", b.build(vec3(0.0, 0.0, -G)).unwrap());
        let shape = Shape::Sphere { radius: 0.1 };
        let at = Pose::from_translation(vec3(0.4, 0.0, 0.0));
        world.geometries.push(geometry(Some(link), at, shape, Material::default()));
        world.geometries.push(geometry(None, Pose::IDENTITY, Shape::Plane, Material::default()));
        world.actuators.push(actuator(0, &Gains { kp: 200.0, kv: 2.0, ..Gains::default() }));
        let state = State::neutral(&world.model);
        let mut sim = simulation((world, state), 2e-3, HigherOrder::Always);
        sim.control_mut()[0] = -0.3; // up
        let report = sim.step();
        assert_eq!(report.contacts > 0, !flies, "{report:?}");
        let mut contacts = Vec::new();
        sim.contacts_into(&mut contacts);
        assert!(contacts.iter().all(|c| c.force == Vec3::ZERO), "nothing presses");
        let rule = sim.accepted().unwrap().quadrature[0];
        assert_eq!(rule == Quadrature::HigherOrder, flies, "{rule:?}");
    }
}
