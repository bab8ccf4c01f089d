//! Datasets stored in chunks: found by a tree, unpacked, and put in their places.

use super::bytes::{Bytes, MAX_BYTES, Result, spend};
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

/// Deflating cannot do better than this.
pub(super) const MAX_RATIO: usize = 1032;

/// Chunks on their way to their places.
pub(super) struct Chunks<'a> {
    file: Bytes<'a>,
    /// Sizes by dimension, and of an element.
    chunk: &'a [usize],
    dims: &'a [usize],
    filters: &'a [usize],
    out: Vec<u8>,
    written: usize,
}

impl<'a> Chunks<'a> {
    pub(super) fn new(file: Bytes<'a>, chunk: &'a [usize], dims: &'a [usize], filters: &'a [usize]) -> Self {
        Self { file, chunk, dims, filters, out: Vec::new(), written: 0 }
    }

    /// The `size` bytes of the dataset whose tree of chunks begins at `tree`; all chunks must be there.
    pub(super) fn collect(mut self, tree: usize, size: usize) -> Result<Vec<u8>> {
        self.out.resize(size, 0);
        let mut budget = self.file.total() / 8;
        self.node(tree, None, &mut budget)?;
        let mut places = self.dims.iter().zip(self.chunk).map(|(d, c)| d.div_ceil(*c));
        let expected = places.try_fold(1_usize, |n, c| n.checked_mul(c));
        if Some(self.written) == expected {
            Ok(self.out)
        } else {
            Err("some of its chunks are not there".into())
        }
    }

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
