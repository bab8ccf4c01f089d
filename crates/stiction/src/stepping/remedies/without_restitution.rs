//! No answer with restitution: the problem without it.
//!
//! Bodies that bounce between others may have no velocity at which all contacts part as Newton's law asks. Then nothing
//! bounces in this step, nor are errors of couplings and loops undone by velocities: v = 0 is admissible in every row, and an
//! answer exists [Acary2011].

use super::{Solving, doubtful, try_choice};
use crate::remedy::Remedy;
use crate::stepping::trial::Trial;
use stiction_assembly::Choice;

/// Where there is no good answer and contacts bounce: without restitution, if that has an answer.
pub(super) fn apply(s: &mut Solving<'_>, trial: &mut Trial) -> Option<Remedy> {
    if !s.posed.bounces() || !doubtful(s, trial) {
        return None;
    }
    try_choice(s, trial, Choice { restitution: 0.0, feedback: 0.0 }).then_some(Remedy::WithoutRestitution)
}
