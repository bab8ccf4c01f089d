//! Energies of trees.

use stiction_assembly::forces::actuators::rotation_vector;
use stiction_dynamics::{JointKind, Kinematics, Model, Velocities};

/// Energy in motion of a tree, and that of its weight and joint springs [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TreeEnergy {
    pub(super) kinetic: f64,
    pub(super) potential: f64,
}

/// The energies of the trees that `wanted` names, at q and v, of which `kin` and `vel` are; others are not
/// looked at.
pub(super) fn energies_into(
    model: &Model,
    (kin, vel): (&Kinematics, &Velocities),
    (q, v): (&[f64], &[f64]),
    wanted: &[bool],
    out: &mut [TreeEnergy],
) {
    out.fill(TreeEnergy::default());
    for (b, body) in model.bodies.iter().enumerate().filter(|(_, b)| wanted[b.tree]) {
        let (I, V) = (kin.I[b], vel.V[b]);
        let energy = &mut out[body.tree];
        energy.kinetic += 0.5 * V.dot(I * V);
        energy.potential -= model.gravity.dot(I.first + kin.reference[body.tree] * I.mass);
    }
    let tree = |dof: usize| model.bodies[model.dofs[dof].body].tree;
    for (i, (dof, v)) in model.dofs.iter().zip(v).enumerate().filter(|(_, (d, _))| d.armature > 0.0) {
        out[tree(i)].kinetic += 0.5 * dof.armature * v * v;
    }
    for joint in model.joints.iter().filter(|j| j.stiffness > 0.0 && wanted[tree(j.idx_v)]) {
        let q = &q[joint.idx_q..];
        let stretch = match joint.kind {
            JointKind::Hinge | JointKind::Slide | JointKind::Screw => q[0] - joint.spring_rest,
            JointKind::Ball => rotation_vector(q).norm(),
            JointKind::Free => 0.0,
        };
        out[tree(joint.idx_v)].potential += 0.5 * joint.stiffness * stretch * stretch;
    }
}
