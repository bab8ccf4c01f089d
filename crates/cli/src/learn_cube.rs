//! `stiction learn cube`: a cube's contacts, size and inertia from tosses.

use crate::args::CubeArgs;
use crate::failure::Failure;
use crate::output::{say, say_json};
use crate::progress::Meter;
use crate::table::{number, table};
use serde_json::{Map, Value, json};
use stiction_learn::cube::{CubeEffort, CubeRow, CubeSet, CubeSimulator, Interrupted, NAMED, evaluate};
use stiction_learn::score::mean_and_spread;

/// A number of a row, and its name in JSON.
type Number = (&'static str, fn(&CubeRow) -> f64);

const NUMBERS: [Number; 6] = [
    ("position", |r| r.position),
    ("rotation", |r| r.rotation),
    ("position_median", |r| r.position_median),
    ("rotation_median", |r| r.rotation_median),
    ("final_position_median", |r| r.final_position_median),
    ("final_rotation_median", |r| r.final_rotation_median),
];

pub(crate) fn cube(args: &CubeArgs) -> Result<(), Failure> {
    let set = CubeSet::read(&args.data).map_err(Failure::input)?;
    let count = set.tosses.len();
    if args.train == 0 || args.train >= count {
        let what =
            format!("--train is {}, expected 1 to {}: some of {count} tosses judge", args.train, count - 1);
        return Err(Failure::input(what));
    }
    let meter = Meter::new(!args.json);
    let mut all: Vec<Vec<CubeRow>> = Vec::new();
    for split in 0..args.splits {
        let effort = CubeEffort {
            simulator: CubeSimulator::default(),
            frames: usize::from(args.frames),
            generations: usize::from(args.generations),
            seed: args.seed + u64::from(split),
        };
        let label = format!("split {} of {}", split + 1, args.splits);
        let mut watch = |done: usize, of: usize| meter.count(done, of, &label);
        all.push(evaluate(&set, args.train, &effort, &mut watch).map_err(|e| match e {
            Interrupted::Stopped => Failure::Interrupted,
            Interrupted::Toss(error) => Failure::input(error),
        })?);
    }
    meter.done();
    let rows: Vec<Value> = (0..all[0].len()).map(|i| entry(&all, i)).collect();
    if args.json {
        return say_json(&rows);
    }
    let cells = rows.iter().map(|r| {
        [
            r["model"].as_str().unwrap_or("").to_owned(),
            number(r, "position", 4),
            number(r, "rotation", 1),
            number(r, "position_median", 4),
            number(r, "rotation_median", 1),
            NAMED.iter().map(|n| number(&r["parameters"], n.name, 4)).collect::<Vec<_>>().join(" "),
        ]
    });
    let names = NAMED.iter().map(|n| n.name).collect::<Vec<_>>().join(" ");
    let heads = ["model", "position\nmean [m]", "rotation\nmean [deg]", "\nmedian", "\nmedian", &names];
    say(&table(heads, cells))
}

/// Means and deviations over splits of every number of row `i`.
fn entry(all: &[Vec<CubeRow>], i: usize) -> Value {
    let over = |number: &dyn Fn(&CubeRow) -> f64| {
        mean_and_spread(&all.iter().map(|rows| number(&rows[i])).collect::<Vec<_>>())
    };
    let row = &all[0][i];
    let mut entry = Map::new();
    entry.insert("model".to_owned(), json!(row.model));
    for (name, number) in NUMBERS {
        let [mean, spread] = over(&number);
        entry.insert(name.to_owned(), json!(mean));
        entry.insert(format!("{name}_spread"), json!(spread));
    }
    let (mut means, mut spreads) = (Map::new(), Map::new());
    for named in NAMED {
        let [mean, spread] = over(&|r: &CubeRow| (named.get)(&r.parameters));
        means.insert(named.name.to_owned(), json!(mean));
        spreads.insert(named.name.to_owned(), json!(spread));
    }
    entry.insert("parameters".to_owned(), Value::Object(means));
    entry.insert("parameters_spread".to_owned(), Value::Object(spreads));
    let seconds = over(&|r: &CubeRow| r.seconds)[0];
    let counts = [("n_train", row.n_train), ("n_test", row.n_test), ("splits", all.len())];
    entry.extend(counts.map(|(name, n)| (name.to_owned(), json!(n))));
    entry.insert("seconds".to_owned(), json!(seconds));
    Value::Object(entry)
}
