//! Fitted models that are kept, with the data and the effort that made them: long work that was interrupted goes on from them.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use stiction_store::Key;

pub use stiction_store::StoreError;

/// Fitted models: those of this run, and those of a folder if there is one.
#[derive(Debug, Default)]
pub struct Store {
    kept: Option<stiction_store::Store>,
    /// Fits of this run, by their keys: several models begin with the same fit.
    memory: Mutex<BTreeMap<String, String>>,
    /// Models that were there from before.
    taken: Mutex<Vec<String>>,
}

impl Store {
    /// A store in `folder` for fits to `data`, which are told apart by their numbers, not by their names; without a folder
    /// nothing outlives the store.
    ///
    /// # Errors
    ///
    /// If the folder holds fits to other data, or cannot be used.
    pub fn new(folder: Option<&Path>, data: &impl Debug) -> Result<Self, StoreError> {
        let key = || Key::new("learn 1").data("data", data);
        let kept = folder.map(|folder| stiction_store::Store::open(folder, &key())).transpose()?;
        Ok(Self { kept, ..Self::default() })
    }

    fn memory(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Models that were taken from the folder and not fitted by this run, in the order in which they were asked for.
    pub fn taken(&self) -> Vec<String> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The model fitted to these drops with this effort, if it is there.
    ///
    /// # Errors
    ///
    /// If a record is there and cannot be read, is damaged, or is not of these data.
    pub fn get<E: Serialize, M: DeserializeOwned>(
        &self,
        model: &str,
        numbers: &[u32],
        effort: &E,
    ) -> Result<Option<M>, StoreError> {
        let key = key(model, numbers, effort);
        if let Some(text) = self.memory().get(&key.digest()) {
            return serde_json::from_str(text).map(Some).map_err(|e| unsaid(model, &e));
        }
        let Some(kept) = &self.kept else { return Ok(None) };
        let found = kept.get(model, &key)?;
        if found.is_some() {
            self.taken.lock().unwrap_or_else(PoisonError::into_inner).push(model.to_owned());
        }
        Ok(found)
    }

    /// Keeps a model.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn put<E: Serialize, M: Serialize>(
        &self,
        model: &str,
        numbers: &[u32],
        effort: &E,
        fitted: &M,
    ) -> Result<(), StoreError> {
        let key = key(model, numbers, effort);
        let text = serde_json::to_string(fitted).map_err(|e| unsaid(model, &e))?;
        self.memory().insert(key.digest(), text);
        self.kept.as_ref().map_or(Ok(()), |kept| kept.put(model, &key, fitted))
    }
}

/// The key of a fit: model, numbers of the drops, effort.
fn key(model: &str, numbers: &[u32], effort: &impl Serialize) -> Key {
    Key::new(model).with("drops", numbers).with("effort", effort)
}

fn unsaid(model: &str, error: &serde_json::Error) -> StoreError {
    StoreError::File { file: PathBuf::from(model), source: io::Error::other(error.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kept model comes back for the same data and effort, and for no other.
    #[test]
    fn models_come_back_for_the_data_they_were_fitted_to() {
        let folder = std::env::temp_dir().join(format!("stiction-store-{}", std::process::id()));
        let open = |data: [f64; 1]| Store::new(Some(&folder), &data);
        open([0.1]).unwrap().put("gp", &[1, 2], &7, &vec![0.5]).unwrap();
        let store = open([0.1]).unwrap();
        let get = |model: &str, numbers: &[u32], effort| {
            store.get::<i32, Vec<f64>>(model, numbers, &effort).unwrap()
        };
        assert_eq!(get("gp", &[1, 2], 7), Some(vec![0.5]));
        assert_eq!(store.taken(), ["gp"]);
        for (model, numbers, effort) in [("gp", [1, 2], 8), ("gp", [1, 3], 7), ("net", [1, 2], 7)] {
            assert_eq!(get(model, &numbers, effort), None);
        }
        let refused = open([0.2]).unwrap_err().to_string();
        assert!(refused.contains("data: other contents; choose another folder"), "{refused}");
        std::fs::remove_dir_all(&folder).unwrap();
        let passing = Store::default();
        assert_eq!(passing.get::<i32, i32>("gp", &[], &1).unwrap(), None);
        passing.put("gp", &[], &1, &5).unwrap();
        assert_eq!(passing.get::<i32, i32>("gp", &[], &1).unwrap(), Some(5));
    }
}
