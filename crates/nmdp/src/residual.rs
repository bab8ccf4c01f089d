//! The equations of a step, G(ν, w) = 0, with everything a solver asks of them.
//!
//! ```text
//!     G(ν, w) = inertia and weight − τ(q⁺, v⁺) − Σ J(q⁺)ᵀ B(q⁺) w                    (1)
//!     ∂G/∂ν = h ∂G/∂q⁺ D + a ∂G/∂v⁺,   ∂G/∂w = −Jᵀ B                                 (2)
//!     ∂ν/∂w = (∂G/∂ν)⁻¹ Jᵀ B                                                         (3)
//! ```
//!
//! with v⁺ the velocity at the end and a = ∂v⁺/∂ν, which is 1 of backward Euler ([`crate::end_of_step`]).
//! To zeroth order ∂B/∂q⁺ is left out of (2), and so of (3): points where forces act move, the forces do not change.
//! Two energies can be minimised at the end of the step:
//!
//! ```text
//!     K = kinetic energy of all bodies                                               (4)
//!     K = ½ m Σ_sites |x⁺ − x|²/h²,   m the mass of all bodies, over the sites that act where the step is first projected to  (5)
//! ```
//!
//! (4) is the paper's; (5) is what the authors' program minimises unless told otherwise. They differ where joints are held by
//! stiff controllers: with M̂ = h ∂G/∂ν, (4) is stationary where Bᵀ J M̂⁻¹ M ν = 0, which is J ν = 0, sticking, only for M̂ = M.

use crate::body_forces::BodyForces;
use crate::efforts::Efforts;
use crate::end_of_step::{EndOfStep, Start};
use crate::inertia::{Inertia, Parts};
use crate::sites::Sites;
use crate::tree_lu::{Rank, TreeLu};
use serde::{Deserialize, Serialize};
use stiction_dynamics::lanes;
use stiction_dynamics::spatial::Vec3;
use stiction_world::World;

/// The energy at the end of a step that is made least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dissipated {
    /// The kinetic energy of all bodies, (4).
    #[default]
    WholeBody,
    /// The motion of contact points, (5).
    ContactPoints,
}

/// Equations of a step of a world: see the module.
#[derive(Clone, Debug)]
pub struct Residual {
    pub end: EndOfStep,
    pub sites: Sites,
    pub efforts: Efforts,
    inertia: Inertia,
    dissipated: Dissipated,
    /// Leave out ∂B/∂q⁺.
    zeroth_order: bool,
    forces: BodyForces,
    /// G of (1) [N or N·m].
    pub g: Vec<f64>,
    /// ∂G/∂ν of (2), nv×nv by rows.
    pub slope: Vec<f64>,
    by_q: Vec<f64>,
    lu: TreeLu,
    /// (3), one row of nv numbers per live weight.
    pub sensitivity: Vec<f64>,
    /// The derivative ∂K/∂ν.
    pub energy_slope: Vec<f64>,
    energy_by_q: Vec<f64>,
    /// W ∂ν/∂w with W the second derivative of K by ν, one row per weight.
    weighted: Vec<f64>,
    /// Mass of all bodies [kg].
    share: f64,
    /// Per site of a body: it counts in (5).
    counted: Vec<bool>,
    /// Where the sites of bodies are at the start of the step, in W [m].
    starts: Vec<Vec3>,
}

impl Residual {
    /// The equations of `world` with contact `sites`.
    pub fn new(
        world: &World,
        inertia: Inertia,
        sites: Sites,
        dissipated: Dissipated,
        zeroth_order: bool,
    ) -> Self {
        let model = &world.model;
        let (nv, nw) = (model.nv(), sites.weights());
        let efforts = Efforts::new(world);
        let mass: f64 = model.bodies.iter().map(|b| b.inertia.mass).sum();
        Self {
            end: EndOfStep::new(model),
            lu: TreeLu::new(model, efforts.across_branches),
            efforts,
            inertia,
            dissipated,
            zeroth_order,
            forces: BodyForces::new(model),
            g: vec![0.0; nv],
            slope: vec![0.0; nv * nv],
            by_q: vec![0.0; nv * nv],
            sensitivity: vec![0.0; nw * nv],
            energy_slope: vec![0.0; nv],
            energy_by_q: vec![0.0; nv],
            weighted: vec![0.0; nw * nv],
            share: mass,
            counted: vec![true; sites.bodies.len()],
            starts: vec![Vec3::ZERO; sites.bodies.len()],
            sites,
        }
    }

    /// Before the first trial of a step.
    pub fn begin(&mut self, world: &World, start: &Start<'_>) {
        self.inertia.begin(&world.model, start);
        if self.dissipated == Dissipated::ContactPoints {
            self.end.kin.update(&world.model, start.q);
            for (start, site) in self.starts.iter_mut().zip(&self.sites.bodies) {
                *start = self.end.kin.X_WB[site.body].transform(site.p_BS);
            }
        }
    }

    /// Evaluates (1) and (2) at ν and w; returns the norm of G.
    pub fn look(&mut self, world: &World, start: &Start<'_>, nu: &[f64], w: &[f64]) -> f64 {
        lanes::plain(
            #[inline(always)]
            || self.look_plainly(world, start, nu, w),
        )
    }

    #[inline(always)]
    fn look_plainly(&mut self, world: &World, start: &Start<'_>, nu: &[f64], w: &[f64]) -> f64 {
        let model = &world.model;
        let Self { end, sites, efforts, inertia, forces, g, slope, by_q, .. } = self;
        end.update(model, start, nu);
        forces.clear();
        for (g, external) in g.iter_mut().zip(start.generalized) {
            *g = -external;
        }
        by_q.fill(0.0);
        slope.fill(0.0);
        inertia.add(model, start, end, nu, &mut Parts { g, by_q, by_v: slope, forces });
        efforts.subtract(world, &end.q, &end.v, start.control, g, [by_q, slope]);
        sites.look(model, end);
        sites.subtract(w, !self.zeroth_order, &end.q, forces, g, by_q);
        forces.gather(model);
        forces.add_efforts(model, &end.kin, 1.0, g);
        forces.add_derivative(model, &end.kin, 1.0, by_q);
        end.times_turns(model.nv(), by_q);
        for (slope, by_q) in slope.iter_mut().zip(by_q) {
            *slope = end.gain * *slope + start.h * *by_q; // (2)
        }
        norm(g)
    }

    /// Whether derivatives of the contact sets are left out.
    pub fn zeroth_order(&self) -> bool {
        self.zeroth_order
    }

    /// Chooses the sites that count in (5): those that act where the residual was looked at last.
    pub fn count_sites(&mut self) {
        for (k, counted) in self.counted.iter_mut().enumerate() {
            *counted = self.sites.acts(k);
        }
    }

    /// Factors ∂G/∂ν where it was looked at last.
    pub fn factor(&mut self) -> Rank {
        self.lu.factor(&self.slope)
    }

    /// x := (∂G/∂ν)⁻¹ x, once it was factored.
    pub fn solve_in_place(&self, x: &mut [f64]) {
        self.lu.solve_in_place(x);
    }

    /// K where it was looked at last [J], and its derivative by ν.
    pub fn energy(&mut self, world: &World, start: &Start<'_>, nu: &[f64]) -> f64 {
        let model = &world.model;
        self.energy_slope.fill(0.0);
        self.energy_by_q.fill(0.0);
        let energy = match self.dissipated {
            Dissipated::WholeBody => {
                let by = [&mut self.energy_by_q[..], &mut self.energy_slope[..]];
                self.inertia.kinetic_energy(model, start, &self.end, nu, by)
            }
            Dissipated::ContactPoints => self.energy_of_sites(world, start.h),
        };
        self.end.times_turns(model.nv(), &mut self.energy_by_q);
        for (slope, by_q) in self.energy_slope.iter_mut().zip(&self.energy_by_q) {
            *slope = self.end.gain * *slope + start.h * by_q;
        }
        energy
    }

    /// The energy (5), with its derivative by q⁺.
    fn energy_of_sites(&mut self, world: &World, h: f64) -> f64 {
        let Self { end, sites, energy_by_q, share, starts, counted, .. } = self;
        let mut energy = 0.0;
        for (k, start) in starts.iter().enumerate().filter(|(k, _)| counted[*k]) {
            let speed = (sites.position(k) - *start) * (1.0 / h);
            energy += 0.5 * *share * speed.norm_squared();
            let slope = speed * (*share / h);
            sites.site_columns(&world.model, end, k, |dof, column| energy_by_q[dof] += column.dot(slope));
        }
        energy
    }

    /// Finds (3) for the live weights of the sites, once ∂G/∂ν was factored; then the reduced gradient (∂ν/∂w)ᵀ ∂K/∂ν and the
    /// Gauss–Newton matrix (∂ν/∂w)ᵀ W (∂ν/∂w), n×n by rows for n live weights.
    pub fn reduce(&mut self, world: &World, gradient: &mut Vec<f64>, hessian: &mut Vec<f64>) {
        let model = &world.model;
        let (nv, n) = (model.nv(), self.sites.live().len());
        for (row, k) in self.sensitivity.chunks_exact_mut(nv.max(1)).zip(self.sites.live()) {
            self.sites.column_into(model, &self.end, *k, row);
            self.lu.solve_in_place(row);
        }
        self.weigh(world);
        gradient.resize(n, 0.0);
        hessian.resize(n * n, 0.0);
        for k in 0..n {
            let row = &self.sensitivity[k * nv..(k + 1) * nv];
            gradient[k] = dot(row, &self.energy_slope);
            for l in 0..=k {
                let entry = dot(row, &self.weighted[l * nv..(l + 1) * nv]);
                hessian[k * n + l] = entry;
                hessian[l * n + k] = entry;
            }
        }
    }

    /// Multiplies the rows of (3) by W.
    fn weigh(&mut self, world: &World) {
        let model = &world.model;
        let nv = model.nv();
        let Self { end, sites, sensitivity, weighted, inertia, share, counted, .. } = self;
        for k in 0..sites.live().len() {
            let (row, out) = (&sensitivity[k * nv..(k + 1) * nv], &mut weighted[k * nv..(k + 1) * nv]);
            match self.dissipated {
                Dissipated::WholeBody => {
                    inertia.mass().mul_into(row, out);
                    out.iter_mut().for_each(|x| *x *= end.gain * end.gain);
                }
                Dissipated::ContactPoints => {
                    out.fill(0.0);
                    for site in (0..sites.bodies.len()).filter(|k| counted[*k]) {
                        let mut speed = Vec3::ZERO;
                        sites.site_columns(model, end, site, |dof, column| speed += column * row[dof]);
                        sites.site_columns(model, end, site, |dof, column| {
                            out[dof] += *share * column.dot(speed);
                        });
                    }
                }
            }
        }
    }
}

/// The product Σ a b.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The norm √Σ a².
pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
