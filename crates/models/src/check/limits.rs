//! Limits of joints and drives: missing, zero, in degrees, out of reach, or already left at the
//! start.

use super::report::{Findings, Rule, error, note, number, warning};
use super::subject::{Subject, part};
use crate::xml::Element;
use std::f64::consts::{PI, TAU};
use stiction_dynamics::JointKind;
use stiction_world::World;

const ORDER: Rule =
    error("limit-order", "the lower limit is above the upper", "exchange them, or correct the sign");
const EFFORT: Rule = warning(
    "limit-effort-zero",
    "an effort limit of 0: taken as not stated here, as a dead drive elsewhere",
    "write the drive's largest effort [N·m or N]",
);
const VELOCITY: Rule = warning(
    "limit-velocity-zero",
    "a velocity limit of 0: taken as not stated here, as a locked joint elsewhere",
    "write the drive's largest speed [rad/s or m/s]",
);
const MISSING: Rule = note(
    "limit-missing",
    "a revolute or prismatic joint that does not state its effort or velocity, which URDF requires",
    "write effort and velocity",
);
const DEGREES: Rule = warning(
    "limit-degrees",
    "the range of a hinge looks like degrees where the file's angles are radians",
    "write radians",
);
const RADIANS: Rule = warning(
    "limit-radians",
    "every hinge of the file has a range of a few degrees: radians where the file's angles are degrees",
    "write <compiler angle=\"radian\"/>, or degrees",
);
const LOCKED: Rule = warning(
    "limit-locked",
    "lower and upper are equal: the joint cannot move",
    "make it a fixed joint, or write its range",
);
const NEUTRAL: Rule = note(
    "reference-outside-limit",
    "the reference posture (q = 0, or ref) is outside the range: a run that starts there starts with an impulse",
    "start from a posture within the limits: a keyframe, or the joints of the scene",
);
const KEYFRAME: Rule = warning(
    "keyframe-outside-limit",
    "a keyframe stands outside the range of a joint",
    "correct the keyframe or the range",
);
const MIMIC: Rule = warning(
    "limit-unreachable",
    "a coupled joint cannot follow its leader over the leader's whole range, or part of its own is out of reach",
    "make both ranges agree through the multiplier and offset",
);

pub(super) const RULES: &[Rule] =
    &[ORDER, EFFORT, VELOCITY, MISSING, DEGREES, RADIANS, LOCKED, NEUTRAL, KEYFRAME, MIMIC];

pub(super) fn look(subject: &Subject<'_>, out: &mut Findings) {
    for element in
        subject.elements().into_iter().filter(|e| e.name() == "limit" && e.parent_name() == "joint")
    {
        stated(element, out);
    }
    let Some(world) = subject.world else { return };
    ranges(subject, world, out);
    radians(subject, world, out);
    postures(subject, world, out);
    couplings(subject, world, out);
}

/// A <limit> as URDF states it.
fn stated(limit: Element<'_>, out: &mut Findings) {
    let Some(joint) = limit.parent() else { return };
    let kind = joint.peek("type").map_or("", |a| a.value().trim());
    if !matches!(kind, "revolute" | "prismatic" | "continuous") {
        return;
    }
    let number_of = |name: &str| limit.peek(name).and_then(|a| a.number().ok());
    let mut say = |rule, name: &str, value: String, reason: String| {
        let place = limit.peek(name).map_or_else(|| limit.place(), |a| a.place());
        out.add_at(rule, place, joint.described(), value, reason);
    };
    if let (Some(lo), Some(hi)) = (number_of("lower"), number_of("upper"))
        && lo > hi
    {
        say(&ORDER, "lower", format!("[{}, {}]", number(lo), number(hi)), "lower is above upper".to_owned());
    }
    for (rule, name) in [(&EFFORT, "effort"), (&VELOCITY, "velocity")] {
        match limit.peek(name) {
            Some(a) if a.number().is_ok_and(|x| x == 0.0) => {
                say(rule, name, "0".to_owned(), format!("the {name} limit is 0"))
            }
            None if kind != "continuous" => {
                say(&MISSING, name, String::new(), format!("no {name} is stated"))
            }
            _ => {}
        }
    }
}

fn range_text([lo, hi]: [f64; 2]) -> String {
    format!("[{}, {}]", number(lo), number(hi))
}

fn ranges(subject: &Subject<'_>, world: &World, out: &mut Findings) {
    for (j, joint) in world.model.joints.iter().enumerate() {
        let Some([lo, hi]) = joint.limit else { continue };
        if joint.kind == JointKind::Ball {
            continue;
        }
        let most = lo.abs().max(hi.abs());
        let whole = |x: f64| (x - x.round()).abs() < 1e-9;
        if lo == hi {
            let (joint, value) = (subject.joint(j), range_text([lo, hi]));
            let at = part(joint, &["limit"]);
            out.add_at(&LOCKED, at.place(), joint.described(), value, "a range of one point");
        } else if joint.kind == JointKind::Hinge
            && (2.0 * TAU..=720.0).contains(&most)
            && whole(lo)
            && whole(hi)
        {
            let reason = format!("that is {} turns", number((hi - lo) / TAU));
            out.add(&DEGREES, subject.joint(j), format!("{} rad", range_text([lo, hi])), reason);
        }
    }
}

/// MJCF's angles are degrees unless it says otherwise.
fn radians(subject: &Subject<'_>, world: &World, out: &mut Findings) {
    let hinges = || world.model.joints.iter().filter(|j| j.kind == JointKind::Hinge);
    let limits: Vec<[f64; 2]> = hinges().filter_map(|j| j.limit).collect();
    let widest = limits.iter().map(|[lo, hi]| hi - lo).fold(0.0, f64::max);
    let is_mjcf = subject.document.root().name() == "mujoco";
    if is_mjcf && limits.len() >= 2 && widest > 0.0 && widest <= (2.0 * TAU).to_radians() {
        let value = format!("at most {}°", number(widest.to_degrees()));
        let reason = format!("{} hinges, none with a range wider than this", limits.len());
        out.add(&RADIANS, subject.document.root(), value, reason);
    }
}

/// By how much `q` is outside the range, if it is by more than rounding.
fn outside(q: f64, [lo, hi]: [f64; 2]) -> Option<f64> {
    let beyond = (lo - q).max(q - hi);
    (beyond > 1e-2).then_some(beyond)
}

fn postures(subject: &Subject<'_>, world: &World, out: &mut Findings) {
    let model = &world.model;
    let scalar = |kind| matches!(kind, JointKind::Hinge | JointKind::Slide);
    for (j, joint) in model.joints.iter().enumerate().filter(|(_, j)| scalar(j.kind)) {
        let Some(limit) = joint.limit else { continue };
        if let Some(beyond) = outside(joint.reference, limit).filter(|_| limit[0] < limit[1]) {
            let value = format!("{} not in {}", number(joint.reference), range_text(limit));
            out.add(&NEUTRAL, subject.joint(j), value, format!("outside by {}", number(beyond)));
        }
        for key in &world.keyframes {
            let q = key.q.get(joint.idx_q).copied().unwrap_or(joint.reference);
            if let Some(beyond) = outside(q, limit) {
                let value = format!("{} not in {}", number(q), range_text(limit));
                let reason = format!("joint `{}` is outside its range by {}", joint.name, number(beyond));
                out.add(&KEYFRAME, subject.keyframe(&key.name), value, reason);
            }
        }
    }
}

/// q₁ = offset − (c₂/c₁) q₂ of a coupling of two joints.
fn couplings(subject: &Subject<'_>, world: &World, out: &mut Findings) {
    let model = &world.model;
    for coupling in &world.couplings {
        let &[(follower, one), (leader, two)] = coupling.terms.as_slice() else { continue };
        let joint = |dof: usize| model.dofs.get(dof).map(|d| d.joint);
        let (Some(f), Some(l)) = (joint(follower), joint(leader)) else { continue };
        let (Some(follows), Some(leads)) = (model.joints.get(f), model.joints.get(l)) else { continue };
        let (Some([lo, hi]), Some(led)) = (follows.limit, leads.limit) else { continue };
        if one == 0.0 || hi - lo > 10.0 * PI {
            continue;
        }
        let at = |q: f64| (coupling.offset - two * (q - leads.reference)) / one + follows.reference;
        let (a, b) = (at(led[0]), at(led[1]));
        let (a, b) = (a.min(b), a.max(b));
        let slack = 0.05 * (hi - lo) + 1e-3;
        if a < lo - slack || b > hi + slack {
            let reason = format!(
                "the range of `{}` asks for {}, beyond its own {}",
                leads.name,
                range_text([a, b]),
                range_text([lo, hi])
            );
            out.add(&MIMIC, subject.joint(f), range_text([lo, hi]), reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::testing::{arm, codes, link, mjcf, solid, urdf};

    fn limited(limit: &str) -> Vec<&'static str> {
        let stated = "lower='-1' upper='1' effort='10' velocity='10'";
        let found = codes(&urdf(&arm(&solid(), "").replace(stated, limit)));
        found.into_iter().filter(|c| c.starts_with("limit") || c.starts_with("reference")).collect()
    }

    #[test]
    fn each_wrong_limit_by_its_name() {
        assert!(limited("lower='-1' upper='1' effort='10' velocity='10'").is_empty());
        assert_eq!(limited("lower='-1' upper='1' effort='0' velocity='10'"), ["limit-effort-zero"]);
        assert_eq!(limited("lower='-1' upper='1' effort='1' velocity='0'"), ["limit-velocity-zero"]);
        assert_eq!(limited("lower='-1' upper='1' velocity='10'"), ["limit-missing"]);
        assert_eq!(limited("lower='-90' upper='90' effort='1' velocity='1'"), ["limit-degrees"]);
        assert_eq!(limited("lower='0' upper='0' effort='1' velocity='1'"), ["limit-locked"]);
        assert_eq!(limited("lower='0.5' upper='1' effort='1' velocity='1'"), ["reference-outside-limit"]);
        assert_eq!(limited("lower='1' upper='-1' effort='1' velocity='1'"), ["limit-order"]);
    }

    #[test]
    fn a_file_of_radians_read_as_degrees() {
        let hinges = |unit: &str| {
            mjcf(&format!(
                "<compiler {unit}/><worldbody><body><joint range='-1.5 1.5'/><geom size='0.1'/><body>\
                 <joint range='-0.5 2'/><geom size='0.1' pos='1 0 0'/></body></body></worldbody>"
            ))
        };
        assert!(codes(&hinges("")).contains(&"limit-radians"));
        assert!(!codes(&hinges("angle='radian'")).contains(&"limit-radians"));
    }

    #[test]
    fn keyframes_beyond_a_range() {
        let key = |q: &str| {
            mjcf(&format!(
                "<worldbody><body><joint range='-90 90'/><geom size='0.1'/></body></worldbody>\
                 <keyframe><key name='k' qpos='{q}'/></keyframe>"
            ))
        };
        assert!(codes(&key("2")).contains(&"keyframe-outside-limit"));
        assert!(!codes(&key("1.5")).contains(&"keyframe-outside-limit"));
    }

    #[test]
    fn a_follower_that_cannot_follow() {
        let mimic = |m: &str| {
            let more = format!("<mimic joint='b_joint' multiplier='{m}'/>");
            urdf(&(arm(&solid(), "") + &link("c", &solid(), "b", &more)))
        };
        assert!(codes(&mimic("2")).contains(&"limit-unreachable"));
        assert!(!codes(&mimic("-1")).contains(&"limit-unreachable"));
    }
}
