//! Messages of an object header, and which of them are read.

use super::bytes::Bytes;

/// A message of an object header: kind and content.
pub(super) type Message<'a> = (usize, Bytes<'a>);

// Kinds of messages in an object header.
pub(super) const DATASPACE: usize = 0x01;
pub(super) const DATATYPE: usize = 0x03;
pub(super) const LAYOUT: usize = 0x08;
pub(super) const FILTERS: usize = 0x0B;
pub(super) const LINK: usize = 0x06;
pub(super) const LINK_INFO: usize = 0x02;
pub(super) const CONTINUATION: usize = 0x10;
pub(super) const SYMBOL_TABLE: usize = 0x11;
