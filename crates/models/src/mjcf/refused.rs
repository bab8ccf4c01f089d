//! Files that MuJoCo's compiler refuses and no reader here has to: names that stand twice, objects that are not there, parts
//! that are held to themselves, words that are none.

use super::Reader;
use super::scope::{Kind, Mention};
use crate::error::LoadError;
use crate::xml::{Attribute, Element};
use std::collections::BTreeSet;
use stiction_dynamics::JointKind;
use stiction_world::World;

/// Attributes of a sensor that name what it is about, and the kind of that.
const OBJECTS: [(&str, Kind); 7] = [
    ("joint", Kind::Joint),
    ("site", Kind::Site),
    ("tendon", Kind::Tendon),
    ("actuator", Kind::Actuator),
    ("body", Kind::Body),
    ("geom", Kind::Geom),
    ("camera", Kind::Camera),
];

/// Attributes of <option> that are one of some words.
const WORDS: [(&str, &[&str]); 4] = [
    ("integrator", &["Euler", "RK4", "implicit", "implicitfast"]),
    ("solver", &["PGS", "CG", "Newton"]),
    ("cone", &["pyramidal", "elliptic"]),
    ("jacobian", &["dense", "sparse", "auto"]),
];

/// Refuses what is left when everything was read.
pub(crate) fn check(reader: &Reader<'_>, world: &World) -> Result<(), LoadError> {
    for section in ["sensor", "equality", "contact"] {
        names(reader, section)?;
    }
    for section in ["keyframe", "custom"] {
        names_of_others(reader.root(), section)?;
    }
    for mention in reader.section("sensor")? {
        sensor(reader, world, mention)?;
    }
    for Mention { element, .. } in reader.section("equality")? {
        apart(element)?;
    }
    for Mention { element, .. } in reader.section("tendon")? {
        if ["fixed", "spatial"].contains(&element.name()) && element.children().next().is_none() {
            return Err(element.structure("a tendon without a way; expected joints, or sites and geoms"));
        }
    }
    for scope in &*reader.scopes {
        for option in scope.root.children_named("option") {
            for (name, words) in WORDS {
                let words: Vec<(&str, ())> = words.iter().map(|word| (*word, ())).collect();
                option.peek(name).map_or(Ok(()), |a| a.keyword(&words))?;
            }
        }
        scope.root.children_named("asset").flat_map(Element::children).try_for_each(asset)?;
    }
    Ok(())
}

/// Names of a section that is copied along with the tree: sensors and equalities have one for all kinds.
fn names(reader: &Reader<'_>, section: &'static str) -> Result<(), LoadError> {
    let mut seen = BTreeSet::new();
    for Mention { element, copy, .. } in reader.section(section)? {
        let kind = if section == "contact" { element.name() } else { section };
        if let Some(a) = element.peek("name").filter(|a| !a.value().trim().is_empty())
            && !seen.insert((kind, reader.name_in_world(copy, a.value())))
        {
            return Err(twice(a, kind));
        }
    }
    Ok(())
}

/// Names of a section of the main file.
fn names_of_others(root: Element<'_>, section: &str) -> Result<(), LoadError> {
    let mut seen = BTreeSet::new();
    for element in root.children_named(section).flat_map(Element::children) {
        if let Some(a) = element.peek("name").filter(|a| !a.value().trim().is_empty())
            && !seen.insert((element.name(), a.value().trim().to_owned()))
        {
            return Err(twice(a, element.name()));
        }
    }
    Ok(())
}

fn twice(name: Attribute<'_>, kind: &str) -> LoadError {
    name.error(format!("a name of its own: another {kind} is called so too"))
}

/// A sensor whose object is not there or of another kind, and numbers below 0.
fn sensor(reader: &Reader<'_>, world: &World, mention: Mention<'_>) -> Result<(), LoadError> {
    let Mention { element: e, copy, .. } = mention;
    for a in ["cutoff", "noise"].into_iter().filter_map(|name| e.peek(name)) {
        a.not_negative()?;
    }
    for (name, kind) in OBJECTS {
        let Some(a) = e.peek(name).filter(|a| a.value().trim() != "world") else { continue };
        let found = reader.find(kind, copy, a)?;
        let joint = world.model.joints.get(found).filter(|_| kind == Kind::Joint);
        let fits = |expected: &str, fits: fn(JointKind) -> bool| match joint {
            Some(joint) if !fits(joint.kind) => Err(a.error(expected.to_owned())),
            _ => Ok(()),
        };
        match e.name() {
            "jointpos" | "jointvel" | "jointactuatorfrc" => fits("a hinge or a slide", JointKind::is_scalar)?,
            "ballquat" | "ballangvel" => fits("a ball joint", |kind| kind == JointKind::Ball)?,
            _ => {}
        }
    }
    Ok(())
}

/// An equality of something with itself.
fn apart(e: Element<'_>) -> Result<(), LoadError> {
    for (one, two) in [("joint1", "joint2"), ("tendon1", "tendon2"), ("body1", "body2"), ("site1", "site2")] {
        if let (Some(one), Some(two)) = (e.peek(one), e.peek(two))
            && one.value().trim() == two.value().trim()
        {
            return Err(two.error("another than the first: nothing is held to itself"));
        }
    }
    Ok(())
}

/// An asset that nothing may use: it is read where something does.
fn asset(e: Element<'_>) -> Result<(), LoadError> {
    match (e.name(), e.peek("vertex")) {
        ("mesh", Some(vertex)) => vertex.numbers(12, usize::MAX).map(drop),
        ("hfield", _) => {
            let expected = "four numbers > 0: half sides x, y, height, base [m]";
            let Some(size) = e.peek("size") else { return Err(e.missing("the attribute `size`", expected)) };
            match size.array::<4>()?.iter().all(|x| *x > 0.0) {
                true => Ok(()),
                false => Err(size.error(expected)),
            }
        }
        _ => Ok(()),
    }
}
