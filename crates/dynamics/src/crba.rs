//! Composite-rigid-body algorithm: the joint-space inertia matrix M(q).
//!
//! M is defined by the kinetic energy T = ½ vᵀ M(q) v. With every quantity in world axes about
//! one point per tree, no transform appears in the loops
//! [Featherstone2008, ch. 6; Jain2010, Alg. 9.3]:
//!
//! ```text
//!     Iᶜ_b = I_b + Σ_{c ∈ children(b)} Iᶜ_c                             (1)
//!     F_i  = Iᶜ_{body(i)} S_i                                           (2)
//!     M_ij = S_jᵀ F_i   for j ∈ ancestors(i), else 0                    (3)
//! ```
//!
//! Units: M_ij [kg·m², kg·m or kg], by the units of v_i and v_j. Cost O(nv · depth).

use crate::spatial::Inertia;
use crate::{Kinematics, MassMatrix, Model, Real};

/// Scratch of [`crba_into`].
#[derive(Clone, Debug)]
pub struct CrbaWorkspace<T = f64> {
    /// Per body: Iᶜ of (1).
    composite: Vec<Inertia<T>>,
}

impl<T: Real> CrbaWorkspace<T> {
    pub fn new(model: &Model<T>) -> Self {
        Self { composite: vec![Inertia::zero(model.kind()); model.bodies.len()] }
    }
}

/// Writes M(q), armature on the diagonal.
#[inline(always)]
pub fn crba_into<T: Real>(
    model: &Model<T>,
    kin: &Kinematics<T>,
    workspace: &mut CrbaWorkspace<T>,
    M: &mut MassMatrix<T>,
) {
    assert_eq!(M.size(), model.nv(), "M has nv rows");
    let composite = &mut workspace.composite;
    composite.copy_from_slice(&kin.I);

    // Tip to base: (1).
    for b in (0..composite.len()).rev() {
        if let Some(parent) = kin.topology.parent[b] {
            let Ic_b = composite[b];
            composite[parent] += Ic_b;
        }
    }

    // Each dof feels the composite body outboard of it: (2), and its ancestors feel that: (3).
    for (i, (S, dof)) in kin.S.iter().zip(&model.dofs).enumerate() {
        let F = composite[dof.body] * *S;
        let row = M.pattern.row(i);
        for (entry, j) in M.entries[row].iter_mut().zip(M.pattern.columns(i)) {
            *entry = kin.S[*j as usize].dot(F);
        }
        M.add_diagonal(i, dof.armature);
    }
}
