//! Contacts that bounce within a step: what they ask for depends on the velocities at its start and without
//! impulses.
//!
//! ```text
//!     c_N = J_N v⁺ + b(φ, J_N v, J_N v_f, e)                                                        (1)
//!     ∂(J v_f) = ∂J v_f + J ∂v_f,   M̂ ∂v_f by the right-hand side of [`super::forces`] with Δ = v_f − v   (2)
//! ```
//!
//! b is [`stiction_assembly::laws::restitution`], evaluated with dual numbers, and so is the share 1 − s of
//! the step that is left after the bounce. At the instant of an impact, and in steps that are posed in their middle, b = e J_N v.

use super::forces::Forces;
use super::parameter::Parameter;
use super::posed_gap::PosedGap;
use nalgebra::DMatrix;
use stiction_assembly::ContactPoint;
use stiction_assembly::laws::restitution::Restitution;
use stiction_assembly::laws::row_params::RowParams;
use stiction_dynamics::Dual;

/// Velocities of the rows before the step and without impulses, with their derivatives, a row per row of the
/// problem.
pub(super) struct Velocities {
    pub(super) before: DMatrix<f64>,
    pub(super) free: DMatrix<f64>,
    /// ∂v_f.
    pub(super) unhindered: DMatrix<f64>,
}

/// A contact that bounces: b and 1 − s by φ, J_N v, J_N v_f and e.
pub(super) struct Bounce {
    pub(super) bias: Dual<4>,
    pub(super) left: Dual<4>,
}

/// The bounce of a contact that is posed with `gap`, where it asks for that instead of what its gap does.
pub(super) fn bounce(
    params: &RowParams,
    c: &ContactPoint,
    gap: PosedGap,
    [before, free]: [f64; 2],
) -> Option<Bounce> {
    if c.restitution <= 0.0 || c.spring.is_some() {
        return None;
    }
    let number = Dual::<4>::variable;
    let at_instant = match gap {
        PosedGap::Lasts { .. } | PosedGap::Yields { .. } => return None,
        PosedGap::New { .. } => Some(params.rebound_within(c.restitution, before, c.gap)),
        PosedGap::Here => params.is_instant().then(|| params.rebound(c.restitution, before)),
    };
    if let Some(rebound) = at_instant {
        rebound?;
        return Some(Bounce {
            bias: number(c.restitution, 3) * number(before, 1),
            left: Dual::constant(1.0),
        });
    }
    let surfaces =
        Restitution { coefficient: number(c.restitution, 3), depth: Dual::constant(c.bounce_depth) };
    let of =
        params.cast(number(0.0, 0)).bounce(surfaces, number(c.gap, 0), number(before, 1), number(free, 2));
    of.holds.then_some(Bounce { bias: of.bias, left: of.left })
}

impl Forces<'_> {
    /// Calls `at` with the columns of the coefficient of restitution of a contact.
    pub(super) fn columns_of_restitution(&self, c: &ContactPoint, mut at: impl FnMut(usize)) {
        for (p, parameter) in self.parameters.iter().enumerate() {
            if matches!(parameter, Parameter::Restitution { .. }) && parameter.is_of(c.geometries) {
                at(self.columns.p(p));
            }
        }
    }
}
