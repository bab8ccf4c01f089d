//! Work done from outside during a run.
//!
//! ```text
//!     W = Σ_k h τ_k · (v_k + v_{k+1})/2        τ: efforts of the actuators at the joints, or forces of the scene  [J]
//! ```

use stiction::Simulation;

/// Sums over the steps so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    /// Work of the actuators [J].
    pub(crate) actuators: f64,
    /// Work of the forces that the scene applies [J].
    pub(crate) forces: f64,
    /// Before the step: velocities, and generalized forces of the scene.
    before: (Vec<f64>, Vec<f64>),
    efforts: Vec<f64>,
}

impl Work {
    /// Just before a step, forces applied.
    pub(crate) fn before_step(&mut self, sim: &mut Simulation) {
        let (v, forces) = &mut self.before;
        v.clone_from(&sim.state().v);
        forces.clear();
        forces.extend_from_slice(sim.generalized_mut());
    }

    /// Just after it, if it was accepted.
    pub(crate) fn after_step(&mut self, sim: &Simulation) {
        let h = sim.settings().stepper.dt;
        let (before, forces) = &self.before;
        let moved = |dof: usize| 0.5 * h * (before[dof] + sim.state().v[dof]);
        self.forces += forces.iter().enumerate().map(|(dof, f)| f * moved(dof)).sum::<f64>();
        sim.efforts_into(&mut self.efforts);
        let actuators = sim.world().actuators.iter().zip(&self.efforts);
        let length = |terms: &[(usize, f64)]| terms.iter().map(|&(dof, c)| c * moved(dof)).sum::<f64>();
        self.actuators += actuators.map(|(a, effort)| effort * length(&a.transmission)).sum::<f64>();
    }
}
