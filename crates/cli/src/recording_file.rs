//! Files that a command writes for people to look at: known by their ending, before anything is computed.

use crate::failure::Failure;
use std::path::Path;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A page for any browser.
    Page,
    /// A recording for Foxglove.
    Mcap,
}

impl Kind {
    fn ending(self) -> &'static str {
        match self {
            Self::Page => ".html",
            Self::Mcap => ".mcap",
        }
    }

    fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match &*ending {
            "html" | "htm" => Some(Self::Page),
            "mcap" => Some(Self::Mcap),
            _ => None,
        }
    }
}

/// The kind of `path`, one of `expected`; an ending that says something else is a mistake, not a page.
pub(crate) fn check(path: &Path, expected: &[Kind]) -> Result<Kind, Failure> {
    let kind = Kind::of(path).filter(|kind| expected.contains(kind)).ok_or_else(|| {
        let endings: Vec<&str> = expected.iter().map(|k| k.ending()).collect();
        Failure::input(format!(
            "{}: expected a file name that ends in {}",
            path.display(),
            endings.join(" or ")
        ))
    })?;
    #[cfg(not(feature = "full"))]
    if kind == Kind::Mcap {
        return Err(crate::full::not_built_in("MCAP, the format of Foxglove,"));
    }
    Ok(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_say_what_is_written() {
        let both = [Kind::Page, Kind::Mcap];
        let kind = |name: &str, expected: &[Kind]| check(Path::new(name), expected).ok();
        assert_eq!(kind("a/run.HTML", &both), Some(Kind::Page));
        assert_eq!(kind("run.mcap", &both), cfg!(feature = "full").then_some(Kind::Mcap));
        for name in ["run.bag", "run", ".", "html"] {
            assert_eq!(kind(name, &both), None, "{name}");
        }
        assert_eq!(kind("run.mcap", &both[..1]), None);
    }
}
