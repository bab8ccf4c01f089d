//! The factor of the Delassus matrix G = J M⁻¹ Jᵀ.
//!
//! With M = LᵀDL of the branch sparsity of J, the support of a row is closed under L⁻ᵀ, so
//!
//! ```text
//!     W = J L⁻¹ D^-½  (on the support),     G = W Wᵀ                                   (1)
//! ```
//!
//! and two blocks meet only if they share a tree. [Featherstone2010]

use crate::jacobian::{Jacobian, TRUNK};
use stiction_contact::ConstraintProblem;
use stiction_dynamics::spatial::Vec3;
use stiction_dynamics::{Factor, lanes};

impl Jacobian {
    /// (1): the factor W of G, for a problem that already holds one cone per block of these rows.
    pub fn factor_into(&mut self, factor: &Factor, problem: &mut ConstraintProblem) {
        self.root.clear();
        self.root.extend(factor.inverse_diagonal().iter().map(|d| d.sqrt()));
        let Self { J, alone, trunks, root, scratch, .. } = self;
        lanes::plain(
            #[inline(always)]
            || {
                for (first, trunk) in alone.iter().zip(&mut *trunks) {
                    if let Some(first) = first {
                        factor.trunk_into(*first, root, trunk);
                    }
                }
                problem.delassus_factor.change_from(
                    J,
                    #[inline(always)]
                    |part, W| {
                        let columns = <&[Vec3; TRUNK]>::try_from(part.columns);
                        if let (Some(_), Ok(columns)) = (alone[part.tree], columns) {
                            return W.extend_from_slice(&trunks[part.tree].half_solve(columns));
                        }
                        let start = W.len();
                        W.extend_from_slice(part.columns);
                        halve(factor, root, scratch, (part.tip, part.coordinates), &mut W[start..]);
                    },
                );
                for (tip, dofs, w) in problem.delassus_factor.more_segments_mut() {
                    halve(factor, root, scratch, (tip, dofs), w);
                }
            },
        );
        if !self.place.is_empty() {
            problem.delassus_factor.renumber(&self.place, &self.apart);
        }
    }
}

/// w L⁻¹ D^-½ on one segment, of a tip if it is a chain, and dofs.
#[inline(always)]
fn halve(
    factor: &Factor,
    root: &[f64],
    scratch: &mut [Vec3],
    (tip, dofs): (Option<usize>, &[usize]),
    w: &mut [Vec3],
) {
    if let Some(tip) = tip {
        return factor.half_solve_packed_in_place(tip, root, w);
    }
    for (dof, w) in dofs.iter().zip(w.iter()) {
        scratch[*dof] = *w;
    }
    for dof in dofs {
        let x = scratch[*dof];
        for (L, j) in factor.row(*dof).iter().zip(factor.columns(*dof)).skip(1) {
            scratch[*j as usize] -= x * *L;
        }
    }
    for (dof, w) in dofs.iter().zip(w) {
        *w = std::mem::take(&mut scratch[*dof]) * root[*dof];
    }
}
