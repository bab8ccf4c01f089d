//! <friction>: Coulomb's coefficients, the axis between them, and what resists spinning and rolling.

use super::Reader;
use super::pose::{not_negative, switch, value};
use super::scope::Part;
use crate::error::LoadError;
use crate::xml::Attribute;
use crate::xml::Element;
use stiction_dynamics::spatial::{Quat, Vec3};
use stiction_world::Fate;
use stiction_world::{Dimension, Material};
use stiction_world::{Grain, GrainFrame};

/// The specification's <mu2> where it is not stated.
const ACROSS: f64 = 1.0;
/// Coefficients of this size hold whatever they meet, since of two surfaces the smaller coefficient counts: a ground as Gazebo
/// writes it has 100 and 50, without a direction [–].
const ROUGH: f64 = 10.0;
/// The attribute that names the frame of <fdir1>, as it was called in turn.
const EXPRESSED_IN: [&str; 2] = ["gz:expressed_in", "ignition:expressed_in"];

/// Reads <friction> into `material`. `R_CG`: rotation of the shape in its <collision>.
pub(crate) fn read(
    reader: &mut Reader<'_, '_>,
    part: &Part<'_>,
    friction: Element<'_>,
    R_CG: Quat,
    material: &mut Material,
) -> Result<(), LoadError> {
    friction.mark(Fate::Used, "of two surfaces the smaller coefficient counts, as in Gazebo");
    if let Some((along, grain)) = coulomb(reader, part, friction, R_CG)? {
        (material.friction, material.grain) = (along, grain);
    }
    let rolling = match friction.child("bullet")? {
        Some(bullet) => not_negative(bullet, "rolling_friction", 0.0)?,
        None => 0.0,
    };
    let torsional = friction.child("torsional")?;
    let spinning = torsional.map_or(Ok(None), spinning)?;
    if rolling > 0.0 {
        // What is not stated does not act.
        (material.rolling, material.spinning, material.dimension) = (rolling, 0.0, Dimension::Rolling);
    }
    if let Some(spinning) = spinning {
        (material.spinning, material.dimension) = (spinning, material.dimension.max(Dimension::Spinning));
    }
    Ok(())
}

/// The coefficients of <ode>, else those of <bullet>.
fn coulomb(
    reader: &mut Reader<'_, '_>,
    part: &Part<'_>,
    friction: Element<'_>,
    R_CG: Quat,
) -> Result<Option<(f64, Option<Grain>)>, LoadError> {
    let mut found = None;
    for (engine, first, second) in [("ode", "mu", "mu2"), ("bullet", "friction", "friction2")] {
        let Some(element) = friction.child(engine)? else { continue };
        let mu = value(element, first)?.map(Attribute::not_negative).transpose()?;
        let across = value(element, second)?.map(Attribute::not_negative).transpose()?;
        if let Some((axis, fixed_in)) = axis(reader, part, element, R_CG)? {
            let (along, across) = (mu.unwrap_or(ACROSS), across.unwrap_or(ACROSS));
            let grain = (along != across).then_some(Grain { across, axis, fixed_in });
            if let (None, Some(stated)) = (grain, element.child("fdir1")?) {
                stated.mark(Fate::Kept, "friction is the same along it and across");
            }
            found = found.or(Some((along, grain)));
            continue;
        }
        if let (Some(mu), Some(across), Some(stated)) = (mu, across, element.child(second)?) {
            let alike = mu == across || mu.min(across) >= ROUGH;
            let fate = if alike { Fate::Kept } else { Fate::Unsupported };
            stated.mark(fate, "without <fdir1> no direction is stated: the first coefficient counts in all");
            if !alike {
                let message = format!(
                    "<{second}> {across} beside <{first}> {mu} without <fdir1>, which says along what: the first counts \
                     everywhere"
                );
                reader.warn(stated.place(), message);
            }
        }
        found = found.or(mu.or(across).map(|mu| (mu, None)));
    }
    Ok(found)
}

/// The axis that <fdir1> states, in the axes of the shape or, while the links have no index yet, at the start in those of
/// the world beside the number of the link that carries it; `None` for zeros.
fn axis(
    reader: &Reader<'_, '_>,
    part: &Part<'_>,
    engine: Element<'_>,
    R_CG: Quat,
) -> Result<Option<(Vec3, GrainFrame)>, LoadError> {
    let Some(stated) = engine.child("fdir1")? else { return Ok(None) };
    let named = EXPRESSED_IN.into_iter().find_map(|word| stated.get(word));
    let Some(axis) = stated.content().vector()?.normalized() else {
        stated.mark(Fate::Kept, "zeros are no direction");
        return Ok(None);
    };
    let Some(named) = named.filter(|a| !a.value().trim().is_empty()) else {
        return Ok(Some((R_CG.conjugate().rotate(axis), GrainFrame::Geometry)));
    };
    let spot = (part.site.scope, reader.scopes.find(part.site, named)?);
    let X_WF = reader.places.spot(&reader.scopes, spot);
    let carrier = reader.places.carrier_of(&reader.scopes, spot);
    Ok(Some((X_WF.rotation.rotate(axis), GrainFrame::Link(carrier))))
}

/// Torque over normal force [m] of a round patch of radius a, 3π/16 μ a, where the radius is stated.
fn spinning(torsional: Element<'_>) -> Result<Option<f64>, LoadError> {
    let mu = not_negative(torsional, "coefficient", 1.0)?;
    let patch = switch(torsional, "use_patch_radius")?.unwrap_or(true);
    let radius = not_negative(torsional, "patch_radius", 0.0)?;
    Ok((patch && radius > 0.0).then_some(3.0 / 16.0 * std::f64::consts::PI * mu * radius))
}
