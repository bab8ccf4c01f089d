//! Costs of trajectories, and their expansions to the second order.

use super::system::Point;
use nalgebra::{DMatrix, DVector};
use std::sync::Arc;
use stiction_dynamics::spatial::{Mat3, Vec3, vec3};
use stiction_dynamics::{JointKind, Model, difference_into};

/// Derivatives of the cost of a knot by the state (in tangent coordinates, 2 nv) and by the control (nu).
#[derive(Clone, Debug, PartialEq)]
pub struct Expansion {
    pub l_x: DVector<f64>,
    pub l_u: DVector<f64>,
    pub l_xx: DMatrix<f64>,
    /// Rows of the control, columns of the state.
    pub l_ux: DMatrix<f64>,
    pub l_uu: DMatrix<f64>,
}

impl Expansion {
    /// Zero, for velocities of `nv` and controls of `nu` numbers.
    pub fn zeros(nv: usize, nu: usize) -> Self {
        let n = 2 * nv;
        Self {
            l_x: DVector::zeros(n),
            l_u: DVector::zeros(nu),
            l_xx: DMatrix::zeros(n, n),
            l_ux: DMatrix::zeros(nu, n),
            l_uu: DMatrix::zeros(nu, nu),
        }
    }
}

/// The cost of a trajectory: a sum over knots, and of the state at its end.
pub trait Cost {
    /// Knots: controls of a trajectory.
    fn knots(&self) -> usize;
    /// The cost of the state before knot `k` and of the control in it; of the last state at `k` = [`Self::knots`], where there is
    /// no control.
    fn value(&self, k: usize, x: &Point, u: Option<&[f64]>) -> f64;
    /// Adds the derivatives of [`Self::value`] to `out`. The curvature may be that of Gauss and Newton.
    fn expand(&self, k: usize, x: &Point, u: Option<&[f64]>, out: &mut Expansion);
}

/// Where the system should be at a knot, and how much that matters.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    pub target: Point,
    /// Weights of squared errors of q, along the tangent coordinates of the target, and of v; 2 nv numbers.
    pub weights: Vec<f64>,
}

/// ½ Σ_k Σ_i w_ki e_ki² + ½ Σ_k Σ_j r_j (u_kj − û_j)², with e = (q̂⁻¹ q, v − v̂). Errors of orientations are rotation vectors in axes
/// of the target.
#[derive(Clone, Debug)]
pub struct Tracking {
    pub model: Model,
    /// One for each knot and one for the end; shared where they are the same.
    pub stages: Vec<Arc<Stage>>,
    /// û, and r of every control.
    pub control: Vec<f64>,
    pub control_weights: Vec<f64>,
}

impl Tracking {
    /// e, 2 nv numbers.
    fn error(&self, stage: &Stage, x: &Point) -> Vec<f64> {
        let nv = self.model.nv();
        let mut e = vec![0.0; 2 * nv];
        difference_into(&self.model, &stage.target.q, &x.q, 1.0, &mut e[..nv]);
        e[nv..].iter_mut().zip(x.v.iter().zip(&stage.target.v)).for_each(|(e, (v, want))| *e = v - want);
        e
    }
}

impl Cost for Tracking {
    fn knots(&self) -> usize {
        self.stages.len().saturating_sub(1)
    }

    fn value(&self, k: usize, x: &Point, u: Option<&[f64]>) -> f64 {
        let stage = &self.stages[k];
        let of_state: f64 = self.error(stage, x).iter().zip(&stage.weights).map(|(e, w)| w * e * e).sum();
        let of_control = u.map_or(0.0, |u| {
            let parts = u.iter().zip(&self.control).zip(&self.control_weights);
            parts.map(|((u, want), r)| r * (u - want).powi(2)).sum()
        });
        0.5 * (of_state + of_control)
    }

    fn expand(&self, k: usize, x: &Point, u: Option<&[f64]>, out: &mut Expansion) {
        let stage = &self.stages[k];
        let e = self.error(stage, x);
        let pull: Vec<f64> = e.iter().zip(&stage.weights).map(|(e, w)| w * e).collect();
        for (i, (pull, weight)) in pull.iter().zip(&stage.weights).enumerate() {
            out.l_x[i] += pull;
            out.l_xx[(i, i)] += weight;
        }
        // ∂e/∂x is one but for turns, whose part is put in the place of that.
        for joint in &self.model.joints {
            let i = match joint.kind {
                JointKind::Hinge | JointKind::Slide | JointKind::Screw => continue,
                JointKind::Ball => joint.idx_v,
                JointKind::Free => joint.idx_v + 3,
            };
            let w = &stage.weights[i..i + 3];
            let D = turn_derivative(vec3(e[i], e[i + 1], e[i + 2]));
            let g = D.transpose_mul(vec3(pull[i], pull[i + 1], pull[i + 2])).to_array();
            for a in 0..3 {
                out.l_x[i + a] += g[a] - pull[i + a];
                out.l_xx[(i + a, i + a)] -= w[a];
                for b in 0..3 {
                    out.l_xx[(i + a, i + b)] +=
                        (0..3).map(|c| D.column(a)[c] * w[c] * D.column(b)[c]).sum::<f64>();
                }
            }
        }
        if let Some(u) = u {
            for (j, ((u, want), r)) in u.iter().zip(&self.control).zip(&self.control_weights).enumerate() {
                out.l_u[j] += r * (u - want);
                out.l_uu[(j, j)] += r;
            }
        }
    }
}

/// ∂ log(R exp δ)/∂δ at δ = 0, with R = exp e: 1 + ½ [e]× + c [e]×², c = 1/θ² − (1 + cos θ)/(2 θ sin θ), θ = ‖e‖ < π.
fn turn_derivative(e: Vec3) -> Mat3 {
    let theta = e.norm();
    // The series where the closed form loses its digits.
    let c = match theta < 1e-2 {
        true => 1.0 / 12.0 + theta * theta / 720.0,
        false => 1.0 / (theta * theta) - (1.0 + theta.cos()) / (2.0 * theta * theta.sin()),
    };
    let column = |x: Vec3| x + e.cross(x) * 0.5 + e.cross(e.cross(x)) * c;
    Mat3::from_columns(column(Vec3::X), column(Vec3::Y), column(Vec3::Z))
}
