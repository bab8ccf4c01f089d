//! Colours, and the friction that other programs write into URDF files.

use crate::error::LoadError;
use crate::ledger::Fate;
use crate::surface::Material;
use crate::value::Attribute;
use crate::xml::Element;
use std::collections::BTreeMap;

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

/// Friction by link, from the <gazebo reference="link"> elements of the robot.
pub(crate) fn gazebo_friction(robot: Element<'_>) -> Result<BTreeMap<&str, f64>, LoadError> {
    let mut friction = BTreeMap::new();
    for gazebo in robot.children().filter(|c| c.name() == "gazebo") {
        let Some(link) = gazebo.peek("reference") else { continue };
        if let Some(mu) = gazebo_number(gazebo, "mu1")? {
            gazebo.mark(Fate::Used, "");
            link.mark(Fate::Used, "");
            friction.insert(link.value().trim(), mu);
        }
        if let Some(mu2) = gazebo.children().find(|c| c.name() == "mu2") {
            mu2.mark(Fate::Kept, "friction is isotropic: mu1 counts in all directions");
        }
    }
    Ok(friction)
}

/// The surface of a link: Gazebo's friction, then what Bullet's <contact> says.
pub(crate) fn surface(link: Element<'_>, gazebo_friction: Option<f64>) -> Result<Material, LoadError> {
    let mut material = Material::default();
    material.friction = gazebo_friction.unwrap_or(material.friction);
    for contact in link.children_named("contact") {
        let value = |a: Attribute<'_>| a.not_negative();
        if let Some(friction) = contact.child("lateral_friction")? {
            material.friction = value(friction.require("value", "a coefficient >= 0")?)?;
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

/// The number written as text (<mu1>0.8</mu1>) or attribute (<mu1 value="0.8"/>).
fn gazebo_number(gazebo: Element<'_>, name: &str) -> Result<Option<f64>, LoadError> {
    let Some(element) = gazebo.child(name)? else { return Ok(None) };
    if let Some(value) = element.get("value") {
        return value.not_negative().map(Some);
    }
    element.content().not_negative().map(Some)
}
