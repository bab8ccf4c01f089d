//! `stiction inspect`: what a robot file holds.

use crate::args::InspectArgs;
use crate::failure::Failure;
use crate::output::{say, say_json};
use crate::words::short;
use std::fmt::Write;
use stiction::State;
use stiction::models::LoadOptions;
use stiction::world::{Fate, World};
use stiction_lab::Inspection;
use stiction_lab::inspect::{JointEntry, LinkEntry, PairEntry, Posture, SurfaceEntry, load_model, state_of};

/// Shapes that a line names.
const SHOWN: usize = 6;

pub(crate) fn inspect(args: &InspectArgs) -> Result<(), Failure> {
    let options = LoadOptions { visuals: false, ..args.files.load_options(args.free_base) };
    let world = load_model(&args.model, &options).map_err(Failure::input)?;
    if let Some([a, b]) = args.surface.as_deref() {
        let pair = PairEntry::named(&world, [a, b]).map_err(Failure::input)?;
        return if args.json { say_json(&pair) } else { say(&pair_in_words(&pair)) };
    }
    let posture = match (&args.keyframe, &args.state) {
        (Some(name), _) => Posture::Keyframe(name.clone()),
        (None, Some(path)) => Posture::File(path.clone()),
        (None, None) => Posture::Neutral,
    };
    let state = state_of(&world, &posture).map_err(Failure::input)?;
    let inspection = Inspection::new(&world, &state).map_err(Failure::input)?;
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
    let _ = writeln!(out, "{}: {}, {links} links on {bodies} moving bodies", world.name, mass(i));
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
        branch(&mut out, world, i, root, 0);
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
    surfaces(&mut out, i);
    notes(&mut out, world, i);
    out
}

/// Friction and restitution of a pair.
fn pair_in_words(pair: &PairEntry) -> String {
    let [a, b] = &pair.shapes;
    let apart = if pair.meet { "" } else { " (the two never meet)" };
    format!(
        "{a} and {b}{apart}:\n  friction {}: {}\n  restitution {}: {}\n",
        short(pair.friction),
        pair.why_friction,
        short(pair.restitution),
        pair.why_restitution,
    )
}

/// Shapes that can touch, those that are alike in one line.
fn surfaces(out: &mut String, i: &Inspection) {
    let mut kinds: Vec<(&SurfaceEntry, Vec<&str>)> = Vec::new();
    for surface in &i.contact.surfaces {
        let alike =
            |other: &SurfaceEntry| SurfaceEntry { name: surface.name.clone(), ..other.clone() } == *surface;
        match kinds.iter_mut().find(|(of, _)| alike(of)) {
            Some((_, names)) => names.push(&surface.name),
            None => kinds.push((surface, vec![&surface.name])),
        }
    }
    if !kinds.is_empty() {
        let _ = writeln!(out, "\nSurfaces (`--surface A B` says with which friction two of them meet):");
    }
    for (of, names) in kinds {
        let priority = match of.priority {
            0 => String::new(),
            priority => format!(", priority {priority}"),
        };
        let more = match names.len() {
            0..=SHOWN => String::new(),
            all => format!(" and {} more", all - SHOWN),
        };
        let first = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
        let _ = writeln!(
            out,
            "  friction {} (of two the {}), restitution {}{priority}: {first}{more}",
            short(of.friction),
            if of.of_two == "harmonic" { "harmonic mean" } else { of.of_two },
            short(of.restitution),
        );
    }
    for pair in &i.contact.pairs {
        let [a, b] = &pair.shapes;
        let _ = writeln!(
            out,
            "  friction {}, restitution {} between {a} and {b}: {}",
            short(pair.friction),
            short(pair.restitution),
            pair.why_friction,
        );
    }
}

/// Which mass is meant.
fn mass(i: &Inspection) -> String {
    let (moving, fixed) = (short(i.moving_mass), short(i.fixed_mass));
    match (i.fixed_mass > 0.0, i.total_mass > i.moving_mass) {
        (false, _) => format!("{moving} kg"),
        (true, true) => {
            format!(
                "{} kg ({moving} kg move, {fixed} kg are fixed to the world and count, as in MuJoCo)",
                short(i.total_mass)
            )
        }
        (true, false) => {
            format!("{moving} kg that move ({fixed} kg fixed to the world do not count, as in Pinocchio)")
        }
    }
}

/// A link, its joints, and what hangs on it.
fn branch(out: &mut String, world: &World, i: &Inspection, link: usize, depth: usize) {
    let model = &world.model;
    let l = &model.links[link];
    let own = l.body.filter(|b| model.bodies[*b].name == l.name).map(|b| model.bodies[b].joints.clone());
    let carried = match (&own, l.body) {
        (Some(_), _) => "",
        (None, None) => ", fixed to the world",
        (None, Some(_)) => ", fixed to its parent",
    };
    let indent = 2 * depth;
    let _ = writeln!(out, "{:indent$}{}: {}{carried}", "", l.name, inertia(&i.links[link]));
    for entry in own.into_iter().flatten().map(|j| &i.joints[j]) {
        let _ = writeln!(out, "{:indent$}  by {}", "", joint(entry));
    }
    for child in (0..model.links.len()).filter(|&c| model.links[c].parent == Some(link)) {
        branch(out, world, i, child, depth + 1);
    }
}

/// Mass and principal moments about the centre of mass.
fn inertia(link: &LinkEntry) -> String {
    let moments = link.principal_moments.map(short).join(", ");
    match link.mass > 0.0 {
        true => format!("{} kg, principal moments ({moments}) kg·m²", short(link.mass)),
        false => "no mass".to_owned(),
    }
}

/// Kind, name, places in q and v, and what is not zero of what holds it.
fn joint(j: &JointEntry) -> String {
    let (length, effort) = if j.kind == "slide" { ("m", "N") } else { ("rad", "N·m") };
    let range = |from: usize, n: usize| match n {
        1 => format!("[{from}]"),
        n => format!("[{from}..{}]", from + n),
    };
    let nv = j.damping.len();
    let nq = if nv == 1 { 1 } else { nv + 1 };
    let mut text = format!("{} `{}`, q{}, v{}", j.kind, j.name, range(j.idx_q, nq), range(j.idx_v, nv));
    let mut tell = |what: &str, number: f64, unit: &str| {
        if number != 0.0 {
            text += &format!(", {what} {} {unit}", short(number));
        }
    };
    let largest = |x: &[f64]| x.iter().copied().fold(0.0, f64::max);
    tell("damping", largest(&j.damping), &format!("{effort}·s/{length}"));
    tell("dry friction", largest(&j.friction), effort);
    tell("armature", largest(&j.armature), if length == "m" { "kg" } else { "kg·m²" });
    tell("spring", j.stiffness, &format!("{effort}/{length}"));
    tell("speed at most", j.velocity_limit.unwrap_or(0.0), &format!("{length}/s"));
    if let Some([lo, hi]) = j.effort_limit {
        text += &format!(", effort in [{}, {}] {effort}", short(lo), short(hi));
    }
    if let Some([lo, hi]) = j.limit {
        text += &format!(", range [{}, {}] {length}", short(lo), short(hi));
    }
    text
}

/// Warnings, and the part of the ledger that a user should know.
fn notes(out: &mut String, world: &World, i: &Inspection) {
    for (head, lines) in [
        ("Warnings, and what was not understood:", &i.doubts.warnings),
        ("Understood, but not simulated yet:", &i.doubts.unsupported),
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
