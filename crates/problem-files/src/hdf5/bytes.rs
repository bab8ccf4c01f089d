//! A place in a file, from which numbers are taken one after the other.

pub(super) type Result<T> = std::result::Result<T, String>;

/// A dataset, and a chunk of one, may have this many bytes.
pub(super) const MAX_BYTES: usize = 1 << 30;

/// Takes one node or message from the number of those that may still be looked at.
pub(super) fn spend(budget: &mut usize) -> Result<()> {
    *budget = budget.checked_sub(1).ok_or("its trees hold more than the file has room for")?;
    Ok(())
}

/// A place in the bytes of a file; addresses and lengths have the sizes that the file states.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
    pub(super) offset_size: usize,
    pub(super) length_size: usize,
}

impl<'a> Bytes<'a> {
    pub(super) fn new(all: &'a [u8], offset_size: usize, length_size: usize) -> Self {
        Self { all, at: 0, offset_size, length_size }
    }

    /// The place `at` in the same file.
    pub(super) fn goto(&self, at: usize) -> Self {
        Self { at, ..*self }
    }

    /// The next bytes alone.
    pub(super) fn part(&mut self, length: usize) -> Result<Self> {
        Ok(Self { all: self.take(length)?, at: 0, ..*self })
    }

    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(length).filter(|end| *end <= self.all.len());
        let end = end.ok_or_else(|| format!("{length} bytes at byte {} lie beyond the end", self.at))?;
        let out = &self.all[self.at..end];
        self.at = end;
        Ok(out)
    }

    pub(super) fn skip(&mut self, length: usize) -> Result<()> {
        self.take(length).map(drop)
    }

    pub(super) fn left(&self) -> usize {
        self.all.len().saturating_sub(self.at)
    }

    /// Length of the file.
    pub(super) fn total(&self) -> usize {
        self.all.len()
    }

    /// An unsigned number of 1 to 8 bytes; one that no length can be is the largest.
    pub(super) fn number(&mut self, size: usize) -> Result<usize> {
        let number = self.take(size)?.iter().rev().fold(0_u64, |n, b| (n << 8) | u64::from(*b));
        Ok(usize::try_from(number).unwrap_or(usize::MAX))
    }

    pub(super) fn byte(&mut self) -> Result<usize> {
        self.number(1)
    }

    pub(super) fn offset(&mut self) -> Result<usize> {
        let undefined = self.take(self.offset_size)?.iter().all(|b| *b == 0xFF);
        if undefined {
            return Ok(super::UNDEFINED);
        }
        self.at -= self.offset_size;
        self.number(self.offset_size)
    }

    pub(super) fn length(&mut self) -> Result<usize> {
        self.number(self.length_size)
    }

    pub(super) fn expect(&mut self, signature: &[u8]) -> Result<()> {
        let at = self.at;
        if self.take(signature.len())? == signature {
            return Ok(());
        }
        Err(format!("no {} at byte {at}", String::from_utf8_lossy(signature)))
    }
}
