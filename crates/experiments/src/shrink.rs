//! The smallest part of a problem on which a solver still fails [Zeller2002].
//!
//! Blocks are taken away in chunks, of half the problem first, then smaller, as long as the solver still
//! does not converge on what is left. The end is a problem from which no single block can be taken.

use std::ops::ControlFlow;
use stiction::contact::ConstraintProblem;
use stiction::solvers::Params;
use stiction::solvers::registry::{self, Common};
use stiction_lab::solve::SolveError;

/// Result of the search for a smaller failure.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// Blocks of the problem that are left, ascending.
    pub blocks: Vec<usize>,
    pub problem: ConstraintProblem,
    /// Problems solved on the way.
    pub trials: usize,
    /// True when `on_trial` broke off before no block could be taken any more.
    pub interrupted: bool,
}

/// Shrinks `problem` for `solver` with its `params`; `None` if the solver converges on the whole. `on_trial` is told how many
/// blocks are left.
pub fn shrink(
    problem: &ConstraintProblem,
    (solver, params): (&str, &Params),
    common: &Common,
    mut on_trial: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<Option<Shrunk>, SolveError> {
    let mut solver = registry::make_from(solver, common, params)?;
    let mut trials = 0;
    let mut fails = |part: &ConstraintProblem| {
        trials += 1;
        solver.forget();
        !solver.solve(part, &mut vec![0.0; part.rows()]).converged()
    };
    if !fails(problem) {
        return Ok(None);
    }
    let mut blocks: Vec<usize> = (0..problem.len()).collect();
    let mut chunk = blocks.len().div_ceil(2);
    let mut interrupted = false;
    'search: while chunk >= 1 {
        let (mut at, mut taken) = (0, false);
        while at < blocks.len() {
            if on_trial(blocks.len()).is_break() {
                interrupted = true;
                break 'search;
            }
            let end = (at + chunk).min(blocks.len());
            let rest = [&blocks[..at], &blocks[end..]].concat();
            if !rest.is_empty() && fails(&problem.part(&rest)) {
                blocks = rest;
                taken = true;
            } else {
                at = end;
            }
        }
        if chunk == 1 && !taken {
            break;
        }
        chunk = if taken { chunk.min(blocks.len().div_ceil(2)) } else { chunk / 2 }.max(1);
    }
    let problem = problem.part(&blocks);
    Ok(Some(Shrunk { blocks, problem, trials, interrupted }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::contact::Cone;

    /// Twenty points, one of which nothing can hold.
    #[test]
    fn the_block_that_fails_is_found() {
        let mut problem = ConstraintProblem::default();
        (0..20).for_each(|_| problem.push(Cone::NonNegative, &[-1.0]));
        let (start, blocks) = problem.starts_and_blocks_mut();
        blocks.set_pattern(start, |i, out| out.push(i));
        (0..20).filter(|&i| i != 13).for_each(|i| blocks.entry_mut(i)[0] = 1.0);
        let go = |_| ControlFlow::Continue(());
        let shrunk = shrink(&problem, ("nsgs", &Params::default()), &Common::default(), go).unwrap().unwrap();
        assert_eq!((shrunk.blocks, shrunk.problem.len()), (vec![13], 1));
        let fine = problem.part(&[0, 1, 2]);
        assert!(shrink(&fine, ("nsgs", &Params::default()), &Common::default(), go).unwrap().is_none());
    }
}
