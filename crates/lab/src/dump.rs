//! Contact problems of a run as files: what a solver met, to be solved again by others.
//!
//! Every file holds the problem of one step and the impulses the step used, `SCENE-STEP` with the
//! ending of its format, as [`stiction_problem_files`] writes them.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use stiction::contact::{Certificate, ConstraintProblem};
use stiction::{Simulation, StepReport};
use stiction_problem_files::{Format, ProblemFileError, save};

/// Choice of the steps whose contact problems are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// The one with the largest natural map.
    Worst,
    /// The one on which the solver spent the most iterations.
    Hardest,
    /// Every n-th.
    Every(u64),
    /// Steps whose solver did not converge.
    NotConverged,
}

impl FromStr for When {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            ["worst"] => Ok(Self::Worst),
            ["hardest"] => Ok(Self::Hardest),
            ["not-converged"] => Ok(Self::NotConverged),
            ["every", n] => match n.parse() {
                Ok(n) if n > 0 => Ok(Self::Every(n)),
                _ => Err(format!("`every {n}`; expected a number of steps >= 1")),
            },
            _ => Err(format!("`{text}`; expected `worst`, `hardest`, `not-converged` or `every N`")),
        }
    }
}

/// Files of one run.
pub struct Dump {
    folder: PathBuf,
    when: When,
    format: Format,
    kept: Option<Kept>,
    files: Vec<PathBuf>,
}

/// The step to be written so far.
struct Kept {
    /// Natural map [m/s], or iterations.
    measure: f64,
    step: u64,
    problem: ConstraintProblem,
    impulses: Vec<f64>,
}

impl Dump {
    /// Files into `folder`, which is made if absent.
    pub fn new(folder: &Path, when: When, format: Format) -> Result<Self, ProblemFileError> {
        let io = |source| ProblemFileError::Io { file: folder.display().to_string(), source };
        std::fs::create_dir_all(folder).map_err(io)?;
        Ok(Self { folder: folder.to_owned(), when, format, kept: None, files: Vec::new() })
    }

    /// After step number `step`, judged by `certificate`.
    pub fn after_step(
        &mut self,
        scene: &str,
        step: u64,
        sim: &Simulation,
        report: &StepReport,
        certificate: Option<&Certificate>,
    ) -> Result<(), ProblemFileError> {
        let (problem, impulses) = (sim.problem(), sim.impulses());
        if report.failure().is_some() || problem.is_empty() {
            return Ok(());
        }
        let chosen = match self.when {
            When::Every(n) => step.is_multiple_of(n),
            When::NotConverged => report.flagged(),
            When::Worst => {
                self.keep(certificate.map_or(report.residual, |c| c.natural_map), step, problem, impulses);
                false
            }
            When::Hardest => {
                self.keep(f64::from(report.iterations), step, problem, impulses);
                false
            }
        };
        if chosen {
            self.write(scene, step, problem, impulses)?;
        }
        Ok(())
    }

    /// Keeps the step if its `measure` is above that of the one kept; a measure that is not a number is above all.
    fn keep(&mut self, measure: f64, step: u64, problem: &ConstraintProblem, impulses: &[f64]) {
        if self.kept.as_ref().is_none_or(|k| !k.measure.is_nan() && !(measure <= k.measure)) {
            let (problem, impulses) = (problem.clone(), impulses.to_vec());
            self.kept = Some(Kept { measure, step, problem, impulses });
        }
    }

    /// Writes what is kept; returns all files.
    pub fn finish(mut self, scene: &str) -> Result<Vec<PathBuf>, ProblemFileError> {
        if let Some(k) = self.kept.take() {
            self.write(scene, k.step, &k.problem, &k.impulses)?;
        }
        Ok(self.files)
    }

    fn write(
        &mut self,
        scene: &str,
        step: u64,
        problem: &ConstraintProblem,
        impulses: &[f64],
    ) -> Result<(), ProblemFileError> {
        let plain: String =
            scene.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).take(80).collect();
        let name = format!("{plain}-{step:06}");
        let path = self.folder.join(format!("{name}.{}", self.format.ending()));
        save(&path, &name, problem, Some(impulses))?;
        self.files.push(path);
        Ok(())
    }
}
