//! REFERENCES.bib and the keys cited in sources and documents say the same.
//!
//! A citation is a name and a year in brackets, as in `[Moreau1988]`; a doc comment may escape the
//! brackets.

use std::collections::{BTreeMap, BTreeSet};

use crate::house::{File, Finding};

const BIBLIOGRAPHY: &str = "REFERENCES.bib";

/// Keys that are cited and not defined, and the reverse; doubles too.
pub(crate) fn findings(files: &[File]) -> Vec<Finding> {
    let Some(bibliography) = files.iter().find(|f| f.path == BIBLIOGRAPHY) else {
        return vec![finding(BIBLIOGRAPHY, 0, "the file is missing".into())];
    };
    let mut out = Vec::new();
    let mut defined = BTreeMap::new();
    for (line, key) in entries(&bibliography.text) {
        if defined.insert(key, line).is_some() {
            out.push(finding(BIBLIOGRAPHY, line, format!("{key} is defined twice")));
        }
    }
    let mut cited = BTreeSet::new();
    for file in files.iter().filter(|f| cites(&f.path)) {
        for (n, line) in file.text.lines().enumerate() {
            for key in citations(line) {
                cited.insert(key);
                if !defined.contains_key(key) {
                    out.push(finding(&file.path, n + 1, format!("[{key}] is not in {BIBLIOGRAPHY}")));
                }
            }
        }
    }
    for (key, line) in defined.iter().filter(|(key, _)| !cited.contains(*key)) {
        out.push(finding(BIBLIOGRAPHY, *line, format!("{key} is cited nowhere")));
    }
    out
}

fn finding(path: &str, line: usize, what: String) -> Finding {
    Finding { path: path.to_owned(), line, what }
}

/// Where citations are read. This file's own tests make some up.
fn cites(path: &str) -> bool {
    let source = [".rs", ".py", ".md", ".toml", ".xml"].iter().any(|e| path.ends_with(e));
    source && path != "xtask/src/bibliography.rs"
}

/// The keys of a BibTeX file, with their lines.
fn entries(text: &str) -> Vec<(usize, &str)> {
    let numbered = text.lines().enumerate();
    numbered
        .filter_map(|(n, line)| {
            let (_, rest) = line.trim_start().strip_prefix('@')?.split_once('{')?;
            Some((n + 1, rest.split(',').next()?.trim()))
        })
        .collect()
}

/// The keys cited in a line.
fn citations(line: &str) -> Vec<&str> {
    let inside = line.match_indices('[').filter_map(|(at, _)| line[at + 1..].split(']').next());
    inside
        .flat_map(|s| s.split([',', ';']))
        .map(|s| s.trim().trim_end_matches('\\'))
        .filter(|s| is_key(s))
        .collect()
}

/// Letters from a capital on, four digits, perhaps one more letter.
fn is_key(text: &str) -> bool {
    let text = text.strip_suffix(|c: char| c.is_ascii_lowercase()).unwrap_or(text);
    let Some((name, year)) = text.len().checked_sub(4).and_then(|at| text.split_at_checked(at)) else {
        return false;
    };
    name.len() >= 2
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphabetic())
        && year.chars().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_from_other_brackets() {
        let line = r"//! cones [DeSaxce1998], bounds [Acary2018b; LeLidec2024] and \[Moreau1988\], not [Self::x] [1/kg] [A2]";
        assert_eq!(citations(line), ["DeSaxce1998", "Acary2018b", "LeLidec2024", "Moreau1988"]);
    }

    #[test]
    fn both_directions_are_checked() {
        let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        let bib = "@book{Known1999,\n title = {T},\n}\n@article{Unread2001,\n}\n@misc{Known1999,\n}\n";
        let found = findings(&[file(BIBLIOGRAPHY, bib), file("a.rs", "//! [Known1999]\n//! [Missing2020]")]);
        let told: Vec<_> = found.iter().map(|f| (f.path.as_str(), f.line)).collect();
        assert_eq!(told, [(BIBLIOGRAPHY, 6), ("a.rs", 2), (BIBLIOGRAPHY, 4)]);
        assert_eq!(findings(&[]).len(), 1);
    }
}
