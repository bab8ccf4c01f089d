//! From a list of joints to trees.
//!
//! Joints are taken in the order of the file; one that would close a loop is left out. What is
//! joined to the world or stands still hangs on the world; of the rest, every group hangs on its first link
//! that is no child, which moves freely. A joint met from its child's side is turned round:
//!
//! ```text
//!     X_PC(q) = X_PC0 J(q)   ⇒   X_CP(q) = X_CP0 J'(q),   J' = J⁻¹ about −axis in P           (1)
//! ```

use super::joint::{Kind, SdfJoint};
use super::link::SdfLink;
use stiction_dynamics::JointSpec;
use stiction_dynamics::spatial::Pose;

/// A link and the joint it hangs on.
pub(crate) struct Step {
    pub(crate) link: usize,
    /// The link it hangs on; `None`: the world.
    pub(crate) parent: Option<usize>,
    pub(crate) hold: Hold,
}

/// Way in which a link is held.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Hold {
    /// It moves freely.
    Free,
    /// It stands still.
    Fixed,
    /// A joint; turned round where the link is its parent.
    Joint { joint: usize, turned: bool },
}

/// All links, parents first, and the joints that close loops.
pub(crate) struct Forest {
    pub(crate) steps: Vec<Step>,
    pub(crate) loops: Vec<usize>,
}

/// Groups of links that hang together; the world is the last.
struct Groups {
    leader: Vec<usize>,
}

impl Groups {
    fn find(&mut self, mut link: usize) -> usize {
        while let Some(&up) = self.leader.get(link).filter(|&&up| up != link) {
            let above = self.leader.get(up).copied().unwrap_or(up);
            if let Some(slot) = self.leader.get_mut(link) {
                *slot = above;
            }
            link = above;
        }
        link
    }

    /// False if they hung together before.
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if let Some(slot) = self.leader.get_mut(a) {
            *slot = b;
        }
        a != b
    }
}

pub(crate) fn order(links: &[SdfLink<'_>], joints: &[SdfJoint<'_>]) -> Forest {
    let world = links.len();
    let mut groups = Groups { leader: (0..=world).collect() };
    let end = |e: Option<usize>| e.unwrap_or(world);
    for (l, _) in links.iter().enumerate().filter(|(_, l)| l.fixed) {
        groups.join(l, world);
    }
    let mut loops = Vec::new();
    let mut touching: Vec<Vec<usize>> = vec![Vec::new(); world + 1];
    let mut child = vec![false; world + 1];
    for (j, joint) in joints.iter().enumerate().filter(|(_, j)| j.kind != Kind::Gearbox) {
        let [p, c] = joint.ends.map(end);
        if !groups.join(p, c) {
            loops.push(j);
            continue;
        }
        for at in [p, c] {
            if let Some(list) = touching.get_mut(at) {
                list.push(j);
            }
        }
        if let Some(slot) = child.get_mut(c) {
            *slot = true;
        }
    }
    let mut forest = Forest { steps: Vec::with_capacity(links.len()), loops };
    let mut placed = vec![false; links.len()];
    let ground = groups.find(world);
    // Of every group the first link that is no child; else, turned joints only, its first.
    let mut roots: Vec<Step> = Vec::new();
    let mut rooted = vec![false; world + 1];
    for pass in [true, false] {
        for l in 0..links.len() {
            let group = groups.find(l);
            let taken = rooted.get(group).copied().unwrap_or(true);
            let is_child = child.get(l).copied().unwrap_or(false);
            if group != ground && !taken && (!pass || !is_child) {
                rooted[group] = true;
                roots.push(Step { link: l, parent: None, hold: Hold::Free });
            }
        }
    }
    let standing = links.iter().enumerate().filter(|(_, l)| l.fixed);
    roots.extend(standing.map(|(link, _)| Step { link, parent: None, hold: Hold::Fixed }));
    for &joint in touching.get(world).into_iter().flatten() {
        let ends = joints.get(joint).map_or([None; 2], |j| j.ends);
        let turned = ends[1].is_none();
        if let Some(link) = ends[usize::from(!turned)] {
            roots.push(Step { link, parent: None, hold: Hold::Joint { joint, turned } });
        }
    }
    roots.sort_by_key(|s| s.link);
    for root in roots {
        let mut stack = vec![root];
        while let Some(step) = stack.pop() {
            let link = step.link;
            if placed.get(link).copied().unwrap_or(true) {
                continue;
            }
            placed[link] = true;
            forest.steps.push(step);
            for &joint in touching.get(link).into_iter().flatten().rev() {
                let ends = joints.get(joint).map_or([None; 2], |j| j.ends);
                let turned = ends[1] == Some(link);
                let next = if turned { ends[0] } else { ends[1] };
                let Some(next) = next.filter(|&n| placed.get(n) == Some(&false)) else { continue };
                stack.push(Step { link: next, parent: Some(link), hold: Hold::Joint { joint, turned } });
            }
        }
    }
    forest
}

/// (1): the parts of a joint, axes and anchor stated in the child, as those of its parent on the child.
pub(crate) fn turned(specs: &[JointSpec], X_PC: Pose) -> Vec<JointSpec> {
    let about = |s: &JointSpec| JointSpec {
        axis: -X_PC.rotation.rotate(s.axis),
        anchor: X_PC.transform(s.anchor),
        ..s.clone()
    };
    specs.iter().rev().map(about).collect()
}
