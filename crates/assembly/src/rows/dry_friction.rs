//! Dry friction of joints: c = q̇, |λ| ≤ h τ_f.

use crate::block::{Bias, RowKey};
use crate::posed::Posed;
use crate::posing::Posing;
use crate::warm_start::WarmStart;
use stiction_contact::Cone;

/// Pushes a row for every dof with dry friction.
pub(crate) fn push(p: &Posing<'_>, out: &mut Posed, warm: &mut WarmStart) {
    for (i, dof) in p.world.model.dofs.iter().enumerate() {
        if dof.friction > 0.0 {
            let (key, bound) = (RowKey::DryFriction { dof: i }, p.params.h * dof.friction);
            out.jacobian.push_linear(&[(i, 1.0)], &p.world.model);
            let bias = Bias { free: p.free_velocity[i], ..Bias::default() };
            out.push_scalar(key, Cone::Box { lo: -bound, hi: bound }, bias, p.softness_gap(0.0));
            p.soften(out, i, |s| s.friction(dof.joint));
            warm.recall(key);
        }
    }
}
