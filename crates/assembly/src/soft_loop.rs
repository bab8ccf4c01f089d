//! Loops that yield: springs with dampers, as equalities of MuJoCo are.
//!
//! With e the error of a row, ė = J v, and stiffness K, damping B, impedance d and R of [`stiction_contact::soft::mujoco`],
//!
//! ```text
//!     a_ref = −B ė − K d e,    J v⁺ + R λ = J v + h a_ref,    R = (1 − d)/d ŵ                           (1)
//!     g = J v_f − J v − h a_ref;      at the instant of an impact h = 0                                 (2)
//! ```
//!
//! ŵ is what MuJoCo calls the weight of both ends ([`crate::compliance`]), so that (1) is its equality, step by step.
//! Positions move by J v⁺ or by the mean of J v and J v⁺. Without impedance the error then follows
//!
//! ```text
//!     by J v⁺:   damped where 2 h B + h² K d < 4            by the mean:   where h K d/2 < B < 2/h           (3)
//! ```
//!
//! What is damped by less than h K d, is damped by that. What is stiffer, has its a_ref divided by (2 h B + h² K
//! d)/3. MuJoCo's time constants and damping ratios from about ½ on meet neither.

use crate::compliance::ComplianceParameters;
use stiction_contact::soft::mujoco::{impedance, reference};
use stiction_contact::{Law, Material};
use stiction_world::World;

/// Bound of 2 h B + h² K d; (3) is damped below 4 [–].
const RESOLVED: f64 = 3.0;

/// How a loop yields under laws that are rigid of themselves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SoftLoop {
    solref: [f64; 2],
    solimp: [f64; 5],
    /// ŵ of rows that move the ends, and of rows that turn them [1/kg].
    weights: [f64; 2],
}

impl SoftLoop {
    /// How loop `index` yields; `parameters` are those of the world.
    pub(crate) fn new(world: &World, index: usize, parameters: &ComplianceParameters) -> Self {
        let closure = &world.loops[index];
        let Material { solref, solimp, .. } = parameters.closure(index);
        let weight = |turns| parameters.of_links(Law::Mujoco, closure.ends.map(|e| e.0), turns);
        // MuJoCo's rows are of half the angle.
        Self { solref, solimp, weights: [weight(false), 4.0 * weight(true)] }
    }

    /// (2) of a row in a step of h [s], which may be infinite: g − J v_f, and R. `error` is that of the row and
    /// `together` that of all rows of the loop [m]; `before` is J v.
    pub(crate) fn row(&self, h: f64, turns: bool, [error, together]: [f64; 2], before: f64) -> [f64; 2] {
        let d = impedance(self.solimp, together);
        let compliance = (1.0 - d) / d * self.weights[usize::from(turns)];
        if h.is_infinite() {
            return [-before, compliance];
        }
        let (K, B) = reference(self.solref, self.solimp, h);
        let stiffness = K * d;
        let damping = B.max(h * stiffness); // (3)
        let share = (RESOLVED / (2.0 * h * damping + h * h * stiffness)).min(1.0);
        [h * share * (damping * before + stiffness * error) - before, compliance]
    }
}
