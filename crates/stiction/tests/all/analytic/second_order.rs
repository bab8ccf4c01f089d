//! Motion under servos: errors fall with the square of the step, what swings keeps its energy, what lands does not sink in.
use super::worlds::{G, on_ground};
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Inertia, Pose, Sym3, Vec3, vec3};
use stiction::dynamics::{JointSpec, ModelBuilder};
use stiction::world::{Actuator, ActuatorLaw, Geometry, World};
use stiction::{HigherOrder, Settings, Simulation, State, StepperParams};

/// By the rule of trees that are touched, whether they are or not.
fn simulation(world: World, state: State, dt: f64) -> Simulation {
    by_rule(world, state, dt, HigherOrder::Passive)
}

fn by_rule(world: World, state: State, dt: f64, higher_order: HigherOrder) -> Simulation {
    let stepper = StepperParams { dt, higher_order, ..StepperParams::default() };
    let settings = Settings { tolerance: 1e-11, stepper, ..Settings::default() };
    Simulation::new(world, state, settings).unwrap()
}

/// Drives one dof to its control.
fn servo(dof: usize, stiffness: f64, damping: f64) -> Actuator {
    Actuator {
        name: "servo".to_owned(),
        transmission: vec![(dof, 1.0)],
        law: ActuatorLaw { gain: stiffness, bias: 0.0, bias_length: -stiffness, bias_velocity: -damping },
        effort_limit: None,
        control_limit: None,
    }
}

/// 2 kg on a slide, driven to zero from 0.3 m by a servo, or by a spring and a damper of the joint beside a servo of no
/// strength.
fn driven(stiffness: f64, damping: f64, dt: f64, by_joint: bool) -> Simulation {
    let mut b = ModelBuilder::new();
    let mass = b.link("mass", None, Pose::IDENTITY, Inertia::new(2.0, Vec3::ZERO, Sym3::ZERO));
    let mut slide = JointSpec::slide("slide", Vec3::X);
    if by_joint {
        (slide.stiffness, slide.damping) = (stiffness, damping);
    }
    b.joint(mass, slide);
    let mut world = World::new("servo", b.build(Vec3::ZERO).unwrap());
    world.actuators.push(if by_joint { servo(0, 1e-9, 0.0) } else { servo(0, stiffness, damping) });
    simulation(world, State { t: 0.0, q: vec![0.3], v: vec![0.0] }, dt)
}

/// Against the closed form of the damped oscillator, after a second.
#[test]
fn servos_springs_and_dampers_are_of_the_second_order() {
    for by_joint in [false, true] {
        let (stiffness, damping) = (200.0, 4.0);
        let off = |dt: f64| {
            let mut sim = driven(stiffness, damping, dt, by_joint);
            (0..(1.0 / dt).round() as usize).for_each(|_| assert!(!sim.step().flagged()));
            let decay: f64 = damping / 4.0;
            let w = (stiffness / 2.0 - decay * decay).sqrt();
            let exact = 0.3 * (-decay).exp() * (w.cos() + decay / w * w.sin());
            (sim.state().q[0] - exact).abs()
        };
        let (coarse, fine) = (off(1e-2), off(5e-3));
        assert!(coarse < 3e-3 && (3.5..4.5).contains(&(coarse / fine)), "{coarse} then {fine}");
    }
}

/// Gains far beyond what the step resolves: no growth, and rest in the end.
#[test]
fn stiff_servos_stay_stable() {
    for (stiffness, damping) in [(1e8, 0.0), (1e8, 1e6), (1e3, 1e7), (1e6, 1e3)] {
        let mut sim = driven(stiffness, damping, 1e-2, false);
        let start = 0.5 * stiffness * 0.09;
        for _ in 0..2000 {
            assert!(!sim.step().flagged());
            let (q, v) = (sim.state().q[0], sim.state().v[0]);
            assert!(0.5 * stiffness * q * q + v * v <= start * 1.0001, "{stiffness}, {damping}: {q}, {v}");
        }
        assert!(sim.state().v[0].abs() < 1e-3, "{stiffness}, {damping}: {:?}", sim.state());
    }
}

/// A pendulum of which a servo holds the second half straight swings for 20 s, ten periods and more, at the height it
/// started from. Forces taken at the start of the step would more than double it.
#[test]
fn what_swings_beside_a_servo_keeps_its_energy() {
    let dt = 1e-2;
    let mut b = ModelBuilder::new();
    let half = Inertia::new(1.0, vec3(0.0, 0.0, -0.2), Sym3::diagonal(0.01, 0.01, 0.001));
    let upper = b.link("upper", None, Pose::IDENTITY, half);
    b.joint(upper, JointSpec::hinge("pivot", Vec3::Y));
    let lower = b.link("lower", Some(upper), Pose::from_translation(vec3(0.0, 0.0, -0.4)), half);
    b.joint(lower, JointSpec::hinge("elbow", Vec3::Y));
    let mut world = World::new("arm", b.build(vec3(0.0, 0.0, -G)).unwrap());
    world.actuators.push(servo(1, 1e6, 1e4));
    let mut sim = simulation(world, State { t: 0.0, q: vec![0.8, 0.0], v: vec![0.0; 2] }, dt);
    let mut highest = 0.0_f64;
    for _ in 0..2000 {
        assert!(!sim.step().flagged());
        if sim.state().t > 18.0 {
            highest = highest.max(sim.state().q[0].abs());
        }
    }
    assert!((highest / 0.8 - 1.0).abs() < 5e-3, "{highest}");
}

/// A leg under a servo that comes down on its foot more slowly than what bounces, and faster: no overlap, at any step.
#[test]
fn a_foot_lands_without_sinking_in() {
    for (dt, speed) in [(1e-3, 0.015), (1e-2, 0.05), (1e-2, 0.15), (1e-2, 1.0), (5e-2, 0.5), (5e-2, 2.0)] {
        let ground = on_ground(0.5, 0.0).finish().0.geometries.remove(0);
        let mut b = ModelBuilder::new();
        let part = |mass| Inertia::new(mass, Vec3::ZERO, Sym3::diagonal(0.01, 0.01, 0.01));
        let trunk = b.link("trunk", None, Pose::from_translation(vec3(0.0, 0.0, 0.5)), part(4.0));
        b.joint(trunk, JointSpec::slide("up", Vec3::Z));
        let foot = b.link("foot", Some(trunk), Pose::from_translation(vec3(0.0, 0.0, -0.4)), part(0.2));
        b.joint(foot, JointSpec::slide("leg", Vec3::Z));
        let mut world = World::new("leg", b.build(vec3(0.0, 0.0, -G)).unwrap());
        let (name, shape) = ("foot".to_owned(), Shape::Sphere { radius: 0.05 });
        let ball = Geometry { name, link: Some(foot), shape, ..ground.clone() };
        world.geometries.extend([ground, ball]);
        world.actuators.push(servo(1, 2000.0, 40.0));
        let mut sim = simulation(world, State { t: 0.0, q: vec![-0.04, 0.0], v: vec![-speed, 0.0] }, dt);
        let mut deepest = 0.0_f64;
        for _ in 0..(4.0 / dt) as usize {
            assert!(!sim.step().flagged());
            deepest = deepest.max(-(sim.state().q[0] + sim.state().q[1] + 0.05));
        }
        assert!(deepest < 2e-5, "h {dt}, {speed} m/s: {deepest}");
        assert!(sim.state().v.iter().all(|v| v.abs() < 1e-6), "{:?}", sim.state().v);
    }
}
