//! A value of a JSON document that knows where it stands, so that errors can say it.

use super::ProblemFileError;
use serde_json::Value;

pub(super) type Result<T> = std::result::Result<T, ProblemFileError>;

/// A value and where it stands.
pub(super) struct Node<'a> {
    pub(super) file: &'a str,
    element: String,
    pub(super) value: &'a Value,
}

impl<'a> Node<'a> {
    pub(super) fn root(file: &'a str, value: &'a Value) -> Self {
        Self { file, element: String::new(), value }
    }

    pub(super) fn find(&self, key: &str) -> Option<Node<'a>> {
        let element =
            if self.element.is_empty() { key.to_owned() } else { format!("{}.{key}", self.element) };
        Some(Node { file: self.file, element, value: self.value.get(key)? })
    }

    pub(super) fn get(&self, key: &str, expected: &str) -> Result<Node<'a>> {
        self.find(key).ok_or_else(|| ProblemFileError::Missing {
            file: self.file.into(),
            element: if self.element.is_empty() { key.into() } else { format!("{}.{key}", self.element) },
            expected: expected.into(),
        })
    }

    /// Element k of a list that has it.
    pub(super) fn at(&self, k: usize) -> Node<'a> {
        Node { file: self.file, element: format!("{}[{k}]", self.element), value: &self.value[k] }
    }

    pub(super) fn wrong(&self, expected: &str) -> ProblemFileError {
        let mut value = match self.value {
            Value::Array(list) => format!("a list of {}", list.len()),
            other => other.to_string(),
        };
        if value.chars().count() > 60 {
            value = value.chars().take(60).chain("…".chars()).collect();
        }
        let (file, element, expected) = (self.file.into(), self.element.clone(), expected.into());
        ProblemFileError::Value { file, element, value, expected }
    }

    pub(super) fn text(&self, expected: &str) -> Result<&'a str> {
        self.value.as_str().ok_or_else(|| self.wrong(expected))
    }

    pub(super) fn number(&self) -> Result<f64> {
        self.value.as_f64().filter(|x| x.is_finite()).ok_or_else(|| self.wrong("a finite number"))
    }

    pub(super) fn index(&self, limit: usize) -> Result<usize> {
        let index = self.value.as_u64().and_then(|k| usize::try_from(k).ok()).filter(|k| *k < limit);
        index.ok_or_else(|| match limit {
            usize::MAX => self.wrong("a whole number >= 0"),
            limit => self.wrong(&format!("a whole number from 0 to {}", limit.saturating_sub(1))),
        })
    }

    pub(super) fn list(&self) -> Result<&'a [Value]> {
        self.value.as_array().map(Vec::as_slice).ok_or_else(|| self.wrong("a list"))
    }

    pub(super) fn numbers(&self, length: Option<usize>) -> Result<Vec<f64>> {
        let list = self.list()?;
        if let Some(length) = length.filter(|n| *n != list.len()) {
            return Err(self.wrong(&format!("{length} numbers")));
        }
        (0..list.len())
            .map(|k| list[k].as_f64().filter(|x| x.is_finite()).map_or_else(|| self.at(k).number(), Ok))
            .collect()
    }

    pub(super) fn indices(&self, limit: usize) -> Result<Vec<usize>> {
        let list = self.list()?;
        let quick = |v: &Value| v.as_u64().and_then(|k| usize::try_from(k).ok()).filter(|k| *k < limit);
        (0..list.len()).map(|k| quick(&list[k]).map_or_else(|| self.at(k).index(limit), Ok)).collect()
    }
}
