//! Accelerations and forces of a state that no step has led to: after loading, setting and resetting.
//!
//! A probe makes two steps from the state, of h and of h/2, and what is linear in the step is taken out:
//!
//! ```text
//!     v̇ = 2 (v⁺(h/2) − v)/(h/2) − (v⁺(h) − v)/h,   likewise forces and efforts            (1)
//! ```
//!
//! Where bodies meet in the state the law of rigid contact defines an impulse, and no force: the change of velocity does not
//! shrink with the step. There the means over one step of the simulation are given, as after a step. Efforts of actuators are
//! those of their laws in the state: a probe takes stiff servos at the end of its step.

use stiction::assembly::forces::actuators;
use stiction::assembly::forces::tendons::length_and_rate;
use stiction::dynamics::spatial::Vec3;
use stiction::world::{Actuator, World};
use stiction::{ContactState, Settings, Simulation, State, StepStatus};

/// h of (1), as a share of the simulation's step.
const SHARE: f64 = 0.125;

/// An impulse: the acceleration of the shorter step is larger by this factor.
const IMPULSE: f64 = 1.5;

/// Two probes, and what they found last.
pub struct Forward {
    probes: [Simulation; 2],
    /// The means over a step of the simulation, once bodies met, and the settings of such a step.
    whole: Option<Simulation>,
    settings: Settings,
    key: Vec<u64>,
    pub found: Found,
}

/// Accelerations and forces of a state.
#[derive(Clone, Default)]
pub struct Found {
    /// v̇ [m/s² or rad/s²].
    pub acceleration: Vec<f64>,
    pub contacts: Vec<ContactState>,
    /// Effort of every actuator [N or N·m].
    pub efforts: Vec<f64>,
}

impl Forward {
    pub fn new(sim: &Simulation) -> Result<Self, String> {
        let settings = Settings { threads: 1, ..sim.settings().clone() };
        let with = |share: f64| -> Result<Simulation, String> {
            let mut settings = settings.clone();
            settings.stepper.dt *= share;
            // Impulses shrink with the step, and what is still wrong in them must too.
            settings.tolerance *= share * share;
            Simulation::new(sim.shared_world(), sim.state().clone(), settings).map_err(|e| e.to_string())
        };
        Ok(Self {
            probes: [with(SHARE)?, with(0.5 * SHARE)?],
            whole: None,
            settings,
            key: Vec::new(),
            found: Found::default(),
        })
    }

    /// Accelerations and forces of a state under controls and applied efforts.
    pub fn of(&mut self, state: &State, control: &[f64], efforts: &[f64]) -> Result<&Found, String> {
        let all = state.q.iter().chain(&state.v).chain(control).chain(efforts);
        let key: Vec<u64> = all.map(|x| x.to_bits()).collect();
        if self.key == key {
            return Ok(&self.found);
        }
        self.key.clear();
        let [long, short] = &mut self.probes;
        let coarse = Self::probe(long, state, control, efforts)?;
        let fine = Self::probe(short, state, control, efforts)?;
        let largest = |x: &[f64]| x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let apart = coarse.acceleration.iter().zip(&fine.acceleration).map(|(a, b)| (a - b).abs());
        let impulse = apart.fold(0.0_f64, f64::max) > 1.0
            && largest(&fine.acceleration) > IMPULSE * largest(&coarse.acceleration);
        let world = long.shared_world();
        self.found = if impulse {
            let whole = match self.whole.take() {
                Some(whole) => whole,
                None => Simulation::new(world.clone(), state.clone(), self.settings.clone())
                    .map_err(|e| e.to_string())?,
            };
            Self::probe(self.whole.insert(whole), state, control, efforts)?
        } else {
            between(&coarse, fine)
        };
        self.found.efforts = efforts_in(&world, state, control);
        self.key = key;
        Ok(&self.found)
    }

    /// One step of a probe: its result, or why it failed.
    fn probe(
        probe: &mut Simulation,
        state: &State,
        control: &[f64],
        efforts: &[f64],
    ) -> Result<Found, String> {
        probe.set_state(state.clone()).map_err(|e| e.to_string())?;
        probe.control_mut().copy_from_slice(control);
        probe.generalized_mut().copy_from_slice(efforts);
        if let StepStatus::Failed(cause) = probe.step().status {
            return Err(format!("the present state has no accelerations: a step from it fails: {cause}"));
        }
        let per_second = 1.0 / probe.settings().stepper.dt;
        let mut found = Found::default();
        let rates = probe.state().v.iter().zip(&state.v).map(|(after, v)| (after - v) * per_second);
        found.acceleration = rates.collect();
        probe.contacts_into(&mut found.contacts);
        Ok(found)
    }
}

/// Effort of every actuator of a world in a state under controls, within its limit [N or N·m].
pub fn efforts_in(world: &World, state: &State, control: &[f64]) -> Vec<f64> {
    let q_of_dof = actuators::q_of_dofs(world);
    let effort = |(a, u): (&Actuator, &f64)| {
        let (length, rate) = length_and_rate(&a.transmission, &state.q, &state.v, &q_of_dof);
        let law = actuators::law(a);
        law.limited(law.effort(*u, length, rate))
    };
    world.actuators.iter().zip(control).map(effort).collect()
}

/// Two steps, of h and of h/2, as (1) has it.
fn between(coarse: &Found, fine: Found) -> Found {
    let numbers = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| 2.0 * b - a).collect();
    let vector = |a: Vec3, b: Vec3| b * 2.0 - a;
    let same = coarse.contacts.len() == fine.contacts.len()
        && coarse.contacts.iter().zip(&fine.contacts).all(|(a, b)| a.geometries == b.geometries);
    let mut contacts = fine.contacts;
    if same {
        for (b, a) in contacts.iter_mut().zip(&coarse.contacts) {
            b.force = vector(a.force, b.force);
            b.moment = vector(a.moment, b.moment);
        }
    }
    Found { acceleration: numbers(&coarse.acceleration, &fine.acceleration), efforts: Vec::new(), contacts }
}
