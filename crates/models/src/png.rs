//! Heights from PNG images [PNG]: the grey of a pixel, of a coloured one its red.
//!
//! A file is a signature and chunks (length, name, data, checksum); IDAT chunks hold a zlib stream of
//! rows, each a filter and its bytes. Filters predict a byte from its left (a), upper (b) and upper
//! left (c) neighbours:
//!
//! ```text
//!     0 nothing,  1 a,  2 b,  3 ⌊(a + b)/2⌋,  4 the nearest of a, b, c to a + b − c               (1)
//! ```

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Most pixels of an image.
const MAX_PIXELS: usize = 1 << 24;

/// A grey image, 0 … 65535, the top row first.
pub(crate) struct Image {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<u16>,
}

struct Header {
    width: usize,
    height: usize,
    /// Bits of a sample: 1, 2, 4, 8 or 16.
    depth: usize,
    /// Samples of a pixel.
    samples: usize,
    palette: bool,
}

pub(crate) fn read(bytes: &[u8]) -> Result<Image, String> {
    let mut rest = bytes.strip_prefix(SIGNATURE).ok_or("not a PNG image")?;
    let (mut header, mut palette, mut packed) = (None, Vec::new(), Vec::new());
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        let Some((name, after)) = after.split_first_chunk::<4>() else { break };
        let data = after.get(..length).ok_or("a chunk is longer than the file")?;
        match name {
            b"IHDR" => header = Some(Header::read(data)?),
            b"PLTE" => palette = data.as_chunks::<3>().0.iter().map(|c| c[0]).collect(),
            b"IDAT" => packed.extend_from_slice(data),
            b"IEND" => break,
            _ => {}
        }
        rest = after.get(length + 4..).unwrap_or_default();
    }
    let header: Header = header.ok_or("no header (IHDR)")?;
    let line = header.line();
    let rows = decompress_to_vec_zlib_with_limit(&packed, header.height * (line + 1))
        .map_err(|e| format!("the compressed data is damaged: {e}"))?;
    if rows.len() != header.height * (line + 1) {
        return Err(format!("{} bytes of pixels; expected {}", rows.len(), header.height * (line + 1)));
    }
    let mut pixels = Vec::with_capacity(header.width * header.height);
    let mut above = vec![0; line];
    for row in rows.chunks_exact(line + 1) {
        let (filter, row) = row.split_first().ok_or("a row without filter")?;
        let row = unfiltered(*filter, row, &above, header.step())?;
        pixels.extend((0..header.width).map(|x| header.grey(&row, x, &palette)));
        above = row;
    }
    Ok(Image { width: header.width, height: header.height, pixels })
}

impl Header {
    fn read(data: &[u8]) -> Result<Self, String> {
        let number = |at: usize| data.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
        let (Some(width), Some(height), Some(&[depth, colour, _, _, interlace])) =
            (number(0), number(4), data.get(8..13).and_then(|d| <&[u8; 5]>::try_from(d).ok()))
        else {
            return Err("the header is too short".to_owned());
        };
        let samples = match colour {
            0 | 3 => 1,
            4 => 2,
            2 => 3,
            6 => 4,
            _ => return Err(format!("colour type {colour}; expected 0, 2, 3, 4 or 6")),
        };
        let (width, height, depth) = (width as usize, height as usize, usize::from(depth));
        let fits = matches!(depth, 8 | 16) || (samples == 1 && matches!(depth, 1 | 2 | 4));
        if !fits || (colour == 3 && depth == 16) {
            return Err(format!("{depth} bits a sample do not go with colour type {colour}"));
        }
        if interlace != 0 {
            return Err("interlaced; save it without".to_owned());
        }
        if width == 0 || height == 0 || width.saturating_mul(height) > MAX_PIXELS {
            return Err(format!("{width} by {height} pixels; at most {MAX_PIXELS} in all are read"));
        }
        Ok(Self { width, height, depth, samples, palette: colour == 3 })
    }

    /// Bytes of a row.
    fn line(&self) -> usize {
        (self.width * self.depth * self.samples).div_ceil(8)
    }

    /// Bytes from a byte to the one it is predicted from.
    fn step(&self) -> usize {
        (self.depth * self.samples).div_ceil(8)
    }

    /// The first sample of pixel x; few bits are spread over the range.
    fn grey(&self, row: &[u8], x: usize, palette: &[u8]) -> u16 {
        let bit = x * self.depth * self.samples;
        let byte = |i: usize| row.get(bit / 8 + i).copied().unwrap_or(0);
        if self.depth == 16 {
            return u16::from_be_bytes([byte(0), byte(1)]);
        }
        let most = u8::MAX >> (8 - self.depth);
        let value = (byte(0) >> (8 - self.depth - bit % 8)) & most;
        let grey = match self.palette {
            true => palette.get(usize::from(value)).copied().unwrap_or(0),
            false => value * (255 / most),
        };
        u16::from(grey) * 257
    }
}

/// Row without its filter, by (1).
fn unfiltered(filter: u8, row: &[u8], above: &[u8], step: usize) -> Result<Vec<u8>, String> {
    let mut out: Vec<u8> = Vec::with_capacity(row.len());
    for (i, byte) in row.iter().enumerate() {
        let left = |line: &[u8]| i.checked_sub(step).and_then(|j| line.get(j).copied()).unwrap_or(0);
        let (a, b, c) = (left(&out), above.get(i).copied().unwrap_or(0), left(above));
        let predicted = match filter {
            0 => 0,
            1 => a,
            2 => b,
            3 => u8::midpoint(a, b),
            4 => {
                let p = i16::from(a) + i16::from(b) - i16::from(c);
                let far = |x: u8| (p - i16::from(x)).abs();
                [a, b, c].into_iter().min_by_key(|&x| far(x)).unwrap_or(0)
            }
            _ => return Err(format!("filter {filter}; expected 0 to 4")),
        };
        out.push(byte.wrapping_add(predicted));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use miniz_oxide::deflate::compress_to_vec_zlib;

    fn image(width: u32, height: u32, depth: u8, colour: u8, rows: &[u8]) -> Vec<u8> {
        let mut bytes = SIGNATURE.to_vec();
        let mut chunk = |name: &[u8], data: &[u8]| {
            bytes.extend((data.len() as u32).to_be_bytes());
            bytes.extend(name.iter().chain(data).copied());
            bytes.extend([0; 4]);
        };
        let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
        chunk(b"IHDR", &[&size[..], &[depth, colour, 0, 0, 0]].concat());
        chunk(b"IDAT", &compress_to_vec_zlib(rows, 6));
        chunk(b"IEND", &[]);
        bytes
    }

    fn bytes(file: &[u8]) -> Vec<u8> {
        read(file).unwrap().pixels.into_iter().map(|p| u8::try_from(p / 257).unwrap()).collect()
    }

    /// A picture of two rows, 10 20 and 30 45, is read under every filter; the bytes are worked out by hand.
    #[test]
    fn every_filter_by_hand() {
        for second in [[0, 30, 45], [1, 30, 15], [2, 20, 25], [3, 25, 20], [4, 20, 15]] {
            let rows = [&[1, 10, 10][..], &second].concat();
            assert_eq!(bytes(&image(2, 2, 8, 0, &rows)), [10, 20, 30, 45], "{second:?}");
        }
    }

    #[test]
    fn red_counts_and_few_bits_are_spread() {
        assert_eq!(bytes(&image(2, 1, 8, 2, &[0, 7, 1, 2, 9, 3, 4])), [7, 9]);
        assert_eq!(bytes(&image(4, 1, 2, 0, &[0, 0b00_01_10_11])), [0, 85, 170, 255]);
        assert_eq!(read(&image(1, 1, 16, 0, &[0, 200, 3])).unwrap().pixels, [200 * 256 + 3]);
    }

    #[test]
    fn damage_is_said() {
        let good = image(2, 2, 8, 0, &[0, 1, 2, 0, 3, 4]);
        assert!(read(&good).is_ok() && read(&good[..20]).is_err() && read(b"GIF").is_err());
        assert!(read(&image(2, 2, 8, 0, &[0, 1, 2])).is_err());
        assert!(read(&image(2, 1, 8, 0, &[9, 1, 2])).is_err());
        assert!(read(&image(1 << 20, 1 << 20, 8, 0, &[0])).is_err());
        assert!(read(&image(2, 1, 3, 0, &[0, 1])).is_err());
    }
}
