//! Finding the models and references of other groups, which are not part of this repository.

use std::io::Write;
use std::path::{Path, PathBuf};

/// A file of the data folder; `None`, loudly, when it is not there.
pub(crate) fn data(path: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("STICTION_DATA").map_or(beside, PathBuf::from);
    let file = folder.join(path);
    if !file.is_file() {
        // Straight to the terminal: what passing tests print is swallowed.
        let message = format!("NOTHING CHECKED: {} is not there (set STICTION_DATA)\n", file.display());
        std::io::stderr().write_all(message.as_bytes()).unwrap();
        return None;
    }
    Some(file)
}
