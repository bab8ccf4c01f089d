//! `cargo xtask bench instructions`: how many instructions the algorithms of dynamics and whole steps of scenes execute.
//!
//! Counts do not depend on what else the machine does: they guard against getting slower. They do
//! depend on the compiler and the machine, which are written beside the committed counts.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use super::shared::{self, write};
use super::{phases, steps};
use crate::args::Args;
use crate::process::{answers, cargo, output, root, run as spawn, target};

pub(crate) const HELP: &str = "\
Counts the instructions per call of the algorithms of dynamics, and of whole steps (a millisecond, nothing sleeps,
uncertified, by the command as it is shipped) of eight scenes, a pile, packed boxes, two legged robots, MuJoCo's humanoid,
a hand, and a batch of 64; and compares them with the committed counts, xtask/bench/instructions.json. More than 3 % above
is an error.

    cargo xtask bench instructions [--offline] [--accept WHY] [--phases]

    --offline       only whole steps, of scenes that need neither the network nor files of others
    --accept WHY    write the counts of this run as the committed ones, and why some are larger
    --phases        what a step costs by its phases, as a table, and nothing else

Needs Valgrind (without it nothing is counted, and that is said) and the network once: gungraun-runner
is installed into target/gungraun, where everything is compiled apart from the rest.";

/// The same version as the library in the workspace's Cargo.toml.
const RUNNER: &str = "0.20.0";
/// What may be lost before it is an error.
const TOLERANCE: f64 = 0.03;

pub(crate) fn run(mut args: Args) -> Result<(), String> {
    let (offline, accept) = (args.flag("--offline"), args.option("--accept")?);
    let by_phases = args.flag("--phases");
    args.finish(0)?;
    if !answers(Command::new("valgrind").arg("--version")) {
        println!("*** NOT COUNTED: instructions (valgrind is not installed) ***");
        return Ok(());
    }
    if by_phases {
        return phases::print(offline);
    }
    let mut counts = if offline { BTreeMap::new() } else { of_algorithms()? };
    counts.extend(steps::counts(offline)?);

    let compiler = output(Command::new("rustc").arg("--version"))?.trim().to_owned();
    let file = root().join("xtask/bench/instructions.json");
    let mut committed: Value = std::fs::read_to_string(&file)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_else(|| json!({ "compiler": compiler, "instructions": {}, "larger": {} }));
    println!("{:<28} {:>10} {:>10} {:>8}", "instructions per call", "now", "committed", "");
    let mut larger = Vec::new();
    for (name, now) in &counts {
        let before = committed["instructions"][name].as_f64().unwrap_or(f64::NAN);
        let change = *now as f64 / before - 1.0;
        match change.is_nan() {
            true => println!("{name:<28} {now:>10} {:>10}", "new"),
            false => println!("{name:<28} {now:>10} {before:>10} {:>+7.1}%", 100.0 * change),
        }
        if change > TOLERANCE {
            larger.push((name, format!("{:+.1} %", 100.0 * change)));
        }
    }
    let here = machine();
    let same = committed["compiler"] == *compiler && committed["machine"] == *here;
    if let Some(why) = accept {
        if why.trim().is_empty() && !larger.is_empty() {
            return Err("--accept WHY: say why counts are larger".to_owned());
        }
        for (name, count) in &counts {
            committed["instructions"][name] = json!(count);
        }
        // Counts that are no larger need no reason, and an older one is of another change.
        if let Some(reasons) = committed["larger"].as_object_mut() {
            reasons.retain(|name, _| !counts.contains_key(name));
        }
        for (name, change) in larger {
            committed["larger"][name] = json!(format!("{change}: {why}"));
        }
        (committed["compiler"], committed["machine"]) = (json!(compiler), json!(here));
        write(&file, &committed)?;
        println!("written to xtask/bench/instructions.json");
        return Ok(());
    }
    if !same {
        let of = |key: &str| committed[key].as_str().unwrap_or("an unknown one").to_owned();
        let (compiled, counted) = (of("compiler"), of("machine"));
        println!("*** NOT JUDGED: committed are counts of {compiled} on {counted} ***");
        println!("*** these are of {compiler} on {here} ***");
        return Ok(());
    }
    if larger.is_empty() {
        return Ok(());
    }
    let larger: Vec<String> = larger.iter().map(|(name, change)| format!("{name} ({change})")).collect();
    Err(format!(
        "more instructions than before: {}; `--accept WHY` writes them with the reason",
        larger.join(", ")
    ))
}

/// Processor, C library and Valgrind, on which counts depend too.
fn machine() -> String {
    let cpu = shared::machine()["cpu"].as_str().unwrap_or_default().to_owned();
    let first = |program: &str| {
        let text = output(Command::new(program).arg("--version")).unwrap_or_default();
        text.lines().next().unwrap_or_default().trim().to_owned()
    };
    format!("{cpu}, {}, {}", first("ldd"), first("valgrind"))
}

/// Instructions per call of the algorithms of dynamics.
fn of_algorithms() -> Result<BTreeMap<String, u64>, String> {
    let folder = target().join("gungraun");
    let runner = runner(&folder)?;
    let mut bench = cargo();
    bench.args([
        "bench",
        "--profile",
        "dist",
        "--quiet",
        "--package",
        "stiction-dynamics",
        "--bench",
        "instructions",
    ]);
    bench.env("GUNGRAUN_RUNNER", runner).env("GUNGRAUN_COLOR", "never");
    bench.env("CARGO_TARGET_DIR", folder.join("build")).env("RUSTFLAGS", "--cfg gungraun");
    let counts = counts(&output(&mut bench)?);
    if counts.is_empty() { Err("gungraun counted nothing".to_owned()) } else { Ok(counts) }
}

/// The program that runs Valgrind for gungraun.
fn runner(folder: &std::path::Path) -> Result<PathBuf, String> {
    let program = folder.join("bin").join(format!("gungraun-runner{}", std::env::consts::EXE_SUFFIX));
    let version = output(Command::new(&program).arg("--version")).unwrap_or_default();
    if !version.contains(RUNNER) {
        let mut install = cargo();
        install.args(["install", "--quiet", "--locked", "--debug", "--version", RUNNER, "--root"]);
        spawn(install.arg(folder).arg("gungraun-runner").env("CARGO_TARGET_DIR", folder.join("build")))?;
    }
    Ok(program)
}

/// `algorithm robot` and its count, from lines such as
///
/// ```text
/// instructions::algorithms::rnea of_0:"arm" -> …
///   Instructions:          1734|N/A
/// ```
fn counts(text: &str) -> BTreeMap<String, u64> {
    let (mut counts, mut name) = (BTreeMap::new(), None);
    for line in text.lines() {
        if let Some((_, rest)) = line.split_once("::algorithms::") {
            let algorithm = rest.split_whitespace().next().unwrap_or_default();
            name = rest.split('"').nth(1).map(|robot| format!("{algorithm} {robot}"));
        } else if let Some((_, number)) = line.split_once("Instructions:") {
            let number = number.trim().split('|').next().and_then(|n| n.trim().parse().ok());
            counts.extend(name.take().zip(number));
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_with_their_names() {
        let text = "instructions::counted::algorithms::rnea of_0:ready(\"arm\")\n  Instructions:   1734|N/A (*)\n  \
                    L1 Hits:  2359|N/A\ninstructions::algorithms::aba of_1:\"chain\"\n  Instructions:  9|8 (+1%)\n";
        let counts = counts(text);
        assert_eq!(counts.len(), 2);
        assert_eq!((counts["rnea arm"], counts["aba chain"]), (1734, 9));
    }
}
