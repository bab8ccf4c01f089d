//! The links of a model as files nest them: children inside their parents, joints in between.

use stiction_dynamics::spatial::{Inertia, Pose};
use stiction_dynamics::{Joint, JointKind, Model};

/// A link, where it is, and what moves it.
pub(crate) struct Branch {
    pub(crate) link: usize,
    pub(crate) depth: usize,
    /// Pose in the parent link (or the world), joints at their reference.
    pub(crate) X_PL: Pose,
    /// Joints of the model between the parent and it.
    pub(crate) joints: Vec<usize>,
}

/// All links, parents first, children in their order, each with everything below it before the next.
pub(crate) fn branches(model: &Model) -> Vec<Branch> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); model.links.len()];
    let mut roots = Vec::new();
    for (l, link) in model.links.iter().enumerate() {
        match link.parent.and_then(|p| below.get_mut(p)) {
            Some(children) => children.push(l),
            None => roots.push(l),
        }
    }
    let mut branches = Vec::with_capacity(model.links.len());
    let mut named = vec![false; model.bodies.len()];
    let mut stack: Vec<(usize, usize)> = roots.into_iter().rev().map(|l| (l, 0)).collect();
    while let Some((l, depth)) = stack.pop() {
        let link = &model.links[l];
        let X_BP = link.parent.map_or(Pose::IDENTITY, |p| model.links[p].X_BL);
        // The first link that a body carries is the one its joints move.
        let moved = link.body.filter(|&b| !std::mem::replace(&mut named[b], true));
        let (X_CL, joints) = match moved {
            Some(b) => (model.bodies[b].X_PB, model.bodies[b].joints.clone().collect()),
            None => (link.X_BL, Vec::new()),
        };
        branches.push(Branch { link: l, depth, X_PL: X_BP.inverse() * X_CL, joints });
        stack.extend(below[l].iter().rev().map(|&c| (c, depth + 1)));
    }
    branches
}

/// These branches where a body with a free joint may stand in the world alone, as in MJCF: whatever hangs on something that is fixed to the
/// world follows the whole of that as a root of its own.
pub(crate) fn free_on_top(model: &Model, branches: Vec<Branch>) -> Vec<Branch> {
    let free = |b: &Branch| b.joints.first().is_some_and(|&j| model.joints[j].kind == JointKind::Free);
    let (mut out, mut after): (Vec<Branch>, Vec<Branch>) = (Vec::new(), Vec::new());
    // The depth from which on everything belongs to the last body that was taken out.
    let mut taken: Option<usize> = None;
    for mut branch in branches {
        if branch.depth == 0 {
            out.append(&mut after);
        }
        taken = taken.filter(|depth| branch.depth > *depth);
        if let Some(depth) = taken {
            branch.depth -= depth;
            after.push(branch);
            continue;
        }
        let body = model.links[branch.link].body.map(|b| &model.bodies[b]);
        if let Some(body) = body.filter(|b| branch.depth > 0 && b.parent.is_none() && free(&branch)) {
            taken = Some(branch.depth);
            (branch.depth, branch.X_PL) = (0, body.X_PB);
            after.push(branch);
        } else {
            out.push(branch);
        }
    }
    out.append(&mut after);
    out
}

/// The moments about the centre of mass, in the axes of the link, as xx yy zz xy xz yz.
pub(crate) fn moments(inertia: &Inertia) -> [f64; 6] {
    let i = inertia.about_com();
    [i.xx, i.yy, i.zz, i.xy, i.xz, i.yz]
}

/// Armature, damping and friction of a joint (equal for all its dofs).
pub(crate) fn losses(model: &Model, joint: &Joint) -> [f64; 3] {
    let dof = &model.dofs[joint.idx_v];
    [dof.armature, dof.damping, dof.friction]
}
