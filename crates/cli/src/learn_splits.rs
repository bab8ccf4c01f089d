//! Rows of several splits of the data as one row of means.

use serde_json::{Map, Value, json};
use std::ops::RangeInclusive;
use stiction_learn::score::mean_and_spread;

use crate::failure::Failure;

/// A number of a row, and its name in JSON.
pub(crate) type Number<R> = (&'static str, fn(&R) -> f64);

/// Refuses to fit to none or all of `count`.
pub(crate) fn check_train(train: usize, count: usize, what: &str) -> Result<(), Failure> {
    let allowed: RangeInclusive<usize> = 1..=count.saturating_sub(1);
    if allowed.contains(&train) {
        return Ok(());
    }
    let most = allowed.end();
    Err(Failure::input(format!("--train is {train}, expected 1 to {most}: some of {count} {what} judge")))
}

/// Row `place` of every split as one: `model`, means under the names of `numbers`, deviations under `NAME_spread`, and the same of
/// `parameters`.
pub(crate) fn over_splits<R>(
    all: &[Vec<R>],
    place: usize,
    model: &str,
    numbers: &[Number<R>],
    parameters: &dyn Fn(&R) -> Vec<(String, f64)>,
) -> Map<String, Value> {
    let over = |values: &dyn Fn(&R) -> f64| {
        mean_and_spread(&all.iter().map(|rows| values(&rows[place])).collect::<Vec<_>>())
    };
    let mut entry = Map::new();
    entry.insert("model".to_owned(), json!(model));
    for (name, number) in numbers {
        let [mean, spread] = over(number);
        entry.insert((*name).to_owned(), json!(mean));
        entry.insert(format!("{name}_spread"), json!(spread));
    }
    let (mut means, mut spreads) = (Map::new(), Map::new());
    for (i, (name, _)) in all.first().map(|rows| parameters(&rows[place])).iter().flatten().enumerate() {
        let [mean, spread] = over(&|r| parameters(r)[i].1);
        means.insert(name.clone(), json!(mean));
        spreads.insert(name.clone(), json!(spread));
    }
    entry.insert("parameters".to_owned(), Value::Object(means));
    entry.insert("parameters_spread".to_owned(), Value::Object(spreads));
    entry.insert("splits".to_owned(), json!(all.len()));
    entry
}
