//! Methods followed to the best impulses that they meet.

use crate::blocks::pass;
use crate::dense::zeros;
use crate::iterate::Method;
use crate::local::quartic;
use crate::task::Task;
use crate::view::{Reached, View};
use crate::work;

/// Sweeps of exact answers, by the factor of G; the residual they leave.
pub(super) fn sweep(view: &View, lambda: &mut [f64], sweeps: u32, [z, c]: &mut [Vec<f64>; 2]) -> f64 {
    zeros(c, lambda.len());
    for _ in 0..sweeps {
        if work::spent() {
            break;
        }
        pass::by_factor(quartic::solve, view.blocks, view.problem, lambda, (z, c));
    }
    view.problem.velocities_into(lambda, c);
    view.residual(lambda, c)
}

/// Replaces `lambda` by the best impulses met on the way of a method from there.
pub(super) fn follow<M: Method>(
    method: &mut M,
    params: &M::Params,
    [at, c]: &mut [Vec<f64>; 2],
    view: &View,
    (lambda, tolerance, max_steps): (&mut Vec<f64>, f64, u32),
) -> Reached {
    let View { problem, stopping, law, .. } = *view;
    let task = Task { problem, stopping, law, tolerance };
    problem.velocities_into(lambda, c);
    let mut reached = Reached { residual: view.residual(lambda, c), steps: 0 };
    if !method.start(params, &task, lambda, c) {
        return reached;
    }
    lambda.clone_into(at);
    while reached.steps < max_steps && reached.residual > tolerance {
        let going = method.iterate(params, &task, at);
        reached.steps += 1;
        problem.velocities_into(at, c);
        let e = view.residual(at, c);
        if e < reached.residual {
            reached.residual = e;
            lambda.copy_from_slice(at);
        }
        if !going || !e.is_finite() || work::spent() {
            break;
        }
    }
    reached
}
