//! What moves during a run.

use serde::{Deserialize, Serialize};
use stiction_dynamics::{JointKind, Model};

/// Time, configuration and velocity. A simulation set to one starts cold from it; doing so twice gives
/// the same bits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// [s]
    pub t: f64,
    /// Configuration, `model.nq` numbers (conventions: CONVENTIONS.md).
    pub q: Vec<f64>,
    /// Velocity, `model.nv()` numbers.
    pub v: Vec<f64>,
}

/// Why a state cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StateError {
    #[error("{what} has {got} numbers; this model needs {expected}")]
    Length { what: &'static str, got: usize, expected: usize },
    #[error("{what}[{index}] (joint `{joint}`) is {value}; expected a finite number")]
    NotFinite { what: &'static str, index: usize, joint: String, value: f64 },
    #[error("the quaternion of joint `{joint}` has norm {norm}; expected 1")]
    Quaternion { joint: String, norm: f64 },
}

impl State {
    /// At t = 0 with every joint at its reference and nothing moving.
    pub fn neutral(model: &Model) -> Self {
        Self { t: 0.0, q: model.neutral(), v: vec![0.0; model.nv()] }
    }

    /// Checks lengths, finiteness and quaternion norms against `model`.
    pub fn validate(&self, model: &Model) -> Result<(), StateError> {
        for (what, got, expected) in [("q", self.q.len(), model.nq), ("v", self.v.len(), model.nv())] {
            if got != expected {
                return Err(StateError::Length { what, got, expected });
            }
        }
        for joint in &model.joints {
            let (q, v) =
                (joint.idx_q..joint.idx_q + joint.kind.nq(), joint.idx_v..joint.idx_v + joint.kind.nv());
            for (what, range, numbers) in [("q", q.clone(), &self.q), ("v", v, &self.v)] {
                if let Some(index) = range.into_iter().find(|&i| !numbers[i].is_finite()) {
                    let (joint, value) = (joint.name.clone(), numbers[index]);
                    return Err(StateError::NotFinite { what, index, joint, value });
                }
            }
            let quaternion = match joint.kind {
                JointKind::Ball => &self.q[q],
                JointKind::Free => &self.q[q.start + 3..q.end],
                JointKind::Hinge | JointKind::Slide | JointKind::Screw => continue,
            };
            let norm = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
            if (norm - 1.0).abs() > 1e-6 {
                return Err(StateError::Quaternion { joint: joint.name.clone(), norm });
            }
        }
        Ok(())
    }
}

/// Copies without allocating.
pub(crate) fn copy(from: &State, to: &mut State) {
    to.t = from.t;
    to.q.copy_from_slice(&from.q);
    to.v.copy_from_slice(&from.v);
}
