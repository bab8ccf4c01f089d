//! Controls or positions of actuators over time, from the columns of a file.
//!
//! ```text
//!     hold:     the values of the last row at or before t
//!     linear:   straight between rows
//!     before the first row its values, after the last row its values
//! ```
//!
//! Controls are those of the step that starts at t. Positions p become controls as in a `[motion]`, by equation (2) there.

use super::{Scene, SceneError};
use crate::columns::read_columns;
use crate::nearest::hint;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use stiction::Simulation;
use stiction::assembly::forces::actuators;
use stiction::world::{Actuator, World};

/// A row this much after the start of a step still counts for it [s]: times in files are rounded.
const HAIR: f64 = 1e-9;

/// `[track]`: what actuators do over time, from a file; instead of a `[motion]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrackSpec {
    /// A `.csv` with a line of names, or an `.npz` with an array a column; relative to the scene file. The column `t` is time
    /// [s], ascending; the others are called after actuators, or after joints whose servos get positions.
    pub file: PathBuf,
    /// The meaning of the columns.
    #[serde(default)]
    pub columns: TrackKind,
    /// The values between two rows.
    #[serde(default)]
    pub between: Between,
}

/// The meaning of the columns of a track.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrackKind {
    /// Controls of actuators, in their own units.
    #[default]
    Controls,
    /// Positions that servos are to reach [rad or m].
    Positions,
}

/// The values between two rows of a track.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Between {
    /// The values of the row before.
    #[default]
    Hold,
    /// On the straight line.
    Linear,
}

/// Columns over time, each of an actuator of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    times: Vec<f64>,
    /// Actuators with their values, one a time.
    columns: Vec<(usize, Vec<f64>)>,
    kind: TrackKind,
    between: Between,
}

impl Track {
    /// The value of a column at time t and its rate.
    fn at(&self, values: &[f64], t: f64) -> [f64; 2] {
        let after = self.times.partition_point(|x| *x <= t + HAIR);
        let (i, last) = (after.saturating_sub(1), self.times.len() - 1);
        if self.between == Between::Hold || after == 0 || i == last {
            return [values[i], 0.0];
        }
        let rate = (values[i + 1] - values[i]) / (self.times[i + 1] - self.times[i]);
        [values[i] + rate * (t - self.times[i]), rate]
    }

    /// Sets the controls of the next step.
    pub(super) fn apply(&self, sim: &mut Simulation) {
        let (start, dt) = (sim.state().t, sim.settings().stepper.dt);
        let world = sim.shared_world();
        for (index, values) in &self.columns {
            let control = match (self.kind, self.between) {
                (TrackKind::Controls, _) => self.at(values, start)[0],
                (TrackKind::Positions, between) => {
                    let t = if between == Between::Hold { start } else { start + dt };
                    let [p, rate] = self.at(values, t);
                    actuators::law(&world.actuators[*index]).control_at_rest(p, rate)
                }
            };
            sim.control_mut()[*index] = control;
        }
    }
}

impl Scene {
    /// `[track]`, for the actuators of `world`.
    pub(super) fn track(&self, spec: &TrackSpec, world: &World) -> Result<Track, SceneError> {
        let path = self.source.folder().join(&spec.file);
        let wrong =
            |message: String| self.mistake("track", 0, "file", format!("{}: {message}", path.display()));
        let mut columns = read_columns(&path, &|_| true).map_err(wrong)?;
        let time = columns.iter().position(|(name, _)| name == "t");
        let times =
            columns.remove(time.ok_or_else(|| wrong("no column is called `t`, the time [s]".to_owned()))?).1;
        if times.is_empty() || !times.windows(2).all(|w| w[0] < w[1]) {
            return Err(wrong("the times `t` do not ascend, or there are none".to_owned()));
        }
        let mut placed: Vec<(usize, Vec<f64>)> = Vec::new();
        for (name, mut values) in columns {
            if values.len() != times.len() {
                let (found, expected) = (values.len(), times.len());
                return Err(wrong(format!("column `{name}` has {found} values; there are {expected} times")));
            }
            if let Some(row) = values.iter().chain(&times).position(|x| !x.is_finite()) {
                return Err(wrong(format!(
                    "row {} of column `{name}` is no finite number",
                    row % times.len() + 1
                )));
            }
            let (index, scale) = driven(world, &name, spec.columns).map_err(wrong)?;
            if placed.iter().any(|(other, _)| *other == index) {
                return Err(wrong(format!("two columns are for the actuator of `{name}`")));
            }
            values.iter_mut().for_each(|x| *x *= scale);
            placed.push((index, values));
        }
        Ok(Track { times, columns: placed, kind: spec.columns, between: spec.between })
    }
}

/// The actuator of a column, and its length where the column is 1.
fn driven(world: &World, name: &str, kind: TrackKind) -> Result<(usize, f64), String> {
    let servo = |a: &Actuator| a.law.gain != 0.0 && a.law.bias_length != 0.0;
    let names = || world.actuators.iter().map(|a| a.name.as_str());
    let by_name = names().position(|a| a == name);
    if kind == TrackKind::Controls {
        return by_name.map(|i| (i, 1.0)).ok_or_else(|| {
            let all = names().collect::<Vec<_>>().join(", ");
            format!("no actuator is called `{name}`{}; there are: {all}", hint(name, names()))
        });
    }
    if let Some(i) = by_name.filter(|i| servo(&world.actuators[*i])) {
        return Ok((i, 1.0));
    }
    let joints = || world.model.joints.iter().filter(|j| j.kind.is_scalar());
    let joint = joints().find(|j| j.name == name).ok_or_else(|| {
        let all = || joints().map(|j| j.name.as_str());
        let list = all().collect::<Vec<_>>().join(", ");
        format!("no servo and no joint is called `{name}`{}; joints: {list}", hint(name, all()))
    })?;
    let of_joint = |a: &Actuator| match a.transmission[..] {
        [(dof, ratio)] if dof == joint.idx_v && servo(a) => Some(ratio),
        _ => None,
    };
    let found = world.actuators.iter().enumerate().find_map(|(i, a)| Some((i, of_joint(a)?)));
    found
        .ok_or_else(|| format!("no servo drives the joint `{name}`; `hold = {{}}` in its [[model]] adds one"))
}
