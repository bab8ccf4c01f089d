//! Bisection.

/// Halves an interval so many times: at its lower end `holds` is true, at its upper end it is not.
pub(super) fn bisect(
    [mut low, mut high]: [f64; 2],
    times: u32,
    mut holds: impl FnMut(f64) -> Result<bool, String>,
) -> Result<[f64; 2], String> {
    for _ in 0..times {
        let middle = 0.5 * (low + high);
        *(if holds(middle)? { &mut low } else { &mut high }) = middle;
    }
    Ok([low, high])
}
