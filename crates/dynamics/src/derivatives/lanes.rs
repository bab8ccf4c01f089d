//! Every lane of every derivative, and of what else the receipts give, against the plain number.

use super::testing::random_forces;
use super::*;
use crate::spatial::{Force, Motion, Vec3};
use crate::testing::*;
use crate::*;
use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, f64x4};

#[inline(always)]
fn everything<T: Real>(model: &Model<T>, [q, v, u]: [&[T]; 3], forces: &[Force<T>]) -> Vec<T> {
    let (mut kin, mut vel) = (Kinematics::new(model), Velocities::new(model));
    let (mut rates, mut acc) = (ColumnRates::new(model), Accelerations::new(model));
    kin.update(model, q);
    vel.update(model, &kin, v);
    let mut external = ExternalForces::new(model);
    external.update(&kin, forces);
    let mut direct = AbaDerivatives::new(model);
    assert!(direct.update(model, &kin, &vel, v, u, Some(&external)).is_ok());
    rates.update(model, &kin, &vel, v);
    acc.update(model, &kin, &vel, &rates, v, &direct.acceleration);
    let mut point = PointDerivatives::new(model);
    point.update(model, &kin, &vel, &rates, &acc, model.bodies.len() - 1, Vec3::zero(model.kind()));
    let (mut C, mut Y) = (CoriolisMatrix::new(model), Regressor::new(model));
    C.update(&kin, &vel, &rates);
    Y.update(model, &kin, &vel, &acc);
    let mut centroidal = Centroidal::new(model);
    centroidal.update(model, &kin, &vel);

    let mut out = direct.acceleration;
    let inverse = direct.inverse_dynamics;
    for numbers in [direct.acceleration_q, direct.acceleration_v, direct.inverse_mass, inverse.tau_q] {
        out.extend(numbers);
    }
    for numbers in [inverse.tau_v, inverse.M.to_dense(), C.entries, Y.entries] {
        out.extend(numbers);
    }
    let push = |out: &mut Vec<T>, x: Vec3<T>| out.extend([x.x, x.y, x.z]);
    for Motion { angular, linear } in [point.velocity_q, point.acceleration_q, point.acceleration_v].concat()
    {
        push(&mut out, angular);
        push(&mut out, linear);
    }
    for Force { angular, linear } in centroidal.momentum_matrix {
        push(&mut out, angular);
        push(&mut out, linear);
    }
    push(&mut out, centroidal.bias.angular);
    gravity_into(model, &kin, &mut GravityWorkspace::new(model), &mut vec![model.kind(); model.nv()]);
    out
}

/// One function, so that it is compiled once.
#[inline(never)]
fn scalar(model: &Model, [q, v, u]: &[Vec<f64>; 3], forces: &[Force]) -> Vec<f64> {
    everything(model, [q, v, u], forces)
}

fn inputs(model: &Model, lane: u64) -> [Vec<f64>; 3] {
    let (q, v) = random_state(model, 180 + lane);
    [q, v, Dice::new(180 + lane).vector(model.nv())]
}

#[inline(never)]
fn in_lanes<S: Simd>(simd: S, model: &Model, lanes: &[[Vec<f64>; 3]], forces: &[Force]) -> Vec<f64x4<S>> {
    let kind = f64x4::splat(simd, 0.0);
    let [q, v, u] = [0, 1, 2].map(|which| {
        (0..lanes[0][which].len())
            .map(|k| (0..4).fold(kind, |x, l| x.with_lane(l, lanes[l][which][k])))
            .collect::<Vec<_>>()
    });
    let forces: Vec<_> =
        forces.iter().map(|f| Force::new(f.angular.cast(kind), f.linear.cast(kind))).collect();
    let model = model.cast(kind);
    simd.vectorize(
        #[inline(always)]
        || everything(&model, [&q, &v, &u], &forces),
    )
}

fn compare<S: Simd>(simd: S, poisoned: Option<usize>) {
    let model = random_trees(180, 14);
    let forces = random_forces(&model, 180);
    let mut lanes = [0, 1, 2, 3].map(|l| inputs(&model, l));
    if let Some(l) = poisoned {
        lanes[l][1].fill(f64::NAN);
        lanes[l][2].fill(f64::NAN);
    }
    let bundle = in_lanes(simd, &model, &lanes, &forces);
    for (l, inputs) in lanes.iter().enumerate() {
        if poisoned != Some(l) {
            for (k, expected) in scalar(&model, inputs, &forces).into_iter().enumerate() {
                assert_eq!(bundle[k].lane(l), expected, "lane {l}, number {k}");
            }
        }
    }
}

/// One instruction set will do (each costs a compilation of everything): that lanes do not depend
/// on it is shown by the crate's other test of lanes.
fn compare_here(poisoned: Option<usize>) {
    #[cfg(target_arch = "x86_64")]
    compare(Level::new().as_sse2().expect("every x86-64 has SSE2"), poisoned);
    #[cfg(not(target_arch = "x86_64"))]
    fearless_simd::dispatch!(Level::new(), simd => compare(simd, poisoned));
}

#[test]
fn lanes_equal_the_scalar() {
    compare_here(None);
}

#[test]
fn nan_stays_in_its_lane() {
    compare_here(Some(2));
}
