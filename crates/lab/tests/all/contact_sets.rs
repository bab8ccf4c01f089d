//! Contact sets of the NMDP steppers as scenes name them: sand, patches, files of learned sets, and what is refused.

#![allow(clippy::unwrap_used)]

use std::f64::consts::{FRAC_1_SQRT_2, PI};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stiction::Simulation;
use stiction::dynamics::spatial::{Vec3, vec3};
use stiction::nmdp::SetKind;
use stiction::nmdp::sole::Sole;
use stiction::nmdp::wrench_set::cone::Ground;
use stiction::nmdp::wrench_set::granular::{Granular, GranularParams, stress};
use stiction::nmdp::wrench_set::learned::{Learned, LearnedParams, LearnedTable};
use stiction_lab::scene::Vector;
use stiction_lab::stepper_changes::StepperChanges;
use stiction_lab::{RunOptions, Runner, Scene};

const SAND: (Ground, Vec3) = (Ground { normal: Vec3::Z, offset: 0.0 }, Vec3::Z);

/// The lander at rest in the end, let fall upright: its height, and how far it went along x [m].
fn landed(mut scene: Scene, speed: f64) -> [f64; 2] {
    scene.model[0].velocity = Some(Vector([speed, 0.0, 0.0]));
    let mut setup = scene.build().unwrap();
    (setup.settings.stepper.dt, setup.duration) = (5e-4, 1.0);
    let summary = Runner::new(setup, RunOptions::default()).unwrap().run_quietly();
    assert_eq!(summary.failure, None);
    assert!(summary.end.v.iter().all(|v| v.abs() < 1e-6), "{:?}", summary.end.v);
    [summary.end.q[2], summary.end.q[0]]
}

/// A folder of this test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("stiction-contact-sets-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The sand of the scene, finer than it is stepped with.
fn learned(radius: f64) -> (LearnedTable, Granular) {
    let sand = GranularParams { rings: 12, ..GranularParams::default() };
    let teacher = Granular::new(SAND.0, &Sole::disc(radius, vec3(0.0, 0.0, -1.0)), &sand);
    let params = LearnedParams { radius, ..LearnedParams::default() };
    (LearnedTable::of_teacher(&teacher, SAND.0, SAND.1, &params).unwrap(), teacher)
}

/// Sand resists by k δ up to where its force has used up the fall, ½ k δ² = m g (H + δ), and then holds; the learned set of a
/// file that the scene names holds at the same depth, and stops what moves level as soon.
#[test]
fn a_lander_sinks_as_far_as_its_fall_takes_it() {
    let scene = Scene::builtin("sand").unwrap();
    let [_, [z, _]] = stress(0.0, 0.5 * PI);
    let (weight, fall) = (20.0 * 9.81, 0.05);
    let k = 4.0 * 5e5 * z * PI * 0.05 * 0.05;
    let depth = (weight + (weight * weight + 2.0 * k * weight * fall).sqrt()) / k;
    let [height, way] = landed(scene.clone(), 0.0);
    assert!((0.3 - height - depth).abs() < 0.02 * depth, "{} m, {depth} m", 0.3 - height);
    assert!(way.abs() < 1e-6, "{way} m");
    let [of_granular, far] = landed(scene.clone(), 0.5);
    assert!(far > 0.06 && far < 0.2, "{far} m");

    let folder = folder("sand");
    std::fs::write(folder.join("sole.json"), learned(0.05).0.to_json().unwrap()).unwrap();
    let mut other = scene;
    other.stepper.nmdp.learned = Some("sole.json".into());
    other.stepper.nmdp.sets.values_mut().for_each(|kind| *kind = SetKind::Learned);
    let text = other.to_toml().unwrap();
    let scene = Scene::from_toml(&text, &folder.join("learned.toml")).unwrap();
    let [height, way] = landed(scene, 0.5);
    std::fs::remove_dir_all(&folder).unwrap();
    assert!((height - of_granular).abs() < 0.02 * depth, "{height} m, {of_granular} m");
    assert!((way - far).abs() < 0.02 * far, "{way} m, {far} m");
}

/// A file holds what was learned to the last bit, and the set is as near to what it learned as it says.
#[test]
fn a_file_holds_what_was_learned() {
    let (table, teacher) = learned(0.05);
    let back = LearnedTable::from_json(&table.to_json().unwrap()).unwrap();
    assert_eq!(back, table);
    let student = Learned::new(Arc::new(back), SAND.0, SAND.1);
    let [error, largest] = table.error(&student, &teacher, SAND);
    assert!(error > 0.0 && error < 0.05 * largest, "{error} N of {largest} N");
}

/// Spinning on its face, a box with a patch slows by friction at its corners, μ m g times their distance from the centre:
/// that pressure brakes most.
#[test]
fn a_box_spins_down_on_its_patch() {
    let text = "[ground]\nfriction = 0.4\n[[body]]\nname = \"box\"\nshape = \"box\"\nsize = [0.2, 0.2, 0.04]\nmass = 2.0\n\
                position = [0, 0, 0.0199]\nangular_velocity = [0, 0, 3]\n[stepper]\nmethod = \"ne-nmdp-pgm\"\n\
                nmdp = { set = \"patch\", edges = 32 }\n";
    let mut setup = Scene::from_toml(text, Path::new("spin.toml")).unwrap().build().unwrap();
    // As deep as its weight presses it in, so that it does not hop.
    let sunk = 0.02 - (2.0 * 9.81 / setup.settings.stepper.nmdp.contact.stiffness).sqrt();
    setup.state.q[2] = sunk;
    let mut sim = Simulation::new(setup.world, setup.state, setup.settings).unwrap();
    while sim.state().t < 0.02 - 1e-9 {
        assert!(!sim.step().flagged());
    }
    let inertia = 2.0 * (0.2 * 0.2 + 0.2 * 0.2) / 12.0;
    let slowing = 0.4 * 2.0 * 9.81 * 0.2 * FRAC_1_SQRT_2 / inertia;
    let expected = 3.0 - 0.02 * slowing;
    let spin = sim.state().v[5];
    assert!((spin - expected).abs() < 0.03 * 0.02 * slowing, "{spin} {expected} rad/s");
}

/// Sets that cannot be are refused with what is wrong, where, and what there is.
#[test]
fn what_cannot_be_is_told() {
    let told = |words: &[&str]| {
        let mut setup = Scene::builtin("sand").unwrap().build().unwrap();
        setup.settings.stepper = StepperChanges::parse(words).unwrap().onto(&setup.settings.stepper);
        Simulation::new(setup.world, setup.state, setup.settings).map(|_| ()).unwrap_err().to_string()
    };
    let folder = folder("refused");
    let wide = folder.join("wide.json");
    std::fs::write(&wide, learned(0.06).0.to_json().unwrap()).unwrap();
    let broken = folder.join("broken.json");
    std::fs::write(&broken, "{\"format\": \"toast\"}").unwrap();
    let of = |file: &Path| format!("nmdp.learned={}", file.display());
    for (words, parts) in [
        (vec!["nmdp.sets.toe=granular".to_owned()], ["`toe`", "foot_fl, foot_fr"]),
        (vec!["nmdp.sets.foot_fl=patch".to_owned()], ["`foot_fl` is a cylinder", "`patch`; boxes have"]),
        (vec!["nmdp.sets.foot_fl=learned".to_owned()], ["names no file", "stiction learn sole"]),
        (vec!["nmdp.sets.foot_fl=learned".to_owned(), of(&wide)], ["disc of 0.05 m", "0.06 m"]),
        (
            vec!["nmdp.sets.foot_fl=learned".to_owned(), of(&broken)],
            ["broken.json", "no learned contact set"],
        ),
        (
            vec!["nmdp.sets.foot_fl=learned".to_owned(), "nmdp.learned=none.json".to_owned()],
            ["none.json", "No such"],
        ),
        (vec!["nmdp.granular.strength=-1".to_owned()], ["nmdp.granular.strength", "strength > 0"]),
        (vec!["nmdp.sole=[0, 0, 0]".to_owned()], ["nmdp.sole", "not zero"]),
    ] {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let told = told(&words);
        assert!(parts.iter().all(|part| told.contains(part)), "{words:?}: {told}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
