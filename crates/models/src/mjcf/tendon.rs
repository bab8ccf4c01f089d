//! <tendon>: linear combinations of joint coordinates. Tendons through sites are not read yet.

use super::Reader;
use crate::error::LoadError;
use crate::ledger::Fate;
use crate::names::Names;
use crate::value::Attribute;
use stiction_dynamics::{JointKind, Model};

/// Tendons by index; a tendon without a linear form is `None`.
pub(crate) struct Tendons<'d> {
    pub(crate) names: Names<'d>,
    pub(crate) terms: Vec<Option<Vec<(usize, f64)>>>,
}

/// The dof of the hinge or slide that `joint` names; `None` for a copied name.
pub(crate) fn scalar_dof(
    reader: &Reader<'_>,
    model: &Model,
    joint: Attribute<'_>,
) -> Result<Option<usize>, LoadError> {
    let Some(index) = reader.joint_names.find(joint)? else { return Ok(None) };
    match model.joints.get(index) {
        Some(j) if matches!(j.kind, JointKind::Hinge | JointKind::Slide) => Ok(Some(j.idx_v)),
        _ => Err(joint.error("a hinge or slide joint")),
    }
}

pub(crate) fn read<'d>(reader: &mut Reader<'d>, model: &Model) -> Result<Tendons<'d>, LoadError> {
    let mut tendons = Tendons { names: Names::new("tendon"), terms: Vec::new() };
    for e in reader.section("tendon").collect::<Vec<_>>() {
        if !matches!(e.name(), "fixed" | "spatial") {
            continue;
        }
        let tendon = reader.defaults.styled(e, "tendon", super::defaults::MAIN)?;
        let range = tendon.range("limited", "range", &reader.compiler)?;
        let forces = [
            ("stiffness", "springs along tendons are not simulated yet"),
            ("damping", "dampers along tendons are not simulated yet"),
            ("frictionloss", "dry friction along tendons is not simulated yet"),
            ("armature", "inertia along tendons is not simulated yet"),
        ];
        let mut warnings = Vec::new();
        for (name, note) in forces {
            if let Some(a) = tendon.get(name)
                && a.numbers(1, 3)?.iter().any(|x| *x != 0.0)
            {
                a.mark(Fate::Unsupported, note);
                warnings.push((a.place(), note.to_owned()));
            }
        }
        if let (Some(_), Some(a)) = (range, tendon.get("range")) {
            let note = "limits of tendons are not simulated yet";
            a.mark(Fate::Unsupported, note);
            warnings.push((e.place(), note.to_owned()));
        }
        if tendon.range("actuatorfrclimited", "actuatorfrcrange", &reader.compiler)?.is_some()
            && let Some(a) = tendon.get("actuatorfrcrange")
        {
            a.mark(Fate::Unsupported, "limits on the sum of efforts along a tendon are not kept yet");
        }
        reader.warnings.extend(warnings);
        let mut terms = Some(Vec::new());
        if e.name() == "spatial" {
            e.mark(Fate::Unsupported, "tendons through sites are not simulated yet");
            terms = None;
        } else {
            for joint in e.children_named("joint") {
                let coefficient = joint.require("coef", "a number")?.number()?;
                let dof = scalar_dof(reader, model, joint.require("joint", "the name of a joint")?)?;
                match (dof, &mut terms) {
                    (Some(dof), Some(terms)) => terms.push((dof, coefficient)),
                    _ => terms = None,
                }
            }
            if terms.is_none() {
                let note = "names a copied joint, of which there are several: left out";
                e.mark(Fate::Unsupported, note);
                reader.warn(e.place(), note);
            }
        }
        if let Some(name) = e.get("name") {
            tendons.names.insert(name.value(), tendons.terms.len(), e)?;
        }
        tendons.terms.push(terms);
    }
    Ok(tendons)
}
