//! Comparisons that do not lose NaN, as `f64::max` does: a residual that is not a number is the worst of all.

/// The larger of two residuals, where NaN is larger than anything.
#[inline]
pub fn worse(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_is_never_lost() {
        assert_eq!((worse(1.0, 2.0), worse(2.0, 1.0), worse(0.0, f64::INFINITY)), (2.0, 2.0, f64::INFINITY));
        for x in [-1.0, 0.0, f64::INFINITY, f64::NAN] {
            assert!(worse(x, f64::NAN).is_nan() && worse(f64::NAN, x).is_nan());
        }
    }
}
