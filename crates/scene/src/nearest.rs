//! The word somebody probably meant.

/// The candidate nearest to `word`, unless they have too little in common.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    (candidates.into_iter())
        .map(|c| (distance(&word, &c.to_lowercase()), c))
        .min_by_key(|(d, _)| *d)
        .filter(|(d, c)| *d <= 1 + word.len().max(c.len()) / 3)
        .map(|(_, c)| c)
}

/// `; did you mean …?` or nothing.
pub fn hint<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map(|c| format!("; did you mean `{c}`?")).unwrap_or_default()
}

/// Letters to insert, delete or replace (Levenshtein), row by row.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_are_guessed_and_nonsense_is_not() {
        let words = ["cube-slide", "cube-drag", "quadruped", "stack"];
        assert_eq!(nearest("quadrupde", words), Some("quadruped"));
        assert_eq!(nearest("cube_slide", words), Some("cube-slide"));
        assert_eq!(nearest("Stac", words), Some("stack"));
        assert_eq!(nearest("zzzzzzzzzz", words), None);
        assert_eq!(hint("zzzzzzzzzz", words), "");
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
