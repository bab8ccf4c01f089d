//! `nsgs`: non-smooth Gauss–Seidel with the exact one-contact answer.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ + Γ(cᵢ) ∈ K_μᵢ*                                  (2)  [DeSaxce1998]
//! ```
//!
//! One sweep visits the contacts in order and solves (2) for λᵢ exactly, the others held [Jourdan1998]:
//!
//! ```text
//!     λᵢ ← the answer of K_μᵢ ∋ λᵢ ⟂ cᵢ + Γ(cᵢ) ∈ K_μᵢ*               (3)  [Bonnefon2011]
//! ```
//!
//! by the quartic of [`crate::local::quartic`], or as the parameter `local` says, for comparison, by
//! RaiSim's corrected bisection, by De Saxcé's fixed point or by Newton's method ([`crate::local`]). No step
//! length, no tuning; fixed points of (3) solve (2). Nothing else is done: no acceleration, no restarts, no
//! other method at the end. Sweeps are slow for long chains and large mass ratios, and may cycle.
//!
//! `nsgs-accelerated` adds Anderson steps and the second-order finish of `auto` ([`crate::sweep`]).
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). Cost of a sweep: one
//! product with G and a few hundred operations per contact. Allocates only when the problem grows.

use crate::local::bisection::Bisection;
use crate::local::{Contact, in_cone, newton, projection, quartic};
use crate::parameters::{choice, parameters};
use crate::sweep::{Rule, SweepMethod, SweepParams, SweepSolver};
use serde::{Deserialize, Serialize};
use stiction_contact::Law;

/// How (3) is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Local {
    /// Exact, by the roots of a quartic.
    Quartic,
    /// RaiSim's bisection with the correction of the present velocity: exact at the fixed point only.
    Bisection,
    /// De Saxcé's fixed point.
    Projection,
    /// Newton's method on the one contact.
    Newton,
}
choice!(Local);

parameters! {
    /// Parameters of [`Nsgs`].
    pub struct NsgsParams {
        /// Stop when the natural map of (2) is below this; 1e-8 is far below what is visible.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Sweeps, and second-order steps if there are any, before giving up.
        max_iterations: u32 = 1000, "–", at_least(1.0);
        /// How (3) is answered.
        local: Local = Local::Quartic, "–", by_type();
        /// Earlier sweeps an Anderson step looks at; 0 takes none, 5 to 10 are typical.
        memory: usize = 0, "–", at_least(0.0).at_most(50.0);
        /// End with second-order steps (see `auto`).
        finish: bool = false, "–", by_type();
    }
}

/// The solver of this module.
pub type Nsgs = SweepSolver<NsgsParams>;

impl SweepMethod for NsgsParams {
    type Rule = Exact;
    const NAME: &'static str = "nsgs";
    const ACCELERATED: &'static str = "nsgs-accelerated";
    const BY_FACTOR: bool = true;
    const TAKES_PATCHES: bool = true;

    fn rule(&self) -> Exact {
        let Self { local, tolerance, .. } = *self;
        Exact { local, tolerance }
    }

    fn sweep(&self) -> SweepParams {
        let Self { tolerance, max_iterations, memory, finish, .. } = *self;
        SweepParams::accelerated(<Self::Rule as Rule>::LAW, tolerance, max_iterations, memory, finish)
    }
}

/// The rule of this module.
#[derive(Clone)]
pub struct Exact {
    local: Local,
    tolerance: f64,
}

impl Rule for Exact {
    const LAW: Law = Law::Ncp;

    #[inline]
    fn answer(&self, contact: &Contact, lambda: [f64; 3], c: [f64; 3]) -> [f64; 3] {
        match self.local {
            Local::Quartic => quartic::solve(contact, lambda, c), // (3)
            Local::Bisection => self.bisect(contact, lambda, c),
            Local::Projection => projection::solve(contact, lambda, c),
            Local::Newton => newton::solve(contact, lambda, c),
        }
    }
}

impl Exact {
    fn bisect(&self, contact: &Contact, lambda: [f64; 3], c: [f64; 3]) -> [f64; 3] {
        let free = contact.free_velocity(lambda, c);
        let slides = free[2] < 0.0 && contact.mu > 0.0 && !in_cone(contact.sticking(lambda, c), contact.mu);
        let correction = contact.mu * (c[0] * c[0] + c[1] * c[1]).sqrt();
        let corrected = [free[0], free[1], free[2] + correction];
        let answer =
            if slides { Bisection::default().slide(contact, free, corrected, self.tolerance) } else { None };
        answer.unwrap_or_else(|| quartic::solve(contact, lambda, c))
    }
}

impl NsgsParams {
    /// Anderson steps and a second-order finish: `nsgs-accelerated`.
    pub fn accelerated() -> Self {
        Self { memory: 8, finish: true, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, point};
    use stiction_contact::certificate::certify;
    use stiction_contact::{ConstraintProblem, ContactSolver};
    use stiction_dynamics::spatial::{Vec3, vec3};

    fn solve(problem: &ConstraintProblem, params: NsgsParams) -> Vec<f64> {
        let mut impulses = vec![0.0; problem.rows()];
        assert!(Nsgs::new(params).unwrap().solve(problem, &mut impulses).converged());
        assert!(certify(problem, &impulses).natural_map <= 1e-8); // the judge, not our word
        impulses
    }

    /// One contact is solved by the first sweep.
    #[test]
    fn sticks_inside_the_cone_and_slides_on_it() {
        let plain = || NsgsParams { max_iterations: 1, ..Default::default() };
        let near = |a: &[f64], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(near(&solve(&point(2.0, 0.5, [0.02, 0.0, -0.1]), plain()), [-0.04, 0.0, 0.2]));
        assert!(near(&solve(&point(2.0, 0.5, [1.0, 0.0, -0.1]), plain()), [-0.1, 0.0, 0.2]));
        assert!(near(&solve(&point(2.0, 0.5, [1.0, 0.0, 0.1]), plain()), [0.0; 3]));
    }

    /// Four local solvers, sweeps alone: all come to an answer of the exact law.
    #[test]
    fn local_solvers_have_the_same_fixed_points() {
        for local in [Local::Quartic, Local::Bisection, Local::Projection, Local::Newton] {
            for problem in [
                testing::cube(0.5, vec3(1.0, 0.3, 0.0), Vec3::ZERO),
                testing::cube(0.5, Vec3::ZERO, Vec3::ZERO),
                testing::heap(4, 1),
            ] {
                let params = NsgsParams { local, memory: 8, ..Default::default() };
                solve(&problem, params);
            }
        }
    }

    /// T(v⁺) − T(v_f) = λᵀc − ½λᵀGλ, and no step of the exact law adds energy.
    #[test]
    fn energy_balances() {
        let mut scene = testing::Scene::default();
        scene.body(1.3, vec3(0.5, 0.4, 0.3), vec3(0.0, 0.0, 0.3));
        scene.bodies[0].velocity = vec3(1.0, 0.2, -0.5);
        scene.bodies[0].spin = vec3(0.3, -1.0, 2.0);
        scene.corners(None, 0, 0.6);
        let problem = scene.problem();
        let impulses = solve(&problem, NsgsParams::default());

        let (_, primal) = scene.primal();
        let kinetic = |v: &[f64]| 0.5 * (0..6).map(|k| primal.mass.value[k] * v[k] * v[k]).sum::<f64>();
        let mut v = vec![0.0; 6];
        primal.jacobian.transpose_mul_add_into(&impulses, &mut v);
        (0..6).for_each(|k| v[k] = primal.free_velocity[k] + v[k] / primal.mass.value[k]);
        let gain = kinetic(&v) - kinetic(&primal.free_velocity);

        let (mut c, mut g_lambda) = (Vec::new(), Vec::new());
        problem.velocities_into(&impulses, &mut c);
        problem.delassus_mul_into(&impulses, &mut g_lambda);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let identity = dot(&impulses, &c) - 0.5 * dot(&impulses, &g_lambda);
        assert!((gain - identity).abs() < 1e-12 * gain.abs(), "{gain} {identity}");
        assert!(gain < 0.0);
    }

    /// The weight of a cube reaches the ground whatever the four corners make of it.
    #[test]
    fn a_resting_cube_weighs_what_it_weighs() {
        let impulses = solve(&testing::cube(0.5, Vec3::ZERO, Vec3::ZERO), NsgsParams::default());
        let normal: f64 = impulses.chunks_exact(3).map(|l| l[2]).sum();
        assert!((normal - testing::GRAVITY * testing::STEP).abs() < 1e-9);
    }
}
