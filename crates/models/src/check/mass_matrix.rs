//! The mass matrix at the reference posture: singular, or nearly.
//!
//! ```text
//!     κ(M) = λ_max / λ_min                                                       (1)
//!     C = D^(−1/2) M D^(−1/2),  D = diag M,  κ(C)                                (2)
//! ```
//!
//! (1) depends on units, for rows of metres and of radians stand side by side; (2) does not, and is
//! within a factor n of the best any choice of units could do [VanDerSluis1969].

use super::report::{Findings, Rule, error, number, warning};
use super::spectrum::eigenvalues;
use super::subject::{Subject, posed};
use stiction_dynamics::{CrbaWorkspace, MassMatrix, crba_into};
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
/// Larger models are not looked at: the work grows with the cube.
const MAX_DOFS: usize = 150;

/// Condition of the mass matrix at the reference posture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    pub dofs: usize,
    /// κ(M), (1); infinite where M has no inverse.
    pub condition: f64,
    /// κ(C), (2): that of any units.
    pub scaled: f64,
}

/// `None` without dofs, or with too many.
pub(super) fn condition(world: &World) -> Option<Condition> {
    let (M, n) = matrix(world)?;
    let at = |i: usize| M.get(i * n + i).copied().unwrap_or(0.0);
    let scale = |k: usize| (at(k / n) * at(k % n)).sqrt();
    let C: Vec<f64> = M.iter().enumerate().map(|(k, x)| if *x == 0.0 { 0.0 } else { x / scale(k) }).collect();
    let scaled = if (0..n).all(|i| at(i) > 0.0) { ratio(C, n) } else { f64::INFINITY };
    Some(Condition { dofs: n, condition: ratio(M, n), scaled })
}

fn matrix(world: &World) -> Option<(Vec<f64>, usize)> {
    let model = &world.model;
    let n = model.nv();
    if n == 0 || n > MAX_DOFS {
        return None;
    }
    let kin = posed(world, &model.neutral());
    let mut M = MassMatrix::new(model);
    crba_into(model, &kin, &mut CrbaWorkspace::new(model), &mut M);
    Some((M.to_dense(), n))
}

/// Largest over smallest eigenvalue; infinite when one is not positive.
fn ratio(a: Vec<f64>, n: usize) -> f64 {
    let values = eigenvalues(a, n);
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    if least > 0.0 { most / least } else { f64::INFINITY }
}

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
