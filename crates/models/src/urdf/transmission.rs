//! <transmission>: the rotor behind a joint and its gears.
//!
//! A rotor of inertia I that turns n times as fast as the joint adds n² I to the joint's own inertia. Drake
//! states both (`drake:rotor_inertia`, `drake:gear_ratio`); where it states no ratio, n is the transmission's
//! `mechanicalReduction`.

use crate::error::LoadError;
use crate::xml::Attribute;
use crate::xml::Element;
use std::collections::BTreeMap;
use stiction_world::Fate;

/// Inertia [kg·m²] and gear ratio of a rotor.
pub(crate) type Rotor = (f64, f64);

/// Rotors by the name of their joint.
pub(crate) fn read<'d>(robot: Element<'d>) -> Result<BTreeMap<&'d str, Rotor>, LoadError> {
    let mut rotors = BTreeMap::new();
    for transmission in robot.children().filter(|c| c.name() == "transmission") {
        let all = |name: &'static str| transmission.children().filter(move |c| c.name() == name);
        let Some(joint) = all("joint").find_map(|j| j.peek("name")) else { continue };
        for actuator in all("actuator") {
            let Some(inertia) = actuator.child("drake:rotor_inertia")? else { continue };
            let inertia = inertia.require("value", "the rotor's inertia [kg·m²]")?.not_negative()?;
            let ratio = match actuator.child("drake:gear_ratio")? {
                Some(ratio) => {
                    ratio.require("value", "turns of the rotor per turn of the joint")?.number()?
                }
                None => reduction(actuator)?.unwrap_or(1.0),
            };
            for used in [transmission, joint.element, actuator] {
                used.mark(Fate::Used, "");
            }
            joint.mark(Fate::Used, "");
            rotors.insert(joint.value().trim(), (inertia, ratio));
        }
    }
    Ok(rotors)
}

fn reduction(actuator: Element<'_>) -> Result<Option<f64>, LoadError> {
    let beside = actuator.parent().map_or(Ok(None), |t| t.child("mechanicalReduction"))?;
    let stated = actuator.child("mechanicalReduction")?.or(beside);
    stated.map(Element::content).map(Attribute::number).transpose()
}
