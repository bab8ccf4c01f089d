//! Further files: <include>, whose root's children take the place of the element, and <model>, a
//! model of its own that <attach> copies from.
//!
//! Paths of includes start from the folder of the model's file, else from that of the including
//! file. As in MuJoCo, no file is included twice in a model; so none can include itself.

use crate::error::LoadError;
use crate::files::read_text;
use crate::xml::{Document, Element};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use stiction_world::Fate;

/// Most files a model may consist of.
const MAX_FILES: usize = 1000;
/// Most models, those inside models included.
const MAX_MODELS: usize = 100;

/// The models of a file.
#[derive(Default)]
pub(crate) struct Models {
    /// Root elements, with the folders that paths start from; the main file comes first.
    pub(crate) roots: Vec<(usize, PathBuf)>,
    /// Models of every <model> element: the one it stands in, and the one it names.
    pub(crate) named: BTreeMap<usize, (usize, usize)>,
    /// Elements cut off from the tree of the main file: <include>s and the roots of other files.
    pub(crate) cut: Vec<usize>,
}

/// Appends all files that `document` asks for.
pub(crate) fn resolve(document: &mut Document, folder: &Path) -> Result<Models, LoadError> {
    let mut models = Models::default();
    include(document, 0, folder, &mut models.cut)?;
    models.roots.push((0, folder.to_owned()));
    let mut waiting: VecDeque<(usize, usize)> = assets(document.element(0)).map(|id| (0, id)).collect();
    while let Some((from, id)) = waiting.pop_front() {
        let element = document.element(id);
        element.mark(Fate::Used, "");
        if models.roots.len() > MAX_MODELS {
            let (place, what) = (element.place(), "models, those inside models included".to_owned());
            return Err(LoadError::Limit { place, what, limit: MAX_MODELS });
        }
        let (path, root) = append(document, id, &models, from)?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        models.cut.push(root);
        include(document, root, &folder, &mut models.cut)?;
        let model = models.roots.len();
        models.named.insert(id, (from, model));
        models.roots.push((root, folder));
        waiting.extend(assets(document.element(root)).map(|id| (model, id)));
    }
    Ok(models)
}

/// The file of the <model> `id` of the model `from`: its path and its root.
fn append(
    document: &mut Document,
    id: usize,
    models: &Models,
    from: usize,
) -> Result<(PathBuf, usize), LoadError> {
    let file = document.element(id).require("file", "the path of an MJCF file")?;
    let folder = models.roots.get(from).map_or(Path::new(""), |r| &r.1);
    let path = folder.join(file.value().trim());
    if !path.is_file() {
        return Err(file.error(format!("a file, relative to {}", shown(folder))));
    }
    let root = document.append(&path, &read_text(&path)?)?;
    let found = document.element(root);
    if found.name() != "mujoco" {
        return Err(found.structure(format!("the root is <{}>: expected <mujoco>", found.name())));
    }
    Ok((path, root))
}

/// The <model>s of a model.
fn assets(root: Element<'_>) -> impl Iterator<Item = usize> {
    let assets = root.children().filter(|c| c.name() == "asset");
    assets.flat_map(Element::children).filter(|c| c.name() == "model").map(Element::id)
}

fn shown(folder: &Path) -> String {
    let here = Some(folder).filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    here.display().to_string()
}

/// Splices all included files into the model that starts at `root`, the last element so far.
fn include(
    document: &mut Document,
    root: usize,
    folder: &Path,
    cut: &mut Vec<usize>,
) -> Result<(), LoadError> {
    let key = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    let mut seen: BTreeMap<PathBuf, String> = BTreeMap::new();
    seen.insert(key(&document.element(root).place().file), "the main file".to_owned());
    let mut next = root;
    while next < document.len() {
        let element = document.element(next);
        next += 1;
        if element.name() != "include" || element.parent().is_none() {
            continue;
        }
        element.mark(Fate::Used, "");
        let (at, place) = (element.id(), element.place());
        let file = element.require("file", "the path of an MJCF file")?;
        let beside = place.file.parent().map(|folder| folder.join(file.value().trim()));
        let candidates = [Some(folder.join(file.value().trim())), beside];
        let Some(path) = candidates.into_iter().flatten().find(|p| p.is_file()) else {
            return Err(file.error(format!("a file, relative to {}", shown(folder))));
        };
        if let Some(first) = seen.insert(key(&path), place.to_string()) {
            return Err(file.error(format!(
                "a file that is not part of the model yet; this one is ({first}), and a file is included once"
            )));
        }
        if seen.len() > MAX_FILES {
            return Err(LoadError::Limit { place, what: "included files".to_owned(), limit: MAX_FILES });
        }
        let text = read_text(&path)?;
        let root = document.append(&path, &text)?;
        document.element(root).mark(Fate::Used, "");
        if let Some(model) = document.element(root).peek("model") {
            model.mark(Fate::Kept, "the including file names the model");
        }
        document.splice(at, root);
        cut.extend([at, root]);
    }
    Ok(())
}
