//! What accuracy costs: time and residual of every solver on a contact problem of every scene.
//!
//! Each scene runs under the default solver to its chosen instant; the problem of the next step is solved cold by
//! everyone at tolerances from 10⁻² to 10⁻¹⁰ of ‖g‖. Times are medians of repeated solves and depend on the
//! machine; what is claimed does not:
//!
//! ```text
//!     "converged" is said only where the judge's own-law residual is at most the tolerance     (1)
//!     the relaxation buys no accuracy by the exact law: a sliding cube's is the same at 10⁻⁴ and 10⁻¹⁰  (2)
//!     every problem is solved to 10⁻⁸ ‖g‖ by some solver of the exact law, and not by λ = 0     (3)
//! ```

use super::{Claim, Experiment, ExperimentError, Findings, Size, Table, capitalised, simulation, step};
use std::time::Instant;
use stiction::contact::{ConstraintProblem, Judge, Law};
use stiction::solvers::registry::{self, Common, Entry};
use stiction_comparisons::laws::by_law;
use stiction_plot::{Figure, Series};
use stiction_scene::Scene;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "pareto",
    title: "Time against accuracy of every solver, on a contact problem of every scene",
    source: "After Acary et al., On Solving Contact Problems with Coulomb Friction [Acary2018]",
    measure,
};

/// Scenes, and the steps before the problem that is taken.
const SCENES: [(&str, usize); 6] = [
    ("cube-slide", 50),
    ("grasp", 100),
    ("slope", 100),
    ("quadruped", 100),
    ("stack", 100),
    ("mass-ratio-stack", 50),
];
/// Where a cube slides at that instant.
const SLIDING: &str = "cube-slide";
const TOLERANCES: [f64; 5] = [1e-2, 1e-4, 1e-6, 1e-8, 1e-10];
const MAX_ITERATIONS: u32 = 1000;
/// A solve is repeated until this much time is spent [s], at most [`REPEATS`] times.
const ENOUGH: f64 = 2e-3;
const REPEATS: usize = 9;

/// One solver at one tolerance.
struct Answer {
    solver: &'static str,
    law: Law,
    tolerance: f64,
    time: f64,
    iterations: u32,
    converged: bool,
    /// Over ‖g‖.
    own: f64,
    exact: f64,
}

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let mut findings = Findings::default();
    let scenes = if size == Size::Full { &SCENES[..] } else { &SCENES[..2] };
    let (mut dishonest, mut rows) = (Vec::new(), Vec::new());
    for &(scene, steps) in scenes {
        let problem = problem_of(scene, steps)?;
        let mut answers = Vec::new();
        let nothing = vec![0.0; problem.rows()];
        let without = Judge::default().certify(&problem, &nothing).natural_map / scale(&problem);
        findings.claims.push(Claim {
            claim: format!("{scene}: impulses are needed: λ = 0 does not solve it to 1e-2 ‖g‖"),
            measured: format!(
                "natural map of λ = 0 over ‖g‖: {without:.1e}, {} contacts and limits",
                problem.len()
            ),
            holds: without > 1e-2,
            sample: problem.len(),
        });
        for entry in registry::all() {
            for tolerance in TOLERANCES {
                answers.push(answer(entry, &problem, tolerance)?);
            }
        }
        for a in answers.iter().filter(|a| a.converged && !(a.own <= a.tolerance * (1.0 + 1e-9))) {
            dishonest.push(format!("{scene}, {}: {:.1e} at {:.0e}", a.solver, a.own, a.tolerance));
        }
        if scene == SLIDING {
            for entry in registry::all().iter().filter(|e| e.law == Law::Ccp) {
                let at = |tolerance: f64| {
                    let mine = |a: &&Answer| a.solver == entry.name && a.tolerance == tolerance;
                    answers.iter().find(mine).map_or(f64::NAN, |a| a.exact)
                };
                let claim = format!(
                    "{scene}, {}: residual of the exact law at 1e-10, that at 1e-4 predicted",
                    entry.name
                );
                findings.predict(claim, "-", at(1e-4), at(1e-10), 1e-2);
            }
        }
        let exact = |a: &&Answer| a.law == Law::Ncp && a.exact <= 1e-8;
        let solvers = registry::all().iter().filter(|e| e.law == Law::Ncp);
        let by = solvers.filter(|e| answers.iter().filter(exact).any(|a| a.solver == e.name)).count();
        findings.claims.push(Claim {
            claim: format!("{scene}: some solver meets the exact law to 1e-8 ‖g‖"),
            measured: format!("{by} of {} do", registry::all().iter().filter(|e| e.law == Law::Ncp).count()),
            holds: by > 0,
            sample: answers.len(),
        });
        keep(&mut findings, scene, &answers);
        rows.extend(answers.iter().map(|a| row(scene, a)));
    }
    findings.claims.push(Claim {
        claim: "answers that are called converged and are not".to_owned(),
        measured: if dishonest.is_empty() { "none".to_owned() } else { dishonest.join("; ") },
        holds: dishonest.is_empty(),
        sample: rows.len(),
    });
    let heads = ["scene", "solver", "law", "tolerance", "time [µs]", "iterations", "own law", "exact law"];
    findings.tables.push(Table {
        stem: "pareto",
        title: "Time against accuracy".to_owned(),
        about:
            "Cold solves of one step of each scene. Tolerance and residuals over ‖g‖; medians of repeated \
                solves on one thread."
                .to_owned(),
        heads: heads.map(str::to_owned).into(),
        rows,
    });
    Ok(findings)
}

/// The problem of one step, with M, J and what compliant laws read.
fn problem_of(scene: &str, steps: usize) -> Result<ConstraintProblem, ExperimentError> {
    let scene = Scene::builtin(scene)?;
    let mut sim = simulation(&scene, "auto")?;
    for k in 1..=steps {
        step(&mut sim, k)?;
    }
    // `mujoco` asks for all there is.
    let mut asking = simulation(&scene, "mujoco")?;
    asking.sim_mut().control_mut().copy_from_slice(sim.sim_mut().control_mut());
    asking.sim_mut().set_state(sim.sim().state().clone()).map_err(stiction::SetupError::from)?;
    step(&mut asking, steps + 1)?;
    Ok(asking.sim().problem().clone())
}

/// ‖g‖ [m/s].
fn scale(problem: &ConstraintProblem) -> f64 {
    problem.free_velocity.iter().map(|g| g * g).sum::<f64>().sqrt()
}

fn answer(entry: &Entry, problem: &ConstraintProblem, tolerance: f64) -> Result<Answer, ExperimentError> {
    let scale = scale(problem);
    let common = Common { tolerance: tolerance * scale, max_iterations: MAX_ITERATIONS };
    let (mut times, mut x) = (Vec::new(), Vec::new());
    let mut report = None;
    while times.len() < REPEATS && times.iter().sum::<f64>() < ENOUGH {
        let mut solver = registry::make(entry.name, &common)?;
        x = vec![0.0; problem.rows()];
        let start = Instant::now();
        report = Some(solver.solve(problem, &mut x));
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let mut judge = Judge::default();
    Ok(Answer {
        solver: entry.name,
        law: entry.law,
        tolerance,
        time: times[times.len() / 2],
        iterations: report.map_or(0, |r| r.iterations),
        converged: report.is_some_and(|r| r.converged()),
        own: judge.natural_map_of(problem, &x, entry.law) / scale,
        exact: judge.certify(problem, &x).natural_map / scale,
    })
}

/// A figure: its name, and the laws it shows.
type Family = (&'static str, fn(Law) -> bool);

/// A figure for the solvers of the exact law, one for the rigid approximations, one for the compliant laws.
fn keep(findings: &mut Findings, scene: &str, answers: &[Answer]) {
    let families: [Family; 3] = [
        ("exact", |l| l == Law::Ncp),
        ("relaxed", |l| l != Law::Ncp && !l.compliant()),
        ("compliant", Law::compliant),
    ];
    for (family, holds) in families {
        let series: Vec<Series> = (registry::all().iter())
            .filter(|e| holds(e.law))
            .map(|e| Series { label: e.name.to_owned(), points: by_accuracy(answers, e.name) })
            .collect();
        let title = format!("{}: what accuracy costs, {family} laws", capitalised(scene));
        let axes = ["time [µs]", "natural map of the own law over ‖g‖ [-]"];
        findings.keep_over(&format!("{scene}-{family}"), &title, axes, series, |f: Figure| {
            by_law(f.marked()).log_x().log_y()
        });
    }
}

/// Residual of the own law of one solver, from the coarsest answer to the finest, and the least time in which an answer as fine was had [µs]: a
/// curve that turns back in neither, whichever tolerance asked for an answer and whatever else the machine did meanwhile.
fn by_accuracy(answers: &[Answer], solver: &str) -> Vec<[f64; 2]> {
    let mut points: Vec<[f64; 2]> =
        answers.iter().filter(|a| a.solver == solver).map(|a| [1e6 * a.time, a.own]).collect();
    points.sort_by(|a, b| b[1].total_cmp(&a[1]));
    let mut least = f64::INFINITY;
    for point in points.iter_mut().rev() {
        least = least.min(point[0]);
        point[0] = least;
    }
    points
}

fn row(scene: &str, a: &Answer) -> Vec<String> {
    vec![
        scene.to_owned(),
        a.solver.to_owned(),
        a.law.to_string(),
        format!("{:.0e}", a.tolerance),
        format!("{:.1}", 1e6 * a.time),
        a.iterations.to_string(),
        format!("{:.1e}", a.own),
        format!("{:.1e}", a.exact),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_in_order_of_accuracy() {
        let answer = |solver, time, own| Answer {
            solver,
            law: Law::Ncp,
            tolerance: 1e-2,
            time,
            iterations: 1,
            converged: true,
            own,
            exact: own,
        };
        let answers = [
            answer("a", 1e-6, 1e-3),
            answer("a", 3e-6, 1e-9),
            answer("b", 0.0, 0.0),
            answer("a", 9e-6, 1e-6),
        ];
        let points = by_accuracy(&answers, "a");
        assert_eq!(points.iter().map(|p| p[1]).collect::<Vec<_>>(), [1e-3, 1e-6, 1e-9]);
        let times: Vec<f64> = points.iter().map(|p| p[0].round()).collect();
        assert_eq!(times, [1.0, 3.0, 3.0], "a pause of the machine is no cost");
    }
}
