//! Answers that did not converge make no energy.
//!
//! The best impulses seen may be far from the law, and a state that they make wild asks for wilder ones in the next
//! step. With p = M̂⁻¹Jᵀλ, v⁺ = v_f + p and ⟨x, y⟩ = xᵀM̂y,
//!
//! ```text
//!     ½⟨v⁺, v⁺⟩ = ½⟨v_f, v_f⟩ + ⟨p, v_f⟩ + ½⟨p, p⟩                        (1)
//! ```
//!
//! Impulses that obey the law do ⟨p, v⁺⟩ = λᵀJv⁺ ≤ 0 but for bounces, so the left is no more than ½⟨v_f, v_f⟩. Where an
//! answer that did not converge leaves more it is scaled to
//!
//! ```text
//!     β λ,   β = max(0, −⟨p, v_f⟩/⟨p, p⟩) < ½                             (2)
//! ```
//!
//! the share at which (1) is least, λ staying in its cones: ½⟨v⁺, v⁺⟩ is then ½⟨v_f, v_f⟩ − ½⟨p, v_f⟩²/⟨p, p⟩ or
//! ½⟨v_f, v_f⟩. So however wrong single answers are, constraints never raise the kinetic energy in such steps.
//!
//! Impulses that miss the law by a residual e make at most the energy e ‖λ‖₁. Where e is slow and that energy is
//! small, as under a body that is clamped at rest, the impulses stay as they are, and the step is flagged. So they do
//! where rounding alone keeps them from the law ([`super::rounding`]).

use super::{Solving, mass};
use crate::remedy::Remedy;
use crate::stepping::trial::Trial;

/// Share of the energy that all bodies have at the speed of corrections that an answer may miss the law by and be applied as
/// it is [–].
const NEAR: f64 = 0.02;
/// Share of the speed of corrections that its residual may be [–].
const SLOW: f64 = 1e-3;

/// (2), where v⁺ is known.
pub(super) fn apply(s: &mut Solving<'_>, trial: &mut Trial) -> Option<Remedy> {
    if trial.report.settled() || s.solver.law().compliant() {
        return None;
    }
    let missed = trial.report.residual * trial.impulses.iter().map(|l| l.abs()).sum::<f64>();
    let speed = s.params.push_out_speed;
    if trial.report.residual <= SLOW * speed && missed <= NEAR * 0.5 * mass(s.world) * speed.powi(2) {
        return None;
    }
    let [before, own] = s.work(trial);
    if before + 0.5 * own <= 0.0 {
        return None;
    }
    let share = if before < 0.0 && own.is_finite() { -before / own } else { 0.0 };
    let v_free = &s.free.v_free;
    if share == 0.0 {
        trial.impulses.fill(0.0);
        trial.v_next.copy_from_slice(v_free);
    } else {
        trial.impulses.iter_mut().for_each(|l| *l *= share);
        trial.v_next.iter_mut().zip(v_free).for_each(|(v, free)| *v = free + share * (*v - free));
    }
    Some(Remedy::EnergyGuard)
}
