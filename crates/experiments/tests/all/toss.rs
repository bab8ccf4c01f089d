//! What tosses were made with is found from them; measured tosses are read whole.

// All of this file is a test.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use stiction::random::Random;
use stiction_experiments::replications::toss::{
    Cube, Elbow, Named, Toss, TossEffort, TossScene, TossSet, TossSimulator, fit, mean_cost, parameter,
};

/// Tosses of 50 frames that the engine makes.
fn made<S: TossScene>(truth: &S, count: u32) -> Vec<Toss> {
    let mut random = Random::new(2);
    let built = truth.build().unwrap();
    (0..count)
        .map(|id| {
            let mut frame =
                vec![0.0, 0.0, 0.16, random.normal(), random.normal(), random.normal(), random.normal()];
            let norm = frame[3..].iter().map(|q| q * q).sum::<f64>().sqrt();
            frame[3..].iter_mut().for_each(|q| *q /= norm);
            frame.extend(S::ANGLES.iter().map(|_| random.signed()));
            let mut turn = || 4.0 * random.signed();
            let mut velocity = vec![0.9, -0.4, -0.3, turn(), turn(), turn()];
            velocity.extend(S::RATES.iter().map(|_| turn()));
            let mut toss = Toss { id, frames: vec![frame], velocity };
            toss.frames = TossSimulator::default().simulate(truth, &built, &toss, 50).unwrap();
            toss
        })
        .collect()
}

/// Searches `names` in tosses made with `truth`: the cost falls to a tenth; what was found.
fn found<S: TossScene>(truth: &S, names: &[&str], generations: usize) -> S {
    let tosses = made(truth, 6);
    let tosses: Vec<&Toss> = tosses.iter().collect();
    let effort = TossEffort { simulator: TossSimulator::default(), frames: 50, generations, seed: 1 };
    let names: Vec<&Named<S>> = names.iter().map(|n| parameter(n).unwrap()).collect();
    let mut watch = |_: usize, _: usize| ControlFlow::Continue(());
    let found = fit(&S::default(), &names, &tosses, &effort, &mut watch).unwrap();
    let cost = |s: &S| mean_cost(s, &tosses, &effort).unwrap();
    assert!(cost(truth) < 1e-6);
    assert!(cost(&found) < 0.1 * cost(&S::default()), "{} {}", cost(&S::default()), cost(&found));
    let mut stop = |_: usize, _: usize| ControlFlow::Break(());
    assert!(fit(truth, &names, &tosses, &effort, &mut stop).is_err());
    found
}

/// Friction, restitution and size come back within a few per cent from the numbers that come with the data.
#[test]
fn parameters_that_made_tosses_are_found() {
    let truth = Cube { friction: 0.25, restitution: 0.3, half: 0.0515, ..Cube::default() };
    let found = found(&truth, &["friction", "restitution", "half"], 40);
    assert!((found.friction - 0.25).abs() < 0.02 && (found.restitution - 0.3).abs() < 0.03, "{found:?}");
    assert!((found.half - 0.0515).abs() < 3e-4, "{found:?}");
}

/// Friction, width and friction of the hinge of two boxes come back, from the numbers of their robot file.
#[test]
fn parameters_that_made_tosses_of_two_bodies_are_found() {
    let truth = Elbow { friction: 0.2, half_width: 0.024, hinge_friction: 0.006, ..Elbow::default() };
    let found = found(&truth, &["friction", "half_width", "hinge_friction"], 40);
    assert!((found.friction - 0.2).abs() < 0.02 && (found.half_width - 0.024).abs() < 3e-4, "{found:?}");
    assert!((found.hinge_friction - 0.006).abs() < 1e-3, "{found:?}");
}

/// Where the second box is drawn from is where the engine has it.
#[test]
fn the_second_box_is_where_the_engine_has_it() {
    let (world, mut state) = Elbow::default().build().unwrap();
    state.q.copy_from_slice(&[0.1, -0.2, 0.3, 0.5, -0.5, 0.7, 0.1, 0.8]);
    let norm = state.q[3..7].iter().map(|q| q * q).sum::<f64>().sqrt();
    state.q[3..7].iter_mut().for_each(|q| *q /= norm);
    let mut simulation =
        stiction::Simulation::new(world, state.clone(), stiction::Settings::default()).unwrap();
    let poses = Elbow::poses(&state.q);
    let place = simulation.kinematics().X_WB[1];
    let centre = place.transform(stiction::dynamics::spatial::vec3(0.035, 0.0, 0.0));
    for (a, b) in [centre.x, centre.y, centre.z].iter().zip(&poses[1][..3]) {
        assert!((a - b).abs() < 1e-14, "{centre:?} {:?}", poses[1]);
    }
}

fn data(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("STICTION_DATA").map_or(beside, PathBuf::from).join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!(
        "\n*** NOT TESTED: no measured tosses at {}; STICTION_DATA says where they are ***\n",
        folder.display()
    );
    None
}

/// Reads all tosses of `S`; those that were thrown are followed over six frames, mostly before the first contact, within millimetres.
fn read<S: TossScene>(folder: &Path, most: f64) -> TossSet {
    let set = TossSet::read::<S>(folder).unwrap();
    let tosses: Vec<&Toss> = set.tosses.iter().take(40).collect();
    let effort = TossEffort { simulator: TossSimulator::default(), frames: 6, generations: 1, seed: 1 };
    let cost = mean_cost(&S::default(), &tosses, &effort).unwrap();
    assert!(cost < most, "{cost}");
    set
}

/// 370 tosses of a cube of 80 to 442 frames, and 360 of two boxes of 121.
#[test]
fn measured_tosses_are_read_and_fly_as_simulated() {
    let counts = |set: &TossSet| {
        let lengths = set.tosses.iter().map(|t| t.frames.len());
        (set.tosses.len(), lengths.clone().min(), lengths.max())
    };
    if let Some(folder) = data("cube_toss") {
        assert_eq!(counts(&read::<Cube>(&folder, 3e-3)), (370, Some(80), Some(442)));
    }
    if let Some(folder) = data("elbow_toss") {
        assert_eq!(counts(&read::<Elbow>(&folder, 4e-3)), (360, Some(121), Some(121)));
    }
}
