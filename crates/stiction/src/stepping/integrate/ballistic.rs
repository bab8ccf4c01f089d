//! Motion of what no constraint acts upon during a step.
//!
//! Where the impulses on a tree are all zero, it goes on
//!
//! ```text
//!     a free body:  p_cm⁺ = p_cm + h (v_cm + v_cm⁺)/2        the parabola, exactly                   (1)
//!                   R⁺ = Q R exp(h (ω + ω⁺)/2)               second order                            (2)
//!     other trees:  second or fifth order, see [`super::free_tree`]                                    (3)
//! ```
//!
//! with Q the least turn that leaves the angular momentum where it was, R⁺ I ω⁺ = R I ω, where no moment acts (never more than the
//! body turns in the step): its size and the
//! energy are those of (5) of time stepping, kept to rounding. So they move if their only efforts are given ones, dampers, joint springs and servos on
//! single dofs ([`crate::HigherOrder`]), and their contacts and stops are open: by (3) a stiff servo may press into what a step of its
//! linearised force leaves; trees with tendons, loops, couplings, dry friction or carried weight
//! go by [`super::rolling`]. A free body on which nothing acts but
//! bounces, each after its share s of the step ([`stiction_assembly::laws::restitution`]), moves by (1) and (2) with the mean velocities
//!
//! ```text
//!     (v + v_f)/2 + M⁻¹ Σ (1 − s) Jᵀ λ                                                               (4)
//! ```
//!
//! so that the ball that falls on the plane is where the parabolas before and after the impact put it. On what is light
//! and is struck from both sides impulses cancel, but not once they are weighted: where (4) would change the velocity by
//! more than all of them do together, it is not taken.
//!
//! A free body that other constraint impulses act upon takes them at the start of the step, without its gyroscopic moment, and flies
//! from there with the velocity after them,
//!
//! ```text
//!     ω_k = ω⁺ − Δω(ω),   ω⁺ ← ω_k + Δω(ω_k),   p_cm⁺ = p_cm + h v_cm⁺,   R⁺ by (2) from ω_k to ω⁺         (5)
//! ```
//!
//! with Δω(ω) the change by the gyroscopic moment of a step from ω, (5) of time stepping. Equal and opposite impulses at one point, and
//! flights that keep R I ω, leave the angular momentum of what floats as it was. Bodies whose principal moments are equal ([`EQUAL`]) have
//! no such moment, and go by v⁺ as all else does: which rule it is depends on the body, and not on what rounding makes of its moment in
//! this step. Cost: nothing for trees that are held; a free body
//! some 100 operations.

use super::free_tree::FreeTree;
use super::{Quadrature, Touch, Unbound, bound_trees, tied_trees};
use crate::input::Input;
use crate::params::HigherOrder;
use crate::state::State;
use std::collections::BTreeSet;
use stiction_assembly::Posed;
use stiction_assembly::laws::gyroscopic::midpoint_moment;
use stiction_dynamics::spatial::{Inertia, Mat3, Quat, Sym3, Vec3, vec3};
use stiction_dynamics::{Factor, JointKind, MassMatrix, Model, Real};
use stiction_world::World;

/// (4) may be so many times the change of velocity that it is a part of [–].
const WHOLE: f64 = 1.01;

/// A free body alone in its tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    pub(crate) tree: usize,
    pub(crate) idx_q: usize,
    pub(crate) idx_v: usize,
    /// Centre of mass, body axes [m].
    p_BCm: Vec3,
    /// Inertia about it, body axes [kg·m²].
    I_Cm: Sym3,
}

/// Inertias that differ from those of a ball by no more than this share of their trace are such: no gyroscopic moment acts [–].
const EQUAL: f64 = 1e-12;
/// Angular momenta of which one is larger by more than this share differ: a moment acts [–].
const SAME: f64 = 1e-12;

fn bound_by(world: &World, higher_order: HigherOrder) -> BTreeSet<usize> {
    match higher_order {
        HigherOrder::Always => tied_trees(world),
        HigherOrder::Passive => bound_trees(world),
    }
}

/// Per tree, its first body and the number of its bodies.
fn roots(model: &Model) -> Vec<Option<(usize, usize)>> {
    let mut roots = vec![None; model.trees];
    for (b, body) in model.bodies.iter().enumerate() {
        roots[body.tree].get_or_insert((b, 0)).1 += 1;
    }
    roots
}

/// The bodies that move by (1), (2) and (5), in the order of their trees: alone on a free joint that has no damping, no armature and
/// nothing of [`bound_trees`].
pub(crate) fn flying_bodies(world: &World, higher_order: HigherOrder) -> Vec<usize> {
    let model = &world.model;
    let bound = bound_by(world, higher_order);
    let roots = roots(model);
    let flies = |tree: usize| {
        let (root, bodies) = roots[tree]?;
        let body = &model.bodies[root];
        let free = model.joints[body.joints.start].kind == JointKind::Free;
        let plain = model.dofs[body.dofs.clone()].iter().all(|d| d.damping == 0.0 && d.armature == 0.0);
        (free && plain && bodies == 1).then_some(root)
    };
    (0..model.trees).filter(|t| !bound.contains(t)).filter_map(flies).collect()
}

/// The free bodies and trees of a world, and how they move in this step.
pub(crate) struct Ballistic {
    bodies: Vec<Body>,
    trees: Vec<FreeTree>,
    /// Per tree, in this step.
    touch: Vec<Touch>,
    /// Per tree, whether a contact or stop of it is closed, even without an impulse.
    closed: Vec<bool>,
    /// Impulses of bounces times 1 − s, and the sum of (4).
    weighted: Vec<f64>,
    shift: Vec<f64>,
    /// Given efforts.
    pub(crate) applied: Vec<f64>,
}

impl Ballistic {
    pub(crate) fn new(world: &World, higher_order: HigherOrder) -> Self {
        let model = &world.model;
        let bound = bound_by(world, higher_order);
        let flying = flying_bodies(world, higher_order);
        let bodies: Vec<Body> = flying.iter().map(|&b| Body::new(world, b)).collect();
        let mut rest: Vec<bool> = (0..model.trees).map(|t| !bound.contains(&t)).collect();
        bodies.iter().for_each(|b| rest[b.tree] = false);
        let roots = roots(model);
        let rest = |tree: &usize| rest[*tree] && roots[*tree].is_some();
        let trees = (0..model.trees).filter(rest).map(|tree| FreeTree::new(world, tree)).collect();
        Self {
            bodies,
            trees,
            touch: vec![Touch::Nothing; model.trees],
            closed: vec![false; model.trees],
            weighted: Vec::new(),
            shift: vec![0.0; model.nv()],
            applied: vec![0.0; model.nv()],
        }
    }

    /// True when there are trees that need [`Self::applied`].
    pub(crate) fn has_trees(&self) -> bool {
        !self.trees.is_empty()
    }

    /// The free body that is a tree of its own, if it goes by (1), (2) and (5); and whether a moment was applied to it.
    pub(crate) fn body_of(&self, tree: usize) -> Option<(&Body, bool)> {
        let body = self.bodies.iter().find(|b| b.tree == tree)?;
        Some((body, self.applied[body.idx_v + 3..body.idx_v + 6].iter().any(|tau| *tau != 0.0)))
    }

    /// The tree of joints that goes by (3).
    pub(crate) fn tree_of(&self, tree: usize) -> Option<&FreeTree> {
        self.trees.iter().find(|t| t.number == tree)
    }

    /// The constraint impulses upon a tree in this step.
    pub(crate) fn touch(&self, tree: usize) -> Touch {
        self.touch[tree]
    }

    /// Finds what acts upon every tree, and (4); of those that sleep or whose positions are corrected `held` is true.
    pub(crate) fn find(
        &mut self,
        posed: &Posed,
        impulses: &[f64],
        factor: &Factor,
        held: impl Fn(usize) -> bool,
    ) {
        if self.bodies.is_empty() && self.trees.is_empty() {
            return;
        }
        for (tree, touch) in self.touch.iter_mut().enumerate() {
            *touch = if held(tree) { Touch::Holds } else { Touch::Nothing };
        }
        let Self { touch, closed, weighted, .. } = self;
        closed.fill(false);
        weighted.clear();
        let mut bounces = posed.bouncing().peekable();
        let bounced = bounces.peek().is_some();
        if bounced {
            weighted.resize(impulses.len(), 0.0);
        }
        for (block, rows_of) in posed.problem.row_start().windows(2).enumerate() {
            let left = bounces.next_if(|b| b.0 == block).map(|b| b.1);
            let range = rows_of[0]..rows_of[1];
            if impulses[range.clone()].iter().all(|x| *x == 0.0) {
                if posed.problem.cone(block).opens() && posed.blocks[block].bias.gap <= 0.0 {
                    posed.jacobian.trees_of(block).for_each(|tree| closed[tree] = true);
                }
                continue;
            }
            let what = if left.is_some() { Touch::Bounces } else { Touch::Holds };
            for tree in posed.jacobian.trees_of(block) {
                touch[tree] = touch[tree].max(what);
            }
            if let Some(left) = left {
                range.for_each(|r| weighted[r] = left * impulses[r]);
            }
        }
        if bounced {
            self.shift.fill(0.0);
            posed.jacobian.add_impulses_into(posed.problem.row_start(), weighted, &mut self.shift);
            factor.solve_in_place(&mut self.shift);
        }
    }

    /// Per tree, what it is where nothing binds it; `None` of bound trees, of bodies on which (4) would be more than all
    /// impulses do, and of trees for which (3) is not accurate. `mass` is M̂.
    pub(crate) fn unbound_into(
        &mut self,
        (state, input): (&State, &Input),
        mass: &MassMatrix,
        h: f64,
        [v_free, v_next]: [&[f64]; 2],
        out: &mut [Option<Unbound>],
    ) {
        out.fill(None);
        for body in &self.bodies {
            let crushed =
                self.touch[body.tree] == Touch::Bounces && body.is_crushed(&self.shift, v_free, v_next);
            out[body.tree] = (!crushed).then_some(Unbound::Body);
        }
        let free = |t: &&mut FreeTree| self.touch[t.number] == Touch::Nothing && !self.closed[t.number];
        for tree in self.trees.iter_mut().filter(free) {
            let found = tree.find(state, (&self.applied, input), mass, h);
            out[tree.number] = found.then_some(Unbound::Tree);
        }
    }

    /// Overwrites the next state of the trees whose rule is ballistic or of higher order.
    pub(crate) fn advance(
        &self,
        state: &State,
        v_free: &[f64],
        h: f64,
        rules: &[Quadrature],
        q_next: &mut [f64],
        v_next: &mut [f64],
    ) {
        for body in self.bodies.iter().filter(|b| rules[b.tree] == Quadrature::Ballistic) {
            let shift = (self.touch[body.tree] == Touch::Bounces).then_some(&self.shift[..]);
            let turned = self.applied[body.idx_v + 3..body.idx_v + 6].iter().any(|tau| *tau != 0.0);
            body.advance(state, v_free, (shift, turned), h, q_next, v_next);
        }
        for tree in self.moved_by(rules) {
            tree.advance(q_next, v_next);
        }
    }

    /// (5) of bodies whose rule is backward; `correction` holds the velocities that undo position errors, or nothing.
    pub(crate) fn fly_after_impulses(
        &self,
        state: &State,
        correction: &[f64],
        h: f64,
        rules: &[Quadrature],
        q_next: &mut [f64],
        v_next: &mut [f64],
    ) {
        for body in self.bodies.iter().filter(|b| rules[b.tree] == Quadrature::Backward) {
            body.fly_after_impulses(state, correction, h, q_next, v_next);
        }
    }

    /// Puts the mean efforts of servos in a step by (3) into their places.
    pub(crate) fn efforts_into(&self, rules: &[Quadrature], out: &mut [f64]) {
        self.moved_by(rules).for_each(|tree| tree.efforts_into(out));
    }

    fn moved_by<'a>(&'a self, rules: &'a [Quadrature]) -> impl Iterator<Item = &'a FreeTree> {
        self.trees.iter().filter(|t| rules[t.number] == Quadrature::HigherOrder)
    }
}

impl Body {
    /// Body `b`, which is free and alone in its tree.
    pub(crate) fn new(world: &World, b: usize) -> Self {
        let body = &world.model.bodies[b];
        let joint = &world.model.joints[body.joints.start];
        let none = Self {
            tree: body.tree,
            idx_q: joint.idx_q,
            idx_v: joint.idx_v,
            p_BCm: Vec3::ZERO,
            I_Cm: Sym3::default(),
        };
        none.with_inertia(&body.inertia)
    }

    /// The body with another inertia, in body axes about its origin.
    pub(crate) fn with_inertia(self, inertia: &Inertia) -> Self {
        let p_BCm = inertia.com();
        Self { p_BCm, I_Cm: inertia.second - Sym3::point_mass(p_BCm, inertia.mass), ..self }
    }

    /// Moves the body for t [s] without weight: the centre of mass straight on, turning by (2).
    pub(crate) fn fly(&self, q: &mut [f64], v: &mut [f64], t: f64) {
        let q = &mut q[self.idx_q..self.idx_q + 7];
        let v = &mut v[self.idx_v..self.idx_v + 6];
        let [q_next, v_next] = self.flight([q, v], t);
        q.copy_from_slice(&q_next);
        v.copy_from_slice(&v_next[..6]);
    }

    /// Where [`Self::fly`] leads from q and v: q of seven numbers and v of six, each in seven places.
    #[inline]
    pub(crate) fn flight<T: Real>(&self, [q, v]: [&[T]; 2], t: T) -> [[T; 7]; 2] {
        let (c, of) = (self.p_BCm.cast(t), |v: &[T], i: usize| vec3(v[i], v[i + 1], v[i + 2]));
        let R = Quat { w: q[3], x: q[4], y: q[5], z: q[6] };
        let w = of(v, 3);
        let flight = after_impulses(&self.I_Cm, Vec3::zero(t), w, t);
        let Flight { w_next, turn } = flight.unwrap_or_else(|| Flight { w_next: w, turn: Quat::exp(w * t) });
        let v_cm = of(v, 0) + R.rotate(w.cross(c));
        let R_next = (R * turn).renormalized();
        let p = of(q, 0) + R.rotate(c) + v_cm * t - R_next.rotate(c);
        numbers(p, R_next, v_cm - R_next.rotate(w_next.cross(c)), w_next)
    }

    /// How far it turns in t [rad].
    pub(crate) fn turns(&self, v: &[f64], t: f64) -> f64 {
        let i = self.idx_v + 3;
        t * vec3(v[i], v[i + 1], v[i + 2]).norm()
    }

    /// Writes the pose that it has in `q`.
    pub(crate) fn start_from(&self, q: &[f64], out: &mut [f64]) {
        out[self.idx_q..self.idx_q + 7].copy_from_slice(&q[self.idx_q..self.idx_q + 7]);
    }

    /// Moves the body by constant velocities for t [s], [push, turn] of its origin in the world and in body axes.
    pub(crate) fn push(&self, q: &mut [f64], v: &[f64], t: f64) {
        let q = &mut q[self.idx_q..self.idx_q + 7];
        let v = &v[self.idx_v..self.idx_v + 6];
        let R = Quat::new(q[3], q[4], q[5], q[6]) * Quat::exp(vec3(v[3], v[4], v[5]) * t);
        let R = R.renormalized();
        (0..3).for_each(|k| q[k] += t * v[k]);
        q[3..].copy_from_slice(&[R.w, R.x, R.y, R.z]);
    }

    /// True if bounces cancel on it that (4) would tear apart.
    fn is_crushed(&self, shift: &[f64], v_free: &[f64], v_next: &[f64]) -> bool {
        let size = |x: &dyn Fn(usize) -> f64| (self.idx_v..self.idx_v + 6).map(|i| x(i).powi(2)).sum::<f64>();
        size(&|i| shift[i]) > WHOLE * size(&|i| v_next[i] - v_free[i])
    }

    /// Moves the body by (5).
    fn fly_after_impulses(
        &self,
        state: &State,
        correction: &[f64],
        h: f64,
        q_next: &mut [f64],
        v_next: &mut [f64],
    ) {
        let (i, k) = (self.idx_v, self.idx_q);
        let correction = correction.get(i..i + 6).unwrap_or(&[]);
        let start = [&state.q[k..k + 7], &state.v[i..i + 6]];
        if let Some([q, v]) = self.flown(start, &v_next[i..i + 6], correction, h) {
            q_next[k..k + 7].copy_from_slice(&q);
            v_next[i..i + 6].copy_from_slice(&v[..6]);
        }
    }

    /// Where (5) leads from `start`, its q and v, where the problem gave it the velocities `v_problem`: q⁺ of seven numbers and v⁺ of six,
    /// each in seven places. `correction` holds six velocities or none. `None` of a body with equal moments of inertia, and of one that neither
    /// turns nor is turned, which the plain rule leads to the same place.
    pub(crate) fn flown<T: Real>(
        &self,
        [q, v]: [&[T]; 2],
        v_problem: &[T],
        correction: &[T],
        h: T,
    ) -> Option<[[T; 7]; 2]> {
        let c = self.p_BCm.cast(h);
        let of = |v: &[T], i: usize| vec3(v[i], v[i + 1], v[i + 2]);
        let (w, w_problem) = (of(v, 3), of(v_problem, 3));
        let [push, turn] = match correction {
            [] => [Vec3::zero(h); 2],
            some => [of(some, 0), of(some, 3)],
        };
        let zero = h.zero();
        let still = |w: Vec3<T>| {
            let none = |x: T| T::all(x.abs().at_most(zero));
            none(w.x) && none(w.y) && none(w.z)
        };
        if still(w) && still(w_problem) && still(turn) {
            return None;
        }
        let flight = after_impulses(&self.I_Cm, w, w_problem, h)?;
        let R = Quat { w: q[3], x: q[4], y: q[5], z: q[6] };
        let R_next = (R * flight.turn * Quat::exp(turn * h)).renormalized();
        let v_cm = flight.v_cm(c, R.to_matrix(), [w, w_problem], of(v_problem, 0), h);
        let w_next = flight.w_next;
        let p = of(q, 0) + R.rotate(c) + (v_cm + push + R.rotate(turn.cross(c))) * h - R_next.rotate(c);
        let v = v_cm - R_next.rotate(w_next.cross(c));
        Some(numbers(p, R_next, v, w_next))
    }

    /// (1), (2), (4); of what is `turned` a moment acts on the body.
    fn advance(
        &self,
        state: &State,
        v_free: &[f64],
        (shift, turned): (Option<&[f64]>, bool),
        h: f64,
        q_next: &mut [f64],
        v_next: &mut [f64],
    ) {
        let (i, k) = (self.idx_v, self.idx_q);
        let start = [&state.q[k..k + 7], &state.v[i..i + 6]];
        let of_step = [&v_free[i..i + 6], &v_next[i..i + 6]];
        let shift = shift.map(|s| &s[i..i + 6]);
        let [q, v] = self.parabola(start, of_step, (shift, turned), h);
        if self.p_BCm != Vec3::ZERO {
            v_next[i..i + 3].copy_from_slice(&v[..3]);
        }
        q_next[k..k + 7].copy_from_slice(&q);
    }

    /// Where (1), (2) and (4) lead from `start`, its q and v, with v_f and v⁺ of the problem: q⁺ of seven numbers and v⁺ of six, each in
    /// seven places.
    pub(crate) fn parabola<T: Real>(
        &self,
        [q, v]: [&[T]; 2],
        [v_free, v_next]: [&[T]; 2],
        (shift, turned): (Option<&[T]>, bool),
        h: T,
    ) -> [[T; 7]; 2] {
        let (c, half) = (self.p_BCm.cast(h), h.like(0.5));
        let linear = |v: &[T]| vec3(v[0], v[1], v[2]);
        let angular = |v: &[T]| vec3(v[3], v[4], v[5]);
        let R = Quat { w: q[3], x: q[4], y: q[5], z: q[6] };
        let (w, w_free) = (angular(v), angular(v_free));
        let mean = |a: Vec3<T>, b: Vec3<T>| a + (b - a) * half;
        let none = Vec3::zero(h);
        let spin = mean(w, w_free) + shift.map_or(none, angular);
        let mut R_next = (R * Quat::exp(spin * h)).renormalized();
        if shift.is_none() && !turned {
            let I = self.I_Cm.cast(h);
            let [before, after] = [R.rotate(I * w), R_next.rotate(I * angular(v_next))];
            R_next = (least_turn([before, after], spin.norm() * h) * R_next).renormalized();
        }
        let drift = mean(linear(v), linear(v_free)) + shift.map_or(none, linear);
        let mut p = linear(q) + drift * h;
        let mut v = linear(v_next);
        if self.p_BCm != Vec3::ZERO {
            // The centre of mass: what its origin and turning about it do, and what bends the way of the origin.
            let bend = R.rotate(w.cross(w.cross(c))) * h;
            p += R.rotate(c) + (R.rotate(spin.cross(c)) + bend * half) * h - R_next.rotate(c);
            let w_next = angular(v_next);
            v = v + R.rotate(w_next.cross(c)) + bend - R_next.rotate(w_next.cross(c));
        }
        numbers(p, R_next, v, angular(v_next))
    }
}

/// A pose, and velocities in six of seven places.
fn numbers<T: Real>(p: Vec3<T>, R: Quat<T>, v: Vec3<T>, w: Vec3<T>) -> [[T; 7]; 2] {
    [[p.x, p.y, p.z, R.w, R.x, R.y, R.z], [v.x, v.y, v.z, w.x, w.y, w.z, w.x.zero()]]
}

/// Q of (2): the least turn of the angular momentum `after` into that `before`, if they are of one length and lie no farther apart than
/// the body turns in the step [rad]. Farther apart are momenta that are rounding alone, whose directions mean nothing.
fn least_turn<T: Real>([before, after]: [Vec3<T>; 2], turn: T) -> Quat<T> {
    let [a, b] = [before.norm(), after.norm()];
    let one = a.one();
    let none = Quat::identity(one);
    if !T::all(T::both(one.zero().less(a), (a - b).abs().at_most(a.like(SAME) * a))) {
        return none;
    }
    let (from, to) = (after * (one / b), before * (one / a));
    let axis = from.cross(to);
    if !T::all(T::both(one.zero().less(from.dot(to)), axis.norm().at_most(turn))) {
        return none;
    }
    Quat { w: one + from.dot(to), x: axis.x, y: axis.y, z: axis.z }.renormalized()
}

/// How a body turns after the impulses of a step: (5), in body axes.
pub(crate) struct Flight<T = f64> {
    /// ω⁺ [rad/s].
    pub(crate) w_next: Vec3<T>,
    /// Rotation from the start of the step to its end.
    pub(crate) turn: Quat<T>,
}

impl<T: Real> Flight<T> {
    /// The velocity of the centre of mass at `c` in body axes after the impulses, where the origin of the body that stood at `R` was to
    /// have `v_problem`; angular velocities at the start and at the end of the problem.
    fn v_cm(
        &self,
        c: Vec3<T>,
        R: Mat3<T>,
        [w, w_problem]: [Vec3<T>; 2],
        v_problem: Vec3<T>,
        h: T,
    ) -> Vec3<T> {
        v_problem + R * (w_problem.cross(c)) + R * w.cross(w.cross(c)) * h
    }
}

/// Whether all moments of inertia are equal.
fn is_of_a_ball(I: &Sym3) -> bool {
    let trace = I.xx + I.yy + I.zz;
    let apart = [I.xx - trace / 3.0, I.yy - trace / 3.0, I.zz - trace / 3.0, I.xy, I.xz, I.yz];
    apart.iter().all(|x| x.abs() <= EQUAL * trace)
}

/// The turn of (5) of a body with inertia `I_Cm` about its centre of mass, of which the step was posed from `w` and led to `w_problem`;
/// `None` of a body with equal moments of inertia.
pub(crate) fn after_impulses<T: Real>(
    I_Cm: &Sym3,
    w: Vec3<T>,
    w_problem: Vec3<T>,
    h: T,
) -> Option<Flight<T>> {
    if is_of_a_ball(I_Cm) {
        return None;
    }
    let I = I_Cm.cast(h);
    let inverse = I_Cm.to_mat3().inverse()?;
    let inverse = Mat3 { rows: inverse.rows.map(|r| r.cast(h)) };
    let gyration = |w: Vec3<T>| inverse * (w.cross(I * w) + midpoint_moment(&I, w, h)) * -h;
    let w_kick = w_problem - gyration(w);
    let w_next = w_kick + gyration(w_kick);
    let turned = (w_kick + w_next) * (h.like(0.5) * h);
    let turn = Quat::exp(turned);
    let kept = least_turn([I * w_kick, turn.rotate(I * w_next)], turned.norm());
    Some(Flight { w_next, turn: (kept * turn).renormalized() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A momentum that turned by no more than the body did is turned back; momenta of rounding that happen to be of one length, opposite ones
    /// among them, turn nothing.
    #[test]
    fn only_momenta_that_lie_near_each_other_are_turned_into_each_other() {
        let (before, axis) = (vec3(0.3, -1.2, 0.7), vec3(0.2, 0.5, -0.1));
        let after = Quat::exp(axis * 1e-3).rotate(before);
        let back = least_turn([before, after], axis.norm() * 1e-3).rotate(after);
        assert!((back - before).norm() <= 1e-15, "{back:?}");
        for tiny in [-before * 1e-22, vec3(-1.2, 0.3, 0.7) * 1e-22] {
            let turn = least_turn([before * 1e-22, tiny], 1e-25);
            assert_eq!([turn.w, turn.x, turn.y, turn.z], [1.0, 0.0, 0.0, 0.0]);
        }
    }
}
