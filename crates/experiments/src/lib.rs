//! Experiments of the literature, each one scene × contact models × parameters → data, figures and
//! the claims they assert.

// Capitals carry meaning: X_WB is a pose, M a mass matrix.
#![allow(non_snake_case)]
// !(a <= b) is how a NaN is caught.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

mod anytime;
mod compliance_shift;
mod contact_models;
mod convergence;
mod creep;
mod derivatives;
mod dragged_cube;
mod hard_cases;
mod held;
mod ill_conditioning;
mod large_steps;
mod latex;
mod laws_drawn;
mod magic_forces;
mod multibody;
mod nmdp;
mod order;
mod pareto;
mod pressure_fields;
mod puck;
mod pyramid_bias;
mod real_impacts;
pub mod replications;
pub mod shrink;
mod sliding_cube;
mod solo12_mpc;
pub mod stress;
mod trajectory_optimisation;
mod which_answer;
mod work_precision;
mod worst;

use serde::Serialize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use stiction::batch::BatchError;
use stiction::contact::Certificate;
use stiction::models::LoadError;
use stiction::recording::Recording;
use stiction::solvers::registry::SolverError;
use stiction::{SetupError, Sleep};
use stiction_comparisons::report::{self, Table};
use stiction_lab::driven::Driven;
use stiction_lab::solve::SolveError;
use stiction_plot::{Figure, Formats, Series, Sheet};
use stiction_scene::{Scene, SceneError};

/// A figure or table of the literature, reproduced.
#[derive(Clone, Copy)]
pub struct Experiment {
    /// Name on the command line.
    pub name: &'static str,
    /// One line for lists.
    pub title: &'static str,
    /// Where it comes from, with the key of REFERENCES.bib.
    pub source: &'static str,
    measure: fn(Size) -> Result<Findings, ExperimentError>,
}

/// How much an experiment does: the same claims either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Few points, for tests.
    Small,
    /// Everything the figures show.
    Full,
}

/// How an experiment is conducted.
pub struct Conduct<'a> {
    pub size: Size,
    /// Contact solvers to run beside those that claims are about; of experiments that compare them.
    pub contacts: Contacts,
    /// Folder in which finished runs are kept, so that an experiment that was interrupted goes on; `None`: nowhere.
    pub kept: Option<&'a Path>,
    /// Is told how many of how many runs are done and which is next, and says whether to go on.
    pub tell: &'a dyn Fn(usize, usize, &str) -> ControlFlow<()>,
}

/// A choice of contact solvers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Contacts {
    /// The solvers that the publication compares.
    #[default]
    Published,
    /// All of the registry.
    All,
    /// The solvers of the publication and these.
    Also(Vec<String>),
}

/// Every experiment, in the order they are listed.
pub static EXPERIMENTS: &[Experiment] = &[
    sliding_cube::EXPERIMENT,
    dragged_cube::EXPERIMENT,
    contact_models::EXPERIMENT,
    pyramid_bias::EXPERIMENT,
    magic_forces::EXPERIMENT,
    compliance_shift::EXPERIMENT,
    ill_conditioning::EXPERIMENT,
    creep::EXPERIMENT,
    convergence::EXPERIMENT,
    pressure_fields::EXPERIMENT,
    order::EXPERIMENT,
    multibody::EXPERIMENT,
    work_precision::EXPERIMENT,
    real_impacts::EXPERIMENT,
    pareto::EXPERIMENT,
    anytime::EXPERIMENT,
    hard_cases::EXPERIMENT,
    large_steps::EXPERIMENT,
    held::EXPERIMENT,
    which_answer::EXPERIMENT,
    nmdp::EXPERIMENT,
    solo12_mpc::EXPERIMENT,
    derivatives::EXPERIMENT,
    trajectory_optimisation::EXPERIMENT,
    laws_drawn::EXPERIMENT,
];

/// Experiments of many runs, which say how far they are and keep what is done; the first takes contact models by name.
const STAGED: &[(&str, StagedMeasure)] = &[
    (solo12_mpc::EXPERIMENT.name, solo12_mpc::measure_staged),
    (trajectory_optimisation::EXPERIMENT.name, trajectory_optimisation::measure_staged),
    (anytime::EXPERIMENT.name, anytime::measure_staged),
];

type StagedMeasure = fn(&Conduct<'_>) -> Result<Findings, ExperimentError>;

/// The experiment called `name`.
pub fn named(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|e| e.name == name)
}

/// A claim of an experiment, and the number that was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    pub claim: String,
    pub measured: String,
    pub holds: bool,
    /// How many measurements it is about; a claim about none does not hold.
    pub sample: usize,
}

/// Everything an experiment found.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) claims: Vec<Claim>,
    /// Parts that ran, and parts that did not, where that is not always the same.
    pub(crate) notes: Vec<String>,
    /// File stem and figure.
    pub(crate) figures: Vec<(String, Figure)>,
    /// File stem and figure of several panels.
    pub(crate) sheets: Vec<(String, Sheet)>,
    /// Files of other kinds: name and content.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    pub(crate) data: Vec<Data>,
    pub(crate) tables: Vec<Table>,
    /// File stem and recording, for the viewer.
    pub(crate) replays: Vec<(String, Recording)>,
    /// Files for other programs: name and text.
    pub(crate) texts: Vec<(String, String)>,
}

/// Series behind a figure, with what its columns are called.
pub(crate) struct Data {
    pub(crate) stem: String,
    pub(crate) heads: [String; 2],
    pub(crate) series: Vec<Series>,
}

impl Findings {
    /// Keeps series over time as figure and data.
    fn keep(&mut self, stem: &str, title: &str, quantity: &str, unit: &str, series: Vec<Series>) {
        let axes = ["t [s]".to_owned(), format!("{quantity} [{unit}]")];
        let figure = Figure::of_series(title, &axes[0], &axes[1], &series);
        let heads = ["t [s]".to_owned(), format!("value [{unit}]")];
        self.figures.push((stem.to_owned(), figure));
        self.data.push(Data { stem: stem.to_owned(), heads, series });
    }

    /// Keeps series over anything as figure and data; `axes` with their units, `shape` of the axes.
    pub(crate) fn keep_over(
        &mut self,
        stem: &str,
        title: &str,
        axes: [&str; 2],
        series: Vec<Series>,
        shape: fn(Figure) -> Figure,
    ) {
        let figure = shape(Figure::of_series(title, axes[0], axes[1], &series));
        self.figures.push((stem.to_owned(), figure));
        self.data.push(Data { stem: stem.to_owned(), heads: axes.map(str::to_owned), series });
    }

    /// Keeps a figure as [`Self::keep_over`] does: measurements as curves, predictions as rings on them. Both are in
    /// the data.
    pub(crate) fn keep_beside(
        &mut self,
        stem: &str,
        title: &str,
        axes: [&str; 2],
        [measured, predicted]: [Vec<Series>; 2],
        shape: fn(Figure) -> Figure,
    ) {
        let title = format!("{title}; rings: predicted");
        let figure = shape(Figure::of_series(&title, axes[0], axes[1], &measured).ringed(&predicted));
        self.figures.push((stem.to_owned(), figure));
        let of = |s: Series| Series { label: format!("{}, predicted", s.label), ..s };
        let series = measured.into_iter().chain(predicted.into_iter().map(of)).collect();
        self.data.push(Data { stem: stem.to_owned(), heads: axes.map(str::to_owned), series });
    }

    /// Lets no claim hold of nothing: one about an empty sample fails, and one that fails is added for every figure that shows nothing.
    fn refuse_empty(&mut self) {
        let figures = self.figures.iter().map(|(stem, figure)| (stem, figure.shown()));
        let sheets = self.sheets.iter().map(|(stem, sheet)| (stem, sheet.shown()));
        for (stem, _) in figures.chain(sheets).filter(|(_, shown)| *shown == 0) {
            self.claims.push(Claim {
                claim: format!("{stem}: the figure shows points, in every panel"),
                measured: "none that its axes can show".to_owned(),
                holds: false,
                sample: 0,
            });
        }
        for claim in self.claims.iter_mut().filter(|c| c.sample == 0 && c.holds) {
            claim.holds = false;
            claim.measured += "; of nothing";
        }
        if self.claims.is_empty() {
            self.claims.push(Claim {
                claim: "something is claimed".to_owned(),
                measured: "nothing".to_owned(),
                holds: false,
                sample: 0,
            });
        }
    }

    /// Keeps a figure as [`Self::keep`] does, on a logarithmic axis.
    fn keep_log(&mut self, stem: &str, title: &str, quantity: &str, unit: &str, series: Vec<Series>) {
        self.keep(stem, title, quantity, unit, series);
        if let Some((stem, figure)) = self.figures.pop() {
            self.figures.push((stem, figure.log_y()));
        }
    }
}

/// Result of [`Experiment::run`]: claims, figures and data.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    pub claims: Vec<Claim>,
    /// Parts that ran, and parts that did not, where that depends on files that may be absent.
    pub notes: Vec<String>,
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
    #[error(transparent)]
    Solve(#[from] SolveError),
    #[error(transparent)]
    Shape(#[from] stiction::collision::ShapeError),
    #[error(transparent)]
    Model(#[from] LoadError),
    #[error(transparent)]
    Batch(#[from] BatchError),
    #[error("step {step} with {contact} failed: {cause}")]
    Step { step: usize, contact: String, cause: String },
    #[error(transparent)]
    Control(#[from] stiction_control::ControlError),
    #[error("no trajectory: {0}")]
    Optimisation(String),
    #[error(transparent)]
    Kept(#[from] stiction_store::StoreError),
    #[error("interrupted; the same command goes on from the runs that are kept")]
    Interrupted,
    #[error("no contact solver is called `{name}`{hint}; there are: {available}")]
    UnknownContact { name: String, hint: String, available: String },
    #[error("{name} compares no contact models: leave `--contact` out")]
    NoContacts { name: &'static str },
    #[error("cannot write {path}: {source}")]
    Write { path: PathBuf, source: std::io::Error },
}

impl Experiment {
    /// Measures, and writes figures (SVG on light and on dark ground, and the formats `also`), tables (CSV, LaTeX, HTML) and data
    /// (CSV, JSON) into `out`,
    /// which is made if absent.
    pub fn run(&self, out: &Path, size: Size, also: Formats) -> Result<Outcome, ExperimentError> {
        self.write(out, (self.measure)(size)?, also)
    }

    /// Measures and writes as [`Self::run`] does, in the way that [`Conduct`] says.
    pub fn conduct(
        &self,
        out: &Path,
        conduct: &Conduct<'_>,
        also: Formats,
    ) -> Result<Outcome, ExperimentError> {
        match STAGED.iter().find(|(name, _)| *name == self.name) {
            Some((_, measure)) => self.write(out, measure(conduct)?, also),
            None if conduct.contacts != Contacts::Published => {
                Err(ExperimentError::NoContacts { name: self.name })
            }
            None => self.run(out, conduct.size, also),
        }
    }

    /// Whether [`Self::conduct`] keeps finished runs.
    pub fn is_staged(&self) -> bool {
        STAGED.iter().any(|(name, _)| *name == self.name)
    }

    fn write(&self, out: &Path, mut findings: Findings, also: Formats) -> Result<Outcome, ExperimentError> {
        findings.refuse_empty();
        let mut files = Vec::new();
        let mut write = |name: String, text: Vec<u8>| {
            let path = out.join(name);
            let done = stiction_store::write(&path, text);
            done.map_err(|source| ExperimentError::Write { path: path.clone(), source })?;
            files.push(path);
            Ok::<(), ExperimentError>(())
        };
        for (stem, figure) in &findings.figures {
            for (name, bytes) in figure.files(stem, also) {
                write(name, bytes)?;
            }
        }
        for (stem, sheet) in &findings.sheets {
            for (name, bytes) in sheet.files(stem, also) {
                write(name, bytes)?;
            }
        }
        for (name, bytes) in std::mem::take(&mut findings.files) {
            write(name, bytes)?;
        }
        for data in &findings.data {
            write(format!("{}.csv", data.stem), csv(data).into_bytes())?;
        }
        for table in &findings.tables {
            write(format!("{}.csv", table.stem), table_csv(table).into_bytes())?;
            write(format!("{}.tex", table.stem), latex::tabular(table).into_bytes())?;
            write(format!("{}.html", table.stem), report::table_page(table).into_bytes())?;
        }
        for (stem, recording) in &findings.replays {
            write(format!("{stem}.html"), stiction_viewer::replay_html(recording).into_bytes())?;
        }
        for (name, text) in findings.texts {
            write(name, text.into_bytes())?;
        }
        let claims = serde_json::to_string_pretty(&findings.claims).unwrap_or_default();
        write("claims.json".to_owned(), claims.into_bytes())?;
        Ok(Outcome { claims: findings.claims, notes: findings.notes, files })
    }
}

fn table_csv(table: &Table) -> String {
    let rows = std::iter::once(&table.heads).chain(&table.rows);
    rows.map(|cells| cells.iter().map(|c| c.replace(',', ";")).collect::<Vec<_>>().join(",") + "\n").collect()
}

/// A title that begins with this name.
pub(crate) fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Long form: one line per point.
fn csv(data: &Data) -> String {
    let [x, y] = &data.heads;
    let mut text = format!("series,{},{}\n", x.replace(',', ";"), y.replace(',', ";"));
    for s in &data.series {
        for [t, x] in &s.points {
            text += &format!("{},{t},{x}\n", s.label);
        }
    }
    text
}

/// A simulation of `scene`, with its control, forces and motion, under another contact model, stepped by hand; nothing sleeps, every
/// step is measured.
pub(crate) fn simulation(scene: &Scene, contact: &str) -> Result<Driven, ExperimentError> {
    let mut setup = scene.build()?;
    let settings = &mut setup.settings;
    settings.set_contact(contact);
    settings.tolerance = 1e-9;
    settings.max_iterations = 20_000; // sweeps alone need them
    settings.stepper.sleep = Sleep::Off;
    Ok(Driven::new(setup)?)
}

/// One judged step.
pub(crate) fn step(sim: &mut Driven, step: usize) -> Result<Certificate, ExperimentError> {
    Ok(counted_step(sim, step)?.0)
}

/// One judged step, and how many iterations its solver took.
pub(crate) fn counted_step(sim: &mut Driven, step: usize) -> Result<(Certificate, u32), ExperimentError> {
    let report = sim.step();
    if let Some(cause) = report.failure() {
        let (contact, cause) = (sim.sim().solver().name().to_owned(), cause.to_owned());
        return Err(ExperimentError::Step { step, contact, cause });
    }
    Ok((sim.sim_mut().certificate(), report.iterations))
}

#[cfg(test)]
mod tests {
    use super::worst::Worst;
    use super::*;

    #[test]
    fn nothing_is_claimed_of_nothing() {
        let mut findings = Findings::default();
        findings.bound("empty".to_owned(), "m", Worst::default(), 1.0);
        findings.bound("of two".to_owned(), "m", Worst::of([0.5, 0.25]), 1.0);
        findings.bound("not a number".to_owned(), "m", f64::NAN, 1.0);
        findings.keep(
            "none",
            "no points",
            "x",
            "m",
            vec![Series { label: "a".to_owned(), points: Vec::new() }],
        );
        findings.refuse_empty();
        let holds: Vec<bool> = findings.claims.iter().map(|c| c.holds).collect();
        assert_eq!(holds, [false, true, false, false]);
        let mut silent = Findings::default();
        silent.refuse_empty();
        assert!(silent.claims.iter().any(|c| !c.holds), "an experiment that claims nothing does not hold");
    }
}
