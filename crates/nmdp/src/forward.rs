//! The baseline: maximal dissipation under dynamics that are linearised at the start of the step [Pan2021, eq. 3].
//!
//! ```text
//!     (M/h + h K_p + K_d) ν = M v/h − b − τ₀ + Jᵀ B w,   M, b, J, B and τ₀ at (q, v)  (1)
//!     min ½ νᵀ M ν over w                                                            (2)
//! ```
//!
//! with K_p and K_d the stiffness and damping of springs and controllers, which are linear of themselves and so taken at the
//! end of the step [Tan2011], τ₀ their effort at q and ν = 0. (2) is one convex quadratic program: a linear complementarity
//! solver's forward step, but for sets that change with depth.

use crate::efforts::Efforts;
use crate::end_of_step::{EndOfStep, Start};
use crate::report::{Failure, NmdpReport};
use crate::residual::dot;
use crate::simplex_qp::{QpStatus, SimplexQp};
use crate::sites::Sites;
use crate::tree_lu::TreeLu;
use stiction_dynamics::{CrbaWorkspace, MassMatrix, RneaWorkspace, Velocities, bias_into, crba_into};
use stiction_world::World;

/// Workspace of the method.
#[derive(Clone, Debug)]
pub struct Forward {
    pub end: EndOfStep,
    pub sites: Sites,
    pub efforts: Efforts,
    vel: Velocities,
    mass: MassMatrix,
    crba: CrbaWorkspace,
    rnea: RneaWorkspace,
    lu: TreeLu,
    qp: SimplexQp,
    still: Vec<f64>,
    rest: Vec<f64>,
    by_q: Vec<f64>,
    by_v: Vec<f64>,
    sensitivity: Vec<f64>,
    weighted: Vec<f64>,
    hessian: Vec<f64>,
    linear: Vec<f64>,
    /// Weights that count in (2).
    x: Vec<f64>,
}

/// Regularisation of (2), relative to the largest entry on its diagonal [–].
const REGULARISATION: f64 = 1e-10;

impl Forward {
    /// For `world` with contact `sites`.
    pub fn new(world: &World, sites: Sites) -> Self {
        let model = &world.model;
        let (nv, nw) = (model.nv(), sites.weights());
        let efforts = Efforts::new(world);
        Self {
            end: EndOfStep::new(model),
            lu: TreeLu::new(model, efforts.across_branches),
            efforts,
            vel: Velocities::new(model),
            mass: MassMatrix::new(model),
            crba: CrbaWorkspace::new(model),
            rnea: RneaWorkspace::new(model),
            qp: SimplexQp::default(),
            still: vec![0.0; nv],
            rest: vec![0.0; nv],
            by_q: vec![0.0; nv * nv],
            by_v: vec![0.0; nv * nv],
            sensitivity: vec![0.0; nw * nv],
            weighted: vec![0.0; nw * nv],
            hessian: Vec::new(),
            linear: Vec::new(),
            x: Vec::new(),
            sites,
        }
    }

    /// One step from `start`, from the weights `w`; ν at its end. The sites are left looked at where it starts.
    pub fn step(
        &mut self,
        world: &World,
        start: &Start<'_>,
        nu: &mut [f64],
        w: &mut [f64],
        report: &mut NmdpReport,
    ) -> Result<(), Failure> {
        let model = &world.model;
        let nv = model.nv();
        self.end.update(model, start, &self.still);
        self.vel.update(model, &self.end.kin, start.v);
        crba_into(model, &self.end.kin, &mut self.crba, &mut self.mass);
        bias_into(model, &self.end.kin, &self.vel, &mut self.rnea, &mut self.rest);
        for (rest, external) in self.rest.iter_mut().zip(start.generalized) {
            *rest -= external;
        }
        self.by_q.fill(0.0);
        self.by_v.fill(0.0);
        let (q, by) = (&self.end.q, [&mut self.by_q[..], &mut self.by_v]);
        self.efforts.subtract(world, q, &self.still, start.control, &mut self.rest, by);
        for i in 0..nv {
            for (M_ij, j) in self.mass.row(i).iter().zip(self.mass.columns(i)) {
                let j = *j as usize;
                self.by_v[i * nv + j] += M_ij / start.h;
                if j != i {
                    self.by_v[j * nv + i] += M_ij / start.h;
                }
            }
        }
        for (by_v, by_q) in self.by_v.iter_mut().zip(&self.by_q) {
            *by_v += start.h * by_q;
        }
        let rank = self.lu.factor(&self.by_v);
        if rank.rank < nv {
            return Err(Failure::Singular);
        }
        report.pivot = report.pivot.min(rank.pivot);
        self.mass.mul_into(start.v, nu);
        for (nu, rest) in nu.iter_mut().zip(&self.rest) {
            *nu = *nu / start.h - rest;
        }
        self.lu.solve_in_place(nu);
        self.sites.look(model, &self.end);
        self.solve_program(world, nu, w, report)?;
        for (k, x) in self.x.iter().enumerate() {
            for (nu, s) in nu.iter_mut().zip(&self.sensitivity[k * nv..(k + 1) * nv]) {
                *nu += x * s; // (1)
            }
        }
        self.mass.mul_into(nu, &mut self.rest);
        report.energy = 0.5 * dot(nu, &self.rest);
        if report.energy.is_finite() { Ok(()) } else { Err(Failure::NotFinite) }
    }

    /// Solves (2) for the weights that act.
    fn solve_program(
        &mut self,
        world: &World,
        nu: &[f64],
        w: &mut [f64],
        report: &mut NmdpReport,
    ) -> Result<(), Failure> {
        let (nv, n) = (nu.len(), self.sites.live().len());
        for (k, weight) in self.sites.live().iter().enumerate() {
            let row = &mut self.sensitivity[k * nv..(k + 1) * nv];
            self.sites.column_into(&world.model, &self.end, *weight, row);
            self.lu.solve_in_place(row);
            self.mass.mul_into(row, &mut self.weighted[k * nv..(k + 1) * nv]);
        }
        self.hessian.resize(n * n, 0.0);
        self.linear.resize(n, 0.0);
        let mut largest = 0.0_f64;
        for k in 0..n {
            let row = &self.weighted[k * nv..(k + 1) * nv];
            self.linear[k] = dot(row, nu);
            for l in 0..=k {
                let entry = dot(row, &self.sensitivity[l * nv..(l + 1) * nv]);
                self.hessian[k * n + l] = entry;
                self.hessian[l * n + k] = entry;
            }
            largest = largest.max(self.hessian[k * n + k]);
        }
        for k in 0..n {
            self.hessian[k * n + k] += REGULARISATION * largest + f64::MIN_POSITIVE;
        }
        self.x.clear();
        self.x.extend(self.sites.live().iter().map(|&k| w[k]));
        let tolerance = 1e-12 * (1.0 + self.linear.iter().fold(0.0_f64, |m, x| m.max(x.abs())));
        let groups = self.sites.live_groups();
        let status = self.qp.solve(&self.hessian, &self.linear, groups, tolerance, &mut self.x);
        for (x, &k) in self.x.iter().zip(self.sites.live()) {
            w[k] = *x;
        }
        report.programs += 1;
        report.exchanges += self.qp.exchanges;
        if status == QpStatus::Stopped && !self.x.iter().all(|x| x.is_finite()) {
            return Err(Failure::NotFinite);
        }
        Ok(())
    }
}
