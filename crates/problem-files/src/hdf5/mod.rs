//! As much of HDF5 as files of contact problems use: groups, and datasets of numbers and texts, without
//! a C library.
//!
//! Read are superblocks 0 to 3, object headers 1 and 2, groups by symbol table or by compact links, datasets
//! that are contiguous, compact or in chunks (deflated and shuffled or not). Written are files of superblock 0,
//! which every version of the library reads. Attributes are passed over.
//!
//! Nothing is taken on trust: every place is checked against the length of the file, trees are descended with a
//! budget, and memory stays within a multiple of the file's size that deflating can reach.

mod bytes;
mod chunks;
mod dataset;
mod message;
mod read;
mod write;

pub(super) use read::File;
pub(super) use write::{Node, write};

/// The first bytes of a file.
pub(super) const SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Advice for files of a kind that is not read.
const REMEDY: &str = "`h5repack --low=0 --high=1 IN OUT` rewrites it in the plain form";

/// An address that leads nowhere.
const UNDEFINED: usize = usize::MAX;
