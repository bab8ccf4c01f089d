//! Impulses of as many environments as there are lanes, by the exact law: sweeps and Newton's steps in turn.
//!
//! ```text
//!     sweep    block by block the exact answer to the others' impulses [`one_contact`], [`turning`]       (1)
//!     Newton   on the active set that the sweep ended with [`newton`]; taken where it lowers e            (2)
//!     e        natural map of the exact law with ‖A_ii‖_F for ‖A_ii‖₂, an upper bound of the judge's      (3)
//! ```
//!
//! First the smallest impulses that hold all that touches, where these are an answer [`holding`]. Else
//! (1) and (2) in turn until e of every lane is below the tolerance. All is written for any scalar: a lane is one
//! environment, and `f64` alone is [`crate::ncp_lanes`]. A lane that is done is not touched again, so what it holds does
//! not depend on the others. Branches are taken where any lane takes them, and masked.
//!
//! Units: λ [N·s], c, g and e [m/s], A = G + R [1/kg], dense and symmetric. A round costs n² multiplications for (1) and
//! (3), n³/3 for (2), n rows. Allocates only when the problem grows. Hyperstatic problems have a singular A; Newton's step
//! is kept finite by a share of A's diagonal, so their convergence is slower and the answer found is any of several.

mod holding;
mod newton;
mod one_contact;
mod turning;

use one_contact::OneBlock;
use stiction_contact::certificate::exact;
use stiction_contact::cone::MAX_ROWS;
use stiction_dynamics::Real;
use stiction_dynamics::spatial::vec3;
use turning::{TANGENTS, Turning};

/// The set of one block's impulses, lane by lane: a contact of 3, 4 or 6 rows, or a single row.
#[derive(Clone, Copy, Debug)]
pub struct LaneCone<T> {
    /// Rows: the same in all lanes.
    pub dim: usize,
    /// μ of a contact [–].
    pub mu: T,
    /// Bounds of a single row [N·s].
    pub bounds: [T; 2],
    /// 1 in the lanes that have this block, else 0.
    pub active: T,
}

impl<T: Real> LaneCone<T> {
    /// A contact; it resists turning if it has more than three rows.
    #[inline(always)]
    pub fn contact(dim: usize, mu: T, active: T) -> Self {
        Self { dim, mu, bounds: [mu.zero(); 2], active }
    }

    /// A single row with an impulse in [lo, hi].
    #[inline(always)]
    pub fn row(bounds: [T; 2], active: T) -> Self {
        Self { dim: 1, mu: active.zero(), bounds, active }
    }
}

/// The constraint problem of as many environments as there are lanes: c = A λ + g. A block that a lane lacks has rows all
/// the same, with impulses of zero.
#[derive(Clone, Copy, Debug)]
pub struct LaneProblem<'a, T> {
    pub cones: &'a [LaneCone<T>],
    /// G + R by rows, dense and symmetric.
    pub A: &'a [T],
    pub g: &'a [T],
}

/// Settings of a solve: its behaviour where rounding shows, and when it gives up.
#[derive(Clone, Copy, Debug)]
pub struct LaneSettings {
    /// Share of ‖A_ii‖_F that stands for nothing beside it, where A_ii is to have an inverse [–].
    pub nudge: f64,
    /// Least share of A's diagonal that is added to it in Newton's steps [–].
    pub newton_nudge: f64,
    /// Starts that leave more than this are asked whether all that touches can stick [m/s]; infinite: none.
    pub rests: f64,
    /// However little is asked for, what holds leaves no more, and what opens faster is open [m/s].
    pub closed: f64,
    /// ε of [`holding`], a share of the largest ‖A_ii‖_F [–].
    pub holding_nudge: f64,
    /// Impulses that hold may leave their cones by this share of them [–].
    pub outside: f64,
    /// A lane in which so many rounds leave more than 0.3 of the residual is given up.
    pub patience: f64,
}

/// Rounds of (1) or (2), at most.
const ROUNDS: usize = 79;
/// Share of A's diagonal that is added to it where Newton's step has led nowhere, and how it grows and shrinks [–].
const FIRM: f64 = 1e-4;
const FIRMER: f64 = 30.0;
const FIRMEST: f64 = 1e-2;
const SOFTER: f64 = 0.1;
/// A residual above this share of its last mark is no gain for [`LaneSettings::patience`] [–].
const GAIN: f64 = 0.3;
/// Newton's steps for a sliding contact in a first and in a later sweep.
const STEPS: [usize; 2] = [4, 2];

/// Impulses, and the memory of a solve.
#[derive(Clone, Debug, Default)]
pub struct LaneSolver<T> {
    /// λ, by rows; what is in it is the start.
    pub lambda: Vec<T>,
    /// c.
    velocity: Vec<T>,
    trial: Vec<T>,
    trial_velocity: Vec<T>,
    blocks: Vec<OneBlock<T>>,
    /// Blocks that resist turning; more than there are now, once there have been.
    turning: Vec<Turning<T>>,
    /// (2), with its right-hand side.
    matrix: Vec<T>,
    right: Vec<T>,
    /// Per block 1 or 0: it is in S of [`holding`].
    held: Vec<T>,
    /// Per row 1 or 0: it is an unknown there; and room for a product.
    unknown: Vec<T>,
    along_held: Vec<T>,
    /// d of (2), per block of three rows.
    along: Vec<[T; 2]>,
    /// Blocks of more rows: w of the reflection I − w wᵀ/w_0 that takes the first axis to −w_0 d/|w_0|.
    mirrors: Vec<[T; TANGENTS]>,
}

/// How far the lanes are.
#[derive(Clone, Copy)]
pub(crate) struct Progress<T: Real> {
    /// (3) of each lane.
    pub(crate) e: T,
    /// The lanes that are not done.
    pub(crate) running: T::Mask,
    /// Rounds after which e was last below a share of `mark`, and that e.
    age: T,
    mark: T,
    /// Share of A's diagonal that Newton's step adds to it.
    epsilon: T,
    rounds: usize,
}

impl<T: Real> LaneSolver<T> {
    pub fn new() -> Self {
        Self {
            lambda: Vec::new(),
            velocity: Vec::new(),
            trial: Vec::new(),
            trial_velocity: Vec::new(),
            blocks: Vec::new(),
            turning: Vec::new(),
            matrix: Vec::new(),
            right: Vec::new(),
            held: Vec::new(),
            unknown: Vec::new(),
            along_held: Vec::new(),
            along: Vec::new(),
            mirrors: Vec::new(),
        }
    }

    /// Solves from [`Self::lambda`] and leaves the impulses there; (3) of each lane. `tolerance` [m/s]; lanes in which
    /// `wanted` is 0 do not count. There is at least one row.
    #[inline(always)]
    pub fn solve(
        &mut self,
        problem: &LaneProblem<'_, T>,
        tolerance: T,
        wanted: T,
        settings: LaneSettings,
    ) -> T {
        let mut progress = self.begin(problem, tolerance, wanted, settings);
        if settings.rests.is_finite() {
            self.hold(problem, tolerance, wanted, settings, &mut progress);
        }
        while progress.rounds < ROUNDS && T::any(progress.running) {
            self.go_on(problem, tolerance, settings, &mut progress);
        }
        progress.e
    }

    /// Prepares, and judges the start.
    #[inline(always)]
    pub(crate) fn begin(
        &mut self,
        problem: &LaneProblem<'_, T>,
        tolerance: T,
        wanted: T,
        settings: LaneSettings,
    ) -> Progress<T> {
        let (n, zero, patience) = (problem.g.len(), wanted.zero(), wanted.like(settings.patience));
        self.prepare(problem, settings.nudge);
        self.trial.clear();
        self.trial.extend_from_slice(&self.lambda);
        self.velocity.clear();
        self.velocity.resize(n, zero);
        self.trial_velocity.clear();
        self.trial_velocity.resize(n, zero);
        let e = wanted.like(f64::INFINITY);
        let epsilon = wanted.like(settings.newton_nudge);
        let mut start = Progress { e, running: wanted.mask(), age: zero, mark: e, epsilon, rounds: 0 };
        let after = self.residual(problem);
        let taken = T::both(start.running, after.less(e));
        self.take_trial(taken, after, [tolerance, patience], &mut start);
        start
    }

    /// Reads off A what each block needs.
    #[inline(always)]
    fn prepare(&mut self, problem: &LaneProblem<'_, T>, nudge: f64) {
        self.blocks.clear();
        let (n, mut row, mut turning) = (problem.g.len(), 0, 0);
        for cone in problem.cones {
            let mut block = OneBlock::new(*cone, row, turning);
            if cone.dim > 3 {
                turning += 1;
                if self.turning.len() < turning {
                    self.turning.push(Turning::new(cone.mu));
                }
                let more = &mut self.turning[turning - 1];
                block.norm = match cone.dim {
                    4 => more.set_diagonal::<4>(problem.A, n, row, nudge),
                    _ => more.set_diagonal::<MAX_ROWS>(problem.A, n, row, nudge),
                };
            } else {
                block.set_diagonal(problem.A, n, nudge);
            }
            self.blocks.push(block);
            row += cone.dim;
        }
    }

    /// A round: (1) and (2) in turn.
    #[inline(always)]
    pub(crate) fn go_on(
        &mut self,
        problem: &LaneProblem<'_, T>,
        tolerance: T,
        settings: LaneSettings,
        progress: &mut Progress<T>,
    ) {
        progress.rounds += 1;
        let Progress { e, running, epsilon, rounds, .. } = *progress;
        let patience = e.like(settings.patience);
        if rounds % 2 == 1 {
            self.sweep(problem, running, STEPS[usize::from(rounds > 1)]);
            // A sweep is taken as it is: it need not lower e to lead to where it vanishes.
            let after = self.residual(problem);
            self.take_trial(running, after, [tolerance, patience], progress);
        } else {
            self.newton(problem, epsilon);
            let after = self.residual(problem);
            let better = after.less(e);
            let least = e.like(settings.newton_nudge);
            let firmer = (epsilon * e.like(FIRMER)).max(e.like(FIRM)).min(e.like(FIRMEST));
            progress.epsilon = T::select(better, (epsilon * e.like(SOFTER)).max(least), firmer);
            self.take_trial(T::both(running, better), after, [tolerance, patience], progress);
        }
    }

    /// The trial becomes λ where it is `taken`; lanes that are done, or gain nothing any more, are left.
    #[inline(always)]
    fn take_trial(
        &mut self,
        taken: T::Mask,
        after: T,
        [tolerance, patience]: [T; 2],
        progress: &mut Progress<T>,
    ) {
        for r in 0..self.lambda.len() {
            self.lambda[r] = T::select(taken, self.trial[r], self.lambda[r]);
            self.velocity[r] = T::select(taken, self.trial_velocity[r], self.velocity[r]);
        }
        let Progress { e, running, age, mark, .. } = progress;
        *e = T::select(taken, after, *e);
        let gains = after.less(*mark * after.like(GAIN));
        *mark = T::select(gains, after, *mark);
        *age = T::select(gains, after.zero(), *age + after.one());
        let going = T::both(T::not(e.less(tolerance)), age.less(patience));
        *running = T::both(*running, going);
    }

    /// c of the trial, and (3).
    #[inline(always)]
    fn residual(&mut self, problem: &LaneProblem<'_, T>) -> T {
        let Self { trial: lambda, trial_velocity: c, blocks, .. } = self;
        for ((c, A), g) in c.iter_mut().zip(problem.A.chunks_exact(problem.g.len())).zip(problem.g) {
            let mut sum = *g;
            for (A, lambda) in A.iter().zip(lambda.iter()) {
                sum += *A * *lambda;
            }
            *c = sum;
        }
        let mut sum = lambda[0].zero();
        for block in blocks.iter() {
            let LaneCone { dim, mu, bounds, active } = block.cone;
            let (l, c) = (&lambda[block.row..block.row + dim], &c[block.row..block.row + dim]);
            let square = match dim {
                1 => {
                    let e = exact::row(bounds, block.norm, l[0], c[0]);
                    e * e
                }
                3 => exact::contact_squared(mu, block.norm, vec3(l[0], l[1], l[2]), vec3(c[0], c[1], c[2])),
                _ => exact::patch_squared(mu, block.norm, l, c),
            };
            sum += T::select(active.mask(), square, sum.zero());
        }
        sum.sqrt()
    }

    /// (1) in the lanes `running`: the impulses it leads to, in `trial`.
    #[inline(always)]
    fn sweep(&mut self, problem: &LaneProblem<'_, T>, running: T::Mask, steps: usize) {
        let (n, A) = (problem.g.len(), problem.A);
        let (lambda, velocity) = (&mut self.trial[..n], &mut self.trial_velocity[..n]);
        lambda.copy_from_slice(&self.lambda[..n]);
        velocity.copy_from_slice(&self.velocity[..n]);
        for block in &mut self.blocks {
            let (r, dim) = (block.row, block.cone.dim);
            if dim == 1 {
                let answer = block.answer_row(lambda[r], velocity[r]);
                let [d] = take(&mut lambda[r..=r], [answer], running);
                move_one(velocity, A, r, d);
                continue;
            }
            if dim == 3 {
                let l = [lambda[r], lambda[r + 1], lambda[r + 2]];
                let c = [velocity[r], velocity[r + 1], velocity[r + 2]];
                let answer = block.answer(l, c, steps);
                let d = take(&mut lambda[r..r + 3], answer, running);
                move_three(velocity, A, r, d);
                continue;
            }
            let zero = block.cone.mu.zero();
            let (mut l, mut c) = ([zero; MAX_ROWS], [zero; MAX_ROWS]);
            l[..dim].copy_from_slice(&lambda[r..r + dim]);
            c[..dim].copy_from_slice(&velocity[r..r + dim]);
            let turning = &self.turning[block.turning];
            let answer = match dim {
                4 => turning.answer::<4, 3>(block, l, c),
                _ => turning.answer::<MAX_ROWS, TANGENTS>(block, l, c),
            };
            let [x, y, z, turns @ ..] = answer;
            let d = take(&mut lambda[r..r + 3], [x, y, z], running);
            move_three(velocity, A, r, d);
            if dim == 4 {
                let [d] = take(&mut lambda[r + 3..=r + 3], [turns[0]], running);
                move_one(velocity, A, r + 3, d);
            } else {
                let d = take(&mut lambda[r + 3..r + 6], turns, running);
                move_three(velocity, A, r + 3, d);
            }
        }
    }
}

/// The answer of a block in the lanes `running`, into `lambda`; what it differs by.
#[inline(always)]
fn take<T: Real, const D: usize>(lambda: &mut [T], answer: [T; D], running: T::Mask) -> [T; D] {
    let mut d = answer;
    for ((d, l), answer) in d.iter_mut().zip(lambda).zip(answer) {
        let next = T::select(running, answer, *l);
        *d = next - *l;
        *l = next;
    }
    d
}

/// c + A d, A symmetric, for d in row r, and in three rows from r.
#[inline(always)]
fn move_one<T: Real>(velocity: &mut [T], A: &[T], r: usize, d: T) {
    let n = velocity.len();
    for (c, A) in velocity.iter_mut().zip(&A[r * n..(r + 1) * n]) {
        *c += *A * d;
    }
}

#[inline(always)]
fn move_three<T: Real>(velocity: &mut [T], A: &[T], r: usize, d: [T; 3]) {
    let n = velocity.len();
    let (first, rest) = A[r * n..(r + 3) * n].split_at(n);
    let (second, third) = rest.split_at(n);
    for i in 0..n {
        velocity[i] += first[i] * d[0] + second[i] * d[1] + third[i] * d[2];
    }
}
