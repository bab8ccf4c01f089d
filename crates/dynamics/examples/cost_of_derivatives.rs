//! What derivatives and their relatives cost: ns per call (and per environment in lanes), with all
//! the receipts they need already at hand.
//!
//! `cargo run --release -p stiction-dynamics --example cost_of_derivatives [arm|quadruped|humanoid]`
#![allow(non_snake_case)] // as in the crate: capitals carry meaning
#![allow(clippy::print_stdout)] // an example speaks

use fearless_simd::Simd;
use std::hint::black_box;
use std::time::Instant;
use stiction_dynamics::spatial::{Inertia, Pose, Quat, Sym3, Vec3, vec3};
use stiction_dynamics::*;

/// Limbs, chains of hinges with alternating axes, on a free trunk or on the world.
fn robot(free: bool, limbs: &[usize]) -> Result<Model, ModelError> {
    let mut b = ModelBuilder::new();
    let inertia = Inertia::new(1.3, vec3(0.02, -0.01, -0.15), Sym3::diagonal(0.02, 0.03, 0.01));
    let trunk = free.then(|| {
        let trunk = b.link("trunk", None, Pose::IDENTITY, inertia);
        b.joint(trunk, JointSpec::new("free", JointKind::Free, Vec3::Z));
        trunk
    });
    for (limb, length) in limbs.iter().enumerate() {
        let mut parent = trunk;
        for k in 0..*length {
            let X_PL = Pose::new(Quat::from_rpy(0.1, 0.2, limb as f64), vec3(0.1, 0.05, -0.3));
            let link = b.link(format!("limb{limb}.{k}"), parent, X_PL, inertia);
            let axis = [Vec3::X, Vec3::Y, Vec3::Y, Vec3::Z][k % 4];
            b.joint(link, JointSpec::new(format!("joint{limb}.{k}"), JointKind::Hinge, axis));
            parent = Some(link);
        }
    }
    b.build(vec3(0.0, 0.0, -9.81))
}

/// Everything there is, ready to run.
struct Bench<T> {
    model: Model<T>,
    q: Vec<T>,
    v: Vec<T>,
    tau: Vec<T>,
    kin: Kinematics<T>,
    vel: Velocities<T>,
    rates: ColumnRates<T>,
    acc: Accelerations<T>,
    inverse: RneaDerivatives<T>,
    direct: AbaDerivatives<T>,
    inverse_mass: InverseMass<T>,
    point: PointDerivatives<T>,
    coriolis: CoriolisMatrix<T>,
    centroidal: Centroidal<T>,
    gravity: GravityWorkspace<T>,
    regressor: Regressor<T>,
}

const STAGES: [&str; 11] = [
    "kinematics, velocities",
    "column rates",
    "accelerations",
    "RNEA derivatives",
    "ABA derivatives",
    "inverse mass matrix",
    "point derivatives",
    "Coriolis matrix",
    "centroidal",
    "gravity",
    "regressor",
];

impl<T: Real> Bench<T> {
    #[inline(never)]
    fn new(model: &Model, kind: T) -> Self {
        let v: Vec<f64> = (0..model.nv()).map(|i| (1.3 * i as f64).sin()).collect();
        let mut q = vec![0.0; model.nq];
        integrate_into(model, &model.neutral(), &v, 0.7, &mut q);
        let cast = |x: &[f64]| x.iter().map(|x| kind.like(*x)).collect::<Vec<T>>();
        let (q, v, model) = (cast(&q), cast(&v), model.cast(kind));
        Self {
            kin: Kinematics::new(&model),
            vel: Velocities::new(&model),
            rates: ColumnRates::new(&model),
            acc: Accelerations::new(&model),
            inverse: RneaDerivatives::new(&model),
            direct: AbaDerivatives::new(&model),
            inverse_mass: InverseMass::new(&model),
            point: PointDerivatives::new(&model),
            coriolis: CoriolisMatrix::new(&model),
            centroidal: Centroidal::new(&model),
            gravity: GravityWorkspace::new(&model),
            regressor: Regressor::new(&model),
            tau: v.clone(),
            model,
            q,
            v,
        }
    }

    #[inline(always)]
    fn stage(&mut self, stage: usize) {
        let Self { model, q, v, tau, kin, vel, rates, acc, .. } = self;
        match stage {
            0 => {
                kin.update(model, q);
                vel.update(model, kin, v);
            }
            1 => rates.update(model, kin, vel, v),
            2 => acc.update(model, kin, vel, rates, v, v),
            3 => self.inverse.update(model, kin, vel, rates, acc),
            4 => {
                let _sound = black_box(self.direct.update(model, kin, vel, v, tau, None).is_ok());
            }
            5 => self.inverse_mass.update(&self.direct.factor),
            6 => {
                let last = kin.X_WB.len() - 1;
                self.point.update(model, kin, vel, rates, acc, last, kin.X_WB[last].translation);
            }
            7 => self.coriolis.update(kin, vel, rates),
            8 => self.centroidal.update(model, kin, vel),
            9 => gravity_into(model, kin, &mut self.gravity, tau),
            _ => self.regressor.update(model, kin, vel, acc),
        }
    }
}

/// Least ns per call over many short samples.
fn least(mut call: impl FnMut()) -> f64 {
    (0..2000)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..10 {
                call();
            }
            start.elapsed().as_nanos() as f64 / 10.0
        })
        .fold(f64::INFINITY, f64::min)
}

#[inline(never)]
fn scalar(model: &Model) -> Vec<f64> {
    let mut bench = Bench::new(model, 0.0_f64);
    (0..STAGES.len()).for_each(|s| bench.stage(s));
    (0..STAGES.len()).map(|s| least(|| black_box(&mut bench).stage(black_box(s)))).collect()
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
    (0..STAGES.len()).for_each(&mut run);
    (0..STAGES.len()).map(|s| least(|| run(s))).collect()
}

/// Cost of the derivatives in f64 and in four lanes, with AVX2 and what comes with it [s]; NaN where the processor
/// has none.
fn dispatched(model: &Model) -> [Vec<f64>; 2] {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = fearless_simd::Level::new().as_avx2() {
        use fearless_simd::prelude::*;
        return [lanes(simd, 0.0_f64, model), lanes(simd, fearless_simd::f64x4::splat(simd, 0.0), model)];
    }
    [(); 2].map(|()| vec![f64::NAN; STAGES.len()])
}

fn main() -> Result<(), ModelError> {
    let wanted = std::env::args().nth(1);
    for (name, free, limbs) in [
        ("arm, 7 dofs", false, &[7][..]),
        ("quadruped, 18 dofs", true, &[3, 3, 3, 3]),
        ("humanoid, 38 dofs", true, &[7, 7, 6, 6, 6]),
    ] {
        if wanted.as_ref().is_some_and(|w| !name.starts_with(w.as_str())) {
            continue;
        }
        let model = robot(free, limbs)?;
        let (plain, [avx2, four]) = (scalar(&model), dispatched(&model));
        println!("\n{name:22}    f64  f64 AVX2  f64x4 call   /env  [ns]");
        for (s, stage) in STAGES.iter().enumerate() {
            let (a, d, b) = (plain[s], avx2[s], four[s]);
            println!("{stage:22} {a:6.0} {d:9.0} {b:11.0} {:6.0}", b / 4.0);
        }
    }
    Ok(())
}
