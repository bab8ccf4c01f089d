//! Measured impacts beside the impact laws: an ellipse that is dropped between plates, and a biped that lands.
//!
//! ```text
//!     error of an impact    √(Δv_x² + Δv_y² + (k Δω)²), k the radius of gyration [m/s]                       (1)
//! ```
//!
//! Coefficients of our laws are fitted to some impacts and judged by others; six published laws are in the columns of the data, as their
//! authors computed them. Data are looked for in the folder `STICTION_DATA`, or in `shared/data` beside the checkout; where they are not, this
//! is said, and only made-up impacts are claimed about.

mod cassie;
mod ellipse;

use super::{Experiment, ExperimentError, Findings, Size};
use std::path::{Path, PathBuf};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "real-impacts",
    title: "Measured impacts of an ellipse and landings of a biped beside every impact law",
    source: "Fazeli et al. [Fazeli2017]; Acosta, Yang and Posa [Acosta2022]; laws of Newton, Poisson, Stronge [Stronge1990]",
    measure,
};

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let mut findings = Findings::default();
    ellipse::made_up(size, &mut findings)?;
    match folder("ellipse_impact") {
        Some(folder) => ellipse::measured(&folder, size, &mut findings)?,
        None => findings.notes.push(absent("ellipse_impact")),
    }
    match (folder("cassie_impact"), folder("robots/cassie_mjcf")) {
        (Some(folder), Some(robot)) => {
            cassie::measured(&folder, &robot.join("scene.xml"), size, &mut findings)?
        }
        _ => findings.notes.push(absent("cassie_impact or robots/cassie_mjcf")),
    }
    Ok(findings)
}

/// A folder of measurements, if it is there.
fn folder(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("STICTION_DATA").map_or(beside, PathBuf::from).join(name);
    folder.is_dir().then_some(folder)
}

fn absent(name: &str) -> String {
    format!("NOT MEASURED: {name} was not found; set STICTION_DATA to the folder that holds it")
}
