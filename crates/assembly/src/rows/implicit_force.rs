//! Actuators on several dofs or at their limits, and tendons, whose force depends on the velocity at the end of the step.
//!
//! ```text
//!     effort e₀ − k (l̇⁺ − l̇):   g = cᵀv_f − cᵀv − e₀/k,   R = 1/(h k),   h e_min ≤ λ ≤ h e_max         (1)
//! ```

use crate::block::RowKey;
use crate::forces::ImplicitForce;
use crate::posed::Posed;
use crate::posing::Posing;
use crate::warm_start::WarmStart;

/// Pushes (1).
pub(crate) fn push(p: &Posing<'_>, out: &mut Posed, warm: &mut WarmStart) {
    for &(force, effort) in p.implicit_forces {
        let (terms, limit) = match force {
            ImplicitForce::Actuator(i) => {
                let actuator = &p.world.actuators[i];
                (&actuator.transmission[..], actuator.effort_limit)
            }
            ImplicitForce::Tendon(i) => (p.world.tendons[i].terms(), None),
        };
        let change: f64 = terms.iter().map(|&(dof, c)| c * (p.free_velocity[dof] - p.v[dof])).sum();
        let range = limit.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        out.jacobian.push_linear(terms, &p.world.model);
        let free: f64 = terms.iter().map(|&(dof, c)| c * p.free_velocity[dof]).sum();
        let row = p.params.implicit_force(effort, range, change, free);
        let key = RowKey::ImplicitForce(force);
        out.push_scalar(key, key.cone(row.bounds), row.into(), p.softness_gap(0.0));
        if let Some(r) = out.problem.compliance.last_mut() {
            *r = row.compliance;
        }
        warm.recall(key);
    }
}
