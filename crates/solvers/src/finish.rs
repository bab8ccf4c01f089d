//! placeholder
use stiction_contact::ConstraintProblem;
#[derive(Default)]
pub(crate) struct Finish {}
impl Finish {
    pub(crate) fn start(&mut self, _problem: &ConstraintProblem, _on: bool) {}
}
