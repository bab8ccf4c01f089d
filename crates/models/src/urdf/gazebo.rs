//! <gazebo reference="…">: what Gazebo's users say of links and joints in a URDF.
//!
//! Values are text (<mu1>0.8</mu1>) or an attribute (<mu1 value="0.8"/>). A joint spring is
//! springStiffness (springReference − q), as in SDF.

use super::Reader;
use crate::error::LoadError;
use crate::ledger::Fate;
use crate::value::Attribute;
use crate::xml::Element;
use std::collections::BTreeMap;

/// Attributes that <gazebo> states of one link or joint; those it does not state are `None`.
#[derive(Clone, Copy, Default)]
pub(crate) struct Says {
    pub(crate) friction: Option<f64>,
    pub(crate) self_collide: Option<bool>,
    pub(crate) stiffness: Option<f64>,
    pub(crate) spring_rest: Option<f64>,
    /// Stiffness [N/m] and damping [N·s/m] of contacts.
    pub(crate) kp: Option<f64>,
    pub(crate) kd: Option<f64>,
}

/// All that is said, by name of link or joint.
pub(crate) type Gazebo<'d> = BTreeMap<&'d str, Says>;

const UNSIMULATED: [(&str, bool, &str); 3] = [
    ("gravity", true, "every link weighs"),
    ("turnGravityOff", false, "every link weighs"),
    ("static", false, "the robot moves as its joints let it"),
];

pub(crate) fn read<'d>(reader: &mut Reader<'_>, robot: Element<'d>) -> Result<Gazebo<'d>, LoadError> {
    let mut all = Gazebo::new();
    for gazebo in robot.children().filter(|c| c.name() == "gazebo") {
        for (name, harmless, note) in UNSIMULATED {
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
            self_collide: value(gazebo, "selfCollide")?.map(truth).transpose()?,
            stiffness: value(gazebo, "springStiffness")?.map(Attribute::not_negative).transpose()?,
            spring_rest: value(gazebo, "springReference")?.map(Attribute::number).transpose()?,
            kp: yields(gazebo, "kp")?,
            kd: yields(gazebo, "kd")?,
        };
        if let Some(mu2) = gazebo.child("mu2")? {
            let across = value(gazebo, "mu2")?.map(Attribute::not_negative).transpose()?;
            says.friction = says.friction.or(across);
            mu2.mark(Fate::Kept, "friction is isotropic: mu1 counts in all directions");
            if let (Some(along), Some(across)) = (says.friction, across)
                && along != across
            {
                mu2.mark(Fate::Unsupported, "friction is isotropic: mu1 counts in all directions");
                reader.warn(mu2.place(), format!("mu2 {across} beside mu1 {along}: mu1 counts everywhere"));
            }
        }
        let Says { friction, self_collide, stiffness, spring_rest, kp, kd } = says;
        let numbers = [friction, stiffness, spring_rest, kp, kd];
        if numbers.iter().all(Option::is_none) && self_collide.is_none() {
            continue;
        }
        gazebo.mark(Fate::Used, "");
        about.mark(Fate::Used, "");
        let known = all.entry(about.value().trim()).or_default();
        known.friction = friction.or(known.friction);
        known.self_collide = self_collide.or(known.self_collide);
        known.stiffness = stiffness.or(known.stiffness);
        known.spring_rest = spring_rest.or(known.spring_rest);
        known.kp = kp.or(known.kp);
        known.kd = kd.or(known.kd);
    }
    Ok(all)
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
