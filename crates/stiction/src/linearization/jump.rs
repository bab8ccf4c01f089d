//! The derivatives of an impact at its instant, where velocities jump and positions stand still.
//!
//! ```text
//!     M δv⁺ = M δv⁻ − δM (v⁺ − v⁻) + δJᵀ Λ + Jᵀ δΛ                                                  (1)
//!     c = J v⁺ + e J_N v⁻ on the pieces of the contact law                                          ([`super::active_set`])
//! ```

use super::bounces::Velocities;
use super::contact_geometry::Geometry;
use super::parameters::numbers_of_surfaces;
use super::rows::{Rows, Stepped};
use super::{Done, LinearizationError, LinearizationNote, Solved};
use crate::stepping::Accepted;
use nalgebra::DMatrix;

/// Contacts that are struck faster than this share of the fastest meet with it [–].
const ALIKE: f64 = 0.5;

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
    /// The derivative of an impact that was done at `start`.
    pub(super) fn jump(&self) -> Result<Jump, LinearizationError> {
        self.refuse()?;
        self.refuse_parameters()?;
        let Self { accepted, parameters, .. } = self;
        let here = self.here();
        let forces = &self.forces(&here);
        let mut right = forces.mass_change(&here.change);
        forces.add_momentum(&mut right);
        let stepped = Stepped { forces, mass: accepted.mass, geometry: &Geometry::new(forces) };
        let before = stepped.before()?;
        let rest = forces.columns.zeros(before.nrows());
        let bouncing = Velocities { before, free: rest.clone(), unhindered: rest };
        let solved = Solved::new(stepped, Some(&bouncing), right)?;
        let (posed, mut notes) = (accepted.posed, solved.notes());
        let numbers = numbers_of_surfaces(accepted, parameters, forces.columns);
        let dlambda = self.on_pieces(&solved, &numbers, &|_, _| None, &mut notes);
        let bounces = posed.contacts(accepted.contacts).map(|(block, contact)| (block, contact.gap));
        let bounces: Vec<_> = bounces.filter(|(b, _)| posed.blocks[*b].bias.restitution < 0.0).collect();
        let first = bounces.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let (block, gap, contacts, gap_change) = match first {
            Some(&(block, gap)) => {
                let change = solved.rows.gap.rows(posed.normal_row(block), 1).into_owned();
                (block, gap, bounces.len(), change)
            }
            None => self.struck(&solved.rows)?,
        };
        Ok(Jump { v_change: solved.free + solved.T * dlambda, contacts, block, gap, gap_change, notes })
    }

    /// In an impact without restitution: the block that is struck fastest and its gap, how many are struck about as fast,
    /// and ∂φ of that block, which is J_N δq of a stop.
    fn struck(&self, rows: &Rows) -> Result<(usize, f64, usize, DMatrix<f64>), LinearizationError> {
        let Accepted { posed, impulses, v, contacts, .. } = self.accepted;
        let approach =
            |block: usize| posed.jacobian.row_velocity(block, posed.problem.cone(block).normal(), v);
        let struck = |block: &usize| {
            posed.problem.cone(*block).opens()
                && impulses[posed.normal_row(*block)] > 0.0
                && approach(*block) < 0.0
        };
        let blocks: Vec<usize> = (0..posed.problem.len()).filter(struck).collect();
        let Some(&first) = blocks.iter().min_by(|a, b| approach(**a).total_cmp(&approach(**b))) else {
            return Err(LinearizationError::Impact { why: "nothing is struck in it" });
        };
        let alike = blocks.iter().filter(|b| approach(**b) < ALIKE * approach(first)).count();
        let row = posed.normal_row(first);
        if let Some((_, contact)) = posed.contacts(contacts).find(|(block, _)| *block == first) {
            return Ok((first, contact.gap, alike, rows.gap.rows(row, 1).into_owned()));
        }
        let mut change = DMatrix::zeros(1, rows.gap.ncols());
        let nv = rows.J.ncols();
        change.columns_mut(0, nv).copy_from(&rows.J.row(row));
        Ok((first, 0.0, alike, change))
    }
}
