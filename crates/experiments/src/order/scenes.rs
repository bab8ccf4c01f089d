//! The scenes of [`super`]: twelve, and the planar problems of [`super::robots`].

use super::REFERENCE;
use super::robots::{Problem, problems};
use crate::ExperimentError;
use std::path::Path;
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction::models::{LoadOptions, load_str};
use stiction::{Settings, SetupError, Simulation, Sleep, State, StepperName};
use stiction_lab::driven::Driven;
use stiction_scene::Scene;

const G: f64 = 9.81;

/// A motion whose end is looked at.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) duration: f64,
    /// The default stepper is of the second order here.
    pub(super) second: bool,
    /// Pose of the first body at a time [s], where it is known.
    pub(super) exact: Option<fn(f64) -> Pose>,
    /// Largest error of the default stepper at steps of 1 ms [m or rad].
    pub(super) within: f64,
    start: Start,
}

enum Start {
    /// The text of a scene file.
    Scene(&'static str),
    /// The text of a MJCF file, with q and v.
    Robot(&'static str, &'static [f64], &'static [f64]),
    Planar(Problem),
}

impl Case {
    fn new(name: &'static str, duration: f64, second: bool, start: Start) -> Self {
        Self { name, duration, second, exact: None, within: 0.0, start }
    }

    fn known(self, exact: fn(f64) -> Pose, within: f64) -> Self {
        Self { exact: Some(exact), within, ..self }
    }

    fn planar(problem: Problem) -> Self {
        Self::new(problem.name, problem.time, true, Start::Planar(problem))
    }

    /// A planar problem, of which no closed form is known.
    pub(super) fn is_planar(&self) -> bool {
        matches!(self.start, Start::Planar(_))
    }

    /// Errors up to this come from landings, which are found to 10 nm [m or rad].
    pub(super) fn found(&self) -> f64 {
        if let Start::Planar(problem) = &self.start { problem.found } else { 0.0 }
    }

    /// Poses at the end of the motion in closed form, or by the reference of planar problems.
    pub(super) fn known_end(&self) -> Result<Option<Vec<Pose>>, ExperimentError> {
        match (self.exact, self.is_planar()) {
            (Some(exact), _) => Ok(Some(vec![exact(self.duration)])),
            (None, true) => self.end(StepperName::default(), REFERENCE),
            (None, false) => Ok(None),
        }
    }

    /// The name in names of files.
    pub(super) fn stem(&self) -> String {
        self.name.replace(' ', "-")
    }

    /// Poses of all bodies at the end of the motion, by steps of h [s]; `None` if the stepper refuses the scene or cannot do a step.
    pub(super) fn end(&self, stepper: StepperName, h: f64) -> Result<Option<Vec<Pose>>, ExperimentError> {
        let mut sim = match self.simulation(stepper, h) {
            Ok(sim) => sim,
            Err(ExperimentError::Setup(SetupError::Made(_))) => return Ok(None),
            Err(error) => return Err(error),
        };
        for _ in 0..(self.duration / h).round() as usize {
            if sim.step().failure().is_some() {
                return Ok(None);
            }
        }
        Ok(Some(sim.sim_mut().kinematics().X_WB.clone()))
    }

    pub(super) fn simulation(&self, stepper: StepperName, h: f64) -> Result<Driven, ExperimentError> {
        let choose = |settings: &mut Settings| {
            settings.tolerance = 1e-11;
            settings.stepper.energy_tolerance = f64::MAX;
            settings.stepper.method = stepper;
            settings.stepper.dt = h;
            settings.stepper.sleep = Sleep::Off;
        };
        match &self.start {
            Start::Scene(text) => {
                let mut setup = Scene::from_toml(text, Path::new("order.toml"))?.build()?;
                choose(&mut setup.settings);
                Ok(Driven::new(setup)?)
            }
            Start::Robot(text, q, v) => Ok(robot((text, 0.0), (q, v), choose)?.into()),
            Start::Planar(problem) => {
                let Problem { xml, q, v, restitution, control, .. } = problem;
                let mut sim = robot((xml, *restitution), (q, v), choose)?;
                sim.control_mut().copy_from_slice(control);
                Ok(sim.into())
            }
        }
    }
}

/// A robot of a MJCF file with surfaces of this restitution, at q and v as far as these go.
fn robot(
    (text, restitution): (&str, f64),
    (q, v): (&[f64], &[f64]),
    choose: impl Fn(&mut Settings),
) -> Result<Simulation, ExperimentError> {
    let mut world = load_str(text, Path::new("order.xml"), Path::new(""), &LoadOptions::default())?;
    world.geometries.iter_mut().for_each(|g| g.material.restitution = restitution);
    let mut settings = Settings::default();
    choose(&mut settings);
    let mut state = State::neutral(&world.model);
    state.q[..q.len()].copy_from_slice(q);
    state.v[..v.len()].copy_from_slice(v);
    Ok(Simulation::new(world, state, settings)?)
}

/// In the order of the table.
pub(super) fn cases() -> Vec<Case> {
    let mut all = Vec::from(scenes());
    all.extend(problems().into_iter().map(Case::planar));
    all
}

fn scenes() -> [Case; 12] {
    [
        Case::new("flight", 0.5, true, Start::Scene(FLIGHT)),
        Case::new(
            "linkage",
            0.4,
            true,
            Start::Robot(LINKAGE, &[0.0; 3], &[8.0, -8.0 - 8.0 * 0.25 / 0.6, 0.0]),
        ),
        Case::new("coupling", 0.5, true, Start::Robot(COUPLING, &[1.0, 0.8], &[0.0; 2])),
        Case::new("pendulum with servo", 0.4, true, Start::Robot(SERVO, &[0.8, -0.3], &[0.0; 2])),
        Case::new("slide", 0.3, true, Start::Scene(SLIDE)).known(slide, 1e-5),
        Case::new("slide to roll", 0.4, true, Start::Scene(SLIDE_TO_ROLL)).known(slide_to_roll, 2e-4),
        Case::new("steady roll", 0.5, true, Start::Scene(STEADY_ROLL)).known(steady_roll, 1e-4),
        Case::new("leaning coin", 0.3, true, Start::Scene(COIN)),
        Case::new("landing and rolling", 0.5, false, Start::Scene(LANDING)).known(landing, 1e-2),
        Case::new("bounces", 1.0, true, Start::Scene(BOUNCES)).known(bounces, 1e-10),
        Case::new("frictional impact", 0.4, true, Start::Scene(IMPACT)).known(impact, 1e-10),
        Case::new("quadruped pushed", 0.3, false, Start::Scene(QUADRUPED)),
    ]
}

const FLIGHT: &str = r#"
[[body]]
name = "slab"
shape = "box"
size = [0.3, 0.2, 0.05]
mass = 1.0
velocity = [1.0, 0.5, 3.0]
angular_velocity = [0.3, 8.0, 0.2]
"#;

const LINKAGE: &str = r#"<mujoco><option gravity="0 0 0"/><worldbody>
<body name="crank"><joint name="crank" axis="0 -1 0"/><geom type="capsule" size=".01" fromto="0 0 0 .25 0 0" mass=".8" contype="0" conaffinity="0"/>
<body name="rod" pos=".25 0 0"><joint name="rod" axis="0 -1 0"/><geom type="capsule" size=".01" fromto="0 0 0 .6 0 0" mass=".5" contype="0" conaffinity="0"/></body></body>
<body name="slider" pos=".85 0 0"><joint name="slider" type="slide" axis="1 0 0"/><geom type="box" size=".05 .05 .05" mass="1.1" contype="0" conaffinity="0"/></body>
</worldbody><equality><connect body1="rod" body2="slider" anchor=".6 0 0"/></equality></mujoco>"#;

const COUPLING: &str = r#"<mujoco><worldbody>
<body name="a" pos="0 0 2"><joint name="a" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 -.5" mass="1" contype="0" conaffinity="0"/></body>
<body name="b" pos="1 0 2"><joint name="b" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 -.3" mass=".6" contype="0" conaffinity="0"/></body>
</worldbody><equality><joint joint1="b" joint2="a" polycoef="0 .4 .5 -.1 0"/></equality></mujoco>"#;

const SERVO: &str = r#"<mujoco><worldbody>
<body name="upper" pos="0 0 2"><joint name="shoulder" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 -.4" mass="1" contype="0" conaffinity="0"/>
<body name="lower" pos="0 0 -.4"><joint name="elbow" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 -.3" mass=".5" contype="0" conaffinity="0"/></body></body>
</worldbody><actuator><position joint="elbow" kp="20" kv="0.5"/></actuator></mujoco>"#;

const SLIDE: &str = r#"
ground = { friction = 0.3 }
[[body]]
name = "brick"
shape = "box"
size = [0.2, 0.1, 0.05]
mass = 1.0
position = [0.0, 0.0, 0.025]
velocity = [2.0, 0.0, 0.0]
friction = 0.3
"#;

/// v₀ t − ½ μ g t².
fn slide(t: f64) -> Pose {
    Pose::from_translation(vec3(2.0 * t - 0.5 * 0.3 * G * t * t, 0.0, 0.025))
}

const SLIDE_TO_ROLL: &str = r#"
ground = { friction = 0.3 }
[[body]]
name = "ball"
shape = "sphere"
radius = 0.1
mass = 1.0
position = [0.0, 0.0, 0.1]
velocity = [2.0, 0.0, 0.0]
friction = 0.3
"#;

/// It slides for t₁ = 2 v₀/(7 μ g), then rolls at 5/7 v₀.
fn slide_to_roll(t: f64) -> Pose {
    let (v, mu, r) = (2.0, 0.3, 0.1);
    let until = 2.0 * v / (7.0 * mu * G);
    let slides = t.min(until);
    let (x, turn) = (v * slides - 0.5 * mu * G * slides * slides, 1.25 * mu * G / r * slides * slides);
    let rolls = 5.0 / 7.0 * v * (t - slides);
    turned(vec3(x + rolls, 0.0, r), turn + rolls / r)
}

/// Turned about y.
fn turned(position: Vec3, angle: f64) -> Pose {
    Pose::new(Quat::exp(Vec3::Y * angle), position)
}

const STEADY_ROLL: &str = r#"
ground = { friction = 0.8, slope = 17.0 }
[[body]]
name = "ball"
shape = "sphere"
radius = 0.05
mass = 1.0
frame = "ground"
position = [0.0, 0.0, 0.05]
friction = 0.8
"#;

/// 5/14 g sin α t² down the slope.
fn steady_roll(t: f64) -> Pose {
    let (alpha, r) = (17_f64.to_radians(), 0.05);
    let way = 5.0 / 14.0 * G * alpha.sin() * t * t;
    let at = vec3(r * alpha.sin() + way * alpha.cos(), 0.0, r * alpha.cos() - way * alpha.sin());
    turned(at, alpha + way / r)
}

const COIN: &str = r#"
ground = { friction = 0.9 }
[[body]]
name = "coin"
shape = "cylinder"
radius = 0.04
length = 0.006
mass = 0.4
position = [0.0, 0.0, 0.035279745]
rpy = [57.29577951308232, 0.0, 0.0]
angular_velocity = [0.0, 10.0, 4.0]
friction = 0.9
"#;

const LANDING: &str = r#"
ground = { friction = 0.8 }
[[body]]
name = "ball"
shape = "sphere"
radius = 0.1
mass = 1.0
position = [0.0, 0.0, 0.3]
velocity = [1.0, 0.0, 0.0]
friction = 0.8
"#;

/// It falls by 0.2 m, is taken to 5/7 of its speed at once, and rolls.
fn landing(t: f64) -> Pose {
    let (v, r) = (1.0, 0.1);
    let lands = (2.0 * 0.2 / G).sqrt();
    if t < lands {
        return Pose::from_translation(vec3(v * t, 0.0, 0.3 - 0.5 * G * t * t));
    }
    let rolls = 5.0 / 7.0 * v * (t - lands);
    turned(vec3(v * lands + rolls, 0.0, r), rolls / r)
}

const BOUNCES: &str = r#"
ground = { restitution = 0.8 }
[[body]]
name = "ball"
shape = "sphere"
radius = 0.1
mass = 1.0
position = [0.0, 0.0, 0.5]
restitution = 0.8
"#;

/// Parabolas; each leaves at e times the speed at which the last ended.
fn bounces(t: f64) -> Pose {
    let lands = (2.0 * 0.4 / G).sqrt();
    if t < lands {
        return Pose::from_translation(Vec3::Z * (0.5 - 0.5 * G * t * t));
    }
    let (mut since, mut speed) = (t - lands, 0.8 * G * lands);
    while since > 2.0 * speed / G {
        since -= 2.0 * speed / G;
        speed *= 0.8;
    }
    Pose::from_translation(Vec3::Z * (0.1 + speed * since - 0.5 * G * since * since))
}

const IMPACT: &str = r#"
ground = { friction = 0.2, restitution = 0.7 }
[[body]]
name = "ball"
shape = "sphere"
radius = 0.1
mass = 1.0
position = [0.0, 0.0, 0.3]
velocity = [0.5, 0.0, 0.0]
angular_velocity = [0.0, 40.0, 0.0]
friction = 0.2
restitution = 0.7
"#;

/// One bounce in which the ball slips: μ (1 + e) v_N along the ground.
fn impact(t: f64) -> Pose {
    let (v, spin, r, mu, e) = (0.5, 40.0, 0.1, 0.2, 0.7);
    let lands = (2.0 * 0.2 / G).sqrt();
    let (fast, after) = (G * lands, t - lands);
    let push = mu * (1.0 + e) * fast;
    let x = v * t + push * after;
    let z = r + e * fast * after - 0.5 * G * after * after;
    turned(vec3(x, 0.0, z), spin * t - 2.5 * push / r * after)
}

const QUADRUPED: &str = r#"
ground = { friction = 0.8 }
[[model]]
builtin = "quadruped"
[[force]]
body = "trunk"
direction = [0.0, 1.0, 0.0]
magnitude = 20.0
stop = 0.1
"#;
