//! Modules of a crate run downhill as crates do: nothing that a module stands on may stand on it.
//!
//! ```text
//!     a uses b:  `use crate::a…`, `use super::b…`, `self::…`, paths in code; outside of tests
//! ```
//!
//! Compared are the files and folders of one folder: what `sweep/solver.rs` uses of `stages/mod.rs` is used by
//! `sweep` of `stages`. A folder's `mod.rs` and a crate's `lib.rs` hold the others and are in no circle, but a name that
//! one of them imports leads on to where it is defined. Circles there were before this rule are listed among the
//! [debts](crate::debts), which only shrink.

mod circles;
mod source;
pub(crate) mod tokens;
mod tree;

use crate::house::{File, Finding};
use circles::{Arrows, circles, shortest};
use std::collections::{BTreeMap, BTreeSet};
use tree::{Tree, Use};

/// Folder, from the root of the workspace, to the circles of files and folders within it.
pub(crate) type Circles = BTreeMap<String, Vec<BTreeSet<String>>>;

/// Everything that modules use of others, of all crates.
pub(crate) struct Modules<'a> {
    files: &'a [File],
    /// Folder of the files and folders that are compared, to what uses what.
    folders: BTreeMap<String, Folder>,
    /// Uses of a sibling by way of the crate's root: file and line, and the sibling.
    by_root: Vec<(usize, usize, String)>,
}

#[derive(Default)]
struct Folder {
    arrows: Arrows,
    /// The first line of each arrow: file and line.
    places: BTreeMap<(String, String), (usize, usize)>,
}

impl<'a> Modules<'a> {
    /// Reads all crates; `files` are sorted by their paths.
    pub(crate) fn read(files: &'a [File]) -> Self {
        let mut out = Self { files, folders: BTreeMap::new(), by_root: Vec::new() };
        for file in files {
            let root = ["/src/lib.rs", "/src/main.rs"].into_iter().any(|end| file.path.ends_with(end));
            if root {
                let folder = file.path.rsplit_once('/').map_or("", |(f, _)| f);
                Tree::read(files, &file.path).uses().iter().for_each(|u| out.add(folder, u));
            }
        }
        out
    }

    fn add(&mut self, root: &str, used: &Use) {
        let common = used.from.iter().zip(&used.to).take_while(|(a, b)| a == b).count();
        let folder = std::iter::once(root).chain(used.from[..common].iter().map(String::as_str));
        let folder = self.folders.entry(folder.collect::<Vec<_>>().join("/")).or_default();
        let (a, b) = (used.from[common].clone(), used.to[common].clone());
        folder.places.entry((a.clone(), b.clone())).or_insert((used.file, used.line));
        folder.arrows.entry(a).or_default().insert(b);
        if used.by_root {
            self.by_root.push((used.file, used.line, used.to.join("::")));
        }
    }

    /// All circles there are.
    pub(crate) fn circles(&self) -> Circles {
        let found = self.folders.iter().map(|(place, folder)| (place.clone(), circles(&folder.arrows)));
        found.filter(|(_, circles)| !circles.is_empty()).collect()
    }

    /// Circles that are no part of a tolerated one.
    pub(crate) fn findings(&self, tolerated: &Circles) -> Vec<Finding> {
        let mut out = Vec::new();
        for (place, found) in self.circles() {
            let listed = tolerated.get(&place).map_or(&[][..], Vec::as_slice);
            for circle in found {
                if listed.iter().any(|l| circle.is_subset(l)) {
                    continue;
                }
                // The way round is told from one that no listed circle has, if there is one.
                let known = |name: &&String| listed.iter().any(|l| l.contains(*name));
                let start = circle.iter().find(|name| !known(name)).or(circle.first());
                out.extend(start.and_then(|start| self.told(&place, start, &circle)));
            }
        }
        out
    }

    /// The shortest way round a circle, with a line for each arrow.
    fn told(&self, place: &str, start: &str, circle: &BTreeSet<String>) -> Option<Finding> {
        let folder = self.folders.get(place)?;
        let way = shortest(&folder.arrows, start)?;
        let at = |a: &String, b: &String| folder.places.get(&(a.clone(), b.clone()));
        let lines = way.windows(2).filter_map(|w| {
            let (file, line) = at(&w[0], &w[1])?;
            Some(format!("\n    {} uses {} ({}:{line})", w[0], w[1], self.files[*file].path))
        });
        let (file, line) = at(&way[0], &way[1])?;
        let rest = circle.len() + 1 - way.len();
        let rest = if rest == 0 { String::new() } else { format!(" (and {rest} more that hang on it)") };
        let what = format!(
            "a circle of modules in {place}: {}{rest}; move what both sides need into a module below them{}",
            way.join(" → "),
            lines.collect::<String>()
        );
        Some(Finding { path: self.files[*file].path.clone(), line: *line, what })
    }

    /// Uses of a sibling's items by the name that the crate's root gives them, in the crates named.
    pub(crate) fn through_the_root(&self, crates: &[&str]) -> Vec<Finding> {
        let named = |path: &str| crates.iter().any(|c| path.starts_with(&format!("crates/{c}/src/")));
        let uses = self.by_root.iter().filter(|(file, ..)| named(&self.files[*file].path));
        let told = |(file, line, module): &(usize, usize, String)| Finding {
            path: self.files[*file].path.clone(),
            line: *line,
            what: format!("taken from the crate's root; it lives in crate::{module}: import it from there"),
        };
        uses.map(told).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> Vec<File> {
        let file = |(p, t): &(&str, &str)| File { path: format!("crates/c/src/{p}"), text: (*t).to_owned() };
        let mut files: Vec<File> = list.iter().map(file).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files
    }

    fn tolerated(list: &[(&str, &str)]) -> Circles {
        let mut out = Circles::new();
        for (place, circle) in list {
            out.entry((*place).to_owned()).or_default().push(circle.split(' ').map(str::to_owned).collect());
        }
        out
    }

    #[test]
    fn a_circle_is_told_with_its_lines() {
        let files = files(&[
            ("lib.rs", "mod a; mod b; mod c; pub use c::C;"),
            ("a/mod.rs", "mod deep;"),
            ("a/deep.rs", "\nuse crate::b::B;"),
            ("b.rs", "use crate::C; pub struct B;"),
            ("c.rs", "pub struct C; fn f() { super::a::g() }"),
        ]);
        let modules = Modules::read(&files);
        let found = modules.findings(&Circles::new());
        assert_eq!(found.len(), 1);
        assert_eq!((&*found[0].path, found[0].line), ("crates/c/src/a/deep.rs", 2));
        for words in [
            "in crates/c/src: a → b → c → a",
            "b uses c (crates/c/src/b.rs:1)",
            "c uses a (crates/c/src/c.rs:1)",
        ] {
            assert!(found[0].what.contains(words), "{}", found[0].what);
        }
        assert_eq!(modules.findings(&tolerated(&[("crates/c/src", "a b c d")])), []);
        assert_eq!(
            modules.findings(&tolerated(&[("crates/c/src", "a b"), ("crates/d/src", "a b c")])).len(),
            1
        );
        assert_eq!(modules.through_the_root(&["c"])[0].path, "crates/c/src/b.rs");
        assert_eq!(modules.through_the_root(&["b"]), []);
    }

    #[test]
    fn siblings_are_compared_within_their_folder() {
        let files = files(&[
            ("lib.rs", "mod a; mod b;"),
            ("a/mod.rs", "mod x; mod y; pub struct A; use x::X; #[cfg(test)] mod tests { use crate::b; }"),
            ("a/x.rs", "use super::{A, y::Y}; pub struct X;"),
            ("a/y.rs", "pub struct Y; fn f() -> super::x::X {}"),
            ("b.rs", "use crate::a::A;"),
        ]);
        let circles = Modules::read(&files).circles();
        assert_eq!(circles, tolerated(&[("crates/c/src/a", "x y")]));
    }
}
