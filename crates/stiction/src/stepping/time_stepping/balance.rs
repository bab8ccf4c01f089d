//! Energy and momentum that a step must not change.

use super::angular_momentum::AngularMomentum;
use super::bounce_energy::BounceEnergy;
use super::energy_error::EnergyError;
use stiction_models::World;

/// The checks of one world.
pub(super) struct Balance {
    pub(super) bounce_energy: BounceEnergy,
    pub(super) angular_momentum: AngularMomentum,
    pub(super) energy_error: EnergyError,
}

impl Balance {
    pub(super) fn new(world: &World) -> Self {
        Self {
            bounce_energy: BounceEnergy::new(world),
            angular_momentum: AngularMomentum::new(world),
            energy_error: EnergyError::new(world),
        }
    }
}
