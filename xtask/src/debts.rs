//! What breaks a rule of the house since before there was the rule: listed in `xtask/debts.json`, so that it only shrinks.
//!
//! ```text
//!     circles      folder: the circles of modules in it, each by the names of its modules
//!     fragments    crate: doc comments that begin with a fragment
//! ```
//!
//! More than is listed is an error, and so is less: then the list is to be lowered, which `cargo xtask tidy --lower`
//! does and never the opposite.

use crate::fragments::fragments;
use crate::house::{File, Finding};
use crate::modules::{Circles, Modules};
use crate::process::root;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const LIST: &str = "xtask/debts.json";

/// Crates whose modules name each other where they live.
const NAMED_AT_HOME: [&str; 2] = ["contact", "dynamics"];

#[derive(Debug, Default, PartialEq)]
struct Debts {
    circles: Circles,
    fragments: BTreeMap<String, usize>,
}

/// What breaks the rules of this file beyond the list, and where the list says more than there is. With `lower` the
/// list is rewritten instead, each number the smaller of the two.
pub(crate) fn findings(files: &[File], lower: bool) -> Result<Vec<Finding>, String> {
    let text = std::fs::read_to_string(root().join(LIST)).map_err(|e| format!("{LIST}: {e}"))?;
    let mut listed = Debts::parse(&text)?;
    let modules = Modules::read(files);
    let found: Vec<(String, Finding)> = files.iter().flat_map(of_file).collect();
    let mut there = Debts { circles: modules.circles(), fragments: BTreeMap::new() };
    for (name, _) in &found {
        *there.fragments.entry(name.clone()).or_default() += 1;
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

/// Fragments of a file, with the name of its crate.
fn of_file(file: &File) -> Vec<(String, Finding)> {
    let Some(name) = crate_of(&file.path) else { return Vec::new() };
    let told = |(line, what)| (name.to_owned(), Finding { path: file.path.clone(), line, what });
    fragments(file).into_iter().map(told).collect()
}

fn crate_of(path: &str) -> Option<&str> {
    let mut folders = path.split('/');
    let first = folders.next().filter(|_| path.ends_with(".rs"))?;
    if first == "crates" { folders.next() } else { Some(first) }
}

/// The fragments of crates that have more than is listed, all of them, for which is new nobody knows.
fn too_many(found: &[(String, Finding)], there: &Debts, listed: &Debts) -> Vec<Finding> {
    let allowed = |name: &str| listed.fragments.get(name).copied().unwrap_or_default();
    let over = found.iter().filter(|(name, _)| there.fragments[name] > allowed(name));
    over.map(|(name, f)| Finding {
        path: f.path.clone(),
        line: f.line,
        what: format!("{} ({} in `{name}`, {} are allowed)", f.what, there.fragments[name], allowed(name)),
    })
    .collect()
}

impl Debts {
    fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|e| format!("{LIST}: {e}"))?;
        let table = |key: &str| value[key].as_object().ok_or(format!("{LIST}: expected `{key}`, an object"));
        let mut out = Self::default();
        for (folder, circles) in table("circles")? {
            let circles = circles.as_array().into_iter().flatten().filter_map(Value::as_str);
            let names = circles.map(|c| c.split_whitespace().map(str::to_owned).collect());
            out.circles.insert(folder.clone(), names.collect());
        }
        for (name, count) in table("fragments")? {
            let count = count.as_u64().ok_or(format!("{LIST}: expected a number for `{name}`"))?;
            out.fragments.insert(name.clone(), count as usize);
        }
        Ok(out)
    }

    fn text(&self) -> String {
        let names = |c: &BTreeSet<String>| c.iter().cloned().collect::<Vec<_>>().join(" ");
        let circles =
            self.circles.iter().map(|(folder, list)| (folder.clone(), list.iter().map(names).collect()));
        let circles: BTreeMap<String, Vec<String>> = circles.collect();
        let value = json!({ "circles": circles, "fragments": self.fragments });
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
        for (name, count) in &self.fragments {
            let least = listed.fragments.get(name).map_or(0, |n| *n.min(count));
            if least > 0 {
                out.fragments.insert(name.clone(), least);
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
        for (name, count) in &listed.fragments {
            let there = self.fragments.get(name).copied().unwrap_or_default();
            if there < *count {
                out.push(format!("`{name}` has {there} fragments, {count} are listed; {lower}"));
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
