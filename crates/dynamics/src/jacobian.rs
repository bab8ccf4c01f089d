//! Jacobians of points and bodies, column by column along the chain to the root.
//!
//! ```text
//!     v_p = Σ_{i ∈ chain(B)} J_i v_i,   J_i = S_i.linear + S_i.angular × (p − O)     (1)
//! ```

use crate::spatial::{Motion, Vec3};
use crate::{Kinematics, Model, Real};

impl<T> Model<T> {
    /// The dofs that move `body`, from it to the root, descending; none for the world.
    pub fn chain(&self, body: Option<usize>) -> impl Iterator<Item = usize> {
        let last = body.and_then(|b| self.bodies[b].dofs.clone().next_back());
        std::iter::successors(last, |i| self.dofs[*i].parent)
    }
}

/// (1): velocity in W, per unit v of `dof`, of the point now at `p_W` of a body that `dof` moves;
/// `tree` is the tree of both.
#[inline(always)]
pub fn jacobian_column<T: Real>(kin: &Kinematics<T>, dof: usize, tree: usize, p_W: Vec3<T>) -> Vec3<T> {
    kin.S[dof].linear_at(p_W - kin.reference[tree])
}

/// Writes the Jacobian (nv columns) of the point of `body` now at `p_W`, velocities in W.
#[inline(always)]
pub fn point_jacobian_into<T: Real>(
    model: &Model<T>,
    kin: &Kinematics<T>,
    body: Option<usize>,
    p_W: Vec3<T>,
    J: &mut [Vec3<T>],
) {
    assert_eq!(J.len(), model.nv(), "J has nv columns");
    J.fill(Vec3::zero(model.kind()));
    let Some(b) = body else { return };
    let r = p_W - kin.reference[model.bodies[b].tree];
    for i in model.chain(body) {
        J[i] = kin.S[i].linear_at(r);
    }
}

/// Writes the Jacobian (nv columns, six rows) of `body`: angular velocity and velocity of the
/// body's origin, both in W.
#[inline(always)]
pub fn body_jacobian_into<T: Real>(
    model: &Model<T>,
    kin: &Kinematics<T>,
    body: Option<usize>,
    J: &mut [Motion<T>],
) {
    assert_eq!(J.len(), model.nv(), "J has nv columns");
    J.fill(Motion::zero(model.kind()));
    let Some(b) = body else { return };
    for i in model.chain(body) {
        J[i] = Motion::new(kin.S[i].angular, kin.S[i].linear_at(kin.p_OB[b]));
    }
}
