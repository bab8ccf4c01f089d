//! A motion that actuators follow: positions over time, period after period.
//!
//! ```text
//!     p(t) through the positions at the times, by cubics; slopes at the times are zero where `ease` is set, else those of
//!     the parabola through three neighbours                                                          (1)
//!     gain u + bias + b_l p + b_v ṗ = 0 at the end of the step                                       (2)
//! ```
//!
//! (2) is the control at which an actuator exerts nothing where it is on its way: a servo then pulls towards where the motion
//! is at the end of the step, the stable PD controller [Tan2011] under steppers that take servos there.

use super::{Finite, Positive, Scene, SceneError, Track};
use serde::{Deserialize, Serialize};
use stiction::Simulation;
use stiction::assembly::forces::actuators;
use stiction::world::World;

/// `[motion]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MotionSpec {
    /// The motion repeats after this time [s].
    pub period: Positive,
    /// It comes to rest at every time.
    #[serde(default)]
    pub ease: bool,
    /// Ascending, from 0 to below the period [s].
    pub times: Vec<Finite>,
    /// At every time, one position for every actuator [rad or m].
    pub positions: Vec<Vec<Finite>>,
}

/// A motion of the actuators of a world.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    Periodic(Periodic),
    Track(Track),
}

impl Motion {
    /// Sets the controls of the next step.
    pub fn apply(&self, sim: &mut Simulation) {
        match self {
            Self::Periodic(motion) => motion.apply(sim),
            Self::Track(track) => track.apply(sim),
        }
    }
}

/// A motion that comes back to its start, period after period.
#[derive(Clone, Debug, PartialEq)]
pub struct Periodic {
    period: f64,
    times: Vec<f64>,
    positions: Vec<Vec<f64>>,
    slopes: Vec<Vec<f64>>,
}

impl Periodic {
    /// (1): position and velocity of every actuator at time t.
    pub fn at(&self, t: f64) -> impl Iterator<Item = [f64; 2]> + '_ {
        let t = t.rem_euclid(self.period);
        let n = self.times.len();
        let i = self.times.partition_point(|x| *x <= t).max(1) - 1;
        let j = (i + 1) % n;
        let end = if j == 0 { self.period } else { self.times[j] };
        let (length, s) = (end - self.times[i], (t - self.times[i]) / (end - self.times[i]));
        let (a, b) = (&self.positions[i], &self.positions[j]);
        let slopes = self.slopes[i].iter().zip(&self.slopes[j]);
        a.iter().zip(b).zip(slopes).map(move |((a, b), (u, v))| {
            let (u, v, d) = (u * length, v * length, b - a);
            let (c2, c3) = (3.0 * d - 2.0 * u - v, u + v - 2.0 * d);
            [a + s * (u + s * (c2 + s * c3)), (u + s * (2.0 * c2 + s * 3.0 * c3)) / length]
        })
    }

    /// Sets the controls of the next step, by (2).
    fn apply(&self, sim: &mut Simulation) {
        let end = sim.state().t + sim.settings().stepper.dt;
        let world = sim.shared_world();
        let controls = sim.control_mut().iter_mut().zip(&world.actuators);
        for ((control, actuator), [p, rate]) in controls.zip(self.at(end)) {
            *control = actuators::law(actuator).control_at_rest(p, rate);
        }
    }
}

impl Scene {
    /// `[motion]`, for the actuators of `world`.
    pub(super) fn motion(&self, spec: &MotionSpec, world: &World) -> Result<Motion, SceneError> {
        let wrong = |key: &str, message: String| Err(self.mistake("motion", 0, key, message));
        let (n, actuators) = (spec.times.len(), world.actuators.len());
        let times: Vec<f64> = spec.times.iter().map(|t| t.0).collect();
        let period = spec.period.0;
        let ascending = times.windows(2).all(|w| w[0] < w[1]);
        if !(ascending && times.first() == Some(&0.0) && times.last().is_some_and(|t| *t < period)) {
            return wrong(
                "times",
                format!("expected ascending times from 0 to below the period, {period} s"),
            );
        }
        if spec.positions.len() != n {
            let found = spec.positions.len();
            return wrong("positions", format!("found {found} rows; expected one per time, {n}"));
        }
        for row in &spec.positions {
            if row.len() != actuators {
                let found = row.len();
                return wrong(
                    "positions",
                    format!("a row has {found} numbers; there are {actuators} actuators"),
                );
            }
        }
        if let Some(a) = world.actuators.iter().find(|a| a.law.gain == 0.0) {
            return wrong("positions", format!("the actuator `{}` has no gain: no control moves it", a.name));
        }
        let positions: Vec<Vec<f64>> =
            spec.positions.iter().map(|row| row.iter().map(|p| p.0).collect()).collect();
        let slope = |k: usize, a: usize| {
            if spec.ease || n < 2 {
                return 0.0;
            }
            let (before, after) = ((k + n - 1) % n, (k + 1) % n);
            let (h0, h1) =
                ((times[k] - times[before]).rem_euclid(period), (times[after] - times[k]).rem_euclid(period));
            let d0 = (positions[k][a] - positions[before][a]) / h0;
            let d1 = (positions[after][a] - positions[k][a]) / h1;
            (h1 * d0 + h0 * d1) / (h0 + h1)
        };
        let slopes = (0..n).map(|k| (0..actuators).map(|a| slope(k, a)).collect()).collect();
        Ok(Motion::Periodic(Periodic { period, times, positions, slopes }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn motion(ease: bool) -> Periodic {
        let times = vec![0.0, 1.0, 3.0];
        let positions = vec![vec![0.0], vec![1.0], vec![1.0]];
        // Of the parabolas through three neighbours, times 4 s round.
        let slopes = if ease { [0.0; 3] } else { [0.0, 2.0 / 3.0, -2.0 / 3.0] };
        Periodic { period: 4.0, times, positions, slopes: slopes.map(|s| vec![s]).to_vec() }
    }

    /// It goes through its positions, period after period, and its velocity is that of its position.
    #[test]
    fn it_passes_the_positions_at_the_rates_it_says() {
        for ease in [true, false] {
            let m = motion(ease);
            let at = |t: f64| m.at(t).next().unwrap();
            for (t, p) in [(0.0, 0.0), (1.0, 1.0), (3.0, 1.0), (4.0, 0.0), (9.0, 1.0)] {
                assert!((at(t)[0] - p).abs() < 1e-15, "{t}");
            }
            for k in 1..80 {
                let (t, eps) = (0.0507 * f64::from(k), 1e-6);
                let slope = (at(t + eps)[0] - at(t - eps)[0]) / (2.0 * eps);
                assert!((slope - at(t)[1]).abs() < 1e-8, "{t}: {slope} {}", at(t)[1]);
            }
        }
    }
}
