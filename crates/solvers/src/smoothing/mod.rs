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
//! Where all this ends, it starts once more with other numbers ([`Tuning::AGAIN`]).

mod curve;
mod system;

use crate::interior::Kind;
use crate::iterate::Method;
use crate::task::Task;
use system::{Point, System};

/// Numbers that decide how the path is followed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// φ while e > [`NEAR`] e₀ [–].
    pub(crate) derivative: f64,
    /// p of (1) [–].
    pub(crate) proximal: f64,
}

impl Tuning {
    pub(crate) const FIRST: Self = Self { derivative: 0.85, proximal: 0.03 };
    /// Numbers for further attempts: folds that are met are a matter of luck, and other numbers meet others.
    pub(crate) const AGAIN: [Self; 2] =
        [Self { derivative: 0.7, proximal: 0.3 }, Self { derivative: 1.0, proximal: 0.1 }];
}

/// κ₀ in units of median(1/‖A_ii‖) e₀²/n [–], and the least κ, of κ₀ [–].
const FIRST_KAPPA: f64 = 5.0;
const LAST_KAPPA: f64 = 1e-30;
/// A stage ends at this share of the natural map [–].
const CENTRE: f64 = 0.5;
/// De Saxcé's derivative is whole where e is less than this share of e₀ [–].
const NEAR: f64 = 3e-3;
/// Range of r, as a share of ‖A_ii‖ [–]: by (1), and where it has grown at stalls.
const PROXIMAL: [f64; 2] = [1e-9, 1e-4];
const FIRMEST: f64 = 1e-2;
const SOFTEST: f64 = 1e-15;
/// r falls by a factor where what it adds to velocities is more than this share of e, as between very unequal masses, and κ
/// waits; least factor of r in all [–].
const LAG: f64 = 0.5;
const SOFTENING: f64 = 10.0;
const LEAST_GROWTH: f64 = 1e-10;
/// Factors by which r grows at a stall and falls with every stage [–].
const GROWTH: f64 = 30.0;
const DECAY: f64 = 5.0;
/// σ: the first, its range, and after so many Newton steps the factor [–].
const FIRST_SIGMA: f64 = 0.3;
const SIGMA: [f64; 2] = [0.02, 0.6];
const SIGMA_BY_STEPS: [(u32, f64); 4] = [(1, 0.5), (2, 1.0), (4, 1.7), (u32::MAX, 3.0)];
/// Halvings of a line search, what a whole step must gain, and what is a short step [–].
const HALVINGS: u32 = 5;
const GAIN: f64 = 0.1;
const SHORT: f64 = 0.2;
/// Short steps in a row, or steps of a stage, that say that there is a fold.
const SHORT_STEPS: u32 = 2;
const STAGE_STEPS: u32 = 10;
/// Folds of a stage, and how often κ may grow tenfold for them.
const FOLDS: u32 = 8;
const LIFTS: u32 = 4;
const LIFT: f64 = 10.0;
const SIGMA_AFTER_LIFT: f64 = 0.5;
/// Shares of De Saxcé's derivative of a snap, its steps, by how much one may multiply ‖H‖, the length of one that would where no
/// share is left, the falls in a row that end it, and what is one [–].
const SNAP: [f64; 3] = [0.7, 0.4, 0.0];
const SNAP_STEPS: u32 = 14;
const BLOW_UP: f64 = 5.0;
const SHORTENED: f64 = 0.3;
const FALLS: u32 = 3;
const FALL: f64 = 0.8;
/// ‖H‖ of its end in units of its entry: it is over, it has failed, it is gone back from [–].
const SNAPPED: f64 = 0.1;
const LOST: f64 = 1e3;
const BACK: f64 = 3.0;
/// A leap is tried below this share of e₀, and of the last that failed; its steps; what it must gain [–].
const LEAP: f64 = 3e-4;
const LEAP_AGAIN: f64 = 0.1;
const LEAP_STEPS: u32 = 6;
const LEAP_GAIN: f64 = 0.1;
/// A leap ends after so many steps where e is more than so many times that of its start.
const LEAP_ENDS: [(u32, f64); 2] = [(4, 0.3), (3, 100.0)];
const LEAP_HALVINGS: u32 = 3;
/// Difference of κ for ∂H/∂κ, as a share [–].
const DIFFERENCE: f64 = 1e-3;
/// Factorisations of an attempt.
const ATTEMPT: u32 = 150;

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
    tuning: Option<Tuning>,
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
    type Params = Tuning;
    const PATIENCE: u32 = ATTEMPT;
    const BY_FACTOR: bool = true;

    fn start(&mut self, tuning: &Tuning, task: &Task, _: &[f64], _: &[f64]) -> bool {
        self.attempts = 0;
        self.tuning = Some(*tuning);
        self.system.take(task) && self.begin(task)
    }

    fn iterate(&mut self, _: &Tuning, task: &Task, lambda: &mut [f64]) -> bool {
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
        (going && self.here.merit.is_finite() && self.factorisations < ATTEMPT) || self.again(task)
    }
}

impl Smoothing {
    /// Begins from no impulses, whatever they were: steps hit something in large islands, and the last step's do not help.
    fn begin(&mut self, task: &Task) -> bool {
        let problem = task.problem;
        let n = problem.rows();
        let mut zero = std::mem::take(&mut self.step);
        zero.clear();
        zero.resize(n, 0.0);
        task.law.project_all(problem, &mut zero);
        problem.velocities_into(&zero, &mut self.scratch);
        self.system.held.copy_from_slice(&zero);
        self.first = task.stopping.residual(problem, task.law, &zero, &self.scratch);
        self.system.start(task, &zero, &self.scratch, &mut self.here.z);
        self.step = zero;
        self.e = self.first;
        let unknowns = |kind: &&Kind| !matches!(kind, Kind::Pinned | Kind::Free);
        let count = self.system.kinds.iter().filter(unknowns).count().max(1);
        self.scratch.clear();
        self.scratch.extend_from_slice(&self.system.norms);
        self.scratch.sort_unstable_by(f64::total_cmp);
        let median = self.scratch.get(self.scratch.len() / 2).copied().unwrap_or(1.0);
        self.unit = 1.0 / (median * count as f64);
        self.kappa = FIRST_KAPPA * self.unit * self.first * self.first;
        self.first_kappa = self.kappa;
        (self.growth, self.sigma, self.lifts) = (1.0, FIRST_SIGMA, 0);
        (self.stage_before, self.leaped) = (f64::INFINITY, f64::INFINITY);
        self.factorisations = 0;
        self.set_proximal(self.first);
        self.evaluate(task);
        self.begin_stage();
        self.settle(task)
    }

    /// Begins once more, with other numbers; false if there are none left.
    fn again(&mut self, task: &Task) -> bool {
        while let Some(tuning) = Tuning::AGAIN.get(self.attempts) {
            self.attempts += 1;
            self.tuning = Some(*tuning);
            if self.begin(task) {
                return true;
            }
        }
        false
    }

    fn tuning(&self) -> Tuning {
        self.tuning.unwrap_or(Tuning::FIRST)
    }

    fn set_proximal(&mut self, e: f64) {
        let share = (self.tuning().proximal * e / self.first).clamp(PROXIMAL[0], PROXIMAL[1]);
        self.system.set_proximal((share * self.growth).clamp(SOFTEST, FIRMEST));
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
        CENTRE * self.e.min(self.stage_before)
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
        let share = if self.e < NEAR * self.first { 1.0 } else { self.tuning().derivative };
        if !self.direction(task, self.kappa, share) {
            return false;
        }
        let reference = self.window[0].max(self.window[1]);
        let mut length = 1.0;
        for k in 0..=HALVINGS {
            self.look(task, self.kappa, length);
            if self.trial.merit <= (1.0 - GAIN * length) * reference || k == HALVINGS {
                break;
            }
            length *= 0.5;
        }
        (self.newtons, self.used) = (self.newtons + 1, self.used + 1);
        self.shorts = if length < SHORT { self.shorts + 1 } else { 0 };
        if self.trial.merit < self.lowest_merit {
            self.lowest_merit = self.trial.merit;
            self.lowest.clone_from(&self.trial.z);
        }
        if self.shorts >= SHORT_STEPS || self.newtons > STAGE_STEPS {
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
        if self.folds > FOLDS {
            self.lifts += 1;
            self.kappa *= LIFT;
            self.sigma = SIGMA_AFTER_LIFT;
            self.evaluate(task);
            self.begin_stage();
            return self.lifts <= LIFTS && self.settle(task);
        }
        if self.folds.is_multiple_of(2) {
            self.growth *= GROWTH;
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
        if !self.direction(task, self.kappa, SNAP[snap.share]) {
            return false;
        }
        snap.steps += 1;
        self.used += 1;
        let mut ends = snap.steps >= SNAP_STEPS;
        self.look(task, self.kappa, 1.0);
        let blows = !(self.trial.merit < BLOW_UP * self.here.merit);
        if blows && snap.share + 1 < SNAP.len() {
            snap.share += 1;
        } else {
            if blows {
                self.look(task, self.kappa, SHORTENED);
            }
            self.take_trial(task);
            let m = self.here.merit;
            snap.falls = if m < FALL * snap.before { snap.falls + 1 } else { 0 };
            snap.before = m;
            ends |= snap.falls >= FALLS && m < snap.entry
                || m < SNAPPED * snap.entry
                || m < self.target()
                || !(m <= LOST * snap.entry);
        }
        self.phase = Phase::Snap(snap);
        if !ends {
            return true;
        }
        if !(self.here.merit < BACK * snap.entry) {
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
            if self.kappa < LAST_KAPPA * self.first_kappa {
                return false;
            }
            let lags = self.system.lag(task, &self.here) > LAG * self.e;
            self.growth =
                if lags { self.growth / SOFTENING } else { self.growth.min((self.growth / DECAY).max(1.0)) };
            self.stage_before = self.e;
            self.hold();
            self.set_proximal(self.e);
            self.evaluate(task);
            self.find_tangent(task);
            if self.e < LEAP * self.first && self.e < LEAP_AGAIN * self.leaped {
                self.begin_leap(task);
                return true;
            }
            if lags && self.growth > LEAST_GROWTH {
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
        self.system.evaluate(task, self.kappa * (1.0 - DIFFERENCE), &mut self.trial);
        let scale = 1.0 / (DIFFERENCE * self.kappa);
        self.tangent.clear();
        self.tangent.extend(self.trial.h.iter().zip(&self.here.h).map(|(less, h)| (h - less) * scale));
        self.system.solve(task, &mut self.tangent);
        self.has_tangent = self.tangent.iter().all(|t| t.is_finite());
    }

    /// Goes to the next κ.
    fn advance(&mut self, task: &Task) {
        let factor = SIGMA_BY_STEPS.iter().find(|(most, _)| self.used <= *most).map_or(1.0, |(_, f)| *f);
        self.sigma = (self.sigma * factor).clamp(SIGMA[0], SIGMA[1]);
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
        for k in 0..=LEAP_HALVINGS {
            self.look(task, 0.0, length);
            if self.trial.merit < self.here.merit || k == LEAP_HALVINGS {
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
        if self.e <= task.tolerance || !(leap.steps >= LEAP_STEPS || LEAP_ENDS.iter().any(astray)) {
            return true;
        }
        self.end_leap(task, leap)
    }

    fn end_leap(&mut self, task: &Task, leap: Leap) -> bool {
        if self.e < LEAP_GAIN * leap.from {
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
