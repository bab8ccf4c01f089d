//! Tendons: springs, dampers, limits and dry friction along lengths that several joints share, and the
//! actuators that pull on them.
//!
//! With l = cᵀq and what is written in [`crate::assembly`],
//!
//! ```text
//!     pull with effort e₀ − k (l̇⁺ − l̇)    g = cᵀv_f − cᵀv − e₀/k,  R = 1/(h k),  |λ| ≤ h e_max      (1)
//!     spring K and damper D of a tendon    e₀ = −K (s + h l̇) − D l̇,  k = h K + D                     (2)
//!     limit                                as of a joint, with φ = l − l_min or l_max − l             (3)
//!     dry friction τ_f                     g = cᵀv_f,  |λ| ≤ h τ_f                                     (4)
//! ```
//!
//! s is how far l is out of the range in which the spring is slack.

use crate::State;
use crate::actuation::Effort;
use crate::assembly::Situation;
use crate::rows::Rows;
use crate::warm_start::{RowKey, WarmStart};
use serde::{Deserialize, Serialize};
use stiction_contact::{Cone, ConstraintProblem};
use stiction_models::{Tendon, World};

/// What pulls along several dofs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Pull {
    /// Index into `world.actuators`.
    Actuator(usize),
    /// Index into `world.tendons`.
    Tendon(usize),
}

/// (2), where anything pulls.
pub(crate) fn pulls<'a>(
    world: &'a World,
    state: &'a State,
    q_of_dof: &'a [usize],
    h: f64,
) -> impl Iterator<Item = (Pull, Effort)> + 'a {
    let effort = move |t: &Tendon| {
        let (length, rate) = length_and_rate(t.terms(), state, q_of_dof);
        let stretch = t.stretch(length);
        let always = t.slack.is_some_and(|[low, high]| low == high);
        let K = if stretch != 0.0 || always { t.stiffness } else { 0.0 };
        let start = -K * (stretch + h * rate) - t.damping * rate;
        Effort { start, implicit: h * K + t.damping }
    };
    let tendons = world.tendons.iter().enumerate().filter(|(_, t)| !t.terms().is_empty());
    tendons.map(move |(i, t)| (Pull::Tendon(i), effort(t))).filter(|(_, e)| e.implicit > 0.0)
}

fn length_and_rate(terms: &[(usize, f64)], state: &State, q_of_dof: &[usize]) -> (f64, f64) {
    terms.iter().fold((0.0, 0.0), |(length, rate), &(dof, c)| {
        (length + c * state.q[q_of_dof[dof]], rate + c * state.v[dof])
    })
}

impl Situation<'_> {
    /// (1)
    pub(crate) fn push_pulls(
        &self,
        rows: &mut Rows,
        problem: &mut ConstraintProblem,
        memory: &mut WarmStart,
    ) {
        let h = self.params.dt;
        for &(pull, effort) in self.pulls {
            let (terms, limit) = match pull {
                Pull::Actuator(i) => {
                    let actuator = &self.world.actuators[i];
                    (&actuator.transmission[..], actuator.effort_limit)
                }
                Pull::Tendon(i) => (self.world.tendons[i].terms(), None),
            };
            let change: f64 =
                terms.iter().map(|&(dof, c)| c * (self.free_velocity[dof] - self.state.v[dof])).sum();
            let [lo, hi] = limit.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
            rows.push_linear(terms, &self.world.model);
            let g = change - effort.start / effort.implicit;
            self.push(problem, Cone::Box { lo: h * lo, hi: h * hi }, &[g], 0.0);
            if let Some(r) = problem.compliance.last_mut() {
                *r = 1.0 / (h * effort.implicit);
            }
            memory.recall(RowKey::Pull(pull));
        }
    }

    /// (3), of tendons that this step could bring to their limits, then (4).
    pub(crate) fn push_tendons(
        &self,
        rows: &mut Rows,
        problem: &mut ConstraintProblem,
        memory: &mut WarmStart,
    ) {
        let (model, h) = (&self.world.model, self.params.dt);
        let free = |t: &Tendon| -> f64 { t.terms().iter().map(|&(d, c)| c * self.free_velocity[d]).sum() };
        for (index, t) in self.world.tendons.iter().enumerate() {
            let Some([low, high]) = t.limit.filter(|_| !t.terms().is_empty()) else { continue };
            let (length, now) = length_and_rate(t.terms(), self.state, self.q_of_dof);
            let rate = free(t);
            let reach = self.params.margin + 2.0 * h * rate.abs().max(now.abs());
            for (side, sign, gap) in [(0, 1.0, length - low), (1, -1.0, high - length)] {
                if gap <= reach {
                    rows.push_sum(t.terms().iter().map(|&(dof, c)| (dof, sign * c)), model);
                    self.push(problem, Cone::NonNegative, &[sign * rate + self.gap_bias(gap)], gap);
                    memory.recall(RowKey::TendonLimit { tendon: index, side });
                }
            }
        }
        for (index, t) in self.world.tendons.iter().enumerate() {
            if t.friction > 0.0 && !t.terms().is_empty() {
                let bound = h * t.friction;
                rows.push_linear(t.terms(), model);
                self.push(problem, Cone::Box { lo: -bound, hi: bound }, &[free(t)], 0.0);
                memory.recall(RowKey::TendonFriction { tendon: index });
            }
        }
    }
}
