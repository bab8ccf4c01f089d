//! Implicit integration of articulated bodies with contact by the non-convex maximal dissipation principle [Pan2021].
//!
//! ```text
//!     min K(ν, q⁺)  over weights w of contact sets,   such that G(ν, w) = 0          (1)
//! ```
//!
//! A step from (q, v) to (q⁺ = q ⊕ h ν, ν) solves the backward-Euler equations G = 0 with contact forces B(q⁺) w from sets
//! that depend on where the step ends ([`wrench_set`]), and of all of these takes those after which the kinetic energy is
//! least.
//!
//! | what | where |
//! |---|---|
//! | positions at the end, derivatives of turning | [`end_of_step`] |
//! | inertia, two ways: `ne` and `pbd` | [`inertia`] |
//! | efforts at the end of the step: stable PD | [`efforts`] |
//! | contact sets, and where they are | [`wrench_set`], [`sites`] |
//! | which set stands where, by name | [`contact_sets`], [`set_kind`], [`sole`] |
//! | G, its derivatives, K | [`residual`], factored by [`tree_lu`] |
//! | the step: projected gradients, over quadratic programs | [`pgm`], [`simplex_qp`] |
//! | the baseline under linearised dynamics | [`forward`] |
//! | derivatives of a step | [`derivative`] |
//! | smaller steps where a step fails; the five methods by name | [`adaptive`] |
//! | the sites of a world's geometries and joints | [`from_world`] |
//! | parameters, reports | [`params`], [`report`] |

// Capitals carry meaning: X_WB is a pose, S a motion subspace, G a residual.
#![allow(non_snake_case)]

pub mod adaptive;
pub mod body_forces;
pub mod contact_sets;
pub mod derivative;
pub mod efforts;
pub mod end_of_step;
pub mod forward;
pub mod from_world;
pub mod inertia;
pub mod params;
pub mod pgm;
pub mod report;
pub mod residual;
pub mod set_kind;
pub mod simplex_qp;
pub mod sites;
pub mod sole;
pub mod tree_lu;
pub mod wrench_set;

pub use adaptive::{Acting, Method, Nmdp, NmdpMemory};
pub use contact_sets::{ContactSets, ContactSite, SetsError};
pub use derivative::{NoDerivative, StepDerivative};
pub use from_world::{UnsupportedWorld, WorldSites};
pub use params::{NmdpParams, OutOfRange};
pub use report::{Failure, NmdpReport};
pub use set_kind::SetKind;
