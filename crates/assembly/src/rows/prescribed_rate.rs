//! Joints that move at a prescribed rate ω, such as a crank that a motor turns: c = q̇ − ω, λ free.

use crate::laws::row::Row;
use crate::row_key::{PrescribedRateRow, RowKey};
use crate::rows::kind::{At, Feature, ImpulseSet, LinearRow, RowKind, Terms, Work, trees};
use stiction_dynamics::Real;
use stiction_world::World;

impl RowKind for PrescribedRateRow {
    fn key(&self) -> RowKey {
        RowKey::PrescribedRate(*self)
    }

    fn set(&self) -> ImpulseSet {
        ImpulseSet::Free
    }

    /// The work is that of the motor which keeps the rate.
    fn work(&self) -> Work {
        Work::Actuators
    }

    fn feature(&self) -> Feature {
        Feature::Couplings
    }

    fn sort(&self) -> &'static str {
        "prescribed rate of joint"
    }

    fn name<'a>(&self, world: &'a World) -> &'a str {
        &world.model.joints[world.model.dofs[self.dof].joint].name
    }

    fn for_each_tree(&self, world: &World, tree: &mut dyn FnMut(usize)) {
        trees(world, &self.terms(world)).for_each(tree);
    }
}

impl LinearRow for PrescribedRateRow {
    fn all(world: &World) -> impl Iterator<Item = Self> {
        (0..world.model.nv()).filter(|&dof| world.model.dofs[dof].rate.is_some()).map(|dof| Self { dof })
    }

    #[inline(always)]
    fn terms<'a>(&self, _: &'a World) -> Terms<'a> {
        Terms::dof(1.0, self.dof)
    }

    #[inline(always)]
    fn row<T: Real>(&self, world: &World, at: &At<'_, T>) -> Row<T> {
        let (free, infinite) = (at.free_velocity[self.dof], at.zero().like(f64::INFINITY));
        let Some(rate) = world.model.dofs[self.dof].rate else { return Row::none(at.zero()) };
        let everywhere = free.zero().less(free.one());
        Row { gap: -free.like(rate), ..Row::new(everywhere, free, [-infinite, infinite]) }
    }
}
