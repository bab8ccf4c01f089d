//! `ncp-lanes`: the solver of batches, for one environment in `f64`.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ + Γ(cᵢ) ∈ K_μᵢ*                                  (2)  [DeSaxce1998]
//! ```
//!
//! by the smallest impulses that hold all that touches, where these are an answer, else by two iterations in turn ([`crate::lanes`], the text that batches run in vectors):
//!
//! ```text
//!     odd     a sweep of exact one-contact answers                    (3)  [Jourdan1998]
//!     even    Newton's step on the active set that (3) ended with     (4)  [AlartCurnier1991]
//! ```
//!
//! (4) is taken where it lowers the natural map; where it does not, the next is regularised more. It fails where sweeps find
//! the active set slowly, in stacks and at large mass ratios, or never, as of some bodies that slide on four corners from a
//! cold start; and where G is not symmetric, which (3) assumes. Then `patience` ends the solve; batches leave such
//! environments to `auto`.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). An iteration costs some rows², every other one
//! rows³/3, dense, per island. Allocates only when the problem grows.

use crate::iterate::{Limits, Method};
use crate::iterate_solver::{IslandMethod, IslandSolver};
use crate::lanes::{LaneCone, LaneProblem, LaneSettings, LaneSolver, Progress};
use crate::parameters::parameters;
use crate::task::Task;
use stiction_contact::{Cone, ConstraintProblem, Law};

parameters! {
    /// Parameters of [`NcpLanes`].
    pub struct NcpLanesParams {
        /// Stop when the natural map of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Iterations (3) or (4) before giving up; batches take 79.
        max_iterations: u32 = 1000, "–", at_least(1.0);
        /// Iterations that may leave more than 0.3 of the residual before giving up; 8 as in batches, more solve more stacks.
        patience: u32 = 8, "–", at_least(1.0);
    }
}

/// The solver of this module.
pub type NcpLanes = IslandSolver<NcpLanesParams>;

impl IslandMethod for NcpLanesParams {
    type Method = OneLane;
    const NAME: &'static str = "ncp-lanes";
    const TAKES_PATCHES: bool = true;

    fn law(&self) -> Law {
        Law::Ncp
    }

    fn limits(&self) -> Limits {
        Limits { tolerance: self.tolerance, max_iterations: self.max_iterations }
    }

    fn method(&self) -> LaneSettings {
        LaneSettings {
            nudge: NUDGE,
            newton_nudge: NUDGE,
            rests: 0.0,
            closed: CLOSED,
            holding_nudge: NUDGE,
            outside: OUTSIDE,
            patience: f64::from(self.patience),
        }
    }
}

/// An island as the one lane there is.
#[derive(Default)]
pub struct OneLane {
    cones: Vec<LaneCone<f64>>,
    /// G + R, dense.
    A: Vec<f64>,
    solver: LaneSolver<f64>,
    progress: Option<Progress<f64>>,
    /// The first row has found an answer, which the loop has not seen.
    held: bool,
}

/// Nudge of [`LaneSettings`], as in batches of `f64` [–].
const NUDGE: f64 = 1e-10;
/// Contacts that hold leave no more, and contacts that open faster are open [m/s].
const CLOSED: f64 = 1e-8;
/// Share by which impulses that hold may leave their cones [–].
const OUTSIDE: f64 = 1e-9;
/// When to stop is for the loop around it to say.
const NEVER: f64 = 0.0;

impl Method for OneLane {
    type Params = LaneSettings;
    const PATIENCE: u32 = u32::MAX; // the lane has its own

    fn start(&mut self, settings: &LaneSettings, task: &Task, lambda: &[f64], _c: &[f64]) -> bool {
        self.gather(task.problem);
        self.solver.lambda.clear();
        self.solver.lambda.extend_from_slice(lambda);
        let problem = LaneProblem { cones: &self.cones, A: &self.A, g: &task.problem.free_velocity };
        let mut progress = self.solver.begin(&problem, NEVER, 1.0, *settings);
        let before = progress.e;
        self.solver.hold(&problem, task.tolerance, 1.0, *settings, &mut progress);
        (self.held, progress.running) = (progress.e < before, true);
        self.progress = Some(progress);
        true
    }

    fn iterate(&mut self, settings: &LaneSettings, task: &Task, lambda: &mut [f64]) -> bool {
        let Some(progress) = &mut self.progress else { return false };
        if std::mem::take(&mut self.held) {
            lambda.copy_from_slice(&self.solver.lambda);
            return true;
        }
        let problem = LaneProblem { cones: &self.cones, A: &self.A, g: &task.problem.free_velocity };
        self.solver.go_on(&problem, NEVER, *settings, progress); // (3) or (4)
        lambda.copy_from_slice(&self.solver.lambda);
        progress.running
    }
}

impl OneLane {
    fn gather(&mut self, problem: &ConstraintProblem) {
        self.cones.clear();
        self.cones.extend(problem.cones().iter().map(|cone| match *cone {
            Cone::Free => LaneCone::row([f64::NEG_INFINITY, f64::INFINITY], 1.0),
            Cone::NonNegative => LaneCone::row([0.0, f64::INFINITY], 1.0),
            Cone::Box { lo, hi } => LaneCone::row([lo, hi], 1.0),
            Cone::Friction { mu } | Cone::Patch { mu, .. } => LaneCone::contact(cone.dim(), mu, 1.0),
        }));
        let (n, blocks) = (problem.rows(), &problem.blocks);
        self.A.clear();
        self.A.resize(n * n, 0.0);
        for i in 0..problem.len() {
            for entry in blocks.entries(i) {
                let (rows, columns) = (problem.range(i), problem.range(blocks.column_of(entry)));
                for (row, numbers) in rows.zip(blocks.entry(entry).chunks_exact(columns.len())) {
                    self.A[row * n + columns.start..row * n + columns.end].copy_from_slice(numbers);
                }
            }
        }
        for (row, compliance) in problem.compliance.iter().enumerate() {
            self.A[row * (n + 1)] += compliance;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::point;
    use stiction_contact::certificate::certify;
    use stiction_contact::{ContactSolver, SolveReport};

    fn solve(problem: &ConstraintProblem) -> (Vec<f64>, SolveReport) {
        let mut impulses = vec![0.0; problem.rows()];
        let report = NcpLanes::new(NcpLanesParams::default()).unwrap().solve(problem, &mut impulses);
        assert!(report.converged() && certify(problem, &impulses).natural_map <= 1e-8, "{report:?}");
        (impulses, report)
    }

    /// One contact without coupling of normal and tangent: the first sweep is the answer, but for 1e-10 of A that makes any
    /// A_ii invertible.
    #[test]
    fn one_contact_takes_one_sweep() {
        for (g, exact) in [
            ([0.02, 0.0, -0.1], [-0.04, 0.0, 0.2]),
            ([1.0, 0.0, -0.1], [-0.1, 0.0, 0.2]),
            ([1.0, 0.0, 0.1], [0.0; 3]),
        ] {
            let (impulses, report) = solve(&point(2.0, 0.5, g));
            assert!(impulses.iter().zip(exact).all(|(a, b)| (a - b).abs() < 1e-9), "{impulses:?}");
            assert!(report.iterations <= 1, "{report:?}");
        }
    }

    /// Rows of every kind, two by two: a limit that a bilateral row presses, and dry friction that a pull exceeds.
    /// G = [2 1; 1 2]: with λ₀ free, c₀ = 0 and λ₁ ≥ 0.
    #[test]
    fn single_rows_have_their_bounds() {
        for (cone, g, exact) in [
            (Cone::NonNegative, [0.0, -3.0], [-1.0, 2.0]),
            (Cone::NonNegative, [2.0, 3.0], [-1.0, 0.0]),
            (Cone::Box { lo: -0.5, hi: 0.5 }, [0.0, -3.0], [-0.25, 0.5]),
        ] {
            let mut problem = ConstraintProblem::default();
            problem.push(Cone::Free, &g[..1]);
            problem.push(cone, &g[1..]);
            let (start, blocks) = problem.starts_and_blocks_mut();
            blocks.set_pattern(start, |_, out| out.extend(0..2));
            for (entry, value) in [2.0, 1.0, 1.0, 2.0].into_iter().enumerate() {
                blocks.entry_mut(entry)[0] = value;
            }
            let (impulses, _) = solve(&problem);
            assert!(impulses.iter().zip(exact).all(|(a, b)| (a - b).abs() < 1e-9), "{cone:?} {impulses:?}");
        }
    }

    /// A patch of unit diagonal slides along one tangent and spins: friction μ λ_N against (c_T, spin) = (3, 4)/5.
    #[test]
    fn a_patch_brakes_slip_and_spin_alike() {
        let mut problem = ConstraintProblem::default();
        problem.push(Cone::Patch { mu: 0.5, rolls: false }, &[3.0, 0.0, -2.0, 4.0]);
        let (start, blocks) = problem.starts_and_blocks_mut();
        blocks.set_pattern(start, |i, out| out.push(i));
        (0..4).for_each(|k| blocks.entry_mut(0)[5 * k] = 1.0);
        let (impulses, _) = solve(&problem);
        let exact = [-0.6, 0.0, 2.0, -0.8];
        assert!(impulses.iter().zip(exact).all(|(a, b)| (a - b).abs() < 1e-8), "{impulses:?}");
    }
}
