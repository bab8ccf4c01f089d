//! Left and right: joints that their names make a pair must be each other's image.
//!
//! ```text
//!     S reflects at the plane between the pair.  A hinge turning about a has the image −S a   (1)
//!     (an axis is a pseudo-vector), a slide along a the image S a.
//!     axis of the other = s · image, s = ±1:  its range is [lo, hi] for s = 1, [−hi, −lo] for s = −1   (2)
//! ```
//!
//! Looked at in the reference posture, and only where the places of the pair are images too: a
//! robot whose arms start differently says nothing about its axes.

use super::report::{Findings, Rule, note, number, numbers, warning};
use super::subject::{Subject, posed};
use std::collections::BTreeMap;
use stiction_dynamics::spatial::{Vec3, vec3};
use stiction_dynamics::{JointKind, Kinematics};
use stiction_world::World;

const AXIS: Rule = warning(
    "mirror-axis",
    "the axes of a left and a right joint are not images of each other",
    "correct the axis, or the rotation of the joint's origin",
);
const RANGE: Rule = warning(
    "mirror-range",
    "the ranges of a left and a right joint are not images of each other: a sign was copied",
    "exchange and negate lower and upper of one of them, or correct the axis",
);
const MASS: Rule =
    note("mirror-mass", "a left and a right link differ in mass by more than 5 %", "check both masses");

pub(super) const RULES: &[Rule] = &[AXIS, RANGE, MASS];

/// Words for left and what stands for right in their place; short ones only as a whole word.
const WORDS: [(&str, &str); 3] = [("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT")];
const SHORT: [(&str, &str); 14] = [
    ("l", "r"),
    ("L", "R"),
    ("fl", "fr"),
    ("FL", "FR"),
    ("rl", "rr"),
    ("RL", "RR"),
    ("hl", "hr"),
    ("HL", "HR"),
    ("bl", "br"),
    ("BL", "BR"),
    ("lf", "rf"),
    ("LF", "RF"),
    ("lh", "rh"),
    ("LH", "RH"),
];

/// Parts that are often mounted twice alike, and not mirrored.
const TOOLS: [&str; 4] = ["gripper", "finger", "hand", "thumb"];

/// The name of the right one of a left one.
fn other_side(name: &str) -> Option<String> {
    let tool = name.to_ascii_lowercase();
    if TOOLS.iter().any(|t| tool.contains(t)) {
        return None;
    }
    if let Some((left, right)) = WORDS.iter().find(|(left, _)| name.contains(left)) {
        return Some(name.replacen(left, right, 1));
    }
    let words: Vec<&str> = name.split(['_', '-', '.', '/']).collect();
    let mut start = 0;
    for word in words {
        if let Some((_, right)) = SHORT.iter().find(|(left, _)| *left == word) {
            let (before, after) = (name.get(..start)?, name.get(start + word.len()..)?);
            return Some(format!("{before}{right}{after}"));
        }
        start += word.len() + 1;
    }
    None
}

/// Pairs looked at; each is held against all others.
const MAX_PAIRS: usize = 2000;

struct Pair {
    left: usize,
    right: usize,
    /// Coordinate that the mirror turns round, and where it stands.
    normal: usize,
    middle: f64,
}

pub(super) fn look(subject: &Subject<'_>, out: &mut Findings) {
    let Some(world) = subject.world else { return };
    let kin = posed(world, &world.model.neutral());
    let mut pairs = pairs(world, &kin);
    pairs.truncate(MAX_PAIRS);
    // One pair says nothing about the plane of the robot; several that agree do.
    for pair in &pairs {
        let agrees = |o: &&Pair| o.normal == pair.normal && (o.middle - pair.middle).abs() < 0.01;
        if pairs.iter().filter(agrees).count() >= 2 {
            compare(subject, world, &kin, pair, out);
        }
    }
}

fn pairs(world: &World, kin: &Kinematics) -> Vec<Pair> {
    let joints = &world.model.joints;
    let scalar = |kind| matches!(kind, JointKind::Hinge | JointKind::Slide);
    let named: BTreeMap<&str, usize> = joints
        .iter()
        .enumerate()
        .filter(|(_, j)| scalar(j.kind))
        .map(|(i, j)| (j.name.as_str(), i))
        .collect();
    let mut pairs = Vec::new();
    for (&name, &left) in &named {
        let Some(&right) = other_side(name).and_then(|other| named.get(other.as_str())) else { continue };
        let d = place(world, kin, left) - place(world, kin, right);
        let Some(n) = d.normalized().filter(|_| d.norm() > 1e-3) else { continue };
        let Some(normal) = (0..3).find(|&i| n[i].abs() > 0.999) else { continue };
        let middle = 0.5 * (place(world, kin, left)[normal] + place(world, kin, right)[normal]);
        if joints[left].kind == joints[right].kind {
            pairs.push(Pair { left, right, normal, middle });
        }
    }
    pairs
}

fn place(world: &World, kin: &Kinematics, joint: usize) -> Vec3 {
    let joint = &world.model.joints[joint];
    kin.X_WB[joint.body].transform(joint.anchor)
}

fn axis(world: &World, kin: &Kinematics, joint: usize) -> Vec3 {
    let joint = &world.model.joints[joint];
    kin.X_WB[joint.body].rotation.rotate(joint.axis)
}

fn compare(subject: &Subject<'_>, world: &World, kin: &Kinematics, pair: &Pair, out: &mut Findings) {
    let joints = &world.model.joints;
    let (left, right) = (&joints[pair.left], &joints[pair.right]);
    let (a, b) = (axis(world, kin, pair.left), axis(world, kin, pair.right));
    let reflected = vec3(
        if pair.normal == 0 { -a.x } else { a.x },
        if pair.normal == 1 { -a.y } else { a.y },
        if pair.normal == 2 { -a.z } else { a.z },
    );
    let image = if left.kind == JointKind::Hinge { -reflected } else { reflected }; // (1)
    let s = image.dot(b);
    if s.abs() < 0.99 {
        let value = format!("({}) in the world", numbers(&b.to_array()));
        let reason = format!("the image of `{}` is ±({})", left.name, numbers(&image.to_array()));
        out.add(&AXIS, subject.joint(pair.right), value, reason);
    } else if let Some(expected) = left.limit.map(|[lo, hi]| if s > 0.0 { [lo, hi] } else { [-hi, -lo] })
        && let Some(found) = right.limit
    {
        // (2)
        let text = |[lo, hi]: [f64; 2]| format!("[{}, {}]", number(lo), number(hi));
        let slack = 0.05 * (expected[1] - expected[0]) + 0.01;
        if (found[0] - expected[0]).abs() > slack || (found[1] - expected[1]).abs() > slack {
            let reason = format!("the image of the range of `{}` is {}", left.name, text(expected));
            out.add(&RANGE, subject.joint(pair.right), text(found), reason);
        }
    }
    let mass = |joint: usize| world.model.bodies[joints[joint].body].inertia.mass;
    let (l, r) = (mass(pair.left), mass(pair.right));
    if (l - r).abs() > 0.05 * l.max(r) {
        let reason = format!("the body of `{}` weighs {} kg", left.name, number(l));
        out.add(&MASS, subject.body(right.body), format!("{} kg", number(r)), reason);
    }
}

#[cfg(test)]
mod tests {
    use super::other_side;
    use crate::check::testing::{codes, mjcf};

    #[test]
    fn names_of_the_other_side() {
        for (left, right) in [
            ("left_hip", Some("right_hip")),
            ("hip_L", Some("hip_R")),
            ("FL_calf_joint", Some("FR_calf_joint")),
            ("lower", None),
            ("left_gripper", None),
            ("ball", None),
        ] {
            assert_eq!(other_side(left).as_deref(), right);
        }
    }

    /// Two legs: the hip turns outward about x, the knee about y.
    fn legs(right_hip: &str, right_knee: &str, mass: &str) -> Vec<&'static str> {
        let leg = |side: &str, y: f64, hip: &str, knee: &str, mass: &str| {
            format!(
                "<body pos='0 {y} 0'><joint name='{side}_hip' {hip}/><geom size='0.1' mass='{mass}'/><body pos='0 0 -1'>\
                 <joint name='{side}_knee' {knee}/><geom size='0.1' pos='0 0 -1' mass='1'/></body></body>"
            )
        };
        let left = leg("left", 0.2, "axis='1 0 0' range='-20 60'", "axis='0 1 0' range='0 120'", "1");
        let right = leg("right", -0.2, right_hip, right_knee, mass);
        let found = codes(&mjcf(&format!("<worldbody>{left}{right}</worldbody>")));
        found.into_iter().filter(|c| c.starts_with("mirror")).collect()
    }

    #[test]
    fn each_broken_mirror() {
        let (hip, knee) = ("axis='1 0 0' range='-60 20'", "axis='0 1 0' range='0 120'");
        assert!(legs(hip, knee, "1").is_empty());
        assert!(legs("axis='-1 0 0' range='-20 60'", knee, "1").is_empty());
        assert_eq!(legs("axis='1 0 0' range='-20 60'", knee, "1"), ["mirror-range"]);
        assert_eq!(legs("axis='0 0 1' range='-20 60'", knee, "1"), ["mirror-axis"]);
        assert_eq!(legs(hip, knee, "2"), ["mirror-mass"]);
    }
}
