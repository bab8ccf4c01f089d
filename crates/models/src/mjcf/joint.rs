//! <joint> and <freejoint>.

use super::Reader;
use super::compiler::Compiler;
use super::defaults::Styled;
use super::scope::Item;
use super::scope::{Kind, Scope};
use crate::error::LoadError;
use crate::xml::Element;
use stiction_dynamics::spatial::Vec3;
use stiction_dynamics::{JointKind, JointSpec};
use stiction_world::DriveLimit;
use stiction_world::Fate;
use stiction_world::Softness;
use stiction_world::{Extras, JointSoftness};

/// A joint as the file states it.
pub(crate) struct JointOfBody<'d> {
    pub(crate) element: Element<'d>,
    pub(crate) spec: JointSpec,
    pub(crate) drive: DriveLimit,
    /// Time constant [s] and damping ratio that its spring and damper are to give it.
    pub(crate) spring_damper: Option<[f64; 2]>,
}

const KINDS: [(&str, JointKind); 4] = [
    ("hinge", JointKind::Hinge),
    ("slide", JointKind::Slide),
    ("ball", JointKind::Ball),
    ("free", JointKind::Free),
];

/// The angle that a limit at 0 lets a ball joint have [rad or degrees].
const LOCKED: f64 = 1e-6;

/// A free joint of <freejoint>, to which no class applies.
fn free_joint<'d>(
    reader: &mut Reader<'d>,
    element: Element<'d>,
    (name, align_free): (String, bool),
    has_parent: bool,
) -> Result<JointOfBody<'d>, LoadError> {
    let align = element.peek("align").map_or("auto", |a| a.value());
    if align == "true" || (align == "auto" && align_free) {
        let message = "this body keeps its frame: its q is not measured from its centre of mass";
        if let Some(a) = element.peek("align") {
            a.mark(Fate::Unsupported, "the body keeps its frame, which its q is measured in");
        }
        reader.warn(element.place(), message);
    }
    top_level(element, has_parent)?;
    let spec = JointSpec::new(name, JointKind::Free, Vec3::Z);
    let drive = DriveLimit::default();
    Ok(JointOfBody { element, spec, drive, spring_damper: None })
}

/// The limit of a joint, as the file states it.
fn limit(
    joint: &Styled<'_, '_>,
    kind: JointKind,
    compiler: &Compiler,
) -> Result<Option<[f64; 2]>, LoadError> {
    // Of a ball joint MuJoCo's range is 0 to 0 where none is stated: a limit at angle 0.
    let bare = kind == JointKind::Ball && joint.get("range").is_none();
    let limit = match joint.get("limited") {
        Some(a) if bare && a.value() == "true" => Some([0.0, LOCKED]),
        _ => joint.range("limited", "range", compiler)?,
    };
    if let (Some([lo, _]), JointKind::Ball, Some(range)) = (limit, kind, joint.get("range"))
        && lo != 0.0
    {
        return Err(range.error("0, then the largest angle of the ball joint"));
    }
    Ok(limit)
}

/// Time constant [s] and damping ratio of `springdamper`.
fn spring_damper(joint: &Styled<'_, '_>) -> Result<Option<[f64; 2]>, LoadError> {
    match joint.get("springdamper") {
        Some(a) => {
            let [time, ratio] = a.array::<2>()?;
            match (time > 0.0, ratio > 0.0) {
                (true, true) => Ok(Some([time, ratio])),
                _ if time == 0.0 && ratio == 0.0 => Ok(None),
                _ => Err(a.error("two numbers > 0, or two zeros")),
            }
        }
        None => Ok(None),
    }
}

/// A joint of the body called `body`.
pub(crate) fn read<'d>(
    reader: &mut Reader<'d>,
    item: &Item<'d>,
    body: &str,
    has_parent: bool,
) -> Result<JointOfBody<'d>, LoadError> {
    let element = item.element;
    element.mark(Fate::Used, "");
    let scopes = reader.scopes.clone();
    let Scope { compiler, defaults, .. } = &scopes[item.scope];
    let index = reader.joint_copies.len();
    reader.joint_copies.push(item.copy);
    let name = match element.get("name") {
        Some(_) => reader.named(Kind::Joint, item, index)?,
        None => format!("{body}/joint#{index}"),
    };
    if element.name() == "freejoint" {
        return free_joint(reader, element, (name, compiler.align_free), has_parent);
    }
    let joint = defaults.styled(element, "joint", item.class)?;
    let kind = joint.get("type").map_or(Ok(JointKind::Hinge), |a| a.keyword(&KINDS))?;
    let scalar = matches!(kind, JointKind::Hinge | JointKind::Slide);
    if kind == JointKind::Free {
        top_level(element, has_parent)?;
    }
    let angle = |x: f64| if kind != JointKind::Slide && compiler.degrees { x.to_radians() } else { x };
    let mut spec = JointSpec::new(name, kind, Vec3::Z);
    if scalar {
        spec.axis = match joint.get("axis") {
            Some(a) => {
                let axis = a.vector()?.normalized().ok_or_else(|| a.error("a vector that is not 0"))?;
                item.X.rotation.rotate(axis)
            }
            None => item.X.rotation.rotate(Vec3::Z),
        };
        spec.reference = angle(joint.number("ref", 0.0)?);
        spec.spring_rest = angle(joint.number("springref", 0.0)?);
    }
    if kind != JointKind::Free {
        let anchor = joint.get("pos").map_or(Ok(Vec3::ZERO), |a| a.vector())?;
        spec.anchor = item.X.transform(anchor);
        let limit = limit(&joint, kind, compiler)?;
        spec.limit = limit.filter(|_| reader.settings.limit).map(|r| r.map(angle));
    }
    spec.armature = joint.not_negative("armature")?;
    for (name, slot, on) in [
        ("stiffness", &mut spec.stiffness, reader.settings.spring),
        ("damping", &mut spec.damping, reader.settings.damper),
    ] {
        let mut coefficients = [0.0; 3];
        joint.merge(name, &mut coefficients)?;
        if let (true, Some(a)) = (coefficients.iter().skip(1).any(|c| *c != 0.0), joint.get(name)) {
            a.mark(Fate::Unsupported, "only the linear term counts; higher ones are left out");
        }
        let [linear, ..] = coefficients;
        if let (true, Some(a)) = (linear < 0.0, joint.get(name)) {
            return Err(a.error("a number >= 0"));
        }
        *slot = if on { linear } else { 0.0 };
    }
    spec.friction = joint.not_negative("frictionloss")?;
    if !reader.settings.friction_loss {
        spec.friction = 0.0;
    }
    let spring_damper = spring_damper(&joint)?;
    if let Some(a) = joint.get("actuatorgravcomp")
        && a.boolean()?
    {
        a.mark(Fate::Unsupported, "compensation of gravity does not count towards actuatorfrcrange here");
    }
    soften(joint, index, &mut reader.extras)?;
    let effort = if scalar { joint.range("actuatorfrclimited", "actuatorfrcrange", compiler)? } else { None };
    Ok(JointOfBody { element, spec, drive: DriveLimit { effort, velocity: None }, spring_damper })
}

/// Keeps how limits and dry friction are softened, if anything is said of it.
fn soften(joint: Styled<'_, '_>, index: usize, extras: &mut Extras) -> Result<(), LoadError> {
    const RIGID: &str = "for the law `mujoco`; under the others limits and dry friction are rigid";
    let (mut limit, mut friction) = (Softness::default(), Softness::default());
    joint.merge("solreflimit", &mut limit.reference)?;
    joint.merge("solimplimit", &mut limit.impedance)?;
    joint.merge("solreffriction", &mut friction.reference)?;
    joint.merge("solimpfriction", &mut friction.impedance)?;
    let margin = joint.number("margin", 0.0)?;
    let names = ["solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin"];
    let stated: Vec<_> = names.iter().filter_map(|name| joint.get(name)).collect();
    stated.iter().for_each(|a| a.mark(Fate::Softness, RIGID));
    if !stated.is_empty() {
        extras.joints.push(JointSoftness { joint: index, limit, friction, margin });
    }
    Ok(())
}

fn top_level(element: crate::xml::Element<'_>, has_parent: bool) -> Result<(), LoadError> {
    if has_parent {
        return Err(element.structure(
            "a free joint inside another body; a body that moves freely stands directly in <worldbody>",
        ));
    }
    Ok(())
}
