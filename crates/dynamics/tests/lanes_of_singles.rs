//! Every lane of singles against the plain number, bit for bit; and singles against doubles.
#![allow(non_snake_case)] // as in the crate: capitals carry meaning

mod lanes;

use fearless_simd::prelude::*;
use fearless_simd::{Level, f32x4, f32x8, f32x16};
use lanes::{all, common, compare, inputs, model, plainest};

#[test]
fn four_and_eight_and_sixteen_singles() {
    plainest!(simd => {
        compare(4, |m, x| common(f32x4::splat(simd, 0.0), m, x), |m, x| common(0.0_f32, m, x));
        compare(8, |m, x| all(f32x8::splat(simd, 0.0), m, x), |m, x| all(0.0_f32, m, x));
        compare(16, |m, x| common(f32x16::splat(simd, 0.0), m, x), |m, x| common(0.0_f32, m, x));
    });
}

/// The formats differ by rounding only.
#[test]
fn singles_are_about_doubles() {
    let model = model();
    let inputs = [inputs(&model, 5)];
    let (double, single) = (all(0.0_f64, &model, &inputs).0, all(0.0_f32, &model, &inputs).0);
    for ((name, double), (_, single)) in double.iter().zip(&single) {
        let largest = double[0].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        for (k, (x, y)) in double[0].iter().zip(&single[0]).enumerate() {
            assert!((x - y).abs() < 2e-5 * largest.max(1.0), "{name}, number {k}: {x} {y}");
        }
    }
}
