//! Steps that are halved where the method fails [Pan2021, algorithm 2], under the five names of the paper.
//!
//! ```text
//!     advance(h):  one step of h, from a last step of h₋; or, if that fails, advance(h/2) twice      (1)
//! ```
//!
//! Halves follow one another with the lengths that were really taken, so that h/h₋ is 1, 2, ½, … A part below the least step
//! fails, and with it the whole: positions, velocities and memory are then as before.

use crate::end_of_step::{Before, Start};
use crate::forward::Forward;
use crate::inertia::Inertia;
use crate::inertia::displaced_points::DisplacedPoints;
use crate::inertia::newton_euler::NewtonEuler;
use crate::params::NmdpParams;
use crate::pgm::{Iterate, Pgm};
use crate::report::{Failure, NmdpReport};
use crate::residual::Residual;
use crate::sites::Sites;
use serde::{Deserialize, Serialize};
use stiction_dynamics::spatial::{Force, Vec3};
use stiction_dynamics::{Kinematics, integrate_into, normalize};
use stiction_world::World;

/// The methods of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Linearised dynamics, one quadratic program: the baseline.
    NeMdp,
    /// Newton–Euler, first order.
    NeNmdpPgm,
    /// Newton–Euler, zeroth order in the contact sets.
    NeNmdpZopgm,
    /// Position-based dynamics, first order.
    PbdNmdpPgm,
    /// Position-based dynamics, zeroth order in the contact sets.
    PbdNmdpZopgm,
}

impl Method {
    /// All, in the order of the paper.
    pub const ALL: [Self; 5] =
        [Self::NeMdp, Self::NeNmdpPgm, Self::NeNmdpZopgm, Self::PbdNmdpPgm, Self::PbdNmdpZopgm];

    /// The name in files, on the command line and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NeMdp => "ne-mdp",
            Self::NeNmdpPgm => "ne-nmdp-pgm",
            Self::NeNmdpZopgm => "ne-nmdp-zopgm",
            Self::PbdNmdpPgm => "pbd-nmdp-pgm",
            Self::PbdNmdpZopgm => "pbd-nmdp-zopgm",
        }
    }

    /// Whether it is an implicit one on the Newton–Euler equations, which take two-step differences.
    pub fn is_newton_euler(self) -> bool {
        matches!(self, Self::NeNmdpPgm | Self::NeNmdpZopgm)
    }
}

/// Memory of a method: with positions and velocities it decides the future.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NmdpMemory {
    /// w of the last step.
    pub weights: Vec<f64>,
    /// Regularisation β of the last step; 0 before the first.
    pub beta: f64,
    /// Length of the last part of a step [s]; 0 before the first.
    pub last_step: f64,
    /// For two-step differences, the mean velocity of the last part, and the velocity it started with; empty where the next part is to be
    /// one of backward Euler.
    #[serde(default)]
    pub mean: Vec<f64>,
    #[serde(default)]
    pub v_before: Vec<f64>,
}

#[derive(Clone, Debug)]
pub(crate) enum Solver {
    Forward(Box<Forward>),
    Implicit(Box<Pgm>),
}

/// One of the methods on one world.
#[derive(Clone, Debug)]
pub struct Nmdp {
    method: Method,
    params: NmdpParams,
    pub(crate) solver: Solver,
    memory: NmdpMemory,
    /// The memory at the start of the step.
    pub(crate) before: NmdpMemory,
    pub(crate) nu: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    q_next: Vec<f64>,
    /// Per site of a body, of the last step: the impulse, and its moment about the site [N·s].
    impulses: Vec<Force>,
    /// Per site on a dof, of the last step: its impulse [N·s or N·m·s].
    dof_impulses: Vec<f64>,
    /// Per actuator: mean effort of the last step [N or N·m].
    efforts: Vec<f64>,
    w: Vec<f64>,
}

/// Controls and forces of a step: one control per actuator, one generalized force per dof.
#[derive(Clone, Copy, Debug)]
pub struct Acting<'a> {
    pub control: &'a [f64],
    pub generalized: &'a [f64],
}

impl Nmdp {
    /// `method` on `world` with contact `sites`; the parameters must be valid.
    pub fn new(world: &World, method: Method, params: NmdpParams, sites: Sites) -> Self {
        let model = &world.model;
        let (nv, weights) = (model.nv(), sites.weights());
        let (of_bodies, of_dofs) = (sites.bodies.len(), sites.dofs.len());
        let ne = || Inertia::NewtonEuler(Box::new(NewtonEuler::new(model)));
        let pbd = || Inertia::DisplacedPoints(Box::new(DisplacedPoints::new(model)));
        let (inertia, zeroth) = match method {
            Method::NeMdp | Method::NeNmdpPgm => (ne(), false),
            Method::NeNmdpZopgm => (ne(), true),
            Method::PbdNmdpPgm => (pbd(), false),
            Method::PbdNmdpZopgm => (pbd(), true),
        };
        let solver = if method == Method::NeMdp {
            Solver::Forward(Box::new(Forward::new(world, sites)))
        } else {
            let residual = Residual::new(world, inertia, sites, params.dissipated, zeroth);
            Solver::Implicit(Box::new(Pgm::new(world, residual)))
        };
        Self {
            method,
            params,
            solver,
            memory: NmdpMemory { weights: vec![0.0; weights], ..NmdpMemory::default() },
            before: NmdpMemory::default(),
            nu: vec![0.0; nv],
            q: model.neutral(),
            v: vec![0.0; nv],
            q_next: model.neutral(),
            impulses: vec![Force::new(Vec3::ZERO, Vec3::ZERO); of_bodies],
            dof_impulses: vec![0.0; of_dofs],
            efforts: vec![0.0; world.actuators.len()],
            w: vec![0.0; weights],
        }
    }

    /// The method it runs.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The contact sites, looked at where forces of the last part were taken.
    pub fn sites(&self) -> &Sites {
        match &self.solver {
            Solver::Forward(forward) => &forward.sites,
            Solver::Implicit(pgm) => &pgm.residual.sites,
        }
    }

    /// Kinematics where the forces of the last part were taken: at its end, of `ne-mdp` at its start.
    pub fn kinematics(&self) -> &Kinematics {
        match &self.solver {
            Solver::Forward(forward) => &forward.end.kin,
            Solver::Implicit(pgm) => &pgm.residual.end.kin,
        }
    }

    /// Per site of a body, of the last step: the impulse, and its moment about the site [N·s].
    pub fn impulses(&self) -> &[Force] {
        &self.impulses
    }

    /// Per site on a dof, of the last step: its impulse [N·s or N·m·s].
    pub fn dof_impulses(&self) -> &[f64] {
        &self.dof_impulses
    }

    /// Per actuator: mean effort of the last step [N or N·m].
    pub fn efforts(&self) -> &[f64] {
        &self.efforts
    }

    /// The mean velocity of the last part of a step, by which positions moved [m/s or rad/s].
    pub fn mean_velocity(&self) -> &[f64] {
        &self.nu
    }

    /// The memory that decides the future.
    pub fn memory(&self) -> &NmdpMemory {
        &self.memory
    }

    /// Goes on from `memory`; one of another world counts as none.
    pub fn restore(&mut self, memory: &NmdpMemory) {
        if memory.weights.len() == self.memory.weights.len() {
            self.memory.clone_from(memory);
        } else {
            self.forget();
        }
    }

    /// Forgets the last step.
    pub fn forget(&mut self) {
        self.memory.weights.fill(0.0);
        (self.memory.beta, self.memory.last_step) = (0.0, 0.0);
        self.memory.mean.clear();
        self.memory.v_before.clear();
    }

    /// Advances q and v by h [s]; on failure they stay, and the report of what was tried comes with the cause.
    pub fn step(
        &mut self,
        world: &World,
        (q, v): (&mut [f64], &mut [f64]),
        acting: &Acting<'_>,
        h: f64,
    ) -> Result<NmdpReport, (Failure, NmdpReport)> {
        let mut report = NmdpReport::default();
        self.before.weights.clone_from(&self.memory.weights);
        (self.before.beta, self.before.last_step) = (self.memory.beta, self.memory.last_step);
        self.before.mean.clone_from(&self.memory.mean);
        self.before.v_before.clone_from(&self.memory.v_before);
        self.q.copy_from_slice(q);
        self.v.copy_from_slice(v);
        self.impulses.fill(Force::new(Vec3::ZERO, Vec3::ZERO));
        self.dof_impulses.fill(0.0);
        self.efforts.fill(0.0);
        if let Err(failure) = self.advance(world, acting, h, &mut report) {
            std::mem::swap(&mut self.memory, &mut self.before);
            return Err((failure, report));
        }
        for effort in &mut self.efforts {
            *effort /= h;
        }
        let (sites, w) = (self.sites(), &self.memory.weights);
        let full = |g: &&std::ops::Range<usize>| w[(*g).clone()].iter().sum::<f64>() > 1.0 - SATURATED;
        report.saturated = sites.groups().iter().filter(full).count() as u32;
        report.deepest = sites.deepest();
        q.copy_from_slice(&self.q);
        v.copy_from_slice(&self.v);
        Ok(report)
    }

    /// Advances by h, in halves where that fails: (1).
    fn advance(
        &mut self,
        world: &World,
        acting: &Acting<'_>,
        h: f64,
        report: &mut NmdpReport,
    ) -> Result<(), Failure> {
        match self.part(world, acting, h, report) {
            Ok(()) => Ok(()),
            Err(failure) => {
                report.note_failure(failure);
                if 0.5 * h < self.params.min_step {
                    return Err(failure);
                }
                self.advance(world, acting, 0.5 * h, report)?;
                self.advance(world, acting, 0.5 * h, report)
            }
        }
    }

    /// A part of a step, which succeeds or changes nothing.
    fn part(
        &mut self,
        world: &World,
        acting: &Acting<'_>,
        h: f64,
        report: &mut NmdpReport,
    ) -> Result<(), Failure> {
        let last = self.memory.last_step;
        let last_h = if last > 0.0 { last } else { h };
        let Acting { control, generalized } = *acting;
        let NmdpMemory { mean, v_before, .. } = &self.memory;
        let before = (!mean.is_empty()).then_some(Before { mean, v: v_before });
        let start = Start { q: &self.q, v: &self.v, h, last_h, control, generalized, before };
        self.w.copy_from_slice(&self.memory.weights);
        let mut beta = self.memory.beta;
        match &mut self.solver {
            Solver::Forward(forward) => forward.step(world, &start, &mut self.nu, &mut self.w, report)?,
            Solver::Implicit(pgm) => {
                let mut at = Iterate { nu: &mut self.nu, w: &mut self.w, beta: &mut beta };
                pgm.step(world, &start, &self.params, &mut at, report)?;
            }
        }
        integrate_into(&world.model, &self.q, &self.nu, h, &mut self.q_next);
        normalize(&world.model, &mut self.q_next);
        if !self.q_next.iter().chain(&self.nu).all(|x| x.is_finite()) {
            return Err(Failure::NotFinite);
        }
        self.q.copy_from_slice(&self.q_next);
        self.remember_velocities();
        self.memory.weights.copy_from_slice(&self.w);
        (self.memory.beta, self.memory.last_step) = (beta, h);
        report.parts += 1;
        report.smallest_part = report.smallest_part.min(h);
        self.add_impulses(h);
        Ok(())
    }

    /// Moves v to the end of the part; keeps what the next one needs for two-step differences, unless a contact began or ended.
    fn remember_velocities(&mut self) {
        let end = match &self.solver {
            Solver::Forward(_) => &self.nu,
            Solver::Implicit(pgm) => &pgm.residual.end.v,
        };
        let NmdpMemory { mean, v_before, weights, .. } = &mut self.memory;
        mean.clear();
        v_before.clear();
        if self.params.differences == 2 && self.method.is_newton_euler() {
            let sites = match &self.solver {
                Solver::Forward(forward) => &forward.sites,
                Solver::Implicit(pgm) => &pgm.residual.sites,
            };
            let acts =
                |w: &[f64], group: &std::ops::Range<usize>| w[group.clone()].iter().sum::<f64>() > ACTS;
            if sites.groups().iter().all(|g| acts(weights, g) == acts(&self.w, g)) {
                mean.extend_from_slice(&self.nu);
                v_before.extend_from_slice(&self.v);
            }
        }
        self.v.copy_from_slice(end);
    }

    fn add_impulses(&mut self, h: f64) {
        let (sites, efforts) = match &self.solver {
            Solver::Forward(forward) => (&forward.sites, &forward.efforts),
            Solver::Implicit(pgm) => (&pgm.residual.sites, &pgm.residual.efforts),
        };
        for (k, impulse) in self.impulses.iter_mut().enumerate() {
            *impulse += sites.wrench(k, &self.w).0 * h;
        }
        let first = sites.vertices.len();
        for (impulse, group) in self.dof_impulses.iter_mut().zip(&sites.groups()[sites.bodies.len()..]) {
            for k in group.clone() {
                *impulse += h * self.w[k] * sites.efforts[k - first];
            }
        }
        for (mean, effort) in self.efforts.iter_mut().zip(&efforts.exerted) {
            *mean += h * effort;
        }
    }
}

/// A set whose weights sum to this acts [–].
const ACTS: f64 = 1e-9;
/// A set whose weights sum to this much less than one counts as saturated [–].
const SATURATED: f64 = 1e-6;
