//! A scene that is simulated along a measured trajectory.

use std::sync::Arc;
use stiction::dynamics::{JointKind, Model};
use stiction::world::World;
use stiction::{Settings, Simulation, State};

/// A function that acts on a simulation before each of its steps.
pub type Drive = Arc<dyn Fn(&mut Simulation) + Send + Sync>;

/// A world, where it starts, and how it is simulated.
#[derive(Clone)]
pub struct Case {
    pub world: World,
    pub state: State,
    pub settings: Settings,
    /// One control per actuator, kept unless the drive changes it.
    pub control: Vec<f64>,
    pub drive: Option<Drive>,
    /// A measurement at t shows the state at t − delay [s].
    pub delay: f64,
}

/// A coordinate of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinate {
    /// Place in q.
    Position(usize),
    /// Place in v.
    Velocity(usize),
}

/// A measured column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The column's name in files that runs write, unit included.
    pub name: String,
    /// Columns of one unit share one noise; quaternions count as angles.
    pub unit: &'static str,
    pub coordinate: Coordinate,
}

/// A measured trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Where it is from, for messages.
    pub name: String,
    /// The state that it starts from; without, that of the case.
    pub start: Option<State>,
    /// Ascending, not before the start [s].
    pub times: Vec<f64>,
    pub channels: Vec<Channel>,
    /// A row for each time, a number for each channel.
    pub values: Vec<f64>,
}

/// A simulation that did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {what}")]
pub struct NotSimulated {
    pub name: String,
    pub what: String,
}

/// Steps beyond which a trajectory is taken for a mistake.
const MOST_STEPS: f64 = 1e7;

/// All coordinates of a model as channels, named as the columns of the files that runs write.
pub fn channels(model: &Model) -> Vec<Channel> {
    const QUATERNION: [(&str, &str); 4] =
        [("quaternion w", "rad"), ("quaternion x", "rad"), ("quaternion y", "rad"), ("quaternion z", "rad")];
    const TURN: [(&str, &str); 3] =
        [("body x [rad/s]", "rad/s"), ("body y [rad/s]", "rad/s"), ("body z [rad/s]", "rad/s")];
    let mut all = Vec::new();
    for joint in &model.joints {
        let place: &[(&str, &str)] = &[("x [m]", "m"), ("y [m]", "m"), ("z [m]", "m")];
        let speed: &[(&str, &str)] = &[("x [m/s]", "m/s"), ("y [m/s]", "m/s"), ("z [m/s]", "m/s")];
        let (q, v) = match joint.kind {
            JointKind::Hinge | JointKind::Screw => (vec![("[rad]", "rad")], vec![("[rad/s]", "rad/s")]),
            JointKind::Slide => (vec![("[m]", "m")], vec![("[m/s]", "m/s")]),
            JointKind::Ball => (QUATERNION.to_vec(), TURN.to_vec()),
            JointKind::Free => ([place, &QUATERNION].concat(), [speed, &TURN].concat()),
        };
        let named = |name: &str| format!("{} {name}", joint.name);
        all.extend(q.into_iter().enumerate().map(|(i, (name, unit))| Channel {
            name: named(name),
            unit,
            coordinate: Coordinate::Position(joint.idx_q + i),
        }));
        all.extend(v.into_iter().enumerate().map(|(i, (name, unit))| Channel {
            name: named(name),
            unit,
            coordinate: Coordinate::Velocity(joint.idx_v + i),
        }));
    }
    all
}

impl Case {
    /// The numbers that the channels of `measured` would show, row by row: straight lines between steps.
    ///
    /// # Errors
    ///
    /// If the world, the state or the settings are none that can be simulated, or a step fails.
    pub fn predict(&self, measured: &Measured) -> Result<Vec<f64>, NotSimulated> {
        let wrong = |what: String| NotSimulated { name: measured.name.clone(), what };
        let state = measured.start.clone().unwrap_or_else(|| self.state.clone());
        let dt = self.settings.stepper.dt;
        let (first, last) = (state.t, measured.times.last().copied().unwrap_or(state.t));
        if (last - first) / dt > MOST_STEPS {
            return Err(wrong(format!("it lasts {} s, which is more than {MOST_STEPS} steps", last - first)));
        }
        let mut simulation = Simulation::new(self.world.clone(), state, self.settings.clone())
            .map_err(|e| wrong(e.to_string()))?;
        simulation.control_mut().copy_from_slice(&self.control);
        let mut before = simulation.state().clone();
        let mut rows = Vec::with_capacity(measured.values.len());
        for time in &measured.times {
            let t = time - self.delay;
            // A time that is the end of a step but for rounding is that end.
            while simulation.state().t < t - 1e-6 * dt {
                before.clone_from(simulation.state());
                if let Some(drive) = &self.drive {
                    drive(&mut simulation);
                }
                if let Some(cause) = simulation.step().failure() {
                    return Err(wrong(format!("the step after t = {} s failed: {cause}", before.t)));
                }
            }
            let now = simulation.state();
            let length = now.t - before.t;
            let share = if length > 0.0 { ((t - before.t) / length).clamp(0.0, 1.0) } else { 1.0 };
            rows.extend(measured.channels.iter().map(|channel| {
                let [a, b] = match channel.coordinate {
                    Coordinate::Position(i) => [before.q[i], now.q[i]],
                    Coordinate::Velocity(i) => [before.v[i], now.v[i]],
                };
                a + share * (b - a)
            }));
        }
        Ok(rows)
    }

    /// Measured less predicted, row by row; of the two quaternions of one attitude the nearer is taken.
    ///
    /// # Errors
    ///
    /// Errors are those of [`Self::predict`].
    pub fn residuals(&self, measured: &Measured) -> Result<Vec<f64>, NotSimulated> {
        let predicted = self.predict(measured)?;
        let columns = measured.channels.len();
        let quaternion: Vec<usize> =
            (0..columns).filter(|i| measured.channels[*i].name.contains(" quaternion ")).collect();
        let mut residuals: Vec<f64> = measured.values.iter().zip(&predicted).map(|(m, p)| m - p).collect();
        for row in 0..measured.times.len() {
            for four in quaternion.chunks(4) {
                let at = |i: &usize| row * columns + i;
                let along: f64 = four.iter().map(|i| measured.values[at(i)] * predicted[at(i)]).sum();
                if along < 0.0 {
                    four.iter().for_each(|i| residuals[at(i)] = measured.values[at(i)] + predicted[at(i)]);
                }
            }
        }
        Ok(residuals)
    }
}
