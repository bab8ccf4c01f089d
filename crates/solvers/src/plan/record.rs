//! A record of the stages that a plan has tried.

use super::{Line, Stage, When};
use serde::{Serialize, Serializer};
use std::cell::RefCell;

/// A stage that was tried.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Tried {
    #[serde(serialize_with = "stage_name")]
    pub stage: Stage,
    /// Conditions of its line.
    #[serde(serialize_with = "when_names")]
    pub when: &'static [When],
    /// Rows of its island, or part.
    pub rows: usize,
    /// Steps it took.
    pub steps: u32,
    /// Natural map of the best impulses after it [m/s].
    pub natural_map: f64,
    /// Time it took, with what it called [s].
    pub seconds: f64,
}

fn stage_name<S: Serializer>(stage: &Stage, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(stage.name())
}

fn when_names<S: Serializer>(when: &&[When], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(when.iter().map(|w| w.name()))
}

thread_local! {
    static TRIED: RefCell<Option<Vec<Tried>>> = const { RefCell::new(None) };
}

/// Calls `solve`; what it makes, and the stages that plans have tried in it on this thread, in the order of their ends.
pub fn explained<T>(solve: impl FnOnce() -> T) -> (T, Vec<Tried>) {
    let before = TRIED.replace(Some(Vec::new()));
    let out = solve();
    (out, TRIED.replace(before).unwrap_or_default())
}

/// The time at which a stage begins, while plans are explained.
pub(crate) fn clock() -> Option<std::time::Instant> {
    TRIED.with_borrow(|tried| tried.is_some().then(std::time::Instant::now))
}

/// Records a stage that began then.
pub(crate) fn record(
    began: Option<std::time::Instant>,
    line: &Line,
    rows: usize,
    steps: u32,
    natural_map: f64,
) {
    let Some(began) = began else { return };
    let seconds = began.elapsed().as_secs_f64();
    let Line { stage, when, .. } = *line;
    TRIED.with_borrow_mut(|tried| {
        if let Some(tried) = tried {
            tried.push(Tried { stage, when, rows, steps, natural_map, seconds });
        }
    });
}
