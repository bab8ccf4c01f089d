//! The motion of a body under contact by pressure, for one of Drake's to be set beside it.
//!
//! Reads one JSON object from the standard input, as `xtask/verify/drake_pressure.py --motion` prints it: the world as SDF, the velocity
//! of its body at the start, the slip at which friction is full [m/s], times, and q of Drake at these. Prints the largest distance
//! of positions [m] and of orientations [rad] up to each time.
//!
//! `cargo xtask verify drake` runs it.

#![allow(clippy::print_stdout)] // a report

use serde_json::{Value, json};
use std::path::Path;
use stiction::dynamics::spatial::{Quat, vec3};
use stiction::models::{LoadOptions, load_str};
use stiction::{Settings, Simulation, State, StepperName};

fn numbers(of: &Value) -> Vec<f64> {
    of.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let case: Value = serde_json::from_reader(std::io::stdin())?;
    let text = case["world"].as_str().ok_or("no world")?;
    let world = load_str(text, Path::new("bounce.sdf"), Path::new(""), &LoadOptions::default())?;
    let mut state = State::neutral(&world.model);
    state.v.copy_from_slice(&numbers(&case["velocity"]));
    let mut settings = Settings::default();
    settings.stepper.method = StepperName::of("compliant")?;
    settings.stepper.dt = 0.005;
    settings.stepper.canon.compliant.slip_speed = case["slip"].as_f64().ok_or("no slip")?;
    settings.stepper.canon.compliant.relative_tolerance = 1e-7;
    let mut simulation = Simulation::new(world, state, settings)?;
    let (mut apart, mut turned, mut rows) = (0.0_f64, 0.0_f64, Vec::new());
    for (time, theirs) in
        numbers(&case["times"]).into_iter().zip(case["samples"].as_array().into_iter().flatten())
    {
        while simulation.state().t < time - 1e-9 {
            simulation.step();
        }
        let (ours, theirs) = (&simulation.state().q, numbers(theirs));
        let place = |q: &[f64]| vec3(q[0], q[1], q[2]);
        let turn = |q: &[f64]| Quat::new(q[3], q[4], q[5], q[6]);
        apart = apart.max((place(ours) - place(&theirs)).norm());
        turned = turned.max((turn(ours).conjugate() * turn(&theirs)).log().norm());
        rows.push(json!({ "time": time, "apart": apart, "turned": turned, "height": ours[2] }));
    }
    println!("{}", json!(rows));
    Ok(())
}
