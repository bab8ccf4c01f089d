//! What stands behind the Delassus matrix: M, J and v_free, for solvers that work on velocities.

/// A matrix by compressed rows.
#[derive(Clone, Debug, Default)]
pub struct Csr {
    /// Entries of row i: `start[i]..start[i + 1]`.
    pub start: Vec<usize>,
    pub column: Vec<usize>,
    pub value: Vec<f64>,
}

/// Find v⁺ with M (v⁺ − v_free) = Jᵀ λ and c = J v⁺ + bias, the same problem as (1) of
/// [`crate::problem`]. Units follow the coordinates of the model.
#[derive(Clone, Debug, Default)]
pub struct Primal {
    /// Velocity coordinates.
    pub nv: usize,
    /// M, both triangles, symmetric positive definite; implicit damping included.
    pub mass: Csr,
    /// J, one row per row of λ.
    pub jacobian: Csr,
    /// v_free.
    pub free_velocity: Vec<f64>,
    /// Stabilisation: g = J v_free + bias [m/s].
    pub bias: Vec<f64>,
}
