//! The answer of equal stiff springs, loaded from nothing.

use super::{Budget, Form, Iterate, Outcome, Stage, rest};
use crate::springs::{Answer, Question};
use crate::trees::TreeSystem;
use crate::view::Reached;
use stiction_contact::SolveReport;

/// The answer of springs where that is an answer. Else the springs' impulses, where there are any, are the
/// start of what follows.
pub(super) struct OfSprings;

impl Stage for OfSprings {
    fn run(&self, at: &mut Iterate<'_, '_>, _: Budget) -> Outcome {
        if !at.known.few_rows {
            return Outcome::GoesOn;
        }
        let (law, params, tolerance) = (at.rule.law(), &at.params.settings.springs, at.tolerance);
        let mut given = std::mem::take(&mut at.ws.given);
        at.impulses.clone_into(&mut given);
        let mut steps = 0;
        let question = Question { problem: at.form.problem(), stopping: &at.ws.stopping, params, tolerance };
        let mut answer = at.ws.springs.answer(&question, at.impulses);
        if let Answer::Stalled = answer
            && let Some(soft) = equilibrium(at)
        {
            let problem = at.form.problem();
            at.ws.prepare(problem);
            steps = soft.iterations;
            if soft.converged() {
                let question = Question { problem, stopping: &at.ws.stopping, params, tolerance };
                answer = at.ws.springs.go_on(&question, &at.ws.equilibrium, at.impulses);
            }
        }
        let residual = if let Answer::Found(found) = answer { found.residual } else { f64::INFINITY };
        if residual > tolerance {
            // What has no answer drives springs far: the nearer of both is where the chain starts.
            let problem = at.form.problem();
            problem.velocities_into(&given, &mut at.ws.c);
            if !(residual < at.ws.residual(problem, law, &given, &at.ws.c)) {
                at.impulses.copy_from_slice(&given);
            }
        }
        at.ws.given = given;
        match answer {
            Answer::Found(found) if found.residual <= tolerance => {
                at.solved(steps + found.steps, found.residual)
            }
            _ => Outcome::GoesOn,
        }
    }
}

/// The equilibrium of the springs by the chain of an exact law, into `ws.equilibrium`, from the impulses.
fn equilibrium(at: &mut Iterate<'_, '_>) -> Option<SolveReport> {
    let (law, params, problem) = (at.rule.law(), &at.params.settings.springs, at.form.problem());
    let mut soft = at.ws.soft.take().unwrap_or_default();
    if problem.blocks_formed() {
        soft.copy_blocks_of(problem);
        soft.delassus_factor.clone_from(&problem.delassus_factor);
    } else {
        soft.copy_rows_of(problem);
    }
    at.ws.springs.soften(params, &mut soft);
    let formed = TreeSystem::pays(&soft) || soft.form_blocks().is_ok();
    let mut lambda = std::mem::take(&mut at.ws.equilibrium);
    at.impulses.clone_into(&mut lambda);
    law.project_all(&soft, &mut lambda);
    at.ws.prepare(&soft);
    at.ws.methods.newton.forget();
    let mut inner = at.on(None);
    (inner.form, inner.impulses, inner.known.soft) = (Form::Given(&soft), &mut lambda, true);
    inner.tolerance *= params.by_chain;
    inner.max_iterations = inner.params.max_iterations;
    inner.reached = Reached { residual: f64::INFINITY, steps: 0 };
    inner.find_residual();
    let bounds = inner.bounds;
    let report = (formed && inner.reached.residual.is_finite())
        .then(|| bounds.keep(bounds.budget_of(&soft), || rest(&mut inner)));
    (at.ws.equilibrium, at.ws.soft) = (lambda, Some(soft));
    report
}
