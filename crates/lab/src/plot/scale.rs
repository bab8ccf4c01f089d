//! From numbers to places on an axis, and the round numbers to write beside it.

/// Largest number of marks on an axis.
const MARKS: f64 = 7.0;

/// An axis from `low` to `high`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    log: bool,
}

impl Scale {
    /// An axis that holds all `values` it can show; on a logarithmic one those are the positive ones.
    pub(super) fn around(values: impl Iterator<Item = f64>, log: bool, margin: f64) -> Self {
        let shown = |x: &f64| x.is_finite() && (!log || *x > 0.0);
        let place = |x: f64| if log { x.log10() } else { x };
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for x in values.filter(shown).map(place) {
            (low, high) = (low.min(x), high.max(x));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        // A constant gets an axis around it; differences lost in rounding count as none.
        let least = if log { 1.0 } else { 1e-9 * low.abs().max(high.abs()) };
        if high - low <= least {
            let half = if log { 0.5 } else { (0.1 * low.abs()).max(1e-12) };
            (low, high) = (low - half, high + half);
        }
        let extra = margin * (high - low);
        Self { low: low - extra, high: high + extra, log }
    }

    /// Where `x` is, from 0 at the low end to 1 at the high end; `None` if it cannot be shown.
    pub(super) fn place(&self, x: f64) -> Option<f64> {
        let x = if self.log { x.log10() } else { x };
        x.is_finite().then(|| (x - self.low) / (self.high - self.low))
    }

    /// Round numbers on the axis: place and text.
    pub(super) fn marks(&self) -> Vec<(f64, String)> {
        let span = self.high - self.low;
        let step = if self.log { (span / MARKS).ceil().max(1.0) } else { round_step(span / MARKS) };
        let first = (self.low / step).ceil();
        let count = ((self.high / step).floor() - first).clamp(0.0, 20.0) as u32;
        let numbers = (0..=count).map(|k| (first + f64::from(k)) * step);
        numbers
            .map(|x| {
                let text = if self.log { format!("1e{x:.0}") } else { number(x, step) };
                ((x - self.low) / span, text)
            })
            .collect()
    }
}

/// 1, 2 or 5 times a power of ten, at least `x`.
fn round_step(x: f64) -> f64 {
    let power = 10_f64.powf(x.log10().floor());
    let choices = [1.0, 2.0, 5.0, 10.0].map(|c| c * power);
    choices.into_iter().find(|c| *c >= x * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

/// `x` with the decimals that steps of `step` need.
fn number(x: f64, step: f64) -> String {
    if x.abs() < 1e-9 * step {
        return "0".to_owned();
    }
    if x.abs() >= 1e6 || step < 1e-4 {
        let digits = (x.abs() / step * (1.0 + 1e-9)).log10().floor().clamp(0.0, 15.0) as usize;
        return format!("{x:.digits$e}");
    }
    let decimals = (-step.log10().floor()).clamp(0.0, 15.0) as usize;
    format!("{x:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(scale: Scale) -> Vec<String> {
        scale.marks().into_iter().map(|m| m.1).collect()
    }

    #[test]
    fn marks_are_round_numbers() {
        let scale = Scale::around([0.0, 1.0].into_iter(), false, 0.0);
        assert_eq!(texts(scale), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        let scale = Scale::around([1e-9, 1e-3].into_iter(), true, 0.0);
        assert_eq!(texts(scale), ["1e-9", "1e-8", "1e-7", "1e-6", "1e-5", "1e-4", "1e-3"]);
        let tiny = Scale::around([0.0, 3e-7].into_iter(), false, 0.0);
        assert_eq!(texts(tiny)[1], "5e-8");
        assert_eq!((scale.place(1e-6), scale.place(0.0)), (Some(0.5), None));
    }

    #[test]
    fn a_constant_has_an_axis_around_it() {
        let scale = Scale::around([9.81, 9.81].into_iter(), false, 0.05);
        assert!((scale.place(9.81).unwrap() - 0.5).abs() < 1e-9);
        assert!(!scale.marks().is_empty());
    }
}
