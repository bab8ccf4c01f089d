//! Derivatives of kinematics and dynamics with respect to configuration, velocity and more.
//!
//! By q is meant the tangent of the configuration manifold, with coordinates as those of v:
//!
//! ```text
//!     ∂f/∂q_j = d/dε f(q ⊕ ε e_j, v, v̇) at ε = 0                        (1)
//! ```
//!
//! v and v̇ keep their *numbers*: of a free joint components in world axes and, for the rotation,
//! in body axes. Such a perturbation displaces all that dof j moves by the twist S_j, which the
//! carrier of the joint carries along, so that in the common frame of [`crate::Kinematics`], with
//! ψ̇ and ψ̈ of [`crate::ColumnRates`] and [`crate::Accelerations`], for every body b that j moves
//! [Singh2022]:
//!
//! ```text
//!     ∂S_i/∂q_j = S_j × S_i                                             (2)
//!     ∂V/∂q_j = ψ̇_j − V × S_j          ∂V/∂v_j = S_j                    (3)
//!     ∂A/∂q_j = ψ̈_j − V × ψ̇_j − A × S_j
//!     ∂A/∂v_j = Ṡ_j + ψ̇_j − V × S_j    ∂A/∂v̇_j = S_j                    (4)
//! ```
//!
//! for axes i of the same or a later motion; what j does not move does not change. One file per
//! algorithm that is differentiated.

mod aba;
mod external;
mod kinematics;
#[cfg(test)]
mod lanes;
mod rnea;
#[cfg(test)]
pub(crate) mod testing;

pub use aba::AbaDerivatives;
pub use external::ExternalForces;
pub use kinematics::PointDerivatives;
pub use rnea::RneaDerivatives;
