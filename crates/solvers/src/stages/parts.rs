//! Where Newton's method has failed in a large island: the parts in which it has.
//!
//! What is left is left near few contacts, whose pieces are not found. The blocks that leave most of it, with
//! those on the same trees and perhaps on theirs, fall into parts that share no tree. Each is a smaller
//! problem, in which the impulses of all other blocks stay as they are:
//!
//! ```text
//!     c_P = (G + R)_PP λ_P + g_P,     g_P = c_P − (G + R)_PP λ_P at the present λ              (1)
//! ```
//!
//! A path goes from piece to piece: here through each part for itself, by systems of its size. What a part
//! then does to those around it is left to Newton's method on the whole, which has the right pieces nearly
//! everywhere.
//!
//! Where the path does not get there either, contacts bear each other in a knot, whose answer is far from
//! these impulses: small parts are untied from none at all, by sweeps, by the smoothed law, by the augmented
//! Lagrangian, each followed by Newton's method and the path, until one leads there.

use super::follow::{follow, sweep};
use crate::active_set::Newton;
use crate::blocks::{Block, blocks_into};
use crate::dense::zeros;
use crate::islands::{root, unite};
use crate::ncp_al::{Augmented, Start};
use crate::ncp_newton::{self, Function};
use crate::path::Path;
use crate::residual::StoppingResidual;
use crate::trees::TreeSystem;
use crate::view::{Reached, View};
use crate::work;
use std::ops::Range;
use stiction_contact::ConstraintProblem;

const NOWHERE: usize = usize::MAX;

/// The methods that solve a part.
pub(super) struct Tools<'a> {
    pub(super) newton: &'a mut Newton,
    pub(super) path: &'a mut Path,
    pub(super) smoothed: &'a mut ncp_newton::Newton,
    pub(super) multipliers: &'a mut Augmented,
    /// The impulses of the method that is followed, and their velocities.
    pub(super) room: &'a mut [Vec<f64>; 2],
}

/// Ways from no impulses.
#[derive(Clone, Copy)]
enum Way {
    Sweeps,
    Smoothed,
    Multipliers,
}

/// Parts of an island, during one call.
#[derive(Default)]
pub(crate) struct Parts {
    c: Vec<f64>,
    squares: Vec<f64>,
    /// Whether a block is in a part.
    inside: Vec<bool>,
    /// For every tree: whether it is near, the way to the tree that stands for its part, and its place among
    /// the part's.
    near: Vec<bool>,
    parent: Vec<usize>,
    place: Vec<usize>,
    /// Blocks of the parts, part by part, each ascending, and where each part ends.
    blocks: Vec<usize>,
    ends: Vec<usize>,
    /// The present part.
    trees: Vec<usize>,
    problem: ConstraintProblem,
    stopping: StoppingResidual,
    prepared: Vec<Block>,
    lambda: Vec<f64>,
    trial: Vec<f64>,
    products: Vec<f64>,
}

impl Parts {
    /// Solves what is wrong with `lambda` part by part. The steps this took, as steps of the whole; `None` if
    /// one part is most of it.
    pub(super) fn solve(
        &mut self,
        view: &View,
        lambda: &mut [f64],
        tolerance: f64,
        mut tools: Tools,
    ) -> Option<u32> {
        let t = &view.tuning.parts;
        view.problem.velocities_into(lambda, &mut self.c);
        let sum = view.stopping.squares_into(view.problem, view.law, lambda, &self.c, &mut self.squares);
        let mean = sum / view.problem.len() as f64;
        let most = t.most * view.problem.len() as f64;
        let found = t.ranges().iter().any(|&(share, reach)| {
            let largest = self.find(view.problem, share * share * mean, reach);
            largest > 0 && largest as f64 <= most
        });
        if !found {
            return None;
        }
        self.place.clear();
        self.place.resize(view.problem.delassus_factor.trees(), NOWHERE);
        let (goal, mut cost, mut knots) = (t.share * tolerance, 0, 0);
        for k in 0..self.ends.len() {
            if work::spent() {
                break;
            }
            let range = self.range(k);
            let e = self.blocks[range.clone()].iter().map(|&i| self.squares[i]).sum::<f64>().sqrt();
            if !self.gather(range.clone(), view.problem, lambda) {
                continue;
            }
            let mut mine = std::mem::take(&mut self.lambda);
            let part = View {
                problem: &self.problem,
                blocks: &self.prepared,
                stopping: &self.stopping,
                law: view.law,
                sweeps: true,
                tuning: view.tuning,
            };
            let mut reached = tools.advance(&part, &mut mine, e, goal);
            if reached.residual > goal.max(t.tied * e) && mine.len() <= t.knot_rows && knots < t.knots {
                knots += 1;
                tools.untie(&part, &mut mine, &mut self.trial, &mut reached, goal);
            }
            for (local, &i) in self.blocks[range].iter().enumerate() {
                lambda[view.problem.range(i)].copy_from_slice(&mine[self.problem.range(local)]);
            }
            cost += reached.steps as usize * mine.len();
            self.lambda = mine;
        }
        Some(cost.div_ceil(lambda.len()) as u32)
    }

    /// Parts around the blocks that leave more than `right`; the blocks of the largest.
    fn find(&mut self, problem: &ConstraintProblem, right: f64, reach: u32) -> usize {
        let Self { squares, inside, near, parent, blocks, ends, .. } = self;
        let delassus_factor = &problem.delassus_factor;
        inside.clear();
        inside.extend(squares.iter().map(|&s| s > right));
        for _ in 0..reach {
            near.clear();
            near.resize(delassus_factor.trees(), false);
            for i in (0..problem.len()).filter(|&i| inside[i]) {
                delassus_factor.trees_of(i).for_each(|t| near[t] = true);
            }
            inside
                .iter_mut()
                .enumerate()
                .for_each(|(i, inside)| *inside |= delassus_factor.trees_of(i).any(|t| near[t]));
        }
        parent.clear();
        parent.extend(0..delassus_factor.trees());
        blocks.clear();
        for i in (0..problem.len()).filter(|&i| inside[i]) {
            let mut trees = delassus_factor.trees_of(i);
            let Some(a) = trees.next() else { continue };
            blocks.push(i);
            if let Some(b) = trees.next() {
                unite(parent, a, b);
            }
        }
        let mut part_of = |i: usize| delassus_factor.trees_of(i).next().map(|t| root(parent, t));
        blocks.sort_unstable_by_key(|&i| (part_of(i), i));
        ends.clear();
        ends.extend((1..blocks.len()).filter(|&k| part_of(blocks[k]) != part_of(blocks[k - 1])));
        ends.push(blocks.len());
        (0..self.ends.len()).map(|k| self.range(k).len()).max().unwrap_or(0)
    }

    /// Where the blocks of a part are.
    fn range(&self, part: usize) -> Range<usize> {
        part.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[part]
    }

    /// (1); false if its blocks cannot be formed.
    fn gather(&mut self, range: Range<usize>, whole: &ConstraintProblem, lambda: &[f64]) -> bool {
        let Self { problem, trees, place, c, products, .. } = self;
        let blocks = &self.blocks[range];
        trees.clear();
        problem.clear();
        problem.time_step = whole.time_step;
        self.lambda.clear();
        for &i in blocks {
            for tree in whole.delassus_factor.trees_of(i) {
                if place[tree] == NOWHERE {
                    place[tree] = trees.len();
                    trees.push(tree);
                }
            }
            problem.push(whole.cone(i), &c[whole.range(i)]);
            let to = problem.range(problem.len() - 1);
            problem.compliance[to].copy_from_slice(&whole.compliance[whole.range(i)]);
            self.lambda.extend_from_slice(&lambda[whole.range(i)]);
        }
        problem.delassus_factor.gather(&whole.delassus_factor, blocks, trees, place);
        if !TreeSystem::pays(problem) && problem.form_blocks().is_err() {
            return false;
        }
        problem.delassus_mul_into(&self.lambda, products);
        for (k, product) in products.iter().enumerate() {
            problem.free_velocity[k] -= product + problem.compliance[k] * self.lambda[k];
        }
        self.stopping.prepare(problem);
        blocks_into(problem, &self.stopping, &mut self.prepared);
        true
    }
}

impl Tools<'_> {
    /// From `lambda`, which leaves `e`, by Newton's method, and along a path where that fails.
    fn advance(&mut self, part: &View, lambda: &mut [f64], e: f64, goal: f64) -> Reached {
        let reached = self.newton.solve(part, lambda, e, goal, part.tuning.parts.newton_steps);
        if reached.residual <= goal || work::spent() {
            return reached;
        }
        let further = self.path.solve(part, lambda, goal, part.tuning.parts.path_steps, false);
        Reached { steps: reached.steps + further.steps, ..further }
    }

    /// Replaces `lambda`, which leaves what is `reached`, by the best impulses met on the ways from none.
    fn untie(
        &mut self,
        part: &View,
        lambda: &mut [f64],
        trial: &mut Vec<f64>,
        reached: &mut Reached,
        goal: f64,
    ) {
        for way in [Way::Sweeps, Way::Smoothed, Way::Multipliers] {
            let mut found = self.go(way, part, trial, goal);
            reached.steps += found.steps;
            if found.residual > goal {
                found = self.advance(part, trial, found.residual, goal);
                reached.steps += found.steps;
            }
            if found.residual < reached.residual {
                reached.residual = found.residual;
                lambda.copy_from_slice(trial);
            }
            if reached.residual <= goal || work::spent() {
                return;
            }
        }
    }

    /// To where a way leads from no impulses.
    fn go(&mut self, way: Way, part: &View, lambda: &mut Vec<f64>, goal: f64) -> Reached {
        let (problem, t) = (part.problem, &part.tuning.parts);
        zeros(lambda, problem.rows());
        part.law.project_all(problem, lambda);
        match way {
            Way::Sweeps => Reached { residual: sweep(part, lambda, t.sweeps, self.room), steps: t.sweeps },
            Way::Smoothed => {
                let to = (lambda, goal, t.smoothed_steps);
                follow(self.smoothed, &Function::FischerBurmeister, self.room, part, to)
            }
            Way::Multipliers => {
                let to = (lambda, goal, t.multiplier_steps);
                follow(self.multipliers, &Start::DEFAULT, self.room, part, to)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auto::{Auto, AutoParams};
    use crate::testing::{stack, tuning, with_delassus_factor};
    use stiction_contact::{ContactSolver, Law};
    use stiction_dynamics::spatial::vec3;

    const TOLERANCE: f64 = 1e-10;

    fn view<'a>(
        problem: &'a ConstraintProblem,
        stopping: &'a StoppingResidual,
        blocks: &'a [Block],
    ) -> View<'a> {
        View { problem, blocks, stopping, law: Law::Ncp, sweeps: true, tuning: tuning() }
    }

    /// A stack of cubes that is pushed, and its answer but for the impulses of some contacts.
    fn disturbed(lost: &[usize]) -> (ConstraintProblem, Vec<f64>) {
        let problem = with_delassus_factor(stack(&[1.0; 20], vec3(0.5, 0.2, 0.0), 0.4));
        let mut lambda = vec![0.0; problem.rows()];
        let params = AutoParams { tolerance: 0.01 * TOLERANCE, ..AutoParams::default() };
        assert!(Auto::new(params).unwrap().solve(&problem, &mut lambda).converged());
        lost.iter().for_each(|&i| lambda[problem.range(i)].fill(0.0));
        (problem, lambda)
    }

    /// Calls `with` what parts are solved by.
    fn tooled<T>(with: impl FnOnce(Tools) -> T) -> T {
        let (newton, path) = (&mut Newton::default(), &mut Path::default());
        let (smoothed, multipliers) = (&mut ncp_newton::Newton::default(), &mut Augmented::default());
        with(Tools { newton, path, smoothed, multipliers, room: &mut [Vec::new(), Vec::new()] })
    }

    fn prepared(problem: &ConstraintProblem) -> (StoppingResidual, Vec<Block>) {
        let (mut stopping, mut blocks) = (StoppingResidual::default(), Vec::new());
        stopping.prepare(problem);
        blocks_into(problem, &stopping, &mut blocks);
        (stopping, blocks)
    }

    fn solve(problem: &ConstraintProblem, parts: &mut Parts, lambda: &mut [f64]) -> Option<u32> {
        let (stopping, blocks) = prepared(problem);
        tooled(|tools| parts.solve(&view(problem, &stopping, &blocks), lambda, TOLERANCE, tools))
    }

    /// Two faces press each other far too much: neither Newton's method nor the path leads from there to the
    /// answer. Ways from no impulses do, and none takes an answer away.
    #[test]
    fn a_knot_is_untied_from_nothing() {
        let (problem, mut lambda) = disturbed(&[]);
        let answer = lambda.clone();
        for i in 20..28 {
            lambda[problem.range(i)].copy_from_slice(&[3.0, -2.0, 10.0]);
        }
        let (stopping, blocks) = prepared(&problem);
        let (view, mut c) = (view(&problem, &stopping, &blocks), Vec::new());
        let mut left = |lambda: &[f64]| {
            problem.velocities_into(lambda, &mut c);
            view.residual(lambda, &c)
        };
        let (e, nothing, mut trial) = (left(&lambda), left(&vec![0.0; lambda.len()]), Vec::new());
        tooled(|mut tools| {
            let mut reached = tools.advance(&view, &mut lambda, e, TOLERANCE);
            assert!(reached.residual > 1e4 * TOLERANCE, "{reached:?}");
            for way in [Way::Sweeps, Way::Smoothed, Way::Multipliers] {
                let on_the_way = tools.go(way, &view, &mut trial, TOLERANCE);
                assert!((left(&trial) - on_the_way.residual).abs() <= 0.1 * TOLERANCE);
                assert!(on_the_way.residual < 0.5 * nothing, "{on_the_way:?} of {nothing}");
            }
            tools.untie(&view, &mut lambda, &mut trial, &mut reached, TOLERANCE);
            assert!(left(&lambda) <= TOLERANCE && reached.residual <= TOLERANCE, "{reached:?}");
            lambda.clone_from(&answer);
            reached.residual = 0.0;
            tools.untie(&view, &mut lambda, &mut trial, &mut reached, TOLERANCE);
            assert_eq!(lambda, answer);
        });
    }

    /// Two faces far apart: each is put right for itself, in the law's sense; elsewhere not a bit changes.
    #[test]
    fn what_is_wrong_is_solved_where_it_is() {
        let (problem, before) = disturbed(&[8, 9, 10, 11, 60, 61, 62, 63]);
        let (mut parts, mut lambda) = (Parts::default(), before.clone());
        let steps = solve(&problem, &mut parts, &mut lambda).expect("small parts");
        assert_eq!(parts.ends.len(), 2);
        assert!(steps > 0);
        let (mut stopping, mut c, mut squares) = (StoppingResidual::default(), Vec::new(), Vec::new());
        stopping.prepare(&problem);
        problem.velocities_into(&lambda, &mut c);
        stopping.squares_into(&problem, Law::Ncp, &lambda, &c, &mut squares);
        for i in 0..problem.len() {
            if parts.inside[i] {
                assert!(squares[i].sqrt() <= TOLERANCE, "block {i}: {}", squares[i].sqrt());
            } else {
                assert_eq!(lambda[problem.range(i)], before[problem.range(i)], "block {i}");
            }
        }
        for lost in [8..12, 60..64] {
            assert!(lost.map(|i| lambda[problem.range(i)][2]).sum::<f64>() > 0.0);
        }
    }

    /// Where all faces are as wrong there are no parts, and nothing changes.
    #[test]
    fn all_of_it_is_no_part() {
        let (problem, mut before) = disturbed(&[]);
        for i in 0..problem.len() {
            let turned = (i / 4 + i % 4 / 2).is_multiple_of(2);
            before[problem.range(i)][2] += if turned { 0.5 } else { -0.5 };
        }
        let mut lambda = before.clone();
        assert_eq!(solve(&problem, &mut Parts::default(), &mut lambda), None);
        assert_eq!(lambda, before);
    }
}
