//! <joint>: how a link moves on its parent.

use super::{Reader, origin};
use crate::error::LoadError;
use crate::names::Names;
use crate::words::shortened;
use crate::xml::Element;
use std::f64::consts::TAU;
use stiction_dynamics::spatial::{Pose, Vec3};
use stiction_dynamics::{JointKind, JointSpec};
use stiction_world::Fate;
use stiction_world::ledger::SPEEDS_ARE_FREE;
use stiction_world::{Coupling, DriveLimit};

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Revolute,
    Continuous,
    Prismatic,
    Fixed,
    Floating,
    Planar,
    /// The last three are Drake's.
    Ball,
    Screw,
    Universal,
}

const KINDS: [(&str, Kind); 9] = [
    ("revolute", Kind::Revolute),
    ("continuous", Kind::Continuous),
    ("prismatic", Kind::Prismatic),
    ("fixed", Kind::Fixed),
    ("floating", Kind::Floating),
    ("planar", Kind::Planar),
    ("ball", Kind::Ball),
    ("screw", Kind::Screw),
    ("universal", Kind::Universal),
];

/// A joint as the file states it.
pub(crate) struct UrdfJoint<'d> {
    pub(crate) name: String,
    pub(crate) element: Element<'d>,
    pub(crate) parent: usize,
    pub(crate) child: usize,
    /// Pose of the child in the parent at q = 0.
    pub(crate) X_PL: Pose,
    /// None for fixed, several for planar joints.
    pub(crate) specs: Vec<JointSpec>,
    pub(crate) drive: DriveLimit,
}

pub(crate) fn read<'d>(
    reader: &mut Reader<'_>,
    element: Element<'d>,
    links: &Names<'_>,
) -> Result<UrdfJoint<'d>, LoadError> {
    let name = element.require("name", "the name of the joint")?.value().trim().to_owned();
    let kind = element.require("type", "the type of the joint")?.keyword(&KINDS)?;
    let end = |tag: &str| -> Result<usize, LoadError> {
        let end = element.child(tag)?.ok_or_else(|| element.missing(&format!("<{tag}>"), "a link"))?;
        let link = end.require("link", "the name of a link")?;
        links.index(link)
    };
    let (parent, child) = (end("parent")?, end("child")?);
    if parent == child {
        return Err(
            element.structure(format!("the joint `{name}` joins a link to itself; expected two links"))
        );
    }
    let X_PL = origin(element)?;
    let axis = axis(element, kind)?;
    let (limit, drive) = limits(reader, element, kind)?;
    let (mut damping, mut friction) = (0.0, 0.0);
    if let Some(dynamics) = element.child("dynamics")? {
        damping = dynamics.get("damping").map_or(Ok(0.0), |a| a.not_negative())?;
        friction = dynamics.get("friction").map_or(Ok(0.0), |a| a.not_negative())?;
        if let (Some([_, effort]), true) = (drive.effort, friction > 0.0)
            && friction >= effort
        {
            let message = format!(
                "the dry friction {friction} of joint `{name}` is not less than its effort limit {effort}: \
                 its drive can never move it"
            );
            reader.warn(dynamics.place(), message);
        }
    }
    let spec =
        |name: String, kind, axis| JointSpec { limit, damping, friction, ..JointSpec::new(name, kind, axis) };
    let lossy = |specs: Vec<JointSpec>| {
        specs.into_iter().map(|s| JointSpec { damping, friction, ..s }).collect::<Vec<_>>()
    };
    let specs = match kind {
        Kind::Fixed => Vec::new(),
        Kind::Revolute | Kind::Continuous => vec![spec(name.clone(), JointKind::Hinge, axis)],
        Kind::Prismatic => vec![spec(name.clone(), JointKind::Slide, axis)],
        Kind::Floating => vec![spec(name.clone(), JointKind::Free, axis)],
        Kind::Planar => lossy(JointSpec::planar(&name, axis).to_vec()),
        Kind::Ball => lossy(vec![JointSpec::ball(name.clone())]),
        Kind::Universal => lossy(JointSpec::universal(&name, Vec3::X, Vec3::Y).to_vec()),
        Kind::Screw => {
            let lead = element.child("drake:screw_thread_pitch")?;
            let lead = lead.ok_or_else(|| {
                element.missing("<drake:screw_thread_pitch value>", "metres along the axis per turn")
            })?;
            let pitch = lead.require("value", "metres along the axis per turn")?.number()? / TAU;
            vec![JointSpec { pitch, ..spec(name.clone(), JointKind::Screw, axis) }]
        }
    };
    Ok(UrdfJoint { name, element, parent, child, X_PL, specs, drive })
}

/// The unit axis in the child; x when none is given, as the format says.
fn axis(element: Element<'_>, kind: Kind) -> Result<Vec3, LoadError> {
    let Some(stated) = element.child("axis")? else { return Ok(Vec3::X) };
    let xyz = stated.require("xyz", "three numbers")?;
    let axis = xyz.vector()?;
    match axis.normalized() {
        Some(axis) => Ok(axis),
        // Exporters write a zero axis for joints that need none.
        None if matches!(kind, Kind::Fixed | Kind::Floating | Kind::Ball | Kind::Universal) => Ok(Vec3::X),
        None => Err(xyz.error("a vector that is not zero")),
    }
}

/// Range of q, and what the drive may do. A revolute or prismatic joint should state its range.
fn limits(
    reader: &mut Reader<'_>,
    element: Element<'_>,
    kind: Kind,
) -> Result<(Option<[f64; 2]>, DriveLimit), LoadError> {
    let ranged = matches!(kind, Kind::Revolute | Kind::Prismatic);
    let Some(limit) = element.child("limit")? else {
        if ranged {
            let message = format!(
                "{} states no <limit>: it moves without one, as a `continuous` joint does",
                element.described()
            );
            reader.warn(element.place(), message);
        }
        return Ok((None, DriveLimit::default()));
    };
    let mut drive = DriveLimit::default();
    for name in ["effort", "velocity"] {
        let Some(attribute) = limit.get(name) else { continue };
        let value = attribute.not_negative()?;
        if value == 0.0 && kind != Kind::Fixed {
            reader.warn(attribute.place(), format!("{name}=\"0\" is taken as not stated"));
        } else if name == "effort" {
            drive.effort = Some([-value, value]);
        } else {
            drive.velocity = Some(value);
            if kind != Kind::Fixed {
                attribute.mark(Fate::Unsupported, SPEEDS_ARE_FREE);
            }
        }
    }
    if !ranged {
        return Ok((None, drive));
    }
    let (lower, upper) = (limit.get("lower"), limit.get("upper"));
    if lower.is_none() && upper.is_none() {
        let message = "neither lower nor upper is stated: both are 0 by the format, the joint is locked";
        reader.warn(limit.place(), message);
    }
    let lo = lower.map_or(Ok(0.0), |a| a.number())?;
    let hi = upper.map_or(Ok(0.0), |a| a.number())?;
    if lo > hi {
        let wrong = lower.or(upper);
        let expected = format!("lower <= upper (lower is {lo}, upper {hi})");
        return Err(wrong.map_or_else(|| limit.structure(expected.clone()), |a| a.error(expected.clone())));
    }
    Ok((Some([lo, hi]), drive))
}

/// <mimic>: q = multiplier · q_other + offset. A joint that follows a fixed one stands at the offset.
/// Copied hands and reduced robots often follow a joint that was left behind: they move freely then,
/// with a warning.
pub(crate) fn mimic(
    reader: &mut Reader<'_>,
    joint: &UrdfJoint<'_>,
    dof: Option<usize>,
    joints: &[UrdfJoint<'_>],
    names: &Names<'_>,
    first_dof: &[Option<usize>],
) -> Result<Option<Coupling>, LoadError> {
    let Some(mimic) = joint.element.child("mimic")? else { return Ok(None) };
    let other = mimic.require("joint", "the name of another joint")?;
    let multiplier = mimic.get("multiplier").map_or(Ok(1.0), |a| a.number())?;
    let offset = mimic.get("offset").map_or(Ok(0.0), |a| a.number())?;
    if joint.specs.is_empty() {
        let name = shortened(&joint.name);
        reader.warn(mimic.place(), format!("the fixed joint `{name}` mimics another: it stays fixed"));
        return Ok(None);
    }
    let Some(leader) = names.get(other.value().trim()) else {
        let (name, other) = (shortened(&joint.name), shortened(other.value()));
        let message = format!("joint `{name}` mimics `{other}`, which does not exist: it moves freely");
        reader.warn(mimic.place(), message);
        return Ok(None);
    };
    let scalar = |j: &UrdfJoint<'_>| matches!(j.specs.as_slice(), [one] if one.kind.nv() == 1);
    let leader_joint = joints.get(leader).filter(|l| l.name != joint.name);
    let terms = match (dof, leader_joint, first_dof.get(leader).copied().flatten()) {
        (Some(dof), Some(l), Some(lead)) if scalar(l) => vec![(dof, 1.0), (lead, -multiplier)],
        (Some(dof), Some(l), None) if l.specs.is_empty() => vec![(dof, 1.0)],
        _ => Vec::new(),
    };
    if terms.is_empty() || !scalar(joint) {
        return Err(other.error("another revolute, continuous or prismatic joint, mimicked by one of these"));
    }
    Ok(Some(Coupling { name: joint.name.clone(), terms, offset, curve: None }))
}
