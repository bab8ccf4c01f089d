//! The three tasks: a world, where it starts, where it is to go, and controls to start from.

use crate::ExperimentError;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use stiction::dynamics::spatial::{Quat, vec3};
use stiction::models::{LoadError, LoadOptions, load_str};
use stiction::world::World;
use stiction::{Settings, Simulation, State};
use stiction_control::ilqr::{Point, Stage, Tracking, differentiable};

/// A task for an optimiser.
pub(super) struct Task {
    pub(super) name: &'static str,
    /// One line for tables.
    pub(super) about: &'static str,
    /// The text of the world's file, which MuJoCo reads as well.
    pub(super) file: &'static str,
    pub(super) world: Arc<World>,
    pub(super) start: State,
    /// Time step [s], and steps a knot.
    pub(super) dt: f64,
    pub(super) hold: usize,
    pub(super) cost: Tracking,
    /// Lowest and highest controls.
    pub(super) bounds: [Vec<f64>; 2],
    pub(super) seed: Vec<Vec<f64>>,
    /// Deviations of randomised smoothing: of configurations, velocities and controls.
    pub(super) deviations: [f64; 3],
}

impl Task {
    /// The settings of its simulation.
    pub(super) fn settings(&self) -> Settings {
        settings(self.dt)
    }

    /// The whole of it as JSON, but for the world, for other programs: lengths in m, angles in rad, times in s, (q, v) in the conventions of MJCF.
    pub(super) fn described(&self) -> serde_json::Value {
        let mut kinds: Vec<&Arc<Stage>> = Vec::new();
        let mut kind = |stage| {
            kinds.iter().position(|k| Arc::ptr_eq(k, stage)).unwrap_or_else(|| {
                kinds.push(stage);
                kinds.len() - 1
            })
        };
        let of_knot: Vec<usize> = self.cost.stages.iter().map(&mut kind).collect();
        let said = |s: &Arc<Stage>| json!({ "q": s.target.q, "v": s.target.v, "weights": s.weights });
        json!({
            "name": self.name,
            "about": self.about,
            "dt": self.dt,
            "hold": self.hold,
            "start": { "q": self.start.q, "v": self.start.v },
            "stages": kinds.into_iter().map(said).collect::<Vec<_>>(),
            "stage_of_knot": of_knot,
            "control": self.cost.control,
            "control_weights": self.cost.control_weights,
            "lowest": self.bounds[0],
            "highest": self.bounds[1],
            "seed": self.seed,
        })
    }
}

fn settings(dt: f64) -> Settings {
    let mut settings = differentiable(Settings::default());
    settings.stepper.dt = dt;
    settings
}

fn world(name: &str, text: &str) -> Result<(Arc<World>, State), LoadError> {
    let file = format!("{name}.xml");
    let world: World = load_str(text, Path::new(&file), Path::new(""), &LoadOptions::default())?;
    let mut state = State::neutral(&world.model);
    if let Some(home) = world.keyframes.first() {
        state.q.copy_from_slice(&home.q);
    }
    Ok((Arc::new(world), state))
}

/// Weights of the tangent coordinates of q and of v, those of the free joint first, then the same for all joints.
fn weights(
    nv: usize,
    [position, turn, joints]: [[f64; 3]; 3],
    [linear, angular, rates]: [f64; 3],
) -> Vec<f64> {
    let of_joint = |k: usize| joints[k % 3];
    let q = position.into_iter().chain(turn).chain((0..nv - 6).map(of_joint));
    let v = [linear; 3].into_iter().chain([angular; 3]).chain((0..nv - 6).map(|_| rates));
    q.chain(v).collect()
}

/// Where the box is to be: place along x and y [m], and turn to the left [rad].
pub(super) const PUSH: [f64; 3] = [0.15, 0.03, 0.6];

/// A box is pushed to a pose with one finger, which starts a millimetre before the middle of a face.
pub(super) fn push_box() -> Result<Task, LoadError> {
    let file = include_str!("../../../scene/scenes/push-box.xml");
    let (world, start) = world("push-box", file)?;
    let (nv, knots) = (world.model.nv(), 60);
    let mut target = Point { q: start.q.clone(), v: vec![0.0; nv] };
    let turn = Quat::from_rpy(0.0, 0.0, PUSH[2]);
    target.q[..2].copy_from_slice(&PUSH[..2]);
    target.q[3..7].copy_from_slice(&[turn.w, turn.x, turn.y, turn.z]);
    let none = [0.0; 3];
    let way = Arc::new(Stage {
        target: target.clone(),
        weights: weights(nv, [none, none, none], [0.0, 0.0, 0.01]),
    });
    let end = weights(nv, [[4000.0, 4000.0, 0.0], [0.0, 0.0, 60.0], none], [10.0, 0.1, 0.1]);
    let mut stages = vec![way; knots];
    stages.push(Arc::new(Stage { target, weights: end }));
    let cost = Tracking {
        model: world.model.clone(),
        stages,
        control: vec![0.0; 2],
        control_weights: vec![1e-3; 2],
    };
    let (bounds, seed) = ([vec![-3.0; 2], vec![3.0; 2]], vec![vec![0.8, 0.0]; knots]);
    let (about, deviations) = ("a box is pushed to a pose with one finger", [0.002, 0.02, 0.2]);
    Ok(Task {
        name: "push-box",
        about,
        file,
        world,
        start,
        dt: 0.005,
        hold: 4,
        cost,
        bounds,
        seed,
        deviations,
    })
}

/// Height of the trunk at the top of the jump [m], knots before it, and in all.
pub(super) const JUMP: f64 = 0.42;
const TOP: usize = 40;
const JUMP_KNOTS: usize = 80;
/// Servos of the controls to start from [N·m/rad, N·m·s/rad], the knots in which they stretch the legs, and how much is left of the bend.
const SERVO: [f64; 2] = [3.0, 0.03];
const HOP: std::ops::Range<usize> = 12..18;
const STRETCHED: f64 = 0.5;

/// Solo-12 jumps and lands.
pub(super) fn jump() -> Result<Task, ExperimentError> {
    let file = include_str!("../../../scene/scenes/solo12.xml");
    let (world, start) = world("solo12", file)?;
    let (nv, nu, dt, hold) = (world.model.nv(), world.actuators.len(), 0.002, 5);
    let home = Point { q: start.q.clone(), v: vec![0.0; nv] };
    let level = [2.0, 2.0, 2.0];
    let posture = [0.5, 0.1, 0.1];
    let way = weights(nv, [[1.0, 1.0, 0.0], level, posture], [0.02, 0.02, 1e-3]);
    let mut top = home.clone();
    top.q[2] = JUMP;
    let high = weights(nv, [[50.0, 50.0, 4000.0], [50.0; 3], [0.2; 3]], [1.0, 1.0, 1e-3]);
    let end = weights(nv, [[200.0, 200.0, 1000.0], [50.0; 3], [2.0; 3]], [2.0, 2.0, 0.05]);
    let way = Arc::new(Stage { target: home.clone(), weights: way });
    let mut stages = vec![way; JUMP_KNOTS];
    stages[TOP] = Arc::new(Stage { target: top, weights: high });
    stages.push(Arc::new(Stage { target: home.clone(), weights: end }));
    let cost = Tracking {
        model: world.model.clone(),
        stages,
        control: vec![0.0; nu],
        control_weights: vec![2e-3; nu],
    };
    // It hops, by servos whose torques are written down.
    let mut sim = Simulation::new(Arc::clone(&world), start.clone(), settings(dt))?;
    let mut seed = Vec::new();
    for k in 0..JUMP_KNOTS {
        let state = sim.state();
        let torque = |i: usize| {
            let wanted = if HOP.contains(&k) { STRETCHED * home.q[7 + i] } else { home.q[7 + i] };
            let (stretch, rate) = (wanted - state.q[7 + i], state.v[6 + i]);
            (SERVO[0] * stretch - SERVO[1] * rate).clamp(-TORQUE, TORQUE)
        };
        let u: Vec<f64> = (0..nu).map(torque).collect();
        sim.control_mut().copy_from_slice(&u);
        (0..hold).for_each(|_| drop(sim.step()));
        seed.push(u);
    }
    let bounds = [vec![-TORQUE; nu], vec![TORQUE; nu]];
    let (about, deviations) = ("Solo-12 jumps and lands", [0.002, 0.05, 0.05]);
    Ok(Task { name: "jump", about, file, world, start, dt, hold, cost, bounds, seed, deviations })
}

/// Largest torque of a joint of Solo-12 [N·m].
const TORQUE: f64 = 2.7;

/// Turn of the cube to the left [rad].
pub(super) const TURN: f64 = std::f64::consts::FRAC_PI_4;
/// How much farther than the faces the servos reach in the controls to start from, in the flexion [rad].
const SQUEEZE: f64 = 0.15;

/// How far the fingers move about the cube in these, in the abduction [rad].
const AHEAD: f64 = 0.3;

/// A hand turns a cube by an eighth of a turn.
pub(super) fn turn_cube() -> Result<Task, LoadError> {
    let file = include_str!("../../../scene/scenes/hand.xml");
    let (world, start) = world("hand", file)?;
    let (nv, nu, knots) = (world.model.nv(), world.actuators.len(), 50);
    let mut target = Point { q: start.q.clone(), v: vec![0.0; nv] };
    let turn = Quat::from_rpy(0.0, 0.0, TURN);
    target.q[3..7].copy_from_slice(&[turn.w, turn.x, turn.y, turn.z]);
    let way = weights(nv, [[20.0; 3], [0.0, 0.0, 0.2], [0.0; 3]], [0.0, 0.0, 1e-4]);
    let end = weights(nv, [[2000.0; 3], [5.0, 5.0, 20.0], [0.0; 3]], [2.0, 0.05, 1e-3]);
    let way = Arc::new(Stage { target: target.clone(), weights: way });
    let mut stages = vec![way; knots];
    stages.push(Arc::new(Stage { target, weights: end }));
    let mut hold_it: Vec<f64> = start.q[7..].to_vec();
    hold_it.iter_mut().skip(1).step_by(3).for_each(|flexion| *flexion -= SQUEEZE);
    let cost = Tracking {
        model: world.model.clone(),
        stages,
        control: hold_it.clone(),
        control_weights: vec![2e-3; nu],
    };
    let range = |f: fn(f64, f64) -> f64| hold_it.iter().map(|u| f(*u, 1.0)).collect::<Vec<f64>>();
    let bounds = [range(|u, by| u - by), range(|u, by| u + by)];
    let (about, deviations) = ("a hand turns a cube by 45°", [0.001, 0.02, 0.02]);
    // A turn of the fingers from which the cube is felt: what sticks to the palm has no gradient.
    let ahead = |k: usize| {
        let mut u = hold_it.clone();
        let share = (k + 1) as f64 / knots as f64;
        u.iter_mut().step_by(3).for_each(|abduction| *abduction -= AHEAD * share);
        u
    };
    let seed = (0..knots).map(ahead).collect();
    Ok(Task {
        name: "turn-cube",
        about,
        file,
        world,
        start,
        dt: 0.005,
        hold: 4,
        cost,
        bounds,
        seed,
        deviations,
    })
}

/// Turn to the left of a free body whose configuration starts at q [rad].
pub(super) fn yaw(q: &[f64]) -> f64 {
    let z = vec3(q[4], q[5], q[6]);
    (2.0 * (q[3] * z.z + z.x * z.y)).atan2(1.0 - 2.0 * (z.y * z.y + z.z * z.z))
}
