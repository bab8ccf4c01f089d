//! Tosses onto a table, simulated whole with the engine: what the thrown thing is and how it touches, fitted to some tosses and judged
//! by others. [`Cube`] is one body [Pfrommer2020], [`Elbow`] two on a hinge [Bianchini2023].

mod cube;
mod elbow;
mod evaluate;
mod measured;
mod scene;
mod set;

pub use cube::Cube;
pub use elbow::Elbow;
pub use evaluate::{Interrupted, TossEffort, TossRow, evaluate, fit, mean_cost};
pub use measured::{FRAME, Toss};
pub use scene::{Named, Pose, SceneError, TossFit, TossScene, TossSimulator, parameter};
pub use set::TossSet;
