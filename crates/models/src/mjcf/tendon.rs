//! <tendon>: linear combinations of joint coordinates. Tendons through sites are not read yet.

use super::Reader;
use super::scope::{Kind, Mention, Scope};
use crate::error::LoadError;
use crate::ledger::Fate;
use crate::value::Attribute;
use stiction_dynamics::{JointKind, Model};

/// The terms of every tendon; `None` without a linear form.
pub(crate) type Tendons = Vec<Option<Vec<(usize, f64)>>>;

/// The dof of the hinge or slide that `joint` names.
pub(crate) fn scalar_dof(
    reader: &Reader<'_>,
    model: &Model,
    copy: usize,
    joint: Attribute<'_>,
) -> Result<usize, LoadError> {
    match model.joints.get(reader.find(Kind::Joint, copy, joint)?) {
        Some(j) if matches!(j.kind, JointKind::Hinge | JointKind::Slide) => Ok(j.idx_v),
        _ => Err(joint.error("a hinge or slide joint")),
    }
}

pub(crate) fn read(reader: &mut Reader<'_>, model: &Model) -> Result<Tendons, LoadError> {
    let mut tendons = Tendons::new();
    let scopes = reader.scopes.clone();
    for mention in reader.section("tendon")? {
        let Mention { element: e, scope, copy } = mention;
        let Scope { compiler, defaults, .. } = &scopes[scope];
        if !matches!(e.name(), "fixed" | "spatial") {
            continue;
        }
        let tendon = defaults.styled(e, "tendon", super::defaults::MAIN)?;
        let range = tendon.range("limited", "range", compiler)?;
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
        if tendon.range("actuatorfrclimited", "actuatorfrcrange", compiler)?.is_some()
            && let Some(a) = tendon.get("actuatorfrcrange")
        {
            a.mark(Fate::Unsupported, "limits on the sum of efforts along a tendon are not kept yet");
        }
        reader.warnings.extend(warnings);
        let mut terms = Vec::new();
        if e.name() == "spatial" {
            e.mark(Fate::Unsupported, "tendons through sites are not simulated yet");
        } else {
            for joint in e.children_named("joint") {
                let coefficient = joint.require("coef", "a number")?.number()?;
                let name = joint.require("joint", "the name of a joint")?;
                terms.extend([(scalar_dof(reader, model, copy, name)?, coefficient)]);
            }
        }
        reader.enter(Kind::Tendon, mention, tendons.len())?;
        tendons.push((e.name() == "fixed").then_some(terms));
    }
    Ok(tendons)
}
