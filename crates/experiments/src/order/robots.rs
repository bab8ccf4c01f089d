//! Planar problems in which robots and bodies touch, slide, turn back and land, as MJCF: x to the right, z up, hinges about −y.

/// A problem: its world, state at the start, and the time to which it is followed [s].
pub(super) struct Problem {
    pub(super) name: &'static str,
    pub(super) xml: String,
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    pub(super) time: f64,
    /// Coefficient of restitution of all surfaces.
    pub(super) restitution: f64,
    /// Controls of the actuators.
    pub(super) control: Vec<f64>,
    /// Errors of this size come from landings, which are found to 10 nm [m or rad].
    pub(super) found: f64,
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

const STILL: &str = "<option gravity='0 0 0'/>";

fn world(text: &str) -> String {
    format!("<worldbody>{text}</worldbody>")
}

fn pendulum(dry: f64) -> String {
    let [a, b] = [mass(1.0, [0.5, 0.0], 0.02), mass(0.7, [0.4, 0.0], 0.015)];
    let joint = format!("<joint axis='0 -1 0' frictionloss='{dry}'/>");
    world(&format!("<body>{joint}{a}<body pos='1 0 0'>{joint}{b}</body></body>"))
}

/// A crank of which the slider at the end of the rod presses on the floor.
fn crank(mu: f64) -> String {
    let [a, b, c] =
        [mass(1.0, [0.05, 0.0], 0.004), mass(0.5, [0.15, 0.0], 0.005), mass(2.0, [0.0, 0.0], 1e-3)];
    let joint = "<joint axis='0 -1 0'/>";
    let (ground, shoe) = (floor(mu), foot(0.0, 0.0, 0.02, mu));
    world(&format!(
        "{ground}<body pos='0 0 .02'>{joint}{a}<body pos='.1 0 0'>{joint}{b}<body pos='.3 0 0'>{joint}{c}{shoe}</body></body></body>"
    ))
}

/// Angles and their rates at which the slider moves along the floor.
fn crank_starts() -> ([f64; 3], [f64; 3]) {
    let rod = (0.1 * 0.7_f64.sin() / 0.3).asin();
    let rate = -0.1 * 0.7_f64.cos() * 3.0 / (0.3 * rod.cos());
    ([0.7, -rod - 0.7, 0.0], [3.0, rate - 3.0, 0.0])
}

/// A box with two corners.
fn box_of(mu: f64) -> String {
    let corner = |x: f64| foot(x, -0.08, 0.02, mu);
    let body =
        format!("<body>{PLANAR}{}{}{}</body>", mass(1.0, [0.0, 0.0], 0.01), corner(-0.13), corner(0.13));
    world(&format!("{}{body}", floor(mu)))
}

fn slider(mu: f64) -> String {
    world(&format!(
        "{}<body pos='0 0 .02'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>{}{}</body>",
        floor(mu),
        mass(1.0, [0.0, 0.0], 1e-3),
        foot(0.0, 0.0, 0.02, mu)
    ))
}

/// A leg of two links with servos under a body on a rail, with its foot so far above the floor [m].
fn leg(above: f64) -> String {
    let z = above + 0.02 + 0.3 * 0.9_f64.sin() + 0.3 * 1.9_f64.sin();
    let [a, b, c] =
        [mass(4.0, [0.0, 0.0], 1e-6), mass(0.5, [0.15, 0.0], 0.004), mass(0.3, [0.15, 0.0], 0.003)];
    let body = format!(
        "{}<body pos='0 0 {z}'><joint type='slide' axis='0 0 1'/>{a}<body><joint name='hip' axis='0 -1 0'/>{b}<body pos='.3 0 0'><joint name='knee' axis='0 -1 0'/>{c}{}</body></body></body>",
        floor(0.9),
        foot(0.3, 0.0, 0.02, 0.9)
    );
    let servo = |joint: &str| format!("<position joint='{joint}' kp='200' kv='5'/>");
    format!("{}<actuator>{}{}</actuator>", world(&body), servo("hip"), servo("knee"))
}

/// A body on a leg spring, with a light foot.
fn hopper() -> String {
    world(&format!(
        "{}<body pos='0 0 .9'><joint type='slide' axis='0 0 1'/>{}<body pos='0 0 -.5'><joint type='slide' axis='0 0 1' stiffness='4000'/>{}{}</body></body>",
        floor(0.0),
        mass(5.0, [0.0, 0.0], 1e-3),
        mass(0.01, [0.0, 0.0], 1e-6),
        foot(0.0, 0.0, 0.02, 0.0)
    ))
}

fn wheel() -> String {
    world(&format!(
        "{}<body pos='0 0 .2'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/><body><joint axis='0 -1 0'/>{}<geom type='sphere' size='.2' friction='5'/></body><body><joint axis='0 -1 0'/>{}</body></body>",
        floor(5.0),
        mass(1.0, [0.0, 0.0], 0.02),
        mass(0.5, [0.0, -0.3], 0.004)
    ))
}

fn hill() -> String {
    world(&format!(
        "<geom type='sphere' size='1' friction='5'/><body pos='0 0 0'>{PLANAR}{}<geom type='sphere' size='.2' friction='5'/></body>",
        mass(1.0, [0.0, 0.0], 0.02)
    ))
}

/// A four-bar, with something `on` its coupler and around it.
fn four_bar(on: &str, around: &str) -> String {
    let [a, b, c] =
        [mass(1.0, [0.11, 0.0], 0.01), mass(1.5, [0.275, 0.0], 0.04), mass(1.0, [0.225, 0.0], 0.02)];
    let joint = "<joint axis='0 -1 0'/>";
    format!(
        "<worldbody>{around}<body>{joint}{a}<body pos='.22 0 0'>{joint}{b}{on}<site name='s1' pos='.55 0 0'/></body></body><body pos='.6 0 0'>{joint}{c}<site name='s2' pos='.45 0 0'/></body></worldbody><equality><connect site1='s1' site2='s2'/></equality>"
    )
}

fn ball_on_plate() -> String {
    world(&format!(
        "<body pos='0 0 .5'><joint type='slide' axis='0 0 1' stiffness='200'/>{}<geom type='box' size='1 1 .05' friction='1'/></body><body pos='.2 0 .65'><freejoint/>{}<geom type='sphere' size='.1' friction='1'/></body>",
        mass(2.0, [0.0, 0.0], 0.1),
        mass(1.0, [0.0, 0.0], 4e-3)
    ))
}

fn turntable() -> String {
    world(&format!(
        "<body pos='0 0 .45'><joint axis='0 0 1'/>{}<geom type='cylinder' size='3 .05' friction='.8'/></body><body pos='.8 0 .6'><freejoint/>{}<geom type='sphere' size='.1' friction='.8'/></body>",
        mass(5.0, [0.0, 0.0], 5.0),
        mass(1.0, [0.0, 0.0], 4e-3)
    ))
}

/// Motions without an event.
fn smooth() -> Vec<Problem> {
    let no_feet = ["", "", ""];
    let (crank_q, crank_v) = crank_starts();
    vec![
        of(
            "chain flies",
            &format!("{STILL}{}", world(&chain(no_feet, ["", ""]))),
            &[0.0, 0.0, 0.3, 0.8, -0.6],
            &[0.5, 0.2, 1.5, -2.0, 3.0],
            1.0,
        ),
        of("dry pendulum 1e-7", &pendulum(1e-7), &[-0.3, 0.9], &[0.0, 1.0], 1.5),
        of("crank, smooth floor", &crank(0.0), &crank_q, &crank_v, 1.5),
        of("four-bar", &four_bar("", ""), &FOUR_BAR, &[0.0; 3], 1.0),
        of("disk down a hill", &hill(), &[1.2 * 0.15_f64.sin(), 1.2 * 0.15_f64.cos(), 0.0], &[0.0; 3], 0.75),
        of("wheel with pendulum", &wheel(), &[0.0, 0.0, 0.0, 1.2], &[0.0; 4], 1.0),
        of("box stops", &slider(0.4), &[0.0; 2], &[1.337, 0.0], 0.5),
        servos(of("leg sticks", &leg(0.0), &[0.0, -0.9, -1.0], &[0.0; 3], 0.08)),
        of("ball on a plate that swings", &ball_on_plate(), &[], &[0.3, 0.4], 1.0),
        of(
            "turntable",
            &turntable(),
            &[0.0, 0.8, 0.0, 0.6, 1.0, 0.0, 0.0, 0.0],
            &[6.0, 0.0, 1.3714285714285714, 0.0, 34.285714285714285, 0.0, 0.0],
            2.0,
        ),
    ]
}

/// Slip that turns back, landings and stops.
fn with_events() -> Vec<Problem> {
    let no_feet = ["", "", ""];
    let ball = foot(0.0, 0.0, 0.02, 0.3);
    let feet = [ball.clone(), ball.clone(), ball + &foot(0.3, 0.0, 0.02, 0.3)];
    let feet = feet.each_ref().map(|f| &f[..]);
    let spring = slider(0.1).replace("axis='1 0 0'", "axis='1 0 0' stiffness='60'");
    let (crank_q, crank_v) = crank_starts();
    let edge = ([0.0, 0.35, 0.3], [0.3, 0.0, 0.0]);
    let stops = ["limited='true' range='-.5 1'", "limited='true' range='-1 .5'"];
    let bar_hits = four_bar(
        "<geom type='sphere' size='.04' pos='.35 0 -.1' friction='0'/>",
        "<geom type='box' size='2 .5 .05' pos='0 0 -.02' friction='0'/>",
    );
    vec![
        of("dry pendulum .05", &pendulum(0.05), &[-0.3, 0.9], &[0.0, 1.0], 1.5),
        of("crank, friction .2", &crank(0.2), &crank_q, &crank_v, 0.6),
        of("spring pulls back", &spring, &[0.4, 0.0], &[0.0; 2], 2.0),
        servos(of("leg lands", &leg(0.1), &[0.0, -0.9, -1.0], &[0.0; 3], 0.2)),
        of("box on edge, then flat", &box_of(0.3), &edge.0, &edge.1, 0.3),
        of(
            "chain lands",
            &world(&format!("{}{}", floor(0.3), chain(feet, ["", ""]))),
            &[0.0, 0.52, 0.35, -0.9, 0.8],
            &[0.3, 0.0, 1.0, -1.0, 0.5],
            0.36,
        ),
        of(
            "chain meets stops",
            &format!("{STILL}{}", world(&chain(no_feet, stops))),
            &[0.0, 0.0, 0.3, 0.6, -0.4],
            &[0.3, 0.0, 1.0, -4.0, 3.0],
            1.0,
        ),
        bounces(0.5, 1e-6, of("box on edge, e .5", &box_of(0.3), &edge.0, &edge.1, 0.3)),
        bounces(1.0, 1e-5, of("box on edge, e 1", &box_of(0.0), &edge.0, &edge.1, 0.6)),
        bounces(1.0, 1e-10, of("four-bar bounces", &bar_hits, &FOUR_BAR, &[0.0; 3], 2.0)),
        of("hopper", &hopper(), &[], &[], 0.9),
        of("hopper 3 s", &hopper(), &[], &[], 3.0),
    ]
}

/// A four-bar that is closed.
const FOUR_BAR: [f64; 3] = [1.2, -0.7401146433059054, 1.6317772945175786];

fn servos(problem: Problem) -> Problem {
    Problem { control: vec![-0.9, -1.0], ..problem }
}

fn bounces(restitution: f64, found: f64, problem: Problem) -> Problem {
    Problem { restitution, found, ..problem }
}

/// In the order of the table.
pub(super) fn problems() -> Vec<Problem> {
    let mut all = smooth();
    all.extend(with_events());
    all
}
