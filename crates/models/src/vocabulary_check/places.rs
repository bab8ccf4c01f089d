//! Words put where no file shows them: at places where the format has them, and at places where it does not.

use super::effects::others;
use super::{Base, Spot, read, words_of};
use crate::audit::{Index, Row, Vocabulary};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use stiction_world::Fate;

/// So many wrong places are tried for every word.
const WRONG_PLACES: usize = 3;

/// Numbers of what was tried.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) words: usize,
    shown: BTreeMap<Fate, usize>,
    put: BTreeMap<Fate, usize>,
    refused: usize,
    misplaced: usize,
    misplaced_refused: usize,
    silent: usize,
}

impl Counts {
    pub(super) fn shown(&mut self, fate: Fate) {
        *self.shown.entry(fate).or_default() += 1;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} words; at places that files show {:?}; put at other places {:?}, refused there {}; \
             misplaced {}, of these refused {}, silent {}",
            self.words,
            self.shown,
            self.put,
            self.refused,
            self.misplaced,
            self.misplaced_refused,
            self.silent
        )
    }
}

/// The name of an element, the last word of its key.
fn name(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or(key)
}

/// An element called `called` as some file has it, under another name.
fn examples(bases: &[Base], called: &str) -> impl Iterator<Item = String> {
    let of = |base: &Base| -> Vec<String> {
        let spots = base.elements().filter(|s| name(&s.word.1) == called);
        spots.filter_map(|s| base.text.get(s.whole.clone()?).map(str::to_owned)).collect()
    };
    let mut found: Vec<String> = bases.iter().flat_map(of).collect();
    if found.is_empty() {
        found.push(format!("<{called}>1</{called}>"));
    }
    found
        .into_iter()
        .map(|e| e.replacen(" name=\"", " name=\"other_", 1).replacen(" name='", " name='other_", 1))
}

/// A value of an attribute as some file has it.
fn value(bases: &[Base], attribute: &str) -> String {
    let of = |base: &Base| {
        let spot = base.spots.iter().find(|s| s.word.2 == attribute)?;
        base.text.get(spot.value.clone()?).map(str::to_owned)
    };
    bases.iter().find_map(of).unwrap_or_else(|| "1".to_owned())
}

/// The text with `element` as the last thing in `around`, and where it begins.
fn with_inside(base: &Base, around: &Spot, element: &str) -> Option<(String, usize)> {
    let span = around.whole.clone().unwrap_or_else(|| root_span(base));
    let text = base.text.get(span.clone())?;
    if let Some(open) = text.strip_suffix("/>") {
        let at = span.start + open.len();
        let closed = format!(">{element}</{}>", name(&around.word.1));
        return Some((base.with(&(at..span.end), &closed), at + 1));
    }
    let at = span.start + text.rfind("</")?;
    Some((base.with(&(at..at), element), at))
}

fn root_span(base: &Base) -> std::ops::Range<usize> {
    let end = base.text.rfind('>').map_or(0, |i| i + 1);
    base.text.find("<mujoco").or(base.text.find("<sdf")).or(base.text.find("<robot")).unwrap_or(0)..end
}

/// Elements at all places where the format has them, and attributes of all elements, where no file shows them.
pub(super) fn allowed(
    index: &Index,
    vocabulary: &Vocabulary,
    bases: &[Base],
    wrong: &mut BTreeSet<String>,
    counts: &mut Counts,
) {
    let shown: BTreeSet<(&str, &str)> =
        (bases.iter().flat_map(Base::elements)).map(|s| (s.word.0.as_str(), name(&s.word.1))).collect();
    for &(around, called) in index.places().filter(|place| !shown.contains(*place)) {
        let Some((base, spot)) = holder(bases, around) else { continue };
        let tries = examples(bases, called).filter_map(|element| with_inside(base, spot, &element));
        judge(base, tries, &format!("<{called}> in <{around}>"), wrong, counts);
    }
    let shown: BTreeSet<(&str, &str)> =
        bases.iter().flat_map(|b| &b.spots).map(|s| (s.word.1.as_str(), s.word.2.as_str())).collect();
    // Of words that elements share it is enough to show one.
    let shared = |row: &Row, a: &str| {
        row.fate == Fate::Used && row.elements.split_whitespace().any(|e| shown.contains(&(e, a)))
    };
    let words = vocabulary.rows.iter().flat_map(|row| {
        let attributes = row.attributes.split_whitespace().filter(move |a| !matches!(*a, "." | "*"));
        let elements = move |a| row.elements.split_whitespace().map(move |e| (e, a));
        attributes.filter(move |a| !shared(row, a)).flat_map(elements)
    });
    for (key, attribute) in words.filter(|word| !shown.contains(word)) {
        let Some((base, at)) = tag_end(bases, key) else { continue };
        let tries = std::iter::once(value(bases, attribute))
            .chain(others(&value(bases, attribute), &BTreeSet::new()));
        let tries = tries.map(|v| (base.with(&(at..at), &format!(" {attribute}=\"{v}\"")), at + 1));
        judge(base, tries, &format!("{key}@{attribute}"), wrong, counts);
    }
}

/// Some element with the key `key`.
fn holder<'b>(bases: &'b [Base], key: &str) -> Option<(&'b Base, &'b Spot)> {
    bases.iter().find_map(|base| Some((base, base.elements().find(|s| s.word.1 == key)?)))
}

/// Where an attribute can be added to some element with the key `key`: behind its name.
fn tag_end<'b>(bases: &'b [Base], key: &str) -> Option<(&'b Base, usize)> {
    let (base, spot) = holder(bases, key)?;
    let start = spot.whole.clone().unwrap_or_else(|| root_span(base)).start;
    Some((base, start + 1 + name(key).len()))
}

/// A word that was put at a place where the format has it, with one value after the other: what is used makes another
/// world, what has no effect does not.
fn judge(
    base: &Base,
    tries: impl Iterator<Item = (String, usize)>,
    what: &str,
    wrong: &mut BTreeSet<String>,
    counts: &mut Counts,
) {
    let (mut fates, mut differs) = (BTreeSet::new(), false);
    for (text, at) in tries {
        let Ok(other) = read(&text, &base.path) else { continue };
        let Some(&fate) = other.fates.get(&base.place(at)) else {
            wrong.insert(format!("{what}: is not in the ledger"));
            return;
        };
        fates.insert(fate);
        let (other_world, moves) = other.against(&base.reading);
        if fate == Fate::Kept && moves {
            wrong.insert(format!("{what}: counted as without effect, and makes a difference"));
        }
        if fate == Fate::Unknown && other_world {
            wrong.insert(format!("{what}: counted as unknown, and makes a difference"));
        }
        differs |= other_world;
        if fate != Fate::Used || differs {
            break;
        }
    }
    match fates.first() {
        None => counts.refused += 1,
        Some(fate) => *counts.put.entry(*fate).or_default() += 1,
    }
    if fates.len() == 1 && fates.contains(&Fate::Used) && !differs && !what.ends_with("name") {
        wrong.insert(format!("{what}: counted as used, and makes no difference"));
    }
}

/// Every word at three places where the format does not have it.
pub(super) fn misplaced(
    index: &Index,
    vocabulary: &Vocabulary,
    bases: &[Base],
    wrong: &mut BTreeSet<String>,
    counts: &mut Counts,
) {
    // Elements in which anything may stand are no wrong places, nor is what is inside them.
    let open = |base: &Base, s: &Spot| {
        let around = base.elements().filter(|o| o.whole.is_some() && holds(o, s));
        around.into_iter().any(|o| index.inside(&o.word.1).is_some())
    };
    let mut holders: BTreeMap<&str, (&Base, &Spot)> = BTreeMap::new();
    for base in bases {
        let read = |s: &&Spot| {
            matches!(base.reading.fates.get(&s.place), Some(Fate::Used | Fate::Kept | Fate::Softness))
        };
        for spot in
            base.elements().filter(read).filter(|s| index.inside(&s.word.1).is_none() && !open(base, s))
        {
            holders.entry(spot.word.1.as_str()).or_insert((base, spot));
        }
    }
    let names: BTreeSet<&str> = index.places().map(|(_, called)| *called).collect();
    for (n, called) in names.iter().enumerate() {
        let candidates: Vec<_> = holders.iter().filter(|(key, _)| !index.allows(key, called)).collect();
        for (key, (base, spot)) in spread(&candidates, n) {
            let Some((text, at)) = examples(bases, called).find_map(|e| with_inside(base, spot, &e)) else {
                continue;
            };
            told(base, &text, at, &format!("<{called}> in <{key}>"), wrong, counts);
        }
    }
    let attributes: BTreeSet<&str> =
        words_of(vocabulary).map(|(_, a, _)| a).filter(|a| !matches!(*a, "." | "*")).collect();
    for (n, attribute) in attributes.iter().enumerate() {
        let candidates: Vec<_> =
            holders.iter().filter(|(key, _)| index.row(key, attribute).is_none()).collect();
        for (key, (base, spot)) in spread(&candidates, n) {
            let start = spot.whole.clone().unwrap_or_else(|| root_span(base)).start;
            let at = start + 1 + name(key).len();
            let text = base.with(&(at..at), &format!(" {attribute}=\"{}\"", value(bases, attribute)));
            told(base, &text, at + 1, &format!("{attribute} of <{key}>"), wrong, counts);
        }
    }
}

fn holds(outer: &Spot, inner: &Spot) -> bool {
    match (&outer.whole, &inner.whole) {
        (Some(outer), Some(inner)) => super::effects::contains(outer, inner),
        _ => false,
    }
}

/// Some of `all`, far from one another, others for every `n`.
fn spread<T: Copy>(all: &[T], n: usize) -> Vec<T> {
    let count = all.len().min(WRONG_PLACES);
    (0..count).filter_map(|i| all.get((n + i * all.len() / count) % all.len()).copied()).collect()
}

/// A misplaced word is refused, or unknown and without effect.
fn told(base: &Base, text: &str, at: usize, what: &str, wrong: &mut BTreeSet<String>, counts: &mut Counts) {
    counts.misplaced += 1;
    let Ok(other) = read(text, &base.path) else {
        counts.misplaced_refused += 1;
        return;
    };
    let fate = other.fates.get(&base.place(at)).copied();
    if fate != Some(Fate::Unknown) {
        counts.silent += 1;
        wrong.insert(format!("{what}: misplaced, and counted as {fate:?}"));
    } else if other.against(&base.reading).0 {
        wrong.insert(format!("{what}: misplaced and told, and makes a difference"));
    }
}
