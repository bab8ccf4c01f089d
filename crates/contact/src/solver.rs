//! What every contact solver offers, and what it reports.

use crate::cone::{Cone, get, put};
use crate::polygon::Polygon;
use crate::problem::ConstraintProblem;
use serde::{Serialize, Serializer};
use std::fmt;

/// The law a solver's answer obeys when it has converged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// Signorini + Coulomb + maximum dissipation: K ∋ λ ⟂ c + Γ(c) ∈ K*.
    Ncp,
    /// Signorini + Coulomb, the slip direction of RaiSim's bisection.
    Raisim,
    /// The convex relaxation K ∋ λ ⟂ c ∈ K*: sliding bodies lift.
    Ccp,
    /// Signorini + maximum dissipation over the square |λ_t1|, |λ_t2| ≤ μ λ_N: up to √2 times the friction.
    Pyramid,
    /// Signorini + maximum dissipation over the polygon with `facets` corners on the disc
    /// [StewartTrinkle1996]: down to cos(π/facets) of the friction.
    Facets { facets: u32 },
    /// The convex relaxation K ∋ λ ⟂ c ∈ K* over the cone of that polygon [Anitescu2006].
    PolyhedralCcp { facets: u32 },
    /// MuJoCo's regularised relaxation with elliptic cones ([`crate::soft::mujoco`]): contacts yield,
    /// held bodies creep.
    Mujoco,
    /// The same with four-sided pyramids.
    MujocoPyramidal,
    /// Drake's regularised relaxation with linear dissipation ([`crate::soft::sap`]).
    Sap,
    /// Hunt and Crossley's contact, friction bounded by the pressure before the step
    /// ([`crate::soft::hunt_crossley`]).
    Lagged,
    /// Hunt and Crossley's contact, friction coupled as in the relaxation.
    Similar,
}

impl Law {
    /// True where contacts yield: the law reads [`crate::Softness`].
    #[inline]
    pub fn compliant(self) -> bool {
        matches!(self, Self::Mujoco | Self::MujocoPyramidal | Self::Sap | Self::Lagged | Self::Similar)
    }

    /// The polygon that stands for the friction disc.
    #[inline]
    pub fn polygon(self) -> Option<Polygon> {
        match self {
            Law::Pyramid => Some(Polygon::Square),
            Law::Facets { facets } | Law::PolyhedralCcp { facets } => Some(Polygon::Regular { facets }),
            _ => None,
        }
    }

    /// Nearest impulse of a block that the law admits, in place.
    #[inline]
    pub fn project(self, cone: Cone, x: &mut [f64]) {
        match (cone, self.polygon()) {
            (Cone::Friction { mu }, Some(polygon)) => put(x, polygon.project_cone(get(x), mu)),
            _ => cone.project(x),
        }
    }

    /// [`Self::project`] for every block of a problem; `impulses` as it has rows.
    pub fn project_all(self, problem: &ConstraintProblem, impulses: &mut [f64]) {
        for (i, &cone) in problem.cones().iter().enumerate() {
            self.project(cone, &mut impulses[problem.range(i)]);
        }
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Law::Ncp => f.write_str("ncp"),
            Law::Raisim => f.write_str("raisim"),
            Law::Ccp => f.write_str("ccp"),
            Law::Pyramid => f.write_str("pyramid"),
            Law::Facets { facets } => write!(f, "facets-{facets}"),
            Law::PolyhedralCcp { facets } => write!(f, "ccp-facets-{facets}"),
            Law::Mujoco => f.write_str("mujoco"),
            Law::MujocoPyramidal => f.write_str("mujoco-pyramidal"),
            Law::Sap => f.write_str("sap"),
            Law::Lagged => f.write_str("lagged"),
            Law::Similar => f.write_str("similar"),
        }
    }
}

impl Serialize for Law {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SolveStatus {
    /// The solver's stopping quantity fell below the tolerance.
    Converged,
    /// The tolerance was not reached, nor can it be told whether it is: what is left is no more than what one unit in
    /// the last place of every impulse makes of velocities.
    Rounding,
    /// The iteration budget is spent; the best impulses seen are returned.
    IterationLimit,
    /// No further progress is possible; the best impulses seen are returned.
    Stalled,
    /// A number stopped being finite; the impulses must not be used.
    NumericalFailure,
}

/// What a solver says of its own work. Its residual decides when it stops; the residual that is
/// reported to users is the judge's ([`crate::certificate`]).
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SolveReport {
    pub status: SolveStatus,
    /// Sweeps or Newton steps taken.
    pub iterations: u32,
    /// The solver's own stopping quantity [m/s].
    pub residual: f64,
}

impl SolveReport {
    pub fn converged(&self) -> bool {
        self.status == SolveStatus::Converged
    }

    /// True if no solver could come nearer, to speak of: it has converged, or what is left is rounding.
    pub fn settled(&self) -> bool {
        matches!(self.status, SolveStatus::Converged | SolveStatus::Rounding)
    }
}

/// What a solver reads of a problem beyond G, R, g and the cones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The factor of G is enough, [`crate::ThinRows`]: where blocks are needed, the solver forms them.
    pub thin: bool,
    /// M, J and v_free. Without them a solver works on a root of G, [`crate::Root`].
    pub primal: bool,
    /// One [`crate::Softness`] per block. Without them a solver takes [`crate::Softness::default`].
    pub softness: bool,
}

/// Is shown (iterations done, impulses) after every iteration, if anyone watches.
#[derive(Default)]
pub struct Watch<'a>(Option<&'a mut Show<'a>>);

type Show<'a> = dyn FnMut(u32, &[f64]) + 'a;

impl<'a> Watch<'a> {
    /// Nobody watches.
    pub const fn none() -> Self {
        Self(None)
    }

    pub fn new(show: &'a mut Show<'a>) -> Self {
        Self(Some(show))
    }

    /// True when somebody watches.
    #[inline]
    pub fn on(&self) -> bool {
        self.0.is_some()
    }

    #[inline]
    pub fn show(&mut self, iterations: u32, impulses: &[f64]) {
        if let Some(show) = &mut self.0 {
            show(iterations, impulses);
        }
    }
}

/// Why `solver` cannot take `problem`, in a sentence.
pub fn refusal(solver: &dyn ContactSolver, problem: &ConstraintProblem) -> Option<String> {
    refused(solver.takes_patches(), problem).then(|| {
        format!("{} takes no contacts that resist spinning or rolling; auto and nsgs do", solver.name())
    })
}

fn refused(takes_patches: bool, problem: &ConstraintProblem) -> bool {
    !takes_patches && problem.cones().iter().any(|c| matches!(c, Cone::Patch { .. }))
}

/// A contact solver: parameters and workspace; the problem is handed in.
pub trait ContactSolver: Send {
    /// Registry name, `law-algorithm`.
    fn name(&self) -> &'static str;

    /// The law of the answer.
    fn law(&self) -> Law;

    /// What must be in the problem.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// True if it answers [`Cone::Patch`]; what others cannot take, [`refusal`] tells.
    fn takes_patches(&self) -> bool {
        false
    }

    /// Solves `problem`, starting from `impulses` (zeros are a cold start) and leaving the answer
    /// there. Allocates only when the problem is larger than any before.
    fn solve(&mut self, problem: &ConstraintProblem, impulses: &mut [f64]) -> SolveReport {
        if refused(self.takes_patches(), problem) {
            impulses.fill(0.0);
            return SolveReport { status: SolveStatus::NumericalFailure, iterations: 0, residual: f64::NAN };
        }
        self.solve_watched(problem, impulses, &mut Watch::none())
    }

    /// [`Self::solve`] with its iterates shown to `watch`.
    fn solve_watched(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport;

    /// Drops whatever a solve keeps for the next one, so that what follows depends on the problem and
    /// the starting impulses alone.
    fn forget(&mut self) {}

    /// Solves on so many threads, the caller's among them, where the problem falls into parts. The answer has the
    /// same bits. Solvers that do not work part by part go on alone.
    fn use_threads(&mut self, _threads: usize) {}
}
