//! `mujoco` and `mujoco-pyramidal`: MuJoCo's contact model, and its solvers [Todorov2014].
//!
//! Finds impulses λ such that, with R and s of [`stiction_contact::soft::mujoco`],
//!
//! ```text
//!     c = G λ + g                                                     (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ + (R λ + s)ᵢ ∈ K_μᵢ*                              (2)
//! ```
//!
//! In `mujoco-pyramidal`, MuJoCo's own default, four edges n ± μ t take the place of each cone: friction along the
//! tangents of the contact frame is that of the disc, between them down to 1/√2 of it. Contacts yield by solref
//! and solimp: a body held by friction F_t creeps at F_t R_t/B, and sliding bodies lift. Algorithms:
//!
//! - `newton` and `cg`, on velocities with a line search: [`crate::primal_newton`];
//! - `pgs`, on impulses: [`crate::mujoco_pgs`]; slow for long chains and mass ratios.
//!
//! Both take contacts that resist spinning and rolling (`condim` 4 and 6), but for `pgs` and `noslip_iterations`.
//!
//! `noslip_iterations` sweeps follow, if asked for: friction without R, which ends the creep. They leave
//! (2); the report is of (2) before them.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). A Newton iteration costs a
//! factorisation by blocks of trees, of CG a product with W and its transpose, of PGS a product with G. Allocates only
//! when the problem grows.

use crate::error::ParamError;
use crate::iterate::{Limits, Workspace};
use crate::mujoco_pgs::{MujocoPgs, noslip};
use crate::parameters::{Parameters, choice, parameters};
use crate::primal_newton::{Direction, PrimalNewton};
use serde::{Deserialize, Serialize};
use stiction_contact::{ConstraintProblem, ContactSolver, Law, Needs, SoftBlock, SolveReport, Watch};

/// MuJoCo's solvers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    Newton,
    Cg,
    Pgs,
}
choice!(Algorithm);

/// The shape of friction, by which the two solvers differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrictionCone {
    Elliptic,
    Pyramidal,
}

parameters! {
    /// Parameters of [`Mujoco`].
    pub struct MujocoParams {
        /// Stop when the residual of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Newton steps, directions or sweeps before giving up; Newton takes a few tens.
        max_iterations: u32 = 1000, "–", at_least(1.0);
        /// How (2) is solved.
        algorithm: Algorithm = Algorithm::Newton, "–", by_type();
        /// Sweeps without slip after the solve, which end the creep and leave (2); MuJoCo's default is 0, 5 to 20 are
        /// typical.
        noslip_iterations: u32 = 0, "–", at_least(0.0);
    }
}

/// The solver of this module.
pub struct Mujoco {
    params: MujocoParams,
    cone: FrictionCone,
    limits: Limits,
    primal: Workspace<PrimalNewton>, // these hold during one solve
    dual: Workspace<MujocoPgs>,
    soft: Vec<SoftBlock>,
    diagonal: Vec<[f64; 9]>,
    c: Vec<f64>,
}

impl Mujoco {
    pub const NAME: &str = "mujoco";
    pub const PYRAMIDAL: &str = "mujoco-pyramidal";

    /// `mujoco`.
    pub fn new(params: MujocoParams) -> Result<Self, ParamError> {
        Self::with_cone(FrictionCone::Elliptic, params)
    }

    /// `mujoco-pyramidal`.
    pub fn pyramidal(params: MujocoParams) -> Result<Self, ParamError> {
        Self::with_cone(FrictionCone::Pyramidal, params)
    }

    /// The solver for this shape of friction.
    pub fn with_cone(cone: FrictionCone, params: MujocoParams) -> Result<Self, ParamError> {
        params.check(named(cone))?;
        let limits = Limits { tolerance: params.tolerance, max_iterations: params.max_iterations };
        let (primal, dual) = (Workspace::default(), Workspace::default());
        Ok(Self { params, cone, limits, primal, dual, soft: Vec::new(), diagonal: Vec::new(), c: Vec::new() })
    }

    fn without_slip(&mut self, problem: &ConstraintProblem, impulses: &mut [f64]) {
        let formed;
        let problem = if problem.blocks_formed() {
            problem
        } else {
            let mut copy = problem.clone();
            if copy.form_blocks().is_err() {
                return;
            }
            formed = copy;
            &formed
        };
        problem.diagonal_blocks_into(&mut self.diagonal);
        let law = self.law();
        self.soft.clear();
        self.soft
            .extend(self.diagonal.iter().enumerate().filter_map(|(i, a)| SoftBlock::new(law, problem, i, a)));
        noslip(problem, &self.soft, self.params.noslip_iterations, &mut self.c, impulses);
    }
}

fn named(cone: FrictionCone) -> &'static str {
    match cone {
        FrictionCone::Elliptic => Mujoco::NAME,
        FrictionCone::Pyramidal => Mujoco::PYRAMIDAL,
    }
}

impl ContactSolver for Mujoco {
    fn name(&self) -> &'static str {
        named(self.cone)
    }

    fn law(&self) -> Law {
        match self.cone {
            FrictionCone::Elliptic => Law::Mujoco,
            FrictionCone::Pyramidal => Law::MujocoPyramidal,
        }
    }

    fn needs(&self) -> Needs {
        let delassus_factor = self.params.algorithm != Algorithm::Pgs;
        Needs { delassus_factor, softness: true, ..Needs::default() }
    }

    /// By velocities, without the pass that ends the slip of discs alone.
    fn takes_patches(&self) -> bool {
        self.params.algorithm != Algorithm::Pgs && self.params.noslip_iterations == 0
    }

    fn solve_watched(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        let (law, limits) = (self.law(), self.limits);
        let report = match self.params.algorithm {
            Algorithm::Newton => self.primal.solve(&Direction::Newton, law, limits, problem, impulses, watch),
            Algorithm::Cg => self.primal.solve(&Direction::Conjugate, law, limits, problem, impulses, watch),
            Algorithm::Pgs => self.dual.solve(&(), law, limits, problem, impulses, watch),
        };
        if self.params.noslip_iterations > 0 && report.residual.is_finite() {
            self.without_slip(problem, impulses);
        }
        report
    }

    fn use_threads(&mut self, threads: usize) {
        self.primal.use_threads(threads);
        self.dual.use_threads(threads);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Puck, apart, cube, heap, point};
    use stiction_contact::certificate::{certify, natural_map_of};
    use stiction_contact::soft::mujoco::{impedance, reference};
    use stiction_dynamics::spatial::{Vec3, vec3};

    fn exact() -> MujocoParams {
        MujocoParams { tolerance: 1e-14, ..MujocoParams::default() }
    }

    /// Held by friction F_t, a body creeps at F_t R_t/B and stands in the ground at −m g R/(K d).
    #[test]
    fn held_bodies_creep_and_sink_as_predicted() {
        for cone in [FrictionCone::Elliptic, FrictionCone::Pyramidal] {
            for (pull, impratio) in [(0.1, 1.0), (0.2, 1.0), (0.2, 10.0)] {
                let mut puck = Puck::new(0.1, 0.5, pull);
                puck.material.impratio = impratio;
                puck.settle(&mut Mujoco::with_cone(cone, exact()).unwrap());
                let (h, m) = (puck.step, puck.material);
                let (d, (k, b)) = (impedance(m.solimp, puck.gap), reference(m.solref, m.solimp, h));
                // An edge of a pyramid: R_t = R/(2 μ²), R_n = R/4 with R = 2 μ²/impratio (1 + μ²) ŵ.
                let r = (1.0 - d) / d / puck.mass;
                let (r_t, r_n) = match cone {
                    FrictionCone::Elliptic => (r / impratio, r),
                    FrictionCone::Pyramidal => (1.25 * r / impratio, 0.125 * 1.25 * r / impratio),
                };
                let (creep, depth) = (pull * r_t / b, puck.weight() * r_n / (k * d));
                assert!(apart(puck.velocity[0], creep) < 1e-6, "{cone:?} {}: {creep}", puck.velocity[0]);
                assert!(apart(-puck.gap, depth) < 1e-6, "{cone:?} {}: {depth}", puck.gap);
            }
        }
    }

    /// All algorithms find the answer there is.
    #[test]
    fn newton_cg_and_pgs_agree() {
        for cone in [FrictionCone::Elliptic, FrictionCone::Pyramidal] {
            for problem in [cube(0.5, vec3(1.0, 0.3, 0.0), vec3(0.0, 0.0, 1.0)), heap(4, 1)] {
                let solve = |algorithm| {
                    let params = MujocoParams { algorithm, max_iterations: 20_000, ..Default::default() };
                    let params = MujocoParams { tolerance: 1e-10, ..params };
                    let mut solver = Mujoco::with_cone(cone, params).unwrap();
                    let mut impulses = vec![0.0; problem.rows()];
                    let report = solver.solve(&problem, &mut impulses);
                    assert!(report.converged(), "{algorithm:?} {cone:?}: {report:?}");
                    assert!(natural_map_of(&problem, &impulses, solver.law()) < 1e-10);
                    impulses
                };
                let newton = solve(Algorithm::Newton);
                for other in [solve(Algorithm::Cg), solve(Algorithm::Pgs)] {
                    assert!(newton.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-7));
                }
            }
        }
    }

    /// Newton's method ends in few steps on every named problem.
    #[test]
    fn newton_takes_few_steps() {
        for (name, problem) in crate::testing::named() {
            let mut impulses = vec![0.0; problem.rows()];
            let report = Mujoco::new(MujocoParams::default()).unwrap().solve(&problem, &mut impulses);
            assert!(report.converged() && report.iterations < 60, "{name}: {report:?}");
        }
    }

    /// Without slip, a held body stops creeping; the pressure stays.
    #[test]
    fn the_pass_without_slip_ends_the_creep() {
        let mut puck = Puck::new(0.1, 0.5, 0.4);
        puck.settle(&mut Mujoco::new(exact()).unwrap());
        let problem = puck.problem();
        let solve = |noslip_iterations| {
            let mut impulses = vec![0.0; 3];
            let params = MujocoParams { noslip_iterations, ..exact() };
            Mujoco::new(params).unwrap().solve(&problem, &mut impulses);
            let mut c = Vec::new();
            problem.velocities_into(&impulses, &mut c);
            (c[0], impulses[2])
        };
        let (creeping, pressure) = solve(0);
        let (held, same) = solve(10);
        // What MuJoCo drives the slip to is its reference: v⁻ (1 − B h).
        let b = reference(puck.material.solref, puck.material.solimp, puck.step).1;
        assert!((held - creeping * (1.0 - b * puck.step)).abs() < 1e-12 && held < creeping);
        assert_eq!(pressure, same);
    }

    /// The model is a relaxation: a sliding cube lifts.
    #[test]
    fn sliding_bodies_lift() {
        let problem = cube(0.5, vec3(1.0, 0.0, 0.0), Vec3::ZERO);
        let mut impulses = vec![0.0; problem.rows()];
        assert!(Mujoco::new(MujocoParams::default()).unwrap().solve(&problem, &mut impulses).converged());
        assert!(certify(&problem, &impulses).lift > 0.3);
    }

    /// A sliding point: a pyramid's friction is μ λ_N along a tangent and that over √2 between the two.
    #[test]
    fn pyramidal_friction_falls_short_between_the_tangents() {
        let mut solver = Mujoco::pyramidal(MujocoParams::default()).unwrap();
        for (angle, share) in [(0.0_f64, 1.0), (45.0, std::f64::consts::FRAC_1_SQRT_2)] {
            let (s, c) = angle.to_radians().sin_cos();
            let problem = point(1.0, 0.5, [3.0 * c, 3.0 * s, -0.1]);
            let mut x = vec![0.0; 3];
            assert!(solver.solve(&problem, &mut x).converged());
            assert!(natural_map_of(&problem, &x, Law::MujocoPyramidal) < 1e-8);
            assert!((x[0].hypot(x[1]) / (0.5 * x[2]) - share).abs() < 1e-9, "{angle}: {x:?}");
        }
    }
}
