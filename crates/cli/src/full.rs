//! The feature `full`: learning, experiments, recordings for Foxglove, figures as PNG. Without it the program says what to type instead.

use crate::failure::Failure;
use stiction_plot::Formats;

/// Formats of figures beside SVG.
#[cfg(feature = "full")]
pub(crate) fn formats(pdf: bool, png: bool) -> Result<Formats, Failure> {
    Ok(Formats { pdf, png })
}

/// Formats of figures beside SVG; PNG is refused.
#[cfg(not(feature = "full"))]
pub(crate) fn formats(pdf: bool, png: bool) -> Result<Formats, Failure> {
    if png { Err(not_built_in("PNG of figures")) } else { Ok(Formats { pdf, png }) }
}

/// The failure of a command that needs `what`: the same command for the whole program.
#[cfg(not(feature = "full"))]
pub(crate) fn not_built_in(what: &str) -> Failure {
    let words: Vec<String> = std::env::args().skip(1).map(|word| quoted(&word)).collect();
    Failure::input(format!(
        "{what} is not built in; cargo run --release --features full -- {}",
        words.join(" ")
    ))
}

/// A word as a shell reads it back.
#[cfg(not(feature = "full"))]
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=+.,:/@%".contains(c);
    let bare = !word.is_empty() && word.chars().all(plain);
    if bare { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(all(test, not(feature = "full")))]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quoted("--data=dice/a.csv"), "--data=dice/a.csv");
        assert_eq!(quoted("two words"), "'two words'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
