//! Names that a format wants unique.

use super::Notes;
use std::collections::{BTreeMap, BTreeSet};

/// Gives every name once.
#[derive(Default)]
pub(crate) struct Unique {
    taken: BTreeSet<String>,
    /// The number that the next of a name gets, so that many of one name are not counted through again.
    next: BTreeMap<String, u64>,
}

impl Unique {
    /// `wanted`, or with a number behind it where it is taken; `otherwise` where it is empty.
    pub(crate) fn give(&mut self, wanted: &str, otherwise: &str, notes: &mut Notes) -> String {
        let base = if wanted.is_empty() { otherwise } else { wanted };
        let mut name = base.to_owned();
        if self.taken.contains(base) {
            let number = self.next.entry(base.to_owned()).or_insert(2);
            while self.taken.contains(&name) {
                name = format!("{base}_{number}");
                *number += 1;
            }
        }
        self.taken.insert(name.clone());
        if name != base && !wanted.is_empty() {
            notes.note("names that were not unique have a number behind them now", wanted);
        }
        name
    }
}

/// `name` with letters, digits, - and _ only, for a file.
pub(crate) fn of_file(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
    let safe: String = name.chars().map(plain).take(60).collect();
    if safe.is_empty() { "mesh".to_owned() } else { safe }
}
