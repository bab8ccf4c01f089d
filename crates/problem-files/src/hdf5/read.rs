//! From the superblock to an object: headers, groups, links.

use super::bytes::{Bytes, Result, spend};
use super::dataset::Dataset;
use super::message::{
    CONTINUATION, DATASPACE, DATATYPE, FILTERS, LAYOUT, LINK, LINK_INFO, Message, SYMBOL_TABLE,
};
use super::{REMEDY, SIGNATURE, UNDEFINED};

/// A file in memory.
#[derive(Debug)]
pub(crate) struct File<'a> {
    bytes: Bytes<'a>,
    root: usize,
    /// Nodes and messages that may be looked at: no file has more than it has room for.
    budget: usize,
}

impl<'a> File<'a> {
    pub(crate) fn open(all: &'a [u8]) -> Result<Self> {
        let mut at = Bytes::new(all, 8, 8);
        at.expect(SIGNATURE).map_err(|_| "it does not begin as one".to_owned())?;
        let version = at.byte()?;
        match version {
            0 | 1 => {
                at.skip(4)?;
                (at.offset_size, at.length_size) = (at.byte()?, at.byte()?);
                // Ranks of trees, flags; version 1 has one rank more.
                at.skip(if version == 0 { 9 } else { 13 })?;
            }
            2 | 3 => {
                (at.offset_size, at.length_size) = (at.byte()?, at.byte()?);
                at.skip(1)?;
            }
            _ => return Err(format!("its superblock is of version {version}; expected 0 to 3; {REMEDY}")),
        }
        if ![2, 4, 8].contains(&at.offset_size) || ![2, 4, 8].contains(&at.length_size) {
            return Err(format!("its addresses have {} bytes; expected 2, 4 or 8", at.offset_size));
        }
        let base = at.offset()?;
        if base != 0 {
            return Err(format!("it begins with a user block of {base} bytes; expected none; {REMEDY}"));
        }
        // Free space or extension, the end, then the driver and the name of the root group.
        at.skip(at.offset_size)?;
        let end = at.offset()?;
        if end > all.len() {
            return Err(format!("it states {end} bytes and has {}; was it cut?", all.len()));
        }
        if version < 2 {
            at.skip(2 * at.offset_size)?;
        }
        let root = at.offset()?;
        Ok(Self { bytes: at, root, budget: all.len() / 8 })
    }

    /// The dataset at `path`, names between slashes; `None` where a name is not there.
    pub(crate) fn dataset(&self, path: &str) -> Result<Option<Dataset<'a>>> {
        let Some(messages) = self.find(path)? else { return Ok(None) };
        Dataset::new(self.bytes, &messages).map_err(|e| format!("`{path}`: {e}")).map(Some)
    }

    /// True when there is something at `path`.
    pub(crate) fn has(&self, path: &str) -> Result<bool> {
        Ok(self.find(path)?.is_some())
    }

    fn find(&self, path: &str) -> Result<Option<Vec<Message<'a>>>> {
        let mut budget = self.budget;
        let mut messages = self.header(self.root, &mut budget)?;
        for name in path.split('/').filter(|n| !n.is_empty()) {
            let Some(child) = self.child(&messages, name, &mut budget)? else { return Ok(None) };
            messages = self.header(child, &mut budget)?;
        }
        Ok(Some(messages))
    }

    /// Messages of the object header at `at`.
    fn header(&self, at: usize, budget: &mut usize) -> Result<Vec<Message<'a>>> {
        let mut head = self.bytes.goto(at);
        // Every message with its pieces, which headers of version 2 mark and follow by a checksum.
        let (mut pieces, order) = if head.take(4)? == b"OHDR" {
            let (version, flags) = (head.byte()?, head.byte()?);
            if version != 2 {
                return Err(format!("the object header at byte {at} is of version {version}"));
            }
            head.skip(if flags & 0x20 != 0 { 16 } else { 0 } + if flags & 0x10 != 0 { 4 } else { 0 })?;
            let size = head.number(1 << (flags & 3))?;
            (vec![head.part(size)?], Some(if flags & 4 != 0 { 2 } else { 0 }))
        } else {
            head = self.bytes.goto(at);
            let version = head.byte()?;
            if version != 1 {
                return Err(format!("no object header at byte {at}"));
            }
            head.skip(7)?;
            let size = head.number(4)?;
            head.skip(4)?;
            (vec![head.part(size)?], None)
        };
        let mut out = Vec::new();
        while let Some(mut piece) = pieces.pop() {
            let head = order.map_or(8, |o| 4 + o);
            while piece.left() >= head {
                spend(budget)?;
                let kind = piece.number(if order.is_some() { 1 } else { 2 })?;
                let (size, flags) = (piece.number(2)?, piece.byte()?);
                piece.skip(order.unwrap_or(3))?;
                let mut content = piece.part(size)?;
                match kind {
                    CONTINUATION => {
                        let (at, size) = (content.offset()?, content.length()?);
                        let mut more = self.bytes.goto(at);
                        let size = if order.is_some() {
                            more.expect(b"OCHK")?;
                            size.checked_sub(8).ok_or("a piece of a header is too short")?
                        } else {
                            size
                        };
                        pieces.push(more.part(size)?);
                    }
                    DATASPACE | DATATYPE | LAYOUT | FILTERS if flags & 2 != 0 => {
                        return Err(format!("the header at byte {at} shares a message; {REMEDY}"));
                    }
                    _ => out.push((kind, content)),
                }
            }
        }
        Ok(out)
    }

    /// Address of the object that a group calls `name`.
    fn child(&self, group: &[Message<'a>], name: &str, budget: &mut usize) -> Result<Option<usize>> {
        for (kind, content) in group {
            let mut content = *content;
            match *kind {
                SYMBOL_TABLE => {
                    let (tree, heap) = (content.offset()?, content.offset()?);
                    return self.symbol(tree, self.heap(heap)?, name, None, budget);
                }
                LINK => {
                    if let Some(address) = link(content, name)? {
                        return Ok(Some(address));
                    }
                }
                LINK_INFO => {
                    content.skip(1)?;
                    let flags = content.byte()?;
                    content.skip(if flags & 1 != 0 { 8 } else { 0 })?;
                    if content.offset()? != UNDEFINED {
                        return Err(format!("a group has more links than a header holds; {REMEDY}"));
                    }
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// Names of a group.
    fn heap(&self, at: usize) -> Result<Bytes<'a>> {
        let mut heap = self.bytes.goto(at);
        heap.expect(b"HEAP")?;
        heap.skip(4)?;
        let size = heap.length()?;
        heap.skip(heap.length_size)?;
        let data = heap.offset()?;
        self.bytes.goto(data).part(size)
    }

    /// `name` below the tree node at `at`, which must be of `level` unless it is the root.
    fn symbol(
        &self,
        at: usize,
        names: Bytes<'a>,
        name: &str,
        level: Option<usize>,
        budget: &mut usize,
    ) -> Result<Option<usize>> {
        let mut node = self.bytes.goto(at);
        node.expect(b"TREE")?;
        let (kind, here) = (node.byte()?, node.byte()?);
        if kind != 0 || level.is_some_and(|l| l != here) {
            return Err(format!("the tree node at byte {at} is not the one expected"));
        }
        let children = node.number(2)?;
        node.skip(2 * node.offset_size)?;
        for _ in 0..children {
            spend(budget)?;
            node.skip(node.length_size)?;
            let child = node.offset()?;
            let found = match here.checked_sub(1) {
                Some(below) => self.symbol(child, names, name, Some(below), budget)?,
                None => self.symbol_node(child, names, name, budget)?,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn symbol_node(
        &self,
        at: usize,
        names: Bytes<'a>,
        name: &str,
        budget: &mut usize,
    ) -> Result<Option<usize>> {
        let mut node = self.bytes.goto(at);
        node.expect(b"SNOD")?;
        node.skip(2)?;
        for _ in 0..node.number(2)? {
            spend(budget)?;
            let (called, address) = (node.offset()?, node.offset()?);
            let cached = node.number(4)?;
            node.skip(20)?;
            let mut here = names.goto(called);
            let same =
                here.take(name.len() + 1).is_ok_and(|n| n.strip_suffix(b"\0") == Some(name.as_bytes()));
            if same && cached == 2 {
                return Err(format!("`{name}` is a symbolic link; {REMEDY}"));
            }
            if same {
                return Ok(Some(address));
            }
        }
        Ok(None)
    }
}

/// Address behind a link message, if it is called `name`.
fn link(mut message: Bytes, name: &str) -> Result<Option<usize>> {
    message.skip(1)?;
    let flags = message.byte()?;
    let kind = if flags & 8 != 0 { message.byte()? } else { 0 };
    message.skip(if flags & 4 != 0 { 8 } else { 0 } + if flags & 0x10 != 0 { 1 } else { 0 })?;
    let length = message.number(1 << (flags & 3))?;
    if message.take(length)? != name.as_bytes() {
        return Ok(None);
    }
    match kind {
        0 => message.offset().map(Some),
        _ => Err(format!("`{name}` is a symbolic link; {REMEDY}")),
    }
}
