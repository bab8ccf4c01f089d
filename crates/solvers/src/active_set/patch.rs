//! The Newton finish of contacts that resist turning: [`super`] in more tangential directions.
//!
//! Of a sliding patch, divided by ρ_T, with e, q and r as there,
//!
//! ```text
//!     Δλ_T − e μ (Δλ_N − ρ_N Δc_N) − q (1 − e eᵀ) (Δλ_T − ρ_T Δc_T) = −(λ_T − r e)
//! ```

use super::piece::Piece;
use crate::view::View;
use stiction_contact::cone::MAX_ROWS;
use stiction_contact::pieces;

/// Weights of Δc and of Δλ in the equations of a patch, and their right-hand sides.
pub(super) struct Patch {
    pub(super) left: [[f64; MAX_ROWS]; MAX_ROWS],
    pub(super) own: [[f64; MAX_ROWS]; MAX_ROWS],
    pub(super) rhs: [f64; MAX_ROWS],
}

/// Weights and right-hand sides of block i on `piece`, at λ and c, of which c moves by Δc because of what is known.
pub(super) fn equations(
    piece: &Piece,
    view: &View,
    i: usize,
    [lambda, c, d_c]: [&[f64]; 3],
    regularisation: f64,
) -> Patch {
    let (first, dim) = (view.problem.range(i).start, view.problem.range(i).len());
    let (mut left, mut own) = ([[0.0; MAX_ROWS]; MAX_ROWS], [[0.0; MAX_ROWS]; MAX_ROWS]);
    let mut rhs = [0.0; MAX_ROWS];
    let c = |k: usize| c[first + k] + d_c[first + k];
    match *piece {
        Piece::Stick => {
            for k in 0..dim {
                left[k][k] = 1.0;
                rhs[k] = -c(k);
            }
        }
        Piece::Turn { e, q, mu, rho_n, rho_t, r } => {
            (left[2][2], rhs[2]) = (1.0, -c(2));
            for k in 0..dim - 1 {
                let row = tangent(k);
                left[row][2] = mu * rho_n * e[k] / rho_t;
                own[row][2] = -mu * e[k] / rho_t;
                for l in 0..dim - 1 {
                    let same = f64::from(u8::from(k == l));
                    let across = q * (same - e[k] * e[l]);
                    left[row][tangent(l)] = across;
                    own[row][tangent(l)] = (same - across) / rho_t;
                }
                let moved: f64 = (0..dim).map(|l| left[row][l] * d_c[first + l]).sum();
                rhs[row] = -(lambda[first + row] - r * e[k]) / rho_t - moved;
            }
        }
        _ => {}
    }
    for l in 0..dim {
        let raised = view.problem.compliance[first + l] + regularisation * view.stopping.norms[i];
        (0..dim).for_each(|k| own[k][l] += left[k][l] * raised);
    }
    Patch { left, own, rhs }
}

/// The piece of a patch; `a_nn` is (G + R)_NN.
pub(super) fn piece_of(a_nn: f64, norm: f64, mu: f64, l: &[f64], c: &[f64]) -> Piece {
    let (rho_n, rho_t) = (1.0 / a_nn, 1.0 / norm);
    let mut tau = [0.0; MAX_ROWS];
    for (k, (l, c)) in l.iter().zip(c).enumerate() {
        tau[k] = l - if k == 2 { rho_n } else { rho_t } * c;
    }
    let (e, q, r) = match pieces::Piece::of(mu, &tau) {
        pieces::Piece::Open => return Piece::Fixed,
        pieces::Piece::Sticks => return Piece::Stick,
        pieces::Piece::Closed => ([0.0; MAX_ROWS - 1], 0.0, 0.0),
        pieces::Piece::Slides { size, radius } => {
            (std::array::from_fn(|k| tau[tangent(k)] / size), radius / size, radius)
        }
    };
    Piece::Turn { e, q, mu, rho_n, rho_t, r }
}

/// Row of the tangential direction k.
fn tangent(k: usize) -> usize {
    if k < 2 { k } else { k + 1 }
}
