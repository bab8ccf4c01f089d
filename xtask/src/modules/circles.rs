//! Circles among things that use one another.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Who uses whom.
pub(super) type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The groups of two or more in which everyone uses everyone, directly or through others: sorted, in order of their
/// first. The groups are as large as they can be, so that nobody is in two.
pub(super) fn circles(arrows: &Arrows) -> Vec<BTreeSet<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        arrows.keys().map(|a| (a, below(arrows, a))).collect();
    let mut out: Vec<BTreeSet<String>> = Vec::new();
    for (a, from_a) in &reached {
        let back = |b: &&&String| reached.get(**b).is_some_and(|from_b| from_b.contains(*a));
        let circle: BTreeSet<String> = from_a.iter().filter(back).map(|b| (*b).clone()).collect();
        if circle.len() > 1 && !out.contains(&circle) {
            out.push(circle);
        }
    }
    out
}

/// All that `start` uses, directly or through others; `start` too if a way leads back.
fn below<'a>(arrows: &'a Arrows, start: &'a String) -> BTreeSet<&'a String> {
    let (mut seen, mut left) = (BTreeSet::new(), vec![start]);
    while let Some(at) = left.pop() {
        left.extend(arrows.get(at).into_iter().flatten().filter(|next| seen.insert(*next)));
    }
    seen
}

/// A shortest way from `start` back to itself: `[start, …, start]`.
pub(super) fn shortest(arrows: &Arrows, start: &str) -> Option<Vec<String>> {
    let mut came: BTreeMap<&str, &str> = BTreeMap::new();
    let mut left = VecDeque::from([start]);
    while let Some(at) = left.pop_front() {
        for next in arrows.get(at).into_iter().flatten() {
            if next == start {
                let mut way = vec![start.to_owned(), at.to_owned()];
                while let Some(before) = came.get(way[way.len() - 1].as_str()) {
                    way.push((*before).to_owned());
                }
                if at == start {
                    way.pop();
                }
                if way[way.len() - 1] != start {
                    way.push(start.to_owned());
                }
                way.reverse();
                return Some(way);
            }
            if !came.contains_key(next.as_str()) {
                came.insert(next, at);
                left.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrows(text: &str) -> Arrows {
        let mut out = Arrows::new();
        for word in text.split_whitespace() {
            let (a, b) = word.split_once('>').unwrap();
            out.entry(a.to_owned()).or_default().insert(b.to_owned());
        }
        out
    }

    fn found(text: &str) -> Vec<String> {
        let join = |c: BTreeSet<String>| c.into_iter().collect::<Vec<_>>().join(" ");
        circles(&arrows(text)).into_iter().map(join).collect()
    }

    #[test]
    fn circles_are_found_and_told_apart() {
        assert_eq!(found("a>b b>c a>c"), Vec::<String>::new());
        assert_eq!(found("a>b b>a"), ["a b"]);
        assert_eq!(found("a>b b>c c>a c>d d>e e>d"), ["a b c", "d e"]);
        assert_eq!(found("a>b b>c c>a b>d d>b"), ["a b c d"]);
    }

    #[test]
    fn the_shortest_way_round_is_told() {
        let arrows = arrows("a>b b>c c>a b>d d>a x>a c>e e>a");
        assert_eq!(shortest(&arrows, "a").unwrap().join(" "), "a b c a");
        assert_eq!(shortest(&arrows, "e").unwrap().join(" "), "e a b c e");
        assert_eq!(shortest(&arrows, "x"), None);
    }
}
