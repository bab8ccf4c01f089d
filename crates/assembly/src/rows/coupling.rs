//! Couplings of joints, Σ c q = d + p(z) with z = Σ c' q − z₀ and p a polynomial:
//!
//! ```text
//!     c = Σ c q̇ − p'(z) ż,   error e = Σ c q − d − p(z),   λ free                                     (1)
//! ```
//!
//! Those of linkages that turn have the slope p' of the middle of the step ([`crate::turning`]).

use crate::laws::row::Row;
use crate::posed::Posed;
use crate::posing::Posing;
use crate::row_key::{CouplingRow, RowKey};
use crate::rows::kind::{self, At, Feature, ImpulseSet, LinearRow, RowKind, Terms, Work, trees};
use crate::warm_start::WarmStart;
use stiction_contact::Cone;
use stiction_dynamics::Real;
use stiction_world::World;

impl RowKind for CouplingRow {
    fn key(&self) -> RowKey {
        RowKey::Coupling(*self)
    }

    fn set(&self) -> ImpulseSet {
        ImpulseSet::Free
    }

    fn work(&self) -> Work {
        Work::Constraints
    }

    fn feature(&self) -> Feature {
        Feature::Couplings
    }

    fn sort(&self) -> &'static str {
        "coupling"
    }

    fn name<'a>(&self, world: &'a World) -> &'a str {
        &world.couplings[self.index].name
    }

    fn for_each_tree(&self, world: &World, tree: &mut dyn FnMut(usize)) {
        let coupling = &world.couplings[self.index];
        let bend = coupling.curve.as_ref().map_or(&[][..], |c| &c.terms);
        for terms in [&coupling.terms, bend] {
            trees(world, &Terms::sum(1.0, terms)).for_each(&mut *tree);
        }
    }
}

/// The straight part of (1), p = 0.
impl LinearRow for CouplingRow {
    fn all(world: &World) -> impl Iterator<Item = Self> {
        (0..world.couplings.len()).map(|index| Self { index })
    }

    #[inline(always)]
    fn terms<'a>(&self, world: &'a World) -> Terms<'a> {
        Terms::sum(1.0, &world.couplings[self.index].terms)
    }

    #[inline(always)]
    fn row<T: Real>(&self, world: &World, at: &At<'_, T>) -> Row<T> {
        let terms = self.terms(world);
        let error = at.length(&terms) - at.zero().like(world.couplings[self.index].offset);
        at.params.coupling(error, at.rates(&terms)[1])
    }

    fn soften(&self, p: &Posing<'_>, out: &mut Posed) {
        let coupling = &p.world.couplings[self.index];
        let bend = coupling.curve.iter().flat_map(|c| &c.terms);
        p.soften_coupling(out, coupling.terms.iter().chain(bend).map(|t| t.0));
    }
}

/// Pushes (1).
pub(crate) fn push(p: &Posing<'_>, out: &mut Posed, warm: &mut WarmStart) {
    let at = p.at();
    for row in CouplingRow::all(p.world) {
        let coupling = &p.world.couplings[row.index];
        let tree = |&(dof, _): &(usize, f64)| p.world.model.bodies[p.world.model.dofs[dof].body].tree;
        let bend = coupling.curve.iter().flat_map(|c| &c.terms);
        let turning = p.turning_of(coupling.terms.iter().chain(bend).map(tree)).map(|t| t.q);
        if coupling.curve.is_none() && turning.is_none() {
            kind::push(row, p, &at, out, warm);
        } else {
            push_bent(row, turning, p, out, warm);
        }
    }
}

/// Pushes (1) of a curve, or of a linkage that turns, with its q at the start of the step and in its middle.
fn push_bent(
    row: CouplingRow,
    turning: Option<[&[f64]; 2]>,
    p: &Posing<'_>,
    out: &mut Posed,
    warm: &mut WarmStart,
) {
    let coupling = &p.world.couplings[row.index];
    let curve = coupling.curve.as_ref();
    let terms = row.terms(p.world);
    let bend = Terms::sum(1.0, curve.map_or(&[][..], |c| &c.terms));
    let length = |terms: &Terms<'_>, q: &[f64]| terms.along(0.0, |dof| q[p.q_of_dof[dof]]);
    let at = |q: &[f64]| curve.map_or((0.0, 0.0), |c| c.at(length(&bend, q) - c.reference));
    let [start, middle] = turning.unwrap_or([p.q; 2]);
    let ((value, start_slope), (_, slope)) = (at(start), at(middle));
    let error = length(&terms, start) - coupling.offset - value;
    let rate = |slope: f64, v: &[f64]| terms.along(0.0, |dof| v[dof]) - slope * bend.along(0.0, |dof| v[dof]);
    let free = rate(slope, p.free_velocity);
    let bias = match turning {
        Some(_) => p.params.turning_bias(free, [rate(slope, p.v), rate(start_slope, p.v)], error),
        None => p.params.coupling(error, free).into(),
    };
    let bent = bend.entries().map(|(dof, c)| (dof, -slope * c));
    out.jacobian.push_sum(terms.entries().chain(bent), &p.world.model);
    out.push_scalar(row.key(), Cone::Free, bias, p.softness_gap(error));
    row.soften(p, out);
    warm.recall(row.key());
}
