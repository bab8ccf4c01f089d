//! Which trees move by the trapezoidal rule, [`super::Quadrature::Trapezoidal`]: q⁺ = q ⊕ h (v + v⁺)/2.
//!
//! Those with servos, what impulses join to them, linkages that nothing touches, and those without contact geometry that
//! something binds (loops, couplings, dry friction, tendons, carried weight); but not if a contact or stop is hit ([`super::hits`]), as
//! surfaces that bend give energy to means and what meets in a step still closes at its end; or if it turns so far, by v or by v⁺, that
//! where it goes means nothing ([`super::fast_rotation`]). These move by v⁺, which neither crosses a surface nor gains energy; those with
//! stiff springs or servos ([`STIFF`]) are solved again first, with θ = 1 in (5) of [`stiction_assembly::laws::spring`].
//! Trees that impulses join go alike, or contacts would drift. Where nothing changes nothing is done.
//!
//! Of the last two inertia and forces are those of the middle of the step ([`super::midpoint`]): they gain no energy. With
//! contacts, whose J is that of the start, that mixture would keep legs from coming to rest;
//! there, servos damp what forces at the start of the step add, ω² h/2 of the energy of a swing.

use super::fast_rotation::FastRotation;
use super::hits::{Hits, Opening, SolvedBlocks};
use super::{bound_trees, is_servo};
use stiction_assembly::laws::spring;
use stiction_assembly::{BlockKey, Jacobian, Posed};
use stiction_contact::{Cone, ConstraintProblem};
use stiction_dynamics::{CrbaWorkspace, Dual, Factor, Kinematics, MassMatrix, crba_into};
use stiction_world::World;

/// A step that was solved, as far as the rule asks.
pub(crate) struct Solved<'a> {
    pub(crate) posed: &'a Posed,
    pub(crate) impulses: &'a [f64],
    /// Impulses of the last step, and of that before: the same or zero where there were none.
    pub(crate) last: [&'a [f64]; 2],
    pub(crate) v: &'a [f64],
    /// Trees that have a middle.
    pub(crate) swings: &'a [bool],
    /// Joints and trees that turn too far for means.
    pub(crate) fast: &'a FastRotation,
    /// Length of the step [s].
    pub(crate) h: f64,
    /// Speed above which contacts bounce [m/s].
    pub(crate) slow: f64,
    /// slop/h [m/s].
    pub(crate) deep: f64,
}

/// The trapezoidal rule of a world, and who goes by it in this step.
pub(crate) struct Trapezoidal {
    /// Per tree: it moves by means where nothing is hit; nothing can touch it, and it is bound; it has servos.
    pub(crate) goes: Vec<bool>,
    pub(crate) untouchable: Vec<bool>,
    pub(crate) driven: Vec<bool>,
    /// It has a middle, [`super::midpoint`].
    swings: Vec<bool>,
    hits: Hits<f64>,
    /// It has a spring or servo that is stiff; θ = 1 there, in this step, and it moves by v⁺.
    stiff: Vec<bool>,
    backward: Vec<bool>,
    /// Of a dof; of those of trees with servos, what it is moved by where all others may move, (M⁻¹)_ii at the neutral
    /// posture [1/kg or 1/(kg·m²)].
    pub(crate) tree_of: Vec<usize>,
    pub(crate) mobility: Vec<f64>,
    /// Something changes in this step.
    found: bool,
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
            hits: Hits::new(0.0, model.trees),
            stiff: vec![false; model.trees],
            backward: vec![false; model.trees],
            mobility,
            tree_of,
            found: false,
        }
    }

    /// Before a step.
    pub(crate) fn begin(&mut self) {
        self.stiff.fill(false);
        self.backward.fill(false);
    }

    /// θ of a spring, damper or servo along Σ c q of (dof, c), with h D and h² K: (5) of [`stiction_assembly::laws::spring`], with
    /// 1/m = Σ c²/M_ii, in trees with servos.
    pub(crate) fn share(
        &mut self,
        along: &[(usize, f64)],
        [damper, spring]: [f64; 2],
        mass: &MassMatrix,
    ) -> f64 {
        let moves = sum(along, |dof, c| c * c * self.mobility[dof]);
        if spring * moves > STIFF {
            along.iter().for_each(|&(dof, _)| self.stiff[self.tree_of[dof]] = true);
        }
        let tree = |dof: usize| self.tree_of[dof];
        if !along.iter().all(|&(dof, _)| self.driven[tree(dof)] && !self.backward[tree(dof)]) {
            return 1.0;
        }
        spring::share((damper + spring) * sum(along, |dof, c| c * c / mass.diagonal(dof)))
    }

    /// θ as [`Self::share`] found it in this step, its slope by 1/m, with the diagonal of M, and that by the gain h D + h² K.
    pub(crate) fn share_and_slope(
        &self,
        along: &[(usize, f64)],
        [damper, spring]: [f64; 2],
        mass: &MassMatrix,
    ) -> [f64; 3] {
        let tree = |dof: usize| self.tree_of[dof];
        if !along.iter().all(|&(dof, _)| self.driven[tree(dof)] && !self.backward[tree(dof)]) {
            return [1.0, 0.0, 0.0];
        }
        share_and_slope(along, damper + spring, mass)
    }

    /// True if trees are hit that are stiff, which is then as if they had no θ but 1: the step is to be solved again.
    pub(crate) fn turn_back(&mut self, s: &Solved<'_>, v_next: &[f64]) -> bool {
        if !self.stiff.contains(&true) || !self.find(s, v_next) {
            return false;
        }
        let mut turns = false;
        for ((backward, stiff), hit) in self.backward.iter_mut().zip(&self.stiff).zip(&self.hits.hit) {
            let now = *backward || *stiff && *hit > 0.0;
            turns |= now != *backward;
            *backward = now;
        }
        turns
    }

    /// Finds the trees that move by the mean of velocities ([`Self::moves`]) and those that are hit ([`Self::is_hit`]).
    pub(crate) fn find_all(&mut self, s: &Solved<'_>, v_next: &[f64]) {
        self.found = self.find(s, v_next);
    }

    /// Whether the tree moves by the mean of velocities where nothing is hit, after [`Self::find_all`].
    pub(crate) fn moves(&self, tree: usize) -> bool {
        self.found && (self.goes[tree] || self.hits.joined[tree] > 0.0 || self.swings[tree])
    }

    /// Whether the tree is hit, after [`Self::find_all`].
    pub(crate) fn is_hit(&self, tree: usize) -> bool {
        self.found && self.hits.hit[tree] > 0.0
    }

    /// Finds what is joined and hit; false if nothing changes.
    fn find(&mut self, s: &Solved<'_>, v_next: &[f64]) -> bool {
        let moves = |(a, b): (&f64, &f64)| (a - b).abs() > STILL;
        self.swings.copy_from_slice(s.swings);
        if !self.goes.contains(&true) && !s.swings.contains(&true) || !s.v.iter().zip(v_next).any(moves) {
            return false;
        }
        let Hits { joined, hit } = &mut self.hits;
        joined.iter_mut().zip(&self.driven).for_each(|(joined, driven)| *joined = f64::from(*driven));
        for (hit, (far, backward)) in hit.iter_mut().zip(s.fast.far.iter().zip(&self.backward)) {
            *hit = f64::from(*far || *backward);
        }
        // What has a middle, or nothing can touch, goes by means.
        let trees = s.fast.lost(v_next, s.h).map(|dof| self.tree_of[dof]);
        trees.filter(|&tree| !s.swings[tree] && !self.untouchable[tree]).for_each(|tree| hit[tree] = 1.0);
        self.hits.find(&Ended { s, v_next }, s.slow, s.deep);
        true
    }
}

/// A step and the velocities it ends with.
struct Ended<'a> {
    s: &'a Solved<'a>,
    v_next: &'a [f64],
}

impl SolvedBlocks<f64> for Ended<'_> {
    fn count(&self) -> usize {
        self.s.posed.problem.len()
    }

    fn trees(&self, i: usize) -> impl Iterator<Item = usize> {
        self.s.posed.jacobian.trees_of(i)
    }

    fn acts(&self, i: usize) -> f64 {
        f64::from(self.s.impulses[self.s.posed.problem.range(i)].iter().any(|x| *x != 0.0))
    }

    fn opening(&self, i: usize) -> Option<Opening<f64>> {
        let (s, cone) = (self.s, self.s.posed.problem.cone(i));
        if !cone.opens() {
            return None;
        }
        let (block, row) = (&s.posed.blocks[i], s.posed.problem.range(i).start + cone.normal());
        let rate = |v: &[f64]| s.posed.jacobian.row_velocity(i, cone.normal(), v);
        let [last, before_last] = s.last.map(|x| x[row]);
        Some(Opening {
            contact: matches!(block.key, BlockKey::Contact(_)),
            rates: [rate(s.v), rate(self.v_next)],
            gap: block.bias.gap.max(0.0),
            bounces: f64::from(block.bias.after_bounce.is_some() && s.posed.choice().restitution > 0.0),
            new: f64::from(last == 0.0 || before_last == 0.0 || before_last == last),
            there: 1.0,
        })
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
/// The sum over a length Σ c q of (dof, c), which mostly is one dof.
#[inline(always)]
fn sum(along: &[(usize, f64)], of: impl Fn(usize, f64) -> f64) -> f64 {
    match along {
        &[(dof, c)] => of(dof, c),
        several => several.iter().map(|&(dof, c)| of(dof, c)).sum(),
    }
}

/// θ along Σ c q, its slope by 1/m, with the diagonal of M, and that by the gain.
pub(super) fn share_and_slope(along: &[(usize, f64)], gain: f64, mass: &MassMatrix) -> [f64; 3] {
    let moves = sum(along, |dof, c| c * c / mass.diagonal(dof));
    let theta = spring::share(Dual::<1>::variable(gain * moves, 0));
    [theta.value, theta.tangent[0] * gain, theta.tangent[0] * moves]
}
