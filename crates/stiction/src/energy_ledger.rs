//! The energy ledger of a step: what every cause did to the mechanical energy.
//!
//! With E = T + U of gravity and joint springs, and v̄ = (v + v⁺)/2,
//!
//! ```text
//!     M̃ (v⁺ − v) = Σ p_c + Jᵀ λ          the balance of momentum that the step solved                  (1)
//!     W_c = v̄ · p_c,   W_i = ½ (c_i + c_i⁺) λ_i       of causes and of rows, c = J v, c⁺ = J v⁺          (2)
//!     ΔE = Σ W_c + Σ W_i + W_integrator                                                               (3)
//! ```
//!
//! v̄ · M̃ (v⁺ − v) = ½ v⁺ᵀ M̃ v⁺ − ½ vᵀ M̃ v, so that (2) of all that is in (1) is exact, however large the step. What is left,
//! `integrator`, is told from what it is: M at both ends is not M̃, and the work of gravity, springs and inertia forces as the
//! step took them is not the difference of their potentials.

use serde::Serialize;
use stiction_assembly::rows::kind::Work;

/// Energies and works of one step [J]. The changes of energy on the left of (3) are `kinetic`, `gravity` and `springs`; all
/// other entries are on its right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EnergyLedger {
    /// Change of the kinetic energy.
    pub kinetic: f64,
    /// Change of the potential of gravity.
    pub gravity: f64,
    /// Change of the energy in springs of joints, and of contacts that store any.
    pub springs: f64,
    /// Work of actuators.
    pub actuators: f64,
    /// Work of forces given from outside.
    pub applied: f64,
    /// Work of the normal forces of contacts, without what undoes overlaps.
    pub normal: f64,
    /// Work of friction between surfaces.
    pub friction: f64,
    /// Work of joint limits.
    pub limits: f64,
    /// Work of dry friction in joints.
    pub joint_friction: f64,
    /// Work of dampers, those that a method adds among them.
    pub damping: f64,
    /// Work of loops and couplings, without what undoes their errors.
    pub constraints: f64,
    /// Work of what undoes overlaps, and errors of loops and couplings.
    pub stabilization: f64,
    /// Energy that the rule of integration made.
    pub integrator: f64,
}

impl EnergyLedger {
    /// Account that has the work of a scalar row.
    pub(crate) fn of_row(&mut self, work: Work) -> &mut f64 {
        match work {
            Work::Limits => &mut self.limits,
            Work::DryFriction => &mut self.joint_friction,
            Work::Constraints => &mut self.constraints,
            Work::Actuators => &mut self.actuators,
        }
    }

    /// ΔE, the left of (3) [J].
    pub fn change(&self) -> f64 {
        self.kinetic + self.gravity + self.springs
    }

    /// The right of (3) [J].
    pub fn explained(&self) -> f64 {
        self.actuators
            + self.applied
            + self.normal
            + self.friction
            + self.limits
            + self.joint_friction
            + self.damping
            + self.constraints
            + self.stabilization
            + self.integrator
    }

    /// The largest entry by size: the scale of rounding [J].
    pub fn size(&self) -> f64 {
        let left = [self.kinetic, self.gravity, self.springs];
        let works = [self.actuators, self.applied, self.normal, self.friction, self.limits];
        let rest = [self.joint_friction, self.damping, self.constraints, self.stabilization, self.integrator];
        left.iter().chain(&works).chain(&rest).fold(0.0, |most, x| most.max(x.abs()))
    }

    /// Both, one step after the other.
    #[must_use]
    pub fn followed_by(&self, next: &Self) -> Self {
        Self {
            kinetic: self.kinetic + next.kinetic,
            gravity: self.gravity + next.gravity,
            springs: self.springs + next.springs,
            actuators: self.actuators + next.actuators,
            applied: self.applied + next.applied,
            normal: self.normal + next.normal,
            friction: self.friction + next.friction,
            limits: self.limits + next.limits,
            joint_friction: self.joint_friction + next.joint_friction,
            damping: self.damping + next.damping,
            constraints: self.constraints + next.constraints,
            stabilization: self.stabilization + next.stabilization,
            integrator: self.integrator + next.integrator,
        }
    }
}
