//! Joints that close loops: a tree has no place for them, so that their frames are held together instead.

use super::Built;
use super::joint::{Kind, SdfJoint};
use super::link::SdfLink;
use stiction_dynamics::spatial::{Pose, Quat, Vec3};
use stiction_world::{Hold, LoopClosure};

/// Closure that holds the links of `joint` together, as they stand where nothing has moved; `None` for joints that no
/// [`Hold`] says.
pub(crate) fn closure(joint: &SdfJoint<'_>, links: &[SdfLink<'_>], built: &Built) -> Option<LoopClosure> {
    let hold = match joint.kind {
        Kind::Revolute | Kind::Continuous => Hold::Hinge,
        Kind::Prismatic => Hold::Slide,
        Kind::Fixed => Hold::Frame,
        Kind::Ball => Hold::Point,
        Kind::Universal | Kind::Revolute2 | Kind::Screw | Kind::Gearbox => return None,
    };
    let X_WL = |end: Option<usize>| end.and_then(|l| links.get(l)).map_or(Pose::IDENTITY, |l| l.X_WL);
    let [X_WP, X_WC] = joint.ends.map(X_WL);
    let anchor = joint.specs.first().map_or(Vec3::ZERO, |(spec, _)| spec.anchor);
    let axis = joint.axes_W.first().copied().unwrap_or(Vec3::Z);
    let X_WJ = Pose::new(Quat::between(Vec3::Z, axis), X_WC.transform(anchor));
    let on = |end: Option<usize>, X_WL: Pose| {
        (end.and_then(|l| built.links.get(l).copied()), X_WL.inverse() * X_WJ)
    };
    let [parent, child] = joint.ends;
    Some(LoopClosure::new(joint.name.clone(), [on(parent, X_WP), on(child, X_WC)], hold))
}

/// True if the joint does more than hold: what a loop leaves out.
pub(crate) fn does_more(joint: &SdfJoint<'_>) -> bool {
    joint.specs.iter().any(|(s, _)| {
        s.limit.is_some() || s.damping > 0.0 || s.friction > 0.0 || s.stiffness > 0.0 || s.rotor_inertia > 0.0
    })
}
