//! The last look: everything in the document goes into the ledger, touched or not.
//!
//! Each format keeps a vocabulary: rows of elements, attributes and the fate of what the reader
//! left untouched. What no row knows is [`Fate::Unknown`].

use crate::words::hint;
use crate::xml::{Document, Element, Mark};
use std::collections::BTreeMap;
use stiction_world::{Fate, Ledger};

/// One row of a vocabulary.
pub(crate) struct Row {
    /// Elements by key, separated by blanks; `key/**` stands for everything inside.
    pub(crate) elements: &'static str,
    /// Attributes, separated by blanks; `.` is the element itself, `*` any attribute.
    pub(crate) attributes: &'static str,
    /// Fate of those that the reader does not touch; `Used` says that it would use them, where they have an effect.
    pub(crate) fate: Fate,
    pub(crate) note: &'static str,
}

/// A format's words.
pub(crate) struct Vocabulary {
    pub(crate) rows: &'static [Row],
    /// The key of an element: its name, with its parent's where the name alone is ambiguous.
    pub(crate) key: fn(Element<'_>) -> String,
}

/// Beyond so many different words, unknown ones get no hint: each costs a search.
const MAX_HINTS: usize = 1000;

/// Note of what stands inside an unknown element.
const INSIDE_UNKNOWN: &str = "inside an unknown element";
const IDLE: &str = "without effect here";

/// A vocabulary, ready to be asked.
struct Index {
    /// Rows by element and attribute; where several fit, the first.
    rows: BTreeMap<(&'static str, &'static str), &'static Row>,
}

impl Index {
    fn new(vocabulary: &Vocabulary) -> Self {
        let mut rows = BTreeMap::new();
        for row in vocabulary.rows {
            for element in row.elements.split_whitespace() {
                for attribute in row.attributes.split_whitespace() {
                    rows.entry((element, attribute)).or_insert(row);
                }
            }
        }
        Self { rows }
    }

    /// The row that knows `attribute` (`.` for the element) of the element `key`.
    fn row(&self, key: &str, attribute: &str) -> Option<&'static Row> {
        let any = if attribute == "." { "." } else { "*" };
        self.rows.get(&(key, attribute)).or_else(|| self.rows.get(&(key, any))).copied()
    }

    /// Fate of everything inside the element `key`, if a row says so.
    fn inside(&self, key: &str) -> Option<Mark> {
        let inside = format!("{key}/**");
        let row = self.row(&inside, ".").or_else(|| self.row(&inside, "*"))?;
        Some((row.fate, row.note))
    }

    fn unknown(&self, key: &str, attribute: Option<&str>, hints: bool) -> (Fate, String) {
        let near = match attribute {
            _ if !hints => String::new(),
            Some(name) => hint(
                name,
                self.rows.keys().filter(|(e, a)| *e == key && !matches!(*a, "." | "*")).map(|(_, a)| *a),
            ),
            None => hint(key, self.rows.keys().map(|(e, _)| *e)),
        };
        (Fate::Unknown, format!("not a word of this format that stiction knows{near}"))
    }

    fn fate(&self, key: &str, attribute: Option<&str>, hints: bool) -> (Fate, String) {
        match self.row(key, attribute.unwrap_or(".")) {
            Some(Row { fate: Fate::Used, .. }) => (Fate::Kept, IDLE.to_owned()),
            Some(row) => (row.fate, row.note.to_owned()),
            None => self.unknown(key, attribute, hints),
        }
    }
}

/// Records every element and attribute of `document`, and of the elements `cut` off from its tree.
pub(crate) fn audit(document: &Document, vocabulary: &Vocabulary, cut: &[usize], ledger: &mut Ledger) {
    let index = Index::new(vocabulary);
    let mut seen: BTreeMap<String, (Fate, String)> = BTreeMap::new();
    // Elements with the fate of what is around them, if it has one for them, and whether they are told with it.
    let mut stack: Vec<(Element<'_>, Option<Mark>, bool)> = vec![(document.root(), None, false)];
    stack.extend(cut.iter().map(|&id| (document.element(id), None, false)));
    stack.reverse();
    while let Some((element, around, told)) = stack.pop() {
        let key = (vocabulary.key)(element);
        let mut record =
            |what: String, mark: Option<Mark>, attribute: Option<&str>, place: &dyn Fn() -> _| {
                // A row that names it as a part of what is around it knows better than one for all parts.
                let named = key.contains('/') && index.row(&key, attribute.unwrap_or(".")).is_some();
                let around = around.filter(|_| !named);
                let (fate, note) = match (mark, around) {
                    (Some((fate, note)), _) => (fate, note.to_owned()),
                    (None, Some((fate, note))) => (fate, note.to_owned()),
                    (None, None) => {
                        let hints = seen.len() < MAX_HINTS;
                        let fate = || index.fate(&key, attribute, hints);
                        seen.entry(what.clone()).or_insert_with(fate).clone()
                    }
                };
                ledger.record((fate, mark.is_none() && around.is_some() && told), &what, place, &note);
                fate
            };
        let fate = record(key.clone(), element.marked(), None, &|| element.place());
        for a in element.attributes() {
            record(format!("{key}@{}", a.name()), a.node.marked(), Some(a.name()), &|| a.place());
        }
        if element.children().next().is_some() && !element.text().is_empty() {
            let note = "text between elements has no meaning here";
            ledger.record((Fate::Unknown, false), &format!("{key} (text)"), || element.place(), note);
        }
        let unknown = element.marked().is_none() && around.is_none();
        let unknown = unknown && index.row(&key, ".").is_none();
        let marked = element.marked().filter(|(fate, note)| *fate == Fate::Unsupported && !note.is_empty());
        let inside = marked.or(index.inside(&key)).or(around);
        let inside = if unknown { Some((Fate::Unknown, INSIDE_UNKNOWN)) } else { inside };
        let told = inside.is_some_and(|of_all| of_all.0 == fate);
        stack.extend(element.children().rev().map(|child| (child, inside, told)));
    }
}
