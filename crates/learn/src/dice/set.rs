//! The data set: measured drops and those of the source's PyBullet.

use super::GYRATION;
use crate::data::{DataError, Trajectory, read_trajectories};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Drops by number.
#[derive(Clone, Debug)]
pub struct DiceSet {
    /// The folder they are from.
    pub place: PathBuf,
    pub measured: BTreeMap<u32, Trajectory>,
    /// PyBullet's runs from the same first frames; empty if there are none.
    pub simulated: BTreeMap<u32, Trajectory>,
}

/// A choice of drops that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place} has no drop {missing}; it has {count} drops, from {first} to {last}")]
pub struct NoSuchDrop {
    place: String,
    missing: u32,
    count: usize,
    first: u32,
    last: u32,
}

impl DiceSet {
    /// Reads `dice_measured_*.csv` and, if they are there, `dice_pybullet_*.csv` of a folder.
    ///
    /// # Errors
    ///
    /// If there are no measured drops, or a file is not what it should be.
    pub fn read(place: &Path) -> Result<Self, DataError> {
        let measured = read_trajectories(place, "dice_measured_")?;
        let simulated = match read_trajectories(place, "dice_pybullet_") {
            Err(DataError::Missing { .. }) => BTreeMap::new(),
            other => other?,
        };
        Ok(Self { place: place.to_owned(), measured, simulated })
    }

    /// The drops with these numbers.
    ///
    /// # Errors
    ///
    /// If one is not there.
    pub fn choose(&self, numbers: &[u32]) -> Result<Vec<&Trajectory>, NoSuchDrop> {
        let find = |n: &u32| {
            self.measured.get(n).ok_or_else(|| NoSuchDrop {
                place: self.place.display().to_string(),
                missing: *n,
                count: self.measured.len(),
                first: self.measured.keys().next().copied().unwrap_or(0),
                last: self.measured.keys().next_back().copied().unwrap_or(0),
            })
        };
        numbers.iter().map(find).collect()
    }

    /// RMSE of PyBullet's run of a drop [m].
    pub fn simulated_error(&self, drop: &Trajectory) -> Option<f64> {
        Some(crate::score::rmse(&self.simulated.get(&drop.id)?.frames, &drop.frames, GYRATION))
    }
}
