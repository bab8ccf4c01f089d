//! Everything that decides how a simulation goes on, to be kept and put back.
//!
//! State, input, the impulses that the next step starts from, which servos are at their limits, and who sleeps. What a
//! solver remembers beyond these (factors that it spares itself) it forgets when a snapshot is taken and when one is
//! put back, so that both go on with the same bits. What the last step was like, its contacts and efforts, is not kept.
//!
//! Floating point numbers are kept as their bits: no format of files rounds them.

use crate::warm_start::{Numbers, RowKey};
use crate::{Settings, StateError};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt::{self, Write};
use stiction_models::World;

/// Of the layout of [`Snapshot`].
pub(crate) const VERSION: u32 = 3;

/// See the module; made by [`crate::Simulation::snapshot`].
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
    /// Warm starts.
    pub(crate) contacts: Vec<([usize; 2], u32, Bits)>,
    pub(crate) rows: Vec<(RowKey, Bits)>,
    /// The last step went without pushes.
    pub(crate) jammed: bool,
    /// Servos that are at their limits.
    pub(crate) promoted: Vec<bool>,
    /// Per tree: steps at rest, and the island it sleeps with.
    pub(crate) calm: Vec<u32>,
    pub(crate) island: Vec<Option<usize>>,
    /// Of every such island.
    pub(crate) verdicts: Vec<Bits>,
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

/// Numbers, kept as their bits.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Bits(pub(crate) Vec<f64>);

impl Serialize for Bits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|x| x.to_bits()))
    }
}

impl<'de> Deserialize<'de> for Bits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bits = Vec::<u64>::deserialize(deserializer)?;
        Ok(Self(bits.into_iter().map(f64::from_bits).collect()))
    }
}

impl Snapshot {
    /// With the warm starts that [`crate::warm_start::WarmStart::numbers`] gave.
    pub(crate) fn keep_warm_starts(&mut self, (contacts, rows): Numbers) {
        self.contacts = contacts.into_iter().map(|(g, f, x)| (g, f, Bits(x))).collect();
        self.rows = rows.into_iter().map(|(key, x)| (key, Bits(x.to_vec()))).collect();
    }

    /// The inverse; `None` if there are not as many numbers as there should be.
    pub(crate) fn warm_starts(&self) -> Option<Numbers> {
        let contacts = self.contacts.iter().map(|(g, f, x)| (*g, *f, x.0.clone())).collect();
        let pair = |(key, x): &(RowKey, Bits)| Some((*key, <[f64; 2]>::try_from(&x.0[..]).ok()?));
        Some((contacts, self.rows.iter().map(pair).collect::<Option<_>>()?))
    }
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
