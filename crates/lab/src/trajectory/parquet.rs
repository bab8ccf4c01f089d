//! A table as a Parquet file: one row group, a plain page a column, nothing compressed. Every reader of Parquet takes
//! that, and it needs no library of the size of this project. Format: parquet-format 2.10, Thrift's compact protocol.
//!
//! ```text
//!     "PAR1"   page header, values   page header, values   …   metadata, its length (u32), "PAR1"
//! ```

use super::table::{Column, Values};
use std::io::{self, Write};

const MAGIC: &[u8; 4] = b"PAR1";

// Parquet's numbers for types, encodings and repetition.
const INT64: i64 = 2;
const DOUBLE: i64 = 5;
const BYTES: i64 = 6;
const UTF8: i64 = 0;
const PLAIN: i64 = 0;
const RLE: i64 = 3;
const REQUIRED: i64 = 0;

impl Values<'_> {
    fn kind(&self) -> i64 {
        match self {
            Self::Doubles { .. } => DOUBLE,
            Self::Counts(_) => INT64,
            Self::Words { .. } => BYTES,
        }
    }

    fn bytes(&self, rows: usize) -> Vec<u8> {
        match self {
            Self::Doubles { values, start, stride } => values
                .iter()
                .skip(*start)
                .step_by((*stride).max(1))
                .take(rows)
                .flat_map(|x| x.to_le_bytes())
                .collect(),
            Self::Counts(values) => {
                values.iter().take(rows).flat_map(|&n| i64::from(n).to_le_bytes()).collect()
            }
            Self::Words { codes, words } => {
                let mut out = Vec::new();
                for row in 0..rows {
                    let word = Self::word(codes, words, row);
                    out.extend((word.len() as u32).to_le_bytes());
                    out.extend(word.as_bytes());
                }
                out
            }
        }
    }
}

/// Writes the table called `name`; `about` goes into the metadata under the key `stiction`.
pub(super) fn write(
    name: &str,
    columns: &[Column],
    rows: usize,
    about: &str,
    mut writer: impl Write,
) -> io::Result<()> {
    writer.write_all(MAGIC)?;
    let mut at = MAGIC.len() as i64;
    let mut chunks = Vec::new();
    for column in columns {
        let values = column.values.bytes(rows);
        let too_long = |_| io::Error::new(io::ErrorKind::InvalidInput, "a column of more than 2 GB");
        let size = i64::from(i32::try_from(values.len()).map_err(too_long)?);
        let header = page_header(size, rows as i64);
        writer.write_all(&header)?;
        writer.write_all(&values)?;
        let whole = header.len() as i64 + size;
        chunks.push((at, whole));
        at += whole;
    }
    let metadata = metadata(name, columns, &chunks, rows as i64, about);
    writer.write_all(&metadata)?;
    writer.write_all(&(metadata.len() as u32).to_le_bytes())?;
    writer.write_all(MAGIC)?;
    writer.flush()
}

fn page_header(size: i64, rows: i64) -> Vec<u8> {
    let mut thrift = Thrift::default();
    thrift.number(1, Kind::I32, 0); // a data page
    thrift.number(2, Kind::I32, size);
    thrift.number(3, Kind::I32, size);
    thrift.open(5);
    thrift.number(1, Kind::I32, rows);
    thrift.number(2, Kind::I32, PLAIN);
    thrift.number(3, Kind::I32, RLE);
    thrift.number(4, Kind::I32, RLE);
    thrift.close();
    thrift.end()
}

fn metadata(name: &str, columns: &[Column], chunks: &[(i64, i64)], rows: i64, about: &str) -> Vec<u8> {
    let mut thrift = Thrift::default();
    thrift.number(1, Kind::I32, 2); // version
    thrift.list(2, Kind::Struct, columns.len() + 1);
    thrift.element();
    thrift.text(4, name);
    thrift.number(5, Kind::I32, columns.len() as i64);
    thrift.close();
    for column in columns {
        thrift.element();
        thrift.number(1, Kind::I32, column.values.kind());
        thrift.number(3, Kind::I32, REQUIRED);
        thrift.text(4, &column.name);
        if matches!(column.values, Values::Words { .. }) {
            thrift.number(6, Kind::I32, UTF8);
        }
        thrift.close();
    }
    thrift.number(3, Kind::I64, rows);
    thrift.list(4, Kind::Struct, 1);
    thrift.element();
    thrift.list(1, Kind::Struct, columns.len());
    for (column, &(at, size)) in columns.iter().zip(chunks) {
        thrift.element();
        thrift.number(2, Kind::I64, at);
        thrift.open(3);
        thrift.number(1, Kind::I32, column.values.kind());
        thrift.list(2, Kind::I32, 1);
        thrift.zigzag(PLAIN);
        thrift.list(3, Kind::Text, 1);
        thrift.words(&column.name);
        thrift.number(4, Kind::I32, 0); // not compressed
        thrift.number(5, Kind::I64, rows);
        thrift.number(6, Kind::I64, size);
        thrift.number(7, Kind::I64, size);
        thrift.number(9, Kind::I64, at);
        thrift.close();
        thrift.close();
    }
    thrift.number(2, Kind::I64, chunks.iter().map(|c| c.1).sum());
    thrift.number(3, Kind::I64, rows);
    thrift.close();
    thrift.list(5, Kind::Struct, 1);
    thrift.element();
    thrift.text(1, "stiction");
    thrift.text(2, about);
    thrift.close();
    thrift.text(6, concat!("stiction ", env!("CARGO_PKG_VERSION")));
    thrift.end()
}

/// Kinds of fields in the compact protocol.
#[derive(Clone, Copy)]
enum Kind {
    I32 = 5,
    I64 = 6,
    Text = 8,
    List = 9,
    Struct = 12,
}

/// Thrift's compact protocol: a field is its distance from the field before and its kind in a byte, then its value.
#[derive(Default)]
struct Thrift {
    out: Vec<u8>,
    /// Last field of this struct and of those around it.
    last: u8,
    around: Vec<u8>,
}

impl Thrift {
    fn field(&mut self, id: u8, kind: Kind) {
        self.out.push((id - self.last) << 4 | kind as u8);
        self.last = id;
    }

    fn number(&mut self, id: u8, kind: Kind, value: i64) {
        self.field(id, kind);
        self.zigzag(value);
    }

    fn text(&mut self, id: u8, words: &str) {
        self.field(id, Kind::Text);
        self.words(words);
    }

    fn list(&mut self, id: u8, kind: Kind, length: usize) {
        self.field(id, Kind::List);
        match length {
            0..15 => self.out.push((length as u8) << 4 | kind as u8),
            _ => {
                self.out.push(0xf0 | kind as u8);
                self.varint(length as u64);
            }
        }
    }

    /// A struct as a field; `close` ends it.
    fn open(&mut self, id: u8) {
        self.field(id, Kind::Struct);
        self.element();
    }

    /// A struct in a list.
    fn element(&mut self) {
        self.around.push(std::mem::take(&mut self.last));
    }

    fn close(&mut self) {
        self.out.push(0);
        self.last = self.around.pop().unwrap_or_default();
    }

    fn end(mut self) -> Vec<u8> {
        self.out.push(0);
        self.out
    }

    fn words(&mut self, words: &str) {
        self.varint(words.len() as u64);
        self.out.extend(words.as_bytes());
    }

    fn zigzag(&mut self, value: i64) {
        self.varint(((value << 1) ^ (value >> 63)).cast_unsigned());
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.out.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.out.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two columns of three rows, byte by byte; pyarrow 26 reads the file as t = 0, 0.5, 1 and n = 7, 8, 300.
    #[test]
    fn a_small_table_is_the_documented_one() {
        let t = [0.0, 9.0, 0.5, 9.0, 1.0, 9.0];
        let columns = [
            Column { name: "t [s]".into(), values: Values::Doubles { values: &t, start: 0, stride: 2 } },
            Column { name: "n".into(), values: Values::Counts(&[7, 8, 300]) },
        ];
        let mut file = Vec::new();
        write("trajectory", &columns, 3, "{}", &mut file).unwrap();
        // Page header: field 1 i32 0; 2 i32 24; 3 i32 24; 5 struct { 3, PLAIN, RLE, RLE }.
        let header = [0x15, 0, 0x15, 48, 0x15, 48, 0x2c, 0x15, 6, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0];
        assert_eq!(file[..4], *MAGIC);
        assert_eq!(file[4..21], header);
        assert_eq!(file[21..45], [0.0_f64, 0.5, 1.0].map(f64::to_le_bytes).concat());
        assert_eq!(file[45..62], header);
        assert_eq!(file[62..86], [7_i64, 8, 300].map(i64::to_le_bytes).concat());
        let end = file.len();
        let length = u32::from_le_bytes(file[end - 8..end - 4].try_into().unwrap()) as usize;
        assert_eq!(end - 8 - length, 86);
        assert_eq!(file[end - 4..], *MAGIC);
        // Version 2; schema of three: the root with two children, a required double, a required int64.
        let schema = [
            &[0x15, 4, 0x19, 0x3c, 0x48, 10][..],
            b"trajectory",
            &[0x15, 4, 0],
            &[0x15, 10, 0x25, 0, 0x18, 5],
            b"t [s]",
            &[0],
            &[0x15, 4, 0x25, 0, 0x18, 1],
            b"n",
            &[0],
        ];
        assert!(file[86..].starts_with(&schema.concat()));
    }
}
