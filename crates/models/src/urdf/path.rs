//! Where a mesh named in a URDF lies.

use crate::error::LoadError;
use crate::load::Context;
use crate::mesh::FORMATS;
use crate::value::Attribute;
use std::path::{Path, PathBuf};

/// The file that `filename` names: `package://name/rest`, `file://path`, `model://name/rest`, or a
/// path, relative to the folder of the URDF. A package is looked for in the given package folders,
/// then beside and above the URDF, by its name or as the folder that has `rest`.
pub(crate) fn resolve(context: &Context<'_>, filename: Attribute<'_>) -> Result<PathBuf, LoadError> {
    let name = filename.value().trim();
    let package = name.strip_prefix("package://").or_else(|| name.strip_prefix("model://"));
    // `package:///name/rest` is met in the wild.
    let package = package.map(|p| p.trim_start_matches('/'));
    let candidates: Vec<PathBuf> = match package {
        Some(path) => {
            let (package, rest) = path.split_once('/').unwrap_or((path, ""));
            let above = std::path::absolute(context.folder).unwrap_or(context.folder.to_owned());
            let mut folders: Vec<&Path> = context.options.package_dirs.iter().map(PathBuf::as_path).collect();
            folders.extend(above.ancestors().take(12));
            let here = |f: &Path| [f.join(package).join(rest), f.join(rest)];
            let inside = |f: &&Path| f.file_name().is_some_and(|n| n == package);
            folders.iter().flat_map(|f| if inside(f) { here(f).into() } else { vec![f.join(path)] }).collect()
        }
        None if name.contains("://") && !name.starts_with("file://") => {
            return Err(filename.error("a path, file://…, package://… or model://…"));
        }
        None => vec![context.folder.join(name.strip_prefix("file://").unwrap_or(name))],
    };
    if name.is_empty() {
        return Err(filename.error("the path of a mesh file"));
    }
    if let Some(found) = candidates.iter().find(|c| c.is_file()) {
        return Ok(found.clone());
    }
    let tried = candidates.first().cloned().unwrap_or_default();
    let reason = match (package, candidates.len()) {
        (Some(_), n) if n > 1 => format!(
            "no such file, nor in the {} other folders tried for the package; expected {FORMATS} (name the \
             folder of the package in LoadOptions::package_dirs)",
            n - 1
        ),
        _ => format!("no such file; expected {FORMATS}"),
    };
    Err(LoadError::Mesh { place: filename.place(), path: tried, reason })
}
