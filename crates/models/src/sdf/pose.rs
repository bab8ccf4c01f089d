//! Values as SDF writes them: text between tags. Poses, switches, and the version of the format.

use crate::error::LoadError;
use crate::xml::Attribute;
use crate::xml::Element;
use stiction_dynamics::spatial::{Pose, Quat, Vec3, vec3};

/// The version of a file: (major, minor).
pub(crate) type Version = (u32, u32);

/// From here on frames have names, and poses are relative to them.
pub(crate) const FRAMES: Version = (1, 7);

/// The version that the root element states.
pub(crate) fn version(root: Element<'_>) -> Result<Version, LoadError> {
    let stated = root.require("version", "the version of SDF, 1.4 to 1.12")?;
    let (major, minor) = stated.value().trim().split_once('.').unwrap_or((stated.value().trim(), "0"));
    match (major.parse(), minor.parse()) {
        (Ok(major), Ok(minor)) if major == 1 && minor >= 2 => Ok((major, minor)),
        _ => Err(stated.error("a version of SDF, 1.4 to 1.12")),
    }
}

/// <pose>: x y z, then roll pitch yaw or a quaternion; the identity when there is none.
pub(crate) fn pose(of: Element<'_>) -> Result<Pose, LoadError> {
    let Some(pose) = of.child("pose")? else { return Ok(Pose::IDENTITY) };
    let text = pose.content();
    let formats = [("euler_rpy", false), ("quat_xyzw", true)];
    let quaternion = pose.get("rotation_format").map_or(Ok(false), |a| a.keyword(&formats))?;
    let degrees = pose.get("degrees").map_or(Ok(false), truth)?;
    if text.value().is_empty() {
        return Ok(Pose::IDENTITY);
    }
    if quaternion {
        let [x, y, z, qx, qy, qz, qw] = text.array::<7>()?;
        return Ok(Pose::new(text.unit(Quat::new(qw, qx, qy, qz))?, vec3(x, y, z)));
    }
    let [x, y, z, roll, pitch, yaw] = text.array::<6>()?;
    let unit = |angle: f64| if degrees { angle.to_radians() } else { angle };
    Ok(Pose::new(Quat::from_rpy(unit(roll), unit(pitch), unit(yaw)), vec3(x, y, z)))
}

/// The frame that the <pose> of `of` is relative to, if it says so. Before version 1.7 the attribute was
/// called `frame`.
pub(crate) fn relative_to<'d>(of: Element<'d>, version: Version) -> Result<Option<Attribute<'d>>, LoadError> {
    let word = if version < FRAMES { "frame" } else { "relative_to" };
    let stated = of.child("pose")?.and_then(|p| p.get(word));
    Ok(stated.filter(|a| !a.value().trim().is_empty()))
}

/// true, false, 1 or 0, in any case.
pub(crate) fn truth(value: Attribute<'_>) -> Result<bool, LoadError> {
    match value.value().trim().to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(value.error("true or false")),
    }
}

/// The child `name` of `of` as a switch; `None` when it is not there or empty.
pub(crate) fn switch(of: Element<'_>, name: &str) -> Result<Option<bool>, LoadError> {
    let stated = of.child(name)?.filter(|c| !c.text().is_empty());
    stated.map(|c| truth(c.content())).transpose()
}

/// The child `name` of `of`, to be read as a value.
pub(crate) fn value<'d>(of: Element<'d>, name: &str) -> Result<Option<Attribute<'d>>, LoadError> {
    Ok(of.child(name)?.map(Element::content))
}

/// The child `name` of `of`, which must be there.
pub(crate) fn required<'d>(of: Element<'d>, name: &str, expected: &str) -> Result<Attribute<'d>, LoadError> {
    value(of, name)?.ok_or_else(|| of.missing(&format!("<{name}>"), expected))
}

/// The number in the child `name`, or `default`.
pub(crate) fn number(of: Element<'_>, name: &str, default: f64) -> Result<f64, LoadError> {
    value(of, name)?.map_or(Ok(default), |v| v.number())
}

/// The number >= 0 in the child `name`, or `default`.
pub(crate) fn not_negative(of: Element<'_>, name: &str, default: f64) -> Result<f64, LoadError> {
    value(of, name)?.map_or(Ok(default), |v| v.not_negative())
}

/// The vector in the child `name`, or `default`.
pub(crate) fn vector(of: Element<'_>, name: &str, default: Vec3) -> Result<Vec3, LoadError> {
    value(of, name)?.map_or(Ok(default), |v| v.vector())
}
