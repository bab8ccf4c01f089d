//! The derivatives of an impact at its instant, where velocities jump and positions stand still, and of the
//! prediction of that instant.
//!
//! ```text
//!     M δv⁺ = M δv⁻ − δM (v⁺ − v⁻) + δJᵀ Λ + Jᵀ δΛ                                                  (1)
//!     c = J v⁺ + e J_N v⁻ on the pieces of the contact law                                          ([`super::active_set`])
//! ```

use super::active_set::{Answer, Switches, impulses};
use super::bounces::Velocities;
use super::contact_geometry::Geometry;
use super::parameters::{friction_columns, numbers_of_surfaces};
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
        let Self { law, accepted, params, parameters, .. } = self;
        if params.smoothing > 0.0 {
            return Err(LinearizationError::Impact { why: "it is not smoothed; take `smoothing` = 0" });
        }
        let here = self.here();
        let forces = self.forces(&here);
        let columns = forces.columns;
        let mass = accepted.mass;
        let mut right = forces.mass_change(&here.1);
        let dense = accepted.mass.to_dense();
        for (i, j) in (0..columns.nv).flat_map(|i| (0..columns.nv).map(move |j| (i, j))) {
            right[(i, columns.v(j))] += dense[i * columns.nv + j];
        }
        let geometry = Geometry::new(&forces);
        let before = self.before(&forces, mass, &geometry)?;
        let rest = columns.zeros(before.nrows());
        let bouncing = Velocities { before, free: rest.clone(), unhindered: rest };
        let at = At { v: accepted.v_next, impulses: accepted.impulses, biases: true };
        let rows = Writer::new(&forces, mass, &geometry, at).bouncing(Some(&bouncing)).write(&mut right)?;
        let solve = |x: &mut DMatrix<f64>| {
            x.as_mut_slice().chunks_exact_mut(columns.nv).for_each(|c| accepted.factor.solve_in_place(c));
        };
        solve(&mut right);
        let mut T = rows.J.transpose();
        solve(&mut T);
        let d = &rows.J * &right + &rows.velocity;
        let posed = accepted.posed;
        let friction = friction_columns(&numbers_of_surfaces(accepted, parameters, columns));
        let mut c = Vec::new();
        posed.problem.velocities_into(accepted.impulses, &mut c);
        let answer = Answer {
            problem: &posed.problem,
            lambda: accepted.impulses,
            c: &c,
            J: &rows.J,
            T: &T,
            d: &d,
            friction_columns: &friction,
        };
        let switches = Switches { velocity: params.switch_velocity, impulse: params.switch_impulse };
        let mut notes: Vec<_> =
            rows.held.iter().map(|&block| LinearizationNote::GeometryHeld { block }).collect();
        let dlambda = impulses(answer, (*law, switches), &|_, _| None, &mut notes);
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
