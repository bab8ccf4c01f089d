//! One line per model as it is compared, and the sum of all at the end.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{ROUNDED, tolerance};
use crate::process::target;

pub(super) struct Table {
    part: String,
    records: Vec<Value>,
    failures: Vec<String>,
    /// What the witness itself does not read: number of files.
    unread: usize,
    /// Of every quantity the largest error, and where.
    worst: Vec<(String, f64, String)>,
}

impl Table {
    pub(super) fn new(part: &str) -> Self {
        println!("\n{part:<44} {:>5} {:>4}  {:>8}  in", "base", "nv", "error");
        let (records, failures, worst) = (Vec::new(), Vec::new(), Vec::new());
        Self { part: part.to_owned(), records, failures, unread: 0, worst }
    }

    /// `result`: our comparison, or why the witness has no numbers.
    pub(super) fn row(&mut self, file: &Path, base: &str, result: Result<Value, String>) {
        let name = short(file);
        let record = match result {
            Ok(value) => value,
            Err(reason) => {
                self.unread += 1;
                self.records.push(json!({ "file": name, "base": base, "witness_refused": reason }));
                return;
            }
        };
        if let Some(reason) = record["refused"].as_str() {
            println!("{name:<44} {base:>5}    -  refused   {reason}");
            self.failures.push(format!("{name}: {reason}"));
        } else {
            let (what, error, excess) = self.largest(&name, &record);
            let rounded = ROUNDED.iter().any(|(part, most)| {
                record["base"] == "mjcf" && file.to_string_lossy().contains(part) && error <= *most
            });
            let mark = match excess > 1.0 {
                true if rounded => "  tolerated: products of inertia that MuJoCo drops",
                true => "  ABOVE THE TOLERANCE",
                false => "",
            };
            let note =
                record["refused_for_simulation"].as_str().map_or("", |_| "  (not simulated: see the record)");
            let nv = record["nv"].to_string();
            println!("{name:<44} {base:>5} {nv:>4}  {error:>8.1e}  {what}{mark}{note}");
            if excess > 1.0 && !rounded {
                self.failures.push(format!("{name} {base}: {what} {error:.1e}"));
            }
        }
        self.records.push(json!({ "file": name, "base": base, "result": record }));
    }

    /// The quantity with the largest error in tolerances: its name, error, and that ratio.
    fn largest(&mut self, name: &str, record: &Value) -> (String, f64, f64) {
        let condition = record["condition"].as_f64().unwrap_or(1.0);
        let mut largest = ("-".to_owned(), 0.0, 0.0);
        for (what, error) in record["errors"].as_object().into_iter().flatten() {
            // Infinity has no number in JSON: it comes as null.
            let error = error.as_f64().unwrap_or(f64::INFINITY);
            let excess = error / tolerance(what, condition);
            if excess > largest.2 {
                largest = (what.clone(), error, excess);
            }
            match self.worst.iter_mut().find(|w| w.0 == *what) {
                Some(w) if w.1 >= error => {}
                Some(w) => (w.1, w.2) = (error, name.to_owned()),
                None => self.worst.push((what.clone(), error, name.to_owned())),
            }
        }
        largest
    }

    /// Prints the sum, writes the record, and returns what did not agree.
    pub(super) fn finish(self) -> Result<Vec<String>, String> {
        let compared = self.records.len() - self.unread;
        let agree = compared - self.failures.len();
        println!(
            "\n{agree} of {compared} agree; {} more files are refused by the witness itself. Largest errors:",
            self.unread
        );
        for (what, error, name) in &self.worst {
            println!("    {what:<16} {error:>8.1e}  {name}");
        }
        let path = target().join("verify").join(format!("{}.json", self.part));
        let record = json!({ "part": self.part, "models": self.records });
        let told = |e: std::io::Error| format!("{}: {e}", path.display());
        std::fs::create_dir_all(target().join("verify")).map_err(told)?;
        std::fs::write(&path, format!("{record:#}\n")).map_err(told)?;
        println!("record: {}", path.display());
        Ok(self.failures)
    }
}

/// The last folders and the name of a file: enough to know it by.
pub(super) fn short(file: &Path) -> String {
    let parts: Vec<_> = file.components().map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
    let from = parts.len().saturating_sub(3);
    let text = PathBuf::from_iter(&parts[from..]).display().to_string();
    match text.char_indices().rev().nth(43) {
        Some((at, _)) => text[at..].to_owned(),
        None => text,
    }
}
