//! Learning over the border: identification, the experiment of the die, fitted corrections, the search without gradients.

use crate::errors::{guarded, released, wrong};
use crate::world::World;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use stiction::dynamics::spatial::Vec3;
use stiction::random::Random;
use stiction::{ContactCorrection, CorrectableContact};
use stiction_lab::identification::{self, Start};
use stiction_learn::belief::{ImpactDistribution, LawSpread, SceneBelief};
use stiction_learn::data::numbers;
use stiction_learn::dice::{DiceSet, Effort, MODELS, model};
use stiction_learn::identify;
use stiction_learn::residual;
use stiction_learn::store::Store;
use stiction_learn::system::{self, IdentifySettings};
use stiction_scene::Setup;

/// Stops work when Python wants to: Ctrl-C becomes its exception when the work returns.
fn stopped() -> ControlFlow<()> {
    match Python::attach(|py| py.check_signals()) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            Python::attach(|py| error.restore(py));
            ControlFlow::Break(())
        }
    }
}

/// The exception of work that was stopped, or of what was wrong.
fn ended(py: Python<'_>, error: impl std::fmt::Display) -> PyErr {
    PyErr::take(py).unwrap_or_else(|| wrong(error))
}

fn text_of(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(wrong)
}

impl World {
    fn case(&self) -> system::Case {
        identification::case(Setup {
            name: self.name.clone(),
            world: (*self.world).clone(),
            state: self.state.clone(),
            settings: self.settings.clone(),
            forces: self.forces.clone(),
            motion: self.motion.clone(),
            control: self.control.clone(),
            duration: self.duration,
        })
    }
}

/// Names of the parameters that a world has.
#[pyfunction]
pub(crate) fn parameter_names(world: PyRef<'_, World>) -> Vec<String> {
    system::parameter_names(&world.world)
}

/// Measurements as files, and as columns by name.
type Columns = Vec<(String, Vec<f64>)>;

/// Identifies parameters; what was found as JSON.
#[pyfunction]
pub(crate) fn identify_parameters(
    py: Python<'_>,
    world: PyRef<'_, World>,
    files: Vec<PathBuf>,
    tables: Vec<Columns>,
    parameters: Vec<(String, f64, f64)>,
    from_data: bool,
    settings: &str,
) -> PyResult<String> {
    let case = world.case();
    let settings: IdentifySettings = serde_json::from_str(settings).map_err(wrong)?;
    let start = if from_data { Start::Data } else { Start::Scene };
    let found = released(py, || {
        let model = &case.world.model;
        let mut measured = Vec::new();
        for file in &files {
            measured.push(identification::measured(file, model, start).map_err(wrong)?);
        }
        for (i, table) in tables.into_iter().enumerate() {
            let names: Vec<String> = table.iter().map(|(name, _)| name.clone()).collect();
            let place = format!("data[{i}]");
            let there = || names.clone();
            let one = identification::measured_columns(Path::new(&place), table, &there, model, start);
            measured.push(one.map_err(wrong)?);
        }
        let mut chosen = Vec::new();
        for (name, low, high) in &parameters {
            chosen.push((identification::parameter(name, &case).map_err(wrong)?, [*low, *high]));
        }
        let mut watch = |_: usize, _: usize, _: &str| stopped();
        Ok(system::identify(&case, &chosen, &measured, &settings, &mut Vec::new(), &mut watch))
    })?;
    text_of(&found.map_err(|e| ended(py, e))?)
}

/// How a belief is propagated: contact events, samples, horizon [s], approach [m/s], seed.
type Propagation = (usize, usize, f64, f64, u64);

/// Propagates a belief about the state of a world; its steps as JSON, with the states drawn after each.
#[pyfunction]
pub(crate) fn propagate_belief(
    py: Python<'_>,
    world: PyRef<'_, World>,
    deviations: (Vec<f64>, Vec<f64>),
    impulse_deviation: f64,
    residual: Option<PyRef<'_, ContactResidual>>,
    how: Propagation,
) -> PyResult<String> {
    let (contacts, samples, horizon, approach, seed) = how;
    let case = world.case();
    let impacts: Box<dyn ImpactDistribution + Send> = match residual {
        Some(residual) => Box::new(residual.0.clone()),
        None => Box::new(LawSpread { deviation: impulse_deviation }),
    };
    let steps = released(py, || {
        let mut belief = SceneBelief::normal(case.state.clone(), deviations.0, deviations.1);
        let mut random = Random::new(seed);
        let mut steps = Vec::new();
        for _ in 0..contacts {
            if stopped().is_break() {
                return Ok(Err("interrupted"));
            }
            let how = (samples, horizon, approach);
            let step = belief.step(&case, &*impacts, how, &mut random).map_err(wrong)?;
            let drawn = step.drawn(&case.world, &mut random);
            steps.push(serde_json::json!({
                "times": step.particles.iter().map(|p| p.time).collect::<Vec<_>>(),
                "hit": step.particles.iter().map(|p| p.hit).collect::<Vec<_>>(),
                "discarded": step.discarded,
                "q": drawn.iter().map(|s| &s.q).collect::<Vec<_>>(),
                "v": drawn.iter().map(|s| &s.v).collect::<Vec<_>>(),
            }));
            belief = step.belief;
        }
        Ok(Ok(steps))
    })?;
    text_of(&steps.map_err(|e| ended(py, e))?)
}

/// Rows of the experiment of the die, as JSON.
#[pyfunction]
pub(crate) fn dice(
    py: Python<'_>,
    data: PathBuf,
    train: &str,
    test: &str,
    models: Vec<String>,
    members_and_seed: (usize, u64),
    out: Option<PathBuf>,
) -> PyResult<String> {
    let (members, seed) = members_and_seed;
    let (train, test) = (numbers(train).map_err(wrong)?, numbers(test).map_err(wrong)?);
    if let Some(both) = test.iter().find(|n| train.contains(n)) {
        return Err(wrong(format_args!("drop {both} is in train and in test")));
    }
    if members < 2 {
        return Err(wrong(format_args!("members is {members}; expected 2 at least")));
    }
    let mut chosen = Vec::new();
    for name in &models {
        let names = || MODELS.iter().map(|m| m.name).collect::<Vec<_>>().join(", ");
        let found = model(name)
            .ok_or_else(|| wrong(format_args!("no model is called `{name}`; there are: {}", names())))?;
        chosen.push(found);
    }
    if chosen.is_empty() {
        chosen = MODELS.iter().collect();
    }
    let rows = released(py, || {
        let set = DiceSet::read(&data).map_err(wrong)?;
        let (train, test) = (set.choose(&train).map_err(wrong)?, set.choose(&test).map_err(wrong)?);
        let effort = Effort { members, seed, ..Effort::default() };
        let store = Store::new(out.as_deref(), &set.measured).map_err(wrong)?;
        let mut watch = |_: usize, _: usize, _: &str| stopped();
        let mut rows = Vec::new();
        for model in chosen {
            match model.rows(&set, &train, &test, &effort, &store, &mut watch) {
                Ok(more) => rows.extend(more),
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(rows))
    })?;
    text_of(&rows.map_err(|e| ended(py, e))?)
}

/// Gaussian processes that correct the impulses of contacts.
#[pyclass(frozen, module = "stiction._stiction")]
pub(crate) struct ContactResidual(residual::ContactResidual);

/// Numbers of a contact: friction, velocity before, inverse inertia by rows, impulse.
const OF_CONTACT: usize = 1 + 3 + 9 + 3;

/// Contacts of rows of [`OF_CONTACT`] numbers.
fn contacts(rows: &[f64]) -> PyResult<Vec<CorrectableContact>> {
    if !rows.len().is_multiple_of(OF_CONTACT) || rows.iter().any(|x| !x.is_finite()) {
        return Err(wrong("contacts are not rows of finite numbers"));
    }
    let contact = |row: &[f64]| CorrectableContact {
        geometries: [0; 2],
        bodies: [None; 2],
        position: Vec3::ZERO,
        axes: [Vec3::ZERO; 3],
        gap: 0.0,
        friction: row[0],
        velocity_before: std::array::from_fn(|i| row[1 + i]),
        inverse_inertia: std::array::from_fn(|i| std::array::from_fn(|j| row[4 + 3 * i + j])),
        impulse: std::array::from_fn(|i| row[13 + i]),
    };
    Ok(rows.chunks_exact(OF_CONTACT).map(contact).collect())
}

#[pymethods]
impl ContactResidual {
    /// Processes fitted to contacts and the impulses that explain what was seen.
    #[staticmethod]
    fn fit(py: Python<'_>, rows: Vec<f64>, impulses: Vec<f64>, approach: f64, seed: u64) -> PyResult<Self> {
        let contacts = contacts(&rows)?;
        if impulses.len() != 3 * contacts.len() || impulses.iter().any(|x| !x.is_finite()) {
            return Err(wrong(format_args!(
                "impulses are {} numbers; expected three finite ones for each of {} contacts",
                impulses.len(),
                contacts.len()
            )));
        }
        let examples: Vec<residual::ContactExample> = (contacts.into_iter().zip(impulses.chunks_exact(3)))
            .map(|(contact, p)| residual::ContactExample { contact, impulse: [p[0], p[1], p[2]] })
            .collect();
        released(py, || {
            let fitted = residual::ContactResidual::fit(&examples, approach, seed);
            let none = || wrong(format_args!("no contact approaches faster than {approach} m/s"));
            Ok(Self(fitted.ok_or_else(none)?))
        })
    }

    /// The processes that [`Self::text`] wrote.
    #[staticmethod]
    fn of(text: &str) -> PyResult<Self> {
        Ok(Self(serde_json::from_str(text).map_err(wrong)?))
    }

    fn text(&self) -> PyResult<String> {
        text_of(&self.0)
    }

    /// The corrected impulses, three numbers a contact [N·s].
    fn correct(&self, rows: Vec<f64>) -> PyResult<Vec<f64>> {
        guarded(|| {
            let contacts = contacts(&rows)?;
            let mut corrected: Vec<[f64; 3]> = contacts.iter().map(|c| c.impulse).collect();
            self.0.clone().correct(&contacts, &mut corrected);
            Ok(corrected.into_iter().flatten().collect())
        })
    }
}

/// CMA-ES, asked and told.
#[pyclass(module = "stiction._stiction")]
pub(crate) struct CmaEs(identify::CmaEs);

#[pymethods]
impl CmaEs {
    #[new]
    fn new(start: Vec<f64>, sigma: f64, population: usize, seed: u64) -> PyResult<Self> {
        if start.is_empty() || !(sigma > 0.0 && sigma.is_finite()) || start.iter().any(|x| !x.is_finite()) {
            return Err(wrong(format_args!(
                "the start has {} numbers and sigma is {sigma}; expected finite numbers and sigma > 0",
                start.len()
            )));
        }
        Ok(Self(identify::CmaEs::new(&start, sigma, population, seed)))
    }

    /// The points of the next generation.
    fn ask(&mut self) -> Vec<Vec<f64>> {
        self.0.ask()
    }

    /// Values of the points that were asked for.
    fn tell(&mut self, values: Vec<f64>) -> PyResult<()> {
        if values.len() != self.0.population() {
            let (found, expected) = (values.len(), self.0.population());
            return Err(wrong(format_args!(
                "{found} values were told; expected one for each of {expected} points"
            )));
        }
        self.0.tell(&values);
        Ok(())
    }

    /// The mean of the distribution.
    #[getter]
    fn mean(&self) -> Vec<f64> {
        self.0.mean().to_vec()
    }

    /// The best point told, and its value.
    #[getter]
    fn best(&self) -> (Vec<f64>, f64) {
        (self.0.best().0.to_vec(), self.0.best().1)
    }

    /// The step size.
    #[getter]
    fn sigma(&self) -> f64 {
        self.0.sigma()
    }
}

/// The numbers below n in the random order by which the commands of `stiction learn` choose what they fit to.
#[pyfunction]
pub(crate) fn shuffled(n: usize, seed: u64) -> Vec<usize> {
    Random::new(seed).shuffled(n)
}
