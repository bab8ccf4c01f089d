//! A dataset: its type, its size, and its bytes put together.

use super::bytes::{Bytes, MAX_BYTES, Result};
use super::chunks::{Chunks, MAX_RATIO};
use super::message::{DATASPACE, DATATYPE, FILTERS, LAYOUT, Message};
use super::{REMEDY, UNDEFINED};

/// A dataset, its bytes still where they are.
#[derive(Debug)]
pub(crate) struct Dataset<'a> {
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
    pub(crate) fn numbers(&self) -> Result<Vec<f64>> {
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
                Chunks::new(self.file, chunk, dims, filters).collect(*tree, size)
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
