//! Doc comments that are no sentence of their own: shown beside a name, as editors and `cargo doc` do, they say nothing.

use crate::house::File;

/// A comment that begins so leans on words that stand elsewhere.
const OPENINGS: [&str; 16] = [
    "And",
    "As",
    "But",
    "Ditto",
    "Its",
    "Likewise",
    "Of",
    "Or",
    "See",
    "That",
    "The other",
    "The same",
    "Their",
    "Those",
    "What",
    "Which",
];

/// Line and complaint for every doc comment of `file` that is a fragment.
pub(crate) fn fragments(file: &File) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    let mut comment: Option<(usize, String)> = None;
    for (n, line) in file.text.lines().chain([""]).enumerate() {
        match line.trim_start().strip_prefix("///") {
            Some(text) if !text.starts_with('/') => {
                let (_, words) = comment.get_or_insert((n + 1, String::new()));
                words.push_str(text);
                words.push(' ');
            }
            _ => out.extend(comment.take().and_then(|(n, words)| Some((n, complaint(words.trim())?)))),
        }
    }
    out
}

fn complaint(comment: &str) -> Option<String> {
    let after =
        |o: &&&str| comment.strip_prefix(**o).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    if let Some(opening) = OPENINGS.iter().find(after) {
        return Some(format!(
            "a doc comment that begins with `{opening}` is a fragment: name the thing itself"
        ));
    }
    let bare = comment.trim_end_matches(['.', ':']);
    let closed = [('(', ')'), ('[', ']')].into_iter().any(|(open, close)| {
        bare.strip_prefix(open).is_some_and(|rest| rest.find(close) == Some(rest.len() - close.len_utf8()))
    });
    closed.then(|| {
        format!("a doc comment that is `{comment}` alone is a fragment: name the thing it belongs to")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<usize> {
        fragments(&File { path: "a.rs".to_owned(), text: text.to_owned() }).iter().map(|(n, _)| *n).collect()
    }

    #[test]
    fn fragments_are_told_from_sentences() {
        for fragment in [
            "Of the largest side.",
            "What rests.",
            "The same, by rows.",
            "See [`Plane`].",
            "Its mass [kg].",
            "(1).",
            "[m/s]",
            "[`Model`]",
            "As above",
            "Or",
        ] {
            assert_eq!(found(&format!("    /// {fragment}\n    x: f64,")), [1], "{fragment}");
        }
        for sentence in [
            "Offset of the frame [m].",
            "Mass [kg].",
            "(1) for one contact.",
            "[`Model`] of a robot.",
            "Seen from above.",
            "The samples of the curve.",
            "G = J M⁻¹ Jᵀ (1).",
        ] {
            assert!(found(&format!("/// {sentence}\nfn f() {{}}")).is_empty(), "{sentence}");
        }
    }

    #[test]
    fn only_the_beginning_of_a_comment_counts() {
        assert!(
            found("/// Mass and\n/// Of the body.\nx\n//// Of a rule\n// Of\n/// [m]\n/// of it").is_empty()
        );
        assert_eq!(found("/// Length\n\n    /// Its end.\n/// of a\nx"), [3]);
    }
}
