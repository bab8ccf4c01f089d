//! Solo-12 trots ahead on flat ground under the exact contact law, its torques found by model predictive control.
//!
//! Run it with `cargo run --release -p stiction-control --example walk -- 0.5 5` (velocity [m/s], time [s]).

use std::path::Path;
use stiction::models::{LoadOptions, load_str};
use stiction::{Settings, Simulation, State};
use stiction_control::{Command, Gait, Locomotion, LocomotionParams};

const SOLO12: &str = include_str!("../../lab/scenes/solo12.xml");

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1).map(|a| a.parse::<f64>());
    let speed = args.next().transpose()?.unwrap_or(0.5);
    let duration = args.next().transpose()?.unwrap_or(5.0);
    let world = load_str(SOLO12, Path::new("solo12.xml"), Path::new(""), &LoadOptions::default())?;
    let mut state = State::neutral(&world.model);
    state.q.copy_from_slice(&world.keyframes[0].q);
    let gait = match std::env::var("GAIT").as_deref() {
        Ok("walk") => Gait::WALK,
        Ok("stand") => Gait::STAND,
        _ => Gait::TROT,
    };
    let params = LocomotionParams { gait, ..LocomotionParams::default() };
    let feet = ["FL_foot", "FR_foot", "HL_foot", "HR_foot"];
    let mut control = Locomotion::new(&world.model, "trunk", feet, &state.q, params)?;
    let mut settings = Settings::default();
    settings.stepper.dt = 1e-3;
    let mut simulation = Simulation::new(world, state, settings)?;
    let start = std::time::Instant::now();
    let (mut flagged, mut controlling, mut worst) = (0, 0.0, 0.0_f64);
    while simulation.state().t < duration {
        let t = simulation.state().t;
        let ramp = (t / 0.5).min(1.0);
        let command = Command { velocity: [speed * ramp, 0.0], yaw_rate: 0.0, height: 0.24 };
        let state = simulation.state().clone();
        let begin = std::time::Instant::now();
        let torques = control.torques(t, (&state.q, &state.v), &command, &|_, _| 0.0)?;
        controlling += begin.elapsed().as_secs_f64();
        for (u, tau) in simulation.control_mut().iter_mut().zip(torques.iter().flatten()) {
            *u = *tau;
        }
        let report = simulation.step();
        flagged += u64::from(report.flagged());
        worst = worst.max(simulation.certificate().natural_map);
        let k = (simulation.state().t * 1e3).round() as u64;
        if k % 100 == 0 {
            let s = simulation.state();
            let q = &s.q;
            let pitch = (2.0 * (q[3] * q[5] - q[6] * q[4])).asin();
            let roll = (2.0 * (q[3] * q[4] + q[5] * q[6])).atan2(1.0 - 2.0 * (q[4] * q[4] + q[5] * q[5]));
            let yaw = (2.0 * (q[3] * q[6] + q[4] * q[5])).atan2(1.0 - 2.0 * (q[5] * q[5] + q[6] * q[6]));
            println!(
                "t {:.2} x {:.3} y {:.3} z {:.3} rpy {:.3} {:.3} {:.3} v {:.2} {:.2} {:.2} fl {:?} it {} flagged {flagged}",
                s.t, q[0], q[1], q[2], roll, pitch, yaw, s.v[0], s.v[1], s.v[2],
                torques_text(control.plan().forces[0]), control.plan().iterations
            );
            if q[2] < 0.08 { break; }
        }
    }
    println!("total {:.2} s, control {:.2} s, worst {worst:.1e}", start.elapsed().as_secs_f64(), controlling);
    Ok(())
}

fn torques_text(f: [stiction::dynamics::spatial::Vec3; 4]) -> Vec<String> {
    f.iter().map(|f| format!("{:.1}", f.z)).collect()
}
