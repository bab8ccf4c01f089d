//! Dry friction of joints: c = q̇, |λ| ≤ h τ_f.

use crate::block::RowKey;
use crate::laws::row::Row;
use crate::posed::Posed;
use crate::posing::Posing;
use crate::rows::kind::{At, ImpulseSet, LinearRow, RowKind, Terms, Work, any_tree};
use serde::{Deserialize, Serialize};
use stiction_dynamics::Real;
use stiction_world::World;

/// Dry friction of a dof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DryFrictionRow {
    pub dof: usize,
}

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

    fn words(&self, world: &World) -> String {
        let model = &world.model;
        format!("the dry friction of joint `{}`", model.joints[model.dofs[self.dof].joint].name)
    }

    fn acts_on(&self, world: &World, tree: &dyn Fn(usize) -> bool) -> bool {
        any_tree(world, &self.terms(world), tree)
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
