//! Rows of the constraint problem, in lanes: (1)–(5) of [`stiction_assembly`], and servos at their limits.
//!
//! Along the chains of the tree, with M̂ = LᵀDL,
//!
//! ```text
//!     W = J L⁻¹,   G = W D⁻¹ Wᵀ,   v⁺ = v_f + L⁻¹ D⁻¹ Wᵀ λ                    (1)
//! ```
//!
//! A row that is missing in a lane is there all the same, with an impulse of zero.

use super::bias::{bounce, face_bias};
use super::free::Free;
use super::lane::{mask, max, truth};
use super::numbers::Numbers;
use super::plan::{Acting, Pair, Plan};
use super::touch::Slot;
use crate::stepping::integrate::midpoint::NEAR;
use stiction_assembly::contact_points::LEAST;
use stiction_dynamics::spatial::Vec3;
use stiction_dynamics::{Factor, Kinematics, Model, Real};
use stiction_solvers::lanes::{LaneCone, LaneProblem};

/// Rows beyond which lanes are solved one after another, and a single one not in lanes at all.
pub(super) const MOST_ROWS: usize = 60;

/// What a block of rows belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Contact { slot: usize },
    Limit { joint: usize, side: usize },
    Dry { dof: usize },
    Coupling { index: usize },
    Servo { actuator: usize },
    Pull { tendon: usize },
    Stop { tendon: usize, side: usize },
    Drag { tendon: usize },
}

/// One block: three rows of a contact (t₁, t₂, n), more where it resists spinning (n) and rolling (t₁, t₂), or one.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) key: Key,
    /// Its first row.
    pub(super) row: usize,
    pub(super) dim: usize,
    /// Its first part, of the rows up to the third; a second follows where there are more.
    part: usize,
}

impl Block {
    /// The row along the normal, or the only one.
    #[inline(always)]
    pub(super) fn normal(&self) -> usize {
        self.row + if self.dim == 1 { 0 } else { 2 }
    }
}

/// Three rows of a block, or one.
#[derive(Clone, Copy)]
struct Part {
    row: usize,
    dim: usize,
    /// Its first number in W, and its dofs in `supports`.
    w: usize,
    support: (usize, usize),
}

/// The constraint problem of as many environments as there are lanes.
pub(super) struct Rows<T> {
    pub(super) blocks: Vec<Block>,
    pub(super) cones: Vec<LaneCone<T>>,
    parts: Vec<Part>,
    /// G + R, dense, by rows.
    pub(super) G: Vec<T>,
    /// g.
    pub(super) g: Vec<T>,
    pub(super) rows: usize,
    /// Dofs of all parts.
    pub(super) supports: Vec<usize>,
    /// Per dof of a part, the numbers of its rows.
    pub(super) W: Vec<T>,
    /// R of the normal row, per block.
    compliance: Vec<T>,
    /// φ/h where φ > 0, per block.
    pub(super) gaps: Vec<T>,
    /// 1 where a contact bounces, per block.
    pub(super) bounces: Vec<T>,
    /// 1 where an overlap is to be taken out of the positions alone, which lanes do not do.
    pub(super) deep: T,
    /// Per tree, 1 where something holds it.
    held: Vec<T>,
    /// One part of W D⁻¹, spread over the dofs; zero between calls.
    spread: Vec<T>,
}

impl<T: Real> Rows<T> {
    pub(super) fn new(kind: T, nv: usize) -> Self {
        Self {
            blocks: Vec::new(),
            cones: Vec::new(),
            parts: Vec::new(),
            G: Vec::new(),
            g: Vec::new(),
            rows: 0,
            supports: Vec::new(),
            W: Vec::new(),
            compliance: Vec::new(),
            gaps: Vec::new(),
            bounces: Vec::new(),
            deep: kind,
            held: Vec::new(),
            spread: vec![kind; 3 * nv],
        }
    }

    /// All rows; those of `slots` first.
    #[inline(always)]
    pub(super) fn write(
        &mut self,
        plan: &Plan,
        numbers: &Numbers<T>,
        free: &Free<T>,
        [q, v]: [&[T]; 2],
        slots: &[Slot<T>],
        sound: T,
    ) {
        self.clear();
        self.deep = sound.zero();
        for (index, slot) in slots.iter().enumerate() {
            self.push_contact(plan, numbers, free, v, index, slot);
        }
        self.push_limits(plan, free, [q, v], sound);
        self.push_dry_friction(plan, numbers, free, sound);
        self.push_couplings(plan, free, q, sound);
        for (i, a) in plan.world.actuators.iter().enumerate() {
            if let Some(s) = free.servo_row(plan, numbers, i, v) {
                let cone = LaneCone::row(s.bounds, s.there * sound);
                let key = Key::Servo { actuator: i };
                self.gaps.push(s.g.zero());
                let numbers = [s.g, s.compliance];
                match a.transmission[..] {
                    [only] => self.push_scalar(plan, free, key, only, numbers, cone),
                    _ => self.push_line(free, key, (&plan.pulls[i], 1.0), numbers, cone),
                }
            }
        }
        self.push_tendons(plan, free, [q, v], sound);
        self.form(free);
    }

    #[inline(always)]
    fn clear(&mut self) {
        self.blocks.clear();
        self.cones.clear();
        self.parts.clear();
        self.g.clear();
        self.supports.clear();
        self.W.clear();
        self.compliance.clear();
        self.gaps.clear();
        self.bounces.clear();
        self.rows = 0;
    }

    #[inline(always)]
    fn push_contact(
        &mut self,
        plan: &Plan,
        numbers: &Numbers<T>,
        free: &Free<T>,
        v: &[T],
        index: usize,
        slot: &Slot<T>,
    ) {
        let (pair, surface) = (&plan.pairs[slot.pair], &numbers.surfaces[slot.pair]);
        let (kin, first) = (&free.kin, self.W.len());
        let [t1, t2, n] = slot.frame;
        let (begin, trees) = (self.supports.len(), &numbers.model);
        for acting in &pair.support {
            let u = column(kin, slot.position, acting);
            self.supports.push(acting.dof);
            self.W.push(t1.dot(u));
            self.W.push(t2.dot(u));
            self.W.push(n.dot(u));
        }
        let support = (begin, self.supports.len());
        // J v_f, by the velocities of the bodies.
        let u = point(trees, free, slot.position, pair.bodies[1])
            - point(trees, free, slot.position, pair.bodies[0]);
        let mut g = [t1.dot(u), t2.dot(u), n.dot(u)];
        let h = slot.gap.like(plan.h());
        let mut bounces = h.zero();
        let (bias, compliance) = match pair.spring {
            Some(spring) => {
                // (3') of the assembly.
                let depth = max(-slot.gap, h.zero());
                let over = T::not(h.zero().less(slot.gap));
                let slow = h + h.like(spring.relaxation) + h.like(spring.dissipation) * depth;
                let time = T::select(over, slow, h);
                (slot.gap / time, h.one() / (h * h.like(spring.stiffness) * time))
            }
            None => {
                let mut bias = face_bias(plan, slot);
                self.note_depth(plan, bias, slot.active);
                bias = max(bias, h.zero());
                if T::any(h.zero().less(surface.restitution)) {
                    let mut before = h.zero();
                    for (k, acting) in pair.support.iter().enumerate() {
                        before += self.W[first + 3 * k + 2] * v[acting.dof];
                    }
                    let distances = [slot.gap, slot.gap.like(pair.bounce_depth)];
                    let speeds = [before, g[2]];
                    (bias, bounces) = bounce(plan, numbers, distances, speeds, surface.restitution, bias);
                }
                (bias, h.zero())
            }
        };
        g[2] += bias;
        self.gaps.push(max(bias, h.zero()));
        let (row, part) = (self.rows, self.parts.len());
        let mut friction = surface.friction;
        self.compliance.push(compliance);
        self.bounces.push(bounces);
        for g in g {
            self.g.push(g);
        }
        self.rows += 3;
        let tip = if pair.chain { Some(pair.support[0].dof) } else { None };
        self.parts.push(Part { row, dim: 3, w: first, support });
        self.halve::<3>(&free.factor, tip, first, support);
        if let Some(turning) = pair.turning {
            friction = max(friction, h.like(LEAST));
            let turns = turns(turning, slot.frame, friction);
            if turning[1] > 0.0 {
                self.push_turning::<3>(free, pair, turns, tip);
            } else {
                self.push_turning::<1>(free, pair, [turns[0]], tip);
            }
        }
        let dim = self.rows - row;
        self.blocks.push(Block { key: Key::Contact { slot: index }, row, dim, part });
        self.cones.push(LaneCone::contact(dim, friction, slot.active));
    }

    /// The rows of a contact that resist turning.
    #[inline(always)]
    fn push_turning<const D: usize>(
        &mut self,
        free: &Free<T>,
        pair: &Pair,
        turns: [Vec3<T>; D],
        tip: Option<usize>,
    ) {
        let (kin, first, begin) = (&free.kin, self.W.len(), self.supports.len());
        for acting in &pair.support {
            let spin = kin.S[acting.dof].angular * turns[0].x.like(acting.sign);
            self.supports.push(acting.dof);
            for turn in turns {
                self.W.push(turn.dot(spin));
            }
        }
        let mut spin = Vec3::zero(turns[0].x);
        if let Some(b) = pair.bodies[1] {
            spin += free.vel.V[b].angular;
        }
        if let Some(b) = pair.bodies[0] {
            spin -= free.vel.V[b].angular;
        }
        for turn in turns {
            self.g.push(turn.dot(spin));
        }
        let support = (begin, self.supports.len());
        self.parts.push(Part { row: self.rows, dim: D, w: first, support });
        self.rows += D;
        self.halve::<D>(&free.factor, tip, first, support);
    }

    /// Notes a row that is `active` and whose position error would be undone at the rate −`bias`: lanes correct no positions.
    #[inline(always)]
    pub(super) fn note_depth(&mut self, plan: &Plan, bias: T, active: T) {
        let some = bias.like(plan.coarser() * CORRECTED);
        self.deep = max(self.deep, active * truth(bias, some.less(-bias)));
    }

    /// A row whose J is written.
    #[inline(always)]
    pub(super) fn push_row(
        &mut self,
        free: &Free<T>,
        key: Key,
        (first, support, tip): (usize, (usize, usize), Option<usize>),
        [g, compliance]: [T; 2],
        cone: LaneCone<T>,
    ) {
        self.blocks.push(Block { key, row: self.rows, dim: 1, part: self.parts.len() });
        self.parts.push(Part { row: self.rows, dim: 1, w: first, support });
        self.cones.push(cone);
        self.compliance.push(compliance);
        self.bounces.push(g.zero());
        self.g.push(g);
        self.rows += 1;
        self.halve::<1>(&free.factor, tip, first, support);
    }

    /// J becomes W on one part of `D` rows.
    #[inline(always)]
    fn halve<const D: usize>(
        &mut self,
        factor: &Factor<T>,
        tip: Option<usize>,
        first: usize,
        (begin, end): (usize, usize),
    ) {
        let dofs = &self.supports[begin..end];
        if tip.is_some() {
            let W = &mut self.W[first..first + D * dofs.len()];
            for (t, dof) in dofs.iter().enumerate() {
                let L = &factor.row(*dof)[1..];
                let (head, tail) = W.split_at_mut(D * (t + 1));
                let head = &head[D * t..];
                for (w, L) in tail.chunks_exact_mut(D).zip(L) {
                    for k in 0..D {
                        w[k] -= head[k] * *L;
                    }
                }
            }
            return;
        }
        let (W, spread) = (&mut self.W[first..], &mut self.spread);
        for (t, dof) in dofs.iter().enumerate() {
            spread[D * dof..D * dof + D].copy_from_slice(&W[D * t..D * t + D]);
        }
        for dof in dofs {
            for (L, j) in factor.row(*dof).iter().zip(factor.columns(*dof)).skip(1) {
                for k in 0..D {
                    let x = spread[D * dof + k];
                    spread[D * *j as usize + k] -= x * *L;
                }
            }
        }
        for (t, dof) in dofs.iter().enumerate() {
            for k in 0..D {
                W[D * t + k] = spread[D * dof + k];
                spread[D * dof + k] = W[0].zero();
            }
        }
    }

    /// G + R of (1).
    #[inline(always)]
    fn form(&mut self, free: &Free<T>) {
        let n = self.rows;
        self.G.clear();
        let Some(kind) = self.g.first().map(|g| g.zero()) else { return };
        self.G.resize(n * n, kind);
        for i in 0..self.parts.len() {
            let part = self.parts[i];
            let inverse = free.factor.inverse_diagonal();
            for (t, dof) in self.supports[part.support.0..part.support.1].iter().enumerate() {
                for k in 0..part.dim {
                    self.spread[3 * dof + k] = self.W[part.w + part.dim * t + k] * inverse[*dof];
                }
            }
            for j in 0..=i {
                let other = self.parts[j];
                match (part.dim, other.dim) {
                    (3, 3) => self.product::<3, 3>(&part, &other),
                    (3, _) => self.product::<3, 1>(&part, &other),
                    (_, 3) => self.product::<1, 3>(&part, &other),
                    _ => self.product::<1, 1>(&part, &other),
                }
            }
            for dof in &self.supports[part.support.0..part.support.1] {
                for k in 0..part.dim {
                    self.spread[3 * dof + k] = kind;
                }
            }
        }
        for (block, compliance) in self.blocks.iter().zip(&self.compliance) {
            let normal = block.normal();
            self.G[normal * n + normal] += *compliance;
        }
    }

    /// What there is to be solved.
    #[inline(always)]
    pub(super) fn problem(&self) -> LaneProblem<'_, T> {
        LaneProblem { cones: &self.cones, A: &self.G, g: &self.g }
    }

    /// The blocks (i, j) and (j, i) of G; i is spread.
    #[inline(always)]
    fn product<const A: usize, const B: usize>(&mut self, i: &Part, j: &Part) {
        let zero = self.g[0].zero();
        let mut sum = [[zero; B]; A];
        let W = &self.W[j.w..];
        for (dof, w) in self.supports[j.support.0..j.support.1].iter().zip(W.chunks_exact(B)) {
            let x = &self.spread[3 * dof..3 * dof + A];
            for a in 0..A {
                for b in 0..B {
                    sum[a][b] += x[a] * w[b];
                }
            }
        }
        let n = self.rows;
        for (a, sum) in sum.iter().enumerate() {
            for (b, x) in sum.iter().enumerate() {
                self.G[(i.row + a) * n + j.row + b] = *x;
                self.G[(j.row + b) * n + i.row + a] = *x;
            }
        }
    }

    /// 1 where some tree that would fly is held by nothing.
    #[inline(always)]
    pub(super) fn flies(&mut self, plan: &Plan, lambda: &[T], kind: T) -> T {
        let mut flies = kind.zero();
        if plan.flyers.is_empty() {
            return flies;
        }
        self.held.clear();
        self.held.resize(plan.world.model.trees, kind.zero());
        for i in 0..self.blocks.len() {
            let holds = T::select(mask(self.bounces[i]), kind.zero(), self.holds(i, lambda));
            for tree in self.trees(plan, i) {
                self.held[tree] = max(self.held[tree], holds);
            }
        }
        for tree in &plan.flyers {
            flies = T::select(mask(self.held[*tree]), flies, kind.one());
        }
        flies
    }

    /// 1 where a free body moves on what it touches and nothing else touches it: it rolls, which is done alone
    /// ([`crate::stepping::integrate::rolling`]). After [`Self::flies`].
    #[inline(always)]
    pub(super) fn rolls(&self, plan: &Plan, lambda: &[T], v: &[T], kind: T) -> T {
        let mut rolls = kind.zero();
        let half = 0.5 * plan.h();
        for &b in &plan.flying_bodies {
            let body = &plan.world.model.bodies[b];
            let mut moves = kind.zero();
            for v in &v[body.dofs.clone()] {
                moves = max(moves, (kind.like(half) * *v).abs());
            }
            let moves = T::both(mask(self.held[body.tree]), kind.like(NEAR).less(moves));
            if !T::any(moves) {
                continue;
            }
            let mut company = kind.zero();
            for i in 0..self.blocks.len() {
                let trees = self.trees(plan, i);
                if trees.contains(&body.tree) && trees.iter().any(|t| !plan.flies_alone[*t]) {
                    company = max(company, self.holds(i, lambda));
                }
            }
            rolls = T::select(T::both(moves, T::not(mask(company))), kind.one(), rolls);
        }
        rolls
    }

    /// 1 where something bounces: its impact is at an instant of its own, which the step alone finds.
    #[inline(always)]
    pub(super) fn bounce(&self, lambda: &[T], kind: T) -> T {
        let mut bounce = kind.zero();
        for i in 0..self.blocks.len() {
            if T::any(mask(self.bounces[i])) {
                bounce = max(bounce, self.bounces[i] * self.holds(i, lambda));
            }
        }
        bounce
    }

    /// 1 where block i has an impulse.
    #[inline(always)]
    pub(super) fn holds(&self, i: usize, lambda: &[T]) -> T {
        let block = &self.blocks[i];
        let mut size = self.g[0].zero();
        for lambda in &lambda[block.row..block.row + block.dim] {
            size += lambda.abs();
        }
        truth(size, size.zero().less(size))
    }

    /// The trees that block i acts upon, twice the same if it is one.
    #[inline(always)]
    pub(super) fn trees(&self, plan: &Plan, i: usize) -> [usize; 2] {
        let (begin, end) = self.parts[self.blocks[i].part].support;
        [begin, end - 1].map(|k| plan.tree_of_dof[self.supports[k]])
    }

    /// The normal row of J v of block i, from L v.
    #[inline(always)]
    pub(super) fn normal_velocity(&self, i: usize, L_v: &[T]) -> T {
        let part = &self.parts[self.blocks[i].part];
        let mut u = self.g[0].zero();
        let dofs = &self.supports[part.support.0..part.support.1];
        for (dof, w) in dofs.iter().zip(self.W[part.w..].chunks_exact(part.dim)) {
            u += w[part.dim - 1] * L_v[*dof];
        }
        u
    }

    /// v⁺ of (1).
    #[inline(always)]
    pub(super) fn apply(&self, free: &Free<T>, lambda: &[T], v_next: &mut [T]) {
        let Some(zero) = v_next.first().map(|v| v.zero()) else { return };
        for v in v_next.iter_mut() {
            *v = zero;
        }
        for part in &self.parts {
            let W = &self.W[part.w..];
            let lambda = &lambda[part.row..part.row + part.dim];
            for (dof, w) in self.supports[part.support.0..part.support.1].iter().zip(W.chunks_exact(part.dim))
            {
                for (w, lambda) in w.iter().zip(lambda) {
                    v_next[*dof] += *w * *lambda;
                }
            }
        }
        let inverse = free.factor.inverse_diagonal();
        for i in 0..v_next.len() {
            let mut x = v_next[i] * inverse[i];
            for (L, j) in free.factor.row(i).iter().zip(free.factor.columns(i)).skip(1) {
                x -= *L * v_next[*j as usize];
            }
            v_next[i] = x;
        }
        for (v, free) in v_next.iter_mut().zip(&free.v_free) {
            *v += *free;
        }
    }
}

/// The velocity u of the contact at p per unit of one dof.
#[inline(always)]
fn column<T: Real>(kin: &Kinematics<T>, p: Vec3<T>, acting: &Acting) -> Vec3<T> {
    kin.S[acting.dof].linear_at(p - kin.reference[acting.tree]) * p.x.like(acting.sign)
}

/// Position errors that are undone more slowly than this are left alone [m/s].
const CORRECTED: f64 = 1e-8;

/// What the rows beyond the third turn about, times its length, as in [`crate::ContactPoint`].
#[inline(always)]
pub(super) fn turns<T: Real>(
    [spin, roll, other]: [f64; 3],
    frame: [Vec3<T>; 3],
    friction: T,
) -> [Vec3<T>; 3] {
    let arm = friction.one() / friction;
    [
        frame[2] * (friction.like(spin) * arm),
        frame[0] * (friction.like(roll) * arm),
        frame[1] * (friction.like(other) * arm),
    ]
}

/// The velocity v_f of the point of `body` now at p.
#[inline(always)]
fn point<T: Real>(model: &Model<T>, free: &Free<T>, p: Vec3<T>, body: Option<usize>) -> Vec3<T> {
    match body {
        Some(b) => free.vel.V[b].linear_at(p - free.kin.reference[model.bodies[b].tree]),
        None => Vec3::zero(p.x),
    }
}
