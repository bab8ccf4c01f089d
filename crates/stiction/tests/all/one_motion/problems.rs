//! Robots and bodies of which steps are posed in their middle, as MJCF.

use std::path::Path;
use stiction::models::{LoadOptions, load_str};
use stiction::{Settings, Simulation, State, StepperParams};

/// A problem: its world, and its first velocities.
pub(crate) struct Problem {
    pub(crate) name: &'static str,
    pub(crate) xml: String,
    pub(crate) v: Vec<f64>,
    /// Coefficient of restitution of all surfaces.
    pub(crate) restitution: f64,
}

impl Problem {
    pub(crate) fn new(name: &'static str, body: &str) -> Self {
        let xml = format!("<mujoco><compiler angle='radian'/>{body}</mujoco>");
        Self { name, xml, v: Vec::new(), restitution: 0.0 }
    }

    /// By steps of `dt` [s] in their middle.
    pub(crate) fn simulation(&self, dt: f64) -> Simulation {
        let loaded = load_str(&self.xml, Path::new("test.xml"), Path::new("."), &LoadOptions::default());
        let mut world = loaded.unwrap();
        world.geometries.iter_mut().for_each(|g| g.material.restitution = self.restitution);
        let stepper = StepperParams { dt, energy_tolerance: 1e9, ..StepperParams::default() };
        let settings = Settings { tolerance: 1e-12, stepper, ..Settings::default() };
        let mut state = State::neutral(&world.model);
        state.v[..self.v.len()].copy_from_slice(&self.v);
        Simulation::new(world, state, settings).unwrap()
    }
}

/// A trunk on four legs with servos at their hips, which hold them upright.
fn robot() -> String {
    let legs = [[-1, -1], [1, -1], [-1, 1], [1, 1]].map(|[x, y]| (x, y, format!("hip{x}{y}")));
    let bodies = legs.each_ref().map(|(x, y, hip)| {
        format!(
            "<body pos='{} {} 0'><joint name='{hip}' axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 0 0 0 -.26' mass='.4' friction='.5'/></body>",
            0.2 * f64::from(*x),
            0.15 * f64::from(*y)
        )
    });
    let servos = legs.map(|(.., hip)| format!("<position joint='{hip}' kp='200' kv='5'/>"));
    format!(
        "<worldbody><geom type='plane' size='9 9 1' friction='.5'/><body pos='0 0 .28'><freejoint/><geom type='box' size='.25 .12 .04' mass='6'/>{}</body></worldbody><actuator>{}</actuator>",
        bodies.concat(),
        servos.concat()
    )
}

/// Problems that come to rest.
pub(crate) fn at_rest() -> Vec<Problem> {
    let corners = |half: f64, z: f64, radius: f64| {
        [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]
            .map(|[x, y]| {
                format!(
                    "<geom type='sphere' size='{radius}' pos='{} {} {z}' friction='.5'/>",
                    half * x,
                    half * y
                )
            })
            .concat()
    };
    let brick = |z: f64| {
        format!(
            "<body pos='0 0 {z}'><freejoint/><geom type='box' size='.15 .1 .1' mass='1' friction='.5'/></body>"
        )
    };
    let floor = |tilt: &str| format!("<geom type='plane' size='9 9 1' friction='.5' {tilt}/>");
    let stack = format!("<worldbody>{}{}{}</worldbody>", floor(""), brick(0.1), brick(0.3));
    let angle = 0.999 * 0.5_f64.atan();
    let slope = format!(
        "<worldbody>{}<body pos='{} 0 {}' euler='0 {angle} 0'><freejoint/><geom type='box' size='.15 .1 .1' mass='1' friction='.5'/></body></worldbody>",
        floor(&format!("euler='0 {angle} 0'")),
        0.1 * angle.sin(),
        0.1 * angle.cos()
    );
    let table = format!(
        "<worldbody>{}<body pos='0 0 .3'><freejoint/><geom type='box' size='.3 .2 .02' mass='3'/>{}</body></worldbody>",
        floor(""),
        corners(0.2, -0.28, 0.02)
    );
    let knocked = |problem: Problem| Problem {
        v: vec![0.0, 0.0, 0.0, 1e-3, 2e-3, 0.0, 1e-3, 0.0, 0.0, 0.0, 2e-3, 0.0],
        ..problem
    };
    vec![
        Problem::new("stack", &stack),
        knocked(Problem::new("knocked stack", &stack)),
        Problem::new("slope", &slope),
        Problem::new("table", &table),
        Problem::new("robot", &robot()),
    ]
}
