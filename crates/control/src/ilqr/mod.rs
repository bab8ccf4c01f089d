//! Trajectory optimisation with bounds on the controls: iterative LQR, the Gauss–Newton kind of differential dynamic programming.
//!
//! ```text
//!     minimise  Σ_k l_k(x_k, u_k) + l_N(x_N)    subject to  x_{k+1} = f(x_k, u_k),  lo ≤ u_k ≤ hi              (1)
//!
//!     backward  Q_x = l_x + Aᵀ V_x        Q_xx = l_xx + Aᵀ V A          V, V_x: of the knot after
//!               Q_u = l_u + Bᵀ V_x        Q_ux = l_ux + Bᵀ (V + ρ) A    Q_uu = l_uu + Bᵀ (V + ρ) B             (2)
//!               k = argmin ½ δᵀ Q_uu δ + Q_uᵀ δ,  lo − u ≤ δ ≤ hi − u                [`BoxQp`]                 (3)
//!               K = −Q_uu⁻¹ Q_ux in the free rows of (3), zero in the clamped
//!     forward   u⁺ = clamp(u + α k + K (x⁺ − x)),  x⁺ by f itself                                              (4)
//! ```
//!
//! f is a [`System`]: a simulation whose steps go through contact ([`Simulated`]), or anything else that has derivatives. (4) is searched over α; ρ grows
//! where no α gains, and shrinks where one does. The method is that of [Tassa2014] without the curvature of f.
//!
//! What touches nothing feels nothing: where no contact is near, the derivative of what should be moved by it is zero, and so is the
//! gradient of the cost. Then start from controls that lead to contact, or smooth ([`Gradient::Smoothed`]).

mod box_qp;
mod cost;
mod params;
mod simulated;
mod system;

pub use box_qp::BoxQp;
pub use cost::{Cost, Expansion, Stage, Tracking};
pub use params::{IlqrError, IlqrParams};
pub use simulated::{Gradient, Simulated, Tally, differentiable};
pub use system::{Derivative, Point, System, SystemError, Tell};

use nalgebra::{DMatrix, DVector};

/// One iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iteration {
    /// From 1.
    pub number: usize,
    /// The cost after it.
    pub cost: f64,
    /// By how much the model of (2) promised to lower it at α = 1.
    pub expected: f64,
    /// The share α of the step that was taken; zero if none was.
    pub taken: f64,
    /// ρ during the iteration.
    pub regularization: f64,
}

/// Why an optimisation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// An iteration lowered, or promised to lower, the cost by less than the tolerance.
    Converged,
    /// No step gained, however short and however much regularised: a kink, or derivatives that mislead.
    Stalled,
    IterationLimit,
    /// Who was told wanted no more.
    Interrupted,
}

/// The trajectory that an optimisation found.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// Knots × nu.
    pub controls: Vec<Vec<f64>>,
    /// Knots + 1.
    pub states: Vec<Point>,
    /// K of (4) per knot, row by row, nu × 2 nv: feedback that keeps to the trajectory.
    pub gains: Vec<Vec<f64>>,
    /// Cost of the controls to start from, and of those that were found.
    pub start_cost: f64,
    pub cost: f64,
    pub history: Vec<Iteration>,
    pub end: End,
}

/// A trajectory and its cost.
struct Rollout {
    controls: Vec<Vec<f64>>,
    states: Vec<Point>,
    cost: f64,
}

/// (3) at every knot, and what it promises.
struct Policy {
    steps: Vec<DVector<f64>>,
    gains: Vec<DMatrix<f64>>,
    /// Sums of Q_uᵀ k and of ½ kᵀ Q_uu k: the cost falls by −(α a + α² b).
    promised: [f64; 2],
}

/// Solves (1) from the controls `start` (knots × nu), which are clamped to `bounds`, lowest and highest of each control.
///
/// # Errors
///
/// Sizes that do not fit, parameters out of range, bounds that leave nothing, a first trajectory that the system cannot follow, and a trajectory
/// that has no derivative.
pub fn optimize(
    system: &mut dyn System,
    cost: &dyn Cost,
    bounds: [&[f64]; 2],
    start: &[Vec<f64>],
    params: &IlqrParams,
    tell: &mut Tell<'_>,
) -> Result<Optimum, IlqrError> {
    params.validate()?;
    check(system, cost, bounds, start)?;
    let [lo, hi] = bounds.map(DVector::from_column_slice);
    let mut best = roll(system, cost, |_, k, _| clamped(&start[k], &lo, &hi)).map_err(IlqrError::Start)?;
    let (mut rho, mut growth) = (params.regularization[0], 1.0);
    let start_cost = best.cost;
    let mut history = Vec::new();
    let mut end = End::IterationLimit;
    let mut last: Option<Policy> = None;
    let mut derivatives: Option<Vec<Derivative>> = None;
    while history.len() < params.iterations {
        if derivatives.is_none() {
            derivatives = Some(differentiate(system, &best)?);
        }
        let fine = |rho: &mut f64, growth: &mut f64| {
            *growth = (*growth * params.factor).max(params.factor);
            *rho = (*rho * *growth).max(params.regularization[1]);
            *rho <= params.regularization[2]
        };
        let along = derivatives.as_deref().unwrap_or_default();
        let Some(policy) = backward(system, cost, &best, along, [&lo, &hi], rho) else {
            if fine(&mut rho, &mut growth) {
                continue;
            }
            end = End::Stalled;
            break;
        };
        let expected = -(policy.promised[0] + policy.promised[1]);
        let (used, before) = (rho, best.cost);
        let small = |gain: f64| gain <= params.tolerance * before.abs().max(params.least_cost);
        let mut taken = 0.0;
        if !small(expected) {
            for i in 0..params.halvings {
                let alpha = 0.5_f64.powi(i as i32);
                let Ok(next) = follow(system, cost, &best, &policy, alpha, [&lo, &hi]) else { continue };
                let promised = -(alpha * policy.promised[0] + alpha * alpha * policy.promised[1]);
                if before - next.cost > params.accept * promised.max(0.0) {
                    (best, taken) = (next, alpha);
                    break;
                }
            }
        }
        let number = history.len() + 1;
        history.push(Iteration { number, cost: best.cost, expected, taken, regularization: used });
        last = Some(policy);
        if history.last().is_some_and(|i| tell(i).is_break()) {
            end = End::Interrupted;
            break;
        }
        if small(expected) || taken > 0.0 && small(before - best.cost) {
            end = End::Converged;
            break;
        }
        if taken > 0.0 {
            derivatives = None;
            growth = (growth / params.factor).min(1.0 / params.factor);
            rho *= growth;
            if rho < params.regularization[1] {
                rho = 0.0;
            }
        } else if !fine(&mut rho, &mut growth) {
            end = End::Stalled;
            break;
        }
    }
    let gains = last.map(|p| p.gains.iter().map(|K| K.transpose().as_slice().to_vec()).collect());
    let Rollout { controls, states, cost } = best;
    Ok(Optimum { controls, states, gains: gains.unwrap_or_default(), start_cost, cost, history, end })
}

fn check(
    system: &dyn System,
    cost: &dyn Cost,
    bounds: [&[f64]; 2],
    start: &[Vec<f64>],
) -> Result<(), IlqrError> {
    let nu = system.nu();
    let size = |what, got, expected| match got == expected {
        true => Ok(()),
        false => Err(IlqrError::Size { what, got, expected }),
    };
    size("knots of the controls to start from", start.len(), cost.knots())?;
    size("lowest controls", bounds[0].len(), nu)?;
    size("highest controls", bounds[1].len(), nu)?;
    start.iter().try_for_each(|u| size("a control to start from", u.len(), nu))?;
    for (j, (lo, hi)) in bounds[0].iter().zip(bounds[1]).enumerate() {
        if !(lo <= hi) {
            return Err(IlqrError::Bounds { control: j, lo: *lo, hi: *hi });
        }
    }
    Ok(())
}

fn clamped(u: &[f64], lo: &DVector<f64>, hi: &DVector<f64>) -> Vec<f64> {
    u.iter().enumerate().map(|(j, u)| u.min(hi[j]).max(lo[j])).collect()
}

/// The trajectory under a policy that is asked at every knot for the control in a state.
fn roll(
    system: &mut dyn System,
    cost: &dyn Cost,
    mut control: impl FnMut(&dyn System, usize, &Point) -> Vec<f64>,
) -> Result<Rollout, SystemError> {
    system.restart()?;
    let knots = cost.knots();
    let mut x = system.point();
    let mut out =
        Rollout { controls: Vec::with_capacity(knots), states: Vec::with_capacity(knots + 1), cost: 0.0 };
    for k in 0..knots {
        let u = control(system, k, &x);
        out.cost += cost.value(k, &x, Some(&u));
        system.advance(&u)?;
        out.states.push(std::mem::replace(&mut x, system.point()));
        out.controls.push(u);
    }
    out.cost += cost.value(knots, &x, None);
    out.states.push(x);
    match out.cost.is_finite() {
        true => Ok(out),
        false => Err(SystemError("the cost of the trajectory is not finite".to_owned())),
    }
}

/// Rolls along a trajectory under a policy, (4).
fn follow(
    system: &mut dyn System,
    cost: &dyn Cost,
    from: &Rollout,
    policy: &Policy,
    alpha: f64,
    [lo, hi]: [&DVector<f64>; 2],
) -> Result<Rollout, SystemError> {
    roll(system, cost, |system, k, x| {
        let away = DVector::from_vec(system.difference(&from.states[k], x));
        let u = DVector::from_column_slice(&from.controls[k])
            + &policy.steps[k] * alpha
            + &policy.gains[k] * away;
        clamped(u.as_slice(), lo, hi)
    })
}

/// A and B along a trajectory.
fn differentiate(system: &mut dyn System, along: &Rollout) -> Result<Vec<Derivative>, IlqrError> {
    system.restart().map_err(IlqrError::Start)?;
    let of = |(k, u): (usize, &Vec<f64>)| {
        system.differentiate(u).map_err(|why| IlqrError::Derivative { knot: k, why })
    };
    along.controls.iter().enumerate().map(of).collect()
}

/// (2) and (3) from the end to the start; `None` if (3) has no answer.
fn backward(
    system: &dyn System,
    cost: &dyn Cost,
    along: &Rollout,
    derivatives: &[Derivative],
    [lo, hi]: [&DVector<f64>; 2],
    rho: f64,
) -> Option<Policy> {
    let (nv, nu, knots) = (system.nv(), system.nu(), cost.knots());
    let n = 2 * nv;
    let mut end = Expansion::zeros(nv, nu);
    cost.expand(knots, &along.states[knots], None, &mut end);
    let (mut V_x, mut V) = (end.l_x, end.l_xx);
    let mut out = Policy {
        steps: vec![DVector::zeros(0); knots],
        gains: vec![DMatrix::zeros(0, 0); knots],
        promised: [0.0; 2],
    };
    for k in (0..knots).rev() {
        let (A, B) = (
            DMatrix::from_row_slice(n, n, &derivatives[k].a),
            DMatrix::from_row_slice(n, nu, &derivatives[k].b),
        );
        let mut Q = Expansion::zeros(nv, nu);
        cost.expand(k, &along.states[k], Some(&along.controls[k]), &mut Q);
        let (VA, VB) = (&V * &A, &V * &B);
        Q.l_x += A.tr_mul(&V_x);
        Q.l_u += B.tr_mul(&V_x);
        Q.l_xx += A.tr_mul(&VA);
        Q.l_ux += B.tr_mul(&VA);
        Q.l_uu += B.tr_mul(&VB);
        let damped_uu = &Q.l_uu + B.tr_mul(&B) * rho;
        let damped_ux = &Q.l_ux + B.tr_mul(&A) * rho;
        let u = DVector::from_column_slice(&along.controls[k]);
        let solved = BoxQp::solve(&damped_uu, &Q.l_u, [&(lo - &u), &(hi - &u)], &DVector::zeros(nu))?;
        let (step, K) = (solved.x.clone(), solved.follow(&damped_ux));
        let curved = &Q.l_uu * &step;
        out.promised[0] += step.dot(&Q.l_u);
        out.promised[1] += 0.5 * step.dot(&curved);
        V_x = &Q.l_x + K.tr_mul(&curved) + K.tr_mul(&Q.l_u) + Q.l_ux.tr_mul(&step);
        let cross = K.tr_mul(&Q.l_ux);
        V = &Q.l_xx + K.tr_mul(&(&Q.l_uu * &K)) + &cross + cross.transpose();
        V = (&V + V.transpose()) * 0.5;
        (out.steps[k], out.gains[k]) = (step, K);
    }
    Some(out)
}
