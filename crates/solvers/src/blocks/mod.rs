//! The blocks of a problem as sweeps see them, and one sweep over them.

pub(crate) mod pass;

use crate::local::Contact;
use crate::residual::StoppingResidual;
use stiction_contact::{Cone, ConstraintProblem};

/// A block as the sweep sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Block {
    Contact(Contact),
    /// A_ii and the set.
    Scalar(f64, Cone),
    /// μ and ‖A_ii‖_F of a contact that resists turning.
    Patch(f64, f64),
    /// Nothing this block does moves it.
    Inert,
}

/// The blocks of a problem, by its measured diagonal.
pub(crate) fn blocks_into(problem: &ConstraintProblem, stopping: &StoppingResidual, blocks: &mut Vec<Block>) {
    fill(problem, stopping, blocks, |a, _, mu| Contact::new(*a, mu));
}

/// The blocks for the pieces of [`crate::active_set`] alone: contacts without their inverses.
pub(crate) fn pieces_into(problem: &ConstraintProblem, stopping: &StoppingResidual, blocks: &mut Vec<Block>) {
    fill(problem, stopping, blocks, |a, norm, mu| {
        (a[8] > 0.0).then_some(Contact { a: *a, inverse: [0.0; 9], norm, mu })
    });
}

/// With what `contact` makes of A_ii, ‖A_ii‖_F and μ.
#[inline]
fn fill(
    problem: &ConstraintProblem,
    stopping: &StoppingResidual,
    blocks: &mut Vec<Block>,
    contact: impl Fn(&[f64; 9], f64, f64) -> Option<Contact>,
) {
    blocks.clear();
    let measured = problem.cones().iter().zip(&stopping.diagonal).zip(&stopping.norms);
    blocks.extend(measured.map(|((cone, a), &norm)| match *cone {
        Cone::Patch { mu, .. } if a[8] > 0.0 => Block::Patch(mu, norm),
        Cone::Friction { mu } => contact(a, norm, mu).map_or(Block::Inert, Block::Contact),
        cone @ (Cone::Free | Cone::NonNegative | Cone::Box { .. }) if a[0] > 0.0 => Block::Scalar(a[0], cone),
        Cone::Free | Cone::NonNegative | Cone::Box { .. } | Cone::Patch { .. } => Block::Inert,
    }));
}
