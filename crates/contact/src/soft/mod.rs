//! Compliant laws of other engines: the impulse of a block is a function of its velocity.
//!
//! With c₀ = G λ + g the velocity of the mechanism, R₀ the problem's own compliance and K the set of the
//! block, every law is one of
//!
//! ```text
//!     K ∋ λ ⟂ c₀ + (R₀ + R) λ + s ∈ K*                                (1)  MuJoCo, SAP
//!     λ = F(c₀ + s)                                                   (2)  MuJoCo's pyramid, Hunt–Crossley
//! ```
//!
//! Without De Saxcé's correction, (1) is the optimality of a strongly convex problem [Todorov2014], and
//! so is (2), where F is minus the gradient of a convex potential. R [1/kg], the shift s [m/s] and F come
//! from a block's [`Softness`] and the step. Scalar rows that carry compliance of their own (implicit
//! springs) stay as they are; of friction blocks only (1) reads it. Friction blocks hold (t₁, t₂, n).

mod curvature;
pub mod hunt_crossley;
pub mod mujoco;
pub mod sap;

use crate::cone::{Cone, MAX_ROWS, tangential};
use crate::law::Law;
use crate::matrix3::Block3;
use crate::problem::ConstraintProblem;
use crate::softness::Softness;
use hunt_crossley::HuntCrossley;

/// One block under a compliant law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SoftBlock {
    /// Too far apart to act: λ = 0.
    Off,
    /// No impulse moves it, and no compliance can be scaled to it: the rigid law judges.
    Inert,
    /// (1), R₀ included in `compliance`.
    Cone { cone: Cone, compliance: [f64; 3], shift: [f64; 3] },
    /// (1) of a patch: R₀ + R of all tangential rows, and of the normal.
    Patch { mu: f64, compliance: [f64; 2], shift: [f64; MAX_ROWS] },
    /// (2): two edges n ± μ t for every tangential row, each with the same compliance.
    Pyramid { mu: f64, compliance: f64, shift: [f64; MAX_ROWS] },
    /// (2), with the shift of the normal row.
    HuntCrossley { contact: HuntCrossley, frictional: bool, shift: f64 },
}

impl SoftBlock {
    /// Block i of `problem` under `law`; `diagonal` is (G + R₀)_ii by rows, a scalar block in its first
    /// number, of a patch the three rows of its force. `None` where the law is rigid, or says nothing of patches
    /// ([`Law::takes_patches`]).
    pub fn new(law: Law, problem: &ConstraintProblem, i: usize, diagonal: &Block3) -> Option<Self> {
        if !law.compliant() {
            return None;
        }
        let (cone, rows) = (problem.cone(i), problem.range(i));
        if rows.len() > 3 && !law.takes_patches() {
            return None;
        }
        let own = &problem.compliance[rows.clone()];
        if rows.len() == 1 && own[0] > 0.0 {
            return Some(Self::Cone { cone, compliance: [own[0]; 3], shift: [0.0; 3] });
        }
        let mut g = *diagonal;
        let stored = rows.len().min(3);
        own[..stored].iter().enumerate().for_each(|(k, r)| g[k * stored + k] -= r);
        if g.iter().all(|x| *x == 0.0) {
            return Some(Self::Inert);
        }
        let softness = problem.softness.get(i).copied().unwrap_or_default();
        let h = problem.time_step;
        let mut out = match law {
            Law::Mujoco | Law::MujocoPyramidal => {
                mujoco::block(cone, &softness, &g, h, law == Law::MujocoPyramidal)
            }
            Law::Sap => sap::block(cone, &softness, &g, h),
            Law::Lagged | Law::Similar => hunt_crossley::block(cone, &softness, &g, h, law == Law::Similar),
            _ => return None,
        };
        match &mut out {
            Self::Cone { compliance, .. } => compliance.iter_mut().zip(own).for_each(|(r, own)| *r += own),
            Self::Patch { compliance: [t, n], .. } => (*t, *n) = (*t + own[0], *n + own[2]),
            _ => {}
        }
        Some(out)
    }

    /// λ = F(c₀); components past the block's rows are zero.
    #[inline]
    pub fn impulse(&self, c: &[f64]) -> [f64; MAX_ROWS] {
        let [x, y, z] = match *self {
            Self::Patch { mu, compliance: [t, n], shift } => {
                let mut y = wanted(c, [t, n], shift);
                project_weighted_patch(&mut y, mu, t / n);
                return y;
            }
            Self::Off | Self::Inert => [0.0; 3],
            Self::Cone { cone: Cone::Friction { mu }, compliance: r, shift: s } => {
                let y = [-(c[0] + s[0]) / r[0], -(c[1] + s[1]) / r[1], -(c[2] + s[2]) / r[2]];
                project_weighted(y, mu, r[0] / r[2])
            }
            Self::Cone { cone, compliance, shift } => {
                let mut x = [-(c[0] + shift[0]) / compliance[0]];
                cone.project(&mut x);
                [x[0], 0.0, 0.0]
            }
            Self::Pyramid { mu, compliance, shift } => {
                let edge = |x: f64| if x < 0.0 { -x / compliance } else { 0.0 };
                let mut out = [0.0; MAX_ROWS];
                for k in (0..c.len()).filter(|k| *k != 2) {
                    let [a, b] = mujoco::edges(c[k] + shift[k], c[2] + shift[2], mu).map(edge);
                    out[k] = mu * (a - b);
                    out[2] += a + b;
                }
                return out;
            }
            Self::HuntCrossley { contact, frictional: true, shift } => {
                contact.impulse([c[0], c[1], c[2] + shift])
            }
            Self::HuntCrossley { contact, frictional: false, shift } => {
                [contact.impulse([0.0, 0.0, c[0] + shift])[2], 0.0, 0.0]
            }
        };
        [x, y, z, 0.0, 0.0, 0.0]
    }
}

/// −R⁻¹ (c + s) of a patch; components past its rows are zero.
#[inline]
fn wanted(c: &[f64], [t, n]: [f64; 2], shift: [f64; MAX_ROWS]) -> [f64; MAX_ROWS] {
    let mut y = [0.0; MAX_ROWS];
    y.iter_mut().zip(c.iter().zip(shift)).for_each(|(y, (c, s))| *y = -(c + s) / t);
    y[2] *= t / n;
    y
}

/// Projection of y on K_μ in the metric diag(R_t, R_t, R_n), where `ratio` = R_t/R_n [Castro2022].
#[inline]
fn project_weighted(y: [f64; 3], mu: f64, ratio: f64) -> [f64; 3] {
    let t = (y[0] * y[0] + y[1] * y[1]).sqrt();
    // Without friction, 0 <= 0 · y_n says nothing of the sign of y_n.
    if t <= mu * y[2] && y[2] >= 0.0 {
        return y;
    }
    if y[2] <= -mu * ratio * t {
        return [0.0; 3];
    }
    let n = (y[2] + mu * ratio * t) / (1.0 + mu * mu * ratio);
    let scale = if t > 0.0 { mu * n / t } else { 0.0 };
    [scale * y[0], scale * y[1], n]
}

/// Projects the impulses `y` of a patch on its cone in the metric diag(R), in place.
fn project_weighted_patch(y: &mut [f64; MAX_ROWS], mu: f64, ratio: f64) {
    let t = tangential(y);
    let [x, _, n] = project_weighted([t, 0.0, y[2]], mu, ratio);
    let scale = if x == t { 1.0 } else { x / t };
    y.iter_mut().for_each(|y| *y *= scale);
    y[2] = n;
}

/// Off beyond `reach` of the gap: contacts and limits that no law of these knows before they touch.
fn apart(cone: Cone, softness: &Softness, reach: f64) -> bool {
    cone.opens() && softness.gap > reach
}

/// `weight` of the softness, or `own` where it has none.
fn weight(softness: &Softness, own: f64) -> f64 {
    if softness.weight > 0.0 { softness.weight } else { own }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::natural_map_of;

    /// One contact with an unremarkable G.
    fn contact(softness: Softness, g: [f64; 3]) -> ConstraintProblem {
        let mut problem = ConstraintProblem::default();
        problem.time_step = 0.01;
        problem.push(Cone::Friction { mu: 0.6 }, &g);
        problem.softness.push(softness);
        let (start, blocks) = problem.starts_and_blocks_mut();
        blocks.set_pattern(start, |i, out| out.push(i));
        blocks.entry_mut(0).copy_from_slice(&[1.0, 0.1, 0.3, 0.1, 0.8, -0.2, 0.3, -0.2, 1.2]);
        problem
    }

    /// Where g is c − G F(c), the impulses F(c) have no residual, and others do.
    #[test]
    fn the_judge_agrees_with_the_law() {
        let softness = Softness { gap: -1e-4, velocity: [0.1, -0.2, -0.3], bias: 0.4, ..Softness::default() };
        for law in [Law::Mujoco, Law::MujocoPyramidal, Law::Sap, Law::Lagged, Law::Similar] {
            for c in [[0.01, 0.02, -0.1], [1.0, 0.3, -0.2], [0.0, 0.0, -0.01], [0.1, 0.1, 3.0]] {
                let mut problem = contact(softness, [0.0; 3]);
                let mut diagonal = Vec::new();
                problem.diagonal_blocks_into(&mut diagonal);
                let lambda = SoftBlock::new(law, &problem, 0, &diagonal[0]).unwrap().impulse(&c);
                let lambda = &lambda[..3];
                let mut moved = Vec::new();
                problem.delassus_mul_into(lambda, &mut moved);
                (0..3).for_each(|k| problem.free_velocity[k] = c[k] - moved[k]);
                let scale = 1.0 + lambda.iter().fold(0.0, |m: f64, l| m.max(l.abs()));
                let own = natural_map_of(&problem, lambda, law);
                assert!(own < 1e-10 * scale, "{law:?} {c:?}: {own}");
                let off = [lambda[0], lambda[1], lambda[2] + 0.1];
                assert!(natural_map_of(&problem, &off, law) > 1e-3, "{law:?} {c:?}");
            }
        }
    }

    /// F(c) has no residual of contacts that resist spinning and rolling either, where the law takes them.
    #[test]
    fn the_judge_agrees_with_the_law_of_patches() {
        let [velocity, turning] = [[0.1, -0.2, -0.3], [0.2, 0.1, -0.1]];
        let softness = Softness { gap: -1e-4, velocity, turning, bias: 0.4, ..Softness::default() };
        for (law, rolls) in [
            (Law::Mujoco, false),
            (Law::Mujoco, true),
            (Law::MujocoPyramidal, false),
            (Law::MujocoPyramidal, true),
        ] {
            for c in [
                [0.01, 0.02, -0.1, 0.03, 0.0, 0.01],
                [1.0, 0.3, -0.2, 0.5, -0.4, 0.1],
                [0.1, 0.1, 3.0, 0.1, 0.0, 0.0],
            ] {
                let cone = Cone::Patch { mu: 0.6, rolls };
                let dim = cone.dim();
                let mut problem = ConstraintProblem::default();
                problem.time_step = 0.01;
                problem.push(cone, &[0.0; MAX_ROWS][..dim]);
                problem.softness.push(softness);
                let (start, blocks) = problem.starts_and_blocks_mut();
                blocks.set_pattern(start, |i, out| out.push(i));
                for (k, g) in blocks.entry_mut(0).iter_mut().enumerate() {
                    *g = if k / dim == k % dim { 1.0 } else { 0.1 };
                }
                let mut diagonal = Vec::new();
                problem.diagonal_blocks_into(&mut diagonal);
                let lambda = SoftBlock::new(law, &problem, 0, &diagonal[0]).unwrap().impulse(&c[..dim]);
                assert!(lambda[dim..].iter().all(|l| *l == 0.0));
                let (lambda, mut moved) = (&lambda[..dim], Vec::new());
                problem.delassus_mul_into(lambda, &mut moved);
                (0..dim).for_each(|k| problem.free_velocity[k] = c[k] - moved[k]);
                let scale = 1.0 + lambda.iter().fold(0.0, |m: f64, l| m.max(l.abs()));
                let own = natural_map_of(&problem, lambda, law);
                assert!(own < 1e-10 * scale, "{law:?} {c:?}: {own}");
                let mut off = lambda.to_vec();
                off[3] += 0.1;
                assert!(natural_map_of(&problem, &off, law) > 1e-3, "{law:?} {c:?}");
            }
        }
        let mut problem = ConstraintProblem::default();
        problem.push(Cone::Patch { mu: 0.6, rolls: true }, &[0.0; MAX_ROWS]);
        for law in [Law::Sap, Law::Lagged, Law::Similar] {
            assert_eq!(SoftBlock::new(law, &problem, 0, &[1.0; 9]), None, "{law:?} says nothing of patches");
        }
    }

    /// Nor when the velocity is along the normal alone.
    #[test]
    fn without_friction_nothing_pulls() {
        let softness = Softness { gap: -1e-4, ..Softness::default() };
        for law in [Law::Mujoco, Law::MujocoPyramidal, Law::Sap, Law::Lagged, Law::Similar] {
            let mut problem = contact(softness, [0.0; 3]);
            problem.set_cone(0, Cone::Friction { mu: 0.0 });
            let mut diagonal = Vec::new();
            problem.diagonal_blocks_into(&mut diagonal);
            let impulse = SoftBlock::new(law, &problem, 0, &diagonal[0]).unwrap().impulse(&[0.0, 0.0, 30.0]);
            assert_eq!(impulse.map(f64::abs), [0.0; MAX_ROWS], "{law:?}");
        }
    }

    /// Contacts that do not touch do not act.
    #[test]
    fn what_is_apart_is_off() {
        let softness = Softness { gap: 1e-3, ..Softness::default() };
        for law in [Law::Mujoco, Law::MujocoPyramidal, Law::Sap, Law::Lagged, Law::Similar] {
            let problem = contact(softness, [1.0, 0.0, -1.0]);
            assert_eq!(natural_map_of(&problem, &[0.0; 3], law), 0.0);
            assert!(natural_map_of(&problem, &[0.0, 0.0, 0.1], law) > 0.1);
        }
    }
}
