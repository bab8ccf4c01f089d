//! Drives: gains that fight the time step or push the wrong way, and drives without bounds.
//!
//! ```text
//!     servo of stiffness k on an inertia m:  ω = √(k/m);  explicit steps h survive ω h < 2     (1)
//! ```
//! m is felt along the transmission at the reference posture, as in the family of joints.

use super::joints::felt;
use super::report::{Findings, Rule, note, number, warning};
use super::subject::Subject;
use stiction_world::{Actuator, World};

const SIGN: Rule = warning(
    "actuator-sign",
    "a servo that drives its joint away from its target",
    "give it a positive gain: kp > 0, or biasprm = 0 −kp −kv",
);
const GAIN: Rule = warning(
    "actuator-gain",
    "a servo that would oscillate at more than 10 kHz: a gain beyond any drive",
    "lower kp, or check the unit of the inertia it drives",
);
const STIFF: Rule = note(
    "actuator-stiff",
    "a servo too stiff for an explicit step: taken implicitly here, it diverges elsewhere",
    "lower kp, raise the armature, or lower the time step of the other program",
);
const UNDAMPED: Rule = note(
    "actuator-undamped",
    "a position servo without damping, on a joint without damping: it oscillates for ever",
    "give it kv, or the joint damping",
);
const IDLE: Rule = warning("actuator-idle", "its gain is 0: the control does nothing", "give it a gain");
const UNLIMITED: Rule = note(
    "actuator-unlimited",
    "neither effort nor control is limited: a bad command has no bound",
    "give it forcerange or ctrlrange",
);
const TARGET: Rule = note(
    "control-outside-limit",
    "a position servo takes targets beyond the range of its joint: it pushes against the stop",
    "make ctrlrange the range of the joint (inheritrange=\"1\")",
);

pub(super) const RULES: &[Rule] = &[SIGN, GAIN, STIFF, UNDAMPED, IDLE, UNLIMITED, TARGET];

/// Angular rate of 10 kHz [rad/s].
const ABSURD: f64 = 1e4 * std::f64::consts::TAU;

pub(super) fn look(subject: &Subject<'_>, out: &mut Findings) {
    let Some(world) = subject.world else { return };
    let servos = world.actuators.iter().any(|a| a.law.bias_length < 0.0);
    let felt = servos.then(|| felt(world)).flatten();
    for actuator in world.actuators.iter().filter(|a| !a.transmission.is_empty()) {
        law(subject, world, actuator, felt.as_deref(), out);
        bounds(subject, world, actuator, out);
    }
}

fn law(subject: &Subject<'_>, world: &World, a: &Actuator, felt: Option<&[f64]>, out: &mut Findings) {
    let element = subject.actuator(&a.name);
    if a.law.gain == 0.0 {
        out.add(&IDLE, element, "0", "its gain is 0");
    }
    if a.law.bias_length * a.law.gain > 0.0 {
        out.add(&SIGN, element, number(a.law.bias_length), "its effort grows with the error");
    }
    if a.law.bias_length >= 0.0 {
        return;
    }
    let &[(dof, ratio)] = a.transmission.as_slice() else { return };
    let damped = a.law.bias_velocity != 0.0 || world.model.dofs.get(dof).is_some_and(|d| d.damping > 0.0);
    if !damped {
        out.add(&UNDAMPED, element, number(-a.law.bias_length), "neither kv nor damping");
    }
    let Some(m) = felt.and_then(|f| f.get(dof)).filter(|m| **m > 0.0) else { return };
    let (k, h) = (-a.law.bias_length * ratio * ratio, subject.time_step());
    let omega = (k / m).sqrt(); // (1)
    let reason = format!(
        "{} rad/s on the inertia it feels ({} kg·m² or kg), {} per step",
        number(omega),
        number(*m),
        number(omega * h)
    );
    if omega > ABSURD {
        out.add(&GAIN, element, number(-a.law.bias_length), reason);
    } else if omega * h > 2.0 {
        out.add(&STIFF, element, number(-a.law.bias_length), reason);
    }
}

fn bounds(subject: &Subject<'_>, world: &World, a: &Actuator, out: &mut Findings) {
    let element = subject.actuator(&a.name);
    let driven = |&(dof, _): &(usize, f64)| world.drive_limits.get(dof).is_some_and(|d| d.effort.is_some());
    if a.effort_limit.is_none() && a.control_limit.is_none() && !a.transmission.iter().all(driven) {
        out.add(&UNLIMITED, element, "", "no limit of effort or control");
    }
    let (Some([from, to]), &[(dof, ratio)]) = (a.control_limit, a.transmission.as_slice()) else { return };
    let servo = a.law.bias_length < 0.0 && a.law.gain > 0.0 && ratio != 0.0;
    let joint = world.model.dofs.get(dof).and_then(|d| world.model.joints.get(d.joint));
    let Some((joint, [lo, hi])) = joint.filter(|_| servo).and_then(|j| Some((j, j.limit?))) else { return };
    // At rest the length is the target times gain over stiffness.
    let at = |u: f64| u * a.law.gain / -a.law.bias_length / ratio;
    let (least, most) = (at(from).min(at(to)), at(from).max(at(to)));
    let slack = 0.05 * (hi - lo) + 1e-3;
    if least < lo - slack || most > hi + slack {
        let value = format!("[{}, {}]", number(least), number(most));
        let reason = format!("the range of `{}` is [{}, {}]", joint.name, number(lo), number(hi));
        out.add(&TARGET, element, value, reason);
    }
}

#[cfg(test)]
mod tests {
    use crate::check::testing::{codes, mjcf};

    /// 4.19 kg at 1 m from the hinge: 4.2 kg·m²; h = 2 ms.
    fn servo(actuator: &str) -> Vec<&'static str> {
        let found = codes(&mjcf(&format!(
            "<worldbody><body><joint name='j' range='-90 90'/><geom size='0.1' pos='1 0 0'/></body></worldbody>\
             <actuator>{actuator}</actuator>"
        )));
        found.into_iter().filter(|c| c.starts_with("actuator") || c.starts_with("control")).collect()
    }

    #[test]
    fn each_wrong_drive_by_its_name() {
        let fine = "kp='100' kv='20' ctrlrange='-1.5 1.5'";
        assert!(servo(&format!("<position name='p' joint='j' {fine}/>")).is_empty());
        assert_eq!(servo("<position name='p' joint='j' kp='100' ctrlrange='-1 1'/>"), ["actuator-undamped"]);
        assert_eq!(servo("<position name='p' joint='j' kp='100' kv='1'/>"), ["actuator-unlimited"]);
        assert_eq!(
            servo("<position name='p' joint='j' kp='100' kv='1' ctrlrange='-3 3'/>"),
            ["control-outside-limit"]
        );
        assert_eq!(
            servo("<position name='p' joint='j' kp='1e7' kv='1' ctrlrange='-1 1'/>"),
            ["actuator-stiff"]
        );
        assert_eq!(
            servo("<position name='p' joint='j' kp='1e12' kv='1' ctrlrange='-1 1'/>"),
            ["actuator-gain"]
        );
        assert_eq!(servo("<motor name='p' joint='j' ctrlrange='-1 1'/>"), Vec::<&str>::new());
        let general = "<general name='p' joint='j' ctrlrange='-1 1' biastype='affine'";
        assert_eq!(servo(&format!("{general} gainprm='1' biasprm='0 5 0'/>")), ["actuator-sign"]);
        assert_eq!(servo(&format!("{general} gainprm='0' biasprm='0 0 0'/>")), ["actuator-idle"]);
    }
}
