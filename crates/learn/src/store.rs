//! Fitted models as files, which name the data they were fitted to: long work that was interrupted goes on from them.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Fitted models: those of this run, and those of a folder if there is one.
#[derive(Debug, Default)]
pub struct Store {
    folder: Option<PathBuf>,
    data: String,
    /// Fits of this run, by the name of their file: several models begin with the same fit.
    memory: Mutex<BTreeMap<String, String>>,
}

/// A file of a fitted model: what it is, what it was fitted to, with which effort, and the model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fitted<E, M> {
    pub model: String,
    /// The folder of the data, and the numbers of what was used of it.
    pub data: String,
    pub numbers: Vec<u32>,
    pub effort: E,
    pub fitted: M,
}

/// A file of the store that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{file}: {source}")]
    File { file: PathBuf, source: std::io::Error },
    #[error("{file}: no fitted model of this version ({source}); delete it to fit anew")]
    Content { file: PathBuf, source: serde_json::Error },
}

impl Store {
    /// A store in `folder` for fits to `data`; without a folder nothing outlives the store.
    pub fn new(folder: Option<&Path>, data: &Path) -> Self {
        Self {
            folder: folder.map(Path::to_owned),
            data: data.display().to_string(),
            memory: Mutex::default(),
        }
    }

    fn name(model: &str, numbers: &[u32]) -> String {
        // FNV-1a of the numbers: one file for each choice of data.
        let hash = numbers
            .iter()
            .flat_map(|n| n.to_le_bytes())
            .fold(0xcbf2_9ce4_8422_2325_u64, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        format!("{model}-{}-{:08x}.json", numbers.len(), hash as u32)
    }

    fn memory(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The model fitted to these data with this effort, if it is there.
    ///
    /// # Errors
    ///
    /// If a file is there and cannot be read.
    pub fn get<E: Serialize + DeserializeOwned, M: DeserializeOwned>(
        &self,
        model: &str,
        numbers: &[u32],
        effort: &E,
    ) -> Result<Option<M>, StoreError> {
        let name = Self::name(model, numbers);
        let file = self.folder.clone().unwrap_or_default().join(&name);
        let wrong = |source| StoreError::Content { file: file.clone(), source };
        let kept = self.memory().get(&name).cloned();
        let text = match kept {
            Some(text) => text,
            None if self.folder.is_some() && file.exists() => std::fs::read_to_string(&file)
                .map_err(|source| StoreError::File { file: file.clone(), source })?,
            None => return Ok(None),
        };
        let found: Fitted<E, M> = serde_json::from_str(&text).map_err(wrong)?;
        let same = serde_json::to_value(&found.effort).map_err(wrong)?
            == serde_json::to_value(effort).map_err(wrong)?;
        Ok((same && found.numbers == numbers && found.data == self.data).then_some(found.fitted))
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
        let name = Self::name(model, numbers);
        let file = self.folder.clone().unwrap_or_default().join(&name);
        let content = Fitted {
            model: model.to_owned(),
            data: self.data.clone(),
            numbers: numbers.to_vec(),
            effort,
            fitted,
        };
        let text = serde_json::to_string(&content)
            .map_err(|source| StoreError::Content { file: file.clone(), source })?;
        self.memory().insert(name, text.clone());
        if self.folder.is_none() {
            return Ok(());
        }
        let write = || {
            std::fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
            // A file is there whole or not at all.
            let part = file.with_extension("part");
            std::fs::write(&part, text)?;
            std::fs::rename(&part, &file)
        };
        write().map_err(|source| StoreError::File { file: file.clone(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kept model comes back for the same data and effort, and for no other.
    #[test]
    fn models_come_back_for_the_data_they_were_fitted_to() {
        let folder = std::env::temp_dir().join(format!("stiction-store-{}", std::process::id()));
        let store = Store::new(Some(&folder), Path::new("data"));
        store.put("gp", &[1, 2], &7, &vec![0.5]).unwrap();
        let get = |model: &str, numbers: &[u32], effort| {
            store.get::<i32, Vec<f64>>(model, numbers, &effort).unwrap()
        };
        assert_eq!(get("gp", &[1, 2], 7), Some(vec![0.5]));
        for (model, numbers, effort) in [("gp", [1, 2], 8), ("gp", [1, 3], 7), ("net", [1, 2], 7)] {
            assert_eq!(get(model, &numbers, effort), None);
        }
        std::fs::remove_dir_all(&folder).unwrap();
        let passing = Store::default();
        assert_eq!(passing.get::<i32, i32>("gp", &[], &1).unwrap(), None);
        passing.put("gp", &[], &1, &5).unwrap();
        assert_eq!(passing.get::<i32, i32>("gp", &[], &1).unwrap(), Some(5));
    }
}
