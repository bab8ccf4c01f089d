//! The projected gradient method: one implicit step with contact [Pan2021, algorithm 1].
//!
//! ```text
//!     project ν onto G(ν, w) = 0 by Newton's method                                  (1)
//!     until ‖Δw‖ or the fall of K is small:
//!         min over Δw:  ½ Δwᵀ (Sᵀ W S + β) Δw + (Sᵀ ∂K/∂ν)ᵀ Δw,   w + Δw ≥ 0, Σ ≤ 1   (2)
//!         project ν + S Δw onto G(ν, w + Δw) = 0
//!         K fell: accept, β := max(β/γ, β_min);   else β := γ β, and (2) again       (3)
//! ```
//!
//! A trial that does not descend ends the step where (2) promised less than the tolerance of K: smaller falls drown in the error
//! that the projection leaves.
//!
//! S = ∂ν/∂w, W the second derivative of K by ν. A Newton step is taken whole; if ‖G‖ does not fall, or ∂G/∂ν has no inverse,
//! or β has grown beyond its largest, the step fails, and the caller takes a smaller one ([`crate::adaptive`]). The
//! zeroth-order method leaves the derivatives of the contact sets out of ∂G/∂ν, and so out of S; nothing else differs, but that
//! it always starts from no forces, as the authors' program does: from the last step's weights its gradient, which lacks a part,
//! may find no way down where there is one, and a block that slides is then driven on by the friction of the step before.

use crate::end_of_step::Start;
use crate::params::NmdpParams;
use crate::report::{Failure, NmdpReport};
use crate::residual::{Residual, dot, norm};
use crate::simplex_qp::{QpStatus, SimplexQp};
use std::ops::Range;
use stiction_world::World;

/// Workspace of the method.
#[derive(Clone, Debug)]
pub struct Pgm {
    pub residual: Residual,
    qp: SimplexQp,
    nu: Vec<f64>,
    direction: Vec<f64>,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
    regularised: Vec<f64>,
    linear: Vec<f64>,
    trial: Vec<f64>,
    /// Weights that count in (2), their groups, and their values.
    live: Vec<usize>,
    live_groups: Vec<Range<usize>>,
    x: Vec<f64>,
    /// Mass of all bodies [kg].
    mass: f64,
}

/// Where a step is: ν and w, changed in place; β, kept from step to step.
#[derive(Debug)]
pub struct Iterate<'a> {
    pub nu: &'a mut [f64],
    pub w: &'a mut [f64],
    pub beta: &'a mut f64,
}

impl Pgm {
    /// On the equations `residual` of `world`.
    pub fn new(world: &World, residual: Residual) -> Self {
        let (nv, nw) = (world.model.nv(), residual.sites.weights());
        Self {
            x: Vec::new(),
            live: Vec::new(),
            live_groups: Vec::new(),
            residual,
            qp: SimplexQp::default(),
            nu: vec![0.0; nv],
            direction: vec![0.0; nv],
            gradient: Vec::new(),
            hessian: Vec::new(),
            regularised: Vec::new(),
            linear: Vec::new(),
            trial: vec![0.0; nw],
            mass: world.model.bodies.iter().map(|b| b.inertia.mass).sum(),
        }
    }

    /// One step from `start`. The residual is left looked at where the step ends.
    pub fn step(
        &mut self,
        world: &World,
        start: &Start<'_>,
        params: &NmdpParams,
        at: &mut Iterate<'_>,
        report: &mut NmdpReport,
    ) -> Result<(), Failure> {
        let mut g = self.begin(world, start, params, at, report)?;
        let mut energy = self.residual.energy(world, start, at.nu);
        let mut stale = true;
        let mut at_answer = true;
        let mut last_change = f64::INFINITY;
        *at.beta = at.beta.max(params.least_regularisation);
        for _ in 0..params.max_outer {
            if stale {
                if self.residual.factor().rank < world.model.nv() {
                    return Err(Failure::Singular);
                }
                self.reduce(world);
                stale = false;
            }
            let predicted = self.propose(at.w, *at.beta, report)?; // (2)
            let change = distance(&self.trial, at.w);
            if change < params.weight_tolerance {
                report.stalled += u32::from(!at_answer);
                break;
            }
            self.predict(at.nu);
            let (mut nu, trial) = (std::mem::take(&mut self.nu), std::mem::take(&mut self.trial));
            let projected = self.project(world, start, params, &mut nu, &trial, report);
            (self.nu, self.trial) = (nu, trial);
            let after = projected?;
            let lower = self.residual.energy(world, start, &self.nu);
            if lower < energy {
                // (3)
                at.nu.copy_from_slice(&self.nu);
                at.w.copy_from_slice(&self.trial);
                let fall = energy - lower;
                report.outer += 1;
                report.descent = report.descent.min(fall);
                report.contraction = report.contraction.max(change / last_change);
                (energy, g, last_change) = (lower, after, change);
                (stale, at_answer) = (true, true);
                *at.beta = (*at.beta / params.regularisation_growth).max(params.least_regularisation);
                if fall < params.energy_tolerance {
                    break;
                }
            } else {
                at_answer = false;
                if predicted < params.energy_tolerance {
                    report.stalled += 1;
                    break;
                }
                *at.beta *= params.regularisation_growth;
                if *at.beta > params.most_regularisation {
                    return Err(Failure::Descent);
                }
            }
        }
        if !at_answer {
            self.residual.look(world, start, at.nu, at.w);
        }
        report.energy = energy;
        report.residual = report.residual.max(g * start.h / self.mass);
        Ok(())
    }

    /// Projects from the weights of the last step where these are kept, else from none; ‖G‖ there.
    fn begin(
        &mut self,
        world: &World,
        start: &Start<'_>,
        params: &NmdpParams,
        at: &mut Iterate<'_>,
        report: &mut NmdpReport,
    ) -> Result<f64, Failure> {
        self.residual.begin(world, start);
        at.nu.copy_from_slice(start.v);
        let mut projected = Err(Failure::Projection);
        if params.warm_start && !self.residual.zeroth_order() {
            projected = self.project(world, start, params, at.nu, at.w, report);
        }
        if projected.is_err() {
            at.nu.copy_from_slice(start.v);
            at.w.fill(0.0);
            projected = self.project(world, start, params, at.nu, at.w, report);
        }
        let error = projected?;
        self.residual.count_sites();
        Ok(error)
    }

    /// Gradient and Hessian of the energy by the weights that live, where the residual was looked at.
    fn reduce(&mut self, world: &World) {
        self.residual.reduce(world, &mut self.gradient, &mut self.hessian);
        self.live.clear();
        self.live.extend_from_slice(self.residual.sites.live());
        self.live_groups.clear();
        self.live_groups.extend_from_slice(self.residual.sites.live_groups());
    }

    /// Where (2) expects ν, ν + S Δw: the projection starts there.
    fn predict(&mut self, nu: &[f64]) {
        self.nu.copy_from_slice(nu);
        for (row, change) in self.residual.sensitivity.chunks_exact(nu.len()).zip(&self.x) {
            for (nu, s) in self.nu.iter_mut().zip(row) {
                *nu += change * s;
            }
        }
    }

    /// Projects ν by (1); returns ‖G‖ at the end.
    fn project(
        &mut self,
        world: &World,
        start: &Start<'_>,
        params: &NmdpParams,
        nu: &mut [f64],
        w: &[f64],
        report: &mut NmdpReport,
    ) -> Result<f64, Failure> {
        let enough = params.residual_tolerance * self.mass / start.h;
        let mut g = self.residual.look(world, start, nu, w);
        for _ in 0..params.max_projection {
            if g <= enough {
                return Ok(g);
            }
            let rank = self.residual.factor();
            if rank.rank < nu.len() {
                return Err(Failure::Singular);
            }
            report.pivot = report.pivot.min(rank.pivot);
            report.newton += 1;
            self.direction.copy_from_slice(&self.residual.g);
            self.residual.solve_in_place(&mut self.direction);
            for (nu, d) in nu.iter_mut().zip(&self.direction) {
                *nu -= d;
            }
            let next = self.residual.look(world, start, nu, w);
            if next.is_nan() || next >= g {
                return Err(if next.is_finite() { Failure::Projection } else { Failure::NotFinite });
            }
            report.reduction = report.reduction.max(next / g);
            g = next;
        }
        if g <= enough { Ok(g) } else { Err(Failure::Projection) }
    }

    /// Solves (2): w + Δw into `trial`. Weights that change nothing stay. Returns how far K should fall [J].
    fn propose(&mut self, w: &[f64], beta: f64, report: &mut NmdpReport) -> Result<f64, Failure> {
        self.trial.copy_from_slice(w);
        self.x.clear();
        self.x.extend(self.live.iter().map(|&k| w[k]));
        let n = self.x.len();
        self.regularised.clone_from(&self.hessian);
        self.linear.clone_from(&self.gradient);
        for k in 0..n {
            self.regularised[k * n + k] += beta;
            self.linear[k] -= dot(&self.regularised[k * n..(k + 1) * n], &self.x);
        }
        let tolerance = QP_TOLERANCE * (1.0 + norm(&self.gradient));
        let groups = &self.live_groups;
        let status = self.qp.solve(&self.regularised, &self.linear, groups, tolerance, &mut self.x);
        for (x, &k) in self.x.iter().zip(&self.live) {
            self.trial[k] = *x;
        }
        report.programs += 1;
        report.exchanges += self.qp.exchanges;
        if status == QpStatus::Stopped && !self.x.iter().all(|x| x.is_finite()) {
            return Err(Failure::NotFinite);
        }
        // One that was stopped is feasible and descends as well; (3) judges it.
        for (x, &k) in self.x.iter_mut().zip(&self.live) {
            *x -= w[k];
        }
        let quadratic = |k: usize| self.x[k] * dot(&self.hessian[k * n..(k + 1) * n], &self.x);
        Ok(-dot(&self.gradient, &self.x) - 0.5 * (0..n).map(quadratic).sum::<f64>())
    }
}

/// Error of multipliers at which a quadratic program counts as solved, relative to its gradient [–].
const QP_TOLERANCE: f64 = 1e-10;

/// The distance ‖a − b‖.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}
