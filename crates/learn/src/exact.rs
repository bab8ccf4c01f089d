//! Numbers in JSON that come back bit for bit, infinities too: as the integers of their bits.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number, or lists of numbers, as bits.
pub(crate) trait Bits: Sized {
    type As: Serialize + DeserializeOwned;
    fn bits(&self) -> Self::As;
    fn of(bits: Self::As) -> Self;
}

impl Bits for f64 {
    type As = u64;
    fn bits(&self) -> u64 {
        self.to_bits()
    }
    fn of(bits: u64) -> Self {
        Self::from_bits(bits)
    }
}

impl<T: Bits> Bits for Vec<T> {
    type As = Vec<T::As>;
    fn bits(&self) -> Self::As {
        self.iter().map(Bits::bits).collect()
    }
    fn of(bits: Self::As) -> Self {
        bits.into_iter().map(T::of).collect()
    }
}

pub(crate) fn serialize<T: Bits, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    value.bits().serialize(to)
}

pub(crate) fn deserialize<'a, T: Bits, D: Deserializer<'a>>(from: D) -> Result<T, D::Error> {
    Ok(T::of(Deserialize::deserialize(from)?))
}
