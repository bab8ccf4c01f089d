//! The judge: how far impulses are from a contact law, computed from problem and impulses alone.
//!
//! With c = (G + R) λ + g computed afresh, ĉ = c + Γ(c) and h the time step, per friction block
//! [LeLidec2024, LeLidec2023]:
//!
//! ```text
//!     ε_p = ‖λ − P_K(λ)‖ / h                   primal              [N]      (1)
//!     ε_d = ‖ĉ − P_K*(ĉ)‖                      dual                [m/s]    (2)
//!     ε_c = |⟨λ, ĉ⟩| / h                       complementarity     [W]      (3)
//!     e   = ‖λ − P_K(λ − ρ ĉ)‖ / ρ             natural map         [m/s]    (4)
//!     ε_S = |min(c_N, (G + R)_NN λ_N)|         Signorini           [m/s]    (5)
//!     max(0, ‖λ_T‖ − μ λ_N)                    cone excess         [N·s]    (6)
//!     (λ_T·c_T + μ λ_N ‖c_T‖) / h  ≥ 0         dissipation gap     [W]      (7)
//!     ∠(−λ_T, c_T)                             MDP angle           [rad]    (8)
//!     max(0, c_N) where λ_N > 0                lift                [m/s]    (9)
//! ```
//!
//! ρ = 1/‖(G + R)_ii‖₂. The exact law holds where (4) is zero, for any ρ; (4) is the number to
//! trust, the others say what is wrong. Scalar blocks answer (1)–(5) with their own sets. A NaN
//! anywhere makes every number it touches NaN: [`worse`] and not `f64::max` combines them.

mod block;
pub mod exact;
mod internal;

pub use block::{block_natural_map, raisim_multipliers, soft_natural_map};
pub use internal::{InternalForces, internal_forces};

use crate::cone::{Cone, project_friction, project_friction_dual, tangential};
use crate::law::Law;
pub use crate::nan::worse;
use crate::problem::ConstraintProblem;
use serde::Serialize;
use stiction_dynamics::spatial::Vec3;

/// Slip slower than this has no direction worth judging [m/s].
const SLIP_THRESHOLD: f64 = 1e-6;
/// Impulses below this share of the largest one count as none [–].
const LOAD_THRESHOLD: f64 = 1e-9;

/// Distances from the exact law, worst over the blocks unless said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Certificate {
    /// (1) Force outside its set [N].
    pub eps_p: f64,
    /// (2) Velocity outside the dual set [m/s].
    pub eps_d: f64,
    /// (3) Power of force and corrected velocity, which should be orthogonal [W].
    pub eps_c: f64,
    /// max(ε_p, ε_d, ε_c), the mixed-unit number of the literature.
    pub eps_abs: f64,
    /// (4), 2-norm over all blocks [m/s].
    pub natural_map: f64,
    /// (4) over max(‖g‖, ‖c‖) [–]; zero when nothing moves.
    pub natural_map_relative: f64,
    /// (5) [m/s].
    pub signorini: f64,
    /// (6) [N·s].
    pub cone_excess: f64,
    /// (7), sum over all contacts [W].
    pub dissipation_gap: f64,
    /// (8) over loaded, slipping contacts: largest [rad].
    pub mdp_angle_max: f64,
    /// (8), mean over the same contacts [rad].
    pub mdp_angle_mean: f64,
    /// (9): loaded contacts that separate [m/s].
    pub lift: f64,
    /// The block with the largest (4); `None` without blocks.
    pub worst: Option<usize>,
}

impl Certificate {
    /// The certificate of problems solved one after another, of which `self` is the last: the worst of both. The worst block is that of
    /// `self`.
    pub fn or_worse(&self, earlier: &Self) -> Self {
        Self {
            eps_p: worse(self.eps_p, earlier.eps_p),
            eps_d: worse(self.eps_d, earlier.eps_d),
            eps_c: worse(self.eps_c, earlier.eps_c),
            eps_abs: worse(self.eps_abs, earlier.eps_abs),
            natural_map: worse(self.natural_map, earlier.natural_map),
            natural_map_relative: worse(self.natural_map_relative, earlier.natural_map_relative),
            signorini: worse(self.signorini, earlier.signorini),
            cone_excess: worse(self.cone_excess, earlier.cone_excess),
            dissipation_gap: self.dissipation_gap + earlier.dissipation_gap,
            mdp_angle_max: worse(self.mdp_angle_max, earlier.mdp_angle_max),
            mdp_angle_mean: self.mdp_angle_mean,
            lift: worse(self.lift, earlier.lift),
            worst: self.worst,
        }
    }

    /// True when all residuals are numbers.
    pub fn is_finite(&self) -> bool {
        [self.eps_abs, self.natural_map, self.signorini, self.dissipation_gap].iter().all(|x| x.is_finite())
    }
}

/// Memory for judging step after step without allocating.
#[derive(Clone, Debug, Default)]
pub struct Judge {
    /// c of the problem last judged.
    velocities: Vec<f64>,
    /// Leading rows of the (G + R)_ii of that problem, and what residuals ask of these blocks.
    values: Vec<[f64; 9]>,
    diagonal: Vec<block::Diagonal>,
}

impl Judge {
    /// Judges by the exact law.
    pub fn certify(&mut self, problem: &ConstraintProblem, impulses: &[f64]) -> Certificate {
        self.certify_some(problem, impulses, |_| true)
    }

    /// Judges by the exact law, but only the blocks i for which `wanted(i)` is true.
    pub fn certify_some(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &[f64],
        wanted: impl Fn(usize) -> bool,
    ) -> Certificate {
        self.measure(problem, impulses);
        let c = &self.velocities;
        let load = LOAD_THRESHOLD * impulses.iter().fold(0.0, |m: f64, l| m.max(l.abs()));
        let fallback = block::largest_norm(&self.diagonal);

        let mut out = Certificate::default();
        let (mut squares, mut worst, mut angles, mut sliding) = (0.0, -1.0, 0.0, 0_u32);
        for i in (0..problem.len()).filter(|&i| wanted(i)) {
            let rows = problem.range(i);
            let (lambda, ci) = (&impulses[rows.clone()], &c[rows]);
            let diagonal = &self.diagonal[i];

            let e = block::natural_map(problem.cone(i), diagonal, fallback, lambda, ci, Law::Ncp); // (4)
            squares += e * e;
            if !(e <= worst) {
                worst = e;
                out.worst = Some(i);
            }
            let [p, d, w] = block::primal_dual_power(problem.cone(i), lambda, ci); // (1)–(3)
            out.eps_p = worse(out.eps_p, p / problem.time_step);
            out.eps_d = worse(out.eps_d, d);
            out.eps_c = worse(out.eps_c, w / problem.time_step);
            out.signorini = worse(out.signorini, block::signorini(problem.cone(i), diagonal, lambda, ci)); // (5)
            let normal = problem.cone(i).normal();
            if lambda[normal] > load && problem.cone(i).opens() {
                out.lift = worse(out.lift, worse(0.0, ci[normal])); // (9)
            }
            if let Cone::Friction { mu } | Cone::Patch { mu, .. } = problem.cone(i) {
                let t = tangential(lambda);
                let slip = tangential(ci);
                let mut power = lambda[0] * ci[0] + lambda[1] * ci[1];
                power += lambda[3..].iter().zip(&ci[3..]).map(|(l, c)| l * c).sum::<f64>();
                out.cone_excess = worse(out.cone_excess, worse(0.0, t - mu * lambda[2])); // (6)
                out.dissipation_gap += (power + mu * lambda[2] * slip) / problem.time_step; // (7)
                if slip > SLIP_THRESHOLD && t > load {
                    let angle = across(lambda, ci).atan2(-power); // (8)
                    out.mdp_angle_max = worse(out.mdp_angle_max, angle);
                    angles += angle;
                    sliding += 1;
                }
            }
        }
        out.eps_abs = worse(out.eps_p, worse(out.eps_d, out.eps_c));
        out.natural_map = if self.measurable(problem, impulses) { squares.sqrt() } else { f64::NAN };
        out.natural_map_relative = relative(out.natural_map, &problem.free_velocity, c);
        out.mdp_angle_mean = if sliding > 0 { angles / f64::from(sliding) } else { 0.0 };
        out
    }

    /// (4) for the law a solver claims, 2-norm over all blocks [m/s]. [`Law::Ccp`] drops Γ;
    /// [`Law::Raisim`] puts its own correction in place of Γ; the polyhedral laws drop it and project on
    /// what stands for the cone. Signorini's law with a polygon projects the normal on [0, ∞) and the
    /// tangents on the polygon of radius μ λ_N. Compliant laws add
    /// R λ + s to c, or compare λ with F(c) ([`crate::soft`]).
    pub fn natural_map_of(&mut self, problem: &ConstraintProblem, impulses: &[f64], law: Law) -> f64 {
        self.natural_map_of_some(problem, impulses, law, |_| true)
    }

    /// Natural map of `law` over the blocks i for which `wanted(i)` is true [m/s].
    pub fn natural_map_of_some(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &[f64],
        law: Law,
        wanted: impl Fn(usize) -> bool,
    ) -> f64 {
        self.measure(problem, impulses);
        let fallback = block::largest_norm(&self.diagonal);
        let mut squares = 0.0;
        for i in (0..problem.len()).filter(|&i| wanted(i)) {
            let rows = problem.range(i);
            let (lambda, c) = (&impulses[rows.clone()], &self.velocities[rows]);
            let e = block::natural_map_of_block(problem, i, &self.diagonal[i], fallback, lambda, c, law);
            squares += e * e;
        }
        if self.measurable(problem, impulses) { squares.sqrt() } else { f64::NAN }
    }

    /// True if no square of an impulse or velocity overflows: beyond that, a projection is not one.
    fn measurable(&self, problem: &ConstraintProblem, impulses: &[f64]) -> bool {
        let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        (square(impulses) + square(&self.velocities) + square(&problem.free_velocity)).is_finite()
    }

    /// c of the problem last judged [m/s].
    pub fn velocities(&self) -> &[f64] {
        &self.velocities
    }

    fn measure(&mut self, problem: &ConstraintProblem, impulses: &[f64]) {
        problem.velocities_into(impulses, &mut self.velocities);
        problem.diagonal_blocks_into(&mut self.values);
        self.diagonal.clear();
        let all = self.values.iter().enumerate();
        self.diagonal.extend(all.map(|(i, &values)| block::Diagonal::of(problem, i, values)));
    }
}

/// [`Judge::certify`] for one-off use.
pub fn certify(problem: &ConstraintProblem, impulses: &[f64]) -> Certificate {
    Judge::default().certify(problem, impulses)
}

/// [`Judge::natural_map_of`] for one-off use.
pub fn natural_map_of(problem: &ConstraintProblem, impulses: &[f64], law: Law) -> f64 {
    Judge::default().natural_map_of(problem, impulses, law)
}

/// ‖λ_T ∧ c_T‖, the area between them.
fn across(lambda: &[f64], c: &[f64]) -> f64 {
    if c.len() == 3 {
        return (lambda[0] * c[1] - lambda[1] * c[0]).abs();
    }
    let mut squares = 0.0;
    for i in (0..c.len()).filter(|&i| i != 2) {
        for j in (0..i).filter(|&j| j != 2) {
            squares += (lambda[i] * c[j] - lambda[j] * c[i]).powi(2);
        }
    }
    squares.sqrt()
}

/// Residual over max(‖g‖, ‖c‖), without dividing by nothing.
fn relative(residual: f64, g: &[f64], c: &[f64]) -> f64 {
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let scale = worse(norm(g), norm(c));
    if residual == 0.0 && scale == 0.0 { 0.0 } else { residual / worse(scale, f64::MIN_POSITIVE) }
}

/// Distances of a friction block from K_μ and its dual: ‖λ − P_K λ‖ and ‖ĉ − P_K* ĉ‖.
fn friction_distances(lambda: Vec3, corrected: Vec3, mu: f64) -> (f64, f64) {
    let p = (lambda - project_friction(lambda, mu)).norm();
    let d = (corrected - project_friction_dual(corrected, mu)).norm();
    (p, d)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A 2 kg point on a plane, μ = 0.5, h = 1, arriving with g.
    fn point(g: [f64; 3]) -> ConstraintProblem {
        let mut problem = ConstraintProblem::default();
        problem.push(Cone::Friction { mu: 0.5 }, &g);
        let (start, blocks) = problem.starts_and_blocks_mut();
        blocks.set_pattern(start, |i, out| out.push(i));
        blocks.entry_mut(0).copy_from_slice(&[0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5]);
        problem
    }

    /// Numbers whose squares overflow are never fine.
    #[test]
    fn absurd_velocities_have_no_certificate() {
        let mut problem = ConstraintProblem::default();
        problem.push(Cone::Friction { mu: 0.5 }, &[1e155, 1e155, -1e155]);
        let (start, blocks) = problem.starts_and_blocks_mut();
        blocks.set_pattern(start, |i, out| out.push(i));
        for k in 0..3 {
            blocks.entry_mut(0)[4 * k] = 1.0;
        }
        assert!(certify(&problem, &[0.0; 3]).natural_map.is_nan());
        assert!(natural_map_of(&problem, &[0.0; 3], Law::Ccp).is_nan());
    }

    #[test]
    fn exact_answers_have_no_residual() {
        for (g, exact) in [
            ([0.02, 0.0, -0.1], [-0.04, 0.0, 0.2]),
            ([1.0, 0.0, -0.1], [-0.1, 0.0, 0.2]),
            ([1.0, 0.0, 0.1], [0.0; 3]),
        ] {
            let certificate = certify(&point(g), &exact);
            assert!(certificate.natural_map < 1e-16, "{certificate:?}");
            assert!(certificate.eps_abs < 1e-16 && certificate.mdp_angle_max < 1e-12, "{certificate:?}");
        }
    }

    /// Sliding at c_T = (0.95, 0) with the friction force turned by 0.3 rad: the angle is seen, and
    /// the missing dissipation is μ λ_N ‖c_T‖ (1 − cos) up to the changed velocity.
    #[test]
    fn a_turned_friction_force_is_seen() {
        let problem = point([1.0, 0.0, -0.1]);
        let (s, c) = 0.3_f64.sin_cos();
        let certificate = certify(&problem, &[-0.1 * c, 0.1 * s, 0.2]);
        let slip = [1.0 - 0.05 * c, 0.05 * s];
        let expected = 0.3 + slip[1].atan2(slip[0]);
        assert!((certificate.mdp_angle_max - expected).abs() < 1e-12, "{certificate:?}");
        assert!(certificate.dissipation_gap > 1e-3 && certificate.natural_map > 1e-2);
    }

    /// No impulse on an approaching point: the natural map is the dual distance.
    #[test]
    fn an_unanswered_approach_is_seen() {
        let certificate = certify(&point([0.0, 0.0, -0.1]), &[0.0; 3]);
        assert!((certificate.natural_map - 0.1).abs() < 1e-15);
        assert!((certificate.signorini - 0.1).abs() < 1e-15);
        assert_eq!(certificate.worst, Some(0));
    }

    #[test]
    fn nan_is_never_fine() {
        for row in 0..3 {
            let mut impulses = [-0.04, 0.0, 0.2];
            impulses[row] = f64::NAN;
            let certificate = certify(&point([0.02, 0.0, -0.1]), &impulses);
            assert!(!(certificate.natural_map < 1.0) && !(certificate.eps_abs < 1.0), "{certificate:?}");
            assert!(!certificate.is_finite());
        }
        let mut problem = point([0.02, 0.0, -0.1]);
        problem.blocks.entry_mut(0)[4] = f64::NAN;
        assert!(!(certify(&problem, &[-0.04, 0.0, 0.2]).natural_map < 1.0));
    }

    /// An impulse so large that a velocity vanishes beside it in rounding does not hide that velocity.
    #[test]
    fn a_huge_impulse_hides_nothing() {
        let mut problem = ConstraintProblem::default();
        problem.push(Cone::Friction { mu: 0.5 }, &[0.0, 0.0, -0.1]);
        problem.push(Cone::NonNegative, &[-0.1]);
        let (start, blocks) = problem.starts_and_blocks_mut();
        blocks.set_pattern(start, |i, out| out.push(i));
        let certificate = certify(&problem, &[0.0, 0.0, 1e20, 1e20]);
        assert!((certificate.natural_map - 0.1 * 2.0_f64.sqrt()).abs() < 1e-15, "{certificate:?}");
    }

    /// Two fixed things touch: G is zero, nothing divides by it.
    #[test]
    fn a_zero_diagonal_is_judged() {
        let mut problem = point([0.0, 0.0, -0.1]);
        problem.blocks.entry_mut(0).fill(0.0);
        let certificate = certify(&problem, &[0.0, 0.0, 1.0]);
        assert!((certificate.natural_map - 0.1).abs() < 1e-15, "{certificate:?}");
    }
}
