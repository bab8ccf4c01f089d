//! `cargo xtask bench dynamics`: the algorithms of dynamics beside Pinocchio's and MuJoCo's.
//!
//! Three programs hold the same robot and the same random states, and answer when asked (see
//! `xtask/bench/dynamics/driver.hpp`): first what comes out, then what it costs, in turn, so that
//! a machine which slows down slows all three. No time is shown of results that disagree.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::shared::{machine, median, write};
use crate::args::Args;
use crate::process::{cargo, root, run as spawn, target};
use crate::python::python_with;

pub(crate) const HELP: &str = "\
Measures the algorithms of dynamics on robots of example-robot-data beside Pinocchio's C++ and
MuJoCo's C functions, one thread, double precision, in one run; then several environments at once.

    cargo xtask bench dynamics [ROBOT] [options]

    ROBOT           panda, solo12, go2, g1 or talos; without it all five
    --rounds N      rounds in which ours, Pinocchio and MuJoCo take turns (default 15)
    --lanes-only    our own times in lanes alone; needs no rival

Needs Linux, g++, Python 3.10 or later with venv, and the network once: pin, mujoco and
example-robot-data are installed into target/bench-dynamics. Compiling Pinocchio's templates takes
minutes, once.

Times are medians over the rounds, in CPU time of the thread, of whole jobs from q (and v, a or
tau) to the result: kinematics are part of everybody's time. All use the instructions of this
machine: Pinocchio is compiled for it, MuJoCo's library and ours (lanes::run) look what it has.
    rnea               tau(q, v, a)
    crba               M(q)
    aba                a(q, v, tau); MuJoCo: M, its factors, bias, solve
    factor+solve       of M at hand
    jacobians          the columns of all joints from q
    minverse           the inverse of M from q
    rnea_derivatives   of tau by q and v (and M)
    aba_derivatives    of a by q and v (and the inverse of M)
Of Pinocchio's crba and aba the faster of the local and the world convention counts. Every sample
goes to target/bench/dynamics.json.";

/// Pinocchio's headers include Eigen's, which come apart.
const PACKAGES: [&str; 4] =
    ["pin==4.1.0", "mujoco==4.0.0", "example-robot-data==6.0.0", "cmeel-eigen==3.4.1"];
const CHECK: &str = "import pinocchio, mujoco
from importlib.metadata import version
found = pinocchio.__version__, mujoco.__version__, version('cmeel-eigen')
assert found == ('4.1.0', '4.0.0', '3.4.1')";
const ROBOTS: [&str; 5] = ["panda", "solo12", "go2", "g1", "talos"];
const IN_LANES: [&str; 4] = ["rnea", "crba", "aba", "factor+solve"];
const LANES: [&str; 5] = ["f64", "f64x4", "f64x8", "f32x8", "f32x16"];
/// CPU time per sample [µs].
const SAMPLE: f64 = 1500.0;
/// Largest difference of two results, relative to the largest entry.
const AGREEMENT: f64 = 1e-9;

pub(crate) fn run(mut args: Args) -> Result<(), String> {
    let rounds = args.number("--rounds", 15.0)?.round().max(1.0) as usize;
    let lanes_only = args.flag("--lanes-only");
    let names = args.finish(1)?;
    let chosen: Vec<&str> =
        if names.is_empty() { ROBOTS.to_vec() } else { names.iter().map(|n| &**n).collect() };
    if let Some(name) = chosen.iter().find(|n| !ROBOTS.contains(n)) {
        return Err(format!("there is no robot `{name}`; there are {}", ROBOTS.join(", ")));
    }
    let folder = target().join("bench-dynamics");
    let python = python_with("bench-dynamics", &PACKAGES, CHECK)?;
    let script = root().join("xtask/bench/dynamics/robots.py");
    for robot in &chosen {
        spawn(Command::new(&python).arg(&script).arg(robot).arg(&folder))?;
    }
    let bench =
        ["bench", "--profile", "dist", "--quiet", "--package", "stiction-models", "--bench", "dynamics"];
    spawn(cargo().args(bench).arg("--no-run"))?;
    let rivals = if lanes_only { None } else { Some(Rivals::compiled(&folder)?) };

    let machine = machine();
    let mut rows = Vec::new();
    let known = |key: &str| machine[key].as_str().unwrap_or("?").to_owned();
    println!("\n{}, load {}\n", known("cpu"), known("load_before"));
    if let Some(rivals) = &rivals {
        println!("{HEADER}");
        for robot in &chosen {
            rows.extend(beside(rivals, &folder, robot, rounds)?);
        }
    }
    println!(
        "\nns per environment\n{:<10} {:<18} {}",
        "robot",
        "",
        LANES.map(|l| format!("{l:>8}")).concat()
    );
    for robot in chosen.iter().chain(&["chain30"]) {
        rows.extend(in_lanes(&folder, robot, rounds)?);
    }
    write(&target().join("bench").join("dynamics.json"), &json!({ "machine": machine, "rows": rows }))
}

const HEADER: &str = "\
                              |          us per call           | best rival |  agreement
robot      algorithm          |     ours Pinocchio    MuJoCo   |  / ours    | Pinoc.  MuJoCo";

/// The rivals' programs.
struct Rivals {
    pinocchio: PathBuf,
    mujoco: PathBuf,
}

impl Rivals {
    /// Compiled for this machine, unless they are newer than their sources.
    fn compiled(folder: &Path) -> Result<Self, String> {
        let lib = folder.join("lib");
        let versions = std::fs::read_dir(&lib).map_err(|e| format!("{}: {e}", lib.display()))?;
        let site = versions
            .flatten()
            .map(|version| version.path().join("site-packages"))
            .find(|site| site.join("cmeel.prefix").is_dir())
            .ok_or_else(|| format!("{}: pin is not in there", lib.display()))?;
        let include = |path: &str| format!("-I{}", site.join(path).display());
        // Pinocchio's joints are more than Boost's lists hold without being told.
        let lists = [
            "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
            "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
            "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
            "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
        ];
        let headers = [include("cmeel.prefix/include"), include("cmeel.prefix/include/eigen3")];
        let pinocchio = compiled(folder, "pinocchio", lists.map(str::to_owned).into_iter().chain(headers))?;
        let library = site.join("mujoco/libmujoco.so.4.0.0");
        let path = format!("-Wl,-rpath,{}", site.join("mujoco").display());
        let link = [include("mujoco/include"), library.display().to_string(), path];
        Ok(Self { pinocchio, mujoco: compiled(folder, "mujoco", link)? })
    }
}

fn compiled(folder: &Path, name: &str, options: impl IntoIterator<Item = String>) -> Result<PathBuf, String> {
    let sources = root().join("xtask/bench/dynamics");
    let (source, program) = (sources.join(format!("{name}.cpp")), folder.join(name));
    let changed = |path: &Path| path.metadata().and_then(|m| m.modified()).ok();
    let newest = changed(&source).max(changed(&sources.join("driver.hpp")));
    if changed(&program).is_none_or(|time| Some(time) < newest) {
        // After the source: what it names is looked up in the libraries behind it.
        let how = ["-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-o"];
        spawn(Command::new("g++").args(how).arg(&program).arg(&source).args(options))?;
    }
    Ok(program)
}

/// A program that answers a line with a line.
struct Driver {
    name: String,
    process: Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
    algorithms: Vec<String>,
}

impl Driver {
    fn start(command: &mut Command) -> Result<Self, String> {
        let name = command.get_program().to_string_lossy().into_owned();
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut process = spawned.map_err(|e| format!("`{name}` did not start: {e}"))?;
        let ask = process.stdin.take().expect("asked for");
        let answers = BufReader::new(process.stdout.take().expect("asked for"));
        let mut driver = Self { name, process, ask, answers, algorithms: Vec::new() };
        driver.algorithms = driver.ask("list")?.split_whitespace().map(str::to_owned).collect();
        Ok(driver)
    }

    fn ask(&mut self, question: &str) -> Result<String, String> {
        let mut answer = String::new();
        let asked = writeln!(self.ask, "{question}").and_then(|()| self.answers.read_line(&mut answer));
        match asked {
            Ok(length) if length > 0 => Ok(answer),
            _ => Err(format!("{} did not answer `{question}`", self.name)),
        }
    }

    fn has(&self, algorithm: &str) -> bool {
        self.algorithms.iter().any(|a| a == algorithm)
    }

    fn value(&mut self, algorithm: &str, state: usize) -> Result<Vec<f64>, String> {
        let answer = self.ask(&format!("value {algorithm} {state}"))?;
        let numbers: Result<Vec<f64>, _> = answer.split_whitespace().map(str::parse).collect();
        numbers.map_err(|e| format!("{}: {algorithm}: {e}", self.name))
    }

    fn time(&mut self, algorithm: &str, lanes: &str) -> Result<f64, String> {
        let answer = self.ask(&format!("time {algorithm} {SAMPLE} {lanes}"))?;
        answer.trim().parse().map_err(|e| format!("{}: {algorithm}: {e}", self.name))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ended = self.process.kill().and_then(|()| self.process.wait());
    }
}

/// Our program, which writes the states that the others read.
fn ours(folder: &Path, robot: &str) -> Result<(Driver, PathBuf), String> {
    let states = folder.join(format!("{robot}.states"));
    let urdf = folder.join(format!("{robot}.urdf"));
    let mut command = cargo();
    command.args([
        "bench",
        "--profile",
        "dist",
        "--quiet",
        "--package",
        "stiction-models",
        "--bench",
        "dynamics",
        "--",
    ]);
    if urdf.exists() {
        command.arg(urdf)
    } else {
        command.arg(robot)
    };
    Ok((Driver::start(command.arg(&states))?, states))
}

/// Every algorithm of one robot, ours beside theirs.
fn beside(rivals: &Rivals, folder: &Path, robot: &str, rounds: usize) -> Result<Vec<Value>, String> {
    let (mut ours, states) = ours(folder, robot)?;
    let rival = |program: &Path, extension: &str| {
        let model = folder.join(format!("{robot}.{extension}"));
        Driver::start(Command::new(program).arg(model).arg(&states))
    };
    let mut rivals = [rival(&rivals.pinocchio, "pin")?, rival(&rivals.mujoco, "xml")?];
    let mut rows = Vec::new();
    for algorithm in ours.algorithms.clone() {
        let mut samples = [Vec::new(), Vec::new(), Vec::new()];
        let differences = [
            difference(&mut ours, &mut rivals[0], &algorithm)?,
            difference(&mut ours, &mut rivals[1], &algorithm)?,
        ];
        if let Some(worst) = differences.iter().flatten().find(|d| d.is_nan() || **d >= AGREEMENT) {
            return Err(format!("{robot}: {algorithm}: results differ by {worst:.1e} of the largest number"));
        }
        let local = format!("{algorithm}_local");
        for _ in 0..rounds {
            samples[0].push(ours.time(&algorithm, "f64")?);
            for (rival, samples) in rivals.iter_mut().zip(&mut samples[1..]) {
                if rival.has(&algorithm) {
                    let world = rival.time(&algorithm, "")?;
                    samples.push(if rival.has(&local) { world.min(rival.time(&local, "")?) } else { world });
                }
            }
        }
        let [us, pinocchio, mujoco] = [0, 1, 2].map(|k| 1e-3 * median(&samples[k]));
        let ratio = pinocchio.min(mujoco) / us;
        let shown = |x: f64, width: usize| if x.is_nan() { "-".to_owned() } else { format!("{x:width$.2}") };
        let small = |d: Option<f64>| d.map_or("-".to_owned(), |d| format!("{d:.0e}"));
        println!(
            "{robot:<10} {algorithm:<18} | {us:8.2} {:>9} {:>9}   |  {ratio:8.2}  | {:>6} {:>7}",
            shown(pinocchio, 8),
            shown(mujoco, 8),
            small(differences[0]),
            small(differences[1]),
        );
        rows.push(json!({ "robot": robot, "algorithm": algorithm, "ratio": ratio, "ns": samples }));
    }
    Ok(rows)
}

/// Of our result and the rival's, relative to the largest number; `None` where the rival has none.
fn difference(ours: &mut Driver, rival: &mut Driver, algorithm: &str) -> Result<Option<f64>, String> {
    if !rival.has(algorithm) {
        return Ok(None);
    }
    // Of the other states a rival's factors are not at hand.
    let states: &[usize] = if algorithm == "factor+solve" { &[0] } else { &[0, 1, 2, 3] };
    let mut worst: f64 = 0.0;
    for state in states {
        let (a, b) = (ours.value(algorithm, *state)?, rival.value(algorithm, *state)?);
        if a.len() != b.len() {
            return Err(format!("{algorithm}: {} numbers here, {} in {}", a.len(), b.len(), rival.name));
        }
        let scale = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let apart = a.iter().zip(&b).map(|(x, y)| (x - y).abs());
        // A NaN is the worst there is: `max` would swallow it.
        worst = apart.fold(worst, |w, d| if d / scale <= w { w } else { d / scale });
    }
    Ok(Some(worst))
}

/// Our time per environment with several side by side.
fn in_lanes(folder: &Path, robot: &str, rounds: usize) -> Result<Vec<Value>, String> {
    let (mut ours, _) = ours(folder, robot)?;
    let mut rows = Vec::new();
    for algorithm in IN_LANES {
        let mut samples = LANES.map(|_| Vec::new());
        for _ in 0..rounds {
            for (lanes, samples) in LANES.iter().zip(&mut samples) {
                samples.push(ours.time(algorithm, lanes)?);
            }
        }
        let medians = samples.each_ref().map(|s| format!("{:8.0}", median(s)));
        println!("{robot:<10} {algorithm:<18} {}", medians.concat());
        rows.push(json!({ "robot": robot, "algorithm": algorithm, "lanes": LANES, "ns": samples }));
    }
    Ok(rows)
}
