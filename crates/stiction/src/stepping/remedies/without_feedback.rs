//! No answer while errors of couplings and loops are undone: the problem without that.
//!
//! Bodies wedged between others, as links of a gripper that were drawn into each other, may have no velocity that undoes the
//! error of a coupling or loop. These errors are then taken out of the positions alone (`position_correction`). What is wedged
//! stays so for many steps, and a problem without an answer costs all iterations there are: the feedback stays out from step to
//! step while there is any.

use super::{Solving, doubtful, try_choice};
use crate::remedy::Remedy;
use crate::stepping::trial::Trial;
use stiction_assembly::Choice;

/// Feedback of less than this is none [m/s].
pub(crate) const NONE: f64 = 1e-8;

/// Where there is no good answer and g holds feedback: without it, if that has an answer.
pub(super) fn apply(s: &mut Solving<'_>, trial: &mut Trial) -> Option<Remedy> {
    if trial.choice.feedback == 0.0 || s.posed.feedback() <= NONE || !doubtful(s, trial) {
        return None;
    }
    let choice = Choice { feedback: 0.0, ..trial.choice };
    try_choice(s, trial, choice).then_some(Remedy::WithoutFeedback)
}
