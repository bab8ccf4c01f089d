//! The two streams: results to stdout, everything said about them to stderr. A reader who has gone is no error.

use crate::failure::Failure;
use serde::Serialize;
use std::io::{ErrorKind, Write};
use stiction::world::Note;

/// Writes `text` and a line end to stdout.
pub(crate) fn say(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{}", text.trim_end()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::work(format!("cannot write to stdout: {e}")))
        }
        _ => Ok(()),
    }
}

/// Writes `value` as JSON to stdout. What is not a number becomes `null`.
pub(crate) fn say_json(value: &impl Serialize) -> Result<(), Failure> {
    say(&serde_json::to_string_pretty(value).map_err(Failure::work)?)
}

/// Writes `text` to stderr.
pub(crate) fn complain(text: &str) {
    // Nobody is left to tell when stderr is closed.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Notes shown, unless there are few more.
const SHOWN_NOTES: usize = 12;

/// Writes what a user should know of a world to stderr, a line each, the worst first.
pub(crate) fn tell_notes(notes: &[Note]) {
    let mut notes: Vec<&Note> = notes.iter().collect();
    notes.sort_by_key(|n| std::cmp::Reverse(n.severity));
    let shown = if notes.len() > SHOWN_NOTES + 2 { SHOWN_NOTES } else { notes.len() };
    notes[..shown].iter().for_each(|note| complain(&note.to_string()));
    if shown < notes.len() {
        complain(&format!("and {} notes more (`stiction check` of the file tells all)", notes.len() - shown));
    }
}
