//! [`super`] as the iteration of a solver: from five starting points if need be, finished by Newton.

use super::{Facets, Form};
use crate::active_set::Newton;
use crate::blocks::{Block, blocks_into};
use crate::iterate::Method;
use crate::task::Task;
use crate::view::View;

/// Interior steps of a start before the first attempt of Newton's, and between attempts.
const FIRST: u32 = 12;
const BETWEEN: u32 = 6;
/// Interior steps of a start.
const MOST: u32 = 60;
const NEWTON_STEPS: u32 = 10;
/// Starting points, as multiples of the problem's scales of impulse and speed.
const STARTS: [(f64, f64); 5] = [(1.0, 1.0), (10.0, 10.0), (100.0, 100.0), (0.1, 1.0), (1.0, 100.0)];

/// Holds during one solve.
#[derive(Default)]
pub struct FacetsMethod {
    facets: Facets,
    newton: Newton,
    blocks: Vec<Block>,
    /// What blocks hold that cannot change.
    first: Vec<f64>,
    c: Vec<f64>,
    starts: usize,
    /// Steps since the last start.
    steps: u32,
}

impl Method for FacetsMethod {
    type Params = Form;
    const PATIENCE: u32 = 5 * MOST;

    fn start(&mut self, &form: &Form, task: &Task, lambda: &[f64], _c: &[f64]) -> bool {
        blocks_into(task.problem, task.stopping, &mut self.blocks);
        self.first.clear();
        self.first.extend_from_slice(lambda);
        self.starts = 0;
        self.facets.set_form(form);
        self.begin(task);
        true
    }

    fn iterate(&mut self, _: &Form, task: &Task, lambda: &mut [f64]) -> bool {
        let going = self.facets.step(task.problem) > 0.0;
        self.steps += 1;
        self.facets.impulses_into(task.problem, task.law, lambda);
        let over = !going || self.facets.stuck() || self.steps == MOST;
        if over || self.steps >= FIRST && (self.steps - FIRST).is_multiple_of(BETWEEN) {
            task.problem.velocities_into(lambda, &mut self.c);
            let e = task.stopping.residual(task.problem, task.law, lambda, &self.c);
            if e > task.tolerance {
                let Task { problem, stopping, law, .. } = *task;
                let view = View { problem, blocks: &self.blocks, stopping, law, sweeps: false };
                let reached = self.newton.solve(&view, lambda, e, task.tolerance, NEWTON_STEPS);
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
        let Some(&scales) = STARTS.get(self.starts) else { return false };
        self.facets.start(task.problem, task.stopping, task.law, &self.first, scales);
        (self.starts, self.steps) = (self.starts + 1, 0);
        true
    }
}
