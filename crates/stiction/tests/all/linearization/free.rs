//! What nothing touches: joints with damping, springs, servos and motors.
use super::witness::Witness;
use std::path::Path;
use stiction::dynamics::integrate_into;
use stiction::models::{LoadOptions, load_str};
use stiction::random::Random;
use stiction::world::World;
use stiction::{HigherOrder, Quadrature, Settings, Simulation, State, StepperParams};

pub(crate) fn world(body: &str) -> World {
    let text = format!("<mujoco><option timestep='0.002'/>{body}</mujoco>");
    load_str(&text, Path::new("test.xml"), Path::new("."), &LoadOptions::default()).unwrap()
}

/// Settings of exact answers; of trees with servos the rules of first and second order.
pub(crate) fn settings() -> Settings {
    let stepper = StepperParams {
        dt: 2e-3,
        higher_order: HigherOrder::Passive,
        landing_tolerance: 1e-13,
        ..StepperParams::default()
    };
    Settings { tolerance: 1e-13, stepper, ..Settings::default() }
}

/// A state about the neutral one, by these displacements and speeds.
pub(crate) fn random_state(world: &World, dice: &mut Random, size: f64, speed: f64) -> State {
    let model = &world.model;
    let mut state = State::neutral(model);
    let e: Vec<f64> = (0..model.nv()).map(|_| size * dice.signed()).collect();
    integrate_into(model, &State::neutral(model).q, &e, 1.0, &mut state.q);
    state.v.iter_mut().for_each(|v| *v = speed * dice.signed());
    state
}

/// The worst column of linearizations of steps from `states`, all by the rule `rule`.
fn hold(world: &World, settings: &Settings, rule: Quadrature, seeds: u64) {
    for seed in 0..seeds {
        let mut dice = Random::new(seed + 1);
        let start = random_state(world, &mut dice, 0.5, 2.0);
        let mut simulation = Simulation::new(world.clone(), start.clone(), settings.clone()).unwrap();
        let control: Vec<f64> = simulation.control_mut().iter_mut().map(|_| 0.5 * dice.signed()).collect();
        simulation.control_mut().copy_from_slice(&control);
        let linearization = simulation.linearize().unwrap();
        assert_eq!(simulation.state(), &start);
        assert!(linearization.notes.is_empty(), "{:?}", linearization.notes);
        assert!(!simulation.step().flagged());
        assert!(simulation.accepted().unwrap().quadrature.contains(&rule));
        assert_eq!(simulation.state(), &linearization.next);
        let (worst, column) = Witness { simulation: &mut simulation, start, control }.worst(&linearization);
        assert!(worst < 1e-8, "seed {seed}: column {column} is off by {worst:.1e}");
    }
}

/// An arm on a ball joint with springs, dampers, a servo, a stiff servo and a motor.
const ARM: &str = "
    <worldbody><body name='a' pos='0 0 1'>
      <joint name='ball' type='ball' stiffness='3' damping='0.2'/>
      <geom type='capsule' fromto='0 0 0 0.1 0.2 -0.4' size='0.03' contype='0' conaffinity='0'/>
      <body name='b' pos='0.1 0.2 -0.4'>
        <joint name='hinge' axis='0 1 0.3' damping='0.1' stiffness='2' springref='0.3' armature='0.01'/>
        <geom type='capsule' fromto='0 0 0 0.3 0 -0.1' size='0.03' contype='0' conaffinity='0'/>
        <body name='c' pos='0.3 0 -0.1'>
          <joint name='slide' type='slide' axis='1 0 1'/>
          <joint name='last' axis='1 0.2 0'/>
          <geom type='box' size='0.05 0.1 0.02' contype='0' conaffinity='0'/>
        </body>
      </body>
    </body></worldbody>
    <actuator>
      <position joint='hinge' kp='20' kv='1'/>
      <position joint='slide' kp='30000' kv='50'/>
      <motor joint='last' gear='0.7'/>
    </actuator>";

/// Servos, soft and stiff ones, of trees that can be touched and of others. The rounds of the mean velocity leave O(h⁴).
#[test]
fn servos_in_the_middle_of_the_step() {
    let mut settings = settings();
    settings.stepper.dt = 2.5e-4;
    let touchable = ARM.replace("contype='0' conaffinity='0'", "contype='1' conaffinity='2'");
    for arm in [ARM, &touchable] {
        hold(&world(arm), &settings, Quadrature::Middle, 3);
    }
}

/// Trees by the methods of higher order, explicit and implicit ones, the latter with stiff servos.
#[test]
fn trees_by_methods_of_higher_order() {
    let soft = ARM.replace("kp='30000' kv='50'", "kp='3' kv='0.5'");
    for arm in [&soft, ARM] {
        let default =
            Settings { stepper: StepperParams { dt: 2e-3, ..StepperParams::default() }, ..settings() };
        hold(&world(arm), &default, Quadrature::HigherOrder, 3);
    }
}

/// A floating robot, and a free body whose centre of mass is not at its origin, which tumbles.
#[test]
fn what_flies() {
    let robot = "<worldbody>
          <body pos='0 0 3'><freejoint/><geom type='box' size='0.1 0.2 0.05' mass='1'/>
            <body pos='0.1 0 0'><joint name='a' axis='0 1 0' damping='0.1'/>
              <geom type='capsule' fromto='0 0 0 0 0.05 -0.27' size='0.03' mass='0.3'/></body></body>
        </worldbody><actuator><position joint='a' kp='5' kv='0.1'/></actuator>";
    hold(
        &world(robot),
        &Settings { stepper: StepperParams::default(), ..settings() },
        Quadrature::HigherOrder,
        3,
    );
    let body = "<worldbody><body pos='0 0 3'><freejoint/>
            <geom type='box' size='0.1 0.2 0.05' pos='0.05 0.02 -0.03' mass='1'/></body></worldbody>";
    hold(&world(body), &settings(), Quadrature::Middle, 3);
}
