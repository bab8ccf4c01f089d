//! <tendon>: combinations of joint coordinates, and ways through sites.

use super::Reader;
use super::defaults::{MAIN, Styled};
use super::dofs::{reference, scalar_dof};
use super::scope::{Kind, Mention, Scope};
use crate::error::LoadError;
use crate::xml::Attribute;
use stiction_dynamics::Model;
use stiction_world::Fate;
use stiction_world::World;
use stiction_world::{Tendon, TendonPath, Waypoint};

pub(crate) fn read(reader: &mut Reader<'_>, world: &mut World) -> Result<(), LoadError> {
    let scopes = reader.scopes.clone();
    for mention in reader.section("tendon")? {
        let Mention { element: e, scope, .. } = mention;
        let path = match e.name() {
            "fixed" => TendonPath::Fixed(terms(reader, &world.model, mention)?),
            "spatial" => TendonPath::Spatial(way(reader, mention)?),
            _ => continue,
        };
        let name = reader.enter(Kind::Tendon, mention, world.tendons.len())?;
        let tendon = tendon(reader, &scopes[scope], mention, &world.model, (name, path))?;
        world.tendons.push(tendon);
    }
    Ok(())
}

fn tendon(
    reader: &mut Reader<'_>,
    Scope { compiler, defaults, .. }: &Scope<'_>,
    Mention { element: e, .. }: Mention<'_>,
    model: &Model,
    (name, path): (String, TendonPath),
) -> Result<Tendon, LoadError> {
    let s = defaults.styled(e, "tendon", MAIN)?;
    let settings = &reader.settings;
    let on = |on: bool, x: f64| if on { x } else { 0.0 };
    let mut tendon = Tendon {
        name,
        stiffness: on(settings.spring, linear(s, "stiffness")?),
        damping: on(settings.damper, linear(s, "damping")?),
        slack: slack(s)?,
        friction: on(settings.friction_loss, s.not_negative("frictionloss")?),
        limit: s.range("limited", "range", compiler)?.filter(|_| settings.limit),
        effort_limit: s.range("actuatorfrclimited", "actuatorfrcrange", compiler)?,
        armature: s.not_negative("armature")?,
        path,
    };
    if tendon.effort_limit.is_some()
        && let Some(a) = s.get("actuatorfrcrange")
    {
        a.mark(Fate::Unsupported, "limits on the sum of efforts along a tendon are not kept yet");
    }
    if tendon.armature > 0.0
        && let Some(a) = s.get("armature")
    {
        a.mark(Fate::Unsupported, "inertia along tendons is not simulated yet");
        reader.warn(a.place(), "inertia along tendons is not simulated yet");
    }
    match &tendon.path {
        TendonPath::Fixed(terms) => {
            let neutral = || terms.iter().map(|&(dof, c)| c * reference(model, dof)).sum();
            tendon.slack = tendon.slack.or_else(|| Some([neutral(); 2]));
        }
        TendonPath::Spatial(_) => {
            e.mark(Fate::Unsupported, super::vocabulary::THROUGH_SITES);
            let acts = tendon.stiffness > 0.0
                || tendon.damping > 0.0
                || tendon.friction > 0.0
                || tendon.limit.is_some();
            if acts {
                let note =
                    "springs, dampers, friction and limits along tendons through sites are not simulated yet";
                reader.warn(e.place(), note);
            }
        }
    }
    Ok(tendon)
}

/// The first, linear coefficient.
fn linear(s: Styled<'_, '_>, name: &str) -> Result<f64, LoadError> {
    let mut coefficients = [0.0; 3];
    s.merge(name, &mut coefficients)?;
    let [linear, square, cube] = coefficients;
    match s.get(name) {
        Some(a) if linear < 0.0 => return Err(a.error("a number >= 0")),
        Some(a) if square != 0.0 || cube != 0.0 => {
            a.mark(Fate::Unsupported, "only the linear term counts; higher ones are left out");
        }
        _ => {}
    }
    Ok(linear)
}

/// `springlength`: one length or a range; −1 stands for that of the neutral configuration.
fn slack(s: Styled<'_, '_>) -> Result<Option<[f64; 2]>, LoadError> {
    let Some(a) = s.get("springlength") else { return Ok(None) };
    let numbers = a.numbers(1, 2)?;
    let low = numbers.first().copied().unwrap_or(-1.0);
    let high = numbers.get(1).copied().unwrap_or(low);
    match (low, high) {
        (-1.0, -1.0) => Ok(None),
        _ if low > high => Err(a.error("a lower length, then a higher one")),
        _ => Ok(Some([low, high])),
    }
}

fn terms(reader: &Reader<'_>, model: &Model, mention: Mention<'_>) -> Result<Vec<(usize, f64)>, LoadError> {
    let Mention { element: e, copy, .. } = mention;
    let mut terms = Vec::new();
    for joint in e.children_named("joint") {
        let coefficient = joint.require("coef", "a number")?.number()?;
        let name = joint.require("joint", "the name of a joint")?;
        terms.push((scalar_dof(reader, model, copy, name)?, coefficient));
    }
    Ok(terms)
}

fn way(reader: &Reader<'_>, mention: Mention<'_>) -> Result<Vec<Waypoint>, LoadError> {
    const KEPT: &str = "tendons through sites are not simulated yet";
    let Mention { element: e, copy, .. } = mention;
    let site = |a: Attribute<'_>| reader.find_near(Kind::Site, copy, a);
    let mut way = Vec::new();
    for point in e.children() {
        way.push(match point.name() {
            "site" => Waypoint::Site(site(point.require("site", "the name of a site")?)?),
            "pulley" => Waypoint::Pulley { divisor: point.require("divisor", "a number > 0")?.positive()? },
            "geom" => {
                let name = point.require("geom", "the name of a sphere or cylinder")?;
                let copy = reader.copy_near(Kind::Geom, copy, name);
                reader.find(Kind::Geom, copy, name)?;
                let wrapped = reader.wrapped.get(&reader.name_in_world(copy, name.value())).cloned();
                let Some((link, X_LG, shape)) = wrapped else {
                    return Err(name.error("the name of a sphere or cylinder"));
                };
                let side = point.get("sidesite").map(site).transpose()?;
                Waypoint::Around { link, X_LG, shape, side }
            }
            _ => continue,
        });
        point.mark(Fate::Unsupported, KEPT);
    }
    Ok(way)
}
