//! A picture as PDF 1.4, one page, with the fonts that every viewer has: Helvetica, and Symbol for Greek letters.
//!
//! ```text
//!     page: units of 1/72 inch, y upwards: y_pdf = height − y
//!     objects: 1 catalogue, 2 pages, 3 page, 4 contents, 5 Helvetica, 6 Helvetica bold, 7 Symbol; then their places
//! ```
//!
//! Circles are four cubic curves with handles of 4/3 (√2 − 1) radii. Letters that neither font has become `?`.

use super::picture::{Anchor, Colour, Mark, Picture};
use super::text::{length, pieces};
use std::fmt::Write;

/// 4/3 (√2 − 1).
const HANDLE: f64 = 0.552_284_749_830_793_4;

/// The bytes of the file.
pub(super) fn pdf(picture: &Picture) -> Vec<u8> {
    let content = content(picture);
    let [width, height] = picture.size;
    let font = |name: &str, encoding: &str| {
        format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} {encoding}>>").into_bytes()
    };
    let ansi = "/Encoding /WinAnsiEncoding ";
    let mut stream = format!("<< /Length {} >>\nstream\n", content.len()).into_bytes();
    stream.extend_from_slice(&content);
    stream.extend_from_slice(b"\nendstream");
    let page = format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R \
         /Resources << /Font << /F1 5 0 R /F2 6 0 R /F3 7 0 R >> >> >>"
    );
    let objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        page.into_bytes(),
        stream,
        font("Helvetica", ansi),
        font("Helvetica-Bold", ansi),
        font("Symbol", ""),
    ];
    let mut out = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut places = String::new();
    for (i, object) in objects.iter().enumerate() {
        let _ = writeln!(places, "{:010} 00000 n ", out.len()); // twenty bytes each
        out.extend_from_slice(format!("{} 0 obj\n", i + 1).as_bytes());
        out.extend_from_slice(object);
        out.extend_from_slice(b"\nendobj\n");
    }
    let (table, size) = (out.len(), objects.len() + 1);
    let tail = format!(
        "xref\n0 {size}\n0000000000 65535 f \n{places}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"
    );
    out.extend_from_slice(tail.as_bytes());
    out
}

/// The operators that paint the page.
fn content(picture: &Picture) -> Vec<u8> {
    let mut out = Vec::new();
    let [width, height] = picture.size;
    say(&mut out, &format!("{} rg 0 0 {width} {height} re f 1 j", number(picture.ground)));
    for mark in &picture.marks {
        match mark {
            Mark::Line { points, width, dash, colour } => {
                let dash: Vec<String> = dash.iter().map(u8::to_string).collect();
                say(&mut out, &format!("{} RG {width} w [{}] 0 d", number(*colour), dash.join(" ")));
                for (i, [x, y]) in points.iter().enumerate() {
                    say(&mut out, &format!("{x:.2} {:.2} {}", height - y, if i == 0 { "m" } else { "l" }));
                }
                say(&mut out, "S");
            }
            Mark::Area { points, colour } => {
                say(&mut out, &format!("{} rg", number(*colour)));
                for (i, [x, y]) in points.iter().enumerate() {
                    say(&mut out, &format!("{x:.2} {:.2} {}", height - y, if i == 0 { "m" } else { "l" }));
                }
                say(&mut out, "f");
            }
            Mark::Dot { centre, radius, colour } => {
                say(&mut out, &format!("{} rg", number(*colour)));
                circle(&mut out, [centre[0], height - centre[1]], *radius);
                say(&mut out, "f");
            }
            Mark::Ring { centre, radius, colour } => {
                say(&mut out, &format!("{} RG 1.3 w [] 0 d", number(*colour)));
                circle(&mut out, [centre[0], height - centre[1]], *radius);
                say(&mut out, "S");
            }
            Mark::Word { at, text, size, bold, anchor, upwards, colour } => {
                let along = match anchor {
                    Anchor::Start => 0.0,
                    Anchor::Middle => -0.5 * length(text, *size),
                    Anchor::End => -length(text, *size),
                };
                let place = match upwards {
                    true => format!("0 1 -1 0 {:.2} {:.2}", at[0], height - at[1] + along),
                    false => format!("1 0 0 1 {:.2} {:.2}", at[0] + along, height - at[1]),
                };
                say(&mut out, &format!("BT {} rg {place} Tm", number(*colour)));
                for piece in pieces(text) {
                    say(&mut out, &format!("{:.2} Ts", size * piece.level.rise()));
                    words(&mut out, &piece.text, size * piece.level.size(), if *bold { 2 } else { 1 });
                }
                say(&mut out, "ET");
            }
        }
    }
    out
}

fn say(out: &mut Vec<u8>, operators: &str) {
    out.extend_from_slice(operators.as_bytes());
    out.push(b'\n');
}

fn number(colour: Colour) -> String {
    let [r, g, b] = colour.map(|c| format!("{:.3}", f64::from(c) / 255.0));
    format!("{r} {g} {b}")
}

fn circle(out: &mut Vec<u8>, [x, y]: [f64; 2], r: f64) {
    let k = HANDLE * r;
    say(out, &format!("{:.2} {y:.2} m", x + r));
    for [c, s] in [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]] {
        // From the angle of (c, s) a quarter on, to (−s, c).
        let [ax, ay] = [x + r * c - k * s, y + r * s + k * c];
        let [bx, by] = [x - r * s + k * c, y + r * c + k * s];
        say(out, &format!("{ax:.2} {ay:.2} {bx:.2} {by:.2} {:.2} {:.2} c", x - r * s, y + r * c));
    }
}

/// Runs of letters of one font, each shown by its own operator.
fn words(out: &mut Vec<u8>, text: &str, size: f64, font: u8) {
    let mut runs: Vec<(u8, Vec<u8>)> = Vec::new();
    for (in_font, byte) in text.chars().flat_map(|c| letters(c, font)) {
        match runs.last_mut() {
            Some((f, run)) if *f == in_font => run.push(byte),
            _ => runs.push((in_font, vec![byte])),
        }
    }
    for (font, run) in runs {
        out.extend_from_slice(format!("/F{font} {size} Tf (").as_bytes());
        for byte in run {
            if matches!(byte, b'(' | b')' | b'\\') {
                out.push(b'\\');
            }
            out.push(byte);
        }
        out.extend_from_slice(b") Tj\n");
    }
}

/// A letter as (font, byte): of Helvetica in Windows' code, of Symbol in its own.
fn letters(c: char, font: u8) -> Vec<(u8, u8)> {
    let symbols = "αaβbγgδdεeζzηhθqιiκkλlμmνnξxπpρrσsτtφfχcψyωwΓGΔDΣSΩW−-≤\u{a3}≥\u{b3}→\u{ae}∞\u{a5}√\u{d6}";
    if c.is_ascii() && !c.is_ascii_control() {
        return vec![(font, c as u8)];
    }
    let symbols: Vec<char> = symbols.chars().collect();
    if let Some(pair) = symbols.chunks(2).find(|pair| pair[0] == c) {
        return vec![(3, pair[1] as u32 as u8)];
    }
    match c {
        '\u{a1}'..='\u{ff}' => vec![(font, c as u32 as u8)], // Latin 1 is part of Windows' code
        '–' => vec![(font, 0x96)],
        '—' => vec![(font, 0x97)],
        '‖' => vec![(font, b'|'), (font, b'|')],
        _ => vec![(font, b'?')],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Vec<u8> {
        let [black, white] = [[0, 0, 0], [255, 255, 255]];
        let mut picture = Picture { size: [760.0, 400.0], ground: white, marks: Vec::new() };
        picture.line(vec![[0.0, 0.0], [10.0, 20.0]], 1.5, &[7, 4], black);
        picture.word([100.0, 50.0], "ε (a) \\ ‖g‖ µs 100 %", Anchor::Middle, black);
        picture.marks.push(Mark::Ring { centre: [5.0, 5.0], radius: 4.0, colour: black });
        picture.marks.push(Mark::Dot { centre: [5.0, 5.0], radius: 2.0, colour: black });
        pdf(&picture)
    }

    fn find(bytes: &[u8], word: &str) -> usize {
        bytes.windows(word.len()).position(|w| w == word.as_bytes()).unwrap_or_else(|| panic!("no {word}"))
    }

    /// Every entry of the table of places leads to its object, and the last number to the table.
    #[test]
    fn objects_are_where_the_table_says() {
        let bytes = page();
        let table = find(&bytes, "xref\n0 8\n");
        for i in 1..8 {
            let entry = &bytes[table + 9 + 20 * i..][..20];
            let place: usize = std::str::from_utf8(&entry[..10]).unwrap().parse().unwrap();
            assert!(bytes[place..].starts_with(format!("{i} 0 obj\n").as_bytes()), "object {i}");
            assert!(entry.ends_with(b" 00000 n \n"), "twenty bytes");
        }
        let tail = String::from_utf8_lossy(&bytes[table..]).into_owned();
        let said: usize = tail.lines().rev().nth(1).unwrap().parse().unwrap();
        assert_eq!(said, table);
    }

    #[test]
    fn the_stream_is_as_long_as_it_says() {
        let bytes = page();
        let (start, end) = (find(&bytes, "stream\n") + 7, find(&bytes, "\nendstream"));
        let head = String::from_utf8_lossy(&bytes[..start]).into_owned();
        let said: usize = head.rsplit("/Length ").next().unwrap().split(' ').next().unwrap().parse().unwrap();
        assert_eq!(said, end - start);
    }

    /// Greek is of Symbol, brackets and backslashes are escaped, y goes upwards.
    #[test]
    fn words_and_lines_are_written_in_the_code_of_the_fonts() {
        let bytes = page();
        for operators in
            ["/F3 12 Tf (e) Tj", "( \\(a\\) \\\\ ||g|| \u{b5}s 100 %) Tj", "10.00 380.00 l", "[7 4] 0 d"]
        {
            let latin: Vec<u8> = operators.chars().map(|c| c as u32 as u8).collect();
            assert!(bytes.windows(latin.len()).any(|w| w == latin), "{operators}");
        }
    }
}
