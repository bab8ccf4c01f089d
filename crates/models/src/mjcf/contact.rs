//! <contact>: pairs that never touch. Pairs with parameters of their own are not read yet.

use super::Reader;
use crate::error::LoadError;
use crate::ledger::Fate;
use crate::world::World;

const PAIR: &str = "pairs have no parameters of their own yet: they touch as their geoms say";
const COPIED: &str = "names a copied element, of which there are several: left out";

pub(crate) fn read(reader: &mut Reader<'_>, world: &mut World) -> Result<(), LoadError> {
    for e in reader.section("contact").collect::<Vec<_>>() {
        match e.name() {
            "exclude" => {
                e.mark(Fate::Used, "");
                e.get("name");
                let one = reader.body_names.find(e.require("body1", "the name of a body")?)?;
                let two = reader.body_names.find(e.require("body2", "the name of a body")?)?;
                let (Some(one), Some(two)) = (one, two) else {
                    e.mark(Fate::Unsupported, COPIED);
                    reader.warn(e.place(), COPIED);
                    continue;
                };
                let links = world.model.links.len();
                match (one < links, two < links) {
                    (true, true) => world.excluded.push((one.min(two), one.max(two))),
                    (true, false) => world.excluded_from_world.push(one),
                    (false, true) => world.excluded_from_world.push(two),
                    (false, false) => {}
                }
            }
            "pair" => {
                e.mark(Fate::Unsupported, PAIR);
                for name in ["geom1", "geom2"] {
                    reader.geom_names.find(e.require(name, "the name of a geom")?)?;
                }
                reader.warn(e.place(), PAIR);
            }
            _ => {}
        }
    }
    Ok(())
}
