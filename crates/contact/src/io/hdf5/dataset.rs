//! A dataset: its type, its size, and its bytes put together.

use super::bytes::{Bytes, Result};
use super::read::{DATASPACE, DATATYPE, FILTERS, LAYOUT, Message, spend};
use super::{REMEDY, UNDEFINED};
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

/// A dataset may have this many bytes.
const MAX_BYTES: usize = 1 << 30;
/// Deflating cannot do better than this.
const MAX_RATIO: usize = 1032;

/// A dataset, its bytes still where they are.
#[derive(Debug)]
pub(in crate::io) struct Dataset<'a> {
    file: Bytes<'a>,
    kind: Kind,
    element: usize,
    count: usize,
    layout: Layout<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Whole { signed: bool, big: bool },
    Float { big: bool },
    Other,
}

#[derive(Debug)]
enum Layout<'a> {
    Whole(&'a [u8]),
    /// Nothing was written: zeros.
    Absent,
    Chunks {
        tree: usize,
        size: Vec<usize>,
        dims: Vec<usize>,
        filters: Vec<usize>,
    },
}

impl<'a> Dataset<'a> {
    pub(super) fn new(file: Bytes<'a>, messages: &[Message<'a>]) -> Result<Self> {
        let find = |kind: usize| messages.iter().find(|m| m.0 == kind).map(|m| m.1);
        let missing = || "it is not a dataset of numbers".to_owned();
        let dims = dataspace(find(DATASPACE).ok_or_else(missing)?)?;
        let (kind, element) = datatype(find(DATATYPE).ok_or_else(missing)?)?;
        let count = dims.iter().try_fold(1_usize, |n, d| n.checked_mul(*d));
        let bytes = count.and_then(|n| n.checked_mul(element)).filter(|n| *n <= MAX_BYTES);
        let (Some(count), Some(bytes)) = (count, bytes) else {
            return Err(format!(
                "it states {dims:?} elements of {element} bytes; expected at most {MAX_BYTES} bytes"
            ));
        };
        let filters = find(FILTERS).map_or(Ok(Vec::new()), filters)?;
        let mut at = find(LAYOUT).ok_or_else(missing)?;
        let (version, class) = (at.byte()?, at.byte()?);
        let layout = match (version, class) {
            (3 | 4, 0) => {
                let size = at.number(2)?;
                Layout::Whole(at.take(size)?)
            }
            (3 | 4, 1) => {
                let (address, size) = (at.offset()?, at.length()?);
                match address {
                    UNDEFINED => Layout::Absent,
                    _ => Layout::Whole(file.goto(address).take(size)?),
                }
            }
            (3, 2) => {
                let rank = at.byte()?;
                let tree = at.offset()?;
                let size = (0..rank).map(|_| at.number(4)).collect::<Result<Vec<_>>>()?;
                if size.len() != dims.len() + 1 || size.last() != Some(&element) || size.contains(&0) {
                    return Err(format!("its chunks {size:?} do not fit its size {dims:?}"));
                }
                Layout::Chunks { tree, size, dims, filters }
            }
            _ => return Err(format!("its layout (version {version}, class {class}) is not read; {REMEDY}")),
        };
        match &layout {
            Layout::Whole(data) if data.len() < bytes => {
                Err(format!("it has {} of {bytes} bytes", data.len()))
            }
            _ => Ok(Self { file, kind, element, count, layout }),
        }
    }

    /// All values; of numbers alone.
    pub(in crate::io) fn numbers(&self) -> Result<Vec<f64>> {
        let bytes = self.bytes()?;
        let element = self.element.max(1);
        let kind = self.kind;
        let number = |x: &[u8]| -> Option<f64> {
            let big = matches!(kind, Kind::Float { big: true } | Kind::Whole { big: true, .. });
            let ordered = |k: usize| if big { x[x.len() - 1 - k] } else { x[k] };
            let bits = (0..x.len()).rev().fold(0_u64, |n, k| (n << 8) | u64::from(ordered(k)));
            match (kind, x.len()) {
                (Kind::Float { .. }, 8) => Some(f64::from_bits(bits)),
                (Kind::Float { .. }, 4) => Some(f64::from(f32::from_bits(bits as u32))),
                (Kind::Whole { signed: false, .. }, 1..=8) => Some(bits as f64),
                (Kind::Whole { signed: true, .. }, n @ 1..=8) => {
                    let shift = 64 - 8 * n as u32;
                    Some((((bits << shift) as i64) >> shift) as f64)
                }
                _ => None,
            }
        };
        let numbers: Option<Vec<f64>> = bytes.chunks_exact(element).map(number).collect();
        numbers.ok_or_else(|| "its elements are not numbers of 4 or 8 bytes".to_owned())
    }

    fn bytes(&self) -> Result<Vec<u8>> {
        let size = self.count * self.element;
        match &self.layout {
            Layout::Whole(data) => Ok(data[..size].to_vec()),
            _ if size > self.file.total().saturating_mul(MAX_RATIO) => {
                Err(format!("it states {size} bytes, which this file cannot hold"))
            }
            Layout::Absent => Ok(vec![0; size]),
            Layout::Chunks { .. } if size == 0 => Ok(Vec::new()),
            Layout::Chunks { tree, size: chunk, dims, filters } => {
                let mut out =
                    Chunks { file: self.file, chunk, dims, filters, out: vec![0; size], written: 0 };
                let mut budget = self.file.total() / 8;
                out.node(*tree, None, &mut budget)?;
                let expected =
                    dims.iter().zip(chunk).try_fold(1_usize, |n, (d, c)| n.checked_mul(d.div_ceil(*c)));
                if Some(out.written) == expected {
                    Ok(out.out)
                } else {
                    Err("some of its chunks are not there".into())
                }
            }
        }
    }
}

fn dataspace(mut at: Bytes) -> Result<Vec<usize>> {
    let (version, rank) = (at.byte()?, at.byte()?);
    let head = match version {
        1 => 6,
        2 => 2,
        _ => return Err(format!("its dataspace is of version {version}; {REMEDY}")),
    };
    let rest = at.take(head)?;
    if version == 2 && rest[1] == 2 {
        return Ok(vec![0]);
    }
    if rank > 8 {
        return Err(format!("it has {rank} dimensions"));
    }
    (0..rank).map(|_| at.length()).collect()
}

fn datatype(mut at: Bytes) -> Result<(Kind, usize)> {
    let class = at.byte()? & 15;
    let bits = at.take(3)?;
    let size = at.number(4)?;
    let big = bits[0] & 1 != 0;
    let kind = match class {
        0 => Kind::Whole { signed: bits[0] & 8 != 0, big },
        1 => Kind::Float { big },
        _ => Kind::Other,
    };
    if size == 0 {
        return Err("its elements have no bytes".into());
    }
    Ok((kind, size))
}

/// Identifiers of the filters, in the order of writing.
fn filters(mut at: Bytes) -> Result<Vec<usize>> {
    let (version, count) = (at.byte()?, at.byte()?);
    at.skip(if version == 1 { 6 } else { 0 })?;
    let mut out = Vec::new();
    for _ in 0..count {
        let id = at.number(2)?;
        let name = if version == 1 || id >= 256 { at.number(2)? } else { 0 };
        at.skip(2)?;
        let values = at.number(2)?;
        at.skip(name + 4 * values + if version == 1 && values % 2 == 1 { 4 } else { 0 })?;
        match id {
            1..=3 => out.push(id),
            _ => {
                return Err(format!(
                    "it is packed by filter {id}; expected deflate (1), shuffle (2) or none; {REMEDY}"
                ));
            }
        }
    }
    Ok(out)
}

/// Chunks on their way to their places.
struct Chunks<'a> {
    file: Bytes<'a>,
    /// Sizes by dimension, and of an element.
    chunk: &'a [usize],
    dims: &'a [usize],
    filters: &'a [usize],
    out: Vec<u8>,
    written: usize,
}

impl Chunks<'_> {
    /// The tree node at `at`, which must be of `level` unless it is the root.
    fn node(&mut self, at: usize, level: Option<usize>, budget: &mut usize) -> Result<()> {
        let mut node = self.file.goto(at);
        node.expect(b"TREE")?;
        let (kind, here) = (node.byte()?, node.byte()?);
        if kind != 1 || level.is_some_and(|l| l != here) {
            return Err(format!("the tree node at byte {at} is not the one expected"));
        }
        let children = node.number(2)?;
        node.skip(2 * node.offset_size)?;
        for _ in 0..children {
            spend(budget)?;
            let (size, mask) = (node.number(4)?, node.number(4)?);
            let start = (0..self.chunk.len()).map(|_| node.number(8)).collect::<Result<Vec<_>>>()?;
            let child = node.offset()?;
            match here.checked_sub(1) {
                Some(below) => self.node(child, Some(below), budget)?,
                None => {
                    // Bytes that are looked at count too: none serves many chunks.
                    *budget = budget.checked_sub(size / 8).ok_or("its chunks share bytes")?;
                    let packed = self.file.goto(child).take(size)?;
                    let content = self.unpacked(packed, mask)?;
                    self.put(&start, &content)?;
                }
            }
        }
        Ok(())
    }

    fn unpacked(&self, packed: &[u8], mask: usize) -> Result<Vec<u8>> {
        let size = self.chunk.iter().try_fold(1_usize, |n, c| n.checked_mul(*c)).filter(|n| *n <= MAX_BYTES);
        let size = size.ok_or("its chunks are too large")?;
        let mut data = packed.to_vec();
        for (k, filter) in self.filters.iter().enumerate().rev() {
            if mask >> k & 1 == 1 {
                continue;
            }
            data = match filter {
                1 => decompress_to_vec_zlib_with_limit(&data, size + 4)
                    .map_err(|e| format!("a chunk does not inflate: {e}"))?,
                2 => unshuffled(&data, self.chunk[self.chunk.len() - 1]),
                _ => data[..data.len().saturating_sub(4)].to_vec(), // Fletcher's checksum
            };
        }
        if data.len() == size { Ok(data) } else { Err(format!("a chunk has {} of {size} bytes", data.len())) }
    }

    /// Copies what of a chunk lies within the dataset, line by line of the last dimension.
    fn put(&mut self, start: &[usize], content: &[u8]) -> Result<()> {
        let (rank, element) = (self.dims.len(), self.chunk[self.chunk.len() - 1]);
        if (0..rank).any(|d| start[d] >= self.dims[d] || !start[d].is_multiple_of(self.chunk[d])) {
            return Err(format!("a chunk at {start:?} lies outside"));
        }
        self.written += 1;
        let Some(last) = rank.checked_sub(1) else {
            self.out.copy_from_slice(content);
            return Ok(());
        };
        let run = self.chunk[last].min(self.dims[last] - start[last]) * element;
        for (line, source) in content.chunks_exact(self.chunk[last] * element).enumerate() {
            let (mut rest, mut at, mut stride, mut inside) = (line, start[last], self.dims[last], true);
            for d in (0..last).rev() {
                let index = start[d] + rest % self.chunk[d];
                rest /= self.chunk[d];
                inside &= index < self.dims[d];
                at += index * stride;
                stride *= self.dims[d];
            }
            if inside {
                self.out[at * element..at * element + run].copy_from_slice(&source[..run]);
            }
        }
        Ok(())
    }
}

/// Bytes that were sorted by their place within an element, back in the order of elements.
fn unshuffled(data: &[u8], element: usize) -> Vec<u8> {
    let count = data.len() / element.max(1);
    let mut out = data.to_vec();
    for (k, b) in data[..count * element].iter().enumerate() {
        out[k % count * element + k / count] = *b;
    }
    out
}
