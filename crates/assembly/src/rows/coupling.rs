//! Couplings of joints, Σ c q = d + p(z) with z = Σ c' q − z₀ and p a polynomial:
//!
//! ```text
//!     c = Σ c q̇ − p'(z) ż,   error e = Σ c q − d − p(z),   λ free                                     (1)
//! ```
//!
//! Those of linkages that turn have the slope p' of the middle of the step ([`crate::turning`]).

use crate::block::RowKey;
use crate::posed::Posed;
use crate::posing::Posing;
use crate::warm_start::WarmStart;
use stiction_contact::Cone;

/// Pushes (1).
pub(crate) fn push(p: &Posing<'_>, out: &mut Posed, warm: &mut WarmStart) {
    for (index, coupling) in p.world.couplings.iter().enumerate() {
        let along = |terms: &[(usize, f64)], x: &dyn Fn(usize) -> f64| -> f64 {
            terms.iter().map(|&(dof, c)| c * x(dof)).sum()
        };
        let (q, v) = (|d: usize| p.q[p.q_of_dof[d]], |d: usize| p.free_velocity[d]);
        let curved = coupling.curve.as_ref();
        let at =
            |q: &dyn Fn(usize) -> f64| curved.map_or((0.0, 0.0), |c| c.at(along(&c.terms, q) - c.reference));
        let bend = curved.map_or(&[][..], |c| &c.terms[..]);
        let rate = |slope: f64, v: &dyn Fn(usize) -> f64| along(&coupling.terms, v) - slope * along(bend, v);
        let (value, start_slope) = at(&q);
        let error = along(&coupling.terms, &q) - coupling.offset - value;
        let tree = |&(dof, _): &(usize, f64)| p.world.model.bodies[p.world.model.dofs[dof].body].tree;
        let middle = p.middle_of(coupling.terms.iter().chain(bend).map(tree));
        let slope = middle.map_or(start_slope, |m| at(&|d| m.q[p.q_of_dof[d]]).1);
        let (free, before) = (rate(slope, &v), |slope: f64| rate(slope, &|d| p.v[d]));
        let bent = bend.iter().map(|&(dof, c)| (dof, -slope * c));
        out.jacobian.push_sum(coupling.terms.iter().copied().chain(bent), &p.world.model);
        let key = RowKey::Coupling { index };
        if middle.is_some() {
            let bias = p.params.turning_bias(free, [before(slope), before(start_slope)], error);
            out.push_scalar(key, Cone::Free, bias, p.softness_gap(error));
        } else {
            let row = p.params.coupling(error, free);
            out.push_scalar(key, key.cone(row.bounds), row.into(), p.softness_gap(error));
        }
        let terms = coupling.terms.iter().chain(bend);
        p.soften_coupling(out, terms.map(|t| t.0));
        warm.recall(key);
    }
}
