//! The same tree standing on another of its links.
//!
//! A tree of links joined two by two is not changed by where one begins to read it. The links on
//! the way from the old root to the new become children of their children: with X_PC J₁ J₂ … from
//! parent P to child C,
//!
//! ```text
//!     (X_PC J₁ J₂ …)⁻¹ = X_PC⁻¹ · … (X_PC J₂⁻¹ X_PC⁻¹) (X_PC J₁⁻¹ X_PC⁻¹)
//! ```
//!
//! where each bracket is a joint in the frame of P again: a scalar one about the axis −R_PC a through
//! X_PC c, by (1) and (2) of [`super`]; a ball about X_PC c, with coordinates by (3).

use super::parts::{Part, PartJoint, put_together, take_apart};
use super::{Base, EditError, Edited, check_link};
use crate::model::{JointKind, Model};
use crate::spatial::Pose;

/// The tree of `link` (with everything joined to it that stands on the world) re-rooted at `link`,
/// which then stands as `base` says. Other trees stay.
///
/// The old root must be welded to the world or free: that connection is given up. Any other joint to
/// the world would be lost, and is an error.
pub fn reroot(model: &Model, link: usize, base: Base) -> Result<Edited, EditError> {
    check_link(model, link)?;
    let mut parts = take_apart(model);
    // From the new root up to the old; what a free joint hangs on is not joined to it.
    let free = |part: &Part| part.joints.iter().any(|j| j.spec.kind == JointKind::Free);
    let above = |l: &usize| if free(&parts[*l]) { None } else { parts[*l].parent };
    let path: Vec<usize> = std::iter::successors(Some(link), above).collect();
    let root = &parts[path[path.len() - 1]];
    if let Some(joint) = root.joints.iter().find(|j| j.spec.kind != JointKind::Free) {
        return Err(EditError::RootJoint { link: root.name.clone(), joint: joint.spec.name.clone() });
    }
    let edges: Vec<(Pose, Vec<PartJoint>)> =
        path.iter().map(|l| (parts[*l].X_PL, std::mem::take(&mut parts[*l].joints))).collect();
    for (pair, (X_PC, mut joints)) in path.windows(2).zip(edges) {
        joints.reverse();
        joints.iter_mut().for_each(|joint| turn_round(joint, X_PC));
        let parent = &mut parts[pair[1]];
        (parent.parent, parent.X_PL, parent.joints) = (Some(pair[0]), X_PC.inverse(), joints);
    }
    parts[link].put_on(base);
    put_together(model, parts, model.gravity)
}

/// From C in the frame of C, to P in the frame of P.
fn turn_round(joint: &mut PartJoint, X_PC: Pose) {
    joint.spec.axis = -X_PC.rotation.rotate(joint.spec.axis);
    joint.spec.anchor = X_PC.transform(joint.spec.anchor);
    joint.reversed = Some(X_PC.rotation);
}
