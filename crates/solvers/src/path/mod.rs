//! A path through the pieces of the exact law: where Newton's steps jump over pieces and come back, this goes from one
//! boundary to the next.
//!
//! Alart and Curnier's equations F(λ) = 0 are those of [`crate::active_set`]: with ρ of the block's own matrix and
//! τ = λ − ρ c, a contact is open (F = λ), sticks (F = ρ c) or slides (F_N = ρ_N c_N, F_T = λ_T − μ τ_N τ_T/‖τ_T‖); they
//! are continuous, and smooth within a piece; of contacts that resist turning all rows but the normal are tangential. From
//! impulses λ₀ that nearly solve them leads a path
//!
//! ```text
//!     F(λ(t)) = (1 − t) F(λ₀),   dλ/dt = −J⁻¹ F(λ₀),   t from 0 to 1              (1)  [KojimaShindo1986], [Ralph1994]
//! ```
//!
//! It is followed to the first boundary of a piece, and goes on with the J beyond; where det J changes its sign there, t
//! runs back. Steps are short enough that no sliding contact turns far. What they leave of (1) is not put right: each
//! starts a path of its own, in the same sense.
//!
//! Hyperstatic contacts make J singular; G + ε takes its place, about λ₀, in rounds: where a path has come to its end, the
//! next starts, with a smaller ε [Rockafellar1976]. Where the gaps of four corners are not quite of one plane, (1) then
//! runs along the impulses that press the corners against each other, at nearly constant t, until one opens: the piece
//! that Newton's method does not find. A path that runs back for long has no end; then the first ε grows, which leaves
//! fewer pieces, and a later one is taken nearer to that before.
//!
//! Blocks are scaled by the root of their mean diagonal, so that one ε does for light and heavy bodies. A step costs one
//! factorisation of [`System`].

mod pieces;
mod system;

use crate::trees::TreeSystem;
use crate::view::{Reached, View};
use crate::work;
use pieces::{Local, Point, Side};
use std::ops::Range;
use stiction_contact::cone::MAX_ROWS;
use system::System;

/// See the module.
#[derive(Default)]
pub(crate) struct Path {
    system: System,
    locals: Vec<Local>,
    sides: Vec<Side>,
    epsilon: f64,
    /// Scaled impulses, where ε holds them, and their velocities with ε.
    y: Vec<f64>,
    reference: Vec<f64>,
    c: Vec<f64>,
    /// F, then dλ/dt; and its velocities.
    rate: Vec<f64>,
    rate_c: Vec<f64>,
    /// Of a candidate.
    lambda: Vec<f64>,
    velocities: Vec<f64>,
}

/// How a step ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Piece,
    Back,
    /// At t = 1.
    Whole,
    Lost,
}

impl Path {
    /// True if steps are taken by rows: where trees would not pay, and if wanted in all islands of few rows.
    pub(crate) fn by_rows(view: &View, wanted: bool) -> bool {
        !TreeSystem::pays(view.problem) || wanted && view.problem.rows() <= view.tuning.islands.path
    }

    /// Replaces `lambda` by the best impulses met on the way from there.
    pub(crate) fn solve(
        &mut self,
        view: &View,
        lambda: &mut [f64],
        tolerance: f64,
        max_steps: u32,
        by_rows: bool,
    ) -> Reached {
        self.prepare(view, lambda, Self::by_rows(view, by_rows));
        let t = &view.tuning.path;
        let least = if self.system.in_trees() { t.sharpest_in_trees } else { t.sharpest };
        let mut reached = Reached { residual: self.stopping(view), steps: 0 };
        let (mut ended, mut decay) = (None, t.sharper);
        self.epsilon = t.epsilon;
        loop {
            let ends = self.round(view, lambda, (tolerance, max_steps), &mut reached);
            if reached.residual <= tolerance || reached.steps >= max_steps || work::spent() {
                return reached;
            }
            self.epsilon = if ends {
                if self.epsilon <= least {
                    return reached;
                }
                ended = Some(self.epsilon);
                decay = (decay * decay).max(t.sharper);
                (decay * self.epsilon).max(least)
            } else {
                self.y.clone_from(&self.reference);
                match ended {
                    Some(epsilon) => {
                        decay = decay.sqrt();
                        decay * epsilon
                    }
                    None => t.softer * self.epsilon,
                }
            };
            if decay > t.slowest || self.epsilon > t.softest {
                return reached;
            }
        }
    }

    fn prepare(&mut self, view: &View, lambda: &[f64], by_rows: bool) {
        self.system.prepare(view, by_rows);
        self.locals.clear();
        for (i, (&cone, a)) in view.problem.cones().iter().zip(&view.stopping.diagonal).enumerate() {
            let scale = self.system.scale[view.problem.range(i).start];
            let (normal, others) = match cone.dim() {
                1 => (a[0], 0.0),
                3 => (a[8], a[0] + a[4]),
                _ => (a[8], view.stopping.norms[i]),
            };
            let square = scale.powi(2);
            self.locals.push(Local::new(cone, scale, normal / square, others / square));
        }
        self.y.clear();
        self.y.extend(lambda.iter().zip(&self.system.scale).map(|(l, s)| l * s));
    }

    /// From the present impulses, about them, along a path; true if it came to its end.
    fn round(
        &mut self,
        view: &View,
        lambda: &mut [f64],
        (tolerance, max_steps): (f64, u32),
        reached: &mut Reached,
    ) -> bool {
        let t = &view.tuning.path;
        self.reference.clone_from(&self.y);
        self.find_velocities(view);
        self.sides.clear();
        for (i, local) in self.locals.iter().enumerate() {
            let rows = view.problem.range(i);
            self.sides.push(match rows.len() {
                0..=3 => local.side::<3>(point(&self.y, &self.c, rows)),
                _ => local.side::<MAX_ROWS>(point(&self.y, &self.c, rows)),
            });
        }
        let (mut sense, mut back, mut poor) = (None, 0, 0);
        while reached.steps < max_steps && !work::spent() {
            reached.steps += 1;
            let size = self.values(view);
            let step = self.step(view, &mut sense);
            if step == Step::Lost {
                return false;
            }
            self.offer(view, lambda, tolerance, reached);
            if reached.residual <= tolerance {
                return true;
            }
            back += u32::from(step == Step::Back);
            if back > t.back {
                return false;
            }
            if step == Step::Whole {
                let left = self.values(view);
                poor = if left > 0.5 * size { poor + 1 } else { 0 };
                let moved =
                    self.y.iter().zip(&self.reference).map(|(y, r)| (y - r).powi(2)).sum::<f64>().sqrt();
                if left <= t.left * self.epsilon * moved
                    || left <= t.rounding * norm(&self.y)
                    || poor > t.poor
                {
                    return true;
                }
            }
        }
        false
    }

    /// One step, F being in `rate`; `sense` holds the sign of det J where t ran forwards.
    fn step(&mut self, view: &View, sense: &mut Option<bool>) -> Step {
        let problem = view.problem;
        let epsilon = self.epsilon;
        let Self { system, locals, sides, y, c, rate, rate_c, .. } = &mut *self;
        let contact = |i: usize| locals[i].slope::<3>(sides[i], point(y, c, problem.range(i)));
        let patch = |i: usize| locals[i].slope::<MAX_ROWS>(sides[i], point(y, c, problem.range(i)));
        if !system.factor(problem, epsilon, contact, patch) {
            return Step::Lost;
        }
        let reversed = system.reverses();
        let forwards = *sense.get_or_insert(reversed) == reversed;
        rate.iter_mut().for_each(|f| *f = if forwards { -*f } else { *f });
        system.solve(problem, rate);
        system.multiply_into(problem, rate, rate_c);
        rate_c.iter_mut().zip(&*rate).for_each(|(c, r)| *c += epsilon * r);

        let (length, crossed) = self.length(view, if forwards { 1.0 } else { f64::INFINITY });
        if !length.is_finite() || self.rate.iter().any(|r| !r.is_finite()) {
            return Step::Lost;
        }
        self.y.iter_mut().zip(&self.rate).for_each(|(y, r)| *y += length * r);
        self.c.iter_mut().zip(&self.rate_c).for_each(|(c, r)| *c += length * r);
        if let Some((i, beyond)) = crossed {
            self.sides[i] = beyond;
        }
        match (forwards, crossed) {
            (false, _) => Step::Back,
            (true, None) if length == 1.0 => Step::Whole,
            (true, _) => Step::Piece,
        }
    }

    /// How far the path may go at the present rate, `end` at most, and the block that ends its piece there.
    fn length(&self, view: &View, end: f64) -> (f64, Option<(usize, Side)>) {
        let (mut length, mut crossed, mut turn) = (end, None, 0.0_f64);
        for (i, (local, &side)) in self.locals.iter().zip(&self.sides).enumerate() {
            let rows = view.problem.range(i);
            let (crossing, turns) = match rows.len() {
                0..=3 => self.leaves::<3>(local, side, rows),
                _ => self.leaves::<MAX_ROWS>(local, side, rows),
            };
            if let Some((x, beyond)) = crossing
                && x < length
            {
                (length, crossed) = (x, Some((i, beyond)));
            }
            turn = turn.max(turns);
        }
        let most = view.tuning.path.turn;
        if turn * length > most { (most / turn, None) } else { (length, crossed) }
    }

    /// Where a block crosses into another piece at the present rate, and how fast it turns.
    fn leaves<const N: usize>(
        &self,
        local: &Local,
        side: Side,
        rows: Range<usize>,
    ) -> (Option<(f64, Side)>, f64) {
        let at = point::<N>(&self.y, &self.c, rows.clone());
        let rate = point(&self.rate, &self.rate_c, rows);
        let turns = if side == Side::Slide { local.turn(at, rate) } else { 0.0 };
        (local.crossing(side, at, rate), turns)
    }

    /// F on the present pieces into `rate`; its norm.
    fn values(&mut self, view: &View) -> f64 {
        self.rate.clear();
        for i in 0..self.locals.len() {
            match view.problem.range(i) {
                rows if rows.len() > 3 => self.push_value::<MAX_ROWS>(i, rows),
                rows => self.push_value::<3>(i, rows),
            }
        }
        norm(&self.rate)
    }

    fn push_value<const N: usize>(&mut self, i: usize, rows: Range<usize>) {
        let dim = rows.len();
        let value = self.locals[i].value::<N>(self.sides[i], point(&self.y, &self.c, rows));
        self.rate.extend_from_slice(&value[..dim]);
    }

    /// Scaled velocities of the impulses where ε holds them.
    fn find_velocities(&mut self, view: &View) {
        let Self { system, y, c, .. } = self;
        system.multiply_into(view.problem, y, c);
        let free = view.problem.free_velocity.iter().zip(&system.scale);
        c.iter_mut().zip(free).for_each(|(c, (g, s))| *c += g / s);
    }

    /// Keeps the present impulses in `lambda` if they are the best yet. A path may run to where rounding hides what they
    /// do, which counts as left.
    fn offer(&mut self, view: &View, lambda: &mut [f64], tolerance: f64, reached: &mut Reached) {
        // Velocities without ε, first those carried on from step to step.
        let Self { system, y, c, reference, epsilon, velocities, lambda: impulses, .. } = &mut *self;
        impulses.clear();
        impulses.extend(y.iter().zip(&system.scale).map(|(y, s)| y / s));
        let held = y.iter().zip(&*reference).map(|(y, r)| *epsilon * (y - r));
        velocities.clear();
        velocities.extend(c.iter().zip(held).zip(&system.scale).map(|((c, held), s)| (c - held) * s));
        if view.residual(impulses, velocities) < reached.residual {
            let e = self.stopping(view) + view.rounding(&self.lambda, tolerance, &mut self.velocities);
            if e < reached.residual {
                reached.residual = e;
                lambda.copy_from_slice(&self.lambda);
            }
        }
    }

    /// The residual of the present impulses.
    fn stopping(&mut self, view: &View) -> f64 {
        self.lambda.clear();
        self.lambda.extend(self.y.iter().zip(&self.system.scale).map(|(y, s)| y / s));
        view.problem.velocities_into(&self.lambda, &mut self.velocities);
        view.residual(&self.lambda, &self.velocities)
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn point<const N: usize>(l: &[f64], c: &[f64], rows: Range<usize>) -> Point<N> {
    let mut p = Point { l: [0.0; N], c: [0.0; N] };
    for (k, r) in rows.enumerate().take(N) {
        (p.l[k], p.c[k]) = (l[r], c[r]);
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auto::{Auto, AutoParams};
    use crate::blocks::blocks_into;
    use crate::nsgs::{Nsgs, NsgsParams};
    use crate::residual::StoppingResidual;
    use crate::testing::{dragged, slope, stack, tuning, vec3, with_delassus_factor};
    use stiction_contact::certificate::certify;
    use stiction_contact::corpus::Random;
    use stiction_contact::{Cone, ConstraintProblem, ContactSolver, Law};

    /// The gaps of the four corners of a cube, no longer of one plane: up and down around the face.
    fn twisted(mut problem: ConstraintProblem, by: f64) -> ConstraintProblem {
        let mut c = Vec::new();
        let mut motion = |signs: [f64; 4]| {
            let mut x = vec![0.0; 12];
            (0..4).for_each(|i| x[3 * i + 2] = signs[i]);
            problem.delassus_mul_into(&x, &mut c);
            norm(&c)
        };
        let patterns = [[1.0, -1.0, -1.0, 1.0], [1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0]];
        let signs = patterns.into_iter().min_by(|a, b| motion(*a).total_cmp(&motion(*b))).unwrap();
        assert!(motion(signs) < 1e-12, "no impulses that move nothing");
        (0..4).for_each(|i| problem.free_velocity[3 * i + 2] += by * signs[i]);
        problem
    }

    fn answer(problem: &ConstraintProblem) -> Vec<f64> {
        let mut lambda = vec![0.0; problem.rows()];
        assert!(Auto::new(AutoParams::default()).unwrap().solve(problem, &mut lambda).converged());
        lambda
    }

    fn follow(problem: &ConstraintProblem, lambda: &mut [f64], tolerance: f64, steps: u32) -> Reached {
        let (mut stopping, mut blocks) = (StoppingResidual::default(), Vec::new());
        stopping.prepare(problem);
        blocks_into(problem, &stopping, &mut blocks);
        let view = View {
            problem,
            blocks: &blocks,
            stopping: &stopping,
            law: Law::Ncp,
            sweeps: true,
            tuning: tuning(),
        };
        Path::default().solve(&view, lambda, tolerance, steps, false)
    }

    /// Impulses of four corners do not put a twist right: from the answer without it, the path leads to where one of
    /// them is open, whether they slide or stick.
    #[test]
    fn a_corner_opens_where_gaps_are_not_of_one_plane() {
        for (plane, by) in [(dragged(0.4, 0.5), 1e-6), (dragged(0.4, 0.5), -1e-5), (slope(0.3, 0.5), 1e-7)] {
            let mut lambda = answer(&plane);
            let problem = twisted(plane, by);
            assert!(certify(&problem, &lambda).natural_map > 0.1 * by.abs());
            let reached = follow(&problem, &mut lambda, 1e-12, 100);
            assert!(reached.residual <= 1e-12 && reached.steps < 40, "{reached:?}");
            assert!(certify(&problem, &lambda).natural_map <= 1e-12);
            assert_eq!(lambda.chunks(3).filter(|l| l[2] < 1e-15).count(), 1, "{lambda:?}");
        }
    }

    /// From where a few sweeps end, by rows and in the velocities of trees: stacks that are pushed, whose upper cubes are
    /// as heavy as the lower or heavier.
    #[test]
    fn stacks_are_solved_from_a_few_sweeps() {
        for ratio in [1.0_f64, 2.0, 4.0] {
            let masses: Vec<f64> = (0..6).map(|k| ratio.powi(k)).collect();
            let by_rows = stack(&masses, vec3(0.6, 0.2, 0.0), 0.5);
            for problem in [with_delassus_factor(by_rows.clone()), by_rows] {
                let mut lambda = vec![0.0; problem.rows()];
                let sweeps = NsgsParams { max_iterations: 5, ..NsgsParams::default() };
                Nsgs::new(sweeps).unwrap().solve(&problem, &mut lambda);
                assert!(certify(&problem, &lambda).natural_map > 1e-3);
                let reached = follow(&problem, &mut lambda, 1e-10, 150);
                assert!(reached.residual <= 1e-10, "{ratio}: {reached:?}");
                assert!(certify(&problem, &lambda).natural_map <= 1e-10);
            }
        }
    }

    /// Blocks whose G is that of random rows over `coordinates`, as of one tree.
    fn coupled(cones: &[Cone], coordinates: usize, random: &mut Random) -> ConstraintProblem {
        let mut problem = ConstraintProblem::default();
        for cone in cones {
            let mut g: Vec<f64> = (0..cone.dim()).map(|_| random.number()).collect();
            g[cone.normal()] -= 1.0;
            problem.push(*cone, &g);
        }
        let rows: Vec<Vec<f64>> = (0..problem.rows())
            .map(|row| {
                (0..coordinates)
                    .map(|_| random.number() * [1.0, 1.0, 1.0, 0.02, 0.02, 0.02][row % 6])
                    .collect()
            })
            .collect();
        let all = cones.len();
        let (start, blocks) = problem.starts_and_blocks_mut();
        let start = start.to_vec();
        blocks.set_pattern(&start, |_, out| out.extend(0..all));
        for i in 0..all {
            for k in blocks.entries(i) {
                let j = blocks.column_of(k);
                let (left, right) = (&rows[start[i]..start[i + 1]], &rows[start[j]..start[j + 1]]);
                let products = left.iter().flat_map(|a| right.iter().map(move |b| (a, b)));
                let numbers = products.map(|(a, b)| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>());
                blocks.entry_mut(k).iter_mut().zip(numbers).for_each(|(out, x)| *out = x);
            }
        }
        problem
    }

    /// Feet that resist turning and joints with dry friction, rows of very unequal size, more of them than coordinates: the
    /// path from no impulses ends at an answer.
    #[test]
    fn patches_and_dry_friction_are_solved_from_no_impulses() {
        let foot = Cone::Patch { mu: 0.4, rolls: true };
        let mut random = Random(3);
        let mut solved = 0;
        for _ in 0..40 {
            let joints = [0.02, 0.1, 0.3].map(|hi| Cone::Box { lo: -hi, hi });
            let cones =
                [&[foot, Cone::Patch { mu: 0.4, rolls: false }, Cone::Friction { mu: 0.5 }], &joints[..]]
                    .concat();
            let problem = coupled(&cones, 12, &mut random);
            let mut lambda = vec![0.0; problem.rows()];
            let reached = follow(&problem, &mut lambda, 1e-11, 200);
            assert!(certify(&problem, &lambda).natural_map <= reached.residual, "{reached:?}");
            solved += usize::from(reached.residual <= 1e-11);
        }
        assert_eq!(solved, 40);
    }
}
