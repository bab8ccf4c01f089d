//! <equality>: joints and tendons coupled linearly. Loops (connect, weld) are not closed yet.
//!
//! ```text
//!     y − y₀ = a₀ + a₁ (x − x₀),   x₀, y₀ at the joints' reference        (1)
//! ```

use super::Reader;
use super::defaults::MAIN;
use super::scope::{Kind, Mention};
use super::tendon::{Tendons, scalar_dof};
use crate::error::LoadError;
use crate::ledger::Fate;
use crate::world::{Coupling, World};
use stiction_dynamics::Model;

type Terms = Vec<(usize, f64)>;

pub(crate) fn read(reader: &mut Reader<'_>, world: &mut World, tendons: &Tendons) -> Result<(), LoadError> {
    for mention in reader.section("equality")? {
        let e = mention.element;
        let loops = match e.name() {
            "connect" => "loops are not closed yet: the two points move apart",
            "weld" => "loops are not closed yet: the two bodies move apart",
            "flex" | "flexvert" | "flexstrain" => "flexible bodies are not simulated yet",
            "joint" | "tendon" => "",
            _ => continue,
        };
        let equality = reader.scope(mention.scope).defaults.styled(e, "equality", MAIN)?;
        let active = equality.get("active").map_or(Ok(true), |a| a.boolean())?;
        if !loops.is_empty() {
            if active {
                e.mark(Fate::Unsupported, loops);
                reader.warn(e.place(), format!("<{}>: {loops}", e.name()));
            } else {
                e.mark(Fate::Kept, "not active");
            }
            continue;
        }
        let (one, two) = if e.name() == "joint" { ("joint1", "joint2") } else { ("tendon1", "tendon2") };
        let first = e.require(one, "the name of the coupled one")?;
        let y = terms(reader, &world.model, tendons, mention, first.name())?;
        let x = match e.get(two) {
            Some(_) => terms(reader, &world.model, tendons, mention, two)?,
            None => Some(Vec::new()),
        };
        let mut polynomial = [0.0, 1.0, 0.0, 0.0, 0.0];
        equality.merge("polycoef", &mut polynomial)?;
        let [a0, a1, a2, a3, a4] = polynomial;
        let linear = x.as_ref().is_some_and(Vec::is_empty) || (a2 == 0.0 && a3 == 0.0 && a4 == 0.0);
        match (x, y) {
            _ if !active => e.mark(Fate::Kept, "not active"),
            (Some(x), Some(y)) if linear => {
                if !reader.settings.equality {
                    continue;
                }
                // (1), all coordinates on the left.
                let at_rest =
                    |t: &Terms| -> f64 { t.iter().map(|&(d, c)| c * reference(&world.model, d)).sum() };
                let offset = at_rest(&y) + a0 - a1 * at_rest(&x);
                let mut terms = y;
                terms.extend(x.into_iter().map(|(dof, c)| (dof, -a1 * c)));
                let name =
                    e.get("name").map_or(String::new(), |a| reader.name_in_world(mention.copy, a.value()));
                world.couplings.push(Coupling { name, terms, offset });
            }
            _ => {
                let note = "only linear couplings of hinges, slides and fixed tendons are simulated yet";
                e.mark(Fate::Unsupported, note);
                reader.warn(e.place(), note);
            }
        }
    }
    Ok(())
}

/// Dofs and coefficients of the joint or tendon that `attribute` names; `None` where there is no
/// linear form.
fn terms(
    reader: &Reader<'_>,
    model: &Model,
    tendons: &Tendons,
    mention: Mention<'_>,
    attribute: &str,
) -> Result<Option<Terms>, LoadError> {
    let Mention { element: e, copy, .. } = mention;
    let name = e.require(attribute, "a name")?;
    if e.name() == "joint" {
        return Ok(Some(vec![(scalar_dof(reader, model, copy, name)?, 1.0)]));
    }
    Ok(tendons.get(reader.find(Kind::Tendon, copy, name)?).cloned().flatten())
}

fn reference(model: &Model, dof: usize) -> f64 {
    let joint = model.dofs.get(dof).and_then(|d| model.joints.get(d.joint));
    joint.map_or(0.0, |j| j.reference)
}
