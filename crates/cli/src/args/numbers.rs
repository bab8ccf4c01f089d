//! Numbers on the command line.

/// A number > 0, or what was expected.
pub(super) fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
        _ => Err("expected a number > 0".to_owned()),
    }
}
