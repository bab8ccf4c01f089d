//! Writers: a [`World`](stiction_world::World) as a file of a format.
//!
//! ```text
//!     World ──▶ mjcf | urdf ──▶ Written { text, files beside it, what was lost on the way }
//! ```
//!
//! Numbers are written with as many digits as it takes to read the same bits again. What a format cannot say is
//! in [`Written::notes`], never dropped silently; a world is taken apart by a pattern that names all its
//! fields, so that one more field does not compile until it is written or noted.

mod files;
mod mjcf;
mod mjcf_body;
mod mjcf_drive;
mod mjcf_writer;
mod names;
mod tree;
mod urdf;
mod urdf_joint;
mod urdf_link;
mod urdf_writer;
mod xml;

pub use mjcf::to_mjcf;
pub use urdf::to_urdf;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A file, the files beside it, and what they do not say.
#[derive(Clone, Debug, Default)]
pub struct Written {
    pub text: String,
    /// Paths relative to the folder of the file, and what is in them.
    pub files: Vec<(String, String)>,
    /// Notes on everything that the format cannot say, or says otherwise; each once, with how often.
    pub notes: Vec<String>,
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    #[error("{} is there already: nothing was written", path.display())]
    Exists { path: PathBuf },
    #[error("cannot write {}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

impl Written {
    /// Writes everything: the text at `path`, the other files beside it. Without `overwrite` nothing is written
    /// if one of them is there already. Returns the paths.
    pub fn save(&self, path: &Path, overwrite: bool) -> Result<Vec<PathBuf>, WriteError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let beside = self.files.iter().map(|(name, text)| (folder.join(name), text));
        let all: Vec<(PathBuf, &String)> =
            std::iter::once((path.to_owned(), &self.text)).chain(beside).collect();
        if let Some((path, _)) = all.iter().find(|(p, _)| !overwrite && p.symlink_metadata().is_ok()) {
            return Err(WriteError::Exists { path: path.clone() });
        }
        for (path, text) in &all {
            stiction_store::write(path, text)
                .map_err(|source| WriteError::Io { path: path.clone(), source })?;
        }
        Ok(all.into_iter().map(|(p, _)| p).collect())
    }
}

/// Notes by text, counted.
#[derive(Default)]
struct Notes {
    order: Vec<&'static str>,
    found: BTreeMap<&'static str, Vec<String>>,
}

/// So many names are given with a note.
const SHOWN: usize = 4;

impl Notes {
    /// `what` happened to `whom`.
    fn note(&mut self, what: &'static str, whom: impl Into<String>) {
        let names = self.found.entry(what).or_default();
        if names.is_empty() {
            self.order.push(what);
        }
        names.push(whom.into());
    }

    fn lines(self) -> Vec<String> {
        let line = |what: &&'static str| {
            let names = self.found.get(what).map(Vec::as_slice).unwrap_or_default();
            let shown: Vec<_> =
                names.iter().filter(|n| !n.is_empty()).take(SHOWN).map(|n| format!("`{n}`")).collect();
            let more = names.len().saturating_sub(shown.len().max(1));
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            if shown.is_empty() {
                format!("{what}{more}")
            } else {
                format!("{what}: {}{more}", shown.join(", "))
            }
        };
        self.order.iter().map(line).collect()
    }
}
