//! What `xtask/verify/*.py` write.

use serde_json::Value;

/// The numbers of another library for one file.
pub(crate) struct Reference {
    pub(crate) file: String,
    /// `fixed` or `free` (URDF), or `mjcf`.
    pub(crate) base: String,
    /// Names of the joints in the order of their library; empty: the order is ours.
    pub(crate) joints: Vec<String>,
    /// Names of the links whose poses are given; empty: all links in our order.
    pub(crate) links: Vec<String>,
    pub(crate) whole: Value,
    pub(crate) states: Vec<State>,
}

/// One state and its numbers.
pub(crate) struct State(Value);

impl Reference {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut whole: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let word = |key: &str| whole[key].as_str().unwrap_or_default().to_owned();
        let words = |key: &str| -> Vec<String> {
            let list = whole[key].as_array().map(Vec::as_slice).unwrap_or_default();
            list.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect()
        };
        let (file, base, joints, links) = (word("file"), word("base"), words("joints"), words("links"));
        let Value::Array(states) = whole["states"].take() else {
            return Err("the reference has no states".to_owned());
        };
        let states = states.into_iter().map(State).collect();
        Ok(Self { file, base, joints, links, whole, states })
    }
}

impl State {
    pub(crate) fn number(&self, key: &str) -> Option<f64> {
        self.0[key].as_f64()
    }

    pub(crate) fn vector(&self, key: &str) -> Option<Vec<f64>> {
        numbers(&self.0[key])
    }

    /// A matrix, or a list of vectors of any lengths.
    pub(crate) fn rows(&self, key: &str) -> Option<Vec<Vec<f64>>> {
        self.0[key].as_array()?.iter().map(numbers).collect()
    }

    /// A list of matrices, each flattened.
    pub(crate) fn blocks(&self, key: &str) -> Option<Vec<Vec<f64>>> {
        let flat = |block: &Value| -> Option<Vec<f64>> {
            Some(block.as_array()?.iter().map(numbers).collect::<Option<Vec<_>>>()?.concat())
        };
        self.0[key].as_array()?.iter().map(flat).collect()
    }
}

pub(crate) fn numbers(value: &Value) -> Option<Vec<f64>> {
    value.as_array()?.iter().map(Value::as_f64).collect()
}
