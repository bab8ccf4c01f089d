//! Sine and cosine by polynomials: the same operations, hence the same bits, for one number and
//! for each lane of a vector, on every machine.
//!
//! ```text
//!     x = k π/2 + r,   |r| ≤ π/4,   k whole                             (1)
//!     sin r = r + r³ P(r²),   cos r = 1 − r²/2 + r⁴ Q(r²)               (2)
//!     sin x = sin(m π/2) cos r + cos(m π/2) sin r,   m = k mod 4,       (3)
//!     cos x = cos(m π/2) cos r − sin(m π/2) sin r
//! ```
//!
//! π/2 is split in three parts with trailing zeros so that k times the first two is exact
//! [CodyWaite1980]; minimax coefficients of [fdlibm]. Measured error at most 2.2e-16 (f64) and
//! 7.6e-8 (f32) absolute up to [`Split::limit`]; beyond it the caller asks the standard library.

use crate::real::Real;

/// Constants of (1).
pub(crate) struct Split {
    /// 1.5 · 2^(mantissa bits): adding and subtracting it rounds to the nearest whole number.
    pub(crate) round: f64,
    /// π/2 in three parts.
    pub(crate) half_pi: [f64; 3],
    /// Largest |x| for which k times the first two parts is exact.
    pub(crate) limit: f64,
}

pub(crate) const DOUBLE: Split = Split {
    round: 6755399441055744.0,
    half_pi: [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21],
    limit: 1e5,
};

pub(crate) const SINGLE: Split = Split {
    round: 12_582_912.0,
    half_pi: [1.570_312_5, 0.000_483_751_296_997_070_3, 7.549_789_948_768_648e-8],
    limit: 1e3,
};

/// Coefficients of P in (2), from the lowest power.
const SIN: [f64; 6] = [
    -0.166_666_666_666_666_32,
    0.008_333_333_333_322_49,
    -0.000_198_412_698_298_579_5,
    2.755_731_370_707_006_8e-6,
    -2.505_076_025_340_686_3e-8,
    1.589_690_995_211_55e-10,
];

/// Coefficients of Q in (2), from the lowest power.
const COS: [f64; 6] = [
    0.041_666_666_666_666_6,
    -0.001_388_888_888_887_411,
    2.480_158_728_947_673e-5,
    -2.755_731_435_139_066_3e-7,
    2.087_572_321_298_175e-9,
    -1.135_964_755_778_819_5e-11,
];

/// (sin x, cos x), for |x| ≤ `split.limit`. No closures here: they would not be compiled with the
/// instructions of the caller.
#[inline(always)]
pub(crate) fn sin_cos<T: Real>(x: T, split: &Split) -> (T, T) {
    let round = x.like(split.round);

    // (1)
    let k = nearest(x * x.like(std::f64::consts::FRAC_2_PI), round);
    let [a, b, c] = split.half_pi;
    let r = ((x - k * x.like(a)) - k * x.like(b)) - k * x.like(c);

    // (2)
    let z = r * r;
    let sin = r + r * z * polynomial(z, SIN);
    let cos = x.one() - (z * x.like(0.5) - z * z * polynomial(z, COS));

    // (3): m = k mod 4 in −2 … 2, of which the sine and cosine of m π/2 are polynomials too.
    let m = k - nearest(k * x.like(0.25), round) * x.like(4.0);
    let (sin_m, cos_m) = (m * (x.like(2.0) - m.abs()), x.one() - m.abs());
    (sin_m * cos + cos_m * sin, cos_m * cos - sin_m * sin)
}

/// [`sin_cos`] of several, that the compiler makes one vector of.
#[inline(always)]
pub(crate) fn sin_cos_block<T: Real, const N: usize>(x: [T; N], split: &Split) -> ([T; N], [T; N]) {
    let (mut sin, mut cos) = (x, x);
    for n in 0..N {
        (sin[n], cos[n]) = sin_cos(x[n], split);
    }
    (sin, cos)
}

#[inline(always)]
fn nearest<T: Real>(x: T, round: T) -> T {
    (x + round) - round
}

/// c₀ + c₁ z + … + c₅ z⁵.
#[inline(always)]
fn polynomial<T: Real>(z: T, c: [f64; 6]) -> T {
    let mut sum = z.like(c[5]);
    sum = sum * z + z.like(c[4]);
    sum = sum * z + z.like(c[3]);
    sum = sum * z + z.like(c[2]);
    sum = sum * z + z.like(c[1]);
    sum * z + z.like(c[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dice;

    /// Against the standard library, whose error is half a unit in the last place.
    #[test]
    fn accurate_up_to_the_limit() {
        let mut dice = Dice::new(70);
        let (mut worst, mut worst_single) = (0.0_f64, 0.0_f64);
        for n in 0..400_000 {
            let reach = [1.0, 10.0, 1e3, 1e5][n % 4];
            let x = dice.roll() * reach;
            let (s, c) = sin_cos(x, &DOUBLE);
            worst = worst.max((s - x.sin()).abs()).max((c - x.cos()).abs());
            if reach <= SINGLE.limit {
                let x = x as f32;
                let (s, c) = sin_cos(x, &SINGLE);
                let (s64, c64) = f64::from(x).sin_cos();
                worst_single = worst_single.max((f64::from(s) - s64).abs()).max((f64::from(c) - c64).abs());
            }
        }
        assert!(worst < 2.3e-16 && worst_single < 1.2e-7, "{worst:e} {worst_single:e}");
    }

    /// Next to multiples of π/2 the small one of the two keeps its relative accuracy.
    #[test]
    fn relative_accuracy_near_the_zeros() {
        for k in -60_000..60_000 {
            let x = f64::from(k) * std::f64::consts::FRAC_PI_2;
            let ((s, c), (s0, c0)) = (sin_cos(x, &DOUBLE), x.sin_cos());
            assert!((s - s0).abs() <= 4e-16 * s0.abs() && (c - c0).abs() <= 4e-16 * c0.abs(), "k = {k}");
        }
    }

    #[test]
    fn what_is_not_finite_gives_nan() {
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(x.sin_cos().0.is_nan() && Real::sin_cos(x).0.is_nan() && Real::sin_cos(x).1.is_nan());
        }
    }
}
