//! What a step says of itself: how much work it was, and the conditions of the paper's proofs, as they were measured.

use serde::{Deserialize, Serialize};

/// Why a part of a step was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// ∂G/∂ν has no inverse: assumption A V.2.
    Singular,
    /// A Newton step did not reduce ‖G‖, or there were too many.
    Projection,
    /// No regularisation made the energy fall, or the iterations ran out.
    Descent,
    /// A number stopped being finite.
    NotFinite,
}

/// Counts and measurements of one step, all parts together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NmdpReport {
    /// Parts that the step was solved in, and the length of the smallest [s].
    pub parts: u32,
    pub smallest_part: f64,
    /// Outer iterations: quadratic programs whose answer was taken.
    pub outer: u32,
    /// Quadratic programs, and exchanges of their active sets.
    pub programs: u32,
    pub exchanges: u32,
    /// Newton iterations of the projections.
    pub newton: u32,
    /// Parts that were given up, by cause.
    pub singular: u32,
    pub projection_failures: u32,
    pub descent_failures: u32,
    /// Parts whose last change of the weights did not reduce the energy, and was, or promised, too little to count.
    pub stalled: u32,
    /// Smallest relative pivot of ∂G/∂ν in the parts that succeeded: its rank was full [–].
    pub pivot: f64,
    /// Largest ‖G‖ after a Newton step over that before it: below one the projections were monotone [–].
    pub reduction: f64,
    /// Largest ‖Δw‖ over that of the outer iteration before: below one the outer iterations contracted [–].
    pub contraction: f64,
    /// Least fall of the energy in an outer iteration [J]; infinite without one.
    pub descent: f64,
    /// Energy at the end [J].
    pub energy: f64,
    /// h ‖G‖ over the mass of all bodies, at the end, the largest of the parts [m/s].
    pub residual: f64,
    /// Contact sets at their largest, Σ w = 1, and the deepest site of a body [m], at the end.
    pub saturated: u32,
    pub deepest: f64,
}

impl Default for NmdpReport {
    fn default() -> Self {
        Self {
            parts: 0,
            smallest_part: f64::INFINITY,
            outer: 0,
            programs: 0,
            exchanges: 0,
            newton: 0,
            singular: 0,
            projection_failures: 0,
            descent_failures: 0,
            stalled: 0,
            pivot: 1.0,
            reduction: 0.0,
            contraction: 0.0,
            descent: f64::INFINITY,
            energy: 0.0,
            residual: 0.0,
            saturated: 0,
            deepest: 0.0,
        }
    }
}

impl NmdpReport {
    /// Counts a part that was given up.
    pub(crate) fn note_failure(&mut self, failure: Failure) {
        match failure {
            Failure::Singular => self.singular += 1,
            Failure::Projection | Failure::NotFinite => self.projection_failures += 1,
            Failure::Descent => self.descent_failures += 1,
        }
    }
}
