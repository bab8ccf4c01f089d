//! The page of the guide that says what of URDF, SDF and MJCF is used, made from the vocabularies that readers audit by.
//! A test holds the page to them; with `STICTION_WRITE_DOCS=1` it writes the page.

// A helper of a test may panic like the test itself.
#![allow(clippy::unwrap_used)]

use crate::audit::Vocabulary;
use std::fmt::Write;
use stiction_world::Fate;

const HEAD: &str = "\
# What of URDF, SDF and MJCF is supported

Made from the code; `STICTION_WRITE_DOCS=1 cargo test -p stiction-models formats_page` writes it again.

`stiction inspect FILE` and `stiction check FILE` say it of one file; `model.ledger` says it in Python. In the column of
attributes `.` is the text of an element and `*` every attribute; `a/b` is b inside a, and `a/**` everything inside a. A
word in no table is reported as unknown, and so is one that stands where its format does not have it (\"Places\"), or where nothing takes
it, with the place. Words without effect where something else is stated are listed with the reason.
";

/// Every fate that a vocabulary may state, with its heading and what it means.
const FATES: [(Fate, &str, &str); 4] = [
    (Fate::Used, "Used", "Shapes the world that is simulated."),
    (Fate::Softness, "Softness", "Counts under compliant laws; under the exact law contacts are rigid."),
    (Fate::Kept, "Without effect on the motion", "Read or passed over; nothing moves otherwise for it."),
    (Fate::Unsupported, "Not simulated", "Would change the motion; it is reported where a file says it."),
];

fn page() -> String {
    let mut out = HEAD.to_owned();
    let formats = [
        ("URDF", &crate::urdf::VOCABULARY),
        ("SDF", &crate::sdf::VOCABULARY),
        ("MJCF", &crate::mjcf::VOCABULARY),
    ];
    for (name, vocabulary) in formats {
        format_of(&mut out, name, vocabulary);
    }
    out
}

fn format_of(out: &mut String, name: &str, vocabulary: &Vocabulary) {
    writeln!(out, "\n## {name}").unwrap();
    for (fate, heading, meaning) in FATES {
        let mut rows = vocabulary.rows.iter().filter(|r| r.fate == fate).peekable();
        if rows.peek().is_none() {
            continue;
        }
        writeln!(
            out,
            "\n### {name}: {heading}\n\n{meaning}\n\n| elements | attributes | remark |\n|---|---|---|"
        )
        .unwrap();
        for row in rows {
            writeln!(out, "| {} | {} | {} |", words(row.elements), words(row.attributes), row.note).unwrap();
        }
    }
    reasons_and_places(out, name, vocabulary);
}

/// The reasons for which words are without effect, and the places of elements.
fn reasons_and_places(out: &mut String, name: &str, vocabulary: &Vocabulary) {
    if !vocabulary.idle.is_empty() {
        writeln!(
            out,
            "\n### {name}: Without effect at some places\n\n| elements | words | because |\n|---|---|---|"
        )
        .unwrap();
    }
    for idle in vocabulary.idle {
        writeln!(out, "| {} | {} | {} |", words(idle.elements), words(idle.attributes), idle.note).unwrap();
    }
    writeln!(out, "\n### {name}: Places\n\n| in | stand |\n|---|---|").unwrap();
    for place in vocabulary.places {
        writeln!(out, "| {} | {} |", words(place.around), words(place.elements)).unwrap();
    }
}

fn words(text: &str) -> String {
    text.split_whitespace().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(" ")
}

/// Every row of every vocabulary is on the page: none has a fate that the page leaves out.
#[test]
fn the_page_of_formats_is_the_code() {
    let (page, path) = (page(), concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/src/formats.md"));
    if std::env::var_os("STICTION_WRITE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    let differs = page.lines().zip(kept.lines()).find(|(new, old)| new != old);
    assert!(
        page == kept,
        "docs/guide/src/formats.md is old ({differs:?}); STICTION_WRITE_DOCS=1 writes it again"
    );
    let rows = [&crate::urdf::VOCABULARY, &crate::sdf::VOCABULARY, &crate::mjcf::VOCABULARY]
        .map(|v| v.rows.len() + v.idle.len() + v.places.len());
    let told = page.lines().filter(|l| l.starts_with("| `")).count();
    assert_eq!(told, rows.iter().sum::<usize>());
}
