//! Posing rows at one q outside a step of the θ-method: impacts, choices of modes, and what the judge is
//! shown.

use stiction_assembly::forces::actuators::q_of_dofs;
use stiction_assembly::loops::Loops;
use stiction_assembly::{ContactPoint, Posed, Posing, RowParams, WarmStart};
use stiction_contact::{ContactSolver, SolveStatus};
use stiction_dynamics::spatial::Motion;
use stiction_dynamics::{CrbaWorkspace, Factor, Kinematics, MassMatrix, crba_into, motions_into};
use stiction_world::World;

/// A problem, its impulses, and M with its factor.
pub(crate) struct Rows {
    pub(crate) posed: Posed,
    pub(crate) impulses: Vec<f64>,
    pub(super) mass: MassMatrix,
    pub(super) factor: Factor,
    pub(super) v_free: Vec<f64>,
    crba: CrbaWorkspace,
    motions: Vec<Motion>,
    warm: WarmStart,
    pub(super) loops: Loops,
    pub(super) q_of_dof: Vec<usize>,
}

/// Positions, and the velocities before impulses and without them.
#[derive(Clone, Copy)]
pub(super) struct Approach<'a> {
    pub(super) q: &'a [f64],
    pub(super) v: &'a [f64],
    pub(super) v_free: &'a [f64],
}

impl Rows {
    pub(super) fn new(world: &World) -> Self {
        let model = &world.model;
        Self {
            posed: Posed::new(model),
            impulses: Vec::new(),
            mass: MassMatrix::new(model),
            factor: Factor::new(model),
            v_free: vec![0.0; model.nv()],
            crba: CrbaWorkspace::new(model),
            motions: vec![Motion::ZERO; model.bodies.len()],
            warm: WarmStart::default(),
            loops: Loops::new(world),
            q_of_dof: q_of_dofs(world),
        }
    }

    /// M at `kin`, and its factor.
    pub(super) fn factor(&mut self, world: &World, kin: &Kinematics) -> Result<(), String> {
        crba_into(&world.model, kin, &mut self.crba, &mut self.mass);
        self.factor.factor(&self.mass).map_err(|e| format!("the mass matrix: {e}"))
    }

    /// The rows of `points` and joints, after [`Self::factor`]; impulses are zero.
    pub(super) fn pose(
        &mut self,
        world: &World,
        (kin, points): (&Kinematics, &[ContactPoint]),
        approach: Approach<'_>,
        params: RowParams,
        blocks: bool,
    ) -> Result<(), String> {
        let Approach { q, v, v_free } = approach;
        motions_into(&world.model, kin, v_free, &mut self.motions);
        let posing = Posing {
            world,
            kin,
            middle: None,
            rolling: None,
            q,
            v,
            free_velocity: v_free,
            free_motions: &self.motions,
            params,
            implicit_forces: &[],
            q_of_dof: &self.q_of_dof,
            loops: &self.loops,
            compliance: None,
        };
        self.warm.clear();
        posing.pose_into(points, &mut self.warm, &mut self.posed);
        self.posed.jacobian.factor_into(&self.factor, &mut self.posed.problem);
        if blocks {
            self.posed.problem.form_blocks().map_err(|e| format!("the contact problem: {e}"))?;
        }
        self.impulses.clear();
        self.impulses.resize(self.posed.problem.rows(), 0.0);
        Ok(())
    }

    /// Solves what was posed; adds M⁻¹ Jᵀ λ to `v`.
    pub(super) fn solve(
        &mut self,
        solver: &mut dyn ContactSolver,
        v: &mut [f64],
    ) -> Result<SolveStatus, String> {
        if self.posed.problem.is_empty() {
            return Ok(SolveStatus::Converged);
        }
        let report = solver.solve(&self.posed.problem, &mut self.impulses);
        if report.status == SolveStatus::NumericalFailure {
            return Err(format!("{}: a number stopped being finite", solver.name()));
        }
        self.add_impulses(v);
        Ok(report.status)
    }

    /// Adds M⁻¹ Jᵀ λ to `v`.
    pub(super) fn add_impulses(&self, v: &mut [f64]) {
        let mut change = vec![0.0; v.len()];
        self.posed.jacobian.add_impulses_into(self.posed.problem.row_start(), &self.impulses, &mut change);
        self.factor.solve_in_place(&mut change);
        v.iter_mut().zip(&change).for_each(|(v, change)| *v += change);
    }
}
