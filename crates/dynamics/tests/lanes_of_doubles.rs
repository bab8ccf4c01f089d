//! Every lane of doubles against the plain number, and plain numbers with other instructions: bit for bit.
#![allow(non_snake_case)] // as in the crate: capitals carry meaning

mod lanes;

use fearless_simd::prelude::*;
use fearless_simd::{Level, f64x2, f64x4, f64x8};
use lanes::{Inputs, all, common, compare, inputs, model, plainest};
use stiction_dynamics::*;

#[test]
fn two_and_four_and_eight_doubles() {
    plainest!(simd => {
        compare(2, |m, x| common(f64x2::splat(simd, 0.0), m, x), |m, x| common(0.0_f64, m, x));
        compare(4, |m, x| all(f64x4::splat(simd, 0.0), m, x), |m, x| all(0.0_f64, m, x));
        compare(8, |m, x| common(f64x8::splat(simd, 0.0), m, x), |m, x| common(0.0_f64, m, x));
    });
}

#[cfg(target_arch = "x86_64")]
#[test]
fn other_instructions_same_bits() {
    match Level::new().as_avx2() {
        Some(simd) => compare(4, |m, x| common(f64x4::splat(simd, 0.0), m, x), |m, x| common(0.0_f64, m, x)),
        None => eprintln!("*** NOT TESTED: this processor has no AVX2 ***"),
    }
}

/// The calls on dynamics of a step of one environment.
#[inline(always)]
fn free_velocity(model: &Model, Inputs { q, v, .. }: &Inputs) -> Vec<f64> {
    let (mut kin, mut vel) = (Kinematics::new(model), Velocities::new(model));
    kin.update(model, q);
    vel.update(model, &kin, v);
    let mut x = vec![0.0; model.nv()];
    bias_into(model, &kin, &vel, &mut RneaWorkspace::new(model), &mut x);
    let mut M = MassMatrix::new(model);
    crba_into(model, &kin, &mut CrbaWorkspace::new(model), &mut M);
    let mut factor = Factor::new(model);
    factor.factor(&M).expect("M is positive");
    factor.solve_in_place(&mut x);
    x
}

/// Plain numbers, with whatever instructions this processor has.
#[test]
fn plain_numbers_keep_their_bits() {
    let model = model();
    let inputs = inputs(&model, 3);
    let wide = stiction_dynamics::lanes::plain(
        #[inline(always)]
        || free_velocity(&model, &inputs),
    );
    assert_eq!(wide, free_velocity(&model, &inputs));
}
