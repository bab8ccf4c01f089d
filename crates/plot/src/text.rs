//! How words of figures are set: minus signs, powers of ten, and indices below and above the line.
//!
//! ```text
//!     λ_N, ε_abs, v_{T,x}    an index below, after a symbol of one letter
//!     1e-4, 2.5e-3           10⁻⁴, 2.5·10⁻³
//!     -3                     −3, where a number begins
//! ```

/// Where a piece of text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Line,
    Below,
    Above,
}

impl Level {
    /// Size of letters over that of the line [–].
    pub(super) fn size(self) -> f64 {
        if self == Self::Line { 1.0 } else { 0.75 }
    }

    /// How far letters stand above the line, over the size of the line [–].
    pub(super) fn rise(self) -> f64 {
        match self {
            Self::Line => 0.0,
            Self::Below => -0.2,
            Self::Above => 0.36,
        }
    }
}

/// Letters of one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) level: Level,
}

/// Advance widths of Helvetica for the letters from space to tilde [1/1000 of the size].
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
    500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
    556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
    278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
/// Width of letters beyond these, about that of a Greek one.
const OTHER: u16 = 556;

/// Length of a text [px].
pub(super) fn length(text: &str, size: f64) -> f64 {
    pieces(text).iter().map(|p| plain_length(&p.text, size * p.level.size())).sum()
}

/// Length of letters as they stand [px].
fn plain_length(text: &str, size: f64) -> f64 {
    let width = |c: char| match c {
        ' '..='~' => WIDTHS[c as usize - ' ' as usize],
        _ => OTHER,
    };
    text.chars().map(|c| f64::from(width(c))).sum::<f64>() * size / 1000.0
}

/// `text` in lines no longer than `width` [px], broken at spaces.
pub(super) fn lines(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match out.last_mut() {
            Some(line) if length(&format!("{line} {word}"), size) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => out.push(word.to_owned()),
        }
    }
    out
}

/// The pieces of a text, one behind the other.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let letters: Vec<char> = text.chars().collect();
    let mut out: Vec<Piece> = Vec::new();
    let mut put = |letters: &str, level: Level| match out.last_mut() {
        Some(piece) if piece.level == level => piece.text.push_str(letters),
        _ => out.push(Piece { text: letters.to_owned(), level }),
    };
    let mut i = 0;
    while let Some(&c) = letters.get(i) {
        let (before, after) = (i.checked_sub(1).map(|k| letters[k]), letters.get(i + 1).copied());
        if let Some((mantissa, exponent, end)) = power(&letters, i) {
            let ten = if mantissa == "1" { "10".to_owned() } else { format!("{mantissa}·10") };
            put(&ten, Level::Line);
            put(&exponent, Level::Above);
            i = end;
        } else if c == '_'
            && is_symbol(&letters[..i])
            && after.is_some_and(|c| c.is_alphanumeric() || c == '{')
        {
            let braced = after == Some('{');
            let from = i + 1 + usize::from(braced);
            let inside = |c: &char| if braced { *c != '}' } else { c.is_alphanumeric() };
            let index: String = letters[from..].iter().take_while(|c| inside(c)).collect();
            i = from + index.chars().count() + usize::from(braced);
            put(&index, Level::Below);
        } else {
            let begins = before.is_none_or(|b| b.is_whitespace() || "([{/=,±".contains(b));
            let (letter, level) = match c {
                '-' if begins && after.is_some_and(|a| a.is_ascii_digit()) => ('−', Level::Line),
                '-' if before == Some('[') && after == Some(']') => ('–', Level::Line),
                _ => of_code(c),
            };
            put(letter.encode_utf8(&mut [0; 4]), level);
            i += 1;
        }
    }
    out
}

/// Whether these letters end with a symbol: one letter that is no part of a word.
fn is_symbol(letters: &[char]) -> bool {
    let part = |c: &char| c.is_alphanumeric() || *c == '_' || *c == '-';
    match letters {
        [.., before, last] => last.is_alphabetic() && !part(before),
        [last] => last.is_alphabetic(),
        [] => false,
    }
}

/// A number with a power of ten that begins at `i`: mantissa, exponent, and where it ends.
fn power(letters: &[char], i: usize) -> Option<(String, String, usize)> {
    let part = |c: char| c.is_alphanumeric() || c == '.' || c == '_';
    if i > 0 && part(letters[i - 1]) {
        return None;
    }
    let run = |from: usize, of: fn(&char) -> bool| letters[from..].iter().take_while(|c| of(c)).count();
    let digits = run(i, |c| c.is_ascii_digit() || *c == '.');
    let mut at = i + digits;
    if digits == 0 || !matches!(letters.get(at), Some('e')) {
        return None;
    }
    at += 1;
    let minus = matches!(letters.get(at), Some('-' | '−'));
    at += usize::from(minus || letters.get(at) == Some(&'+'));
    let count = run(at.min(letters.len()), char::is_ascii_digit);
    let end = at + count;
    if count == 0 || letters.get(end).is_some_and(|c| part(*c)) {
        return None;
    }
    let exponent: String = letters[at..end].iter().collect();
    let exponent = exponent.trim_start_matches('0');
    let exponent = if exponent.is_empty() { "0" } else { exponent };
    let sign = if minus { "−" } else { "" };
    Some((letters[i..i + digits].iter().collect(), format!("{sign}{exponent}"), end))
}

/// Letters that Unicode puts below or above the line, as letters of the line.
fn of_code(c: char) -> (char, Level) {
    let digit = |zero: char| char::from_digit(c as u32 - zero as u32, 10).unwrap_or(c);
    match c {
        '₀'..='₉' => (digit('₀'), Level::Below),
        '⁰' | '⁴'..='⁹' => (digit('⁰'), Level::Above),
        '¹' => ('1', Level::Above),
        '²' => ('2', Level::Above),
        '³' => ('3', Level::Above),
        '⁻' => ('−', Level::Above),
        '⁺' => ('+', Level::Above),
        _ => (c, Level::Line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces of a text, with _ and ^ before what stands below and above.
    fn set(text: &str) -> String {
        let of = |p: &Piece| match p.level {
            Level::Line => p.text.clone(),
            Level::Below => format!("_<{}>", p.text),
            Level::Above => format!("^<{}>", p.text),
        };
        pieces(text).iter().map(of).collect()
    }

    #[test]
    fn indices_powers_and_minus_signs_are_set() {
        for (text, told) in [
            ("λ_N over μ λ_N [-]", "λ_<N> over μ λ_<N> [–]"),
            ("ε_abs, v_{T,x}", "ε_<abs>, v_<T,x>"),
            ("under 1e-4 or 2.5e+03", "under 10^<−4> or 2.5·10^<3>"),
            ("-3 to (-0.5)", "−3 to (−0.5)"),
            ("m/s², 10⁻⁹, λ₁", "m/s^<2>, 10^<−9>, λ_<1>"),
        ] {
            assert_eq!(set(text), told);
        }
        for plain in ["ccp-facets-8", "cube_toss", "stack-5", "a-1", "1e3x", "h_", "time-stepping", "0x1e3"] {
            assert_eq!(set(plain), plain);
        }
    }

    #[test]
    fn lines_are_no_longer_than_asked() {
        assert!((length("100", 10.0) - 16.68).abs() < 1e-12);
        let text = "a caption that is longer than one line of the page is broken at spaces";
        let broken = lines(text, 11.0, 120.0);
        assert!(broken.len() > 2 && broken.iter().all(|l| length(l, 11.0) <= 120.0));
        assert_eq!(broken.join(" "), text);
        assert_eq!(lines("unbreakable", 11.0, 1.0), ["unbreakable"]);
    }
}
