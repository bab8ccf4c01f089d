//! `mujoco-pyramidal`: [`crate::mujoco`] with four-sided pyramids, which are MuJoCo's own default.
//!
//! The law and its equations are those of [`stiction_contact::soft::mujoco`]; friction along the tangents of
//! the contact frame is that of the disc, between them down to 1/√2 of it. Units, cost and memory as there.

use crate::error::ParamError;
use crate::mujoco::{Algorithm, FrictionCone, Mujoco, MujocoParams};
use serde::Deserialize;
use stiction_contact::{ConstraintProblem, ContactSolver, Law, Needs, SolveReport, Watch};

/// As [`MujocoParams`], the cone being settled.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MujocoPyramidalParams {
    /// Stop when the residual is below this [m/s].
    pub tolerance: f64,
    /// Newton steps, directions or sweeps before giving up; Newton takes a few tens [–].
    pub max_iterations: u32,
    pub algorithm: Algorithm,
    /// Sweeps without slip after the solve; 0 is MuJoCo's default, 5 … 20 are typical [–].
    pub noslip_iterations: u32,
}

impl Default for MujocoPyramidalParams {
    fn default() -> Self {
        let MujocoParams { tolerance, max_iterations, algorithm, noslip_iterations, .. } =
            MujocoParams::default();
        Self { tolerance, max_iterations, algorithm, noslip_iterations }
    }
}

/// See the module.
pub struct MujocoPyramidal(Mujoco);

impl MujocoPyramidal {
    pub const NAME: &str = "mujoco-pyramidal";

    pub fn new(params: MujocoPyramidalParams) -> Result<Self, ParamError> {
        let MujocoPyramidalParams { tolerance, max_iterations, algorithm, noslip_iterations } = params;
        let cone = FrictionCone::Pyramidal;
        Mujoco::new(MujocoParams { tolerance, max_iterations, algorithm, cone, noslip_iterations }).map(Self)
    }
}

impl ContactSolver for MujocoPyramidal {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn law(&self) -> Law {
        self.0.law()
    }

    fn needs(&self) -> Needs {
        self.0.needs()
    }

    fn solve_watched(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        self.0.solve_watched(problem, impulses, watch)
    }

    fn forget(&mut self) {
        self.0.forget();
    }

    fn use_threads(&mut self, threads: usize) {
        self.0.use_threads(threads);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_contact::certificate::natural_map_of;
    use stiction_contact::corpus;

    /// A sliding point: friction is μ λ_N along a tangent and that over √2 between the two.
    #[test]
    fn friction_falls_short_between_the_tangents() {
        let mut solver = MujocoPyramidal::new(MujocoPyramidalParams::default()).unwrap();
        for (angle, share) in [(0.0_f64, 1.0), (45.0, std::f64::consts::FRAC_1_SQRT_2)] {
            let (s, c) = angle.to_radians().sin_cos();
            let problem = corpus::point(1.0, 0.5, [3.0 * c, 3.0 * s, -0.1]);
            let mut x = vec![0.0; 3];
            assert!(solver.solve(&problem, &mut x).converged());
            assert!(natural_map_of(&problem, &x, Law::MujocoPyramidal) < 1e-8);
            assert!((x[0].hypot(x[1]) / (0.5 * x[2]) - share).abs() < 1e-9, "{angle}: {x:?}");
        }
    }
}
