//! Web sockets, the side of the server [RFC 6455]: the handshake and frames.
//!
//! ```text
//!     frame = fin 1 bit, 0 3 bits, kind 4 bits | masked 1 bit, length 7 bits | length 16 or 64 bits | mask 4 bytes | payload
//!     accept = base64(SHA-1(key ‖ GUID))
//! ```
//!
//! No extension is offered. What a browser sends is masked: byte i of a payload is xored with byte i mod 4 of the mask.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::io::{self, Read, Write};

/// Appended to the key of a request [RFC 6455, 1.3].
const GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// Bytes of a control frame, at most.
const CONTROL: u64 = 125;

const CONTINUED: u8 = 0;
const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

/// A message of a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Message {
    Text(String),
    Binary,
    Ping(Vec<u8>),
    Pong,
    Close,
}

/// The answer to `Sec-WebSocket-Key`.
pub(crate) fn accept_of(key: &str) -> String {
    STANDARD.encode(sha1(format!("{key}{GUID}").as_bytes()))
}

/// Reads one message of at most `limit` bytes; a control frame between two parts of it is lost, but for one that closes.
pub(crate) fn read(from: &mut impl Read, limit: usize) -> io::Result<Message> {
    let (mut whole, mut first) = (Vec::new(), None);
    loop {
        let (end, kind, payload) = read_frame(from, limit - whole.len())?;
        match (kind, first) {
            (CLOSE, _) => return Ok(Message::Close),
            (PING, None) => return Ok(Message::Ping(payload)),
            (PONG, None) => return Ok(Message::Pong),
            (PING | PONG, Some(_)) => continue,
            (TEXT | BINARY, None) => first = Some(kind),
            (CONTINUED, Some(_)) => {}
            _ => return Err(wrong("parts of messages in disorder")),
        }
        whole.extend(payload);
        if end {
            return match first {
                Some(TEXT) => {
                    String::from_utf8(whole).map(Message::Text).map_err(|_| wrong("text is not UTF-8"))
                }
                _ => Ok(Message::Binary),
            };
        }
    }
}

/// Whether it is the last of its message, its kind, and its payload without the mask.
fn read_frame(from: &mut impl Read, limit: usize) -> io::Result<(bool, u8, Vec<u8>)> {
    let mut head = [0; 2];
    from.read_exact(&mut head)?;
    let (end, reserved, kind) = (head[0] & 0x80 != 0, head[0] & 0x70, head[0] & 0x0f);
    let (masked, short) = (head[1] & 0x80 != 0, head[1] & 0x7f);
    let length = match short {
        126 => u64::from(u16::from_be_bytes(bytes(from)?)),
        127 => u64::from_be_bytes(bytes(from)?),
        short => u64::from(short),
    };
    let most = if kind >= CLOSE { CONTROL } else { limit as u64 };
    if reserved != 0 || !masked || length > most || kind >= CLOSE && !end {
        return Err(wrong("no frame of a page, or too long"));
    }
    let mask: [u8; 4] = bytes(from)?;
    let mut payload = vec![0; length as usize];
    from.read_exact(&mut payload)?;
    payload.iter_mut().zip(mask.iter().cycle()).for_each(|(byte, mask)| *byte ^= mask);
    Ok((end, kind, payload))
}

fn bytes<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

pub(crate) fn write_text(to: &mut impl Write, words: &str) -> io::Result<()> {
    write(to, TEXT, words.as_bytes())
}

pub(crate) fn write_binary(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    write(to, BINARY, bytes)
}

/// Answers a ping.
pub(crate) fn write_pong(to: &mut impl Write, payload: &[u8]) -> io::Result<()> {
    write(to, PONG, payload)
}

/// Closes for a breach of the rules (1008), with as much of the reason as fits.
pub(crate) fn write_close(to: &mut impl Write, reason: &str) -> io::Result<()> {
    let most = CONTROL as usize - 2;
    let end = (0..=reason.len().min(most)).rev().find(|&i| reason.is_char_boundary(i)).unwrap_or(0);
    write(to, CLOSE, &[&1008_u16.to_be_bytes(), &reason.as_bytes()[..end]].concat())
}

/// One frame that is a whole message, in one piece: small ones would wait for one another on the way.
fn write(to: &mut impl Write, kind: u8, payload: &[u8]) -> io::Result<()> {
    let mut frame = Vec::with_capacity(payload.len() + 10);
    frame.push(0x80 | kind);
    match payload.len() {
        short @ ..=125 => frame.push(short as u8),
        middle @ ..=0xffff => {
            frame.push(126);
            frame.extend((middle as u16).to_be_bytes());
        }
        long => {
            frame.push(127);
            frame.extend((long as u64).to_be_bytes());
        }
    }
    frame.extend_from_slice(payload);
    to.write_all(&frame)
}

/// SHA-1 [RFC 3174], which the handshake asks for; it protects nothing here.
fn sha1(message: &[u8]) -> [u8; 20] {
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(64) + if padded.len() % 64 > 56 { 64 } else { 0 } - 8, 0);
    padded.extend((8 * message.len() as u64).to_be_bytes());
    let mut h = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    for block in padded.chunks_exact(64) {
        let mut w = [0_u32; 80];
        for (word, four) in w.iter_mut().zip(block.chunks_exact(4)) {
            *word = four.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
        }
        for t in 16..80 {
            w[t] = (w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = h;
        for (t, word) in w.iter().enumerate() {
            let (f, k) = match t / 20 {
                0 => (b & c | !b & d, 0x5a82_7999),
                1 => (b ^ c ^ d, 0x6ed9_eba1),
                2 => (b & c | b & d | c & d, 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6_u32),
            };
            let next = a.rotate_left(5).wrapping_add(f).wrapping_add(e).wrapping_add(k).wrapping_add(*word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
        }
        h = std::array::from_fn(|i| h[i].wrapping_add([a, b, c, d, e][i]));
    }
    let mut digest = [0; 20];
    digest.chunks_exact_mut(4).zip(h).for_each(|(four, word)| four.copy_from_slice(&word.to_be_bytes()));
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|b| format!("{b:02x}")).collect()
    }

    /// Vectors of RFC 3174, lengths about a block, and the handshake of RFC 6455, 1.3.
    #[test]
    fn the_handshake_is_the_published_one() {
        assert_eq!(hex(&sha1(b"abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
        let long = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(&sha1(long)), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
        assert_eq!(hex(&sha1(b"")), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        let tens = b"01234567".repeat(80);
        assert_eq!(hex(&sha1(&tens)), "dea356a2cddd90c7a7ecedc5ebb563934f460452");
        assert_eq!(accept_of("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    /// The frames of RFC 6455, 5.7, and a length of each kind.
    #[test]
    fn frames_are_those_of_the_standard() {
        let hello = [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58];
        assert_eq!(read(&mut &hello[..], 5).unwrap(), Message::Text("Hello".into()));
        assert!(read(&mut &hello[..], 4).is_err(), "too long");
        assert!(read(&mut &hello[..9], 5).is_err(), "cut");
        let parts =
            [0x01, 0x82, 0, 0, 0, 0, b'H', b'e', 0x89, 0x80, 0, 0, 0, 0, 0x80, 0x81, 0, 0, 0, 0, b'y'];
        assert_eq!(read(&mut &parts[..], 5).unwrap(), Message::Text("Hey".into()));
        assert!(read(&mut &parts[..], 2).is_err(), "too long together");
        assert!(read(&mut &[0x81, 0x01, b'x'][..], 5).is_err(), "not masked");
        assert!(read(&mut &[0x80, 0x80, 0, 0, 0, 0][..], 5).is_err(), "continues nothing");
        for (length, head) in [(5, 2), (125, 2), (126, 4), (65_535, 4), (65_536, 10)] {
            let mut frame = Vec::new();
            write_binary(&mut frame, &vec![7; length]).unwrap();
            assert_eq!((frame.len(), frame[0]), (length + head, 0x82), "{length}");
        }
        let mut close = Vec::new();
        write_close(&mut close, &"ü".repeat(100)).unwrap();
        assert_eq!((close[0], close[1], &close[2..4]), (0x88, 124, &1008_u16.to_be_bytes()[..]));
    }
}
