//! Dofs of scalar joints by name, and their references.

use super::Reader;
use super::scope::Kind;
use crate::error::LoadError;
use crate::xml::Attribute;
use stiction_dynamics::{JointKind, Model};

/// The dof of the hinge or slide that `joint` names.
pub(crate) fn scalar_dof(
    reader: &Reader<'_>,
    model: &Model,
    copy: usize,
    joint: Attribute<'_>,
) -> Result<usize, LoadError> {
    match model.joints.get(reader.find_near(Kind::Joint, copy, joint)?) {
        Some(j) if matches!(j.kind, JointKind::Hinge | JointKind::Slide) => Ok(j.idx_v),
        _ => Err(joint.error("a hinge or slide joint")),
    }
}

/// q of a dof where its bodies stand as the file poses them.
pub(crate) fn reference(model: &Model, dof: usize) -> f64 {
    let joint = model.dofs.get(dof).and_then(|d| model.joints.get(d.joint));
    joint.map_or(0.0, |j| j.reference)
}
