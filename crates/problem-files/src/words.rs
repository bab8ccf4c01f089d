//! A text read word by word, with errors that say the line.

use super::ProblemFileError;
use super::node::Result;

/// A text read word by word.
pub(super) struct Cursor<'a> {
    file: &'a str,
    text: &'a str,
    byte: usize,
    /// Line of the last word, from 1.
    line: usize,
}

impl<'a> Cursor<'a> {
    /// The beginning of a text; `file` names it in errors.
    pub(super) fn new(text: &'a str, file: &'a str) -> Self {
        Self { file, text, byte: 0, line: 1 }
    }

    fn skip_space(&mut self) {
        let bytes = self.text.as_bytes();
        while bytes.get(self.byte).is_some_and(u8::is_ascii_whitespace) {
            self.line += usize::from(bytes[self.byte] == b'\n');
            self.byte += 1;
        }
    }

    pub(super) fn token(&mut self) -> Option<&'a str> {
        self.skip_space();
        let rest = self.text.get(self.byte..).filter(|r| !r.is_empty())?;
        let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        self.byte += end;
        Some(&rest[..end])
    }

    /// The rest of the present line, or the next one that is not blank; without space around it.
    pub(super) fn line(&mut self) -> Option<&'a str> {
        self.skip_space();
        let rest = self.text.get(self.byte..).filter(|r| !r.is_empty())?;
        let end = rest.find('\n').unwrap_or(rest.len());
        self.byte += end;
        Some(rest[..end].trim_end())
    }

    /// Words that are left, counted up to `most`.
    pub(super) fn remaining(&self, most: usize) -> usize {
        self.text[self.byte..].split_ascii_whitespace().take(most).count()
    }

    pub(super) fn wrong(
        &self,
        what: &str,
        value: impl std::fmt::Display,
        expected: &str,
    ) -> ProblemFileError {
        let element = format!("line {}, {what}", self.line);
        let (file, value, expected) = (self.file.into(), clipped(&value.to_string()), expected.into());
        ProblemFileError::Value { file, element, value, expected }
    }

    pub(super) fn word(&mut self, what: &str, expected: &str) -> Result<&'a str> {
        self.token().ok_or_else(|| self.wrong(what, "the end of the file", expected))
    }

    pub(super) fn count(&mut self, what: &str, expected: &str) -> Result<usize> {
        let word = self.word(what, expected)?;
        let value = word.parse::<u32>().ok().map(|n| n as usize);
        value.ok_or_else(|| self.wrong(what, word, expected))
    }

    pub(super) fn same(&mut self, what: &str, expected: usize) -> Result<()> {
        let found = self.count(what, &expected.to_string())?;
        if found == expected { Ok(()) } else { Err(self.wrong(what, found, &expected.to_string())) }
    }

    pub(super) fn indices(&mut self, what: &str, count: usize, limit: usize) -> Result<Vec<usize>> {
        let mut out = Vec::new();
        for _ in 0..count {
            let index = self.count(what, "a whole number")?;
            if index >= limit {
                return Err(self.wrong(what, index, &format!("less than {limit}")));
            }
            out.push(index);
        }
        Ok(out)
    }

    /// Sizes of blocks, each added to those before, as starts: 0, …, `last`.
    pub(super) fn cumulated(&mut self, what: &str, count: usize, last: usize) -> Result<Vec<usize>> {
        let mut out = vec![0];
        out.extend(self.indices(what, count, last + 1)?);
        if out.is_sorted() && out.last() == Some(&last) {
            return Ok(out);
        }
        Err(self.wrong(what, "out of order", &format!("ascending numbers up to {last}")))
    }

    pub(super) fn number(&mut self, what: &str) -> Result<f64> {
        let word = self.word(what, "a finite number")?;
        let value = word.parse::<f64>().ok().filter(|x| x.is_finite());
        value.ok_or_else(|| self.wrong(what, word, "a finite number"))
    }

    pub(super) fn numbers(&mut self, what: &str, count: usize) -> Result<Vec<f64>> {
        let mut out = Vec::new();
        for k in 0..count {
            out.push(self.number(&format!("{what}[{k}]"))?);
        }
        Ok(out)
    }
}

/// Not more than fits into a message.
pub(super) fn clipped(text: &str) -> String {
    let short = text.chars().count() <= 60;
    if short { text.to_owned() } else { text.chars().take(60).chain("…".chars()).collect() }
}
