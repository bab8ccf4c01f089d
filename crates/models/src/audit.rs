//! The last look: everything in the document goes into the ledger, touched or not.
//!
//! Each format keeps a vocabulary: which elements may stand in which, and the fate of what the reader left untouched.
//! A word that the reader took has the fate that the reader says. Any other word is [`Fate::Unknown`] at a place where
//! the format has no such word, and where the reader would take it and did not, unless a reason is stated.

use crate::words::hint;
use crate::xml::{Document, Element, Mark};
use std::collections::{BTreeMap, BTreeSet};
use stiction_world::{Fate, Ledger};

/// One row of a vocabulary.
pub(crate) struct Row {
    /// Elements by key, separated by blanks; `key/**` stands for everything inside.
    pub(crate) elements: &'static str,
    /// Attributes, separated by blanks; `.` is the element itself, `*` any attribute.
    pub(crate) attributes: &'static str,
    /// Fate of those that the reader does not touch; `Used` says that the reader takes them wherever they stand.
    pub(crate) fate: Fate,
    pub(crate) note: &'static str,
}

/// Elements that may stand in others.
pub(crate) struct Inside {
    /// Keys of the elements around, separated by blanks; `*` is any.
    pub(crate) around: &'static str,
    /// Names of those that may stand there.
    pub(crate) elements: &'static str,
}

/// Why a word that the reader takes elsewhere, or that is not simulated, has no effect at an element.
pub(crate) struct Idle {
    /// Elements by key, separated by blanks; `*` is any.
    pub(crate) elements: &'static str,
    /// Attributes, separated by blanks; `.` is the element itself, `*` is any.
    pub(crate) attributes: &'static str,
    /// The condition, on the element and the attribute (`.`: the element itself).
    pub(crate) when: fn(Element<'_>, &str) -> bool,
    pub(crate) note: &'static str,
}

/// Note of a value that says what holds without it.
pub(crate) const AS_WITHOUT: &str = "as without it";

/// Whether the value of a word is zeros, or false.
pub(crate) fn says_nothing(element: Element<'_>, attribute: &str) -> bool {
    let value = if attribute == "." { Some(element.content()) } else { element.peek(attribute) };
    let nothing = |word: &str| word == "false" || word.parse::<f64>().is_ok_and(|x| x == 0.0);
    value.is_some_and(|v| !v.value().is_empty() && v.value().split_whitespace().all(nothing))
}

/// A format's words. The key of an element is its name, behind that of the element around it where a row says so.
pub(crate) struct Vocabulary {
    pub(crate) rows: &'static [Row],
    pub(crate) places: &'static [Inside],
    pub(crate) idle: &'static [Idle],
}

/// Beyond so many different words, unknown ones get no hint: each costs a search.
const MAX_HINTS: usize = 1000;

/// Note of what stands inside an unknown element.
const NOT_A_WORD: &str = "not a word of this format that stiction knows";
const INSIDE_UNKNOWN: &str = "inside an unknown element";

/// A vocabulary, ready to be asked.
pub(crate) struct Index {
    /// Rows by element and attribute; where several fit, the first.
    rows: BTreeMap<(&'static str, &'static str), &'static Row>,
    /// Keys of elements that have rows.
    keys: BTreeSet<&'static str>,
    /// Names of elements by the key of what they may stand in.
    places: BTreeSet<(&'static str, &'static str)>,
    idle: &'static [Idle],
}

fn words(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split_whitespace()
}

impl Index {
    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        let mut rows = BTreeMap::new();
        for row in vocabulary.rows {
            for element in words(row.elements) {
                words(row.attributes).for_each(|a| {
                    rows.entry((element, a)).or_insert(row);
                });
            }
        }
        let keys = rows.keys().map(|(element, _)| *element).collect();
        let place =
            |i: &'static Inside| words(i.around).flat_map(move |a| words(i.elements).map(move |e| (a, e)));
        let places = vocabulary.places.iter().flat_map(place).collect();
        Self { rows, keys, places, idle: vocabulary.idle }
    }

    /// The key of an element called `name` in one whose key is `around`.
    pub(crate) fn key_in(&self, around: &str, name: &str) -> String {
        let near = around.rsplit('/').next().unwrap_or_default();
        let candidates = [format!("{around}/{name}"), format!("{near}/{name}")];
        candidates.into_iter().find(|key| self.keys.contains(key.as_str())).unwrap_or_else(|| name.to_owned())
    }

    /// All places, as the key of an element and the name of one that may stand in it.
    #[cfg(test)]
    pub(crate) fn places(&self) -> impl Iterator<Item = &(&'static str, &'static str)> {
        self.places.iter()
    }

    /// Whether the format has an element called `name` in the element `around`.
    pub(crate) fn allows(&self, around: &str, name: &str) -> bool {
        self.places.contains(&(around, name)) || self.places.contains(&("*", name))
    }

    /// Whether the format has an element called `name` somewhere.
    fn knows(&self, name: &str) -> bool {
        self.places.iter().any(|(_, e)| *e == name)
    }

    /// The row that knows `attribute` (`.` for the element) of the element `key`.
    pub(crate) fn row(&self, key: &str, attribute: &str) -> Option<&'static Row> {
        let any = if attribute == "." { "." } else { "*" };
        self.rows.get(&(key, attribute)).or_else(|| self.rows.get(&(key, any))).copied()
    }

    /// Fate of everything inside the element `key`, if a row says so.
    pub(crate) fn inside(&self, key: &str) -> Option<Mark> {
        let inside = format!("{key}/**");
        let row = self.row(&inside, ".").or_else(|| self.row(&inside, "*"))?;
        Some((row.fate, row.note))
    }

    /// The note on an attribute that no row of the element `key` knows.
    fn unknown_attribute(&self, key: &str, name: &str, element: &str) -> String {
        if self.rows.keys().any(|(_, a)| *a == name) {
            return format!("`{name}` has no meaning in <{element}>");
        }
        let of_element = self.rows.keys().filter(|(e, a)| *e == key && !matches!(*a, "." | "*"));
        let near = hint(name, of_element.map(|(_, a)| *a));
        format!("{NOT_A_WORD}{near}")
    }

    /// The note on an element that the format does not have in the element `around`.
    fn unknown_element(&self, around: &str, name: &str) -> String {
        let around_name = around.rsplit('/').next().unwrap_or_default();
        if self.knows(name) {
            return format!("`{name}` has no meaning in <{around_name}>");
        }
        let here = self.places.iter().filter(|(a, _)| *a == around).map(|(_, e)| *e);
        let near = hint(name, here);
        format!("{NOT_A_WORD}{near}")
    }

    /// Fate of a word that the reader did not take, at a place where the format has it.
    fn untaken(&self, row: &'static Row, key: &str, attribute: &str, element: Element<'_>) -> (Fate, String) {
        let has = |list: &'static str, word: &str| words(list).any(|w| w == word || w == "*");
        let reason = self
            .idle
            .iter()
            .find(|i| has(i.elements, key) && has(i.attributes, attribute) && (i.when)(element, attribute));
        match reason.filter(|_| matches!(row.fate, Fate::Used | Fate::Unsupported)) {
            Some(reason) => (Fate::Kept, reason.note.to_owned()),
            None if row.fate != Fate::Used => (row.fate, row.note.to_owned()),
            None => (Fate::Unknown, format!("nothing takes it from this <{}>", element.name())),
        }
    }
}

/// Notes on unknown words, so far.
#[derive(Default)]
struct Said(BTreeMap<String, String>);

impl Said {
    /// The fate of the unknown `word`, with what `note` says of it where it is among the first.
    fn of(&mut self, word: &str, note: impl FnOnce() -> String) -> (Fate, String) {
        let known = self.0.get(word).cloned();
        let note = known.unwrap_or_else(|| {
            if self.0.len() >= MAX_HINTS {
                return NOT_A_WORD.to_owned();
            }
            self.0.entry(word.to_owned()).or_insert(note()).clone()
        });
        (Fate::Unknown, note)
    }
}

/// An element with what is known of what is around it.
struct Visit<'d> {
    element: Element<'d>,
    /// Key of the element around it.
    around: String,
    /// Fate of all that is inside the element around it, if it has one, and whether this is told with that one.
    fate: Option<(Fate, String)>,
    told: bool,
    /// Anything may stand there.
    open: bool,
}

/// Records every element and attribute of `document`, and of the elements `cut` off from its tree.
pub(crate) fn audit(document: &Document, index: &Index, cut: &[usize], ledger: &mut Ledger) {
    let start = |element| Visit { element, around: String::new(), fate: None, told: false, open: false };
    let mut stack = vec![start(document.root())];
    stack.extend(cut.iter().map(|&id| start(document.element(id))));
    stack.reverse();
    let mut said = Said::default();
    while let Some(visit) = stack.pop() {
        one(index, &visit, &mut said, ledger, &mut stack);
    }
}

/// Records an element and its attributes; what is inside goes onto the stack.
fn one<'d>(
    index: &Index,
    visit: &Visit<'d>,
    said: &mut Said,
    ledger: &mut Ledger,
    stack: &mut Vec<Visit<'d>>,
) {
    let Visit { element, around, fate: around_fate, told, open } = visit;
    let (element, told, open) = (*element, *told, *open);
    let key = index.key_in(around, element.name());
    // A place that is listed knows better than what holds of everything around.
    let allowed = around.is_empty() || index.allows(around, element.name());
    let of_around =
        around_fate.as_ref().filter(|_| if allowed { index.inside(around).is_none() } else { open });
    let takes = |fate: Fate| matches!(fate, Fate::Used | Fate::Softness);
    let taken = element.marked().filter(|(fate, _)| allowed || takes(*fate));
    let row = index.row(&key, ".").filter(|_| allowed);
    // At a wrong place, or where anything may stand, a word is told with the place.
    let placed =
        !allowed && (index.inside(around).is_some() || (of_around.is_none() && index.knows(element.name())));
    let what = if placed { format!("{around}/{}", element.name()) } else { key.clone() };
    let (fate, note) = match (taken, of_around, row) {
        (Some((fate, note)), ..) => (fate, note.to_owned()),
        (None, Some((fate, note)), _) => (*fate, note.clone()),
        (None, None, Some(row)) => index.untaken(row, &key, ".", element),
        (None, None, None) => said.of(&what, || index.unknown_element(around, element.name())),
    };
    let with_around = taken.is_none() && of_around.is_some() && told;
    ledger.record((fate, with_around), &what, || element.place(), &note);
    #[cfg(test)]
    witness::see(&element.place(), fate);
    // What holds of everything inside.
    let left = taken.is_none() && (of_around.is_some() || row.is_none_or(|r| r.fate == Fate::Used));
    let inside = match (taken, fate) {
        (Some((said @ (Fate::Kept | Fate::Unsupported), note)), _) if !note.is_empty() => {
            Some((said, note.to_owned()))
        }
        (None, Fate::Unknown) if of_around.is_none() => Some((Fate::Unknown, INSIDE_UNKNOWN.to_owned())),
        _ if left => Some((fate, note)),
        _ => index.inside(&key).map(|(fate, note)| (fate, note.to_owned())).or(of_around.cloned()),
    };
    let covers = left || taken.is_some_and(|(fate, note)| fate != Fate::Used && !note.is_empty());
    let told = inside.as_ref().is_some_and(|of_all| of_all.0 == fate);
    let open = inside.as_ref().is_some_and(|(fate, _)| {
        open || index.inside(&key).is_some() || matches!(fate, Fate::Unknown | Fate::Unsupported)
    });
    for a in element.attributes() {
        let name = format!("{what}@{}", a.name());
        let row = index.row(&key, a.name()).filter(|_| row.is_some());
        let taken = a.node.marked().filter(|(fate, _)| row.is_some() || takes(*fate));
        let (fate, note) = match (taken, row) {
            (Some((fate, note)), _) => (fate, note.to_owned()),
            (None, row) if covers && (open || row.is_some_and(|row| left || row.fate == Fate::Used)) => {
                inside.clone().unwrap_or((fate, String::new()))
            }
            (None, Some(row)) => index.untaken(row, &key, a.name(), element),
            (None, None) => said.of(&name, || index.unknown_attribute(&key, a.name(), element.name())),
        };
        ledger.record((fate, taken.is_none() && covers && told), &name, || a.place(), &note);
        #[cfg(test)]
        witness::see(&a.place(), fate);
    }
    if element.children().next().is_some() && !element.text().is_empty() {
        let note = "text between elements has no meaning here";
        ledger.record((Fate::Unknown, false), &format!("{key} (text)"), || element.place(), note);
    }
    stack.extend(element.children().rev().map(|child| Visit {
        element: child,
        around: key.clone(),
        fate: inside.clone(),
        told,
        open,
    }));
}

/// The fate of every word by its place, for the check of vocabularies.
#[cfg(test)]
pub(crate) mod witness {
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use stiction_world::{Fate, Place};

    thread_local! {
        static SEEN: RefCell<BTreeMap<Place, Fate>> = const { RefCell::new(BTreeMap::new()) };
    }

    pub(super) fn see(place: &Place, fate: Fate) {
        SEEN.with_borrow_mut(|seen| seen.insert(place.clone(), fate));
    }

    /// All that was seen since the last call.
    pub(crate) fn take() -> BTreeMap<Place, Fate> {
        SEEN.take()
    }
}
