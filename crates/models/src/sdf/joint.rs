//! <joint>: how a link moves on its parent.
//!
//! The joint frame J is stated in the child; both axes go through its origin, as they are where nothing has
//! moved. A universal or revolute2 joint is two hinges, the first next to the parent.

use super::Reader;
use super::pose::{FRAMES, not_negative, number, required, truth, value, vector};
use super::scope::{Base, Part, Scopes, Spot, WORLD};
use crate::error::LoadError;
use crate::xml::Attribute;
use crate::xml::Element;
use std::f64::consts::TAU;
use stiction_dynamics::spatial::{Pose, Vec3};
use stiction_dynamics::{JointKind, JointSpec};
use stiction_world::DriveLimit;
use stiction_world::Fate;
use stiction_world::ledger::SPEEDS_ARE_FREE;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Revolute,
    Continuous,
    Prismatic,
    Fixed,
    Ball,
    Universal,
    Revolute2,
    Screw,
    Gearbox,
}

const KINDS: [(&str, Kind); 9] = [
    ("revolute", Kind::Revolute),
    ("continuous", Kind::Continuous),
    ("prismatic", Kind::Prismatic),
    ("fixed", Kind::Fixed),
    ("ball", Kind::Ball),
    ("universal", Kind::Universal),
    ("revolute2", Kind::Revolute2),
    ("screw", Kind::Screw),
    ("gearbox", Kind::Gearbox),
];

/// No limit: the specification's 1e16 and what comes near it.
const UNLIMITED: f64 = 1e15;

/// A joint as the file states it.
pub(crate) struct SdfJoint<'d> {
    pub(crate) name: String,
    pub(crate) element: Element<'d>,
    pub(crate) kind: Kind,
    /// Parent and child link; `None`: the world.
    pub(crate) ends: [Option<usize>; 2],
    /// None for fixed, two for universal joints; axes and anchor in the child.
    pub(crate) specs: Vec<(JointSpec, DriveLimit)>,
    /// In world axes where nothing has moved.
    pub(crate) axes_W: Vec<Vec3>,
}

const NO_AXIS: &str =
    "a ball joint turns about every axis: the limits, springs and friction of one do not act";

/// The frames that <parent> and <child> name.
pub(crate) fn ends(scopes: &Scopes<'_>, part: &Part<'_>) -> Result<[Spot; 2], LoadError> {
    let element = part.element;
    let [parent, child] =
        ["parent", "child"].map(|end| required(element, end, "the name of a link or frame"));
    // Files of Drake say <link_name> inside.
    let inner = |end: Attribute<'_>| -> Result<Base, LoadError> { scopes.find(part.site, end) };
    let parent = parent?;
    let parent = if parent.value() == "world" { WORLD } else { (part.site.scope, inner(parent)?) };
    let child = child?;
    if child.value() == "world" {
        return Err(child.error("a link or frame: the world is a parent only"));
    }
    Ok([parent, (part.site.scope, inner(child)?)])
}

pub(crate) fn read<'d>(
    reader: &mut Reader<'_, 'd>,
    part: &Part<'d>,
    ends: [Option<usize>; 2],
    X_WL: &[Pose],
) -> Result<SdfJoint<'d>, LoadError> {
    let (element, name) = (part.element, part.name.clone());
    let kind = element.require("type", "the type of the joint")?.keyword(&KINDS)?;
    let [parent, child] = ends;
    if parent == child {
        let message = format!("the joint `{name}` joins a link to itself; expected two links");
        return Err(element.structure(message));
    }
    let X_WC = child.and_then(|c| X_WL.get(c).copied()).unwrap_or(Pose::IDENTITY);
    let X_WJ = reader.places.frame(part.frame);
    let anchor = X_WC.inverse_transform(X_WJ.translation);
    let mut joint = SdfJoint { name, element, kind, ends, specs: Vec::new(), axes_W: Vec::new() };
    let stated: &[(&str, JointKind)] = match kind {
        Kind::Fixed => &[],
        Kind::Ball => {
            for axis in ["axis", "axis2"].into_iter().flat_map(|tag| element.children_named(tag)) {
                let acts = axis.children().any(|c| matches!(c.name(), "dynamics" | "limit" | "mimic"));
                axis.mark(if acts { Fate::Unsupported } else { Fate::Kept }, NO_AXIS);
            }
            joint.specs.push((JointSpec::ball(joint.name.clone()).at(anchor), DriveLimit::default()));
            return Ok(joint);
        }
        Kind::Revolute | Kind::Continuous => &[("axis", JointKind::Hinge)],
        Kind::Prismatic => &[("axis", JointKind::Slide)],
        Kind::Screw => &[("axis", JointKind::Screw)],
        Kind::Universal | Kind::Revolute2 | Kind::Gearbox => {
            &[("axis", JointKind::Hinge), ("axis2", JointKind::Hinge)]
        }
    };
    let [rotor, ratio] = [("drake:rotor_inertia", 0.0), ("drake:gear_ratio", 1.0)]
        .map(|(name, default)| number(element, name, default));
    let (rotor, ratio) = (rotor?, ratio?);
    if rotor == 0.0 {
        element
            .children_named("drake:gear_ratio")
            .for_each(|r| r.mark(Fate::Kept, "counts with a drake:rotor_inertia"));
    }
    for (i, &(tag, of)) in stated.iter().enumerate() {
        let axis_W = axis(reader, part, element.child(tag)?, X_WJ)?;
        let name = if stated.len() > 1 { format!("{}_{}", joint.name, i + 1) } else { joint.name.clone() };
        let axis_C = X_WC.rotation.conjugate().rotate(axis_W);
        let mut spec = JointSpec::new(name, of, axis_C).at(anchor).with_rotor(rotor, ratio);
        let mut drive = DriveLimit::default();
        if let Some(axis) = element.child(tag)? {
            dynamics(reader, axis, &mut spec)?;
            limits(axis, kind, &mut spec, &mut drive)?;
        }
        if kind == Kind::Screw {
            spec.pitch = pitch(element)?;
        }
        joint.specs.push((spec, drive));
        joint.axes_W.push(axis_W);
    }
    Ok(joint)
}

/// Travel of a screw per angle [m/rad]: `screw_thread_pitch` metres a turn, right-handed if positive; else the
/// older `thread_pitch`, radians per metre, left-handed if positive; else 1 m a turn.
fn pitch(joint: Element<'_>) -> Result<f64, LoadError> {
    if let Some(stated) = value(joint, "screw_thread_pitch")? {
        return Ok(stated.number()? / TAU);
    }
    match value(joint, "thread_pitch")? {
        Some(stated) if stated.number()? == 0.0 => Err(stated.error("a number that is not 0 [rad/m]")),
        Some(stated) => Ok(-1.0 / stated.number()?),
        None => Ok(1.0 / TAU),
    }
}

/// The unit axis in the world, where nothing has moved. It is stated in the joint frame, or in the frame that
/// `expressed_in` names; in version 1.4, and where `use_parent_model_frame` says so until 1.6, in that of the
/// model.
fn axis(
    reader: &Reader<'_, '_>,
    part: &Part<'_>,
    axis: Option<Element<'_>>,
    X_WJ: Pose,
) -> Result<Vec3, LoadError> {
    let Some(axis) = axis else { return Ok(X_WJ.rotation.rotate(Vec3::Z)) };
    let xyz = vector(axis, "xyz", Vec3::Z)?;
    let Some(xyz) = xyz.normalized() else {
        return Err(axis.structure("the <xyz> of the axis is 0; expected a vector that is not"));
    };
    let version = part.site.version;
    let in_model = match value(axis, "use_parent_model_frame")? {
        Some(stated) if version < FRAMES => truth(stated)?,
        Some(stated) => {
            stated.element.mark(Fate::Kept, "a word of versions before 1.7");
            false
        }
        None => version < (1, 5),
    };
    let spot = |base: Base| reader.places.spot(&reader.scopes, (part.site.scope, base));
    let named =
        axis.child("xyz")?.and_then(|x| x.get("expressed_in")).filter(|a| !a.value().trim().is_empty());
    let X_WE = match named {
        Some(named) if version >= FRAMES => spot(reader.scopes.find(part.site, named)?),
        _ if in_model => spot(part.site.model),
        _ => X_WJ,
    };
    Ok(X_WE.rotation.rotate(xyz))
}

fn dynamics(reader: &mut Reader<'_, '_>, axis: Element<'_>, spec: &mut JointSpec) -> Result<(), LoadError> {
    let Some(dynamics) = axis.child("dynamics")? else { return Ok(()) };
    spec.damping = number(dynamics, "damping", 0.0)?;
    if spec.damping < 0.0 {
        // Gazebo's word for damping that adapts itself.
        reader.warn(dynamics.place(), format!("damping {} < 0 is taken as 0", spec.damping));
        spec.damping = 0.0;
    }
    spec.friction = not_negative(dynamics, "friction", 0.0)?;
    spec.stiffness = not_negative(dynamics, "spring_stiffness", 0.0)?;
    spec.spring_rest = number(dynamics, "spring_reference", 0.0)?;
    Ok(())
}

/// Range of q, and what the drive may do.
fn limits(
    axis: Element<'_>,
    kind: Kind,
    spec: &mut JointSpec,
    drive: &mut DriveLimit,
) -> Result<(), LoadError> {
    let Some(limit) = axis.child("limit")? else { return Ok(()) };
    let [lower, upper] = [("lower", f64::NEG_INFINITY), ("upper", f64::INFINITY)]
        .map(|(name, none)| bound(limit, name).map(|b| b.unwrap_or(none)));
    let (lower, upper) = (lower?, upper?);
    if lower > upper {
        let message = format!("<lower> {lower} is above <upper> {upper}; expected lower <= upper");
        return Err(limit.structure(message));
    }
    let ranged = lower.is_finite() || upper.is_finite();
    if kind == Kind::Continuous && ranged {
        for bound in ["lower", "upper"].into_iter().flat_map(|tag| limit.children_named(tag)) {
            bound.mark(Fate::Kept, "a continuous joint has no range");
        }
    } else if ranged {
        spec.limit = Some([lower, upper]);
    }
    // Negative: not enforced.
    drive.effort = bound(limit, "effort")?.filter(|e| *e >= 0.0).map(|e| [-e, e]);
    drive.velocity = bound(limit, "velocity")?.filter(|v| *v >= 0.0);
    if let (Some(_), Some(stated)) = (drive.velocity, limit.child("velocity")?) {
        stated.mark(Fate::Unsupported, SPEEDS_ARE_FREE);
    }
    Ok(())
}

/// A number that limits; `None` for none, for an infinite and for a huge one.
fn bound(limit: Element<'_>, name: &str) -> Result<Option<f64>, LoadError> {
    let Some(stated) = value(limit, name)? else { return Ok(None) };
    match stated.value().parse::<f64>() {
        Ok(x) if x.abs() >= UNLIMITED => Ok(None),
        _ => stated.number().map(Some),
    }
}
