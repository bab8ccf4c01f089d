//! Which bodies never touch because a joint holds them together.

use crate::error::LoadError;
use crate::xml::Element;
use stiction_world::World;

/// Most pairs of a base and a body that hangs on it.
const MAX_PAIRS: usize = 1_000_000;

/// Excludes every body and its parent. `with_base`: also the bodies hanging on links fixed to the
/// world, from those links (one robot's own base; a world's furniture is not excluded).
///
/// Each pair of bodies is named once, by the links that move; links carried by one body never
/// touch anyway.
pub(crate) fn exclude_neighbours(
    world: &mut World,
    with_base: bool,
    at: Element<'_>,
) -> Result<(), LoadError> {
    let model = &world.model;
    // The link that a body is named after: the first one it carries.
    let mut link_of = vec![None; model.bodies.len()];
    for (l, link) in model.links.iter().enumerate() {
        if let Some(slot) = link.body.and_then(|b| link_of.get_mut(b)) {
            slot.get_or_insert(l);
        }
    }
    let fixed = |&l: &usize| model.links.get(l).is_some_and(|l| l.body.is_none());
    let mut bases: Vec<usize> = world.geometries.iter().filter_map(|g| g.link).filter(fixed).collect();
    bases.sort_unstable();
    bases.dedup();
    for (body, &link) in model.bodies.iter().zip(&link_of) {
        let Some(link) = link else { continue };
        match body.parent {
            Some(p) => {
                let parent = link_of.get(p).copied().flatten();
                world.excluded.extend(parent.map(|p| (p, link)));
            }
            None if with_base => world.excluded.extend(bases.iter().map(|&base| (base, link))),
            None => {}
        }
        if world.excluded.len() > MAX_PAIRS + model.bodies.len() {
            let what = "pairs of neighbours".to_owned();
            return Err(LoadError::Limit { place: at.place(), what, limit: MAX_PAIRS });
        }
    }
    Ok(())
}
