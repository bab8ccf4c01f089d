//! Which links never touch because a joint holds them together.

use crate::error::LoadError;
use crate::overlap::near;
use crate::xml::Element;
use stiction_dynamics::Link;
use stiction_world::World;

/// Most pairs of links of neighbours.
const MAX_PAIRS: usize = 1_000_000;

/// The links with shapes of every body.
fn shaped_links(world: &World) -> Vec<Vec<usize>> {
    let mut shaped = vec![Vec::new(); world.model.bodies.len()];
    let mut links: Vec<usize> = world.geometries.iter().filter_map(|g| g.link).collect();
    links.sort_unstable();
    links.dedup();
    for link in links {
        let body = world.model.links.get(link).and_then(|l| l.body);
        if let Some(slot) = body.and_then(|b| shaped.get_mut(b)) {
            slot.push(link);
        }
    }
    shaped
}

/// Excludes the links of every body from those of its parent.
pub(crate) fn exclude_neighbours(world: &mut World, at: Element<'_>) -> Result<(), LoadError> {
    let shaped = shaped_links(world);
    for (body, own) in world.model.bodies.iter().zip(&shaped) {
        let Some(carriers) = body.parent.and_then(|p| shaped.get(p)) else { continue };
        if world.excluded.len() + own.len() * carriers.len() > MAX_PAIRS + world.model.bodies.len() {
            let what = "pairs of neighbours".to_owned();
            return Err(LoadError::Limit { place: at.place(), what, limit: MAX_PAIRS });
        }
        world.excluded.extend(carriers.iter().flat_map(|&p| own.iter().map(move |&l| (p.min(l), p.max(l)))));
    }
    Ok(())
}

/// Excludes what hangs on a link that is fixed to the world from that link, where the two are together before anything
/// moves: a turntable never touches its stand, and a slide lands on a pillar. Err: a shape is not valid.
pub(crate) fn exclude_base(world: &mut World, at: Element<'_>) -> Result<(), LoadError> {
    let shaped = shaped_links(world);
    let mut joined = Vec::new();
    for (b, own) in shaped.iter().enumerate() {
        let of_body = |link: &&Link| link.body == Some(b);
        let carrier = world.model.links.iter().find(of_body).and_then(|first| first.parent);
        let fixed = |l: &usize| world.model.links.get(*l).is_some_and(|l| l.body.is_none());
        if let Some(base) = carrier.filter(fixed) {
            joined.extend(own.iter().map(|&l| (base.min(l), base.max(l))));
        }
    }
    if joined.is_empty() {
        return Ok(());
    }
    let together = near(world).map_err(|e| at.structure(e.to_string()))?;
    world.excluded.extend(joined.into_iter().filter(|pair| together.contains(pair)));
    Ok(())
}
