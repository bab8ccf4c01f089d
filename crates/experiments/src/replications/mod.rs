//! Replications of data sets: measured impacts, tosses and landings beside the simulator, its parameters fitted.
//!
//! [`ellipse`] judges single impacts, [`toss`] whole tosses in space, [`cassie`] the landings of a biped.

pub mod cassie;
pub mod ellipse;
pub mod toss;
