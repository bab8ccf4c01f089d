//! A simulation as a system whose trajectories are optimised.

use super::system::{Derivative, Point, System, SystemError};
use serde::{Deserialize, Serialize};
use stiction::random::Random;
use stiction::{
    HigherOrder, LinearizationNote, LinearizationParams, Settings, Simulation, Sleep, Snapshot, State,
};
use stiction_dynamics::{difference_into, integrate_into};

/// Where derivatives come from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "by", deny_unknown_fields)]
pub enum Gradient {
    /// The law itself, by the implicit function theorem ([`Simulation::step_linearized`]). A step that has no derivative is differentiated
    /// by central differences of `displacement` instead, and counted ([`Tally::by_differences`]).
    Exact { displacement: f64 },
    /// The law relaxed by `smoothing` [J] ([`LinearizationParams::smoothing`]): contacts press from a distance, and no derivative has a switch. Its bias
    /// goes to zero with `smoothing`. A step that has no derivative is differentiated by differences.
    Relaxed { smoothing: f64 },
    /// Central differences of whole steps [m, rad, m/s, rad/s, units of a control].
    Differences { displacement: f64 },
    /// The mean of the exact derivatives at `samples` states and controls that are displaced at random, in pairs of opposite sign: the
    /// derivative of the step convolved with a normal distribution. Its deviations are those of configurations [m, rad], of
    /// velocities [m/s, rad/s] and of controls. It feels contacts within about two deviations; where the step is curved it is biased by
    /// half its third derivative times the variances, and near a switch by as much as its sides differ.
    Smoothed { samples: usize, deviations: [f64; 3], seed: u64 },
}

/// Displacements of differences in place of relaxed derivatives [m, rad, m/s, rad/s, units of a control].
const DISPLACEMENT: f64 = 1e-6;

/// The work of a system so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Steps of trajectories and of differences.
    pub steps: usize,
    /// Steps that were differentiated by the law.
    pub linearized: usize,
    /// Steps that have no derivative by the law and were differentiated by differences.
    pub by_differences: usize,
    /// Samples of [`Gradient::Smoothed`] that have no derivative and were left out.
    pub left_out: usize,
    /// Steps whose derivative is one of two or more: at a switch, or where rows contradict each other to first order.
    pub one_sided: usize,
}

/// A [`Simulation`] from one state on, whose controls are kept for a number of steps.
pub struct Simulated {
    sim: Simulation,
    start: Snapshot,
    hold: usize,
    gradient: Gradient,
    tally: Tally,
}

/// Settings under which every step is one that can be differentiated as a whole: no sleep, no parts at impacts, no methods of higher order for servos.
pub fn differentiable(mut settings: Settings) -> Settings {
    settings.stepper.sleep = Sleep::Off;
    settings.stepper.higher_order = HigherOrder::Passive;
    settings.stepper.impact_instants = 0;
    settings.stepper.continuous = false;
    settings
}

impl Simulated {
    /// The simulation from its present state on, with `hold` steps a knot.
    ///
    /// # Errors
    ///
    /// No steps a knot, no samples, displacements or deviations that are not positive.
    pub fn new(mut sim: Simulation, hold: usize, gradient: Gradient) -> Result<Self, SystemError> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let (value, sound) = match gradient {
            Gradient::Exact { displacement } | Gradient::Differences { displacement } => {
                (displacement, positive(displacement))
            }
            Gradient::Relaxed { smoothing } => (smoothing, positive(smoothing)),
            Gradient::Smoothed { samples, deviations, .. } => {
                let bad = deviations.into_iter().find(|d| !(*d >= 0.0 && d.is_finite()));
                let none = deviations.iter().all(|d| *d == 0.0);
                (bad.unwrap_or(samples as f64), bad.is_none() && samples > 0 && !none)
            }
        };
        if hold == 0 || !sound {
            return Err(SystemError(format!(
                "a system of {hold} steps a knot, differentiated with {value}; expected one step or more, a displacement > 0, or one sample or \
                 more and finite deviations ≥ 0 of which one is > 0"
            )));
        }
        let start = sim.snapshot();
        Ok(Self { sim, start, hold, gradient, tally: Tally::default() })
    }

    /// The simulation where it is.
    pub fn simulation(&mut self) -> &mut Simulation {
        &mut self.sim
    }

    /// The work so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Does the trajectory under `controls` again from the start and hands the simulation to `see` after every step.
    ///
    /// # Errors
    ///
    /// A step that fails.
    pub fn replay(
        &mut self,
        controls: &[Vec<f64>],
        mut see: impl FnMut(&mut Simulation, &stiction::StepReport),
    ) -> Result<(), SystemError> {
        self.restart()?;
        for u in controls {
            self.sim.control_mut().copy_from_slice(u);
            for _ in 0..self.hold {
                let report = self.sim.step();
                if let Some(cause) = report.failure() {
                    return Err(SystemError(cause.to_owned()));
                }
                see(&mut self.sim, &report);
            }
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), SystemError> {
        self.tally.steps += 1;
        match self.sim.step().failure() {
            Some(cause) => Err(SystemError(cause.to_owned())),
            None => Ok(()),
        }
    }

    /// One step, differentiated.
    fn step_differentiated(&mut self) -> Result<Derivative, SystemError> {
        let (from, control) = (self.sim.state().clone(), self.sim.control_mut().to_vec());
        let smoothing = match self.gradient {
            Gradient::Exact { .. } => Some(0.0),
            Gradient::Relaxed { smoothing } => Some(smoothing),
            _ => None,
        };
        if let Some(smoothing) = smoothing {
            let params = LinearizationParams { smoothing, ..LinearizationParams::default() };
            let (report, found) = self.sim.step_linearized(&params);
            if let Some(cause) = report.failure() {
                return Err(SystemError(cause.to_owned()));
            }
            self.tally.steps += 1;
            if let Ok(found) = found {
                self.tally.linearized += 1;
                self.note(&found.notes);
                return Ok(Derivative { a: found.a, b: found.b });
            }
            self.tally.by_differences += 1;
        } else {
            self.step()?;
        }
        let after = self.sim.snapshot();
        let derivative = match self.gradient {
            Gradient::Exact { displacement } | Gradient::Differences { displacement } => {
                self.differences((&from, &control), displacement)?
            }
            Gradient::Relaxed { .. } => self.differences((&from, &control), DISPLACEMENT)?,
            Gradient::Smoothed { samples, deviations, seed } => {
                self.smoothed((&from, &control), samples, deviations, seed)?
            }
        };
        self.sim.restore(&after).map_err(|e| SystemError(e.to_string()))?;
        Ok(derivative)
    }

    fn note(&mut self, notes: &[LinearizationNote]) {
        let sided = |n: &LinearizationNote| {
            matches!(n, LinearizationNote::AtSwitch { .. } | LinearizationNote::Inconsistent { .. })
        };
        self.tally.one_sided += usize::from(notes.iter().any(sided));
    }

    /// Goes to the state and control displaced by `along`, in the coordinates of (q, v, u).
    fn displace(&mut self, (from, control): (&State, &[f64]), along: &[f64]) -> Result<(), SystemError> {
        let nv = self.nv();
        let mut state = from.clone();
        integrate_into(&self.sim.shared_world().model, &from.q, &along[..nv], 1.0, &mut state.q);
        state.v.iter_mut().zip(&along[nv..]).for_each(|(v, e)| *v += e);
        self.sim.set_state(state).map_err(|e| SystemError(e.to_string()))?;
        let u = self.sim.control_mut();
        u.iter_mut().zip(control.iter().zip(&along[2 * nv..])).for_each(|(u, (is, e))| *u = is + e);
        Ok(())
    }

    /// Central differences of the step from a state under a control; where the simulation is afterwards is unspecified.
    fn differences(&mut self, from: (&State, &[f64]), displacement: f64) -> Result<Derivative, SystemError> {
        let (n, nu) = (2 * self.nv(), self.nu());
        let mut out = Derivative { a: vec![0.0; n * n], b: vec![0.0; n * nu] };
        let mut along = vec![0.0; n + nu];
        for k in 0..n + nu {
            let mut side = |x: f64| {
                along[k] = x;
                self.displace(from, &along)?;
                self.step()?;
                Ok(self.point())
            };
            let (ahead, back) = (side(displacement)?, side(-displacement)?);
            along[k] = 0.0;
            for (i, moved) in self.difference(&back, &ahead).into_iter().enumerate() {
                let slope = moved / (2.0 * displacement);
                match k < n {
                    true => out.a[i * n + k] = slope,
                    false => out.b[i * nu + k - n] = slope,
                }
            }
        }
        Ok(out)
    }

    /// The mean of derivatives of steps from about here; where the simulation is afterwards is unspecified.
    fn smoothed(
        &mut self,
        from: (&State, &[f64]),
        samples: usize,
        deviations: [f64; 3],
        seed: u64,
    ) -> Result<Derivative, SystemError> {
        let (nv, nu) = (self.nv(), self.nu());
        let n = 2 * nv;
        let mut out = Derivative { a: vec![0.0; n * n], b: vec![0.0; n * nu] };
        let mut counted = 0;
        for sample in 0..samples {
            // Both of a pair are of one seed; common random numbers make one trajectory's gradient a smooth function of it.
            let mut dice = Random::part(seed, sample as u64 / 2);
            let sign = if sample % 2 == 0 { 1.0 } else { -1.0 };
            let deviation = |k: usize| deviations[(k / nv.max(1)).min(2)];
            let along: Vec<f64> = (0..n + nu).map(|k| sign * deviation(k) * dice.normal()).collect();
            self.displace(from, &along)?;
            let (report, found) = self.sim.step_linearized(&LinearizationParams::default());
            self.tally.steps += usize::from(report.failure().is_none());
            match found {
                Ok(found) => {
                    counted += 1;
                    self.tally.linearized += 1;
                    out.a.iter_mut().zip(&found.a).for_each(|(sum, a)| *sum += a);
                    out.b.iter_mut().zip(&found.b).for_each(|(sum, b)| *sum += b);
                }
                Err(_) => self.tally.left_out += 1,
            }
        }
        if counted == 0 {
            return Err(SystemError(format!("none of {samples} samples about this state has a derivative")));
        }
        let share = 1.0 / f64::from(counted);
        out.a.iter_mut().chain(&mut out.b).for_each(|x| *x *= share);
        Ok(out)
    }
}

impl System for Simulated {
    fn nv(&self) -> usize {
        self.sim.world().model.nv()
    }

    fn nu(&self) -> usize {
        self.sim.world().actuators.len()
    }

    fn restart(&mut self) -> Result<(), SystemError> {
        self.sim.restore(&self.start).map_err(|e| SystemError(e.to_string()))
    }

    fn point(&self) -> Point {
        let State { q, v, .. } = self.sim.state();
        Point { q: q.clone(), v: v.clone() }
    }

    fn advance(&mut self, u: &[f64]) -> Result<(), SystemError> {
        self.sim.control_mut().copy_from_slice(u);
        (0..self.hold).try_for_each(|_| self.step())
    }

    fn differentiate(&mut self, u: &[f64]) -> Result<Derivative, SystemError> {
        let (n, nu) = (2 * self.nv(), self.nu());
        self.sim.control_mut().copy_from_slice(u);
        let mut whole: Option<Derivative> = None;
        for _ in 0..self.hold {
            let step = self.step_differentiated()?;
            whole = Some(match whole {
                None => step,
                Some(before) => step.after(&before, n, nu),
            });
        }
        Ok(whole.unwrap_or_default())
    }

    fn difference(&self, from: &Point, to: &Point) -> Vec<f64> {
        let nv = self.nv();
        let mut out = vec![0.0; 2 * nv];
        difference_into(&self.sim.world().model, &from.q, &to.q, 1.0, &mut out[..nv]);
        out[nv..].iter_mut().zip(to.v.iter().zip(&from.v)).for_each(|(x, (to, from))| *x = to - from);
        out
    }
}
