//! The die that was dropped between two plates [Fazeli2020]: 500 real drops, and models that predict them.

mod evaluate;
mod fit;
mod impacts;
mod isolated;
mod learn;
mod parameters;
mod posterior;
mod predict;
mod recurrent;
mod set;

pub use evaluate::{Effort, EvaluateError, MODELS, Model, Row, model};
pub use fit::{Objective, Training, calibrate, fit_scene, measure_noise, scene_errors, train_network};
pub use impacts::{Isolation, ObservedImpact, isolate};
pub use isolated::{ImpactScore, ground_impacts, judge_impacts, misses};
pub use learn::{explain, feature_scale, fit_processes, observed};
pub use parameters::{DiceParameters, GYRATION, NAMED, Named, parameter};
pub use posterior::{Posterior, posterior};
pub use predict::{DropModel, Noise, Track, mean_track};
pub use recurrent::{RecurrentModel, RecurrentTraining, train_recurrent};
pub use set::{DiceSet, NoSuchDrop};
