//! Probe.
use std::path::PathBuf;
use stiction_contact::certificate::{certify, natural_map_of};
use stiction_contact::io;
use stiction_solvers::{Common, all, make};

#[test]
fn probe() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in ["contactbench", "fclib/json"] {
        for e in std::fs::read_dir(root.join(folder)).unwrap() {
            let p = e.unwrap().path();
            if p.extension().is_some_and(|e| e == "json") {
                files.push(p);
            }
        }
    }
    files.sort();
    let only = std::env::var("SOLVER").unwrap_or("nsgs".into());
    let which = std::env::var("FILE").unwrap_or_default();
    for entry in all() {
        if entry.name != only {
            continue;
        }
        for path in &files {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            if !name.contains(&which) {
                continue;
            }
            let t0 = std::time::Instant::now();
            let file = match io::load(path) {
                Ok(f) => f,
                Err(e) => {
                    println!("{e}");
                    continue;
                }
            };
            let load = t0.elapsed().as_secs_f64();
            let p = &file.problem;
            let g = p.free_velocity.iter().map(|x| x * x).sum::<f64>().sqrt();
            let r = file.reference.as_ref().unwrap();
            let rel_ref = certify(p, &r.impulses).natural_map_relative;
            let mut solver =
                make(entry.name, &Common { tolerance: 0.9e-8 * g, max_iterations: 2000 }).unwrap();
            let mut x = vec![0.0; p.rows()];
            let t0 = std::time::Instant::now();
            let report = solver.solve(p, &mut x);
            let t = t0.elapsed().as_secs_f64();
            let own = natural_map_of(p, &x, entry.law);
            println!(
                "{name:42} rows {:5} ref {:8.1e}/{rel_ref:8.1e} | {:14} it {:5} own/g {:8.1e} exact rel {:8.1e} {:9.2} ms (load {:.0} ms)",
                p.rows(),
                r.residual,
                format!("{:?}", report.status),
                report.iterations,
                own / g,
                certify(p, &x).natural_map_relative,
                t * 1e3,
                load * 1e3
            );
        }
    }
}
