//! What the targets share: how a text or a mesh reaches the readers.
//!
//! A target passes when the reader returns, whatever it returns: a panic, a leak beyond the memory
//! limit or a run beyond the time limit is a finding.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use stiction_models::LoadOptions;
use stiction_models::check::{check_text, mend};

/// A folder without files: names of meshes and includes lead nowhere.
const NOWHERE: &str = "fuzz-nowhere";

/// Reads, checks and mends a robot text.
pub fn robot(data: &[u8], name: &str) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let options = LoadOptions { free_base: data.len() % 2 == 0, ..LoadOptions::default() };
    let (file, folder) = (Path::new(name), Path::new(NOWHERE));
    let report = check_text(text, file, folder, &options);
    if report.read
        && let Some(mended) = mend(text, file, folder, &options)
    {
        assert!(mended.left.read, "mending broke a file that was read");
    }
}

/// Reads a mesh file through a robot that touches with it.
pub fn mesh(data: &[u8], ending: &str) {
    let folder = scratch();
    let name = format!("mesh.{ending}");
    if std::fs::write(folder.join(&name), data).is_err() {
        return;
    }
    let text = format!(
        "<mujoco><asset><mesh name='m' file='{name}'/></asset><worldbody><body><freejoint/>\
         <geom type='mesh' mesh='m'/></body></worldbody></mujoco>"
    );
    check_text(&text, Path::new("f.xml"), folder, &LoadOptions::default());
}

/// A folder of this process.
fn scratch() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("stiction-fuzz-{}", std::process::id()));
        let _ = std::fs::create_dir_all(&folder);
        folder
    })
}
