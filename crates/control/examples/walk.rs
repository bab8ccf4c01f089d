use std::path::Path;
use std::sync::Arc;
use stiction::collision::{HeightField, Shape};
use stiction::models::{LoadOptions, load_str};
use stiction::{Settings, Simulation, State};
use stiction_control::{Command, Gait, Locomotion, LocomotionParams};

const SOLO12: &str = include_str!("../../lab/scenes/solo12.xml");

fn env(name: &str, other: f64) -> f64 {
    std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(other)
}

fn bumps(x: f64, y: f64) -> f64 {
    (30.0 * x).sin() / 5.0 + (30.0 * y * y).cos() / 20.0 + (50.0 * x * y).sin() / 10.0
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (speed, duration, amplitude, mu, y0, verbose) =
        (env("V", 0.5), env("T", 5.0), env("A", 0.0), env("MU", 0.9), env("Y", 0.0), env("VERBOSE", 1.0));
    let contact = std::env::var("CONTACT").unwrap_or("auto".to_owned());
    let mut world = load_str(SOLO12, Path::new("solo12.xml"), Path::new(""), &LoadOptions::default())?;
    for g in &mut world.geometries {
        g.material.friction = mu;
        if g.link.is_none() && amplitude > 0.0 {
            let (rows, cols) = (501, 501);
            let at = |k: usize| -5.0 + 0.02 * k as f64;
            let heights = (0..rows * cols).map(|k| amplitude * bumps(at(k % cols), at(k / cols))).collect();
            g.shape = Shape::HeightField(Arc::new(HeightField::new(rows, cols, [10.0, 10.0], heights, 0.1)?));
        }
    }
    let field = world.geometries.iter().find_map(|g| match &g.shape { Shape::HeightField(f) => Some(f.clone()), _ => None });
    let ground = move |x: f64, y: f64| match &field {
        None => 0.0,
        Some(_) => {
            let (u, w) = ((x + 5.0) / 0.02, (y + 5.0) / 0.02);
            let (i, j) = (u.floor(), w.floor());
            let at = |i: f64, j: f64| amplitude * bumps(-5.0 + 0.02 * i, -5.0 + 0.02 * j);
            let (a, b) = (u - i, w - j);
            (at(i, j) * (1.0 - a) + at(i + 1.0, j) * a) * (1.0 - b) + (at(i, j + 1.0) * (1.0 - a) + at(i + 1.0, j + 1.0) * a) * b
        }
    };
    let mut state = State::neutral(&world.model);
    state.q.copy_from_slice(&world.keyframes[0].q);
    let home = state.q.clone();
    state.q[0] = env("X", 0.0);
    state.q[1] = y0;
    state.q[2] += 0.35 * amplitude * env("LIFT", 0.6);
    let gait = match std::env::var("GAIT").as_deref() {
        Ok("walk") => Gait::WALK,
        Ok("stand") => Gait::STAND,
        _ => Gait::TROT,
    };
    let base = LocomotionParams::default();
    let params = LocomotionParams {
        gait,
        friction: env("CMU", base.friction),
        step_height: env("SH", base.step_height),
        raibert_gain: env("RG", base.raibert_gain),
        leash: env("LEASH", base.leash),
        mpc_period: env("MP", base.mpc_period),
        stance_gains: [env("SK", base.stance_gains[0]), env("SD", base.stance_gains[1])],
        swing_gains: [env("WK", base.swing_gains[0]), env("WD", base.swing_gains[1])],
        ..base
    };
    let feet = ["FL_foot", "FR_foot", "HL_foot", "HR_foot"];
    let mut control = Locomotion::new(&world.model, "trunk", feet, &home, params)?;
    let mut settings = Settings::default();
    settings.set_contact(&contact);
    settings.stepper.dt = 1e-3;
    let mut simulation = Simulation::new(world, state, settings)?;
    let start = std::time::Instant::now();
    let (mut flagged, mut controlling, mut worst, mut square) = (0, 0.0, 0.0_f64, 0.0);
    while simulation.state().t < duration {
        let t = simulation.state().t;
        let ramp = ((t - 0.3) / 0.5).clamp(0.0, 1.0);
        let command = Command { velocity: [speed * ramp, 0.0], yaw_rate: 0.0, height: 0.24 };
        let state = simulation.state().clone();
        let begin = std::time::Instant::now();
        let torques = control.torques(t, (&state.q, &state.v), &command, &ground)?;
        controlling += begin.elapsed().as_secs_f64();
        for (u, tau) in simulation.control_mut().iter_mut().zip(torques.iter().flatten()) {
            *u = *tau;
        }
        let report = simulation.step();
        flagged += u64::from(report.flagged());
        worst = worst.max(simulation.certificate().natural_map);
        let k = (simulation.state().t * 1e3).round() as u64;
        let s = simulation.state();
        let q = &s.q;
        let up = 1.0 - 2.0 * (q[4] * q[4] + q[5] * q[5]);
        square += (s.v[0] - speed).powi(2);
        if k % 100 == 0 && verbose > 0.0 {
            let pitch = (2.0 * (q[3] * q[5] - q[6] * q[4])).asin();
            let roll = (2.0 * (q[3] * q[4] + q[5] * q[6])).atan2(1.0 - 2.0 * (q[4] * q[4] + q[5] * q[5]));
            let yaw = (2.0 * (q[3] * q[6] + q[4] * q[5])).atan2(1.0 - 2.0 * (q[5] * q[5] + q[6] * q[6]));
            println!(
                "t {:.2} x {:.3} y {:.3} z {:.3} rpy {:.3} {:.3} {:.3} v {:.2} {:.2} {:.2} it {} flagged {flagged}",
                s.t, q[0], q[1], q[2], roll, pitch, yaw, s.v[0], s.v[1], s.v[2],
                control.plan().iterations
            );
        }
        if q[2] - ground(q[0], q[1]) < 0.1 || up < 0.5 { println!("fell"); break; }
    }
    let s = simulation.state();
    println!("t {:.2} x {:.2} y {:.2} wall {:.2} s, control {:.2} s, worst {worst:.1e} flagged {flagged} rms v error {:.3}", s.t, s.q[0], s.q[1], start.elapsed().as_secs_f64(), controlling, (square / (s.t * 1e3)).sqrt());
    Ok(())
}
