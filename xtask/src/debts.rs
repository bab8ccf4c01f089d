//! What breaks a rule of the house since before there was the rule: listed in `xtask/debts.json`, so that it only shrinks.
//!
//! ```text
//!     circles      folder: the circles of modules in it, each by the names of its modules
//!     fragments    crate: doc comments that begin with a fragment
//!     …            crate: what each of [`MEASURES`] counts
//! ```
//!
//! More than is listed is an error, and so is less: then the list is to be lowered, which `cargo xtask tidy --lower`
//! does and never the opposite.

use crate::fragments::fragments;
use crate::house::{File, Finding};
use crate::measures::{MEASURES, places};
use crate::modules::{Circles, Modules};
use crate::process::root;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const LIST: &str = "xtask/debts.json";
const FRAGMENTS: &str = "fragments";

/// Crates whose modules name each other where they live.
const NAMED_AT_HOME: [&str; 2] = ["contact", "dynamics"];

#[derive(Debug, Default, PartialEq)]
struct Debts {
    circles: Circles,
    /// Measure and crate, and how often.
    counts: BTreeMap<String, BTreeMap<String, usize>>,
}

/// A place that a debt counts.
struct Owed {
    measure: &'static str,
    krate: String,
    finding: Finding,
}

/// What breaks the rules of this file beyond the list, and where the list says more than there is. With `lower` the
/// list is rewritten instead, each number the smaller of the two.
pub(crate) fn findings(files: &[File], lower: bool) -> Result<Vec<Finding>, String> {
    let text = std::fs::read_to_string(root().join(LIST)).map_err(|e| format!("{LIST}: {e}"))?;
    let mut listed = Debts::parse(&text)?;
    let modules = Modules::read(files);
    let found = owed(files);
    let mut there = Debts { circles: modules.circles(), counts: BTreeMap::new() };
    for o in &found {
        *there.counts.entry(o.measure.to_owned()).or_default().entry(o.krate.clone()).or_default() += 1;
    }
    if lower {
        listed = there.least(&listed);
        let text = listed.text();
        std::fs::write(root().join(LIST), text).map_err(|e| format!("{LIST}: {e}"))?;
    }
    let mut out = modules.findings(&listed.circles);
    out.extend(modules.through_the_root(&NAMED_AT_HOME));
    out.extend(too_many(&found, &there, &listed));
    out.extend(there.paid(&listed).into_iter().map(|what| Finding { path: LIST.to_owned(), line: 0, what }));
    Ok(out)
}

/// Every place that a debt counts.
fn owed(files: &[File]) -> Vec<Owed> {
    let of = |measure, path: &str, line, what| {
        let finding = Finding { path: path.to_owned(), line, what };
        Some(Owed { measure, krate: crate_of(path)?.to_owned(), finding })
    };
    let words = files.iter().flat_map(|f| fragments(f).into_iter().map(move |(line, what)| (f, line, what)));
    let words = words.filter_map(|(f, line, what)| of(FRAGMENTS, &f.path, line, what));
    let measures = places(files).into_iter().filter_map(|p| of(p.measure, &p.path, p.line, p.what));
    words.chain(measures).collect()
}

fn crate_of(path: &str) -> Option<&str> {
    let mut folders = path.split('/');
    let first = folders.next().filter(|_| path.ends_with(".rs"))?;
    if first == "crates" { folders.next() } else { Some(first) }
}

/// The places of crates that have more than is listed, all of them, for which is new nobody knows.
fn too_many(found: &[Owed], there: &Debts, listed: &Debts) -> Vec<Finding> {
    let over = found.iter().filter(|o| there.count(o.measure, &o.krate) > listed.count(o.measure, &o.krate));
    over.map(|o| {
        let [there, allowed] = [there, listed].map(|d| d.count(o.measure, &o.krate));
        let what =
            format!("{} ({there} {} in `{}`, {allowed} are allowed)", o.finding.what, o.measure, o.krate);
        Finding { path: o.finding.path.clone(), line: o.finding.line, what }
    })
    .collect()
}

impl Debts {
    fn count(&self, measure: &str, krate: &str) -> usize {
        self.counts.get(measure).and_then(|of| of.get(krate)).copied().unwrap_or_default()
    }

    fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|e| format!("{LIST}: {e}"))?;
        let table = |key: &str| value[key].as_object().ok_or(format!("{LIST}: expected `{key}`, an object"));
        let mut out = Self::default();
        for (folder, circles) in table("circles")? {
            let circles = circles.as_array().into_iter().flatten().filter_map(Value::as_str);
            let names = circles.map(|c| c.split_whitespace().map(str::to_owned).collect());
            out.circles.insert(folder.clone(), names.collect());
        }
        for measure in MEASURES.iter().chain([&FRAGMENTS]).filter(|m| !value[**m].is_null()) {
            for (name, count) in table(measure)? {
                let count = count.as_u64().ok_or(format!("{LIST}: expected a number for `{name}`"))?;
                out.counts.entry((*measure).to_owned()).or_default().insert(name.clone(), count as usize);
            }
        }
        Ok(out)
    }

    fn text(&self) -> String {
        let names = |c: &BTreeSet<String>| c.iter().cloned().collect::<Vec<_>>().join(" ");
        let circles =
            self.circles.iter().map(|(folder, list)| (folder.clone(), list.iter().map(names).collect()));
        let circles: BTreeMap<String, Vec<String>> = circles.collect();
        let mut value = json!(self.counts);
        value["circles"] = json!(circles);
        format!("{value:#}\n")
    }

    /// What is both there and listed.
    fn least(&self, listed: &Self) -> Self {
        let mut out = Self::default();
        for (folder, found) in &self.circles {
            let listed = listed.circles.get(folder).map_or(&[][..], Vec::as_slice);
            let known = found.iter().filter(|c| listed.iter().any(|l| c.is_subset(l)));
            let known: Vec<_> = known.cloned().collect();
            if !known.is_empty() {
                out.circles.insert(folder.clone(), known);
            }
        }
        for (measure, counts) in &self.counts {
            for (name, count) in counts {
                let least = listed.count(measure, name).min(*count);
                if least > 0 {
                    out.counts.entry(measure.clone()).or_default().insert(name.clone(), least);
                }
            }
        }
        out
    }

    /// Sentences on what is listed and not there any more.
    fn paid(&self, listed: &Self) -> Vec<String> {
        let lower = "the list only shrinks: `cargo xtask tidy --house --lower`";
        let mut out = Vec::new();
        for (folder, circles) in &listed.circles {
            let there = self.circles.get(folder).map_or(&[][..], Vec::as_slice);
            for circle in circles.iter().filter(|c| !there.iter().any(|t| t.is_superset(c))) {
                let parts = there.iter().filter(|t| t.is_subset(circle)).count();
                let state = if parts == 0 { "is no circle any more" } else { "is a smaller circle now" };
                let names = circle.iter().cloned().collect::<Vec<_>>().join(" ");
                out.push(format!("{folder}: {names} {state}; {lower}"));
            }
        }
        for (measure, counts) in &listed.counts {
            for (name, count) in counts {
                let there = self.count(measure, name);
                if there < *count {
                    out.push(format!("`{name}` has {there} {measure}, {count} are listed; {lower}"));
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = r#"{"circles": {"a": ["x y z"], "b": ["p q"]}, "fragments": {"a": 3, "b": 1}}"#;

    fn there(text: &str) -> (Vec<String>, Debts) {
        let (there, listed) = (Debts::parse(text).unwrap(), Debts::parse(LISTED).unwrap());
        (there.paid(&listed), there.least(&listed))
    }

    #[test]
    fn the_list_holds_what_there_is() {
        let (paid, least) = there(LISTED);
        assert_eq!(paid, Vec::<String>::new());
        let listed = Debts::parse(LISTED).unwrap();
        assert_eq!(least, listed);
        assert_eq!(Debts::parse(&listed.text()).unwrap(), listed);
    }

    #[test]
    fn what_is_paid_leaves_the_list() {
        let (paid, least) = there(r#"{"circles": {"a": ["x y"]}, "fragments": {"a": 2}}"#);
        let starts = [
            "a: x y z is a smaller circle",
            "b: p q is no circle",
            "`a` has 2 fragments, 3",
            "`b` has 0 fragments",
        ];
        assert_eq!(paid.len(), starts.len());
        assert!(paid.iter().zip(starts).all(|(p, s)| p.starts_with(s)), "{paid:?}");
        assert_eq!(least, Debts::parse(r#"{"circles": {"a": ["x y"]}, "fragments": {"a": 2}}"#).unwrap());
    }

    #[test]
    fn the_list_never_grows() {
        let (_, least) =
            there(r#"{"circles": {"a": ["w x y z"], "c": ["k l"]}, "fragments": {"a": 5, "c": 1}}"#);
        assert_eq!(least, Debts::parse(r#"{"circles": {}, "fragments": {"a": 3}}"#).unwrap());
    }

    #[test]
    fn crates_are_told_by_their_paths() {
        assert_eq!(crate_of("crates/contact/src/io/zip.rs"), Some("contact"));
        assert_eq!(crate_of("xtask/src/main.rs"), Some("xtask"));
        assert_eq!(crate_of("crates/viewer/page/main.ts"), None);
    }
}
