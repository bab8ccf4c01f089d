//! Limits and dry friction of tendons, lengths l = cᵀq that several joints share.
//!
//! ```text
//!     limit                as of a joint, with φ = l − l_min or l_max − l                              (1)
//!     dry friction τ_f     c = l̇,   |λ| ≤ h τ_f                                                        (2)
//! ```
//!
//! Springs and dampers of tendons are [`crate::rows::implicit_force`].

use crate::laws::row::Row;
use crate::row_key::{RowKey, TendonFrictionRow, TendonLimitRow};
use crate::rows::kind::{At, Feature, ImpulseSet, LinearRow, RowKind, SIDES, Terms, Work, trees};
use crate::rows::limit::distance;
use stiction_dynamics::Real;
use stiction_world::World;

impl RowKind for TendonLimitRow {
    fn key(&self) -> RowKey {
        RowKey::TendonLimit(*self)
    }

    fn set(&self) -> ImpulseSet {
        ImpulseSet::NonNegative
    }

    fn work(&self) -> Work {
        Work::Limits
    }

    fn feature(&self) -> Feature {
        Feature::Tendons
    }

    fn sort(&self) -> &'static str {
        "limit of tendon"
    }

    fn name<'a>(&self, world: &'a World) -> &'a str {
        &world.tendons[self.tendon].name
    }

    fn for_each_tree(&self, world: &World, tree: &mut dyn FnMut(usize)) {
        trees(world, &self.terms(world)).for_each(tree);
    }
}

impl LinearRow for TendonLimitRow {
    fn all(world: &World) -> impl Iterator<Item = Self> {
        let tendons = world.tendons.iter().enumerate();
        let limited = tendons.filter(|(_, t)| t.limit.is_some() && !t.terms().is_empty());
        limited.flat_map(|(tendon, _)| [0, 1].map(|side| Self { tendon, side }))
    }

    #[inline(always)]
    fn terms<'a>(&self, world: &'a World) -> Terms<'a> {
        Terms::sum(SIDES[self.side], world.tendons[self.tendon].terms())
    }

    #[inline(always)]
    fn row<T: Real>(&self, world: &World, at: &At<'_, T>) -> Row<T> {
        let tendon = &world.tendons[self.tendon];
        let Some(range) = tendon.limit else { return Row::none(at.zero()) };
        let [before, free] = at.rates(&self.terms(world));
        let terms = Terms::sum(1.0, tendon.terms());
        let gap = |q: &[T]| {
            let length = terms.along(at.zero(), |dof| q[at.q_of_dof[dof]]);
            distance(length, range, self.side)
        };
        match at.start {
            Some(start) => at.params.limit_at_middle(gap(start), before, free, at.lasts),
            None => at.params.limit(gap(at.q), before, free),
        }
    }
}

/// Distance to a limit at q [m].
pub(crate) fn distance_at(world: &World, row: TendonLimitRow, q: &[f64], q_of_dof: &[usize]) -> Option<f64> {
    let tendon = &world.tendons[row.tendon];
    let length = Terms::sum(1.0, tendon.terms()).along(0.0, |dof| q[q_of_dof[dof]]);
    Some(distance(length, tendon.limit?, row.side))
}

impl RowKind for TendonFrictionRow {
    fn key(&self) -> RowKey {
        RowKey::TendonFriction(*self)
    }

    fn set(&self) -> ImpulseSet {
        ImpulseSet::Bounded
    }

    fn work(&self) -> Work {
        Work::DryFriction
    }

    fn feature(&self) -> Feature {
        Feature::Tendons
    }

    fn sort(&self) -> &'static str {
        "dry friction of tendon"
    }

    fn name<'a>(&self, world: &'a World) -> &'a str {
        &world.tendons[self.tendon].name
    }

    fn for_each_tree(&self, world: &World, tree: &mut dyn FnMut(usize)) {
        trees(world, &self.terms(world)).for_each(tree);
    }
}

impl LinearRow for TendonFrictionRow {
    fn all(world: &World) -> impl Iterator<Item = Self> {
        let tendons = world.tendons.iter().enumerate();
        let rough = tendons.filter(|(_, t)| t.friction > 0.0 && !t.terms().is_empty());
        rough.map(|(tendon, _)| Self { tendon })
    }

    #[inline(always)]
    fn terms<'a>(&self, world: &'a World) -> Terms<'a> {
        Terms::sum(1.0, world.tendons[self.tendon].terms())
    }

    #[inline(always)]
    fn row<T: Real>(&self, world: &World, at: &At<'_, T>) -> Row<T> {
        let friction = at.zero().like(world.tendons[self.tendon].friction);
        at.params.dry_friction(friction, at.rates(&self.terms(world))[1])
    }
}
