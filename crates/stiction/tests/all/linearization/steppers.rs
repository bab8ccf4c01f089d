//! Steppers beside `time-stepping`: Moreau's and its kin, and those of maximal dissipation.

use super::free::{settings, world};
use super::touching::{above, walker};
use super::witness::Witness;
use stiction::random::Random;
use stiction::{
    LinearizationError, LinearizationNote, Settings, Simulation, State, StepperName, StepperParams,
    ThetaForces,
};

/// Settings of `method`, solved as far as it goes.
fn by(method: &str) -> Settings {
    let mut stepper = StepperParams { method: StepperName::of(method).unwrap(), ..settings().stepper };
    // Interior points on the relaxation, which `todorov` brings, end there.
    stepper.canon.tolerance = if method == "todorov" { 1e-11 } else { 1e-13 };
    let nmdp = &mut stepper.nmdp;
    (nmdp.weight_tolerance, nmdp.energy_tolerance) = (1e-13, 1e-20);
    (nmdp.residual_tolerance, nmdp.max_outer) = (1e-13, 2000);
    Settings { stepper, ..settings() }
}

/// A robot on its feet, sticking and sliding: steps that are solved in one part and away from switches.
fn walks(method: &str, wanted: usize, most: f64) {
    walks_by(&by(method), wanted, most);
}

fn walks_by(settings: &Settings, wanted: usize, most: f64) {
    let method = settings.stepper.method.as_str();
    for (speed, friction) in [(0.3, 1.2), (1.0, 0.2)] {
        let world = walker("damping='0.1' stiffness='5'", friction);
        let mut done = 0;
        for seed in 0..30 * wanted as u64 {
            let mut dice = Random::new(seed + 1);
            let mut start = above(&world, &mut dice, speed);
            start.q[2] -= 0.005; // what overlaps is in the contact sets
            let mut simulation = Simulation::new(world.clone(), start.clone(), settings.clone()).unwrap();
            let control: Vec<f64> =
                simulation.control_mut().iter_mut().map(|_| 0.3 * dice.signed()).collect();
            simulation.control_mut().copy_from_slice(&control);
            let found = match simulation.linearize() {
                Err(
                    LinearizationError::Parts { .. }
                    | LinearizationError::Equations(_)
                    | LinearizationError::NotConverged { .. },
                ) => continue,
                other => other.unwrap(),
            };
            let smooth = |n: &LinearizationNote| matches!(n, LinearizationNote::Hyperstatic { .. });
            if !found.notes.iter().all(smooth) || found.report.contacts == 0 {
                continue;
            }
            let mut witness = Witness { simulation: &mut simulation, start, control };
            let scatters = method.contains("nmdp");
            let (worst, column) =
                if scatters { witness.worst_beside_nearest(&found) } else { witness.worst(&found) };
            assert!(worst < most, "{method}, seed {seed}: column {column} is off by {worst:.1e}");
            done += 1;
            if done == wanted {
                break;
            }
        }
        assert_eq!(done, wanted, "{method}");
    }
}

#[test]
fn moreau() {
    walks("moreau", 4, 1e-6);
}

/// Forces at both ends, to the end of Newton's method and linearised once.
#[test]
fn moreau_by_the_ends() {
    for newton in [10, 1] {
        let mut settings = by("moreau");
        let moreau = &mut settings.stepper.canon.moreau;
        (moreau.forces, moreau.newton) = (ThetaForces::Ends, newton);
        walks_by(&settings, 2, 1e-6);
    }
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

/// Descent on an energy ends where its falls drown in rounding, and its quadratic programs end at a tolerance: answers scatter by some
/// 1e-9 m/s where several weights hold alike, and differences of whole steps by that over their displacement. The derivative takes no part in it.
#[test]
fn maximal_dissipation_of_first_order() {
    walks("ne-nmdp-pgm", 2, 1e-5);
}

/// Answers of displaced points scatter more.
#[test]
fn maximal_dissipation_of_displaced_points() {
    walks("pbd-nmdp-pgm", 2, 1e-4);
}

/// Steppers that are not differentiated say why.
#[test]
fn others_say_why_not() {
    for (method, why) in [
        ("ne-mdp", "linearised dynamics"),
        ("variational", "impacts"),
        ("event-driven", "impacts"),
        ("compliant", "error control"),
    ] {
        let world = world(
            "<worldbody><geom type='plane' size='5 5 1'/><body pos='0 0 1'><joint axis='0 1 0'/><geom type='capsule' \
             fromto='0 0 0 0.3 0 0' size='0.02' mass='1'/></body></worldbody>",
        );
        let start = State::neutral(&world.model);
        let mut simulation = Simulation::new(world, start, by(method)).unwrap();
        let told = simulation.linearize();
        assert!(matches!(told, Err(LinearizationError::Stepper { .. })), "{method}: {told:?}");
        let told = told.unwrap_err().to_string();
        assert!(told.contains(method) && told.contains(why), "{told}");
    }
}
