//! The trapezoidal rule in lanes: what [`crate::stepping::integrate::hits`] asks of their rows, and the velocities by which
//! all moves.

use super::numbers::Numbers;
use super::plan::Plan;
use super::rows::Rows;
use crate::stepping::integrate::fast_rotation::LOST;
use crate::stepping::integrate::hits::{Hits, Opening, SolvedBlocks};
use crate::stepping::integrate::trapezoidal::STILL;
use stiction_assembly::BlockKey;
use stiction_dynamics::{Factor, Real};

/// See the module.
pub(super) struct Trapezoidal<T> {
    /// Normal impulse of every block in the last step; 1 where there was none in that before.
    pub(super) start: Vec<T>,
    pub(super) young: Vec<T>,
    hits: Hits<T>,
    /// L v and L v⁺, with M̂ = LᵀDL.
    L_v: [Vec<T>; 2],
}

impl<T: Real> Trapezoidal<T> {
    pub(super) fn new(kind: T, plan: &Plan) -> Self {
        let (trees, nv) = (plan.world.model.trees, plan.world.model.nv());
        let L_v = [vec![kind; nv], vec![kind; nv]];
        Self { start: Vec::new(), young: Vec::new(), hits: Hits::new(kind, trees), L_v }
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
        self.hits.hit.iter_mut().for_each(|hit| *hit = hit.zero());
        let Some(kind) = v.first().map(|v| v.zero()).filter(|_| plan.goes.contains(&true)) else { return };
        let mut changes = kind;
        for (v, next) in v.iter().zip(v_next) {
            changes = T::select(kind.like(STILL).less((*v - *next).abs()), kind.one(), changes);
        }
        if !T::any(changes.mask()) {
            return;
        }
        let h = kind.like(plan.settings.stepper.dt);
        for &dof in plan.turning.iter().filter(|&dof| !plan.swinging.contains(dof)) {
            let hit = &mut self.hits.hit[plan.tree_of_dof[dof]];
            *hit = T::select(kind.like(LOST).less((h * v_next[dof]).abs()), kind.one(), *hit);
        }
        for (joined, driven) in self.hits.joined.iter_mut().zip(&plan.driven) {
            *joined = if *driven { kind.one() } else { kind };
        }
        for (v, L_v) in [v, v_next].into_iter().zip(&mut self.L_v) {
            for (i, x) in L_v.iter_mut().enumerate() {
                *x = v[i];
                for (L, j) in factor.row(i).iter().zip(factor.columns(i)).skip(1) {
                    *x += *L * v[*j as usize];
                }
            }
        }
        let Self { start, young, hits, L_v } = self;
        let (slow, p) = (plan.row_params(&numbers.model).bouncing_speed, &plan.settings.stepper);
        hits.find(&Blocks { plan, rows, lambda, start, young, L_v }, slow, kind.like(p.slop / p.dt));
        for (dof, out) in out.iter_mut().enumerate() {
            let tree = plan.tree_of_dof[dof];
            let goes = if plan.goes[tree] { kind.one() } else { hits.joined[tree] };
            let goes = T::both((goes * changes).mask(), T::not(hits.hit[tree].mask()));
            *out = T::select(goes, *out + kind.like(0.5) * (v[dof] - *out), *out);
        }
    }

    /// 1 where a tree is hit that is stiff, after [`Self::take`].
    #[inline(always)]
    pub(super) fn turns_back(&self, stiff: &[T], kind: T) -> T {
        let mut turns = kind;
        for (hit, stiff) in self.hits.hit.iter().zip(stiff) {
            turns = turns.max(*hit * *stiff);
        }
        turns
    }
}

/// Rows with their impulses, those they were solved from, and L v at both ends of the step.
struct Blocks<'a, T> {
    plan: &'a Plan,
    rows: &'a Rows<T>,
    lambda: &'a [T],
    start: &'a [T],
    young: &'a [T],
    L_v: &'a [Vec<T>; 2],
}

impl<T: Real> SolvedBlocks<T> for Blocks<'_, T> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.rows.blocks.len()
    }

    #[inline(always)]
    fn trees(&self, i: usize) -> impl Iterator<Item = usize> {
        self.rows.trees(self.plan, i).into_iter()
    }

    #[inline(always)]
    fn acts(&self, i: usize) -> T {
        self.rows.holds(i, self.lambda)
    }

    #[inline(always)]
    fn opening(&self, i: usize) -> Option<Opening<T>> {
        let contact = match self.rows.blocks[i].key {
            BlockKey::Contact(_) => true,
            BlockKey::Row(key) if key.cone([0.0; 2]).opens() => false,
            BlockKey::Row(_) => return None,
        };
        let zero = self.start[i].zero();
        let old = T::both(zero.less(self.start[i].abs()), T::not(self.young[i].mask()));
        Some(Opening {
            contact,
            rates: [self.rows.normal_velocity(i, &self.L_v[0]), self.rows.normal_velocity(i, &self.L_v[1])],
            gap: self.rows.gaps[i],
            bounces: self.rows.bounces[i],
            new: zero.truth(T::not(old)),
            there: self.rows.cones[i].active,
        })
    }
}
