//! SHA-256 of bytes, as lower-case hexadecimal text.

use std::fmt::{self, Write as _};

/// A digest of what is written into it, piece by piece.
#[derive(Clone, Default)]
pub struct Digest(hmac_sha256::Hash);

impl Digest {
    /// A digest of nothing so far.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes more bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all bytes taken: 64 hexadecimal digits.
    pub fn finish(self) -> String {
        let mut text = String::with_capacity(64);
        for byte in self.0.finalize() {
            // Writing into a text does not fail.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

impl fmt::Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}

/// The digest of `bytes`.
pub fn digest(bytes: &[u8]) -> String {
    let mut all = Digest::new();
    all.bytes(bytes);
    all.finish()
}

/// The digest of a value by its derived `Debug` text, which says every number to its last bit.
pub fn digest_of(value: &impl fmt::Debug) -> String {
    let mut all = Digest::new();
    // Writing into a digest does not fail.
    let _ = write!(all, "{value:?}");
    all.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of FIPS 180-2, appendix B.
    #[test]
    fn digests_are_those_of_the_standard() {
        assert_eq!(digest(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let long = digest(&vec![b'a'; 1_000_000]);
        assert_eq!(long, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }

    /// Neighbouring numbers have digests of their own, and so have signs of zero.
    #[test]
    fn values_are_told_apart_to_the_last_bit() {
        let x = 0.1_f64;
        let all = [x, f64::from_bits(x.to_bits() + 1), 0.0, -0.0].map(|x| digest_of(&vec![x]));
        for (i, one) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|other| other != one), "{all:?}");
        }
    }
}
