//! The pieces of the exact law of a contact, and which of them it is on.
//!
//! With τ = λ − ρ c, ρ > 0 for each row, [AlartCurnier1991] write the law as F = 0, F smooth on each piece:
//!
//! ```text
//!     open     τ_N ≤ 0                F = λ                                        (1)
//!     sticks   ‖τ_T‖ ≤ μ τ_N          F = ρ c                                      (2)
//!     slides   otherwise              F = (λ_T − μ τ_N τ_T/‖τ_T‖, ρ_N c_N)         (3)
//! ```
//!
//! Without friction a contact that is not open is closed: (3) without its direction.

/// The row of the normal.
const NORMAL: usize = 2;

/// The piece of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Piece {
    Open,
    /// Closed, and without friction.
    Closed,
    Sticks,
    /// ‖τ_T‖, and the largest that sticks: μ τ_N.
    Slides {
        size: f64,
        radius: f64,
    },
}

impl Piece {
    /// The piece at τ. Its rows are those of a [`crate::Cone::Friction`], or of a [`crate::Cone::Patch`] with
    /// zeros after them.
    #[inline(always)]
    pub fn of<const N: usize>(mu: f64, tau: &[f64; N]) -> Self {
        let normal = tau[NORMAL];
        if normal <= 0.0 {
            return Self::Open;
        }
        if mu == 0.0 {
            return Self::Closed;
        }
        let along = tau.iter().enumerate().filter(|(k, _)| *k != NORMAL);
        let (size, radius) = (along.map(|(_, t)| t * t).sum::<f64>().sqrt(), mu * normal);
        if size <= radius { Self::Sticks } else { Self::Slides { size, radius } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both sides of every boundary, of a contact and of a patch.
    #[test]
    fn a_contact_is_on_one_piece() {
        assert_eq!(Piece::of(0.5, &[1.0, 0.0, 0.0]), Piece::Open);
        assert_eq!(Piece::of(0.0, &[1.0, 0.0, 1e-9]), Piece::Closed);
        assert_eq!(Piece::of(0.5, &[0.3, 0.4, 1.0]), Piece::Sticks);
        assert_eq!(Piece::of(0.5, &[3.0, 4.0, 1.0]), Piece::Slides { size: 5.0, radius: 0.5 });
        assert_eq!(Piece::of(0.5, &[0.3, 0.0, 1.0, 0.4, 0.0, 0.0]), Piece::Sticks);
        assert_eq!(Piece::of(0.5, &[3.0, 0.0, 1.0, 4.0, 0.0, 0.0]), Piece::Slides { size: 5.0, radius: 0.5 });
    }
}
