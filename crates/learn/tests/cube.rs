//! What tosses were made with is found from them; measured tosses are read whole.

// All of this file is a test.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use stiction::random::Random;
use stiction_learn::cube::{
    CubeEffort, CubeParameters, CubeSet, CubeSimulator, Named, Toss, fit, mean_cost, parameter,
};

/// Tosses of 50 frames that the engine makes.
fn made(truth: &CubeParameters, count: u32) -> Vec<Toss> {
    let mut random = Random::new(2);
    (0..count)
        .map(|id| {
            let mut frame =
                [0.0, 0.0, 0.13, random.normal(), random.normal(), random.normal(), random.normal()];
            let norm = frame[3..].iter().map(|q| q * q).sum::<f64>().sqrt();
            frame[3..].iter_mut().for_each(|q| *q /= norm);
            let mut turn = || 4.0 * random.signed();
            let velocity = [0.9, -0.4, -0.3, turn(), turn(), turn()];
            let mut toss = Toss { id, frames: vec![frame], velocity };
            toss.frames = CubeSimulator::default().simulate(truth, &toss, 50).unwrap();
            toss
        })
        .collect()
}

/// Friction, restitution and size come back within a few per cent from the numbers that come with the data.
#[test]
fn parameters_that_made_tosses_are_found() {
    let truth =
        CubeParameters { friction: 0.25, restitution: 0.3, half: 0.0515, ..CubeParameters::default() };
    let tosses = made(&truth, 6);
    let tosses: Vec<&Toss> = tosses.iter().collect();
    let effort = CubeEffort { simulator: CubeSimulator::default(), frames: 50, generations: 40, seed: 1 };
    let names: Vec<&Named> = ["friction", "restitution", "half"].map(|n| parameter(n).unwrap()).to_vec();
    let mut watch = |_: usize, _: usize| ControlFlow::Continue(());
    let found = fit(&CubeParameters::default(), &names, &tosses, &effort, &mut watch).unwrap();
    let (before, after) =
        (mean_cost(&CubeParameters::default(), &tosses, &effort), mean_cost(&found, &tosses, &effort));
    assert!(mean_cost(&truth, &tosses, &effort).unwrap() < 1e-6);
    assert!(after.clone().unwrap() < 0.1 * before.clone().unwrap(), "{before:?} {after:?}");
    assert!((found.friction - 0.25).abs() < 0.02 && (found.restitution - 0.3).abs() < 0.03, "{found:?}");
    assert!((found.half - 0.0515).abs() < 3e-4, "{found:?}");
    let mut stop = |_: usize, _: usize| ControlFlow::Break(());
    assert!(fit(&truth, &names, &tosses, &effort, &mut stop).is_err());
}

fn data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("STICTION_DATA").map_or(beside, PathBuf::from).join("cube_toss");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!(
        "\n*** NOT TESTED: no measured tosses at {}; STICTION_DATA says where they are ***\n",
        folder.display()
    );
    None
}

/// 370 tosses of 80 to 442 frames; those that were thrown are followed to the first contact within millimetres.
#[test]
fn measured_tosses_are_read_and_fly_as_simulated() {
    let Some(folder) = data() else { return };
    let set = CubeSet::read(&folder).unwrap();
    let lengths = set.tosses.iter().map(|t| t.frames.len());
    assert_eq!((set.tosses.len(), lengths.clone().min(), lengths.max()), (370, Some(80), Some(442)));
    let tosses: Vec<&Toss> = set.tosses.iter().take(40).collect();
    let effort = CubeEffort { simulator: CubeSimulator::default(), frames: 6, generations: 1, seed: 1 };
    let cost = mean_cost(&CubeParameters::default(), &tosses, &effort).unwrap();
    assert!(cost < 3e-3, "{cost}");
}
