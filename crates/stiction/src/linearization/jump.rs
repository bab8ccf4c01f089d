//! The derivatives of an impact at its instant, where velocities jump and positions stand still, and of the
//! prediction of that instant.
//!
//! ```text
//!     M δv⁺ = M δv⁻ − δM (v⁺ − v⁻) + δJᵀ Λ + Jᵀ δΛ                                                  (1)
//!     c = J v⁺ + e J_N v⁻ on the pieces of the contact law                                          ([`super::active_set`])
//! ```

use super::bounces::Velocities;
use super::columns::solve;
use super::contact_geometry::Geometry;
use super::parameters::numbers_of_surfaces;
use super::rows::{At, Writer};
use super::{Done, LinearizationError, LinearizationNote};
use crate::stepping::Quadrature;
use nalgebra::DMatrix;

/// An impact, differentiated.
pub(super) struct Jump {
    /// ∂v⁺ by the columns of a step, of which those of controls are zero.
    pub(super) v_change: DMatrix<f64>,
    /// The number of contacts that bounce.
    pub(super) contacts: usize,
    /// The block of the one that overlaps most, its gap [m], and the derivative of that.
    pub(super) block: usize,
    pub(super) gap: f64,
    pub(super) gap_change: DMatrix<f64>,
    pub(super) notes: Vec<LinearizationNote>,
}

impl Done<'_> {
    /// In a step that something bounces in: the derivatives of the share of the step before the first bounce,
    /// as it is predicted ([`stiction_assembly::laws::restitution`]), and of the gap of that contact at the
    /// start.
    pub(super) fn share_change(&self) -> Result<[DMatrix<f64>; 2], LinearizationError> {
        let accepted = &self.accepted;
        if accepted.quadrature.contains(&Quadrature::Rolling) {
            return Err(LinearizationError::Rolling);
        }
        let here = self.here();
        let forces = self.forces(&here);
        let (mut right, mass) = forces.right_hand_side();
        let geometry = Geometry::new(&forces);
        let bouncing = self.bouncing(&forces, &mass, &geometry)?;
        let at = At { v: accepted.v_next, impulses: accepted.impulses, biases: true };
        let rows =
            Writer::new(&forces, &mass, &geometry, at).bouncing(bouncing.as_ref()).write(&mut right)?;
        let posed = accepted.posed;
        let bounces = posed.bouncing().filter(|(block, _)| posed.blocks[*block].bias.restitution < 0.0);
        let Some((first, _)) = bounces.max_by(|a, b| a.1.total_cmp(&b.1)) else {
            return Err(LinearizationError::Impact { why: "nothing bounces in it" });
        };
        let row = posed.normal_row(first);
        Ok([-rows.left.rows(row, 1), rows.gap.rows(row, 1).into_owned()])
    }

    /// The derivative of an impact that was done at `start`.
    pub(super) fn jump(&self) -> Result<Jump, LinearizationError> {
        self.refuse()?;
        self.refuse_parameters()?;
        let Self { accepted, params, parameters, .. } = self;
        if params.smoothing > 0.0 {
            return Err(LinearizationError::Impact { why: "it is not smoothed; take `smoothing` = 0" });
        }
        let here = self.here();
        let forces = self.forces(&here);
        let columns = forces.columns;
        let mass = accepted.mass;
        let mut right = forces.mass_change(&here.1);
        forces.add_momentum(&mut right);
        let geometry = Geometry::new(&forces);
        let before = self.before(&forces, mass, &geometry)?;
        let rest = columns.zeros(before.nrows());
        let bouncing = Velocities { before, free: rest.clone(), unhindered: rest };
        let at = At { v: accepted.v_next, impulses: accepted.impulses, biases: true };
        let rows = Writer::new(&forces, mass, &geometry, at).bouncing(Some(&bouncing)).write(&mut right)?;
        solve(accepted.factor, &mut right);
        let mut T = rows.J.transpose();
        solve(accepted.factor, &mut T);
        let d = &rows.J * &right + &rows.velocity;
        let posed = accepted.posed;
        let numbers = numbers_of_surfaces(accepted, parameters, columns);
        let mut notes: Vec<_> =
            rows.held.iter().map(|&block| LinearizationNote::GeometryHeld { block }).collect();
        let dlambda = self.on_pieces(&rows, [&T, &d], &numbers, &|_, _| None, &mut notes);
        let bounces = posed.contacts(accepted.contacts).map(|(block, contact)| (block, contact.gap));
        let bounces: Vec<_> = bounces.filter(|(b, _)| posed.blocks[*b].bias.restitution < 0.0).collect();
        let Some(&(block, gap)) = bounces.iter().min_by(|a, b| a.1.total_cmp(&b.1)) else {
            return Err(LinearizationError::Impact { why: "nothing bounces in it" });
        };
        let gap_change = rows.gap.rows(posed.normal_row(block), 1).into_owned();
        let contacts = bounces.len();
        Ok(Jump { v_change: right + T * dlambda, contacts, block, gap, gap_change, notes })
    }
}
