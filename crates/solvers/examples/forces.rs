//! Compares the forces of compliant solvers with those that came with problem files, one JSON object per line of the
//! standard input; `cargo xtask verify forces` writes them. The name of a problem is the solver's, or
//! `elliptic` or `pyramidal` for the two cones of `mujoco`.
//!
//! Prints per line the rows, the largest difference of an impulse over the largest impulse, the iterations,
//! and the residual of the law at their impulses and at ours [m/s].

#![allow(clippy::print_stdout)]

use std::error::Error;
use stiction_contact::ContactSolver;
use stiction_contact::certificate::natural_map_of;
use stiction_problem_files as io;
use stiction_solvers::mujoco::{FrictionCone, Mujoco, MujocoParams};
use stiction_solvers::{Common, make};

/// States whose largest impulse is below this have none [N·s].
const LEAST: f64 = 1e-9;

fn main() -> Result<(), Box<dyn Error>> {
    for line in std::io::stdin().lines() {
        let file = io::parse(&line?, "state")?;
        let theirs = &file.reference.as_ref().ok_or("a state without forces")?.impulses;
        let speed = file.problem.free_velocity.iter().fold(1.0, |m: f64, g| m.max(g.abs()));
        let mut solver = solver(&file.name, 1e-14 * speed)?;
        let mut ours = vec![0.0; file.problem.rows()];
        let report = solver.solve(&file.problem, &mut ours);
        let largest =
            |x: &mut dyn Iterator<Item = f64>| x.fold(0.0, |m: f64, x| if x.abs() > m { x.abs() } else { m });
        let difference = largest(&mut ours.iter().zip(theirs).map(|(a, b)| a - b));
        let scale = largest(&mut theirs.iter().copied());
        let relative = difference / scale.max(LEAST);
        let law = solver.law();
        println!(
            "{} {relative:e} {} {:e} {:e}",
            file.problem.rows(),
            report.iterations,
            natural_map_of(&file.problem, theirs, law),
            natural_map_of(&file.problem, &ours, law),
        );
    }
    Ok(())
}

fn solver(name: &str, tolerance: f64) -> Result<Box<dyn ContactSolver>, Box<dyn Error>> {
    let cone = match name {
        "elliptic" => FrictionCone::Elliptic,
        "pyramidal" => FrictionCone::Pyramidal,
        _ => return Ok(make(name, &Common { tolerance, max_iterations: 100 })?),
    };
    let params = MujocoParams { tolerance, max_iterations: 100, ..Default::default() };
    Ok(Box::new(Mujoco::with_cone(cone, params)?))
}
