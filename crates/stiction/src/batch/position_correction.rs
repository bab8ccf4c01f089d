//! Position errors of as many environments as there are lanes, taken out of the positions alone: (1) of
//! [`crate::stepping::time_stepping`]'s position correction.

use super::free::Free;
use super::plan::Plan;
use super::rows::Rows;
use crate::stepping::time_stepping::{YIELDS, reaches};
use stiction_assembly::BlockKey;
use stiction_dynamics::spatial::Motion;
use stiction_dynamics::{Model, Real, motions_into};
use stiction_solvers::lanes::{LaneCone, LaneProblem, LaneSolver};

/// Workspace of the position correction.
pub(super) struct PositionCorrection<T> {
    solver: LaneSolver<T>,
    /// Tolerance of the solve [m/s], and 1 in the lanes in which something is to be corrected.
    tolerance: T,
    wanted: T,
    /// The problem, and the rows of the step's that it has.
    A: Vec<T>,
    g: Vec<T>,
    cones: Vec<LaneCone<T>>,
    rows: Vec<usize>,
    /// Share of A's diagonal that is added to it where bodies can part, per row [–].
    yielding: Vec<f64>,
    /// Impulses in the rows of the step.
    impulses: Vec<T>,
    /// Velocities of the correction, and the motions of bodies that they are.
    v: Vec<T>,
    V: Vec<Motion<T>>,
    /// Farthest point of every body from its origin [m].
    reach: Vec<f64>,
}

impl<T: Real> PositionCorrection<T> {
    pub(super) fn new(kind: T, plan: &Plan) -> Self {
        let model = &plan.world.model;
        Self {
            solver: LaneSolver::new(),
            tolerance: kind.like(plan.corrected().min(plan.settings.tolerance)),
            wanted: kind,
            A: Vec::new(),
            g: Vec::new(),
            cones: Vec::new(),
            rows: Vec::new(),
            yielding: Vec::new(),
            impulses: Vec::new(),
            v: vec![kind; model.nv()],
            V: vec![Motion::zero(kind); model.bodies.len()],
            reach: reaches(&plan.world),
        }
    }

    /// The problem, where `lambda` are the impulses of the step; false if nothing is to be corrected in the lanes in which `good` is 1.
    #[inline(always)]
    pub(super) fn pose(&mut self, plan: &Plan, rows: &Rows<T>, lambda: &[T], good: T, kind: T) -> bool {
        self.wanted = good * kind.truth(kind.like(plan.corrected()).less(rows.deep));
        if !T::any(self.wanted.mask()) {
            return false;
        }
        let Self { solver, A, g, cones, rows: own, yielding, .. } = self;
        g.clear();
        cones.clear();
        own.clear();
        yielding.clear();
        A.clear();
        let n = rows.rows;
        for (i, (block, cone)) in rows.blocks.iter().zip(&rows.cones).enumerate() {
            let (opens, holds) = match block.key {
                BlockKey::Contact(_) => (true, false),
                BlockKey::Row(key) => {
                    let set = key.cone([f64::NEG_INFINITY, f64::INFINITY]);
                    (set.opens(), set == stiction_contact::Cone::Free)
                }
            };
            if !opens && !holds {
                continue;
            }
            let row = block.normal();
            let mut c = rows.g[row];
            for (a, l) in rows.G[row * n..(row + 1) * n].iter().zip(lambda) {
                c += *a * *l;
            }
            let infinite = kind.like(f64::INFINITY);
            let low = if opens { kind } else { -infinite };
            g.push(if opens { kind.like(0.5) * c.max(kind) + rows.corrections[i] } else { kind });
            cones.push(LaneCone::row([low, infinite], cone.active));
            own.push(row);
            yielding.push(if opens { YIELDS } else { 0.0 });
        }
        for &i in own.iter() {
            for &j in own.iter() {
                A.push(rows.G[i * n + j]);
            }
        }
        let m = own.len();
        for (i, yields) in yielding.iter().enumerate() {
            let a = A[i * m + i];
            A[i * m + i] += kind.like(*yields) * a;
        }
        solver.lambda.clear();
        solver.lambda.resize(m, kind);
        true
    }

    /// The problem to be solved, by which solver, to which tolerance, and 1 in the lanes in which it is wanted.
    #[inline(always)]
    pub(super) fn problem(&mut self) -> (LaneProblem<'_, T>, &mut LaneSolver<T>, [T; 2]) {
        let Self { solver, A, g, cones, tolerance, wanted, .. } = self;
        (LaneProblem { cones, A, g }, solver, [*tolerance, *wanted])
    }

    /// Finds the velocities of the correction; 1 in the lanes in which bodies would move faster than they may.
    #[inline(always)]
    pub(super) fn find(
        &mut self,
        plan: &Plan,
        model: &Model<T>,
        (rows, free): (&Rows<T>, &Free<T>),
        kind: T,
    ) -> T {
        if !T::any(self.wanted.mask()) {
            return kind;
        }
        let Self { solver, rows: own, impulses, v, V, reach, wanted, .. } = self;
        impulses.clear();
        impulses.resize(rows.rows, kind);
        for (row, p) in own.iter().zip(&solver.lambda) {
            impulses[*row] = T::select(wanted.mask(), *p, kind);
        }
        rows.change(&free.factor, impulses, v);
        motions_into(model, &free.kin, v, V);
        let mut fastest = kind;
        for (b, reach) in reach.iter().enumerate() {
            let origin =
                V[b].linear_at(free.kin.X_WB[b].translation - free.kin.reference[free.kin.tree_of(b)]);
            fastest = fastest.max(origin.norm() + kind.like(*reach) * V[b].angular.norm());
        }
        kind.truth(T::both(wanted.mask(), kind.like(plan.settings.stepper.push_out_speed).less(fastest)))
    }

    /// Velocities of the correction; `None` where there is none in any lane.
    #[inline(always)]
    pub(super) fn velocity(&self) -> Option<&[T]> {
        T::any(self.wanted.mask()).then_some(&self.v)
    }
}
