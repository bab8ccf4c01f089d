//! Single impacts of an ellipse between plates [Fazeli2017]: 1718 measured impacts, six classical laws by their authors, ours,
//! and learners.

mod evaluate;
mod posterior;
mod set;

pub use evaluate::{EllipseRow, evaluate};
pub use posterior::{EllipsePosterior, misses, posterior};
pub use set::{EllipseImpact, EllipseSet, PUBLISHED};
