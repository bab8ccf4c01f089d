//! A four-legged robot within a model: its trunk, and legs of three hinges that end in a foot.

use crate::ControlError;
use crate::gait::LEGS;
use stiction_dynamics::spatial::{Mat3, Vec3, vec3};
use stiction_dynamics::{
    JointKind, Kinematics, Model, Velocities, frame_pose, jacobian_column, point_velocity,
};

/// A leg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// The link whose origin is the centre of the foot, an index into `model.links`.
    pub foot: usize,
    /// The three joints, from the trunk to the foot: indices into v.
    pub dofs: [usize; 3],
    /// The three joints: indices into q.
    pub coordinates: [usize; 3],
    /// The body that carries the foot.
    pub body: usize,
}

/// Where trunk and legs are in a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Quadruped {
    /// The trunk's body.
    pub trunk: usize,
    /// First of its seven coordinates in q.
    pub q: usize,
    /// First of its six in v.
    pub v: usize,
    /// Front left, front right, hind left, hind right.
    pub legs: [Leg; LEGS],
}

impl Quadruped {
    /// Finds the link `trunk` and the links `feet` (front left, front right, hind left, hind right), and their joints.
    ///
    /// Errors: a name that no link has, a trunk without a free joint, a leg that has not three hinges.
    pub fn new(model: &Model, trunk: &str, feet: [&str; LEGS]) -> Result<Self, ControlError> {
        let link = |name: &str| {
            model.link_named(name).ok_or_else(|| {
                let names: Vec<&str> = model.links.iter().map(|l| l.name.as_str()).collect();
                ControlError::UnknownLink { name: name.to_owned(), available: names.join(", ") }
            })
        };
        let floating = || ControlError::NotFloating { name: trunk.to_owned() };
        let body = model.links[link(trunk)?].body.ok_or_else(floating)?;
        let joint = &model.joints[model.bodies[body].joints.clone()];
        let [joint] = joint else { return Err(floating()) };
        if joint.kind != JointKind::Free {
            return Err(floating());
        }
        let mut legs = [Leg { foot: 0, dofs: [0; 3], coordinates: [0; 3], body: 0 }; LEGS];
        for (leg, name) in legs.iter_mut().zip(feet) {
            let foot = link(name)?;
            let carrier = model.links[foot].body;
            let mut dofs: Vec<usize> = model.chain(carrier).filter(|i| model.dofs[*i].body != body).collect();
            dofs.reverse();
            let wrong = || ControlError::Leg { name: name.to_owned(), joints: dofs.len() };
            let hinge = |i: &usize| model.joints[model.dofs[*i].joint].kind == JointKind::Hinge;
            let (Ok(three), Some(carrier)) = (<[usize; 3]>::try_from(dofs.clone()), carrier) else {
                return Err(wrong());
            };
            if !three.iter().all(hinge) || model.bodies[carrier].tree != model.bodies[body].tree {
                return Err(wrong());
            }
            let coordinates = three.map(|i| model.joints[model.dofs[i].joint].idx_q);
            *leg = Leg { foot, dofs: three, coordinates, body: carrier };
        }
        Ok(Self { trunk: body, q: joint.idx_q, v: joint.idx_v, legs })
    }

    /// Centre of the foot of `leg` [m, in W].
    pub fn foot(&self, model: &Model, kin: &Kinematics, leg: usize) -> Vec3 {
        frame_pose(model, kin, self.legs[leg].foot).translation
    }

    /// Velocity of the foot of `leg` [m/s, in W].
    pub fn foot_velocity(&self, model: &Model, kin: &Kinematics, vel: &Velocities, leg: usize) -> Vec3 {
        point_velocity(kin, vel, self.legs[leg].body, self.foot(model, kin, leg))
    }

    /// Jacobian of the foot by the three joints of its leg: velocity in W per joint rate.
    pub fn leg_jacobian(&self, model: &Model, kin: &Kinematics, leg: usize) -> Mat3 {
        let (p_W, tree) = (self.foot(model, kin, leg), model.bodies[self.trunk].tree);
        let [a, b, c] = self.legs[leg].dofs.map(|i| jacobian_column(kin, i, tree, p_W));
        Mat3::from_columns(a, b, c)
    }

    /// Writes into `q` the angles of `leg` at which its foot is at `to` [m, in W], starting from those in `q`; `kin` is
    /// left there. Newton's method, damped: a place out of reach gives the posture that comes near it. Returns how far the
    /// foot is from it [m].
    pub fn place_foot(
        &self,
        model: &Model,
        kin: &mut Kinematics,
        q: &mut [f64],
        leg: usize,
        to: Vec3,
    ) -> f64 {
        for _ in 0..NEWTON_STEPS {
            kin.update(model, q);
            let error = to - self.foot(model, kin, leg);
            if error.norm() < FOOT_TOLERANCE {
                break;
            }
            let step = solve_damped(&self.leg_jacobian(model, kin, leg), error);
            for (i, d) in self.legs[leg].coordinates.into_iter().zip(step.to_array()) {
                q[i] += d.clamp(-LARGEST_STEP, LARGEST_STEP);
            }
        }
        kin.update(model, q);
        (to - self.foot(model, kin, leg)).norm()
    }
}

/// Steps of [`Quadruped::place_foot`], and where it ends [m].
const NEWTON_STEPS: usize = 12;
const FOOT_TOLERANCE: f64 = 1e-6;
/// Largest turn of a joint in one of these steps [rad].
const LARGEST_STEP: f64 = 0.4;
/// Damping of an inverse where a leg is stretched [m/rad].
const DAMPING: f64 = 0.01;

/// x of least ‖J x − b‖² + damping ‖x‖², the damping being nothing where J is far from singular.
pub(crate) fn solve_damped(J: &Mat3, b: Vec3) -> Vec3 {
    let gram = J.transpose() * *J;
    let smallest = (gram.inverse()).map_or(0.0, |inverse| 1.0 / inverse.trace()).max(0.0); // ≤ σ²
    let share = 1.0 - smallest / (DAMPING * DAMPING);
    let damping = if share > 0.0 { DAMPING * DAMPING * share * share } else { 0.0 };
    let damped = gram + diagonal(damping);
    damped.inverse().map_or(Vec3::ZERO, |inverse| inverse * J.transpose_mul(b))
}

fn diagonal(d: f64) -> Mat3 {
    Mat3::from_columns(vec3(d, 0.0, 0.0), vec3(0.0, d, 0.0), vec3(0.0, 0.0, d))
}
