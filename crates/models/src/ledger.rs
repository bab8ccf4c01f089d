//! What became of everything in a file: used, kept for later, or unknown. Nothing is dropped
//! silently.

use crate::audit::INSIDE_UNKNOWN;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: PathBuf,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}

/// Fate of an element or attribute in the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It shapes the simulation.
    Used,
    /// Understood, and without effect on the motion (colours, cameras, names).
    Kept,
    /// Understood, and it would change the motion, but stiction does not simulate it yet.
    Unsupported,
    /// Not part of the format as far as we know; probably a typing error.
    Unknown,
}

/// One line of the ledger; repeated occurrences are counted, the first is placed.
#[derive(Clone, Debug)]
pub struct Entry {
    pub fate: Fate,
    /// `element` or `element@attribute`, e.g. `geom@solref`.
    pub what: String,
    pub count: usize,
    pub first: Place,
    /// Why, when it is not used.
    pub note: String,
}

/// Fates of all elements and attributes of a file.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// In order of first occurrence.
    pub entries: Vec<Entry>,
    /// Things that were used but look wrong, with their place.
    pub warnings: Vec<(Place, String)>,
    /// Where in `entries` a fate of a thing is counted.
    index: BTreeMap<(Fate, String), usize>,
}

impl Ledger {
    /// Counts one more occurrence of `what`.
    pub fn record(&mut self, fate: Fate, what: &str, place: impl FnOnce() -> Place, note: &str) {
        let key = (fate, what.to_owned());
        if let Some(e) = self.index.get(&key).and_then(|&i| self.entries.get_mut(i)) {
            e.count += 1;
            return;
        }
        let what = what.to_owned();
        self.index.insert(key, self.entries.len());
        self.entries.push(Entry { fate, what, count: 1, first: place(), note: note.to_owned() });
    }

    /// Lines of one fate.
    pub fn of(&self, fate: Fate) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |e| e.fate == fate)
    }

    /// In a few words what moves otherwise than the file says, or may: what is not simulated, what is unknown, and how many
    /// warnings there are. `None` if nothing does.
    pub fn summary(&self) -> Option<String> {
        const MOST: usize = 3;
        let list = |fate, called: &str| {
            let mut names: Vec<&str> =
                self.of(fate).filter(|e| e.note != INSIDE_UNKNOWN).map(|e| e.what.as_str()).collect();
            let more = names.len().saturating_sub(MOST);
            names.truncate(MOST);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            (!names.is_empty()).then(|| format!("{called} {}{more}", names.join(", ")))
        };
        let warnings = match self.warnings.len() {
            0 => None,
            1 => Some("a warning".to_owned()),
            n => Some(format!("{n} warnings")),
        };
        let parts = [list(Fate::Unsupported, "not simulated:"), list(Fate::Unknown, "unknown:"), warnings];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}
