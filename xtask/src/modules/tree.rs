//! The modules of one crate, and where the names lead that they import.

use super::source::{Import, Source};
use crate::house::File;
use std::collections::BTreeMap;

/// Names from the crate's root: `["sweep", "workspace"]`; the root is empty.
pub(super) type Path = Vec<String>;

/// One module.
struct Module {
    /// Its file, an index into the files of the house.
    file: usize,
    /// The module that is this file: itself, but for modules within files.
    room: Path,
    source: Source,
}

/// Module `from` uses something of `to`, neither of which holds the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Use {
    pub(super) from: Path,
    pub(super) to: Path,
    pub(super) file: usize,
    pub(super) line: usize,
    /// The name was taken from the crate's root, which imports it from `to`.
    pub(super) by_root: bool,
}

/// All modules of a crate that are compiled outside of tests.
pub(super) struct Tree {
    modules: BTreeMap<Path, Module>,
}

impl Tree {
    /// Follows `mod name;` from the root file of a crate.
    pub(super) fn read(files: &[File], root: &str) -> Self {
        let mut tree = Self { modules: BTreeMap::new() };
        let folder = root.rsplit_once('/').map_or("", |(f, _)| f);
        if let Some(file) = find(files, root) {
            tree.add(files, file, Path::new(), folder, None);
        }
        tree
    }

    /// Adds the module `path`, whose children in other files are in `folder`.
    fn add(&mut self, files: &[File], file: usize, path: Path, folder: &str, within: Option<(Path, Source)>) {
        let (room, mut source) = within.unwrap_or_else(|| (path.clone(), Source::read(&files[file].text)));
        for name in &source.children {
            let child = [&path[..], std::slice::from_ref(name)].concat();
            let places = [format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")];
            if let Some(file) = places.iter().find_map(|p| find(files, p)) {
                self.add(files, file, child, &format!("{folder}/{name}"), None);
            }
        }
        for (name, inner) in std::mem::take(&mut source.inline) {
            let child = [&path[..], std::slice::from_ref(&name)].concat();
            self.add(files, file, child, &format!("{folder}/{name}"), Some((room.clone(), inner)));
        }
        self.modules.insert(path, Module { file, room, source });
    }

    /// Everything that a module uses of another, within this crate.
    pub(super) fn uses(&self) -> Vec<Use> {
        let mut out = Vec::new();
        for (path, module) in &self.modules {
            for import in &module.source.imports {
                let Some((target, by_root)) = self.target(path, &import.path, 0) else { continue };
                let Some(there) = self.modules.get(&target) else { continue };
                let (from, to) = (module.room.clone(), there.room.clone());
                if !from.starts_with(&to) && !to.starts_with(&from) {
                    out.push(Use { from, to, file: module.file, line: import.line, by_root });
                }
            }
        }
        out
    }

    /// The module that holds what `names` mean in module `here`; `None` outside of the crate. Whether the crate's root
    /// was asked for what it imports.
    fn target(&self, here: &Path, names: &[String], depth: usize) -> Option<(Path, bool)> {
        /// Imports of imports that are followed: more are a circle.
        const DEEPEST: usize = 16;
        let (mut at, mut n) = (here.clone(), 0);
        while let Some(name) = names.get(n) {
            match (&**name, n) {
                ("crate", 0) => at.clear(),
                ("self", 0) => {}
                ("super", _) => drop(at.pop()?),
                _ => break,
            }
            n += 1;
        }
        let relative = n == 0;
        while let Some(name) = names.get(n) {
            let child = [&at[..], std::slice::from_ref(name)].concat();
            if self.modules.contains_key(&child) {
                at = child;
                n += 1;
                continue;
            }
            let source = &self.modules.get(&at)?.source;
            if source.items.contains(name) {
                break;
            }
            let found = if depth < DEEPEST { self.imported(&at, name, &names[n + 1..], depth) } else { None };
            match found {
                Some((target, deeper)) => {
                    let by_root = at.is_empty() && depth == 0;
                    return Some((target, by_root || deeper));
                }
                // The first name of a path without `crate` may be another crate.
                None if relative && n == 0 => return None,
                None => break,
            }
        }
        Some((at, false))
    }

    /// Where `name` leads, followed by `rest`, if the module `at` imports it.
    fn imported(&self, at: &Path, name: &str, rest: &[String], depth: usize) -> Option<(Path, bool)> {
        let imports = &self.modules.get(at)?.source.imports;
        if let Some(import) = imports.iter().find(|i| i.name.as_deref() == Some(name)) {
            let path = [&import.path[..], rest].concat();
            // A name that is imported from where it is now, as `use log;` does, is another crate.
            return if import.path == [name] { None } else { self.target(at, &path, depth + 1) };
        }
        let globs = imports.iter().filter(|i| i.glob && !i.path.is_empty());
        globs.filter_map(|i| self.by_glob(at, i, name, rest, depth)).next()
    }

    fn by_glob(
        &self,
        at: &Path,
        glob: &Import,
        name: &str,
        rest: &[String],
        depth: usize,
    ) -> Option<(Path, bool)> {
        let (module, _) = self.target(at, &glob.path, depth + 1)?;
        let source = &self.modules.get(&module)?.source;
        let child = [&module[..], &[name.to_owned()]].concat();
        let names = [&["self".to_owned(), name.to_owned()], rest].concat();
        let holds = self.modules.contains_key(&child) || source.items.iter().any(|i| i == name);
        let deeper = || depth < 8 && self.imported(&module, name, rest, depth + 1).is_some();
        (module != *at && (holds || deeper())).then(|| self.target(&module, &names, depth + 1)).flatten()
    }
}

fn find(files: &[File], path: &str) -> Option<usize> {
    files.binary_search_by(|f| f.path.as_str().cmp(path)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What uses what: `from line -> to`, and `by root` where it is taken from there.
    fn uses(files: &[(&str, &str)]) -> Vec<String> {
        let mut files: Vec<File> =
            files.iter().map(|(p, t)| File { path: (*p).to_owned(), text: (*t).to_owned() }).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let uses = Tree::read(&files, "src/lib.rs").uses();
        let one = |u: &Use| {
            let end = if u.by_root { " by root" } else { "" };
            format!("{} {} -> {}{end}", u.from.join("::"), u.line, u.to.join("::"))
        };
        uses.iter().map(one).collect()
    }

    #[test]
    fn imports_lead_to_where_the_name_is_defined() {
        let files = [
            ("src/lib.rs", "mod a;\npub mod b;\npub use b::{Deep, Here};\npub use b::c::*;\nstruct Own;"),
            (
                "src/a.rs",
                "use crate::{Here, Deep, Own, Starred};\nuse super::b::c;\nuse std::fmt;\nuse crate::b::Here as X;",
            ),
            ("src/b/mod.rs", "mod c;\nmod d;\npub use self::c::Deep;\npub struct Here;"),
            (
                "src/b/c.rs",
                "pub struct Deep;\npub struct Starred;\nfn f() { super::d::g(super::Here) }\n#[cfg(test)] mod tests { use crate::a; }",
            ),
            ("src/b/d.rs", "use super::*;\nmod inner { use super::super::c::Deep; }"),
        ];
        assert_eq!(
            uses(&files),
            [
                "a 1 -> b by root",
                "a 1 -> b::c by root",
                "a 1 -> b::c by root",
                "a 2 -> b::c",
                "a 4 -> b",
                "b::c 3 -> b::d",
                "b::d 2 -> b::c"
            ]
        );
    }

    #[test]
    fn circles_of_imports_end() {
        let files = [
            ("src/lib.rs", "mod a; mod b; pub use a::*; pub use b::*; pub use x::y; pub use y::x; use z;"),
            ("src/a.rs", "pub use crate::b::*; use crate::missing; use crate::x;"),
            ("src/b.rs", "pub use crate::a::*; use crate::a::missing;"),
        ];
        assert_eq!(uses(&files), ["a 1 -> b", "b 1 -> a"]);
    }
}
