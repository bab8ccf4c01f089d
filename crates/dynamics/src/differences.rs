//! Differences of the fourth order, for derivatives of what is written in no other way.

/// Displacements in units of a step, and the weights of the values there times that step [–].
pub const FOURTH_ORDER: [(f64, f64); 4] =
    [(1.0, 8.0 / 12.0), (-1.0, -8.0 / 12.0), (2.0, -1.0 / 12.0), (-2.0, 1.0 / 12.0)];

/// Calls `add` with every displacement of a difference with this `step`, and with the weight of the value
/// there: f′ is the weighted sum.
///
/// # Errors
///
/// The first of `add`.
pub fn fourth_order<E>(step: f64, mut add: impl FnMut(f64, f64) -> Result<(), E>) -> Result<(), E> {
    FOURTH_ORDER.into_iter().try_for_each(|(times, weight)| add(times * step, weight / step))
}

#[cfg(test)]
mod tests {
    use super::fourth_order;

    /// Polynomials up to the fourth degree are differentiated exactly.
    #[test]
    fn quartics_are_exact() {
        let f = |x: f64| 2.0 + 3.0 * x - x.powi(2) + 0.5 * x.powi(3) - 0.25 * x.powi(4);
        let mut slope = 0.0;
        let added = fourth_order(0.1, |x, weight| {
            slope += weight * f(0.7 + x);
            Ok::<_, ()>(())
        });
        let exact = 3.0 - 2.0 * 0.7 + 1.5 * 0.7_f64.powi(2) - 0.7_f64.powi(3);
        assert!(added.is_ok() && (slope - exact).abs() < 1e-13, "{slope} {exact}");
    }
}
