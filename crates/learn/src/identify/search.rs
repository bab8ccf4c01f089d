//! Searches for the least value within ranges, told and stopped by a watch.

use super::CmaEs;
use crate::parallel;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Told how much of some work is done; `Break` stops it.
pub type Watch<'a> = &'a mut dyn FnMut(usize, usize, &str) -> ControlFlow<()>;

/// The work was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// A number that is looked for, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unknown {
    pub name: String,
    pub range: [f64; 2],
}

impl Unknown {
    /// The value at `share` of the range, which is 0 at its lower and 1 at its upper end.
    pub fn at(&self, share: f64) -> f64 {
        self.range[0] + share * (self.range[1] - self.range[0])
    }

    /// The share of the range at which `value` stands.
    pub fn share(&self, value: f64) -> f64 {
        (value - self.range[0]) / (self.range[1] - self.range[0])
    }
}

/// The values of `unknowns` at a point of the unit box, and by how much it is outside of the box, squared.
pub fn from_unit_box(unknowns: &[Unknown], point: &[f64]) -> (Vec<f64>, f64) {
    let mut outside = 0.0;
    let values = unknowns.iter().zip(point).map(|(unknown, share)| {
        let inside = share.clamp(0.0, 1.0);
        outside += (share - inside).powi(2);
        unknown.at(inside)
    });
    let values = values.collect();
    (values, outside)
}

/// Tells a search the values of its points for some generations, or until its step size is below `smallest`.
///
/// # Errors
///
/// If `watch` stops it, or `value` fails.
pub fn minimise<E: From<Interrupted> + Send>(
    search: &mut CmaEs,
    (generations, smallest): (usize, f64),
    value: &(dyn Fn(&[f64]) -> Result<f64, E> + Sync),
    label: &str,
    watch: Watch<'_>,
) -> Result<(), E> {
    while search.generation() < generations && search.sigma() > smallest {
        if watch(search.generation(), generations, label).is_break() {
            return Err(Interrupted.into());
        }
        let points = search.ask();
        let values = parallel::map(points.len(), |i| value(&points[i]));
        search.tell(&values.into_iter().collect::<Result<Vec<f64>, E>>()?);
    }
    Ok(())
}
