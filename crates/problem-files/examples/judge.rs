//! Judges impulses that somebody else computed.
//!
//! Reads `[{"file": PROBLEM.json, "impulses": [λ in the order of the file]}, …]` from standard input and
//! prints the relative natural map of the exact law for each, as a JSON list; null where it is none.

use serde_json::Value;
use std::error::Error;
use std::io::Read;
use std::path::Path;
use stiction_contact::certificate::certify;
use stiction_problem_files::load;

fn main() -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let answers: Vec<Value> = serde_json::from_str(&text)?;
    let mut residuals = Vec::new();
    for answer in &answers {
        let file = load(Path::new(answer["file"].as_str().ok_or("`file` is missing")?))?;
        let given = answer["impulses"].as_array().into_iter().flatten();
        let given: Option<Vec<f64>> = given.map(Value::as_f64).collect();
        let impulses = given.and_then(|x| file.from_file_order(&x));
        residuals.push(impulses.map(|x| certify(&file.problem, &x).natural_map_relative));
    }
    // JSON has no NaN: it becomes null.
    let stdout = std::io::stdout();
    serde_json::to_writer(stdout.lock(), &residuals)?;
    Ok(())
}
