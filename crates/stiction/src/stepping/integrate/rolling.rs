//! Trees that are posed in the middle of the step: [`super::Quadrature::Middle`].
//!
//! ```text
//!     (q_m, v⁻) = half a step of h/2 from (q, v)                                                (1)
//!     v⁺ = v⁻ + M⁻¹ (h f + Jᵀ λ),   M, f, J and gaps at q_m,   λ by the law at the end of the step   (2)
//!     (q⁺, v) = half a step of h/2 from (q_m, v⁺)                                               (3)
//! ```
//!
//! Free bodies go half a flight, which keeps momenta and energy, (2) of [`super::ballistic`]; joints go by their
//! velocities, with Coriolis forces of the mean velocity of the step. (2) gives nothing to what sticks and rolls. The
//! scheme is position Verlet, of second order; the law at the end is [`stiction_assembly::rolling`]. Trees that turn
//! too far are posed at the start of the step, and so is what contacts join to them.

use super::Quadrature;
use super::ballistic::{Body, flying_bodies};
use crate::params::HigherOrder;
use crate::state::{State, copy};
use crate::stepping::attempt::Step;
use std::ops::Range;
use stiction_assembly::laws::lasting::has_stopped;
use stiction_assembly::laws::spring;
use stiction_assembly::{ContactMotion, ContactPoint, Posed, Rolling, Slip, Start, WarmStart};
use stiction_dynamics::spatial::Vec3;
use stiction_dynamics::{Dual, Kinematics, MassMatrix, integrate_joints_into};
use stiction_world::World;

/// Bodies that turn farther in a step are posed at its start [rad].
pub(crate) const FAR: f64 = 0.5;
/// Changes of velocity that are none [m/s or rad/s].
pub(crate) const STILL: f64 = 1e-9;

/// The trees of a world, and which of them are posed in the middle of a step.
pub(crate) struct RollingBodies {
    bodies: Vec<Body>,
    /// Per tree, the index of its body; per geometry, its tree.
    body_of: Vec<Option<usize>>,
    tree_of: Vec<Option<usize>>,
    /// Joints of the trees that are no such bodies, and the tree of each range.
    joints: Vec<(usize, Range<usize>)>,
    dofs: Vec<(usize, Range<usize>)>,
    /// Of a dof.
    pub(crate) tree_of_dof: Vec<usize>,
    /// Per tree: it is posed in the middle of this step.
    pub(crate) on: Vec<bool>,
    any: bool,
    /// Per tree, the first of those that its contacts join it to.
    group: Vec<usize>,
    /// Per tree that is the first of its group, how many trees of the group move.
    size: Vec<usize>,
    pub(crate) slips: Slips,
    coulomb: bool,
    /// State (1); trees that are not posed there are at the start of the step.
    pub(crate) middle: State,
}

/// Slip of contacts in a step.
#[derive(Default)]
pub(crate) struct Slips {
    /// Per contact, what is known of it; empty: nothing.
    known: Vec<Slip>,
    /// Contacts that were known to slide, and of which the slip ends.
    pub(crate) slid: Vec<Slid>,
}

/// A contact of which the slip ends in a step: its slip before the impulses, and after those of a step in which it
/// slides on [m/s].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slid {
    pub(crate) block: usize,
    pub(crate) before: [f64; 2],
    pub(crate) after: [f64; 2],
}

impl Slips {
    /// Nothing is known of a new step.
    fn begin(&mut self) {
        self.known.clear();
        self.slid.clear();
    }

    /// Whether a first solve showed how the slip of the contact `block` goes on.
    pub(crate) fn is_known(&self, block: usize) -> bool {
        self.known.get(block).is_some_and(|slip| *slip != Slip::Unknown)
    }

    /// The slip of the contact `block` goes on so.
    pub(crate) fn know(&mut self, block: usize, slip: Slip) {
        self.known.resize(self.known.len().max(block + 1), Slip::Unknown);
        self.known[block] = slip;
    }
}

impl RollingBodies {
    pub(crate) fn new(world: &World, higher_order: HigherOrder) -> Self {
        let model = &world.model;
        let flying = flying_bodies(world, higher_order);
        let bodies: Vec<_> = flying.iter().map(|&b| Body::new(world, b)).collect();
        let tree = |body: Option<usize>| body.map(|b| model.bodies[b].tree);
        let mut body_of = vec![None; model.trees];
        bodies.iter().enumerate().for_each(|(i, b)| body_of[b.tree] = Some(i));
        let (mut joints, mut dofs) = (Vec::new(), Vec::new());
        for body in model.bodies.iter().filter(|b| body_of[b.tree].is_none()) {
            append(&mut joints, body.tree, body.joints.clone());
            append(&mut dofs, body.tree, body.dofs.clone());
        }
        Self {
            joints,
            dofs,
            tree_of_dof: model.dofs.iter().map(|d| model.bodies[d.body].tree).collect(),
            body_of,
            tree_of: world.geometries.iter().map(|g| tree(world.mount(g.link, g.X_LG).0)).collect(),
            on: vec![false; model.trees],
            any: false,
            group: vec![0; model.trees],
            size: vec![0; model.trees],
            slips: Slips::default(),
            coulomb: true,
            middle: State::neutral(model),
            bodies,
        }
    }

    /// Poses all trees in the middle of a step of h [s] but those that sleep and those that are to be posed `at_start`, with what
    /// their contacts join to them; false if no tree is.
    pub(crate) fn find(
        &mut self,
        step: &Step<'_>,
        warm: &WarmStart,
        [asleep, at_start]: [&[bool]; 2],
        coulomb: bool,
    ) -> bool {
        let Step { world, start: state, h, .. } = *step;
        self.give_up();
        self.coulomb = coulomb;
        self.slips.begin();
        for (tree, on) in self.on.iter_mut().enumerate() {
            let turns = |b: usize| self.bodies[b].turns(&state.v, h) < FAR;
            *on = !asleep[tree] && !at_start[tree] && self.body_of[tree].is_none_or(turns);
        }
        self.join(warm);
        let Self { on, group, size, .. } = self;
        let awake = |tree: &usize| !asleep[*tree];
        // What is joined to a tree that turns too far goes as it does.
        size.fill(0);
        (0..on.len()).filter(awake).filter(|tree| !on[*tree]).for_each(|tree| size[root(group, tree)] += 1);
        for tree in 0..on.len() {
            on[tree] &= size[root(group, tree)] == 0;
        }
        self.any = self.on.contains(&true);
        if self.any {
            copy(state, &mut self.middle);
            let Self { middle, on, bodies, joints, .. } = self;
            for body in bodies.iter().filter(|b| on[b.tree]) {
                body.fly(&mut middle.q, &mut middle.v, 0.5 * h);
            }
            for (_, joints) in joints.iter().filter(|(tree, _)| on[*tree]) {
                let (model, joints) = (&world.model, joints.clone());
                integrate_joints_into(model, joints, &state.q, &state.v, 0.5 * h, &mut middle.q);
            }
        }
        self.any
    }

    /// Groups the trees that loaded contacts join.
    fn join(&mut self, warm: &WarmStart) {
        let Self { tree_of, group, .. } = self;
        group.iter_mut().enumerate().for_each(|(t, g)| *g = t);
        for (geometries, _) in warm.loaded() {
            if let [Some(a), Some(b)] = geometries.map(|g| tree_of[g]) {
                let (a, b) = (root(group, a), root(group, b));
                group[a.max(b)] = a.min(b);
            }
        }
    }

    /// No tree is posed in the middle of this step.
    pub(crate) fn give_up(&mut self) {
        if self.any {
            self.on.fill(false);
            self.any = false;
        }
    }

    /// Whether a tree is posed in the middle of this step.
    pub(crate) fn any(&self) -> bool {
        self.any
    }

    /// For the rows of the step, which starts at `start`.
    pub(crate) fn rows<'a>(&'a self, start: Start<'a>) -> Option<Rolling<'a>> {
        self.any.then_some(Rolling { on: &self.on, slips: &self.slips.known, coulomb: self.coulomb, start })
    }

    /// `v`, or a copy in `out` that is zero for free bodies that are posed in the middle: their flights turn them.
    pub(crate) fn still_or<'a>(&self, v: &'a [f64], out: &'a mut [f64]) -> &'a [f64] {
        if !self.any {
            return v;
        }
        out.copy_from_slice(v);
        self.still_into(out);
        out
    }

    /// Sets the velocities of free bodies to zero: their flights turn them.
    pub(crate) fn still_into(&self, out: &mut [f64]) {
        for body in self.bodies.iter().filter(|b| self.on[b.tree]) {
            out[body.idx_v..body.idx_v + 6].fill(0.0);
        }
    }

    /// The body of a tree that is one.
    pub(crate) fn body(&self, tree: usize) -> Option<&Body> {
        self.body_of[tree].map(|b| &self.bodies[b])
    }

    /// Dofs of trees that are posed in the middle of the step and are no such bodies.
    pub(crate) fn dofs_of_joints(&self) -> impl Iterator<Item = usize> + '_ {
        self.dofs.iter().filter(|(tree, _)| self.on[*tree]).flat_map(|(_, dofs)| dofs.clone())
    }

    /// θ of a spring, damper or servo along Σ c q of (dof, c), with the gain h D + h² K: (5) of
    /// [`stiction_assembly::laws::spring`].
    pub(crate) fn share(&self, along: &[(usize, f64)], gain: f64, mass: &MassMatrix) -> f64 {
        self.moves(along, mass).map_or(1.0, |moves| spring::share(gain * moves))
    }

    /// θ of [`Self::share`], its slope by 1/m with the diagonal of M, and that by the gain.
    pub(crate) fn share_and_slope(&self, along: &[(usize, f64)], gain: f64, mass: &MassMatrix) -> [f64; 3] {
        let Some(moves) = self.moves(along, mass) else { return [1.0, 0.0, 0.0] };
        let theta = spring::share(Dual::<1>::variable(gain * moves, 0));
        [theta.value, theta.tangent[0] * gain, theta.tangent[0] * moves]
    }

    /// 1/m of (5) along Σ c q; `None` where a tree of these dofs is posed at the start of the step.
    fn moves(&self, along: &[(usize, f64)], mass: &MassMatrix) -> Option<f64> {
        let in_middle = along.iter().all(|&(dof, _)| self.on[self.tree_of_dof[dof]]);
        in_middle.then(|| along.iter().map(|&(dof, c)| c * c / mass.diagonal(dof)).sum())
    }

    /// True if contacts that slid stick: the step is to be solved again with that.
    pub(crate) fn sticks_now(&mut self, posed: &Posed, v_next: &[f64]) -> bool {
        let mut again = false;
        for contact in posed.rolling.iter().filter(|c| c.slides) {
            let ([x, y], after) = (contact.slip, posed.jacobian.velocity(contact.block, v_next));
            if has_stopped([x, y], [after.x, after.y]) {
                self.slips.know(contact.block, Slip::Sticks);
                self.slips.slid.push(Slid {
                    block: contact.block,
                    before: [x, y],
                    after: [after.x, after.y],
                });
                again = true;
            }
        }
        again
    }

    /// (3) from q_m, and what corrects positions by `correction` [m/s, rad/s], or nothing; joints go by `moving`.
    pub(crate) fn advance(
        &self,
        (world, middle): (&World, &State),
        [correction, moving]: [&[f64]; 2],
        h: f64,
        rules: &[Quadrature],
        q_next: &mut [f64],
        v_next: &mut [f64],
    ) {
        for (_, joints) in self.joints.iter().filter(|(tree, _)| rules[*tree] == Quadrature::Middle) {
            let (model, joints) = (&world.model, joints.clone());
            integrate_joints_into(model, joints, &middle.q, moving, 0.5 * h, q_next);
        }
        for body in self.bodies.iter().filter(|b| self.on[b.tree]) {
            body.start_from(&middle.q, q_next);
            body.fly(q_next, v_next, 0.5 * h);
            if !correction.is_empty() {
                body.push(q_next, correction, h);
            }
        }
    }

    /// How the bodies of a contact go on from a step of h [s] that led to `v_next`, `steps` being the number that it has lasted.
    pub(crate) fn motion(
        &self,
        (world, kin): (&World, &Kinematics),
        posed: &Posed,
        (block, contact): (usize, &ContactPoint),
        v_next: &[f64],
        (h, steps): (f64, u32),
    ) -> Option<ContactMotion> {
        if contact.spring.is_some() {
            return None;
        }
        let in_middle = |b: usize| self.on[world.model.bodies[b].tree];
        let since = if contact.bodies.into_iter().flatten().any(in_middle) { 0.5 * h } else { h };
        let u = posed.jacobian.velocity(block, v_next);
        let [t1, t2, n] = contact.dual_axes();
        let linear = if contact.friction > 0.0 { t1 * u.x + t2 * u.y + n * u.z } else { n * u.x };
        let spin = |body: Option<usize>| {
            let Some(b) = body else { return Vec3::ZERO };
            let body = &world.model.bodies[b];
            let chain = std::iter::successors(Some(body.dofs.end - 1), |&d| world.model.dofs[d].parent);
            chain.fold(Vec3::ZERO, |w, d| w + kin.S[d].angular * v_next[d])
        };
        let angular = spin(contact.bodies[1]) - spin(contact.bodies[0]);
        Some(ContactMotion { point: contact.position, velocity: [linear, angular], since, steps })
    }
}

/// Adds a range to those of the trees, to the last where it follows on that.
fn append(ranges: &mut Vec<(usize, Range<usize>)>, tree: usize, range: Range<usize>) {
    match ranges.last_mut().filter(|(of, last)| *of == tree && last.end == range.start) {
        Some((_, last)) => last.end = range.end,
        None => ranges.push((tree, range)),
    }
}

/// The first tree of the group of `tree`.
fn root(group: &[usize], mut tree: usize) -> usize {
    while group[tree] != tree {
        tree = group[tree];
    }
    tree
}
