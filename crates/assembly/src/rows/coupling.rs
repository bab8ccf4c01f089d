//! Couplings of joints, Σ c q = d + p(z) with z = Σ c' q − z₀ and p a polynomial:
//!
//! ```text
//!     c = Σ c q̇ − p'(z) ż,   error e = Σ c q − d − p(z),   λ free                                     (1)
//! ```

use crate::block::RowKey;
use crate::posed::Posed;
use crate::posing::Posing;
use crate::warm_start::WarmStart;

/// Pushes (1).
pub(crate) fn push(p: &Posing<'_>, out: &mut Posed, warm: &mut WarmStart) {
    for (index, coupling) in p.world.couplings.iter().enumerate() {
        let along = |terms: &[(usize, f64)], x: &dyn Fn(usize) -> f64| -> f64 {
            terms.iter().map(|&(dof, c)| c * x(dof)).sum()
        };
        let (q, v) = (|d: usize| p.q[p.q_of_dof[d]], |d: usize| p.free_velocity[d]);
        let curved = coupling.curve.as_ref();
        let (value, slope) = curved.map_or((0.0, 0.0), |c| c.at(along(&c.terms, &q) - c.reference));
        let bend = curved.map_or(&[][..], |c| &c.terms[..]);
        let free = along(&coupling.terms, &v) - slope * along(bend, &v);
        let error = along(&coupling.terms, &q) - coupling.offset - value;
        let bent = bend.iter().map(|&(dof, c)| (dof, -slope * c));
        out.jacobian.push_sum(coupling.terms.iter().copied().chain(bent), &p.world.model);
        let key = RowKey::Coupling { index };
        let row = p.params.coupling(error, free);
        out.push_scalar(key, key.cone(row.bounds), row.into(), p.softness_gap(error));
        let terms = coupling.terms.iter().chain(bend);
        p.soften_coupling(out, terms.map(|t| t.0));
        warm.recall(key);
    }
}
