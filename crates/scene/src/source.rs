//! The text a scene came from, so that every mistake found in it can be placed.

use super::error::SceneError;
use crate::nearest::hint;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stiction::world::Place;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Text of a scene, for messages. All sources are equal: where a scene was written does not make it another scene.
#[derive(Clone, Debug, Default)]
pub struct Source {
    pub(super) file: PathBuf,
    pub(super) text: Arc<str>,
}

impl PartialEq for Source {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Source {
    /// Folder that relative paths of the scene start from.
    pub(super) fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new(""))
    }

    /// Error of the TOML reader, with its place, the line itself and a guess.
    pub(super) fn error_of(&self, error: &toml::de::Error) -> SceneError {
        let message = error.message().trim();
        let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        let guess = match words.split_first() {
            Some((word, known)) if message.starts_with("unknown") => hint(word, known.iter().copied()),
            _ => String::new(),
        };
        // What the reader says of a table in the place of a name.
        let message = if message.starts_with("wanted exactly 1 element") {
            "a table stands where a name is expected, such as shape = \"sphere\"; the keys of the table belong beside it"
        } else {
            message
        };
        self.error_at(error.span().unwrap_or(0..0), format!("{message}{guess}"))
    }

    /// A mistake at `section[index].key`; at the section where there is no such key. `Err` of the text if there is none.
    pub(super) fn error_in(
        &self,
        section: &str,
        index: usize,
        key: &str,
        message: String,
    ) -> Result<SceneError, String> {
        let document = DeTable::parse(&self.text).map_err(|_| message.clone())?;
        let span = locate(document.get_ref(), section, index, key).ok_or_else(|| message.clone())?;
        Ok(self.error_at(span, message))
    }

    fn error_at(&self, span: Range<usize>, message: String) -> SceneError {
        let start = (0..=span.start.min(self.text.len())).rev().find(|&i| self.text.is_char_boundary(i));
        let before = &self.text[..start.unwrap_or(0)];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let line = before.matches('\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        let excerpt = self.text[line_start..].lines().next().unwrap_or("").trim_end();
        let short: String = excerpt.chars().take(100).collect();
        let message = if short.is_empty() { message } else { format!("{message}\n    {line} | {short}") };
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let place = Place { file: self.file.clone(), line: number(line), column: number(column) };
        SceneError::Toml { place, message }
    }
}

/// Where `section.key` or `section[index].key` is written.
fn locate(document: &DeTable<'_>, section: &str, index: usize, key: &str) -> Option<Range<usize>> {
    let (name, value) = entry(document, section)?;
    let (table, whole) = match value.get_ref() {
        DeValue::Table(table) => (table, name.span()),
        DeValue::Array(array) => {
            let element = array.get(index)?;
            match element.get_ref() {
                DeValue::Table(table) => (table, element.span()),
                _ => return Some(element.span()),
            }
        }
        _ => return Some(value.span()),
    };
    Some(entry(table, key).map_or(whole, |(name, _)| name.span()))
}

type Key<'i> = Spanned<toml::de::DeString<'i>>;

fn entry<'t, 'i>(table: &'t DeTable<'i>, key: &str) -> Option<(&'t Key<'i>, &'t Spanned<DeValue<'i>>)> {
    table.iter().find(|(name, _)| name.get_ref().as_ref() == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source { file: "a.toml".into(), text: text.into() }
    }

    #[test]
    fn keys_are_found_by_section_and_index() {
        let s =
            source("[ground]\nfriction = 1\n\n[[body]]\nname = \"a\"\n[[body]]\nname = \"b\"\nmass = 1\n");
        let text = |section, index, key| s.error_in(section, index, key, "m".into()).unwrap().to_string();
        assert_eq!(text("ground", 0, "friction"), "a.toml:2:1: m\n    2 | friction = 1");
        assert_eq!(text("body", 1, "mass"), "a.toml:8:1: m\n    8 | mass = 1");
        assert!(text("body", 1, "size").starts_with("a.toml:6:1: m"), "{}", text("body", 1, "size"));
        assert_eq!(s.error_in("model", 0, "file", "m".into()).unwrap_err(), "m");
    }
}
