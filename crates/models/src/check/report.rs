//! What a rule is, and what it finds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use stiction_world::{Place, Severity};

/// A rule of the linter.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Never changes once published.
    pub code: &'static str,
    pub severity: Severity,
    /// One line: what is found, and why it matters.
    pub about: &'static str,
    /// Remedy, as a sentence.
    pub remedy: &'static str,
}

/// Rows of the families' tables.
pub(super) const fn error(code: &'static str, about: &'static str, remedy: &'static str) -> Rule {
    Rule { code, severity: Severity::Error, about, remedy }
}

pub(super) const fn warning(code: &'static str, about: &'static str, remedy: &'static str) -> Rule {
    Rule { code, severity: Severity::Warning, about, remedy }
}

pub(super) const fn note(code: &'static str, about: &'static str, remedy: &'static str) -> Rule {
    Rule { code, severity: Severity::Note, about, remedy }
}

/// One place where a rule is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub rule: &'static Rule,
    pub place: Place,
    /// Element that the finding is about: <link> `shank`.
    pub element: String,
    /// The offending value, with its unit; empty where there is none.
    pub value: String,
    /// One sentence.
    pub reason: String,
}

/// All findings in a file.
#[derive(Clone, Debug)]
pub struct Report {
    pub file: PathBuf,
    /// False: the reader refuses the file, and what needs its world was not looked at.
    pub read: bool,
    /// Condition of the mass matrix at the reference posture.
    pub condition: Option<super::condition::Condition>,
    /// The worst first, then by place; of one rule, the first [`MOST`].
    pub findings: Vec<Finding>,
    /// Findings beyond those, by code.
    pub omitted: Vec<(&'static str, usize)>,
}

/// Findings of one rule that a report lists; a broken exporter breaks it at every link.
pub const MOST: usize = 200;

impl Report {
    pub(super) fn refused(path: &Path, finding: Option<Finding>) -> Self {
        let findings = finding.into_iter().collect();
        Self { file: path.to_owned(), read: false, condition: None, findings, omitted: Vec::new() }
    }

    /// How many findings there are of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|f| f.rule.severity == severity).count()
    }
}

/// Findings being collected.
#[derive(Default)]
pub(super) struct Findings {
    found: Vec<Finding>,
    counts: BTreeMap<&'static str, usize>,
    lines: BTreeSet<(PathBuf, u32)>,
}

impl Findings {
    pub(super) fn add(
        &mut self,
        rule: &'static Rule,
        element: crate::xml::Element<'_>,
        value: impl Into<String>,
        reason: impl Into<String>,
    ) {
        let place = element.place();
        self.add_at(rule, place, element.described(), value, reason);
    }

    pub(super) fn add_at(
        &mut self,
        rule: &'static Rule,
        place: Place,
        element: String,
        value: impl Into<String>,
        reason: impl Into<String>,
    ) {
        self.push(Finding { rule, place, element, value: value.into(), reason: reason.into() });
    }

    pub(super) fn push(&mut self, finding: Finding) {
        let count = self.counts.entry(finding.rule.code).or_default();
        *count += 1;
        if *count <= MOST {
            self.lines.insert((finding.place.file.clone(), finding.place.line));
            self.found.push(finding);
        }
    }

    /// Whether something has been found on this line already.
    pub(super) fn has_line(&self, place: &Place) -> bool {
        self.lines.contains(&(place.file.clone(), place.line))
    }

    /// In the order of a report, and what was left out.
    pub(super) fn sorted(mut self) -> (Vec<Finding>, Vec<(&'static str, usize)>) {
        self.found.sort_by(|a, b| {
            let key = |f: &Finding| (f.place.file.clone(), f.place.line, f.place.column, f.rule.code);
            b.rule.severity.cmp(&a.rule.severity).then_with(|| key(a).cmp(&key(b)))
        });
        self.found.dedup();
        let beyond = self.counts.into_iter().filter(|(_, n)| *n > MOST).map(|(code, n)| (code, n - MOST));
        (self.found, beyond.collect())
    }
}

/// `x` as a person would write it: about four digits.
pub(super) fn number(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || !x.is_finite() {
        return x.to_string();
    }
    if !(1e-3..1e5).contains(&size) {
        return format!("{x:.2e}");
    }
    let decimals = (3 - size.log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Several numbers, separated by commas.
pub(super) fn numbers(xs: &[f64]) -> String {
    xs.iter().map(|x| number(*x)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (0.012345, "0.01235"),
            (1234.5, "1234"),
            (1e-7, "1.00e-7"),
            (2.5e6, "2.50e6"),
        ];
        for (x, text) in cases {
            assert_eq!(number(x), text);
        }
    }
}
