//! A folder of results of one key.

use crate::{Key, beside, digest};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The file of a folder that says what it holds results of.
pub const MANIFEST: &str = "store.json";
/// The version of manifests and records.
const VERSION: u32 = 1;
/// Bytes beyond which a record is taken for a mistake.
const MAX_BYTES: u64 = 1 << 30;
/// Letters of a digest in the name of a record.
const LETTERS: usize = 16;

/// Results that cannot be gone on from.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file cannot be read or written.
    #[error("{}: {source}", file.display())]
    File { file: PathBuf, source: io::Error },
    /// The folder holds results of another key.
    #[error("{} holds results of other inputs: {}; choose another folder, or remove it", folder.display(), differences.join("; "))]
    Other { folder: PathBuf, differences: Vec<String> },
    /// A record is not what was written.
    #[error("{}: {what}; {remedy}", file.display())]
    Damaged { file: PathBuf, what: String, remedy: &'static str },
}

/// The content of a manifest.
#[derive(Serialize, Deserialize)]
struct Manifest {
    store: u32,
    kind: String,
    digest: String,
    key: Map<String, Value>,
}

/// The first line of a record; the second is its value.
#[derive(Serialize, Deserialize)]
struct Head {
    store: u32,
    /// Digest of the folder's key.
    of: String,
    /// Digest of the record's own key.
    record: String,
    /// Digest of the value's text.
    sum: String,
}

/// A folder of results of one key.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    digest: String,
}

impl Store {
    /// The store in `folder`, which is made if it is absent; its manifest is written before any record.
    ///
    /// # Errors
    ///
    /// If the folder holds results of another key (the message says what differs), or its manifest is damaged, or
    /// nothing can be written there.
    pub fn open(folder: &Path, key: &Key) -> Result<Self, StoreError> {
        let file = folder.join(MANIFEST);
        let digest = key.digest();
        let store = Self { folder: folder.to_owned(), digest: digest.clone() };
        let Some(text) = read(&file)? else {
            let manifest =
                Manifest { store: VERSION, kind: key.kind().to_owned(), digest, key: key.says().clone() };
            let text = serde_json::to_string_pretty(&manifest).map_err(|e| unsaid(&file, &e))?;
            beside::write(&file, text + "\n").map_err(|source| StoreError::File { file, source })?;
            return Ok(store);
        };
        let damaged = |what: String| StoreError::Damaged {
            file: file.clone(),
            what,
            remedy: "choose another folder, or remove this one",
        };
        let there: Manifest = serde_json::from_slice(&text)
            .map_err(|e| damaged(format!("it does not say what the folder holds results of ({e})")))?;
        if there.store != VERSION {
            return Err(damaged(format!("version {} of the store, not {VERSION}", there.store)));
        }
        let kept = Key::of(&there.kind, &there.key);
        if kept.digest() != there.digest {
            return Err(damaged("damaged: its digest is not that of its key".to_owned()));
        }
        if there.digest != digest {
            let differences = kept.differences(key);
            return Err(StoreError::Other { folder: folder.to_owned(), differences });
        }
        Ok(store)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Digest of the key.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The file of the record called `name` with a key of its own.
    pub fn file(&self, name: &str, key: &Key) -> PathBuf {
        self.folder.join(format!("{name}-{}.record", &key.digest()[..LETTERS]))
    }

    /// The value of a record, if it is there.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is damaged, or was written for another key than the folder's.
    pub fn get<V: DeserializeOwned>(&self, name: &str, key: &Key) -> Result<Option<V>, StoreError> {
        let file = self.file(name, key);
        let Some(bytes) = read(&file)? else { return Ok(None) };
        let damaged = |what: String| StoreError::Damaged {
            file: file.clone(),
            what,
            remedy: "delete this file, and its result is computed again",
        };
        let mut parts = bytes.splitn(2, |b| *b == b'\n');
        let (head, value) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let head: Head =
            serde_json::from_slice(head).map_err(|e| damaged(format!("no record of a store ({e})")))?;
        if head.store != VERSION {
            return Err(damaged(format!("a record of version {}, not {VERSION}", head.store)));
        }
        if head.sum != digest::digest(value) {
            return Err(damaged("damaged: its sum is not that of its value".to_owned()));
        }
        if head.of != self.digest || head.record != key.digest() {
            return Err(damaged("a record of other inputs, which was put here".to_owned()));
        }
        serde_json::from_slice(value)
            .map(Some)
            .map_err(|e| damaged(format!("no result of this version ({e})")))
    }

    /// Keeps a value under a name and a key of its own, in place of what was kept there.
    ///
    /// # Errors
    ///
    /// If it cannot be written; what was kept before is then still there.
    pub fn put(&self, name: &str, key: &Key, value: &impl Serialize) -> Result<(), StoreError> {
        let file = self.file(name, key);
        let value = serde_json::to_string(value).map_err(|e| unsaid(&file, &e))?;
        let head = Head {
            store: VERSION,
            of: self.digest.clone(),
            record: key.digest(),
            sum: digest::digest(value.as_bytes()),
        };
        let head = serde_json::to_string(&head).map_err(|e| unsaid(&file, &e))?;
        beside::write(&file, format!("{head}\n{value}"))
            .map_err(|source| StoreError::File { file: file.clone(), source })
    }
}

fn unsaid(file: &Path, error: &serde_json::Error) -> StoreError {
    StoreError::File { file: file.to_owned(), source: io::Error::other(error.to_string()) }
}

/// The bytes of a regular file that is not taken for a mistake, or `None` where there is none.
pub(crate) fn read(file: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    let told = |source| StoreError::File { file: file.to_owned(), source };
    // Looked at before it is opened: opening a pipe waits for its writer.
    let about = match fs::metadata(file) {
        Ok(about) => about,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(told(e)),
    };
    if !about.is_file() {
        return Err(told(io::Error::other("not a regular file")));
    }
    if about.len() > MAX_BYTES {
        return Err(told(io::Error::other(format!("it has {} bytes, more than {MAX_BYTES}", about.len()))));
    }
    fs::read(file).map(Some).map_err(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(seed: u64) -> Key {
        Key::new("test 1").with("seed", seed)
    }

    #[test]
    fn values_come_back_for_their_key_and_for_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let of = |seed| Store::open(folder.path(), &key(seed));
        let store = of(1).unwrap();
        let (a, b) = (Key::new("gp").with("drops", [1, 2]), Key::new("gp").with("drops", [1, 3]));
        assert_eq!(store.get::<Vec<f64>>("gp", &a).unwrap(), None);
        let x = f64::from_bits(0.1_f64.to_bits() + 1);
        store.put("gp", &a, &[x]).unwrap();
        let again = of(1).unwrap();
        assert_eq!(again.get::<Vec<f64>>("gp", &a).unwrap(), Some(vec![x]));
        assert_eq!(again.get::<Vec<f64>>("gp", &b).unwrap(), None);
        let refused = of(2).unwrap_err().to_string();
        assert!(refused.contains("seed: 1 there, 2 now; choose another folder"), "{refused}");
    }

    /// Every byte of a record counts, and a record of another store is not taken for one of this.
    #[test]
    fn damaged_and_foreign_records_are_refused_and_named() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (store, foreign) =
            (Store::open(folder.path(), &key(1)).unwrap(), Store::open(other.path(), &key(2)).unwrap());
        let k = Key::new("gp");
        store.put("gp", &k, &vec![1.0, 2.0]).unwrap();
        foreign.put("gp", &k, &vec![3.0]).unwrap();
        let file = store.file("gp", &k);
        let good = fs::read(&file).unwrap();
        let mut spoilt: Vec<Vec<u8>> = vec![Vec::new(), good[..good.len() - 1].to_vec(), good[..20].to_vec()];
        for i in 0..good.len() {
            let mut bytes = good.clone();
            bytes[i] ^= 4;
            spoilt.push(bytes);
        }
        spoilt.push(fs::read(foreign.file("gp", &k)).unwrap());
        for bytes in spoilt {
            fs::write(&file, &bytes).unwrap();
            let told = store.get::<Vec<f64>>("gp", &k).unwrap_err().to_string();
            assert!(
                told.starts_with(&file.display().to_string()) && told.contains("delete this file"),
                "{told}"
            );
        }
        fs::write(&file, good).unwrap();
        assert_eq!(store.get::<Vec<f64>>("gp", &k).unwrap(), Some(vec![1.0, 2.0]));
        for bytes in ["", "{}", "[1"] {
            fs::write(folder.path().join(MANIFEST), bytes).unwrap();
            let told = Store::open(folder.path(), &key(1)).unwrap_err().to_string();
            assert!(told.contains(MANIFEST) && told.contains("choose another folder"), "{told}");
        }
        fs::remove_file(folder.path().join(MANIFEST)).unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/dev/zero", folder.path().join(MANIFEST)).unwrap();
            let told = Store::open(folder.path(), &key(1)).unwrap_err().to_string();
            assert!(told.contains("not a regular file"), "{told}");
        }
    }
}
