//! Drake's <drake:collision_filter_group>: links whose shapes never touch those of groups that theirs ignores.

use crate::error::LoadError;
use crate::xml::Element;
use std::collections::BTreeMap;

/// Most pairs a file may exclude.
pub(crate) const MAX_PAIRS: usize = 1_000_000;

/// A group as it is written.
pub(crate) struct FilterGroup<'d> {
    pub(crate) element: Element<'d>,
    /// Unique in the file.
    pub(crate) name: String,
    pub(crate) links: Vec<usize>,
    /// Names of groups whose members are members of this one.
    pub(crate) groups: Vec<String>,
    /// Names of groups that members of this one never touch; it may be its own.
    pub(crate) ignored: Vec<String>,
}

/// Names that no group has, each with the group (an index) that names it.
pub(crate) type Lost = Vec<(usize, String)>;

/// The pairs of links that never touch, and names that no group has.
pub(crate) fn pairs(groups: &[FilterGroup<'_>]) -> Result<(Vec<(usize, usize)>, Lost), LoadError> {
    let index: BTreeMap<&str, usize> = groups.iter().enumerate().map(|(i, g)| (&*g.name, i)).collect();
    let mut members: Vec<Vec<usize>> = groups.iter().map(|g| g.links.clone()).collect();
    let mut lost = Vec::new();
    // Groups of groups of …: no chain of them is longer than there are groups.
    for _ in 0..groups.len() {
        let mut grown = false;
        for (i, group) in groups.iter().enumerate() {
            let inner = group.groups.iter().filter_map(|name| index.get(name.as_str()));
            let inner: Vec<usize> =
                inner.flat_map(|&j| members.get(j).cloned().unwrap_or_default()).collect();
            let Some(own) = members.get_mut(i) else { continue };
            let before = own.len();
            own.extend(inner);
            own.sort_unstable();
            own.dedup();
            grown |= own.len() > before;
        }
        if !grown {
            break;
        }
    }
    let mut pairs = Vec::new();
    for (i, group) in groups.iter().enumerate() {
        let unknown = group.groups.iter().chain(&group.ignored).filter(|n| !index.contains_key(n.as_str()));
        lost.extend(unknown.map(|name| (i, name.clone())));
        for other in group.ignored.iter().filter_map(|name| index.get(name.as_str())) {
            let (one, two) = (members.get(i), members.get(*other));
            let (Some(one), Some(two)) = (one, two) else { continue };
            if pairs.len() + one.len() * two.len() > MAX_PAIRS {
                let what = "pairs of links that never touch".to_owned();
                return Err(LoadError::Limit { place: group.element.place(), what, limit: MAX_PAIRS });
            }
            pairs.extend(one.iter().flat_map(|&a| two.iter().map(move |&b| (a, b))));
        }
    }
    Ok((pairs, lost))
}
