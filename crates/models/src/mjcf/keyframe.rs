//! <keyframe>: named states.
//!
//! Keyframes of an attached model come along under its prefix, as in MuJoCo: they place what was attached, and leave the
//! rest where it stands.

use super::Reader;
use crate::error::LoadError;
use crate::xml::Attribute;
use crate::xml::Element;
use stiction_world::Fate;
use stiction_world::{Keyframe, World};

pub(crate) fn read(reader: &mut Reader<'_>, world: &mut World) -> Result<(), LoadError> {
    for e in keys(reader.root()) {
        e.mark(Fate::Used, "");
        let (nq, nv, nu) = (world.model.nq, world.model.nv(), world.actuators.len());
        let q = numbers(e, "qpos", nq)?.unwrap_or_else(|| world.model.neutral());
        let v = numbers(e, "qvel", nv)?.unwrap_or_else(|| vec![0.0; nv]);
        let control = numbers(e, "ctrl", nu)?.unwrap_or_else(|| vec![0.0; nu]);
        let name = e.get("name").map_or("", |a| a.value()).to_owned();
        push(world, e, Keyframe { name, q, v, control })?;
    }
    let scopes = reader.scopes.clone();
    for copy in reader.attached() {
        let Some(scope) = reader.scope_of(copy).and_then(|s| scopes.get(s)) else { continue };
        for e in keys(scope.root) {
            attached(reader, world, copy, e)?;
        }
    }
    Ok(())
}

/// The keyframe `e` of the model whose copy `copy` is.
fn attached(
    reader: &mut Reader<'_>,
    world: &mut World,
    copy: usize,
    e: Element<'_>,
) -> Result<(), LoadError> {
    let of_copy = |owners: &[usize]| -> Vec<usize> {
        (0..owners.len()).filter(|&i| owners.get(i).is_some_and(|&c| reader.is_inside(c, copy))).collect()
    };
    let joints = of_copy(&reader.joint_copies);
    let joints: Vec<_> = joints.iter().filter_map(|&j| world.model.joints.get(j)).collect();
    let q: Vec<usize> = joints.iter().flat_map(|j| j.idx_q..j.idx_q + j.kind.nq()).collect();
    let v: Vec<usize> = joints.iter().flat_map(|j| j.idx_v..j.idx_v + j.kind.nv()).collect();
    let controls = of_copy(&reader.actuator_copies);
    let (nv, nu) = (world.model.nv(), world.actuators.len());
    let mut key = Keyframe {
        name: reader.name_in_world(copy, e.get("name").map_or("", |a| a.value())),
        q: world.model.neutral(),
        v: vec![0.0; nv],
        control: vec![0.0; nu],
    };
    for (name, places, whole) in
        [("qpos", &q, &mut key.q), ("qvel", &v, &mut key.v), ("ctrl", &controls, &mut key.control)]
    {
        let Some(stated) = e.get(name) else { continue };
        let numbers = stated.numbers(0, usize::MAX)?;
        if numbers.len() != places.len() {
            let note = "the model is attached in part: its keyframes do not fit";
            e.mark(Fate::Unsupported, note);
            stated.mark(Fate::Unsupported, note);
            return Ok(());
        }
        for (&at, x) in places.iter().zip(numbers) {
            if let Some(slot) = whole.get_mut(at) {
                *slot = x;
            }
        }
    }
    e.mark(Fate::Used, "");
    push(world, e, key)
}

fn keys(root: Element<'_>) -> impl Iterator<Item = Element<'_>> {
    root.children_named("keyframe").flat_map(Element::children).filter(|e| e.name() == "key")
}

fn push(world: &mut World, e: Element<'_>, mut key: Keyframe) -> Result<(), LoadError> {
    stiction_dynamics::normalize(&world.model, &mut key.q);
    if let (true, Some(a)) = (key.q.iter().any(|x| !x.is_finite()), e.peek("qpos")) {
        return Err(a.error("quaternions that are not 0"));
    }
    let time = e.peek("time").map_or(Ok(0.0), |a| a.number())?;
    world.extras.key_times.push(time);
    world.keyframes.push(key);
    Ok(())
}

/// The numbers of an attribute, `n` of them; `None` where nothing is stated. As in MuJoCo, velocities and controls that are
/// not stated are 0.
fn numbers(e: Element<'_>, name: &str, n: usize) -> Result<Option<Vec<f64>>, LoadError> {
    let Some(a) = e.get(name).filter(|a: &Attribute<'_>| !a.value().trim().is_empty()) else {
        return Ok(None);
    };
    let mut numbers = a.numbers(0, usize::MAX)?;
    if numbers.len() < n && name != "qpos" {
        numbers.resize(n, 0.0);
    }
    let found = numbers.len();
    let expected = || a.error(format!("{n} numbers, one for each of the model ({found} are there)"));
    if found == n { Ok(Some(numbers)) } else { Err(expected()) }
}
