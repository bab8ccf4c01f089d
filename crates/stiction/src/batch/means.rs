//! Which trees move by the trapezoidal rule, in lanes: [`crate::stepping::integrate::trapezoidal`].

use super::lane::{mask, max};
use super::numbers::Numbers;
use super::plan::Plan;
use super::rows::{Key, Rows};
use crate::stepping::integrate::trapezoidal::STILL;
use stiction_dynamics::{Factor, Real};

/// See the module.
pub(super) struct Means<T> {
    /// Normal impulse of every block in the last step; 1 where there was none in that before.
    pub(super) start: Vec<T>,
    pub(super) young: Vec<T>,
    /// Per tree, 1 or 0.
    joined: Vec<T>,
    hit: Vec<T>,
    /// L v and L v⁺, with M̂ = LᵀDL.
    L_v: [Vec<T>; 2],
}

impl<T: Real> Means<T> {
    pub(super) fn new(kind: T, plan: &Plan) -> Self {
        let (trees, nv) = (plan.world.model.trees, plan.world.model.nv());
        let L_v = [vec![kind; nv], vec![kind; nv]];
        Self { start: Vec::new(), young: Vec::new(), joined: vec![kind; trees], hit: vec![kind; trees], L_v }
    }

    /// Notes the impulses that the solver starts from.
    #[inline(always)]
    pub(super) fn start(&mut self, rows: &Rows<T>, lambda: &[T]) {
        self.start.clear();
        for block in &rows.blocks {
            self.start.push(lambda[block.normal()]);
        }
    }

    /// The velocities by which everything moves, into `out`.
    #[inline(always)]
    pub(super) fn take(
        &mut self,
        plan: &Plan,
        numbers: &Numbers<T>,
        (rows, factor, lambda): (&Rows<T>, &Factor<T>, &[T]),
        [v, v_next]: [&[T]; 2],
        out: &mut [T],
    ) {
        out.copy_from_slice(v_next);
        self.hit.iter_mut().for_each(|hit| *hit = hit.zero());
        let Some(kind) = v.first().map(|v| v.zero()).filter(|_| plan.goes.contains(&true)) else { return };
        let mut changes = kind;
        for (v, next) in v.iter().zip(v_next) {
            changes = T::select(kind.like(STILL).less((*v - *next).abs()), kind.one(), changes);
        }
        if !T::any(mask(changes)) {
            return;
        }
        for (joined, driven) in self.joined.iter_mut().zip(&plan.driven) {
            *joined = if *driven { kind.one() } else { kind };
        }
        spread(plan, rows, lambda, &mut self.joined);
        for (v, L_v) in [v, v_next].into_iter().zip(&mut self.L_v) {
            for (i, x) in L_v.iter_mut().enumerate() {
                *x = v[i];
                for (L, j) in factor.row(i).iter().zip(factor.columns(i)).skip(1) {
                    *x += *L * v[*j as usize];
                }
            }
        }
        self.find_hits(plan, numbers, rows, lambda);
        spread(plan, rows, lambda, &mut self.hit);
        for (dof, out) in out.iter_mut().enumerate() {
            let tree = plan.tree_of_dof[dof];
            let goes = if plan.goes[tree] { kind.one() } else { self.joined[tree] };
            let goes = T::both(mask(goes * changes), T::not(mask(self.hit[tree])));
            *out = T::select(goes, *out + kind.like(0.5) * (v[dof] - *out), *out);
        }
    }

    /// 1 where a tree is hit that is stiff, after [`Self::take`].
    #[inline(always)]
    pub(super) fn turns_back(&self, stiff: &[T], kind: T) -> T {
        let mut turns = kind;
        for (hit, stiff) in self.hit.iter().zip(stiff) {
            turns = max(turns, *hit * *stiff);
        }
        turns
    }

    /// (1) to (3).
    #[inline(always)]
    fn find_hits(&mut self, plan: &Plan, numbers: &Numbers<T>, rows: &Rows<T>, lambda: &[T]) {
        let p = &plan.settings.stepper;
        for (i, block) in rows.blocks.iter().enumerate() {
            let contact = matches!(block.key, Key::Contact { .. });
            if !contact && !matches!(block.key, Key::Limit { .. } | Key::Stop { .. }) {
                continue;
            }
            let holds = rows.holds(i, lambda);
            let (zero, one) = (holds.zero(), holds.one());
            let fast = numbers.model.gravity.norm() * zero.like(2.0 * p.dt);
            let slow = max(zero.like(p.restitution_threshold), fast);
            let [a, b] = rows.trees(plan, i);
            let before = rows.normal_velocity(i, &self.L_v[0]);
            let after = rows.normal_velocity(i, &self.L_v[1]);
            let end = zero.like(0.5) * (before + after) + rows.gaps[i];
            let mut hits = rows.bounces[i];
            hits = T::select(slow.less(max(before.abs(), after.abs())), one, hits);
            if contact {
                hits = T::select(mask(max(self.joined[a], self.joined[b])), hits, one);
            }
            let old = T::both(zero.less(self.start[i].abs()), T::not(mask(self.young[i])));
            let overlaps = T::both(T::not(old), end.less(zero.like(-p.slop / p.dt)));
            hits = T::select(overlaps, rows.locals[i].active, hits * holds);
            for tree in [a, b] {
                self.hit[tree] = max(self.hit[tree], hits);
            }
        }
    }
}

/// What is true of a tree is true of all that impulses join to it.
#[inline(always)]
fn spread<T: Real>(plan: &Plan, rows: &Rows<T>, lambda: &[T], of_tree: &mut [T]) {
    let mut spreads = of_tree.len() > 1;
    while std::mem::take(&mut spreads) {
        for i in 0..rows.blocks.len() {
            let [a, b] = rows.trees(plan, i);
            if a == b {
                continue;
            }
            let both = max(of_tree[a], of_tree[b]) * rows.holds(i, lambda);
            for tree in [a, b] {
                spreads |= T::any(of_tree[tree].less(both));
                of_tree[tree] = max(of_tree[tree], both);
            }
        }
    }
}
