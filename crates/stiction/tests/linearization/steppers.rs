//! Steppers beside `time-stepping`: Moreau's and its kin, and those of maximal dissipation.

use crate::free::settings;
use crate::touching::{above, hold, walker};
use stiction::random::Random;
use stiction::{LinearizationError, Settings, Simulation, StepperName, StepperParams};

/// Settings of `method`, solved as far as it goes.
fn by(method: &str) -> Settings {
    let mut stepper = StepperParams { method: StepperName::of(method).unwrap(), ..settings().stepper };
    stepper.canon.tolerance = 1e-13;
    let nmdp = &mut stepper.nmdp;
    (nmdp.weight_tolerance, nmdp.energy_tolerance) = (1e-13, 1e-20);
    (nmdp.residual_tolerance, nmdp.max_outer) = (1e-13, 2000);
    Settings { stepper, ..settings() }
}

/// A robot on its feet, sticking and sliding.
fn walks(method: &str, wanted: usize, most: f64) {
    for (speed, friction) in [(0.3, 1.2), (1.0, 0.2)] {
        let world = walker("damping='0.1' stiffness='5'", friction);
        hold(&world, &by(method), (wanted, most), |dice| {
            let mut state = above(&world, dice, speed);
            // What overlaps is in the contact sets.
            state.q[2] -= 0.005;
            state
        });
    }
}

#[test]
fn moreau() {
    walks("moreau", 4, 1e-6);
}

#[test]
fn stewart_trinkle() {
    walks("stewart-trinkle", 3, 1e-6);
}

#[test]
fn anitescu() {
    walks("anitescu", 3, 1e-6);
}

#[test]
fn todorov() {
    walks("todorov", 3, 1e-5);
}

#[test]
fn maximal_dissipation_of_first_order() {
    walks("ne-nmdp-pgm", 2, 1e-4);
}

#[test]
fn maximal_dissipation_of_displaced_points() {
    walks("pbd-nmdp-pgm", 2, 1e-4);
}

/// Those that are not differentiated say why.
#[test]
fn others_say_why_not() {
    for (method, why) in [
        ("ne-mdp", "linearised dynamics"),
        ("variational", "impacts"),
        ("event-driven", "impacts"),
        ("compliant", "error control"),
        ("adaptive", "error control"),
    ] {
        let world = walker("damping='0.1'", 0.5);
        let start = above(&world, &mut Random::new(1), 0.1);
        let mut simulation = Simulation::new(world, start, by(method)).unwrap();
        let told = simulation.linearize();
        assert!(matches!(told, Err(LinearizationError::Stepper { .. })), "{method}: {told:?}");
        let told = told.unwrap_err().to_string();
        assert!(told.contains(method) && told.contains(why), "{told}");
    }
}
