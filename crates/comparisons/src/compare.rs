//! One scene under several contact solvers, side by side.

use crate::laws::by_law;
use serde::Serialize;
use std::ops::ControlFlow;
use stiction::recording::Recording;
use stiction::{SetupError, StepperName};
use stiction_lab::runner::{Progress, RunOptions, Runner};
use stiction_lab::summary::Summary;
use stiction_lab::trajectory::{Detail, Trajectory, check_size};
use stiction_plot::{Figure, Series};
use stiction_scene::overrides::{Overrides, params_for};
use stiction_scene::{Scene, SceneError};

/// Comparison of contact solvers on one scene.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    pub scene: String,
    pub description: String,
    pub runs: Vec<Contender>,
    /// Solvers or steppers that cannot run it.
    pub refused: Vec<Refused>,
}

/// A solver or stepper that cannot run a scene, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refused {
    pub contact: String,
    pub failure: String,
}

/// One solver's run.
#[derive(Clone, Debug, Serialize)]
pub struct Contender {
    #[serde(flatten)]
    pub summary: Summary,
    /// Worst natural map by the solver's own law [m/s]: how well it solved what it set out to solve.
    pub own_natural_map: Option<f64>,
    /// Why the run ended before its time, if it did.
    pub failure: Option<String>,
    #[serde(skip)]
    pub trajectory: Trajectory,
    /// To look at, if asked for.
    #[serde(skip)]
    pub recording: Option<Recording>,
}

impl Comparison {
    /// Runs `scene` once with each of `contacts`, recorded at so many frames a second if any; ends early when `on_step`
    /// (told the solver) breaks off. Each solver takes those of the parameters in `overrides` that it has. One that cannot run the
    /// scene is told, and the others run; it is an error where none can.
    pub fn run(
        scene: &Scene,
        contacts: &[&str],
        overrides: &Overrides,
        frames_per_second: Option<f64>,
        mut on_step: impl FnMut(&str, &Progress) -> ControlFlow<()>,
    ) -> Result<Self, SceneError> {
        let (mut runs, mut refused) = (Vec::new(), Vec::new());
        let params = params_for(&overrides.contact_params, contacts).map_err(SetupError::from)?;
        for (contact, contact_params) in contacts.iter().zip(params) {
            let contact_solver = Some((*contact).to_owned());
            let overrides = Overrides { contact: contact_solver, contact_params, ..overrides.clone() };
            let (run, interrupted) =
                match contend(scene, contact, &overrides, frames_per_second, &mut on_step) {
                    Ok(done) => done,
                    Err(error @ SceneError::Setup(_)) if refused.len() + 1 < contacts.len() => {
                        refused.push(Refused { contact: (*contact).to_owned(), failure: error.to_string() });
                        continue;
                    }
                    Err(error) => return Err(error),
                };
            runs.extend(run);
            if interrupted {
                break;
            }
        }
        let (scene, description) = (scene.name.clone(), scene.description.clone());
        Ok(Self { scene, description, runs, refused })
    }

    /// Runs `scene` once with each of `steppers`, all with the contact solver of `overrides` where they take one. What a stepper
    /// has no word for it refuses, and is left out.
    pub fn of_steppers(
        scene: &Scene,
        steppers: &[StepperName],
        overrides: &Overrides,
        frames_per_second: Option<f64>,
        mut on_step: impl FnMut(&str, &Progress) -> ControlFlow<()>,
    ) -> Result<Self, SceneError> {
        let (mut runs, mut refused) = (Vec::new(), Vec::new());
        for stepper in steppers {
            let overrides = Overrides { stepper: Some(*stepper), ..overrides.clone() };
            let name = stepper.as_str();
            match contend(scene, name, &overrides, frames_per_second, &mut on_step) {
                Ok((run, interrupted)) => {
                    runs.extend(run);
                    if interrupted {
                        break;
                    }
                }
                Err(SceneError::Setup(SetupError::Made(cause))) => {
                    refused.push(Refused { contact: name.to_owned(), failure: cause.to_string() });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Self { scene: scene.name.clone(), description: scene.description.clone(), runs, refused })
    }

    /// All runs in one recording, taken out of them; none if none was recorded.
    pub fn take_recording(&mut self) -> Option<Recording> {
        Recording::together(self.runs.iter_mut().filter_map(|r| r.recording.take()).collect())
    }

    /// One figure per quantity, over time.
    pub fn figures(&self) -> Vec<Figure> {
        let figure = |title: &str, axis: &str, value: &dyn Fn(&Trajectory, usize) -> f64| {
            let series: Vec<Series> = (self.runs.iter())
                .map(|run| Series {
                    label: run.summary.contact.clone(),
                    points: (0..run.trajectory.len())
                        .map(|i| [run.trajectory.t[i], value(&run.trajectory, i)])
                        .collect(),
                })
                .collect();
            by_law(Figure::of_series(title, "time [s]", axis, &series))
        };
        vec![
            figure("Energy", "kinetic + potential [J]", &|r, i| r.energy[i]),
            figure("Certificate of every step", "natural map [m/s]", &|r, i| r.natural_map[i]).log_y(),
            figure("Deepest penetration", "overlap [m]", &|r, i| r.penetration[i]),
            figure("Iterations of the contact solver", "iterations [-]", &|r, i| f64::from(r.iterations[i])),
            figure("Time per step", "time [µs]", &|r, i| 1e6 * r.step_time[i]).log_y(),
        ]
    }
}

/// A run of `scene` under `overrides`, called `name`, and whether it was broken off.
fn contend(
    scene: &Scene,
    name: &str,
    overrides: &Overrides,
    frames_per_second: Option<f64>,
    on_step: &mut dyn FnMut(&str, &Progress) -> ControlFlow<()>,
) -> Result<(Option<Contender>, bool), SceneError> {
    let options =
        RunOptions { trajectory: Some(Detail::Scalars), frames_per_second, ..RunOptions::default() };
    let mut setup = scene.build()?;
    overrides.apply(&mut setup);
    setup.check_length()?;
    check_size(&setup, Detail::Scalars)
        .map_err(|e| SceneError::Scene { scene: scene.name.clone(), message: e.to_string() })?;
    let mut runner = Runner::new(setup, options)?;
    let summary = runner.run(|progress| on_step(name, progress));
    let (failure, interrupted) = (summary.failure.clone(), summary.interrupted);
    let outcome = runner.finish(summary);
    let run = outcome.trajectory.map(|trajectory| {
        let own_natural_map = outcome.summary.own_natural_map;
        let summary = Summary { contact: name.to_owned(), ..outcome.summary };
        Contender { summary, own_natural_map, failure, trajectory, recording: outcome.recording }
    });
    Ok((run, interrupted))
}

/// Heads of the columns of [`row`].
pub const COLUMNS: [&str; 9] = [
    "contact",
    "µs a step",
    "worst natural map [m/s]",
    "by its own law",
    "worst ε_abs",
    "deepest [m]",
    "iterations mean (max)",
    "not converged",
    "energy start → end [J]",
];

/// The run as a line of a table.
pub fn row(run: &Contender) -> [String; 9] {
    let s = &run.summary;
    let worst = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |x| format!("{x:.1e}"));
    let ended = match &run.failure {
        Some(_) => format!(", failed at t = {:.3} s", s.end_time),
        None => String::new(),
    };
    [
        s.contact.clone(),
        format!("{:.1}", 1e6 * s.wall_s / s.steps.max(1) as f64),
        worst(s.certificate.map(|c| c.natural_map)),
        worst(run.own_natural_map),
        worst(s.certificate.map(|c| c.eps_abs)),
        format!("{:.1e}", s.penetration_max),
        format!("{:.1} ({})", s.solver.iterations_mean, s.solver.iterations_max),
        format!("{} of {}{ended}", s.solver.not_converged, s.steps),
        format!("{:.6} → {:.6}", s.energy.start, s.energy.end),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_cannot_run_a_scene_says_why_and_the_others_run() {
        let text = "<mujoco><worldbody><geom type=\"plane\" size=\"1 1 1\"/><body name=\"ball\" pos=\"0 0 .1\"><freejoint/>\
                    <geom size=\".1\" mass=\"1\" condim=\"6\"/></body></worldbody></mujoco>";
        let file = std::env::temp_dir().join(format!("stiction-compare-{}.xml", std::process::id()));
        std::fs::write(&file, text).unwrap();
        let scene = Scene::from_model_file(&file, &stiction_scene::RobotOptions::default()).unwrap();
        let overrides = Overrides { duration: Some(0.01), ..Overrides::default() };
        let run = |names: &[&str]| {
            Comparison::run(&scene, names, &overrides, None, |_, _| ControlFlow::Continue(()))
        };
        let both = run(&["auto", "mujoco", "sap"]).unwrap();
        assert_eq!((both.runs.len(), both.refused.len()), (2, 1));
        assert!(both.refused[0].contact == "sap" && both.refused[0].failure.contains("ball"), "{both:?}");
        assert!(run(&["sap"]).is_err());
        std::fs::remove_file(&file).unwrap();
    }

    #[test]
    fn every_contender_has_a_row_and_a_curve_in_every_figure() {
        let scene = Scene::builtin("cube-slide").unwrap();
        let overrides = Overrides { duration: Some(0.02), ..Overrides::default() };
        let names = stiction_scene::overrides::solvers_named("all").unwrap();
        let mut comparison =
            Comparison::run(&scene, &names, &overrides, Some(60.0), |_, _| ControlFlow::Continue(()))
                .unwrap();
        assert_eq!(comparison.runs.len(), names.len());
        assert!(comparison.runs.iter().all(|r| r.trajectory.len() == 21 && row(r)[0] == r.summary.contact));
        let ghosts = comparison.take_recording().unwrap();
        assert!(
            ghosts.check().is_ok() && ghosts.runs.len() == names.len() && ghosts.bodies.len() == names.len()
        );
        let html = comparison.to_html();
        assert_eq!(html.matches("<svg").count(), 2 * 5, "on light and on dark ground");
        assert!(names.iter().all(|n| html.contains(n)) && !html.contains("http-equiv=\"refresh\""));
        for outside in ["src=\"http", "href=\"http", "@import"] {
            assert!(!html.contains(outside), "the report must be self-contained");
        }
    }
}
