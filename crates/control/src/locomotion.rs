//! The whole controller: command and state in, joint torques out.

use crate::centroidal_mpc::{CentroidalMpc, CentroidalState, Plan, PlannedStep};
use crate::foothold::{Foothold, raibert};
use crate::gait::LEGS;
use crate::quadruped::Quadruped;
use crate::swing::Swing;
use crate::whole_body::{FootTask, WholeBody};
use crate::{ControlError, LocomotionParams};
use stiction_dynamics::spatial::{Mat3, Quat, Vec3, vec3};
use stiction_dynamics::{Centroidal, Kinematics, Model, Velocities};

/// A task for the robot: how fast it goes, turns, and how high it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Command {
    /// Velocity of the trunk ahead and to the left, along the ground [m/s].
    pub velocity: [f64; 2],
    /// Rate of the heading, to the left [rad/s].
    pub yaw_rate: f64,
    /// Height of the trunk above the ground [m].
    pub height: f64,
}

/// Walks a quadruped by model predictive control.
#[derive(Clone, Debug)]
pub struct Locomotion {
    model: Model,
    robot: Quadruped,
    params: LocomotionParams,
    kin: Kinematics,
    vel: Velocities,
    centroidal: Centroidal,
    mpc: CentroidalMpc,
    whole_body: WholeBody,
    /// Feet in the posture it walks in, from the trunk in its axes [m].
    home_feet: [Vec3; LEGS],
    /// Centre of mass there, likewise [m].
    home_com: Vec3,
    /// Reference of the plan, which moves as commanded: x, y [m], yaw [rad].
    anchor: Option<[f64; 3]>,
    swings: [Option<Swing>; LEGS],
    plan: Plan,
    /// When it was made, and when the next is due [s].
    planned: f64,
    due: f64,
    torques: [[f64; 3]; LEGS],
}

impl Locomotion {
    /// For the robot of `model` with these links as trunk and feet (front left, front right, hind left, hind right), which
    /// walks in the posture `home` (length nq): feet are kept under where they are there.
    ///
    /// Errors: parameters out of range, links that do not exist, legs that have not three hinges, a posture of another length.
    pub fn new(
        model: &Model,
        trunk: &str,
        feet: [&str; LEGS],
        home: &[f64],
        params: LocomotionParams,
    ) -> Result<Self, ControlError> {
        params.validate()?;
        let robot = Quadruped::new(model, trunk, feet)?;
        check("the posture", home, model.nq, 0.0)?;
        let (mut kin, mut vel, mut centroidal) =
            (Kinematics::new(model), Velocities::new(model), Centroidal::new(model));
        kin.update(model, home);
        vel.update(model, &kin, &vec![0.0; model.nv()]);
        centroidal.update(model, &kin, &vel);
        let X_WB = kin.X_WB[robot.trunk];
        let home_feet = std::array::from_fn(|leg| X_WB.inverse_transform(robot.foot(model, &kin, leg)));
        let weight = centroidal.inertia.mass * model.gravity.norm();
        Ok(Self {
            mpc: CentroidalMpc {
                mass: centroidal.inertia.mass,
                inertia: Mat3::IDENTITY,
                gravity: model.gravity,
                step: params.mpc_step,
                friction: params.friction,
                normal_force: params.normal_force.map(|share| share * weight),
                weights: params.weights,
            },
            whole_body: WholeBody::new(model, [params.swing_gains, params.stance_gains], params.foot_gains),
            home_feet,
            home_com: X_WB.inverse_transform(centroidal.com),
            model: model.clone(),
            robot,
            params,
            kin,
            vel,
            centroidal,
            anchor: None,
            swings: [None; LEGS],
            plan: Plan::default(),
            planned: f64::NEG_INFINITY,
            due: f64::NEG_INFINITY,
            torques: [[0.0; 3]; LEGS],
        })
    }

    /// The robot: which joint is which.
    pub fn robot(&self) -> &Quadruped {
        &self.robot
    }

    /// The last plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Feet that stand by the gait, at `t` [s].
    pub fn standing(&self, t: f64) -> [bool; LEGS] {
        std::array::from_fn(|leg| self.params.gait.stands(leg, t))
    }

    /// Torques of the joints at time `t` [s] in the state (q, v), per leg from the trunk to the foot [N·m]; `ground` tells
    /// the height of the ground at (x, y) [m]. To be asked in every step; times may not go back.
    ///
    /// Errors: a state of another length or that is not finite, a program that has no answer.
    pub fn torques(
        &mut self,
        t: f64,
        (q, v): (&[f64], &[f64]),
        command: &Command,
        ground: &dyn Fn(f64, f64) -> f64,
    ) -> Result<&[[f64; 3]; LEGS], ControlError> {
        check("q", q, self.model.nq, t)?;
        check("v", v, self.model.nv(), t)?;
        let [x, y] = command.velocity;
        check("the command", &[x, y, command.yaw_rate, command.height], 4, t)?;
        self.kin.update(&self.model, q);
        self.vel.update(&self.model, &self.kin, v);
        self.centroidal.update(&self.model, &self.kin, &self.vel);
        let now = self.state(v);
        let yawed = Quat::from_rpy(0.0, 0.0, now.angles.z).to_matrix();
        let velocity = yawed * vec3(x, y, 0.0);
        let due = t >= self.due - 1e-9;
        self.swing(t, &now, (velocity, command), ground, due);
        if due {
            let (steps, last) = self.reference(t, &now, command, ground);
            let R_WB = self.kin.R_WB[self.robot.trunk];
            self.mpc.inertia = R_WB.transpose() * self.centroidal.inertia.about_com().to_mat3() * R_WB;
            self.plan = self.mpc.plan(&now, &steps, &last, t)?;
            (self.planned, self.due) = (t, t + self.params.mpc_period);
        }
        let step = ((t - self.planned + 1e-9) / self.params.mpc_step) as usize;
        let step = step.min(self.plan.forces.len() - 1);
        let tasks = std::array::from_fn(|leg| match &self.swings[leg] {
            Some(swing) => FootTask::Move(swing.at(t)),
            None => FootTask::Stand(self.plan.forces[step][leg]),
        });
        let planned = &self.plan.states[step];
        let turn = self.kin.R_WB[self.robot.trunk].transpose_mul(planned.angular_velocity);
        let (v_com, w) = (planned.velocity, turn);
        let trunk = [v_com.x, v_com.y, v_com.z, w.x, w.y, w.z];
        let receipts = (&self.kin, &self.vel);
        self.torques = self.whole_body.torques(&self.model, &self.robot, receipts, (q, v), &tasks, trunk);
        let most = self.params.largest_torque;
        self.torques.iter_mut().flatten().for_each(|tau| *tau = tau.clamp(-most, most));
        Ok(&self.torques)
    }

    /// The robot as one body.
    fn state(&self, v: &[f64]) -> CentroidalState {
        let R = self.kin.R_WB[self.robot.trunk];
        let turn = vec3(v[self.robot.v + 3], v[self.robot.v + 4], v[self.robot.v + 5]);
        let momentum = self.centroidal.momentum_matrix.iter().zip(v);
        let momentum = momentum.fold(Vec3::ZERO, |sum, (column, v)| sum + column.linear * *v);
        let [x, y, z] = R.rows;
        CentroidalState {
            position: self.centroidal.com,
            angles: vec3(z.y.atan2(z.z), -z.x.clamp(-1.0, 1.0).asin(), y.x.atan2(x.x)),
            velocity: momentum * (1.0 / self.centroidal.inertia.mass),
            angular_velocity: R * turn,
        }
    }

    /// Below the hip of `leg`, as the trunk would stand upright [m, in W].
    fn hip(&self, leg: usize, com: Vec3, yaw: f64) -> Vec3 {
        let R = Quat::from_rpy(0.0, 0.0, yaw).to_matrix();
        com + R * (self.home_feet[leg] - self.home_com)
    }

    /// Lifts feet that are to swing, and moves the places where they land.
    fn swing(
        &mut self,
        t: f64,
        now: &CentroidalState,
        (velocity, command): (Vec3, &Command),
        ground: &dyn Fn(f64, f64) -> f64,
        due: bool,
    ) {
        let (gait, params) = (self.params.gait, self.params);
        let surface = |x: f64, y: f64| ground(x, y) + params.foot_radius;
        for leg in 0..LEGS {
            if gait.stands(leg, t) {
                self.swings[leg] = None;
                continue;
            }
            let until_landing = gait.until_landing(leg, t);
            let hip = self.hip(leg, now.position, now.angles.z);
            let turning = vec3(0.0, 0.0, command.yaw_rate).cross(hip - now.position);
            let to = || {
                let hold = Foothold {
                    hip,
                    velocity: now.velocity + turning,
                    command: velocity + turning,
                    until_landing,
                    stance: gait.stance(),
                    gain: params.raibert_gain,
                    reach: params.reach,
                };
                raibert(&hold, surface)
            };
            match &mut self.swings[leg] {
                Some(swing) if due && until_landing > params.commit => swing.retarget(t, to()),
                Some(_) => {}
                None => {
                    let from = self.robot.foot(&self.model, &self.kin, leg);
                    let times = [t, t + until_landing];
                    self.swings[leg] = Some(Swing::new(from, to(), times, params.step_height));
                }
            }
        }
    }

    /// The steps of a plan from `t` on, and x̂ at its end.
    fn reference(
        &mut self,
        t: f64,
        now: &CentroidalState,
        command: &Command,
        ground: &dyn Fn(f64, f64) -> f64,
    ) -> (Vec<PlannedStep>, CentroidalState) {
        let (h, params) = (self.params.mpc_step, self.params);
        let places: [Vec3; LEGS] = std::array::from_fn(|leg| match &self.swings[leg] {
            Some(swing) => swing.target(),
            None => self.robot.foot(&self.model, &self.kin, leg),
        });
        let level = places.iter().map(|p| p.z).sum::<f64>() / LEGS as f64 - params.foot_radius;
        let z = level + command.height + self.home_com.z;
        let since = if self.planned.is_finite() { t - self.planned } else { 0.0 };
        let anchor = self.anchor.unwrap_or([now.position.x, now.position.y, now.angles.z]);
        let anchor = advance(anchor, command, since);
        // A reference that runs away is held back; yaw is compared on the circle.
        let held = |want: f64, is: f64| is + (want - is).clamp(-params.leash, params.leash);
        let anchor = [
            held(anchor[0], now.position.x),
            held(anchor[1], now.position.y),
            now.angles.z + wrapped(anchor[2] - now.angles.z).clamp(-MOST_TURN, MOST_TURN),
        ];
        self.anchor = Some(anchor);
        let at = |k: usize, from: [f64; 3]| {
            let [x, y, yaw] = advance(from, command, h * k as f64);
            let [u, w] = command.velocity;
            CentroidalState {
                position: vec3(x, y, z),
                angles: vec3(0.0, 0.0, yaw),
                velocity: Quat::from_rpy(0.0, 0.0, yaw).to_matrix() * vec3(u, w, 0.0),
                angular_velocity: vec3(0.0, 0.0, command.yaw_rate),
            }
        };
        let here = [now.position.x, now.position.y, now.angles.z];
        let mut steps = Vec::with_capacity(params.horizon);
        let mut standing: [Option<Vec3>; LEGS] =
            std::array::from_fn(|leg| self.swings[leg].is_none().then_some(places[leg]));
        let mut landed = [false; LEGS];
        for k in 0..params.horizon {
            let (middle, expected) = (t + h * (k as f64 + 0.5), at(k, here));
            for leg in 0..LEGS {
                if !params.gait.stands(leg, middle) {
                    standing[leg] = None;
                } else if standing[leg].is_none() {
                    let first = self.swings[leg].is_some() && !landed[leg];
                    let p = self.hip(leg, expected.position, expected.angles.z)
                        + expected.velocity * (0.5 * params.gait.stance());
                    let next = vec3(p.x, p.y, ground(p.x, p.y) + params.foot_radius);
                    standing[leg] = Some(if first { places[leg] } else { next });
                    landed[leg] = true;
                }
            }
            let height = if k == 0 { now.position.z } else { z };
            let expected = vec3(expected.position.x, expected.position.y, height);
            steps.push(PlannedStep { reference: at(k, anchor), expected, feet: standing });
        }
        (steps, at(params.horizon, anchor))
    }
}

/// Largest difference of the reference's yaw from the robot's [rad].
const MOST_TURN: f64 = 0.3;

/// x, y and yaw after `time` of what is commanded.
fn advance([x, y, yaw]: [f64; 3], command: &Command, time: f64) -> [f64; 3] {
    let middle = Quat::from_rpy(0.0, 0.0, yaw + 0.5 * command.yaw_rate * time).to_matrix();
    let way = middle * vec3(command.velocity[0], command.velocity[1], 0.0) * time;
    [x + way.x, y + way.y, yaw + command.yaw_rate * time]
}

/// The angle in [−π, π).
fn wrapped(angle: f64) -> f64 {
    (angle + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI
}

fn check(what: &'static str, x: &[f64], expected: usize, t: f64) -> Result<(), ControlError> {
    if x.len() != expected {
        return Err(ControlError::Length { what, count: x.len(), expected });
    }
    if x.iter().any(|x| !x.is_finite()) {
        return Err(ControlError::NotFinite { what, t });
    }
    Ok(())
}
