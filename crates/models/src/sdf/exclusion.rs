//! Pairs that never touch: links that a joint connects, and links of one model unless one of them collides
//! with its own model.

use super::joint::SdfJoint;
use super::link::SdfLink;
use crate::error::LoadError;
use crate::world::World;
use crate::xml::Element;
use std::collections::BTreeMap;

/// Most pairs a file may exclude.
const MAX_PAIRS: usize = 1_000_000;

/// Adds the pairs to `world`, whose link of `links[i]` is `built[i]`.
pub(crate) fn read(
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
    // Links that one body carries never touch anyway.
    let body = |l: usize| world.model.links.get(l).and_then(|l| l.body);
    pairs.iter_mut().for_each(|(a, b)| (*a, *b) = ((*a).min(*b), (*a).max(*b)));
    pairs.retain(|&(a, b)| body(a) != body(b));
    pairs.sort_unstable();
    pairs.dedup();
    world.excluded = pairs;
    Ok(())
}
