//! One model on a link of another.

use super::parts::{PartJoint, put_together, take_apart};
use super::{EditError, Edited, check_link};
use crate::joint_spec::JointSpec;
use crate::model::{JointKind, Model};
use crate::spatial::Pose;
use std::collections::BTreeSet;

/// Puts `other` on `link` of `host` (`None`: on its world): the world of `other` becomes the frame
/// `X_LO` in the link. Names of `other` get `prefix`.
///
/// With `joints`, the one link of `other` that stands on its world gets them, before its own; without,
/// it is welded. A free joint of `other` stays on the world, but gives way on a link or to `joints`:
/// what it carries is attached as its neutral configuration says. Gravity is the host's, and links,
/// bodies and joints of the host keep their indices: the maps in the result are those of `other`.
///
/// Errors: names that would be there twice; `joints` for an `other` of several roots; a model that
/// cannot be built.
pub fn attach(
    host: &Model,
    link: Option<usize>,
    X_LO: Pose,
    joints: &[JointSpec],
    other: &Model,
    prefix: &str,
) -> Result<Edited, EditError> {
    link.map_or(Ok(()), |l| check_link(host, l))?;
    let roots = other.links.iter().filter(|l| l.parent.is_none()).count();
    if !joints.is_empty() && roots != 1 {
        return Err(EditError::Roots { roots });
    }
    let stays = |kind: JointKind| kind != JointKind::Free || (link.is_none() && joints.is_empty());
    check_names(host, joints, other, prefix, stays)?;

    let mut parts = take_apart(host);
    let first = parts.len();
    for part in &mut parts {
        part.old = None;
        part.joints.iter_mut().for_each(|j| j.old = None);
    }
    for mut part in take_apart(other) {
        part.name = format!("{prefix}{}", part.name);
        part.joints.iter_mut().for_each(|j| j.spec.name = format!("{prefix}{}", j.spec.name));
        part.joints.retain(|j| stays(j.spec.kind));
        if part.parent.is_none() {
            part.joints.splice(..0, joints.iter().cloned().map(PartJoint::new));
            part.X_PL = X_LO * part.X_PL;
            part.parent = link;
        } else {
            part.parent = part.parent.map(|p| p + first);
        }
        parts.push(part);
    }
    let mut edited = put_together(other, parts, host.gravity)?;
    // The dofs of the host, in case those of one joint differ.
    edited.model.dofs[..host.nv()].copy_from_slice(&host.dofs);
    Ok(edited)
}

fn check_names(
    host: &Model,
    joints: &[JointSpec],
    other: &Model,
    prefix: &str,
    stays: impl Fn(JointKind) -> bool,
) -> Result<(), EditError> {
    let clash = |what, name: String| EditError::Name { what, name, prefix: prefix.to_owned() };
    let taken: BTreeSet<&str> = host.links.iter().map(|l| l.name.as_str()).collect();
    for link in &other.links {
        let name = format!("{prefix}{}", link.name);
        if taken.contains(name.as_str()) {
            return Err(clash("link", name));
        }
    }
    let mut taken: BTreeSet<String> = host.joints.iter().map(|j| j.name.clone()).collect();
    let theirs = other.joints.iter().filter(|j| stays(j.kind)).map(|j| format!("{prefix}{}", j.name));
    for name in joints.iter().map(|j| j.name.clone()).chain(theirs) {
        if !taken.insert(name.clone()) {
            return Err(clash("joint", name));
        }
    }
    Ok(())
}
