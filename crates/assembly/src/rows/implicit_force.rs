//! Actuators on several dofs or at their limits, and tendons, whose force depends on the velocity at the end of the step.
//!
//! ```text
//!     effort e₀ − k (l̇⁺ − l̇):   g = cᵀv_f − cᵀv − e₀/k,   R = 1/(h k),   h e_min ≤ λ ≤ h e_max         (1)
//! ```

use crate::forces::{Effort, ImplicitForce, tendons};
use crate::laws::row::Row;
use crate::posed::Posed;
use crate::posing::Posing;
use crate::row_key::RowKey;
use crate::rows::kind::{self, At, Feature, ImpulseSet, LinearRow, RowKind, Terms, Work, trees};
use crate::warm_start::WarmStart;
use stiction_dynamics::Real;
use stiction_world::{Tendon, World};

impl RowKind for ImplicitForce {
    fn key(&self) -> RowKey {
        RowKey::ImplicitForce(*self)
    }

    fn set(&self) -> ImpulseSet {
        ImpulseSet::Bounded
    }

    fn work(&self) -> Work {
        Work::Actuators
    }

    fn feature(&self) -> Feature {
        match self {
            Self::Actuator(_) => Feature::Actuators,
            Self::Tendon(_) => Feature::Tendons,
        }
    }

    fn stands(&self, _: &World) -> bool {
        matches!(self, Self::Tendon(_))
    }

    fn sort(&self) -> &'static str {
        match self {
            Self::Actuator(_) => "actuator",
            Self::Tendon(_) => "tendon",
        }
    }

    fn name<'a>(&self, world: &'a World) -> &'a str {
        match *self {
            Self::Actuator(i) => &world.actuators[i].name,
            Self::Tendon(i) => &world.tendons[i].name,
        }
    }

    fn for_each_tree(&self, world: &World, tree: &mut dyn FnMut(usize)) {
        trees(world, &self.terms(world)).for_each(tree);
    }
}

impl LinearRow for ImplicitForce {
    fn all(world: &World) -> impl Iterator<Item = Self> {
        let pulls = |t: &Tendon| !t.terms().is_empty() && (t.stiffness > 0.0 || t.damping > 0.0);
        let tendons = (0..world.tendons.len()).filter(move |&i| pulls(&world.tendons[i]));
        (0..world.actuators.len()).map(Self::Actuator).chain(tendons.map(Self::Tendon))
    }

    #[inline(always)]
    fn terms<'a>(&self, world: &'a World) -> Terms<'a> {
        Terms::sum(
            1.0,
            match *self {
                Self::Actuator(i) => &world.actuators[i].transmission,
                Self::Tendon(i) => world.tendons[i].terms(),
            },
        )
    }

    #[inline(always)]
    fn row<T: Real>(&self, world: &World, at: &At<'_, T>) -> Row<T> {
        let infinite = at.zero().like(f64::INFINITY);
        match *self {
            Self::Actuator(i) => row_of(*self, world, at, at.efforts[i], at.laws[i].effort_range),
            Self::Tendon(i) => {
                let of_end = || {
                    let (terms, law) = (self.terms(world), tendons::law(&world.tendons[i]).cast(at.zero()));
                    law.effort(at.length(&terms), at.rates(&terms)[0], at.params.h)
                };
                let effort = at.tendons.map_or_else(of_end, |all| all[i]);
                row_of(*self, world, at, effort, [-infinite, infinite])
            }
        }
    }
}

/// (1) of a force with this effort, within `range` [N or N·m].
#[inline(always)]
fn row_of<T: Real>(
    force: ImplicitForce,
    world: &World,
    at: &At<'_, T>,
    effort: Effort<T>,
    range: [T; 2],
) -> Row<T> {
    let terms = force.terms(world);
    let change = terms.along(at.zero(), |dof| at.free_velocity[dof] - at.v[dof]);
    at.params.implicit_force(effort, range, change, at.rates(&terms)[1])
}

/// Pushes (1) of every force whose effort the step found.
pub(crate) fn push(p: &Posing<'_>, out: &mut Posed, warm: &mut WarmStart) {
    let at = p.at();
    for &(force, effort) in p.implicit_forces {
        let limit = match force {
            ImplicitForce::Actuator(i) => p.world.actuators[i].effort_limit,
            ImplicitForce::Tendon(_) => None,
        };
        let range = limit.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        kind::push_row(force, row_of(force, p.world, &at, effort, range), p, out, warm);
    }
}
