//! How many instructions whole steps of scenes execute: those of a longer run of the command less those of a shorter one.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::scenes::{QUADRUPED, rival_python, written};
use super::shared::our_binary;
use crate::process::{answers, cargo, output, root, run, target};

/// Scenes that are built in: one of each kind of contact that users meet.
const BUILT_IN: [&str; 8] =
    ["cube-slide", "slope", "stack", "two-cubes", "wedge", "grasp", "quadruped", "humanoid"];
/// Scenes of boxes, whose files any Python writes, and of robots of others, for which it needs their packages.
const BOXES: [&str; 2] = ["pile", "packed"];
const ROBOTS: [&str; 4] = ["go2", "solo12", "humanoid", "allegro"];
/// h, and the lengths of the two runs of scenes that are built in and of files [s].
const STEP: f64 = 0.001;
const LENGTHS: [f64; 2] = [0.05, 0.15];
const LENGTHS_OF_FILES: [f64; 2] = [0.2, 0.3];
/// Environments of a batch, and the steps of its two runs.
const BATCH: usize = 64;
const STEPS_OF_BATCH: [usize; 2] = [20, 40];

/// `step SCENE` and its count; of a batch that of one environment. All is compiled as it is shipped. What the network or files of
/// others are needed for is left out where `offline`.
pub(super) fn counts(offline: bool) -> Result<BTreeMap<String, u64>, String> {
    let program = our_binary()?;
    let mut counts = BTreeMap::new();
    for scene in BUILT_IN {
        counts.insert(format!("step {scene}"), per_step(&program, scene, LENGTHS)?);
    }
    let python = if offline { None } else { Some(rival_python()?) };
    let any = python.clone().unwrap_or_else(|| "python3".into());
    for scene in BOXES {
        if python.is_none() && !answers(Command::new(&any).arg("--version")) {
            println!("*** NOT COUNTED: {scene} (Python is not installed) ***");
        } else if let Some(file) = written(&any, scene)? {
            let count = per_step(&program, &file.display().to_string(), LENGTHS_OF_FILES)?;
            counts.insert(format!("step {scene}.xml"), count);
        }
    }
    let Some(python) = python else {
        println!("not counted, since offline: {}, a batch", ROBOTS.join(", "));
        return Ok(counts);
    };
    for scene in ROBOTS {
        match written(&python, scene)? {
            Some(file) => {
                let count = per_step(&program, &file.display().to_string(), LENGTHS_OF_FILES)?;
                counts.insert(format!("step {scene}.xml"), count);
            }
            None => println!("*** NOT COUNTED: {scene} (third-party data is missing) ***"),
        }
    }
    counts.insert(format!("step quadruped, batch of {BATCH}"), of_batch(&python)?);
    Ok(counts)
}

/// Instructions of a step of `scene`, at the end of a run.
fn per_step(program: &Path, scene: &str, lengths: [f64; 2]) -> Result<u64, String> {
    let [short, long] = lengths.map(|length| {
        let mut command = counted(program);
        command.args(["run", scene, "--sleep", "off", "--no-certify", "--json"]);
        command.args(["--dt", &STEP.to_string(), "--duration", &length.to_string()]);
        count(command, scene)
    });
    Ok((long? - short?) / ((lengths[1] - lengths[0]) / STEP).round() as u64)
}

/// Instructions of a step of one of the quadrupeds of a batch, on one thread.
fn of_batch(python: &Path) -> Result<u64, String> {
    let example = ["build", "--quiet", "--profile", "dist", "-p", "stiction", "--example", "batch_cost"];
    run(cargo().args(example))?;
    let program = target().join("dist/examples").join(format!("batch_cost{}", std::env::consts::EXE_SUFFIX));
    let [short, long] = STEPS_OF_BATCH.map(|steps| {
        let inputs = target().join("bench").join(format!("counted-{steps}.f64"));
        let mut rival = Command::new(python);
        rival.current_dir(root()).args(["xtask/bench/mujoco_rollout.py", "inputs", QUADRUPED]).arg(&inputs);
        rival.args(["--dt", &STEP.to_string(), "--n", &BATCH.to_string(), "--steps", &steps.to_string()]);
        output(&mut rival)?;
        let mut command = counted(&program);
        command.current_dir(root()).arg(QUADRUPED).arg(&inputs);
        command.args(["--dt", &STEP.to_string(), "--threads", "1"]);
        count(command, "a batch")
    });
    Ok((long? - short?) / (BATCH * (STEPS_OF_BATCH[1] - STEPS_OF_BATCH[0])) as u64)
}

fn counted(program: &Path) -> Command {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    valgrind
}

/// Instructions of a run.
fn count(mut command: Command, of: &str) -> Result<u64, String> {
    let done = command.output().map_err(|e| format!("cannot run valgrind: {e}"))?;
    let told = String::from_utf8_lossy(&done.stderr);
    collected(&told).ok_or_else(|| format!("valgrind counted nothing of {of}: {told}"))
}

/// The count in what Valgrind says, from a line such as `==7== Collected : 1234`.
fn collected(told: &str) -> Option<u64> {
    told.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::collected;

    #[test]
    fn counts_are_read() {
        assert_eq!(collected("==7== Events    : Ir\n==7== Collected : 66777\n==7==\n"), Some(66777));
        assert_eq!(collected("valgrind: no such file"), None);
    }
}
