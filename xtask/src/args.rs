//! The command line of a chore: flags, options with a value, and plain words. Whatever is left
//! over at [`Args::finish`] is an error that names it.

/// The words after the chore's name, taken out one by one.
pub(crate) struct Args {
    words: Vec<String>,
}

impl Args {
    pub(crate) fn new(words: impl IntoIterator<Item = String>) -> Self {
        Self { words: words.into_iter().collect() }
    }

    /// Whether `name` was given.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|w| w != name);
        self.words.len() < before
    }

    /// The value of `name VALUE` or `name=VALUE`; the last one wins.
    pub(crate) fn option(&mut self, name: &str) -> Result<Option<String>, String> {
        let mut value = None;
        while let Some(at) = self.words.iter().position(|w| w == name || w.starts_with(&format!("{name}="))) {
            let word = self.words.remove(at);
            value = Some(match word.split_once('=') {
                Some((_, v)) => v.to_owned(),
                None if at < self.words.len() => self.words.remove(at),
                None => return Err(format!("`{name}` needs a value")),
            });
        }
        Ok(value)
    }

    /// [`Self::option`] as a positive number, or `default`.
    pub(crate) fn number(&mut self, name: &str, default: f64) -> Result<f64, String> {
        let Some(text) = self.option(name)? else { return Ok(default) };
        match text.parse::<f64>() {
            Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
            _ => Err(format!("`{name}` needs a positive number, not `{text}`")),
        }
    }

    /// The first word, where it is one of `names`.
    pub(crate) fn command(&mut self, names: &[&str]) -> Option<String> {
        let known = self.words.first().is_some_and(|w| names.contains(&&**w));
        known.then(|| self.words.remove(0))
    }

    /// The plain words, at most `most` of them; an option nobody asked for is an error.
    pub(crate) fn finish(self, most: usize) -> Result<Vec<String>, String> {
        let surplus = self.words.iter().find(|w| w.starts_with('-')).or(self.words.get(most));
        match surplus {
            Some(word) => Err(format!("`{word}` was not expected; --help lists what is")),
            None => Ok(self.words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Args {
        Args::new(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn flags_options_and_words_come_apart() {
        let mut a = args("stack --pairs 3 --quick --dt=0.002");
        assert!(a.flag("--quick") && !a.flag("--quick"));
        assert_eq!(a.number("--pairs", 5.0).unwrap(), 3.0);
        assert_eq!(a.number("--dt", 0.001).unwrap(), 0.002);
        assert_eq!(a.number("--duration", 2.0).unwrap(), 2.0);
        assert_eq!(a.finish(1).unwrap(), ["stack"]);
    }

    #[test]
    fn a_command_comes_first_or_not_at_all() {
        let mut a = args("scenes stack");
        assert_eq!(a.command(&["scenes"]).as_deref(), Some("scenes"));
        assert_eq!(a.command(&["scenes"]), None);
        assert_eq!(a.finish(1).unwrap(), ["stack"]);
    }

    #[test]
    fn what_was_not_understood_is_named() {
        assert!(args("--fast").finish(1).unwrap_err().contains("--fast"));
        assert!(args("a b").finish(1).unwrap_err().contains("`b`"));
        assert!(args("--dt").option("--dt").unwrap_err().contains("needs a value"));
        assert!(args("--dt -1").number("--dt", 1.0).unwrap_err().contains("-1"));
    }
}
