//! The door: a path or a text in, a [`World`] out.

use crate::error::LoadError;
use crate::files::read_text;
use crate::options::{Context, LoadOptions};
use crate::words::shortened;
use crate::xml::Document;
use crate::{mjcf, sdf, urdf};
use std::path::Path;
use stiction_world::World;

/// Reads a URDF, SDF or MJCF file; the root element says which.
pub fn load(path: &Path, options: &LoadOptions) -> Result<World, LoadError> {
    let text = read_text(path)?;
    load_str(&text, path, path.parent().unwrap_or(Path::new("")), options)
}

/// Reads a URDF, SDF or MJCF text. Messages call it `file`; meshes and includes are relative to
/// `base_dir`.
pub fn load_str(text: &str, file: &Path, base_dir: &Path, options: &LoadOptions) -> Result<World, LoadError> {
    let document = Document::parse(file, text)?;
    let context = Context { folder: base_dir, options };
    match document.root().name() {
        "robot" | "drake:robot" => urdf::read(&document, &context),
        "sdf" | "gazebo" => sdf::read(document, &context),
        "mujoco" => mjcf::read(document, &context),
        found => {
            let hint = match found {
                "mujocoinclude" => "; this file is meant to be included by another: load that one",
                "COLLADA" => "; this is a mesh: name it in a URDF, SDF or MJCF file",
                _ => "",
            };
            let (place, found) = (document.root().place(), shortened(found));
            Err(LoadError::Format { place, found, hint: hint.to_owned() })
        }
    }
}
