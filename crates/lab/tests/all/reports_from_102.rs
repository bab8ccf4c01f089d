//! Public reports 102 to 177 of simulators and loaders, re-created in `../shared/data/reports`: what each input does is right, by a
//! closed form or by MuJoCo (the README there says which), or is told.

// Helpers of tests may panic like the tests.
#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::path::{Path, PathBuf};
use stiction_lab::{RunOptions, Runner};
use stiction_scene::{Overrides, RobotOptions, Scene, SceneError, Setup};

/// The input called `name`; `None`, loudly, when it is not there.
fn file(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("STICTION_DATA").map_or(beside, PathBuf::from);
    let path = folder.join("reports").join(name);
    if !path.is_file() {
        let message = format!("\n*** NOT TESTED: {} is not there. Set STICTION_DATA. ***\n", path.display());
        std::io::stderr().write_all(message.as_bytes()).unwrap();
        return None;
    }
    Some(path)
}

fn tried(name: &str) -> Option<Result<Setup, SceneError>> {
    let path = file(name)?;
    Some(Scene::find(path.to_str().unwrap(), &RobotOptions::default()).and_then(|scene| scene.build()))
}

/// Coordinates after so many seconds.
fn q_after(name: &str, seconds: f64) -> Option<Vec<f64>> {
    let mut setup = tried(name)?.unwrap_or_else(|e| panic!("{name}: {e}"));
    Overrides { duration: Some(seconds), ..Overrides::default() }.apply(&mut setup);
    let summary = Runner::new(setup, RunOptions::default()).unwrap().run_quietly();
    assert_eq!(summary.failure, None, "{name}");
    Some(summary.end.q)
}

/// Coordinates, each at its place, after so many seconds.
#[track_caller]
pub(crate) fn ends(name: &str, seconds: f64, right: &[(usize, f64)], within: f64) {
    let Some(q) = q_after(name, seconds) else { return };
    for (i, x) in right {
        assert!((q[*i] - x).abs() <= within, "{name}: q[{i}] is {}, right is {x} within {within}", q[*i]);
    }
}

#[track_caller]
pub(crate) fn told(name: &str, words: &[&str]) {
    let Some(setup) = tried(name) else { return };
    let setup = setup.unwrap_or_else(|e| panic!("{name}: {e}"));
    let json = serde_json::to_string(&setup.notes()).unwrap();
    words.iter().for_each(|word| assert!(json.contains(word), "{name}: no word of `{word}` in {json}"));
}

#[track_caller]
pub(crate) fn refused(name: &str, word: &str) {
    let Some(done) = tried(name) else { return };
    let error = done.err().unwrap_or_else(|| panic!("{name} is not refused")).to_string();
    assert!(error.contains(word), "{name}: no `{word}` in: {error}");
}

#[test]
fn reports_107_and_108_of_actuators() {
    ends("107-actuators.xml", 2.0, &[(0, 0.5002), (1, 0.3001), (2, 0.2), (3, 0.8399), (4, 0.4)], 1e-3);
    ends("108-stiff-servo.xml", 2.0, &[(0, 0.5), (2, 0.5), (3, 0.5)], 1e-3);
}

#[test]
fn reports_113_to_119_of_files() {
    refused("113-global.xml", "coordinate");
    refused("116b-same-joint-twice.urdf", "joint");
    refused("116c-two-parents.urdf", "parent");
    refused("119-negative-inertia.urdf", "inertia");
    ends("117-mimic-limits.urdf", 1.0, &[(0, 0.5), (1, -0.5)], 1e-3);
}

#[test]
fn reports_114_of_welds_between_sites() {
    let turned = std::f64::consts::FRAC_1_SQRT_2;
    ends(
        "114-weld-sites.xml",
        4.0,
        &[(0, 0.0), (1, -0.1), (2, 2.0), (3, turned), (6, turned), (7, 1.0)],
        1e-3,
    );
}

/// Speeds that joints may exceed, and outlines that touch by their hull.
#[test]
fn reports_120_125_and_172_of_words_that_do_not_act() {
    told("120-velocity-limit.urdf", &["not-simulated", "limit@velocity", "nothing keeps a joint below it"]);
    told("172-sdf-velocity-limit.sdf", &["not-simulated", "limit/velocity"]);
    told("125c-polyline-L.sdf", &["not-simulated", "polyline", "convex hull"]);
    told("149-flag.xml", &["not-simulated", "flexcomp"]);
}

#[test]
fn reports_122_to_124_of_joints() {
    ends("122-screw.sdf", 1.0, &[(0, -15.441), (1, -15.441)], 1e-3);
    ends("124-joints-between-frames.sdf", 1.0, &[(0, 2.98821)], 1e-4);
}

#[test]
fn reports_126_and_127_of_height_maps() {
    ends("126-heightmap.sdf", 1.0, &[(2, 1.6), (9, 0.6), (16, 0.6)], 1e-4);
    for name in ["126b-heightmap-corner.sdf", "127-hfield-corner.xml"] {
        ends(name, 1.0, &[(2, 1.1), (9, 0.1), (16, 0.1)], 1e-4);
    }
}

#[test]
fn reports_129_to_134_of_contact() {
    // v²/(2 μ g) by the friction along each axis, less half a step of sliding.
    ends("129-grooves.xml", 1.0, &[(0, 0.0637), (8, 1.2548)], 6e-4);
    ends("131-peg-over-cube.xml", 3.0, &[(2, 0.06), (9, 0.06), (16, 0.01)], 1e-4);
}

#[test]
fn reports_138_of_sliding_and_turning() {
    ends("138-three-ball-sled.xml", 3.0, &[(0, 0.382_26), (7, 0.447_83), (14, 1.015_91)], 2e-3);
}

#[test]
fn reports_142_and_173_of_launches_and_self_collision() {
    ends("142-launched-box.toml", 3.0, &[(0, 3.669_72)], 0.016);
    ends("173-self-collide-true.sdf", 1.0, &[(1, -0.8)], 1e-3);
    ends("173-self-collide-false.sdf", 1.0, &[(1, -4.9)], 1e-2);
    ends("173-self-collide.urdf", 1.0, &[(1, -0.8)], 1e-3);
}
