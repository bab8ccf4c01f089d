//! Names of one kind of thing: unique, and found again with a hint when misspelt.

use crate::error::LoadError;
use crate::value::{Attribute, hint, shortened};
use crate::xml::Element;
use std::collections::{BTreeMap, BTreeSet};

/// See the module.
pub(crate) struct Names<'d> {
    kind: &'static str,
    known: BTreeMap<String, (usize, Element<'d>)>,
    /// Names that stand for several copies, each of which has a suffix.
    replicated: BTreeSet<String>,
}

impl<'d> Names<'d> {
    pub(crate) fn new(kind: &'static str) -> Self {
        Self { kind, known: BTreeMap::new(), replicated: BTreeSet::new() }
    }

    /// Adds `name` for the thing of index `index`, stated by `element`.
    pub(crate) fn insert(&mut self, name: &str, index: usize, element: Element<'d>) -> Result<(), LoadError> {
        match self.known.insert(name.to_owned(), (index, element)) {
            None => Ok(()),
            Some((_, first)) => Err(LoadError::Duplicate {
                place: element.place(),
                kind: self.kind,
                name: shortened(name),
                first: first.place(),
            }),
        }
    }

    pub(crate) fn insert_replicated(&mut self, name: &str) {
        self.replicated.insert(name.to_owned());
    }

    pub(crate) fn get(&self, name: &str) -> Option<usize> {
        self.known.get(name).map(|k| k.0)
    }

    /// The thing that `attribute` names; `None` for a name that stands for several copies.
    pub(crate) fn find(&self, attribute: Attribute<'_>) -> Result<Option<usize>, LoadError> {
        let name = attribute.value().trim();
        match self.get(name) {
            Some(index) => Ok(Some(index)),
            None if self.replicated.contains(name) => Ok(None),
            None => Err(LoadError::Reference {
                place: attribute.place(),
                element: attribute.element.described(),
                kind: self.kind,
                name: shortened(name),
                hint: hint(name, self.known.keys().map(String::as_str)),
            }),
        }
    }
}
