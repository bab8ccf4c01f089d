//! The laws of contact by name: the exact one, its relaxations and linearisations, and the compliant ones.
//!
//! K is the cone of a block ([`crate::cone`]), Γ De Saxcé's correction, λ its impulses and c its velocity.

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
    /// MuJoCo's regularised relaxation with four-sided pyramids instead of cones.
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

    /// True where the law says what it makes of contacts that resist spinning or rolling ([`Cone::Patch`]).
    #[inline]
    pub fn takes_patches(self) -> bool {
        matches!(self, Self::Ncp | Self::Ccp | Self::Mujoco | Self::MujocoPyramidal)
    }

    /// The polygon that stands for the friction disc.
    #[inline]
    pub fn polygon(self) -> Option<Polygon> {
        match self {
            Law::Pyramid => Some(Polygon::Square),
            Law::Facets { facets } | Law::PolyhedralCcp { facets } => Some(Polygon::Regular { facets }),
            Law::Ncp
            | Law::Raisim
            | Law::Ccp
            | Law::Mujoco
            | Law::MujocoPyramidal
            | Law::Sap
            | Law::Lagged
            | Law::Similar => None,
        }
    }

    /// Nearest impulse of a block that the law admits, in place.
    #[inline]
    pub fn project(self, cone: Cone, x: &mut [f64]) {
        if let (Cone::Friction { mu }, Some(polygon)) = (cone, self.polygon()) {
            put(x, polygon.project_cone(get(x), mu));
        } else {
            cone.project(x);
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
