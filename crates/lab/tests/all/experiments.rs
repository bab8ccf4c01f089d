//! Every experiment bears out what it claims, and leaves its figures and data. Where third-party robots are absent, in
//! the folder named by `STICTION_DATA` or in `shared/data` beside the checkout, fewer claims are made.

use std::io::Write;
use std::path::{Path, PathBuf};
use stiction_lab::experiments::{EXPERIMENTS, Size, named};
use stiction_lab::plot::Formats;

/// A test for each experiment, and their names.
macro_rules! experiments {
    ($($name:ident),+ $(,)?) => {
        mod every_claim_holds {
            $(#[test]
            fn $name() {
                super::every_claim_holds(&stringify!($name).replace('_', "-")).unwrap();
            })+
        }
        const TESTED: &[&str] = &[$(stringify!($name)),+];
    };
}

experiments!(
    raisim_sliding_cube,
    raisim_dragged_cube,
    contact_models_table,
    pyramid_bias,
    magic_forces,
    compliance_shift,
    ill_conditioning,
    creep,
    convergence,
    pressure_fields,
    order,
    multibody,
    work_precision,
    real_impacts,
    pareto,
    anytime,
    hard_cases,
    large_steps,
    held_objects,
    which_answer,
    nmdp,
    solo12_mpc,
    derivatives,
    trajectory_optimisation,
    laws_drawn,
);

fn every_claim_holds(name: &str) -> Result<(), Box<dyn std::error::Error>> {
    let Some(experiment) = named(name) else {
        let known = format!("there is no experiment {name}");
        return if cfg!(feature = "full") { Err(known.into()) } else { Ok(()) };
    };
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let robots = std::env::var_os("STICTION_DATA").map_or(beside, PathBuf::from).join("robots").is_dir();
    if !robots && name == "large-steps" {
        let message = "\n*** NOT TESTED: large steps of third-party robots. Set STICTION_DATA. ***\n";
        std::io::stderr().write_all(message.as_bytes())?;
    }
    let least = if robots { 6 } else { 4 };
    let out = std::env::temp_dir().join(format!("stiction-{name}-{}", std::process::id()));
    let outcome = experiment.run(&out, Size::Small, every_format())?;
    for c in &outcome.claims {
        assert!(c.holds, "{name}: {} — measured: {}", c.claim, c.measured);
    }
    assert!(outcome.claims.len() >= least && outcome.files.iter().all(|f| f.is_file()));
    let picture = |f: &std::path::PathBuf| f.extension().is_some_and(|e| e == "svg" || e == "html");
    assert!(outcome.files.iter().any(picture));
    let figures = |end: &str| outcome.files.iter().filter(|f| f.to_string_lossy().ends_with(end)).count();
    assert_eq!(figures(".svg"), 2 * figures(".pdf"), "light and dark");
    if name == "large-steps" {
        let told = outcome.notes.join(" ");
        assert!(["quadruped", "solo12", "go2"].iter().all(|robot| told.contains(robot)), "{told}");
    }
    std::fs::remove_dir_all(&out)?;
    Ok(())
}

#[test]
fn every_experiment_is_tested() {
    let tested: Vec<String> = TESTED.iter().map(|name| name.replace('_', "-")).collect();
    for experiment in EXPERIMENTS {
        assert!(tested.iter().any(|name| name == experiment.name), "{}", experiment.name);
    }
}

#[test]
fn experiments_are_found_by_name() {
    assert!(named("raisim-sliding-cube").is_some() && named("raisim-flying-cube").is_none());
}

/// All formats of figures; PNG where it is built in.
fn every_format() -> Formats {
    Formats { pdf: true, png: true }
}
