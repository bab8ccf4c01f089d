//! Experiments of the literature, each one scene × contact models × parameters → data, figures and
//! the claims they assert.

mod contact_models;
mod dragged_cube;
mod sliding_cube;

use crate::plot::{Figure, Series};
use crate::report;
use crate::scene::{Scene, SceneError};
use serde::Serialize;
use std::path::{Path, PathBuf};
use stiction::contact::Certificate;
use stiction::solvers::registry::SolverError;
use stiction::{SetupError, Simulation};

/// A figure or table of the literature, reproduced.
#[derive(Clone, Copy)]
pub struct Experiment {
    /// What the command line calls it.
    pub name: &'static str,
    /// One line for lists.
    pub title: &'static str,
    /// Where it comes from, with the key of REFERENCES.bib.
    pub source: &'static str,
    measure: fn() -> Result<Findings, ExperimentError>,
}

/// Every experiment, in the order they are listed.
pub const EXPERIMENTS: &[Experiment] =
    &[sliding_cube::EXPERIMENT, dragged_cube::EXPERIMENT, contact_models::EXPERIMENT];

/// The experiment called `name`.
pub fn named(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|e| e.name == name)
}

/// What an experiment asserts, and what it measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    pub claim: String,
    pub measured: String,
    pub holds: bool,
}

/// Everything an experiment found.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) claims: Vec<Claim>,
    /// File stem and figure.
    pub(crate) figures: Vec<(String, Figure)>,
    /// File stem, unit of the value, and series.
    pub(crate) data: Vec<(String, String, Vec<Series>)>,
    pub(crate) tables: Vec<Table>,
}

/// A table: file stem, title, heads, rows.
pub(crate) struct Table {
    pub(crate) stem: &'static str,
    pub(crate) title: String,
    pub(crate) about: String,
    pub(crate) heads: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Findings {
    /// Keeps series over time as figure and data.
    fn keep(&mut self, stem: &str, title: &str, quantity: &str, unit: &str, series: Vec<Series>) {
        let figure = Figure::of_series(title, "t [s]", &format!("{quantity} [{unit}]"), &series);
        self.figures.push((stem.to_owned(), figure));
        self.data.push((stem.to_owned(), unit.to_owned(), series));
    }

    /// As [`Self::keep`], on a logarithmic axis.
    fn keep_log(&mut self, stem: &str, title: &str, quantity: &str, unit: &str, series: Vec<Series>) {
        self.keep(stem, title, quantity, unit, series);
        if let Some((stem, figure)) = self.figures.pop() {
            self.figures.push((stem, figure.log_y()));
        }
    }
}

/// What [`Experiment::run`] leaves behind.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    pub claims: Vec<Claim>,
    pub files: Vec<PathBuf>,
}

impl Outcome {
    /// True if every claim was borne out.
    pub fn holds(&self) -> bool {
        self.claims.iter().all(|c| c.holds)
    }
}

/// Why an experiment could not be done.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    #[error(transparent)]
    Scene(#[from] SceneError),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Solver(#[from] SolverError),
    #[error("step {step} with {contact} failed: {cause}")]
    Step { step: usize, contact: String, cause: String },
    #[error("cannot write {path}: {source}")]
    Write { path: PathBuf, source: std::io::Error },
}

impl Experiment {
    /// Measures, and writes figures (SVG) and data (CSV, JSON) into `out`, which is made if absent.
    pub fn run(&self, out: &Path) -> Result<Outcome, ExperimentError> {
        let findings = (self.measure)()?;
        let mut files = Vec::new();
        let mut write = |name: String, text: String| {
            let path = out.join(name);
            let done = std::fs::create_dir_all(out).and_then(|()| std::fs::write(&path, text));
            done.map_err(|source| ExperimentError::Write { path: path.clone(), source })?;
            files.push(path);
            Ok::<(), ExperimentError>(())
        };
        for (stem, figure) in &findings.figures {
            write(format!("{stem}.svg"), figure.to_svg())?;
        }
        for (stem, unit, series) in &findings.data {
            write(format!("{stem}.csv"), csv(unit, series))?;
        }
        for table in &findings.tables {
            write(format!("{}.csv", table.stem), table_csv(table))?;
            write(format!("{}.html", table.stem), report::table_page(table))?;
        }
        let claims = serde_json::to_string_pretty(&findings.claims).unwrap_or_default();
        write("claims.json".to_owned(), claims)?;
        Ok(Outcome { claims: findings.claims, files })
    }
}

fn table_csv(table: &Table) -> String {
    let rows = std::iter::once(&table.heads).chain(&table.rows);
    rows.map(|cells| cells.iter().map(|c| c.replace(',', ";")).collect::<Vec<_>>().join(",") + "\n").collect()
}

/// Long form: one line per point.
fn csv(unit: &str, series: &[Series]) -> String {
    let mut text = format!("series,t [s],value [{unit}]\n");
    for s in series {
        for [t, x] in &s.points {
            text += &format!("{},{t},{x}\n", s.label);
        }
    }
    text
}

/// A simulation of `scene` under another contact model, stepped by hand.
pub(crate) fn simulation(scene: &Scene, contact: &str) -> Result<Simulation, ExperimentError> {
    let setup = scene.build()?;
    let mut settings = setup.settings;
    contact.clone_into(&mut settings.contact);
    settings.tolerance = 1e-9;
    settings.max_iterations = 2000;
    Ok(Simulation::new(setup.world, setup.state, settings)?)
}

/// One judged step.
pub(crate) fn step(sim: &mut Simulation, step: usize) -> Result<Certificate, ExperimentError> {
    let report = sim.step();
    if let Some(cause) = report.failure() {
        let (contact, cause) = (sim.solver().name().to_owned(), cause.to_owned());
        return Err(ExperimentError::Step { step, contact, cause });
    }
    Ok(sim.certificate())
}
