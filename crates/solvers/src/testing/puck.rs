//! A point that a compliant contact carries, step after step.

use super::GRAVITY;
use stiction_contact::{Cone, ConstraintProblem, ContactSolver, Material, Softness};

/// A point of `mass` on the plane z = 0, pulled along x.
#[derive(Clone, Copy)]
pub(crate) struct Puck {
    pub(crate) mass: f64,
    /// What resists along the plane: the mass, or much more to hold a speed.
    pub(crate) tangential_mass: f64,
    pub(crate) mu: f64,
    /// [N]
    pub(crate) pull: f64,
    pub(crate) step: f64,
    pub(crate) velocity: [f64; 3],
    pub(crate) gap: f64,
    pub(crate) material: Material,
}

impl Puck {
    pub(crate) fn new(mass: f64, mu: f64, pull: f64) -> Self {
        let (velocity, material) = ([0.0; 3], Material::default());
        Self { mass, tangential_mass: mass, mu, pull, step: 0.005, velocity, gap: 0.0, material }
    }

    pub(crate) fn weight(&self) -> f64 {
        self.mass * GRAVITY
    }

    /// The problem of the next step.
    pub(crate) fn problem(&self) -> ConstraintProblem {
        let (h, v) = (self.step, self.velocity);
        let (t, n) = (1.0 / self.tangential_mass, 1.0 / self.mass);
        let mut problem = ConstraintProblem::default();
        problem.time_step = h;
        problem.push(Cone::Friction { mu: self.mu }, &[v[0] + h * self.pull * t, v[1], v[2] - h * GRAVITY]);
        let (start, blocks) = problem.starts_and_blocks_mut();
        blocks.set_pattern(start, |i, out| out.push(i));
        blocks.entry_mut(0).copy_from_slice(&[t, 0.0, 0.0, 0.0, t, 0.0, 0.0, 0.0, n]);
        let (gap, material) = (self.gap, self.material);
        problem.softness.push(Softness { gap, velocity: v, material, ..Softness::default() });
        problem
    }

    /// Steps until nothing changes any more.
    pub(crate) fn settle(&mut self, solver: &mut dyn ContactSolver) {
        let mut impulses = [0.0; 3];
        for _ in 0..5000 {
            let problem = self.problem();
            assert!(solver.solve(&problem, &mut impulses).converged());
            let (before, mut c) = (self.velocity, Vec::new());
            problem.velocities_into(&impulses, &mut c);
            self.velocity.copy_from_slice(&c);
            self.gap += self.step * c[2];
            let steady = |a: &f64, b: &f64| (a - b).abs() < 1e-9 * b.abs() + 1e-14;
            if before.iter().zip(&c).take(2).all(|(a, b)| steady(a, b)) && c[2].abs() < 1e-12 {
                return;
            }
        }
        panic!("still moving: {:?}, gap {}", self.velocity, self.gap);
    }
}

/// |a − b| relative to b.
pub(crate) fn apart(a: f64, b: f64) -> f64 {
    (a - b).abs() / b.abs()
}
