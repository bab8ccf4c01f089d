//! Prints what a robot description became and what the reader made of everything in it:
//! `cargo run -p stiction-models --example ledger -- robot.urdf`

#![allow(clippy::print_stdout)]

use std::path::Path;
use stiction_models::{LoadOptions, load};
use stiction_world::Fate;

fn main() {
    for file in std::env::args().skip(1) {
        let world = match load(Path::new(&file), &LoadOptions::default()) {
            Ok(world) => world,
            Err(e) => {
                println!("{e}");
                continue;
            }
        };
        let model = &world.model;
        println!("{file}: {}", world.name);
        println!(
            "  {} links, {} bodies, {} dofs, {} kg moving, {} geometries, {} drawn, {} actuators, \
             {} couplings, {} keyframes, {} pairs excluded",
            model.links.len(),
            model.bodies.len(),
            model.nv(),
            model.moving_mass(),
            world.geometries.len(),
            world.visuals.len(),
            world.actuators.len(),
            world.couplings.len(),
            world.keyframes.len(),
            world.excluded.len() + world.excluded_from_world.len(),
        );
        for fate in [Fate::Used, Fate::Kept, Fate::Unsupported, Fate::Unknown] {
            println!("  {fate:?}");
            for e in world.ledger.of(fate) {
                println!("    {:5} x {:32} {} {}", e.count, e.what, e.first, e.note);
            }
        }
        for (place, message) in &world.ledger.warnings {
            println!("  {place}: {message}");
        }
    }
}
