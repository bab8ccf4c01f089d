//! Models of the die, fitted to some drops and judged by others.

use super::fit::{Objective, Training, calibrate, fit_scene, measure_noise, train_network};
use super::isolated::{ImpactScore, ground_impacts, judge_impacts};
use super::learn::{feature_scale, fit_processes, observed};
use super::predict::{DropModel, mean_track};
use super::recurrent::{RecurrentModel, RecurrentTraining, train_recurrent};
use super::{DiceParameters, DiceSet, GYRATION, Isolation, Named, parameter};
use crate::data::Trajectory;
use crate::identify::{Interrupted, Watch};
use crate::parallel;
use crate::residual::{Form, PlanarResidual, Representation};
use crate::score::{judge, mean_and_spread, median, rmse};
use crate::store::{Store, StoreError};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// How a model predicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// PyBullet's runs in the data.
    PyBullet,
    /// The published scene and numbers.
    Paper,
    /// The published scene; friction and restitution fitted to trajectories.
    Fitted,
    /// The arena as it was measured; impacts fitted to trajectories.
    Arena,
    /// A scene with a learner.
    Learner(Learner, Form, Place),
    /// The published scene, fitted, with a recurrent network that corrects every frame.
    Recurrent,
}

/// The scene that a learner corrects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Level ground and nothing else, as published; beside `simulator-fit`.
    Published,
    /// The scene as it was measured; beside `arena-fit`.
    Arena,
}

impl Place {
    fn parameters(self) -> DiceParameters {
        if self == Self::Arena { DiceParameters::arena() } else { DiceParameters::default() }
    }

    /// The parameters of the law that are fitted.
    fn fitted(self) -> Vec<&'static Named> {
        match self {
            Self::Published => named(&["friction", "restitution"]),
            Self::Arena => named(&["friction", "sliding", "restitution", "wall_restitution", "taper"]),
        }
    }

    /// Names of the constant corrections that all learners of a scene start from.
    fn constant(self, form: Form) -> &'static str {
        match (self, form) {
            (Self::Arena, Form::LinearImpulse) => "constant-impulse",
            (Self::Arena, Form::Wrench) => "constant-wrench",
            (Self::Published, Form::LinearImpulse) => "published-constant-impulse",
            (Self::Published, Form::Wrench) => "published-constant-wrench",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Learner {
    Process,
    /// Processes that know the spin before the impact too.
    ProcessWithSpin,
    /// One normal distribution of corrections at every contact, in units of m |v_n|.
    Constant,
    Network,
}

/// A model that can be asked for.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    pub name: &'static str,
    /// One line for lists.
    pub title: &'static str,
    kind: Kind,
}

/// Every model, in the order of the tables. Of models with a learner there are two rows: mean corrections, and under
/// `NAME-belief` an ensemble, whose mean is judged by RMSE.
pub const MODELS: &[Model] = &[
    Model { name: "pybullet", title: "PyBullet's runs in the data", kind: Kind::PyBullet },
    Model {
        name: "simulator-paper",
        title: "our simulator at the paper's friction and restitution",
        kind: Kind::Paper,
    },
    Model {
        name: "simulator-fit",
        title: "our simulator, friction and restitution fitted",
        kind: Kind::Fitted,
    },
    Model {
        name: "arena-fit",
        title: "with wall, plates and age of the first velocity, impacts fitted",
        kind: Kind::Arena,
    },
    Model {
        name: "sian-like",
        title: "our simulator, fitted, corrected at every frame by a recurrent network",
        kind: Kind::Recurrent,
    },
    Model {
        name: "constant-impulse",
        title: "a density network without hidden units: one correction for all contacts",
        kind: Kind::Learner(Learner::Constant, Form::LinearImpulse, Place::Arena),
    },
    Model {
        name: "gp-impulse",
        title: "Gaussian processes of linear impulses, from isolated impacts",
        kind: Kind::Learner(Learner::Process, Form::LinearImpulse, Place::Arena),
    },
    Model {
        name: "gp-wrench",
        title: "Gaussian processes of wrenches, from isolated impacts",
        kind: Kind::Learner(Learner::Process, Form::Wrench, Place::Arena),
    },
    Model {
        name: "gp-wrench-and-spin",
        title: "the same, which know the spin before the impact too",
        kind: Kind::Learner(Learner::ProcessWithSpin, Form::Wrench, Place::Arena),
    },
    Model {
        name: "network-impulse",
        title: "density network of linear impulses, trained on trajectories",
        kind: Kind::Learner(Learner::Network, Form::LinearImpulse, Place::Arena),
    },
    Model {
        name: "network-wrench",
        title: "density network of wrenches, trained on trajectories",
        kind: Kind::Learner(Learner::Network, Form::Wrench, Place::Arena),
    },
    Model {
        name: "published-constant-impulse",
        title: "one correction for all contacts, on the published scene",
        kind: Kind::Learner(Learner::Constant, Form::LinearImpulse, Place::Published),
    },
    Model {
        name: "published-gp-impulse",
        title: "Gaussian processes of linear impulses, on the published scene",
        kind: Kind::Learner(Learner::Process, Form::LinearImpulse, Place::Published),
    },
    Model {
        name: "published-gp-wrench",
        title: "Gaussian processes of wrenches, on the published scene",
        kind: Kind::Learner(Learner::Process, Form::Wrench, Place::Published),
    },
    Model {
        name: "published-network-impulse",
        title: "density network of linear impulses, on the published scene",
        kind: Kind::Learner(Learner::Network, Form::LinearImpulse, Place::Published),
    },
    Model {
        name: "published-network-wrench",
        title: "density network of wrenches, on the published scene",
        kind: Kind::Learner(Learner::Network, Form::Wrench, Place::Published),
    },
];

/// How models are fitted and judged.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Effort {
    /// Trajectories of an ensemble that is judged.
    pub members: usize,
    /// Generations of a search for parameters of the scene, and of one that trains a network.
    pub scene_generations: usize,
    pub network_generations: usize,
    /// Units of the hidden layer of networks.
    pub hidden: usize,
    /// Units and epochs of the recurrent network.
    pub recurrent_hidden: usize,
    pub recurrent_epochs: usize,
    /// Trajectories drawn for each drop while a network is trained.
    pub training_members: usize,
    /// Training drops beyond these are left out when a network is trained.
    pub training_drops: usize,
    /// Training drops by which intervals are calibrated, at most.
    pub calibration_drops: usize,
    /// Impacts beyond these are left out when processes are fitted.
    pub impacts: usize,
    pub isolation: Isolation,
    /// Speed below which corrected impulses stick [m/s]; 0: never.
    pub stick_below: f64,
    /// The number that is made least when networks are trained on whole trajectories.
    pub objective: Objective,
    pub seed: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            members: 64,
            scene_generations: 60,
            network_generations: 60,
            hidden: 4,
            recurrent_hidden: 16,
            recurrent_epochs: 60,
            training_members: 4,
            training_drops: 150,
            calibration_drops: 80,
            impacts: 250,
            isolation: Isolation::default(),
            stick_below: 0.05,
            objective: Objective::default(),
            seed: 1,
        }
    }
}

/// A row of the table.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub model: String,
    /// Mean and median over drops of the RMSE over (x, z, 0.0245 θ) [m].
    pub rmse_mean: f64,
    pub rmse_median: f64,
    /// Means over drops [m].
    pub crps: f64,
    pub energy_score: f64,
    /// Parts of measured numbers within the central 50 % and 90 % intervals.
    pub coverage50: f64,
    pub coverage90: f64,
    /// Errors after isolated impacts of the drops that judge; none of models that tell whole drops alone.
    pub impacts: Option<ImpactScore>,
    pub n_train: usize,
    pub n_test: usize,
    /// Time of fitting and judging [s].
    pub seconds: f64,
}

/// Work that did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The model called `name`.
pub fn model(name: &str) -> Option<&'static Model> {
    MODELS.iter().find(|m| m.name == name)
}

fn named(names: &[&str]) -> Vec<&'static Named> {
    names.iter().filter_map(|n| parameter(n)).collect()
}

impl Model {
    /// Fits the model to `train`; `None` for what is no model of ours, and where there is nothing to learn from. Fits that
    /// are in the store are taken from there.
    ///
    /// # Errors
    ///
    /// If the work was stopped, or the store cannot be read or written.
    pub fn fit(
        &self,
        train: &[&Trajectory],
        effort: &Effort,
        store: &Store,
        watch: Watch<'_>,
    ) -> Result<Option<DropModel>, EvaluateError> {
        let ids: Vec<u32> = train.iter().map(|d| d.id).collect();
        if let Some(fitted) = store.get(self.name, &ids, effort)? {
            return Ok(Some(fitted));
        }
        let generations = effort.scene_generations;
        let fitted = match self.kind {
            Kind::PyBullet | Kind::Recurrent => return Ok(None),
            Kind::Paper => DropModel::scene(DiceParameters::default()),
            Kind::Fitted => {
                let (names, base) = (Place::Published.fitted(), Place::Published.parameters());
                DropModel::scene(fit_scene(&base, &names, train, generations, effort.seed, watch)?)
            }
            Kind::Arena => {
                let (names, base) = (Place::Arena.fitted(), Place::Arena.parameters());
                DropModel::scene(fit_scene(&base, &names, train, generations, effort.seed, watch)?)
            }
            Kind::Learner(learner, form, place) => {
                let mut base = DropModel::scene(place.parameters());
                base.noise = measure_noise(&base.parameters, train);
                base.stick_below = effort.stick_below;
                match fit_learner(&base, (learner, form, place), train, effort, store, watch)? {
                    Some(fitted) => fitted,
                    None => return Ok(None),
                }
            }
        };
        store.put(self.name, &ids, effort, &fitted)?;
        Ok(Some(fitted))
    }

    /// The scene fitted as `simulator-fit`, and the network that corrects it.
    fn fit_recurrent(
        &self,
        train: &[&Trajectory],
        effort: &Effort,
        store: &Store,
        watch: Watch<'_>,
    ) -> Result<RecurrentModel, EvaluateError> {
        let ids: Vec<u32> = train.iter().map(|d| d.id).collect();
        if let Some(fitted) = store.get(self.name, &ids, effort)? {
            return Ok(fitted);
        }
        let scene = match model("simulator-fit") {
            Some(scene) => scene.fit(train, effort, store, watch)?.map(|m| m.parameters),
            None => None,
        };
        let training = RecurrentTraining {
            hidden: effort.recurrent_hidden,
            epochs: effort.recurrent_epochs,
            rate: 3e-3,
            seed: effort.seed,
        };
        let fitted = train_recurrent(&scene.unwrap_or_default(), train, &training, watch)?;
        store.put(self.name, &ids, effort, &fitted)?;
        Ok(fitted)
    }

    /// The rows of this model: none for a model that has nothing to say about these drops.
    ///
    /// # Errors
    ///
    /// As [`Self::fit`].
    pub fn rows(
        &self,
        set: &DiceSet,
        train: &[&Trajectory],
        test: &[&Trajectory],
        effort: &Effort,
        store: &Store,
        watch: Watch<'_>,
    ) -> Result<Vec<Row>, EvaluateError> {
        let clock = Instant::now();
        let counts = (train.len(), test.len());
        if self.kind == Kind::PyBullet {
            let alone = |d: &&Trajectory| Some(vec![set.simulated.get(&d.id)?.frames.clone()]);
            let Some(tracks) = test.iter().map(alone).collect::<Option<Vec<_>>>() else {
                return Ok(Vec::new());
            };
            return Ok(vec![row(self.name, &tracks, test, (0, counts.1), clock)]);
        }
        if self.kind == Kind::Recurrent {
            let fitted = self.fit_recurrent(train, effort, store, watch)?;
            let tracks = parallel::map(test.len(), |i| vec![fitted.predict(test[i])]);
            return Ok(vec![row(self.name, &tracks, test, counts, clock)]);
        }
        let Some(fitted) = self.fit(train, effort, store, watch)? else { return Ok(Vec::new()) };
        let world = fitted.world();
        let single = parallel::map(test.len(), |i| vec![fitted.single(&world, test[i])]);
        let isolated = judge_impacts(&fitted, &ground_impacts(test, &effort.isolation));
        let mut rows = vec![Row { impacts: Some(isolated), ..row(self.name, &single, test, counts, clock) }];
        if fitted.residual.is_some() {
            let all =
                parallel::map(test.len(), |i| fitted.ensemble(&world, test[i], effort.members, effort.seed));
            rows.push(row(&format!("{}-belief", self.name), &all, test, counts, clock));
        }
        Ok(rows)
    }
}

fn fit_learner(
    base: &DropModel,
    (learner, form, place): (Learner, Form, Place),
    train: &[&Trajectory],
    effort: &Effort,
    store: &Store,
    watch: Watch<'_>,
) -> Result<Option<DropModel>, EvaluateError> {
    let mut impacts = observed(base, train, &effort.isolation);
    let scale = feature_scale(&impacts);
    let names = place.fitted();
    let few = &train[..train.len().min(effort.training_drops)];
    let training = |hidden, generations| Training {
        form,
        objective: effort.objective,
        hidden,
        first_step: if hidden == 0 { 0.1 } else { 0.05 },
        population: 0,
        members: effort.training_members,
        generations,
        seed: effort.seed,
    };
    // Parameters of the law and the spread of impulses together, for all contacts alike: every learner starts from here.
    let ids: Vec<u32> = train.iter().map(|d| d.id).collect();
    let kept = place.constant(form);
    let judges = &few[..few.len().min(effort.calibration_drops)];
    let calibrated = |mut model: DropModel| {
        calibrate(&mut model, judges, effort.training_members * 8, effort.seed + 1);
        model
    };
    let constant = match store.get(kept, &ids, effort)? {
        Some(constant) => constant,
        None => {
            let training = training(0, effort.scene_generations);
            let constant = calibrated(train_network(base, &names, &scale, few, &training, watch)?);
            store.put(kept, &ids, effort, &constant)?;
            constant
        }
    };
    let fitted = match learner {
        Learner::Constant => return Ok(Some(constant)),
        Learner::Network => {
            let training = training(effort.hidden, effort.network_generations);
            // Some drops are held out, and tell how much of what the others taught is kept.
            let held_out = if few.len() < 20 { 0 } else { few.len() / 4 };
            let (judges, teachers) = few.split_at(held_out);
            let taught = train_network(&constant, &[], &scale, teachers, &training, watch)?;
            Some(if judges.is_empty() { taught } else { keep_share(&constant, taught, judges, effort) })
        }
        Learner::Process | Learner::ProcessWithSpin => {
            // Spread over all drops, not the first ones alone.
            let stride = impacts.len().div_ceil(effort.impacts.max(1)).max(1);
            impacts = observed(&constant, train, &effort.isolation).into_iter().step_by(stride).collect();
            let spin = learner == Learner::ProcessWithSpin;
            let model = fit_processes(&constant, &impacts, (form, spin), effort.seed);
            model.map(|residual| DropModel { residual: Some(residual), ..constant.clone() })
        }
    };
    Ok(fitted.map(calibrated))
}

/// The network between its beginning, which is the constant one, and `taught` that predicts `judges` best.
fn keep_share(constant: &DropModel, taught: DropModel, judges: &[&Trajectory], effort: &Effort) -> DropModel {
    let mut best = (f64::INFINITY, taught.clone());
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let mut tried = taught.clone();
        if let Some(Representation::Network(network)) = tried.residual.as_mut().map(|r| &mut r.representation)
        {
            let begin = network.started_from(constant.residual.as_ref().and_then(PlanarResidual::network));
            for (t, b) in network.theta.iter_mut().zip(begin) {
                *t = b + share * (*t - b);
            }
        }
        let world = tried.world();
        let scores = parallel::map(judges.len(), |i| {
            let ensemble = tried.ensemble(&world, judges[i], 32, effort.seed + 2);
            judge(&ensemble, &judges[i].frames, GYRATION).crps
        });
        let score = mean_and_spread(&scores)[0];
        if score < best.0 {
            best = (score, tried);
        }
    }
    best.1
}

/// Judges `tracks`, an ensemble for every drop.
fn row(
    name: &str,
    tracks: &[Vec<Vec<[f64; 3]>>],
    test: &[&Trajectory],
    (n_train, n_test): (usize, usize),
    clock: Instant,
) -> Row {
    let scores = parallel::map(test.len(), |i| {
        let error = rmse(&mean_track(&tracks[i]), &test[i].frames, GYRATION);
        (error, judge(&tracks[i], &test[i].frames, GYRATION))
    });
    let mean = |f: &dyn Fn(&(f64, crate::score::EnsembleScore)) -> f64| {
        mean_and_spread(&scores.iter().map(f).collect::<Vec<_>>())[0]
    };
    Row {
        model: name.to_owned(),
        rmse_mean: mean(&|s| s.0),
        rmse_median: median(&scores.iter().map(|s| s.0).collect::<Vec<_>>()),
        crps: mean(&|s| s.1.crps),
        energy_score: mean(&|s| s.1.energy),
        coverage50: mean(&|s| s.1.coverage[0]),
        coverage90: mean(&|s| s.1.coverage[1]),
        impacts: None,
        n_train,
        n_test,
        seconds: clock.elapsed().as_secs_f64(),
    }
}
