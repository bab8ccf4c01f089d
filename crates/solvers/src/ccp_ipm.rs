//! `ccp-ipm`: Clarabel's interior points on the convex relaxation.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ ∈ K_μᵢ*                                          (2)  [Anitescu2006]
//! ```
//!
//! as the second-order cone program min ½ λᵀ(G + R)λ + gᵀλ, λ ∈ K, handed to Clarabel [Goulart2024] in
//! the scaled variables of [`crate::admm`]. Independent of everything else here: the oracle of the other
//! solvers of this law. Its answer is projected on the cones and measured, not polished. Only the symmetric
//! part of G is a program's; where G is not symmetric the residual says so. A warm start is of no use to it.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). 15 to 60 sparse factorisations.
//! Allocates in every solve: Clarabel is built anew for each.

use crate::error::ParamError;
use crate::initial_guess::InitialGuesses;
use crate::iterate::Limits;
use crate::parameters::{Parameters, parameters};
use crate::residual::StoppingResidual;
use crate::task::Task;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use stiction_contact::{Cone, ConstraintProblem, ContactSolver, Law, SolveReport, SolveStatus, Watch};

/// Gap and feasibility Clarabel is asked for [–]: out of reach, so that it goes as far as it gets. Asked for
/// what can just be reached, it takes the first rise of a residual at rounding for the end.
const ACCURACY: f64 = 1e-25;
/// Of its factors [–], and share of the way to the boundary a step may go: with its own 1e-8 and 0.99, half of
/// the heaps end at 1e-7 m/s.
const REGULARISATION: f64 = 1e-11;
const TO_BOUNDARY: f64 = 0.7;

parameters! {
    /// Parameters of [`CcpIpm`].
    pub struct CcpIpmParams {
        /// Natural map of (2) that counts as converged.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Steps before giving up.
        max_iterations: u32 = 200, "–", at_least(1.0);
    }
}

/// The solver of this module.
pub struct CcpIpm {
    limits: Limits,
    stopping: StoppingResidual, // holds during one solve
    starts: InitialGuesses,
    c: Vec<f64>,
    trial: Vec<f64>,
}

impl CcpIpm {
    pub const NAME: &str = "ccp-ipm";

    pub fn new(params: CcpIpmParams) -> Result<Self, ParamError> {
        params.check(Self::NAME)?;
        let CcpIpmParams { tolerance, max_iterations } = params;
        let limits = Limits { tolerance, max_iterations };
        Ok(Self {
            limits,
            stopping: StoppingResidual::default(),
            starts: InitialGuesses::default(),
            c: Vec::new(),
            trial: Vec::new(),
        })
    }
}

impl ContactSolver for CcpIpm {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn law(&self) -> Law {
        Law::Ccp
    }

    fn solve_watched(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        assert_eq!(impulses.len(), problem.rows(), "one impulse per row");
        let report = |status, iterations, residual| SolveReport { status, iterations, residual };
        if !problem.blocks_formed() {
            let mut formed = problem.clone();
            return match formed.form_blocks() {
                Ok(()) => self.solve_watched(&formed, impulses, watch),
                Err(_) => report(SolveStatus::NumericalFailure, 0, f64::NAN),
            };
        }
        self.stopping.prepare(problem);
        if !problem.free_velocity.iter().map(|g| g * g).sum::<f64>().is_finite() {
            impulses.fill(0.0);
            return report(SolveStatus::NumericalFailure, 0, f64::NAN);
        }
        let task =
            Task { problem, stopping: &self.stopping, law: Law::Ccp, tolerance: self.limits.tolerance };
        let least = self.starts.choose(&task, impulses, &mut self.c);
        self.trial.clear();
        self.trial.resize(problem.rows(), 0.0);
        watch.show(0, impulses);
        if least <= self.limits.tolerance {
            return report(SolveStatus::Converged, 0, least);
        }
        let Some((status, iterations)) = self.minimise(problem) else {
            return report(SolveStatus::NumericalFailure, 0, least);
        };
        problem.velocities_into(&self.trial, &mut self.c);
        let reached = self.stopping.residual(problem, Law::Ccp, &self.trial, &self.c);
        if reached < least {
            impulses.copy_from_slice(&self.trial);
        }
        watch.show(iterations, impulses);
        let residual = if reached < least { reached } else { least };
        let converged = residual <= self.limits.tolerance;
        report(if converged { SolveStatus::Converged } else { status }, iterations, residual)
    }
}

impl CcpIpm {
    /// Clarabel's answer into `trial`, why it ended if not at the goal, and its steps.
    fn minimise(&mut self, problem: &ConstraintProblem) -> Option<(SolveStatus, u32)> {
        let mut scale = Vec::with_capacity(problem.rows());
        for (cone, norm) in problem.cones().iter().zip(&self.stopping.norms) {
            scale.extend(std::iter::repeat_n(1.0 / norm.sqrt(), cone.dim()));
        }
        let matrix = upper_triangle(problem, &scale);
        if !matrix.nzval.iter().all(|a| a.is_finite()) {
            return None;
        }
        let mut free: Vec<f64> = problem.free_velocity.iter().zip(&scale).map(|(g, p)| g * p).collect();
        // Impulses grow with g: the largest of ḡ becomes 1.
        let largest = free.iter().fold(0.0_f64, |m, g| m.max(g.abs()));
        if largest > 0.0 {
            free.iter_mut().for_each(|g| *g /= largest);
            scale.iter_mut().for_each(|p| *p *= largest);
        }
        let (rows, side, cones) = constraints(problem, &scale);
        let settings = DefaultSettings {
            verbose: false,
            max_iter: self.limits.max_iterations,
            tol_gap_abs: ACCURACY,
            tol_gap_rel: ACCURACY,
            tol_feas: ACCURACY,
            static_regularization_constant: REGULARISATION,
            max_step_fraction: TO_BOUNDARY,
            equilibrate_enable: false, // it is scaled
            ..DefaultSettings::default()
        };
        let mut solver = DefaultSolver::new(&matrix, &free, &rows, &side, &cones, settings).ok()?;
        solver.solve();
        self.trial.clear();
        self.trial.extend(solver.solution.x.iter().zip(&scale).map(|(y, p)| y * p));
        for (i, cone) in problem.cones().iter().enumerate() {
            cone.project(&mut self.trial[problem.range(i)]);
        }
        let ended = match solver.solution.status {
            SolverStatus::MaxIterations => SolveStatus::IterationLimit,
            _ => SolveStatus::Stalled,
        };
        self.trial.iter().all(|l| l.is_finite()).then_some((ended, solver.solution.iterations))
    }
}

/// Of the symmetric part of P (G + R) P, by columns.
fn upper_triangle(problem: &ConstraintProblem, scale: &[f64]) -> CscMatrix<f64> {
    let n = problem.rows();
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for j in 0..problem.len() {
        let columns = problem.range(j);
        for (local, c) in columns.clone().enumerate() {
            for k in problem.blocks.entries(j) {
                let others = problem.range(problem.blocks.column_of(k));
                let here = problem.blocks.entry(k);
                let there = problem.blocks.entry(problem.blocks.mirror_of(k));
                for (at, r) in others.clone().enumerate().filter(|&(_, r)| r <= c) {
                    let own = here[local * others.len() + at] + there[at * columns.len() + local];
                    let compliance = if r == c { problem.compliance[r] } else { 0.0 };
                    rows.push(r);
                    values.push(scale[r] * scale[c] * (0.5 * own + compliance));
                }
            }
            starts.push(rows.len());
        }
    }
    CscMatrix::new(n, n, starts, rows, values)
}

/// A, b and the cones of A y + s = b, s ∈ cones; a cone's leading component stands first here.
fn constraints(
    problem: &ConstraintProblem,
    scale: &[f64],
) -> (CscMatrix<f64>, Vec<f64>, Vec<SupportedConeT<f64>>) {
    let (mut at, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let (mut side, mut cones) = (Vec::new(), Vec::new());
    let mut row = |column: usize, value: f64, b: f64| {
        at.push(side.len());
        columns.push(column);
        values.push(value);
        side.push(b);
    };
    for (i, cone) in problem.cones().iter().enumerate() {
        let r = problem.range(i).start;
        match *cone {
            Cone::Free | Cone::Patch { .. } => {}
            Cone::NonNegative => {
                row(r, -1.0, 0.0);
                cones.push(SupportedConeT::NonnegativeConeT(1));
            }
            Cone::Box { lo, hi } if lo >= hi => {
                row(r, 1.0, lo / scale[r]);
                cones.push(SupportedConeT::ZeroConeT(1));
            }
            Cone::Box { lo, hi } => {
                for (sign, bound) in [(-1.0, lo), (1.0, hi)] {
                    if bound.is_finite() {
                        row(r, sign, sign * bound / scale[r]);
                        cones.push(SupportedConeT::NonnegativeConeT(1));
                    }
                }
            }
            Cone::Friction { mu } if mu > 0.0 => {
                row(r + 2, -mu, 0.0);
                row(r, -1.0, 0.0);
                row(r + 1, -1.0, 0.0);
                cones.push(SupportedConeT::SecondOrderConeT(3));
            }
            Cone::Friction { .. } => {
                row(r, 1.0, 0.0);
                row(r + 1, 1.0, 0.0);
                row(r + 2, -1.0, 0.0);
                cones.push(SupportedConeT::ZeroConeT(2));
                cones.push(SupportedConeT::NonnegativeConeT(1));
            }
        }
    }
    let matrix = CscMatrix::new_from_triplets(side.len(), problem.rows(), at, columns, values);
    (matrix, side, cones)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ccp_admm::{CcpAdmm, CcpAdmmParams};
    use crate::testing::{heap, point};

    /// A point that slides at speed s with μ leaves the ground at μ s/(1 + μ²) in one step.
    #[test]
    fn sliding_lifts_as_the_relaxation_says() {
        let problem = point(2.0, 0.5, [1.0, 0.0, -0.1]);
        let mut impulses = vec![0.0; 3];
        assert!(CcpIpm::new(CcpIpmParams::default()).unwrap().solve(&problem, &mut impulses).converged());
        let mut c = Vec::new();
        problem.velocities_into(&impulses, &mut c);
        assert!((c[2] - 0.5 * c[0]).abs() < 1e-8, "{c:?}");
        assert!((c[2] - 0.5 * (1.0 - 0.5 * 0.1) / (1.0 + 0.25)).abs() < 1e-8, "{c:?}");
    }

    /// The minimiser's velocities are unique: two methods that share no line agree.
    #[test]
    fn the_oracle_agrees_with_alternating_directions() {
        for seed in 0..20 {
            let problem = heap(1 + seed as usize % 6, seed);
            let velocities = |solver: &mut dyn ContactSolver| {
                let (mut impulses, mut c) = (vec![0.0; problem.rows()], Vec::new());
                let report = solver.solve(&problem, &mut impulses);
                assert!(report.residual <= 2e-7, "{seed}: {report:?}");
                problem.velocities_into(&impulses, &mut c);
                c
            };
            let oracle = velocities(&mut CcpIpm::new(CcpIpmParams::default()).unwrap());
            let admm = velocities(&mut CcpAdmm::new(CcpAdmmParams::default()).unwrap());
            let apart = oracle.iter().zip(&admm).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(apart < 1e-6, "{seed}: {apart}");
        }
    }
}
