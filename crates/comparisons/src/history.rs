//! How solvers get there: the residual after every iteration on one problem.

use crate::laws::by_law;
use stiction::contact::{ConstraintProblem, Judge, Watch, refusal};
use stiction::solvers::Params;
use stiction::solvers::registry::{self, Common};
use stiction_lab::solve::SolveError;
use stiction_plot::{Figure, Series};
use stiction_scene::overrides::params_for;

/// The iterates of one solver, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    pub solver: &'static str,
    /// Iterations as the solver reports them: those of [`stiction_lab::solve::Answer`].
    pub iterations: u32,
    /// Every iterate that the solver showed, and last its answer, at `iterations`.
    pub points: Vec<Point>,
}

/// One iterate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub iteration: u32,
    /// Natural map of the solver's own law [m/s].
    pub own: f64,
    /// Natural map of the exact law [m/s].
    pub exact: f64,
}

/// Watches every solver on `problem` from a cold start, each with those of `params` that it has. Judging is not counted
/// as work.
pub fn histories(
    problem: &ConstraintProblem,
    solvers: &[&str],
    common: &Common,
    params: &Params,
) -> Result<Vec<History>, SolveError> {
    let mut judge = Judge::default();
    let mut out = Vec::new();
    for (name, params) in solvers.iter().zip(params_for(params, solvers)?) {
        let mut solver = registry::make_from(name, common, &params)?;
        if let Some(reason) = refusal(solver.as_ref(), problem) {
            return Err(SolveError::Refused(reason));
        }
        let (law, mut points) = (solver.law(), Vec::new());
        let mut impulses = vec![0.0; problem.rows()];
        let mut see = |iteration, x: &[f64]| {
            let exact = judge.certify(problem, x).natural_map;
            points.push(Point { iteration, own: judge.natural_map_of(problem, x, law), exact });
        };
        let report = solver.solve_watched(problem, &mut impulses, &mut Watch::new(&mut see));
        see(report.iterations, &impulses);
        out.push(History { solver: solver.name(), iterations: report.iterations, points });
    }
    Ok(out)
}

/// Both residuals over the iterations.
pub fn figures(histories: &[History]) -> Vec<Figure> {
    let figure = |title: &str, value: fn(&Point) -> f64| {
        let series: Vec<Series> = (histories.iter())
            .map(|h| Series {
                label: h.solver.to_owned(),
                points: h.points.iter().map(|p| [f64::from(p.iteration) + 1.0, value(p)]).collect(),
            })
            .collect();
        by_law(Figure::of_series(title, "iterations + 1 [-]", "natural map [m/s]", &series)).log_x().log_y()
    };
    vec![
        figure("Residual of each solver's own law", |p| p.own),
        figure("Residual of the exact law", |p| p.exact),
    ]
}

/// Long form: one line per iterate.
pub fn csv(histories: &[History]) -> String {
    let mut text = "solver,iteration,own natural map [m/s],exact natural map [m/s]\n".to_owned();
    for h in histories {
        for p in &h.points {
            text += &format!("{},{},{:e},{:e}\n", h.solver, p.iteration, p.own, p.exact);
        }
    }
    text
}
