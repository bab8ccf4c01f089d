//! Bilateral rows that turn while the linkage moves.
//!
//! A linkage goes through a step by the mean of its velocities, v̄ = (v + v⁺)/2, from q to q⁺ = q ⊕ h v̄. Its rows J are
//! those of the middle, q ⊕ h v/2: J v̄ = 0 is a chord of the constraint e(q) = 0, exact to the second order, and its
//! impulses do no work. A row that asked for J v⁺ = 0 would take from every step the part of v that it turned away. What
//! is left of errors is undone in two steps,
//!
//! ```text
//!     J v⁺ = −J v + ½ J₀ v − e/h                                                            (1)
//! ```
//!
//! with J₀ and e those of the start: of x = (e, h J₀ v) a step makes
//!
//! ```text
//!     e⁺ = e + h J v̄ = ½ e + ¼ h J₀ v,     h J₀⁺ v⁺ ≈ −e − ½ h J₀ v        whose square is 0      (2)
//! ```
//!
//! but for what the curvature of the row adds, O(h³). Without the term ½ J₀ v a velocity that violates the row would be
//! reflected for ever. A row that holds velocities alone has no e, and J v⁺ = −J v + J₀ v: a violation is gone after one step.

use crate::block::Bias;
use crate::laws::row_params::RowParams;

impl RowParams {
    /// Bias of (1), with J v_f, J v, J₀ v and e of the row.
    pub(crate) fn turning_bias(&self, free: f64, [before, violation]: [f64; 2], error: f64) -> Bias {
        let close = (error / self.h).clamp(-self.correction_speed, self.correction_speed);
        Bias { free, turn: before, feedback: close - 0.5 * violation, ..Bias::default() }
    }

    /// Bias of a row that holds velocities alone, with J v_f, J v and J₀ v of the row.
    pub(crate) fn turning_velocity_bias(free: f64, [before, violation]: [f64; 2]) -> Bias {
        Bias { free, turn: before, feedback: -violation, ..Bias::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (2), of a row that does not bend: whatever the error and the velocity are, both are gone after two steps.
    #[test]
    fn errors_are_gone_after_two_steps() {
        let h = 1e-2;
        let params = RowParams {
            h,
            margin: 0.0,
            slop: 0.0,
            correction: 0.2,
            correction_speed: 1.0,
            bouncing_speed: 0.0,
            coarseness: 1.0,
        };
        for (mut e, mut v) in [(1e-3, 0.0), (0.0, 0.7), (-2e-3, 0.3)] {
            for _ in 0..2 {
                let next = -params.turning_bias(0.0, [v, v], e).total(crate::Choice::default());
                (e, v) = (e + 0.5 * h * (v + next), next);
            }
            assert!(e.abs() < 1e-17 && v.abs() < 1e-15, "{e} {v}");
        }
    }
}
