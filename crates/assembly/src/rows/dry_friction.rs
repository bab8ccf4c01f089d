//! Dry friction of joints: c = q̇, |λ| ≤ h τ_f.

use crate::block::RowKey;
use crate::posed::Posed;
use crate::posing::Posing;
use crate::warm_start::WarmStart;

/// Pushes a row for every dof with dry friction.
pub(crate) fn push(p: &Posing<'_>, out: &mut Posed, warm: &mut WarmStart) {
    for (i, dof) in p.world.model.dofs.iter().enumerate() {
        if dof.friction > 0.0 {
            let key = RowKey::DryFriction { dof: i };
            let row = p.params.dry_friction(dof.friction, p.free_velocity[i]);
            out.jacobian.push_linear(&[(i, 1.0)], &p.world.model);
            out.push_scalar(key, key.cone(row.bounds), row.into(), p.softness_gap(0.0));
            p.soften(out, i, |s| s.friction(dof.joint));
            warm.recall(key);
        }
    }
}
