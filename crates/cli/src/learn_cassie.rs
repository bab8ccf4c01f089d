//! `stiction learn cassie`: grounds that explain landings of a biped.

use crate::args::CassieArgs;
use crate::failure::Failure;
use crate::learn_splits::{Number, check_train, over_splits};
use crate::output::{say, say_json};
use crate::progress::Meter;
use crate::table::{number, table};
use serde_json::{Value, json};
use stiction_experiments::replications::cassie::{CassieEffort, CassieError, CassieRow, CassieSet, evaluate};
use stiction_lab::identification;
use stiction_scene::{RobotOptions, Scene};

pub(crate) fn cassie(args: &CassieArgs) -> Result<(), Failure> {
    let set = CassieSet::read(&args.data).map_err(Failure::input)?;
    check_train(args.train, set.landings.len(), "landings")?;
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
    let meter = Meter::new(!args.common.json);
    let mut all: Vec<Vec<CassieRow>> = Vec::new();
    for split in 0..u64::from(args.splits) {
        let effort = CassieEffort {
            generations: usize::from(args.generations),
            dt: args.dt,
            seed: args.common.seed + split,
        };
        let mut watch = |done: usize, all: usize, label: &str| meter.count(done, all, label);
        let rows = evaluate(&set, &case, args.train, &effort, &mut watch);
        all.push(rows.map_err(|error| match error {
            CassieError::Interrupted(_) => Failure::Interrupted,
            error => Failure::input(error),
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

/// A row over splits.
fn entry(all: &[Vec<CassieRow>], place: usize) -> Value {
    const NUMBERS: [Number<CassieRow>; 7] = [
        ("base_position", |r| r.base_position),
        ("base_velocity", |r| r.base_velocity),
        ("base_rate", |r| r.base_rate),
        ("joint_angle", |r| r.joint_angle),
        ("joint_rate", |r| r.joint_rate),
        ("normalised", |r| r.normalised),
        ("seconds", |r| r.seconds),
    ];
    let row = &all[0][place];
    let parameters = |r: &CassieRow| r.parameters.iter().map(|(n, x)| (n.clone(), *x)).collect();
    let mut entry = over_splits(all, place, &row.model, &NUMBERS, &parameters);
    entry.insert("n_train".to_owned(), json!(row.n_train));
    entry.insert("n_test".to_owned(), json!(row.n_test));
    Value::Object(entry)
}
