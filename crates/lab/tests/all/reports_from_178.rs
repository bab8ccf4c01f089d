//! Public reports 178 to 237 of simulators and loaders, re-created in `../shared/data/reports`: words at wrong places, words
//! that would change a motion, and pairs that never touch.

// Helpers of tests may panic like the tests.
#![allow(clippy::unwrap_used)]

use crate::reports_from_102::{ends, refused, told};

/// Words that the format has elsewhere are told with the place.
#[test]
fn reports_186_of_words_at_wrong_places() {
    let no_meaning = |word: &str, around: &str| format!("`{word}` has no meaning in <{around}>");
    let of_sdf = [("lower", "axis"), ("upper", "axis"), ("dynamics", "joint"), ("mass", "link")];
    let said = of_sdf.map(|(word, around)| no_meaning(word, around));
    told("186-misplaced.sdf", &said.each_ref().map(String::as_str));
    let of_urdf = [("mass", "link"), ("origin", "geometry"), ("limit", "axis"), ("dynamics", "axis")];
    let said = of_urdf.map(|(word, around)| no_meaning(word, around));
    told("186b-misplaced.urdf", &said.each_ref().map(String::as_str));
    refused("187-child-world.sdf", "parent only");
}

#[test]
fn reports_189_and_234_of_words_that_do_not_act() {
    told("189-second-axis.sdf", &["not-simulated", "a ball joint turns about every axis"]);
    told("234-polynomials.xml", &["joint@damping", "joint@stiffness", "higher ones are left out"]);
}

/// A floor that is fixed to the base, a pillar that holds a slide, and excludes of links that are fixed to others.
#[test]
fn reports_193_of_pairs_that_never_touch() {
    ends("193-fixed-floor.urdf", 2.0, &[(0, -0.3), (3, 0.15)], 1e-3);
    ends("193b-exclude-fused.xml", 2.0, &[(2, 0.15), (9, 0.15)], 1e-3);
}

/// In a scene, gravity is that of the scene.
#[test]
fn reports_220_of_gravity_in_scenes() {
    for name in ["220-scene-gravity.toml", "220b-scene-gravity.toml"] {
        told(name, &["gravity 0 0 -1.62 m/s²", "does not count in a scene"]);
    }
    ends("220-moon.xml", 1.0, &[(2, 4.19)], 1e-6);
}

/// MuJoCo steps by its own rule of first order.
#[test]
fn reports_235_of_inertia_in_frames() {
    ends("235-inertial-in-frame.xml", 0.4, &[(0, 2.4327)], 3e-3);
}
