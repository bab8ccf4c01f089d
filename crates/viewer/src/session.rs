//! What a live page can ask of a simulation, and what it is told beside frames.
//!
//! The viewer computes no physics: whoever has a simulation implements [`Session`], and [`crate::driver`] calls it at
//! its own pace from a thread of its own.
//!
//! Commands are JSON objects with the word `do`: `{"do": "speed", "factor": 0.5}`. A message that is not one of
//! [`Command`], or has numbers out of range, ends the connection; one that cannot be obeyed is answered with a reason.

use serde::{Deserialize, Serialize};
use stiction::recording::{Frame, Recording};

/// Steps one command may ask for.
const MOST_STEPS: u32 = 10_000;
/// Ghosts at a time.
const MOST_GHOSTS: usize = 8;
/// Letters of a solver's name.
const LONGEST_NAME: usize = 64;
/// Places farther away are mistakes [m].
const FARTHEST: f64 = 1e6;
/// Speeds, as multiples of real time.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.001..=1000.0;

/// See the module.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    Play {},
    Pause {},
    /// Pauses, then takes single steps.
    Step {
        count: u32,
    },
    /// Simulated seconds for a second.
    Speed {
        factor: f64,
    },
    /// Back to the first state.
    Reset {},
    /// Back to the last remembered state at or before t [s]; what came after is forgotten.
    Rewind {
        t: f64,
    },
    /// Another contact solver from here on.
    Solver {
        name: String,
    },
    /// The present state again under each of these solvers, beside the simulation.
    Ghosts {
        solvers: Vec<String>,
    },
    /// Takes hold of a body at a point in its axes [m]; a damped spring pulls that point to `target` in W [m].
    Grab {
        body: usize,
        point: [f64; 3],
        target: [f64; 3],
    },
    /// Moves the target [m].
    Pull {
        target: [f64; 3],
    },
    Release {},
    /// Input of an actuator.
    Control {
        actuator: usize,
        value: f64,
    },
    /// Puts the n-th joint position of a frame to a value [rad or m].
    Joint {
        joint: usize,
        value: f64,
    },
}

impl Command {
    /// Reads a message of a page.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn read(text: &str) -> Result<Self, String> {
        let command: Self = serde_json::from_str(text).map_err(|e| format!("not a command: {e}"))?;
        if command.in_range() { Ok(command) } else { Err(format!("out of range: {command:?}")) }
    }

    fn in_range(&self) -> bool {
        let near = |p: &[f64; 3]| p.iter().all(|x| x.abs() <= FARTHEST);
        match self {
            Self::Step { count } => (1..=MOST_STEPS).contains(count),
            Self::Speed { factor } => SPEEDS.contains(factor),
            Self::Solver { name } => name.len() <= LONGEST_NAME,
            Self::Ghosts { solvers } => {
                solvers.len() <= MOST_GHOSTS && solvers.iter().all(|name| name.len() <= LONGEST_NAME)
            }
            Self::Grab { point, target, .. } => near(point) && near(target),
            Self::Pull { target } => near(target),
            Self::Rewind { t: value } | Self::Control { value, .. } | Self::Joint { value, .. } => {
                value.is_finite()
            }
            Self::Play {} | Self::Pause {} | Self::Reset {} | Self::Release {} => true,
        }
    }
}

/// What obeying a command changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing one sees at once.
    Nothing,
    /// The state: there is a new frame. One whose time is not after that of the frame before it undoes what came between.
    State,
    /// The scene: it is told again, and past frames no longer fit.
    Scene,
}

/// A contact solver to choose.
#[derive(Clone, Debug, Serialize)]
pub struct Choice {
    pub name: String,
    pub law: String,
    pub summary: String,
}

/// What the page shows of a session beside its frames.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Condition {
    pub solver: String,
    pub ghosts: Vec<String>,
    /// One per actuator.
    pub control: Vec<f64>,
    /// The body held, and the point in its axes [m].
    pub held: Option<(usize, [f64; 3])>,
    /// Why the last step was not accepted.
    pub failure: Option<String>,
}

/// A simulation that can be watched and touched.
pub trait Session: Send + 'static {
    /// The scene now, without frames.
    fn scene(&self) -> Recording;
    /// Contact solvers there are.
    fn choices(&self) -> Vec<Choice>;
    /// One time step of `scene().dt`; the cause if it was not accepted.
    fn step(&mut self) -> Result<(), String>;
    /// The present instant.
    fn frame(&mut self) -> Frame;
    /// [s]
    fn time(&self) -> f64;
    fn condition(&self) -> Condition;
    /// Does what is told, all but what is the driver's: play, pause, step and speed.
    ///
    /// # Errors
    /// Why it cannot be done, in words.
    fn obey(&mut self, command: &Command) -> Result<Change, String>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read() {
        assert_eq!(Command::read(r#"{"do": "play"}"#), Ok(Command::Play {}));
        assert_eq!(Command::read(r#"{"do": "speed", "factor": 0.5}"#), Ok(Command::Speed { factor: 0.5 }));
        let grab = r#"{"do": "grab", "body": 3, "point": [0, 0.1, 0], "target": [1, 2, 3]}"#;
        let read = Command::Grab { body: 3, point: [0.0, 0.1, 0.0], target: [1.0, 2.0, 3.0] };
        assert_eq!(Command::read(grab), Ok(read));
    }

    #[test]
    fn what_is_no_command_is_refused() {
        for text in [
            "",
            "play",
            "[]",
            "{}",
            r#"{"do": "explode"}"#,
            r#"{"do": "play", "now": true}"#,
            r#"{"do": "step"}"#,
            r#"{"do": "step", "count": 0}"#,
            r#"{"do": "step", "count": -1}"#,
            r#"{"do": "step", "count": 4000000000}"#,
            r#"{"do": "speed", "factor": 0}"#,
            r#"{"do": "speed", "factor": 1e999}"#,
            r#"{"do": "speed", "factor": null}"#,
            r#"{"do": "grab", "body": -1, "point": [0, 0, 0], "target": [0, 0, 0]}"#,
            r#"{"do": "grab", "body": 0, "point": [0, 0], "target": [0, 0, 0]}"#,
            r#"{"do": "pull", "target": [0, 0, 1e300]}"#,
            r#"{"do": "ghosts", "solvers": ["a", "b", "c", "d", "e", "f", "g", "h", "i"]}"#,
            &format!(r#"{{"do": "solver", "name": "{}"}}"#, "x".repeat(65)),
        ] {
            assert!(Command::read(text).is_err(), "{text}");
        }
    }
}
