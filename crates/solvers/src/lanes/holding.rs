//! Before any sweep: the smallest impulses under which nothing that is closed moves, as [`crate::selection`] asks for.
//!
//! ```text
//!     λ ← λ − S A_SS S (A λ + g)_S from λ = 0, a few times,     S = (A_SS + ε)⁻¹                    (1)
//! ```
//!
//! S is what closes by itself, without what pulls and with what would overlap, in a few rounds; single rows at a side of
//! their box leave it. Impulses that leave their cones are led there by turns onto the cones and onto what holds. Lanes in which contacts then are in their cones and e is within the tolerance have their answer. Where
//! what is pressed slips too fast for friction to stop it, nothing is asked. A round costs n³/6 multiplications, and n² for
//! each repetition of (1).

use super::{LaneProblem, LaneSettings, LaneSolver, Progress, turning::tangent};
use stiction_dynamics::Real;

/// Rounds of S.
const ROUNDS: usize = 3;
/// Repetitions of (1), at most, and the share of g at which no more are needed, in units of the scalar's ε; or that of what
/// rests [–].
const REPEATS: usize = 5;
const ENOUGH: f64 = 4.0;
const DEEP: f64 = 1e-2;
/// Turns onto the cones, at most, while what is outside falls to this share, each with so many of (1); onto cones so much
/// narrower, and by so many times the way there [–].
const PROJECTIONS: usize = 25;
const FALLS: f64 = 0.85;
const CORRECTIONS: usize = 1;
const WITHIN: f64 = 0.998;
const BEYOND: f64 = 1.6;
/// Contacts that open no faster than this share of the fastest row of g may be closed [–].
const SLOW: f64 = 1e-6;
/// Slip of more than so many times what all friction would stop is not stopped [–].
const STOPS: f64 = 10.0;

impl<T: Real> LaneSolver<T> {
    /// Takes (1) in the lanes that run, or whose start leaves more than `settings.rests`, where it is an answer to
    /// `tolerance` [m/s].
    #[inline(always)]
    pub(crate) fn hold(
        &mut self,
        problem: &LaneProblem<'_, T>,
        tolerance: T,
        wanted: T,
        settings: LaneSettings,
        progress: &mut Progress<T>,
    ) {
        let rests = wanted.like(settings.rests);
        let tolerance = tolerance.min(wanted.like(settings.closed));
        let mut asks = T::both(wanted.mask(), T::not(progress.e.at_most(rests)));
        asks = T::both(asks, T::not(self.hopeless().mask()));
        if !T::any(asks) {
            return;
        }
        asks = T::both(asks, self.begin_holding(problem, tolerance).mask());
        for _ in 0..ROUNDS {
            if !T::any(asks) {
                return;
            }
            self.factor_held(problem, settings.holding_nudge);
            self.solve_held(problem, settings.rests, asks);
            let changed = self.change_held(tolerance, settings.outside);
            let done = T::both(asks, T::not(changed.mask()));
            if T::any(done) {
                let inside = self.lead_inside(problem, done, settings);
                let after = self.residual(problem);
                let holds = T::both(T::both(done, inside.mask()), after.at_most(tolerance));
                for r in 0..self.lambda.len() {
                    self.lambda[r] = T::select(holds, self.trial[r], self.lambda[r]);
                    self.velocity[r] = T::select(holds, self.trial_velocity[r], self.velocity[r]);
                }
                progress.e = T::select(holds, after, progress.e);
                progress.running = T::both(progress.running, T::not(T::both(holds, after.less(tolerance))));
                asks = T::both(asks, changed.mask());
            }
        }
    }

    /// 1 where some contact that is pressed slips so fast that [`STOPS`] times all friction would not stop it.
    #[inline(always)]
    fn hopeless(&self) -> T {
        let zero = self.lambda[0].zero();
        let (mut friction, mut hopeless) = (zero, zero);
        for block in self.blocks.iter().filter(|b| b.cone.dim > 1) {
            friction += block.cone.mu * self.lambda[block.row + 2] * block.cone.active;
        }
        friction *= zero.like(STOPS);
        for block in self.blocks.iter().filter(|b| b.cone.dim > 1) {
            let (c, pressed) = (&self.velocity[block.row..block.row + 2], self.lambda[block.row + 2]);
            let stopped = friction * block.norm;
            let fast = (stopped * stopped).less(c[0] * c[0] + c[1] * c[1]);
            let fast = T::both(fast, zero.less(block.cone.mu * pressed * block.cone.active));
            hopeless = T::select(fast, zero.one(), hopeless);
        }
        hopeless
    }

    /// S of the first round; 1 where some contact with friction is in it.
    #[inline(always)]
    fn begin_holding(&mut self, problem: &LaneProblem<'_, T>, tolerance: T) -> T {
        let (zero, g) = (self.lambda[0].zero(), problem.g);
        let mut fastest = zero;
        for block in &self.blocks {
            for g in &g[block.row..block.row + block.cone.dim] {
                fastest = fastest.max(g.abs() * block.cone.active);
            }
        }
        let slow = (fastest * zero.like(SLOW)).max(tolerance);
        let mut touches = zero;
        self.held.clear();
        for block in &self.blocks {
            let contact = block.cone.dim > 1;
            // A limit pushes one way only.
            let opens = if contact { zero.one() } else { zero.truth(zero.at_most(block.cone.bounds[0])) };
            let normal = g[block.row + if contact { 2 } else { 0 }];
            let open = T::both(opens.mask(), slow.less(normal));
            let held = T::select(open, zero, block.cone.active);
            if contact {
                touches = touches.max(held * zero.truth(zero.less(block.cone.mu)));
            }
            self.held.push(held);
        }
        self.trial.clear();
        self.trial.resize(self.lambda.len(), zero);
        touches
    }

    /// The rows of A in S with ε, else of the identity: U of UᵀD⁻¹U, in place of its upper triangle.
    #[inline(always)]
    fn factor_held(&mut self, problem: &LaneProblem<'_, T>, nudge: f64) {
        let Self { matrix, held, blocks, unknown, .. } = self;
        unknown.clear();
        let n = problem.g.len();
        matrix.clear();
        matrix.extend_from_slice(&problem.A[..n * n]);
        let (zero, mut largest) = (held[0].zero(), held[0].zero());
        for block in blocks.iter() {
            largest = largest.max(block.norm * block.cone.active);
        }
        let epsilon = largest * zero.like(nudge);
        for (block, held) in blocks.iter().zip(held.iter()) {
            for k in 0..block.cone.dim {
                let r = block.row + k;
                // Without friction the normal alone is an unknown.
                let tangential = block.cone.dim > 1 && k != 2;
                let friction = if tangential { zero.less(block.cone.mu) } else { zero.less(zero.one()) };
                let in_s = T::both(held.mask(), friction);
                let at = r * (n + 1);
                unknown.push(zero.truth(in_s));
                matrix[at] += epsilon;
                if T::all(in_s) {
                    continue;
                }
                for j in 0..n {
                    matrix[r * n + j] = T::select(in_s, matrix[r * n + j], zero);
                    matrix[j * n + r] = T::select(in_s, matrix[j * n + r], zero);
                }
                matrix[at] = T::select(in_s, matrix[at], largest);
            }
        }
        for p in 0..n {
            let (above, below) = matrix.split_at_mut((p + 1) * n);
            let pivot = &above[p * n..];
            let inverse = zero.one() / pivot[p];
            for (i, row) in below.chunks_exact_mut(n).enumerate() {
                let at = p + 1 + i;
                let f = pivot[at] * inverse;
                for (x, y) in row[at..n].iter_mut().zip(&pivot[at..n]) {
                    *x -= f * *y;
                }
            }
        }
    }

    /// (1) from no impulses, into the trial and its velocities. What is at a side of its box stays there.
    #[inline(always)]
    fn solve_held(&mut self, problem: &LaneProblem<'_, T>, rests: f64, asks: T::Mask) {
        let Self { trial, held, blocks, .. } = self;
        let zero = held[0].zero();
        for (block, held) in blocks.iter().zip(held.iter()) {
            let row = block.cone.dim == 1;
            for trial in &mut trial[block.row..block.row + block.cone.dim] {
                *trial = if row { T::select(held.mask(), zero, *trial) } else { zero };
            }
        }
        self.correct_held(problem, REPEATS, rests, asks);
    }

    /// (1) so often, from the trial, in these lanes alone.
    #[inline(always)]
    fn correct_held(&mut self, problem: &LaneProblem<'_, T>, repeats: usize, rests: f64, lanes: T::Mask) {
        let Self { trial, trial_velocity: c, matrix, right, along_held, unknown, .. } = self;
        let (n, zero) = (problem.g.len(), unknown[0].zero());
        multiply(problem.A, trial, c);
        for (c, g) in c.iter_mut().zip(problem.g) {
            *c += *g;
        }
        for _ in 0..repeats {
            right.clear();
            right.resize(n, zero);
            let (mut left, mut size) = (zero, zero);
            for r in 0..n {
                right[r] = -c[r] * unknown[r];
                left = left.max(right[r].abs());
                size = size.max(problem.g[r].abs() * unknown[r]);
            }
            let enough = (size * zero.like(ENOUGH * T::EPSILON)).max(zero.like(DEEP * rests));
            let more = T::both(lanes, T::not(left.at_most(enough)));
            if !T::any(more) {
                break;
            }
            substitute(matrix, right);
            // Of what is left only the part that impulses can take away.
            along_held.clear();
            along_held.resize(n, zero);
            multiply(problem.A, right, along_held);
            for r in 0..n {
                right[r] = along_held[r] * unknown[r];
            }
            substitute(matrix, right);
            for (trial, d) in trial.iter_mut().zip(right.iter()) {
                *trial += T::select(more, *d, zero);
            }
            multiply(problem.A, trial, c);
            for (c, g) in c.iter_mut().zip(problem.g) {
                *c += *g;
            }
        }
    }

    /// Changes S: 1 where it has.
    #[inline(always)]
    fn change_held(&mut self, tolerance: T, outside: f64) -> T {
        let Self { trial, trial_velocity: c, held, blocks, .. } = self;
        let zero = tolerance.zero();
        let mut largest = zero;
        for l in trial.iter() {
            largest = largest.max(l.abs());
        }
        let pulls = -(largest * zero.like(outside));
        let mut changed = zero;
        for (block, held) in blocks.iter().zip(held.iter_mut()) {
            let active = block.cone.active.mask();
            let before = *held;
            if block.cone.dim > 1 {
                let r = block.row + 2;
                let opens = T::both(before.mask(), trial[r].less(pulls));
                let closes = T::both(T::not(before.mask()), c[r].less(-tolerance));
                *held = T::select(opens, zero, T::select(T::both(active, closes), zero.one(), before));
            } else {
                let (r, [low, high]) = (block.row, block.cone.bounds);
                let bound = trial[r].clamp(low, high);
                // A limit that pulls a little still holds.
                let under = T::both(trial[r].less(low), (trial[r] - low).less(pulls));
                let beyond = T::both(before.mask(), T::not(T::both(T::not(under), trial[r].at_most(high))));
                let back = T::select(trial[r].at_most(low), -c[r], c[r]);
                let back = T::both(T::both(active, T::not(before.mask())), tolerance.less(back));
                *held = T::select(beyond, zero, T::select(back, zero.one(), before));
                trial[r] = T::select(beyond, bound, trial[r]);
            }
            let differs = T::not(T::both(before.at_most(*held), held.at_most(before)));
            changed = T::select(differs, zero.one(), changed);
        }
        changed
    }

    /// Leads the trial into its cones in the lanes `asked`, where it is not, by turns onto these and onto what holds; 1 where it is
    /// there, but for rounding, which is taken off.
    #[inline(always)]
    fn lead_inside(&mut self, problem: &LaneProblem<'_, T>, asked: T::Mask, settings: LaneSettings) -> T {
        let zero = self.trial[0].zero();
        let LaneSettings { outside, rests, .. } = settings;
        let (mut before, mut going) = (zero.like(f64::INFINITY), asked);
        for _ in 0..PROJECTIONS {
            let (excess, size) = self.outside();
            let done = excess.at_most(size * zero.like(outside));
            going = T::both(going, T::both(T::not(done), excess.at_most(before * zero.like(FALLS))));
            if !T::any(going) {
                break;
            }
            before = excess;
            self.turn_inside(going, WITHIN, BEYOND);
            self.correct_held(problem, CORRECTIONS, rests, going);
        }
        let (excess, size) = self.outside();
        self.turn_inside(asked, 1.0, 1.0);
        zero.truth(T::both(asked, excess.at_most(size * zero.like(outside))))
    }

    /// How far the trial is outside of its cones, and how large it is.
    #[inline(always)]
    fn outside(&self) -> (T, T) {
        let zero = self.trial[0].zero();
        let (mut excess, mut size) = (zero, zero);
        for block in self.blocks.iter().filter(|b| b.cone.dim > 1) {
            let (length, normal) = self.tangential(block.row, block.cone.dim);
            let out = (length - block.cone.mu * normal).max(-normal).max(zero) * block.cone.active;
            excess += out * out;
            size += (length * length + normal * normal) * block.cone.active;
        }
        (excess.sqrt(), size.sqrt())
    }

    /// ‖λ_T‖ and λ_N of the trial.
    #[inline(always)]
    fn tangential(&self, r: usize, dim: usize) -> (T, T) {
        let mut squares = self.trial[0].zero();
        for k in 0..dim - 1 {
            squares += self.trial[r + tangent(k)] * self.trial[r + tangent(k)];
        }
        (squares.sqrt(), self.trial[r + 2])
    }

    /// The trial in `lanes`, `beyond` times the way to cones of `within` μ; single rows to their bounds.
    #[inline(always)]
    fn turn_inside(&mut self, lanes: T::Mask, within: f64, beyond: f64) {
        let zero = self.trial[0].zero();
        for b in 0..self.blocks.len() {
            let (r, dim) = (self.blocks[b].row, self.blocks[b].cone.dim);
            if dim == 1 {
                let [low, high] = self.blocks[b].cone.bounds;
                self.trial[r] = T::select(lanes, self.trial[r].clamp(low, high), self.trial[r]);
                continue;
            }
            let mu = self.blocks[b].cone.mu * zero.like(within);
            let (length, normal) = self.tangential(r, dim);
            // The nearest point of the cone: itself, none, or a (μ, 1), a = (μ ‖λ_T‖ + λ_N)/(1 + μ²).
            let a = ((mu * length + normal) / (zero.one() + mu * mu)).max(zero);
            let inside = length.at_most(mu * normal);
            let scale =
                T::select(inside, zero.one(), mu * a / T::select(zero.less(length), length, zero.one()));
            let to = T::select(inside, normal, a);
            let beyond = zero.like(beyond);
            for k in 0..dim - 1 {
                let l = self.trial[r + tangent(k)];
                self.trial[r + tangent(k)] = T::select(lanes, l + beyond * (scale - zero.one()) * l, l);
            }
            self.trial[r + 2] = T::select(lanes, normal + beyond * (to - normal), normal);
        }
    }
}

/// y ← A x.
#[inline(always)]
fn multiply<T: Real>(A: &[T], x: &[T], y: &mut [T]) {
    for (y, A) in y.iter_mut().zip(A.chunks_exact(x.len())) {
        let mut sum = x[0].zero();
        for (A, x) in A.iter().zip(x) {
            sum += *A * *x;
        }
        *y = sum;
    }
}

/// Solves by the factors in the upper triangle of `matrix`; the answer is in `right`.
#[inline(always)]
fn substitute<T: Real>(matrix: &[T], right: &mut [T]) {
    let n = right.len();
    for p in 0..n {
        let f = right[p] / matrix[p * n + p];
        for k in p + 1..n {
            right[k] -= matrix[p * n + k] * f;
        }
    }
    for p in (0..n).rev() {
        let mut x = right[p];
        for k in p + 1..n {
            x -= matrix[p * n + k] * right[k];
        }
        right[p] = x / matrix[p * n + p];
    }
}
