//! Loops: frames on two links that are held together, whatever the tree says, or whose relative velocity is.

use crate::surface::Softness;
use stiction_dynamics::spatial::{Pose, Quat, Vec3};

/// Two frames that a hold joins. A tree of bodies cannot say it: it becomes rows of the constraint problem.
#[derive(Clone, Debug)]
pub struct LoopClosure {
    pub name: String,
    /// The frames A and B, each on a link (`None`: the world).
    pub ends: [(Option<usize>, Pose); 2],
    pub hold: Hold,
    /// Metres that a radian counts as; rotations are free where it is zero.
    pub torque_scale: f64,
    pub active: bool,
    pub softness: Softness,
    /// The loop closes as `softness` says under every law; else it is rigid under all but MuJoCo's.
    pub yields: bool,
}

/// Motion of B in A that a closure suppresses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hold {
    /// The origins stay together (MJCF `connect`, SDF `ball`).
    Point,
    /// The frames stay together (MJCF `weld`, SDF `fixed`).
    Frame,
    /// B turns about the axis z that both share.
    Hinge,
    /// B slides along the axis z of A.
    Slide,
    /// The origins stay this far apart [m].
    Distance(f64),
    /// The origin of B has no velocity along the axis y of B: a knife edge, or a wheel that does not skid. Velocities alone are held
    /// (a non-holonomic constraint), no place is.
    KnifeEdge,
}

impl LoopClosure {
    /// Rigid, with the softness that nothing is said about.
    pub fn new(name: impl Into<String>, ends: [(Option<usize>, Pose); 2], hold: Hold) -> Self {
        let softness = Softness::default();
        Self { name: name.into(), ends, hold, torque_scale: 1.0, active: true, softness, yields: false }
    }

    /// A knife edge at `point` of a link on the world, whose velocity along `across` is zero, both in the axes of the link.
    pub fn knife_edge(name: impl Into<String>, link: usize, point: Vec3, across: Vec3) -> Self {
        let edge = Pose { rotation: Quat::between(Vec3::Y, across), translation: point };
        Self::new(name, [(None, Pose::IDENTITY), (Some(link), edge)], Hold::KnifeEdge)
    }

    /// Renumbers links for a world in which that many come before; it stands at `pose`.
    pub fn shift(&mut self, links: usize, pose: Pose) {
        for (link, X) in &mut self.ends {
            match link {
                Some(l) => *l += links,
                None => *X = pose * *X,
            }
        }
    }
}
