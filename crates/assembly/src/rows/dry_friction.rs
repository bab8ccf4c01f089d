//! Dry friction of joints: c = q̇, |λ| ≤ h τ_f.

use crate::laws::row::Row;
use crate::posed::Posed;
use crate::posing::Posing;
use crate::row_key::{DryFrictionRow, RowKey};
use crate::rows::kind::{At, Feature, ImpulseSet, LinearRow, RowKind, Terms, Work, trees};
use stiction_dynamics::Real;
use stiction_world::World;

impl RowKind for DryFrictionRow {
    fn key(&self) -> RowKey {
        RowKey::DryFriction(*self)
    }

    fn set(&self) -> ImpulseSet {
        ImpulseSet::Bounded
    }

    fn work(&self) -> Work {
        Work::DryFriction
    }

    fn feature(&self) -> Feature {
        Feature::DryFriction
    }

    fn stands(&self, world: &World) -> bool {
        world.model.dofs[self.dof].friction > 0.0
    }

    fn sort(&self) -> &'static str {
        "dry friction of joint"
    }

    fn name<'a>(&self, world: &'a World) -> &'a str {
        &world.model.joints[world.model.dofs[self.dof].joint].name
    }

    fn for_each_tree(&self, world: &World, tree: &mut dyn FnMut(usize)) {
        trees(world, &self.terms(world)).for_each(tree);
    }
}

impl LinearRow for DryFrictionRow {
    fn all(world: &World) -> impl Iterator<Item = Self> {
        (0..world.model.nv()).map(|dof| Self { dof })
    }

    #[inline(always)]
    fn terms<'a>(&self, _: &'a World) -> Terms<'a> {
        Terms::dof(1.0, self.dof)
    }

    #[inline(always)]
    fn row<T: Real>(&self, _: &World, at: &At<'_, T>) -> Row<T> {
        at.params.dry_friction(at.model.dofs[self.dof].friction, at.free_velocity[self.dof])
    }

    fn soften(&self, p: &Posing<'_>, out: &mut Posed) {
        p.soften(out, self.dof, |s| s.friction(p.world.model.dofs[self.dof].joint));
    }
}
