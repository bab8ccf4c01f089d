//! System identification of scenes: from a [`Setup`] and files of measurements to [`stiction_learn::system`].

use std::path::{Path, PathBuf};
use std::sync::Arc;
use stiction::State;
use stiction::dynamics::Model;
use stiction_learn::system::{
    Case, Channel, Coordinate, Drive, Measured, Parameter, ParameterError, channels, parameter_names,
};
use stiction_scene::Setup;
use stiction_scene::columns::{column_names, read_columns};
use stiction_scene::nearest::hint;

/// Where a measured trajectory starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// In the state of the scene.
    #[default]
    Scene,
    /// In its own first row, which says all coordinates.
    Data,
}

/// Measurements or names that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdentificationError {
    #[error("{path}: {what}")]
    Data { path: PathBuf, what: String },
    #[error("{0}")]
    Parameter(String),
}

/// The scene as it is simulated along measurements, with its forces and its motion.
pub fn case(setup: Setup) -> Case {
    let Setup { world, state, settings, forces, motion, control, .. } = setup;
    let still = forces.is_empty() && motion.is_none();
    let drive: Drive = Arc::new(move |simulation| {
        forces.iter().for_each(|force| force.apply(simulation));
        motion.iter().for_each(|motion| motion.apply(simulation));
    });
    Case { world, state, settings, control, drive: (!still).then_some(drive), delay: 0.0 }
}

/// Reads a trajectory in the columns that `stiction run --out` writes (`.csv`, or `.npz` with `t`, `q` and `v`), as many of them
/// as there are; the column `t` or `t [s]` is the time of the scene.
///
/// # Errors
///
/// If the file cannot be read, no column is a coordinate of the model, times do not ascend, or a start is missing.
pub fn measured(path: &Path, model: &Model, start: Start) -> Result<Measured, IdentificationError> {
    let all = channels(model);
    let known = |name: &str| ["t", "t [s]", "q", "v"].contains(&name) || channel(name, &all).is_some();
    let read = read_columns(path, &known)
        .map_err(|what| IdentificationError::Data { path: path.to_owned(), what })?;
    let there = || column_names(path);
    measured_columns(path, read, &there, model, start)
}

/// A trajectory of columns that are there, otherwise like [`measured`]; messages call them `path`.
///
/// # Errors
///
/// The same conditions hold for columns as in [`measured`] for files.
pub fn measured_columns(
    path: &Path,
    read: Vec<(String, Vec<f64>)>,
    names_there: &dyn Fn() -> Vec<String>,
    model: &Model,
    start: Start,
) -> Result<Measured, IdentificationError> {
    let wrong = |what: String| IdentificationError::Data { path: path.to_owned(), what };
    let all = channels(model);
    let mut times = Vec::new();
    let mut columns: Vec<(Channel, Vec<f64>)> = Vec::new();
    for (name, values) in read {
        match name.as_str() {
            "t" | "t [s]" => times = values,
            "q" | "v" => columns.extend(rows_apart(&all, &name, &values, model).map_err(wrong)?),
            _ => columns.extend(channel(&name, &all).map(|c| (c.clone(), values))),
        }
    }
    if columns.is_empty() {
        let (there, wanted) = (names_there().join(", "), names(&all));
        return Err(wrong(format!(
            "no column is a coordinate of the scene; columns: {there}; coordinates: {wanted}"
        )));
    }
    let ascend = !times.is_empty() && times.windows(2).all(|w| w[0] < w[1]);
    if !ascend || !times.iter().all(|t| t.is_finite()) {
        return Err(wrong("the times `t` [s] do not ascend, or there are none".to_owned()));
    }
    for (channel, values) in &columns {
        if values.len() != times.len() || values.iter().any(|x| !x.is_finite()) {
            let what = "has not one finite number a time";
            return Err(wrong(format!("column `{}` {what}", channel.name)));
        }
    }
    let row = |k: usize| columns.iter().map(move |(_, values)| values[k]);
    let (start, first) = match start {
        Start::Scene => (None, 0),
        Start::Data => (Some(state_of(&columns, &all, times[0], model).map_err(wrong)?), 1),
    };
    let begin = start.as_ref().map_or(0.0, |s| s.t);
    if times[first.min(times.len() - 1)] < begin {
        return Err(wrong(format!("the first time is {} s, before the start of the scene", times[0])));
    }
    Ok(Measured {
        name: path.display().to_string(),
        values: (first..times.len()).flat_map(row).collect(),
        channels: columns.iter().map(|(channel, _)| channel.clone()).collect(),
        times: times.split_off(first),
        start,
    })
}

/// The channel of a column called after it, as `ball x [m]`, or as runs write it, `q ball x [m]`.
fn channel<'a>(name: &str, all: &'a [Channel]) -> Option<&'a Channel> {
    all.iter().find(|c| {
        let letter = if matches!(c.coordinate, Coordinate::Position(_)) { "q" } else { "v" };
        name == c.name || name.strip_prefix(letter).and_then(|n| n.strip_prefix(' ')) == Some(c.name.as_str())
    })
}

fn names(all: &[Channel]) -> String {
    all.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// The array `q` or `v` of a run as columns.
fn rows_apart(
    all: &[Channel],
    name: &str,
    values: &[f64],
    model: &Model,
) -> Result<Vec<(Channel, Vec<f64>)>, String> {
    let width = if name == "q" { model.nq } else { model.nv() };
    if width == 0 || !values.len().is_multiple_of(width) {
        return Err(format!(
            "array `{name}` has {} numbers, not {width} a row as in the scene",
            values.len()
        ));
    }
    let place = |c: &Channel| match (name, c.coordinate) {
        ("q", Coordinate::Position(i)) | ("v", Coordinate::Velocity(i)) => Some(i),
        _ => None,
    };
    let column = |c: &Channel| {
        let i = place(c)?;
        Some((c.clone(), values.iter().skip(i).step_by(width).copied().collect()))
    };
    Ok(all.iter().filter_map(column).collect())
}

/// The state that the first row says.
fn state_of(
    columns: &[(Channel, Vec<f64>)],
    all: &[Channel],
    t: f64,
    model: &Model,
) -> Result<State, String> {
    let mut state = State { t, ..State::neutral(model) };
    for channel in all {
        let (_, values) = columns.iter().find(|(c, _)| c == channel).ok_or_else(|| {
            format!("the first row is to be the start, and there is no column `{}`", channel.name)
        })?;
        match channel.coordinate {
            Coordinate::Position(i) => state.q[i] = values[0],
            Coordinate::Velocity(i) => state.v[i] = values[0],
        }
    }
    state.validate(model).map_err(|e| e.to_string())?;
    Ok(state)
}

/// The parameter of a case called `name`.
///
/// # Errors
///
/// If it has none; the message guesses what was meant.
pub fn parameter(name: &str, case: &Case) -> Result<Parameter, IdentificationError> {
    Parameter::find(name, &case.world).map_err(|error| {
        let known = parameter_names(&case.world);
        let list = match &error {
            ParameterError::Unknown { .. } => {
                let guess = hint(name, known.iter().map(String::as_str));
                format!("{guess}; there are: {}", known.join(", "))
            }
            ParameterError::Meaningless { .. } => String::new(),
        };
        IdentificationError::Parameter(format!("{error}{list}"))
    })
}

/// A parameter and its range as they are written: `ball.mass=0.1..2`.
///
/// # Errors
///
/// If the text is not of this form, or the case has no such parameter.
pub fn parameter_in_range(text: &str, case: &Case) -> Result<(Parameter, [f64; 2]), IdentificationError> {
    let wrong = || {
        let form = "expected a name and a range such as ball.mass=0.1..2";
        IdentificationError::Parameter(format!("`{text}`: {form}"))
    };
    let (name, range) = text.split_once('=').ok_or_else(wrong)?;
    let (low, high) = range.split_once("..").ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
    Ok((parameter(name.trim(), case)?, [number(low)?, number(high)?]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::{RunOptions, Runner};
    use crate::testing::scratch;
    use crate::trajectory::Detail;
    use stiction_scene::Scene;

    const DROP: &str = "duration = 0.3\n[ground]\nrestitution = 0.5\n[[body]]\nname = \"ball\"\nshape = \"sphere\"\n\
                        radius = 0.1\nmass = 1.0\nposition = [0.0, 0.0, 0.3]\n";

    /// The file that a run wrote, as `.csv` and as `.npz`, is measured without error, from the scene's start and from its own.
    #[test]
    fn files_of_runs_are_measurements() {
        let scene = Scene::load(&scratch("identified.toml", DROP)).unwrap();
        let options = RunOptions { trajectory: Some(Detail::Scalars), ..RunOptions::default() };
        let mut runner = Runner::new(scene.build().unwrap(), options).unwrap();
        let summary = runner.run_quietly();
        let trajectory = runner.finish(summary).trajectory.unwrap();
        let case = case(scene.build().unwrap());
        let folder = scratch("identified.toml", DROP).parent().unwrap().to_owned();
        for file in ["identified.csv", "identified.npz"] {
            let path = folder.join(file);
            trajectory.write(&path).unwrap();
            for start in [Start::Scene, Start::Data] {
                let seen = measured(&path, &case.world.model, start).unwrap();
                assert_eq!(seen.channels.len(), 13, "{file}");
                let error = case.residuals(&seen).unwrap().iter().fold(0.0_f64, |m, r| m.max(r.abs()));
                assert!(error < 1e-9, "{file} {error}");
            }
        }
        let told = |r: Result<Measured, IdentificationError>| r.unwrap_err().to_string();
        let path = scratch("short.csv", "t,ball z [m]\n0,0.3\n0.1,0.25\n");
        assert!(told(measured(&path, &case.world.model, Start::Data)).contains("no column `ball x [m]`"));
        let path = scratch("none.csv", "t,bal z [m]\n0,0.3\n");
        assert!(told(measured(&path, &case.world.model, Start::Scene)).contains("no column is a coordinate"));
    }

    /// Parameters and ranges are read; what is none is told with a guess.
    #[test]
    fn parameters_are_written_with_their_ranges() {
        let case = case(Scene::load(&scratch("identified.toml", DROP)).unwrap().build().unwrap());
        let (parameter, range) = parameter_in_range("ball.mass = 0.5..2", &case).unwrap();
        assert_eq!((parameter.get(&case), range), (1.0, [0.5, 2.0]));
        for (text, words) in [
            ("bal.mass=0..1", "did you mean `ball.mass`?"),
            ("ball.mass=0.1", "a range such as"),
            ("ball.mass=a..b", "a range such as"),
        ] {
            let told = parameter_in_range(text, &case).unwrap_err().to_string();
            assert!(told.contains(words), "{told}");
        }
    }
}
