//! The parts of a large island in which Newton's method fails.

use super::methods::Methods;
use super::parts::Tools;
use super::{Budget, Iterate, Outcome, Stage};
use crate::tuning::PartsTuning;
use crate::work;

/// Parts that are wrong, one by one, and Newton's steps on all, in turn.
pub(super) struct ByParts;

impl Stage for ByParts {
    fn run(&self, at: &mut Iterate<'_, '_>, _: Budget) -> Outcome {
        let (tolerance, PartsTuning { rounds, idle_rounds, progress, gain, .. }) =
            (at.tolerance, at.tuning().parts);
        let mut trial = at.trial();
        let mut best = at.reached.residual;
        let mut enough = f64::INFINITY;
        let (mut mark, mut idle) = (f64::INFINITY, 0);
        for _ in 0..rounds {
            (mark, idle) = if best < progress * mark { (best, 0) } else { (mark, idle + 1) };
            if idle >= idle_rounds {
                break;
            }
            let (view, methods, _) = at.split();
            let Methods { parts, newton, path, smoothed, multipliers, way, .. } = methods;
            let tools = Tools { newton, path, smoothed, multipliers, room: &mut *way };
            let Some(steps) = parts.solve(&view, &mut trial, tolerance, tools) else { break };
            view.problem.velocities_into(&trial, &mut way[1]);
            let from = view.residual(&trial, &way[1]);
            at.reached.steps += steps;
            let mut e = from;
            if from < enough {
                let steps = at.newton_steps();
                e = at.newton_on(&mut trial, from, tolerance, steps);
                enough = if e < from { f64::INFINITY } else { gain * from };
            }
            if e < best {
                best = e;
                at.impulses.copy_from_slice(&trial);
            }
            if best <= tolerance || at.reached.steps >= at.max_iterations || work::spent() {
                break;
            }
        }
        at.ws.methods.trial = trial;
        at.reached.residual = best;
        Outcome::GoesOn
    }
}
