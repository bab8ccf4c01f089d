#![allow(clippy::print_stdout, non_snake_case)]
use std::path::Path;
use stiction_dynamics::Kinematics;
use stiction_models::{LoadOptions, load};
fn main() {
    for file in std::env::args().skip(1) {
        match load(Path::new(&file), &LoadOptions::default()) {
            Err(e) => println!("{file}\tERR\t{}", e.to_string().replace('\n', " ")),
            Ok(w) => {
                let mut kin = Kinematics::new(&w.model);
                kin.update(&w.model, &w.model.neutral());
                for l in &w.model.links {
                    let X = l.body.map_or(l.X_BL, |b| kin.X_WB[b] * l.X_BL);
                    let p = X.translation.to_array();
                    let m = X.rotation.to_matrix();
                    let c = l.inertia.com();
                    println!(
                        "{file}\tLINK\t{}\t{:?}\t{:?}\t{}\t{:?}\t{}",
                        l.name,
                        p,
                        m.rows.map(|r| r.to_array()),
                        l.inertia.mass,
                        c.to_array(),
                        l.body.is_some()
                    );
                }
                println!(
                    "{file}\tOK\tnv {} joints {:?} warnings {:?} unknown {:?}",
                    w.model.nv(),
                    w.model.joints.iter().map(|j| j.name.as_str()).collect::<Vec<_>>(),
                    w.ledger.warnings.iter().map(|x| x.1.as_str()).collect::<Vec<_>>(),
                    w.ledger.of(stiction_models::Fate::Unknown).map(|e| e.what.as_str()).collect::<Vec<_>>()
                );
            }
        }
    }
}
