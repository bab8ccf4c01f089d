//! The pieces of [`stiction_contact::pieces`] with one ρ = r for all rows of a block, and their residuals F.

use stiction_contact::cone::MAX_ROWS;
use stiction_contact::{Cone, pieces};

/// A direction among the tangential rows of a block, in the order of [`tangential_rows`].
pub(super) type Along = [f64; MAX_ROWS - 1];

/// The piece that a block is on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Piece {
    /// The impulses of the block have this value [N·s]: zero of an open contact, a side of its box of a row that is there.
    Fixed(f64),
    /// All rows of its velocity vanish.
    Sticks,
    /// The normal velocity of the block vanishes, and it has no friction.
    Closed,
    /// It slides: friction is μ τ_N along `along`, `share` = μ τ_N/‖τ_T‖ [–], `stiff` = 1/r [1/kg].
    Slides { along: Along, mu: f64, share: f64, stiff: f64 },
}

impl Piece {
    /// True for two pieces of one kind, whatever the direction of friction.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// The piece of a block with impulses λ and velocities c, and ‖F‖² [N²s²]; r = 1/`stiff`.
#[inline(always)]
pub(super) fn piece_of(cone: Cone, stiff: f64, lambda: &[f64], c: &[f64]) -> (Piece, f64) {
    let r = 1.0 / stiff;
    let velocity = || r * r * c.iter().map(|c| c * c).sum::<f64>();
    match (cone, lambda, c) {
        (Cone::Free, ..) => (Piece::Sticks, velocity()),
        (Cone::NonNegative, &[l], &[v]) => {
            if l - r * v <= 0.0 {
                (Piece::Fixed(0.0), l * l)
            } else {
                (Piece::Closed, velocity())
            }
        }
        (Cone::Box { lo, hi }, &[l], &[v]) => {
            let tau = l - r * v;
            let side = if tau < lo { lo } else { hi };
            if tau < lo || tau > hi {
                (Piece::Fixed(side), (l - side).powi(2))
            } else {
                (Piece::Sticks, velocity())
            }
        }
        (Cone::Friction { .. }, &[x, y, n], &[u, v, w]) => contact(cone, stiff, [x, y, n], [u, v, w]),
        (Cone::Friction { .. } | Cone::Patch { .. } | Cone::NonNegative | Cone::Box { .. }, ..) => {
            let all = |x: &[f64]| std::array::from_fn(|k| x.get(k).copied().unwrap_or(0.0));
            contact::<MAX_ROWS>(cone, stiff, all(lambda), all(c))
        }
    }
}

/// The piece of a contact, zeros after the rows there are, and ‖F‖² [N²s²].
#[inline(always)]
fn contact<const N: usize>(cone: Cone, stiff: f64, lambda: [f64; N], c: [f64; N]) -> (Piece, f64) {
    let (r, mu, normal) = (1.0 / stiff, cone.friction().unwrap_or(0.0), cone.normal());
    let square = |x: &[f64; N]| x.iter().map(|x| x * x).sum::<f64>();
    let tau: [f64; N] = std::array::from_fn(|k| lambda[k] - r * c[k]);
    let tangents = cone.tangential_rows();
    match pieces::Piece::of(mu, &tau) {
        pieces::Piece::Open => (Piece::Fixed(0.0), square(&lambda)),
        pieces::Piece::Sticks => (Piece::Sticks, r * r * square(&c)),
        pieces::Piece::Closed => {
            let held: f64 = tangents.iter().map(|&t| lambda[t] * lambda[t]).sum();
            (Piece::Closed, held + (r * c[normal]).powi(2))
        }
        pieces::Piece::Slides { size, radius } => {
            let mut along = Along::default();
            tangents.iter().zip(&mut along).for_each(|(&t, u)| *u = tau[t] / size);
            let off: f64 = tangents.iter().zip(along).map(|(&t, u)| (lambda[t] - radius * u).powi(2)).sum();
            (Piece::Slides { along, mu, share: radius / size, stiff }, off + (r * c[normal]).powi(2))
        }
    }
}

/// Puts impulses of a block where its `piece` says: to their value, or with friction along the direction of
/// `piece` as large as that of
/// the piece `now`, whose direction may have turned since. True if they have moved.
#[inline(always)]
pub(super) fn put(cone: Cone, piece: &Piece, now: &Piece, lambda: &mut [f64]) -> bool {
    let mut moved = false;
    match piece {
        Piece::Sticks => {}
        Piece::Fixed(value) => {
            moved = lambda.iter().any(|l| l != value);
            lambda.fill(*value);
        }
        Piece::Closed => {
            for &t in cone.tangential_rows() {
                moved |= lambda[t] != 0.0;
                lambda[t] = 0.0;
            }
        }
        Piece::Slides { along, mu, .. } => {
            let tangents = cone.tangential_rows();
            let turned = if let Piece::Slides { along: now, .. } = now {
                along.iter().zip(now).map(|(u, v)| u * v).sum()
            } else {
                1.0
            };
            let on: f64 = tangents.iter().zip(along).map(|(&t, u)| lambda[t] * u).sum();
            let more = turned * mu * lambda[cone.normal()] - on;
            tangents.iter().zip(along).for_each(|(&t, u)| lambda[t] += more * u);
            moved = more != 0.0;
        }
    }
    moved
}
