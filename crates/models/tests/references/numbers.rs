//! Our numbers in one state, and how far they are from those of others.

use stiction_dynamics::spatial::Vec3;
use stiction_dynamics::{
    CrbaWorkspace, Kinematics, MassMatrix, Model, RneaWorkspace, Velocities, bias_into, centre_of_mass,
    crba_into, kinetic_energy, potential_energy, spring_energy,
};

/// Our numbers in one state.
pub(crate) struct Ours {
    pub(crate) M: Vec<Vec<f64>>,
    pub(crate) bias: Vec<f64>,
    /// Of the moving bodies.
    pub(crate) com: Vec3,
    pub(crate) kinetic: f64,
    /// Of the moving bodies, without springs.
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

/// The largest relative error of every quantity; vectors relative to their largest entry, the
/// entries of M to √(M_ii M_jj).
#[derive(Debug)]
pub(crate) struct Worst {
    name: String,
    errors: Vec<(&'static str, f64)>,
}

impl Worst {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), errors: Vec::new() }
    }

    fn add(&mut self, what: &'static str, error: f64) {
        // A NaN must not vanish in a maximum.
        let error = if error.is_nan() { f64::INFINITY } else { error };
        match self.errors.iter_mut().find(|e| e.0 == what) {
            Some(e) => e.1 = e.1.max(error),
            None => self.errors.push((what, error)),
        }
    }

    pub(crate) fn matrix(&mut self, ours: &[Vec<f64>], theirs: &[Vec<f64>]) {
        assert_eq!(ours.len(), theirs.len(), "{}: size of M", self.name);
        for (i, (a, b)) in ours.iter().zip(theirs).enumerate() {
            for (j, (x, y)) in a.iter().zip(b).enumerate() {
                self.add("M", (x - y).abs() / (theirs[i][i] * theirs[j][j]).sqrt());
            }
        }
    }

    pub(crate) fn vector(&mut self, what: &'static str, ours: &[f64], theirs: &[f64]) {
        self.vector_above(what, ours, theirs, 1e-300);
    }

    /// As [`Self::vector`], for vectors that may vanish: relative to `floor` at least.
    pub(crate) fn vector_above(&mut self, what: &'static str, ours: &[f64], theirs: &[f64], floor: f64) {
        assert_eq!(ours.len(), theirs.len(), "{}: {what}", self.name);
        let scale = theirs.iter().fold(floor, |m: f64, x| m.max(x.abs()));
        for (x, y) in ours.iter().zip(theirs) {
            self.add(what, (x - y).abs() / scale);
        }
    }

    pub(crate) fn scalar(&mut self, what: &'static str, ours: f64, theirs: f64) {
        self.add(what, (ours - theirs).abs() / theirs.abs().max(1e-9));
    }

    pub(crate) fn largest(&self) -> f64 {
        self.errors.iter().map(|e| e.1).fold(0.0, f64::max)
    }

    pub(crate) fn print(&self) {
        let errors: Vec<_> = self.errors.iter().map(|(what, e)| format!("{what} {e:.1e}")).collect();
        println!("{:24} {}", self.name, errors.join("  "));
    }
}
