//! Loops of a world: which frames are held together, and the rows (1) to (5) of [`crate::rows::loop_closure`].

use crate::compliance::ComplianceParameters;
use crate::soft_loop::SoftLoop;
use stiction_dynamics::spatial::{Pose, Vec3};
use stiction_world::{Hold, World};

/// Loops whose ends are on different bodies; constant during a run.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    pub(crate) held: Vec<Held>,
}

#[derive(Clone, Debug)]
pub(crate) struct Held {
    /// Index into `world.loops`.
    pub(crate) index: usize,
    /// Bodies (`None`: the world) and poses in them, of A and B.
    pub(crate) ends: [(Option<usize>, Pose); 2],
    hold: Hold,
    /// Metres of a radian.
    scale: f64,
    /// How it yields; `None`: it is rigid.
    pub(crate) soft: Option<SoftLoop>,
}

/// One row: direction of the relative velocity or spin, and the error.
pub(crate) struct Row {
    pub(crate) along: Vec3,
    pub(crate) turns: bool,
    pub(crate) error: f64,
}

impl Loops {
    pub fn new(world: &World) -> Self {
        let parameters =
            world.loops.iter().any(|l| l.active && l.yields).then(|| ComplianceParameters::new(world));
        let held = world.loops.iter().enumerate().filter(|(_, l)| l.active).map(|(index, l)| {
            let ends = l.ends.map(|(link, X)| world.mount(link, X));
            let soft = parameters.as_ref().filter(|_| l.yields).map(|p| SoftLoop::new(world, index, p));
            Held { index, ends, hold: l.hold, scale: l.torque_scale, soft }
        });
        Self { held: held.filter(|l| l.ends[0].0 != l.ends[1].0).collect() }
    }

    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }
}

impl Held {
    /// Whether velocities alone are held, without an error of positions.
    pub(crate) fn is_of_velocities(&self) -> bool {
        self.hold == Hold::KnifeEdge
    }

    /// (1)–(5) for frames at these poses; what is left over is `None`.
    pub(crate) fn rows(&self, X_WA: Pose, X_WB: Pose) -> [Option<Row>; 6] {
        let apart = X_WB.translation - X_WA.translation;
        if let Hold::Distance(length) = self.hold {
            let n = apart.normalized().unwrap_or(Vec3::Z);
            let row = Row { along: n, turns: false, error: apart.norm() - length };
            return [Some(row), None, None, None, None, None];
        }
        if self.is_of_velocities() {
            let row = Row { along: X_WB.rotation.rotate(Vec3::Y), turns: false, error: 0.0 };
            return [Some(row), None, None, None, None, None];
        }
        let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|a| X_WA.rotation.rotate(a));
        let R_AB = X_WA.rotation.conjugate() * X_WB.rotation;
        let turn = match self.hold {
            Hold::Hinge => Vec3::Z.cross(R_AB.rotate(Vec3::Z)), // (3)
            _ => R_AB.log(),
        };
        let [origins, turns] = match self.hold {
            Hold::Point | Hold::Distance(_) | Hold::KnifeEdge => [3, 0],
            Hold::Frame => [3, 3],
            Hold::Hinge => [3, 2],
            Hold::Slide => [2, 3],
        };
        let turns = if self.scale > 0.0 { turns } else { 0 };
        let turn = turn.to_array();
        std::array::from_fn(|k| {
            if k < 3 {
                let along = axes[k];
                (k < origins).then(|| Row { along, turns: false, error: along.dot(apart) })
            } else {
                let along = axes[k - 3] * self.scale;
                (k - 3 < turns).then(|| Row { along, turns: true, error: self.scale * turn[k - 3] })
            }
        })
    }
}
