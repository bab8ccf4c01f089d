//! One run of a robot that follows a motion: height, tilt and way of its torso, and what its steps said.

use crate::ExperimentError;
use std::time::Instant;
use stiction::nmdp::NmdpReport;
use stiction::nmdp::residual::Dissipated;
use stiction::{Simulation, StepperName};
use stiction_lab::driven::Driven;
use stiction_scene::Scene;

/// A stepper, and the energy that it makes least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Variant {
    pub(super) stepper: &'static str,
    pub(super) dissipated: Dissipated,
    /// Order of its backward differences.
    pub(super) differences: u32,
}

impl Variant {
    pub(super) fn label(&self) -> String {
        match (self.dissipated, self.differences) {
            (Dissipated::WholeBody, 1) => self.stepper.to_owned(),
            (Dissipated::WholeBody, _) => format!("{} (two-step)", self.stepper),
            (Dissipated::ContactPoints, 1) => format!("{} (points)", self.stepper),
            (Dissipated::ContactPoints, _) => format!("{} (points, two-step)", self.stepper),
        }
    }

    /// Whether it is an implicit method.
    pub(super) fn is_implicit(&self) -> bool {
        self.stepper.contains("nmdp")
    }

    /// Whether it is a method of the paper: two-step differences it names and does not run.
    pub(super) fn is_published(&self) -> bool {
        self.differences == 1
    }
}

/// Numbers after every step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) t: f64,
    /// Position of the torso along x, and its height [m].
    pub(super) x: f64,
    pub(super) z: f64,
    /// Angle of its axis from the vertical [rad].
    pub(super) tilt: f64,
}

/// The record of a run.
pub(super) struct Trace {
    pub(super) samples: Vec<Sample>,
    pub(super) reports: Vec<NmdpReport>,
    /// Wall time of a step, in the mean [s].
    pub(super) seconds: f64,
    /// Largest natural map of the exact law [m/s], and deepest overlap [m].
    pub(super) natural_map: f64,
    pub(super) deepest: f64,
    /// It failed, or left the ground for good: no number counts after that.
    pub(super) exploded: bool,
}

/// A torso higher than this has exploded [m].
const TOO_HIGH: f64 = 10.0;

impl Trace {
    /// `scene` under `variant` at the step h for `duration` [s], tilted by `roll` [rad] at first.
    pub(super) fn run(
        scene: &Scene,
        variant: Variant,
        (h, duration, roll): (f64, f64, f64),
    ) -> Result<Self, ExperimentError> {
        let mut setup = scene.build()?;
        let (settings, state) = (&mut setup.settings, &mut setup.state);
        settings.stepper.method = StepperName::of(variant.stepper).unwrap_or_default();
        settings.stepper.dt = h;
        settings.stepper.nmdp.dissipated = variant.dissipated;
        settings.stepper.nmdp.differences = variant.differences;
        (state.q[3], state.q[4]) = ((0.5 * roll).cos(), (0.5 * roll).sin());
        let mut sim = Driven::new(setup)?;
        let steps = (duration / h).round() as usize;
        let mut trace = Self {
            samples: Vec::with_capacity(steps),
            reports: Vec::new(),
            seconds: 0.0,
            natural_map: 0.0,
            deepest: 0.0,
            exploded: false,
        };
        for _ in 0..steps {
            sim.act();
            let start = Instant::now();
            let report = Simulation::step(sim.sim_mut());
            trace.seconds += start.elapsed().as_secs_f64() / steps as f64;
            let q = &sim.sim().state().q;
            let z_of_axis = 1.0 - 2.0 * (q[4] * q[4] + q[5] * q[5]);
            let finite = q.iter().all(|x| x.abs() < TOO_HIGH);
            if report.failure().is_some() || !finite {
                trace.exploded = true;
                break;
            }
            trace.samples.push(Sample {
                t: sim.sim().state().t,
                x: q[0],
                z: q[2],
                tilt: z_of_axis.clamp(-1.0, 1.0).acos(),
            });
            trace.reports.extend(report.extra::<NmdpReport>());
            trace.deepest = trace.deepest.max(report.penetration);
            trace.natural_map = trace.natural_map.max(sim.sim_mut().certificate().natural_map);
        }
        Ok(trace)
    }

    /// Largest tilt after the time `from` [rad]; infinite if the run exploded.
    pub(super) fn tilt(&self, from: f64) -> f64 {
        if self.exploded {
            return f64::INFINITY;
        }
        self.samples.iter().filter(|s| s.t >= from).fold(0.0, |m, s| m.max(s.tilt))
    }

    /// Greatest height in every whole period [m].
    pub(super) fn apexes(&self, period: f64) -> Vec<f64> {
        let mut out = Vec::new();
        for s in &self.samples {
            let k = ((s.t - 1e-9) / period) as usize;
            out.resize(out.len().max(k + 1), f64::NEG_INFINITY);
            out[k] = f64::max(out[k], s.z);
        }
        out
    }

    /// Greatest height [m].
    pub(super) fn apex(&self, period: f64) -> f64 {
        self.apexes(period).iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// How far the greatest heights of the periods after the first differ [m]: the first jump starts from the posture, not
    /// from a landing.
    pub(super) fn spread(&self, period: f64) -> f64 {
        let all = self.apexes(period);
        let later = &all[1.min(all.len())..];
        let most = later.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        most - later.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Speed along x after the time `from`, by least squares, and the rms distance from that line [m/s, m].
    pub(super) fn line(&self, from: f64) -> [f64; 2] {
        let kept: Vec<_> = self.samples.iter().filter(|s| s.t >= from).collect();
        let n = kept.len() as f64;
        let mean = |f: &dyn Fn(&Sample) -> f64| kept.iter().map(|s| f(s)).sum::<f64>() / n;
        let (t, x) = (mean(&|s| s.t), mean(&|s| s.x));
        let slope = mean(&|s| (s.t - t) * (s.x - x)) / mean(&|s| (s.t - t) * (s.t - t));
        [slope, mean(&|s| (s.x - x - slope * (s.t - t)).powi(2)).sqrt()]
    }

    /// Mean of a count over the steps.
    pub(super) fn mean(&self, f: impl Fn(&NmdpReport) -> f64) -> f64 {
        self.reports.iter().map(f).sum::<f64>() / self.reports.len().max(1) as f64
    }
}
