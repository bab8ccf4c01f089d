//! The ledger against the worlds, for every word of a format and every place.
//!
//! Small files, in `tests/vocabulary`, show words at places. From these, pairs of files are made that differ in one word:
//!
//! | pair | must be |
//! |---|---|
//! | a word that a file shows, taken out or with other values (`effects`) | another world in some pair if the ledger says that it is used, the same motion in all if it says that it has no effect |
//! | a word put where the format has it and no file shows it (`places`) | the same |
//! | a word put at three places where the format does not have it (`places`) | told, and the same world |
//!
//! What the ledger calls not simulated, soft or unknown, and what is refused, is told.

mod effects;
mod places;

use crate::audit::{Index, Vocabulary, witness};
use crate::load::load_str;
use crate::options::LoadOptions;
use crate::xml::{Document, Element};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use stiction_world::{Extras, Fate, Ledger, Place, World};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vocabulary")
}

/// A file that was read: its world in words, and the fates of its words.
struct Reading {
    world: World,
    whole: String,
    fates: BTreeMap<Place, Fate>,
}

impl Reading {
    /// Whether worlds differ, and whether they do in what shapes motion.
    fn against(&self, other: &Self) -> (bool, bool) {
        let differs = self.whole != other.whole;
        (differs, differs && motion(&self.world) != motion(&other.world))
    }
}

/// Reads `text` as the file at `path`; Err says why it is refused.
fn read(text: &str, path: &Path) -> Result<Reading, String> {
    drop(witness::take());
    let options = LoadOptions { free_base: true, ..LoadOptions::default() };
    let mut world = load_str(text, path, &folder(), &options).map_err(|e| e.to_string())?;
    world.ledger = Ledger::default();
    Ok(Reading { whole: format!("{world:?}"), world, fates: witness::take() })
}

/// The part of a world that shapes its motion under the exact law, in words.
fn motion(world: &World) -> String {
    let mut world = world.clone();
    world.visuals.clear();
    world.extras = Extras::default();
    world.name.clear();
    for g in &mut world.geometries {
        g.rgba = [0.0; 4];
        // The exact law has one coefficient of friction.
        g.material.static_friction = None;
    }
    format!("{world:?}")
}

/// One word at one place of a file.
struct Spot {
    /// Keys of the element around it and of its element, and the attribute (`.`: the element).
    word: Word,
    /// Where its value is, and where it is as a whole.
    value: Option<Range<usize>>,
    whole: Option<Range<usize>>,
    place: Place,
    /// The place of its element.
    element: Place,
}

type Word = (String, String, String);

impl Spot {
    /// A place inside it.
    fn at(&self) -> usize {
        self.value.as_ref().or(self.whole.as_ref()).map_or(0, |r| r.start)
    }

    /// Another name is no other world.
    fn is_label(&self) -> bool {
        self.word.2 == "name" || (self.word.1 == "name" && self.word.2 == ".")
    }
}

/// A file of `tests/vocabulary` with its words.
struct Base {
    path: PathBuf,
    text: String,
    reading: Reading,
    spots: Vec<Spot>,
}

impl Base {
    fn new(index: &Index, file: &str) -> Self {
        let path = folder().join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        let reading = read(&text, &path).unwrap_or_else(|e| panic!("{file}: {e}"));
        let document = Document::parse(&path, &text).unwrap();
        let spots = spots(&document, index, &text);
        Self { path, text, reading, spots }
    }

    /// Elements, with their places in the text.
    fn elements(&self) -> impl Iterator<Item = &Spot> {
        self.spots.iter().filter(|s| s.word.2 == ".")
    }

    /// The text with `with` at `at`.
    fn with(&self, at: &Range<usize>, with: &str) -> String {
        format!("{}{with}{}", self.text.get(..at.start).unwrap_or(""), self.text.get(at.end..).unwrap_or(""))
    }

    /// The place of the byte `offset` of a text that is this one up to there.
    fn place(&self, offset: usize) -> Place {
        let before = self.text.get(..offset).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        Place { file: self.path.clone(), line: line as u32, column: column as u32 }
    }
}

fn key_of(index: &Index, element: Element<'_>) -> String {
    let around = element.parent().map_or_else(String::new, |p| key_of(index, p));
    index.key_in(&around, element.name())
}

fn spots(document: &Document, index: &Index, text: &str) -> Vec<Spot> {
    let mut spots = Vec::new();
    for id in 0..document.len() {
        let element = document.element(id);
        let key = key_of(index, element);
        let around = element.parent().map_or_else(String::new, |p| key_of(index, p));
        let Some(span) = element.span() else { continue };
        let content = element.text();
        let value = text.get(span.clone()).filter(|_| !content.is_empty()).and_then(|inside| {
            let start = inside.find(&format!(">{content}"))? + 1 + span.start;
            Some(start..start + content.len())
        });
        let word = |attribute: &str| (around.clone(), key.clone(), attribute.to_owned());
        let whole = (id > 0).then_some(span);
        let at = element.place();
        spots.push(Spot { word: word("."), value, whole, place: at.clone(), element: at.clone() });
        for a in element.attributes() {
            let Some(value) = element.value_span(a.node) else { continue };
            let whole = value.start - a.name().len() - 2..value.end + 1;
            let (value, whole) = (Some(value), Some(whole));
            spots.push(Spot { word: word(a.name()), value, whole, place: a.place(), element: at.clone() });
        }
    }
    spots
}

/// Words of the vocabulary, by key and attribute, whose rows have this fate.
fn words_of(vocabulary: &Vocabulary) -> impl Iterator<Item = (&'static str, &'static str, Fate)> {
    vocabulary.rows.iter().flat_map(|row| {
        let elements = row.elements.split_whitespace().filter(|e| !e.ends_with("/**"));
        elements.flat_map(move |e| row.attributes.split_whitespace().map(move |a| (e, a, row.fate)))
    })
}

/// Runs the checks; what is wrong fails the test, word by word.
fn check(format: &str, vocabulary: &Vocabulary, files: &[&str]) {
    let index = Index::new(vocabulary);
    let mut bases: Vec<Base> = files.iter().map(|file| Base::new(&index, file)).collect();
    bases.sort_by_key(|base| base.text.len());
    let (mut wrong, mut counts) = (BTreeSet::new(), places::Counts::default());
    for (base, spot) in bases.iter().flat_map(|b| b.elements().map(move |s| (b, s))) {
        let (around, key, _) = &spot.word;
        let name = key.rsplit('/').next().unwrap_or(key);
        let open = index.inside(around).is_some() || around.is_empty();
        if !open && !index.allows(around, name) && base.reading.fates.get(&spot.place) != Some(&Fate::Unknown)
        {
            wrong.insert(format!("<{name}> in <{around}>: no place of the vocabulary"));
        }
    }
    effects::shown(vocabulary, &bases, &mut wrong, &mut counts);
    places::allowed(&index, vocabulary, &bases, &mut wrong, &mut counts);
    places::misplaced(&index, vocabulary, &bases, &mut wrong, &mut counts);
    println!("{format}: {counts}");
    assert!(wrong.is_empty(), "{} words:\n{}", wrong.len(), wrong.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
fn every_word_of_mjcf_is_what_the_ledger_says() {
    let files = ["mjcf-bodies.xml", "mjcf-masses.xml", "mjcf-field.xml", "mjcf-flags.xml", "mjcf-links.xml"];
    check("MJCF", &crate::mjcf::VOCABULARY, &files);
}

#[test]
fn every_word_of_sdf_is_what_the_ledger_says() {
    check("SDF", &crate::sdf::VOCABULARY, &["sdf-world.sdf", "sdf-old.sdf", "sdf-oldest.sdf"]);
}

#[test]
fn every_word_of_urdf_is_what_the_ledger_says() {
    check("URDF", &crate::urdf::VOCABULARY, &["urdf-robot.urdf"]);
}
