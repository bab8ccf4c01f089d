//! What the algorithms cost: ns per call (and per environment in lanes), release build.
//!
//! `cargo run --release -p stiction-dynamics --example cost`
#![allow(non_snake_case)] // as in the crate: capitals carry meaning
#![allow(clippy::print_stdout)] // an example speaks

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, f32x8, f64x4};
use std::hint::black_box;
use std::time::Instant;
use stiction_dynamics::spatial::{Inertia, Pose, Quat, Sym3, Vec3, vec3};
use stiction_dynamics::*;

/// `legs` chains of `length` hinges, alternating axes, on a free trunk or on the world.
fn robot(free: bool, legs: usize, length: usize) -> Result<Model, ModelError> {
    let mut b = ModelBuilder::new();
    let inertia = Inertia::new(1.3, vec3(0.02, -0.01, -0.15), Sym3::diagonal(0.02, 0.03, 0.01));
    let trunk = free.then(|| {
        let trunk = b.link("trunk", None, Pose::IDENTITY, inertia);
        b.joint(trunk, JointSpec::new("free", JointKind::Free, Vec3::Z));
        trunk
    });
    for leg in 0..legs {
        let mut parent = trunk;
        for k in 0..length {
            let X_PL = Pose::new(Quat::from_rpy(0.1, 0.2, leg as f64), vec3(0.1, 0.05, -0.3));
            let link = b.link(format!("leg{leg}.{k}"), parent, X_PL, inertia);
            let axis = [Vec3::X, Vec3::Y, Vec3::Y, Vec3::Z][k % 4];
            let mut joint = JointSpec::new(format!("joint{leg}.{k}"), JointKind::Hinge, axis);
            joint.armature = 0.01;
            b.joint(link, joint);
            parent = Some(link);
        }
    }
    b.build(vec3(0.0, 0.0, -9.81))
}

/// Everything one step needs, ready to run.
struct Bench<T> {
    model: Model<T>,
    q: Vec<T>,
    v: Vec<T>,
    out: Vec<T>,
    kin: Kinematics<T>,
    vel: Velocities<T>,
    rnea: RneaWorkspace<T>,
    crba: CrbaWorkspace<T>,
    aba: AbaWorkspace<T>,
    M: MassMatrix<T>,
    factor: Factor<T>,
}

const STAGES: [&str; 9] =
    ["kinematics", "velocities", "bias", "rnea", "crba", "factor", "solve", "aba", "all but rnea, aba"];

impl<T: Real> Bench<T> {
    #[inline(never)]
    fn new(model: &Model, kind: T) -> Self {
        let v: Vec<f64> = (0..model.nv()).map(|i| (1.3 * i as f64).sin()).collect();
        let mut q = vec![0.0; model.nq];
        integrate_into(model, &model.neutral(), &v, 0.7, &mut q);
        let cast = |x: &[f64]| x.iter().map(|x| kind.like(*x)).collect::<Vec<T>>();
        let (q, v, model) = (cast(&q), cast(&v), model.cast(kind));
        Self {
            out: v.clone(),
            kin: Kinematics::new(&model),
            vel: Velocities::new(&model),
            rnea: RneaWorkspace::new(&model),
            crba: CrbaWorkspace::new(&model),
            aba: AbaWorkspace::new(&model),
            M: MassMatrix::new(&model),
            factor: Factor::new(&model),
            model,
            q,
            v,
        }
    }

    #[inline(always)]
    fn stage(&mut self, stage: usize) {
        let Self { model, q, v, out, kin, vel, rnea, crba, aba, M, factor } = self;
        let all = stage == 8;
        if all || stage == 0 {
            kin.update(model, q);
        }
        if all || stage == 1 {
            vel.update(model, kin, v);
        }
        if all || stage == 2 {
            bias_into(model, kin, vel, rnea, out);
        }
        if stage == 3 {
            rnea_into(model, kin, vel, v, rnea, out);
        }
        if all || stage == 4 {
            crba_into(model, kin, crba, M);
        }
        if all || stage == 5 {
            let _sound = black_box(factor.factor(M).is_ok());
        }
        if all || stage == 6 {
            factor.solve_in_place(out);
        }
        if stage == 7 {
            aba_into(model, kin, vel, v, aba, out);
        }
    }
}

/// Least ns per call over many short samples.
fn least(mut call: impl FnMut()) -> f64 {
    (0..3000)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..20 {
                call();
            }
            start.elapsed().as_nanos() as f64 / 20.0
        })
        .fold(f64::INFINITY, f64::min)
}

#[inline(never)]
fn scalar(model: &Model) -> Vec<f64> {
    let mut bench = Bench::new(model, 0.0_f64);
    (0..STAGES.len())
        .map(|s| {
            bench.stage(8);
            least(|| black_box(&mut bench).stage(black_box(s)))
        })
        .collect()
}

#[inline(never)]
fn lanes<S: Simd, T: Real>(simd: S, kind: T, model: &Model) -> Vec<f64> {
    let mut bench = Bench::new(model, kind);
    let mut run = |s: usize| {
        simd.vectorize(
            #[inline(always)]
            || black_box(&mut bench).stage(black_box(s)),
        );
    };
    (0..STAGES.len())
        .map(|s| {
            run(8);
            least(|| run(s))
        })
        .collect()
}

fn table<S: Simd>(simd: S) -> Result<(), ModelError> {
    for (name, model) in [
        ("arm, 7 dofs", robot(false, 1, 7)?),
        ("quadruped, 18 dofs", robot(true, 4, 3)?),
        ("chain, 30 dofs", robot(false, 1, 30)?),
    ] {
        let columns = [
            scalar(&model),
            lanes(simd, 0.0_f64, &model),
            lanes(simd, f64x4::splat(simd, 0.0), &model),
            lanes(simd, f32x8::splat(simd, 0.0), &model),
        ];
        println!("\n{name:22} f64  f64 dispatched  f64x4 call  /env  f32x8 call  /env   [ns]");
        for (s, stage) in STAGES.iter().enumerate() {
            let [a, d, b, c] = [0, 1, 2, 3].map(|k| columns[k][s]);
            let (b1, c1) = (b / 4.0, c / 8.0);
            println!("{stage:18} {a:8.0} {d:14.0} {b:11.0} {b1:6.0} {c:11.0} {c1:6.0}");
        }
    }
    Ok(())
}

fn main() -> Result<(), ModelError> {
    dispatch!(Level::new(), simd => table(simd))
}
