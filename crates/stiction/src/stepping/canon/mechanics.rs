//! M, forces by cause, and their derivatives at one q and v, for (1) of [`super::theta`].

use stiction_assembly::forces::GravityCompensation;
use stiction_assembly::forces::actuators::{self, effort_and_slopes};
use stiction_assembly::forces::tendons::length_and_rate;
use stiction_assembly::laws::spring::{held_damper, held_spring};
use stiction_dynamics::{
    Accelerations, ColumnRates, CrbaWorkspace, Dual, Kinematics, MassMatrix, RneaDerivatives, RneaWorkspace,
    Velocities, bias_into, crba_into, integrate_into, kinetic_energy, potential_energy, spring_energy,
};
use stiction_world::World;

/// The receipts of one q and v, and what follows from them.
pub(crate) struct Mechanics {
    pub(super) kin: Kinematics,
    pub(super) vel: Velocities,
    pub(super) mass: MassMatrix,
    /// Forces by cause.
    pub(super) forces: Forces,
    /// Stiffness and damping of joint springs and dampers on the dofs.
    pub(super) springs: Vec<f64>,
    pub(super) dampers: Vec<f64>,
    /// Index into q of every dof of a scalar joint.
    q_of_dof: Vec<usize>,
    rnea: RneaWorkspace,
    crba: CrbaWorkspace,
    gravity_compensation: GravityCompensation,
    derivatives: Derivatives,
}

/// Generalized forces on the dofs, by cause [N or N·m].
pub(crate) struct Forces {
    /// Gravity, gyroscopic and Coriolis forces, and carried weight.
    pub(super) inertial: Vec<f64>,
    pub(super) springs: Vec<f64>,
    pub(super) damping: Vec<f64>,
    pub(super) actuators: Vec<f64>,
    /// Per actuator: its effort, and the derivatives of that by length and rate without its limit.
    pub(super) efforts: Vec<f64>,
    pub(super) slopes: Vec<[f64; 2]>,
    /// Per actuator: its effort is at its limit, where it does not depend on q and v.
    pub(super) at_limit: Vec<bool>,
}

/// −∂/∂q and −∂/∂v of the forces of gravity and inertia, v̇ = 0.
struct Derivatives {
    rates: ColumnRates,
    accelerations: Accelerations,
    still: Vec<f64>,
    of_bias: RneaDerivatives,
}

impl Mechanics {
    pub(super) fn new(world: &World) -> Self {
        let model = &world.model;
        let numbers = || vec![0.0; model.nv()];
        let n = world.actuators.len();
        let mut mechanics = Self {
            kin: Kinematics::new(model),
            vel: Velocities::new(model),
            mass: MassMatrix::new(model),
            forces: Forces {
                inertial: numbers(),
                springs: numbers(),
                damping: numbers(),
                actuators: numbers(),
                efforts: vec![0.0; n],
                slopes: vec![[0.0; 2]; n],
                at_limit: vec![false; n],
            },
            springs: Vec::new(),
            dampers: Vec::new(),
            q_of_dof: actuators::q_of_dofs(world),
            rnea: RneaWorkspace::new(model),
            crba: CrbaWorkspace::new(model),
            gravity_compensation: GravityCompensation::new(world),
            derivatives: Derivatives {
                rates: ColumnRates::new(model),
                accelerations: Accelerations::new(model),
                still: numbers(),
                of_bias: RneaDerivatives::new(model),
            },
        };
        mechanics.take_numbers(world);
        mechanics
    }

    /// Takes the inertias, springs and dampers of `world`.
    pub(super) fn take_numbers(&mut self, world: &World) {
        let model = &world.model;
        self.kin.set_inertias(model);
        self.springs.clear();
        self.springs.resize(model.nv(), 0.0);
        for (_, joint) in model.springs() {
            self.springs[joint.idx_v..joint.idx_v + joint.kind.nv()].fill(joint.stiffness);
        }
        self.dampers.clear();
        self.dampers.extend(model.dofs.iter().map(|d| d.damping));
    }

    /// Where and how fast everything is.
    pub(super) fn look(&mut self, world: &World, q: &[f64], v: &[f64]) {
        self.kin.update(&world.model, q);
        self.vel.update(&world.model, &self.kin, v);
    }

    /// Mass matrix where [`Self::look`] looked.
    pub(super) fn find_mass(&mut self, world: &World) {
        crba_into(&world.model, &self.kin, &mut self.crba, &mut self.mass);
    }

    /// Forces where [`Self::look`] looked, which was at `q` and `v`.
    pub(super) fn find_forces(&mut self, world: &World, (q, v): (&[f64], &[f64]), control: &[f64]) {
        let model = &world.model;
        let Self { kin, vel, rnea, forces, q_of_dof, .. } = self;
        bias_into(model, kin, vel, rnea, &mut forces.inertial);
        forces.inertial.iter_mut().for_each(|b| *b = -*b);
        self.gravity_compensation.add(world, kin, &mut forces.inertial);
        for (i, dof) in model.dofs.iter().enumerate() {
            forces.damping[i] = held_damper(dof.damping, v[i]);
        }
        forces.springs.fill(0.0);
        for (_, joint) in model.springs() {
            let stretch = joint.spring_stretch(&q[joint.idx_q..]);
            for (k, stretch) in stretch.iter().enumerate().take(joint.kind.nv()) {
                forces.springs[joint.idx_v + k] = held_spring(joint.stiffness, *stretch);
            }
        }
        forces.actuators.fill(0.0);
        for (i, a) in world.actuators.iter().enumerate() {
            let u = control.get(i).copied().unwrap_or(0.0);
            let (length, rate) = length_and_rate(&a.transmission, q, v, q_of_dof);
            let law = actuators::law(a);
            let Dual { value: wanted, tangent: [by_length, by_rate, _] } =
                effort_and_slopes(&law, u, length, rate);
            let effort = law.limited(wanted);
            (forces.efforts[i], forces.at_limit[i]) = (effort, effort != wanted);
            forces.slopes[i] = [by_length, by_rate];
            for &(dof, c) in &a.transmission {
                forces.actuators[dof] += c * effort;
            }
        }
    }

    /// The sum of all forces on the dofs, those `given` from outside among them.
    pub(super) fn total<'a>(&'a self, given: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let Forces { inertial, springs, damping, actuators, .. } = &self.forces;
        let given = move |i: usize| given.get(i).copied().unwrap_or(0.0);
        (0..inertial.len()).map(move |i| inertial[i] + springs[i] + damping[i] + actuators[i] + given(i))
    }

    /// Powers of actuators, of the forces `given` from outside, and of dampers at the velocity `v` [W].
    pub(super) fn powers(&self, v: &[f64], given: &[f64]) -> [f64; 3] {
        let Forces { actuators, damping, .. } = &self.forces;
        let mut powers = [0.0; 3];
        for (i, v) in v.iter().enumerate() {
            powers[0] += v * actuators[i];
            powers[1] += v * given.get(i).copied().unwrap_or(0.0);
            powers[2] += v * damping[i];
        }
        powers
    }

    /// Derivatives of the inertial forces where [`Self::look`] looked, at the velocity `v`.
    pub(super) fn find_derivatives(&mut self, world: &World, v: &[f64]) {
        let model = &world.model;
        let Self { kin, vel, derivatives: Derivatives { rates, accelerations, still, of_bias }, .. } = self;
        rates.update(model, kin, vel, v);
        accelerations.update(model, kin, vel, rates, v, still);
        of_bias.update(model, kin, vel, rates, accelerations);
    }

    /// (a ∂f/∂v + b ∂f/∂q) x of the inertial forces f, into `out`.
    pub(super) fn inertial_change_into(&self, [a, b]: [f64; 2], x: &[f64], out: &mut [f64]) {
        let of_bias = &self.derivatives.of_bias;
        let n = x.len();
        for (i, out) in out.iter_mut().enumerate() {
            let row = i * n..(i + 1) * n;
            let terms = of_bias.tau_v[row.clone()].iter().zip(&of_bias.tau_q[row]).zip(x);
            *out = -terms.map(|((by_v, by_q), x)| (a * by_v + b * by_q) * x).sum::<f64>();
        }
    }

    /// a ∂f/∂v + b ∂f/∂q of the effort f of actuator `i` along its length; at its limit that of the law.
    pub(super) fn actuator_gain(&self, i: usize, [a, b]: [f64; 2]) -> f64 {
        let [by_length, by_rate] = self.forces.slopes[i];
        a * by_rate + b * by_length
    }

    /// (a ∂f/∂v + b ∂f/∂q) x of the efforts f of actuators that are not at their limits, added to `out`.
    pub(super) fn add_actuator_change(&self, world: &World, by: [f64; 2], x: &[f64], out: &mut [f64]) {
        for (i, a) in world.actuators.iter().enumerate().filter(|(i, _)| !self.forces.at_limit[*i]) {
            let rate: f64 = a.transmission.iter().map(|&(d, c)| c * x[d]).sum();
            let change = self.actuator_gain(i, by) * rate;
            for &(dof, c) in &a.transmission {
                out[dof] += c * change;
            }
        }
    }

    /// T, U of gravity and of springs where [`Self::look`] looked, and the work of what carries weight on the
    /// way there from the origin [J].
    pub(super) fn energies(&self, world: &World, (q, v): (&[f64], &[f64])) -> [f64; 4] {
        let model = &world.model;
        let kinetic = kinetic_energy(model, &self.kin, &self.vel, v);
        let carried = self.gravity_compensation.forces(&self.kin).map(|(_, p, force)| p.dot(force)).sum();
        [kinetic, potential_energy(model, &self.kin), spring_energy(model, q), carried]
    }

    /// E less the work of what carries weight, at (δ, v) in the chart about `q_start` [J].
    pub(super) fn energy_in_chart(&mut self, world: &World, q_start: &[f64], moving: &[f64]) -> f64 {
        let (delta, v) = moving.split_at(moving.len() / 2);
        let mut q = q_start.to_vec();
        integrate_into(&world.model, q_start, delta, 1.0, &mut q);
        self.look(world, &q, v);
        let [kinetic, gravity, springs, carried] = self.energies(world, (&q, v));
        kinetic + gravity + springs - carried
    }
}
