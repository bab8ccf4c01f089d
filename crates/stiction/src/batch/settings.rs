//! What a batch is stepped with, and what its steps say.

use crate::params::StepperParams;
use crate::report::StepStatus;
use stiction_solvers::Effort;

/// Numbers of the lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// Four environments at a time, in `f64`.
    #[default]
    Double,
    /// Eight at a time, in `f32`: states are kept in `f64`, and environments that fall back are solved in it.
    Single,
}

/// What to step a batch with.
#[derive(Clone, Debug)]
pub struct BatchSettings {
    pub stepper: StepperParams,
    pub precision: Precision,
    /// Natural map that contacts are solved to [m/s]; in `Single`, times the fastest constraint where that is faster
    /// than 1 m/s.
    pub tolerance: f64,
    /// How much the contacts of a step that an environment takes alone may cost; lanes have their own bounds.
    pub effort: Effort,
    /// Every step is judged ([`stiction_contact::Judge`]), in `f64` whatever the lanes count in: slow.
    pub judge: bool,
    /// Threads that step, the caller's among them; never changes a bit of the result.
    pub threads: usize,
}

impl Default for BatchSettings {
    fn default() -> Self {
        let stepper = StepperParams::default();
        Self {
            stepper,
            precision: Precision::Double,
            tolerance: 1e-6,
            effort: Effort::default(),
            judge: false,
            threads: 1,
        }
    }
}

/// How an environment is stepped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// In a lane, beside others.
    Lane,
    /// In a lane, which gave up: the step was done again alone.
    FellBack,
    /// Alone.
    Alone,
}

/// What a step of one environment says.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchReport {
    pub status: StepStatus,
    pub path: Path,
    /// The solver's own stopping residual [m/s], in the precision of the lanes.
    pub residual: f64,
    /// The judge's natural map of the exact contact law [m/s], in `f64` whatever the lanes count in; `None` unless
    /// [`BatchSettings::judge`] asks for it.
    pub natural_map: Option<f64>,
    /// Contact points in the problem.
    pub contacts: usize,
    /// Deepest overlap at the start of the step [m].
    pub penetration: f64,
}

impl BatchReport {
    pub(super) fn none() -> Self {
        Self {
            status: StepStatus::Converged,
            path: Path::Lane,
            residual: 0.0,
            natural_map: None,
            contacts: 0,
            penetration: 0.0,
        }
    }
}
