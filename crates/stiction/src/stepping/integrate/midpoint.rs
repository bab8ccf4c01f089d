//! The middle of the step, of [`super::Quadrature::Midpoint`]: kinematics at q ⊕ h v/2, and the mean velocity.
//!
//! It is that of bound trees that nothing can touch, and of linkages that nothing touches ([`super::linkages`]). Linkages have
//! rows that turn, and hold them by v̄ = (v + v⁺)/2 ([`stiction_assembly::posing::Middle`]); their Coriolis forces are of v̄
//! as well, or energy would drift at the rate of the second order. v̄ is known once the step was solved, so it is solved again.

use super::linkages::Linkages;
use super::trapezoidal::{STILL, Trapezoidal};
use crate::state::State;
use stiction_assembly::{Middle, Posed, WarmStart};
use stiction_dynamics::{Kinematics, integrate_into};
use stiction_world::World;

/// Who moves less than this in half a step has its middle at its start [m or rad].
pub(crate) const NEAR: f64 = 1e-9;

/// The middle of a step.
pub(crate) struct Midpoint {
    linkages: Linkages,
    /// Trees that nothing can touch; those that have a middle in this step.
    untouchable: Vec<bool>,
    pub(crate) swings: Vec<bool>,
    /// Dofs that may have a middle, and the tree of each.
    dofs: Vec<(usize, usize)>,
    kin: Kinematics,
    /// It differs from that of the start.
    differs: bool,
    q: Vec<f64>,
    /// v, zero for trees that start where they are.
    v: Vec<f64>,
    /// v̄ of linkages and v of others; whether it is known.
    mean: Vec<f64>,
    knows_mean: bool,
}

impl Midpoint {
    /// `rule` is that of the world.
    pub(crate) fn new(world: &World, rule: &Trapezoidal) -> Self {
        let model = &world.model;
        let linkages = Linkages::new(world);
        let may = |tree: usize| rule.untouchable[tree] || linkages.holds(tree);
        Self {
            untouchable: rule.untouchable.clone(),
            swings: vec![false; model.trees],
            dofs: (0..model.nv()).map(|d| (d, rule.tree_of[d])).filter(|of| may(of.1)).collect(),
            kin: Kinematics::new(model),
            differs: false,
            q: vec![0.0; model.nq],
            v: vec![0.0; model.nv()],
            mean: vec![0.0; model.nv()],
            knows_mean: false,
            linkages,
        }
    }

    /// q ⊕ h v/2, under a `rigid` law; not of trees that are `lost`, [`super::fast_rotation`].
    pub(crate) fn find(
        &mut self,
        world: &World,
        (state, last): (&State, &WarmStart),
        h: f64,
        rigid: bool,
        lost: &[bool],
    ) {
        self.leave();
        if self.dofs.is_empty() || !rigid {
            return;
        }
        if self.linkages.any {
            self.linkages.find(last, lost);
        }
        self.place(world, state, h, lost);
    }

    /// No tree has a middle of its own in this step.
    pub(crate) fn leave(&mut self) {
        (self.knows_mean, self.differs) = (false, false);
        self.swings.fill(false);
    }

    /// Holds the linkages that contacts touch in the step that was solved; true if some turned: the step is to be solved again without
    /// that.
    pub(crate) fn take_back(
        &mut self,
        (world, state): (&World, &State),
        (posed, impulses): (&Posed, &[f64]),
        h: f64,
        lost: &[bool],
    ) -> bool {
        if !self.turns() || !self.linkages.hold_touched(posed, impulses) {
            return false;
        }
        self.knows_mean = false;
        self.differs = false;
        self.place(world, state, h, lost);
        true
    }

    /// Finds the trees that have a middle, and q ⊕ h v/2.
    fn place(&mut self, world: &World, state: &State, h: f64, lost: &[bool]) {
        let Self { linkages, untouchable, swings, dofs, v, .. } = self;
        for (tree, swings) in swings.iter_mut().enumerate() {
            let alone = untouchable[tree] && !linkages.holds(tree) && !lost[tree];
            *swings = alone || linkages.turning[tree];
        }
        for &(dof, tree) in &*dofs {
            v[dof] = if swings[tree] { state.v[dof] } else { 0.0 };
            self.differs |= (0.5 * h * v[dof]).abs() > NEAR;
        }
        if self.differs {
            integrate_into(&world.model, &state.q, &self.v, 0.5 * h, &mut self.q);
            self.kin.update(&world.model, &self.q);
        }
    }

    /// Takes v̄ of linkages from a step from v to v⁺; true if the step is to be solved again with it.
    pub(crate) fn learn_mean(&mut self, v: &[f64], v_next: &[f64]) -> bool {
        if self.knows_mean || !self.turns() {
            return false;
        }
        self.knows_mean = true;
        self.mean.copy_from_slice(v);
        let mut differs = false;
        for &(dof, _) in self.dofs.iter().filter(|of| self.linkages.turning[of.1]) {
            self.mean[dof] = 0.5 * (v[dof] + v_next[dof]);
            differs |= (self.mean[dof] - v[dof]).abs() > STILL;
        }
        differs
    }

    /// Whether a linkage turns.
    fn turns(&self) -> bool {
        self.differs && self.linkages.any && self.linkages.turning.contains(&true)
    }

    /// Selects the trees that the kinematics at the start do.
    pub(crate) fn select(&mut self, trees: impl Fn(usize) -> bool) {
        self.kin.select(trees);
    }

    /// The kinematics that were found, or else those of the start.
    pub(crate) fn or<'a>(&'a self, start: &'a Kinematics) -> &'a Kinematics {
        self.kinematics().unwrap_or(start)
    }

    /// The kinematics that were found, where they are not those of the start.
    pub(crate) fn kinematics(&self) -> Option<&Kinematics> {
        self.differs.then_some(&self.kin)
    }

    /// The positions that it is of.
    pub(crate) fn q_or<'a>(&'a self, start: &'a [f64]) -> &'a [f64] {
        if self.differs { &self.q } else { start }
    }

    /// The velocities of which Coriolis forces are, v being those of the start.
    pub(crate) fn mean_or<'a>(&'a self, v: &'a [f64]) -> &'a [f64] {
        if self.knows_mean { &self.mean } else { v }
    }

    /// Whether those of the tree are v̄.
    pub(crate) fn is_mean(&self, tree: usize) -> bool {
        self.knows_mean && self.linkages.turning[tree]
    }

    /// Where rows of linkages are posed; `None`: nothing turns.
    pub(crate) fn of_rows(&self) -> Option<Middle<'_>> {
        let turning = &self.linkages.turning[..];
        self.turns().then_some(Middle { kin: &self.kin, q: &self.q, turning })
    }
}
