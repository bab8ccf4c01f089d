//! `raisim-ds`: RaiSim's Gauss–Seidel with De Saxcé's correction, which makes it exact.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ + Γ(cᵢ) ∈ K_μᵢ*                                  (2)  [DeSaxce1998]
//! ```
//!
//! A sweep visits the contacts in order and answers as `raisim` does, except that a sliding contact
//! minimises with the correction at the present velocity c⁻ [LeLidec2024, Alg. 1]:
//!
//! ```text
//!     λ* least in ½λᵀAλ + λᵀ(g̃ + Γ(c⁻)) among λ ∈ ∂K with c_N = 0     (3)
//!     λᵢ ← (1 − α) λᵢ + α λ*,   α ← γ α + (1 − γ) α_min               (4)
//! ```
//!
//! The second rule of (4) is applied once a sweep, or once a contact as Alg. 1 prints it (`relaxation.update`).
//!
//! The plane c_N = 0 and the tests for opening and sticking keep the uncorrected g̃. Where sweeps come
//! to rest c⁻ is c and (3) is (2). There is no proof that they do: isolated contacts with strong
//! coupling of normal and tangent and large μ oscillate. Nothing else is done: no acceleration, no restarts, no
//! other method at the end.
//!
//! `raisim-ds-accelerated` adds Anderson steps and the second-order finish of `auto` ([`crate::sweep`]), and
//! after 100 sweeps takes the exact one-contact answer in place of (3).
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg], α and γ [–]. Contact axes (t₁, t₂, n). Cost of a
//! sweep: one product with G and some 40 angles per sliding contact. Allocates only when the problem grows.

use crate::local::bisection::Bisection;
use crate::local::{Contact, in_cone, quartic};
use crate::parameters::parameters;
use crate::raisim::{AlphaUpdate, Relaxation};
use crate::sweep::{Rule, SweepMethod, SweepParams, SweepSolver};
use std::cell::Cell;
use stiction_contact::Law;

parameters! {
    /// Parameters of [`RaisimDs`].
    pub struct RaisimDsParams {
        /// Stop when the natural map of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Sweeps, and second-order steps if there are any, before giving up.
        max_iterations: u32 = 1000, "–", at_least(1.0);
        /// Earlier sweeps an Anderson step looks at; 0 takes none, 5 to 10 are typical.
        memory: usize = 0, "–", at_least(0.0).at_most(50.0);
        /// End with second-order steps (see `auto`).
        finish: bool = false, "–", by_type();
        /// Sweeps after which the exact answer of a contact takes the place of (3); 4294967295 is never.
        exact_after: u32 = u32::MAX, "–", at_least(0.0);
        /// How far a sweep goes towards the answers of its contacts.
        relaxation: Relaxation = Relaxation::default(), "–", by_type();
        /// The search for the answer of a sliding contact.
        bisection: Bisection = Bisection::default(), "–", by_type();
    }
}

/// The solver of this module.
pub type RaisimDs = SweepSolver<RaisimDsParams>;

impl SweepMethod for RaisimDsParams {
    type Rule = Corrected;
    const NAME: &'static str = "raisim-ds";
    const ACCELERATED: &'static str = "raisim-ds-accelerated";
    const BY_FACTOR: bool = true;
    const TAKES_PATCHES: bool = true;

    fn rule(&self) -> Corrected {
        let Self { relaxation, bisection, tolerance, exact_after, .. } = *self;
        Corrected { relaxation, bisection, tolerance, alpha: Cell::new(1.0), sweeps_left: exact_after }
    }

    fn sweep(&self) -> SweepParams {
        let Self { tolerance, max_iterations, memory, finish, .. } = *self;
        SweepParams::accelerated(<Self::Rule as Rule>::LAW, tolerance, max_iterations, memory, finish)
    }
}

/// The rule of this module.
#[derive(Clone)]
pub struct Corrected {
    relaxation: Relaxation,
    bisection: Bisection,
    tolerance: f64,
    alpha: Cell<f64>,
    /// Sweeps until the exact answer takes over.
    sweeps_left: u32,
}

impl Rule for Corrected {
    const LAW: Law = Law::Ncp;

    fn answer(&self, contact: &Contact, lambda: [f64; 3], c: [f64; 3]) -> [f64; 3] {
        if self.sweeps_left == 0 {
            return quartic::solve(contact, lambda, c);
        }
        let free = contact.free_velocity(lambda, c);
        let stick = contact.sticking(lambda, c);
        let target = if free[2] >= 0.0 {
            [0.0; 3]
        } else if in_cone(stick, contact.mu) {
            stick
        } else if contact.mu == 0.0 {
            [0.0, 0.0, -free[2] / contact.a[8]]
        } else {
            let correction = contact.mu * (c[0] * c[0] + c[1] * c[1]).sqrt();
            let corrected = [free[0], free[1], free[2] + correction];
            let slide = self.bisection.slide(contact, free, corrected, self.tolerance); // (3)
            slide.unwrap_or_else(|| quartic::solve(contact, lambda, c))
        };
        let answer = self.relaxation.between(contact.mu, lambda, target, self.alpha.get()); // (4)
        self.relaxation.lower(&self.alpha, AlphaUpdate::Contact);
        answer
    }

    fn end_of_sweep(&mut self) {
        self.relaxation.lower(&self.alpha, AlphaUpdate::Sweep);
        self.sweeps_left = self.sweeps_left.saturating_sub(1);
    }
}

impl RaisimDsParams {
    /// Anderson steps, a second-order finish, and after 100 sweeps exact answers: `raisim-ds-accelerated`.
    pub fn accelerated() -> Self {
        Self { memory: 8, finish: true, exact_after: 100, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::tests::problems;
    use crate::testing::one_contact;
    use stiction_contact::ContactSolver;
    use stiction_contact::certificate::certify;

    /// Sweeps alone, no acceleration: at rest the exact law holds; few contacts do not come to rest.
    #[test]
    fn fixed_points_obey_the_exact_law() {
        let mut restless = 0;
        for (a, q, mu) in problems() {
            let problem = one_contact(a, q, mu);
            let mut impulses = [0.0; 3];
            let report = RaisimDs::new(RaisimDsParams::default()).unwrap().solve(&problem, &mut impulses);
            if !report.converged() {
                restless += 1;
                continue;
            }
            let certificate = certify(&problem, &impulses);
            assert!(certificate.natural_map <= 1e-8, "{certificate:?}");
        }
        println!("restless one-contact problems: {restless} of 2400");
        assert!(restless < 2400 / 20);
    }

    /// With α lowered after every contact, as printed, answers are the same where sweeps come to rest: α says how far a sweep goes,
    /// not where. One contact is lowered as often either way; two are not, and their sweeps differ.
    #[test]
    fn the_printed_update_leads_to_the_same_answers() {
        let relaxation = Relaxation { update: AlphaUpdate::Contact, ..Relaxation::default() };
        let printed = RaisimDsParams { relaxation, ..RaisimDsParams::default() };
        let mut sweeps = [0; 2];
        let problem = stiction_contact::corpus::named()
            .into_iter()
            .find(|(n, _)| *n == "cube slides and spins")
            .unwrap()
            .1;
        let answers = [RaisimDsParams::default(), printed].map(|params| {
            let mut impulses = vec![0.0; problem.rows()];
            let report = RaisimDs::new(params).unwrap().solve(&problem, &mut impulses);
            assert!(report.converged() && certify(&problem, &impulses).natural_map <= 1e-8, "{report:?}");
            (report.iterations, impulses)
        });
        for (count, answer) in sweeps.iter_mut().zip(&answers) {
            *count = answer.0;
        }
        println!("sweeps, lowered after a sweep and after a contact: {sweeps:?}");
        assert_ne!(sweeps[0], sweeps[1]);
    }

    #[test]
    fn the_shared_loop_answers_them_all() {
        for (a, q, mu) in problems() {
            let problem = one_contact(a, q, mu);
            let mut impulses = [0.0; 3];
            let report = RaisimDs::new(RaisimDsParams::accelerated()).unwrap().solve(&problem, &mut impulses);
            assert!(report.converged(), "{report:?} A {a:?}, q {q:?}, mu {mu}");
            assert!(certify(&problem, &impulses).natural_map <= 1e-8);
        }
    }
}
