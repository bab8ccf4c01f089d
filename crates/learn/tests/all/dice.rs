//! Identification finds the parameters that drops were made with; on measured drops our simulator is nearer than PyBullet's.

// All of this file is a test.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use stiction::random::Random;
use stiction_learn::data::Trajectory;
use stiction_learn::dice::{
    DiceParameters, DiceSet, DropModel, GYRATION, Isolation, fit_scene, isolate, observed, parameter,
    posterior, scene_errors,
};
use stiction_learn::identify::{Proposal, Sampling};
use stiction_learn::planar::{PlanarState, PlanarStepper};
use stiction_learn::score::{mean_and_spread, rmse};

/// Drops of 0.4 s that the scene makes.
fn simulated(parameters: &DiceParameters, count: u32) -> Vec<Trajectory> {
    let world = parameters.world();
    let mut random = Random::new(8);
    (0..count)
        .map(|id| {
            let q = [-0.3, 0.15, 3.0 * random.signed()];
            let velocity = [-0.6 + 0.2 * random.signed(), -2.0, 6.0 * random.signed()];
            let mut frames = vec![[0.0; 3]; 100];
            PlanarStepper::new(&world).track(PlanarState { q, v: velocity }, 0.004, None, &mut frames);
            Trajectory { id, dt: 0.004, frames, velocity }
        })
        .collect()
}

/// Friction 0.2 and restitution 0.35 are found from trajectories alone, as a point and as a distribution.
#[test]
fn parameters_that_made_drops_are_found() {
    let truth = DiceParameters { friction: 0.2, restitution: 0.35, ..DiceParameters::default() };
    let drops = simulated(&truth, 12);
    let drops: Vec<&Trajectory> = drops.iter().collect();
    let names = ["friction", "restitution"].map(|n| parameter(n).unwrap());
    let mut watch = |_: usize, _: usize, _: &str| ControlFlow::Continue(());
    let found = fit_scene(&DiceParameters::default(), &names, &drops, 80, 3, &mut watch).unwrap();
    assert!((found.friction - 0.2).abs() < 0.01 && (found.restitution - 0.35).abs() < 0.01, "{found:?}");

    // From a scene that is a little off, so that σ is not 0.
    let base = DiceParameters { friction: 0.21, restitution: 0.36, ..truth.clone() };
    let settings = Sampling {
        samples: 400,
        burn_in: 150,
        proposal: Proposal::Fixed(0.002),
        chains: 2,
        temperatures: 1,
        seed: 5,
    };
    let mut chains = Vec::new();
    let told = posterior(&base, &names, &drops, &settings, &mut chains, &mut watch).unwrap();
    for (marginal, truth) in told.marginals.iter().zip([0.2, 0.35]) {
        let [low, high] = marginal.interval;
        assert!(low < truth + 0.02 && truth - 0.02 < high, "{marginal:?}");
    }
    // Interrupted half way and gone on with, the same samples come.
    let mut parts = Vec::new();
    let mut half = |done: usize, _: usize, _: &str| {
        if done < 200 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    assert!(posterior(&base, &names, &drops, &settings, &mut parts, &mut half).is_err());
    let mut parts = serde_json::from_str(&serde_json::to_string(&parts).unwrap()).unwrap();
    let again = posterior(&base, &names, &drops, &settings, &mut parts, &mut watch).unwrap();
    assert_eq!(again.samples, told.samples);
}

/// Impacts that are isolated from frames are those that happened: restitution at the point, friction ratio, times.
#[test]
fn isolated_impacts_are_those_that_happened() {
    let truth = DiceParameters { friction: 0.15, restitution: 0.5, ..DiceParameters::default() };
    let drops = simulated(&truth, 40);
    let impacts: Vec<_> = drops.iter().flat_map(|d| isolate(d, &truth, &Isolation::default())).collect();
    assert!(impacts.len() > 30, "{}", impacts.len());
    let mut bad = 0;
    for impact in &impacts {
        let [before, change] = [impact.contact.velocity_before[1], impact.point_change()[1]];
        bad += usize::from((change + 1.5 * before).abs() > 0.15 * before.abs());
    }
    // Some are two impacts within the frames of one.
    assert!(bad * 5 < impacts.len(), "{bad} of {}", impacts.len());
}

/// A die that was dropped lies on one of its faces in the end, after a few impacts and not after endlessly many.
#[test]
fn drops_end_at_rest() {
    let world = DiceParameters::arena().world();
    let mut state = PlanarState { q: [-0.3, 0.15, 0.4], v: [-0.6, -2.0, 7.0] };
    let mut impacts = 0;
    let done = PlanarStepper::new(&world).advance(&mut state, 3.0, None, &mut |_| impacts += 1);
    assert!(done.at_rest && (2..100).contains(&impacts), "{done:?} {impacts}");
    let quarter = std::f64::consts::FRAC_PI_2;
    assert!((state.q[2] / quarter - (state.q[2] / quarter).round()).abs() < 1e-6, "{state:?}");
}

fn data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("STICTION_DATA").map_or(beside, PathBuf::from).join("dice_drop");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!(
        "\n*** NOT TESTED: no measured drops at {}; STICTION_DATA says where they are ***\n",
        folder.display()
    );
    None
}

/// The published baseline of the data, 0.0539 m; our simulator at the paper's parameters is below it, and the arena as it was
/// measured far below.
#[test]
fn measured_drops_are_predicted_better_than_by_pybullet() {
    let Some(folder) = data() else { return };
    let set = DiceSet::read(&folder).unwrap();
    let all: Vec<&Trajectory> = set.measured.values().filter(|d| d.id <= 400).collect();
    let theirs: Vec<f64> = all.iter().filter_map(|d| set.simulated_error(d)).collect();
    assert!((mean_and_spread(&theirs)[0] - 0.0539).abs() < 5e-5);
    let paper = mean_and_spread(&scene_errors(&DiceParameters::default(), &all))[0];
    let arena = mean_and_spread(&scene_errors(&DiceParameters::arena(), &all))[0];
    assert!(paper < 0.0530 && arena < 0.0395, "{paper} {arena}");
    // Without a learner and noise, single predictions and the scene's errors are one thing.
    let model = DropModel::scene(DiceParameters::arena());
    let track = model.single(&model.world(), all[0]);
    let alone = scene_errors(&DiceParameters::arena(), &all[..1]);
    assert!((rmse(&track, &all[0].frames, GYRATION) - alone[0]).abs() < 1e-12);
    assert!(observed(&model, &all[..40], &Isolation::default()).len() > 40);
}
