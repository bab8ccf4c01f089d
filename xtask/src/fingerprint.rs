//! `cargo xtask fingerprint`: whether simulations give the same bits as when the fingerprints were committed.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::{Value, json};

use crate::args::Args;
use crate::bench::shared::{machine, write};
use crate::process::{cargo, output, root};

pub(crate) const HELP: &str = "\
Compares hashes of simulations with the committed ones, xtask/fingerprint.json: bits of q and v, impulses, contacts, certificates
and derivatives of all built-in scenes for 200 steps, of all steppers on five scenes, and of steps that are halved, parted at
impacts or asleep. A change of a bit is an error.

    cargo xtask fingerprint [--accept]

    --accept    write the hashes of this run as the committed ones

Bits depend on the processor and the compiler, which are written beside them: elsewhere nothing is judged, and that is said.";

pub(crate) fn run(mut args: Args) -> Result<(), String> {
    let accept = args.flag("--accept");
    args.finish(0)?;
    let example = ["run", "--quiet", "-p", "stiction-lab", "--all-features", "--example", "fingerprint"];
    let text = output(cargo().args(example))?;
    let now: BTreeMap<&str, &str> = text.lines().filter_map(|line| line.split_once('\t')).collect();
    let compiler = output(Command::new("rustc").arg("--version"))?.trim().to_owned();
    let cpu = machine()["cpu"].as_str().unwrap_or_default().to_owned();
    let file = root().join("xtask/fingerprint.json");
    if accept {
        write(&file, &json!({ "compiler": compiler, "machine": cpu, "hashes": now }))?;
        println!("{} hashes written to xtask/fingerprint.json", now.len());
        return Ok(());
    }
    let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let committed: Value = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))?;
    let hashes = committed["hashes"].as_object().ok_or("xtask/fingerprint.json holds no hashes")?;
    let other = hashes.iter().filter(|(name, hash)| now.get(name.as_str()).copied() != hash.as_str());
    let mut other: Vec<_> = other.map(|(name, _)| name.as_str()).collect();
    other.extend(now.keys().filter(|name| !hashes.contains_key(**name)));
    let same = committed["compiler"] == *compiler && committed["machine"] == *cpu;
    for name in &other {
        println!("other bits: {name}");
    }
    match (other.len(), same) {
        (0, _) => println!("{} runs: the bits are those committed", now.len()),
        (n, true) => return Err(format!("the bits of {n} of {} runs are not those committed", now.len())),
        (n, false) => {
            println!("{n} of {} runs have other bits", now.len());
            println!(
                "*** NOT JUDGED: committed are those of {} on {} ***",
                committed["compiler"], committed["machine"]
            );
        }
    }
    Ok(())
}
