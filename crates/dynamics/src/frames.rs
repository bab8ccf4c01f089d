//! Frames: named places on bodies, and how they move.
//!
//! Every [`crate::Link`] is a frame F = X_WB X_BF of the body (or world) that carries it;
//! [`Model::add_frame`] adds more to a built model. With r = p_F − O, V and A the spatial velocity
//! and acceleration of the body about the tree's reference point O [Featherstone2008, ch. 2]:
//!
//! ```text
//!     V_F = (ω, v + ω × r)               velocity, of the frame's origin          (1)
//!     A_F = (α, a + α × r)               spatial acceleration at F                (2)
//!     (α, A_F.linear + ω × V_F.linear)   classical: that of the frame's origin    (3)
//!     A = A_bias + Σ_{i moves B} S_i v̇_i                                         (4)
//! ```
//!
//! in one of three sets of axes, Pinocchio's LOCAL_WORLD_ALIGNED, LOCAL and WORLD. Gravity is not
//! included: at rest on the ground the acceleration is zero. Units: m, rad, s. No allocation.

use crate::kinematics::Kinematics;
use crate::model::Link;
use crate::model::Model;
use crate::real::Real;
use crate::spatial::{Inertia, Motion, Pose, Vec3};
use crate::velocity::Velocities;

/// About which point, in which axes, a motion is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axes {
    /// About the frame's origin, in world axes.
    Aligned,
    /// About the frame's origin, in the frame's axes.
    Local,
    /// About the world's origin, in world axes.
    World,
}

/// Why a frame cannot be added.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FrameError {
    #[error("a link is called `{name}` already; a frame needs a name of its own")]
    Name { name: String },
    #[error("frame `{name}`: there is no link {index}; the model has {count}, counted from 0")]
    Link { name: String, index: usize, count: usize },
    #[error("frame `{name}`: the pose is {X_LF:?}; expected finite numbers")]
    Pose { name: String, X_LF: Pose },
}

impl Model {
    /// Adds the frame `name` at `X_LF` in the link `on` (or the world). Returns its index in `links`.
    ///
    /// It is a link without inertia: nothing about the dynamics changes, and receipts made before
    /// stay good. Errors: a name that a link has already, a pose that is not finite, a link that
    /// does not exist.
    pub fn add_frame(
        &mut self,
        name: impl Into<String>,
        on: Option<usize>,
        X_LF: Pose,
    ) -> Result<usize, FrameError> {
        let name = name.into();
        if self.link_named(&name).is_some() {
            return Err(FrameError::Name { name });
        }
        if !X_LF.is_finite() {
            return Err(FrameError::Pose { name, X_LF });
        }
        let (body, X_BL) = match on {
            None => (None, Pose::IDENTITY),
            Some(l) => match self.links.get(l) {
                Some(link) => (link.body, link.X_BL),
                None => return Err(FrameError::Link { name, index: l, count: self.links.len() }),
            },
        };
        self.links.push(Link { name, parent: on, body, X_BL: X_BL * X_LF, inertia: Inertia::ZERO });
        Ok(self.links.len() - 1)
    }
}

/// X_WF of the frame `link`.
#[inline(always)]
pub fn frame_pose<T: Real>(model: &Model<T>, kin: &Kinematics<T>, link: usize) -> Pose<T> {
    let frame = &model.links[link];
    let X_BF = frame.X_BL.cast(model.kind());
    frame.body.map_or(X_BF, |b| kin.X_WB[b] * X_BF)
}

/// (1) of the frame `link`.
#[inline(always)]
pub fn frame_velocity<T: Real>(
    model: &Model<T>,
    kin: &Kinematics<T>,
    vel: &Velocities<T>,
    link: usize,
    axes: Axes,
) -> Motion<T> {
    let Some(b) = model.links[link].body else { return Motion::zero(model.kind()) };
    View::new(model, kin, link, axes).of(vel.V[b])
}

/// (2) of the frame `link` under the accelerations `a` (length nv).
#[inline(always)]
pub fn frame_acceleration<T: Real>(
    model: &Model<T>,
    kin: &Kinematics<T>,
    vel: &Velocities<T>,
    a: &[T],
    link: usize,
    axes: Axes,
) -> Motion<T> {
    assert_eq!(a.len(), model.nv(), "a has nv coordinates");
    let Some(b) = model.links[link].body else { return Motion::zero(model.kind()) };
    let mut A = vel.bias_acceleration[b];
    for i in model.chain(Some(b)) {
        A += kin.S[i] * a[i]; // (4)
    }
    View::new(model, kin, link, axes).of(A)
}

/// (3) of the frame `link` under the accelerations `a` (length nv): its linear part is what an
/// accelerometer at the frame's origin feels, gravity apart.
#[inline(always)]
pub fn frame_classical_acceleration<T: Real>(
    model: &Model<T>,
    kin: &Kinematics<T>,
    vel: &Velocities<T>,
    a: &[T],
    link: usize,
    axes: Axes,
) -> Motion<T> {
    let A = frame_acceleration(model, kin, vel, a, link, axes);
    let V = frame_velocity(model, kin, vel, link, axes);
    Motion::new(A.angular, A.linear + V.angular.cross(V.linear))
}

/// Writes the Jacobian (nv columns, six rows) of (1) of the frame `link`.
#[inline(always)]
pub fn frame_jacobian_into<T: Real>(
    model: &Model<T>,
    kin: &Kinematics<T>,
    link: usize,
    axes: Axes,
    J: &mut [Motion<T>],
) {
    assert_eq!(J.len(), model.nv(), "J has nv columns");
    J.fill(Motion::zero(model.kind()));
    let body = model.links[link].body;
    let view = View::new(model, kin, link, axes);
    for i in model.chain(body) {
        J[i] = view.of(kin.S[i]);
    }
}

/// From motions about O in world axes to those about another point, in other axes.
struct View<T> {
    /// The point, from O.
    r: Vec3<T>,
    /// The axes, when they are not the world's.
    turn: Option<Pose<T>>,
}

impl<T: Real> View<T> {
    #[inline(always)]
    fn new(model: &Model<T>, kin: &Kinematics<T>, link: usize, axes: Axes) -> Self {
        let X_WF = frame_pose(model, kin, link);
        let zero = Vec3::zero(model.kind());
        let O = model.links[link].body.map_or(zero, |b| kin.reference[kin.tree_of(b)]);
        match axes {
            Axes::Aligned => Self { r: X_WF.translation - O, turn: None },
            Axes::Local => Self { r: X_WF.translation - O, turn: Some(X_WF) },
            Axes::World => Self { r: zero - O, turn: None },
        }
    }

    #[inline(always)]
    fn of(&self, V: Motion<T>) -> Motion<T> {
        let V = Motion::new(V.angular, V.linear_at(self.r));
        match self.turn {
            None => V,
            Some(X_WF) => {
                let R_FW = X_WF.rotation.conjugate();
                Motion::new(R_FW.rotate(V.angular), R_FW.rotate(V.linear))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    /// A frame on every body of a forest, away from the origins of the bodies.
    fn framed(seed: u64) -> (Model, Vec<usize>) {
        let mut model = random_trees(seed, 14);
        let mut dice = Dice::new(seed);
        let frames = (0..model.links.len())
            .map(|l| model.add_frame(format!("tool{l}"), Some(l), dice.pose()).unwrap())
            .collect();
        (model, frames)
    }

    /// Motion from one pose to another within 2h, about the first frame's origin half-way.
    fn rate(behind: Pose, ahead: Pose, h: f64) -> Motion {
        let turn = (ahead.rotation * behind.rotation.conjugate()).log();
        Motion::new(turn, ahead.translation - behind.translation) * (0.5 / h)
    }

    fn close(a: Motion, b: Motion, tolerance: f64) -> bool {
        let scale = 1.0 + b.angular.norm() + b.linear.norm();
        (a - b).angular.norm() + (a - b).linear.norm() < tolerance * scale
    }

    #[test]
    fn velocity_is_the_rate_of_the_pose() {
        let (model, frames) = framed(80);
        let ((q, v), h) = (random_state(&model, 80), 1e-6);
        let (kin, vel) = at(&model, &q, &v);
        let (behind, ahead) =
            (at(&model, &moved(&model, &q, &v, -h), &v).0, at(&model, &moved(&model, &q, &v, h), &v).0);
        for f in frames {
            let expected = rate(frame_pose(&model, &behind, f), frame_pose(&model, &ahead, f), h);
            let X = frame_pose(&model, &kin, f);
            let V = frame_velocity(&model, &kin, &vel, f, Axes::Aligned);
            assert!(close(V, expected, 1e-8), "{}", model.links[f].name);
            // Local: turned into the frame. World: of the body-fixed point now at the world's origin.
            let back = X.rotation.conjugate();
            let local = Motion::new(back.rotate(V.angular), back.rotate(V.linear));
            assert!(close(frame_velocity(&model, &kin, &vel, f, Axes::Local), local, 1e-14));
            let world = Motion::new(V.angular, V.linear_at(-X.translation));
            assert!(close(frame_velocity(&model, &kin, &vel, f, Axes::World), world, 1e-13));
        }
    }

    #[test]
    fn jacobian_times_v_is_the_velocity() {
        let (model, frames) = framed(81);
        let (q, v) = random_state(&model, 81);
        let (kin, vel) = at(&model, &q, &v);
        let mut J = vec![Motion::ZERO; model.nv()];
        for f in frames {
            for axes in [Axes::Aligned, Axes::Local, Axes::World] {
                frame_jacobian_into(&model, &kin, f, axes, &mut J);
                let Jv = J.iter().zip(&v).fold(Motion::ZERO, |s, (J, v)| s + *J * *v);
                assert!(close(Jv, frame_velocity(&model, &kin, &vel, f, axes), 1e-13));
            }
        }
    }

    /// Classical: the rate of the aligned velocity. Spatial: the rate of the local and of the world
    /// one, componentwise.
    #[test]
    fn accelerations_are_rates_of_velocities() {
        let (model, frames) = framed(82);
        let ((q, v), h) = (random_state(&model, 82), 1e-5);
        let a = Dice::new(82).vector(model.nv());
        let (kin, vel) = at(&model, &q, &v);
        let [behind, ahead] = [-h, h].map(|h| {
            let q = moved(&model, &q, &plus(&v, &a, 0.5 * h), h);
            at(&model, &q, &plus(&v, &a, h))
        });
        for f in frames {
            let rate = |axes| {
                let of = |(kin, vel): &(Kinematics, Velocities)| frame_velocity(&model, kin, vel, f, axes);
                (of(&ahead) - of(&behind)) * (0.5 / h)
            };
            let classical = |axes| frame_classical_acceleration(&model, &kin, &vel, &a, f, axes);
            let spatial = |axes| frame_acceleration(&model, &kin, &vel, &a, f, axes);
            assert!(close(classical(Axes::Aligned), rate(Axes::Aligned), 1e-7), "{}", model.links[f].name);
            assert!(close(spatial(Axes::Local), rate(Axes::Local), 1e-7), "{}", model.links[f].name);
            assert!(close(spatial(Axes::World), rate(Axes::World), 1e-7), "{}", model.links[f].name);
        }
    }

    #[test]
    fn frames_change_no_dynamics_and_need_a_name_of_their_own() {
        let (model, (framed, _)) = (random_trees(83, 14), framed(83));
        let (q, v) = random_state(&model, 83);
        let bias_of = |m: &Model| {
            let (kin, vel) = at(m, &q, &v);
            bias(m, &kin, &vel)
        };
        assert_eq!(bias_of(&model), bias_of(&framed));
        let mut model = model;
        let far = Pose::from_translation(Vec3::X * f64::NAN);
        assert!(matches!(model.add_frame("link3", None, Pose::IDENTITY), Err(FrameError::Name { .. })));
        assert!(matches!(model.add_frame("new", None, far), Err(FrameError::Pose { .. })));
        assert!(matches!(model.add_frame("new", Some(99), Pose::IDENTITY), Err(FrameError::Link { .. })));
        assert!(model.add_frame("lamp", None, Pose::IDENTITY).is_ok());
    }
}
