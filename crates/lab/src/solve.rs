//! One recorded contact problem under several solvers, cold started, each answer judged by the exact law.

use crate::overrides::params_for;
use crate::text::check_file;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;
use stiction::contact::{ConstraintProblem, Judge, Law, SolveStatus, refusal};
use stiction::solvers::Params;
use stiction::solvers::local::branches::{self, Branch};
use stiction::solvers::plan::{Tried, explained};
use stiction::solvers::registry::{self, Common, SolverError};
use stiction_problem_files::{self, ProblemFile, ProblemFileError};

/// One solver's answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    pub solver: &'static str,
    pub law: Law,
    pub status: SolveStatus,
    pub iterations: u32,
    /// Wall-clock time of the solve alone [s].
    pub time_s: f64,
    pub residual: Residual,
    /// Contacts that may answer otherwise by the exact law, for a solver of that law.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub several: Vec<SeveralAnswers>,
    /// In the order of the file [N·s], if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impulses: Option<Vec<f64>>,
    /// Natural map of the solver's own law [m/s].
    pub own_natural_map: f64,
    /// Stages that the plan of the solver has tried, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tried: Option<Vec<Tried>>,
}

/// By the exact law, whatever law the solver solves; see [`stiction::contact::certificate`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Residual {
    /// With ρᵢ = 1/‖Gᵢᵢ‖ [m/s].
    pub natural_map: f64,
    /// Over max(‖g‖, ‖u‖) [–].
    pub natural_map_relative: f64,
    pub eps_p: f64,
    pub eps_d: f64,
    pub eps_c: f64,
    pub eps_abs: f64,
}

/// A contact with several answers while the other impulses stay: Painlevé's paradox.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeveralAnswers {
    /// Block of the problem, from 0.
    pub constraint: usize,
    /// Any of "open", "stick", "slide".
    pub answers: Vec<&'static str>,
    /// The one taken.
    pub taken: &'static str,
}

/// Why a problem was not solved.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    #[error("{}: {reason}", path.display())]
    Read { path: PathBuf, reason: String },
    #[error(transparent)]
    File(#[from] ProblemFileError),
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// The solver cannot take the problem: why.
    #[error("{0}")]
    Refused(String),
}

/// How to solve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolveOptions {
    /// Where the solvers stop.
    pub common: Common,
    /// Parameters of the solvers, each taking those that it has.
    pub params: Params,
    /// Keep the impulses.
    pub impulses: bool,
    /// Keep the stages that plans try.
    pub explain: bool,
}

/// Reads a problem file.
pub fn load_problem(path: &Path) -> Result<ProblemFile, SolveError> {
    check_file(path).map_err(|reason| SolveError::Read { path: path.to_owned(), reason })?;
    Ok(stiction_problem_files::load(path)?)
}

/// The answers of `solvers`, in their order.
pub fn solve(
    file: &ProblemFile,
    solvers: &[&str],
    options: &SolveOptions,
) -> Result<Vec<Answer>, SolveError> {
    let problem = &file.problem;
    let mut judge = Judge::default();
    let mut answers = Vec::new();
    for (name, params) in solvers.iter().zip(params_for(&options.params, solvers)?) {
        let mut solver = registry::make_from(name, &options.common, &params)?;
        if let Some(reason) = refusal(solver.as_ref(), problem) {
            return Err(SolveError::Refused(reason));
        }
        let mut impulses = vec![0.0; problem.rows()];
        let start = Instant::now();
        let (report, tried) = if options.explain {
            let (report, tried) = explained(|| solver.solve(problem, &mut impulses));
            (report, Some(tried))
        } else {
            (solver.solve(problem, &mut impulses), None)
        };
        let time_s = start.elapsed().as_secs_f64();
        let certificate = judge.certify(problem, &impulses);
        let exact = solver.law() == Law::Ncp && problem.blocks_formed();
        answers.push(Answer {
            several: if exact { several_answers(problem, &impulses) } else { Vec::new() },
            solver: solver.name(),
            law: solver.law(),
            status: report.status,
            iterations: report.iterations,
            time_s,
            residual: Residual {
                natural_map: certificate.natural_map,
                natural_map_relative: certificate.natural_map_relative,
                eps_p: certificate.eps_p,
                eps_d: certificate.eps_d,
                eps_c: certificate.eps_c,
                eps_abs: certificate.eps_abs,
            },
            own_natural_map: judge.natural_map_of(problem, &impulses, solver.law()),
            impulses: options.impulses.then(|| file.to_file_order(&impulses)),
            tried,
        });
    }
    Ok(answers)
}

fn several_answers(problem: &ConstraintProblem, impulses: &[f64]) -> Vec<SeveralAnswers> {
    let named = |found: branches::Several| SeveralAnswers {
        constraint: found.block,
        answers: found.branches.iter().map(Branch::name).collect(),
        taken: found.branches[found.taken].name(),
    };
    branches::several(problem, impulses).into_iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A 1 kg point falling at 1 m/s on a plane, sliding at 2 m/s, μ = 0.5, normal first as in the files: the normal
    /// impulse is 1, the friction impulse 0.5 against the slip.
    #[test]
    fn a_point_by_hand_in_the_order_of_the_file() {
        let text = r#"{"name": "point", "formulation": "local", "dim": 3, "nc": 1, "contact_frame": "N,T1,T2",
            "W": {"shape": [3, 3], "dense": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}, "q": [-1, 2, 0], "mu": [0.5]}"#;
        let file = stiction_problem_files::parse(text, "point.json").unwrap();
        let default = registry::all()[0].name;
        let options = SolveOptions { impulses: true, ..SolveOptions::default() };
        let answers = solve(&file, &[default], &options).unwrap();
        assert_eq!(answers[0].status, SolveStatus::Converged);
        assert!(answers[0].residual.natural_map < 1e-8 && answers[0].own_natural_map < 1e-8);
        assert!(answers[0].several.is_empty());
        let impulses = answers[0].impulses.as_ref().unwrap();
        let error = impulses.iter().zip([1.0, -0.5, 0.0]).map(|(a, b): (&f64, f64)| (a - b).abs());
        assert!(error.fold(0.0, f64::max) < 1e-8, "{impulses:?}");
    }

    /// Among three answers `nsgs` takes the open one.
    #[test]
    fn the_branch_of_a_rod_of_painleve_is_named() {
        let rod = stiction::contact::corpus::painleve(0.01);
        let file =
            stiction_problem_files::parse(&stiction_problem_files::to_json("rod", &rod, None), "rod.json")
                .unwrap();
        let options = SolveOptions::default();
        let answers = solve(&file, &["nsgs", "ccp-pgs"], &options).unwrap();
        let several =
            SeveralAnswers { constraint: 0, answers: vec!["open", "stick", "slide"], taken: "open" };
        assert_eq!((answers[0].several.clone(), answers[1].several.len()), (vec![several], 0));
    }
}
