//! Words that files show: taken out, and with other values.

use super::places::Counts;
use super::{Base, Spot, Word, folder, read, words_of};
use crate::audit::Vocabulary;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use stiction_world::Fate;

/// Words that files may choose among, of all formats.
const CHOICES: &str = "true false auto enable disable local degree radian xyz zyx hinge slide ball free box sphere capsule \
    cylinder ellipsoid mesh plane hfield exact legacy shell convex fixed affine none revolute prismatic continuous universal \
    screw gearbox axis axis2 convex_hull convex_decomposition world __model__ hemisphere integrator below b2 f2 0 1 2";

/// The findings about a word at a kind of place after all its pairs.
#[derive(Default)]
struct Verdict {
    /// Some pair makes two worlds.
    differs: bool,
    /// Some pair makes worlds that move otherwise: pictures and labels apart.
    moves: bool,
    label: bool,
    fates: BTreeSet<Fate>,
}

/// Checks all words that the files show, and that they show every word that is used.
pub(super) fn shown(
    vocabulary: &Vocabulary,
    bases: &[Base],
    wrong: &mut BTreeSet<String>,
    counts: &mut Counts,
) {
    let mut verdicts: BTreeMap<Word, Verdict> = BTreeMap::new();
    for base in bases {
        let names = names(base);
        // Where a change of a word makes a difference; what stands around it makes it too.
        let mut differences: Vec<usize> = Vec::new();
        for spot in &base.spots {
            let verdict = verdicts.entry(spot.word.clone()).or_default();
            verdict.label |= spot.is_label();
            look(base, spot, &names, verdict);
            if verdict.differs {
                differences.push(spot.at());
            }
        }
        for spot in base.elements() {
            let inside = |at: &usize| spot.whole.as_ref().is_none_or(|w| w.contains(at));
            if let (true, Some(verdict)) = (differences.iter().any(inside), verdicts.get_mut(&spot.word)) {
                verdict.differs = true;
            }
        }
    }
    for ((around, key, attribute), v) in &verdicts {
        let word = format!("{key}@{attribute} in <{around}>");
        v.fates.iter().for_each(|fate| counts.shown(*fate));
        let told = v.fates.iter().any(|f| !matches!(f, Fate::Used | Fate::Kept));
        if v.fates.contains(&Fate::Used) && !v.differs && !v.label && !told {
            wrong.insert(format!("{word}: counted as used, and makes no difference"));
        }
        if v.fates.contains(&Fate::Kept) && !v.fates.contains(&Fate::Used) && v.moves && !told {
            wrong.insert(format!("{word}: counted as without effect, and makes a difference"));
        }
    }
    let seen: BTreeSet<(&str, &str)> = verdicts.keys().map(|(_, k, a)| (k.as_str(), a.as_str())).collect();
    // Of words that elements share it is enough to show one.
    for row in vocabulary.rows.iter().filter(|r| r.fate == Fate::Used) {
        for attribute in row.attributes.split_whitespace() {
            if !row.elements.split_whitespace().any(|e| seen.contains(&(e, attribute))) {
                wrong.insert(format!("{} {attribute}: no file shows it", row.elements));
            }
        }
    }
    counts.words = words_of(vocabulary).count();
}

/// Makes the pairs of one word at one place, until one differs.
fn look(base: &Base, spot: &Spot, names: &BTreeSet<String>, verdict: &mut Verdict) {
    let here = base.reading.fates.get(&spot.place).copied();
    verdict.fates.extend(here);
    let of_element = base.reading.fates.get(&spot.element).copied();
    verdict.fates.extend(of_element.filter(|f| *f == Fate::Unsupported));
    let told = here.is_some_and(|f| !matches!(f, Fate::Used | Fate::Kept));
    if told || spot.is_label() || (verdict.differs && verdict.moves) {
        return;
    }
    let value = spot.value.clone().and_then(|at| Some((base.text.get(at.clone())?.to_owned(), at)));
    let changed = value
        .into_iter()
        .flat_map(|(value, at)| others(&value, names).into_iter().map(move |other| (at.clone(), other)));
    let removed = spot.whole.clone().map(|at| (at, String::new()));
    let (mut read_at_all, mut removable, mut refused) = (false, false, false);
    for (at, with) in removed.into_iter().chain(changed) {
        let other = match read(&base.with(&at, &with), &base.path) {
            Ok(other) => other,
            Err(e) => {
                refused |= [&spot.word.2, &with].iter().any(|word| e.contains(&format!("`{word}`")));
                continue;
            }
        };
        read_at_all |= !with.is_empty();
        removable |= with.is_empty();
        if !with.is_empty() {
            let fates = [&spot.place, &spot.element].map(|at| other.fates.get(at));
            verdict.fates.extend(fates.into_iter().flatten().filter(|f| **f == Fate::Unsupported));
        }
        let (differs, moves) = other.against(&base.reading);
        (verdict.differs, verdict.moves) = (verdict.differs || differs, verdict.moves || moves);
        if verdict.differs && (verdict.moves || here == Some(Fate::Used)) {
            break;
        }
    }
    // What no other value fits is read, and so is what an error names.
    verdict.differs |= refused || !(read_at_all || (spot.value.is_none() && removable));
}

/// Short names in a file, and the files beside it.
fn names(base: &Base) -> BTreeSet<String> {
    let of = |s: &Spot| {
        matches!(&*s.word.2, "name" | "class").then(|| base.text.get(s.value.clone()?).map(str::to_owned))?
    };
    let mut names: BTreeSet<String> = base.spots.iter().filter_map(of).filter(|n| n.len() < 6).collect();
    let files = std::fs::read_dir(folder()).unwrap();
    names.extend(files.filter_map(|f| f.unwrap().file_name().into_string().ok()));
    names
}

/// Other values in the place of `value`.
pub(super) fn others(value: &str, names: &BTreeSet<String>) -> Vec<String> {
    let words: Vec<&str> = value.split_whitespace().collect();
    let numbers: Option<Vec<f64>> = words.iter().map(|w| w.parse().ok()).collect();
    let mut all = Vec::new();
    // 0 and 1 may be answers to a question.
    let measure = numbers.as_ref().is_some_and(|n| !matches!(n[..], [] | [0.0] | [1.0]));
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
        all.push(mapped(&|_, _| 1.0));
    }
    if measure {
        return all;
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

/// The range of bytes of `inner` in `outer`, if it is a part of it.
pub(super) fn contains(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
