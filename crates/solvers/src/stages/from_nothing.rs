//! Once more from no impulses, where those of the start have led nowhere.

use super::ways::Multipliers;
use super::{Budget, Iterate, Outcome, Stage};
use crate::work;
use stiction_contact::ConstraintProblem;

/// From no impulses at all, with the iterations that are left: first by the augmented Lagrangian, then by
/// rows where these are few; the nearer of both stays. Large islands that are near an answer start again from
/// there.
pub(super) struct FromNothing;

impl Stage for FromNothing {
    fn run(&self, at: &mut Iterate<'_, '_>, _: Budget) -> Outcome {
        let left = at.left(u32::MAX);
        if left == 0 || work::spent() {
            return Outcome::Passed;
        }
        let (law, islands, first) = (at.rule.law(), at.tuning().islands, at.reached);
        let mut found = std::mem::take(&mut at.ws.found);
        at.impulses.clone_into(&mut found);
        let mut rows = at.ws.rows.take().unwrap_or_default();
        // A start from nothing leads no nearer in large islands: it costs as much and loses what is right.
        let size = at.form.problem().rows();
        let stays = size > islands.many && first.residual <= islands.near * at.tolerance;
        if !stays {
            at.impulses.fill(0.0);
            law.project_all(at.form.problem(), at.impulses);
        }
        at.find_residual();
        at.ws.methods.newton.forget();
        let another = !stays && at.has_multipliers();
        (at.reached.steps, at.max_iterations) = (0, left);
        if another {
            let t = &at.tuning().attempts;
            let steps = if size > islands.many { t.last_steps_many } else { t.last_steps };
            at.replace_along(&Multipliers, at.tolerance, steps);
        }
        let steps = at.reached.steps;
        let by_rows = another && size <= islands.path && copy_blocks(at.form.problem(), &mut rows);
        let mut again = at.on(by_rows.then_some(&rows));
        (again.reached.steps, again.max_iterations) = (0, left - steps);
        let status = again.sweep_on();
        let second = again.report(status);
        at.ws.rows = Some(rows);
        at.max_iterations += first.steps;
        at.reached.steps = first.steps + steps + second.iterations;
        if second.settled() || second.residual < first.residual {
            (at.status, at.reached.residual) = (status, second.residual);
        } else {
            at.impulses.copy_from_slice(&found);
            at.reached.residual = first.residual;
        }
        at.ws.found = found;
        at.goes_on()
    }
}

/// `out` becomes `problem` without the factor of its G, by blocks alone; false if these cannot be formed.
fn copy_blocks(problem: &ConstraintProblem, out: &mut ConstraintProblem) -> bool {
    if problem.blocks_formed() {
        out.copy_blocks_of(problem);
        return true;
    }
    out.copy_rows_of(problem);
    let formed = out.form_blocks().is_ok();
    out.delassus_factor.clear();
    formed
}
