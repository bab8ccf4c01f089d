//! Joints: axes, units of placements, and springs and dampers that only an implicit step survives.
//!
//! ```text
//!     explicit Euler at step h, inertia m felt along the dof:
//!         damping d is unstable for     h d / m > 2                               (1)
//!         stiffness k for               h² k / m > 4  (symplectic)                (2)
//! ```
//! m = 1/(M⁻¹)ᵢᵢ at the reference posture.

use super::report::{Findings, Rule, note, number, numbers, warning};
use super::subject::{Subject, posed};
use stiction_dynamics::{CrbaWorkspace, Factor, MassMatrix, crba_into};
use stiction_world::World;

const NOT_UNIT: Rule = note(
    "axis-not-unit",
    "the axis of a joint is not of length 1: it is made so here, and scales the joint elsewhere",
    "write a unit vector; `stiction check --fix` does",
);
const DEGREES: Rule = warning(
    "angle-degrees",
    "roll, pitch or yaw beyond a full turn: degrees instead of radians",
    "write radians",
);
const FAR: Rule =
    warning("origin-far", "a joint more than 100 m from its parent: mm instead of m", "write metres");
const DAMPING: Rule = note(
    "joint-damping-stiff",
    "the joint's damping is too strong for an explicit step: taken implicitly here, it diverges elsewhere",
    "lower the damping, or the time step of the other program",
);
const STIFFNESS: Rule = note(
    "joint-stiffness-stiff",
    "the joint's spring is too stiff for an explicit step: taken implicitly here, it diverges elsewhere",
    "lower the stiffness, or the time step of the other program",
);
const STEP: Rule = warning(
    "time-step",
    "a time step above 20 ms or below 1 µs",
    "write seconds; robots with contacts take 1 to 5 ms",
);
const GRAVITY: Rule =
    warning("gravity", "gravity above that of Jupiter: mm/s² instead of m/s²", "write m/s²; on earth 9.81");

pub(super) const RULES: &[Rule] = &[NOT_UNIT, DEGREES, FAR, DAMPING, STIFFNESS, STEP, GRAVITY];

/// Deviation of the length of an axis that is more than rounding.
pub(super) const NOT_ONE: f64 = 1e-4;

pub(super) fn look(subject: &Subject<'_>, out: &mut Findings) {
    for element in subject.elements() {
        let (stated, angles) = match element.name() {
            "axis" => (element.peek("xyz"), None),
            "joint" if element.parent_name() != "default" => (element.peek("axis"), None),
            "origin" => (None, element.peek("rpy")),
            _ => continue,
        };
        if let Some(length) = stated.and_then(|a| a.vector().ok()).map(|v| v.norm())
            && (length - 1.0).abs() > NOT_ONE
            && length > 0.0
        {
            let joint = if element.name() == "axis" { element.parent().unwrap_or(element) } else { element };
            let value = stated.map_or("", |a| a.value()).trim();
            out.add_at(
                &NOT_UNIT,
                element.place(),
                joint.described(),
                value,
                format!("its length is {}", number(length)),
            );
        }
        if let Some(rpy) = angles.and_then(|a| a.vector().ok())
            && rpy.to_array().iter().any(|x| x.abs() > 1.01 * std::f64::consts::TAU)
        {
            let of = element.parent().unwrap_or(element);
            let reason = "more than a full turn [rad]";
            out.add_at(&DEGREES, element.place(), of.described(), numbers(&rpy.to_array()), reason);
        }
    }
    let Some(world) = subject.world else { return };
    placed(subject, world, out);
    stiff(subject, world, out);
}

fn placed(subject: &Subject<'_>, world: &World, out: &mut Findings) {
    for (b, body) in world.model.bodies.iter().enumerate() {
        let away = body.X_PB.translation.norm();
        if away > 100.0 && body.parent.is_some() {
            out.add(&FAR, subject.body(b), format!("{} m", number(away)), "that far from its parent body");
        }
    }
    let root = subject.document.root();
    if let Some(h) = world.time_step.filter(|h| !(1e-6..=0.02).contains(h)) {
        out.add(&STEP, root, format!("{} s", number(h)), "far from the steps that robots need");
    }
    let g = world.model.gravity.norm();
    if g > 30.0 {
        out.add(&GRAVITY, root, format!("{} m/s²", number(g)), "nothing on earth falls like this");
    }
}

/// Larger models are not looked at: the work grows with the cube.
const MAX_DOFS: usize = 500;

/// 1/(M⁻¹)ᵢᵢ of every dof; `None` where M has no inverse, or too many dofs.
pub(super) fn felt(world: &World) -> Option<Vec<f64>> {
    let model = &world.model;
    if model.nv() > MAX_DOFS {
        return None;
    }
    let kin = posed(world, &model.neutral());
    let mut M = MassMatrix::new(model);
    crba_into(model, &kin, &mut CrbaWorkspace::new(model), &mut M);
    let mut factor = Factor::new(model);
    factor.factor(&M).ok()?;
    let mut felt = Vec::with_capacity(model.nv());
    for i in 0..model.nv() {
        let mut x = vec![0.0; model.nv()];
        x[i] = 1.0;
        factor.solve_in_place(&mut x);
        felt.push(1.0 / x[i]);
    }
    Some(felt)
}

fn stiff(subject: &Subject<'_>, world: &World, out: &mut Findings) {
    let model = &world.model;
    let any = model.dofs.iter().any(|d| d.damping > 0.0) || model.joints.iter().any(|j| j.stiffness > 0.0);
    let Some(felt) = any.then(|| felt(world)).flatten() else { return };
    let h = subject.time_step();
    for (j, joint) in model.joints.iter().enumerate() {
        let Some((dof, m)) = model.dofs.get(joint.idx_v).zip(felt.get(joint.idx_v)) else { continue };
        // (1), (2)
        for (rule, what, ratio, limit) in [
            (&DAMPING, dof.damping, h * dof.damping / m, 2.0),
            (&STIFFNESS, joint.stiffness, h * h * joint.stiffness / m, 4.0),
        ] {
            if ratio > limit {
                let reason = format!(
                    "with {} kg·m² or kg felt and a step of {} ms, {} times the explicit limit",
                    number(*m),
                    number(1e3 * h),
                    number(ratio / limit),
                );
                out.add(rule, subject.joint(j), number(what), reason);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::testing::{arm, codes, mjcf, solid, urdf};

    fn body(option: &str, joint: &str) -> Vec<&'static str> {
        codes(&mjcf(&format!(
            "<option {option}/><worldbody><body><joint {joint}/><geom size='0.1' pos='0 0 1'/></body></worldbody>"
        )))
    }

    #[test]
    fn axes_and_angles() {
        let long = urdf(&arm(&solid(), "").replace("0 0 1'/><limit", "0 0 2'/><limit"));
        assert!(codes(&long).contains(&"axis-not-unit"), "{long}");
        assert!(body("", "axis='0 1 1'").contains(&"axis-not-unit"));
        assert!(!body("", "axis='0 1 0'").contains(&"axis-not-unit"));
        let turned = |rpy: &str| {
            urdf(&arm(
                &format!(
                    "{}<visual><origin rpy='{rpy}'/><geometry><sphere radius='0.1'/></geometry></visual>",
                    solid()
                ),
                "",
            ))
        };
        assert!(codes(&turned("90 0 0")).contains(&"angle-degrees"));
        assert!(!codes(&turned("3.1416 0 -1.57")).contains(&"angle-degrees"));
    }

    #[test]
    fn units_of_the_surroundings() {
        assert!(body("gravity='0 0 -9810'", "axis='0 1 0'").contains(&"gravity"));
        assert!(body("timestep='0.1'", "axis='0 1 0'").contains(&"time-step"));
        let far = urdf(&arm(&solid(), "").replace("xyz='0 0 0'", "xyz='0 0 450'"));
        let far =
            far.replace("<link name='a'/>", &format!("<link name='w'/><link name='a'>{}</link>", solid()));
        let far = far.replace(
            "</robot>",
            "<joint name='k' type='continuous'><parent link='w'/><child link='a'/></joint></robot>",
        );
        assert!(codes(&far).contains(&"origin-far"), "{far}");
        assert!(body("", "axis='0 1 0'").iter().all(|c| !["gravity", "time-step", "origin-far"].contains(c)));
    }

    /// 4.19 kg at 1 m: 4.2 kg·m²; at 2 ms damping from 4200 and stiffness from 4.2e6 are too much.
    #[test]
    fn explicit_limits_by_hand() {
        assert!(body("", "axis='0 1 0' damping='4500'").contains(&"joint-damping-stiff"));
        assert!(!body("", "axis='0 1 0' damping='3900'").contains(&"joint-damping-stiff"));
        assert!(body("", "axis='0 1 0' stiffness='4.5e6'").contains(&"joint-stiffness-stiff"));
        assert!(!body("", "axis='0 1 0' stiffness='3.9e6'").contains(&"joint-stiffness-stiff"));
    }
}
