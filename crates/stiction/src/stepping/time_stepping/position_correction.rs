//! Position errors, taken out of the positions alone: overlaps and violated limits, and what g does not hold
//! of the errors of couplings and loops.
//!
//! A velocity that undoes an overlap stays with the bodies when it is undone: a box laid into the floor
//! leaves it like a stone that was thrown, and friction at the contact works against it. No overlap is
//! therefore part of g; the velocities obey the exact law without them, and the positions move on, without
//! friction,
//!
//! ```text
//!     0 ≤ p ⟂ (G + ε) p + ½ max(c, 0) + b ≥ 0,     q⁺ = q ⊕ h (v + s M̂⁻¹ Jᵀ p)            (1)
//! ```
//!
//! in the rows of contacts and limits, with c the velocity that the step ends with, of which half a step moves what
//! is posed in the middle (where steps are posed at their start it counts whole), b ≤ 0 the corrections of the rows
//! ([`stiction_assembly::Bias::correction`]), and s ≤ 1 such that no point of a body that impulses p join is moved by
//! more than `push_out_speed`; couplings and loops hold, G p = −b, b being what g does not hold of theirs. So
//! corrections do no work on the velocities, and what was apart stays so but for ε: (1 − s) c + s (c + G p) ≥ 0. ε is
//! a thousandth of G's diagonal. Where bodies can part, they are that much short of it; where opposite walls leave
//! them no room, as between links of a robot that were drawn into each other, (1) still has one answer, by which each
//! row misses what it wants in proportion to its p. Cost: nothing where there is no error, else about a second solve.

use crate::report::CERTIFIED;
use crate::stepping::free_velocity::FreeMotion;
use crate::stepping::here::Here;
use stiction_assembly::Posed;
use stiction_contact::{Cone, ConstraintProblem, ContactSolver};
use stiction_dynamics::motions_into;
use stiction_dynamics::spatial::{Motion, vec3};
use stiction_solvers::ncp_al::{NcpAl, NcpAlParams};
use stiction_solvers::pivots::Pivots;
use stiction_solvers::registry::Common;
use stiction_world::World;

/// (1) is solved to this, in no more iterations [m/s].
pub(crate) const SOLVED: Common = Common { tolerance: 1e-8, max_iterations: 60 };

/// With more rows, (1) is solved to this share of the fastest correction that is wanted, in so many
/// iterations: what is left is taken out in the steps that follow.
const MANY_ROWS: usize = 300;
const ROUGH: f64 = 1e-2;
const ROUGH_ITERATIONS: u32 = 8;

/// ε, as a share of G's diagonal, and the first compliance of the augmented Lagrangian beside it: little
/// enough that one programme is nearly all [–].
pub(crate) const YIELDS: f64 = 1e-3;
const COMPLIANCE: f64 = 1e-6;
/// Rows with less than this of the largest of G's diagonal are such that nothing parts them, but for rounding
/// [–].
const LEAST: f64 = 1e-8;

/// Workspace; holds during one step.
pub(crate) struct PositionCorrection {
    /// For few rows, and for more: of its own, so that what that of the velocities knows stays.
    pivots: Pivots,
    solver: Box<dyn ContactSolver>,
    rough: NcpAl,
    /// (1), the rows of the step's problem that it has, and their impulses.
    problem: ConstraintProblem,
    rows: Vec<usize>,
    solved: Vec<f64>,
    /// Of all rows: max(c, 0) + b, and p.
    wanted: Vec<f64>,
    impulses: Vec<f64>,
    diagonal: Vec<[f64; 9]>,
    /// s M̂⁻¹ Jᵀ p; empty where nothing is pushed.
    pub(crate) v: Vec<f64>,
    /// The motions of bodies that this is.
    V: Vec<Motion>,
    /// Farthest point of the geometries of every body from its origin; without any, its radius of gyration
    /// about that [m].
    reach: Vec<f64>,
    /// Per tree, how fast the fastest body is that p joins to it [m/s].
    speed: Vec<f64>,
}

impl PositionCorrection {
    pub(crate) fn new(world: &World) -> Self {
        let params = NcpAlParams {
            compliance: COMPLIANCE,
            tolerance: SOLVED.tolerance,
            max_iterations: SOLVED.max_iterations,
            ..NcpAlParams::default()
        };
        let (tolerance, max_iterations) = (SOLVED.tolerance, ROUGH_ITERATIONS);
        let rough = NcpAlParams { tolerance, max_iterations, ..params };
        let (Ok(solver), Ok(rough)) = (NcpAl::new(params), NcpAl::new(rough)) else {
            unreachable!("these are valid")
        };
        Self {
            pivots: Pivots::default(),
            solver: Box::new(solver),
            rough,
            problem: ConstraintProblem::default(),
            rows: Vec::new(),
            solved: Vec::new(),
            wanted: Vec::new(),
            impulses: Vec::new(),
            diagonal: Vec::new(),
            v: Vec::new(),
            V: vec![Motion::ZERO; world.model.bodies.len()],
            reach: reaches(world),
            speed: vec![0.0; world.model.trees],
        }
    }

    pub(crate) fn clear(&mut self) {
        if !self.v.is_empty() {
            self.v.clear();
            self.speed.fill(0.0);
        }
    }

    /// p of (1), in the rows of the step's problem; of the last step in which something was pushed.
    pub(crate) fn impulses(&self) -> &[f64] {
        &self.impulses
    }

    /// Whether the tree is moved by (1).
    pub(crate) fn moves(&self, tree: usize) -> bool {
        self.speed[tree] > 0.0
    }

    /// (1), of a problem that was solved by `impulses`; no body moves faster for it than `most` [m/s].
    pub(crate) fn find(
        &mut self,
        world: &World,
        here: &Here,
        free: &FreeMotion,
        posed: &Posed,
        impulses: &[f64],
        most: f64,
    ) {
        self.clear();
        if posed.largest_correction() <= SOLVED.tolerance {
            return;
        }
        posed.problem.velocities_into(impulses, &mut self.wanted);
        let share = if here.is_at_middle() { 0.5 } else { 1.0 };
        for (block, cone) in posed.problem.cones().iter().enumerate() {
            if cone.opens() {
                let row = posed.normal_row(block);
                self.wanted[row] = share * self.wanted[row].max(0.0) + posed.blocks[block].bias.correction;
            }
        }
        for block in posed.bilateral() {
            let left_out = 1.0 - posed.choice().feedback;
            self.wanted[posed.normal_row(block)] = left_out * posed.blocks[block].bias.feedback;
        }
        self.pose(&posed.problem);
        if self.solve() {
            let Self { rows, solved, impulses, v, .. } = self;
            impulses.clear();
            impulses.resize(posed.problem.rows(), 0.0);
            rows.iter().zip(solved).for_each(|(&row, p)| impulses[row] = *p);
            v.resize(free.v_free.len(), 0.0);
            posed.jacobian.add_impulses_into(posed.problem.row_start(), impulses, v);
            free.factor.solve_in_place(v);
            self.hold_back(world, here, posed, most);
        }
    }

    /// The programme (1) in the rows of `whole` that it has.
    fn pose(&mut self, whole: &ConstraintProblem) {
        let Self { problem, rows, wanted, diagonal, .. } = self;
        whole.diagonal_blocks_into(diagonal);
        let most = |m: f64, (a, cone): (&[f64; 9], &Cone)| {
            if cone.opens() { m.max(a[4 * cone.normal()]) } else { m }
        };
        let least = LEAST * diagonal.iter().zip(whole.cones()).fold(0.0, most);
        problem.clear();
        problem
            .delassus_factor
            .start((0..whole.delassus_factor.trees()).map(|t| whole.delassus_factor.tree(t)));
        rows.clear();
        for (i, &cone) in whole.cones().iter().enumerate() {
            let row = whole.range(i).start + cone.normal();
            if cone.opens() {
                let a = diagonal[i][4 * cone.normal()];
                problem.push(Cone::NonNegative, &[if a > least { wanted[row] } else { 0.0 }]);
                problem.compliance[rows.len()] = whole.compliance[row] + YIELDS * a.max(least);
            } else if cone == Cone::Free {
                problem.push(cone, &[wanted[row]]);
                problem.compliance[rows.len()] = whole.compliance[row];
            } else {
                continue;
            }
            let normal = cone.dim() > 1;
            problem
                .delassus_factor
                .push_like(&whole.delassus_factor, i, |w| vec3(if normal { w.z } else { w.x }, 0.0, 0.0));
            rows.push(row);
        }
    }

    /// Solves what was posed; false if there is no good answer.
    fn solve(&mut self) -> bool {
        let Self { pivots, solver, rough, problem, rows, solved, .. } = self;
        solved.clear();
        solved.resize(rows.len(), 0.0);
        if rows.len() > MANY_ROWS {
            let wanted = problem.free_velocity.iter().fold(0.0_f64, |m, b| m.max(-b));
            rough.forget();
            rough.set_tolerance((ROUGH * wanted).max(SOLVED.tolerance));
            let report = rough.solve(problem, solved);
            return report.residual <= wanted;
        }
        pivots.solve(problem, solved).is_some_and(|missed| missed <= SOLVED.tolerance) || {
            solved.fill(0.0);
            solver.forget();
            let report = solver.solve(problem, solved);
            report.settled() && report.residual <= CERTIFIED
        }
    }

    /// s of (1).
    fn hold_back(&mut self, world: &World, here: &Here, posed: &Posed, most_speed: f64) {
        let Self { impulses, v, V, reach, speed, .. } = self;
        let (model, kin) = (&world.model, &here.kin);
        motions_into(model, kin, v, V);
        for (b, body) in model.bodies.iter().enumerate().filter(|(_, b)| kin.selects(b.tree)) {
            let origin = V[b].linear_at(kin.X_WB[b].translation - kin.reference[body.tree]);
            speed[body.tree] = speed[body.tree].max(origin.norm() + reach[b] * V[b].angular.norm());
        }
        let mut spreads = true;
        while std::mem::take(&mut spreads) {
            for block in 0..posed.problem.len() {
                if impulses[posed.problem.range(block)].iter().all(|p| *p == 0.0) {
                    continue;
                }
                let trees = || posed.jacobian.trees_of(block);
                let most = trees().fold(0.0_f64, |m, t| m.max(speed[t]));
                for t in trees() {
                    spreads |= speed[t] < most;
                    speed[t] = most;
                }
            }
        }
        for (v, dof) in v.iter_mut().zip(&model.dofs) {
            *v *= (most_speed / speed[model.bodies[dof.body].tree]).min(1.0);
        }
    }
}

/// Farthest point of the geometries of every body from its origin; without any, its radius of gyration about that [m].
pub(crate) fn reaches(world: &World) -> Vec<f64> {
    let mut reach = vec![0.0_f64; world.model.bodies.len()];
    for g in &world.geometries {
        let far = g.shape.bounding_radius();
        if let (Some(body), X_BG) = world.mount(g.link, g.X_LG)
            && far.is_finite()
        {
            reach[body] = reach[body].max(X_BG.translation.norm() + far);
        }
    }
    // What has no shape and turns about its origin moves too.
    for (reach, body) in reach.iter_mut().zip(&world.model.bodies).filter(|(reach, _)| **reach == 0.0) {
        let (mass, second) = (body.inertia.mass, body.inertia.second);
        if mass > 0.0 {
            *reach = (0.5 * (second.xx + second.yy + second.zz) / mass).sqrt();
        }
    }
    reach
}
