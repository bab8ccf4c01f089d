//! `cargo xtask fuzz`.

use crate::args::Args;
use crate::process::{answers, cargo, root, run as spawn, target};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) const HELP: &str = "\
Feeds every reader (URDF, MJCF, SDF, meshes, problem files, scenes) with damaged input, guided
by coverage, and prints what each run saw. A crash, a leak or a hang is an error.

    cargo xtask fuzz [--minutes N] [--seed N] [TARGET]
    cargo xtask fuzz pairs [--pairs N] [--seed N]

    --minutes N   time per target, one after the other (default 1)
    --seed N      of the random numbers (default 1)
    --pairs N     pairs of shapes (default 100000)
    TARGET        only this one: urdf mjcf sdf stl obj dae gltf msh problem scene, or
                  files: damaged files of every format through the program, and writers that are killed
                  at random moments or find no room, as in the tests but for N minutes; needs no compiler of C++;
                  or pairs: contacts of all pairs of shapes in all attitudes against what they must be, as in the
                  tests but so many; a table of the worst errors, relative to the smaller body

Needs a C++ compiler; installs cargo-fuzz below target/ when it is missing. Seeds and dictionaries
are in fuzz/; what the runs find new is kept in fuzz/corpus, crashes in fuzz/artifacts (neither is
committed). A crash belongs into crates/cli/tests/malformed, minimised:

    cargo fuzz tmin TARGET fuzz/artifacts/TARGET/crash-…";

/// In the order of the table.
const TARGETS: [&str; 10] = ["urdf", "mjcf", "sdf", "stl", "obj", "dae", "gltf", "msh", "problem", "scene"];

/// The target that is no coverage-guided one.
const FILES: &str = "files";
/// The one that damages no files.
const PAIRS: &str = "pairs";
/// Damaged files and kills that a minute has time for, of each of some forty seeds and seven writers.
const MUTATIONS_A_MINUTE: f64 = 20.0;
const KILLS_A_MINUTE: f64 = 6.0;

/// Memory that a run may take [MiB], and time for one input [s].
const MEMORY: u32 = 2048;
const SECONDS: u32 = 10;

pub(crate) fn run(mut args: Args) -> Result<(), String> {
    let seconds = (60.0 * args.number("--minutes", 1.0)?).ceil();
    let seed = args.number("--seed", 1.0)?;
    let pairs = args.number("--pairs", 1e5)?;
    let named = args.finish(1)?;
    if named.first().map(String::as_str) == Some(FILES) {
        return files(seconds, seed);
    }
    if named.first().map(String::as_str) == Some(PAIRS) {
        return all_pairs(pairs, seed);
    }
    let targets = match named.first() {
        Some(one) => vec![*TARGETS.iter().find(|t| *t == one).ok_or(format!(
            "there is no target `{one}`; there are: {} {FILES} {PAIRS}",
            TARGETS.join(" ")
        ))?],
        None => TARGETS.to_vec(),
    };
    let tool = tool()?;
    let mut lines = vec![format!("{:<9}{:>12}{:>9}{:>9}  found", "target", "executions", "edges", "inputs")];
    let mut crashed = Vec::new();
    for target in targets {
        let seen = one(&tool, target, seconds, seed)?;
        lines.push(seen.line(target));
        crashed.extend((!seen.fine).then_some(target));
    }
    println!("\n{}", lines.join("\n"));
    if crashed.is_empty() { Ok(()) } else { Err(format!("see fuzz/artifacts: {}", crashed.join(", "))) }
}

/// The tests of damaged files and of writers that are ended by force, for longer.
fn files(seconds: f64, seed: f64) -> Result<(), String> {
    let of = |a_minute: f64| ((seconds / 60.0 * a_minute).ceil().max(1.0) as u64).to_string();
    let mut command = cargo();
    command.args(["test", "--release", "-p", "stiction-cli", "--all-features", "--test", "all"]);
    command.args(["--", "--nocapture", "mutations::", "faults::"]);
    command.env("STICTION_MUTATIONS", of(MUTATIONS_A_MINUTE)).env("STICTION_KILLS", of(KILLS_A_MINUTE));
    command.env("STICTION_SEED", format!("{}", 1 + 1_000_000 * seed as u64));
    spawn(&mut command)
}

/// The test of contacts of all pairs of shapes, with more of them.
fn all_pairs(pairs: f64, seed: f64) -> Result<(), String> {
    let mut command = cargo();
    command.args([
        "test",
        "--release",
        "-p",
        "stiction-collision",
        "--test",
        "all",
        "--",
        "--nocapture",
        "pairs::",
    ]);
    command.env("STICTION_PAIRS", format!("{}", pairs.max(1.0) as u64));
    command.env("STICTION_SEED", format!("{}", seed as u64));
    spawn(&mut command)
}

/// cargo-fuzz, installed below target/ unless it is there or on the path.
fn tool() -> Result<PathBuf, String> {
    if answers(Command::new("cargo-fuzz").arg("--version")) {
        return Ok("cargo-fuzz".into());
    }
    let folder = target().join("tools");
    let tool = folder.join("bin/cargo-fuzz");
    if !tool.is_file() {
        spawn(cargo().args(["install", "cargo-fuzz", "--locked", "--root"]).arg(&folder))?;
    }
    Ok(tool)
}

/// What a run says of itself.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    executions: u64,
    edges: u64,
    inputs: u64,
    fine: bool,
}

impl Seen {
    /// From libFuzzer's log: `#12345 DONE cov: 678 ft: 910 corp: 11/12Kb …`.
    fn parse(log: &str, fine: bool) -> Self {
        let mut seen = Self { fine, ..Self::default() };
        for line in log.lines() {
            let Some((number, rest)) = line.strip_prefix('#').and_then(|l| l.split_once(char::is_whitespace))
            else {
                continue;
            };
            let words: Vec<&str> = rest.split_whitespace().collect();
            let after: BTreeMap<&str, &str> = words.windows(2).map(|w| (w[0], w[1])).collect();
            let value = |key: &str| {
                let text = after.get(key)?.split('/').next()?;
                text.parse().ok()
            };
            seen.executions = number.parse().unwrap_or(seen.executions);
            seen.edges = value("cov:").unwrap_or(seen.edges);
            seen.inputs = value("corp:").unwrap_or(seen.inputs);
        }
        seen
    }

    fn line(&self, target: &str) -> String {
        let found = if self.fine { "nothing" } else { "A CRASH" };
        format!("{target:<9}{:>12}{:>9}{:>9}  {found}", self.executions, self.edges, self.inputs)
    }
}

fn one(tool: &Path, name: &str, seconds: f64, seed: f64) -> Result<Seen, String> {
    let fuzz = root().join("fuzz");
    let corpus = fuzz.join("corpus").join(name);
    std::fs::create_dir_all(&corpus).map_err(|e| format!("{}: {e}", corpus.display()))?;
    let mut command = Command::new(tool);
    // The instrumentation is an unstable flag of the compiler.
    command.env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", target().join("fuzz"));
    // No sanitizer: the crates deny unsafe code, and panics, memory and time are what is looked for.
    command.current_dir(root()).args(["fuzz", "run", "--release", "--sanitizer", "none", name]);
    command.arg(&corpus).arg(fuzz.join("seeds").join(name)).arg("--");
    command.args([
        format!("-dict={}", fuzz.join("dictionaries").join(format!("{name}.dict")).display()),
        format!("-max_total_time={seconds}"),
        format!("-rss_limit_mb={MEMORY}"),
        format!("-timeout={SECONDS}"),
        format!("-seed={seed}"),
        "-max_len=8192".to_owned(),
        "-print_final_stats=1".to_owned(),
    ]);
    println!("{name}: {seconds} s");
    let out = command.output().map_err(|e| format!("{} did not start: {e}", tool.display()))?;
    let log = String::from_utf8_lossy(&out.stderr);
    let seen = Seen::parse(&log, out.status.success());
    if !seen.fine || seen.executions == 0 {
        let tail: Vec<&str> = log.lines().rev().take(30).collect();
        println!("{}", tail.into_iter().rev().collect::<Vec<_>>().join("\n"));
    }
    if seen.executions == 0 {
        Err(format!("the target `{name}` did not run; its log is above"))
    } else {
        Ok(seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_of_the_log_counts() {
        let log = "INFO: Seed: 1\n#2\tINITED cov: 10 ft: 11 corp: 1/1b exec/s: 0 rss: 30Mb\n#512\tNEW    cov: 20 ft: 30 \
                   corp: 7/90b lim: 4 exec/s: 0\nstat::number_of_executed_units: 512\n#900\tDONE   cov: 21 ft: 31 corp: \
                   8/99b lim: 4\n";
        let seen = Seen::parse(log, true);
        assert_eq!(seen, Seen { executions: 900, edges: 21, inputs: 8, fine: true });
        assert!(seen.line("urdf").ends_with("nothing"));
    }

    /// The table here and the targets there are the same.
    #[test]
    fn every_target_has_its_file_dictionary_and_seeds() {
        let fuzz = root().join("fuzz");
        let mut files: Vec<String> = (std::fs::read_dir(fuzz.join("targets")).unwrap())
            .map(|e| e.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        let mut named = TARGETS.map(str::to_owned).to_vec();
        files.sort();
        named.sort();
        assert_eq!(files, named);
        for target in TARGETS {
            assert!(fuzz.join("dictionaries").join(format!("{target}.dict")).is_file(), "{target}");
            assert!(std::fs::read_dir(fuzz.join("seeds").join(target)).unwrap().count() >= 2, "{target}");
        }
    }
}
