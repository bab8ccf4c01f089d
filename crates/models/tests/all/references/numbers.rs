//! Our numbers in one state.

use stiction_dynamics::spatial::Vec3;
use stiction_dynamics::{
    CrbaWorkspace, Kinematics, MassMatrix, Model, RneaWorkspace, Velocities, bias_into, centre_of_mass,
    crba_into, kinetic_energy, potential_energy, spring_energy,
};

/// Our numbers in one state.
pub(crate) struct Ours {
    pub(crate) M: Vec<Vec<f64>>,
    pub(crate) bias: Vec<f64>,
    /// Centre of mass of the moving bodies.
    pub(crate) com: Vec3,
    pub(crate) kinetic: f64,
    /// Potential energy of the moving bodies, without springs.
    pub(crate) potential: f64,
    pub(crate) springs: f64,
}

impl Ours {
    pub(crate) fn at(model: &Model, q: &[f64], v: &[f64]) -> Self {
        let mut kin = Kinematics::new(model);
        kin.update(model, q);
        let mut vel = Velocities::new(model);
        vel.update(model, &kin, v);
        let mut mass = MassMatrix::new(model);
        crba_into(model, &kin, &mut CrbaWorkspace::new(model), &mut mass);
        let mut bias = vec![0.0; model.nv()];
        bias_into(model, &kin, &vel, &mut RneaWorkspace::new(model), &mut bias);
        Self {
            M: mass.to_dense().chunks(model.nv()).map(<[f64]>::to_vec).collect(),
            bias,
            com: centre_of_mass(model, &kin),
            kinetic: kinetic_energy(model, &kin, &vel, v),
            potential: potential_energy(model, &kin),
            springs: spring_energy(model, q),
        }
    }
}
