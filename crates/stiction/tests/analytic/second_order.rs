//! Motion under servos and friction with [`StepperParams::second_order`]: errors fall with the square of the step.

use crate::worlds::{G, cube, on_ground};
use stiction::dynamics::spatial::{Inertia, Pose, Sym3, Vec3};
use stiction::dynamics::{JointSpec, ModelBuilder};
use stiction::models::{Actuator, ActuatorLaw, World};
use stiction::{FreeBody, Settings, Simulation, State, StepperParams};

fn simulation(world: World, state: State, dt: f64, second_order: bool) -> Simulation {
    let stepper = StepperParams { dt, second_order, ..StepperParams::default() };
    let settings = Settings { tolerance: 1e-11, stepper, ..Settings::default() };
    Simulation::new(world, state, settings).unwrap()
}

/// 2 kg on a slide, driven to zero from 0.3 m by a servo.
fn servo(stiffness: f64, damping: f64, dt: f64, second_order: bool) -> Simulation {
    let mut b = ModelBuilder::new();
    let mass = b.link("mass", None, Pose::IDENTITY, Inertia::new(2.0, Vec3::ZERO, Sym3::ZERO));
    b.joint(mass, JointSpec::slide("slide", Vec3::X));
    let mut world = World::new("servo", b.build(Vec3::ZERO).unwrap());
    world.actuators.push(Actuator {
        name: "servo".to_owned(),
        transmission: vec![(0, 1.0)],
        law: ActuatorLaw { gain: stiffness, bias: 0.0, bias_length: -stiffness, bias_velocity: -damping },
        effort_limit: None,
        control_limit: None,
    });
    simulation(world, State { t: 0.0, q: vec![0.3], v: vec![0.0] }, dt, second_order)
}

/// Against the closed form of the damped oscillator, after a second.
#[test]
fn a_servo_is_of_the_second_order() {
    let (stiffness, damping) = (200.0, 4.0);
    let off = |dt: f64, second_order: bool| {
        let mut sim = servo(stiffness, damping, dt, second_order);
        (0..(1.0 / dt).round() as usize).for_each(|_| assert!(!sim.step().flagged()));
        let decay: f64 = damping / 4.0;
        let w = (stiffness / 2.0 - decay * decay).sqrt();
        let exact = 0.3 * (-decay).exp() * (w.cos() + decay / w * w.sin());
        (sim.state().q[0] - exact).abs()
    };
    let (coarse, fine) = (off(1e-2, true), off(5e-3, true));
    assert!(coarse < 3e-3 && (3.5..4.5).contains(&(coarse / fine)), "{coarse} then {fine}");
    assert!(off(1e-2, false) > 4.0 * coarse, "the first order is worse: {}", off(1e-2, false));
}

/// Gains far beyond what the step resolves: no growth, and rest in the end.
#[test]
fn stiff_servos_stay_stable() {
    for (stiffness, damping) in [(1e8, 0.0), (1e8, 1e6), (1e3, 1e7), (1e6, 1e3)] {
        let mut sim = servo(stiffness, damping, 1e-2, true);
        let start = 0.5 * stiffness * 0.09;
        for _ in 0..2000 {
            assert!(!sim.step().flagged());
            let (q, v) = (sim.state().q[0], sim.state().v[0]);
            assert!(0.5 * stiffness * q * q + v * v <= start * 1.0001, "{stiffness}, {damping}: {q}, {v}");
        }
        assert!(sim.state().v[0].abs() < 1e-3, "{stiffness}, {damping}: {:?}", sim.state());
    }
}

/// A cube thrown along the plane stops after v²/2μg, whatever the step to h²; at rest it has the same bits as with the
/// first order.
#[test]
fn a_sliding_cube_stops_where_it_should() {
    let (mu, speed) = (0.3, 1.0);
    let run = |dt: f64, second_order: bool, speed: f64| {
        let mut c = on_ground(mu, 0.0);
        c.body(FreeBody { velocity: Vec3::X * speed, ..cube(mu, 0.0) }).unwrap();
        let (world, state) = c.finish();
        let mut sim = simulation(world, state, dt, second_order);
        (0..(0.6 / dt).round() as usize).for_each(|_| assert!(!sim.step().flagged()));
        sim.state().clone()
    };
    let exact = speed * speed / (2.0 * mu * G);
    for dt in [1e-2, 1e-3] {
        let off = |second: bool| (run(dt, second, speed).q[0] - exact).abs();
        assert!(off(true) < 0.5 * mu * G * dt * dt, "h {dt}: {}", off(true));
        assert!(off(false) > 0.4 * speed * dt, "h {dt}: {}", off(false));
    }
    assert_eq!(run(1e-3, true, 0.0), run(1e-3, false, 0.0));
}
