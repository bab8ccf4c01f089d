//! <gazebo reference="…">: what Gazebo's users say of links and joints in a URDF.
//!
//! Values are text (<mu1>0.8</mu1>) or an attribute (<mu1 value="0.8"/>). A joint spring is
//! springStiffness (springReference − q), as in SDF.

use super::Reader;
use crate::error::LoadError;
use crate::names::Names;
use crate::words::shortened;
use crate::xml::Attribute;
use crate::xml::Element;
use std::collections::BTreeMap;
use stiction_dynamics::spatial::Vec3;
use stiction_world::Fate;

/// Attributes that <gazebo> states of one link or joint; those it does not state are `None`.
#[derive(Clone, Copy, Default)]
pub(crate) struct Says {
    pub(crate) friction: Option<f64>,
    /// Friction across an axis of the shape, and that axis.
    pub(crate) across: Option<(f64, Vec3)>,
    pub(crate) self_collide: Option<bool>,
    /// Gravity pulls at it.
    pub(crate) weighs: Option<bool>,
    pub(crate) stiffness: Option<f64>,
    pub(crate) spring_rest: Option<f64>,
    /// Stiffness [N/m] and damping [N·s/m] of contacts.
    pub(crate) kp: Option<f64>,
    pub(crate) kd: Option<f64>,
}

/// All that is said, by name of link or joint.
pub(crate) type Gazebo<'d> = BTreeMap<&'d str, Says>;

const UNSIMULATED: [(&str, bool, &str); 3] = [
    ("gravity", true, "said of no link: every link weighs"),
    ("turnGravityOff", false, "said of no link: every link weighs"),
    ("static", false, "the robot moves as its joints let it"),
];

/// So many of them are about the weight of a link, and count where they name one.
const GRAVITY: usize = 2;
/// Gazebo's coefficient where none is stated.
const UNSTATED: f64 = 1.0;

pub(crate) fn read<'d>(reader: &mut Reader<'_>, robot: Element<'d>) -> Result<Gazebo<'d>, LoadError> {
    let mut all = Gazebo::new();
    for gazebo in robot.children().filter(|c| c.name() == "gazebo") {
        let of_link = gazebo.peek("reference").is_some();
        for (name, harmless, note) in UNSIMULATED.into_iter().skip(if of_link { GRAVITY } else { 0 }) {
            if let Some(stated) = value(gazebo, name)?
                && truth(stated)? != harmless
                && let Some(element) = gazebo.child(name)?
            {
                element.mark(Fate::Unsupported, note);
                reader.warn(element.place(), format!("<{name}>: {note}"));
            }
        }
        let Some(about) = gazebo.peek("reference") else { continue };
        let mut says = Says {
            friction: value(gazebo, "mu1")?.map(Attribute::not_negative).transpose()?,
            across: None,
            weighs: weighs(gazebo)?,
            self_collide: value(gazebo, "selfCollide")?.map(truth).transpose()?,
            stiffness: value(gazebo, "springStiffness")?.map(Attribute::not_negative).transpose()?,
            spring_rest: value(gazebo, "springReference")?.map(Attribute::number).transpose()?,
            kp: yields(gazebo, "kp")?,
            kd: yields(gazebo, "kd")?,
        };
        friction(reader, gazebo, &mut says)?;
        let Says { friction, across, self_collide, weighs, stiffness, spring_rest, kp, kd } = says;
        let numbers = [friction, across.map(|a| a.0), stiffness, spring_rest, kp, kd];
        if numbers.iter().all(Option::is_none) && self_collide.is_none() && weighs.is_none() {
            continue;
        }
        gazebo.mark(Fate::Used, "");
        about.mark(Fate::Used, "");
        let known = all.entry(about.value().trim()).or_default();
        known.friction = friction.or(known.friction);
        known.across = across.or(known.across);
        known.weighs = weighs.or(known.weighs);
        known.self_collide = self_collide.or(known.self_collide);
        known.stiffness = stiffness.or(known.stiffness);
        known.spring_rest = spring_rest.or(known.spring_rest);
        known.kp = kp.or(known.kp);
        known.kd = kd.or(known.kd);
    }
    Ok(all)
}

const OF_LINKS: [&str; 8] = ["mu1", "mu2", "fdir1", "selfCollide", "gravity", "turnGravityOff", "kp", "kd"];
const OF_JOINTS: [&str; 2] = ["springStiffness", "springReference"];

/// Tells what is said of nothing: of a name that no link and no joint has, of a link what joints have, and the reverse.
pub(crate) fn look(reader: &mut Reader<'_>, robot: Element<'_>, links: &Names<'_>, joints: &Names<'_>) {
    for gazebo in robot.children().filter(|c| c.name() == "gazebo") {
        let Some(about) = gazebo.peek("reference") else { continue };
        let name = about.value().trim();
        let [link, joint] = [links, joints].map(|names| names.get(name).is_some());
        if !link && !joint {
            about.mark(Fate::Kept, "no link or joint has this name");
            reader.warn(about.place(), format!("no link or joint is called `{}`", shortened(name)));
        }
        let of_none = |c: &Element<'_>| {
            (!link && OF_LINKS.contains(&c.name())) || (!joint && OF_JOINTS.contains(&c.name()))
        };
        for stated in gazebo.children().filter(of_none) {
            stated.mark(Fate::Unknown, "has no meaning for what <gazebo reference> names");
        }
    }
}

/// <mu1>, <mu2> and <fdir1>.
fn friction(reader: &mut Reader<'_>, gazebo: Element<'_>, says: &mut Says) -> Result<(), LoadError> {
    let across = value(gazebo, "mu2")?.map(Attribute::not_negative).transpose()?;
    if let (Some(stated), Some(axis)) = (gazebo.child("fdir1")?, value(gazebo, "fdir1")?) {
        if let Some(axis) = axis.vector()?.normalized() {
            let [along, across] = [says.friction, across].map(|mu| mu.unwrap_or(UNSTATED));
            says.friction = Some(along);
            if along == across {
                stated.mark(Fate::Kept, "friction is the same along it and across");
            } else {
                says.across = Some((across, axis));
            }
            return Ok(());
        }
        stated.mark(Fate::Kept, "zeros are no direction");
    }
    let Some(mu2) = gazebo.child("mu2")? else { return Ok(()) };
    says.friction = says.friction.or(across);
    const NOTE: &str = "without fdir1 no direction is stated: mu1 counts in all";
    mu2.mark(Fate::Kept, NOTE);
    if let (Some(along), Some(across)) = (says.friction, across)
        && along != across
    {
        mu2.mark(Fate::Unsupported, NOTE);
        reader.warn(mu2.place(), format!("mu2 {across} beside mu1 {along}: {NOTE}"));
    }
    Ok(())
}

/// Whether gravity pulls at a link, by <gravity> and <turnGravityOff>.
fn weighs(gazebo: Element<'_>) -> Result<Option<bool>, LoadError> {
    let on = value(gazebo, "gravity")?.map(truth).transpose()?;
    let off = value(gazebo, "turnGravityOff")?.map(truth).transpose()?;
    Ok(on.or(off.map(|off| !off)))
}

fn value<'d>(gazebo: Element<'d>, name: &str) -> Result<Option<Attribute<'d>>, LoadError> {
    Ok(gazebo.child(name)?.map(|e| e.get("value").unwrap_or(e.content())))
}

/// A number that says how a surface yields.
fn yields(gazebo: Element<'_>, name: &str) -> Result<Option<f64>, LoadError> {
    value(gazebo, name)?.map(Attribute::not_negative).transpose()
}

fn truth(value: Attribute<'_>) -> Result<bool, LoadError> {
    match value.value().trim().to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(value.error("true or false")),
    }
}
