//! From a list of joints to the one tree they must form.

use super::joint::UrdfJoint;
use super::link::UrdfLink;
use crate::error::LoadError;
use crate::words::shortened;
use crate::xml::Element;

/// A link and the joint it hangs on.
pub(crate) struct Step {
    pub(crate) link: usize,
    pub(crate) joint: Option<usize>,
}

/// All links, parents first, depth first in the order of the joints. Errors: no link, no root, two
/// roots, a link with two parents, a cycle.
pub(crate) fn order(
    robot: Element<'_>,
    links: &[UrdfLink<'_>],
    joints: &[UrdfJoint<'_>],
) -> Result<Vec<Step>, LoadError> {
    let name = |l: usize| links.get(l).map_or(String::new(), |l| shortened(&l.name));
    let mut above: Vec<Option<usize>> = vec![None; links.len()];
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    for (j, joint) in joints.iter().enumerate() {
        if let Some(slot) = above.get_mut(joint.child) {
            if let Some(first) = slot.and_then(|f| joints.get(f)) {
                return Err(joint.element.structure(format!(
                    "the link `{}` has two parents, `{}` (joint `{}` at {}) and `{}`; a URDF is a tree: \
                     close loops with an MJCF equality",
                    name(joint.child),
                    name(first.parent),
                    shortened(&first.name),
                    first.element.place(),
                    name(joint.parent),
                )));
            }
            *slot = Some(j);
        }
        if let Some(children) = below.get_mut(joint.parent) {
            children.push(j);
        }
    }
    let roots: Vec<usize> =
        above.iter().enumerate().filter(|(_, j)| j.is_none()).map(|(link, _)| link).collect();
    let &[root] = roots.as_slice() else {
        return Err(match (links.is_empty(), roots.as_slice()) {
            (true, _) => robot.missing("links", "at least one <link>"),
            (_, [first, second, ..]) => {
                let place = links.get(*second).map_or(robot.place(), |l| l.element.place());
                let message = format!(
                    "the link `{}` has no parent, nor has `{}`; a robot has one root: connect them by a \
                     joint",
                    name(*second),
                    name(*first)
                );
                LoadError::Structure { place, message }
            }
            _ => cycle(robot, joints),
        });
    };
    let mut steps = Vec::with_capacity(links.len());
    let mut stack = vec![Step { link: root, joint: None }];
    while let Some(step) = stack.pop() {
        let children = below.get(step.link).map(Vec::as_slice).unwrap_or_default();
        let child = |&j: &usize| joints.get(j).map(|joint| Step { link: joint.child, joint: Some(j) });
        stack.extend(children.iter().rev().filter_map(child));
        steps.push(step);
    }
    // With one root and at most one parent each, what was not reached hangs on itself.
    if steps.len() < links.len() { Err(cycle_below(robot, joints, &steps)) } else { Ok(steps) }
}

fn cycle(robot: Element<'_>, joints: &[UrdfJoint<'_>]) -> LoadError {
    let element = joints.first().map_or(robot, |j| j.element);
    element.structure("every link has a parent: the joints form a cycle; expected one root link")
}

fn cycle_below(robot: Element<'_>, joints: &[UrdfJoint<'_>], steps: &[Step]) -> LoadError {
    let mut reached = vec![false; joints.len()];
    for j in steps.iter().filter_map(|s| s.joint) {
        if let Some(slot) = reached.get_mut(j) {
            *slot = true;
        }
    }
    let lost = joints.iter().zip(reached).find(|(_, r)| !r).map(|(j, _)| j);
    let Some(joint) = lost else { return cycle(robot, joints) };
    joint.element.structure(format!(
        "the joint `{}` is part of a cycle that the root link does not reach; a URDF is a tree",
        shortened(&joint.name)
    ))
}
