//! Everything that decides how a simulation goes on, to be kept and put back.
//!
//! State, input, and the memory of the stepper ([`Memory`]). What a
//! solver remembers beyond these (factors that it spares itself) it forgets when a snapshot is taken and when one is
//! put back, so that both go on with the same bits. What the last step was like, its contacts and efforts, is not kept.
//!
//! Floating point numbers are kept as their bits: no format of files rounds them.

use crate::settings::Settings;
use crate::state::StateError;
use crate::stepping::Memory;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};
pub(crate) use stiction_assembly::warm_start::Bits;
use stiction_world::World;

/// Of the layout of [`Snapshot`].
pub(crate) const VERSION: u32 = 4;

/// State, input and memory; made by [`crate::Simulation::snapshot`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    pub(crate) version: u32,
    /// Fingerprints of the world and of the settings it was taken from.
    pub(crate) world: u64,
    pub(crate) settings: u64,
    pub(crate) t: Bits,
    pub(crate) q: Bits,
    pub(crate) v: Bits,
    pub(crate) control: Bits,
    pub(crate) generalized: Bits,
    /// Of the stepper.
    pub(crate) memory: Memory,
    /// Certificates of the islands that sleep, in order.
    pub(crate) certificates: Vec<Bits>,
}

/// Why a snapshot cannot be put back.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SnapshotError {
    #[error("the snapshot is of version {found}; this program reads version {VERSION}")]
    Version { found: u32 },
    #[error("the snapshot was taken of another {what}")]
    Other { what: &'static str },
    #[error("the snapshot is damaged: {what}")]
    Damaged { what: &'static str },
    #[error(transparent)]
    State(#[from] StateError),
}

/// Of all that a step reads of a world.
pub(crate) fn fingerprint_of_world(world: &World) -> u64 {
    let World { model, geometries, excluded, excluded_from_world, pairs, actuators, couplings, .. } = world;
    let World { loops, tendons, gravity_compensation, drive_limits, .. } = world;
    let touch = (geometries, excluded, excluded_from_world, pairs);
    let drive = (actuators, couplings, loops, tendons, gravity_compensation, drive_limits);
    fingerprint(format_args!("{model:?}{touch:?}{drive:?}"))
}

pub(crate) fn fingerprint_of_settings(settings: &Settings) -> u64 {
    // Threads change no bit.
    let decisive = Settings { threads: 1, ..settings.clone() };
    fingerprint(format_args!("{decisive:?}"))
}

/// Of what is written, byte by byte (FNV-1a).
fn fingerprint(text: fmt::Arguments<'_>) -> u64 {
    struct Hash(u64);
    impl Write for Hash {
        fn write_str(&mut self, s: &str) -> fmt::Result {
            for byte in s.bytes() {
                self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
            Ok(())
        }
    }
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    // Writing to a number cannot fail.
    let _ = hash.write_fmt(text);
    hash.0
}
