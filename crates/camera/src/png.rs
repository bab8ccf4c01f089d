//! Colours as a PNG file, eight bits a channel, every row stored as the difference to the row above.

use crate::Image;

/// 0 (store) to 10 (smallest).
const DEFLATE_LEVEL: u8 = 4;
const UP: u8 = 2;

/// The bytes of the file.
#[must_use]
pub fn encode(image: &Image) -> Vec<u8> {
    let stride = 3 * image.width;
    let mut rows = Vec::with_capacity((stride + 1) * image.height);
    let nothing = vec![0; stride];
    let mut above = &nothing[..];
    for row in image.rgb.chunks_exact(stride.max(1)) {
        rows.push(UP);
        rows.extend(row.iter().zip(above).map(|(here, up)| here.wrapping_sub(*up)));
        above = row;
    }
    let mut header = Vec::new();
    for size in [image.width, image.height] {
        header.extend((size as u32).to_be_bytes());
    }
    header.extend([8, 2, 0, 0, 0]); // bits, colours, and the only methods there are
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut out, b"IHDR", &header);
    chunk(&mut out, b"IDAT", &miniz_oxide::deflate::compress_to_vec_zlib(&rows, DEFLATE_LEVEL));
    chunk(&mut out, b"IEND", &[]);
    out
}

fn chunk(out: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    out.extend((data.len() as u32).to_be_bytes());
    let start = out.len();
    out.extend(kind);
    out.extend(data);
    let crc = crc32(&out[start..]);
    out.extend(crc.to_be_bytes());
}

/// ISO 3309, as PNG wants it.
fn crc32(bytes: &[u8]) -> u32 {
    const fn table() -> [u32; 256] {
        let mut table = [0; 256];
        let mut i = 0;
        while i < 256 {
            let (mut c, mut bit) = (i as u32, 0);
            while bit < 8 {
                c = if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 };
                bit += 1;
            }
            table[i] = c;
            i += 1;
        }
        table
    }
    const TABLE: [u32; 256] = table();
    !bytes.iter().fold(!0, |c, &byte| TABLE[((c ^ u32::from(byte)) & 0xff) as usize] ^ (c >> 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_standards() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn rows_can_be_had_back() {
        let rgb: Vec<u8> = (0..36).map(|i| (i * 37 % 251) as u8).collect();
        let image = Image { width: 4, height: 3, rgb: rgb.clone(), ..Image::default() };
        let file = encode(&image);
        assert_eq!(file[16..24], [0, 0, 0, 4, 0, 0, 0, 3]);
        let at = file.windows(4).position(|w| w == b"IDAT").unwrap();
        let length = u32::from_be_bytes(file[at - 4..at].try_into().unwrap()) as usize;
        let rows = miniz_oxide::inflate::decompress_to_vec_zlib(&file[at + 4..at + 4 + length]).unwrap();
        let mut back: Vec<u8> = Vec::new();
        for (y, row) in rows.chunks_exact(13).enumerate() {
            for (x, difference) in row[1..].iter().enumerate() {
                let up = if y > 0 { back[(y - 1) * 12 + x] } else { 0 };
                back.push(up.wrapping_add(*difference));
            }
        }
        assert_eq!(back, rgb);
    }
}
