//! Energy and momentum that a step must not change.

use super::angular_momentum::AngularMomentum;
use super::bounce_energy::BounceEnergy;
use stiction_models::World;

/// The checks of one world.
pub(super) struct Balance {
    pub(super) bounce_energy: BounceEnergy,
    pub(super) angular_momentum: AngularMomentum,
}

impl Balance {
    pub(super) fn new(world: &World) -> Self {
        let (bounce_energy, angular_momentum) = (BounceEnergy::new(world), AngularMomentum::new(world));
        Self { bounce_energy, angular_momentum }
    }
}
