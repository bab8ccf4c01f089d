//! The models below a folder.

use crate::files::read_text;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Files and folders looked at before a folder is taken for a mistake.
const MAX_ENTRIES: usize = 200_000;

/// Every file below `folder` that a reader takes: .urdf, .sdf, and .xml whose root element is
/// <robot>, <mujoco> or <sdf>; without the files that others of them include. By name; links to
/// folders are not followed.
pub fn models_below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let (mut found, mut included, mut count) = (Vec::new(), BTreeSet::new(), 0);
    let mut stack = vec![folder.to_owned()];
    while let Some(at) = stack.pop() {
        let entries = std::fs::read_dir(&at).map_err(|e| format!("{}: {e}", at.display()))?;
        for entry in entries {
            let entry = entry.map_err(|e| format!("{}: {e}", at.display()))?;
            count += 1;
            if count > MAX_ENTRIES {
                return Err(format!(
                    "{}: more than {MAX_ENTRIES} files; name a smaller folder",
                    folder.display()
                ));
            }
            let (path, kind) = (entry.path(), entry.file_type());
            if kind.is_ok_and(|k| k.is_dir()) {
                stack.push(path);
            } else if is_model(&path, &mut included) {
                found.push(path);
            }
        }
    }
    let whole = |p: &PathBuf| p.canonicalize().unwrap_or_else(|_| p.clone());
    found.retain(|p| !included.contains(&whole(p)));
    found.sort();
    Ok(found)
}

/// Whether a file is a model; the files it includes join `included`.
fn is_model(path: &Path, included: &mut BTreeSet<PathBuf>) -> bool {
    let ending = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    if matches!(ending.as_deref(), Some("urdf" | "sdf")) {
        return true;
    }
    if ending.as_deref() != Some("xml") {
        return false;
    }
    let Ok(text) = read_text(path) else { return false };
    let root = root_name(&text);
    if root == Some("mujoco") {
        let folder = path.parent().unwrap_or(Path::new(""));
        let files = text.split("<include").skip(1).filter_map(|rest| {
            let tag = rest.split('>').next()?;
            let quoted = tag.split_once("file")?.1.trim_start().strip_prefix('=')?.trim_start();
            let quote = quoted.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            quoted.get(1..)?.split(quote).next()
        });
        included.extend(files.filter_map(|f| folder.join(f).canonicalize().ok()));
    }
    matches!(root, Some("robot" | "mujoco" | "sdf"))
}

/// The name of the root element.
fn root_name(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.get(rest.find('<')? + 1..)?;
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.get(comment.find("-->")?..)?;
        } else if !rest.starts_with(['?', '!']) {
            return rest.split(|c: char| c.is_whitespace() || c == '>' || c == '/').next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_behind_prologues() {
        assert_eq!(
            root_name("<?xml version='1.0'?>\n<!-- <a> --><!DOCTYPE x>\n<robot name='r'/>"),
            Some("robot")
        );
        assert_eq!(root_name("<sdf/>"), Some("sdf"));
        assert_eq!(root_name("no markup"), None);
    }

    #[test]
    fn models_are_told_from_other_files() {
        let folder = std::env::temp_dir().join(format!("stiction-walk-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("deep")).unwrap();
        for (name, text) in [
            ("a.urdf", ""),
            ("package.xml", "<package/>"),
            ("scene.xml", "<mujoco><include file = 'deep/part.xml'/></mujoco>"),
            ("deep/part.xml", "<mujoco/>"),
            ("deep/robot.xml", "<robot/>"),
            ("notes.txt", "<robot/>"),
        ] {
            std::fs::write(folder.join(name), text).unwrap();
        }
        let found = models_below(&folder).unwrap();
        let names: Vec<_> =
            found.iter().map(|p| p.strip_prefix(&folder).unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["a.urdf", "deep/robot.xml", "scene.xml"]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
