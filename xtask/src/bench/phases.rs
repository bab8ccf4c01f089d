//! What a step costs by its phases: inclusive instructions of the functions that are phases, by callgrind.
//!
//! The release build is counted with its symbols. Its functions stand apart, which those of the command as it is
//! shipped do not; whole steps of that take some hundredths fewer instructions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::scenes::{rival_python, written};
use crate::process::{answers, cargo, run, target};

/// A phase, the end of the name of its function, and what its cost grows with.
const PHASES: [(&str, &str, &str); 8] = [
    ("free velocity, mass matrix", "free_velocity::FreeMotion::find", "joints, actuators"),
    ("kinematics", "here::Here::arrive", "bodies"),
    ("contact search", "contact_search::ContactSearch::find", "pairs of bodies that are near"),
    ("rows and their factor", "TimeStepping::pose_with", "contacts times joints that move them"),
    ("contact forces", "TimeStepping::solve", "contacts that slide, turn or touch anew"),
    ("depth of overlaps", "position_correction::PositionCorrection::find", "contacts that overlap"),
    ("positions", "advance::Advance::find", "joints"),
    ("energy", "tree_energies::energies_into", "bodies"),
];
const WHOLE: &str = "simulation::Simulation::step";

/// Scenes that are built in, of boxes, and of robots of others.
const SCENES: [&str; 4] = ["cube-slide", "pile", "go2", "humanoid"];
/// Steps of a millisecond of the two runs.
const STEPS: [u32; 2] = [200, 300];

/// Prints the price list as a table in Markdown.
pub(super) fn print(offline: bool) -> Result<(), String> {
    let folder = target().join("phases");
    let mut build = cargo();
    build.args(["build", "--quiet", "--release", "--package", "stiction-cli", "--bin", "stiction"]);
    build.env("CARGO_TARGET_DIR", &folder).env("CARGO_PROFILE_RELEASE_STRIP", "none");
    run(&mut build)?;
    let program = folder.join("release").join(format!("stiction{}", std::env::consts::EXE_SUFFIX));
    let python = if offline { PathBuf::from("python3") } else { rival_python()? };
    let mut columns = Vec::new();
    for scene in SCENES {
        let file = match scene {
            "cube-slide" => Some(PathBuf::from(scene)),
            "pile" if answers(Command::new(&python).arg("--version")) => written(&python, scene)?,
            "pile" => None,
            _ if offline => None,
            _ => written(&python, scene)?,
        };
        match file {
            Some(file) => columns.push((scene, by_function(&program, &file, &folder)?)),
            None => println!(
                "*** NOT COUNTED: {scene} (its file needs Python, the network or data of others) ***"
            ),
        }
    }
    let names: Vec<&str> = columns.iter().map(|c| c.0).collect();
    println!("| phase | {} | grows with |", names.join(" | "));
    println!("|---|{}---|", "--:|".repeat(names.len()));
    let line = |name: &str, costs: Vec<f64>, with: &str| {
        let costs: Vec<String> = costs.iter().map(|c| thousands(*c)).collect();
        println!("| {name} | {} | {with} |", costs.join(" | "));
    };
    for (name, function, with) in PHASES {
        line(name, columns.iter().map(|c| of(&c.1, function)).collect(), with);
    }
    let rest =
        |costs: &BTreeMap<String, f64>| of(costs, WHOLE) - PHASES.iter().map(|p| of(costs, p.1)).sum::<f64>();
    line("the rest", columns.iter().map(|c| rest(&c.1)).collect(), "");
    line("a step", columns.iter().map(|c| of(&c.1, WHOLE)).collect(), "");
    Ok(())
}

fn thousands(cost: f64) -> String {
    if cost < 50.0 { "–".to_owned() } else { format!("{:.1} k", 1e-3 * cost) }
}

/// Instructions a step of the functions whose names end so.
fn of(costs: &BTreeMap<String, f64>, function: &str) -> f64 {
    costs.iter().filter(|(name, _)| name.ends_with(function)).map(|(_, cost)| cost).sum()
}

/// Instructions a step of every function and what it calls: those of a longer run less those of a shorter one.
fn by_function(program: &Path, scene: &Path, folder: &Path) -> Result<BTreeMap<String, f64>, String> {
    let mut costs: BTreeMap<String, f64> = BTreeMap::new();
    for (steps, sign) in STEPS.into_iter().zip([-1.0, 1.0]) {
        let out = folder.join("callgrind.out");
        let mut valgrind = Command::new("valgrind");
        valgrind.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}", out.display())).arg(program);
        valgrind.arg("run").arg(scene).args(["--sleep", "off", "--no-certify", "--json", "--dt", "0.001"]);
        valgrind.args(["--duration", &format!("{:.3}", 0.001 * f64::from(steps))]);
        let done = valgrind.output().map_err(|e| format!("cannot run valgrind: {e}"))?;
        if !done.status.success() {
            return Err(format!("valgrind: {}", String::from_utf8_lossy(&done.stderr)));
        }
        let text = std::fs::read_to_string(&out).map_err(|e| format!("{}: {e}", out.display()))?;
        for (name, cost) in inclusive(&text) {
            *costs.entry(name).or_default() += sign * cost / f64::from(STEPS[1] - STEPS[0]);
        }
    }
    Ok(costs)
}

/// Inclusive cost of every function that others call, of a file of callgrind; a name is written once and has a number
/// from then on.
fn inclusive(text: &str) -> BTreeMap<String, f64> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut name = |text: &str| {
        let (number, rest) = text.split_once(' ').unwrap_or((text, ""));
        if !rest.is_empty() {
            names.insert(number.to_owned(), rest.to_owned());
        }
        names.get(number).cloned().unwrap_or_default()
    };
    let (mut caller, mut callee, mut called) = (String::new(), String::new(), false);
    let mut costs = BTreeMap::new();
    for line in text.lines() {
        if let Some(text) = line.strip_prefix("fn=") {
            caller = name(text);
        } else if let Some(text) = line.strip_prefix("cfn=") {
            callee = name(text);
        } else if line.starts_with("calls=") {
            called = true;
        } else if std::mem::take(&mut called) && caller != callee {
            let cost = line.split(' ').nth(1).and_then(|cost| cost.parse::<f64>().ok());
            *costs.entry(callee.clone()).or_default() += cost.unwrap_or(0.0);
        }
    }
    costs
}

#[cfg(test)]
mod tests {
    use super::inclusive;

    /// Costs of calls are summed by the function that is called, whatever calls it; names come once.
    #[test]
    fn calls_are_summed_by_function() {
        let text = "fn=(1) a::step\n10 5\ncfn=(2) b::find\ncalls=3 7\n11 40\n+2 6\nfn=(3) c\ncfn=(2)\ncalls=1 7\n* 2\n\
                    fn=(2)\n7 30\ncfn=(2)\ncalls=1 7\n8 9\n";
        let costs = inclusive(text);
        assert_eq!(costs.get("b::find"), Some(&42.0));
        assert_eq!(costs.len(), 1);
    }
}
