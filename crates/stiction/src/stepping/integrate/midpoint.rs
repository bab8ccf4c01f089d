//! Kinematics in the middle of the step, of bound trees that nothing can touch: [`super::Quadrature::Midpoint`].

use super::trapezoidal::Trapezoidal;
use crate::state::State;
use stiction_dynamics::{Kinematics, integrate_into};
use stiction_models::World;

/// Who moves less than this in half a step has its middle at its start [m or rad].
pub(crate) const NEAR: f64 = 1e-9;

/// The middle of a step of linkages that nothing can touch.
pub(crate) struct Midpoint {
    /// Dofs of those trees, and the tree of each.
    dofs: Vec<(usize, usize)>,
    kin: Kinematics,
    /// It differs from that of the start.
    differs: bool,
    q: Vec<f64>,
    /// v, zero for trees that start where they are.
    v: Vec<f64>,
}

impl Midpoint {
    /// `rule` is that of the world.
    pub(crate) fn new(world: &World, rule: &Trapezoidal) -> Self {
        let model = &world.model;
        let Trapezoidal { untouchable: swings, tree_of, .. } = rule;
        Self {
            dofs: (0..model.nv()).map(|d| (d, tree_of[d])).filter(|of| swings[of.1]).collect(),
            kin: Kinematics::new(model),
            differs: false,
            q: vec![0.0; model.nq],
            v: vec![0.0; model.nv()],
        }
    }

    /// q ⊕ h v/2, if it is wanted; not of trees that are `lost`, [`super::fast_rotation`].
    pub(crate) fn find(&mut self, world: &World, state: &State, h: f64, wanted: bool, lost: &[bool]) {
        let v = |&(dof, tree): &(usize, usize)| if lost[tree] { 0.0 } else { state.v[dof] };
        self.differs = wanted && self.dofs.iter().any(|of| (0.5 * h * v(of)).abs() > NEAR);
        if self.differs {
            self.dofs.iter().for_each(|of| self.v[of.0] = v(of));
            integrate_into(&world.model, &state.q, &self.v, 0.5 * h, &mut self.q);
            self.kin.update(&world.model, &self.q);
        }
    }

    /// Selects the trees that the kinematics at the start do.
    pub(crate) fn select(&mut self, trees: impl Fn(usize) -> bool) {
        self.kin.select(trees);
    }

    /// The kinematics that were found, or else those of the start.
    pub(crate) fn or<'a>(&'a self, start: &'a Kinematics) -> &'a Kinematics {
        if self.differs { &self.kin } else { start }
    }

    /// The positions that it is of.
    pub(crate) fn q_or<'a>(&'a self, start: &'a [f64]) -> &'a [f64] {
        if self.differs { &self.q } else { start }
    }
}
