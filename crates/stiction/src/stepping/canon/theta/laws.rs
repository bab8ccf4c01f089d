//! The contact laws of [`super`]: what g and R of a contact's rows are, and who solves the problem.
//!
//! ```text
//!     moreau             g_N = J_N v_f + e J_N v,   g_T = J_T v_f + e_T J_T v,   where φ + γ h φ̇ ≤ `touch`  (1)
//!     stewart-trinkle    g_N = J_N v_f + φ/h,   by Lemke's pivots                                      (2)
//!     anitescu           the same,   by the convex programme                                          (3)
//!     todorov            g = J v_f − u*,   R = ε diag(J M̂⁻¹ Jᵀ),   over the cone:                      (4)
//!                        u* = (1 − 2 h (1 + ε)/κ) J v − h (1 + ε)/κ² (0, 0, φ)
//! ```
//!
//! Contacts of (1) that last are [`super::lasting`]'s: they take part at any gap, and by the midpoint rule g
//! = J v_f + J v − J₀ v. In (2) and (3) gaps count of either sign: what overlaps is pushed apart within the
//! step. (4) is Todorov's regularised dual [Todorov2014] with the constants of its scalar example: critically
//! damped, with the time constant κ.

use super::super::unsupported::Features;
use crate::canon_params::{CanonParams, ThetaForces};
use crate::catalogue::{StepperEntry, entry};
use crate::params::StepperParams;
use std::ops::Range;
use stiction_assembly::{Bias, ContactPoint};
use stiction_contact::ContactSolver;
use stiction_dynamics::spatial::Vec3;
use stiction_solvers::registry::{Common, SolverError, make_from};
use stiction_solvers::values::Params;

/// A contact law with its place in the θ-method.
pub(crate) trait ThetaLaw: Send + 'static {
    const ENTRY: &'static StepperEntry;
    const SUPPORTS: Features;

    /// Where the step takes its forces: by default semi-implicit, with forces of inertia at the start.
    fn rule(params: &CanonParams) -> Rule {
        let _ = params;
        Rule {
            theta: 1.0,
            inertial: false,
            share: 1.0,
            within: false,
            midpoint: false,
            rounds: 1,
            lasts: false,
        }
    }

    /// The solver that is part of the method; `None`: any of the exact or a relaxed law.
    fn solver(params: &CanonParams) -> Result<Option<Box<dyn ContactSolver>>, SolverError>;

    /// The gap up to which contacts are looked for, where no body moves farther than `way` in the step [m].
    fn margin(params: &StepperParams, way: f64) -> f64 {
        let _ = way;
        params.margin
    }

    /// Whether a contact takes part in a step of h [s], where its gap grows at the rate `opening` [m/s].
    fn takes(params: &CanonParams, c: &ContactPoint, opening: f64, h: f64) -> bool {
        let _ = (params, c, opening, h);
        true
    }

    /// Writes g − J v_f of a contact's tangential rows into `offsets`, which are zero; the bias of its normal
    /// row.
    fn write(params: &CanonParams, contact: &ContactRows<'_>, offsets: &mut [f64]) -> Bias;

    /// ε of (4): R over the diagonal of J M̂⁻¹ Jᵀ, which is no part of the exact law and hidden from the
    /// judge [–].
    fn regularization(params: &CanonParams) -> Option<f64> {
        let _ = params;
        None
    }

    /// Damping inertia, as a share of the diagonal of M [1/s].
    fn damping_inertia(params: &CanonParams) -> Option<f64> {
        let _ = params;
        None
    }
}

/// Where a step takes its forces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(super) theta: f64,
    /// Forces of inertia are taken by θ as well.
    pub(super) inertial: bool,
    /// The share of f̃ that is taken where it is linearised; the rest is that of the start.
    pub(super) share: f64,
    /// f̃ is taken at one point within the step, (3) of [`super`].
    pub(super) within: bool,
    /// The step is the implicit midpoint rule.
    pub(super) midpoint: bool,
    /// Newton iterations, at most.
    pub(super) rounds: u32,
    /// Contacts last at any gap, and overlaps stay.
    pub(super) lasts: bool,
}

/// The velocity of a contact that lasts at the start of the step, and that of its opening [m/s].
#[derive(Clone, Copy)]
pub(crate) struct Held {
    pub(super) velocity: Vec3,
    pub(super) opening: f64,
}

/// A contact whose rows are written.
pub(crate) struct ContactRows<'a> {
    pub(super) point: &'a ContactPoint,
    pub(super) held: Option<Held>,
    pub(super) rows: Range<usize>,
    pub(super) normal: usize,
    /// J_N v_f [m/s].
    pub(super) free: f64,
    /// J v of all rows [m/s].
    pub(super) before: &'a [f64],
    pub(super) h: f64,
}

impl ContactRows<'_> {
    fn tangential(&self) -> impl Iterator<Item = usize> {
        let normal = self.normal;
        self.rows.clone().filter(move |&r| r != normal)
    }
}

/// A solver of the method's own, by name.
fn own(name: &str, params: &CanonParams, of: &Params) -> Result<Option<Box<dyn ContactSolver>>, SolverError> {
    make_from(name, &Common { tolerance: params.tolerance, max_iterations: 2000 }, of).map(Some)
}

/// The parts that methods with a law of their own know.
const POINTS: Features = Features {
    tendons: false,
    pressure: false,
    restitution: false,
    rolling_friction: false,
    ..Features::ALL
};

pub(crate) struct Moreau;

impl ThetaLaw for Moreau {
    const ENTRY: &'static StepperEntry = entry("moreau");
    const SUPPORTS: Features = Features { tendons: false, ..Features::ALL };

    fn rule(params: &CanonParams) -> Rule {
        let moreau = &params.moreau;
        let within = moreau.forces == ThetaForces::Midpoint;
        Rule {
            theta: moreau.theta,
            inertial: true,
            share: if within { 1.0 } else { moreau.theta },
            within,
            midpoint: within && moreau.theta == 0.5,
            rounds: moreau.newton,
            lasts: true,
        }
    }

    fn solver(_: &CanonParams) -> Result<Option<Box<dyn ContactSolver>>, SolverError> {
        Ok(None)
    }

    fn takes(params: &CanonParams, c: &ContactPoint, opening: f64, h: f64) -> bool {
        c.gap + params.moreau.gamma * h * opening <= params.moreau.touch
    }

    fn write(params: &CanonParams, contact: &ContactRows<'_>, offsets: &mut [f64]) -> Bias {
        let ContactRows { point, held, normal, free, before, .. } = *contact;
        let Some(Held { velocity, opening }) = held else {
            let tangential = params.moreau.tangential_restitution;
            contact.tangential().for_each(|r| offsets[r] = tangential * before[r]);
            return Bias { free, restitution: point.restitution * before[normal], ..Bias::default() };
        };
        let [along, across, _] = point.axes();
        for (r, t) in contact.tangential().zip([along, across]) {
            offsets[r] = before[r] - t.dot(velocity);
        }
        Bias { free, turn: before[normal] - opening, ..Bias::default() }
    }
}

pub(crate) struct StewartTrinkle;

impl ThetaLaw for StewartTrinkle {
    const ENTRY: &'static StepperEntry = entry("stewart-trinkle");
    const SUPPORTS: Features = POINTS;

    fn solver(params: &CanonParams) -> Result<Option<Box<dyn ContactSolver>>, SolverError> {
        own("lcp-lemke", params, &Params::default().with("facets", params.facets))
    }

    fn write(_: &CanonParams, contact: &ContactRows<'_>, _: &mut [f64]) -> Bias {
        Bias { free: contact.free, gap: contact.point.gap / contact.h, ..Bias::default() }
    }
}

pub(crate) struct Anitescu;

impl ThetaLaw for Anitescu {
    const ENTRY: &'static StepperEntry = entry("anitescu");
    const SUPPORTS: Features = POINTS;

    fn solver(params: &CanonParams) -> Result<Option<Box<dyn ContactSolver>>, SolverError> {
        own("anitescu-qp", params, &Params::default().with("facets", params.facets))
    }

    /// Under the relaxation a contact acts from φ = h (μ ‖c_T‖ − c_N) on.
    fn margin(params: &StepperParams, way: f64) -> f64 {
        params.margin + 2.0 * way
    }

    fn write(params: &CanonParams, contact: &ContactRows<'_>, offsets: &mut [f64]) -> Bias {
        StewartTrinkle::write(params, contact, offsets)
    }
}

pub(crate) struct Todorov;

impl ThetaLaw for Todorov {
    const ENTRY: &'static StepperEntry = entry("todorov");
    const SUPPORTS: Features = POINTS;

    fn solver(params: &CanonParams) -> Result<Option<Box<dyn ContactSolver>>, SolverError> {
        own("ccp-ipm", params, &Params::default())
    }

    fn margin(params: &StepperParams, _: f64) -> f64 {
        params.canon.todorov.margin
    }

    fn takes(params: &CanonParams, c: &ContactPoint, _: f64, _: f64) -> bool {
        c.gap <= params.todorov.margin
    }

    fn write(params: &CanonParams, contact: &ContactRows<'_>, offsets: &mut [f64]) -> Bias {
        let ContactRows { point, normal, free, before, h, .. } = *contact;
        let todorov = &params.todorov;
        let soft = (1.0 + todorov.regularization) / todorov.time_constant;
        contact.rows.clone().for_each(|r| offsets[r] = (2.0 * h * soft - 1.0) * before[r]);
        let gap = h * soft / todorov.time_constant * point.gap;
        Bias { free, gap: gap + offsets[normal], ..Bias::default() }
    }

    fn regularization(params: &CanonParams) -> Option<f64> {
        Some(params.todorov.regularization)
    }

    fn damping_inertia(params: &CanonParams) -> Option<f64> {
        Some(params.todorov.damping_inertia)
    }
}
