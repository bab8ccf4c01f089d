//! `cargo xtask bench batch`: a thousand robots and more, ours in lanes beside MuJoCo's rollout, in one run.
//!
//! Both read one model and one file of states and controls. Runs alternate; what is reported is the median, and the
//! median of the rounds' ratios.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::scenes::{QUADRUPED, rival_python, robots};
use super::shared::{machine, median, write};
use crate::args::Args;
use crate::process::{cargo, output, root, run as done, target};

pub(crate) const HELP: &str = "\
Steps a batch of quadrupeds under joint servos beside MuJoCo's rollout, in one run.

    cargo xtask bench batch [SCENE] [options]

    SCENE          quadruped, ours; go2, of example-robot-data; go2-rolling, the same on feet that
                   resist spinning and rolling; without it all
    --n N          robots (default: 1024, then 4096)
    --steps N      steps of a run (default 50)
    --dt H         time step in seconds (default 0.002)
    --threads N    of both (default 2)
    --rounds N     rounds, every engine once in each (default 5)
    --tolerance E  our natural map [m/s] (default 1e-6)

Every robot starts in the posture of the model's first key with joint velocities of 0.1 rad/s (normal) and gets new
targets in every step, 0.02 rad (normal) from the key's. Needs Python 3.10 or later with venv, and the network
once: MuJoCo and numpy are installed into target/bench-venv, and for Go2 example-robot-data is unpacked.

Columns
    steps/s        environment steps per second by the wall clock, all threads
    /CPU-second    the same per second of processor time
    ratio          of the latter, to MuJoCo's: median of the rounds
    natural map    worst residual of the exact contact law over all robots and steps [m/s], from the
                   judge in f64 in a run that is not timed
    fell back      share of steps that lanes left to the solver of single environments
Every sample goes to target/bench/batch.json.";

const SCENES: [&str; 3] = ["quadruped", "go2", "go2-rolling"];

/// What all runs share.
struct Setup {
    python: PathBuf,
    ours: PathBuf,
    steps: usize,
    dt: String,
    threads: usize,
    rounds: usize,
    tolerance: String,
}

pub(crate) fn run(mut args: Args) -> Result<(), String> {
    let n = args.number("--n", 0.0)?.round() as usize;
    let steps = args.number("--steps", 50.0)?.round().max(1.0) as usize;
    let dt = args.number("--dt", 0.002)?.to_string();
    let threads = args.number("--threads", 2.0)?.round().max(1.0) as usize;
    let rounds = args.number("--rounds", 5.0)?.round().max(1.0) as usize;
    let tolerance = args.number("--tolerance", 1e-6)?.to_string();
    let names = args.finish(1)?;
    let scenes: Vec<&str> =
        if names.is_empty() { SCENES.to_vec() } else { names.iter().map(|n| &**n).collect() };
    if let Some(name) = scenes.iter().find(|s| !SCENES.contains(s)) {
        return Err(format!("there is no batch `{name}`; there are {}", SCENES.join(", ")));
    }
    let python = rival_python()?;
    let example = ["build", "--quiet", "--profile", "dist", "-p", "stiction", "--example", "batch_cost"];
    done(cargo().args(example))?;
    let ours = target().join("dist/examples").join(format!("batch_cost{}", std::env::consts::EXE_SUFFIX));
    let setup = Setup { python, ours, steps, dt, threads, rounds, tolerance };
    let machine = machine();
    println!(
        "\n{}, {steps} steps of {} s on {threads} threads, {rounds} rounds\n",
        machine["cpu"].as_str().unwrap_or("?"),
        setup.dt
    );
    println!(
        "{:<18} {:<13} | {:>10} {:>12} {:>7} | {:>11} {:>9}",
        "", "", "steps/s", "/CPU-second", "ratio", "natural map", "fell back"
    );
    let mut records = Vec::new();
    for scene in scenes {
        let model = model(&setup, scene)?;
        for n in if n > 0 { vec![n] } else { vec![1024, 4096] } {
            let record = measure(&setup, scene, &model, n)?;
            print(&record);
            records.push(record);
        }
    }
    let path = target().join("bench").join("batch.json");
    write(&path, &json!({ "machine": machine, "batches": records }))?;
    println!("\nsamples: {}", path.display());
    Ok(())
}

fn model(setup: &Setup, scene: &str) -> Result<PathBuf, String> {
    if scene == "quadruped" {
        return Ok(root().join(QUADRUPED));
    }
    let file = target().join("bench/scenes").join(format!("{scene}.xml"));
    let mut command = Command::new(&setup.python);
    command.current_dir(root()).arg("xtask/bench/scene_files.py").arg(scene).arg(&file);
    output(command.arg("--robots").arg(robots(&setup.python)?))?;
    Ok(file)
}

/// All rounds of one batch.
fn measure(setup: &Setup, scene: &str, model: &Path, n: usize) -> Result<Value, String> {
    let inputs = target().join("bench").join(format!("batch-{scene}-{n}.f64"));
    let script = |what: &str| {
        let mut command = Command::new(&setup.python);
        command.current_dir(root()).args(["xtask/bench/mujoco_rollout.py", what]);
        command.arg(model).arg(&inputs).args(["--dt", &setup.dt]);
        command
    };
    let steps = setup.steps.to_string();
    output(script("inputs").args(["--n", &n.to_string(), "--steps", &steps]))?;
    let threads = setup.threads.to_string();
    let ours = |precision: &str| {
        let mut command = Command::new(&setup.ours);
        command.arg(model).arg(&inputs).args(["--dt", &setup.dt, "--threads", &threads]);
        command.args(["--tolerance", &setup.tolerance, "--precision", precision]);
        command
    };
    let parse = |text: String| serde_json::from_str::<Value>(&text).map_err(|e| format!("{e}: {text}"));
    let mut judged = Vec::new();
    for precision in ["single", "double"] {
        judged.push(parse(output(ours(precision).args(["--judge", "true"]))?)?);
    }
    let mut samples = [const { Vec::new() }; 3];
    for round in 0..setup.rounds {
        // Who goes first changes.
        for k in 0..3 {
            let which = (round + k) % 3;
            let text = if which == 2 {
                output(script("run").args(["--threads", &threads]))?
            } else {
                output(&mut ours(["single", "double"][which]))?
            };
            samples[which].push(parse(text)?);
        }
    }
    std::fs::remove_file(&inputs).map_err(|e| format!("{}: {e}", inputs.display()))?;
    let [single, double, rival] = samples;
    Ok(json!({
        "scene": scene, "n": n, "dt": setup.dt, "threads": setup.threads, "tolerance": setup.tolerance,
        "single": side(&single, &rival, &judged[0]), "double": side(&double, &rival, &judged[1]),
        "mujoco": side(&rival, &rival, &Value::Null),
    }))
}

/// Samples of one engine, their medians, and what the judge said.
fn side(samples: &[Value], rival: &[Value], judged: &Value) -> Value {
    let key = |v: &Value, k: &str| v[k].as_f64().unwrap_or(f64::NAN);
    let all = |k: &str| samples.iter().map(|s| key(s, k)).collect::<Vec<_>>();
    let ratios = all("steps_per_cpu_s")
        .iter()
        .zip(rival)
        .map(|(a, b)| a / key(b, "steps_per_cpu_s"))
        .collect::<Vec<_>>();
    json!({
        "steps_per_s": median(&all("steps_per_s")),
        "steps_per_cpu_s": median(&all("steps_per_cpu_s")),
        "ratio": median(&ratios),
        "natural_map": judged["natural_map"],
        "fell_back": samples[0]["fell_back"],
        "failed": samples[0]["failed"],
        "diverged": samples[0]["diverged"],
        "samples": samples,
    })
}

fn print(record: &Value) {
    let name = format!("{} x {}", record["scene"].as_str().unwrap_or("?"), record["n"]);
    for (k, engine) in ["single", "double", "mujoco"].into_iter().enumerate() {
        let side = &record[engine];
        let number = |key: &str| side[key].as_f64().unwrap_or(f64::NAN);
        let small = |key: &str| side[key].as_f64().map_or("-".to_owned(), |x| format!("{x:.1e}"));
        println!(
            "{:<18} {:<13} | {:>10.0} {:>12.0} {:>7.2} | {:>11} {:>9}",
            if k == 0 { &*name } else { "" },
            ["ours, 8 x f32", "ours, 4 x f64", "MuJoCo"][k],
            number("steps_per_s"),
            number("steps_per_cpu_s"),
            number("ratio"),
            small("natural_map"),
            small("fell_back"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_round_by_round() {
        let samples = |speeds: [f64; 3]| speeds.map(|s| json!({ "steps_per_cpu_s": s, "natural_map": 1e-7 }));
        let judged = json!({ "natural_map": 2e-7 });
        let side = side(&samples([30.0, 20.0, 80.0]), &samples([3.0, 4.0, 4.0]), &judged);
        assert_eq!(side["ratio"].as_f64(), Some(10.0));
        assert_eq!(side["steps_per_cpu_s"].as_f64(), Some(30.0));
        assert_eq!(side["natural_map"].as_f64(), Some(2e-7));
    }
}
