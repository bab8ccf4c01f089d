//! Every lane of every algorithm against the plain number: bit for bit in f64, to rounding in f32.
#![allow(non_snake_case)] // as in the crate: capitals carry meaning

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, f32x8, f64x4};
use stiction_dynamics::spatial::{Inertia, Pose, Quat, Sym3, Vec3, vec3};
use stiction_dynamics::{
    AbaWorkspace, CrbaWorkspace, Factor, JointKind, JointSpec, Kinematics, MassMatrix, Model, ModelBuilder,
    NotPositive, Real, RneaWorkspace, Velocities, aba_into, bias_into, crba_into, integrate_into, rnea_into,
};

/// A free trunk with two limbs: a ball, a slide and a screw, and a body of two hinges.
fn model() -> Model {
    let mut b = ModelBuilder::new();
    let box_ = Inertia::new(1.5, vec3(0.05, -0.1, 0.2), Sym3::diagonal(0.1, 0.2, 0.15));
    let trunk = b.link("trunk", None, Pose::IDENTITY, box_);
    b.joint(trunk, JointSpec::new("free", JointKind::Free, Vec3::Z));
    let at = |x, y| Pose::new(Quat::from_rpy(0.3, -0.2, 0.9), vec3(x, y, -0.1));
    let arm = b.link("arm", Some(trunk), at(0.3, 0.1), box_);
    b.joint(arm, JointSpec::new("shoulder", JointKind::Ball, Vec3::Z));
    let hand = b.link("hand", Some(arm), at(0.0, 0.4), box_);
    b.joint(hand, JointSpec::new("reach", JointKind::Slide, vec3(1.0, 1.0, 0.0)));
    b.joint(hand, JointSpec::screw("drill", vec3(0.2, 0.0, 1.0), 0.3).at(vec3(0.1, 0.0, 0.0)));
    let leg = b.link("leg", Some(trunk), at(-0.3, 0.1), box_);
    b.joint(leg, JointSpec::new("hip x", JointKind::Hinge, Vec3::X));
    let mut hip_y = JointSpec::new("hip y", JointKind::Hinge, Vec3::Y);
    (hip_y.anchor, hip_y.armature, hip_y.reference) = (vec3(0.0, 0.02, 0.03), 0.01, 0.2);
    b.joint(leg, hip_y);
    b.build(vec3(0.0, 0.0, -9.81)).expect("the model is sound")
}

/// Everything the crate computes, in a row: M, factor solve, bias, rnea, aba, poses, next q.
/// `extra` is added to the last diagonal entry of M.
#[inline(always)]
fn all_algorithms<T: Real>(model: &Model<T>, [q, v, u]: [&[T]; 3], extra: T) -> Outcome<T> {
    let (mut kin, mut vel) = (Kinematics::new(model), Velocities::new(model));
    kin.update(model, q);
    vel.update(model, &kin, v);
    let zero = model.kind();
    let mut out = Vec::new();
    let mut M = MassMatrix::new(model);
    crba_into(model, &kin, &mut CrbaWorkspace::new(model), &mut M);
    out.extend(M.to_dense());
    let mut factor = Factor::new(model);
    M.add_diagonal(model.nv() - 1, extra);
    let factored = factor.factor(&M);
    let mut x = u.to_vec();
    factor.solve_in_place(&mut x);
    out.extend(&x);
    let mut workspace = RneaWorkspace::new(model);
    bias_into(model, &kin, &vel, &mut workspace, &mut x);
    out.extend(&x);
    rnea_into(model, &kin, &vel, u, &mut workspace, &mut x);
    out.extend(&x);
    aba_into(model, &kin, &vel, u, &mut AbaWorkspace::new(model), &mut x);
    out.extend(&x);
    for X in &kin.X_WB {
        let (r, p) = (X.rotation, X.translation);
        out.extend([r.w, r.x, r.y, r.z, p.x, p.y, p.z]);
    }
    let mut next = vec![zero; model.nq];
    integrate_into(model, q, v, zero.like(0.01), &mut next);
    out.extend(&next);
    (out, factored)
}

type Outcome<T> = (Vec<T>, Result<(), NotPositive>);

#[inline(never)]
fn scalar(model: &Model, [q, v, u]: &[Vec<f64>; 3]) -> Vec<f64> {
    let (out, factored) = all_algorithms(model, [q, v, u], 0.0);
    factored.expect("M is positive definite");
    out
}

/// (q, v, u) of environment `lane`.
fn inputs(model: &Model, lane: usize) -> [Vec<f64>; 3] {
    let number = |k: usize| (7.3 * (k as f64) + 1.7 * (lane as f64)).sin();
    let v: Vec<f64> = (0..model.nv()).map(number).collect();
    let u: Vec<f64> = (0..model.nv()).map(|k| 3.0 * number(k + 100)).collect();
    let mut q = vec![0.0; model.nq];
    integrate_into(model, &model.neutral(), &u, 0.7, &mut q);
    [q, v, u]
}

fn bundle<T: Real>(kind: T, lanes: &[[Vec<f64>; 3]], which: usize) -> Vec<T> {
    (0..lanes[0][which].len())
        .map(|k| (0..T::LANES).fold(kind, |x, l| x.with_lane(l, lanes[l][which][k])))
        .collect()
}

#[inline(always)]
fn in_lanes<T: Real>(extra: T, model: &Model, lanes: &[[Vec<f64>; 3]]) -> Outcome<T> {
    let [q, v, u] = [0, 1, 2].map(|which| bundle(extra.zero(), lanes, which));
    all_algorithms(&model.cast(extra), [&q, &v, &u], extra)
}

/// In four f64 lanes; one function, so that it is compiled once per instruction set.
#[inline(never)]
fn double<S: Simd>(extra: f64x4<S>, model: &Model, lanes: &[[Vec<f64>; 3]]) -> Outcome<f64x4<S>> {
    extra.simd.vectorize(
        #[inline(always)]
        || in_lanes(extra, model, lanes),
    )
}

#[inline(never)]
fn single<S: Simd>(simd: S, model: &Model, lanes: &[[Vec<f64>; 3]]) -> Outcome<f32x8<S>> {
    simd.vectorize(
        #[inline(always)]
        || in_lanes(f32x8::splat(simd, 0.0), model, lanes),
    )
}

fn compare<S: Simd>(simd: S, tolerance_f32: f64) {
    let model = model();
    let lanes: Vec<_> = (0..8).map(|l| inputs(&model, l)).collect();
    let (double, _) = double(f64x4::splat(simd, 0.0), &model, &lanes);
    let (single, _) = single(simd, &model, &lanes);
    for (lane, inputs) in lanes.iter().enumerate() {
        for (k, expected) in scalar(&model, inputs).into_iter().enumerate() {
            if lane < 4 {
                assert_eq!(double[k].lane(lane), expected, "f64 lane {lane}, number {k}");
            }
            let error = (single[k].lane(lane) - expected).abs();
            assert!(error < tolerance_f32 * (1.0 + expected.abs()), "f32 lane {lane}, number {k}: {error}");
        }
    }
}

#[test]
fn lanes_equal_the_scalar() {
    dispatch!(Level::new(), simd => compare(simd, 5e-5));
}

/// NaN in one environment, an absurd angle in another; the rest does not notice.
#[test]
fn nan_stays_in_its_lane() {
    dispatch!(Level::new(), simd => poisoned(simd));
}

fn poisoned<S: Simd>(simd: S) {
    let model = model();
    let mut lanes: Vec<_> = (0..4).map(|l| inputs(&model, l)).collect();
    lanes[1][1].fill(f64::NAN);
    let hip = model.joint_named("hip x").expect("the model has hips");
    lanes[2][0][model.joints[hip].idx_q] = 1e9;
    let (bundled, _) = double(f64x4::splat(simd, 0.0), &model, &lanes);
    for lane in [0, 2, 3] {
        for (x, expected) in bundled.iter().zip(scalar(&model, &lanes[lane])) {
            assert_eq!(x.lane(lane), expected);
        }
    }
}

/// A matrix that is not positive in one environment is reported for that lane; the others are solved.
#[test]
fn a_pivot_that_fails_is_reported_by_lane() {
    dispatch!(Level::new(), simd => not_positive(simd));
}

fn not_positive<S: Simd>(simd: S) {
    let model = model();
    let lanes: Vec<_> = (0..4).map(|l| inputs(&model, l)).collect();
    let extra = f64x4::splat(simd, 0.0).with_lane(2, -1e3);
    let (bundled, factored) = double(extra, &model, &lanes);
    assert_eq!(factored, Err(NotPositive { dof: model.nv() - 1, lanes: 0b100 }));
    for lane in [0, 1, 3] {
        for (x, expected) in bundled.iter().zip(scalar(&model, &lanes[lane])) {
            assert_eq!(x.lane(lane), expected);
        }
    }
}
