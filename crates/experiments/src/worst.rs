//! The worst of several measurements, and of how many: what a claim about a series is made of.

use super::{Claim, Findings};

/// The largest of some numbers; what is no number is the largest there is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Worst {
    largest: Option<f64>,
    count: usize,
}

impl Worst {
    /// The worst of these numbers.
    pub(crate) fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        let mut worst = Self::default();
        numbers.into_iter().for_each(|x| worst.see(x));
        worst
    }

    /// A number that stands for `count` measurements, as their median does.
    pub(crate) fn about(number: f64, count: usize) -> Self {
        Self { largest: (count > 0).then_some(number), count }
    }

    /// Takes one more number in.
    pub(crate) fn see(&mut self, number: f64) {
        let number = if number.is_nan() { f64::INFINITY } else { number };
        self.largest = Some(self.largest.map_or(number, |l| l.max(number)));
        self.count += 1;
    }

    /// The number itself; NaN where there was none.
    pub(crate) fn number(&self) -> f64 {
        self.largest.unwrap_or(f64::NAN)
    }

    /// The measurements it stands for.
    pub(crate) fn count(&self) -> usize {
        self.count
    }
}

/// A single measurement.
impl From<f64> for Worst {
    fn from(number: f64) -> Self {
        Self::about(number, 1)
    }
}

impl Findings {
    /// A claim that what was measured is `predicted`, to a share `within` of the prediction; of several it is the one that is farthest off.
    pub(crate) fn predict(
        &mut self,
        claim: String,
        unit: &str,
        predicted: f64,
        measured: impl Into<Worst>,
        within: f64,
    ) {
        let worst = measured.into();
        let off = (worst.number() - predicted).abs() / predicted.abs();
        self.claims.push(Claim {
            claim: format!("{claim} (to {within:.0e})"),
            measured: format!("{:.6e} {unit}, predicted {predicted:.6e}{}", worst.number(), of_many(&worst)),
            holds: off <= within,
            sample: worst.count(),
        });
    }

    /// A claim that nothing of what was measured is more than `limit`; of no measurement it does not hold.
    pub(crate) fn bound(&mut self, claim: String, unit: &str, measured: impl Into<Worst>, limit: f64) {
        let worst = measured.into();
        self.claims.push(Claim {
            claim: format!("{claim} (under {limit:.0e} {unit})"),
            measured: format!("{:.2e} {unit}{}", worst.number(), of_many(&worst)),
            holds: worst.number() <= limit,
            sample: worst.count(),
        });
    }
}

/// How many measurements a number stands for, where it is not one.
fn of_many(worst: &Worst) -> String {
    if worst.count() == 1 { String::new() } else { format!(", of {}", worst.count()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_of_none_is_no_number_and_no_number_is_the_worst() {
        assert!(Worst::default().number().is_nan() && Worst::about(1.0, 0).number().is_nan());
        let worst = Worst::of([1.0, f64::NAN, 3.0]);
        assert_eq!((worst.number(), worst.count()), (f64::INFINITY, 3));
        let mut findings = Findings::default();
        findings.bound("none".to_owned(), "m", Worst::default(), 1.0);
        findings.bound("two".to_owned(), "m", Worst::of([0.5, 0.25]), 1.0);
        findings.predict("none".to_owned(), "m", 1.0, Worst::default(), 1.0);
        findings.predict("one".to_owned(), "m", 1.0, 1.0, 1e-9);
        let holds: Vec<(bool, usize)> = findings.claims.iter().map(|c| (c.holds, c.sample)).collect();
        assert_eq!(holds, [(false, 0), (true, 2), (false, 0), (true, 1)]);
    }
}
