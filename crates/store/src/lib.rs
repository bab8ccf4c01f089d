//! Results that outlive faults: files that are whole or not there, and folders that say what they are results of.
//!
//! ```text
//!     write, Beside            a draft beside the file, synchronised, renamed
//!     Key                      contents of everything that results depend on
//!     Store                    folder ── store.json: the key, written first; another key is refused
//!       ├─ record NAME         one value a file, with the digests of key and content
//!       └─ Lines               many small results in one table, each with its sum
//! ```
//!
//! Digests are SHA-256. Damaged, doubled and foreign records are refused and named; nothing is repaired in silence.

mod beside;
mod digest;
mod key;
mod lines;
mod records;

pub use beside::{Beside, write};
pub use digest::{Digest, digest, digest_of};
pub use key::Key;
pub use lines::{Kept, Lines};
pub use records::{MANIFEST, Store, StoreError};
