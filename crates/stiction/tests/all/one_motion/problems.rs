//! Planar problems in which robots touch, slide, turn back and land, as MJCF: x to the right, z up, hinges about −y.

use std::path::Path;
use stiction::models::{LoadOptions, load_str};
use stiction::world::World;
use stiction::{MotionRule, Settings, Simulation, State, StepperParams};

/// A problem: its world, state at the start, and the time to which it is followed [s].
pub(crate) struct Problem {
    pub(crate) name: &'static str,
    pub(crate) xml: String,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) time: f64,
    /// Coefficient of restitution of all surfaces.
    pub(crate) restitution: f64,
    /// Controls of the actuators.
    pub(crate) control: Vec<f64>,
    /// Errors of this size come from landings, which are found to 10 nm [m or rad].
    pub(crate) found: f64,
}

/// A problem without a world.
pub(crate) fn empty(name: &'static str) -> Problem {
    of(name, "", &[], &[], 0.0)
}

impl Problem {
    pub(crate) fn world(&self) -> World {
        let loaded = load_str(&self.xml, Path::new("test.xml"), Path::new("."), &LoadOptions::default());
        let mut world = loaded.unwrap();
        world.geometries.iter_mut().for_each(|g| g.material.restitution = self.restitution);
        world
    }

    pub(crate) fn simulation(&self, dt: f64, motion: MotionRule) -> Simulation {
        let world = self.world();
        let stepper = StepperParams { dt, motion, energy_tolerance: 1e9, ..StepperParams::default() };
        let settings = Settings { tolerance: 1e-12, stepper, ..Settings::default() };
        let mut q = world.model.neutral();
        if !self.q.is_empty() {
            q.copy_from_slice(&self.q);
        }
        let mut v = vec![0.0; world.model.nv()];
        v[..self.v.len()].copy_from_slice(&self.v);
        let mut sim = Simulation::new(world, State { t: 0.0, q, v }, settings).unwrap();
        sim.control_mut().copy_from_slice(&self.control);
        sim
    }
}

fn of(name: &'static str, body: &str, q: &[f64], v: &[f64], time: f64) -> Problem {
    let xml = format!("<mujoco><compiler angle='radian'/>{body}</mujoco>");
    Problem {
        name,
        xml,
        q: q.to_vec(),
        v: v.to_vec(),
        time,
        restitution: 0.0,
        control: Vec::new(),
        found: 1e-10,
    }
}

/// Two slides and a hinge in the plane.
const PLANAR: &str =
    "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/><joint axis='0 -1 0'/>";
const FLOOR: &str = "<geom type='plane' size='9 9 1' friction='MU'/>";

fn floor(mu: f64) -> String {
    FLOOR.replace("MU", &mu.to_string())
}

fn mass(m: f64, at: [f64; 2], inertia: f64) -> String {
    let i = inertia.max(1e-9);
    format!("<inertial mass='{m}' pos='{} 0 {}' diaginertia='{i} {i} {i}'/>", at[0], at[1])
}

/// A small ball without mass that touches the floor with friction μ.
fn foot(x: f64, z: f64, radius: f64, mu: f64) -> String {
    format!("<geom type='sphere' size='{radius}' pos='{x} 0 {z}' friction='{mu}'/>")
}

/// Three links in a chain, with feet where wanted.
fn chain(feet: [&str; 3], limits: [&str; 2]) -> String {
    let [a, b, c] = [(1.0, 0.008), (0.8, 0.006), (0.6, 0.005)].map(|(m, i)| mass(m, [0.15, 0.0], i));
    format!(
        "<body>{PLANAR}{a}{}<body pos='.3 0 0'><joint axis='0 -1 0' {}/>{b}{}<body pos='.3 0 0'><joint axis='0 -1 0' {}/>{c}{}</body></body></body>",
        feet[0], limits[0], feet[1], limits[1], feet[2]
    )
}

pub(crate) fn problems() -> Vec<Problem> {
    let world = |text: &str| format!("<worldbody>{text}</worldbody>");
    let still = "<option gravity='0 0 0'/>";
    let pendulum = |dry: f64| {
        let [a, b] = [mass(1.0, [0.5, 0.0], 0.02), mass(0.7, [0.4, 0.0], 0.015)];
        world(&format!(
            "<body><joint axis='0 -1 0' frictionloss='{dry}'/>{a}<body pos='1 0 0'><joint axis='0 -1 0' frictionloss='{dry}'/>{b}</body></body>"
        ))
    };
    let crank = |mu: f64| {
        let [a, b, c] =
            [mass(1.0, [0.05, 0.0], 0.004), mass(0.5, [0.15, 0.0], 0.005), mass(2.0, [0.0, 0.0], 1e-3)];
        world(&format!(
            "{}<body pos='0 0 .02'><joint axis='0 -1 0'/>{a}<body pos='.1 0 0'><joint axis='0 -1 0'/>{b}<body pos='.3 0 0'><joint axis='0 -1 0'/>{c}{}</body></body></body>",
            floor(mu),
            foot(0.0, 0.0, 0.02, mu)
        ))
    };
    let crank_q = {
        let be = (0.1 * 0.7_f64.sin() / 0.3).asin();
        ([0.7, -be - 0.7, 0.0], be)
    };
    let crank_v = {
        let wb = -0.1 * 0.7_f64.cos() * 3.0 / (0.3 * crank_q.1.cos());
        [3.0, wb - 3.0, 0.0]
    };
    let box_of = |mu: f64| {
        let corner = |x: f64| foot(x, -0.08, 0.02, mu);
        let body =
            format!("<body>{PLANAR}{}{}{}</body>", mass(1.0, [0.0, 0.0], 0.01), corner(-0.13), corner(0.13));
        world(&format!("{}{body}", floor(mu)))
    };
    let slider = |mu: f64| {
        world(&format!(
            "{}<body pos='0 0 .02'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>{}{}</body>",
            floor(mu),
            mass(1.0, [0.0, 0.0], 1e-3),
            foot(0.0, 0.0, 0.02, mu)
        ))
    };
    let leg = |z: f64| {
        let [a, b, c] =
            [mass(4.0, [0.0, 0.0], 1e-6), mass(0.5, [0.15, 0.0], 0.004), mass(0.3, [0.15, 0.0], 0.003)];
        let body = format!(
            "{}<body pos='0 0 {z}'><joint type='slide' axis='0 0 1'/>{a}<body><joint name='hip' axis='0 -1 0'/>{b}<body pos='.3 0 0'><joint name='knee' axis='0 -1 0'/>{c}{}</body></body></body>",
            floor(0.9),
            foot(0.3, 0.0, 0.02, 0.9)
        );
        let servo = |joint: &str| format!("<position joint='{joint}' kp='200' kv='5'/>");
        format!("{}<actuator>{}{}</actuator>", world(&body), servo("hip"), servo("knee"))
    };
    let hopper = format!(
        "{}<body pos='0 0 .9'><joint type='slide' axis='0 0 1'/>{}<body pos='0 0 -.5'><joint type='slide' axis='0 0 1' stiffness='4000'/>{}{}</body></body>",
        floor(0.0),
        mass(5.0, [0.0, 0.0], 1e-3),
        mass(0.01, [0.0, 0.0], 1e-6),
        foot(0.0, 0.0, 0.02, 0.0)
    );
    let wheel = format!(
        "{}<body pos='0 0 .2'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/><body><joint axis='0 -1 0'/>{}<geom type='sphere' size='.2' friction='5'/></body><body><joint axis='0 -1 0'/>{}</body></body>",
        floor(5.0),
        mass(1.0, [0.0, 0.0], 0.02),
        mass(0.5, [0.0, -0.3], 0.004)
    );
    let hill = format!(
        "<geom type='sphere' size='1' friction='5'/><body pos='0 0 0'>{PLANAR}{}<geom type='sphere' size='.2' friction='5'/></body>",
        mass(1.0, [0.0, 0.0], 0.02)
    );
    let th = 0.15_f64;
    let fourbar = {
        let [a, b, c] =
            [mass(1.0, [0.11, 0.0], 0.01), mass(1.5, [0.275, 0.0], 0.04), mass(1.0, [0.225, 0.0], 0.02)];
        format!(
            "<worldbody><body><joint axis='0 -1 0'/>{a}<body pos='.22 0 0'><joint axis='0 -1 0'/>{b}<site name='s1' pos='.55 0 0'/></body></body><body pos='.6 0 0'><joint axis='0 -1 0'/>{c}<site name='s2' pos='.45 0 0'/></body></worldbody><equality><connect site1='s1' site2='s2'/></equality>"
        )
    };
    let no_feet = ["", "", ""];
    let feet = [
        foot(0.0, 0.0, 0.02, 0.3),
        foot(0.0, 0.0, 0.02, 0.3),
        foot(0.0, 0.0, 0.02, 0.3) + &foot(0.3, 0.0, 0.02, 0.3),
    ];
    let feet = feet.each_ref().map(|f| &f[..]);
    let servos = |problem: Problem| Problem { control: vec![-0.9, -1.0], ..problem };
    let bounces = |restitution: f64, found: f64, problem: Problem| Problem { restitution, found, ..problem };
    let spring = |mu: f64| slider(mu).replace("axis='1 0 0'", "axis='1 0 0' stiffness='60'");
    let fourbar_hits = fourbar
        .replace(
            "<site name='s1'",
            "<geom type='sphere' size='.04' pos='.35 0 -.1' friction='0'/><site name='s1'",
        )
        .replace("<worldbody>", "<worldbody><geom type='box' size='2 .5 .05' pos='0 0 -.02' friction='0'/>");
    let ball_on_plate = format!("<body pos='0 0 .5'><joint type='slide' axis='0 0 1' stiffness='200'/>{}<geom type='box' size='1 1 .05' friction='1'/></body><body pos='.2 0 .65'><freejoint/><geom type='sphere' size='.1' mass='1' friction='1'/></body>", mass(2.0, [0.0, 0.0], 0.1)).replace("mass='1' friction", "friction").replace("<freejoint/>", &format!("<freejoint/>{}", mass(1.0, [0.0, 0.0], 4e-3)));
    let turntable = "<body pos='0 0 .45'><joint axis='0 0 1'/>INERTIA<geom type='cylinder' size='3 .05' friction='.8'/></body><body pos='.8 0 .6'><freejoint/>BALL<geom type='sphere' size='.1' friction='.8'/></body>";
    let turntable = turntable
        .replace("INERTIA", &mass(5.0, [0.0, 0.0], 5.0))
        .replace("BALL", &mass(1.0, [0.0, 0.0], 4e-3));
    vec![
        of(
            "chain flies",
            &format!("{still}{}", world(&chain(no_feet, ["", ""]))),
            &[0.0, 0.0, 0.3, 0.8, -0.6],
            &[0.5, 0.2, 1.5, -2.0, 3.0],
            1.0,
        ),
        of("dry pendulum 1e-7", &pendulum(1e-7), &[-0.3, 0.9], &[0.0, 1.0], 1.5),
        of("dry pendulum .05", &pendulum(0.05), &[-0.3, 0.9], &[0.0, 1.0], 1.5),
        of("crank, smooth floor", &crank(0.0), &crank_q.0, &crank_v, 1.5),
        of("crank, friction .2", &crank(0.2), &crank_q.0, &crank_v, 0.6),
        of("four-bar", &fourbar, &[1.2, -0.7401146433059054, 1.6317772945175786], &[0.0; 3], 1.0),
        of("disk down a hill", &world(&hill), &[th.sin() * 1.2, th.cos() * 1.2, 0.0], &[0.0; 3], 0.75),
        of("wheel with pendulum", &world(&wheel), &[0.0, 0.0, 0.0, 1.2], &[0.0; 4], 1.0),
        of("box stops", &slider(0.4), &[0.0; 2], &[1.337, 0.0], 0.5),
        servos(of(
            "leg sticks",
            &leg(0.02 + 0.3 * 0.9_f64.sin() + 0.3 * 1.9_f64.sin()),
            &[0.0, -0.9, -1.0],
            &[0.0; 3],
            0.08,
        )),
        servos(of(
            "leg lands",
            &leg(0.12 + 0.3 * 0.9_f64.sin() + 0.3 * 1.9_f64.sin()),
            &[0.0, -0.9, -1.0],
            &[0.0; 3],
            0.2,
        )),
        of("box on edge, then flat", &box_of(0.3), &[0.0, 0.35, 0.3], &[0.3, 0.0, 0.0], 0.3),
        of(
            "chain lands",
            &world(&format!("{}{}", floor(0.3), chain(feet, ["", ""]))),
            &[0.0, 0.52, 0.35, -0.9, 0.8],
            &[0.3, 0.0, 1.0, -1.0, 0.5],
            0.36,
        ),
        of(
            "chain meets stops",
            &format!(
                "{still}{}",
                world(&chain(no_feet, ["limited='true' range='-.5 1'", "limited='true' range='-1 .5'"]))
            ),
            &[0.0, 0.0, 0.3, 0.6, -0.4],
            &[0.3, 0.0, 1.0, -4.0, 3.0],
            1.0,
        ),
        bounces(0.5, 1e-6, of("box on edge, e .5", &box_of(0.3), &[0.0, 0.35, 0.3], &[0.3, 0.0, 0.0], 0.3)),
        bounces(1.0, 1e-5, of("box on edge, e 1", &box_of(0.0), &[0.0, 0.35, 0.3], &[0.3, 0.0, 0.0], 0.6)),
        bounces(
            1.0,
            1e-10,
            of(
                "four-bar bounces",
                &fourbar_hits,
                &[1.2, -0.7401146433059054, 1.6317772945175786],
                &[0.0; 3],
                2.0,
            ),
        ),
        of("spring pulls back", &spring(0.1), &[0.4, 0.0], &[0.0; 2], 2.0),
        of("ball on a plate that swings", &world(&ball_on_plate), &[], &[0.3, 0.4], 1.0),
        of(
            "turntable",
            &world(&turntable),
            &[0.0, 0.8, 0.0, 0.6, 1.0, 0.0, 0.0, 0.0],
            &[6.0, 0.0, 1.3714285714285714, 0.0, 34.285714285714285, 0.0, 0.0],
            2.0,
        ),
        of("hopper", &world(&hopper), &[], &[], 0.9),
        of("hopper 3 s", &world(&hopper), &[], &[], 3.0),
    ]
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
        of("stack", &stack, &[], &[], 0.0),
        knocked(of("knocked stack", &stack, &[], &[], 0.0)),
        of("slope", &slope, &[], &[], 0.0),
        of("table", &table, &[], &[], 0.0),
    ]
}
