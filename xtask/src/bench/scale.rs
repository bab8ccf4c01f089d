//! `cargo xtask bench scale`: how the time of a step and the memory grow with the number of bodies.
//!
//! Every row is a process of its own, so that its peak of memory is its own too, and is written to the file as soon as
//! it is there: an interrupted run goes on where it stopped. Exponents are slopes of log time over log bodies.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::scenes::rival_python;
use super::shared::{machine, write};
use crate::args::Args;
use crate::process::{cargo, output, root, run as done, target};

pub(crate) const HELP: &str = "\
Steps worlds of growing size and fits the time of a step as n^p.

    cargo xtask bench scale [KIND] [options]

    KIND             pile: n boxes in four layers; heaps: n boxes in piles of 16; forest: n standing quadrupeds;
                     without it all
    --most N         no larger worlds than this (default 4096 boxes, 1024 quadrupeds)
    --threads LIST   comma-separated (default 1,2)
    --contact NAME   our contact law and solver (default auto)
    --settle N       steps of 2 ms in which the worlds settle (default 1500)
    --rest N         steps after that (default 200)
    --alone          without MuJoCo, which otherwise steps the same worlds (elliptic cones, Newton, one thread)
    --again          measure rows anew that are there from an earlier run of the same commit

Rows appear as they are done and are kept when the run is interrupted. Without --alone it needs Python 3.10 or
later with venv, and the network once, as `cargo xtask bench` does.

Columns, each while the world settles and at rest
    us/step        by the processor's clock on one thread, by the wall on more
    p              slope of log us over log n from the row before; the fit over all rows stands below
    solve          share of the contact solver
    it             its iterations per step
    us/it          its time per iteration
    c/body         contacts per tree of bodies
    map            worst natural map over the steps [m/s]
    MuJoCo         its us/step by the processor's clock
    ratio          ours / MuJoCo's, on one thread
Memory per body is the slope of the peak over the rows. Every row goes to target/bench/scale.json.";

/// Kinds and the sizes they come in.
const KINDS: [(&str, &[u64]); 3] = [
    ("pile", &[64, 256, 1024, 4096]),
    ("heaps", &[64, 256, 1024, 4096]),
    ("forest", &[4, 16, 64, 256, 1024]),
];
const WINDOWS: [&str; 2] = ["settling", "resting"];

/// What all rows share.
struct Setup {
    ours: PathBuf,
    contact: String,
    settle: usize,
    rest: usize,
    /// A Python with MuJoCo, unless we run alone.
    rival: Option<PathBuf>,
}

pub(crate) fn run(mut args: Args) -> Result<(), String> {
    let most = args.number("--most", 4096.0)? as u64;
    let threads = args.option("--threads")?.unwrap_or_else(|| "1,2".to_owned());
    let contact = args.option("--contact")?.unwrap_or_else(|| "auto".to_owned());
    let settle = args.number("--settle", 1500.0)?.round() as usize;
    let rest = args.number("--rest", 200.0)?.round() as usize;
    let (alone, again) = (args.flag("--alone"), args.flag("--again"));
    let names = args.finish(1)?;
    let chosen = |kind: &str| names.first().is_none_or(|n| n == kind);
    if !KINDS.iter().any(|(kind, _)| chosen(kind)) {
        return Err(format!("there is no `{}` to scale; there are pile, heaps and forest", names[0]));
    }
    let threads = threads.split(',').map(|t| t.trim().parse::<u64>().map_err(|_| t.to_owned()));
    let threads = threads.collect::<Result<Vec<_>, _>>();
    let threads = threads.map_err(|t| format!("`--threads` needs numbers, not `{t}`"))?;

    done(cargo().args([
        "build",
        "--quiet",
        "--profile",
        "dist",
        "-p",
        "stiction",
        "--example",
        "scale_cost",
    ]))?;
    let ours = target().join("dist/examples").join(format!("scale_cost{}", std::env::consts::EXE_SUFFIX));
    let rival = if alone { None } else { Some(rival_python()?) };
    let setup = Setup { ours, contact, settle, rest, rival };
    let (path, machine) = (target().join("bench/scale.json"), machine());
    let mut rows = if again { Vec::new() } else { kept(&path, &machine) };
    println!("\n{}\n", machine["cpu"].as_str().unwrap_or("?"));
    for (kind, sizes) in KINDS.into_iter().filter(|(kind, _)| chosen(kind)) {
        for &threads in &threads {
            println!("{kind}, {threads} thread{}", if threads == 1 { "" } else { "s" });
            println!("{}", heading());
            let mut series: Vec<Value> = Vec::new();
            for &n in sizes.iter().filter(|n| **n <= most) {
                let settings = setup.settings(kind, n, threads);
                let row = match rows.iter().find(|row| row["settings"] == settings) {
                    Some(row) => row.clone(),
                    None => {
                        let row = json!({ "settings": settings, "result": setup.measure(kind, n, threads)? });
                        rows.push(row.clone());
                        write(&path, &json!({ "machine": machine, "rows": rows }))?;
                        row
                    }
                };
                println!("{}", line(&row["result"], series.last()));
                series.push(row["result"].clone());
            }
            println!("{}\n", fits(&series));
        }
    }
    println!("rows: {}", path.display());
    Ok(())
}

impl Setup {
    fn settings(&self, kind: &str, n: u64, threads: u64) -> Value {
        let Self { contact, settle, rest, .. } = self;
        json!({
            "kind": kind, "n": n, "threads": threads, "contact": contact, "settle": settle, "rest": rest,
            "alone": self.rival.is_none(),
        })
    }

    /// One row: what ours says, and under `mujoco` what that does on one thread.
    fn measure(&self, kind: &str, n: u64, threads: u64) -> Result<Value, String> {
        let windows =
            ["--settle".to_owned(), self.settle.to_string(), "--rest".to_owned(), self.rest.to_string()];
        let mut command = Command::new(&self.ours);
        command.arg(kind).arg(n.to_string()).arg("--threads").arg(threads.to_string());
        command.arg("--contact").arg(&self.contact).args(&windows);
        let mut row = object_of(&mut command)?;
        if let (Some(python), 1) = (&self.rival, threads) {
            let file = target().join("bench/scenes").join(format!("{kind}-{n}.xml"));
            std::fs::create_dir_all(file.parent().expect("a folder")).map_err(|e| e.to_string())?;
            output(Command::new(&self.ours).arg(kind).arg(n.to_string()).arg("--write").arg(&file))?;
            let mut command = Command::new(python);
            command.current_dir(root()).arg("xtask/bench/mujoco_scale.py").arg(&file);
            // A world too large for it is a row without it.
            match object_of(command.arg("--dt").arg(number(&row, "dt").to_string()).args(&windows)) {
                Ok(rival) => row["mujoco"] = rival,
                Err(why) => eprintln!("    MuJoCo: {why}"),
            }
        }
        Ok(row)
    }
}

/// What a program prints; its progress is shown.
fn object_of(command: &mut Command) -> Result<Value, String> {
    serde_json::from_str(&output(command.stderr(Stdio::inherit()))?)
        .map_err(|e| format!("one JSON object: {e}"))
}

/// Rows of an earlier run of the same sources.
fn kept(path: &Path, machine: &Value) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let file: Value = serde_json::from_str(&text).unwrap_or_default();
    let clean = machine["changed_since"] == false && file["machine"]["changed_since"] == false;
    let same = clean && file["machine"]["commit"] == machine["commit"];
    if same { file["rows"].as_array().cloned().unwrap_or_default() } else { Vec::new() }
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or(f64::NAN)
}

/// [µs]
fn time(row: &Value, window: &str) -> f64 {
    number(&row[window], if row["threads"] == 1 { "cpu_us" } else { "us" })
}

fn slope(from: &Value, to: &Value, window: &str) -> f64 {
    (time(to, window) / time(from, window)).ln() / (number(to, "n") / number(from, "n")).ln()
}

/// Least squares of y over x.
fn fit(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let [up, down] =
        points.iter().fold([0.0; 2], |[up, down], p| [up + (p.0 - x) * (p.1 - y), down + (p.0 - x).powi(2)]);
    up / down
}

/// Exponents and memory over all rows.
fn fits(series: &[Value]) -> String {
    if series.len() < 2 {
        return String::new();
    }
    let p = WINDOWS.map(|window| {
        fit(&series.iter().map(|r| (number(r, "n").ln(), time(r, window).ln())).collect::<Vec<_>>())
    });
    let memory = fit(&series.iter().map(|r| (number(r, "n"), number(r, "peak_bytes"))).collect::<Vec<_>>());
    format!("    p = {:.2} while settling, {:.2} at rest; {:.1} kB per body", p[0], p[1], memory / 1e3)
}

fn heading() -> String {
    let window = format!(
        "{:>10} {:>5} {:>6} {:>7} {:>9} {:>6} {:>8} {:>10} {:>6}",
        "us/step", "p", "solve", "it", "us/it", "c/body", "map", "MuJoCo", "ratio"
    );
    format!("{:>6} | {:^75} | {:^75}\n{:>6} | {window} | {window}", "", WINDOWS[0], WINDOWS[1], "n")
}

fn line(row: &Value, before: Option<&Value>) -> String {
    let windows = WINDOWS.map(|name| {
        let window = &row[name];
        let us = time(row, name);
        let solve = number(window, if row["threads"] == 1 { "solve_cpu_us" } else { "solve_us" });
        let iterations = number(window, "iterations");
        let rival = row["mujoco"][name]["cpu_us"].as_f64();
        let shown = |x: Option<String>| x.unwrap_or_else(|| "-".to_owned());
        format!(
            "{:>10.0} {:>5} {:>5.0}% {:>7.1} {:>9} {:>6.2} {:>8.0e} {:>10} {:>6}",
            us,
            before.map_or(String::new(), |b| format!("{:.2}", slope(b, row, name))),
            100.0 * solve / us,
            iterations,
            if iterations > 0.0 { format!("{:.0}", solve / iterations) } else { "-".to_owned() },
            number(window, "contacts_per_body"),
            number(window, "natural_map"),
            shown(rival.map(|r| format!("{r:.0}"))),
            shown(rival.map(|r| format!("{:.2}", us / r))),
        )
    });
    format!("{:>6} | {}", number(row, "n"), windows.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(n: f64, us: f64) -> Value {
        let window = json!({ "cpu_us": us, "us": 0.0 });
        json!({ "n": n, "threads": 1, "settling": window, "resting": window, "peak_bytes": 1e6 + 2e3 * n })
    }

    #[test]
    fn powers_are_found() {
        let series = [64.0, 256.0, 1024.0].map(|n: f64| row(n, 3.0 * n.powf(1.2)));
        assert!((slope(&series[0], &series[1], "settling") - 1.2).abs() < 1e-12);
        assert_eq!(fits(&series), "    p = 1.20 while settling, 1.20 at rest; 2.0 kB per body");
        assert!(fits(&series[..1]).is_empty());
    }

    /// Beside MuJoCo where that has stepped the same world.
    #[test]
    fn ratios_are_shown_where_there_are_any() {
        let mut row = row(64.0, 50.0);
        let words = |row: &Value| line(row, None).split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert!(words(&row).ends_with(&["-".to_owned(), "-".to_owned()]));
        row["mujoco"] = json!({ "settling": { "cpu_us": 100.0 }, "resting": { "cpu_us": 25.0 } });
        assert!(words(&row).ends_with(&["25".to_owned(), "2.00".to_owned()]), "{:?}", words(&row));
    }

    /// Rows are only kept from the same, committed sources.
    #[test]
    fn rows_of_other_sources_are_measured_anew() {
        let folder = target().join("bench-test");
        let path = folder.join("scale.json");
        let machine = |commit: &str, changed: bool| json!({ "commit": commit, "changed_since": changed });
        write(&path, &json!({ "machine": machine("a", false), "rows": [1] })).unwrap();
        assert_eq!(kept(&path, &machine("a", false)).len(), 1);
        assert!(kept(&path, &machine("b", false)).is_empty());
        assert!(kept(&path, &machine("a", true)).is_empty());
        std::fs::remove_dir_all(folder).unwrap();
        assert!(kept(&path, &machine("a", false)).is_empty());
    }
}
