//! The mass matrix at the reference posture: singular, or nearly.
//! By (1) and (2) of [`super::condition`].

use super::condition::matrix;
use super::report::{Findings, Rule, error, number, warning};
use super::subject::Subject;
use stiction_world::World;

const SINGULAR: Rule = error(
    "mass-matrix-singular",
    "the mass matrix has no inverse at the reference posture: some motion has no inertia",
    "give the bodies that this motion moves a mass and inertia, or the joint an armature",
);
const ILL: Rule = warning(
    "mass-matrix-condition",
    "the mass matrix is ill-conditioned in any units: some motion has almost no inertia",
    "look for the lightest bodies and the smallest moments; give them their true inertia, or the joint an armature",
);
const LIGHT: Rule = warning(
    "joint-light",
    "a joint feels less inertia than the hand of a watch: the smallest effort throws it",
    "give the bodies behind it their true moments of inertia, or the joint an armature",
);

pub(super) const RULES: &[Rule] = &[SINGULAR, ILL, LIGHT];

/// Diagonal of M below which a joint is a placeholder's [kg·m² or kg].
const FEATHER: f64 = 1e-10;

/// κ(C) from which half of the digits of a solution are lost.
const POOR: f64 = 1e8;
/// κ(C) from which none is left.
const NONE: f64 = 1e14;
pub(super) fn look(subject: &Subject<'_>, out: &mut Findings) {
    let Some(world) = subject.world else { return };
    light(subject, world, out);
    let Some(found) = subject.condition else { return };
    let rule = if found.scaled > NONE {
        &SINGULAR
    } else if found.scaled > POOR {
        &ILL
    } else {
        return;
    };
    let value = format!("condition {}", number(found.scaled));
    let reason = format!("{} dofs, condition {} whatever the units", found.dofs, number(found.scaled));
    out.add(rule, subject.document.root(), value, reason);
}

fn light(subject: &Subject<'_>, world: &World, out: &mut Findings) {
    let Some((M, n)) = matrix(world) else { return };
    let mut seen = None;
    for (i, dof) in world.model.dofs.iter().enumerate() {
        let felt = M.get(i * n + i).copied().unwrap_or(1.0);
        if felt < FEATHER && seen != Some(dof.joint) {
            seen = Some(dof.joint);
            let reason = format!("at the reference posture it feels {} kg·m² or kg", number(felt));
            out.add(&LIGHT, subject.joint(dof.joint), number(felt), reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::testing::{codes, mjcf, report};

    fn chain(last: &str) -> String {
        mjcf(&format!(
            "<worldbody><body><joint axis='0 1 0'/><geom size='0.1' pos='1 0 0'/><body pos='1 0 0'>\
             <joint axis='0 1 0'/>{last}</body></body></worldbody>"
        ))
    }

    /// A point mass on its own hinge axis gives the hinge no inertia.
    #[test]
    fn a_motion_without_inertia() {
        let point = chain("<inertial pos='0 0 0' mass='1' diaginertia='0 0 0'/>");
        assert!(codes(&point).contains(&"mass-matrix-singular"), "{:?}", codes(&point));
        let small = chain("<inertial pos='0 0 0' mass='1' diaginertia='1e-11 1e-11 1e-11'/>");
        assert!(codes(&small).contains(&"joint-light"), "{:?}", codes(&small));
        assert!(!codes(&small).contains(&"mass-matrix-singular"));
        assert!(
            !codes(&chain("<geom size='0.1' pos='1 0 0'/>")).iter().any(|c| c.starts_with("mass-matrix"))
        );
    }

    /// Two slides, 1 kg on top of 1 kg: M = [[2, 1], [1, 1]], eigenvalues (3 ± √5)/2.
    #[test]
    fn conditions_by_hand() {
        let slides = |mass: &str| {
            mjcf(&format!(
                "<worldbody><body><joint type='slide' axis='1 0 0'/><geom size='0.1' mass='{mass}'/><body>\
                 <joint type='slide' axis='1 0 0'/><geom size='0.1' mass='1'/></body></body></worldbody>"
            ))
        };
        assert!(codes(&slides("1e-9")).contains(&"mass-matrix-condition"));
        assert!(!codes(&slides("1")).contains(&"mass-matrix-condition"));
        let found = report(&slides("1")).condition.unwrap();
        let exact = (3.0 + 5.0_f64.sqrt()) / (3.0 - 5.0_f64.sqrt());
        assert!((found.condition / exact - 1.0).abs() < 1e-12, "{found:?}");
        let (c, s) = (1.0 / 2.0_f64.sqrt(), found.scaled);
        assert!((s / ((1.0 + c) / (1.0 - c)) - 1.0).abs() < 1e-12, "{found:?}");
    }
}
