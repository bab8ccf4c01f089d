//! <include file="…"/>: the children of another file's root, in the place of the element.
//!
//! Paths start from the folder of the main file, else from that of the including file. As in
//! MuJoCo, no file is included twice; so none can include itself.

use crate::error::LoadError;
use crate::ledger::Fate;
use crate::load::{Context, read_text};
use crate::xml::Document;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Most files a model may consist of.
const MAX_FILES: usize = 1000;

/// Splices all included files in. Returns the elements that this cut off: the <include>s and the
/// roots of their files.
pub(crate) fn resolve(document: &mut Document, context: &Context<'_>) -> Result<Vec<usize>, LoadError> {
    let key = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    let mut cut = Vec::new();
    let mut seen: BTreeMap<PathBuf, String> = BTreeMap::new();
    seen.insert(key(&document.root().place().file), "the main file".to_owned());
    let mut next = 0;
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
        let candidates = [Some(context.folder.join(file.value().trim())), beside];
        let Some(path) = candidates.into_iter().flatten().find(|p| p.is_file()) else {
            let here = Some(context.folder).filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let expected = format!("a file, relative to {}", here.display());
            return Err(file.error(expected));
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
    Ok(cut)
}
