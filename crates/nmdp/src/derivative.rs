//! The derivative of a step, by the implicit function theorem.
//!
//! A step is the minimum of K over the weights of simplices, subject to G(ν, w; x) = 0, with x = (q, v, u) where it starts. With ν(w, x) the
//! root of G and g(w, x) = (∂ν/∂w)ᵀ ∂K/∂ν the gradient whose projection is zero there, on the face of the simplices that the weights are on
//!
//! ```text
//!     P (∂g/∂w dw + ∂g/∂x dx) = 0,   dw = P dw                                       (1)
//!     dν = ∂ν/∂w dw + ∂ν/∂x dx                                                       (2)
//! ```
//!
//! with P the projection onto changes that leave the sums of saturated sets and the weights that are held at zero. The least of the
//! solutions of (1) is taken: where several weights press alike the motion is the same for all of them. ∂ν and ∂g are differences of the fourth order of
//! ν and g, which are a projection and exact first derivatives at fixed weights: no step is solved again. They have relative errors of some 1e-9.
//!
//! Weights belong to the face where they are positive, or where their gradient says that they would be as good as those that are.

use crate::adaptive::{Acting, Method, Nmdp, Solver};
use crate::end_of_step::{Before, Start};
use crate::residual::Residual;
use nalgebra::DMatrix;
use stiction_dynamics::differences::fourth_order;
use stiction_dynamics::integrate_into;
use stiction_world::World;

/// Displacements of positions, of velocities, of controls and of weights.
const DISPLACED: [f64; 4] = [1e-6, 1e-4, 1e-4, 1e-4];
/// Weights below this are none; sums this much below one are not saturated [–].
const NONE: f64 = 1e-9;
/// Gradients of weights that differ by less than this share of the largest are alike [–].
const ALIKE: f64 = 1e-7;
/// Singular values below this share of the largest are zero [–].
const RANK: f64 = 1e-7;
/// Newton steps of a projection, at most.
const NEWTON: usize = 40;

/// The derivative of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepDerivative {
    /// ∂ν/∂(q, v, u), a row per velocity; positions along the coordinates of v.
    pub mean: DMatrix<f64>,
    /// a of v⁺ = a ν − b ν₋.
    pub gain: f64,
    /// Weights of the face, and the rank of (1), where that is less.
    pub weights: usize,
    pub rank: usize,
    /// Weights that are zero and about to be positive are needed for the derivative: it is one-sided.
    pub at_switch: bool,
}

/// Why a step has no derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoDerivative {
    /// The baseline under linearised dynamics.
    Linearised,
    /// The contact sets that act are others at the displacements of the differences.
    Switch,
    /// The equations have no root there, or no inverse.
    Singular,
}

impl Nmdp {
    /// The derivative of the last step, which was one part of `h` from (q, v) under `acting`.
    ///
    /// # Errors
    ///
    /// [`NoDerivative`] says why there is none.
    pub fn derivative(
        &self,
        world: &World,
        (q, v): (&[f64], &[f64]),
        acting: &Acting<'_>,
        h: f64,
    ) -> Result<StepDerivative, NoDerivative> {
        if self.method() == Method::NeMdp {
            return Err(NoDerivative::Linearised);
        }
        let Solver::Implicit(pgm) = &self.solver else { return Err(NoDerivative::Linearised) };
        let last_h = if self.before.last_step > 0.0 { self.before.last_step } else { h };
        let (mean, v_before) = (&self.before.mean, &self.before.v_before);
        let before = (!mean.is_empty()).then_some(Before { mean, v: v_before });
        let Acting { control, generalized } = *acting;
        let start = Start { q, v, h, last_h, control, generalized, before };
        let mut problem = Problem {
            world,
            start,
            residual: pgm.residual.clone(),
            weights: self.memory().weights.clone(),
            nu: self.nu.clone(),
            live: Vec::new(),
        };
        problem.derivative()
    }
}

/// A step that was solved.
struct Problem<'a> {
    world: &'a World,
    start: Start<'a>,
    residual: Residual,
    weights: Vec<f64>,
    nu: Vec<f64>,
    /// The weights of sets that act.
    live: Vec<usize>,
}

/// A number that is displaced.
#[derive(Clone, Copy)]
enum Along {
    Position(usize),
    Velocity(usize),
    Control(usize),
    Weight(usize),
}

impl Problem<'_> {
    fn derivative(&mut self) -> Result<StepDerivative, NoDerivative> {
        let (nv, nu) = (self.world.model.nv(), self.start.control.len());
        self.residual.begin(self.world, &self.start);
        let (start, weights) = (self.start, self.weights.clone());
        let (answer, gradient) = self.answer(&start, &weights)?;
        self.nu.copy_from_slice(&answer);
        self.live = self.residual.sites.live().to_vec();
        let gain = self.residual.end.gain;
        let (face, projection) = self.face(&gradient);
        let columns: Vec<Along> = (0..nv)
            .map(Along::Position)
            .chain((0..nv).map(Along::Velocity))
            .chain((0..nu).map(Along::Control))
            .collect();
        let by_start = self.differences(&columns)?;
        let of_weights: Vec<Along> = face.iter().map(|&k| Along::Weight(self.live[k])).collect();
        let by_weights = self.differences(&of_weights)?;
        let of_face = |[_, g]: &[DMatrix<f64>; 2]| g.select_rows(&face);
        let H = &projection * of_face(&by_weights) * &projection;
        let right = -(&projection * of_face(&by_start));
        let (dw, rank) = least(&H, &right);
        // Whether the weights that are positive would do.
        let positive: Vec<usize> =
            (0..face.len()).filter(|k| self.weights[self.live[face[*k]]] > NONE).collect();
        let alone = H.select_rows(&positive).select_columns(&positive);
        let at_switch = rank_of(&alone) < rank;
        let full = face.len() - self.saturated(&face);
        Ok(StepDerivative { mean: &by_start[0] + &by_weights[0] * dw, gain, weights: full, rank, at_switch })
    }

    /// The live weights of the face, and P on them.
    fn face(&self, gradient: &[f64]) -> (Vec<usize>, DMatrix<f64>) {
        let most = gradient.iter().fold(0.0_f64, |m, g| m.max(g.abs()));
        let w = |k: usize| self.weights[self.live[k]];
        let mut face = Vec::new();
        let mut groups = Vec::new();
        for group in self.residual.sites.live_groups() {
            let positive = group.clone().filter(|k| w(*k) > NONE);
            let sum: f64 = group.clone().map(w).sum();
            let saturated = sum > 1.0 - NONE;
            // The multiplier of the sum.
            let n = positive.clone().count();
            let price =
                if saturated && n > 0 { positive.map(|k| gradient[k]).sum::<f64>() / n as f64 } else { 0.0 };
            let first = face.len();
            face.extend(
                group.clone().filter(|&k| w(k) > NONE || (gradient[k] - price).abs() <= ALIKE * most),
            );
            if saturated {
                groups.push(first..face.len());
            }
        }
        let mut projection = DMatrix::identity(face.len(), face.len());
        for group in groups {
            let share = 1.0 / group.len().max(1) as f64;
            for (a, b) in group.clone().flat_map(|a| group.clone().map(move |b| (a, b))) {
                projection[(a, b)] -= share;
            }
        }
        (face, projection)
    }

    /// Sets of the face whose sums are held.
    fn saturated(&self, face: &[usize]) -> usize {
        let full = |group: &&std::ops::Range<usize>| {
            let sum: f64 = (*group).clone().map(|k| self.weights[self.live[k]]).sum();
            sum > 1.0 - NONE && face.iter().any(|k| group.contains(k))
        };
        self.residual.sites.live_groups().iter().filter(full).count()
    }

    /// ∂ν and ∂g, a column for each displacement.
    fn differences(&mut self, along: &[Along]) -> Result<[DMatrix<f64>; 2], NoDerivative> {
        let (nv, live) = (self.world.model.nv(), self.live.len());
        let mut out = [DMatrix::zeros(nv, along.len()), DMatrix::zeros(live, along.len())];
        for (column, &what) in along.iter().enumerate() {
            let size = match what {
                Along::Position(_) => DISPLACED[0],
                Along::Velocity(_) => DISPLACED[1],
                Along::Control(_) => DISPLACED[2],
                Along::Weight(_) => DISPLACED[3],
            };
            fourth_order(size, |x, weight| {
                let (nu, gradient) = self.displaced(what, x)?;
                (0..nv).for_each(|i| out[0][(i, column)] += weight * (nu[i] - self.nu[i]));
                (0..live).for_each(|i| out[1][(i, column)] += weight * gradient[i]);
                Ok(())
            })?;
        }
        Ok(out)
    }

    /// ν and g with something displaced by `x`.
    fn displaced(&mut self, what: Along, x: f64) -> Result<(Vec<f64>, Vec<f64>), NoDerivative> {
        let model = &self.world.model;
        let mut q = self.start.q.to_vec();
        let (mut v, mut u, mut w) =
            (self.start.v.to_vec(), self.start.control.to_vec(), self.weights.clone());
        match what {
            Along::Position(k) => {
                let mut e = vec![0.0; model.nv()];
                e[k] = x;
                integrate_into(model, self.start.q, &e, 1.0, &mut q);
            }
            Along::Velocity(k) => v[k] += x,
            Along::Control(k) => u[k] += x,
            Along::Weight(k) => w[k] += x,
        }
        let shorter: Start<'_> = self.start;
        let start = Start { q: &q, v: &v, control: &u, ..shorter };
        self.residual.begin(self.world, &start);
        let found = self.answer(&start, &w)?;
        if self.residual.sites.live() != self.live {
            return Err(NoDerivative::Switch);
        }
        Ok(found)
    }

    /// ν, by Newton's method to rounding, and g.
    fn answer(&mut self, start: &Start<'_>, w: &[f64]) -> Result<(Vec<f64>, Vec<f64>), NoDerivative> {
        let Self { world, residual, nu, .. } = self;
        let mut at = nu.clone();
        let mut best = residual.look(world, start, &at, w);
        for _ in 0..NEWTON {
            if residual.factor().rank < at.len() {
                return Err(NoDerivative::Singular);
            }
            let mut direction = residual.g.clone();
            residual.solve_in_place(&mut direction);
            let next: Vec<f64> = at.iter().zip(&direction).map(|(nu, d)| nu - d).collect();
            let size = residual.look(world, start, &next, w);
            if size.is_nan() || size >= best {
                break; // rounding alone is left
            }
            (at, best) = (next, size);
        }
        residual.look(world, start, &at, w);
        if residual.factor().rank < at.len() {
            return Err(NoDerivative::Singular);
        }
        residual.energy(world, start, &at);
        let (mut gradient, mut hessian) = (Vec::new(), Vec::new());
        residual.reduce(world, &mut gradient, &mut hessian);
        Ok((at, gradient))
    }
}

/// The least solution of H x = r, and the rank of H.
fn least(H: &DMatrix<f64>, right: &DMatrix<f64>) -> (DMatrix<f64>, usize) {
    if H.is_empty() {
        return (DMatrix::zeros(H.ncols(), right.ncols()), 0);
    }
    let svd = H.clone().svd(true, true);
    let most = svd.singular_values.iter().fold(0.0_f64, |m, s| m.max(*s));
    let rank = svd.singular_values.iter().filter(|s| **s > RANK * most).count();
    let solved = svd.solve(right, RANK * most);
    (solved.unwrap_or_else(|_| DMatrix::zeros(H.ncols(), right.ncols())), rank)
}

fn rank_of(H: &DMatrix<f64>) -> usize {
    if H.is_empty() {
        return 0;
    }
    let values = H.clone().singular_values();
    let most = values.iter().fold(0.0_f64, |m, s| m.max(*s));
    values.iter().filter(|s| **s > RANK * most).count()
}
