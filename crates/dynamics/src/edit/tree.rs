//! One tree of a model by itself, coordinates and all.

use crate::model::{Body, Dof, Joint, Model};

/// A tree as a model of its own. Its bodies, joints and dofs are those of the whole in the same order, numbers and
/// names unchanged; links it has none.
#[derive(Clone, Debug)]
pub struct Tree {
    pub model: Model,
    /// Place in q of the whole model, for every coordinate of the tree's q.
    pub q: Vec<usize>,
    /// Place in v of the whole model, for every coordinate of the tree's v.
    pub v: Vec<usize>,
}

impl Tree {
    /// Tree number `tree` of `model`.
    pub fn of(model: &Model, tree: usize) -> Self {
        let mut alone = Model {
            bodies: Vec::new(),
            joints: Vec::new(),
            dofs: Vec::new(),
            links: Vec::new(),
            gravity: model.gravity,
            trees: 1,
            nq: 0,
        };
        let (mut q, mut v, mut joints) = (Vec::new(), Vec::new(), Vec::new());
        let mut place = vec![0; model.bodies.len()];
        for (b, body) in model.bodies.iter().enumerate().filter(|(_, b)| b.tree == tree) {
            place[b] = alone.bodies.len();
            let (first_joint, first_dof) = (alone.joints.len(), v.len());
            for (j, joint) in model.joints[body.joints.clone()].iter().enumerate() {
                let (idx_q, idx_v) = (q.len(), v.len());
                q.extend(joint.idx_q..joint.idx_q + joint.kind.nq());
                v.extend(joint.idx_v..joint.idx_v + joint.kind.nv());
                joints.resize(v.len(), first_joint + j);
                alone.joints.push(Joint { body: place[b], idx_q, idx_v, ..joint.clone() });
            }
            let (parent, joints) = (body.parent.map(|p| place[p]), first_joint..alone.joints.len());
            let dofs = first_dof..v.len();
            alone.bodies.push(Body { parent, joints, dofs, tree: 0, ..body.clone() });
        }
        alone.nq = q.len();
        for (i, &dof) in v.iter().enumerate() {
            let whole = model.dofs[dof];
            let parent = whole.parent.and_then(|p| v.iter().position(|&d| d == p));
            alone.dofs.push(Dof { body: place[whole.body], joint: joints[i], parent, ..whole });
        }
        Self { model: alone, q, v }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;
    use crate::{AbaWorkspace, aba_into};

    /// Accelerations of every tree alone are those it has in the whole.
    #[test]
    fn a_tree_alone_moves_as_in_the_whole() {
        let model = random_trees(31, 24);
        let (q, v) = random_state(&model, 31);
        let tau = Dice::new(31).vector(model.nv());
        let accelerations = |model: &Model, q: &[f64], v: &[f64], tau: &[f64]| {
            let (kin, vel) = at(model, q, v);
            let mut a = vec![0.0; model.nv()];
            aba_into(model, &kin, &vel, tau, &mut AbaWorkspace::new(model), &mut a);
            a
        };
        let whole = accelerations(&model, &q, &v, &tau);
        assert!(model.trees > 1, "more than one tree");
        let mut seen = 0;
        for t in 0..model.trees {
            let tree = Tree::of(&model, t);
            let pick = |from: &[f64], places: &[usize]| places.iter().map(|&i| from[i]).collect::<Vec<_>>();
            let alone =
                accelerations(&tree.model, &pick(&q, &tree.q), &pick(&v, &tree.v), &pick(&tau, &tree.v));
            assert_close(&alone, &pick(&whole, &tree.v), 1e-12);
            seen += tree.v.len();
        }
        assert_eq!(seen, model.nv());
    }
}
