//! The pieces of the law that the blocks of an answer are on.

use crate::residual::StoppingResidual;
use stiction_contact::{Cone, ConstraintProblem};

/// The piece of the law that a block is on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Piece {
    /// The impulses are given and stay: an open contact, a row at a side of its box.
    Given,
    /// All of its impulses are free and all of its velocity vanishes: a contact that sticks, a bilateral row.
    Sticks,
    /// A contact that slides: λ = N (x, y, 1), with (x, y) = −μ ĉ_T, and c_N = 0.
    Slides { mu: f64, friction: [f64; 2] },
}

impl Piece {
    /// Friction that acts against the slip `c`.
    pub(super) fn turn(&mut self, c: &[f64]) {
        if let Self::Slides { mu, friction } = self {
            let speed = c[0].hypot(c[1]);
            if speed > 0.0 {
                *friction = [-*mu * c[0] / speed, -*mu * c[1] / speed];
            }
        }
    }
}

/// The pieces of `blocks` at an answer with velocities c.
pub(super) fn read(
    problem: &ConstraintProblem,
    stopping: &StoppingResidual,
    blocks: &[usize],
    impulses: &[f64],
    c: &[f64],
    tolerance: f64,
    out: &mut Vec<Piece>,
) {
    out.clear();
    out.extend(blocks.iter().map(|&i| {
        let rows = problem.range(i);
        let (lambda, c, cone) = (&impulses[rows.clone()], &c[rows], problem.cone(i));
        match cone {
            Cone::Friction { mu } if lambda[2] > 0.0 => {
                if mu > 0.0 && c[0].hypot(c[1]) > tolerance {
                    let mut piece = Piece::Slides { mu, friction: [0.0; 2] };
                    piece.turn(c);
                    piece
                } else if mu == 0.0 {
                    Piece::Slides { mu, friction: [0.0; 2] }
                } else {
                    Piece::Sticks
                }
            }
            Cone::Friction { .. } | Cone::Patch { .. } => Piece::Given,
            _ => {
                // Inside of its set, or at its border by no more than rounding.
                let target = lambda[0] - c[0] / stopping.norms[i];
                let mut inside = [target];
                cone.project(&mut inside);
                let border = match cone {
                    Cone::NonNegative => lambda[0] <= 0.0,
                    Cone::Box { lo, hi } => lambda[0] <= lo || lambda[0] >= hi,
                    _ => false,
                };
                if border || inside[0] != target { Piece::Given } else { Piece::Sticks }
            }
        }
    }));
}
