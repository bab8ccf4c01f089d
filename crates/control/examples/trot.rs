//! Solo-12 trots ahead, under the exact contact law, its torques found by model predictive control; then it turns.
//!
//! In every step the controller is handed time, q, v, a command, and heights of the ground; it answers with twelve torques.
//! A robot of one's own takes the place of Solo-12: its trunk on a free joint, legs of three hinges, a link at each foot.
//!
//! Run it with `cargo run --release -p stiction-control --example trot`.

use std::path::Path;
use stiction::models::{LoadOptions, load_str};
use stiction::{Settings, Simulation, State};
use stiction_control::{Command, Gait, Locomotion, LocomotionParams};

const SOLO12: &str = include_str!("../../scene/scenes/solo12.xml");
/// Commanded speed [m/s], then rate of turning [rad/s].
const SPEED: f64 = 0.5;
const YAW_RATE: f64 = 0.6;
/// When it turns, and when it ends [s].
const TURNS: f64 = 4.0;
const ENDS: f64 = 6.0;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let world = load_str(SOLO12, Path::new("solo12.xml"), Path::new(""), &LoadOptions::default())?;
    let mut state = State::neutral(&world.model);
    let home = world.keyframes.first().ok_or("the file has a key: home")?;
    state.q.copy_from_slice(&home.q);

    let params = LocomotionParams { gait: Gait::TROT, ..LocomotionParams::default() };
    let feet = ["FL_foot", "FR_foot", "HL_foot", "HR_foot"];
    let mut control = Locomotion::new(&world.model, "trunk", feet, &home.q, params)?;
    let mut simulation = Simulation::new(world, state, Settings::default())?;

    let (mut flagged, mut way) = (0, 0.0);
    while simulation.state().t < ENDS {
        let state = simulation.state().clone();
        let turns = state.t >= TURNS;
        if !turns {
            way = state.q[0];
        }
        let yaw_rate = if turns { YAW_RATE } else { 0.0 };
        let velocity = [if turns { 0.2 } else { SPEED }, 0.0];
        let command = Command { velocity, yaw_rate, height: 0.24 };
        let torques = control.torques(state.t, (&state.q, &state.v), &command, &|_, _| 0.0)?;
        for (control, torque) in simulation.control_mut().iter_mut().zip(torques.iter().flatten()) {
            *control = *torque;
        }
        flagged += usize::from(simulation.step().flagged());
    }
    let q = &simulation.state().q;
    let yaw = 2.0 * q[6].atan2(q[3]);
    assert_eq!(flagged, 0, "every step is certified");
    assert!((way - SPEED * TURNS).abs() < 0.2, "{way} m ahead");
    assert!((yaw - YAW_RATE * (ENDS - TURNS)).abs() < 0.2, "{yaw} rad turned");
    #[expect(clippy::print_stdout, reason = "what this program is for")]
    {
        println!("{way:.2} m ahead in {TURNS} s, then {yaw:.2} rad to the left in {} s", ENDS - TURNS);
        println!("height of the trunk {:.3} m, flagged steps {flagged}", q[2]);
    }
    Ok(())
}
