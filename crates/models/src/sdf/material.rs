//! <surface> and <material>: friction, bounce, who meets whom, and colours.

use super::pose::{not_negative, number, value};
use super::scope::Part;
use super::{Reader, friction};
use crate::error::LoadError;
use crate::proximity;
use crate::xml::Attribute;
use crate::xml::Element;
use stiction_dynamics::spatial::Quat;
use stiction_world::Fate;
use stiction_world::{Compliance, Material, Mixing};

/// The grey of what has no colour.
pub(crate) const GREY: [f32; 4] = [0.5, 0.5, 0.5, 1.0];

/// The specification's <threshold>: slower impacts do not bounce [m/s].
const THRESHOLD: f64 = 1e5;
/// The specification's <collide_bitmask>.
const ALL: u32 = 0xffff;

/// Surface of a <collision>. Two meet if the category of one is among those that the other
/// collides with.
pub(crate) struct Surface {
    pub(crate) material: Material,
    pub(crate) category: u32,
    pub(crate) collides: u32,
}

/// `R_CG`: rotation of the shape in the <collision>.
pub(crate) fn surface(
    reader: &mut Reader<'_, '_>,
    part: &Part<'_>,
    collision: Element<'_>,
    R_CG: Quat,
) -> Result<Surface, LoadError> {
    let material = Material { mixing: Mixing::Smaller, ..Material::default() };
    let mut surface = Surface { material, category: ALL, collides: ALL };
    if let Some(properties) = collision.child("drake:proximity_properties")? {
        proximity::read(properties, &value, &mut surface.material)?;
    }
    let Some(element) = collision.child("surface")? else { return Ok(surface) };
    if let Some(friction) = element.child("friction")? {
        friction::read(reader, part, friction, R_CG, &mut surface.material)?;
    }
    if let Some(bounce) = element.child("bounce")? {
        let restitution = not_negative(bounce, "restitution_coefficient", 0.0)?;
        if restitution > 1.0 {
            return Err(
                bounce.structure(format!("a restitution of {restitution}; expected a number in 0 … 1"))
            );
        }
        let threshold = number(bounce, "threshold", THRESHOLD)?;
        if threshold < THRESHOLD {
            surface.material.restitution = restitution;
        } else if restitution > 0.0 {
            let message = "without a <threshold> below 100000 m/s nothing bounces, by the specification";
            reader.warn(bounce.place(), message);
        }
        if let (true, Some(stated)) = (threshold > 0.0, bounce.child("threshold")?) {
            stated.mark(Fate::Kept, "the stepper has one threshold for all surfaces");
        }
    }
    if let Some(contact) = element.child("contact")? {
        if let Some(ode) = contact.child("ode")? {
            let spring = Compliance::spring(yields(ode, "kp")?, yields(ode, "kd")?);
            surface.material.compliance = surface.material.compliance.or(spring);
        }
        let bits = |name: &str| match value(contact, name)? {
            None => Ok(None),
            Some(stated) => bitmask(stated).map(Some),
        };
        surface.collides = bits("collide_bitmask")?.unwrap_or(ALL);
        surface.category = bits("category_bitmask")?.unwrap_or(surface.collides);
    }
    Ok(surface)
}

/// The number >= 0 of a child that says how a surface yields.
fn yields(of: Element<'_>, name: &str) -> Result<Option<f64>, LoadError> {
    value(of, name)?.map(Attribute::not_negative).transpose()
}

/// 16 bits, decimal or hexadecimal.
fn bitmask(stated: Attribute<'_>) -> Result<u32, LoadError> {
    let text = stated.value().trim();
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let bits = hexadecimal.map_or_else(|| text.parse::<u32>(), |digits| u32::from_str_radix(digits, 16));
    bits.map(|b| b & ALL).map_err(|_| stated.error("a whole number of 16 bits, such as 1 or 0x01"))
}

/// The colour of a <visual>.
pub(crate) fn colour(visual: Element<'_>) -> Result<[f32; 4], LoadError> {
    let mut rgba = GREY;
    if let Some(material) = visual.child("material")? {
        let stated = match value(material, "diffuse")? {
            Some(diffuse) => Some(diffuse),
            None => value(material, "ambient")?,
        };
        if let Some(stated) = stated.filter(|s| !s.value().is_empty()) {
            let numbers = stated.numbers(3, 4)?;
            rgba = [0, 1, 2, 3].map(|i| numbers.get(i).map_or(1.0, |x| *x as f32));
        }
    }
    let transparency = number(visual, "transparency", 0.0)?;
    rgba[3] *= (1.0 - transparency).clamp(0.0, 1.0) as f32;
    Ok(rgba)
}
