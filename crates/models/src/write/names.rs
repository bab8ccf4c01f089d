//! Names that a format wants unique.

use super::Notes;
use std::collections::BTreeSet;

/// Gives every name once.
#[derive(Default)]
pub(crate) struct Unique {
    taken: BTreeSet<String>,
}

impl Unique {
    /// `wanted`, or with a number behind it where it is taken; `otherwise` where it is empty.
    pub(crate) fn give(&mut self, wanted: &str, otherwise: &str, notes: &mut Notes) -> String {
        let base = if wanted.is_empty() { otherwise } else { wanted };
        let mut name = base.to_owned();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
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
