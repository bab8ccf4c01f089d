//! Joints that move with others: <mimic>, and gearboxes.
//!
//! ```text
//!     mimic:     q = m (q_leader − r) + o          ⇒   q − m q_leader = o − m r            (1)
//!     gearbox:   θ₂ = −ratio θ₁                                                            (2)
//! ```
//! θ₁ turns from the reference body to the parent about `axis`, θ₂ to the child about `axis2`.

use super::joint::{Kind, SdfJoint};
use super::pose::{number, required};
use super::scope::{Attached, Base, Part, Site};
use super::{Built, Reader};
use crate::error::LoadError;
use crate::xml::Attribute;
use crate::xml::Element;
use stiction_dynamics::JointKind;
use stiction_world::Fate;
use stiction_world::{Coupling, World};

pub(crate) fn read(
    reader: &mut Reader<'_, '_>,
    world: &mut World,
    parts: &[Part<'_>],
    joints: &[SdfJoint<'_>],
    built: &Built,
) -> Result<(), LoadError> {
    for (j, (part, joint)) in parts.iter().zip(joints).enumerate() {
        if joint.kind == Kind::Gearbox {
            gearbox(reader, world, part, joint, joints, built)?;
            continue;
        }
        for (i, tag) in ["axis", "axis2"].into_iter().enumerate() {
            let axis = joint.element.children().find(|c| c.name() == tag);
            let Some(mimic) =
                axis.filter(|_| i < joint.axes_W.len()).map_or(Ok(None), |a| a.child("mimic"))?
            else {
                continue;
            };
            let leader = mimic.require("joint", "the name of another joint")?;
            let axis = mimic.get("axis").map_or(Ok(0), |a| a.keyword(&[("axis", 0), ("axis2", 1)]))?;
            let multiplier = number(mimic, "multiplier", 1.0)?;
            let offset = number(mimic, "offset", 0.0)? - multiplier * number(mimic, "reference", 0.0)?;
            let lead = joint_named(reader, part.site, leader)?;
            let dofs = (dof(world, joints, built, j, i), dof(world, joints, built, lead, axis));
            let (Some(follows), Some(leads)) = dofs else {
                return Err(leader.error("a joint with such an axis, mimicked by another"));
            };
            if follows == leads {
                return Err(leader.error("another joint: an axis cannot mimic itself"));
            }
            let terms = vec![(follows, 1.0), (leads, -multiplier)]; // (1)
            world.couplings.push(Coupling { name: joint.name.clone(), terms, offset, curve: None });
        }
    }
    Ok(())
}

/// The joint that `named` says at `site`.
pub(crate) fn joint_named(
    reader: &Reader<'_, '_>,
    site: Site,
    named: Attribute<'_>,
) -> Result<usize, LoadError> {
    let found = reader.scopes.find(site, named)?;
    let Base::Frame(frame) = found else { return Err(named.error("the name of a joint")) };
    match reader.scopes.frames.get(frame).map(|f| f.attached) {
        Some(Attached::Child(joint)) => Ok(joint),
        _ => Err(named.error("the name of a joint")),
    }
}

/// The dof of axis `i` of a joint that is simulated, if it has one coordinate.
pub(crate) fn dof(
    world: &World,
    joints: &[SdfJoint<'_>],
    built: &Built,
    joint: usize,
    i: usize,
) -> Option<usize> {
    let stated = &joints.get(joint)?.specs;
    let (first, turned) = built.dofs.get(joint).copied().flatten()?;
    let place = if turned { stated.len().checked_sub(i + 1)? } else { i };
    let dof = first + place;
    let kind = world.model.joints.get(world.model.dofs.get(dof)?.joint)?.kind;
    let scalar = !matches!(kind, JointKind::Ball | JointKind::Free);
    (i < stated.len() && scalar).then_some(dof)
}

/// (2), where both angles are those of hinges.
fn gearbox(
    reader: &mut Reader<'_, '_>,
    world: &mut World,
    part: &Part<'_>,
    joint: &SdfJoint<'_>,
    joints: &[SdfJoint<'_>],
    built: &Built,
) -> Result<(), LoadError> {
    let element: Element<'_> = joint.element;
    let ratio = number(element, "gearbox_ratio", 1.0)?;
    let reference = required(element, "gearbox_reference_body", "the name of a link")?;
    let frame = match reader.scopes.find(part.site, reference) {
        Ok(Base::Frame(frame)) => frame,
        Ok(Base::Root) => return Err(reference.error("the name of a link")),
        Err(e) => return Err(e),
    };
    let Some(Attached::Link(body)) = reader.scopes.frames.get(frame).map(|f| f.attached) else {
        return Err(reference.error("the name of a link"));
    };
    // The dof of the hinge between `body` and `other`, with the sign of its angle about `about`.
    let angle = |other: Option<usize>, about: usize| {
        let axis = joint.axes_W.get(about)?;
        let (j, hinge) = joints.iter().enumerate().find(|(j, h)| {
            let between = h.ends == [Some(body), other] || h.ends == [other, Some(body)];
            between
                && h.specs.len() == 1
                && h.kind != Kind::Gearbox
                && dof(world, joints, built, *j, 0).is_some()
        })?;
        let forward = if hinge.ends.first() == Some(&Some(body)) { 1.0 } else { -1.0 };
        let along = hinge.axes_W.first()?.dot(*axis);
        let hinges = matches!(hinge.kind, Kind::Revolute | Kind::Continuous);
        (hinges && along.abs() > 1.0 - 1e-6)
            .then_some((dof(world, joints, built, j, 0)?, forward * along.signum()))
    };
    let [parent, child] = joint.ends;
    match (angle(parent, 0), angle(child, 1)) {
        (Some((first, a)), Some((second, b))) if first != second => {
            let terms = vec![(second, b), (first, ratio * a)];
            world.couplings.push(Coupling { name: joint.name.clone(), terms, offset: 0.0, curve: None });
        }
        _ => {
            let note = "a gearbox couples two hinges on its reference body, along its axes: none are found";
            element.mark(Fate::Unsupported, note);
            reader.warn(element.place(), format!("the joint `{}`: {note}", joint.name));
        }
    }
    Ok(())
}
