//! MJCF, for stiction and for MuJoCo.
//!
//! Angles are radians, inertias are stated (none from geoms), and the pairs that never touch are listed, so that
//! no rule of the reader adds to them. Bodies are links; a screw is a hinge and a slide that an equality couples.

use super::files::MeshFiles;
use super::mjcf_body::Bodies;
use super::mjcf_writer::Writer;
use super::names::Unique;
use super::tree::{branches, free_on_top};
use super::xml::Xml;
use super::{Notes, Written, mjcf_body, mjcf_drive};
use std::collections::BTreeSet;
use stiction_world::Tangents;
use stiction_world::World;

/// `world` as MJCF; files beside it are named after `stem`.
pub fn to_mjcf(world: &World, stem: &str) -> Written {
    // Every field is written or noted; a new one does not compile until it is.
    let World {
        name,
        model,
        geometries,
        visuals: _,
        excluded: _,
        excluded_from_world: _,
        pairs: _,
        actuators: _,
        couplings: _,
        loops: _,
        tendons: _,
        gravity_compensation: _,
        extras,
        keyframes: _,
        drive_limits: _,
        time_step,
        ledger: _,
    } = world;
    let mut notes = Notes::default();
    let (mut body_names, mut joint_names, mut geom_names) =
        (Unique::default(), Unique::default(), Unique::default());
    body_names.give("world", "", &mut notes);
    let bodies = model.links.iter().map(|l| body_names.give(&l.name, "body", &mut notes)).collect();
    let joints = model.joints.iter().map(|j| joint_names.give(&j.name, "joint", &mut notes)).collect();
    let geoms = geometries.iter().map(|g| geom_names.give(&g.name, "geom", &mut notes)).collect();
    let mut w = Writer { world, xml: Xml::new(), notes, meshes: MeshFiles::new(stem), bodies, joints, geoms };
    let branches = free_on_top(model, branches(model));
    let body_part = Bodies::new(&mut w, &branches);

    w.xml.open("mujoco").attribute("model", name);
    w.xml.open("compiler").attribute("angle", "radian").attribute("autolimits", "false");
    w.xml.attribute("inertiafromgeom", "false").close();
    w.xml.open("option").numbers("gravity", &model.gravity.to_array());
    let impratio = geometries.iter().map(|g| g.material.softness.impratio).reduce(f64::max);
    w.xml.unless("impratio", impratio.unwrap_or(1.0), 1.0);
    match time_step {
        Some(h) => {
            w.xml.number("timestep", *h);
        }
        None => w.notes.note("no time step is stated: MJCF takes 0.002 s then", ""),
    }
    w.xml.open("flag").attribute("filterparent", "disable").close().close();
    if !extras.is_empty() {
        w.notes.note("sites, sensors, softness and data that no step uses are left out", "");
    }
    body_part.assets(&mut w);
    w.xml.open("worldbody");
    body_part.tree(&mut w, &branches);
    w.xml.close();
    contact(&mut w);
    mjcf_drive::write(&mut w, &branches);
    Written { text: w.xml.finished(), files: w.meshes.files, notes: w.notes.lines() }
}

/// Pairs of links that never touch, and pairs with rules of their own.
fn contact(w: &mut Writer<'_>) {
    let world = w.world;
    let pairs: BTreeSet<(usize, usize)> = world.excluded.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
    w.xml.open("contact");
    for (a, b) in pairs {
        w.xml.open("exclude").attribute("body1", &w.bodies[a]).attribute("body2", &w.bodies[b]).close();
    }
    for &link in &world.excluded_from_world {
        w.xml.open("exclude").attribute("body1", "world").attribute("body2", &w.bodies[link]).close();
    }
    for pair in &world.pairs {
        let s = &pair.surface;
        w.xml.open("pair");
        if !pair.name.is_empty() {
            w.xml.attribute("name", &pair.name);
        }
        let [a, b] = pair.geometries.map(|g| w.geoms[g].as_str());
        w.xml.attribute("geom1", a).attribute("geom2", b);
        w.xml.numbers("friction", &[s.sliding[0], s.sliding[1], s.spinning, s.rolling[0], s.rolling[1]]);
        w.xml
            .attribute("condim", mjcf_body::condim(s.dimension))
            .number("margin", s.margin)
            .number("gap", s.gap);
        w.xml.numbers("solref", &s.softness.reference).numbers("solimp", &s.softness.impedance);
        if s.friction_reference != [0.0; 2] {
            w.xml.numbers("solreffriction", &s.friction_reference);
        }
        w.xml.close();
        if s.tangents != Tangents::OfNormal {
            w.notes.note("MJCF pairs have no axis along which they slip", pair.name.clone());
        }
        if s.restitution != 0.0 {
            w.notes.note(mjcf_body::NO_BOUNCE, pair.name.clone());
        }
    }
    w.xml.close();
}
