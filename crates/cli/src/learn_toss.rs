//! `stiction learn cube` and `elbow`: contacts, size and inertia from tosses.

use crate::args::TossArgs;
use crate::failure::Failure;
use crate::learn_splits::{Number, check_train, over_splits};
use crate::output::{say, say_json};
use crate::progress::Meter;
use crate::table::{number, table};
use serde_json::{Value, json};
use stiction_experiments::replications::toss::{
    Interrupted, TossEffort, TossRow, TossScene, TossSet, TossSimulator, evaluate,
};

fn numbers<S>() -> [Number<TossRow<S>>; 7] {
    [
        ("position", |r| r.position),
        ("rotation", |r| r.rotation),
        ("position_median", |r| r.position_median),
        ("rotation_median", |r| r.rotation_median),
        ("final_position_median", |r| r.final_position_median),
        ("final_rotation_median", |r| r.final_rotation_median),
        ("seconds", |r| r.seconds),
    ]
}

pub(crate) fn toss<S: TossScene>(args: &TossArgs) -> Result<(), Failure> {
    let set = TossSet::read::<S>(&args.data).map_err(Failure::input)?;
    check_train(args.train, set.tosses.len(), "tosses")?;
    let meter = Meter::new(!args.common.json);
    let mut all: Vec<Vec<TossRow<S>>> = Vec::new();
    for split in 0..args.splits {
        let effort = TossEffort {
            simulator: TossSimulator::default(),
            frames: usize::from(args.frames),
            generations: usize::from(args.generations),
            seed: args.common.seed + u64::from(split),
        };
        let label = format!("split {} of {}", split + 1, args.splits);
        let mut watch = |done: usize, of: usize| meter.count(done, of, &label);
        all.push(evaluate(&set, args.train, &effort, &mut watch).map_err(|e| match e {
            Interrupted::Stopped => Failure::Interrupted,
            Interrupted::Scene(error) => Failure::input(error),
        })?);
    }
    meter.done();
    let rows: Vec<Value> = (0..all[0].len()).map(|i| entry(&all, i)).collect();
    if args.common.json {
        return say_json(&rows);
    }
    let cells = rows.iter().map(|r| {
        [
            r["model"].as_str().unwrap_or("").to_owned(),
            number(r, "position", 4),
            number(r, "rotation", 1),
            number(r, "position_median", 4),
            number(r, "rotation_median", 1),
        ]
    });
    let heads = ["model", "position\nmean [m]", "rotation\nmean [deg]", "\nmedian", "\nmedian"];
    say(&table(heads, cells))?;
    let parameters = rows.iter().map(|r| {
        let of = S::NAMED.iter().map(|n| format!("{} {}", n.name, number(&r["parameters"], n.name, 4)));
        format!("{}: {}", r["model"].as_str().unwrap_or(""), of.collect::<Vec<_>>().join(", "))
    });
    say(&parameters.collect::<Vec<_>>().join("\n"))
}

/// A row over splits, with the numbers of the tosses that each was fitted to.
fn entry<S: TossScene>(all: &[Vec<TossRow<S>>], place: usize) -> Value {
    let row = &all[0][place];
    let parameters = |r: &TossRow<S>| {
        S::NAMED.iter().map(|n| (n.name.to_owned(), (n.get)(&r.parameters))).collect::<Vec<_>>()
    };
    let mut entry = over_splits(all, place, &row.model, &numbers(), &parameters);
    entry.insert("n_train".to_owned(), json!(row.n_train));
    entry.insert("n_test".to_owned(), json!(row.n_test));
    let train: Vec<&Vec<u32>> = all.iter().map(|rows| &rows[place].train).collect();
    entry.insert("train".to_owned(), json!(train));
    Value::Object(entry)
}
