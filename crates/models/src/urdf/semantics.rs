//! The SRDF beside a URDF: pairs that never touch, and postures, which become keyframes.
//!
//! A posture states some joints; the others are at zero. Of a floating base it states x y z and a quaternion
//! (x y z w), under the name of the virtual joint, or `root_joint`.

use super::Reader;
use crate::audit::{Index, Inside, Row, Vocabulary, audit};
use crate::error::LoadError;
use crate::files::read_text;
use crate::words::{hint, shortened};
use crate::xml::Attribute;
use crate::xml::{Document, Element};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use stiction_dynamics::JointKind;
use stiction_dynamics::spatial::Quat;
use stiction_world::Fate::{self, Kept, Used};
use stiction_world::Ledger;
use stiction_world::{Keyframe, World};

/// Most pairs a file may exclude.
const MAX_PAIRS: usize = 1_000_000;

/// Reads the file at `path` into `world`, and what it holds into `ledger`.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    world: &mut World,
    ledger: &mut Ledger,
    path: &Path,
) -> Result<(), LoadError> {
    let document = Document::parse(path, &read_text(path)?)?;
    let robot = document.root();
    if robot.name() != "robot" {
        return Err(
            robot.structure(format!("the root element is <{}>; expected <robot> (SRDF)", robot.name()))
        );
    }
    robot.mark(Fate::Used, "");
    let pairs = excluded(reader, world, robot)?;
    world.excluded.extend(pairs);
    for state in robot.children_named("group_state") {
        let keyframe = posture(reader, world, robot, state)?;
        world.keyframes.push(keyframe);
    }
    audit(&document, &Index::new(&VOCABULARY), &[], ledger);
    Ok(())
}

/// Pairs of <disable_collisions>; and all pairs of a link with <disable_default_collisions>, but those of
/// <enable_collisions>.
fn excluded(
    reader: &mut Reader<'_>,
    world: &World,
    robot: Element<'_>,
) -> Result<BTreeSet<(usize, usize)>, LoadError> {
    let links: BTreeMap<&str, usize> =
        world.model.links.iter().enumerate().map(|(i, l)| (l.name.as_str(), i)).collect();
    let mut find = |named: Attribute<'_>| {
        let found = links.get(named.value().trim()).copied();
        if found.is_none() {
            let near = hint(named.value().trim(), links.keys().copied());
            reader.warn(named.place(), format!("no link is called `{}`{near}", shortened(named.value())));
        }
        found
    };
    let mut pair = |e: Element<'_>| -> Result<Option<(usize, usize)>, LoadError> {
        let [a, b] = [e.require("link1", "the name of a link")?, e.require("link2", "the name of a link")?]
            .map(&mut find);
        Ok(a.zip(b).map(|(a, b)| (a.min(b), a.max(b))).filter(|(a, b)| a != b))
    };
    let (mut off, mut on) = (BTreeSet::new(), BTreeSet::new());
    for e in robot.children_named("disable_collisions") {
        off.extend(pair(e)?);
    }
    for e in robot.children_named("enable_collisions") {
        on.extend(pair(e)?);
    }
    for e in robot.children_named("disable_default_collisions") {
        let Some(link) = find(e.require("link", "the name of a link")?) else { continue };
        if off.len() + links.len() > MAX_PAIRS {
            let what = "pairs of links that never touch".to_owned();
            return Err(LoadError::Limit { place: e.place(), what, limit: MAX_PAIRS });
        }
        let others = links.values().filter(|&&l| l != link).map(|&l| (l.min(link), l.max(link)));
        off.extend(others.filter(|p| !on.contains(p)));
    }
    Ok(off)
}

fn posture(
    reader: &mut Reader<'_>,
    world: &World,
    robot: Element<'_>,
    state: Element<'_>,
) -> Result<Keyframe, LoadError> {
    let model = &world.model;
    let name = state.require("name", "the name of the posture")?.value().trim().to_owned();
    state.get("group");
    let virtual_joint = robot.children().find(|c| c.name() == "virtual_joint").and_then(|v| v.peek("name"));
    let of_base = |name: &str| name == "root_joint" || virtual_joint.is_some_and(|v| v.value() == name);
    let mut q = model.neutral();
    for joint in state.children_named("joint") {
        let named = joint.require("name", "the name of a joint")?;
        let value = joint.require("value", "its position")?;
        let base =
            || model.joints.iter().find(|j| j.kind == JointKind::Free).filter(|_| of_base(named.value()));
        let found = model.joints.iter().find(|j| j.name == named.value()).or_else(base);
        let Some(found) = found else {
            if of_base(named.value()) {
                value.mark(Fate::Kept, "the base is fixed");
            } else {
                let near = hint(named.value(), model.joints.iter().map(|j| j.name.as_str()));
                reader
                    .warn(named.place(), format!("no joint is called `{}`{near}", shortened(named.value())));
            }
            continue;
        };
        let Some(slot) = q.get_mut(found.idx_q..found.idx_q + found.kind.nq()) else { continue };
        match found.kind {
            JointKind::Free => {
                let [px, py, pz, x, y, z, w] = value.array::<7>()?;
                let turn = value.unit(Quat::new(w, x, y, z))?;
                slot.copy_from_slice(&[px, py, pz, turn.w, turn.x, turn.y, turn.z]);
            }
            JointKind::Ball => {
                let [x, y, z, w] = value.array::<4>()?;
                slot.copy_from_slice(&value.unit(Quat::new(w, x, y, z))?.to_array());
            }
            _ => slot.copy_from_slice(&[value.number()?]),
        }
    }
    Ok(Keyframe { name, q, v: vec![0.0; model.nv()], control: Vec::new() })
}

const PLANNERS: &str = "for planners";

const VOCABULARY: Vocabulary = Vocabulary { rows: ROWS, places: PLACES, idle: &[] };

const PLACES: &[Inside] = &[
    Inside {
        around: "robot",
        elements: "disable_collisions enable_collisions disable_default_collisions group_state virtual_joint rotor_params \
                   group end_effector passive_joint link_sphere_approximation joint_property specified_params gripper contact",
    },
    Inside { around: "robot/group group/group", elements: "link joint chain group" },
    Inside { around: "robot/link_sphere_approximation", elements: "sphere" },
    Inside { around: "robot/group_state", elements: "joint" },
    Inside { around: "robot/rotor_params", elements: "joint" },
];

const ROWS: &[Row] = &[
    Row { elements: "robot", attributes: ".", fate: Used, note: "" },
    Row { elements: "robot", attributes: "name", fate: Kept, note: "a label" },
    Row {
        elements: "robot/disable_collisions robot/enable_collisions",
        attributes: ". link1 link2",
        fate: Used,
        note: "",
    },
    Row { elements: "robot/disable_default_collisions", attributes: ". link", fate: Used, note: "" },
    Row { elements: "robot/disable_collisions", attributes: "reason", fate: Kept, note: "a label" },
    Row { elements: "robot/group_state", attributes: ". name group", fate: Used, note: "" },
    Row { elements: "group_state/joint", attributes: ". name value", fate: Used, note: "" },
    Row {
        elements: "robot/virtual_joint",
        attributes: ". name type parent_frame child_link",
        fate: Kept,
        note: "whether the base moves freely is an option of the reader",
    },
    Row {
        elements: "robot/rotor_params robot/rotor_params/** rotor_params/joint",
        attributes: ". *",
        fate: Kept,
        note: "rotors are read from transmissions",
    },
    Row {
        elements: "robot/group group/link group/joint group/group robot/passive_joint",
        attributes: ". name",
        fate: Kept,
        note: PLANNERS,
    },
    Row { elements: "group/chain", attributes: ". base_link tip_link", fate: Kept, note: PLANNERS },
    Row {
        elements: "robot/end_effector",
        attributes: ". name parent_link group parent_group",
        fate: Kept,
        note: PLANNERS,
    },
    Row {
        elements: "robot/joint_property",
        attributes: ". joint_name property_name value",
        fate: Kept,
        note: PLANNERS,
    },
    Row { elements: "robot/link_sphere_approximation", attributes: ". link", fate: Kept, note: PLANNERS },
    Row {
        elements: "link_sphere_approximation/sphere",
        attributes: ". center radius",
        fate: Kept,
        note: PLANNERS,
    },
    Row {
        elements: "robot/specified_params robot/specified_params/** robot/gripper robot/gripper/** robot/contact \
                   robot/contact/**",
        attributes: ". *",
        fate: Kept,
        note: PLANNERS,
    },
];
