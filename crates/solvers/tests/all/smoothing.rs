//! `ncp-smoothing` by its factorisations: how many it takes to a natural map, on problems of other groups.
//!
//! The files lie in the folder named by `STICTION_DATA`, or in `shared/data` beside the checkout; without them this test says
//! so and passes.

use std::io::Write;
use std::path::{Path, PathBuf};
use stiction_contact::certificate::certify;
use stiction_contact::{ConstraintProblem, Watch};
use stiction_problem_files as io;
use stiction_solvers::{Common, make};

/// Natural maps of which the first factorisation is told, as shares of ‖g‖.
const LEVELS: [f64; 5] = [1e-2, 1e-3, 1e-4, 1e-6, 1e-8];

/// Factorisations to each of [`LEVELS`] from no impulses; none where it is not reached.
fn first_below(problem: &ConstraintProblem) -> [Option<u32>; 5] {
    let scale = problem.free_velocity.iter().map(|g| g * g).sum::<f64>().sqrt();
    let common = Common { tolerance: 0.5 * LEVELS[4] * scale, max_iterations: 150 };
    let mut out = [None; 5];
    let Ok(mut solver) = make("ncp-smoothing", &common) else { return out };
    let mut show = |steps: u32, impulses: &[f64]| {
        let e = certify(problem, impulses).natural_map;
        for (out, level) in out.iter_mut().zip(LEVELS) {
            if out.is_none() && e <= level * scale {
                *out = Some(steps);
            }
        }
    };
    let mut impulses = vec![0.0; problem.rows()];
    solver.solve_watched(problem, &mut impulses, &mut Watch::new(&mut show));
    out
}

fn data() -> Option<PathBuf> {
    let named = std::env::var_os("STICTION_DATA").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let found = named.into_iter().chain([beside]).map(|p| p.join("fclib/json")).find(|p| p.is_dir());
    if found.is_none() {
        let _ = writeln!(
            std::io::stderr(),
            "\n*** NOT TESTED: no problem files. Set STICTION_DATA to the folder that holds fclib/json. ***\n"
        );
    }
    found
}

/// Problems of FCLIB that are one island, and the factorisations that 10⁻⁸ ‖g‖ may take.
const FCLIB: [(&str, u32); 2] = [("KaplasTower-i1061-4", 12), ("BoxesStack1-i100000-32", 40)];

#[test]
fn problems_of_others_take_few_factorisations() {
    let Some(folder) = data() else { return };
    let mut late = Vec::new();
    for (name, most) in FCLIB {
        let file = io::load(&folder.join(format!("{name}.json"))).unwrap();
        let first = first_below(&file.problem);
        println!("{name}: {first:?}");
        if first[4].is_none_or(|n| n > most) {
            late.push(format!("{name}: {first:?}, at most {most}"));
        }
    }
    assert!(late.is_empty(), "{late:?}");
}
