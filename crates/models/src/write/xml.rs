//! XML, written element by element.

use std::fmt::Write;

/// Grows element by element; what is open is closed in order.
#[derive(Default)]
pub(crate) struct Xml {
    text: String,
    open: Vec<&'static str>,
    /// The start tag of the innermost element is not finished.
    tag_open: bool,
    /// The innermost element holds text.
    plain: bool,
}

// Writing to a String cannot fail.
impl Xml {
    pub(crate) fn new() -> Self {
        Self { text: "<?xml version=\"1.0\"?>\n".to_owned(), ..Self::default() }
    }

    /// Opens <name>.
    pub(crate) fn open(&mut self, name: &'static str) -> &mut Self {
        self.finish_tag();
        let _ = write!(self.text, "{:indent$}<{name}", "", indent = 2 * self.open.len());
        self.open.push(name);
        self.tag_open = true;
        self
    }

    /// An attribute of the element just opened.
    pub(crate) fn attribute(&mut self, name: &str, value: &str) -> &mut Self {
        debug_assert!(self.tag_open, "attributes come before anything inside");
        let _ = write!(self.text, " {name}=\"{}\"", escaped(value));
        self
    }

    pub(crate) fn number(&mut self, name: &str, value: f64) -> &mut Self {
        self.numbers(name, &[value])
    }

    pub(crate) fn numbers(&mut self, name: &str, values: &[f64]) -> &mut Self {
        let _ = write!(self.text, " {name}=\"{}\"", joined(values));
        self
    }

    /// A number that is not the one the format takes where none is stated.
    pub(crate) fn unless(&mut self, name: &str, value: f64, default: f64) -> &mut Self {
        if value == default { self } else { self.number(name, value) }
    }

    /// Text inside the element just opened, which holds nothing else.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        debug_assert!(self.tag_open, "an element holds text or elements");
        let _ = write!(self.text, ">{}", escaped(text));
        self.tag_open = false;
        self.plain = true;
        self
    }

    /// Closes the innermost element.
    pub(crate) fn close(&mut self) -> &mut Self {
        let Some(name) = self.open.pop() else { return self };
        if self.tag_open {
            self.text.push_str("/>\n");
            self.tag_open = false;
        } else {
            let indent = if self.plain { 0 } else { 2 * self.open.len() };
            let _ = writeln!(self.text, "{:indent$}</{name}>", "");
            self.plain = false;
        }
        self
    }

    /// Closes everything.
    pub(crate) fn finished(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }

    fn finish_tag(&mut self) {
        if self.tag_open {
            self.text.push_str(">\n");
            self.tag_open = false;
        }
    }
}

/// `values` with a blank between them.
pub(crate) fn joined(values: &[f64]) -> String {
    let words: Vec<String> = values.iter().map(|x| number(*x)).collect();
    words.join(" ")
}

/// The shortest text that reads as the same bits.
pub(crate) fn number(x: f64) -> String {
    if x == 0.0 {
        "0".to_owned()
    } else if (1e-5..1e16).contains(&x.abs()) {
        x.to_string()
    } else {
        format!("{x:e}")
    }
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // XML knows no other control characters.
            '\t' | '\n' | '\r' => {
                let _ = write!(safe, "&#{};", c as u32);
            }
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push('_'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_the_same_bits() {
        for x in [0.1, -1.0 / 3.0, 1e-300, 6.02e23, f64::MIN_POSITIVE, 1e16, 123456.789, 1e-5, -9.81] {
            assert_eq!(number(x).parse::<f64>().unwrap().to_bits(), x.to_bits(), "{x}");
        }
        assert_eq!(joined(&[1.0, -0.0, 2.5]), "1 0 2.5");
    }

    #[test]
    fn elements_close_in_order_and_text_is_escaped() {
        let mut xml = Xml::new();
        xml.open("a").attribute("n", "x<\"&\u{1}\n").open("b").number("v", 0.5).close().open("c");
        let expected =
            "<?xml version=\"1.0\"?>\n<a n=\"x&lt;&quot;&amp;_&#10;\">\n  <b v=\"0.5\"/>\n  <c/>\n</a>\n";
        assert_eq!(xml.finished(), expected);
    }
}
