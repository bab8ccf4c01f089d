//! <sensor>, <custom> and `user`: kept as they are stated.

use super::Reader;
use super::scope::Mention;
use super::vocabulary::INDEX;
use crate::error::LoadError;
use crate::xml::Element;
use stiction_world::Fate;
use stiction_world::{Custom, Extras, Sensor, UserData};

/// Attributes that name what is measured.
const OF: [&str; 16] = [
    "site", "joint", "tendon", "actuator", "body", "geom", "camera", "mesh", "objname", "refname", "body1",
    "body2", "geom1", "geom2", "subtree1", "subtree2",
];
/// Attributes that say of which kind the object and the reference are.
const KINDS: [&str; 2] = ["objtype", "reftype"];
/// Most numbers of one list.
const MAX_NUMBERS: usize = 1_000_000;
const FOR_OTHERS: &str = "kept, for other programs";

pub(crate) fn read(reader: &Reader<'_>, extras: &mut Extras) -> Result<(), LoadError> {
    let index = &*INDEX;
    for Mention { element: e, copy, .. } in reader.section("sensor")? {
        if !index.allows("sensor", e.name()) {
            continue;
        }
        let key = index.key_in("sensor", e.name());
        // What the vocabulary knows of a sensor that is read is taken.
        let read = index.row(&key, "name").is_some_and(|row| row.fate == Fate::Used);
        let word = |name: &str| {
            let known = index.row(&key, name).is_some_and(|row| row.fate == Fate::Used);
            if known { e.get(name) } else { e.peek(name).filter(|_| !read) }
        };
        let in_world = |attribute: &str| word(attribute).map(|a| reader.name_in_world(copy, a.value()));
        extras.sensors.push(Sensor {
            name: in_world("name").unwrap_or_default(),
            kind: e.name().to_owned(),
            of: (OF.iter().filter_map(|what| Some(((*what).to_owned(), in_world(what)?))))
                .chain(
                    KINDS
                        .iter()
                        .filter_map(|kind| Some(((*kind).to_owned(), word(kind)?.value().to_owned()))),
                )
                .collect(),
            cutoff: word("cutoff").map_or(Ok(0.0), |a| a.number())?,
            noise: e.peek("noise").map_or(Ok(0.0), |a| a.number())?,
            obstacle: None,
        });
        if read {
            e.mark(Fate::Used, "");
        }
    }
    for e in reader.root().children_named("custom").flat_map(Element::children) {
        let name = e.peek("name").map_or("", |a| a.value()).to_owned();
        let text = |e: Element<'_>, name: &str| e.peek(name).map_or("", |a| a.value()).to_owned();
        let data = match e.name() {
            "numeric" => Custom::Numeric { name, data: numeric(e)? },
            "text" => Custom::Text { name, data: text(e, "data") },
            "tuple" => {
                let member = |e: Element<'_>| -> Result<_, LoadError> {
                    let number = e.peek("prm").map_or(Ok(0.0), |a| a.number())?;
                    Ok((text(e, "objtype"), text(e, "objname"), number))
                };
                Custom::Tuple { name, members: e.children().map(member).collect::<Result<_, _>>()? }
            }
            _ => continue,
        };
        extras.custom.push(data);
        e.mark(Fate::Kept, FOR_OTHERS);
    }
    for e in reader.root().descendants() {
        let known = || index.row(&index.key_in(e.parent_name(), e.name()), "user").is_some();
        if let Some(a) = e.peek("user").filter(|_| known()) {
            a.mark(Fate::Kept, FOR_OTHERS);
            let name = e.peek("name").map_or("", |a| a.value()).to_owned();
            extras.user.push(UserData {
                element: e.name().to_owned(),
                name,
                data: a.numbers(0, MAX_NUMBERS)?,
            });
        }
    }
    Ok(())
}

/// The numbers of a <numeric>, with zeros up to its `size`.
fn numeric(e: Element<'_>) -> Result<Vec<f64>, LoadError> {
    let mut data = e.peek("data").map_or(Ok(Vec::new()), |a| a.numbers(0, MAX_NUMBERS))?;
    if let Some(a) = e.peek("size") {
        let size = usize::try_from(a.integer()?).ok().filter(|s| (data.len()..=MAX_NUMBERS).contains(s));
        data.resize(size.ok_or_else(|| a.error(format!("{} to {MAX_NUMBERS}", data.len())))?, 0.0);
    }
    Ok(data)
}
