//! The solvers that work on a whole island at once ([`crate::iterate`]): what they share, written once.

use crate::error::ParamError;
use crate::iterate::{Limits, Method, Workspace};
use crate::parameters::Parameters;
use stiction_contact::{ConstraintProblem, ContactSolver, Law, Needs, SolveReport, Watch};

/// Parameters of a method that works on a whole island at once, by which it is known.
pub trait IslandMethod: Parameters + Send {
    /// A start and an iteration.
    type Method: Method;
    const NAME: &'static str;
    /// Parts of a problem that it reads beyond G, R, g and the cones.
    const NEEDS: Needs = Needs { delassus_factor: false, primal: false, softness: false };
    /// True if it takes contacts that resist spinning or rolling.
    const TAKES_PATCHES: bool = false;

    /// The law whose natural map it stops by.
    fn law(&self) -> Law;

    /// When it stops.
    fn limits(&self) -> Limits;

    /// The parameters that the method itself reads.
    fn method(&self) -> <Self::Method as Method>::Params;
}

/// G by its factor alone.
pub(crate) const BY_FACTOR: Needs = Needs { delassus_factor: true, primal: false, softness: false };
/// G by its factor, and how contacts yield.
pub(crate) const COMPLIANT: Needs = Needs { softness: true, ..BY_FACTOR };

/// A solver that works on a whole island at once.
pub struct IslandSolver<P: IslandMethod> {
    params: P,
    limits: Limits,
    workspace: Workspace<P::Method>, // holds during one solve
}

impl<P: IslandMethod> IslandSolver<P> {
    pub const NAME: &str = P::NAME;

    /// The solver with these parameters, if they are in their ranges.
    pub fn new(params: P) -> Result<Self, ParamError> {
        params.check(P::NAME)?;
        Ok(Self { limits: params.limits(), params, workspace: Workspace::default() })
    }

    /// From now on to this natural map [m/s], a number > 0.
    pub fn set_tolerance(&mut self, tolerance: f64) {
        self.limits.tolerance = tolerance;
    }
}

impl<P: IslandMethod> ContactSolver for IslandSolver<P> {
    fn name(&self) -> &'static str {
        P::NAME
    }

    fn law(&self) -> Law {
        self.params.law()
    }

    fn needs(&self) -> Needs {
        P::NEEDS
    }

    fn takes_patches(&self) -> bool {
        P::TAKES_PATCHES
    }

    fn solve_watched(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        let Self { params, limits, workspace } = self;
        workspace.solve(&params.method(), params.law(), *limits, problem, impulses, watch)
    }

    fn use_threads(&mut self, threads: usize) {
        self.workspace.use_threads(threads);
    }
}
