//! What can be set of an optimisation, and what keeps it from an answer.

use super::system::SystemError;
use serde::{Deserialize, Serialize};

/// Parameters of [`super::optimize`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct IlqrParams {
    /// Most iterations.
    pub iterations: usize,
    /// It has converged where an iteration lowers the cost by less than this share of it [–].
    pub tolerance: f64,
    /// Costs below this count as this in the tolerance: a cost of zero has no shares.
    pub least_cost: f64,
    /// ρ of the first iteration, the least that is not zero, and the largest [1/weight of the states].
    pub regularization: [f64; 3],
    /// By how much ρ grows or shrinks, again and again faster [–].
    pub factor: f64,
    /// Shares of a step that are tried: 1, ½, ¼, …
    pub halvings: usize,
    /// A step is taken that gains this share of what is promised [–].
    pub accept: f64,
}

impl Default for IlqrParams {
    fn default() -> Self {
        Self {
            iterations: 200,
            tolerance: 1e-6,
            least_cost: 1e-12,
            regularization: [1e-3, 1e-6, 1e8],
            factor: 2.0,
            halvings: 10,
            accept: 1e-2,
        }
    }
}

impl IlqrParams {
    /// # Errors
    ///
    /// A parameter out of its range, named with the range.
    pub fn validate(&self) -> Result<(), IlqrError> {
        let [first, least, most] = self.regularization;
        let rules = [
            ("tolerance", self.tolerance, self.tolerance >= 0.0, "a share ≥ 0"),
            ("least_cost", self.least_cost, self.least_cost > 0.0, "a cost > 0"),
            ("regularization[0]", first, first >= 0.0, "a number ≥ 0"),
            ("regularization[1]", least, least > 0.0, "a number > 0"),
            (
                "regularization[2]",
                most,
                most >= least && most.is_finite(),
                "a finite number, at least the least",
            ),
            ("factor", self.factor, self.factor > 1.0, "a number > 1"),
            (
                "accept",
                self.accept,
                (0.0..1.0).contains(&self.accept),
                "a share of at least 0 and less than 1",
            ),
            ("halvings", self.halvings as f64, (1..=60).contains(&self.halvings), "1 to 60"),
        ];
        match rules.into_iter().find(|rule| !rule.2 || !rule.1.is_finite()) {
            Some((name, value, _, expected)) => Err(IlqrError::Parameter { name, value, expected }),
            None => Ok(()),
        }
    }
}

/// Why there is no optimum.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum IlqrError {
    #[error("{name} is {value}; expected {expected}")]
    Parameter { name: &'static str, value: f64, expected: &'static str },
    #[error("{what}: {got}; expected {expected}")]
    Size { what: &'static str, got: usize, expected: usize },
    #[error(
        "control {control} is bounded by {lo} and {hi}, between which there is nothing; expected lowest ≤ highest"
    )]
    Bounds { control: usize, lo: f64, hi: f64 },
    #[error("the system cannot follow the controls to start from ({0}); start from others")]
    Start(SystemError),
    #[error("the trajectory has no derivative at knot {knot} ({why}); start from other controls, or smooth")]
    Derivative { knot: usize, why: SystemError },
}
