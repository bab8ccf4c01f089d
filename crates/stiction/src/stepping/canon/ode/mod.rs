//! Initial value problems with error control and dense output, for [`super::compliant`] and [`super::event_driven`].
//!
//! | method | order, of the dense output | for |
//! |---|---|---|
//! | [`Method::Explicit`] | 5, 4: Dormand and Prince [DormandPrince1980] | what is not stiff |
//! | [`Method::Implicit`] | 5, 3: Radau IIA, three stages [HairerWanner1996] | what is |
//!
//! They are written here for two reasons. Steps must stop at events, whose search asks for the dense output in between, and
//! every part of it must be the same on every machine, bit for bit; and a library of integrators with both kinds brings its own
//! linear algebra, which would double what the first command compiles.

pub(super) mod defect;
mod dormand_prince;
mod radau;

use crate::canon_params::OdeMethod as Method;

/// ẏ = f(t, y); the error says why there is no value.
pub(super) trait System {
    /// f(t, y), into `out`.
    fn rate(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<(), String>;

    /// ∂f/∂y at (t, y), by rows, into `out`. It may be approximate: it decides the speed of an implicit method, not its answer.
    fn jacobian(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<(), String>;

    /// The energy at the numbers of y that move, less what depends on them alone and is told apart [J]; zero: y has none.
    fn energy(&mut self, moving: &[f64]) -> f64 {
        let _ = moving;
        0.0
    }

    /// True if f does not hold at (t, y), where another begins: an event has come.
    fn fails(&mut self, t: f64, y: &[f64]) -> Result<bool, String> {
        let _ = (t, y);
        Ok(false)
    }
}

/// The error that a step is allowed, per component: `relative` times its size, and at least `absolute`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerance {
    pub(super) relative: f64,
    pub(super) absolute: f64,
}

impl Tolerance {
    /// Root mean square of `error` in units of what is allowed.
    fn norm(&self, error: &[f64], from: &[f64], to: &[f64]) -> f64 {
        let square = |((e, a), b): ((&f64, &f64), &f64)| {
            (e / (self.absolute + self.relative * a.abs().max(b.abs()))).powi(2)
        };
        let sum: f64 = error.iter().zip(from).zip(to).map(square).sum();
        (sum / error.len().max(1) as f64).sqrt()
    }
}

/// An accepted step, and y between its ends.
pub(super) struct Dense {
    pub(super) t: f64,
    pub(super) h: f64,
    start: Vec<f64>,
    /// y = start + Σ_k s^k coefficients[k − 1], s the share of the step.
    coefficients: Vec<Vec<f64>>,
}

impl Dense {
    /// Numbers of y.
    pub(super) fn size(&self) -> usize {
        self.start.len()
    }

    /// y at the share s of the step, into `out`.
    pub(super) fn at(&self, s: f64, out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            let sum = self.coefficients.iter().rev().fold(0.0, |sum, c| (sum + c[i]) * s);
            *out = self.start[i] + sum;
        }
    }

    /// ẏ at the share s of the step, into `out`.
    fn rate_at(&self, s: f64, out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            let powers = self.coefficients.iter().enumerate().rev();
            *out = powers.fold(0.0, |sum, (k, c)| sum * s + (k + 1) as f64 * c[i]) / self.h;
        }
    }
}

/// Sees every accepted step, and says at which share of it to stop, if at all.
type Watch<'a> = dyn FnMut(&mut dyn System, &Dense) -> Result<Option<f64>, String> + 'a;

/// A driver of steps.
pub(super) struct Integrator {
    method: Method,
    tolerance: Tolerance,
    /// Size of the next step [s].
    next: f64,
}

/// Steps within one call, at most.
const MOST: u32 = 200_000;
/// Tries of one step, at most.
const TRIES: u32 = 60;

impl Integrator {
    pub(super) fn new(method: Method, tolerance: Tolerance) -> Self {
        Self { method, tolerance, next: 0.0 }
    }

    /// The size that the next step tries [s]; zero: none is known.
    pub(super) fn next_step(&self) -> f64 {
        self.next
    }

    /// Goes on with that size.
    pub(super) fn set_next_step(&mut self, h: f64) {
        self.next = h;
    }

    /// Forgets the size of the last step.
    pub(super) fn forget(&mut self) {
        self.next = 0.0;
    }

    /// From `t` towards `end`; after every accepted step `watch` sees it and says at which share of it to stop, if at all.
    /// Leaves y where it stopped, and tells the time there and how many steps were taken.
    pub(super) fn run(
        &mut self,
        system: &mut dyn System,
        (mut t, end): (f64, f64),
        y: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> Result<(f64, u32), String> {
        let n = y.len();
        let span = end - t;
        let mut h = if self.next > 0.0 { self.next } else { 0.01 * span };
        let (mut rate, mut error, mut next) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        let mut room = radau::Room::default();
        for steps in 0..MOST {
            if t >= end - 1e-14 * span {
                return Ok((end, steps));
            }
            system.rate(t, y, &mut rate)?;
            let mut tries = 0;
            let dense = loop {
                h = h.min(end - t);
                let tried = match self.method {
                    Method::Explicit => dormand_prince::step(system, t, h, (y, &rate), &mut next, &mut error),
                    Method::Implicit => {
                        let tolerance = self.tolerance;
                        radau::step(system, (t, h), (y, &rate), (&mut next, &mut error), tolerance, &mut room)
                    }
                };
                tries += 1;
                let norm = match &tried {
                    Ok(Some(_)) => self.tolerance.norm(&error, y, &next),
                    _ => f64::INFINITY,
                };
                if norm <= 1.0
                    && let Ok(Some(coefficients)) = tried
                {
                    let dense = Dense { t, h, start: y.to_vec(), coefficients };
                    let last = h >= end - t;
                    let order = if self.method == Method::Explicit { 5.0 } else { 4.0 };
                    let grown = h * (0.9 * norm.max(1e-8).powf(-1.0 / order)).clamp(0.2, 5.0);
                    // A last step cut short says nothing of how long steps may be.
                    self.next = if last { self.next.max(grown.min(span)) } else { grown };
                    break dense;
                }
                if tries >= TRIES || t + 0.1 * h == t {
                    let why = tried.err().unwrap_or_else(|| "the error does not fall".to_owned());
                    return Err(format!("no step of integration is small enough at t = {t} s: {why}"));
                }
                h *= if norm.is_finite() { (0.9 * norm.powf(-0.2)).clamp(0.1, 0.8) } else { 0.25 };
            };
            if let Some(share) = watch(system, &dense)? {
                dense.at(share, y);
                return Ok((dense.t + share * dense.h, steps + 1));
            }
            y.copy_from_slice(&next);
            t += dense.h;
            h = self.next;
        }
        Err(format!("more than {MOST} steps of integration within one step"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ẏ₀ = y₁, ẏ₁ = −k y₀ − d y₁.
    struct Oscillator {
        k: f64,
        d: f64,
    }

    impl System for Oscillator {
        fn rate(&mut self, _: f64, y: &[f64], out: &mut [f64]) -> Result<(), String> {
            (out[0], out[1]) = (y[1], -self.k * y[0] - self.d * y[1]);
            Ok(())
        }

        fn jacobian(&mut self, _: f64, _: &[f64], out: &mut [f64]) -> Result<(), String> {
            out.copy_from_slice(&[0.0, 1.0, -self.k, -self.d]);
            Ok(())
        }
    }

    /// cos t at the end, and within steps to the order of the dense output; an event where it is zero.
    #[test]
    fn a_spring_swings_as_it_should() {
        for method in [Method::Explicit, Method::Implicit] {
            let tolerance = Tolerance { relative: 1e-9, absolute: 1e-11 };
            let mut integrator = Integrator::new(method, tolerance);
            let mut system = Oscillator { k: 1.0, d: 0.0 };
            let (mut y, mut worst) = ([1.0, 0.0], 0.0_f64);
            let mut look = |_: &mut dyn System, dense: &Dense| {
                let mut between = [0.0; 2];
                for s in [0.25, 0.5, 0.9] {
                    dense.at(s, &mut between);
                    worst = worst.max((between[0] - (dense.t + s * dense.h).cos()).abs());
                }
                Ok(None)
            };
            let (t, steps) = integrator.run(&mut system, (0.0, 3.0), &mut y, &mut look).unwrap();
            assert!((y[0] - 3.0_f64.cos()).abs() < 2e-8 && t == 3.0, "{method:?} {y:?}");
            assert!(worst < 3e-6 && steps > 3, "{method:?} {worst}");
        }
    }

    /// A stiff system takes the implicit method few steps.
    #[test]
    fn stiffness_is_for_the_implicit_method() {
        let mut system = Oscillator { k: 1e8, d: 1e6 };
        let tolerance = Tolerance { relative: 1e-6, absolute: 1e-9 };
        let mut integrator = Integrator::new(Method::Implicit, tolerance);
        let mut y = [1.0, 0.0];
        let (_, steps) = integrator.run(&mut system, (0.0, 0.01), &mut y, &mut |_, _| Ok(None)).unwrap();
        // The slow root is −k/d nearly.
        assert!((y[0] - (-1.0_f64).exp()).abs() < 2e-3 && steps < 200, "{y:?} in {steps} steps");
    }
}
