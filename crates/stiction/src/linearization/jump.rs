//! The derivatives of an impact at its instant, where velocities jump and positions stand still, and of the
//! prediction of that instant.
//!
//! ```text
//!     M δv⁺ = M δv⁻ − δM (v⁺ − v⁻) + δJᵀ Λ + Jᵀ δΛ                                                  (1)
//!     c = J v⁺ + e J_N v⁻ on the pieces of the contact law                                          ([`super::active_set`])
//! ```

use super::bounces::Velocities;
use super::contact_geometry::Geometry;
use super::parameters::numbers_of_surfaces;
use super::rows::Stepped;
use super::{Done, LinearizationError, LinearizationNote, Solved};
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
        let forces = &self.forces(&here);
        let (mut right, mass) = forces.right_hand_side();
        let stepped = Stepped { forces, mass: &mass, geometry: &Geometry::new(forces) };
        let rows = stepped.rows(self.bouncing(stepped)?.as_ref(), &mut right)?;
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
        let forces = &self.forces(&here);
        let mut right = forces.mass_change(&here.1);
        forces.add_momentum(&mut right);
        let stepped = Stepped { forces, mass: accepted.mass, geometry: &Geometry::new(forces) };
        let before = self.before(stepped)?;
        let rest = forces.columns.zeros(before.nrows());
        let bouncing = Velocities { before, free: rest.clone(), unhindered: rest };
        let solved = Solved::new(stepped, Some(&bouncing), right)?;
        let (posed, mut notes) = (accepted.posed, solved.notes());
        let numbers = numbers_of_surfaces(accepted, parameters, forces.columns);
        let dlambda = self.on_pieces(&solved, &numbers, &|_, _| None, &mut notes);
        let bounces = posed.contacts(accepted.contacts).map(|(block, contact)| (block, contact.gap));
        let bounces: Vec<_> = bounces.filter(|(b, _)| posed.blocks[*b].bias.restitution < 0.0).collect();
        let Some(&(block, gap)) = bounces.iter().min_by(|a, b| a.1.total_cmp(&b.1)) else {
            return Err(LinearizationError::Impact { why: "nothing bounces in it" });
        };
        let gap_change = solved.rows.gap.rows(posed.normal_row(block), 1).into_owned();
        let (v_change, contacts) = (solved.free + solved.T * dlambda, bounces.len());
        Ok(Jump { v_change, contacts, block, gap, gap_change, notes })
    }
}
