//! Names of one kind of thing: unique, and found again with a hint when misspelt.

use crate::error::LoadError;
use crate::words::{hint, shortened};
use crate::xml::Attribute;
use crate::xml::Element;
use std::collections::BTreeMap;

/// Elements of one kind by their names.
pub(crate) struct Names<'d> {
    kind: &'static str,
    known: BTreeMap<String, (usize, Element<'d>)>,
}

impl<'d> Names<'d> {
    pub(crate) fn new(kind: &'static str) -> Self {
        Self { kind, known: BTreeMap::new() }
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

    pub(crate) fn get(&self, name: &str) -> Option<usize> {
        self.known.get(name).map(|k| k.0)
    }

    /// The thing that `attribute` names.
    pub(crate) fn index(&self, attribute: Attribute<'_>) -> Result<usize, LoadError> {
        self.find_as(attribute.value().trim(), attribute)
    }

    /// The thing called `name`, which is what `attribute` means.
    pub(crate) fn find_as(&self, name: &str, attribute: Attribute<'_>) -> Result<usize, LoadError> {
        self.get(name).ok_or_else(|| LoadError::Reference {
            place: attribute.place(),
            element: attribute.element.described(),
            kind: self.kind,
            name: shortened(name),
            hint: hint(name, self.known.keys().map(String::as_str)),
        })
    }
}
