//! The gallery of a course on multibody dynamics: one figure and one assertion for each of its examples.
//!
//! | file | shows |
//! |---|---|
//! | [`equations`] | M, C v and τ_g of the double pendulum; frictionless contact as complementarity, quadratic program and least constraint |
//! | [`bricks`] | the solution maps of the two bricks; what a relaxation lifts; force at a distance |
//! | [`impacts`] | bouncing spinning balls, a rocking block, balls in a row, by every law of restitution |
//! | [`rolling`] | rimless wheel, sphere on a turntable, Euler's disk, rolling coin, tippe-top |
//! | [`cycles`] | compass gait, woodpecker |
//! | [`springs`] | stiff springs over the step, and who survives; creep of Stribeck's friction |
//! | [`painleve`] | a rod that slides: which answers exist, and which was taken |

mod bricks;
mod cycles;
mod equations;
mod impacts;
mod painleve;
mod rolling;
mod springs;

use super::worst::Worst;
use super::{Experiment, ExperimentError, Findings, Size};
use std::path::Path;
use stiction::models::{LoadOptions, load_str};
use stiction::world::World;
use stiction::{Settings, Simulation, Sleep, State, StepReport, StepperName, StepperParams};
use stiction_plot::{Figure, Series};
use stiction_scene::Scene;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "multibody",
    title: "Gallery of multibody dynamics: equations, impacts, rolling, springs, and steps through contact",
    source: "Courses on multibody dynamics; [StewartTrinkle1996, Anitescu2006, Todorov2014, Housner1963, Routh1860, Goswami1998, Leine2003]",
    measure,
};

/// Gravity [m/s²].
const G: f64 = 9.81;

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let mut findings = Findings::default();
    equations::measure(size, &mut findings)?;
    bricks::measure(size, &mut findings)?;
    impacts::measure(size, &mut findings)?;
    rolling::measure(size, &mut findings)?;
    cycles::measure(size, &mut findings)?;
    springs::measure(size, &mut findings)?;
    painleve::measure(size, &mut findings)?;
    Ok(findings)
}

/// `world` under the stepper, at h, solved to 1e-12 m/s.
pub(super) fn simulation(
    (world, state): (World, State),
    (method, h): (&str, f64),
    change: impl FnOnce(&mut StepperParams),
) -> Result<Simulation, ExperimentError> {
    let mut settings = Settings { tolerance: 1e-12, ..Settings::default() };
    settings.stepper.dt = h;
    settings.stepper.sleep = Sleep::Off;
    settings.stepper.method = StepperName::of(method).unwrap_or_default();
    change(&mut settings.stepper);
    Ok(Simulation::new(world, state, settings)?)
}

/// World and first state of the text of a scene.
pub(super) fn scene(text: &str) -> Result<(World, State), ExperimentError> {
    let setup = Scene::from_toml(text, Path::new("multibody.toml"))?.build()?;
    Ok((setup.world, setup.state))
}

/// World and neutral state of the text of an MJCF file.
pub(super) fn robot(text: &str) -> Result<(World, State), ExperimentError> {
    let world = load_str(text, Path::new("multibody.xml"), Path::new(""), &LoadOptions::default())?;
    let state = State::neutral(&world.model);
    Ok((world, state))
}

/// A step that must not fail.
pub(super) fn step(sim: &mut Simulation) -> Result<StepReport, ExperimentError> {
    let report = sim.step();
    match report.failure() {
        None => Ok(report),
        Some(cause) => {
            let (contact, cause) = (sim.settings().stepper.method.as_str().to_owned(), cause.to_owned());
            Err(ExperimentError::Step { step: 0, contact, cause })
        }
    }
}

/// Points of several curves by label, and what was predicted of them.
#[derive(Default)]
struct Curves {
    measured: Vec<Series>,
    predicted: Vec<Series>,
    worst: Worst,
}

impl Curves {
    /// Points (x, measured, predicted).
    fn push(&mut self, label: &str, points: &[[f64; 3]]) {
        for (series, k) in [(&mut self.measured, 1), (&mut self.predicted, 2)] {
            series.push(Series {
                label: label.to_owned(),
                points: points.iter().map(|p| [p[0], p[k]]).collect(),
            });
        }
        points.iter().for_each(|p| self.worst.see((p[1] - p[2]).abs()));
    }

    /// Keeps the figure.
    fn keep(self, findings: &mut Findings, stem: &str, title: &str, axes: [&str; 2]) {
        let plain: fn(Figure) -> Figure = |figure| figure;
        findings.keep_beside(stem, title, axes, [self.measured, self.predicted], plain);
    }
}
