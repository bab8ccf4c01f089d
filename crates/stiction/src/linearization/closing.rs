//! The rigid motion that closes the momentum of floating robots ([`crate::stepping::integrate::closing`]), differentiated by dual
//! numbers.
//!
//! The impulses of a step that act upon a robot are h (M a + b) of its free root at q_m, with a = (v⁺ − v)/h and Coriolis
//! forces of the mean velocity: what solved the step obeys that, and so do its derivatives.

use super::columns::Columns;
use super::forces::Forces;
use super::middle::Middle;
use super::parameter::Parameter;
use crate::stepping::integrate::closing::Closing;
use nalgebra::DMatrix;
use stiction_dynamics::{Dual, Kinematics, Model, RneaWorkspace, Velocities, integrate_into, rnea_into};

/// Columns that are differentiated at once.
const WIDTH: usize = 6;
type Number = Dual<WIDTH>;

/// Columns `first` to `first` + [`WIDTH`] of a step, as far as there are so many.
#[derive(Clone, Copy)]
struct Chunk {
    columns: Columns,
    first: usize,
}

impl Chunk {
    /// A number with its row of a matrix.
    fn number(self, value: f64, row: impl Fn(usize) -> f64) -> Number {
        let by = |k: usize| if self.first + k < self.columns.count() { row(self.first + k) } else { 0.0 };
        Dual { value, tangent: std::array::from_fn(by) }
    }

    /// Numbers with rows of `matrix` from `row` on.
    fn numbers(self, values: &[f64], matrix: &DMatrix<f64>, row: usize) -> Vec<Number> {
        values.iter().enumerate().map(|(i, x)| self.number(*x, |j| matrix[(row + i, j)])).collect()
    }

    /// Kinematics at q, displaced along the rows of `matrix` from 0 on.
    fn kinematics(self, model: &Model<Number>, q: &[f64], matrix: &DMatrix<f64>) -> Kinematics<Number> {
        let displaced = self.numbers(&vec![0.0; model.nv()], matrix, 0);
        let still: Vec<Number> = q.iter().map(|x| Number::constant(*x)).collect();
        let mut there = still.clone();
        integrate_into(model, &still, &displaced, Number::constant(1.0), &mut there);
        let mut kin = Kinematics::new(model);
        kin.update(model, &there);
        kin
    }

    /// The model, with the parameters of these columns.
    fn model(self, of: &Model, parameters: &[Parameter]) -> Model<Number> {
        let mut model = of.cast(Number::constant(0.0));
        for (p, parameter) in parameters.iter().enumerate() {
            let Some(k) = self.columns.p(p).checked_sub(self.first).filter(|k| *k < WIDTH) else { continue };
            if let Some((body, change)) = parameter.inertial(of) {
                let I = &mut model.bodies[body].inertia;
                let S = &mut I.second;
                let numbers = [
                    &mut I.mass,
                    &mut I.first.x,
                    &mut I.first.y,
                    &mut I.first.z,
                    &mut S.xx,
                    &mut S.xy,
                    &mut S.yy,
                    &mut S.xz,
                    &mut S.yz,
                    &mut S.zz,
                ];
                numbers.into_iter().zip(change).for_each(|(x, by)| x.tangent[k] = by);
            }
            if let Parameter::Gravity { axis } = *parameter {
                let g = &mut model.gravity;
                [&mut g.x, &mut g.y, &mut g.z][axis].tangent[k] = 1.0;
            }
        }
        model
    }
}

impl Forces<'_> {
    /// Adds the closing motion to the rows of v⁺ in `end`, which has those of q⁺ and of v⁺ before it; columns are those of the start.
    pub(super) fn close(&self, middle: &Middle<'_>, q_end: &[f64], end: &mut DMatrix<f64>) {
        let Forces { world, accepted, columns, h, start, parameters, .. } = *self;
        let (model, nv) = (&world.model, columns.nv);
        if Closing::new(model).is_empty() {
            return;
        }
        let (mut at_start, mut v_start) = (columns.zeros(nv), columns.zeros(nv));
        for i in 0..nv {
            at_start[(i, columns.q(i))] = 1.0;
            v_start[(i, columns.v(i))] = 1.0;
        }
        let mut at_middle = at_start.clone();
        middle.turn_to_start(columns, &mut at_middle);
        let before = end.clone();
        for first in (0..columns.count()).step_by(WIDTH) {
            let chunk = Chunk { columns, first };
            let model = &chunk.model(model, parameters);
            let from = chunk.kinematics(model, &start.q, &at_start);
            let posed = chunk.kinematics(model, &middle.posed.state.q, &at_middle);
            let to = chunk.kinematics(model, q_end, &before);
            let v = chunk.numbers(&start.v, &v_start, 0);
            let mut v_next = chunk.numbers(accepted.v_next, &before, nv);
            let (half, step) = (Number::constant(0.5), Number::constant(h));
            // The mean velocity is taken as (v + v⁺)/2.
            let mean: Vec<Number> = (v.iter().zip(&v_next).zip(middle.posed.mean))
                .map(|((v, next), mean)| Dual { value: *mean, ..(*v + *next) * half })
                .collect();
            let a: Vec<Number> = v.iter().zip(&v_next).map(|(v, next)| (*next - *v) / step).collect();
            let (mut vel, mut impulses) = (Velocities::new(model), v.clone());
            vel.update(model, &posed, &mean);
            rnea_into(model, &posed, &vel, &a, &mut RneaWorkspace::new(model), &mut impulses);
            impulses.iter_mut().for_each(|x| *x *= step);
            let mut closing = Closing::new(model);
            closing.begin(model, &from, &v);
            closing.close((model, step), [&posed, &to], (accepted.quadrature, &impulses), &mut v_next);
            for (i, j) in (0..nv).flat_map(|i| (0..WIDTH).map(move |k| (i, k))) {
                if first + j < columns.count() {
                    end[(nv + i, first + j)] = v_next[i].tangent[j];
                }
            }
        }
    }
}
