//! The tree of rigid bodies: constant during a run, generic over the scalar.
//!
//! Files speak of *links*; the equations of motion know *bodies*, the links that can move on
//! their own. A link without joints is rigidly part of its nearest moving ancestor (or of the
//! world): its inertia is added there, and the link stays known as a frame `X_BL`.
//!
//! A body owns a range of joints, applied in order between its parent and itself, so that planar,
//! universal and cylindrical joints are ranges of hinges and slides:
//!
//! ```text
//!     X_WB = X_WP · X_PB · (joint 1) · (joint 2) · …                      (1)
//! ```
//!
//! Axis and anchor of a joint are given in the body frame B. State vectors follow MuJoCo (see
//! CONVENTIONS.md); joints are in the order they were added, parents before children.

use crate::real::Real;
use crate::spatial::{Inertia, Pose, Quat, Vec3};
use std::ops::Range;

/// The kind of a joint: which motion it leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Rotation about the axis through the anchor; q [rad].
    Hinge,
    /// Translation along the axis; q [m].
    Slide,
    /// A nut on a bolt: rotation about the axis through the anchor and, with it, translation along
    /// the axis by the joint's pitch; q [rad].
    Screw,
    /// Rotation about the anchor; q = (w, x, y, z), v in body axes [rad/s].
    Ball,
    /// Everything; q = (x, y, z, w, x, y, z), v = (of the origin, world axes [m/s]; angular, body
    /// axes [rad/s]). Only for a body whose parent is the world.
    Free,
}

impl JointKind {
    /// One coordinate, whose rate is its velocity: hinge, slide or screw.
    pub fn is_scalar(self) -> bool {
        matches!(self, Self::Hinge | Self::Slide | Self::Screw)
    }

    /// Configuration coordinates.
    pub fn nq(self) -> usize {
        match self {
            Self::Hinge | Self::Slide | Self::Screw => 1,
            Self::Ball => 4,
            Self::Free => 7,
        }
    }

    /// Velocity coordinates.
    pub fn nv(self) -> usize {
        match self {
            Self::Hinge | Self::Slide | Self::Screw => 1,
            Self::Ball => 3,
            Self::Free => 6,
        }
    }
}

/// A joint of a [`Model`].
#[derive(Clone, Debug)]
pub struct Joint<T = f64> {
    pub name: String,
    pub kind: JointKind,
    pub body: usize,
    /// Unit vector in B; unused by ball and free joints.
    pub axis: Vec3<T>,
    /// Point of the axis in B [m]; unused by slide and free joints.
    pub anchor: Vec3<T>,
    /// Travel along the axis per turning about it, of a screw [m/rad]; zero for the others.
    pub pitch: T,
    /// First coordinate in q.
    pub idx_q: usize,
    /// First coordinate in v.
    pub idx_v: usize,
    /// Configuration at which the body stands as X_PB says; scalar joints only.
    pub reference: T,
    /// Range of q of a scalar joint; of the rotation angle, from 0, of a ball.
    pub limit: Option<[f64; 2]>,
    /// Spring k (q_rest − q): k [N·m/rad or N/m].
    pub stiffness: T,
    /// q at which the spring is at rest; scalar joints only.
    pub spring_rest: T,
}

impl Joint {
    /// Stretch of the spring at the coordinates `q` of the joint, along each of its dofs [m or rad]: of a
    /// ball joint the rotation vector, the same in parent and body. A free joint has no spring.
    #[inline]
    pub fn spring_stretch(&self, q: &[f64]) -> [f64; 3] {
        match self.kind {
            JointKind::Hinge | JointKind::Slide | JointKind::Screw => [q[0] - self.spring_rest, 0.0, 0.0],
            JointKind::Ball => Quat::new(q[0], q[1], q[2], q[3]).log().to_array(),
            JointKind::Free => [0.0; 3],
        }
    }
}

/// A finite end of the range of a hinge, slide or screw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointStop {
    pub joint: usize,
    /// 0: the lower end of the range, 1: the upper.
    pub side: usize,
    pub idx_q: usize,
    pub dof: usize,
    /// The end [m or rad].
    pub at: f64,
    /// Direction of the force along the joint: 1 at the lower end, −1 at the upper.
    pub sign: f64,
}

impl JointStop {
    /// Distance to the stop [m or rad].
    pub fn gap(&self, q: &[f64]) -> f64 {
        self.sign * (q[self.idx_q] - self.at)
    }

    /// Rate of the gap [m/s or rad/s].
    pub fn opening(&self, v: &[f64]) -> f64 {
        self.sign * v[self.dof]
    }
}

/// One velocity coordinate of a [`Model`].
#[derive(Clone, Copy, Debug)]
pub struct Dof<T = f64> {
    pub body: usize,
    pub joint: usize,
    /// The dof next towards the root, of this body or of an ancestor.
    pub parent: Option<usize>,
    /// Rotor inertia seen at the joint, added to the diagonal of M [kg·m² or kg]; without the rotor's
    /// gyroscopic moment (see [`crate::JointSpec::with_rotor`]).
    pub armature: T,
    /// Viscous damping [N·m·s/rad or N·s/m].
    pub damping: T,
    /// Dry friction: the joint holds up to this effort [N·m or N].
    pub friction: T,
    /// Prescribed rate, at which the joint moves whatever that takes, such as a crank that a motor turns [rad/s or m/s].
    /// A builder prescribes none.
    pub rate: Option<f64>,
}

/// A rigid body that can move on its own.
#[derive(Clone, Debug)]
pub struct Body<T = f64> {
    pub name: String,
    /// `None`: the world.
    pub parent: Option<usize>,
    /// Pose in the parent body (or world) when every joint is at its reference. Ignored by a free
    /// joint, whose q is the pose.
    pub X_PB: Pose<T>,
    /// About the origin of B, in its axes, links fixed to it included.
    pub inertia: Inertia<T>,
    /// Joints of the body, at least one.
    pub joints: Range<usize>,
    /// Dofs of the body.
    pub dofs: Range<usize>,
    /// Number of the tree it belongs to; trees are numbered by first body.
    pub tree: usize,
}

/// A named frame of the file: a link, moving or fixed.
#[derive(Clone, Debug)]
pub struct Link {
    pub name: String,
    pub parent: Option<usize>,
    /// The body that carries it; `None`: the world.
    pub body: Option<usize>,
    /// Pose in that body.
    pub X_BL: Pose,
    /// Inertia of the link alone, about its own origin and in its axes.
    pub inertia: Inertia,
}

/// An articulated mechanism: trees of bodies joined by joints. It is constant during a simulation.
#[derive(Clone, Debug)]
pub struct Model<T = f64> {
    pub bodies: Vec<Body<T>>,
    pub joints: Vec<Joint<T>>,
    pub dofs: Vec<Dof<T>>,
    pub links: Vec<Link>,
    /// Acceleration of gravity in W [m/s²].
    pub gravity: Vec3<T>,
    /// Number of trees.
    pub trees: usize,
    /// Length of q.
    pub nq: usize,
}

impl Model {
    /// Joints with springs, and their places among all.
    #[inline]
    pub fn springs(&self) -> impl Iterator<Item = (usize, &Joint)> {
        let has = |j: &&Joint| j.stiffness > 0.0 && j.kind != JointKind::Free;
        self.joints.iter().enumerate().filter(move |(_, j)| has(j))
    }

    /// Ends of the ranges of hinges, slides and screws, joint by joint.
    pub fn stops(&self) -> impl Iterator<Item = JointStop> {
        let scalar = self.joints.iter().enumerate().filter(|(_, j)| j.kind.is_scalar());
        let limited = scalar.filter_map(|(number, j)| Some((number, j, j.limit?)));
        limited.flat_map(|(joint, j, range)| {
            let ends = range.into_iter().zip([1.0, -1.0]).enumerate().filter(|(_, (at, _))| at.is_finite());
            ends.map(move |(side, (at, sign))| JointStop {
                joint,
                side,
                idx_q: j.idx_q,
                dof: j.idx_v,
                at,
                sign,
            })
        })
    }

    /// A joint of several coordinates whose angle is limited.
    pub fn limited_ball(&self) -> Option<&Joint> {
        self.joints.iter().find(|j| !j.kind.is_scalar() && j.limit.is_some())
    }
}

impl<T> Model<T> {
    /// Length of v.
    #[inline(always)]
    pub fn nv(&self) -> usize {
        self.dofs.len()
    }
}

impl<T: Real> Model<T> {
    /// Zero, of the kind of the model's numbers.
    #[inline(always)]
    pub fn kind(&self) -> T {
        self.gravity.x.zero()
    }

    /// Every joint at its reference, every quaternion the identity, free bodies where X_PB says.
    pub fn neutral(&self) -> Vec<T> {
        let mut q = vec![self.kind(); self.nq];
        for joint in &self.joints {
            let q = &mut q[joint.idx_q..joint.idx_q + joint.kind.nq()];
            match joint.kind {
                JointKind::Hinge | JointKind::Slide | JointKind::Screw => q[0] = joint.reference,
                JointKind::Ball => q[0] = q[0].one(),
                JointKind::Free => {
                    let Pose { rotation: r, translation: p } = self.bodies[joint.body].X_PB;
                    q.copy_from_slice(&[p.x, p.y, p.z, r.w, r.x, r.y, r.z]);
                }
            }
        }
        q
    }
}

impl Model<f64> {
    /// A copy of the model for another scalar: every lane starts from the same constants.
    pub fn cast<T: Real>(&self, kind: T) -> Model<T> {
        Model {
            bodies: (self.bodies.iter())
                .map(|b| Body {
                    name: b.name.clone(),
                    parent: b.parent,
                    X_PB: b.X_PB.cast(kind),
                    inertia: b.inertia.cast(kind),
                    joints: b.joints.clone(),
                    dofs: b.dofs.clone(),
                    tree: b.tree,
                })
                .collect(),
            joints: (self.joints.iter())
                .map(|j| Joint {
                    name: j.name.clone(),
                    kind: j.kind,
                    body: j.body,
                    axis: j.axis.cast(kind),
                    anchor: j.anchor.cast(kind),
                    pitch: kind.like(j.pitch),
                    idx_q: j.idx_q,
                    idx_v: j.idx_v,
                    reference: kind.like(j.reference),
                    limit: j.limit,
                    stiffness: kind.like(j.stiffness),
                    spring_rest: kind.like(j.spring_rest),
                })
                .collect(),
            dofs: (self.dofs.iter())
                .map(|d| Dof {
                    body: d.body,
                    joint: d.joint,
                    parent: d.parent,
                    armature: kind.like(d.armature),
                    damping: kind.like(d.damping),
                    friction: kind.like(d.friction),
                    rate: d.rate,
                })
                .collect(),
            links: self.links.clone(),
            gravity: self.gravity.cast(kind),
            trees: self.trees,
            nq: self.nq,
        }
    }

    /// Sum of the masses of all moving bodies [kg].
    pub fn moving_mass(&self) -> f64 {
        self.bodies.iter().map(|b| b.inertia.mass).sum()
    }

    /// Index of the joint called `name`.
    pub fn joint_named(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|j| j.name == name)
    }

    /// Index of the link called `name`.
    pub fn link_named(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|l| l.name == name)
    }
}
