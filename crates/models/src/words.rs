//! Words of messages: shortened ones, and the nearest of those that were meant.

/// At most 60 characters of `text`, for messages.
pub(crate) fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// "; did you mean `…`?" with the nearest of `names` if one is near, or nothing.
pub(crate) fn hint<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> String {
    let wrong: Vec<char> = wrong.chars().take(40).collect();
    let allowed = 1 + wrong.len() / 4;
    names
        .take(10_000)
        .map(|name| (distance(&wrong, name), name))
        .filter(|&(d, _)| d <= allowed)
        .min()
        .map(|(_, name)| format!("; did you mean `{name}`?"))
        .unwrap_or_default()
}

/// Number of insertions, deletions and replacements between two words (Levenshtein); letters that
/// differ only in case count as equal.
fn distance(a: &[char], b: &str) -> usize {
    let mut row: Vec<usize> = (0..=a.len()).collect();
    for (j, cb) in b.chars().take(64).enumerate() {
        let mut diagonal = j;
        let mut left = j + 1;
        for (slot, ca) in row.iter_mut().skip(1).zip(a) {
            let up = *slot;
            let replace = diagonal + usize::from(!ca.eq_ignore_ascii_case(&cb));
            left = replace.min(up + 1).min(left + 1);
            diagonal = up;
            *slot = left;
        }
        if let Some(first) = row.first_mut() {
            *first = j + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_by_hand() {
        let d = |a: &str, b: &str| distance(&a.chars().collect::<Vec<_>>(), b);
        assert_eq!((d("kitten", "sitting"), d("", "abc"), d("abc", ""), d("Box", "box")), (3, 3, 3, 0));
        assert_eq!(hint("dampng", ["range", "damping"].into_iter()), "; did you mean `damping`?");
        assert_eq!(hint("zzz", ["range", "damping"].into_iter()), "");
    }
}
