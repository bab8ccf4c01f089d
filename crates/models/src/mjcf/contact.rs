//! <contact>: pairs of bodies that never touch, and pairs of geoms with rules of their own.

use super::Reader;
use super::defaults::MAIN;
use super::geom::{dimension, softness};
use super::scope::{Kind, Mention};
use crate::error::LoadError;
use stiction_world::Fate;
use stiction_world::World;
use stiction_world::{ContactPair, PairSurface};

pub(crate) fn read(reader: &mut Reader<'_>, world: &mut World) -> Result<(), LoadError> {
    for mention in reader.section("contact")? {
        match mention.element.name() {
            "exclude" => exclude(reader, mention, world)?,
            "pair" if reader.settings.contact => {
                let pair = pair(reader, mention, world)?;
                world.pairs.extend(pair.iter().flat_map(|pair| of_parts(reader, pair)));
            }
            _ => {}
        }
    }
    Ok(())
}

fn exclude(reader: &Reader<'_>, mention: Mention<'_>, world: &mut World) -> Result<(), LoadError> {
    let Mention { element: e, copy, .. } = mention;
    e.mark(Fate::Used, "");
    e.get("name");
    let one = reader.find_near(Kind::Body, copy, e.require("body1", "the name of a body")?)?;
    let two = reader.find_near(Kind::Body, copy, e.require("body2", "the name of a body")?)?;
    let links = world.model.links.len();
    match (one < links, two < links) {
        (true, true) => world.excluded.push((one.min(two), one.max(two))),
        (true, false) => world.excluded_from_world.push(one),
        (false, true) => world.excluded_from_world.push(two),
        (false, false) => {}
    }
    Ok(())
}

/// The pair, for every shape of its geoms.
fn of_parts(reader: &Reader<'_>, pair: &ContactPair) -> Vec<ContactPair> {
    let parts = |first: usize| first..first + reader.parts.get(&first).copied().unwrap_or(1);
    let [a, b] = pair.geometries.map(parts);
    a.flat_map(|a| b.clone().map(move |b| [a, b]))
        .map(|geometries| ContactPair { geometries, ..pair.clone() })
        .collect()
}

/// Surface that the <pair> states; its geoms have no say. None between geoms that do not touch yet.
fn pair(
    reader: &mut Reader<'_>,
    mention: Mention<'_>,
    world: &World,
) -> Result<Option<ContactPair>, LoadError> {
    let Mention { element: e, copy, .. } = mention;
    let scope = reader.scope(mention.scope);
    let pair = scope.defaults.styled(e, "pair", MAIN)?;
    let mut geometries = [0; 2];
    for (slot, name) in geometries.iter_mut().zip(["geom1", "geom2"]) {
        *slot = reader.find_near(Kind::Geom, copy, e.require(name, "the name of a geom")?)?;
    }
    if geometries.iter().any(|g| *g >= world.geometries.len()) {
        let note = "one of its geoms does not touch yet: left out";
        e.mark(Fate::Unsupported, note);
        reader.warn(e.place(), note);
        return Ok(None);
    };
    let mut surface = PairSurface::default();
    surface.dimension = dimension(pair)?.unwrap_or(surface.dimension);
    let [[s, t], [r, q]] = [surface.sliding, surface.rolling];
    let mut friction = [s, t, surface.spinning, r, q];
    pair.merge("friction", &mut friction)?;
    if let (true, Some(f)) = (friction.iter().any(|f| *f < 0.0), pair.get("friction")) {
        return Err(f.error("numbers >= 0"));
    }
    let [s, t, spinning, r, q] = friction;
    (surface.sliding, surface.spinning, surface.rolling) = ([s, t], spinning, [r, q]);
    let alone = pair.get("friction").filter(|f| s != t && f.value().split_whitespace().count() == 1);
    surface.margin = pair.number("margin", surface.margin)?;
    surface.gap = pair.number("gap", surface.gap)?;
    surface.softness.impratio = reader.settings.impratio;
    softness(pair, &mut surface.softness)?;
    pair.merge("solreffriction", &mut surface.friction_reference)?;
    if let Some(a) = pair.get("solreffriction") {
        a.mark(Fate::Softness, "for the law `mujoco`");
    }
    if let Some(a) = pair.get("adhesion")
        && a.number()? != 0.0
    {
        a.mark(Fate::Unsupported, "nothing sticks yet");
    }
    if let Some(f) = alone {
        let message = format!("one sliding coefficient of two: across it MuJoCo's default, {t}, counts");
        reader.warn(f.place(), message);
    }
    let name = e.get("name").map_or(String::new(), |n| reader.name_in_world(copy, n.value()));
    Ok(Some(ContactPair { name, geometries, surface }))
}
