//! Public bug reports re-created: what people report of simulators and loaders, each as a small input with the right answer,
//! a closed form, the text of the format or MuJoCo 4.0.0 as the witness. The numbers of the tests are those of the inputs.
//!
//! The inputs lie in `reports` in the folder named by `STICTION_DATA`, or in `shared/data` beside the checkout; without
//! them nothing is tested, and the tests say so.

// A helper of a test may panic like the test itself.
#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::path::{Path, PathBuf};
use stiction::Simulation;
use stiction_lab::inspect::{Inspection, Posture, state_of};
use stiction_lab::{RunOptions, Runner, Summary};
use stiction_scene::spec::MeshKind;
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

fn tried(name: &str, options: &RobotOptions) -> Option<Result<Setup, SceneError>> {
    let path = file(name)?;
    Some(Scene::find(path.to_str().unwrap(), options).and_then(|scene| scene.build()))
}

fn built(name: &str, options: &RobotOptions) -> Option<Setup> {
    Some(tried(name, options)?.unwrap_or_else(|e| panic!("{name}: {e}")))
}

fn free() -> RobotOptions {
    RobotOptions { free_base: true, ..RobotOptions::default() }
}

/// A run of `seconds`, or of what the scene says, under another contact solver if one is named.
fn ran(name: &str, options: &RobotOptions, seconds: Option<f64>, contact: Option<&str>) -> Option<Summary> {
    let mut setup = built(name, options)?;
    let overrides =
        Overrides { duration: seconds, contact: contact.map(str::to_owned), ..Overrides::default() };
    overrides.apply(&mut setup);
    let summary = Runner::new(setup, RunOptions::default()).unwrap().run_quietly();
    assert_eq!(summary.failure, None, "{name}");
    Some(summary)
}

fn run(name: &str, seconds: f64) -> Option<Summary> {
    ran(name, &RobotOptions::default(), Some(seconds), None)
}

fn run_scene(name: &str) -> Option<Summary> {
    ran(name, &RobotOptions::default(), None, None)
}

/// Mass matrix and masses in the neutral posture.
fn inspected(name: &str) -> Option<Inspection> {
    let setup = built(name, &RobotOptions::default())?;
    Some(Inspection::new(&setup.world, &state_of(&setup.world, &Posture::Neutral).unwrap()).unwrap())
}

#[track_caller]
fn near(found: f64, right: f64, within: f64) {
    assert!((found - right).abs() <= within, "found {found}, right is {right} within {within}");
}

#[track_caller]
fn all_near(found: &[f64], right: &[f64], within: f64) {
    assert!(found.len() >= right.len(), "{found:?}");
    found.iter().zip(right).for_each(|(f, r)| near(*f, *r, within));
}

/// The notes of a file hold every one of these words.
#[track_caller]
fn told(name: &str, options: &RobotOptions, words: &[&str]) {
    let Some(setup) = built(name, options) else { return };
    let notes: Vec<String> = setup.notes().iter().map(ToString::to_string).collect();
    for word in words {
        assert!(notes.iter().any(|n| n.contains(word)), "{name}: no word of `{word}` in {notes:#?}");
    }
}

#[track_caller]
fn refused(name: &str, options: &RobotOptions, words: &[&str]) {
    let Some(done) = tried(name, options) else { return };
    let error = done.err().unwrap_or_else(|| panic!("{name} is not refused")).to_string();
    words.iter().for_each(|word| assert!(error.contains(word), "{name}: no `{word}` in: {error}"));
}

#[test]
fn reports_01_to_06_of_inertias_and_defaults() {
    let Some(turned) = inspected("01-inertial-rpy.urdf") else { return };
    near(turned.M[0][0], 0.5, 1e-12);
    let sparse = inspected("04-sparse-urdf.urdf").unwrap();
    near(sparse.M[0][0], 0.015, 1e-12);
    all_near(&sparse.com, &[0.0, 0.1, 0.2], 1e-12);
    let classes = inspected("06-explicit-class.xml").unwrap();
    near(classes.M[0][0], 0.21687, 1e-5);
    near(classes.M[1][1], 1.60431, 1e-5);
}

/// No friction along x and much along y: the sled slides along x only.
#[test]
fn reports_52_friction_has_a_direction() {
    let Some(s) = run("52-mecanum.sdf", 2.0) else { return };
    near(s.end.v[0], 1.5 * 2.0, 1e-3);
    near(s.end.q[0], 0.5 * 1.5 * 4.0, 5e-3);
    near(s.end.q[1], 0.0, 1e-3);
    assert!(s.notes.iter().all(|n| !n.message.contains("not simulated")), "{:?}", s.notes);
}

/// A mimic of a mimic: the coupling holds from the start, and energy is kept but for what its end of the run took.
#[test]
fn reports_03_mimic_chain() {
    let Some(s) = run("03-mimic-chain.urdf", 2.0) else { return };
    let q = &s.end.q;
    near(q[1], -0.5 * q[0] + 0.2, 1e-4);
    near(q[2], 2.0 * q[1] - 0.1, 1e-4);
    // It starts closed: b at 0.2 rad, c at 0.3 rad.
    near(s.energy.start, 9.81 * (1.6 - 0.03 * (0.2_f64.sin() + 0.3_f64.sin())), 1e-6);
    assert!(s.energy.end <= s.energy.start * (1.0 + 1e-3), "{:?}", s.energy);
}

#[test]
fn reports_05_start_outside_of_a_limit_is_told() {
    told("05-start-outside-limit.urdf", &RobotOptions::default(), &["outside of their ranges", "0.8000"]);
    let Some(s) = run("05-start-outside-limit.urdf", 2.0) else { return };
    // To the slop of overlaps, which are left alone.
    near(s.end.q[0], 0.8, 1.01e-5);
    near(s.end.v[0], 0.0, 1e-9);
}

#[test]
fn reports_08_unexpanded_macros_are_refused() {
    refused("08-xacro-left.urdf", &RobotOptions::default(), &["xacro", "08-xacro-left.urdf:"]);
    refused("08b-xacro-macro.urdf", &RobotOptions::default(), &["xacro"]);
}

#[test]
fn reports_09_and_10_of_equalities_about_the_reference() {
    let Some(curve) = run("09-polycoef-degrees.xml", 1.0) else { return };
    all_near(&curve.end.q, &[1.23615, 1.04191], 1e-3);
    let closed = run("10-connect-ref.xml", 1.0).unwrap();
    // Where steps of 1 to 0.05 ms lead, of first order and of second; MuJoCo's loops yield, and end at -0.4571.
    all_near(&closed.end.q, &[0.87199, -0.46574, 0.05575], 1e-3);
}

#[test]
fn reports_12_and_14_of_meshes_and_their_paths() {
    for name in ["12-mesh-mm.urdf", "12b-mesh-mirror.urdf", "14-path-space.urdf", "14c-package.urdf"] {
        let Some(s) = ran(name, &free(), Some(1.0), None) else { return };
        all_near(&s.end.q, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 1e-6);
    }
    let huge = ran("12c-mesh-mm-no-scale.urdf", &free(), Some(0.01), None).unwrap();
    assert!(huge.end.q.iter().all(|x| x.is_finite()));
    let text = std::fs::read_to_string(file("14b-path-encoded.urdf").unwrap()).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reports-14b");
    std::fs::create_dir_all(folder.join("with space")).unwrap();
    let mesh = file("meshes/ell_mm.stl").unwrap();
    std::fs::copy(mesh, folder.join("with space/ell_mm.stl")).unwrap();
    let there = folder.join("encoded.urdf");
    std::fs::write(&there, text.replace("/opt/models", folder.to_str().unwrap())).unwrap();
    let mut setup = Scene::find(there.to_str().unwrap(), &free()).unwrap().build().unwrap();
    Overrides { duration: Some(1.0), ..Overrides::default() }.apply(&mut setup);
    let s = Runner::new(setup, RunOptions::default()).unwrap().run_quietly();
    all_near(&s.end.q, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 1e-6);
    refused("14d-case.urdf", &free(), &["14d-case.urdf:"]);
    refused("14e-missing.urdf", &free(), &["14e-missing.urdf:"]);
}

#[test]
fn reports_15_of_mesh_inertias() {
    refused("15b-inside-out.xml", &RobotOptions::default(), &["\"m\"", "look outward"]);
    refused(
        "15d-inside-out-beside.xml",
        &RobotOptions::default(),
        &["\"m\"", "the stated mass would be lost"],
    );
    let Some(modes) = inspected("15-mesh-inertia.xml") else { return };
    let masses: Vec<f64> = modes.links.iter().map(|l| l.mass).filter(|m| *m > 0.0).collect();
    all_near(&masses, &[0.13194, 0.112, 0.176, 0.112], 1e-5);
}

/// Everything that is not simulated is told of each file, with its word.
#[test]
fn reports_16_to_25_of_what_is_not_simulated() {
    let plain = RobotOptions::default();
    let drives = ["intvelocity", "cylinder", "muscle", "damper", "position", "motor", "general"];
    told("16-actuators-unsupported.xml", &plain, &drives);
    told("17-adhesion.xml", &plain, &["not simulated: adhesion"]);
    told("18-conveyor.xml", &plain, &["not simulated: geom@surfacevel"]);
    told("20-mocap-key.xml", &plain, &["not simulated: body@mocap", "not simulated: key@mpos"]);
    told("21-actuator-delay.xml", &plain, &["not simulated: motor@delay"]);
    told("22-solref-bounce.xml", &plain, &["geom@solref", "exact law"]);
    told("24-fluid.xml", &plain, &["option@density", "option@viscosity", "option@wind"]);
    told("25-composite-cable.xml", &plain, &["not simulated: composite"]);
    let Some(cable) = built("25-composite-cable.xml", &plain) else { return };
    assert!(cable.check_content().is_err());
    told("56-plugins.sdf", &plain, &["Buoyancy", "VelocityControl", "JointPositionController"]);
    told("61-ros2-control.urdf", &plain, &["ros2_control"]);
    told("70-sensors.xml", &plain, &["sensors"]);
}

#[test]
fn reports_22_bounces_under_the_law_of_its_file() {
    let Some(s) = ran("22-solref-bounce.xml", &RobotOptions::default(), Some(1.0), Some("mujoco")) else {
        return;
    };
    near(s.end.q[2], 0.951, 0.01);
}

/// Under the exact law `--compliance file` makes of a surface that is too stiff for the step and undamped one that bounces:
/// the ball comes back to where it fell from, at any step.
#[test]
fn reports_22_bounces_under_the_exact_law_where_it_is_asked_for() {
    for dt in [2e-3, 1e-3, 2e-4] {
        let Some(mut setup) = built("22-solref-bounce.xml", &RobotOptions::default()) else { return };
        let overrides =
            Overrides { duration: Some(1.0), dt: Some(dt), compliance_of_file: true, ..Overrides::default() };
        overrides.apply(&mut setup);
        let s = Runner::new(setup, RunOptions::default()).unwrap().run_quietly();
        // It falls by 0.9 m, and again from the top.
        let fall = (2.0 * 0.9 / 9.81_f64).sqrt();
        near(s.end.q[2], 1.0 - 0.5 * 9.81 * (1.0 - 2.0 * fall).powi(2), 5e-3);
        assert!(s.notes.iter().any(|n| n.message.contains("restitution of their damping")), "{:?}", s.notes);
    }
}

#[test]
fn reports_23_margin_and_gap() {
    let Some(s) = run("23-margin-gap.xml", 1.0) else { return };
    for (body, right) in [0.1099, 0.1099, 0.0999, 0.3246].into_iter().enumerate() {
        // The fourth is the upper one of a stack, the last in the file.
        let z = if body == 3 { s.end.q[s.end.q.len() - 5] } else { s.end.q[7 * body + 2] };
        near(z, right, 5e-4);
    }
}

/// The initial state is the file's: a held capsule stays held, a thrown ball flies.
#[test]
fn reports_26_of_states_that_stay() {
    let Some(held) = run("26-pinched-capsule.xml", 5.0) else { return };
    near(held.end.q[4], 0.3, 1e-6);
    near(run("26b-pinched-capsule-floor.xml", 5.0).unwrap().end.q[4], 0.3, 1e-6);
    let thrown = run("26d-free-fall.xml", 2.0).unwrap();
    near(thrown.end.q[2], 5.0 + 20.0 - 0.5 * 9.81 * 4.0, 1e-9);
    assert!(thrown.notes.iter().any(|n| n.message.contains("--ground")), "{:?}", thrown.notes);
}

#[test]
fn reports_27_a_pressed_cube_does_not_creep() {
    let Some(s) = run_scene("27-wall-press.toml") else { return };
    near(s.end.q[2], 0.0, 1e-8);
}

#[test]
fn reports_29_a_ball_comes_back_to_its_height() {
    let Some(s) = run_scene("29-elastic-from-10m.toml") else { return };
    // The elastic ball of 1 kg keeps the energy of 10.05 m, the other has come to rest, within the slop.
    near(0.5 * s.end.v[2].powi(2) + 9.81 * s.end.q[2], 9.81 * 10.05, 1e-3);
    near(s.end.q[9], 0.05, 1e-5);
}

/// Flush shapes are one surface.
#[test]
fn reports_30_of_seams() {
    let Some(s) = run_scene("30-seams.toml") else { return };
    for (body, height) in [0.1, 0.05, 0.05].into_iter().enumerate() {
        near(s.end.v[6 * body], 3.0, 1e-6);
        near(s.end.q[7 * body + 2], height, 1e-6);
    }
    let tiles = run("30b-two-tiles.xml", 0.6).unwrap();
    (0..4).for_each(|body| near(tiles.end.v[6 * body], 3.0, 1e-6));
    let crate_on_tiles = run_scene("30d-crate-on-tiles.toml").unwrap();
    near(crate_on_tiles.end.q[0], 2.0 * 2.0 / (2.0 * 0.2 * 9.81), 2e-3);
}

#[test]
fn reports_32_of_height_fields() {
    let Some(s) = run("32-hfield-small.xml", 1.0) else { return };
    for (body, place) in
        [[0.1, 0.2, 0.02], [1.0, 1.0, 0.03], [-1.0, 1.0, 0.03], [20.1, 0.2, 0.02]].iter().enumerate()
    {
        all_near(&s.end.q[7 * body..], place, 1e-5);
    }
    assert!(s.end.v.iter().all(|v| v.abs() < 1e-6), "at rest");
}

#[test]
fn reports_35_to_37_of_wheels() {
    let Some(wheel) = run("35-wheel-patches.xml", 1.2) else { return };
    near(wheel.end.v[0], 2.0, 2e-3);
    near(wheel.end.q[2], 0.1, 1e-4);
    let parked = run("36-diffdrive.sdf", 5.0).unwrap();
    all_near(&parked.end.q, &[0.0, 0.0, 0.1], 1e-8);
    let turning = run("37-skid-steer.xml", 5.0).unwrap();
    all_near(&turning.end.q, &[0.0, 0.0], 1e-6);
    let spinning = run_scene("37b-spinning-box.toml").unwrap();
    all_near(&spinning.end.q, &[0.0, 0.0], 1e-9);
    near(spinning.end.q[7], 3.0 * 3.0 / (2.0 * 0.3 * 9.81), 3e-3);
}

#[test]
fn reports_39_of_tunnelling() {
    for name in ["39-tunnel.toml", "39b-tunnel-default.toml"] {
        let Some(s) = run_scene(name) else { return };
        assert!(s.end.q[0] < 1.0 && s.end.q[7] < 1.0, "{name}: {:?}", s.end.q);
    }
}

/// Steps a file to the end and shows every state.
fn watched(name: &str, seconds: f64, mut look: impl FnMut(&mut Simulation)) -> Option<()> {
    let mut setup = built(name, &RobotOptions::default())?;
    Overrides { duration: Some(seconds), ..Overrides::default() }.apply(&mut setup);
    let steps = (seconds / setup.settings.stepper.dt).round() as usize;
    let mut runner = Runner::new(setup, RunOptions::default()).unwrap();
    for _ in 0..steps {
        let report = runner.step();
        assert_eq!(report.failure(), None, "{name}");
        look(runner.simulation_mut());
    }
    Some(())
}

/// A long chain with a heavy end swings and never has more energy than it began with.
#[test]
fn reports_40_a_heavy_chain_gains_no_energy() {
    let mut most = f64::NEG_INFINITY;
    if watched("40-chain-heavy.xml", 2.0, |sim| most = most.max(sim.energy().total())).is_none() {
        return;
    }
    assert!(most <= 1973.77 + 0.005, "{most}");
}

/// A T-handle turns over every 1.6502 s, and keeps energy and angular momentum.
#[test]
fn reports_42_a_t_handle_turns_over() {
    let inertia = [0.001, 0.002, 0.0028];
    let (mut turned, mut before) = (Vec::new(), [0.0, 20.0]);
    let (mut energies, mut momenta) = (Vec::new(), Vec::new());
    let done = watched("42-t-handle.xml", 6.0, |sim| {
        let (t, w) = (sim.state().t, &sim.state().v[3..6]);
        if before[1] * w[1] < 0.0 {
            turned.push(before[0] + (t - before[0]) * before[1] / (before[1] - w[1]));
        }
        before = [t, w[1]];
        energies.push(w.iter().zip(inertia).map(|(w, i)| 0.5 * i * w * w).sum::<f64>());
        momenta.push(w.iter().zip(inertia).map(|(w, i)| (i * w).powi(2)).sum::<f64>().sqrt());
    });
    if done.is_none() {
        return;
    }
    assert!(turned.len() >= 3, "{turned:?}");
    turned.windows(2).for_each(|t| near(t[1] - t[0], 1.6502, 2e-3));
    for kept in [&energies, &momenta] {
        kept.iter().for_each(|x| near(x / kept[0], 1.0, 1e-10));
    }
}

/// A fast top goes round at 1.103 rad/s.
#[test]
fn reports_43_a_top_precesses() {
    let (mut angle, mut last) = (0.0, None);
    let done = watched("43-top.xml", 6.0, |sim| {
        let q = &sim.state().q;
        // The axis of the top, R z, from above.
        let [w, x, y, z] = [q[0], q[1], q[2], q[3]];
        let now = (2.0 * (y * z - w * x)).atan2(2.0 * (x * z + w * y));
        let step = now - last.unwrap_or(now);
        angle += (step + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
        last = Some(now);
    });
    if done.is_some() {
        near(angle / (6.0 - 1e-3), 1.103, 3e-3);
    }
}

/// A crank-rocker at more than 100 rad/s stays closed within a millimetre.
#[test]
fn reports_46_and_71_of_loops() {
    let (mut open, mut fastest) = (0.0_f64, 0.0_f64);
    let done = watched("46-fourbar-fast.xml", 3.0, |sim| {
        let (q, v) = (&sim.state().q, &sim.state().v);
        // Turned about y.
        let turned = |angle: f64, [x, z]: [f64; 2]| {
            let (s, c) = angle.sin_cos();
            [x * c + z * s, z * c - x * s]
        };
        let [crank, coupler] = [turned(q[0], [0.1, 0.0]), turned(q[0] + q[1], [0.3, 0.2])];
        let rocker = turned(q[2], [0.0, 0.3]);
        let gap = [crank[0] + coupler[0] - 0.4 - rocker[0], crank[1] + coupler[1] + 0.1 - rocker[1]];
        open = open.max(gap[0].hypot(gap[1]));
        fastest = fastest.max(v[0].abs());
    });
    if done.is_none() {
        return;
    }
    assert!(open < 1e-3 && fastest > 100.0, "open by {open} m, {fastest} rad/s");
    let resting = run("71-fourbar-loop.sdf", 3.0).unwrap();
    all_near(&resting.end.v, &[0.0, 0.0, 0.0], 1e-7);
}

#[test]
fn reports_47_a_bouncy_stack_rests() {
    let Some(s) = run_scene("47-bouncy-stack.toml") else { return };
    (0..10).for_each(|body| near(s.end.q[7 * body + 2], 0.05 + 0.1 * f64::from(body as u32), 1e-8));
    assert!(s.end.v.iter().all(|v| v.abs() < 1e-6), "{:?}", s.end.v);
}

#[test]
fn reports_51_and_59_of_masses() {
    let Some(auto) = inspected("51b-auto-inertia.sdf") else { return };
    let masses: Vec<f64> = auto.links.iter().map(|l| l.mass).filter(|m| *m > 0.0).collect();
    all_near(&masses, &[6.0, 6.0], 1e-9);
    near(inspected("59-no-inertial.urdf").unwrap().moving_mass, 1.2, 1e-12);
}

#[test]
fn reports_55_of_gears() {
    let Some(s) = run("55-gears.sdf", 2.0) else { return };
    let q = &s.end.q;
    near(q[1], -3.0 * q[0], 1e-3);
    near(q[2], -1.249, 1e-3);
    near(q[3], -2.0 * (q[0] - 0.1) + 0.3, 1e-3);
}

#[test]
fn reports_60_of_soft_contact() {
    let Some(s) = ran("60-bullet-contact.urdf", &free(), Some(3.0), None) else { return };
    near(s.end.q[2], 0.1 - 9.81e-3, 1e-6);
}

/// Balls on a slide, free, and at the end of an arm lie as deep as MuJoCo lays them.
#[test]
fn reports_63_of_the_law_of_mujoco() {
    let plain = RobotOptions::default();
    let Some(s) = ran("63-mujoco-law-slide.xml", &plain, Some(3.0), Some("mujoco")) else { return };
    near(-s.end.q[0], 3.671_818_43e-4, 1e-9);
    near(0.1 - s.end.q[3], 3.671_818_43e-4, 1e-9);
    near(s.end.q[8], 7.180e-4, 1e-7);
}

#[test]
fn reports_64_and_65_of_strange_numbers() {
    let Some(small) = run("64-units-mm.xml", 0.2) else { return };
    assert!(small.end.q.iter().all(|x| x.is_finite()));
    let huge = run("65-huge.xml", 0.1).unwrap();
    assert!(huge.end.q.iter().all(|x| x.is_finite()));
}

#[test]
fn reports_68_and_69_of_rolling_and_lying() {
    let Some(s) = run_scene("68-roll-out.toml") else { return };
    for (body, speed) in [2.5, 7.0 / 3.0, 0.5].into_iter().enumerate() {
        near(s.end.v[6 * body], speed, 1e-6);
    }
    let lying = run_scene("69-box-on-capsule.toml").unwrap();
    assert!(lying.end.v.iter().all(|v| v.abs() < 1e-6), "{:?}", lying.end.v);
}

/// A spinning ball stops after I w/(c m g) = 1.0194 s; a rolling one slows by c m g r/(I + m r²), a little less because its
/// friction also brakes it: both share one ellipsoid.
#[test]
fn reports_73_of_spinning_and_rolling_friction() {
    let (mut stopped, mut speeds) = (None, Vec::new());
    let done = watched("73-spin-roll.xml", 1.5, |sim| {
        let (t, v) = (sim.state().t, &sim.state().v);
        if v[5].abs() < 1e-9 && stopped.is_none() {
            stopped = Some(t);
        }
        speeds.push(v[6]);
    });
    if done.is_none() {
        return;
    }
    near(stopped.unwrap(), 1.0194, 1.5e-3);
    let braking = 0.35036 * (1.0 - (0.35036_f64 / 9.81).powi(2)).sqrt();
    near((speeds[99] - speeds[1499]) / 1.4, braking, 6e-4);
}

/// Keyframes of attached models come along under their prefixes.
#[test]
fn reports_74_of_keyframes_of_attached_models() {
    let Some(setup) = built("74b-attach-key.xml", &RobotOptions::default()) else { return };
    let names: Vec<&str> = setup.world.keyframes.iter().map(|k| k.name.as_str()).collect();
    assert_eq!(names, ["a_home", "b_home"]);
    all_near(&setup.world.keyframes[0].q, &[0.5, 0.35, 0.0, 0.0, 0.0], 1e-12);
    all_near(&setup.world.keyframes[1].q, &[0.0, 0.0, 0.5, 0.35, 0.0], 1e-12);
}

#[test]
fn reports_75_of_who_touches_whom() {
    let Some(s) = run("75-filters.xml", 1.0) else { return };
    for (body, z) in [-0.49, 0.1, 0.12, -4.705, 0.1].into_iter().enumerate() {
        near(s.end.q[7 * body + 2], z, 1e-3);
    }
}

#[test]
fn reports_77_an_open_weld_closes() {
    let Some(s) = run("77-open-weld.xml", 1.0) else { return };
    assert!(s.end.v.iter().all(|v| v.abs() < 1e-6), "{:?}", s.end.v);
    near(s.energy.end, 0.0, 1e-9);
}

#[test]
fn reports_78_what_starts_in_the_ground_is_pushed_out() {
    let Some(s) = run_scene("78-start-in-ground.toml") else { return };
    near(s.end.q[2], 0.1, 1e-4);
    assert!(s.end.v.iter().all(|v| v.abs() < 0.05), "{:?}", s.end.v);
}

#[test]
fn reports_79_what_sleeps_wakes() {
    let Some(s) = run_scene("79-wake.toml") else { return };
    near(s.end.q[9], 0.1, 1e-3);
    near(s.end.q[16], 0.3, 1e-3);
}

#[test]
fn reports_81_drives_straight() {
    let Some(s) = run("81-straight-drive.xml", 5.0) else { return };
    near(s.end.q[1], 0.0, 1e-6);
    near(s.end.v[0], 0.5, 1e-3);
}

/// Convex hull, convex parts or triangles, as the file says; where it says nothing of a mesh that moves, the hull, and a note.
#[test]
fn reports_82_of_bins() {
    let Some(s) = run("82-bin.sdf", 2.0) else { return };
    for (ball, z) in [0.07, 0.07, 0.35].into_iter().enumerate() {
        near(s.end.q[7 * ball + 2], z, 1e-4);
    }
    let free_bins = run("82c-bin-free.sdf", 2.0).unwrap();
    // As the file leaves it open, the mesh as it is; in convex parts; in its hull.
    near(free_bins.end.q[7 + 2], 0.07, 1e-4);
    near(free_bins.end.q[7 * 3 + 2], 0.07, 1e-4);
    near(free_bins.end.q[7 * 5 + 2], 0.35, 1e-4);
    let triangles = RobotOptions { meshes: MeshKind::Triangles, ..RobotOptions::default() };
    near(ran("82c-bin-free.sdf", &triangles, Some(2.0), None).unwrap().end.q[7 + 2], 0.07, 1e-4);
    told("82b-bin.urdf", &RobotOptions::default(), &["hollows are full"]);
    let hull = run_scene("82b-bin.toml").unwrap();
    near(hull.end.q[2], 0.35, 1e-4);
    assert!(hull.notes.iter().any(|n| n.message.contains("hollows are full")), "{:?}", hull.notes);
}

#[test]
fn reports_83_of_filter_groups() {
    let Some(s) = run("83-filter-groups.sdf", 1.0) else { return };
    near(s.end.q[0], 0.0, 1e-12);
    near(s.end.q[7], 0.15, 1e-12);
}

#[test]
fn reports_85_of_determinism() {
    let run = |threads: usize| {
        let mut setup = built("85-determinism.toml", &RobotOptions::default())?;
        let overrides = Overrides { threads: Some(threads), duration: Some(0.3), ..Overrides::default() };
        overrides.apply(&mut setup);
        Some(Runner::new(setup, RunOptions::default()).unwrap().run_quietly().end)
    };
    let Some(one) = run(1) else { return };
    assert_eq!(run(2).as_ref(), Some(&one));
    assert_eq!(run(1).as_ref(), Some(&one));
}
