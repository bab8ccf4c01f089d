//! <include>: models of other files.
//!
//! The files are read before anything else and kept beside the document; the same file, included twice, is
//! read once. What <include> says about name, pose and so on, [`scope`](super::scope) applies.

use super::pose::{Version, required, version};
use crate::error::LoadError;
use crate::files::read_text;
use crate::options::Context;
use crate::path::{self, Wanted};
use crate::xml::Document;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use stiction_world::Fate;

/// Most files a world may consist of.
const MAX_FILES: usize = 1000;

/// The root element of the file behind every <include>, by the id of the latter.
#[derive(Default)]
pub(crate) struct Included {
    pub(crate) roots: BTreeMap<usize, usize>,
    /// The roots, each once.
    pub(crate) files: Vec<usize>,
}

/// Reads all files that are included, directly or by others.
pub(crate) fn read(document: &mut Document, context: &Context<'_>) -> Result<Included, LoadError> {
    let main = document.root().file().to_owned();
    let mut included = Included::default();
    let mut known: BTreeMap<PathBuf, usize> = BTreeMap::new();
    let mut next = 0;
    while next < document.len() {
        let element = document.element(next);
        next += 1;
        let inside = matches!(element.parent_name(), "world" | "model" | "sdf");
        if element.name() != "include" || !inside {
            continue;
        }
        let place = element.place();
        let uri = required(element, "uri", "the model to include, such as model://name")?;
        let folder = if place.file == main {
            context.folder.to_owned()
        } else {
            place.file.parent().unwrap_or(Path::new("")).to_owned()
        };
        let id = element.id();
        let (found, own) = match path::resolve(context, &folder, uri, Wanted::Model) {
            Ok(found) => (found, None),
            Err(error) => match own_model(uri.value()) {
                Some((name, text)) => (PathBuf::from(name), Some(text)),
                None => return Err(error),
            },
        };
        let path =
            if own.is_some() { found } else { model_file(&found).map_err(|r| element.structure(r))? };
        let key = path.canonicalize().unwrap_or_else(|_| path.clone());
        let root = match known.get(&key) {
            Some(&root) => root,
            None => {
                if known.len() >= MAX_FILES {
                    let what = "included files".to_owned();
                    return Err(LoadError::Limit { place, what, limit: MAX_FILES });
                }
                let text = own.map_or_else(|| read_text(&path), |text| Ok(text.to_owned()))?;
                let root = document.append(&path, &text)?;
                known.insert(key, root);
                included.files.push(root);
                root
            }
        };
        let of_file = document.element(root);
        if of_file.name() != "sdf" {
            let remedy = if of_file.name() == "robot" { "; convert the URDF to SDF first" } else { "" };
            let message = format!("the root element is <{}>; expected <sdf>{remedy}", of_file.name());
            return Err(of_file.structure(message));
        }
        included.roots.insert(id, root);
    }
    Ok(included)
}

/// Gazebo's two models that nearly every world includes: a plane, and a light, which touches nothing.
const OWN_MODELS: [(&str, &str); 2] = [
    (
        "ground_plane",
        "<sdf version='1.6'><model name='ground_plane'><static>true</static><link name='link'>\
         <collision name='collision'><geometry><plane><normal>0 0 1</normal><size>100 100</size></plane></geometry>\
         <surface><friction><ode><mu>100</mu><mu2>50</mu2></ode></friction></surface></collision>\
         </link></model></sdf>",
    ),
    ("sun", "<sdf version='1.6'><light name='sun' type='directional'/></sdf>"),
];

/// The name and the text of a model that is built in, for the URI of one that no folder holds.
fn own_model(uri: &str) -> Option<(&'static str, &'static str)> {
    let last = uri.trim().trim_end_matches('/').rsplit('/').next()?;
    let last = last.to_ascii_lowercase().replace(' ', "_");
    OWN_MODELS.into_iter().find(|(name, _)| *name == last)
}

/// The SDF file of a model's folder: of those its model.config lists, the one of the highest version up to
/// 1.12; without a list, model.sdf.
fn model_file(found: &Path) -> Result<PathBuf, String> {
    if !found.is_dir() {
        return Ok(found.to_owned());
    }
    let config = ["model.config", "manifest.xml"].map(|name| found.join(name));
    let Some(config) = config.iter().find(|c| c.is_file()) else {
        let plain = found.join("model.sdf");
        let missing = || format!("{} holds neither a model.config nor a model.sdf", found.display());
        return if plain.is_file() { Ok(plain) } else { Err(missing()) };
    };
    let text = read_text(config).map_err(|e| e.to_string())?;
    let document = Document::parse(config, &text).map_err(|e| e.to_string())?;
    let mut best: Option<(Version, PathBuf)> = None;
    for sdf in document.root().children().filter(|c| c.name() == "sdf") {
        let stated =
            if sdf.peek("version").is_some() { version(sdf).map_err(|e| e.to_string())? } else { (1, 0) };
        if stated <= (1, 12) && best.as_ref().is_none_or(|(v, _)| stated >= *v) {
            best = Some((stated, found.join(sdf.text())));
        }
    }
    match best {
        Some((_, path)) => Ok(path),
        None => Err(format!("{} names no <sdf>", config.display())),
    }
}

/// Marks every <include> and the roots of the files behind them.
pub(crate) fn mark(document: &Document, included: &Included) {
    for &include in included.roots.keys() {
        document.element(include).mark(Fate::Used, "");
    }
    for &root in &included.files {
        document.element(root).mark(Fate::Used, "");
    }
}
