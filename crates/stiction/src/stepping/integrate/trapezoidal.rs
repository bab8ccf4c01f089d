//! Which trees move by the trapezoidal rule, [`super::Quadrature::Trapezoidal`]: q⁺ = q ⊕ h (v + v⁺)/2.
//!
//! Those with servos, what impulses join to them, linkages that nothing touches, and those without contact geometry that
//! something binds (loops, couplings, dry friction, tendons, carried weight); but not if a contact or stop, of gap φ that grows at the rate u,
//!
//! ```text
//!     is hit: has an impulse, and |u| or |u⁺| is more than what bounces                                (1)
//!     had none in the last step or in that before, and would overlap: φ + h (u + u⁺)/2 < −slop         (2)
//!     is a contact with an impulse that no servo damps: where surfaces bend, means gain energy         (3)
//! ```
//!
//! or it turns so far that where it goes means nothing ([`super::fast_rotation`]); (2) because what meets in a step still
//! closes at its end. These move by v⁺, which neither crosses a surface nor gains energy; those with stiff springs or
//! servos ([`STIFF`]) are solved again first, with θ = 1 in (5) of [`stiction_assembly::forces::actuators`]. Trees that impulses join go
//! alike, or contacts would drift. Where nothing changes nothing is done.
//!
//! Of the last two inertia and forces are those of the middle of the step ([`super::midpoint`]): they gain no energy. With
//! contacts, whose J is that of the start, that mixture would keep legs from coming to rest;
//! there, servos damp what forces at the start of the step add, ω² h/2 of the energy of a swing.

use super::{bound_trees, is_servo};
use stiction_assembly::forces::actuators;
use stiction_assembly::{BlockKey, Jacobian, Posed};
use stiction_contact::{Cone, ConstraintProblem};
use stiction_dynamics::{CrbaWorkspace, Factor, Kinematics, MassMatrix, crba_into};
use stiction_models::World;

/// A step that was solved, as far as the rule asks.
pub(crate) struct Solved<'a> {
    pub(crate) posed: &'a Posed,
    pub(crate) impulses: &'a [f64],
    /// Impulses of the last step, and of that before: the same or zero where there were none.
    pub(crate) last: [&'a [f64]; 2],
    pub(crate) v: &'a [f64],
    /// Trees that have a middle.
    pub(crate) swings: &'a [bool],
    /// Trees that turn too far for (6).
    pub(crate) lost: &'a [bool],
    /// Speed above which contacts bounce, (1) [m/s].
    pub(crate) slow: f64,
    /// slop/h of (2) [m/s].
    pub(crate) deep: f64,
}

/// The trapezoidal rule of a world, and who goes by it in this step.
pub(crate) struct Trapezoidal {
    /// Per tree: (6) where nothing is hit; nothing can touch it, and it is bound; it has servos.
    pub(crate) goes: Vec<bool>,
    pub(crate) untouchable: Vec<bool>,
    pub(crate) driven: Vec<bool>,
    /// It has a middle, [`super::midpoint`].
    swings: Vec<bool>,
    /// Impulses join it to a tree with servos.
    joined: Vec<bool>,
    /// It is hit; it moves by v⁺.
    hit: Vec<bool>,
    /// It has a spring or servo that is stiff; θ = 1 there, in this step, and it moves by v⁺.
    stiff: Vec<bool>,
    backward: Vec<bool>,
    /// Of a dof; of those of trees with servos, what it is moved by where all others may move, (M⁻¹)_ii at the neutral
    /// posture [1/kg or 1/(kg·m²)].
    pub(crate) tree_of: Vec<usize>,
    pub(crate) mobility: Vec<f64>,
    /// Something changes in this step.
    found: bool,
    /// Blocks whose impulses join two trees.
    joints: Vec<usize>,
}

/// What is stiff has a larger h² K/m, with the inertia that the dof has where all others may move; by v⁺ and with θ = ½ an
/// undamped spring is stable to twice as much, and a damper always [–].
pub(crate) const STIFF: f64 = 2.0;
/// Changes of velocity that are none [m/s or rad/s].
pub(crate) const STILL: f64 = 1e-9;

impl Trapezoidal {
    pub(crate) fn new(world: &World) -> Self {
        let model = &world.model;
        let tree_of: Vec<_> = model.dofs.iter().map(|d| model.bodies[d.body].tree).collect();
        let bound = bound_trees(world);
        let mut driven = vec![false; model.trees];
        for a in world.actuators.iter().filter(|a| is_servo(a)) {
            a.transmission.iter().for_each(|&(dof, _)| driven[tree_of[dof]] = true);
        }
        let mut untouchable: Vec<_> = (0..model.trees).map(|t| bound.contains(&t)).collect();
        for geometry in world.geometries.iter().filter(|g| g.group | g.mask != 0) {
            if let Some(body) = world.mount(geometry.link, geometry.X_LG).0 {
                untouchable[model.bodies[body].tree] = false;
            }
        }
        let mobility = mobility(world, |dof| driven[tree_of[dof]]);
        Self {
            goes: untouchable.iter().zip(&driven).map(|(a, b)| *a || *b).collect(),
            untouchable,
            driven,
            swings: vec![false; model.trees],
            joined: vec![false; model.trees],
            hit: vec![false; model.trees],
            stiff: vec![false; model.trees],
            backward: vec![false; model.trees],
            mobility,
            tree_of,
            found: false,
            joints: Vec::new(),
        }
    }

    /// Before a step.
    pub(crate) fn begin(&mut self) {
        self.stiff.fill(false);
        self.backward.fill(false);
    }

    /// θ of a spring, damper or servo along Σ c q of (dof, c), with h D and h² K: (5) of [`stiction_assembly::forces::actuators`], with
    /// 1/m = Σ c²/M_ii, in trees with servos.
    pub(crate) fn share(
        &mut self,
        along: &[(usize, f64)],
        [damper, spring]: [f64; 2],
        mass: &MassMatrix,
    ) -> f64 {
        let tree = |dof: usize| self.tree_of[dof];
        let moves: f64 = along.iter().map(|&(dof, c)| c * c * self.mobility[dof]).sum();
        if spring * moves > STIFF {
            along.iter().for_each(|&(dof, _)| self.stiff[tree(dof)] = true);
        }
        if !along.iter().all(|&(dof, _)| self.driven[tree(dof)] && !self.backward[tree(dof)]) {
            return 1.0;
        }
        actuators::share(
            (damper + spring) * along.iter().map(|&(dof, c)| c * c / mass.diagonal(dof)).sum::<f64>(),
        )
    }

    /// True if trees are hit that are stiff, which is then as if they had no θ but 1: the step is to be solved again.
    pub(crate) fn turn_back(&mut self, s: &Solved<'_>, v_next: &[f64]) -> bool {
        if !self.stiff.contains(&true) || !self.find(s, v_next) {
            return false;
        }
        let mut turns = false;
        for ((backward, stiff), hit) in self.backward.iter_mut().zip(&self.stiff).zip(&self.hit) {
            let now = *backward || *stiff && *hit;
            turns |= now != *backward;
            *backward = now;
        }
        turns
    }

    /// Finds who moves by the mean of velocities ([`Self::moves`]) and who is hit ([`Self::is_hit`]).
    pub(crate) fn find_all(&mut self, s: &Solved<'_>, v_next: &[f64]) {
        self.found = self.find(s, v_next);
    }

    /// Whether the tree moves by the mean of velocities where nothing is hit, after [`Self::find_all`].
    pub(crate) fn moves(&self, tree: usize) -> bool {
        self.found && (self.goes[tree] || self.joined[tree] || self.swings[tree])
    }

    /// Whether the tree is hit, after [`Self::find_all`].
    pub(crate) fn is_hit(&self, tree: usize) -> bool {
        self.found && self.hit[tree]
    }

    /// Finds what is joined and hit; false if nothing changes.
    fn find(&mut self, s: &Solved<'_>, v_next: &[f64]) -> bool {
        let moves = |(a, b): (&f64, &f64)| (a - b).abs() > STILL;
        self.swings.copy_from_slice(s.swings);
        if !self.goes.contains(&true) && !s.swings.contains(&true) || !s.v.iter().zip(v_next).any(moves) {
            return false;
        }
        let acts = |block: usize| s.impulses[s.posed.problem.range(block)].iter().any(|x| *x != 0.0);
        let joins = |block: usize| s.posed.jacobian.trees_of(block).nth(1).is_some() && acts(block);
        self.joints.clear();
        self.joints.extend((0..s.posed.problem.len()).filter(|&block| joins(block)));
        self.joined.copy_from_slice(&self.driven);
        spread(&self.joints, &s.posed.jacobian, &mut self.joined);
        self.hit.copy_from_slice(s.lost);
        self.hit.iter_mut().zip(&self.backward).for_each(|(hit, backward)| *hit |= backward);
        for (block, cone) in s.posed.problem.cones().iter().enumerate() {
            if cone.opens() && self.hits(s, block, acts(block), v_next) {
                s.posed.jacobian.trees_of(block).for_each(|t| self.hit[t] = true);
            }
        }
        spread(&self.joints, &s.posed.jacobian, &mut self.hit);
        true
    }

    /// (1) to (3), of a contact or stop; what bounces is hit. (1) and (3) only if it has an impulse.
    fn hits(&self, s: &Solved<'_>, block: usize, acts: bool, v_next: &[f64]) -> bool {
        let contact = matches!(s.posed.blocks[block].key, BlockKey::Contact(_));
        if acts && contact && !s.posed.jacobian.trees_of(block).any(|t| self.joined[t]) {
            return true;
        }
        let of_block = s.posed.problem.cone(block).normal();
        let normal = |v: &[f64]| s.posed.jacobian.row_velocity(block, of_block, v);
        let (before, after) = (normal(s.v), normal(v_next));
        let (mean, row) = (0.5 * (before + after), s.posed.problem.range(block).start + of_block);
        let bias = &s.posed.blocks[block].bias;
        let gap = || bias.gap.max(0.0); // φ/h, where φ > 0
        let [last, before_last] = s.last.map(|x| x[row]);
        let new = last == 0.0 || before_last == 0.0 || before_last == last;
        (new && mean < -s.deep && mean + gap() < -s.deep)
            || acts && before.abs().max(after.abs()) > s.slow
            || acts && bias.after_bounce.is_some() && s.posed.choice().restitution > 0.0
    }
}

/// Computes [`Trapezoidal::mobility`] of the `wanted` dofs; 0 of others.
fn mobility(world: &World, wanted: impl Fn(usize) -> bool) -> Vec<f64> {
    let model = &world.model;
    let mut mobility = vec![0.0; model.nv()];
    let dofs: Vec<usize> = (0..model.nv()).filter(|&dof| wanted(dof)).collect();
    if dofs.is_empty() {
        return mobility;
    }
    let (mut kin, mut crba) = (Kinematics::new(model), CrbaWorkspace::new(model));
    let (mut mass, mut factor) = (MassMatrix::new(model), Factor::new(model));
    kin.update(model, &model.neutral());
    crba_into(model, &kin, &mut crba, &mut mass);
    if factor.factor(&mass).is_err() {
        return mobility;
    }
    let (mut rows, mut problem, mut diagonal) =
        (Jacobian::new(model), ConstraintProblem::default(), Vec::new());
    for &dof in &dofs {
        rows.push_linear(&[(dof, 1.0)], model);
        problem.push(Cone::Free, &[0.0]);
    }
    rows.factor_into(&factor, &mut problem);
    problem.diagonal_blocks_into(&mut diagonal);
    dofs.iter().zip(&diagonal).for_each(|(&dof, a)| mobility[dof] = a[0]);
    mobility
}

/// Makes true of all trees that `blocks` join what is true of one.
fn spread(blocks: &[usize], rows: &Jacobian, of_tree: &mut [bool]) {
    let mut spreads = true;
    while std::mem::take(&mut spreads) {
        for &block in blocks {
            if rows.trees_of(block).any(|t| of_tree[t]) {
                for t in rows.trees_of(block) {
                    spreads |= !std::mem::replace(&mut of_tree[t], true);
                }
            }
        }
    }
}
