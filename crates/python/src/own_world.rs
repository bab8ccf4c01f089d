//! Worlds of environments whose numbers are not those of the batch.

use crate::workspace::Workspaces;
use std::sync::Arc;
use stiction::world::World;
use stiction_sensors::Offered;

/// The world of an environment, where it has numbers of its own.
pub(crate) enum Own {
    /// It has none.
    Shared,
    /// It has, and nobody has asked for sensors since they were given.
    Unread,
    /// With the readings of its sensors.
    Made(Arc<OwnWorld>),
}

/// A world with numbers of its own.
pub(crate) struct OwnWorld {
    pub(crate) world: World,
    pub(crate) offered: Vec<Offered>,
    /// Not shared, since kinematics hold inertias.
    pub(crate) workspaces: Workspaces,
}
