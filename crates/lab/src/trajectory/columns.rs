//! Names and units of the coordinates.

use stiction::dynamics::{Joint, JointKind, Model};

/// Names of the coordinates q, with units.
pub(super) fn q_columns(model: &Model) -> Vec<String> {
    let parts = |kind| -> &[&str] {
        match kind {
            JointKind::Hinge | JointKind::Screw => &["[rad]"],
            JointKind::Slide => &["[m]"],
            JointKind::Ball => &["quaternion w", "quaternion x", "quaternion y", "quaternion z"],
            JointKind::Free => {
                &["x [m]", "y [m]", "z [m]", "quaternion w", "quaternion x", "quaternion y", "quaternion z"]
            }
        }
    };
    let names = |j: &Joint| parts(j.kind).iter().map(|p| format!("{} {p}", j.name)).collect::<Vec<_>>();
    model.joints.iter().flat_map(names).collect()
}

/// Names of the velocities v, with units.
pub(super) fn v_columns(model: &Model) -> Vec<String> {
    let parts = |kind| -> &[&str] {
        match kind {
            JointKind::Hinge | JointKind::Screw => &["[rad/s]"],
            JointKind::Slide => &["[m/s]"],
            JointKind::Ball => &["body x [rad/s]", "body y [rad/s]", "body z [rad/s]"],
            JointKind::Free => {
                &["x [m/s]", "y [m/s]", "z [m/s]", "body x [rad/s]", "body y [rad/s]", "body z [rad/s]"]
            }
        }
    };
    let names = |j: &Joint| parts(j.kind).iter().map(|p| format!("{} {p}", j.name)).collect::<Vec<_>>();
    model.joints.iter().flat_map(names).collect()
}
