//! The ledger against the worlds: for every word of a format pairs of files are made that differ in it alone.
//!
//! A word that the ledger counts as used must make another world in some pair; one that it counts as without effect must
//! make the same world in all. What it calls not simulated, soft or unknown it has told. The files that words are changed in
//! lie in `tests/vocabulary`; a word of the vocabulary that they do not show is tried as an addition to an element that they
//! do, and otherwise named by this test.

use crate::audit::Vocabulary;
use crate::load::load_str;
use crate::options::LoadOptions;
use crate::xml::{Document, Element};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use stiction_world::World;
use stiction_world::{Fate, Ledger};

/// Words that files may choose among, of all formats.
const CHOICES: &str = "true false auto enable disable local degree radian xyz zyx hinge slide ball free box sphere capsule \
    cylinder ellipsoid mesh plane hfield exact legacy shell convex fixed affine none revolute prismatic continuous universal \
    screw gearbox axis axis2 convex_hull convex_decomposition world __model__ hemisphere integrator below b2 f2 0 1 2";

/// The findings about a word after all its pairs.
#[derive(Default)]
struct Verdict {
    shown: bool,
    /// Some pair makes two worlds.
    differs: bool,
    /// Some pair makes worlds that move otherwise: pictures and labels apart.
    moves: bool,
    fates: BTreeSet<Fate>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vocabulary")
}

fn read(text: &str, file: &Path) -> Option<World> {
    let meshes = LoadOptions { free_base: true, ..LoadOptions::default() };
    load_str(text, file, &folder(), &meshes).ok()
}

/// All of a world but its ledger, in words.
fn whole(world: &World) -> String {
    let mut world = world.clone();
    world.ledger = Ledger::default();
    format!("{world:?}")
}

/// The part of a world that shapes its motion under the exact law, in words.
fn motion(world: &World) -> String {
    let mut world = world.clone();
    world.ledger = Ledger::default();
    world.visuals.clear();
    world.extras = stiction_world::Extras::default();
    world.name.clear();
    for g in &mut world.geometries {
        g.rgba = [0.0; 4];
        // The exact law has one coefficient of friction.
        g.material.static_friction = None;
    }
    format!("{world:?}")
}

/// Other values in the place of `value`.
fn others(value: &str, names: &BTreeSet<String>) -> Vec<String> {
    let words: Vec<&str> = value.split_whitespace().collect();
    let numbers: Option<Vec<f64>> = words.iter().map(|w| w.parse().ok()).collect();
    let mut all = Vec::new();
    if let Some(numbers) = numbers.filter(|n| !n.is_empty()) {
        let mapped = |f: &dyn Fn(usize, f64) -> f64| {
            let each: Vec<String> = numbers.iter().enumerate().map(|(i, x)| f(i, *x).to_string()).collect();
            each.join(" ")
        };
        all.push(mapped(&|_, x| 1.25 * x + 0.01));
        all.push(mapped(&|_, x| 0.5 * x));
        all.push(mapped(&|_, x| x + 1.0));
        all.push(mapped(&|i, x| if i == 0 { 2.0 * x + 0.1 } else { x }));
        all.push(mapped(&|i, x| if i + 1 == numbers.len() { 2.0 * x + 0.1 } else { x }));
        all.push(mapped(&|_, x| -x));
        all.push(mapped(&|_, x| 3.0 * x));
    }
    all.extend(CHOICES.split_whitespace().map(str::to_owned));
    let file =
        |w: &str| w.ends_with(".xml") || w.ends_with(".obj") || w.ends_with(".png") || w.ends_with(".sdf");
    if file(value) {
        return names.iter().filter(|n| file(n) && *n != value).cloned().collect();
    }
    all.extend(names.iter().filter(|n| !file(n)).cloned());
    all.retain(|o| o != value);
    all
}

/// One word at one place: where its value is, where it is as a whole.
struct Spot {
    word: String,
    value: Option<Range<usize>>,
    whole: Option<Range<usize>>,
}

impl Spot {
    /// A place inside it.
    fn at(&self) -> usize {
        self.value.as_ref().or(self.whole.as_ref()).map_or(0, |r| r.start)
    }
}

fn spots(document: &Document, vocabulary: &Vocabulary, text: &str) -> Vec<Spot> {
    let mut spots = Vec::new();
    for id in 0..document.len() {
        let element = document.element(id);
        let key = (vocabulary.key)(element);
        let Some(span) = element.span() else { continue };
        let content = element.text();
        let value = text.get(span.clone()).filter(|_| !content.is_empty()).and_then(|inside| {
            let start = inside.find(&format!(">{content}"))? + 1 + span.start;
            Some(start..start + content.len())
        });
        spots.push(Spot { word: format!("{key} ."), value, whole: (id > 0).then_some(span) });
        for attribute in element.attributes() {
            let Some(value) = element.value_span(attribute.node) else { continue };
            let whole = value.start - attribute.name().len() - 2..value.end + 1;
            spots.push(Spot {
                word: format!("{key} {}", attribute.name()),
                value: Some(value),
                whole: Some(whole),
            });
        }
    }
    spots
}

fn names(document: &Document) -> BTreeSet<String> {
    let of = |e: Element<'_>| ["name", "class"].map(|a| e.peek(a).map(|a| a.value().to_owned()));
    let elements = (0..document.len()).map(|id| document.element(id));
    let mut names: BTreeSet<String> = elements.flat_map(of).flatten().filter(|n| n.len() < 6).collect();
    let files =
        std::fs::read_dir(folder()).unwrap().filter_map(|f| f.unwrap().file_name().into_string().ok());
    names.extend(files);
    names
}

/// Names are labels: another one is no other world.
fn is_label(word: &str) -> bool {
    word.ends_with(" name") || word == "name ."
}

fn replaced(text: &str, at: &Range<usize>, with: &str) -> String {
    format!("{}{with}{}", text.get(..at.start).unwrap_or(""), text.get(at.end..).unwrap_or(""))
}

fn check(vocabulary: &Vocabulary, files: &[&str]) {
    let mut verdicts: BTreeMap<String, Verdict> = BTreeMap::new();
    for file in files {
        let path = folder().join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        let world =
            load_str(&text, &path, &folder(), &LoadOptions { free_base: true, ..LoadOptions::default() });
        let world = world.unwrap_or_else(|e| panic!("{file}: {e}"));
        let (same, still) = (whole(&world), motion(&world));
        let document = Document::parse(&path, &text).unwrap();
        let names = names(&document);
        let spots = spots(&document, vocabulary, &text);
        // Where a change of a word makes a difference; what stands around it makes it too.
        let mut differences: Vec<usize> = Vec::new();
        for spot in &spots {
            let verdict = verdicts.entry(spot.word.clone()).or_default();
            verdict.shown = true;
            let what = spot.word.replace(' ', "@").replace("@.", "");
            let here: BTreeSet<Fate> =
                world.ledger.entries.iter().filter(|e| e.what == what).map(|e| e.fate).collect();
            let told = !here.is_empty() && !here.contains(&Fate::Used) && !here.contains(&Fate::Kept);
            verdict.fates.extend(here);
            if told || (verdict.differs && verdict.moves) || is_label(&spot.word) {
                if verdict.differs {
                    differences.push(spot.at());
                }
                continue;
            }
            let value = spot.value.clone().and_then(|at| Some((text.get(at.clone())?.to_owned(), at)));
            let changed = value.into_iter().flat_map(|(value, at)| {
                others(&value, &names).into_iter().map(move |other| (at.clone(), other))
            });
            let removed = spot.whole.clone().map(|at| (at, String::new()));
            let (mut read_at_all, mut removable) = (false, false);
            for (at, with) in removed.into_iter().chain(changed) {
                let Some(other) = read(&replaced(&text, &at, &with), &path) else { continue };
                read_at_all |= !with.is_empty();
                removable |= with.is_empty();
                let told = other.ledger.of(Fate::Unsupported).filter(|e| e.what == what);
                verdict.fates.extend(told.map(|e| e.fate));
                verdict.differs |= whole(&other) != same;
                verdict.moves |= motion(&other) != still;
                if verdict.differs && verdict.moves {
                    break;
                }
            }
            // What no other value fits is read.
            verdict.differs |= !(read_at_all || (spot.value.is_none() && removable));
            if verdict.differs {
                differences.push(spot.at());
            }
        }
        for spot in spots.iter().filter(|s| s.word.ends_with(" .")) {
            let inside = |at: &usize| spot.whole.as_ref().is_none_or(|w| w.contains(at));
            if let (true, Some(verdict)) = (differences.iter().any(inside), verdicts.get_mut(&spot.word)) {
                verdict.differs = true;
            }
        }
        // Words that no file shows, added to an element that one does.
        for row in vocabulary.rows.iter().filter(|r| r.fate != Fate::Used) {
            for key in row.elements.split_whitespace() {
                for attribute in row.attributes.split_whitespace().filter(|a| !matches!(*a, "." | "*")) {
                    let word = format!("{key} {attribute}");
                    if verdicts.get(&word).is_some_and(|v| v.shown) {
                        continue;
                    }
                    let elements = (0..document.len()).map(|id| document.element(id));
                    let Some(element) = elements.into_iter().find(|e| (vocabulary.key)(*e) == key) else {
                        continue;
                    };
                    let Some(span) = element.span() else { continue };
                    let at = span.start + 1 + element.name().len();
                    let added = replaced(&text, &(at..at), &format!(" {attribute}='1'"));
                    let Some(other) = read(&added, &path) else { continue };
                    let verdict = verdicts.entry(word).or_default();
                    verdict.shown = true;
                    verdict.differs |= whole(&other) != same;
                    verdict.moves |= motion(&other) != still;
                    let what = format!("{key}@{attribute}");
                    verdict
                        .fates
                        .extend(other.ledger.entries.iter().filter(|e| e.what == what).map(|e| e.fate));
                }
            }
        }
    }
    let mut wrong = Vec::new();
    for row in vocabulary.rows {
        let elements = row.elements.split_whitespace().filter(|e| !e.ends_with("/**"));
        for word in elements.flat_map(|e| row.attributes.split_whitespace().map(move |a| format!("{e} {a}")))
        {
            if word.ends_with('*') || is_label(&word) {
                continue;
            }
            match verdicts.get(&word) {
                // Of words that elements share it is enough to show one.
                None if row.fate == Fate::Used => {
                    let (_, attribute) = word.split_once(' ').unwrap_or_default();
                    let shared = |e: &str| verdicts.get(&format!("{e} {attribute}")).is_some_and(|v| v.shown);
                    if !row.elements.split_whitespace().any(shared) {
                        wrong.push(format!("{word}: no file shows it"));
                    }
                }
                None => {}
                Some(v) => {
                    let element = word.split(' ').next().unwrap_or_default();
                    let of_element = verdicts.get(&format!("{element} ."));
                    let told = of_element.is_some_and(|e| e.fates.contains(&Fate::Unsupported));
                    let told = told
                        || [Fate::Unsupported, Fate::Softness, Fate::Unknown]
                            .iter()
                            .any(|f| v.fates.contains(f));
                    if v.fates.contains(&Fate::Used) && !v.differs && !told && !v.fates.contains(&Fate::Kept)
                    {
                        wrong.push(format!("{word}: counted as used, and makes no difference"));
                    }
                    if v.fates == BTreeSet::from([Fate::Kept]) && v.moves {
                        wrong.push(format!("{word}: counted as without effect, and makes a difference"));
                    }
                }
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{} words:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_word_of_mjcf_is_what_the_ledger_says() {
    let files = ["mjcf-bodies.xml", "mjcf-masses.xml", "mjcf-field.xml", "mjcf-flags.xml", "mjcf-links.xml"];
    check(&crate::mjcf::VOCABULARY, &files);
}

#[test]
fn every_word_of_sdf_is_what_the_ledger_says() {
    check(&crate::sdf::VOCABULARY, &["sdf-world.sdf", "sdf-old.sdf", "sdf-oldest.sdf"]);
}

#[test]
fn every_word_of_urdf_is_what_the_ledger_says() {
    check(&crate::urdf::VOCABULARY, &["urdf-robot.urdf"]);
}
