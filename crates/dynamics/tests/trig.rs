//! Sine and cosine in lanes: as accurate as those of plain numbers, and the same to the bit.

use fearless_simd::prelude::*;
use fearless_simd::{Level, f32x8, f64x4};
use stiction_dynamics::Real;
use stiction_dynamics::lanes::gather;

/// Sines and cosines of angles of every size, lane by lane, in units of the last place: small ones next to
/// multiples of π/2, and so large that doubles skip whole turns.
#[test]
fn sine_and_cosine_to_the_last_places() {
    let mut bits = 1_u64;
    let mut roll = || {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (bits >> 11) as f64 / (1_u64 << 53) as f64
    };
    // Magnitudes spread evenly over the decades from 1 mrad.
    let mut angles = |decades: f64| -> Vec<f64> {
        (0..40_000).map(|_| (roll() - 0.5).signum() * 10_f64.powf(decades * roll() - 3.0)).collect()
    };
    let (doubles, singles, every) = (angles(303.0), angles(40.0), angles(8.0));
    let quarters: Vec<f64> = (-20_000..20_000).map(|k| f64::from(k) * std::f64::consts::FRAC_PI_2).collect();
    let (double, single) = ((f64::EPSILON, 0.0), (f64::from(f32::EPSILON), 1e-4));
    fearless_simd::dispatch!(Level::new(), simd => {
        for angles in [&doubles, &every, &quarters] {
            let worst = worst_places(f64x4::splat(simd, 0.0), double, angles);
            assert!(worst <= 2.0, "{worst} places of f64x4");
            assert_eq!(worst, worst_places(0.0_f64, double, angles), "lanes equal the scalar");
        }
        for angles in [&singles, &every, &quarters] {
            let worst = worst_places(f32x8::splat(simd, 0.0), single, angles);
            assert!(worst <= 2.0, "{worst} places of f32x8");
            assert_eq!(worst, worst_places(0.0_f32, single, angles), "lanes equal the scalar");
        }
    });
}

/// Largest error in units of the last place of the result, against the standard library in double
/// precision, whose own is little more than half of one. Results below `least` count as so large: three parts
/// of π/2 in single precision leave next to its multiples an error of some 3e-12.
fn worst_places<T: Real>(kind: T, (epsilon, least): (f64, f64), angles: &[f64]) -> f64 {
    let mut worst = 0.0_f64;
    for angles in angles.chunks_exact(T::LANES) {
        let x = gather(kind, angles, 0, 1);
        let (sin, cos) = x.sin_cos();
        for lane in 0..T::LANES {
            let (s, c) = x.lane(lane).sin_cos();
            for (found, exact) in [(sin.lane(lane), s), (cos.lane(lane), c)] {
                let place = epsilon * 2_f64.powi(exact.abs().max(least).log2().floor() as i32);
                worst = worst.max(((found - exact) / place).abs());
            }
        }
    }
    worst
}
