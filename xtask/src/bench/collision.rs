//! `cargo xtask bench collision`: what a pair of shapes costs beside parry and MuJoCo, in one run.
//!
//! Our example `pair_cost` times ours and parry's and says what the pairs are; a script times
//! MuJoCo's on the same. Rounds alternate; of every number the smallest of the rounds counts, since
//! nothing makes a computation faster than it is.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::scenes::rival_python;
use super::shared::{machine, write};
use crate::args::Args;
use crate::process::{cargo, output, root, target};

pub(crate) const HELP: &str = "\
Measures the cost of a pair of shapes, ours beside parry's and MuJoCo's, in one run.

    cargo xtask bench collision [--rounds N]

    --rounds N    rounds, ours and the rivals' in turn; the fastest counts (default 3)

Needs Python 3.10 or later with venv, and the network once: MuJoCo and numpy are installed
into target/bench-venv. Nothing else of the machine is changed.

Columns
    ours, parry, MuJoCo   nanoseconds per pair, each without knowledge of an earlier call; MuJoCo's with
                          its cheap filter, which passes all these pairs but one
    kept                  parry's again with its manifolds kept from call to call: while a pair hardly
                          moves it only updates their distances
    points                contact points ours / parry's / MuJoCo's
Every number goes to target/bench/collision.json.";

/// Of one pair, the fastest of all rounds.
#[derive(Clone)]
struct Row {
    name: String,
    /// Nanoseconds: ours, parry's, MuJoCo's, parry's with its manifolds kept.
    ns: [f64; 4],
    points: [f64; 3],
}

pub(crate) fn run(mut args: Args) -> Result<(), String> {
    let rounds = args.number("--rounds", 3.0)?.round().max(1.0) as usize;
    args.finish(0)?;
    let python = rival_python()?;
    let mut table: Vec<Row> = Vec::new();
    for _ in 0..rounds {
        let round = round(&python)?;
        if table.is_empty() {
            table = round;
        } else {
            table.iter_mut().zip(&round).for_each(|(best, new)| keep_faster(best, new));
        }
    }
    let heads = ["ours", "parry", "MuJoCo", "kept"].map(|head| format!("{head:>8}")).join(" ");
    println!("{:<32} {heads} {:>14}", "ns per pair", "points");
    for row in &table {
        let ns = row.ns.map(|ns| format!("{ns:>8.0}")).join(" ");
        let points = row.points.map(|p| p.to_string()).join(" / ");
        println!("{:<32} {ns} {points:>14}", row.name);
    }
    let rows = table.iter().map(|row| json!({ "name": row.name, "ns": row.ns, "points": row.points }));
    let record = json!({ "machine": machine(), "rounds": rounds, "pairs": rows.collect::<Vec<_>>() });
    write(&target().join("bench").join("collision.json"), &record)
}

fn keep_faster(best: &mut Row, new: &Row) {
    best.ns.iter_mut().zip(new.ns).for_each(|(b, n)| *b = b.min(n));
}

fn round(python: &std::path::Path) -> Result<Vec<Row>, String> {
    let example = ["run", "--profile", "dist", "-q", "-p", "stiction-collision", "--example", "pair_cost"];
    let ours = parse(&output(cargo().args(example).args(["--", "--json"]))?)?;
    let file = target().join("bench").join("pairs.json");
    write(&file, &ours)?;
    let mut script = Command::new(python);
    script.current_dir(root()).arg("xtask/bench/mujoco_pairs.py").arg(&file);
    let rival = parse(&output(&mut script)?)?;
    fs::remove_file(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let pairs = ours["pairs"].as_array().ok_or("the example printed no pairs")?;
    Ok(pairs.iter().map(|pair| row(pair, &rival)).collect())
}

fn row(pair: &Value, rival: &Value) -> Row {
    let name = pair["name"].as_str().unwrap_or("?").to_owned();
    let theirs = &rival["pairs"][&name];
    let number = |v: &Value| v.as_f64().unwrap_or(f64::NAN);
    Row {
        ns: [&pair["ns"], &pair["parry_ns"], &theirs["ns"], &pair["parry_kept_ns"]].map(number),
        points: [number(&pair["points"]), number(&pair["parry_points"]), number(&theirs["points"])],
        name,
    }
}

fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|e| format!("expected one JSON object ({e}), got:\n{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_all_three_and_the_fastest_stays() {
        let pair = json!({ "name": "p", "ns": 5.0, "parry_ns": 7.0, "parry_kept_ns": 2.0, "points": 4, "parry_points": 4 });
        let mut best = row(&pair, &json!({ "pairs": { "p": { "ns": 9.0, "points": 4.0 } } }));
        assert_eq!((best.ns, best.points), ([5.0, 7.0, 9.0, 2.0], [4.0, 4.0, 4.0]));
        let new = Row { ns: [6.0, 6.0, 8.0, 3.0], ..best.clone() };
        keep_faster(&mut best, &new);
        assert_eq!(best.ns, [5.0, 6.0, 8.0, 2.0]);
        assert!(row(&pair, &json!({})).ns[2].is_nan());
    }
}
