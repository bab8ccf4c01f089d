//! Two witnesses of every derivative: dual numbers and central differences.

use super::ExternalForces;
use crate::spatial::{Force, Vec3};
use crate::testing::{Dice, moved, plus};
use crate::{Accelerations, ColumnRates, Dual, Kinematics, Model, Real, Velocities, integrate_into};

/// Something that depends on (q, v, a) and is written once for every scalar.
pub(crate) trait Function {
    fn call<T: Real>(&self, model: &Model<T>, x: [&[T]; 3]) -> Vec<T>;
}

pub(crate) type Receipts<T> = (Kinematics<T>, Velocities<T>, ColumnRates<T>, Accelerations<T>);

#[inline(never)]
pub(crate) fn receipts<T: Real>(model: &Model<T>, q: &[T], v: &[T], a: &[T]) -> Receipts<T> {
    let (mut kin, mut vel) = (Kinematics::new(model), Velocities::new(model));
    let (mut rates, mut acc) = (ColumnRates::new(model), Accelerations::new(model));
    kin.update(model, q);
    vel.update(model, &kin, v);
    rates.update(model, &kin, &vel, v);
    acc.update(model, &kin, &vel, &rates, v, a);
    (kin, vel, rates, acc)
}

/// One wrench per body, not small.
pub(crate) fn random_forces(model: &Model, seed: u64) -> Vec<Force> {
    let mut dice = Dice::new(seed + 2000);
    let mut vector = || -> Vec3 { dice.vec3() * 5.0 };
    model.bodies.iter().map(|_| Force::new(vector(), vector())).collect()
}

pub(crate) fn loads<T: Real>(model: &Model<T>, kin: &Kinematics<T>, forces: &[Force]) -> ExternalForces<T> {
    let kind = model.kind();
    let cast: Vec<_> = forces.iter().map(|f| Force::new(f.angular.cast(kind), f.linear.cast(kind))).collect();
    let mut external = ExternalForces::new(model);
    external.update(kin, &cast);
    external
}

/// Seeds per pass.
const N: usize = 8;

/// ∂f/∂(q, v, a), row by row of f; q by its tangent.
pub(crate) fn by_duals(model: &Model, x: [&[f64]; 3], f: &impl Function) -> [Vec<f64>; 3] {
    let (nv, dual_model) = (model.nv(), model.cast(Dual::<N>::constant(0.0)));
    [0, 1, 2].map(|which| {
        let mut columns: Vec<Vec<f64>> = Vec::new();
        for first in (0..nv).step_by(N) {
            let mut x = x.map(|x| x.iter().map(|x| Dual::<N>::constant(*x)).collect::<Vec<_>>());
            let mut seed = vec![Dual::constant(0.0); nv];
            for (k, s) in seed[first..].iter_mut().take(N).enumerate() {
                *s = Dual::variable(0.0, k);
            }
            if which == 0 {
                let q = x[0].clone();
                integrate_into(&dual_model, &q, &seed, Dual::constant(1.0), &mut x[0]);
            } else {
                x[which].iter_mut().zip(seed).for_each(|(x, s)| *x += s);
            }
            let y = f.call(&dual_model, [&x[0], &x[1], &x[2]]);
            columns
                .extend((first..nv.min(first + N)).map(|k| y.iter().map(|y| y.tangent[k - first]).collect()));
        }
        rows(&columns)
    })
}

/// Derivatives by q, v and the third argument, by central differences.
pub(crate) fn by_differences(model: &Model, x: [&[f64]; 3], f: &impl Function) -> [Vec<f64>; 3] {
    let (nv, h) = (model.nv(), 1e-5);
    [0, 1, 2].map(|which| {
        let columns: Vec<Vec<f64>> = (0..nv)
            .map(|k| {
                let mut e = vec![0.0; nv];
                e[k] = 1.0;
                let y = [h, -h].map(|h| {
                    let mut x = x.map(<[f64]>::to_vec);
                    x[which] = if which == 0 { moved(model, &x[0], &e, h) } else { plus(&x[which], &e, h) };
                    f.call(model, [&x[0], &x[1], &x[2]])
                });
                y[0].iter().zip(&y[1]).map(|(a, b)| (a - b) / (2.0 * h)).collect()
            })
            .collect();
        rows(&columns)
    })
}

fn rows(columns: &[Vec<f64>]) -> Vec<f64> {
    (0..columns[0].len()).flat_map(|i| columns.iter().map(move |c| c[i])).collect()
}
