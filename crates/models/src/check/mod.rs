//! The linter: what silently ruins a simulation, found before it runs.
//!
//! ```text
//!     file ── reader ──▶ World ─┐
//!       └──── Document ─────────┴▶ Subject ──▶ families of rules ──▶ [Finding]
//! ```
//!
//! A rule has a code that never changes, a severity and a remedy; [`rules`] lists all. A family is
//! a file here: its rules, and one function that looks at the [`Subject`]. What the reader refuses
//! is a finding too, and the families that need only the document still run.
//!
//! A rule is worth its place if what it finds is nearly always a mistake: thresholds are wide, and
//! what may be meant is a note.

mod actuators;
mod assets;
mod condition;
mod geometry;
mod inertia;
mod joints;
mod ledger;
mod limits;
mod mass;
mod mass_matrix;
mod mend;
mod meshes;
mod mirror;
mod overlap;
mod report;
mod spectrum;
mod subject;
mod surface;
#[cfg(test)]
mod testing;
mod walk;

pub use condition::Condition;
pub use mend::{Change, Mended, mend};
pub use report::{Finding, MOST, Report, Rule};
pub use stiction_world::Severity;
pub use walk::models_below;

use crate::files::read_text;
use crate::load::load_str;
use crate::mjcf::include;
use crate::options::{Context, LoadOptions};
use crate::xml::Document;
use report::Findings;
use std::path::Path;
use subject::Subject;

/// A family: its rules, and what looks for them.
struct Family {
    rules: &'static [Rule],
    look: fn(&Subject<'_>, &mut Findings),
}

/// Rules by subject. The reader's own messages come last: they are left out where a rule has said it better.
const FAMILIES: [Family; 12] = [
    Family { rules: mass::RULES, look: mass::look },
    Family { rules: inertia::RULES, look: inertia::look },
    Family { rules: mass_matrix::RULES, look: mass_matrix::look },
    Family { rules: joints::RULES, look: joints::look },
    Family { rules: limits::RULES, look: limits::look },
    Family { rules: mirror::RULES, look: mirror::look },
    Family { rules: actuators::RULES, look: actuators::look },
    Family { rules: geometry::RULES, look: geometry::look },
    Family { rules: meshes::RULES, look: meshes::look },
    Family { rules: overlap::RULES, look: overlap::look },
    Family { rules: surface::RULES, look: surface::look },
    Family { rules: assets::RULES, look: assets::look },
];

/// Every rule, by family.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().flat_map(|f| f.rules).chain(ledger::RULES)
}

/// Checks a file. What cannot be read at all is a report of one finding, `refused`.
pub fn check(path: &Path, options: &LoadOptions) -> Report {
    match read_text(path) {
        Ok(text) => check_text(&text, path, path.parent().unwrap_or(Path::new("")), options),
        Err(error) => Report::refused(path, Some(ledger::refusal(&error, path))),
    }
}

/// Checks a text, as [`load_str`] reads it. What is refused for a body that cannot be is read without
/// that scruple, so that everything else about it is said too.
pub fn check_text(text: &str, file: &Path, base_dir: &Path, options: &LoadOptions) -> Report {
    let loaded = load_str(text, file, base_dir, options);
    let Ok(mut document) = Document::parse(file, text) else {
        let finding = loaded.err().map(|e| ledger::refusal(&e, file));
        return Report::refused(file, finding);
    };
    let lenient = LoadOptions { unphysical: true, ..options.clone() };
    let unphysical = if loaded.is_err() { load_str(text, file, base_dir, &lenient).ok() } else { None };
    let context = Context { folder: base_dir, options };
    if document.root().name() == "mujoco" {
        // What is wrong with an include, the reader has said.
        let _ = include::resolve(&mut document, base_dir);
    }
    let subject = Subject::new(&document, context, loaded.as_ref().ok().or(unphysical.as_ref()));
    let mut findings = Findings::default();
    if let Err(error) = &loaded {
        findings.push(ledger::refusal(error, file));
    }
    for family in &FAMILIES {
        (family.look)(&subject, &mut findings);
    }
    ledger::look(&subject, &mut findings);
    let (findings, omitted) = findings.sorted();
    Report { file: file.to_owned(), read: loaded.is_ok(), condition: subject.condition, findings, omitted }
}
