//! Rows of the constraint problem, in lanes: the laws of [`stiction_assembly::laws`], gathered for contacts and for the rows of
//! [`stiction_assembly::rows`].
//!
//! Along the chains of the tree, with M̂ = LᵀDL,
//!
//! ```text
//!     W = J L⁻¹,   G = W D⁻¹ Wᵀ,   v⁺ = v_f + L⁻¹ D⁻¹ Wᵀ λ                    (1)
//! ```
//!
//! A row that is missing in a lane is there all the same, with an impulse of zero.

use super::contact_laws::{ContactLaw, lasting};
use super::free::Free;
use super::numbers::Numbers;
use super::plan::{Acting, Line, Pair, Plan};
use super::slips::{Dry, Slips, Solved};
use super::slot::{Block, Known, Slot};
use stiction_assembly::contact_points::LEAST;
use stiction_assembly::laws::row::Row;
use stiction_assembly::laws::turning::turning_axes;
use stiction_assembly::rows::kind;
use stiction_assembly::rows::row;
use stiction_assembly::{BlockKey, RowKey, RowParams};
use stiction_dynamics::spatial::{Vec3, vec3};
use stiction_dynamics::{Factor, Kinematics, Real};
use stiction_solvers::lanes::{LaneCone, LaneProblem};

/// Rows beyond which lanes are solved one after another, and a single one not in lanes at all.
pub(super) const MOST_ROWS: usize = 60;

/// Three rows of a block, or one.
#[derive(Clone, Copy)]
struct Part {
    row: usize,
    dim: usize,
    /// Its first number in W, and its dofs in `supports`.
    w: usize,
    support: (usize, usize),
}

/// The step of as many environments as there are lanes, from q and v: where it starts and in its middle.
#[derive(Clone, Copy)]
pub(super) struct At<'a, T> {
    pub(super) q_start: &'a [T],
    pub(super) q: &'a [T],
    pub(super) v: &'a [T],
    /// Knowledge of the contacts, and the impulses of the rows of the plan in the last step.
    pub(super) known: &'a [Known<T>],
    pub(super) impulses: &'a [T],
    /// 1 in the lanes in which a landing without restitution may end a part of the step.
    pub(super) may_land: T,
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
    pub(super) slips: Slips<T>,
    /// Corrections of positions, per block, and the largest [m/s or rad/s].
    pub(super) corrections: Vec<T>,
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
            corrections: Vec::new(),
            slips: Slips::new(kind),
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
        at: At<'_, T>,
        slots: &[Slot<T>],
        sound: T,
    ) {
        self.clear();
        self.deep = sound.zero();
        let params = plan.row_params(&numbers.model);
        for (slot, known) in slots.iter().zip(at.known) {
            self.push_contact(plan, &params, numbers, free, (at, known), slot);
        }
        let mut of_row = kind::At {
            params,
            q: at.q,
            v: at.v,
            free_velocity: &free.v_free,
            start: Some(at.q_start),
            lasts: params.h.less(params.h),
            q_of_dof: &plan.q_of_dof,
            model: &numbers.model,
            laws: &numbers.actuators,
            efforts: &free.rows,
            tendons: Some(&free.tendons[..]),
        };
        for (i, (key, line)) in plan.rows.iter().enumerate() {
            of_row.lasts = sound.zero().less(at.impulses[i].abs());
            let mut row = row(&plan.world, *key, &of_row);
            for fixed in self.slips.fixed.iter().filter(|fixed| fixed.line == i) {
                for bound in &mut row.bounds {
                    *bound = T::select(fixed.lanes.mask(), fixed.impulse, *bound);
                }
            }
            if self.push_row(free, line, *key, &row, sound) {
                self.note_row(plan, &params, (i, row.error), (at, of_row.lasts));
            }
        }
        self.form(free);
    }

    /// Notes where row i of the plan lands, which was pushed with the error `start`, and the rate of one of dry friction.
    #[inline(always)]
    fn note_row(
        &mut self,
        plan: &Plan,
        params: &RowParams<T>,
        (i, start): (usize, T),
        (at, lasts): (At<'_, T>, T::Mask),
    ) {
        let (key, line) = &plan.rows[i];
        let rate = line.rate(at.v);
        let middle = start + start.like(0.5) * params.h * rate;
        let lands = T::both(T::not(lasts), params.lands(rate, middle));
        let stops = key.cone([0.0; 2]).opens();
        self.slips.lands.push(if stops { T::select(lands, at.may_land, rate.zero()) } else { rate.zero() });
        if matches!(key, RowKey::DryFriction(_) | RowKey::TendonFriction(_)) {
            self.slips.dry.push(Dry { block: self.blocks.len() - 1, line: i, rate });
        }
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
        self.corrections.clear();
        self.slips.clear();
        self.rows = 0;
    }

    #[inline(always)]
    fn push_contact(
        &mut self,
        plan: &Plan,
        params: &RowParams<T>,
        numbers: &Numbers<T>,
        free: &Free<T>,
        (at, known): (At<'_, T>, &Known<T>),
        slot: &Slot<T>,
    ) {
        let (pair, surface) = (&plan.pairs[slot.pair], &numbers.surfaces[slot.pair]);
        let (kin, first) = (&free.kin, self.W.len());
        let [t1, t2, n] = slot.frame;
        let begin = self.supports.len();
        for acting in &pair.support {
            let u = column(kin, slot.position, acting);
            self.supports.push(acting.dof);
            self.W.extend([t1.dot(u), t2.dot(u), n.dot(u)]);
        }
        let support = (begin, self.supports.len());
        let mut before = Vec3::zero(slot.gap);
        for (acting, w) in pair.support.iter().zip(self.W[first..].chunks_exact(3)) {
            before += vec3(w[0], w[1], w[2]) * at.v[acting.dof];
        }
        // J v_f, by the velocities of the bodies.
        let u = slot.velocity(pair, kin, &free.vel);
        let free_velocity = vec3(t1.dot(u), t2.dot(u), n.dot(u));
        let zero = slot.gap.zero();
        let law = match pair.spring {
            Some(spring) => {
                let of_start = zero.like(0.5) * params.h * before.z;
                let row = spring.cast(zero).yielding(slot.gap - of_start, params.h);
                let bias = vec3(zero, zero, row.bias);
                ContactLaw { bias, compliance: row.compliance, ..ContactLaw::none(zero) }
            }
            None => {
                let step = (known, at.may_land);
                lasting(params, surface, step, (slot, self.slips.ended(slot)), before)
            }
        };
        let g = free_velocity + law.bias;
        let (row, part) = (self.rows, self.parts.len());
        let mut friction = surface.friction;
        self.compliance.push(law.compliance);
        self.note_correction(law.correction, slot.active);
        self.slips.lands.push(law.lands);
        self.slips.slipping.push(law.slipping);
        self.g.extend([g.x, g.y, g.z]);
        self.rows += 3;
        let tip = if pair.chain { Some(pair.support[0].dof) } else { None };
        self.parts.push(Part { row, dim: 3, w: first, support });
        self.halve::<3>(&free.factor, tip, first, support);
        if let Some(turning) = pair.turning {
            friction = friction.max(zero.like(LEAST));
            let turns = turns(turning, slot.frame, friction);
            let rough = T::select(zero.less(surface.friction), law.turned, zero);
            let rough = [rough, law.slipping.slides];
            let of_step = (at.v, known.angular);
            if turning[1] > 0.0 {
                self.push_turning::<3>(free, pair, turns, tip, of_step, rough);
            } else {
                self.push_turning::<1>(free, pair, [turns[0]], tip, of_step, rough);
            }
        }
        let dim = self.rows - row;
        // Contacts come first, in the order of their slots.
        self.blocks.push(Block { key: BlockKey::Contact(self.blocks.len()), row, dim, part });
        self.cones.push(LaneCone::contact(dim, friction, slot.active));
    }

    /// The rows of a contact that resist turning, of a step from v, with its angular velocity after the last and the share of
    /// [`stiction_assembly::laws::lasting::Lasts`].
    #[inline(always)]
    fn push_turning<const D: usize>(
        &mut self,
        free: &Free<T>,
        pair: &Pair,
        turns: [Vec3<T>; D],
        tip: Option<usize>,
        (v, last): (&[T], Vec3<T>),
        [share, slides]: [T; 2],
    ) {
        let (kin, first, begin) = (&free.kin, self.W.len(), self.supports.len());
        let mut before = Vec3::zero(share);
        for acting in &pair.support {
            let spin = kin.S[acting.dof].angular * turns[0].x.like(acting.sign);
            before += spin * v[acting.dof];
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
        spin += Vec3::select(slides.mask(), before, (before - last) * share);
        for turn in turns {
            self.g.push(turn.dot(spin));
        }
        let support = (begin, self.supports.len());
        self.parts.push(Part { row: self.rows, dim: D, w: first, support });
        self.rows += D;
        self.halve::<D>(&free.factor, tip, first, support);
    }

    /// Notes the correction of the positions of a row that is `active`.
    #[inline(always)]
    fn note_correction(&mut self, correction: T, active: T) {
        self.deep = self.deep.max(active * -correction);
        self.corrections.push(active * correction);
    }

    /// A row along a line, in the `sound` lanes; false if it is in none.
    #[inline(always)]
    fn push_row(&mut self, free: &Free<T>, line: &Line, key: RowKey, row: &Row<T>, sound: T) -> bool {
        let active = sound.truth(row.there) * sound;
        if !T::any(active.mask()) {
            return false;
        }
        self.note_correction(row.correction, active);
        let (first, begin) = (self.W.len(), self.supports.len());
        for &(dof, c) in &line.support {
            self.supports.push(dof);
            self.W.push(sound.like(c));
        }
        let support = (begin, self.supports.len());
        self.blocks.push(Block { key: BlockKey::Row(key), row: self.rows, dim: 1, part: self.parts.len() });
        self.parts.push(Part { row: self.rows, dim: 1, w: first, support });
        self.cones.push(LaneCone::row(row.bounds, active));
        self.compliance.push(row.compliance);
        self.g.push(row.g());
        self.rows += 1;
        self.halve::<1>(&free.factor, line.tip, first, support);
        true
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
            let holds = self.holds(i, lambda);
            for tree in self.trees(plan, i) {
                self.held[tree] = self.held[tree].max(holds);
            }
        }
        for tree in &plan.flyers {
            flies = T::select(self.held[*tree].mask(), flies, kind.one());
        }
        flies
    }

    /// 1 where a free body slides on more than three points: its impulses have several answers, which do not move it alike.
    #[inline(always)]
    pub(super) fn slides_on_many(&mut self, plan: &Plan, kind: T) -> T {
        let mut many = kind;
        if plan.flying_bodies.is_empty() {
            return many;
        }
        let still = kind.like(STILL * plan.coarser());
        self.held.clear();
        self.held.resize(plan.world.model.trees, kind);
        for i in 0..self.slips.slipping.len() {
            let [x, y] = self.slips.slipping[i].slip;
            let moves = T::both(still.less(x.abs().max(y.abs())), self.cones[i].active.mask());
            let [a, b] = self.trees(plan, i);
            self.held[a] += kind.truth(moves);
            if a != b {
                self.held[b] += kind.truth(moves);
            }
        }
        for (b, _) in &plan.flying_bodies {
            let points = self.held[plan.world.model.bodies[*b].tree];
            many = many.max(kind.truth(kind.like(3.0).less(points)));
        }
        many
    }

    /// 1 where the step alone goes another way, and where it is solved again: [`Slips::belied`], of a problem that was solved.
    #[inline(always)]
    pub(super) fn belied(
        &mut self,
        plan: &Plan,
        slots: &[Slot<T>],
        (free, lambda): (&Free<T>, &[T]),
        v_next: &[T],
        lanes: [T; 2],
    ) -> [T; 2] {
        let Self { blocks, cones, G, slips, .. } = self;
        slips.belied(plan, &Solved { blocks, cones, G, lambda, slots }, (&free.kin, &free.vel), v_next, lanes)
    }

    /// 1 where block i has an impulse.
    #[inline(always)]
    pub(super) fn holds(&self, i: usize, lambda: &[T]) -> T {
        let block = &self.blocks[i];
        let mut size = self.g[0].zero();
        for lambda in &lambda[block.row..block.row + block.dim] {
            size += lambda.abs();
        }
        size.truth(size.zero().less(size))
    }

    /// The trees that block i acts upon, twice the same if it is one.
    #[inline(always)]
    pub(super) fn trees(&self, plan: &Plan, i: usize) -> [usize; 2] {
        let (begin, end) = self.parts[self.blocks[i].part].support;
        [begin, end - 1].map(|k| plan.tree_of_dof[self.supports[k]])
    }

    /// L⁻¹ D⁻¹ Wᵀ λ of (1), by which impulses change v.
    #[inline(always)]
    pub(super) fn change(&self, factor: &Factor<T>, lambda: &[T], out: &mut [T]) {
        let Some(zero) = out.first().map(|v| v.zero()) else { return };
        for v in out.iter_mut() {
            *v = zero;
        }
        for part in &self.parts {
            let W = &self.W[part.w..];
            let lambda = &lambda[part.row..part.row + part.dim];
            for (dof, w) in self.supports[part.support.0..part.support.1].iter().zip(W.chunks_exact(part.dim))
            {
                for (w, lambda) in w.iter().zip(lambda) {
                    out[*dof] += *w * *lambda;
                }
            }
        }
        let inverse = factor.inverse_diagonal();
        for i in 0..out.len() {
            let mut x = out[i] * inverse[i];
            for (L, j) in factor.row(i).iter().zip(factor.columns(i)).skip(1) {
                x -= *L * out[*j as usize];
            }
            out[i] = x;
        }
    }
}

/// Slip that is none [m/s].
const STILL: f64 = 1e-6;

/// The velocity u of the contact at p per unit of one dof.
#[inline(always)]
fn column<T: Real>(kin: &Kinematics<T>, p: Vec3<T>, acting: &Acting) -> Vec3<T> {
    kin.S[acting.dof].linear_at(p - kin.reference[acting.tree]) * p.x.like(acting.sign)
}

/// The axes of rows that resist turning, see [`stiction_assembly::laws::turning`].
#[inline(always)]
pub(super) fn turns<T: Real>(turning: [f64; 3], frame: [Vec3<T>; 3], friction: T) -> [Vec3<T>; 3] {
    let [spin, roll, other] = turning;
    turning_axes([friction.like(spin), friction.like(roll), friction.like(other)], frame, friction)
}
