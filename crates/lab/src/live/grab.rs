//! The pull of a mouse: a damped spring between a point of a body and a target,
//!
//! ```text
//!     f = k (p_target − p) − c ṗ,   |f| ≤ 30 m g,   k = m ω²,  c = 2 m ω                 (1)
//! ```
//!
//! m is the mass of the whole robot, so that a robot can be lifted by its trunk; ω = 20 rad/s follows a hand and sags by
//! g/ω² = 2.5 cm under the weight it carries. The spring is explicit: on a light body k and c stay below what keeps a
//! step of length h stable,
//!
//! ```text
//!     k ≤ m_body / (4 h²),   c ≤ m_body / (4 h)                                         (2)
//! ```
//!
//! a quarter because a rod is four times as easy to move at its end as at its middle. ṗ is the change of p over the
//! last step.

use stiction::Simulation;
use stiction::dynamics::spatial::{Vec3, vec3};

const FREQUENCY: f64 = 20.0; // ω [rad/s]
const STRONGEST: f64 = 30.0 * 9.81; // force for a mass [N/kg]

/// A body that is pulled by a spring to a point.
pub(super) struct Grab {
    body: usize,
    /// In the body [m].
    point: Vec3,
    /// In W [m].
    target: Vec3,
    stiffness: f64,
    damping: f64,
    most: f64,
    /// p before the last step, in every run [m].
    before: Vec<Option<Vec3>>,
}

impl Grab {
    pub(super) fn new(
        sim: &mut Simulation,
        runs: usize,
        body: usize,
        point: [f64; 3],
        target: [f64; 3],
    ) -> Result<Self, String> {
        let (bodies, h) = (&sim.world().model.bodies, sim.settings().stepper.dt);
        let held = bodies.get(body).ok_or_else(|| format!("there is no body {body}"))?;
        let mass: f64 = bodies.iter().filter(|b| b.tree == held.tree).map(|b| b.inertia.mass).sum();
        let light = 0.25 * held.inertia.mass.max(1e-3 * mass);
        Ok(Self {
            body,
            point: of(point),
            target: of(target),
            stiffness: (mass * FREQUENCY * FREQUENCY).min(light / (h * h)), // (1), (2)
            damping: (2.0 * mass * FREQUENCY).min(light / h),
            most: STRONGEST * mass,
            before: vec![None; runs],
        })
    }

    pub(super) fn body(&self) -> usize {
        self.body
    }

    pub(super) fn point(&self) -> [f64; 3] {
        self.point.to_array()
    }

    pub(super) fn aim(&mut self, target: [f64; 3]) {
        self.target = of(target);
    }

    /// Lets (1) act on run number `run` during the next step.
    pub(super) fn pull(&mut self, run: usize, sim: &mut Simulation) {
        let p = sim.kinematics().X_WB[self.body].transform(self.point);
        let Some(before) = self.before.get_mut(run) else { return };
        let velocity = before.map_or(Vec3::ZERO, |b| (p - b) * (1.0 / sim.settings().stepper.dt));
        *before = Some(p);
        let wanted = (self.target - p) * self.stiffness - velocity * self.damping;
        let force = wanted * (self.most / wanted.norm()).min(1.0);
        if force.is_finite() {
            sim.apply_force(self.body, p, force);
        }
    }
}

fn of([x, y, z]: [f64; 3]) -> Vec3 {
    vec3(x, y, z)
}
