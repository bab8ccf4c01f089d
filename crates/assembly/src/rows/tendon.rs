//! Limits and dry friction of tendons, lengths l = cᵀq that several joints share.
//!
//! ```text
//!     limit                as of a joint, with φ = l − l_min or l_max − l                              (1)
//!     dry friction τ_f     c = l̇,   |λ| ≤ h τ_f                                                        (2)
//! ```
//!
//! Springs and dampers of tendons are [`crate::forces::tendons`].

use crate::block::RowKey;
use crate::forces::tendons::length_and_rate;
use crate::posed::Posed;
use crate::posing::Posing;
use crate::rows::scalar::SIDES;
use crate::warm_start::WarmStart;
use stiction_world::Tendon;

/// Pushes (1), of tendons that this step could bring to their limits, then (2).
pub(crate) fn push(p: &Posing<'_>, out: &mut Posed, warm: &mut WarmStart) {
    let model = &p.world.model;
    let free = |t: &Tendon| -> f64 { t.terms().iter().map(|&(d, c)| c * p.free_velocity[d]).sum() };
    for (index, t) in p.world.tendons.iter().enumerate() {
        let Some([low, high]) = t.limit.filter(|_| !t.terms().is_empty()) else { continue };
        let (length, now) = length_and_rate(t.terms(), p.q, p.v, p.q_of_dof);
        let rate = free(t);
        let reach = p.params.reach(now, rate);
        for (side, (sign, gap)) in SIDES.into_iter().zip([length - low, high - length]).enumerate() {
            if gap <= reach {
                let row = p.params.limit(gap, sign * now, sign * rate);
                let key = RowKey::TendonLimit { tendon: index, side };
                out.jacobian.push_sum(t.terms().iter().map(|&(dof, c)| (dof, sign * c)), model);
                out.push_scalar(key, key.cone(row.bounds), row.into(), p.softness_gap(gap));
                warm.recall(key);
            }
        }
    }
    for (index, t) in p.world.tendons.iter().enumerate() {
        if t.friction > 0.0 && !t.terms().is_empty() {
            let key = RowKey::TendonFriction { tendon: index };
            let row = p.params.dry_friction(t.friction, free(t));
            out.jacobian.push_linear(t.terms(), model);
            out.push_scalar(key, key.cone(row.bounds), row.into(), p.softness_gap(0.0));
            warm.recall(key);
        }
    }
}
