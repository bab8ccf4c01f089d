//! The Python package `stiction`: the part of it that is written in Rust.
//!
//! ```text
//!     stiction/*.py ──▶ stiction._stiction (this crate) ──▶ stiction, stiction-lab, stiction-viewer
//! ```
//!
//! Names, tables, defaults and whatever need not be fast are in the Python files of `crates/python/stiction`; here numbers
//! cross the border. What crosses is checked (`errors`, `numbers`): what cannot be used is an exception with the text that
//! the command line prints, and a panic becomes one too. Options come as JSON, so that they are read by the code that reads
//! scene files, and tables of names go as JSON.

// Capitals carry meaning: X_WB is a pose, J a Jacobian.
#![allow(non_snake_case)]
// !(a <= b) is how a NaN is caught.
#![allow(clippy::neg_cmp_op_on_partial_ord)]
// Arguments are what Python hands over, by value.
#![allow(clippy::needless_pass_by_value)]

mod batch;
mod batch_sensors;
mod camera;
mod control;
mod describe;
mod dynamics;
mod errors;
mod fields;
mod held;
mod inverse;
mod laws;
mod learn;
mod linearize;
mod loading;
mod nmdp;
mod numbers;
mod own_world;
mod packed;
mod page;
mod plugged;
mod problem;
mod queries;
mod readout;
mod record;
mod recording;
mod report;
mod sensors;
mod simulation;
mod solving;
mod view;
mod viewer;
mod workspace;
mod world;

use pyo3::prelude::*;

/// The module `stiction._stiction`.
#[pymodule]
mod _stiction {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::control::Locomotion;
    #[pymodule_export]
    use crate::errors::{Error, InternalError, StepFailed};
    #[pymodule_export]
    use crate::learn::{
        CmaEs, ContactResidual, dice, identify_parameters, parameter_names, propagate_belief, shuffled,
    };
    #[pymodule_export]
    use crate::problem::Problem;
    #[pymodule_export]
    use crate::report::Report;
    #[pymodule_export]
    use crate::simulation::Simulation;
    #[pymodule_export]
    use crate::solving::{solvers, steppers};
    #[pymodule_export]
    use crate::view::FrameView;
    #[pymodule_export]
    use crate::viewer::LivePage;
    #[pymodule_export]
    use crate::world::World;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("STATUS_WORDS", crate::batch::status_words())?;
        module.add("QUANTITIES", crate::fields::QUANTITIES.iter().map(|q| q.name).collect::<Vec<_>>())?;
        module.add("BUILTIN_SCENES", names(stiction_scene::BUILTIN_SCENES))?;
        module.add("BUILTIN_MODELS", names(stiction_scene::BUILTIN_MODELS))?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    fn names(all: &[(&'static str, &'static str)]) -> Vec<&'static str> {
        all.iter().map(|(name, _)| *name).collect()
    }
}
