//! Condition of the mass matrix.
//!
//! ```text
//!     κ(M) = λ_max / λ_min                                                       (1)
//!     C = D^(−1/2) M D^(−1/2),  D = diag M,  κ(C)                                (2)
//! ```
//!
//! (1) depends on units, for rows of metres and of radians stand side by side; (2) does not, and is
//! within a factor n of the best any choice of units could do [VanDerSluis1969].

use super::spectrum::eigenvalues;
use stiction_dynamics::{CrbaWorkspace, Kinematics, MassMatrix, crba_into};
use stiction_world::World;

/// Larger models are not looked at: the work grows with the cube.
const MAX_DOFS: usize = 150;

/// Condition of the mass matrix at the reference posture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    pub dofs: usize,
    /// κ(M), (1); infinite where M has no inverse.
    pub condition: f64,
    /// κ(C), (2): that of any units.
    pub scaled: f64,
}

/// `None` without dofs, or with too many.
pub(super) fn condition(world: &World) -> Option<Condition> {
    let (M, n) = matrix(world)?;
    let at = |i: usize| M.get(i * n + i).copied().unwrap_or(0.0);
    let scale = |k: usize| (at(k / n) * at(k % n)).sqrt();
    let C: Vec<f64> = M.iter().enumerate().map(|(k, x)| if *x == 0.0 { 0.0 } else { x / scale(k) }).collect();
    let scaled = if (0..n).all(|i| at(i) > 0.0) { ratio(C, n) } else { f64::INFINITY };
    Some(Condition { dofs: n, condition: ratio(M, n), scaled })
}

/// M by rows and its size; `None` without dofs, or with too many.
pub(super) fn matrix(world: &World) -> Option<(Vec<f64>, usize)> {
    let model = &world.model;
    let n = model.nv();
    if n == 0 || n > MAX_DOFS {
        return None;
    }
    let mut kin = Kinematics::new(model);
    kin.update(model, &model.neutral());
    let mut M = MassMatrix::new(model);
    crba_into(model, &kin, &mut CrbaWorkspace::new(model), &mut M);
    Some((M.to_dense(), n))
}

/// Largest over smallest eigenvalue; infinite when one is not positive.
fn ratio(a: Vec<f64>, n: usize) -> f64 {
    let values = eigenvalues(a, n);
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    if least > 0.0 { most / least } else { f64::INFINITY }
}
