//! Tosses of a cube onto a table [Pfrommer2020], simulated whole with the engine: what the cube is and how it touches, fitted to
//! some tosses and judged by others.

mod evaluate;
mod parameters;
mod set;

pub use evaluate::{CubeEffort, CubeFit, CubeRow, Interrupted, evaluate, fit, mean_cost};
pub use parameters::{CubeParameters, CubeSimulator, NAMED, Named, TossError, parameter};
pub use set::{CubeSet, FRAME, Toss};
