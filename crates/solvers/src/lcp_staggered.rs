//! `lcp-staggered`: normal and tangential impulses in turn, each by a quadratic programme.
//!
//! Finds impulses λ such that, for every contact i, with D_n(r) the regular polygon of n corners on the
//! circle of radius r,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     0 ≤ λ_N ⟂ c_N ≥ 0,   λ_T = P_D(λ_T − ρ c_T),   D = D_n(μ λ_N)           (2)  [StewartTrinkle1996]
//! ```
//!
//! by staggered projections [Kaufman2008], with A = G + R:
//!
//! ```text
//!     λ_N ← argmin ½ λ_Nᵀ A_NN λ_N + λ_Nᵀ (g_N + A_NT λ_T),   λ_N ≥ 0            (3)
//!     λ_T ← argmin ½ λ_Tᵀ A_TT λ_T + λ_Tᵀ (g_T + A_TN λ_N),   λ_T ∈ D_n(μ λ_N)   (4)
//! ```
//!
//! Scalar rows go with the normals. A polygon with n corners is a sum of n/2 segments along its edges,
//! λ_T = Σ x_k e_k with |x_k| ≤ sin(π/n) μ λ_N, so that both (3) and (4) have bounds only; the
//! sweeps of [`crate::sweep`] with their finish solve them. (3) and (4) are convex, their alternation need
//! not converge; Anderson steps on it help. Slow where friction holds what the normals carry: grasps, wedges.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). An iteration costs a few products
//! and now and then a factorisation of (n/2 contacts)³. Allocates only when the problem grows.

use crate::anderson::Anderson;
use crate::error::ParamError;
use crate::iterate::{Limits, Method, Task, Workspace};
use crate::local::Contact;
use crate::sweep::{self, Rule, SweepParams};
use serde::Deserialize;
use std::f64::consts::TAU;
use stiction_contact::{Cone, ConstraintProblem, ContactSolver, Law, SolveReport, Watch};

/// Tolerance of (3) and (4) as a share of the solver's [–], and their iterations.
const INNER_TOLERANCE: f64 = 0.05;
const INNER_ITERATIONS: u32 = 300;
/// Earlier alternations an Anderson step looks at.
const MEMORY: usize = 8;
/// An Anderson step may let the change of an alternation grow by this factor [–].
const GROWTH: f64 = 2.0;

#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LcpStaggeredParams {
    /// Stop when the natural map of (2) is below this [m/s].
    pub tolerance: f64,
    /// Alternations before giving up [–].
    pub max_iterations: u32,
    /// Corners n of the polygon, even: friction is too small by up to 1 − cos(π/n); 4, 8, 16 [–].
    pub facets: u32,
}

impl Default for LcpStaggeredParams {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 1000, facets: 8 }
    }
}

/// See the module.
pub struct LcpStaggered {
    limits: Limits,
    facets: u32,
    workspace: Workspace<Staggered>, // holds during one solve
}

impl LcpStaggered {
    pub const NAME: &str = "lcp-staggered";

    pub fn new(params: LcpStaggeredParams) -> Result<Self, ParamError> {
        let LcpStaggeredParams { tolerance, max_iterations, facets } = params;
        let limits = Limits { tolerance, max_iterations };
        limits.check(Self::NAME)?;
        ParamError::check_facets(Self::NAME, facets)?;
        Ok(Self { limits, facets, workspace: Workspace::default() })
    }
}

impl ContactSolver for LcpStaggered {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn law(&self) -> Law {
        Law::Facets { facets: self.facets }
    }

    fn solve_watched(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        self.workspace.solve(&self.facets, self.law(), self.limits, problem, impulses, watch)
    }
}

#[derive(Default)]
struct Staggered {
    normal: Part,
    tangential: Part,
    /// Impulses before the alternation, and c of half of them.
    before: Vec<f64>,
    c: Vec<f64>,
    weight: Vec<f64>,
    unused: Vec<f64>,
    anderson: Anderson,
    /// Impulses a rejected Anderson step returns to, and the change of their alternation.
    safe: Vec<f64>,
    safe_change: f64,
    /// True when `ahead`, where the next alternation starts, is extrapolated.
    jumped: bool,
    ahead: Vec<f64>,
}

impl Method for Staggered {
    type Params = u32;
    const PATIENCE: u32 = 300;

    fn start(&mut self, &facets: &u32, task: &Task, lambda: &[f64], _c: &[f64]) -> bool {
        let problem = task.problem;
        let (sin, _) = (0.5 * TAU / f64::from(facets)).sin_cos();
        self.normal.build(problem, |cone, rows| {
            rows.push(if cone.dim() == 3 { [0.0, 0.0, 1.0] } else { [1.0, 0.0, 0.0] });
        });
        self.tangential.build(problem, |cone, rows| {
            if let Cone::Friction { mu } = cone
                && mu > 0.0
            {
                rows.extend((0..facets / 2).map(|k| {
                    let (sin, cos) = ((f64::from(k) + 0.5) * TAU / f64::from(facets)).sin_cos();
                    [-sin, cos, 0.0]
                }));
            }
        });
        self.tangential.half_edge = sin;
        self.weight.clear();
        for (cone, &norm) in problem.cones().iter().zip(&task.measure.norms) {
            self.weight.extend(std::iter::repeat_n(norm, cone.dim()));
        }
        self.unused.clear();
        self.unused.resize(problem.rows(), 0.0);
        self.anderson.start(MEMORY, problem.rows());
        self.safe_change = f64::INFINITY;
        self.jumped = false;
        self.ahead.clear();
        self.ahead.extend_from_slice(lambda);
        true
    }

    fn iterate(&mut self, _: &u32, task: &Task, lambda: &mut [f64]) -> bool {
        let problem = task.problem;
        let inner = SweepParams {
            tolerance: INNER_TOLERANCE * task.tolerance,
            max_iterations: INNER_ITERATIONS,
            memory: 8,
            finish: true,
        };
        lambda.copy_from_slice(&self.ahead);
        self.before.clear();
        self.before.extend_from_slice(lambda);
        self.normal.solve(problem, &inner, lambda, &mut self.c); // (3)
        self.tangential.solve(problem, &inner, lambda, &mut self.c); // (4)

        let change = lambda.iter().zip(&self.before).zip(&self.weight);
        let change = change.map(|((new, old), w)| w * (new - old).powi(2)).sum::<f64>().sqrt();
        if self.jumped && change > GROWTH * self.safe_change {
            self.ahead.copy_from_slice(&self.safe);
            self.anderson.restart();
            self.jumped = false;
            return true;
        }
        self.safe_change = change;
        self.safe.clear();
        self.safe.extend_from_slice(lambda);
        self.ahead.copy_from_slice(lambda);
        self.unused.fill(0.0);
        self.jumped =
            self.anderson.step(&self.weight, &self.before, &mut self.ahead, &mut self.unused).is_some();
        for (i, &cone) in problem.cones().iter().enumerate() {
            task.law.project(cone, &mut self.ahead[problem.range(i)]);
        }
        true
    }
}

/// Some directions of the blocks of a problem as a problem of scalar rows.
#[derive(Default)]
struct Part {
    /// First row of every block, and after them the number of rows.
    start: Vec<usize>,
    direction: Vec<[f64; 3]>,
    problem: ConstraintProblem,
    x: Vec<f64>,
    workspace: sweep::Workspace,
    /// sin(π/n): half an edge of the polygon of radius 1.
    half_edge: f64,
}

impl Part {
    /// (G + R) between the directions that `of` names for every block.
    fn build(&mut self, problem: &ConstraintProblem, of: impl Fn(Cone, &mut Vec<[f64; 3]>)) {
        let Self { start, direction, problem: part, .. } = self;
        start.clear();
        direction.clear();
        part.clear();
        start.push(0);
        for &cone in problem.cones() {
            let first = direction.len();
            of(cone, direction);
            // Bounds of friction come with every solve.
            let own = if cone.dim() == 3 { Cone::NonNegative } else { cone };
            (first..direction.len()).for_each(|_| part.push(own, &[0.0]));
            start.push(direction.len());
        }
        let blocks = &problem.blocks;
        let (row_start, own) = part.starts_and_blocks_mut();
        let mut block = 0;
        own.set_pattern(row_start, |row, out| {
            while start[block + 1] <= row {
                block += 1;
            }
            blocks
                .entries(block)
                .for_each(|k| out.extend(start[blocks.column_of(k)]..start[blocks.column_of(k) + 1]));
        });
        for i in 0..problem.len() {
            for row in start[i]..start[i + 1] {
                let mut entries = own.entries(row);
                for k in blocks.entries(i) {
                    let j = blocks.column_of(k);
                    let (g, width) = (blocks.entry(k), problem.range(j).len());
                    for column in start[j]..start[j + 1] {
                        let (e, f) = (direction[row], direction[column]);
                        let mut sum: f64 =
                            g.iter().enumerate().map(|(v, g)| e[v / width] * g * f[v % width]).sum();
                        if i == j {
                            let r = &problem.compliance[problem.range(i)];
                            sum += r.iter().enumerate().map(|(m, r)| e[m] * r * f[m]).sum::<f64>();
                        }
                        if let Some(at) = entries.next() {
                            own.entry_mut(at)[0] = sum;
                        }
                    }
                }
            }
        }
        self.x.clear();
        self.x.resize(self.direction.len(), 0.0);
    }

    /// Best impulses of these directions for the other impulses of `lambda`, into `lambda`; c is scratch.
    fn solve(
        &mut self,
        problem: &ConstraintProblem,
        params: &SweepParams,
        lambda: &mut [f64],
        c: &mut Vec<f64>,
    ) {
        let tangential = self.half_edge > 0.0;
        for (i, &cone) in problem.cones().iter().enumerate() {
            let (rows, own) = (problem.range(i), self.start[i]..self.start[i + 1]);
            let Cone::Friction { mu } = cone else {
                if !tangential {
                    self.x[own.start] = lambda[rows.start];
                    lambda[rows.start] = 0.0;
                }
                continue;
            };
            if tangential {
                let side = self.half_edge * mu * lambda[rows.end - 1];
                for k in own {
                    self.problem.set_cone(k, Cone::Box { lo: -side, hi: side });
                    self.x[k] = self.x[k].clamp(-side, side);
                }
                lambda[rows.start..rows.end - 1].fill(0.0);
            } else {
                self.x[own.start] = lambda[rows.end - 1];
                lambda[rows.end - 1] = 0.0;
            }
        }
        problem.velocities_into(lambda, c);
        for i in 0..problem.len() {
            let c = &c[problem.range(i)];
            for k in self.start[i]..self.start[i + 1] {
                self.problem.free_velocity[k] = c.iter().zip(&self.direction[k]).map(|(c, e)| c * e).sum();
            }
        }
        let Self { problem: part, x, workspace, .. } = self;
        sweep::solve(&mut Rows, params, workspace, part, x, &mut Watch::none());
        for i in 0..problem.len() {
            let lambda = &mut lambda[problem.range(i)];
            for k in self.start[i]..self.start[i + 1] {
                lambda.iter_mut().zip(&self.direction[k]).for_each(|(l, e)| *l += e * self.x[k]);
            }
        }
    }
}

/// Scalar rows only: the sweep knows them.
#[derive(Clone)]
struct Rows;

impl Rule for Rows {
    const LAW: Law = Law::Ccp;

    fn answer(&self, _: &Contact, lambda: [f64; 3], _: [f64; 3]) -> [f64; 3] {
        lambda
    }
}
