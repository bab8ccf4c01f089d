//! `stiction inspect`: what a robot file holds.

use crate::args::InspectArgs;
use crate::failure::Failure;
use crate::output::{say, say_json};
use crate::words::short;
use std::fmt::Write;
use stiction::State;
use stiction::dynamics::Joint;
use stiction::models::{Fate, LoadOptions, World};
use stiction_lab::Inspection;
use stiction_lab::inspect::{Posture, kind_name, load_model, state_of};

pub(crate) fn inspect(args: &InspectArgs) -> Result<(), Failure> {
    let options = LoadOptions { visuals: false, ..args.files.load_options(args.free_base) };
    let world = load_model(&args.model, &options).map_err(Failure::input)?;
    let posture = match (&args.keyframe, &args.state) {
        (Some(name), _) => Posture::Keyframe(name.clone()),
        (None, Some(path)) => Posture::File(path.clone()),
        (None, None) => Posture::Neutral,
    };
    let state = state_of(&world, &posture).map_err(Failure::input)?;
    let inspection = Inspection::new(&world, &state);
    if args.json {
        return say_json(&inspection);
    }
    say(&described(&world, &state, &inspection, &posture))
}

/// The robot in words. Writing to a String cannot fail.
fn described(world: &World, state: &State, i: &Inspection, posture: &Posture) -> String {
    let model = &world.model;
    let mut out = String::new();
    let (bodies, links) = (model.bodies.len(), model.links.len());
    let _ =
        writeln!(out, "{}: {} kg, {links} links on {bodies} moving bodies", world.name, short(i.total_mass));
    let counts = [
        ("coordinates (nq)", i.nq),
        ("velocities (nv)", i.nv),
        ("collision shapes", world.geometries.len()),
        ("actuators", world.actuators.len()),
        ("couplings", world.couplings.len()),
        ("keyframes", world.keyframes.len()),
    ];
    let counts: Vec<String> = counts.iter().map(|(what, n)| format!("{n} {what}")).collect();
    let _ = writeln!(out, "{}\n", counts.join(", "));
    for root in (0..links).filter(|&l| model.links[l].parent.is_none()) {
        branch(&mut out, world, root, 0);
    }
    let at = match posture {
        Posture::Neutral => "in the neutral posture".to_owned(),
        Posture::Keyframe(name) => format!("at the keyframe `{name}`"),
        Posture::File(path) => format!("at the state of {}", path.display()),
    };
    let [x, y, z] = i.com.map(short);
    let centre = match i.total_mass > 0.0 {
        true => format!("centre of mass ({x}, {y}, {z}) m"),
        false => "no mass".to_owned(),
    };
    let _ = writeln!(
        out,
        "\n{at}: {centre}, kinetic energy {} J, potential energy {} J",
        short(i.kinetic),
        short(i.potential),
    );
    for key in &world.keyframes {
        let here = if key.q == state.q { " (this state)" } else { "" };
        let _ = writeln!(out, "keyframe `{}`{here}", key.name);
    }
    notes(&mut out, world, i);
    out
}

/// A link, its joints, and what hangs on it.
fn branch(out: &mut String, world: &World, link: usize, depth: usize) {
    let model = &world.model;
    let l = &model.links[link];
    let own = l.body.filter(|b| model.bodies[*b].name == l.name).map(|b| &model.bodies[b]);
    let joints = own.map(|b| model.joints[b.joints.clone()].iter().map(joint).collect::<Vec<_>>());
    let carried = if l.body.is_none() { "fixed to the world" } else { "fixed to its parent" };
    let joints = joints.map_or_else(|| carried.to_owned(), |j| j.join(", "));
    let _ =
        writeln!(out, "{:indent$}{}: {} kg, {joints}", "", l.name, short(l.inertia.mass), indent = 2 * depth);
    for child in (0..model.links.len()).filter(|&c| model.links[c].parent == Some(link)) {
        branch(out, world, child, depth + 1);
    }
}

fn joint(j: &Joint) -> String {
    let limit = j.limit.map(|[lo, hi]| format!(" [{}, {}]", short(lo), short(hi))).unwrap_or_default();
    format!("{} `{}`{limit}", kind_name(j.kind), j.name)
}

/// Warnings, and the part of the ledger that a user should know.
fn notes(out: &mut String, world: &World, i: &Inspection) {
    for (head, lines) in [
        ("Warnings, and what was not understood:", &i.warnings),
        ("Understood, but not simulated yet:", &i.unsupported),
    ] {
        if !lines.is_empty() {
            let _ = writeln!(out, "\n{head}");
        }
        for line in lines {
            let _ = writeln!(out, "  {line}");
        }
    }
    let count = |fate| world.ledger.of(fate).map(|e| e.count).sum::<usize>();
    let _ = writeln!(
        out,
        "\nOf the file, {} elements and attributes are used, {} have no effect on the motion, {} are not simulated yet, \
         {} are unknown.",
        count(Fate::Used),
        count(Fate::Kept),
        count(Fate::Unsupported),
        count(Fate::Unknown),
    );
}
