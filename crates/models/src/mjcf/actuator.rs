//! <actuator>: what drives the joints.
//!
//! An actuator that is not simulated keeps its place with an empty transmission, so that controls
//! and keyframes keep MuJoCo's numbering.

use super::Reader;
use super::compiler::Compiler;
use super::defaults::{MAIN, Styled};
use super::scope::{Kind, Mention, Scope};
use super::servo::{Servo, TAGS};
use crate::error::LoadError;
use stiction_dynamics::{CrbaWorkspace, Factor, JointKind, Kinematics, MassMatrix, Model, crba_into};
use stiction_world::Fate;
use stiction_world::TendonPath;
use stiction_world::{Actuator, ActuatorLaw, World};

pub(crate) fn read<'d>(reader: &mut Reader<'d>, world: &mut World) -> Result<(), LoadError> {
    let mut inertia = NeutralInertia::default();
    for mention in reader.section("actuator")? {
        let e = mention.element;
        if !TAGS.contains(&e.name()) {
            continue;
        }
        let index = world.actuators.len();
        let name = reader.enter(Kind::Actuator, mention, index)?;
        let (actuator, unsupported) = one(reader, world, mention, name, &mut inertia)?;
        if let Some(note) = unsupported {
            e.mark(Fate::Unsupported, note);
            reader.warn(e.place(), format!("{}: {note}; it exerts nothing", e.described()));
        }
        reader.actuator_copies.push(mention.copy);
        world.actuators.push(actuator);
    }
    Ok(())
}

/// The values that outer classes may state in part are read through all kinds of actuators.
fn merged<const N: usize>(s: Styled<'_, '_>, name: &str, into: &mut [f64; N]) -> Result<bool, LoadError> {
    let stated: Vec<_> = s.levels_of(TAGS).filter_map(|e| e.get(name)).collect();
    for a in stated.iter().rev() {
        into.iter_mut().zip(a.numbers(1, N)?).for_each(|(slot, x)| *slot = x);
    }
    Ok(!stated.is_empty())
}

fn range(
    compiler: &Compiler,
    s: Styled<'_, '_>,
    limited: &str,
    range: &str,
) -> Result<Option<[f64; 2]>, LoadError> {
    let words = [("true", Some(true)), ("false", Some(false)), ("auto", None)];
    let wanted = s.levels_of(TAGS).find_map(|e| e.get(limited)).map_or(Ok(None), |a| a.keyword(&words))?;
    let mut limits = [0.0; 2];
    merged(s, range, &mut limits)?;
    let [lo, hi] = limits;
    let Some(stated) = s.levels_of(TAGS).find_map(|e| e.get(range)) else {
        return match s.levels_of(TAGS).find_map(|e| e.get(limited)).filter(|_| wanted == Some(true)) {
            Some(a) => Err(a.error(format!("`{range}` beside it, a lower number and a higher one"))),
            None => Ok(None),
        };
    };
    match wanted {
        Some(false) => Ok(None),
        None if lo >= hi => Ok(None),
        None if !compiler.auto_limits => {
            Err(stated.error(format!("`{limited}` beside it, because the compiler's autolimits is false")))
        }
        _ if lo >= hi => Err(stated.error("a lower number, then a higher one")),
        _ => Ok(Some(limits)),
    }
}

fn one<'d>(
    reader: &Reader<'d>,
    world: &World,
    mention: Mention<'d>,
    name: String,
    inertia: &mut NeutralInertia,
) -> Result<(Actuator, Option<&'static str>), LoadError> {
    let model = &world.model;
    let Mention { element: e, scope, .. } = mention;
    let Scope { compiler, defaults, .. } = reader.scope(scope);
    let styled = defaults.styled(e, "general", MAIN)?;
    let mut servo = Servo::new();
    for level in styled.levels_of(TAGS).collect::<Vec<_>>().into_iter().rev() {
        servo.apply(level)?;
    }
    let mut gear = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    merged(styled, "gear", &mut gear)?;
    for (name, note) in [
        ("damping", "damping along the actuator is not simulated yet"),
        ("armature", "inertia along the actuator is not simulated yet"),
    ] {
        let mut values = [0.0; 3];
        merged(styled, name, &mut values)?;
        if let (true, Some(a)) =
            (values.iter().any(|x| *x != 0.0), styled.levels_of(TAGS).find_map(|e| e.get(name)))
        {
            a.mark(Fate::Unsupported, note);
        }
    }
    let effort_limit = range(compiler, styled, "forcelimited", "forcerange")?;
    let mut control_limit = range(compiler, styled, "ctrllimited", "ctrlrange")?;
    let (transmission, mut unsupported) = transmission(reader, world, mention, &gear)?;
    let mut transmission = transmission;

    let [g0, g1, g2] = servo.gain;
    let [b0, b1, mut b2] = if servo.bias_affine { servo.bias } else { [0.0; 3] };
    if servo.gain_affine && (g1 != 0.0 || g2 != 0.0) {
        unsupported = unsupported.or(Some("gains that depend on length or velocity are not simulated yet"));
    }
    unsupported = unsupported.or(servo.unsupported);
    if b2 > 0.0 && g0 == -b1 && g0 > 0.0 && unsupported.is_none() {
        // A positive coefficient is a ratio of critical damping.
        b2 = -2.0 * b2 * (g0 * inertia.felt(model, &transmission)).sqrt();
    }
    // A class keeps it for all of its actuators: servos of position heed it.
    let share = if servo.bias_affine && g0 == -b1 { servo.inherit_range } else { 0.0 };
    if let Some(range) = inherited(reader, world, mention, share)? {
        control_limit = Some(range);
    }
    if !reader.settings.clamp_control {
        control_limit = None;
    }
    let angular = |&(dof, _): &(usize, f64)| {
        let joint = model.dofs.get(dof).and_then(|d| model.joints.get(d.joint));
        joint.is_none_or(|j| matches!(j.kind, JointKind::Ball | JointKind::Free))
    };
    if b1 != 0.0 && transmission.iter().any(angular) {
        unsupported = unsupported.or(Some("servos of ball and free joints are not simulated yet"));
    }
    if unsupported.is_some() {
        transmission.clear();
    }
    let law = ActuatorLaw { gain: g0, bias: b0, bias_length: b1, bias_velocity: b2 };
    Ok((Actuator { name, transmission, law, effort_limit, control_limit }, unsupported))
}

/// `inheritrange`: the range of the joint or tendon acted on, this many times as wide.
fn inherited(
    reader: &Reader<'_>,
    world: &World,
    Mention { element: e, copy, .. }: Mention<'_>,
    share: f64,
) -> Result<Option<[f64; 2]>, LoadError> {
    let (target, limit) = match (e.get("joint"), e.get("tendon")) {
        _ if share <= 0.0 => return Ok(None),
        (Some(joint), _) => {
            (joint, world.model.joints.get(reader.find(Kind::Joint, copy, joint)?).and_then(|j| j.limit))
        }
        (None, Some(tendon)) => {
            (tendon, world.tendons.get(reader.find(Kind::Tendon, copy, tendon)?).and_then(|t| t.limit))
        }
        (None, None) => return Ok(None),
    };
    match limit {
        Some([lo, hi]) => {
            let (middle, half) = (0.5 * (lo + hi), 0.5 * (hi - lo));
            Ok(Some([middle - half * share, middle + half * share]))
        }
        None if !reader.settings.limit => Ok(None),
        None => Err(target.error("a joint or tendon with a range, which `inheritrange` takes over")),
    }
}

type Transmission = (Vec<(usize, f64)>, Option<&'static str>);

/// Dofs and coefficients, or why there are none.
fn transmission(
    reader: &Reader<'_>,
    world: &World,
    mention: Mention<'_>,
    gear: &[f64; 6],
) -> Result<Transmission, LoadError> {
    let Mention { element: e, copy, .. } = mention;
    let [ratio, ..] = *gear;
    let acted_on = ["joint", "jointinparent", "tendon", "site", "body", "cranksite"];
    let mut acted_on = acted_on.into_iter().filter_map(|name| e.peek(name));
    if let (Some(_), Some(second)) = (acted_on.next(), acted_on.next()) {
        return Err(second.error("one thing that the actuator acts on"));
    }
    for name in ["joint", "jointinparent"] {
        let Some(joint) = e.get(name) else { continue };
        let index = reader.find(Kind::Joint, copy, joint)?;
        let Some(joint) = world.model.joints.get(index) else { return Err(joint.error("a joint")) };
        if name == "jointinparent" && matches!(joint.kind, JointKind::Ball | JointKind::Free) {
            return Ok((Vec::new(), Some("efforts in the axes of the parent are not simulated yet")));
        }
        let terms = (joint.idx_v..joint.idx_v + joint.kind.nv()).zip(gear.iter().copied());
        return Ok((terms.filter(|t| t.1 != 0.0).collect(), None));
    }
    if let Some(tendon) = e.get("tendon") {
        let index = reader.find(Kind::Tendon, copy, tendon)?;
        return Ok(match world.tendons.get(index).map(|t| &t.path) {
            Some(TendonPath::Fixed(terms)) => {
                (terms.iter().map(|&(dof, c)| (dof, c * ratio)).collect(), None)
            }
            _ => (Vec::new(), Some("acts on a tendon without linear form: not simulated yet")),
        });
    }
    for (name, note) in [
        ("site", "acts on a site: not simulated yet"),
        ("body", "acts on a body: not simulated yet"),
        ("cranksite", "slider-cranks are not simulated yet"),
    ] {
        if let Some(a) = e.peek(name) {
            a.mark(Fate::Unsupported, note);
            return Ok((Vec::new(), Some(note)));
        }
    }
    Err(e.missing("a transmission", "joint, jointinparent or tendon"))
}

/// The inertia matrix in the neutral configuration, factored when first asked for.
#[derive(Default)]
pub(crate) struct NeutralInertia {
    factor: Option<Option<Factor>>,
}

impl NeutralInertia {
    /// Inertia that the actuator feels, 1/(c M⁻¹ cᵀ) for the coefficients c of its transmission, as
    /// MuJoCo 4 takes it; 0 where there is none.
    fn felt(&mut self, model: &Model, transmission: &[(usize, f64)]) -> f64 {
        let inverse = self.inverse(model, transmission);
        if inverse > 0.0 { 1.0 / inverse } else { 0.0 }
    }

    /// c M⁻¹ cᵀ; 0 where M is singular.
    pub(crate) fn inverse(&mut self, model: &Model, transmission: &[(usize, f64)]) -> f64 {
        let factor = self.factor.get_or_insert_with(|| {
            let mut kin = Kinematics::new(model);
            kin.update(model, &model.neutral());
            let mut M = MassMatrix::new(model);
            crba_into(model, &kin, &mut CrbaWorkspace::new(model), &mut M);
            let mut factor = Factor::new(model);
            factor.factor(&M).ok().map(|()| factor)
        });
        let Some(factor) = factor else { return 0.0 };
        let mut c = vec![0.0; model.nv()];
        for &(dof, coefficient) in transmission {
            if let Some(slot) = c.get_mut(dof) {
                *slot += coefficient;
            }
        }
        let mut x = c.clone();
        factor.solve_in_place(&mut x);
        c.iter().zip(x).map(|(c, x)| c * x).sum()
    }
}
