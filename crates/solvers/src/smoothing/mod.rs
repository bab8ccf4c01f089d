//! Smoothing homotopy on the exact law: [`crate::ncp_smoothing`], and an opening of large islands.
//!
//! H(z; κ) = 0 ([`system`]) is followed from a large κ to zero. A stage is Newton's method at one κ, until ‖H‖ is half of the
//! natural map e; then
//!
//! ```text
//!     λ̂ ← λ,   r_i = ‖A_ii‖ · clip(p e/e₀)                            proximal: leaves no bias            (1)
//!     κ' = σ κ,   z ← z + (κ − κ') τ,   ∂H/∂z τ = ∂H/∂κ                if that lowers ‖H(·; κ')‖           (2)
//! ```
//!
//! σ adapts to the steps a stage takes. While e is large Newton's matrix has a share φ < 1 of De Saxcé's derivative only, which
//! a stage hardly feels and which walks over most folds of the path.
//!
//! *Snap.* At a fold ‖H‖ stalls, steps become short, and there is no solution near. From the best point of the stage follow whole
//! steps with φ = 0.7, or less where ‖H‖ grows too fast: ‖H‖ rises and falls again on another branch. Every second time
//! r grows instead; after eight κ does.
//!
//! *Leap.* Where e is small enough, Newton's method at κ = 0 from there; it is kept if e falls tenfold.
//!
//! Where all this ends, it starts once more with other numbers ([`SmoothingTuning::further`]).

mod curve;
mod system;

use crate::dense::zeros;
use crate::interior::Kind;
use crate::iterate::Method;
use crate::task::Task;
use crate::tuning::{SmoothingStart, SmoothingTuning};
use system::{Point, System};

/// How the path is followed: in the first attempt, and in all.
#[derive(Clone, Copy, Debug)]
pub struct Homotopy {
    pub(crate) start: SmoothingStart,
    pub(crate) numbers: SmoothingTuning,
}

/// The purpose of the next factorisation.
#[derive(Clone, Copy, Default)]
enum Phase {
    #[default]
    Newton,
    Snap(Snap),
    Leap(Leap),
}

#[derive(Clone, Copy)]
struct Snap {
    entry: f64,
    share: usize,
    steps: u32,
    falls: u32,
    before: f64,
}

#[derive(Clone, Copy)]
struct Leap {
    from: f64,
    steps: u32,
}

/// The method on one island; vectors hold during one solve.
#[derive(Default)]
pub struct Smoothing {
    system: System,
    phase: Phase,
    here: Point,
    trial: Point,
    /// Where ‖H‖ was least in this stage.
    lowest: Vec<f64>,
    lowest_merit: f64,
    step: Vec<f64>,
    /// −dz/dκ, if it is known.
    tangent: Vec<f64>,
    has_tangent: bool,
    /// z, λ̂ and r before a leap.
    before_leap: [Vec<f64>; 3],
    scratch: Vec<f64>,
    /// Numbers of this attempt, and of all.
    tuning: SmoothingStart,
    numbers: SmoothingTuning,
    /// Attempts ended, and factorisations of this one.
    attempts: usize,
    factorisations: u32,
    kappa: f64,
    first_kappa: f64,
    /// median(1/‖A_ii‖)/n, in units of which κ is e².
    unit: f64,
    /// e at no impulses, here, and at the end of the stage before [m/s].
    first: f64,
    e: f64,
    stage_before: f64,
    leaped: f64,
    sigma: f64,
    /// Factor of r.
    growth: f64,
    window: [f64; 2],
    shorts: u32,
    /// Newton steps since the last fold, and factorisations of the stage.
    newtons: u32,
    used: u32,
    folds: u32,
    lifts: u32,
}

impl Method for Smoothing {
    type Params = Homotopy;
    const BY_FACTOR: bool = true;

    fn patience(params: &Homotopy) -> u32 {
        params.numbers.attempt
    }

    fn start(&mut self, params: &Homotopy, task: &Task, _: &[f64], _: &[f64]) -> bool {
        self.attempts = 0;
        Homotopy { start: self.tuning, numbers: self.numbers } = *params;
        self.system.take(task, self.numbers.rho) && self.begin(task)
    }

    fn iterate(&mut self, _: &Homotopy, task: &Task, lambda: &mut [f64]) -> bool {
        self.factorisations += 1;
        let going = match self.phase {
            Phase::Newton => self.newton(task),
            Phase::Snap(snap) => self.snap(task, snap),
            Phase::Leap(leap) => self.leap(task, leap),
        };
        if self.here.merit.is_finite() {
            lambda.copy_from_slice(&self.here.lambda);
            task.law.project_all(task.problem, lambda);
        }
        (going && self.here.merit.is_finite() && self.factorisations < self.numbers.attempt)
            || self.again(task)
    }
}

impl Smoothing {
    /// Begins from no impulses, whatever they were: steps hit something in large islands, and the last step's do not help.
    fn begin(&mut self, task: &Task) -> bool {
        let problem = task.problem;
        let n = problem.rows();
        let mut zero = std::mem::take(&mut self.step);
        zeros(&mut zero, n);
        task.law.project_all(problem, &mut zero);
        problem.velocities_into(&zero, &mut self.scratch);
        self.system.held.copy_from_slice(&zero);
        self.first = task.stopping.residual(problem, task.law, &zero, &self.scratch);
        self.system.start(task, &zero, &self.scratch, &mut self.here.z);
        self.step = zero;
        self.e = self.first;
        let unknowns = |kind: &&Kind| !matches!(kind, Kind::Pinned | Kind::Free);
        let count = self.system.kinds.iter().filter(unknowns).count().max(1);
        self.system.norms.clone_into(&mut self.scratch);
        self.scratch.sort_unstable_by(f64::total_cmp);
        let median = self.scratch.get(self.scratch.len() / 2).copied().unwrap_or(1.0);
        self.unit = 1.0 / (median * count as f64);
        self.kappa = self.numbers.first_kappa * self.unit * self.first * self.first;
        self.first_kappa = self.kappa;
        (self.growth, self.sigma, self.lifts) = (1.0, self.numbers.first_sigma, 0);
        (self.stage_before, self.leaped) = (f64::INFINITY, f64::INFINITY);
        self.factorisations = 0;
        self.set_proximal(self.first);
        self.evaluate(task);
        self.begin_stage();
        self.settle(task)
    }

    /// Begins once more, with other numbers; false if there are none left.
    fn again(&mut self, task: &Task) -> bool {
        while let Some(tuning) = self.numbers.further().get(self.attempts) {
            self.attempts += 1;
            self.tuning = *tuning;
            if self.begin(task) {
                return true;
            }
        }
        false
    }

    fn set_proximal(&mut self, e: f64) {
        let SmoothingTuning { least_proximal, most_proximal, softest, firmest, .. } = self.numbers;
        let share =
            (self.tuning.proximal * e / self.first).clamp(least_proximal.min(most_proximal), most_proximal);
        self.system.set_proximal((share * self.growth).clamp(softest.min(firmest), firmest));
    }

    fn hold(&mut self) {
        self.system.held.copy_from_slice(&self.here.lambda);
    }

    /// H here and its natural map.
    fn evaluate(&mut self, task: &Task) {
        self.evaluate_at(task, self.kappa);
    }

    fn evaluate_at(&mut self, task: &Task, kappa: f64) {
        self.system.evaluate(task, kappa, &mut self.here);
        self.note(task);
    }

    fn note(&mut self, task: &Task) {
        self.system.true_velocities(task, &self.here, &mut self.scratch);
        self.e = task.stopping.residual(task.problem, task.law, &self.here.lambda, &self.scratch);
    }

    fn begin_stage(&mut self) {
        self.phase = Phase::Newton;
        (self.folds, self.used, self.has_tangent) = (0, 0, false);
        self.begin_search();
    }

    /// Newton's steps start anew from here.
    fn begin_search(&mut self) {
        self.window = [self.here.merit; 2];
        (self.shorts, self.newtons) = (0, 0);
        self.lowest_merit = self.here.merit;
        self.lowest.clone_from(&self.here.z);
    }

    fn target(&self) -> f64 {
        self.numbers.centre * self.e.min(self.stage_before)
    }

    /// −H by the matrix with a share φ of De Saxcé's derivative; false if it is singular.
    fn direction(&mut self, task: &Task, kappa: f64, share: f64) -> bool {
        if !self.system.factor(task, kappa, share, &self.here) {
            return false;
        }
        self.step.clear();
        self.step.extend(self.here.h.iter().map(|h| -h));
        self.system.solve(task, &mut self.step);
        self.step.iter().all(|d| d.is_finite())
    }

    /// The trial point so far along the step.
    fn look(&mut self, task: &Task, kappa: f64, length: f64) {
        let Self { here, trial, step, .. } = self;
        trial.z.clear();
        trial.z.extend(here.z.iter().zip(step.iter()).map(|(z, d)| z + length * d));
        self.system.evaluate(task, kappa, trial);
    }

    fn take_trial(&mut self, task: &Task) {
        std::mem::swap(&mut self.here, &mut self.trial);
        self.note(task);
    }

    /// One step of a stage.
    fn newton(&mut self, task: &Task) -> bool {
        let share = if self.e < self.numbers.near * self.first { 1.0 } else { self.tuning.derivative };
        if !self.direction(task, self.kappa, share) {
            return false;
        }
        let reference = self.window[0].max(self.window[1]);
        let mut length = 1.0;
        for k in 0..=self.numbers.halvings {
            self.look(task, self.kappa, length);
            if self.trial.merit <= (1.0 - self.numbers.gain * length) * reference
                || k == self.numbers.halvings
            {
                break;
            }
            length *= 0.5;
        }
        (self.newtons, self.used) = (self.newtons + 1, self.used + 1);
        self.shorts = if length < self.numbers.short { self.shorts + 1 } else { 0 };
        if self.trial.merit < self.lowest_merit {
            self.lowest_merit = self.trial.merit;
            self.lowest.clone_from(&self.trial.z);
        }
        if self.shorts >= self.numbers.short_steps || self.newtons > self.numbers.stage_steps {
            return self.stalled(task);
        }
        self.take_trial(task);
        self.window = [self.window[1], self.here.merit];
        self.settle(task)
    }

    /// Goes on from a fold by a snap, a firmer system, or a larger κ, in turn.
    fn stalled(&mut self, task: &Task) -> bool {
        self.here.z.clone_from(&self.lowest);
        self.evaluate(task);
        self.folds += 1;
        if self.folds > self.numbers.folds {
            self.lifts += 1;
            self.kappa *= self.numbers.lift;
            self.sigma = self.numbers.sigma_after_lift;
            self.evaluate(task);
            self.begin_stage();
            return self.lifts <= self.numbers.lifts && self.settle(task);
        }
        if self.folds.is_multiple_of(2) {
            self.growth *= self.numbers.growth;
            self.hold();
            self.set_proximal(self.e);
            self.evaluate(task);
            self.begin_search();
            return self.settle(task);
        }
        let m = self.here.merit;
        self.phase = Phase::Snap(Snap { entry: m, share: 0, steps: 0, falls: 0, before: m });
        true
    }

    /// One step of a snap.
    fn snap(&mut self, task: &Task, mut snap: Snap) -> bool {
        if !self.direction(task, self.kappa, self.numbers.snap()[snap.share]) {
            return false;
        }
        snap.steps += 1;
        self.used += 1;
        let mut ends = snap.steps >= self.numbers.snap_steps;
        self.look(task, self.kappa, 1.0);
        let blows = !(self.trial.merit < self.numbers.blow_up * self.here.merit);
        if blows && snap.share + 1 < self.numbers.snap().len() {
            snap.share += 1;
        } else {
            if blows {
                self.look(task, self.kappa, self.numbers.shortened);
            }
            self.take_trial(task);
            let m = self.here.merit;
            snap.falls = if m < self.numbers.fall * snap.before { snap.falls + 1 } else { 0 };
            snap.before = m;
            ends |= snap.falls >= self.numbers.falls && m < snap.entry
                || m < self.numbers.snapped * snap.entry
                || m < self.target()
                || !(m <= self.numbers.lost * snap.entry);
        }
        self.phase = Phase::Snap(snap);
        if !ends {
            return true;
        }
        if !(self.here.merit < self.numbers.back * snap.entry) {
            self.here.z.clone_from(&self.lowest);
            self.evaluate(task);
        }
        self.phase = Phase::Newton;
        self.begin_search();
        self.settle(task)
    }

    /// Goes from stage to stage, as long as no factorisation is asked for; false at the end of the path.
    fn settle(&mut self, task: &Task) -> bool {
        loop {
            if self.e <= task.tolerance || !(self.here.merit < self.target()) {
                return true;
            }
            if self.kappa < self.numbers.last_kappa * self.first_kappa {
                return false;
            }
            let lags = self.system.lag(task, &self.here) > self.numbers.lag * self.e;
            self.growth = if lags {
                self.growth / self.numbers.softening
            } else {
                self.growth.min((self.growth / self.numbers.decay).max(1.0))
            };
            self.stage_before = self.e;
            self.hold();
            self.set_proximal(self.e);
            self.evaluate(task);
            self.find_tangent(task);
            if self.e < self.numbers.leap * self.first && self.e < self.numbers.leap_again * self.leaped {
                self.begin_leap(task);
                return true;
            }
            if lags && self.growth > self.numbers.least_growth {
                self.begin_stage();
            } else {
                self.advance(task);
            }
        }
    }

    /// −dz/dκ here by the last factor, if this stage has one.
    fn find_tangent(&mut self, task: &Task) {
        self.has_tangent = self.used > 0;
        if !self.has_tangent {
            return;
        }
        self.trial.z.clone_from(&self.here.z);
        self.system.evaluate(task, self.kappa * (1.0 - self.numbers.difference), &mut self.trial);
        let scale = 1.0 / (self.numbers.difference * self.kappa);
        self.tangent.clear();
        self.tangent.extend(self.trial.h.iter().zip(&self.here.h).map(|(less, h)| (h - less) * scale));
        self.system.solve(task, &mut self.tangent);
        self.has_tangent = self.tangent.iter().all(|t| t.is_finite());
    }

    /// Goes to the next κ.
    fn advance(&mut self, task: &Task) {
        let n = &self.numbers;
        let factor = match self.used {
            0 | 1 => n.quick,
            2 => n.usual,
            3 | 4 => n.slow,
            _ => n.slowest,
        };
        self.sigma = (self.sigma * factor).clamp(n.least_sigma.min(n.most_sigma), n.most_sigma);
        let next = self.sigma * self.kappa;
        if self.has_tangent {
            let by = self.kappa - next;
            self.trial.z.clear();
            self.trial.z.extend(self.here.z.iter().zip(&self.tangent).map(|(z, t)| z + by * t));
            self.system.evaluate(task, next, &mut self.trial);
        }
        self.kappa = next;
        self.evaluate(task);
        if self.has_tangent && self.trial.merit < self.here.merit {
            self.take_trial(task);
        }
        self.begin_stage();
    }

    fn begin_leap(&mut self, task: &Task) {
        let [z, held, proximal] = &mut self.before_leap;
        z.clone_from(&self.here.z);
        held.clone_from(&self.system.held);
        proximal.clone_from(&self.system.proximal);
        let from = self.e;
        self.hold();
        self.evaluate_at(task, 0.0);
        self.phase = Phase::Leap(Leap { from, steps: 0 });
    }

    /// One step at κ = 0.
    fn leap(&mut self, task: &Task, mut leap: Leap) -> bool {
        if !self.direction(task, 0.0, 1.0) {
            return self.end_leap(task, leap);
        }
        let mut length = 1.0;
        for k in 0..=self.numbers.leap_halvings {
            self.look(task, 0.0, length);
            if self.trial.merit < self.here.merit || k == self.numbers.leap_halvings {
                break;
            }
            length *= 0.5;
        }
        std::mem::swap(&mut self.here, &mut self.trial);
        self.hold();
        self.note(task);
        self.set_proximal(self.e.min(leap.from));
        self.evaluate_at(task, 0.0);
        leap.steps += 1;
        self.phase = Phase::Leap(leap);
        let astray = |(steps, share): &(u32, f64)| leap.steps >= *steps && !(self.e <= share * leap.from);
        if self.e <= task.tolerance
            || !(leap.steps >= self.numbers.leap_steps || self.numbers.leap_ends().iter().any(astray))
        {
            return true;
        }
        self.end_leap(task, leap)
    }

    fn end_leap(&mut self, task: &Task, leap: Leap) -> bool {
        if self.e < self.numbers.leap_gain * leap.from {
            self.leaped = self.e;
            self.kappa = self.kappa.min(self.unit * self.e * self.e);
            self.evaluate(task);
            self.begin_stage();
        } else {
            let [z, held, proximal] = &self.before_leap;
            self.here.z.clone_from(z);
            self.system.held.clone_from(held);
            self.system.proximal.clone_from(proximal);
            self.leaped = leap.from;
            self.evaluate(task);
            self.advance(task);
        }
        self.settle(task)
    }
}
