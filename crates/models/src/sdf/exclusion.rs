//! Pairs that never touch: links that a joint connects, links of one model unless one of them collides with its own
//! model, and what Drake's collision filter groups say.

use super::Reader;
use super::joint::SdfJoint;
use super::link::SdfLink;
use crate::error::LoadError;
use crate::filter_groups::{self, FilterGroup, MAX_PAIRS};
use crate::words::shortened;
use crate::xml::Element;
use std::collections::BTreeMap;
use stiction_world::World;
use stiction_world::{Fate, Place};

/// Adds the pairs to `world`, whose link of `links[i]` is `built[i]`.
pub(crate) fn read(
    reader: &mut Reader<'_, '_>,
    world: &mut World,
    at: Element<'_>,
    links: &[SdfLink<'_>],
    joints: &[SdfJoint<'_>],
    built: &[usize],
) -> Result<(), LoadError> {
    let index = |l: usize| built.get(l).copied();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for joint in joints {
        if let [Some(a), Some(b)] = joint.ends {
            pairs.extend(index(a).zip(index(b)));
        }
    }
    // Of every model the links that can touch.
    let mut shaped = vec![false; world.model.links.len()];
    world.geometries.iter().filter_map(|g| g.link).for_each(|l| shaped[l] = true);
    let mut models: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (l, link) in links.iter().enumerate() {
        if index(l).is_some_and(|l| shaped.get(l) == Some(&true)) {
            models.entry(link.model).or_default().push(l);
        }
    }
    for members in models.values() {
        let shy = |l: usize| links.get(l).is_some_and(|l| !l.self_collide);
        for (i, &a) in members.iter().enumerate().filter(|(_, a)| shy(**a)) {
            let others = members.iter().skip(i + 1).filter(|b| shy(**b));
            pairs.extend(others.filter_map(|&b| index(a).zip(index(b))));
            if pairs.len() > MAX_PAIRS {
                let what = "pairs of links that never touch (say self_collide)".to_owned();
                return Err(LoadError::Limit { place: at.place(), what, limit: MAX_PAIRS });
            }
        }
    }
    let (filtered, lost) = drake(reader, links)?;
    pairs.extend(filtered.into_iter().filter_map(|(a, b)| index(a).zip(index(b))));
    lost.into_iter().for_each(|(place, message)| reader.warn(place, message));
    // Links that one body carries never touch anyway.
    let body = |l: usize| world.model.links.get(l).and_then(|l| l.body);
    pairs.iter_mut().for_each(|(a, b)| (*a, *b) = ((*a).min(*b), (*a).max(*b)));
    pairs.retain(|&(a, b)| body(a) != body(b));
    pairs.sort_unstable();
    pairs.dedup();
    world.excluded = pairs;
    Ok(())
}

/// Complaints, with their places.
type Complaints = Vec<(Place, String)>;

/// The pairs of links (indices into `links`) that Drake's groups keep apart, and what to say of names that nothing has.
fn drake(
    reader: &Reader<'_, '_>,
    links: &[SdfLink<'_>],
) -> Result<(Vec<(usize, usize)>, Complaints), LoadError> {
    let (mut groups, mut complaints) = (Vec::new(), Vec::new());
    let scopes = &reader.scopes;
    let prefix_of = |scope: usize| scopes.scopes.get(scope).map(|s| s.prefix.as_str());
    let models = scopes.frames.iter().filter_map(|f| Some((f.element, prefix_of(f.scope?.0)?)));
    for (model, prefix) in models {
        for element in model.children_named("drake:collision_filter_group") {
            let of_model = |text: &str| format!("{prefix}{}", text.trim());
            let named = |kind: &str| -> Vec<String> {
                element.children_named(kind).map(|e| of_model(e.content().value())).collect()
            };
            let name = of_model(element.require("name", "the name of the group")?.value());
            let mut members = Vec::new();
            for member in named("drake:member") {
                match links.iter().position(|l| l.name == member) {
                    Some(link) => members.push(link),
                    None => complaints
                        .push((element.place(), format!("no link is called `{}`", shortened(&member)))),
                }
            }
            let (inner, ignored) =
                (named("drake:member_group"), named("drake:ignored_collision_filter_group"));
            element.mark(Fate::Used, "");
            groups.push(FilterGroup { element, name, links: members, groups: inner, ignored });
        }
    }
    let (pairs, lost) = filter_groups::pairs(&groups)?;
    for (group, name) in lost {
        let Some(group) = groups.get(group) else { continue };
        let message = format!("no collision filter group is called `{}`", shortened(&name));
        complaints.push((group.element.place(), message));
    }
    Ok((pairs, complaints))
}
