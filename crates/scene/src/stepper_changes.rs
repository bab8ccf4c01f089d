//! Single parameters of a stepper, changed by name: `KEY=VALUE` of the command line, keywords of Python.

use serde_json::{Map, Value};
use stiction::StepperParams;
use toml::Table;

/// Changes of parameters: the tree of `[stepper]` of a scene, as far as it is named.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepperChanges(Map<String, Value>);

impl StepperChanges {
    /// Reads `KEY=VALUE`, keys and values as `[stepper]` of a scene has them, `nmdp.granular.strength=1e6`; text needs no quotes.
    /// An error names the word and what is wrong with it.
    pub fn parse(words: &[impl AsRef<str>]) -> Result<Self, String> {
        let mut changes = Map::new();
        for word in words.iter().map(AsRef::as_ref) {
            let (key, value) = word
                .split_once('=')
                .ok_or_else(|| format!("`{word}` is no stepper parameter; expected KEY=VALUE"))?;
            let line = |value: &str| format!("{} = {value}", key.trim()).parse::<Table>();
            let table = line(value.trim())
                .or_else(|_| line(&toml::Value::from(value.trim()).to_string()))
                .map_err(|_| format!("`{}` of `{word}` is no name of a stepper parameter", key.trim()))?;
            let tree = serde_json::to_value(table).map_err(|e| format!("`{word}`: {e}"))?;
            over(&StepperParams::default(), &tree).map_err(|e| format!("stepper parameter `{word}`: {e}"))?;
            if let Value::Object(tree) = tree {
                merge(&mut changes, tree);
            }
        }
        Ok(Self(changes))
    }

    /// The parameters `base` with these changes.
    pub fn onto(&self, base: &StepperParams) -> StepperParams {
        over(base, &Value::Object(self.0.clone())).expect("changes are read once before they are kept")
    }
}

/// The parameters `base` with those of the tree `changes` in their places: a table changes only the keys that it names.
pub fn over(base: &StepperParams, changes: &Value) -> Result<StepperParams, serde_json::Error> {
    let mut all = serde_json::to_value(base)?;
    if let (Value::Object(all), Value::Object(changes)) = (&mut all, changes) {
        merge(all, changes.clone());
    }
    serde_json::from_value(all)
}

fn merge(into: &mut Map<String, Value>, changes: Map<String, Value>) {
    for (key, value) in changes {
        match (into.get_mut(&key), value) {
            (Some(Value::Object(old)), Value::Object(new)) => merge(old, new),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::nmdp::SetKind;

    /// Words change what they name, in tables too, and nothing else.
    #[test]
    fn words_change_what_they_name() {
        let words =
            ["nmdp.set=granular", "nmdp.granular.strength=1e6", "nmdp.sets.\"left foot\"=cone", "slop=2e-5"];
        let mut base = StepperParams::default();
        base.nmdp.contact.stiffness = 1e7;
        base.nmdp.granular.rings = 7;
        let changed = StepperChanges::parse(&words).unwrap().onto(&base);
        assert_eq!((changed.nmdp.set, changed.nmdp.granular.strength), (SetKind::Granular, 1e6));
        assert_eq!((changed.nmdp.granular.rings, changed.nmdp.contact.stiffness), (7, 1e7));
        assert_eq!((changed.nmdp.sets["left foot"], changed.slop), (SetKind::Cone, 2e-5));
    }

    /// Wrong words are told, with what there is.
    #[test]
    fn wrong_words_are_told() {
        for (word, part) in [
            ("nmdp.set", "expected KEY=VALUE"),
            ("nmdp.sett=cone", "unknown field `sett`"),
            ("nmdp.set=mud", "unknown variant `mud`, expected one of `cone`"),
            ("slop=deep", "invalid type: string \"deep\", expected f64"),
            ("a b=1", "no name of a stepper parameter"),
        ] {
            let told = StepperChanges::parse(&[word]).unwrap_err();
            assert!(told.contains(part) && told.contains(word.split('=').next().unwrap()), "{word}: {told}");
        }
    }
}
