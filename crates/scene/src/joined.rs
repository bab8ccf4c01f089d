//! What moves as one: trees, and trees that something holds together.

use super::ground::carrier;
use stiction::State;
use stiction::dynamics::JointKind;
use stiction::dynamics::spatial::Vec3;
use stiction::world::{TendonPath, Waypoint, World};

/// Trees that loops, couplings or tendons hold together.
pub(super) struct Group {
    /// Numbers of the trees, as in `model.bodies[..].tree`.
    pub(super) trees: Vec<usize>,
    /// Every tree of it has a free root, and nothing holds it to the world: it can be moved as a whole.
    pub(super) floats: bool,
}

/// All groups, by their first tree.
pub(super) fn joined(world: &World) -> Vec<Group> {
    let model = &world.model;
    let mut group: Vec<usize> = (0..model.trees).collect();
    let mut floats = vec![false; model.trees];
    for joint in model.joints.iter().filter(|j| j.kind == JointKind::Free) {
        floats[model.bodies[joint.body].tree] = true;
    }
    let tree_of = |link: Option<usize>| carrier(world, link).map(|b| model.bodies[b].tree);
    let mut held: Vec<Option<usize>> = Vec::new();
    let mut links: Vec<Vec<Option<usize>>> = Vec::new();
    for closure in world.loops.iter().filter(|l| l.active) {
        links.push(closure.ends.iter().map(|(link, _)| tree_of(*link)).collect());
    }
    for coupling in &world.couplings {
        let curve = coupling.curve.iter().flat_map(|c| &c.terms);
        links.push(
            coupling.terms.iter().chain(curve).map(|(dof, _)| Some(tree_of_dof(world, *dof))).collect(),
        );
    }
    for tendon in &world.tendons {
        links.push(match &tendon.path {
            TendonPath::Fixed(terms) => terms.iter().map(|(dof, _)| Some(tree_of_dof(world, *dof))).collect(),
            TendonPath::Spatial(way) => {
                let site = |s: usize| world.extras.sites.get(s).and_then(|s| tree_of(s.link));
                let places = way.iter().filter_map(|point| match point {
                    Waypoint::Site(s) => Some(site(*s)),
                    Waypoint::Around { link, .. } => Some(tree_of(*link)),
                    Waypoint::Pulley { .. } => None,
                });
                places.collect()
            }
        });
    }
    for ends in links {
        let known: Vec<usize> = ends.iter().flatten().copied().collect();
        if known.len() < ends.len() {
            held.extend(known.iter().copied().map(Some)); // the world is one of the ends
        }
        for pair in known.windows(2) {
            let (a, b) = (first_of(&mut group, pair[0]), first_of(&mut group, pair[1]));
            group[a.max(b)] = a.min(b);
        }
    }
    for tree in held.into_iter().flatten() {
        floats[tree] = false;
    }
    let mut trees: Vec<Vec<usize>> = vec![Vec::new(); model.trees];
    for tree in 0..model.trees {
        trees[first_of(&mut group, tree)].push(tree);
    }
    let some = trees.into_iter().filter(|trees| !trees.is_empty());
    some.map(|trees| Group { floats: trees.iter().all(|t| floats[*t]), trees }).collect()
}

/// The first tree of the group of `tree`, to which all on the way point from then on.
fn first_of(group: &mut [usize], tree: usize) -> usize {
    let mut first = tree;
    while group[first] != first {
        first = group[first];
    }
    let mut at = tree;
    while group[at] != first {
        at = std::mem::replace(&mut group[at], first);
    }
    first
}

/// The first body of a group.
pub(super) fn root_name<'w>(world: &'w World, group: &Group) -> &'w str {
    let root = world.model.bodies.iter().find(|b| group.trees.contains(&b.tree));
    root.map_or("", |b| b.name.as_str())
}

fn tree_of_dof(world: &World, dof: usize) -> usize {
    world.model.bodies[world.model.dofs[dof].body].tree
}

/// Moves the free joints of every tree by its shift.
pub(super) fn shift_trees(world: &World, state: &mut State, shift: impl Fn(usize) -> Vec3) {
    for joint in world.model.joints.iter().filter(|j| j.kind == JointKind::Free) {
        let shift = shift(world.model.bodies[joint.body].tree).to_array();
        for (q, s) in state.q[joint.idx_q..].iter_mut().zip(shift) {
            *q += s;
        }
    }
}
