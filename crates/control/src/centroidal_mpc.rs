//! Convex model predictive control of the trunk: the forces of the feet over a horizon.
//!
//! The robot is one rigid body of mass m and inertia I about its centre of mass, pushed at its feet [DiCarlo2018]. With
//! p its position, Θ = (roll, pitch, yaw) small but for the yaw ψ, v and ω its velocities, all in W, r_i the way from the
//! centre of mass to foot i, and Δ the step of the prediction:
//!
//! ```text
//!     a = Σ f_i/m + g,    α = I⁻¹ Σ r_i × f_i,    T = R_z(ψ)ᵀ                       (1)
//!     p⁺ = p + Δ v + Δ²/2 a             v⁺ = v + Δ a
//!     Θ⁺ = Θ + Δ T ω + Δ²/2 T α         ω⁺ = ω + Δ α                                (2)
//!     minimise  ½ Σ_k (x_k − x̂_k)ᵀ Q (x_k − x̂_k) + ½ R Σ_k Σ_i ‖f_ik‖²
//!     subject to (2) and, of the feet that stand,  |f_x| ≤ μ f_z, |f_y| ≤ μ f_z, f_min ≤ f_z ≤ f_max     (3)
//! ```
//!
//! I and ψ are those of the reference x̂, r_i of where the robot is expected; ω × I ω is left out; feet that swing push nothing. (3) is the cone with four
//! facets round Coulomb's cone; with μ/√2 in place of μ it is the one within. The program is solved to optimality by an
//! interior-point method. Units: m, rad, s, N.

use crate::ControlError;
use crate::gait::LEGS;
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{NonnegativeConeT, ZeroConeT};
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus};
use serde::{Deserialize, Serialize};
use stiction_dynamics::spatial::{Mat3, Quat, Vec3, vec3};

/// Numbers of a state: position, angles, velocity, angular velocity.
const NX: usize = 12;
/// Offsets of the four in a state.
const P: usize = 0;
const THETA: usize = 3;
const V: usize = 6;
const W: usize = 9;

/// Motion of the trunk as one body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CentroidalState {
    /// Centre of mass [m, in W].
    pub position: Vec3,
    /// Roll, pitch, yaw [rad]: R_WB = R_z(yaw) R_y(pitch) R_x(roll).
    pub angles: Vec3,
    /// Velocity of the centre of mass [m/s, in W].
    pub velocity: Vec3,
    /// Angular velocity of the trunk [rad/s, in W].
    pub angular_velocity: Vec3,
}

impl CentroidalState {
    fn to_array(self) -> [f64; NX] {
        let mut x = [0.0; NX];
        let parts = [self.position, self.angles, self.velocity, self.angular_velocity];
        for (x, part) in x.chunks_exact_mut(3).zip(parts) {
            x.copy_from_slice(&part.to_array());
        }
        x
    }

    fn of(x: &[f64]) -> Self {
        let at = |k: usize| vec3(x[k], x[k + 1], x[k + 2]);
        Self { position: at(P), angles: at(THETA), velocity: at(V), angular_velocity: at(W) }
    }
}

/// Q and R of the objective.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MpcWeights {
    /// Weights of the position [1/m²].
    pub position: [f64; 3],
    /// Weights of roll, pitch, yaw [1/rad²].
    pub angles: [f64; 3],
    /// Weights of the velocity [s²/m²].
    pub velocity: [f64; 3],
    /// Weights of the angular velocity [s²/rad²].
    pub angular_velocity: [f64; 3],
    /// R, the weight of forces [1/N²].
    pub force: f64,
}

/// Weights for Solo-12, in the proportions of [Leziart2021] but for the velocity sideways, where a trunk that sways over narrow feet takes
/// ten times as much to go as fast as it is told.
impl Default for MpcWeights {
    fn default() -> Self {
        Self {
            position: [2.0, 2.0, 20.0],
            angles: [2.0, 2.0, 10.0],
            velocity: [0.5, 5.0, 0.2],
            angular_velocity: [0.01, 0.01, 0.3],
            force: 5e-5,
        }
    }
}

impl MpcWeights {
    fn to_array(self) -> [f64; NX] {
        let mut x = [0.0; NX];
        let parts = [self.position, self.angles, self.velocity, self.angular_velocity];
        for (x, part) in x.chunks_exact_mut(3).zip(parts) {
            x.copy_from_slice(&part);
        }
        x
    }
}

/// One step of what is planned for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedStep {
    /// x̂ at the start of the step.
    pub reference: CentroidalState,
    /// Where the centre of mass is expected during the step: about it moments are taken [m, in W].
    pub expected: Vec3,
    /// Places of the feet that stand during the step [m, in W].
    pub feet: [Option<Vec3>; LEGS],
}

/// An optimal plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Forces on the feet per step [N, in W]; zero of those that swing.
    pub forces: Vec<[Vec3; LEGS]>,
    /// States at the end of each step.
    pub states: Vec<CentroidalState>,
    /// Iterations of the interior-point method.
    pub iterations: u32,
}

/// The program of (1) to (3) for one robot.
#[derive(Clone, Debug)]
pub struct CentroidalMpc {
    /// m [kg].
    pub mass: f64,
    /// I at zero angles about the centre of mass [kg·m²].
    pub inertia: Mat3,
    /// g [m/s²].
    pub gravity: Vec3,
    /// Δ [s].
    pub step: f64,
    /// μ of (3).
    pub friction: f64,
    /// f_min and f_max [N].
    pub normal_force: [f64; 2],
    pub weights: MpcWeights,
}

impl CentroidalMpc {
    /// Plans from `now` over `steps`; the reference at the end of the last is `last`.
    pub fn plan(
        &self,
        now: &CentroidalState,
        steps: &[PlannedStep],
        last: &CentroidalState,
        t: f64,
    ) -> Result<Plan, ControlError> {
        let N = steps.len();
        // Where the forces of foot i in step k stand among the unknowns.
        let mut columns = vec![[None; LEGS]; N];
        let mut n = NX * N;
        for (columns, step) in columns.iter_mut().zip(steps) {
            for (column, foot) in columns.iter_mut().zip(&step.feet) {
                if foot.is_some() {
                    *column = Some(n);
                    n += 3;
                }
            }
        }
        let (H, q) = self.objective(steps, last, n);
        let (A, b, cones) = self.constraints(now, steps, &columns, n);
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: 1e-8,
            tol_gap_rel: 1e-8,
            tol_feas: 1e-8,
            presolve_enable: false,
            ..DefaultSettings::default()
        };
        let failed = |status: String| ControlError::Program { status, t };
        let mut solver =
            DefaultSolver::new(&H, &q, &A, &b, &cones, settings).map_err(|e| failed(e.to_string()))?;
        solver.solve();
        match solver.solution.status {
            SolverStatus::Solved | SolverStatus::AlmostSolved => {}
            status => return Err(failed(format!("{status:?}"))),
        }
        let x = &solver.solution.x;
        let force = |column: Option<usize>| column.map_or(Vec3::ZERO, |c| vec3(x[c], x[c + 1], x[c + 2]));
        Ok(Plan {
            forces: columns.iter().map(|feet| feet.map(force)).collect(),
            states: x[..NX * N].chunks_exact(NX).map(CentroidalState::of).collect(),
            iterations: solver.solution.iterations,
        })
    }

    /// P and q of ½ xᵀ P x + qᵀ x; P is diagonal.
    fn objective(
        &self,
        steps: &[PlannedStep],
        last: &CentroidalState,
        n: usize,
    ) -> (CscMatrix<f64>, Vec<f64>) {
        let weights = self.weights.to_array();
        let (mut diagonal, mut q) = (vec![self.weights.force; n], vec![0.0; n]);
        let references = steps.iter().skip(1).map(|s| s.reference).chain([*last]);
        for (k, reference) in references.enumerate() {
            for (i, (weight, x)) in weights.iter().zip(reference.to_array()).enumerate() {
                diagonal[NX * k + i] = *weight;
                q[NX * k + i] = -weight * x;
            }
        }
        (CscMatrix::new(n, n, (0..=n).collect(), (0..n).collect(), diagonal), q)
    }

    /// A, b and cones of A x + s = b: (2) with s = 0, (3) with s ≥ 0.
    fn constraints(
        &self,
        now: &CentroidalState,
        steps: &[PlannedStep],
        columns: &[[Option<usize>; LEGS]],
        n: usize,
    ) -> (CscMatrix<f64>, Vec<f64>, Vec<clarabel::solver::SupportedConeT<f64>>) {
        let (N, h, g) = (steps.len(), self.step, self.gravity);
        let equations = NX * N;
        let (mut entries, mut b) = (Vec::with_capacity(40 * equations), vec![0.0; equations]);
        let inertia_inverse = self.inertia.inverse().unwrap_or_else(|| Quat::IDENTITY.to_matrix());
        let x0 = now.to_array();
        for (k, step) in steps.iter().enumerate() {
            let row = NX * k;
            // Coefficient of state i before the step: an unknown, or known.
            let before =
                |entries: &mut Vec<(usize, usize, f64)>, b: &mut [f64], r: usize, i: usize, a: f64| match k {
                    0 => b[r] += a * x0[i],
                    _ => entries.push((r, NX * (k - 1) + i, -a)),
                };
            let R = Quat::from_rpy(0.0, 0.0, step.reference.angles.z).to_matrix();
            let rates = R.transpose();
            for i in 0..NX {
                entries.push((row + i, row + i, 1.0));
                before(&mut entries, &mut b, row + i, i, 1.0);
            }
            for i in 0..3 {
                before(&mut entries, &mut b, row + P + i, V + i, h);
                b[row + P + i] += 0.5 * h * h * g[i];
                b[row + V + i] += h * g[i];
                for j in 0..3 {
                    let T_ij = rates.column(j)[i];
                    if T_ij != 0.0 {
                        before(&mut entries, &mut b, row + THETA + i, W + j, h * T_ij);
                    }
                }
            }
            let inverse = R * inertia_inverse * rates;
            for (foot, column) in step.feet.iter().zip(&columns[k]) {
                let (Some(foot), Some(column)) = (foot, column) else { continue };
                let r = *foot - step.expected;
                for j in 0..3 {
                    let (c, e) = (column + j, unit(j));
                    let alpha = inverse * r.cross(e);
                    let turned = rates * alpha;
                    entries.push((row + P + j, c, -0.5 * h * h / self.mass));
                    entries.push((row + V + j, c, -h / self.mass));
                    for i in 0..3 {
                        entries.push((row + THETA + i, c, -0.5 * h * h * turned[i]));
                        entries.push((row + W + i, c, -h * alpha[i]));
                    }
                }
            }
        }
        let mu = self.friction;
        for c in columns.iter().flatten().flatten() {
            let mut at_least_zero = |terms: &[(usize, f64)], side: f64| {
                entries.extend(terms.iter().map(|(j, a)| (b.len(), c + j, -a)));
                b.push(side);
            };
            for axis in [0, 1] {
                at_least_zero(&[(axis, 1.0), (2, mu)], 0.0);
                at_least_zero(&[(axis, -1.0), (2, mu)], 0.0);
            }
            at_least_zero(&[(2, 1.0)], -self.normal_force[0]);
            at_least_zero(&[(2, -1.0)], self.normal_force[1]);
        }
        let cones = vec![ZeroConeT(equations), NonnegativeConeT(b.len() - equations)];
        (by_columns(b.len(), n, entries), b, cones)
    }
}

fn unit(j: usize) -> Vec3 {
    [Vec3::X, Vec3::Y, Vec3::Z][j]
}

/// A matrix from (row, column, value).
fn by_columns(rows: usize, n: usize, mut entries: Vec<(usize, usize, f64)>) -> CscMatrix<f64> {
    entries.sort_unstable_by_key(|(r, c, _)| (*c, *r));
    let mut starts = vec![0; n + 1];
    for (_, c, _) in &entries {
        starts[c + 1] += 1;
    }
    for c in 0..n {
        starts[c + 1] += starts[c];
    }
    let (at, values) = entries.iter().map(|(r, _, a)| (*r, *a)).unzip();
    CscMatrix::new(rows, n, starts, at, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solo() -> CentroidalMpc {
        CentroidalMpc {
            mass: 2.5,
            inertia: Mat3::from_columns(vec3(0.03, 0.0, 0.0), vec3(0.0, 0.06, 0.0), vec3(0.0, 0.0, 0.08)),
            gravity: vec3(0.0, 0.0, -9.81),
            step: 0.02,
            friction: 0.5,
            normal_force: [0.0, 25.0],
            // Alike ahead and sideways.
            weights: MpcWeights { velocity: [0.5, 0.5, 0.2], ..MpcWeights::default() },
        }
    }

    fn feet(z: f64) -> [Vec3; LEGS] {
        [(0.19, 0.15), (0.19, -0.15), (-0.19, 0.15), (-0.19, -0.15)].map(|(x, y)| vec3(x, y, z))
    }

    /// Integrates one rigid body under the planned forces, by nothing of the program: R, ω, and Euler's equation.
    fn rolled_out(
        mpc: &CentroidalMpc,
        now: &CentroidalState,
        steps: &[PlannedStep],
        plan: &Plan,
    ) -> CentroidalState {
        let (mut x, parts) = (*now, 100);
        let h = mpc.step / f64::from(parts);
        for (step, forces) in steps.iter().zip(&plan.forces) {
            for _ in 0..parts {
                let mut force = mpc.gravity * mpc.mass;
                let mut moment = Vec3::ZERO;
                for (foot, f) in step.feet.iter().zip(forces) {
                    force += *f;
                    moment += foot.map_or(Vec3::ZERO, |foot| (foot - x.position).cross(*f));
                }
                let [roll, pitch, yaw] = x.angles.to_array();
                let R = Quat::from_rpy(roll, pitch, yaw).to_matrix();
                let I = R * mpc.inertia * R.transpose();
                let gyroscopic = x.angular_velocity.cross(I * x.angular_velocity);
                x.velocity += force * (h / mpc.mass);
                x.angular_velocity += I.inverse().unwrap() * (moment - gyroscopic) * h;
                x.position += x.velocity * h;
                let yawed = Quat::from_rpy(0.0, 0.0, yaw).to_matrix();
                x.angles += yawed.transpose_mul(x.angular_velocity) * h;
            }
        }
        x
    }

    #[test]
    fn a_robot_that_stands_carries_its_weight_and_stays() {
        let mpc = solo();
        let still = CentroidalState { position: vec3(0.0, 0.0, 0.24), ..CentroidalState::default() };
        let step = PlannedStep { reference: still, expected: still.position, feet: feet(0.0).map(Some) };
        let plan = mpc.plan(&still, &[step; 15], &still, 0.0).unwrap();
        for forces in &plan.forces[..10] {
            let total = forces.iter().fold(Vec3::ZERO, |sum, f| sum + *f);
            assert!((total.z - 2.5 * 9.81).abs() < 0.05 * 2.5 * 9.81, "{total:?}");
            assert!(total.x.abs() < 1e-4 && total.y.abs() < 1e-4, "{total:?}");
        }
        assert!((plan.states[14].position - still.position).norm() < 2e-3);
    }

    /// From an error of every kind, on two feet in turn: within the cone, back towards the reference, and as a rigid body
    /// moves that is pushed so.
    #[test]
    fn the_plan_is_admissible_brings_the_trunk_back_and_is_what_a_rigid_body_does() {
        let mpc = solo();
        let reference = CentroidalState { position: vec3(0.0, 0.0, 0.24), ..CentroidalState::default() };
        let now = CentroidalState {
            position: vec3(0.01, -0.01, 0.23),
            angles: vec3(0.04, -0.05, 0.06),
            velocity: vec3(0.1, -0.1, 0.1),
            angular_velocity: vec3(0.3, -0.3, 0.2),
        };
        let mut steps: Vec<PlannedStep> = (0..16)
            .map(|k| {
                let standing = |leg: usize| (k < 8) == (leg == 0 || leg == 3);
                let places = feet(0.0);
                PlannedStep {
                    reference,
                    expected: reference.position,
                    feet: std::array::from_fn(|i| standing(i).then_some(places[i])),
                }
            })
            .collect();
        let mut plan = mpc.plan(&now, &steps, &reference, 0.0).unwrap();
        // Moments are taken where the robot is expected: where the plan before takes it.
        for _ in 0..5 {
            let mut before = now.position;
            for (step, state) in steps.iter_mut().zip(&plan.states) {
                step.expected = (before + state.position) * 0.5;
                before = state.position;
            }
            plan = mpc.plan(&now, &steps, &reference, 0.0).unwrap();
        }
        for (step, forces) in steps.iter().zip(&plan.forces) {
            for (foot, f) in step.feet.iter().zip(forces) {
                let most = mpc.friction * f.z + 1e-6;
                assert!(f.z >= -1e-6 && f.x.abs() <= most && f.y.abs() <= most, "{f:?}");
                assert!(foot.is_some() || *f == Vec3::ZERO);
            }
        }
        // Towards the end of the horizon forces are cheaper than errors that come after it.
        let later = plan.states[9];
        assert!(later.velocity.norm() < 0.5 * now.velocity.norm(), "{later:?}");
        assert!(
            (later.position.z - 0.24).abs() < 5e-3 && later.angles.norm() < 0.5 * now.angles.norm(),
            "{later:?}"
        );
        let last = plan.states[15];
        let witness = rolled_out(&mpc, &now, &steps, &plan);
        assert!((witness.position - last.position).norm() < 3e-3, "{witness:?} {last:?}");
        assert!((witness.velocity - last.velocity).norm() < 1e-2, "{witness:?} {last:?}");
        assert!((witness.angles - last.angles).norm() < 2e-2, "{witness:?} {last:?}");
    }

    #[test]
    fn a_slippery_ground_is_pushed_less_along() {
        let reference = CentroidalState { position: vec3(0.0, 0.0, 0.24), ..CentroidalState::default() };
        let fast = CentroidalState { velocity: vec3(1.5, 0.0, 0.0), ..reference };
        let step = PlannedStep { reference, expected: reference.position, feet: feet(0.0).map(Some) };
        let braked = |friction| {
            let plan =
                CentroidalMpc { friction, ..solo() }.plan(&fast, &[step; 10], &reference, 0.0).unwrap();
            plan.forces[0].iter().map(|f| -f.x).sum::<f64>()
        };
        assert!(braked(0.05) > 0.0 && braked(0.05) < 0.25 * braked(0.8), "{} {}", braked(0.05), braked(0.8));
    }
}
