//! What compliant laws read of a constraint block, and rigid laws do not need.

use serde::{Deserialize, Serialize};

/// One block of a problem as a compliant law sees it; see [`crate::ConstraintProblem::softness`].
/// The default touches (φ = 0) and rests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Softness {
    /// φ at the start of the step: gap of a contact [m], distance to a limit or error of a bilateral
    /// row [m or rad]. Zero for dry friction.
    pub gap: f64,
    /// Size of the error of all rows of a loop together, of which MuJoCo's impedance is; 0: the gap itself [m].
    pub error: f64,
    /// J v of the rows of the block at the start of the step [m/s]; a scalar block uses the first.
    pub velocity: [f64; 3],
    /// J v of the rows of a patch from the fourth on, spins times their lengths, at the start of the step [m/s].
    pub turning: [f64; 3],
    /// Part of g of the last row beyond J v_free: stabilisation and restitution [m/s].
    pub bias: f64,
    /// Scale of G_ii without the present configuration, as MuJoCo's `diagApprox` of the first row; 0
    /// where only G itself tells [1/kg].
    pub weight: f64,
    pub material: Material,
}

/// How a pair of surfaces, a limit or a joint yields. Every law reads its own numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Material {
    /// Elastic stiffness of SAP and of Hunt and Crossley [N/m].
    pub stiffness: f64,
    /// Relaxation time of SAP's linear dissipation [s].
    pub relaxation: f64,
    /// Hunt and Crossley's dissipation [s/m].
    pub dissipation: f64,
    /// MuJoCo's reference: (time constant, damping ratio), or both negative (−stiffness, −damping).
    pub solref: [f64; 2],
    /// MuJoCo's reference of friction rows, as `solref`; zeros take `solref`.
    pub solref_friction: [f64; 2],
    /// MuJoCo's impedance: (d₀, d_width, width, midpoint, power).
    pub solimp: [f64; 5],
    /// MuJoCo's gap at which a constraint begins to act; of contacts the gap is already less it [m].
    pub margin: f64,
    /// MuJoCo's ratio of the impedances of friction and normal rows [–].
    pub impratio: f64,
}

impl Default for Material {
    /// MuJoCo's defaults; Drake's for the rest, but for a stiffness that makes SAP near rigid.
    fn default() -> Self {
        Self {
            stiffness: 1e6,
            relaxation: 0.1,
            dissipation: 50.0,
            solref: [0.02, 1.0],
            solref_friction: [0.0, 0.0],
            solimp: [0.9, 0.95, 0.001, 0.5, 2.0],
            margin: 0.0,
            impratio: 1.0,
        }
    }
}
