//! Robots no one here wrote, from their files: two seconds each, no step flagged, every step judged.
//!
//! The files lie in the folder named by `STICTION_DATA`, or in `shared/data` beside the checkout.

use std::io::Write;
use std::path::{Path, PathBuf};
use stiction::Simulation;
use stiction::dynamics::{difference_into, integrate_into};
use stiction::random::Random;
use stiction_lab::{RunOptions, Runner};
use stiction_scene::{RobotOptions, Scene};

const ROBOTS: [&str; 7] = [
    "robots/solo12/solo12.urdf",
    "robots/a1_mjcf/a1.xml",
    "robots/anymal_c_mjcf/anymal_c.xml",
    "robots/panda_mjcf/panda.xml",
    "robots/allegro_hand/allegro_right.urdf",
    "robots/iiwa14/iiwa14.urdf",
    "mjcf/model/humanoid/humanoid.xml",
];

fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("STICTION_DATA").map_or(beside, PathBuf::from);
    if folder.join(ROBOTS[0]).is_file() {
        return Some(folder);
    }
    let message = format!("\n*** NOT TESTED: no robots in {}. Set STICTION_DATA. ***\n", folder.display());
    drop(std::io::stderr().write_all(message.as_bytes()));
    None
}

#[test]
fn robots_run_from_their_files_without_a_flagged_step() {
    let Some(folder) = folder() else { return };
    for robot in ROBOTS {
        let options = RobotOptions { free_base: robot.contains("solo12"), ..RobotOptions::default() };
        let mut scene = Scene::from_model_file(&folder.join(robot), &options).unwrap();
        scene.duration.0 = 2.0;
        let setup = scene.build().unwrap();
        let summary = Runner::new(setup, RunOptions::default()).unwrap().run_quietly();
        assert_eq!(summary.solver.not_converged, 0, "{robot}");
        assert!(summary.certificate.unwrap().natural_map <= 2e-8, "{robot}: {:?}", summary.certificate);
        assert!((1.99..2.01).contains(&(summary.dt * summary.steps as f64)), "{robot}");
    }
}

/// Solo-12, whose file says that all of it bounces, lands askew: steps with impacts have the derivatives that whole steps show.
#[test]
fn a_robot_that_lands_is_differentiated() {
    let Some(folder) = folder() else { return };
    let options = RobotOptions { free_base: true, ..RobotOptions::default() };
    let setup = Scene::from_model_file(&folder.join(ROBOTS[0]), &options).unwrap().build().unwrap();
    let mut settings = setup.settings;
    (settings.stepper.dt, settings.tolerance) = (1e-3, 1e-12);
    settings.stepper.landing_tolerance = 1e-13;
    let mut sim = Simulation::new(setup.world, setup.state, settings).unwrap();
    let world = sim.shared_world();
    let (model, nv) = (&world.model, world.model.nv());
    let mut dice = Random::new(1);
    let mut start = sim.state().clone();
    let askew: Vec<f64> = (0..nv).map(|_| 0.1 * dice.signed()).collect();
    integrate_into(model, &sim.state().q, &askew, 1.0, &mut start.q);
    start.q[2] += 0.02;
    sim.set_state(start).unwrap();
    let norm = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let mut compared = 0;
    for step in 0..424 {
        let start = sim.state().clone();
        let after = |sim: &mut Simulation, k: usize, x: f64| {
            let mut moved = start.clone();
            if k < nv {
                let mut e = vec![0.0; nv];
                e[k] = x;
                integrate_into(model, &start.q, &e, 1.0, &mut moved.q);
            } else {
                moved.v[k - nv] += x;
            }
            sim.set_state(moved).unwrap();
            let report = sim.step();
            (sim.state().clone(), (report.parts, report.contacts))
        };
        let (next, piece) = after(&mut sim, 0, 0.0);
        sim.set_state(start.clone()).unwrap();
        let found = if piece.0 > 1 { sim.linearize().ok().filter(|f| f.notes.is_empty()) } else { None };
        for k in (0..2 * nv).filter(|_| found.is_some()) {
            let mut column = |x: f64| -> Option<Vec<f64>> {
                let mut column = vec![0.0; 2 * nv];
                for (times, weight) in [(1.0, 8.0 / 12.0), (2.0, -1.0 / 12.0)] {
                    let [(ahead, one), (back, other)] =
                        [times * x, -times * x].map(|x| after(&mut sim, k, x));
                    if one != piece || other != piece {
                        return None;
                    }
                    let mut moved = vec![0.0; nv];
                    difference_into(model, &back.q, &ahead.q, 1.0, &mut moved);
                    for i in 0..nv {
                        column[i] += weight / x * moved[i];
                        column[nv + i] += weight / x * (ahead.v[i] - back.v[i]);
                    }
                }
                Some(column)
            };
            let (Some(far), Some(near)) = (column(4e-4), column(1e-4)) else { continue };
            let size = norm(&near, &vec![0.0; 2 * nv]).max(1.0);
            let Some(found) = found.as_ref().filter(|_| norm(&far, &near) < 1e-7 * size) else { continue };
            let ours: Vec<f64> = (0..2 * nv).map(|i| found.a[i * 2 * nv + k]).collect();
            let error = norm(&ours, &near);
            assert!(error < 1e-6 * size, "step {step}: column {k} is off by {error:.1e} of {size:.1e}");
            compared += 1;
        }
        sim.set_state(next).unwrap();
    }
    assert!(compared > 200, "{compared}");
}
