//! Every experiment bears out what it claims, and leaves its figures and data.

use stiction_lab::experiments::{EXPERIMENTS, Size, named};

#[test]
fn every_claim_holds() {
    let out = std::env::temp_dir().join(format!("stiction-experiments-{}", std::process::id()));
    for experiment in EXPERIMENTS {
        let outcome = experiment.run(&out.join(experiment.name), Size::Small).unwrap();
        for c in &outcome.claims {
            assert!(c.holds, "{}: {} — measured: {}", experiment.name, c.claim, c.measured);
        }
        assert!(outcome.claims.len() >= 6 && outcome.files.iter().all(|f| f.is_file()));
        let picture = |f: &std::path::PathBuf| f.extension().is_some_and(|e| e == "svg" || e == "html");
        assert!(outcome.files.iter().any(picture));
    }
    std::fs::remove_dir_all(&out).unwrap();
}

#[test]
fn experiments_are_found_by_name() {
    assert!(named("raisim-sliding-cube").is_some() && named("raisim-flying-cube").is_none());
}
