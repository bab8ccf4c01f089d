//! `auto`: the exact law whatever the problem is like, and of all answers the one that stiff springs give.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ + Γ(cᵢ) ∈ K_μᵢ*                                  (2)  [DeSaxce1998]
//! ```
//!
//! Where (1) and (2) have several answers, it is the one that [`crate::springs`] says: the limit of equal
//! stiff springs that are loaded from nothing; where some velocity lies within all dual cones, the exact law
//! has answers [Acary2011] and the springs stay bounded. Island by island the plan [`crate::plan::AUTO`] is
//! read from top to bottom: in islands of at most `springs.rows` rows the answer of the springs; in larger
//! ones, and from where the springs lead if they miss the tolerance, what holds all that touches, Newton's
//! method on the active set, sweeps of `nsgs`, and further methods, each only if the natural map asks for it.
//!
//! What the chain finds may hold impulses that only press contacts against each other;
//! [`crate::minimum_norm`] takes them out, to a hundredth of all impulses at first, to a tenth in the steps
//! that follow. Islands of more than 600 rows that are given by G alone keep them.
//!
//! What an island may cost is bounded by the parameter `effort`, by a table of budgets ([`crate::effort`]);
//! where an island of more than 600 rows is far from an answer, what comes first is then the smoothing
//! homotopy of [`crate::ncp_smoothing`]. The best impulses so far are always in their cones: they are
//! returned where a budget ends, and [`ContactSolver::bound_met`] says so.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). Cost: that of `nsgs`, and a few
//! factorisations in the velocities of trees where it does not do. Allocates only when the problem grows.

use crate::bounds::Bounds;
use crate::effort::Effort;
use crate::error::ParamError;
use crate::local::{Contact, quartic};
use crate::parameters::{Parameters, parameters};
use crate::plan::{self, Plan, PlanParams, Stage};
use crate::residual::StoppingResidual;
use crate::springs::SpringsParams;
use crate::stages::{Settings, SweepParams};
use crate::sweep::{Rule, Sweeps};
use crate::tuning::{
    AttemptsTuning, FacetsTuning, IslandsTuning, NewtonTuning, PartsTuning, PathTuning, SmoothingStart,
    SmoothingTuning, SweepsTuning, Tuning,
};
use std::sync::Arc;
use stiction_contact::{ConstraintProblem, ContactSolver, Law, Needs, SolveReport, SolveStatus, Watch};

parameters! {
    /// Parameters of [`Auto`].
    pub struct AutoParams {
        /// Stop when the natural map of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Sweeps and second-order steps before giving up.
        max_iterations: u32 = 1000, "–", at_least(1.0);
        /// How much a step may cost, by the table of budgets in the file effort.rs: fast bounds what large
        /// islands cost to about MuJoCo's time, balanced goes to the tolerance where islands are small or
        /// calm, exact at any price.
        effort: Effort = Effort::Balanced, "–", by_type();
        /// Earlier sweeps an Anderson step looks at.
        memory: usize = 8, "–", at_least(0.0).at_most(50.0);
        /// Factorisations that an island may cost whatever its size, in place of the table's; 0: the table's.
        budget: u32 = 0, "–", at_least(0.0);
        /// The springs whose limit is the answer of islands of few rows.
        springs: SpringsParams = SpringsParams::default(), "–", by_type();
        /// Stages of the plan that are tried.
        plan: PlanParams = PlanParams::default(), "–", by_type();
        /// Sweeps of plain `nsgs` from the start where nothing has led to the tolerance: what is nearer is
        /// returned.
        last_sweeps: u32 = 50, "–", at_least(0.0);
        /// Sizes of islands, and how near an answer is near.
        islands: IslandsTuning = IslandsTuning::default(), "–", by_type();
        /// Sweeps with Anderson steps.
        sweeps: SweepsTuning = SweepsTuning::default(), "–", by_type();
        /// Attempts to finish what sweeps have begun.
        attempts: AttemptsTuning = AttemptsTuning::default(), "–", by_type();
        /// Newton's method on the active set.
        newton: NewtonTuning = NewtonTuning::default(), "–", by_type();
        /// The parts of a large island in which Newton's method fails.
        parts: PartsTuning = PartsTuning::default(), "–", by_type();
        /// The path from one active set to the next.
        path: PathTuning = PathTuning::default(), "–", by_type();
        /// The first attempt of the smoothing homotopy.
        smoothing_start: SmoothingStart = SmoothingStart::default(), "–", by_type();
        /// The smoothing homotopy.
        smoothing: SmoothingTuning = SmoothingTuning::default(), "–", by_type();
    }
}

/// The solver of this module.
pub struct Auto {
    params: SweepParams,
    sweeps: Sweeps<Smallest>, // holds during one solve, but for the factors of its finish
    stopping: StoppingResidual,
    /// Velocities of impulses that a budget stopped.
    c: Vec<f64>,
}

impl Auto {
    pub const NAME: &str = "auto";

    pub fn new(params: AutoParams) -> Result<Self, ParamError> {
        Self::with_plan(params, plan::AUTO)
    }

    /// One that tries another plan; steps of plain sweeps are those of the parameters.
    ///
    /// # Errors
    /// If a parameter is not in its range, or a stage stands in a table that does not try its kind.
    pub fn with_plan(params: AutoParams, plan: Plan) -> Result<Self, ParamError> {
        params.check(Self::NAME)?;
        if let Some((table, stage)) = plan.misplaced() {
            let (name, value) = (format!("plan.{table}"), stage.name().to_owned());
            let expected = "stages that this table tries".to_owned();
            return Err(ParamError { solver: Self::NAME, name, value, expected });
        }
        let AutoParams { tolerance, max_iterations, .. } = params;
        let settings = Settings {
            plan: params.plan.of(plan).with_steps(Stage::PlainSweeps, params.last_sweeps),
            springs: params.springs,
            tuning: params.tuning(),
        };
        let mut sweeps = Sweeps::default();
        sweeps.bound(Bounds::new(params.effort, params.budget));
        let settings = Arc::new(settings);
        let params = SweepParams { tolerance, max_iterations, memory: params.memory, finish: true, settings };
        Ok(Self { params, sweeps, stopping: StoppingResidual::default(), c: Vec::new() })
    }
}

impl AutoParams {
    fn tuning(&self) -> Tuning {
        let Self { islands, sweeps, attempts, newton, parts, path, smoothing_start, smoothing, .. } = *self;
        let facets = FacetsTuning::default(); // of laws that have polygons
        Tuning { islands, sweeps, attempts, newton, parts, path, facets, smoothing_start, smoothing }
    }
}

impl Auto {
    /// Puts impulses that a budget, or the end of what the chain can do, has stopped on their way into their
    /// sets; their residual.
    fn admit(&mut self, problem: &ConstraintProblem, impulses: &mut [f64]) -> f64 {
        for (i, cone) in problem.cones().iter().enumerate() {
            cone.project(&mut impulses[problem.range(i)]);
        }
        problem.velocities_into(impulses, &mut self.c);
        self.stopping.prepare(problem);
        self.stopping.residual(problem, Law::Ncp, impulses, &self.c)
    }
}

impl ContactSolver for Auto {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn law(&self) -> Law {
        Law::Ncp
    }

    fn needs(&self) -> Needs {
        Needs { delassus_factor: true, ..Needs::default() }
    }

    fn takes_patches(&self) -> bool {
        true
    }

    fn solve_watched(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        let report = self.sweeps.solve(Smallest, &self.params, problem, impulses, watch);
        if !report.settled() && report.status != SolveStatus::NumericalFailure {
            return SolveReport { residual: self.admit(problem, impulses), ..report };
        }
        report
    }

    fn rule_of_choice(&self) -> &'static str {
        "that which equal stiff springs give, loaded from nothing; what would only creep is held where any impulses hold it"
    }

    fn bound_met(&self) -> Option<u32> {
        self.sweeps.bound_met()
    }

    fn forget(&mut self) {
        self.sweeps.forget();
    }

    fn use_threads(&mut self, threads: usize) {
        self.sweeps.use_threads(threads);
    }
}

#[derive(Clone)]
struct Smallest;

impl Rule for Smallest {
    const LAW: Law = Law::Ncp;
    const SMALLEST: bool = true;

    #[inline]
    fn answer(&self, contact: &Contact, lambda: [f64; 3], c: [f64; 3]) -> [f64; 3] {
        quartic::solve(contact, lambda, c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effort::{AGAIN, TRIES};
    use crate::nsgs::{Nsgs, NsgsParams};
    use crate::testing::{cube, dragged, slope, stack, wall, with_delassus_factor};
    use stiction_contact::certificate::certify;
    use stiction_dynamics::spatial::{Vec3, vec3};

    fn solve(problem: &ConstraintProblem) -> Vec<f64> {
        let mut impulses = vec![0.0; problem.rows()];
        assert!(Auto::new(AutoParams::default()).unwrap().solve(problem, &mut impulses).converged());
        assert!(certify(problem, &impulses).natural_map <= 1e-8);
        impulses
    }

    /// What rests or is dragged on four corners loads them as equal springs under a rigid cube are loaded:
    /// normals are a plane.
    #[test]
    fn corners_share_a_load_as_equal_springs() {
        let moving = cube(0.5, vec3(1.0, 0.3, 0.0), vec3(0.0, 0.0, 3.0));
        for problem in [cube(0.5, Vec3::ZERO, Vec3::ZERO), slope(0.3, 0.5), dragged(0.4, 0.5), moving] {
            let impulses = solve(&problem);
            let normals: Vec<f64> = impulses.chunks(3).map(|l| l[2]).collect();
            let largest = normals.iter().fold(0.0_f64, |m, n| m.max(*n));
            // Corners in the order of the corpus, round the face.
            let twist = normals[0] - normals[1] + normals[2] - normals[3];
            assert!(twist.abs() < 1e-8 * largest, "{normals:?}");
        }
        let resting = solve(&cube(0.5, Vec3::ZERO, Vec3::ZERO));
        assert!(resting.chunks(3).all(|l| (l[2] - resting[2]).abs() < 1e-12 && l[0].hypot(l[1]) < 1e-9));
    }

    /// An answer that others found, given as the start, is made small too, and so is that of an operator.
    #[test]
    fn starts_and_operators_are_made_small_too() {
        let problem = cube(0.5, Vec3::ZERO, Vec3::ZERO);
        let primal = problem.primal.clone().unwrap();
        let operator = ConstraintProblem::operator_from_primal(problem.cones(), primal, problem.time_step);
        let smallest = solve(&problem);
        let mut impulses = smallest.clone();
        // Two corners pull towards each other: nothing moves.
        (impulses[0], impulses[3]) = (impulses[0] + 1e-3, impulses[3] - 1e-3);
        assert!(certify(&problem, &impulses).natural_map <= 1e-8);
        for (problem, start) in [(problem, impulses), (operator.unwrap(), vec![0.0; 12])] {
            let mut impulses = start;
            assert!(Auto::new(AutoParams::default()).unwrap().solve(&problem, &mut impulses).converged());
            assert!(impulses.iter().zip(&smallest).all(|(a, b)| (a - b).abs() < 1e-9), "{impulses:?}");
        }
    }

    /// One corner opens at half a micrometre a second, and has a trace of impulse left, as has the one
    /// across: it stays open, and what the others press against each other goes.
    #[test]
    fn what_opens_slowly_stays_open() {
        let mut problem = cube(0.5, Vec3::ZERO, Vec3::ZERO);
        problem.free_velocity[2] += 5e-7;
        let smallest = solve(&problem);
        let mut impulses = smallest.clone();
        // The corners beside it pull towards each other.
        for (row, pull) in [(3, -5e-4), (4, 5e-4), (9, 5e-4), (10, -5e-4)] {
            impulses[row] += pull;
        }
        (impulses[2], impulses[8]) = (1e-9, 1e-9);
        assert!(certify(&problem, &impulses).natural_map <= 1e-8);
        assert!(Auto::new(AutoParams::default()).unwrap().solve(&problem, &mut impulses).converged());
        assert!(impulses.iter().zip(&smallest).all(|(a, b)| (a - b).abs() < 1e-8), "{impulses:?}");
    }

    /// Where a budget is met the impulses so far are in their cones, nearer than none, and the bound is told;
    /// what is enough is no bound.
    #[test]
    fn budgets_are_kept_and_told() {
        /// In place of a number of cubes.
        const WALL: usize = 0;
        let met_by = |solve: u32, cubes, effort, budget| {
            let mut problem = ConstraintProblem::default();
            let given = match cubes {
                WALL => wall(9, 12),
                cubes => stack(&vec![1.0; cubes], vec3(0.5, 0.2, 0.0), 0.4),
            };
            problem.copy_rows_of(&with_delassus_factor(given));
            let nothing = certify(&problem, &vec![0.0; problem.rows()]).natural_map;
            let params = AutoParams { effort, budget, ..AutoParams::default() };
            let (mut auto, mut impulses) = (Auto::new(params).unwrap(), vec![0.0; problem.rows()]);
            for _ in 1..solve {
                auto.solve(&problem, &mut vec![0.0; problem.rows()]);
            }
            let report = auto.solve(&problem, &mut impulses);
            let certificate = certify(&problem, &impulses);
            assert!(certificate.cone_excess <= 1e-12 && certificate.natural_map < nothing, "{certificate:?}");
            assert!(!(report.converged() && auto.bound_met().is_some()), "{report:?}");
            (auto.bound_met(), certificate.natural_map, nothing)
        };
        let met = |cubes, effort, budget| met_by(1, cubes, effort, budget);
        for (effort, budget) in [(Effort::Exact, 1), (Effort::Balanced, 3), (Effort::Fast, 6)] {
            assert_eq!(met(80, effort, budget).0, Some(budget));
        }
        let (bound, natural_map, _) = met(80, Effort::Exact, 0);
        assert!(bound.is_none() && natural_map <= 1e-8, "{bound:?} {natural_map:e}");
        // More effort leads nearer, by the table.
        let (bound, fast, nothing) = met_by(1 + TRIES, WALL, Effort::Fast, 0);
        assert_eq!(bound, Effort::Fast.factorisations(usize::MAX));
        let balanced = met(WALL, Effort::Balanced, 0).1;
        for solve in [1, TRIES, 1 + AGAIN] {
            assert_eq!(met_by(solve, WALL, Effort::Fast, 0).1, balanced, "solve {solve}");
        }
        let enough = Effort::Fast.enough(usize::MAX).unwrap();
        assert!(fast <= enough && enough < nothing, "{fast:e} {nothing:e}");
        assert!(balanced < 0.1 * fast, "{balanced:e} {fast:e}");
    }

    /// Cubes that stand on eight points each, and 50 nm/s more at every third: far more contacts
    /// than motions, of which some must open. A few firm programmes find which.
    #[test]
    fn what_is_nearly_an_answer_takes_few_steps() {
        let single = with_delassus_factor(stack(&[1.0; 20], Vec3::ZERO, 0.5));
        let (twice, trees): (Vec<usize>, Vec<usize>) =
            ((0..2 * single.len()).map(|k| k / 2).collect(), (0..single.delassus_factor.trees()).collect());
        let mut problem = ConstraintProblem::default();
        twice.iter().for_each(|&i| problem.push(single.cone(i), &single.free_velocity[single.range(i)]));
        problem.delassus_factor.gather(&single.delassus_factor, &twice, &trees, &trees);
        assert!(problem.rows() > 3 * problem.delassus_factor.coordinates());
        let mut impulses = solve(&problem);
        for (i, g) in problem.free_velocity.chunks_mut(3).enumerate() {
            g[2] += if i % 3 == 0 { 5e-8 } else { 0.0 };
        }
        let report = Auto::new(AutoParams::default()).unwrap().solve(&problem, &mut impulses);
        assert!(report.converged() && report.iterations < 20, "{report:?}");
        assert!(certify(&problem, &impulses).natural_map <= 1e-8);
    }

    /// One tree given by W alone goes as it does with its blocks.
    #[test]
    fn a_factor_does_as_well_as_blocks() {
        let falls = cube(0.5, vec3(1.0, 0.3, -0.5), vec3(0.5, 2.0, 3.0));
        for problem in [falls, slope(0.3, 0.5), slope(0.6, 0.5), dragged(0.4, 0.5)] {
            let mut known = ConstraintProblem::default();
            known.copy_rows_of(&with_delassus_factor(problem.clone()));
            assert!(!known.blocks_formed());
            assert_eq!(known.delassus_factor.trees(), 1);
            let (mut impulses, mut plain) = (vec![0.0; problem.rows()], vec![0.0; problem.rows()]);
            let mut auto = Auto::new(AutoParams::default()).unwrap();
            let iterations = auto.solve(&known, &mut impulses).iterations;
            auto.forget();
            assert!(auto.solve(&problem, &mut plain).converged());
            assert!(certify(&problem, &impulses).natural_map <= 1e-8);
            assert!(impulses.iter().zip(&plain).all(|(a, b)| (a - b).abs() < 1e-6), "{impulses:?} {plain:?}");
            assert!(iterations < 20, "{iterations}");
        }
    }

    /// Where one iteration does not do, what is returned is no farther from an answer than so many plain
    /// sweeps come.
    #[test]
    fn no_sweeps_come_nearer_than_the_chain() {
        let mut unsettled = 0;
        for (name, problem) in stiction_contact::corpus::named() {
            let mut impulses = [vec![0.0; problem.rows()], vec![0.0; problem.rows()]];
            let springs = SpringsParams { rows: 0, ..SpringsParams::default() };
            let few = AutoParams { max_iterations: 1, springs, ..AutoParams::default() };
            let report = Auto::new(few).unwrap().solve(&problem, &mut impulses[0]);
            let sweeps = NsgsParams { max_iterations: 50, ..NsgsParams::default() };
            Nsgs::new(sweeps).unwrap().solve(&problem, &mut impulses[1]);
            let [chain, alone] = impulses.map(|l| certify(&problem, &l).natural_map);
            // Residuals that solvers stop by are up to twice the judge's.
            assert!(chain <= (2.0 * alone).max(1e-8), "{name}: {chain:e} after {alone:e} by sweeps");
            unsettled += u32::from(!report.settled());
        }
        assert!(unsettled > 3, "{unsettled}");
    }
}
