//! Quantities that sensors read, and where.

use std::ops::Range;
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Vec3};

/// Something that moves with a body, and the link it is on.
#[derive(Clone)]
pub struct Frame {
    pub body: Option<usize>,
    pub link: Option<usize>,
    pub X_BF: Pose,
}

impl Frame {
    pub const WORLD: Self = Self { body: None, link: None, X_BF: Pose::IDENTITY };
}

/// A sensor that is offered.
pub struct Reading {
    pub kind: Kind,
    pub cutoff: f64,
}

/// A quantity of the present state or of the last step.
pub enum Kind {
    Accelerometer(Frame),
    Velocimeter(Frame),
    Gyro(Frame),
    Force(Frame),
    Torque(Frame),
    /// Force and torque, times the sign.
    Wrench(Frame, f64),
    /// Orientation in the world, angular velocity and acceleration on top of free fall, the last two in its axes.
    Imu(Frame),
    /// The sum of contact forces on geometries.
    Contact(Vec<usize>),
    Touch(Frame, Shape),
    Range(Frame),
    Coordinates(Range<usize>),
    Rates(Range<usize>),
    Length(Vec<(usize, f64)>),
    Rate(Vec<(usize, f64)>),
    Effort(usize),
    EffortOfDof(usize),
    /// A frame's quantity within another frame, here and below.
    Position(Frame, Frame),
    Quaternion(Frame, Frame),
    Axis(Frame, Frame, Vec3),
    Velocity(Frame, Frame),
    AngularVelocity(Frame, Frame),
    Acceleration(Frame),
    AngularAcceleration(Frame),
    SubtreeCom(Option<usize>),
    SubtreeVelocity(Option<usize>),
    SubtreeMomentum(Option<usize>),
    Clock,
    Potential,
    Kinetic,
}

impl Kind {
    /// Whether it reads accelerations, or forces that cause them.
    pub fn accelerates(&self) -> bool {
        matches!(
            self,
            Self::Accelerometer(_)
                | Self::Imu(_)
                | Self::Force(_)
                | Self::Torque(_)
                | Self::Wrench(..)
                | Self::Acceleration(_)
                | Self::AngularAcceleration(_)
        )
    }

    /// How many numbers it reads.
    pub fn width(&self) -> usize {
        match self {
            Self::Coordinates(at) | Self::Rates(at) => at.len(),
            Self::Quaternion(..) => 4,
            Self::Wrench(..) => 6,
            Self::Imu(_) => 10,
            Self::Touch(..)
            | Self::Range(_)
            | Self::Length(_)
            | Self::Rate(_)
            | Self::Effort(_)
            | Self::EffortOfDof(_)
            | Self::Clock
            | Self::Potential
            | Self::Kinetic => 1,
            _ => 3,
        }
    }
}
