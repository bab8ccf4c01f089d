//! From numbers to places on an axis, and the round numbers to write beside it.

/// Largest number of marks on an axis.
const MARKS: f64 = 7.0;

/// An axis from `low` to `high`; of a logarithmic one these are powers of ten.
#[derive(Clone, Copy, Debug, PartialEq)]
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
        let least = if log { 0.05 } else { 1e-9 * low.abs().max(high.abs()) };
        if high - low <= least {
            let half = if log { 0.5 } else { (0.1 * low.abs()).max(1e-12) };
            (low, high) = (low - half, high + half);
        }
        let extra = margin * (high - low);
        Self { low: low - extra, high: high + extra, log }
    }

    /// The axis between two values; around both where a logarithmic one cannot show them.
    pub(super) fn between([low, high]: [f64; 2], log: bool) -> Self {
        Self::around([low, high].into_iter(), log, 0.0)
    }

    /// Where `x` is, from 0 at the low end to 1 at the high end; `None` if it cannot be shown.
    pub(super) fn place(&self, x: f64) -> Option<f64> {
        let x = if self.log { x.log10() } else { x };
        x.is_finite().then(|| (x - self.low) / (self.high - self.low))
    }

    /// Length of the axis, in what it shows.
    pub(super) fn span(&self) -> f64 {
        self.high - self.low
    }

    /// The axis with the same middle and another length.
    pub(super) fn spanning(&self, span: f64) -> Self {
        let middle = 0.5 * (self.low + self.high);
        Self { low: middle - 0.5 * span, high: middle + 0.5 * span, log: self.log }
    }

    /// The axis that holds both.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high), log: self.log }
    }

    /// Round numbers on the axis, `most` at most where it is linear: place and text.
    pub(super) fn marks(&self, most: f64) -> Vec<(f64, String)> {
        if self.log {
            return self.log_marks();
        }
        let span = self.span();
        let step = round_step(span / most.min(MARKS));
        let first = (self.low / step).ceil();
        let count = ((self.high / step).floor() - first).clamp(0.0, 20.0) as u32;
        let numbers = (0..=count).map(|k| (first + f64::from(k)) * step);
        numbers.map(|x| ((x - self.low) / span, number(x, step))).collect()
    }

    /// Places of the marks without a number: on a logarithmic axis of few decades, those of 2 to 9 times a power of ten.
    pub(super) fn minor(&self) -> Vec<f64> {
        if !self.log || self.span() > 8.0 {
            return Vec::new();
        }
        let powers = self.low.floor() as i32..=self.high.floor() as i32;
        let numbers = powers.flat_map(|p| (2..10).map(move |m| f64::from(p) + f64::from(m).log10()));
        numbers.map(|x| (x - self.low) / self.span()).filter(|place| (0.0..=1.0).contains(place)).collect()
    }

    /// Powers of ten; where there are few, 2 and 5 times these as well.
    fn log_marks(&self) -> Vec<(f64, String)> {
        let span = self.span();
        let (first, last) = (self.low.floor() as i32 - 1, self.high.ceil() as i32);
        let inside = |x: f64| (self.low - 1e-9..=self.high + 1e-9).contains(&x);
        let powers = (first..=last).filter(|p| inside(f64::from(*p))).count();
        let factors: &[f64] = match powers {
            0 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0],
            1 | 2 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let step = (span / MARKS).ceil().max(1.0) as i32;
        let plain = self.low >= -3.1 && self.high <= 4.1;
        let mut out = Vec::new();
        for power in (first..=last).filter(|p| p.rem_euclid(step) == 0) {
            for factor in factors {
                let x = f64::from(power) + factor.log10();
                if inside(x) {
                    out.push(((x - self.low) / span, power_text(*factor, power, plain)));
                }
            }
        }
        out
    }
}

/// `factor` times ten to the `power`, in digits where it is `plain`.
fn power_text(factor: f64, power: i32, plain: bool) -> String {
    if plain {
        let decimals = (-power).max(0) as usize + usize::from(factor.fract() != 0.0 && power <= 0);
        return format!("{:.decimals$}", factor * 10_f64.powi(power));
    }
    format!("{factor}e{power}")
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
        scale.marks(MARKS).into_iter().map(|m| m.1).collect()
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

    /// A logarithmic axis of few decades has more numbers than its powers of ten.
    #[test]
    fn short_logarithmic_axes_have_numbers() {
        let marks = |low: f64, high: f64| texts(Scale::between([low, high], true));
        assert_eq!(marks(5.0, 25.0), ["5", "10", "20"]);
        assert_eq!(marks(0.02, 0.08), ["0.02", "0.03", "0.04", "0.05", "0.06", "0.08"]);
        assert_eq!(marks(1e-6, 3e-5), ["1e-6", "2e-6", "5e-6", "1e-5", "2e-5"]);
        let scale = Scale::between([1.0, 100.0], true);
        assert_eq!((texts(scale), scale.minor().len()), (vec!["1".into(), "10".into(), "100".into()], 16));
    }

    #[test]
    fn a_constant_has_an_axis_around_it() {
        let scale = Scale::around([9.81, 9.81].into_iter(), false, 0.05);
        assert!((scale.place(9.81).unwrap() - 0.5).abs() < 1e-9);
        assert!(!scale.marks(MARKS).is_empty());
    }
}
