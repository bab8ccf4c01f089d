//! <tendon>, <equality>, <actuator> and <keyframe>: what drives and couples joints, and named states.
//!
//! ```text
//!     c₁ y + c₂ x = o   ⇒   y − y₀ = a₀ + a₁ (x − x₀),   a₁ = −c₂/c₁,   a₀ = o/c₁ − y₀ + a₁ x₀         (1)
//! ```
//! with x₀, y₀ the references; three joints and more are a tendon of fixed length.

use super::mjcf_writer::Writer;
use super::tree::Branch;
use stiction_dynamics::spatial::Pose;
use stiction_dynamics::{JointKind, Kinematics};
use stiction_world::{Actuator, ActuatorLaw, Coupling, Keyframe};
use stiction_world::{Hold, LoopClosure};
use stiction_world::{Tendon, TendonPath};

/// Points nearer than this are one [m].
const CLOSED: f64 = 1e-9;

pub(crate) fn write(w: &mut Writer<'_>, branches: &[Branch]) {
    let world = w.world;
    // Linear combinations of joints, by name; made where a joint alone does not say it.
    let mut tendons: Vec<(String, Vec<(usize, f64)>)> = Vec::new();
    let of_actuators: Vec<Option<usize>> = (world.actuators.iter().enumerate())
        .map(|(i, a)| {
            (!a.transmission.is_empty() && one_joint(w, a).is_none()).then(|| {
                tendons.push((format!("drive{i}"), a.transmission.clone()));
                tendons.len() - 1
            })
        })
        .collect();
    let of_couplings: Vec<Option<usize>> = (world.couplings.iter().enumerate())
        .map(|(i, c)| {
            (c.terms.len() > 2).then(|| {
                tendons.push((format!("coupling{i}"), c.terms.clone()));
                tendons.len() - 1
            })
        })
        .collect();
    if !tendons.is_empty() || !world.tendons.is_empty() {
        w.xml.open("tendon");
        for (i, tendon) in world.tendons.iter().enumerate() {
            own_tendon(w, i, tendon);
        }
        for (name, terms) in &tendons {
            w.xml.open("fixed").attribute("name", name);
            for &(dof, coefficient) in terms {
                let joint = &w.joints[world.model.dofs[dof].joint];
                w.xml.open("joint").attribute("joint", joint).number("coef", coefficient).close();
            }
            w.xml.close();
        }
        w.xml.close();
    }
    w.xml.open("equality");
    for (coupling, tendon) in world.couplings.iter().zip(of_couplings) {
        equality(w, coupling, tendon.map(|t| tendons[t].0.as_str()));
    }
    screws(w);
    for closure in &world.loops {
        held(w, closure);
    }
    w.xml.close();
    w.xml.open("actuator");
    for (actuator, tendon) in world.actuators.iter().zip(of_actuators) {
        drive(w, actuator, tendon.map(|t| tendons[t].0.as_str()));
    }
    w.xml.close();
    w.xml.open("keyframe");
    for key in &world.keyframes {
        keyframe(w, branches, key);
    }
    w.xml.close();
}

/// A tendon of the world, under a name that no other can have.
fn own_tendon(w: &mut Writer<'_>, index: usize, tendon: &Tendon) {
    let Tendon { name, path, stiffness, damping, slack, friction, limit, effort_limit, armature } = tendon;
    let TendonPath::Fixed(terms) = path else {
        w.notes.note("tendons through sites are left out", name);
        return;
    };
    w.xml.open("fixed").attribute("name", &format!("tendon{index}_{name}"));
    w.xml.unless("stiffness", *stiffness, 0.0).unless("damping", *damping, 0.0);
    w.xml.unless("frictionloss", *friction, 0.0).unless("armature", *armature, 0.0);
    if let Some(slack) = slack {
        w.xml.numbers("springlength", slack);
    }
    for (flag, range, limit) in
        [("limited", "range", limit), ("actuatorfrclimited", "actuatorfrcrange", effort_limit)]
    {
        match limit {
            Some(limit) => w.xml.attribute(flag, "true").numbers(range, limit),
            None => w.xml.attribute(flag, "false"),
        };
    }
    for &(dof, coefficient) in terms {
        let joint = &w.joints[w.world.model.dofs[dof].joint];
        w.xml.open("joint").attribute("joint", joint).number("coef", coefficient).close();
    }
    w.xml.close();
}

/// The joint that all of a transmission is on, and its gear.
fn one_joint(w: &Writer<'_>, actuator: &Actuator) -> Option<(usize, [f64; 6])> {
    let model = &w.world.model;
    let &(first, _) = actuator.transmission.first()?;
    let joint = model.dofs[first].joint;
    let mut gear = [0.0; 6];
    for &(dof, coefficient) in &actuator.transmission {
        *gear.get_mut(dof.checked_sub(model.joints[joint].idx_v)?)? += coefficient;
        if model.dofs[dof].joint != joint {
            return None;
        }
    }
    Some((joint, gear))
}

/// Writes a coupling as an equality (1).
fn equality(w: &mut Writer<'_>, coupling: &Coupling, tendon: Option<&str>) {
    let Coupling { name, terms, offset, curve } = coupling;
    let model = &w.world.model;
    let joint_of = |dof: usize| model.dofs[dof].joint;
    let reference = |dof: usize| model.joints[joint_of(dof)].reference;
    let named = |w: &mut Writer<'_>, tag: &'static str| {
        w.xml.open(tag);
        if !name.is_empty() {
            w.xml.attribute("name", name);
        }
    };
    if curve.is_some() && (tendon.is_some() || terms.len() != 2) {
        w.notes.note("couplings of more than two joints are straight now", name);
    }
    if let Some(tendon) = tendon {
        let at_rest: f64 = terms.iter().map(|&(dof, c)| c * reference(dof)).sum();
        named(w, "tendon");
        w.xml
            .attribute("tendon1", tendon)
            .numbers("polycoef", &[offset - at_rest, 0.0, 0.0, 0.0, 0.0])
            .close();
        return;
    }
    let Some(&(y, c1)) = terms.first() else { return };
    let leader = terms.get(1).copied();
    let a1 = leader.map_or(0.0, |(_, c2)| -c2 / c1);
    let x0 = leader.map_or(0.0, |(x, _)| reference(x));
    let a0 = offset / c1 - reference(y) + a1 * x0;
    named(w, "joint");
    w.xml.attribute("joint1", &w.joints[joint_of(y)]);
    if let Some((x, _)) = leader {
        w.xml.attribute("joint2", &w.joints[joint_of(x)]);
    }
    let mut bend = [0.0; 3];
    if let (Some(curve), Some((x, _))) = (curve, leader) {
        if curve.terms == [(x, 1.0)] && curve.reference == x0 {
            bend = curve.coefficients.map(|a| a / c1);
        } else {
            w.notes.note("couplings that bend elsewhere than from the reference are straight now", name);
        }
    }
    let [a2, a3, a4] = bend;
    w.xml.numbers("polycoef", &[a0, a1, a2, a3, a4]).close();
}

/// X_W1 X_1A = X_W2 X_2B, as `relpose` = X_1A X_2B⁻¹ and `anchor` = p_2B. A `connect` states one point, and takes
/// the other from the neutral configuration.
fn held(w: &mut Writer<'_>, closure: &LoopClosure) {
    let LoopClosure { name, ends, hold, torque_scale, active, softness: _, yields } = closure;
    let [(one, X_1A), (two, X_2B)] = match ends {
        [world @ (None, _), other] => [*other, *world],
        both => *both,
    };
    let Some(first) = one else {
        w.notes.note("loops between points of the world are left out", name);
        return;
    };
    let mut kin = Kinematics::new(&w.world.model);
    kin.update(&w.world.model, &w.world.model.neutral());
    let point = |link: Option<usize>, X: Pose| {
        let (body, X) = w.world.mount(link, X);
        body.map_or(X, |b| kin.X_WB[b] * X).translation
    };
    let apart = (point(one, X_1A) - point(two, X_2B)).norm();
    let tag = match hold {
        Hold::Frame => "weld",
        Hold::Point if apart <= CLOSED => "connect",
        Hold::Point => {
            w.notes.note("loops that are open in the neutral configuration are left out", name);
            return;
        }
        Hold::KnifeEdge => {
            w.notes.note("knife edges are left out", name);
            return;
        }
        Hold::Hinge | Hold::Slide | Hold::Distance(_) => {
            w.notes.note("loops through hinges, slides and rods are left out", name);
            return;
        }
    };
    if *yields {
        w.notes.note("welds that yield are rigid now", name);
    }
    w.xml.open(tag);
    if !name.is_empty() {
        w.xml.attribute("name", name);
    }
    w.xml.attribute("body1", &w.bodies[first]);
    if let Some(second) = two {
        w.xml.attribute("body2", &w.bodies[second]);
    }
    if *hold == Hold::Frame {
        let X_12 = X_1A * X_2B.inverse();
        let ([x, y, z], [qw, qx, qy, qz]) = (X_1A.translation.to_array(), X_12.rotation.to_array());
        w.xml.numbers("anchor", &X_2B.translation.to_array()).numbers("relpose", &[x, y, z, qw, qx, qy, qz]);
        w.xml.unless("torquescale", *torque_scale, 1.0);
    } else {
        w.xml.numbers("anchor", &X_1A.translation.to_array());
    }
    if !active {
        w.xml.attribute("active", "false");
    }
    w.xml.close();
}

/// Writes the equalities that hold the slides of screws to their hinges. MuJoCo softens an equality by what a unit of each
/// joint weighs, whatever their ratio: it is as stiff as it can be where the joint of the larger numbers is the dependent one.
fn screws(w: &mut Writer<'_>) {
    for (j, joint) in w.world.model.joints.iter().enumerate().filter(|(_, j)| j.kind == JointKind::Screw) {
        let name = w.joints[j].clone();
        let travel = format!("{name}_travel");
        let steep = joint.pitch != 0.0 && joint.pitch.abs() < 1.0;
        let (one, two, ratio) =
            if steep { (&name, &travel, 1.0 / joint.pitch) } else { (&travel, &name, joint.pitch) };
        w.xml.open("joint").attribute("joint1", one).attribute("joint2", two);
        w.xml.numbers("polycoef", &[0.0, ratio, 0.0, 0.0, 0.0]).close();
    }
}

fn drive(w: &mut Writer<'_>, actuator: &Actuator, tendon: Option<&str>) {
    let Actuator { name, transmission, law, effort_limit, control_limit } = actuator;
    if transmission.is_empty() {
        w.notes.note("actuators that move nothing are left out, with their controls", name);
        return;
    }
    let ActuatorLaw { gain, bias, bias_length, bias_velocity } = *law;
    let joint = one_joint(w, actuator);
    w.xml.open("general");
    if !name.is_empty() {
        w.xml.attribute("name", name);
    }
    match (joint, tendon) {
        (Some((joint, gear)), _) => {
            w.xml.attribute("joint", &w.joints[joint]);
            let scalar = w.world.model.joints[joint].kind.is_scalar();
            let gear = if scalar { &gear[..1] } else { &gear[..] };
            w.xml.numbers("gear", gear);
        }
        (None, tendon) => {
            w.xml.attribute("tendon", tendon.unwrap_or_default());
        }
    }
    w.xml.attribute("gaintype", "fixed").number("gainprm", gain);
    w.xml.attribute("biastype", "affine").numbers("biasprm", &[bias, bias_length, bias_velocity]);
    for (flag, range, limit) in
        [("forcelimited", "forcerange", effort_limit), ("ctrllimited", "ctrlrange", control_limit)]
    {
        match limit {
            Some(limit) => w.xml.attribute(flag, "true").numbers(range, limit),
            None => w.xml.attribute(flag, "false"),
        };
    }
    w.xml.close();
}

/// A state, in the order of the joints as written.
fn keyframe(w: &mut Writer<'_>, branches: &[Branch], key: &Keyframe) {
    let Keyframe { name, q, v, control } = key;
    let world = w.world;
    let (mut qpos, mut qvel) = (Vec::new(), Vec::new());
    for &j in branches.iter().flat_map(|b| &b.joints) {
        let joint = &world.model.joints[j];
        let of = |all: &[f64], first: usize, n: usize| all.get(first..first + n).map(<[f64]>::to_vec);
        let own_q = of(q, joint.idx_q, joint.kind.nq()).unwrap_or_default();
        let own_v = of(v, joint.idx_v, joint.kind.nv());
        let travel = (joint.kind == JointKind::Screw).then(|| {
            let turned = own_q.first().map_or(0.0, |q| q - joint.reference);
            (joint.pitch * turned, joint.pitch * own_v.as_ref().map_or(0.0, |v| v[0]))
        });
        qpos.extend(own_q);
        qvel.extend(own_v.unwrap_or_default());
        if let Some((travel, speed)) = travel {
            qpos.push(travel);
            qvel.extend((!v.is_empty()).then_some(speed));
        }
    }
    w.xml.open("key").attribute("name", name).numbers("qpos", &qpos);
    if !qvel.is_empty() {
        w.xml.numbers("qvel", &qvel);
    }
    let driven = world.actuators.iter().zip(control).filter(|(a, _)| !a.transmission.is_empty());
    let control: Vec<f64> = driven.map(|(_, u)| *u).collect();
    if !control.is_empty() {
        w.xml.numbers("ctrl", &control);
    }
    w.xml.close();
}
