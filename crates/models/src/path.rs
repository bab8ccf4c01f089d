//! Where a file that a description names lies.
//!
//! `package://name/rest` and `model://name/rest` are looked for, in this order, in
//!
//! 1. the folders of [`LoadOptions::package_dirs`](crate::LoadOptions::package_dirs),
//! 2. the folder of the file and those above it,
//! 3. the folders of the environment: `ROS_PACKAGE_PATH`, `GAZEBO_MODEL_PATH`, `GZ_SIM_RESOURCE_PATH`,
//!    `IGN_GAZEBO_RESOURCE_PATH`, `SDF_PATH`, and `AMENT_PREFIX_PATH` and `CMAKE_PREFIX_PATH`, whose packages
//!    lie in `share`;
//!
//! in each of them F as `F/name/rest`, `F/share/name/rest`, and as `F/rest` where F is called `name` or its
//! `package.xml` says so; last, as `F/rest` anywhere above the file. `file://path` and plain paths are
//! relative to the folder of the file.

use crate::error::LoadError;
use crate::options::Context;
use crate::xml::Attribute;
use std::path::{Path, PathBuf};

/// Folders above the file that are looked at.
const MAX_ABOVE: usize = 12;
/// Longest `package.xml` that is looked into [bytes].
const MAX_PACKAGE: u64 = 1 << 20;

const VARIABLES: [&str; 7] = [
    "ROS_PACKAGE_PATH",
    "GAZEBO_MODEL_PATH",
    "GZ_SIM_RESOURCE_PATH",
    "IGN_GAZEBO_RESOURCE_PATH",
    "SDF_PATH",
    "AMENT_PREFIX_PATH",
    "CMAKE_PREFIX_PATH",
];

/// Kind of file that is looked for.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Wanted {
    /// A file of one of these formats.
    File(&'static str),
    /// A model: an SDF file, or a folder with one.
    Model,
}

impl Wanted {
    fn fits(self, path: &Path) -> bool {
        if self == Self::Model { path.exists() } else { path.is_file() }
    }

    fn expected(self) -> &'static str {
        match self {
            Self::File(formats) => formats,
            Self::Model => "an SDF file (.sdf), or a folder with a model.config",
        }
    }
}

/// The file that `named` says, of a description in `folder`.
pub(crate) fn resolve(
    context: &Context<'_>,
    folder: &Path,
    named: Attribute<'_>,
    wanted: Wanted,
) -> Result<PathBuf, LoadError> {
    let name = named.value().trim();
    if name.is_empty() {
        return Err(named.error(format!("the path of {}", wanted.expected())));
    }
    let package = name.strip_prefix("package://").or_else(|| name.strip_prefix("model://"));
    // `package:///name/rest` is met in the wild.
    let package = package.map(|p| p.trim_start_matches('/'));
    let candidates = match package {
        Some(path) => in_packages(context, folder, &decoded(path)),
        None if name.contains("://") && !name.starts_with("file://") => {
            let hint = if name.starts_with("http") { " (download it first)" } else { "" };
            return Err(named.error_with_hint("a path, file://…, package://… or model://…", hint.to_owned()));
        }
        None => {
            let path = decoded(name.strip_prefix("file://").unwrap_or(name));
            let beside = folder.join(&path);
            // Models may be named without a scheme.
            let packages =
                if wanted == Wanted::Model { in_packages(context, folder, &path) } else { Vec::new() };
            std::iter::once(beside).chain(packages).collect()
        }
    };
    if let Some(found) = candidates.iter().find(|c| wanted.fits(c)) {
        return Ok(found.clone());
    }
    let expected = wanted.expected();
    let reason = match candidates.len() {
        n if n > 1 => format!(
            "no such file, nor in the {} other places tried; expected {expected} (say where packages lie: \
             --package-path, LoadOptions::package_dirs, or ROS_PACKAGE_PATH)",
            n - 1
        ),
        _ => format!("no such file; expected {expected}"),
    };
    let tried = candidates.first().cloned().unwrap_or_default();
    let place = named.place();
    Err(match wanted {
        Wanted::File(_) => LoadError::Mesh { place, path: tried, reason },
        Wanted::Model => LoadError::Structure { place, message: format!("{}: {reason}", tried.display()) },
    })
}

/// All places of `name/rest`, in the order they are tried.
fn in_packages(context: &Context<'_>, folder: &Path, path: &str) -> Vec<PathBuf> {
    let (package, rest) = path.split_once('/').unwrap_or((path, ""));
    let above = std::path::absolute(folder).unwrap_or(folder.to_owned());
    let above: Vec<&Path> = above.ancestors().take(MAX_ABOVE).collect();
    let environment: Vec<PathBuf> = (VARIABLES.iter())
        .filter_map(std::env::var_os)
        .flat_map(|paths| std::env::split_paths(&paths).collect::<Vec<_>>())
        .filter(|p| !p.as_os_str().is_empty())
        .collect();
    let given = context.options.package_dirs.iter().map(PathBuf::as_path);
    let folders = given.chain(above.iter().copied()).chain(environment.iter().map(PathBuf::as_path));
    let mut places = Vec::new();
    for folder in folders {
        if is_package(folder, package) {
            places.push(folder.join(rest));
        }
        places.push(folder.join(path));
        places.push(folder.join("share").join(path));
    }
    if !rest.is_empty() {
        places.extend(above.iter().map(|f| f.join(rest)));
    }
    places
}

/// The folder is called `package`, or says that it is.
fn is_package(folder: &Path, package: &str) -> bool {
    if folder.file_name().is_some_and(|n| n == package) {
        return true;
    }
    let manifest = crate::files::read_bytes(&folder.join("package.xml"), MAX_PACKAGE).unwrap_or_default();
    let text = String::from_utf8_lossy(&manifest);
    let name = text.split("<name>").nth(1).and_then(|rest| rest.split("</name>").next());
    name.is_some_and(|n| n.trim() == package)
}

/// `%20` and its like as the characters they stand for; text that is no such code stays.
pub(crate) fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = tail.get(..2).filter(|_| first == b'%').and_then(|c| std::str::from_utf8(c).ok());
        match code.and_then(|c| u8::from_str_radix(c, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_decoded_and_plain_text_stays() {
        assert_eq!(decoded("a%20b/%C3%BC.stl"), "a b/ü.stl");
        assert_eq!(decoded("50%/100%zz%2"), "50%/100%zz%2");
    }
}
