//! Blocks between free bodies, ready to be added to 1 + Σᵢ Wᵢᵀ Dᵢ Wᵢ again and again: rows of W as registers hold them,
//! and where their products go.

use super::{Block, product};
use stiction_dynamics::spatial::Vec3;

/// Rows of the six columns of a block on one free body, by ascending coordinate.
type Rows = [[f64; 6]; 3];

/// See the module.
#[derive(Clone, Copy)]
pub(super) enum Ready {
    /// On one body, and where its block of the diagonal starts.
    One(Rows, usize),
    /// On two, p and q, and where (p, p), (p, q), (q, p), (q, q) start.
    Two([Rows; 2], [usize; 4]),
    /// Other trees.
    Not,
}

impl Ready {
    /// From the columns of a free body, which come last coordinate first.
    pub(super) fn rows(columns: &[Vec3; 6]) -> Rows {
        let row = |of: fn(&Vec3) -> f64| std::array::from_fn(|at| of(&columns[5 - at]));
        [row(|w| w.x), row(|w| w.y), row(|w| w.z)]
    }

    /// Adds Wᵢᵀ D Wᵢ, of a `symmetric` one the upper blocks, which come before the lower; false if it is not ready.
    #[inline(always)]
    pub(super) fn add(&self, d: &Block, symmetric: bool, values: &mut [f64]) -> bool {
        match self {
            Self::One(w, at) => add_product(w, &product(d, w), values, *at),
            Self::Two([p, q], at) => {
                let (dp, dq) = (product(d, p), product(d, q));
                add_product(p, &dp, values, at[0]);
                if !symmetric || at[1] < at[2] {
                    add_product(p, &dq, values, at[1]);
                }
                if !symmetric || at[2] < at[1] {
                    add_product(q, &dp, values, at[2]);
                }
                add_product(q, &dq, values, at[3]);
            }
            Self::Not => return false,
        }
        true
    }
}

/// C += Uᵀ V, C at `at`.
#[inline(always)]
fn add_product(u: &Rows, v: &Rows, values: &mut [f64], at: usize) {
    for (r, out) in values[at..at + 36].as_chunks_mut::<6>().0.iter_mut().enumerate() {
        for k in 0..6 {
            out[k] += u[0][r] * v[0][k] + u[1][r] * v[1][k] + u[2][r] * v[2][k];
        }
    }
}
