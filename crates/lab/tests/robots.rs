//! Robots no one here wrote, from their files: two seconds each, no step flagged, every step judged.
//!
//! The files lie in the folder named by `STICTION_DATA`, or in `shared/data` beside the checkout.

use std::io::Write;
use std::path::{Path, PathBuf};
use stiction_lab::{RobotOptions, RunOptions, Runner, Scene};

const ROBOTS: [&str; 7] = [
    "robots/solo12/solo12.urdf",
    "robots/a1_mjcf/a1.xml",
    "robots/anymal_c_mjcf/anymal_c.xml",
    "robots/panda_mjcf/panda.xml",
    "robots/allegro_hand/allegro_right.urdf",
    "robots/iiwa14/iiwa14.urdf",
    "mjcf/model/humanoid/humanoid.xml",
];

#[test]
fn robots_run_from_their_files_without_a_flagged_step() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("STICTION_DATA").map_or(beside, PathBuf::from);
    if !folder.join(ROBOTS[0]).is_file() {
        let message =
            format!("\n*** NOT TESTED: no robots in {}. Set STICTION_DATA. ***\n", folder.display());
        std::io::stderr().write_all(message.as_bytes()).unwrap();
        return;
    }
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
