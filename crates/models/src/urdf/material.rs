//! Colours, and the friction that other programs write into URDF files.

use super::gazebo::Says;
use crate::error::LoadError;
use crate::proximity;
use crate::xml::Attribute;
use crate::xml::Element;
use std::collections::BTreeMap;
use stiction_world::{Compliance, Dimension, Material, Mixing};
use stiction_world::{Grain, GrainFrame};

/// The grey of what has no colour.
const GREY: [f32; 4] = [0.5, 0.5, 0.5, 1.0];

/// Colours by name. A material is stated at the top, or where it is first used.
pub(crate) struct Materials {
    colours: BTreeMap<String, [f32; 4]>,
}

impl Materials {
    pub(crate) fn read(robot: Element<'_>) -> Result<Self, LoadError> {
        let mut materials = Self { colours: BTreeMap::new() };
        for material in robot.children_named("material") {
            let name = material.require("name", "the name of the material")?;
            if let Some(rgba) = stated(material)? {
                materials.colours.insert(name.value().to_owned(), rgba);
            }
        }
        Ok(materials)
    }

    /// The colour of a <visual> or <collision>.
    pub(crate) fn colour(&mut self, of: Element<'_>) -> Result<[f32; 4], LoadError> {
        let Some(material) = of.child("material")? else { return Ok(GREY) };
        let name = material.get("name").map_or("", |n| n.value());
        match stated(material)? {
            Some(rgba) => {
                if !name.is_empty() {
                    self.colours.entry(name.to_owned()).or_insert(rgba);
                }
                Ok(rgba)
            }
            None => Ok(self.colours.get(name).copied().unwrap_or(GREY)),
        }
    }
}

fn stated(material: Element<'_>) -> Result<Option<[f32; 4]>, LoadError> {
    match material.child("color")? {
        Some(color) => color.require("rgba", "four numbers in 0 … 1")?.rgba().map(Some),
        None => Ok(None),
    }
}

/// The surface of one <collision>: that of its link, then what Drake says of it.
pub(crate) fn of_collision(link: &Material, collision: Element<'_>) -> Result<Material, LoadError> {
    let mut material = *link;
    let Some(properties) = collision.child("drake:proximity_properties")? else { return Ok(material) };
    proximity::read(properties, &number_of, &mut material)?;
    Ok(material)
}

/// The number that the child `name` states.
fn number_of<'d>(of: Element<'d>, name: &str) -> Result<Option<Attribute<'d>>, LoadError> {
    of.child(name)?.map(|e| e.require("value", "a number")).transpose()
}

/// The number >= 0 of a child that says how a surface yields.
fn yields(of: Element<'_>, name: &str) -> Result<Option<f64>, LoadError> {
    let Some(child) = of.child(name)? else { return Ok(None) };
    let stated = child.require("value", "a number >= 0")?;
    stated.not_negative().map(Some)
}

/// The surface of a link: what Gazebo says, then what Bullet's <contact> says.
pub(crate) fn surface(link: Element<'_>, gazebo: &Says) -> Result<Material, LoadError> {
    let mut material = Material::default();
    if let Some(friction) = gazebo.friction {
        (material.friction, material.mixing) = (friction, Mixing::Smaller);
        let grain = |(across, axis)| Grain { across, axis, fixed_in: GrainFrame::Geometry };
        material.grain = gazebo.across.map(grain);
    }
    material.compliance = Compliance::spring(gazebo.kp, gazebo.kd);
    for contact in link.children_named("contact") {
        let spring = Compliance::spring(yields(contact, "stiffness")?, yields(contact, "damping")?);
        material.compliance = spring.or(material.compliance);
        let value = |a: Attribute<'_>| a.not_negative();
        if let Some(friction) = contact.child("lateral_friction")? {
            (material.friction, material.grain) =
                (value(friction.require("value", "a coefficient >= 0")?)?, None);
        }
        for (name, dimension) in
            [("spinning_friction", Dimension::Spinning), ("rolling_friction", Dimension::Rolling)]
        {
            let Some(stated) = contact.child(name)? else { continue };
            let coefficient = value(stated.require("value", "a coefficient >= 0 [m]")?)?;
            if coefficient > 0.0 {
                if material.dimension == Dimension::Sliding {
                    (material.spinning, material.rolling) = (0.0, 0.0); // what is not stated does not act
                }
                let slot =
                    if name == "spinning_friction" { &mut material.spinning } else { &mut material.rolling };
                *slot = coefficient;
                material.dimension = material.dimension.max(dimension);
            }
        }
        if let Some(restitution) = contact.child("restitution")? {
            let attribute = restitution.require("value", "a coefficient in 0 … 1")?;
            material.restitution = value(attribute)?;
            if material.restitution > 1.0 {
                return Err(attribute.error("a coefficient in 0 … 1"));
            }
        }
    }
    Ok(material)
}
