//! <keyframe>: named states.

use super::Reader;
use crate::error::LoadError;
use crate::ledger::Fate;
use crate::world::{Keyframe, World};
use crate::xml::Element;

pub(crate) fn read(reader: &mut Reader<'_>, world: &mut World) -> Result<(), LoadError> {
    let root = reader.root();
    for e in root.children_named("keyframe").flat_map(Element::children) {
        if e.name() != "key" {
            continue;
        }
        e.mark(Fate::Used, "");
        let (nq, nv, nu) = (world.model.nq, world.model.nv(), world.actuators.len());
        let read = |name: &str, n: usize, otherwise: Vec<f64>| match e.get(name) {
            Some(a) if a.value().trim().is_empty() => Ok(otherwise),
            Some(a) => {
                let numbers = a.numbers(0, usize::MAX)?;
                let expected = || {
                    a.error(format!("{n} numbers, one for each of the model ({} are there)", numbers.len()))
                };
                if numbers.len() == n { Ok(numbers) } else { Err(expected()) }
            }
            None => Ok(otherwise),
        };
        let mut q = read("qpos", nq, world.model.neutral())?;
        stiction_dynamics::normalize(&world.model, &mut q);
        if let (true, Some(a)) = (q.iter().any(|x| !x.is_finite()), e.peek("qpos")) {
            return Err(a.error("quaternions that are not 0"));
        }
        world.keyframes.push(Keyframe {
            name: e.get("name").map_or("", |a| a.value()).to_owned(),
            q,
            v: read("qvel", nv, vec![0.0; nv])?,
            control: read("ctrl", nu, vec![0.0; nu])?,
        });
    }
    Ok(())
}
