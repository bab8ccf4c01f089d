//! Linkages: the trees that rigid loops and bent couplings tie together, and who of them turns freely in a step.

use stiction_assembly::{BlockKey, Posed, WarmStart};
use stiction_world::World;

/// The linkages of a world.
pub(super) struct Linkages {
    /// Per tree: the linkage that it is of, by its first tree.
    of_tree: Vec<Option<usize>>,
    /// Per geometry, the tree that it is of, if that is of a linkage.
    of_geometry: Vec<Option<usize>>,
    /// Per tree, after [`Self::find`]: it is of a linkage that nothing touches.
    pub(super) turning: Vec<bool>,
    /// There is a linkage.
    pub(super) any: bool,
}

impl Linkages {
    pub(super) fn new(world: &World) -> Self {
        let model = &world.model;
        let of_dof = |dof: usize| model.bodies[model.dofs[dof].body].tree;
        let of_link = |l: Option<usize>| Some(model.bodies[model.links[l?].body?].tree);
        let mut group: Vec<usize> = (0..model.trees).collect();
        let mut bends = vec![false; model.trees];
        for held in world.loops.iter().filter(|l| l.active && !l.yields) {
            tie(held.ends.iter().filter_map(|e| of_link(e.0)), true, &mut group, &mut bends);
        }
        for coupling in &world.couplings {
            let curve = coupling.curve.iter().flat_map(|c| &c.terms);
            let trees = coupling.terms.iter().chain(curve).map(|t| of_dof(t.0));
            tie(trees, coupling.curve.is_some(), &mut group, &mut bends);
        }
        let of_tree: Vec<_> = group.iter().map(|&g| bends[g].then_some(g)).collect();
        let tree_of = |link, X| Some(model.bodies[world.mount(link, X).0?].tree).filter(|&t| bends[group[t]]);
        Self {
            of_geometry: world.geometries.iter().map(|g| tree_of(g.link, g.X_LG)).collect(),
            turning: vec![false; model.trees],
            any: bends.contains(&true),
            of_tree,
        }
    }

    /// Finds the linkages that nothing touched in the last step, and none of whose trees is `lost`.
    pub(super) fn find(&mut self, last: &WarmStart, lost: &[bool]) {
        self.turning.iter_mut().zip(&self.of_tree).for_each(|(turns, of)| *turns = of.is_some());
        for (geometries, _) in last.loaded() {
            for tree in geometries.map(|g| self.of_geometry[g]).into_iter().flatten() {
                self.hold(tree);
            }
        }
        lost.iter().enumerate().filter(|(_, lost)| **lost).for_each(|(tree, _)| self.hold(tree));
    }

    /// Holds the linkages on which contacts have impulses; true if some of them turned.
    pub(super) fn hold_touched(&mut self, posed: &Posed, impulses: &[f64]) -> bool {
        let mut held = false;
        for (block, of) in posed.blocks.iter().enumerate() {
            let touches = matches!(of.key, BlockKey::Contact(_))
                && impulses[posed.problem.range(block)].iter().any(|x| *x != 0.0);
            for tree in posed.jacobian.trees_of(block).filter(|_| touches) {
                if self.turning[tree] {
                    self.hold(tree);
                    held = true;
                }
            }
        }
        held
    }

    fn hold(&mut self, tree: usize) {
        let linkage = self.of_tree[tree];
        let of = self.turning.iter_mut().zip(&self.of_tree).filter(|(_, of)| **of == linkage);
        of.for_each(|(turns, _)| *turns = false);
    }
}

/// Makes one group of those of `trees`, named by its first tree; it bends if one of them does, or this tie.
fn tie(trees: impl Iterator<Item = usize>, bent: bool, group: &mut [usize], bends: &mut [bool]) {
    let mut first: Option<usize> = None;
    for tree in trees {
        let (a, b) = (first.unwrap_or(group[tree]), group[tree]);
        let (a, b) = (a.min(b), a.max(b));
        bends[a] |= bends[b] || bent;
        group.iter_mut().filter(|g| **g == b).for_each(|g| *g = a);
        first = Some(a);
    }
}
