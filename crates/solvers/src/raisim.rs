//! `raisim`: Gauss–Seidel with RaiSim's one-contact answer, as published.
//!
//! Finds impulses λ such that, for every contact i with c = (G + R) λ + g,
//!
//! ```text
//!     open    g̃_N ≥ 0:  λ = 0         stick   −A⁻¹g̃ ∈ K:  c = 0
//!     slide   otherwise: λ least in ½λᵀAλ + λᵀg̃ among λ ∈ ∂K with c_N = 0        (1)  [Hwangbo2018]
//! ```
//!
//! where A = (G + R)_ii and g̃ is c without the contact's own impulse. Stationarity in (1) gives
//!
//! ```text
//!     c_T ∝ −λ_T − (μ² λ_N/A_NN) A_TN                                            (2)  [LeLidec2024]
//! ```
//!
//! so friction opposes slip only where A_TN = 0: this is a model of its own, kept for comparison, and
//! `raisim-ds` repairs it. A sweep visits the contacts in order and relaxes,
//!
//! ```text
//!     λᵢ ← (1 − α) λᵢ + α λ*,   α ← γ α + (1 − γ) α_min after every sweep        (3)
//! ```
//!
//! from α = 1. [LeLidec2024, Alg. 1] prints the second rule of (3) within the loop over the contacts, where α falls with
//! every contact; their program and ours apply it once a sweep unless `relaxation.update` is `contact`. Nothing else is done: no acceleration, no restarts, no other method at the end. There need be
//! no fixed point. The answer that slides is sought by [`crate::local::bisection`]; where the ellipse of (1) is
//! empty, of which nothing is published, the exact law's stands in.
//!
//! Published implementations stop on ‖Δλ‖∞/‖λ‖∞. A small step proves nothing when α is small, so here only
//! the residual of (1) itself counts: the natural map with γ A_N: in place of Γ (see
//! [`stiction_contact::certificate`]). So that it can reach the tolerance, the bisection searches on below its
//! published threshold; with `bisection.tighten = false` it does not, and answers are as coarse as published.
//!
//! `raisim-accelerated` adds Anderson steps and, after 200 sweeps, Newton steps on the law ([`crate::sweep`]):
//! where contacts are hyperstatic the law has several answers, and the sweeps choose.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg], α and γ [–]. Contact axes (t₁, t₂, n). Cost of a
//! sweep: one product with G and some 40 angles per sliding contact. Allocates only when the problem grows.

use crate::local::bisection::Bisection;
use crate::local::{Contact, in_cone, quartic};
use crate::parameters::{Field, Parameter, Parameters, choice, parameters};
use crate::sweep::{Rule, SweepMethod, SweepParams, SweepSolver};
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use stiction_contact::Law;
use stiction_contact::cone::project_friction;

/// When α falls: the second rule of (3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AlphaUpdate {
    /// After every sweep.
    Sweep,
    /// After every contact, as Alg. 1 of [LeLidec2024] is printed.
    Contact,
}
choice!(AlphaUpdate);

parameters! {
    /// How far a sweep goes towards the answers of its contacts: (3), shared with `raisim-ds`.
    pub struct Relaxation {
        /// γ, by which α falls from sweep to sweep; 1 keeps α = 1.
        gamma: f64 = 0.99, "–", at_least(0.0).at_most(1.0);
        /// Where α falls to.
        alpha_min: f64 = 0.1, "–", above(0.0).at_most(1.0);
        /// When α falls: after every `sweep`, or after every `contact`, as the algorithm is printed.
        update: AlphaUpdate = AlphaUpdate::Sweep, "–", by_type();
    }
}

impl Field for Relaxation {
    const GROUP: &'static [Parameter] = Self::TABLE;
}

impl Relaxation {
    /// (3), where an extrapolated λᵢ outside the cone counts as its projection.
    pub(crate) fn between(&self, mu: f64, lambda: [f64; 3], target: [f64; 3], alpha: f64) -> [f64; 3] {
        let from = project_friction(lambda.into(), mu).to_array();
        std::array::from_fn(|k| from[k] + alpha * (target[k] - from[k]))
    }

    /// Moves α on after a contact, or after a sweep, if that is when it falls.
    pub(crate) fn lower(&self, alpha: &Cell<f64>, after: AlphaUpdate) {
        if self.update == after {
            alpha.set(self.gamma * alpha.get() + (1.0 - self.gamma) * self.alpha_min); // (3)
        }
    }
}

parameters! {
    /// Parameters of [`Raisim`].
    pub struct RaisimParams {
        /// Stop when the natural map of (1) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Sweeps, and second-order steps if there are any, before giving up.
        max_iterations: u32 = 1000, "–", at_least(1.0);
        /// Earlier sweeps an Anderson step looks at; 0 takes none, 5 to 10 are typical.
        memory: usize = 0, "–", at_least(0.0).at_most(50.0);
        /// End with second-order steps (see `auto`).
        finish: bool = false, "–", by_type();
        /// How far a sweep goes towards the answers of its contacts.
        relaxation: Relaxation = Relaxation::default(), "–", by_type();
        /// The search for the answer of a sliding contact.
        bisection: Bisection = Bisection::default(), "–", by_type();
    }
}

/// The solver of this module.
pub type Raisim = SweepSolver<RaisimParams>;

impl SweepMethod for RaisimParams {
    type Rule = LeastEnergy;
    const NAME: &'static str = "raisim";
    const ACCELERATED: &'static str = "raisim-accelerated";
    const BY_FACTOR: bool = true;
    const TAKES_PATCHES: bool = false;

    fn rule(&self) -> LeastEnergy {
        let Self { relaxation, bisection, tolerance, .. } = *self;
        LeastEnergy { relaxation, bisection, tolerance, alpha: Cell::new(1.0) }
    }

    fn sweep(&self) -> SweepParams {
        let Self { tolerance, max_iterations, memory, finish, .. } = *self;
        SweepParams::accelerated(<Self::Rule as Rule>::LAW, tolerance, max_iterations, memory, finish)
    }
}

/// The rule of this module.
#[derive(Clone)]
pub struct LeastEnergy {
    relaxation: Relaxation,
    bisection: Bisection,
    tolerance: f64,
    alpha: Cell<f64>,
}

impl Rule for LeastEnergy {
    const LAW: Law = Law::Raisim;

    fn answer(&self, contact: &Contact, lambda: [f64; 3], c: [f64; 3]) -> [f64; 3] {
        let free = contact.free_velocity(lambda, c);
        let stick = contact.sticking(lambda, c);
        let target = if free[2] >= 0.0 {
            [0.0; 3]
        } else if in_cone(stick, contact.mu) {
            stick
        } else if contact.mu == 0.0 {
            [0.0, 0.0, -free[2] / contact.a[8]]
        } else {
            // Where the ellipse is empty (1) has no answer; the exact law's stands in.
            let slide = self.bisection.slide(contact, free, free, self.tolerance);
            slide.unwrap_or_else(|| quartic::solve(contact, lambda, c))
        };
        let answer = self.relaxation.between(contact.mu, lambda, target, self.alpha.get()); // (3)
        self.relaxation.lower(&self.alpha, AlphaUpdate::Contact);
        answer
    }

    fn end_of_sweep(&mut self) {
        self.relaxation.lower(&self.alpha, AlphaUpdate::Sweep);
    }
}

impl RaisimParams {
    /// Anderson steps and a second-order finish: `raisim-accelerated`.
    pub fn accelerated() -> Self {
        Self { memory: 8, finish: true, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::tests::problems;
    use crate::testing::{one_contact, point};
    use stiction_contact::ContactSolver;
    use stiction_contact::certificate::{certify, natural_map_of};

    #[test]
    fn is_exact_where_tangent_and_normal_do_not_couple() {
        for (vx, expected) in [(0.02, [-0.04, 0.0, 0.2]), (1.0, [-0.1, 0.0, 0.2])] {
            let problem = point(2.0, 0.5, [vx, 0.0, -0.1]);
            let mut impulses = [0.0; 3];
            assert!(Raisim::new(RaisimParams::default()).unwrap().solve(&problem, &mut impulses).converged());
            assert!(certify(&problem, &impulses).natural_map <= 1e-8);
            assert!(impulses.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-7));
        }
    }

    /// (2): the angle between friction and slip grows to tens of degrees with μ, while RaiSim's own
    /// law holds.
    #[test]
    fn friction_does_not_oppose_slip() {
        let mut worst = [0.0_f64; 4];
        for (a, q, mu) in problems() {
            // Off the ellipse the law has no unique answer.
            if a[8] <= 1.05 * mu * a[6].hypot(a[7]) {
                continue;
            }
            let problem = one_contact(a, q, mu);
            let mut impulses = [0.0; 3];
            let report = Raisim::new(RaisimParams::accelerated()).unwrap().solve(&problem, &mut impulses);
            assert!(report.converged(), "{report:?} A {a:?}, q {q:?}, mu {mu}");
            assert!(natural_map_of(&problem, &impulses, Law::Raisim) <= 1e-8);
            let k = [0.1, 0.5, 1.0, 2.0].iter().position(|m| *m == mu).unwrap();
            worst[k] = worst[k].max(certify(&problem, &impulses).mdp_angle_max.to_degrees());
        }
        println!("largest MDP angle at mu 0.1, 0.5, 1, 2: {worst:.1?} degrees");
        assert!(worst[0] > 3.0 && worst[1] > 15.0 && worst[2] > 25.0, "{worst:?}");
    }
}
