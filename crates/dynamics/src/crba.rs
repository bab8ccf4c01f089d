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
//! The six dofs of a free root are the axes e of the world and those a of its body, through O; with mass m, first
//! moment h and second I of the composite body there is nothing to project,
//!
//! ```text
//!     M_ee = m 1,   M_aa = aᵀ I a,   M_ae = a × h                                           (4)
//! ```
//!
//! Units: M_ij [kg·m², kg·m or kg], by the units of v_i and v_j. Cost O(nv · depth).

use crate::kinematics::Kinematics;
use crate::mass_matrix::MassMatrix;
use crate::mass_matrix::TRUNK;
use crate::model::Model;
use crate::real::Real;
use crate::spatial::{Inertia, Motion};
use std::ops::Range;

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
    for bodies in &kin.selection.bodies {
        composite[bodies.clone()].copy_from_slice(&kin.I[bodies.clone()]);
    }

    // Tip to base: (1).
    for bodies in kin.selection.bodies.iter().rev() {
        for b in bodies.clone().rev() {
            if let Some(parent) = kin.topology.parent[b] {
                let Ic_b = composite[b];
                composite[parent] += Ic_b;
            }
        }
    }
    for dofs in &kin.selection.dofs {
        rows(model, kin, composite, dofs.clone(), M);
    }
}

/// Each of `dofs` feels the composite body outboard of it: (2), and its ancestors feel that: (3).
#[inline(always)]
fn rows<T: Real>(
    model: &Model<T>,
    kin: &Kinematics<T>,
    composite: &[Inertia<T>],
    of: Range<usize>,
    M: &mut MassMatrix<T>,
) {
    let n = of.end;
    let (dofs, S) = (&model.dofs[..n], &kin.S[..n]);
    let mut i = of.start;
    while i < n {
        let (dof, place) = (&dofs[i], M.pattern.places()[..n][i]);
        let Ic = composite[dof.body];
        if place.free {
            free_root(&Ic, &S[i..i + TRUNK], M, i);
            for (k, dof) in dofs[i..i + TRUNK].iter().enumerate() {
                M.entries[M.pattern.start(i + k)] += dof.armature;
            }
            i += TRUNK;
            continue;
        }
        let F = Ic * S[i];
        let row = &mut M.entries[place.start..place.end];
        row[0] = S[i].dot(F) + dof.armature;
        for (entry, j) in row[1..].iter_mut().zip(M.pattern.branch_in(place)) {
            *entry = S[*j as usize].dot(F);
        }
        if let (Some(root), Some(trunk)) = (place.trunk, row.last_chunk_mut::<TRUNK>()) {
            // The columns of a free root are the axes of the body, through O, and of the world.
            let root = &S[root..][..TRUNK];
            let [x, y, z] = [root[3].angular, root[4].angular, root[5].angular];
            let (n, f) = (F.angular, F.linear);
            *trunk = [z.dot(n), y.dot(n), x.dot(n), f.z, f.y, f.x];
        }
        i += 1;
    }
}

/// (4): the rows of M from `first`, of a free root with the dofs `S`.
#[inline(always)]
fn free_root<T: Real>(composite: &Inertia<T>, S: &[Motion<T>], M: &mut MassMatrix<T>, first: usize) {
    let (entries, pattern) = (&mut M.entries, &M.pattern);
    let (m, o) = (composite.mass, composite.mass.zero());
    entries[pattern.start(first)] = m;
    entries[pattern.start(first + 1)..][..2].copy_from_slice(&[m, o]);
    entries[pattern.start(first + 2)..][..3].copy_from_slice(&[m, o, o]);
    let [a, b, c] = [S[3].angular, S[4].angular, S[5].angular];
    let (Ia, Ib, Ic) = (composite.second * a, composite.second * b, composite.second * c);
    let (f, g, h) = (a.cross(composite.first), b.cross(composite.first), c.cross(composite.first));
    entries[pattern.start(first + 3)..][..4].copy_from_slice(&[a.dot(Ia), f.z, f.y, f.x]);
    entries[pattern.start(first + 4)..][..5].copy_from_slice(&[b.dot(Ib), a.dot(Ib), g.z, g.y, g.x]);
    entries[pattern.start(first + 5)..][..6].copy_from_slice(&[
        c.dot(Ic),
        b.dot(Ic),
        a.dot(Ic),
        h.z,
        h.y,
        h.x,
    ]);
}

#[cfg(test)]
mod tests {
    use crate::spatial::vec3;
    use crate::testing::*;

    /// Column j of M is the effort of unit acceleration, less that of none.
    #[test]
    fn columns_are_inverse_dynamics() {
        let model = random_trees(10, 20);
        let (q, v) = random_state(&model, 10);
        let (kin, vel) = at(&model, &q, &v);
        let (n, M, bias) = (model.nv(), mass_matrix(&model, &kin).to_dense(), bias(&model, &kin, &vel));
        for j in 0..n {
            let mut a = vec![0.0; n];
            a[j] = 1.0;
            let column: Vec<f64> = (0..n).map(|i| M[i * n + j] + bias[i]).collect();
            assert_close(&rnea(&model, &kin, &vel, &a), &column, 1e-13);
        }
    }

    /// ½ vᵀMv must equal the energy summed body by body: a path that never forms M.
    #[test]
    fn quadratic_form_is_kinetic_energy() {
        let model = random_trees(11, 20);
        let (q, v) = random_state(&model, 11);
        let (kin, vel) = at(&model, &q, &v);
        let mut Mv = vec![0.0; model.nv()];
        mass_matrix(&model, &kin).mul_into(&v, &mut Mv);
        let energy: f64 = (model.bodies.iter().enumerate())
            .map(|(b, body)| {
                let (I, V) = (body.inertia, com_motion(&model, &kin, &vel, b));
                let w_B = kin.X_WB[b].rotation.conjugate().rotate(V.angular);
                0.5 * (I.mass * V.linear.norm_squared() + w_B.dot(I.about_com() * w_B))
            })
            .sum();
        let rotors: f64 = model.dofs.iter().zip(&v).map(|(d, v)| 0.5 * d.armature * v * v).sum();
        assert_close(&[0.5 * dot(&v, &Mv)], &[energy + rotors], 1e-13);
    }

    #[test]
    fn pendulums() {
        let model = pendulum(2.0, 0.5);
        assert_close(&mass_matrix(&model, &at(&model, &[0.7], &[0.0]).0).to_dense(), &[0.5], 1e-15);
        let model = double_pendulum(1.0, 1.0);
        let c = 1.1_f64.cos();
        let M = mass_matrix(&model, &at(&model, &[0.4, 1.1], &[0.0; 2]).0).to_dense();
        assert_close(&M, &[3.0 + 2.0 * c, 1.0 + c, 1.0 + c, 1.0], 1e-14);
    }

    /// A thousand kilometres from the world origin nothing is lost.
    #[test]
    fn far_from_the_origin_the_same_matrix() {
        let far = vec3(1e6, -1e6, 1e6);
        let (here, there) = (random_trees(12, 20), random_trees_at(12, 20, far));
        let (q, v) = random_state(&here, 12);
        let mut q_far = q.clone();
        for k in 0..3 {
            q_far[k] += far[k]; // the free root
        }
        let (M, M_far) = (
            mass_matrix(&here, &at(&here, &q, &v).0).to_dense(),
            mass_matrix(&there, &at(&there, &q_far, &v).0).to_dense(),
        );
        assert_close(&M_far, &M, 1e-14);
    }
}
