//! MuJoCo's projected Gauss–Seidel, and its pass without slip.
//!
//! With c₀ = G λ + g and R, s of [`stiction_contact::soft::mujoco`], scalar rows and edges of pyramids take
//! the exact step in their interval. A contact with an elliptic cone takes two, A = (G + R)_ii and
//! r = c₀ + R λ + s [Todorov2014]:
//!
//! ```text
//!     ray        λ ← (1 + x) λ,   x = −λᵀ r/(λᵀ A λ), x ≥ −1;  from λ = 0 along P_K(−r)        (1)
//!     friction   λ_T ← argmin ½ λ_Tᵀ A_TT λ_T + (r_T − A_TT λ_T⁻)ᵀ λ_T,  ‖λ_T‖ ≤ μ λ_N             (2)
//! ```
//!
//! Without slip, only (2) and dry friction are visited, with R = 0 and λ_N held: held bodies stop
//! creeping, and the answer is no longer that of the law.

use crate::iterate::Method;
use crate::task::Task;
use stiction_contact::cone::{get, project_friction};
use stiction_contact::{Cone, ConstraintProblem, SoftBlock};

/// See the module; holds during one solve.
#[derive(Default)]
pub(crate) struct MujocoPgs {
    soft: Vec<SoftBlock>,
    /// Impulses of the four edges of a pyramid, per block.
    edges: Vec<[f64; 4]>,
    /// c₀.
    c: Vec<f64>,
}

impl Method for MujocoPgs {
    type Params = ();
    const PATIENCE: u32 = 1000;

    fn start(&mut self, (): &(), task: &Task, lambda: &[f64], _: &[f64]) -> bool {
        self.soft.clear();
        self.edges.clear();
        for (i, diagonal) in task.stopping.diagonal.iter().enumerate() {
            let Some(soft) = SoftBlock::new(task.law, task.problem, i, diagonal) else { return false };
            self.edges.push(match soft {
                SoftBlock::Pyramid { mu, .. } => split(&lambda[task.problem.range(i)], mu),
                _ => [0.0; 4],
            });
            self.soft.push(soft);
        }
        true
    }

    fn iterate(&mut self, (): &(), task: &Task, lambda: &mut [f64]) -> bool {
        let problem = task.problem;
        problem.delassus_mul_into(lambda, &mut self.c);
        self.c.iter_mut().zip(&problem.free_velocity).for_each(|(c, g)| *c += g);
        for i in 0..problem.len() {
            let rows = problem.range(i);
            let (old, c) = (triple(&lambda[rows.clone()]), triple(&self.c[rows.clone()]));
            let g = problem.blocks.diagonal(i);
            let new = match self.soft[i] {
                SoftBlock::Cone { cone: Cone::Friction { mu }, compliance, shift } => {
                    let mut a = [0.0; 9];
                    a.copy_from_slice(g);
                    (0..3).for_each(|k| a[4 * k] += compliance[k]);
                    let r = std::array::from_fn(|k| c[k] + compliance[k] * old[k] + shift[k]);
                    elliptic(&a, mu, old, r)
                }
                SoftBlock::Cone { cone, compliance, shift } => {
                    let r = c[0] + compliance[0] * old[0] + shift[0];
                    let mut x = [old[0] - r / (g[0] + compliance[0])];
                    cone.project(&mut x);
                    [x[0], 0.0, 0.0]
                }
                SoftBlock::Pyramid { mu, compliance, shift } => {
                    let c = std::array::from_fn(|k| c[k] + shift[k]);
                    pyramid(g, mu, compliance, &mut self.edges[i], c)
                }
                SoftBlock::Off
                | SoftBlock::Inert
                | SoftBlock::Patch { .. }
                | SoftBlock::HuntCrossley { .. } => [0.0; 3],
            };
            move_to(problem, i, new, lambda, &mut self.c);
        }
        true
    }
}

/// `sweeps` of the pass without slip.
pub(crate) fn noslip(
    problem: &ConstraintProblem,
    soft: &[SoftBlock],
    sweeps: u32,
    c: &mut Vec<f64>,
    lambda: &mut [f64],
) {
    problem.delassus_mul_into(lambda, c);
    c.iter_mut().zip(&problem.free_velocity).for_each(|(c, g)| *c += g);
    for _ in 0..sweeps {
        for (i, soft) in soft.iter().enumerate() {
            let rows = problem.range(i);
            let (old, u) = (triple(&lambda[rows.clone()]), triple(&c[rows.clone()]));
            let g = problem.blocks.diagonal(i);
            let without = |mu: f64, shift: [f64; 2]| {
                let a = [g[0], 0.5 * (g[1] + g[3]), g[4]];
                let t = disc(a, [u[0] + shift[0], u[1] + shift[1]], [old[0], old[1]], mu * old[2]);
                [t[0], t[1], old[2]]
            };
            let new = match *soft {
                SoftBlock::Cone { cone: Cone::Friction { mu }, shift: [x, y, _], .. } => without(mu, [x, y]),
                SoftBlock::Pyramid { mu, shift: [x, y, ..], .. } => without(mu, [x, y]),
                SoftBlock::Cone { cone: cone @ Cone::Box { .. }, shift, .. }
                    if problem.compliance[rows.start] == 0.0 =>
                {
                    let mut x = [old[0] - (u[0] + shift[0]) / g[0]];
                    cone.project(&mut x);
                    [x[0], 0.0, 0.0]
                }
                SoftBlock::Cone { .. }
                | SoftBlock::Patch { .. }
                | SoftBlock::HuntCrossley { .. }
                | SoftBlock::Off
                | SoftBlock::Inert => old,
            };
            move_to(problem, i, new, lambda, c);
        }
    }
}

/// λᵢ ← `new`, c₀ with it.
fn move_to(problem: &ConstraintProblem, i: usize, new: [f64; 3], lambda: &mut [f64], c: &mut [f64]) {
    let rows = problem.range(i);
    let mut change = [0.0; 3];
    for (k, l) in lambda[rows.clone()].iter_mut().enumerate() {
        change[k] = new[k] - *l;
        *l = new[k];
    }
    problem.blocks.add_column_into(problem.row_start(), i, &change[..rows.len()], c);
}

/// (1), then (2).
fn elliptic(a: &[f64; 9], mu: f64, old: [f64; 3], r: [f64; 3]) -> [f64; 3] {
    let times = |x: [f64; 3]| -> [f64; 3] {
        std::array::from_fn(|k| a[3 * k] * x[0] + a[3 * k + 1] * x[1] + a[3 * k + 2] * x[2])
    };
    let dot = |x: [f64; 3], y: [f64; 3]| x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    // From λ = 0 along P_K(−r): a step of the normal alone would miss what sliding asks of it.
    let ray = if old[2] > 0.0 { old } else { project_friction(-get(&r), mu).to_array() };
    let curve = dot(ray, times(ray));
    let least = if old[2] > 0.0 { -1.0 } else { 0.0 };
    let x = if curve > 0.0 { (-dot(ray, r) / curve).max(least) } else { 0.0 };
    let new: [f64; 3] = std::array::from_fn(|k| old[k] + x * ray[k]);
    let moved = times([new[0] - old[0], new[1] - old[1], new[2] - old[2]]);
    let r = [r[0] + moved[0], r[1] + moved[1]];
    let t = disc([a[0], 0.5 * (a[1] + a[3]), a[4]], r, [new[0], new[1]], mu * new[2]);
    [t[0], t[1], new[2]]
}

/// (2): from x with residual r, in the disc of `radius`; A = (xx, xy, yy).
fn disc(a: [f64; 3], r: [f64; 2], x: [f64; 2], radius: f64) -> [f64; 2] {
    let b = [r[0] - a[0] * x[0] - a[1] * x[1], r[1] - a[1] * x[0] - a[2] * x[1]];
    let solve = |shift: f64, y: [f64; 2]| {
        let (p, q) = (a[0] + shift, a[2] + shift);
        let det = p * q - a[1] * a[1];
        [(q * y[0] - a[1] * y[1]) / det, (p * y[1] - a[1] * y[0]) / det]
    };
    if !(radius > 0.0) {
        return [0.0; 2];
    }
    let mut shift = 0.0;
    let mut x = solve(0.0, [-b[0], -b[1]]);
    for _ in 0..50 {
        let length = x[0].hypot(x[1]);
        // Newton on 1/radius − 1/‖x‖, which is nearly linear [Conn2000, 7.3].
        if !(length > radius * (1.0 + 1e-15)) {
            break;
        }
        let y = solve(shift, x);
        shift += (length / radius - 1.0) * length * length / (x[0] * y[0] + x[1] * y[1]);
        x = solve(shift, [-b[0], -b[1]]);
    }
    let length = x[0].hypot(x[1]);
    if length > radius { x.map(|x| x * radius / length) } else { x }
}

/// One step of every edge; r is c₀ + s.
fn pyramid(g: &[f64], mu: f64, compliance: f64, edges: &mut [f64; 4], mut r: [f64; 3]) -> [f64; 3] {
    for (k, (axis, sign)) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)].into_iter().enumerate() {
        let mut e = [0.0, 0.0, 1.0];
        e[axis] = sign * mu;
        let column: [f64; 3] = std::array::from_fn(|k| (0..3).map(|l| g[3 * k + l] * e[l]).sum());
        let along = |x: [f64; 3]| e[0] * x[0] + e[1] * x[1] + e[2] * x[2];
        let new = (edges[k] - (along(r) + compliance * edges[k]) / (along(column) + compliance)).max(0.0);
        (0..3).for_each(|l| r[l] += column[l] * (new - edges[k]));
        edges[k] = new;
    }
    let [a, b, c, d] = *edges;
    [mu * (a - b), mu * (c - d), a + b + c + d]
}

/// Edges with the sum λ, as equal as can be.
fn split(lambda: &[f64], mu: f64) -> [f64; 4] {
    let [x, y] = [lambda[0] / mu, lambda[1] / mu];
    let rest = (0.25 * (lambda[2] - x.abs() - y.abs())).max(0.0);
    [x, -x, y, -y].map(|e| rest + e.max(0.0))
}

fn triple(x: &[f64]) -> [f64; 3] {
    let mut out = [0.0; 3];
    out[..x.len()].copy_from_slice(x);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On the rim, A x + b is opposed to x.
    #[test]
    fn the_disc_is_answered() {
        let (a, b) = ([2.0, 0.5, 1.0], [1.0, -3.0]);
        let x = disc(a, b, [0.0; 2], 0.7);
        let r = [a[0] * x[0] + a[1] * x[1] + b[0], a[1] * x[0] + a[2] * x[1] + b[1]];
        assert!((x[0].hypot(x[1]) - 0.7).abs() < 1e-14);
        assert!((r[0] * x[1] - r[1] * x[0]).abs() < 1e-13 && r[0] * x[0] + r[1] * x[1] < 0.0);
        let inside = disc(a, b, [0.0; 2], 100.0);
        assert!((a[0] * inside[0] + a[1] * inside[1] + b[0]).abs() < 1e-14);
    }
}
