//! Pairs that a file says never touch: Klampt's <noselfcollision>, between two groups or pair by
//! pair, and Drake's <drake:collision_filter_group>, whose members ignore other groups.

use super::Reader;
use super::gazebo::{Gazebo, Says};
use crate::error::LoadError;
use crate::filter_groups::{self, FilterGroup, MAX_PAIRS};
use crate::names::Names;
use crate::words::shortened;
use crate::xml::Attribute;
use crate::xml::Element;
use stiction_world::Fate;

/// The pairs of different links, as numbered by `links`, each once.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    robot: Element<'_>,
    links: &Names<'_>,
    gazebo: &Gazebo<'_>,
) -> Result<Vec<(usize, usize)>, LoadError> {
    let mut pairs = drake(reader, robot, links)?;
    // Links that Gazebo is told to keep from their own robot, both of them.
    let shy = |(name, says): (&&str, &Says)| links.get(name).filter(|_| says.self_collide == Some(false));
    let shy: Vec<usize> = gazebo.iter().filter_map(shy).collect();
    product(&mut pairs, &shy, &shy, robot)?;
    for klampt in robot.children().filter(|c| c.name() == "klampt") {
        for exclusion in klampt.children_named("noselfcollision") {
            klampt.mark(Fate::Used, "");
            if let Some(attribute) = exclusion.get("pairs") {
                let names = group(reader, attribute, links);
                let two_by_two = names.chunks_exact(2).filter_map(|p| Some((*p.first()?, *p.get(1)?)));
                pairs.extend(two_by_two.filter_map(|(a, b)| Some((a?, b?))));
                continue;
            }
            let one = group(reader, exclusion.require("group1", "names of links")?, links);
            let two = group(reader, exclusion.require("group2", "names of links")?, links);
            let one: Vec<usize> = one.into_iter().flatten().collect();
            let two: Vec<usize> = two.into_iter().flatten().collect();
            product(&mut pairs, &one, &two, exclusion)?;
        }
    }
    pairs.iter_mut().for_each(|(a, b)| (*a, *b) = ((*a).min(*b), (*a).max(*b)));
    pairs.retain(|(a, b)| a != b);
    pairs.sort_unstable();
    pairs.dedup();
    Ok(pairs)
}

/// All pairs between `one` and `two`.
fn product(
    pairs: &mut Vec<(usize, usize)>,
    one: &[usize],
    two: &[usize],
    at: Element<'_>,
) -> Result<(), LoadError> {
    if pairs.len() + one.len() * two.len() > MAX_PAIRS {
        let what = "pairs of links that never touch".to_owned();
        return Err(LoadError::Limit { place: at.place(), what, limit: MAX_PAIRS });
    }
    pairs.extend(one.iter().flat_map(|&a| two.iter().map(move |&b| (a, b))));
    Ok(())
}

/// Drake's groups.
fn drake(
    reader: &mut Reader<'_>,
    robot: Element<'_>,
    links: &Names<'_>,
) -> Result<Vec<(usize, usize)>, LoadError> {
    let mut names = Names::new("collision filter group");
    let mut groups = Vec::new();
    for (i, element) in robot.children_named("drake:collision_filter_group").enumerate() {
        let name = element.require("name", "the name of the group")?.value().trim().to_owned();
        names.insert(&name, i, element)?;
        let mut members = Vec::new();
        for member in element.children_named("drake:member") {
            let link = member.require("link", "the name of a link")?;
            match links.get(link.value().trim()) {
                Some(link) => members.push(link),
                None => reader.warn(link.place(), format!("no link is called `{}`", shortened(link.value()))),
            }
        }
        let named = |kind: &str| -> Result<Vec<String>, LoadError> {
            let each = element.children_named(kind);
            each.map(|e| Ok(e.require("name", "the name of a group")?.value().trim().to_owned())).collect()
        };
        let (inner, ignored) = (named("drake:member_group")?, named("drake:ignored_collision_filter_group")?);
        groups.push(FilterGroup { element, name, links: members, groups: inner, ignored });
    }
    // A name that no group has is a mistake.
    for group in &groups {
        for kind in ["drake:member_group", "drake:ignored_collision_filter_group"] {
            for named in group.element.children_named(kind).filter_map(|e| e.get("name")) {
                names.index(named)?;
            }
        }
    }
    Ok(filter_groups::pairs(&groups)?.0)
}

/// The links named; `None`, with a warning, for a name that no link has.
fn group(reader: &mut Reader<'_>, names: Attribute<'_>, links: &Names<'_>) -> Vec<Option<usize>> {
    let mut group = Vec::new();
    for name in names.value().split_whitespace() {
        let link = links.get(name);
        if link.is_none() {
            reader.warn(names.place(), format!("no link is called `{}`", shortened(name)));
        }
        group.push(link);
    }
    group
}
