//! Compares our dynamics with the numbers of another library, robot by robot.
//!
//!     cargo run --release -p stiction-models --example verify -- < references.json
//!
//! Reads one object as `xtask/verify/*.py` write it from standard input and writes one line of JSON:
//! the largest relative error of every quantity, or why the file could not be compared. `cargo xtask
//! verify` runs it over hundreds of files.

#![allow(clippy::print_stdout)]
#![allow(non_snake_case)]

mod derivatives;
mod ours;
mod reference;
#[path = "../../tests/all/references/worst.rs"]
mod worst;

use ours::Ours;
use reference::Reference;
use serde_json::json;
use std::io::Read;
use std::path::Path;
use stiction_models::{LoadError, LoadOptions, load};
use stiction_world::World;
use worst::Worst;

fn main() {
    let mut text = String::new();
    let read = std::io::stdin().read_to_string(&mut text);
    let compared = match read {
        Ok(_) => Reference::parse(&text).and_then(|r| compare(&r)),
        Err(error) => Err(error.to_string()),
    };
    println!("{}", compared.unwrap_or_else(|reason| json!({ "refused": reason })));
}

fn compare(reference: &Reference) -> Result<serde_json::Value, String> {
    let (world, refused) = load_whatever_it_is(reference)?;
    let mut ours = Ours::new(&world, reference)?;
    let mut worst = Worst::new(&world.name);
    ours.constants(reference, &mut worst)?;
    for state in &reference.states {
        ours.at(state, &mut worst)?;
    }
    let errors: serde_json::Map<_, _> =
        worst.errors().iter().map(|(what, e)| ((*what).to_owned(), json!(e))).collect();
    Ok(json!({
        "name": world.name,
        "base": reference.base,
        "nv": world.model.nv(),
        "states": reference.states.len(),
        "errors": errors,
        "condition": reference.states.iter().filter_map(|s| s.number("condition")).fold(1.0, f64::max),
        "refused_for_simulation": refused,
    }))
}

/// Files that the reader refuses for an inertia no body has are compared all the same: the formulas
/// do not mind. The reason is kept.
fn load_whatever_it_is(reference: &Reference) -> Result<(World, Option<String>), String> {
    let file = Path::new(&reference.file);
    let options =
        LoadOptions { free_base: reference.base == "free", visuals: false, ..LoadOptions::default() };
    match load(file, &options) {
        Ok(world) => Ok((world, None)),
        Err(error @ LoadError::Model { .. }) => {
            let world =
                load(file, &LoadOptions { unphysical: true, ..options }).map_err(|e| e.to_string())?;
            Ok((world, Some(error.to_string())))
        }
        Err(error) => Err(error.to_string()),
    }
}
