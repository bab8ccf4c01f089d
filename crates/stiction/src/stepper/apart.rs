//! Deep overlaps: pushed apart in the positions alone.
//!
//! A velocity that undoes an overlap stays with the bodies when it is undone: a box laid into the floor leaves it like
//! a stone that was thrown. Between many bodies it may be any: where overlaps can all but not part, a push of 1 m/s at
//! contacts is one of hundreds at bodies. What a velocity that gravity takes back in two steps cannot undo is therefore
//! left out of g, and with it what friction holds together ([`super::jam`]); the velocities obey the exact law without
//! pushes, and the positions move on, without friction,
//!
//! ```text
//!     0 ≤ p ⟂ G p + max(c, 0) + b ≥ 0,     q⁺ = q ⊕ h (v⁺ + s M̂⁻¹ Jᵀ p)                    (1)
//! ```
//!
//! in the rows of contacts and limits, with c what (3) of [`super`] leaves there, b < 0 the pushes that g does not
//! hold, and s ≤ 1 such that no point of a body that impulses p join is moved by more than `push_out_speed`. So pushes
//! do no work on the velocities, and what was apart stays so: (1 − s) c + s (c + G p) ≥ 0. Where opposite walls leave
//! (1) no answer, overlaps stay. Cost: nothing where nothing overlaps deeply, else about a second solve.

use super::TimeStepper;
use crate::report::CERTIFIED;
use stiction_contact::{Cone, ConstraintProblem, ContactSolver};
use stiction_dynamics::motions_into;
use stiction_dynamics::spatial::Motion;
use stiction_models::World;
use stiction_solvers::registry::{self, Common};

/// (1) is solved to this, in no more iterations [m/s].
pub(super) const SOLVED: Common = Common { tolerance: 1e-8, max_iterations: 200 };

/// Workspace; holds during one step.
pub(super) struct Apart {
    /// Of its own, so that what that of the velocities knows stays.
    solver: Box<dyn ContactSolver>,
    /// (1)
    problem: ConstraintProblem,
    impulses: Vec<f64>,
    /// s M̂⁻¹ Jᵀ p; empty where nothing is pushed.
    pub(super) v: Vec<f64>,
    /// The motions of bodies that this is.
    V: Vec<Motion>,
    /// Farthest point of the geometries of every body from its origin [m].
    reach: Vec<f64>,
    /// Per tree, how fast the fastest body is that p joins to it [m/s].
    speed: Vec<f64>,
}

impl Apart {
    pub(super) fn new(world: &World) -> Self {
        let mut reach = vec![0.0_f64; world.model.bodies.len()];
        for g in &world.geometries {
            let far = g.shape.bounding_radius();
            if let (Some(body), X_BG) = world.mount(g.link, g.X_LG)
                && far.is_finite()
            {
                reach[body] = reach[body].max(X_BG.translation.norm() + far);
            }
        }
        let Ok(solver) = registry::make("auto", &SOLVED) else { unreachable!("these are valid") };
        Self {
            solver,
            problem: ConstraintProblem::default(),
            impulses: Vec::new(),
            v: Vec::new(),
            V: vec![Motion::ZERO; world.model.bodies.len()],
            reach,
            speed: vec![0.0; world.model.trees],
        }
    }

    pub(super) fn clear(&mut self) {
        if !self.v.is_empty() {
            self.v.clear();
            self.speed.fill(0.0);
        }
    }

    /// Whether the tree is moved by (1).
    pub(super) fn moves(&self, tree: usize) -> bool {
        self.speed[tree] > 0.0
    }
}

impl TimeStepper {
    /// (1), after the velocities.
    pub(super) fn push_apart(&mut self, world: &World) {
        let Self { apart: Apart { solver, problem, impulses, v, .. }, notes, problem: whole, jam, .. } = self;
        let jammed = if jam.solved { &notes.pushes[..] } else { &[] };
        if jammed.is_empty() && notes.deep.is_empty() {
            return;
        }
        problem.copy_blocks_of(whole);
        problem.thin.clone_from(&whole.thin);
        whole.velocities_into(&self.impulses, &mut problem.free_velocity);
        problem.second_start.clear();
        for i in 0..problem.len() {
            let rows = problem.range(i);
            let cone = match problem.cone(i) {
                Cone::Friction { .. } => Cone::Friction { mu: 0.0 },
                Cone::Patch { rolls, .. } => Cone::Patch { mu: 0.0, rolls },
                Cone::Box { .. } => Cone::Box { lo: 0.0, hi: 0.0 },
                cone => cone,
            };
            problem.set_cone(i, cone);
            let normal = cone.opens().then_some(rows.start + cone.normal());
            for row in rows {
                let c = &mut problem.free_velocity[row];
                *c = if Some(row) == normal { c.max(0.0) } else { 0.0 };
            }
        }
        for &(row, push) in jammed.iter().chain(&notes.deep) {
            problem.free_velocity[row] += push;
        }
        impulses.clear();
        impulses.resize(problem.rows(), 0.0);
        solver.forget();
        let report = solver.solve(problem, impulses);
        if report.settled() && report.residual <= CERTIFIED {
            v.resize(self.v_next.len(), 0.0);
            self.rows.add_impulses_into(problem.row_start(), impulses, v);
            self.factor.solve_in_place(v);
            self.hold_back(world);
        }
    }

    /// s of (1).
    fn hold_back(&mut self, world: &World) {
        let Self { apart: Apart { problem, impulses, v, V, reach, speed, .. }, kin, rows, .. } = self;
        let model = &world.model;
        motions_into(model, kin, v, V);
        for (b, body) in model.bodies.iter().enumerate().filter(|(_, b)| kin.selects(b.tree)) {
            let origin = V[b].linear_at(kin.X_WB[b].translation - kin.reference[body.tree]);
            speed[body.tree] = speed[body.tree].max(origin.norm() + reach[b] * V[b].angular.norm());
        }
        let mut spreads = true;
        while std::mem::take(&mut spreads) {
            for block in 0..problem.len() {
                if impulses[problem.range(block)].iter().all(|p| *p == 0.0) {
                    continue;
                }
                let most = rows.trees_of(block).fold(0.0_f64, |m, t| m.max(speed[t]));
                for t in rows.trees_of(block) {
                    spreads |= speed[t] < most;
                    speed[t] = most;
                }
            }
        }
        for (v, dof) in v.iter_mut().zip(&model.dofs) {
            *v *= (self.params.push_out_speed / speed[model.bodies[dof.body].tree]).min(1.0);
        }
    }
}
