//! A simulation in which everything acts that its scene names: controls, forces and the motion that actuators follow.

use stiction::{SetupError, Simulation, StepReport};
use stiction_scene::{Force, Motion, Setup};

/// The simulation of a scene. [`Simulation::step`] alone would leave its forces and its motion out.
pub struct Driven {
    sim: Simulation,
    forces: Vec<Force>,
    motion: Option<Motion>,
}

impl Driven {
    /// Ready at the first state.
    pub fn new(setup: Setup) -> Result<Self, SetupError> {
        let mut sim = Simulation::new(setup.world, setup.state, setup.settings)?;
        sim.control_mut().copy_from_slice(&setup.control);
        Ok(Self { forces: setup.forces, motion: setup.motion, sim })
    }

    /// The simulation, to look at.
    pub fn sim(&self) -> &Simulation {
        &self.sim
    }

    /// The simulation, to change; its own `step` leaves forces and motion out.
    pub fn sim_mut(&mut self) -> &mut Simulation {
        &mut self.sim
    }

    /// True if forces or a motion act.
    pub fn is_driven(&self) -> bool {
        !self.forces.is_empty() || self.motion.is_some()
    }

    /// Lets forces and motion act in the next step.
    pub fn act(&mut self) {
        let Self { sim, forces, motion } = self;
        forces.iter().for_each(|force| force.apply(sim));
        if let Some(motion) = motion {
            motion.apply(sim);
        }
    }

    /// One step in which they act.
    pub fn step(&mut self) -> StepReport {
        self.act();
        self.sim.step()
    }
}

/// Nothing acts but what is applied by hand.
impl From<Simulation> for Driven {
    fn from(sim: Simulation) -> Self {
        Self { sim, forces: Vec::new(), motion: None }
    }
}
