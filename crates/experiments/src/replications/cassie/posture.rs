//! From measured joints to a state of the model, whose legs close through rods that nobody measured.
//!
//! The rods and the heel springs are found by Gauss and Newton's steps of least length on the distances r of the points that
//! connections hold together, their velocities from ṙ = 0; derivatives are differences.

use super::{CassieSet, JOINTS, Landing, MOTORS};
use nalgebra::{DMatrix, DVector};
use stiction::State;
use stiction::dynamics::spatial::{Quat, Vec3, vec3};
use stiction::dynamics::{JointKind, Kinematics, integrate_into};
use stiction::world::World;

/// Places of the data's joints and motors in a world.
#[derive(Clone, Debug)]
pub struct Posture {
    /// (q, v) of the joints, as in [`Landing::angles`].
    joints: Vec<(usize, usize)>,
    /// Actuators, as in [`Landing::torques`], with torque over control.
    motors: Vec<(usize, f64)>,
    /// Dofs that close the legs.
    passive: Vec<usize>,
    /// Where the rods start.
    home: Vec<f64>,
}

/// A model that is not the one of the data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PostureError {
    #[error("the model has no {kind} `{name}`; expected the MJCF model of Cassie with a floor")]
    Missing { kind: &'static str, name: String },
    #[error("the legs of landing {id} do not close: {gap} are left")]
    Open { id: u32, gap: String },
}

/// Joints that close the legs.
const PASSIVE: [&str; 4] = ["achilles-rod", "heel-spring", "foot-crank", "plantar-rod"];
/// Step of differences [rad].
const STEP: f64 = 1e-6;
/// Distance of points that are held together at which they are [m].
const CLOSED: f64 = 1e-9;

impl Posture {
    /// Looks the joints of the data up in `world`.
    ///
    /// # Errors
    ///
    /// If one is missing.
    pub fn new(world: &World) -> Result<Self, PostureError> {
        let model = &world.model;
        let missing = |kind, name: &str| PostureError::Missing { kind, name: name.to_owned() };
        let joint = |name: &String| {
            model.joint_named(name).map(|j| &model.joints[j]).ok_or_else(|| missing("joint", name))
        };
        if model.joints.first().is_none_or(|j| j.kind != JointKind::Free) {
            return Err(missing("free joint", "of the pelvis"));
        }
        let mut joints = Vec::new();
        for name in JOINTS.iter().flat_map(|(_, name)| CassieSet::sided(name)) {
            let joint = joint(&name)?;
            joints.push((joint.idx_q, joint.idx_v));
        }
        let mut motors = Vec::new();
        for name in MOTORS.iter().flat_map(|(_, name)| CassieSet::sided(name)) {
            let dof = joint(&name)?.idx_v;
            let found = world.actuators.iter().enumerate().find_map(|(i, a)| match a.transmission[..] {
                [(d, ratio)] if d == dof && a.law.gain * ratio != 0.0 => Some((i, a.law.gain * ratio)),
                _ => None,
            });
            motors.push(found.ok_or_else(|| missing("motor", &name))?);
        }
        let mut passive = Vec::new();
        for name in PASSIVE.iter().flat_map(|name| CassieSet::sided(name)) {
            let joint = joint(&name)?;
            passive.extend(joint.idx_v..joint.idx_v + joint.kind.nv());
        }
        let home = world.keyframes.first().map_or_else(|| model.neutral(), |k| k.q.clone());
        Ok(Self { joints, motors, passive, home })
    }

    /// Controls that give the torques of frame `k`.
    pub fn controls_into(&self, landing: &Landing, k: usize, control: &mut [f64]) {
        for ((place, ratio), torque) in self.motors.iter().zip(landing.torques[k]) {
            control[*place] = torque / ratio;
        }
    }

    /// The state of the first frame, legs closed.
    ///
    /// # Errors
    ///
    /// If they do not close.
    pub fn start(&self, world: &World, landing: &Landing) -> Result<State, PostureError> {
        let model = &world.model;
        let mut kin = Kinematics::new(model);
        let mut q = self.home.clone();
        q[..7].copy_from_slice(&landing.base[0]);
        for ((place, _), angle) in self.joints.iter().zip(landing.angles[0]) {
            q[*place] = angle;
        }
        let moved = |q: &[f64], v: &[f64], h: f64| {
            let mut next = q.to_vec();
            integrate_into(model, q, v, h, &mut next);
            next
        };
        let jacobian = |kin: &mut Kinematics, q: &[f64]| {
            let r = gaps(world, kin, q);
            let mut columns = DMatrix::zeros(r.len(), self.passive.len());
            for (j, dof) in self.passive.iter().enumerate() {
                let mut v = vec![0.0; model.nv()];
                v[*dof] = 1.0;
                let other = gaps(world, kin, &moved(q, &v, STEP));
                columns.set_column(j, &((other - &r) / STEP));
            }
            (r, columns)
        };
        let least = |derivative: DMatrix<f64>, r: &DVector<f64>| {
            derivative.svd(true, true).solve(r, 1e-6).unwrap_or_else(|_| DVector::zeros(self.passive.len()))
        };
        for _ in 0..50 {
            let (r, derivative) = jacobian(&mut kin, &q);
            if r.amax() < CLOSED {
                break;
            }
            let step = least(derivative, &r);
            // A radian at most, as rods may start anywhere.
            let scale = (0.5 / step.amax().max(0.5)).min(1.0);
            let mut v = vec![0.0; model.nv()];
            self.passive.iter().zip(step.iter()).for_each(|(dof, s)| v[*dof] = -scale * s);
            q = moved(&q, &v, 1.0);
        }
        let (r, derivative) = jacobian(&mut kin, &q);
        if r.amax() > 1e3 * CLOSED {
            return Err(PostureError::Open { id: landing.id, gap: format!("{:.1e} m", r.amax()) });
        }
        let mut v = vec![0.0; model.nv()];
        let given = landing.base_velocity[0];
        v[..3].copy_from_slice(&given[..3]);
        v[3..6].copy_from_slice(&in_body(&landing.base[0], &given).to_array());
        for ((_, place), rate) in self.joints.iter().zip(landing.rates[0]) {
            v[*place] = rate;
        }
        self.passive.iter().for_each(|dof| v[*dof] = 0.0);
        let rate = (gaps(world, &mut kin, &moved(&q, &v, STEP)) - &r) / STEP;
        let closing = least(derivative, &rate);
        self.passive.iter().zip(closing.iter()).for_each(|(dof, s)| v[*dof] = -s);
        Ok(State { t: 0.0, q, v })
    }

    /// Velocity of the pelvis as in [`Landing::base_velocity`] and rates as in [`Landing::rates`].
    pub fn velocities(&self, state: &State) -> ([f64; 6], [f64; 16]) {
        let turn = rotation(&state.q[..7]) * vec3(state.v[3], state.v[4], state.v[5]);
        let [x, y, z] = turn.to_array();
        ([state.v[0], state.v[1], state.v[2], x, y, z], std::array::from_fn(|i| state.v[self.joints[i].1]))
    }

    /// Angles as in [`Landing::angles`].
    pub fn angles(&self, state: &State) -> [f64; 16] {
        std::array::from_fn(|i| state.q[self.joints[i].0])
    }
}

fn rotation(base: &[f64]) -> stiction::dynamics::spatial::Mat3 {
    Quat { w: base[3], x: base[4], y: base[5], z: base[6] }.to_matrix()
}

/// The angular velocity in axes of the body.
fn in_body(base: &[f64; 7], velocity: &[f64; 6]) -> Vec3 {
    rotation(base).transpose() * vec3(velocity[3], velocity[4], velocity[5])
}

/// Differences of the points that are held together, three numbers a connection [m].
fn gaps(world: &World, kin: &mut Kinematics, q: &[f64]) -> DVector<f64> {
    let model = &world.model;
    kin.update(model, q);
    let point = |(link, pose): &(Option<usize>, stiction::dynamics::spatial::Pose)| {
        let Some(link) = link else { return pose.translation };
        let link = &model.links[*link];
        let on_body = link.X_BL.transform(pose.translation);
        link.body.map_or(on_body, |b| kin.X_WB[b].transform(on_body))
    };
    let numbers = world.loops.iter().flat_map(|l| (point(&l.ends[1]) - point(&l.ends[0])).to_array());
    DVector::from_iterator(3 * world.loops.len(), numbers)
}
