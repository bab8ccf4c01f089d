//! What results depend on, by contents.

use crate::digest;
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt;

/// Begins the words for contents.
const CONTENTS: &str = "sha256:";
/// Letters of a value that are shown.
const SHOWN: usize = 60;

/// Everything that results depend on: arguments by their values, files and data by their contents. Two keys are the same
/// when their texts are.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    kind: String,
    says: Map<String, Value>,
}

impl Key {
    /// A key of results of this kind and version of their format, such as `stress 2`.
    pub fn new(kind: &str) -> Self {
        Self { kind: kind.to_owned(), says: Map::new() }
    }

    pub(crate) fn of(kind: &str, says: &Map<String, Value>) -> Self {
        Self { kind: kind.to_owned(), says: says.clone() }
    }

    /// With an argument. A value that JSON cannot say (a map with other keys than words) is said by its absence, as `null`.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Serialize) -> Self {
        self.says.insert(name.to_owned(), serde_json::to_value(value).unwrap_or(Value::Null));
        self
    }

    /// With the contents of a file.
    #[must_use]
    pub fn contents(self, name: &str, bytes: &[u8]) -> Self {
        let text = format!("{CONTENTS}{}", digest::digest(bytes));
        self.with(name, text)
    }

    /// With the contents of data that were read: numbers to their last bits ([`digest_of`](crate::digest_of)).
    #[must_use]
    pub fn data(self, name: &str, data: &impl fmt::Debug) -> Self {
        let text = format!("{CONTENTS}{}", digest::digest_of(data));
        self.with(name, text)
    }

    /// The kind of the results and the version of their format.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    pub(crate) fn says(&self) -> &Map<String, Value> {
        &self.says
    }

    /// SHA-256 of the key's text.
    pub fn digest(&self) -> String {
        // Names are sorted, so that the order in which they were said does not matter.
        digest::digest(format!("{}\n{}", self.kind, Value::Object(self.says.clone())).as_bytes())
    }

    /// The differences from `other`, a phrase each: `seed: 3 there, 4 now`.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let mut found = Vec::new();
        if self.kind != other.kind {
            found.push(format!("it holds results of `{}`, not of `{}`", self.kind, other.kind));
        }
        apart("", &Value::Object(self.says.clone()), &Value::Object(other.says.clone()), &mut found);
        found
    }
}

/// The differences of two values, names of nested ones joined by dots.
fn apart(name: &str, there: &Value, now: &Value, found: &mut Vec<String>) {
    match (there, now) {
        (Value::Object(a), Value::Object(b)) => {
            let mut names: Vec<&String> = a.keys().chain(b.keys()).collect();
            names.sort();
            names.dedup();
            for inner in names {
                let path = if name.is_empty() { inner.clone() } else { format!("{name}.{inner}") };
                let of = |map: &Map<String, Value>| map.get(inner).cloned().unwrap_or(Value::Null);
                apart(&path, &of(a), &of(b), found);
            }
        }
        (Value::String(a), Value::String(b))
            if a != b && a.starts_with(CONTENTS) && b.starts_with(CONTENTS) =>
        {
            found.push(format!("{name}: other contents"));
        }
        _ if there != now => {
            found.push(format!("{name}: {} there, {} now", shown(there), shown(now)));
        }
        _ => {}
    }
}

fn shown(value: &Value) -> String {
    let text = match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) if text.starts_with(CONTENTS) => "a file".to_owned(),
        value => value.to_string(),
    };
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{} …", &text[..cut]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differences_are_named() {
        let key = |seed: u64, data: &str| {
            Key::new("fit 1")
                .with("settings", json!({"seed": seed, "noise": 0.1}))
                .contents("data seen.csv", data.as_bytes())
        };
        let (one, other) = (key(3, "a"), key(4, "b").with("start", "scene"));
        assert_eq!(one.digest(), key(3, "a").digest());
        assert_ne!(one.digest(), other.digest());
        let told = one.differences(&other);
        assert_eq!(
            told,
            [
                "data seen.csv: other contents",
                "settings.seed: 3 there, 4 now",
                "start: nothing there, \"scene\" now"
            ]
        );
        assert!(Key::new("fit 1").differences(&Key::new("fit 2"))[0].contains("`fit 1`, not of `fit 2`"));
        let (a, b) =
            (Key::new("k").with("x", 0.1), Key::new("k").with("x", f64::from_bits(0.1_f64.to_bits() + 1)));
        assert_ne!(a.digest(), b.digest());
    }
}
