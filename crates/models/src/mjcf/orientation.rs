//! The five ways MJCF says how a frame is turned.

use super::compiler::Compiler;
use crate::error::LoadError;
use crate::xml::Attribute;
use crate::xml::Element;
use stiction_dynamics::spatial::{Mat3, Pose, Quat, Vec3};

const WAYS: [&str; 5] = ["axisangle", "euler", "xyaxes", "zaxis", "quat"];

/// `pos` and orientation from `levels`, the element first, its defaults behind.
pub(crate) fn pose<'d>(
    levels: impl Iterator<Item = Element<'d>> + Clone,
    compiler: &Compiler,
) -> Result<Pose, LoadError> {
    let translation = levels.clone().find_map(|e| e.get("pos"));
    let translation = translation.map_or(Ok(Vec3::ZERO), |a| a.vector())?;
    Ok(Pose::new(orientation(levels, compiler)?, translation))
}

/// The orientation alone, as the nearest level states it; two on one element are an error.
pub(crate) fn orientation<'d>(
    mut levels: impl Iterator<Item = Element<'d>> + Clone,
    compiler: &Compiler,
) -> Result<Quat, LoadError> {
    let stated = |level: Element<'d>| WAYS.iter().filter_map(move |name| level.get(name));
    let Some((first, second)) = levels.find_map(|level| {
        let mut stated = stated(level);
        Some((stated.next()?, stated.next()))
    }) else {
        return Ok(Quat::IDENTITY);
    };
    match second {
        Some(second) => {
            Err(second.error(format!("one orientation only; `{}` states it already", first.name())))
        }
        None => one(first, compiler),
    }
}

fn one(a: Attribute<'_>, compiler: &Compiler) -> Result<Quat, LoadError> {
    let angle = |x: f64| if compiler.degrees { x.to_radians() } else { x };
    let unit = |v: [f64; 3]| {
        let v = Vec3::from(v);
        v.normalized().filter(|_| v.norm() > 1e-14).ok_or_else(|| a.error("a direction that is not 0"))
    };
    match a.name() {
        "quat" => {
            let [w, x, y, z] = a.array::<4>()?;
            a.unit(Quat::new(w, x, y, z))
        }
        "axisangle" => {
            let [x, y, z, turn] = a.array::<4>()?;
            Ok(Quat::from_axis_angle(unit([x, y, z])?, angle(turn)))
        }
        "euler" => Ok(euler(a.array::<3>()?.map(angle), compiler)),
        "xyaxes" => {
            let [x0, x1, x2, y0, y1, y2] = a.array::<6>()?;
            let x = unit([x0, x1, x2])?;
            let y = Vec3::from([y0, y1, y2]);
            let y = unit((y - x * x.dot(y)).to_array())?;
            Ok(Quat::from_matrix(&Mat3::from_columns(x, y, x.cross(y))))
        }
        _ => Ok(Quat::between(Vec3::Z, unit(a.array::<3>()?)?)),
    }
}

/// Three turns in sequence: lower-case axes turn with the frame, upper-case ones stand still.
pub(crate) fn euler(angles: [f64; 3], compiler: &Compiler) -> Quat {
    let mut q = Quat::IDENTITY;
    for (axis, angle) in compiler.euler_sequence.into_iter().zip(angles) {
        let about = match axis.to_ascii_lowercase() {
            'x' => Vec3::X,
            'y' => Vec3::Y,
            _ => Vec3::Z,
        };
        let turn = Quat::from_axis_angle(about, angle);
        q = if axis.is_ascii_lowercase() { q * turn } else { turn * q };
    }
    q
}
