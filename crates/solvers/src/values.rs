//! Parameters as a user gives them: names and values, from a command line, a scene file or a program.

use crate::error::ParamError;
use crate::parameters::Parameter;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use thiserror::Error;

/// Values for some of a solver's parameters; the others keep their defaults. What is in a group has the name of the
/// group before it: `relaxation.gamma`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Map<String, Value>", into = "BTreeMap<String, Value>")]
pub struct Params(BTreeMap<String, Value>);

/// A text that is no `key=value`.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("`{text}` sets no parameter; expected KEY=VALUE, as in omega=1.3 or relaxation.gamma=1")]
pub struct NoAssignment {
    pub text: String,
}

impl Params {
    /// From texts `key=value`. A value is a number, `true`, `false`, or else a word. Of one key given twice the last
    /// counts.
    pub fn parse<T: AsRef<str>>(assignments: &[T]) -> Result<Self, NoAssignment> {
        let mut values = BTreeMap::new();
        for text in assignments.iter().map(AsRef::as_ref) {
            let (key, value) = (text.split_once('='))
                .map(|(key, value)| (key.trim(), value.trim()))
                .filter(|(key, value)| !key.is_empty() && !value.is_empty())
                .ok_or_else(|| NoAssignment { text: text.to_owned() })?;
            values.insert(key.to_owned(), read(value));
        }
        Ok(Self(values))
    }

    /// The same with one more value, in place of one that was there.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// The same with those of `other` on top.
    #[must_use]
    pub fn over(mut self, other: &Self) -> Self {
        self.0.extend(other.0.iter().map(|(key, value)| (key.clone(), value.clone())));
        self
    }

    /// Those whose names `keep` keeps.
    #[must_use]
    pub fn filtered(mut self, keep: impl Fn(&str) -> bool) -> Self {
        self.0.retain(|key, _| keep(key));
        self
    }

    /// The value of `name`, if it is given.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names with their groups, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Puts the values into `all`, which holds every parameter of `table`. The error is the name of a parameter that
    /// does not exist, or why a value is not allowed.
    pub(crate) fn put_into(
        &self,
        solver: &'static str,
        table: &'static [Parameter],
        all: &mut Value,
    ) -> Result<(), Misfit> {
        for (name, given) in &self.0 {
            let (mut parameters, mut place) = (table, &mut *all);
            let mut parts = name.split('.').peekable();
            while let Some(part) = parts.next() {
                let unknown = || Misfit::Unknown(name.clone());
                let parameter = parameters.iter().find(|p| p.name == part).ok_or_else(unknown)?;
                place = place.get_mut(part).ok_or_else(unknown)?;
                parameters = parameter.group;
                if parts.peek().is_none() {
                    if !parameter.group.is_empty() {
                        return Err(unknown());
                    }
                    *place = fitted(solver, name, parameter, place, given)?;
                }
            }
        }
        Ok(())
    }
}

/// Why values do not fit a solver.
pub(crate) enum Misfit {
    Unknown(String),
    Value(ParamError),
}

impl From<ParamError> for Misfit {
    fn from(error: ParamError) -> Self {
        Self::Value(error)
    }
}

/// The value `given`, if `parameter` allows it, as a number of the kind that `present` is of.
fn fitted(
    solver: &'static str,
    name: &str,
    parameter: &Parameter,
    present: &Value,
    given: &Value,
) -> Result<Value, ParamError> {
    parameter.check(solver, name, given)?;
    match given.as_f64().filter(|_| present.is_u64()) {
        None => Ok(given.clone()),
        // A whole number however it is written, as in 1e4.
        Some(x) if x.fract() == 0.0 && x >= 0.0 => Ok(Value::from(x as u64)),
        Some(x) => Err(ParamError {
            solver,
            name: name.to_owned(),
            value: x.to_string(),
            expected: format!("a whole number, {}", parameter.expected()),
        }),
    }
}

fn read(text: &str) -> Value {
    let number = || text.parse::<f64>().ok().filter(|x| x.is_finite()).map(Value::from);
    match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => number().unwrap_or_else(|| Value::String(text.to_owned())),
    }
}

impl From<Map<String, Value>> for Params {
    fn from(map: Map<String, Value>) -> Self {
        fn flatten(prefix: &str, map: Map<String, Value>, out: &mut BTreeMap<String, Value>) {
            for (key, value) in map {
                match value {
                    Value::Object(inner) => flatten(&format!("{prefix}{key}."), inner, out),
                    value => {
                        out.insert(format!("{prefix}{key}"), value);
                    }
                }
            }
        }
        let mut out = BTreeMap::new();
        flatten("", map, &mut out);
        Self(out)
    }
}

impl From<Params> for BTreeMap<String, Value> {
    fn from(params: Params) -> Self {
        params.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_numbers_switches_or_words() {
        let params =
            Params::parse(&["omega=1.3", " memory = 8", "finish=true", "local=newton", "omega=1."]).unwrap();
        let expected = Params::default()
            .with("omega", 1.0)
            .with("memory", 8.0)
            .with("finish", true)
            .with("local", "newton");
        assert_eq!(params, expected);
        for bad in ["omega", "=1", "omega=", ""] {
            assert_eq!(Params::parse(&[bad]), Err(NoAssignment { text: bad.to_owned() }));
        }
    }

    /// A table in a file, and the same with points on a command line.
    #[test]
    fn groups_are_tables_or_points() {
        let nested: Params =
            serde_json::from_value(json!({"relaxation": {"gamma": 1.0}, "memory": 4.0})).unwrap();
        assert_eq!(nested, Params::parse(&["relaxation.gamma=1", "memory=4"]).unwrap());
        assert_eq!(nested.names().collect::<Vec<_>>(), ["memory", "relaxation.gamma"]);
        let again: Params = serde_json::from_value(serde_json::to_value(&nested).unwrap()).unwrap();
        assert_eq!(again, nested);
    }
}
