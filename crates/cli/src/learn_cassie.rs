//! `stiction learn cassie`: grounds that explain landings of a biped.

use crate::args::CassieArgs;
use crate::failure::Failure;
use crate::output::{say, say_json};
use crate::progress::Meter;
use crate::table::{number, table};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use stiction_lab::identification;
use stiction_lab::{RobotOptions, Scene};
use stiction_learn::cassie::{CassieEffort, CassieError, CassieRow, CassieSet, evaluate};
use stiction_learn::score::mean_and_spread;

pub(crate) fn cassie(args: &CassieArgs) -> Result<(), Failure> {
    let set = CassieSet::read(&args.data).map_err(Failure::input)?;
    let count = set.landings.len();
    if args.train == 0 || args.train >= count {
        let what =
            format!("--train is {}, expected 1 to {}: some of {count} landings judge", args.train, count - 1);
        return Err(Failure::input(what));
    }
    if !(args.dt > 0.0 && args.dt <= 0.01) {
        return Err(Failure::input(format!("--dt is {}, expected a step of at most 0.01 s", args.dt)));
    }
    let robot = args.robot.clone().unwrap_or_else(|| {
        let beside = args.data.parent().unwrap_or(&args.data);
        beside.join("robots/cassie_mjcf/scene.xml")
    });
    let scene =
        Scene::find(&robot.display().to_string(), &RobotOptions::default()).map_err(Failure::input)?;
    let case = identification::case(scene.build().map_err(Failure::input)?);
    let meter = Meter::new(!args.json);
    let mut all: Vec<Vec<CassieRow>> = Vec::new();
    for split in 0..u64::from(args.splits) {
        let effort =
            CassieEffort { generations: usize::from(args.generations), dt: args.dt, seed: args.seed + split };
        let mut watch = |done: usize, all: usize, label: &str| meter.count(done, all, label);
        let rows = evaluate(&set, &case, args.train, &effort, &mut watch);
        all.push(rows.map_err(|error| match error {
            CassieError::Interrupted(_) => Failure::Interrupted,
            error => Failure::input(error),
        })?);
    }
    meter.done();
    let rows: Vec<Value> = (0..all[0].len()).map(|i| over_splits(&all, i)).collect();
    if args.json {
        return say_json(&rows);
    }
    let cells = rows.iter().map(|r| {
        [
            r["model"].as_str().unwrap_or("").to_owned(),
            number(r, "base_position", 4),
            number(r, "base_velocity", 3),
            number(r, "base_rate", 3),
            number(r, "joint_angle", 3),
            number(r, "joint_rate", 3),
            number(r, "normalised", 3),
        ]
    });
    let head = ["model", "pelvis\n[m]", "\n[m/s]", "\n[rad/s]", "joints\n[rad]", "\n[rad/s]", "normalised"];
    say(&table(head, cells))?;
    let fitted = rows.iter().filter(|r| r["n_train"] != 0).map(|r| {
        let numbers = r["parameters"].as_object().into_iter().flatten();
        let text: Vec<String> =
            numbers.map(|(name, x)| format!("{name} {:.4}", x.as_f64().unwrap_or(f64::NAN))).collect();
        format!("{}: {}", r["model"].as_str().unwrap_or(""), text.join(", "))
    });
    say(&fitted.collect::<Vec<_>>().join("\n"))
}

/// A row as means over splits, spreads beside what judges.
fn over_splits(all: &[Vec<CassieRow>], place: usize) -> Value {
    let first = &all[0][place];
    let of = |f: &dyn Fn(&CassieRow) -> f64| {
        mean_and_spread(&all.iter().map(|rows| f(&rows[place])).collect::<Vec<f64>>())
    };
    let ([base, base_spread], [joint, joint_spread]) = (of(&|r| r.base_velocity), of(&|r| r.joint_rate));
    let parameters: BTreeMap<&String, f64> =
        first.parameters.keys().map(|name| (name, of(&|r| r.parameters[name])[0])).collect();
    json!({
        "model": first.model,
        "base_position": of(&|r| r.base_position)[0],
        "base_velocity": base, "base_velocity_spread": base_spread,
        "base_rate": of(&|r| r.base_rate)[0],
        "joint_angle": of(&|r| r.joint_angle)[0],
        "joint_rate": joint, "joint_rate_spread": joint_spread,
        "normalised": of(&|r| r.normalised)[0], "normalised_spread": of(&|r| r.normalised)[1],
        "n_train": first.n_train, "n_test": first.n_test, "splits": all.len(),
        "seconds": of(&|r| r.seconds)[0],
        "parameters": parameters,
    })
}
