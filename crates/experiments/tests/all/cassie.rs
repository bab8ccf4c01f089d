//! Measured landings of Cassie become states of its model, and these move as measured until the feet touch.

// All of this file is a test.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use stiction::models::{LoadOptions, load};
use stiction::{Settings, State};
use stiction_experiments::replications::cassie::{CassieSet, Posture, track};
use stiction_learn::system::{Case, Parameter};

fn data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("STICTION_DATA").map_or(beside, PathBuf::from);
    if folder.join("cassie_impact").is_dir() && folder.join("robots/cassie_mjcf").is_dir() {
        return Some(folder);
    }
    eprintln!(
        "\n*** NOT TESTED: no landings at {}; STICTION_DATA says where they are ***\n",
        folder.display()
    );
    None
}

/// The legs of every landing close, and 3 ms later, still in the air, the pelvis has the velocity that was measured.
#[test]
fn landings_begin_as_measured() {
    let Some(folder) = data() else { return };
    let set = CassieSet::read(&folder.join("cassie_impact")).unwrap();
    assert_eq!(set.landings.len(), 19);
    let world = load(&folder.join("robots/cassie_mjcf/scene.xml"), &LoadOptions::default()).unwrap();
    let mut settings = Settings::default();
    settings.stepper.dt = 5e-4;
    let (state, control) = (State::neutral(&world.model), vec![0.0; world.actuators.len()]);
    let mut case = Case { world, state, settings, control, drive: None, delay: 0.0 };
    let posture = Posture::new(&case.world).unwrap();
    Parameter::find("floor.z", &case.world).unwrap().set(&mut case, -1.0);
    for landing in &set.landings {
        let mut short = landing.clone();
        short.times.truncate(7);
        let states = track(&case, &posture, &short).unwrap();
        let (base, _) = posture.velocities(states.last().unwrap());
        let seen = landing.base_velocity[6];
        let error = (0..3).map(|i| (base[i] - seen[i]).powi(2)).sum::<f64>().sqrt();
        assert!(error < 0.15, "landing {}: {error} m/s", landing.id);
    }
}
