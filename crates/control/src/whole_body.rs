//! Torques of the joints by inverse dynamics.
//!
//! Given are the forces f of the feet that stand, and how feet in the air are to accelerate. With J_i the Jacobian of foot
//! i, split by the trunk's six coordinates (b) and the leg's three (j), M v̇ + h = S τ + Σ J_iᵀ f_i:
//!
//! ```text
//!     M_bb v̇_b = Σ J_ibᵀ f_i − h_b − M_bj v̇_j             the trunk goes where the forces push it          (1)
//!     v̇_j = J_ij⁻¹ (a_i − J̇_i v − J_ib v̇_b)               feet that stand do not move, a_i = 0             (2)
//!     τ = M_jb v̇_b + M_jj v̇_j + h_j − Σ J_ijᵀ f_i + K (q̂ − q) + D (v̂ − v)                                  (3)
//! ```
//!
//! (2) is put into (1), which leaves six equations for the trunk. (3) is the torque of [Kim2019] with the whole M in it; q̂ and v̂ are angles and rates that have the feet where and as they should be. v and
//! angles are those of the trunk as it is: an error of the trunk is undone by forces, not by bending legs.

use crate::gait::LEGS;
use crate::quadruped::{Quadruped, solve_damped};
use nalgebra::{Matrix6, Vector6};
use stiction_dynamics::spatial::{Mat3, Vec3};
use stiction_dynamics::{Kinematics, Model, RneaWorkspace, Velocities, point_jacobian_into, rnea_into};

/// A task of a leg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FootTask {
    /// Stand where it stands and push the robot by this force [N, in W].
    Stand(Vec3),
    /// Follow a position, velocity and acceleration [m, m/s, m/s², in W].
    Move([Vec3; 3]),
}

/// (1) to (3), with the memory they need.
#[derive(Clone, Debug)]
pub struct WholeBody {
    /// K and D of legs that swing, and of legs that stand [N·m/rad, N·m·s/rad].
    pub gains: [[f64; 2]; 2],
    /// Stiffness and damping of the acceleration of a foot in the air towards its way [1/s², 1/s].
    pub foot_gains: [f64; 2],
    rnea: RneaWorkspace,
    posture: Kinematics,
    q: Vec<f64>,
    acceleration: Vec<f64>,
    efforts: Vec<f64>,
    unit: Vec<f64>,
    J: Vec<Vec3>,
}

impl WholeBody {
    /// For one model, at the gains `[swing, stance]`.
    pub fn new(model: &Model, gains: [[f64; 2]; 2], foot_gains: [f64; 2]) -> Self {
        let nv = model.nv();
        Self {
            gains,
            foot_gains,
            rnea: RneaWorkspace::new(model),
            posture: Kinematics::new(model),
            q: model.neutral(),
            acceleration: vec![0.0; nv],
            efforts: vec![0.0; nv],
            unit: vec![0.0; nv],
            J: vec![Vec3::ZERO; nv],
        }
    }

    /// Torques per leg and joint [N·m] at the configuration `q` and velocity `v` of the receipts. `trunk_velocity` is the
    /// velocity that the trunk should have, its six numbers as in v: feet that stand turn about it.
    pub fn torques(
        &mut self,
        model: &Model,
        robot: &Quadruped,
        (kin, vel): (&Kinematics, &Velocities),
        (q, v): (&[f64], &[f64]),
        tasks: &[FootTask; LEGS],
        trunk_velocity: [f64; 6],
    ) -> [[f64; 3]; LEGS] {
        let trunk = robot.v..robot.v + 6;
        let (mut push, mut wanted) = (Vector6::<f64>::zeros(), [Vec3::ZERO; LEGS]);
        let mut trunk_columns = [[Vec3::ZERO; 6]; LEGS];
        for (leg, task) in tasks.iter().enumerate() {
            let p = robot.foot(model, kin, leg);
            point_jacobian_into(model, kin, Some(robot.legs[leg].body), p, &mut self.J);
            trunk_columns[leg].copy_from_slice(&self.J[trunk.clone()]);
            match task {
                FootTask::Stand(force) => {
                    for (sum, column) in push.iter_mut().zip(&trunk_columns[leg]) {
                        *sum += column.dot(*force);
                    }
                }
                FootTask::Move([to, rate, a]) => {
                    let [k, d] = self.foot_gains;
                    let p_dot = robot.foot_velocity(model, kin, vel, leg);
                    wanted[leg] = *a + (*to - p) * k + (*rate - p_dot) * d;
                }
            }
        }
        self.accelerate(model, robot, (kin, vel), &push, &wanted, &trunk_columns);
        rnea_into(model, kin, vel, &self.acceleration, &mut self.rnea, &mut self.efforts); // (3)
        let mut torques = [[0.0; 3]; LEGS];
        for (leg, task) in tasks.iter().enumerate() {
            let J = robot.leg_jacobian(model, kin, leg);
            let along = |motion: &[f64]| {
                trunk_columns[leg].iter().zip(motion).fold(Vec3::ZERO, |sum, (column, v)| sum + *column * *v)
            };
            let (force, [K, D], rates, angles) = match task {
                FootTask::Stand(force) => {
                    let rates = solve_damped(&J, -along(&trunk_velocity));
                    (*force, self.gains[1], rates, None)
                }
                FootTask::Move([to, rate, _]) => {
                    self.q.copy_from_slice(q);
                    robot.place_foot(model, &mut self.posture, &mut self.q, leg, *to);
                    let angles = robot.legs[leg].coordinates.map(|i| self.q[i]);
                    let rates = solve_damped(&J, *rate - along(&v[trunk.clone()]));
                    (Vec3::ZERO, self.gains[0], rates, Some(angles))
                }
            };
            let pushed = J.transpose_mul(force);
            let parts = robot.legs[leg].dofs.iter().zip(robot.legs[leg].coordinates).enumerate();
            for (k, (dof, coordinate)) in parts {
                let stretch = angles.map_or(0.0, |angles| angles[k] - q[coordinate]);
                torques[leg][k] = self.efforts[*dof] - pushed[k] + K * stretch + D * (rates[k] - v[*dof]);
            }
        }
        torques
    }

    /// (1) and (2) into `acceleration`.
    fn accelerate(
        &mut self,
        model: &Model,
        robot: &Quadruped,
        (kin, vel): (&Kinematics, &Velocities),
        push: &Vector6<f64>,
        wanted: &[Vec3; LEGS],
        trunk_columns: &[[Vec3; 6]; LEGS],
    ) {
        let (first, nv) = (robot.v, model.nv());
        self.acceleration.clear();
        self.acceleration.resize(nv, 0.0);
        let mut jacobians = [Mat3::ZERO; LEGS];
        for leg in 0..LEGS {
            let b = robot.legs[leg].body;
            let r = robot.foot(model, kin, leg) - kin.reference[model.bodies[b].tree];
            let (A, V) = (vel.bias_acceleration[b], vel.V[b]);
            let turning = A.linear_at(r) + V.angular.cross(V.linear_at(r));
            jacobians[leg] = robot.leg_jacobian(model, kin, leg);
            let joints = solve_damped(&jacobians[leg], wanted[leg] - turning); // (2) with the trunk at rest
            for (dof, a) in robot.legs[leg].dofs.iter().zip(joints.to_array()) {
                self.acceleration[*dof] = a;
            }
        }
        let mut trunk_efforts = |acceleration: &[f64]| {
            rnea_into(model, kin, vel, acceleration, &mut self.rnea, &mut self.efforts);
            Vector6::from_column_slice(&self.efforts[first..first + 6])
        };
        let alone = trunk_efforts(&self.acceleration);
        // The trunk's inertia with legs that follow it by (2), column by column: what a unit of acceleration adds.
        let mut M = Matrix6::<f64>::zeros();
        let mut carried = [[[0.0; 3]; LEGS]; 6];
        for (k, carried) in carried.iter_mut().enumerate() {
            self.unit.copy_from_slice(&self.acceleration);
            self.unit[first + k] = 1.0;
            for (leg, share) in carried.iter_mut().enumerate() {
                *share = solve_damped(&jacobians[leg], -trunk_columns[leg][k]).to_array();
                for (dof, a) in robot.legs[leg].dofs.iter().zip(*share) {
                    self.unit[*dof] += a;
                }
            }
            M.set_column(k, &(trunk_efforts(&self.unit) - alone));
        }
        let trunk = M.lu().solve(&(push - alone)).unwrap_or_else(Vector6::zeros); // (1)
        for ((k, a), carried) in trunk.iter().enumerate().zip(&carried) {
            self.acceleration[first + k] = *a;
            for (leg, shares) in robot.legs.iter().zip(carried) {
                for (dof, share) in leg.dofs.iter().zip(shares) {
                    self.acceleration[*dof] += share * a; // (2)
                }
            }
        }
    }
}
