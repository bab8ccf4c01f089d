//! What every law is held to: 10⁴ random inputs, in lanes, in single precision, and differentiated.

use super::row_params::RowParams;
use stiction_contact::corpus::Random;
use stiction_dynamics::lanes::{self, F64x4, F64x8};
use stiction_dynamics::{Dual, Real};

/// Random inputs of a law.
pub(crate) const INPUTS: usize = 10_000;
/// Relative change of an input of which differences are taken [–].
const STEP: f64 = 1e-6;
/// Bound of what a derivative differs by from a difference, as a share of its output's size [–].
const SLOPE: f64 = 1e-5;

/// A law of N numbers, whose results are M.
pub(crate) trait Law<const N: usize, const M: usize> {
    /// Bound of what single precision differs by, as a share of [`Self::sizes`] [–].
    const SINGLE: f64;

    fn draw(dice: &mut Dice) -> [f64; N];

    /// Must be `#[inline(always)]`.
    fn evaluate<T: Real>(x: [T; N]) -> [T; M];

    /// The numbers of which each result is made: its unit of rounding, times 2⁵³.
    fn sizes(x: &[f64; N]) -> [f64; M];
}

/// Random numbers of all sizes.
pub(crate) struct Dice(Random);

impl Dice {
    /// In [0, 1).
    pub(crate) fn share(&mut self) -> f64 {
        0.5 * (self.0.number() + 1.0)
    }

    /// In [−1, 1).
    pub(crate) fn one(&mut self) -> f64 {
        self.0.number()
    }

    pub(crate) fn sign(&mut self) -> f64 {
        if self.share() < 0.5 { -1.0 } else { 1.0 }
    }

    /// A number of any order of magnitude between the two.
    pub(crate) fn decades(&mut self, least: f64, most: f64) -> f64 {
        least * (most / least).powf(self.share())
    }

    /// The numbers of [`params`], and `rest`.
    pub(crate) fn with_params<const K: usize, const N: usize>(&mut self, rest: [f64; K]) -> [f64; N] {
        let h = self.decades(1e-4, 1e-2);
        let params = [h, 1e-3, 1e-5, self.share(), self.decades(1e-2, 1.0), self.decades(1e-3, 1e-1)];
        std::array::from_fn(|i| if i < PARAMS { params[i] } else { rest[i - PARAMS] })
    }
}

/// Numbers of [`RowParams`] that are drawn.
pub(crate) const PARAMS: usize = 6;

/// The parameters of rows, and the numbers after them.
#[inline(always)]
pub(crate) fn params<T: Real, const N: usize, const K: usize>(x: [T; N]) -> (RowParams<T>, [T; K]) {
    let mut rest = [x[0]; K];
    rest.copy_from_slice(&x[PARAMS..]);
    let coarseness = x[0].one();
    let [h, margin, slop] = [x[0], x[1], x[2]];
    (
        RowParams {
            h,
            margin,
            slop,
            correction: x[3],
            correction_speed: x[4],
            bouncing_speed: x[5],
            coarseness,
        },
        rest,
    )
}

/// Holds law L: every lane equals the plain number bit for bit; single precision keeps its bound; the tangents of dual numbers are
/// central differences where the law is smooth, which it is at most of its inputs.
pub(crate) fn hold<L: Law<N, M>, const N: usize, const M: usize>() {
    let mut dice = Dice(Random(49));
    // Numbers that single precision has.
    let inputs: Vec<[f64; N]> =
        (0..INPUTS).map(|_| L::draw(&mut dice).map(|x| f64::from(x as f32))).collect();
    let plain: Vec<[f64; M]> = inputs.iter().map(|x| L::evaluate(*x)).collect();
    for found in [
        lanes::run::<F64x4, _>(All::<L, N, M>::new(&inputs)),
        lanes::run::<F64x8, _>(All::<L, N, M>::new(&inputs)),
    ] {
        for ((x, plain), found) in inputs.iter().zip(&plain).zip(found) {
            assert_eq!(
                plain.map(f64::to_bits),
                found.map(f64::to_bits),
                "at {x:?}: {plain:?}, in lanes {found:?}"
            );
        }
    }
    for (x, plain) in inputs.iter().zip(&plain) {
        let single = L::evaluate(x.map(|x| x as f32)).map(f64::from);
        for ((a, b), size) in plain.iter().zip(single).zip(L::sizes(x)) {
            assert!(
                (a - b).abs() <= L::SINGLE * (a.abs() + size),
                "at {x:?}: {a}, in single precision {b}, of {size}"
            );
        }
    }
    let smooth: usize = inputs.iter().map(differentiated::<L, N, M>).sum();
    assert!(10 * smooth >= 8 * INPUTS * N, "only {smooth} of {} inputs are smooth", INPUTS * N);
}

/// How many of the inputs the law is smooth in, there; at these dual numbers are held to differences.
fn differentiated<L: Law<N, M>, const N: usize, const M: usize>(x: &[f64; N]) -> usize {
    let sizes = L::sizes(x);
    let plain = L::evaluate(*x);
    let dual = L::evaluate(std::array::from_fn(|k| Dual::<N>::variable(x[k], k)));
    let mut smooth = 0;
    for k in 0..N {
        let at = |sign: f64| {
            let mut moved = *x;
            moved[k] += sign * STEP * x[k];
            L::evaluate(moved)
        };
        let (after, before) = (at(1.0), at(-1.0));
        // Twice the change that a tangent makes, and by how much both sides differ.
        let slopes: [f64; M] = std::array::from_fn(|i| (after[i] - before[i]) / (2.0 * STEP));
        let bent = (0..M).any(|i| {
            let bend = (after[i] - plain[i] - (plain[i] - before[i])).abs() / STEP;
            bend > SLOPE * (slopes[i].abs() + sizes[i])
        });
        if bent {
            continue;
        }
        smooth += 1;
        for i in 0..M {
            let tangent = dual[i].tangent[k] * x[k];
            let bound = SLOPE * (slopes[i].abs() + plain[i].abs() + sizes[i]);
            assert_eq!(dual[i].value.to_bits(), plain[i].to_bits(), "result {i} at {x:?}");
            assert!(
                (tangent - slopes[i]).abs() <= bound,
                "result {i} by input {k} at {x:?}: {tangent}, {}",
                slopes[i]
            );
        }
    }
    smooth
}

/// A law at all inputs, in lanes.
struct All<'a, L, const N: usize, const M: usize> {
    inputs: &'a [[f64; N]],
    law: std::marker::PhantomData<L>,
}

impl<'a, L, const N: usize, const M: usize> All<'a, L, N, M> {
    fn new(inputs: &'a [[f64; N]]) -> Self {
        Self { inputs, law: std::marker::PhantomData }
    }
}

impl<L: Law<N, M>, const N: usize, const M: usize> lanes::Task for All<'_, L, N, M> {
    type Output = Vec<[f64; M]>;

    #[inline(always)]
    fn run<T: Real>(self, kind: T) -> Vec<[f64; M]> {
        let mut all = Vec::new();
        for bundle in self.inputs.chunks(T::LANES) {
            let mut x = [kind; N];
            for (i, x) in x.iter_mut().enumerate() {
                for (lane, input) in bundle.iter().enumerate() {
                    *x = x.with_lane(lane, input[i]);
                }
            }
            let results = L::evaluate(x);
            for lane in 0..bundle.len() {
                let mut out = [0.0; M];
                for (out, result) in out.iter_mut().zip(results) {
                    *out = result.lane(lane);
                }
                all.push(out);
            }
        }
        all
    }
}
