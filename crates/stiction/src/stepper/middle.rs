//! Kinematics in the middle of the step, of bound trees that nothing can touch: (7) of [`super`].

use crate::State;
use crate::means::Means;
use stiction_dynamics::{Kinematics, integrate_into};
use stiction_models::World;

/// Who moves less than this in half a step has its middle at its start [m or rad].
pub(crate) const NEAR: f64 = 1e-9;

/// See the module.
pub(super) struct Middle {
    /// Of those trees.
    dofs: Vec<usize>,
    kin: Kinematics,
    /// It differs from that of the start.
    differs: bool,
    q: Vec<f64>,
    /// v, zero for trees that start where they are.
    v: Vec<f64>,
}

impl Middle {
    pub(super) fn new(world: &World) -> Self {
        let model = &world.model;
        let Means { swings, tree_of, .. } = Means::new(world);
        Self {
            dofs: (0..model.nv()).filter(|&d| swings[tree_of[d]]).collect(),
            kin: Kinematics::new(model),
            differs: false,
            q: vec![0.0; model.nq],
            v: vec![0.0; model.nv()],
        }
    }

    /// (7), if it is wanted.
    pub(super) fn find(&mut self, world: &World, state: &State, h: f64, wanted: bool) {
        self.differs = wanted && self.dofs.iter().any(|&d| (0.5 * h * state.v[d]).abs() > NEAR);
        if self.differs {
            self.dofs.iter().for_each(|&d| self.v[d] = state.v[d]);
            integrate_into(&world.model, &state.q, &self.v, 0.5 * h, &mut self.q);
            self.kin.update(&world.model, &self.q);
        }
    }

    /// As that of the kinematics at the start.
    pub(super) fn select(&mut self, trees: impl Fn(usize) -> bool) {
        self.kin.select(trees);
    }

    /// What was found, or else that of the start.
    pub(super) fn or<'a>(&'a self, start: &'a Kinematics) -> &'a Kinematics {
        if self.differs { &self.kin } else { start }
    }
}
