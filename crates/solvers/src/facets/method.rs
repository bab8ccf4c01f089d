//! [`super`] as the iteration of a solver: from five starting points if need be, finished by Newton.

use super::{Facets, Form};
use crate::active_set::Newton;
use crate::blocks::{Block, blocks_into};
use crate::iterate::Method;
use crate::task::Task;
use crate::tuning::{FacetsTuning, Tuning};
use crate::view::View;

/// How steps are made.
#[derive(Clone, Copy)]
pub struct Steps {
    pub(crate) form: Form,
    pub(crate) tuning: FacetsTuning,
}

/// Holds during one solve.
#[derive(Default)]
pub struct FacetsMethod {
    facets: Facets,
    newton: Newton,
    tuning: Tuning,
    blocks: Vec<Block>,
    /// What blocks hold that cannot change.
    first: Vec<f64>,
    c: Vec<f64>,
    starts: usize,
    /// Steps since the last start.
    steps: u32,
}

impl Method for FacetsMethod {
    type Params = Steps;

    fn patience(steps: &Steps) -> u32 {
        steps.tuning.steps.saturating_mul(FacetsTuning::STARTS.len() as u32)
    }

    fn start(&mut self, &Steps { form, tuning }: &Steps, task: &Task, lambda: &[f64], _c: &[f64]) -> bool {
        blocks_into(task.problem, task.stopping, &mut self.blocks);
        lambda.clone_into(&mut self.first);
        self.starts = 0;
        self.facets.set(form, tuning);
        self.tuning.facets = tuning;
        self.begin(task);
        true
    }

    fn iterate(&mut self, Steps { tuning: t, .. }: &Steps, task: &Task, lambda: &mut [f64]) -> bool {
        let going = self.facets.step(task.problem) > 0.0;
        self.steps += 1;
        self.facets.impulses_into(task.problem, task.law, lambda);
        let over = !going || self.facets.stuck() || self.steps == t.steps;
        if over || self.steps >= t.first && (self.steps - t.first).is_multiple_of(t.between) {
            task.problem.velocities_into(lambda, &mut self.c);
            let e = task.stopping.residual(task.problem, task.law, lambda, &self.c);
            if e > task.tolerance {
                let Task { problem, stopping, law, .. } = *task;
                let view = View {
                    problem,
                    blocks: &self.blocks,
                    stopping,
                    law,
                    sweeps: false,
                    tuning: &self.tuning,
                };
                let reached = self.newton.solve(&view, lambda, e, task.tolerance, t.newton_steps);
                if over && reached.residual > task.tolerance {
                    return self.begin(task);
                }
            }
        }
        true
    }
}

impl FacetsMethod {
    /// From the next starting point; false if there is none.
    fn begin(&mut self, task: &Task) -> bool {
        let Some(&scales) = FacetsTuning::STARTS.get(self.starts) else { return false };
        self.facets.start(task.problem, task.stopping, task.law, &self.first, scales);
        (self.starts, self.steps) = (self.starts + 1, 0);
        true
    }
}
