//! Zip archives as numpy writes them: members stored or deflated, one volume, no encryption.
//!
//! Places and sizes come from the central directory; with the sizes of 4 GiB files, which it leaves to an
//! extra field, nothing is done: larger files are refused before.

use miniz_oxide::inflate::decompress_to_vec_with_limit;
use std::io::{self, Write};

/// An archive begins with its first member.
pub(super) const SIGNATURE: &[u8] = b"PK\x03\x04";
const DIRECTORY: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";

/// All members together may have this many bytes.
const MAX_BYTES: usize = 1 << 30;

/// Members (name, content), in the order of the directory.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, String> {
    // The end record has 22 bytes and a comment.
    let tail = bytes.len().saturating_sub(22 + usize::from(u16::MAX));
    let end = bytes[tail..].windows(END.len()).rposition(|w| w == END);
    let end = tail + end.ok_or("it has no directory; was it cut?")?;
    part(bytes, end + 22, u16_at(bytes, end + 20)?)?;
    let (count, mut at) = (u16_at(bytes, end + 10)?, u32_at(bytes, end + 16)?);
    let mut out = Vec::new();
    // What is deflated may grow a thousandfold, and no part of the file serves twice.
    let (mut packed_sum, mut size_sum) = (0, 0);
    for _ in 0..count {
        if part(bytes, at, 4)? != DIRECTORY {
            return Err(format!("no entry of the directory at byte {at}"));
        }
        let [method, name, extra, comment] = [
            u16_at(bytes, at + 10)?,
            u16_at(bytes, at + 28)?,
            u16_at(bytes, at + 30)?,
            u16_at(bytes, at + 32)?,
        ];
        let [crc, packed, size, local] = [
            u32_at(bytes, at + 16)?,
            u32_at(bytes, at + 20)?,
            u32_at(bytes, at + 24)?,
            u32_at(bytes, at + 42)?,
        ];
        let name_text = String::from_utf8_lossy(part(bytes, at + 46, name)?).into_owned();
        at += 46 + name + extra + comment;
        packed_sum += packed;
        size_sum += size;
        if packed_sum > bytes.len() || size_sum > MAX_BYTES {
            return Err(format!(
                "its members state {size_sum} bytes, from {packed_sum}; expected at most {MAX_BYTES}"
            ));
        }
        // The local header repeats the names with lengths of its own.
        let data = local + 30 + u16_at(bytes, local + 26)? + u16_at(bytes, local + 28)?;
        let packed = part(bytes, data, packed)?;
        let content = match method {
            0 => packed.to_vec(),
            8 => decompress_to_vec_with_limit(packed, size)
                .map_err(|e| format!("member `{name_text}` does not inflate to {size} bytes: {e}"))?,
            _ => {
                return Err(format!(
                    "member `{name_text}` is packed by method {method}; expected stored or deflated"
                ));
            }
        };
        if content.len() != size || crc32(&content) as usize != crc {
            return Err(format!("member `{name_text}` is damaged"));
        }
        out.push((name_text, content));
    }
    Ok(out)
}

/// Writes an archive of stored members to `out`, one after the other.
pub(super) struct Writer<W> {
    out: W,
    /// Bytes written so far.
    at: u64,
    directory: Vec<u8>,
    count: u16,
}

impl<W: Write> Writer<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, at: 0, directory: Vec::new(), count: 0 }
    }

    /// A member that is `head`, then `rest`, which is gone through twice: the checksum comes before the content.
    pub(super) fn add<const N: usize>(
        &mut self,
        name: &str,
        head: &[u8],
        rest: impl ExactSizeIterator<Item = [u8; N]> + Clone,
    ) -> io::Result<()> {
        let large = |what: &str| {
            io::Error::other(format!("{what} is larger than 4 GiB, the most an archive can say"))
        };
        let size = u32::try_from(head.len() + N * rest.len()).map_err(|_| large(&format!("`{name}`")))?;
        let start = u32::try_from(self.at).map_err(|_| large("the file"))?;
        let many = || io::Error::other("an archive has at most 65535 members");
        self.count = self.count.checked_add(1).ok_or_else(many)?;
        let checksum = !rest.clone().fold(crc32_of(u32::MAX, head), |crc, bytes| crc32_of(crc, &bytes));
        // Version 2.0, no flags, stored, 1 January 1980 (nothing of ours depends on the clock).
        let mut entry = Vec::new();
        [20_u16, 0, 0, 0, 0x21].iter().for_each(|x| entry.extend(x.to_le_bytes()));
        [checksum, size, size].iter().for_each(|x| entry.extend(x.to_le_bytes()));
        [name.len() as u16, 0].iter().for_each(|x| entry.extend(x.to_le_bytes()));
        for bytes in [SIGNATURE, &entry, name.as_bytes(), head] {
            self.out.write_all(bytes)?;
        }
        for bytes in rest {
            self.out.write_all(&bytes)?;
        }
        self.at += (SIGNATURE.len() + entry.len() + name.len()) as u64 + u64::from(size);
        self.directory.extend_from_slice(DIRECTORY);
        self.directory.extend(20_u16.to_le_bytes());
        self.directory.extend_from_slice(&entry);
        self.directory.extend([0; 10]); // comment, volume, attributes
        self.directory.extend(start.to_le_bytes());
        self.directory.extend_from_slice(name.as_bytes());
        Ok(())
    }

    /// Writes the directory.
    pub(super) fn finish(mut self) -> io::Result<W> {
        let large = |_| io::Error::other("the file is larger than 4 GiB, the most an archive can say");
        let start = u32::try_from(self.at).map_err(large)?;
        self.out.write_all(&self.directory)?;
        let (count, size) = (self.count, self.directory.len() as u32);
        let mut end = END.to_vec();
        [0, 0, count, count].iter().for_each(|x: &u16| end.extend(x.to_le_bytes()));
        [size, start].iter().for_each(|x| end.extend(x.to_le_bytes()));
        end.extend(0_u16.to_le_bytes());
        self.out.write_all(&end)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

fn part(bytes: &[u8], at: usize, length: usize) -> Result<&[u8], String> {
    let end = at.checked_add(length).filter(|end| *end <= bytes.len());
    end.map(|end| &bytes[at..end]).ok_or_else(|| format!("{length} bytes at byte {at} lie beyond its end"))
}

fn u16_at(bytes: &[u8], at: usize) -> Result<usize, String> {
    Ok(part(bytes, at, 2)?.iter().rev().fold(0, |n, b| 256 * n + usize::from(*b)))
}

fn u32_at(bytes: &[u8], at: usize) -> Result<usize, String> {
    Ok(part(bytes, at, 4)?.iter().rev().fold(0, |n, b| 256 * n + usize::from(*b)))
}

/// The checksum of zip files.
fn crc32(bytes: &[u8]) -> u32 {
    !crc32_of(u32::MAX, bytes)
}

/// Continues the checksum `crc`, not yet inverted, over `bytes`.
fn crc32_of(crc: u32, bytes: &[u8]) -> u32 {
    let step = |crc: u32, b: &u8| (crc >> 8) ^ REMAINDERS[usize::from(crc as u8 ^ b)];
    bytes.iter().fold(crc, step)
}

/// Remainders of all bytes in the division by the polynomial 0xEDB88320, lowest bit first.
const REMAINDERS: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut crc, mut bit) = (byte as u32, 0);
        while bit < 8 {
            crc = (crc >> 1) ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_comes_back() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        let mut writer = Writer::new(Vec::new());
        writer.add("a", b"o", [*b"n", *b"e"].into_iter()).unwrap();
        writer.add("b", b"", std::iter::empty::<[u8; 1]>()).unwrap();
        let bytes = writer.finish().unwrap();
        let back = read(&bytes).unwrap();
        assert_eq!(back, [("a".to_owned(), b"one".to_vec()), ("b".to_owned(), Vec::new())]);
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end]).is_err());
        }
    }
}
