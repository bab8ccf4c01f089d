//! The controller in closed loop with the simulator, under the exact contact law, and its torques against forward dynamics.

// All of this file is a test.
#![allow(clippy::unwrap_used)]
// Capitals carry meaning: J is a Jacobian.
#![allow(non_snake_case)]

use std::path::Path;
use stiction::dynamics::spatial::{Vec3, vec3};
use stiction::dynamics::{AbaWorkspace, Kinematics, Velocities, aba_into, point_jacobian_into};
use stiction::models::{LoadOptions, load_str};
use stiction::random::Random;
use stiction::world::World;
use stiction::{Settings, Simulation, State};
use stiction_control::{
    Command, ControlError, FootTask, Gait, LEGS, Locomotion, LocomotionParams, Quadruped, WholeBody,
};

const FEET: [&str; LEGS] = ["FL_foot", "FR_foot", "HL_foot", "HR_foot"];

fn solo12() -> World {
    let text = include_str!("../../../scene/scenes/solo12.xml");
    load_str(text, Path::new("solo12.xml"), Path::new(""), &LoadOptions::default()).unwrap()
}

/// Numbers of a walk: the way and the mean velocity of its second half, lowest and highest trunk, largest tilt, largest
/// natural map, flagged steps.
struct Walked {
    way: Vec3,
    velocity: Vec3,
    heights: [f64; 2],
    tilt: f64,
    natural_map: f64,
    flagged: usize,
}

fn walk(gait: Gait, command: Command, duration: f64) -> Walked {
    let world = solo12();
    let mut state = State::neutral(&world.model);
    state.q.copy_from_slice(&world.keyframes[0].q);
    let params = LocomotionParams { gait, ..LocomotionParams::default() };
    let mut control = Locomotion::new(&world.model, "trunk", FEET, &state.q, params).unwrap();
    let mut sim = Simulation::new(world, state, Settings::default()).unwrap();
    let mut walked = Walked {
        way: Vec3::ZERO,
        velocity: Vec3::ZERO,
        heights: [f64::INFINITY, 0.0],
        tilt: 0.0,
        natural_map: 0.0,
        flagged: 0,
    };
    let steps = (duration / 1e-3).round() as usize;
    let mut middle = Vec3::ZERO;
    for k in 0..steps {
        let state = sim.state().clone();
        let torques = control.torques(state.t, (&state.q, &state.v), &command, &|_, _| 0.0).unwrap();
        sim.control_mut().iter_mut().zip(torques.iter().flatten()).for_each(|(u, tau)| *u = *tau);
        let report = sim.step();
        walked.flagged += usize::from(report.flagged());
        walked.natural_map = walked.natural_map.max(sim.certificate().natural_map);
        let q = &sim.state().q;
        walked.way = vec3(q[0], q[1], q[2]);
        walked.heights = [walked.heights[0].min(q[2]), walked.heights[1].max(q[2])];
        let upright: f64 = 1.0 - 2.0 * (q[4] * q[4] + q[5] * q[5]);
        walked.tilt = walked.tilt.max(upright.acos());
        if k + 1 == steps / 2 {
            middle = walked.way;
        }
    }
    walked.velocity = (walked.way - middle) * (2.0 / duration);
    walked
}

fn command(x: f64, y: f64, yaw_rate: f64) -> Command {
    Command { velocity: [x, y], yaw_rate, height: 0.24 }
}

fn sound(walked: &Walked) {
    assert_eq!(walked.flagged, 0);
    assert!(walked.natural_map <= 1e-6, "{}", walked.natural_map);
    assert!(walked.heights[0] > 0.22 && walked.heights[1] < 0.26, "{:?}", walked.heights);
    assert!(walked.tilt < 0.15, "{}", walked.tilt);
}

#[test]
fn it_stands_where_it_is() {
    let walked = walk(Gait::STAND, command(0.0, 0.0, 0.0), 0.6);
    sound(&walked);
    assert!(walked.way.x.abs() < 1e-3 && walked.way.y.abs() < 1e-3 && walked.tilt < 1e-2, "{:?}", walked.way);
}

#[test]
fn it_trots_ahead_and_sideways_as_fast_as_commanded() {
    for (x, y, within) in [(0.5, 0.0, 0.01), (0.1, 0.2, 0.02), (0.0, -0.2, 0.02)] {
        let walked = walk(Gait::TROT, command(x, y, 0.0), 5.12);
        sound(&walked);
        let off = walked.velocity - vec3(x, y, 0.0);
        assert!(off.x.abs() < 0.05 && off.y.abs() < within, "{:?} for {x}, {y}", walked.velocity);
    }
}

#[test]
fn it_walks_a_foot_at_a_time() {
    let walked = walk(Gait::WALK, command(0.2, 0.0, 0.0), 2.56);
    sound(&walked);
    assert!((walked.velocity.x - 0.2).abs() < 0.05, "{:?}", walked.velocity);
}

/// Torques, contact forces and gravity, handed to the articulated-body algorithm, give accelerations with which feet that
/// stand stay and feet in the air do what they are to; the trunk's momentum is then that of the forces.
#[test]
fn torques_make_the_accelerations_that_were_asked_for() {
    let world = solo12();
    let model = &world.model;
    let robot = Quadruped::new(model, "trunk", FEET).unwrap();
    let mut random = Random::new(54);
    let (mut kin, mut vel) = (Kinematics::new(model), Velocities::new(model));
    let mut whole = WholeBody::new(model, [[0.0; 2]; 2], [0.0; 2]);
    for _ in 0..20 {
        let mut q = world.keyframes[0].q.clone();
        q[7..].iter_mut().for_each(|q| *q += 0.15 * random.signed());
        let v: Vec<f64> = (0..model.nv()).map(|_| 0.5 * random.signed()).collect();
        kin.update(model, &q);
        vel.update(model, &kin, &v);
        let mut draw = |scale: f64| vec3(random.signed(), random.signed(), random.signed()) * scale;
        let forces =
            [draw(5.0) + vec3(0.0, 0.0, 12.0), Vec3::ZERO, Vec3::ZERO, draw(5.0) + vec3(0.0, 0.0, 12.0)];
        let wanted = [Vec3::ZERO, draw(10.0), draw(10.0), Vec3::ZERO];
        let tasks: [FootTask; LEGS] = std::array::from_fn(|leg| match leg {
            0 | 3 => FootTask::Stand(forces[leg]),
            _ => FootTask::Move([robot.foot(model, &kin, leg), Vec3::ZERO, wanted[leg]]),
        });
        let torques = whole.torques(model, &robot, (&kin, &vel), (&q, &v), &tasks, [0.0; 6]);

        let mut efforts = vec![0.0; model.nv()];
        let mut J = vec![Vec3::ZERO; model.nv()];
        for leg in 0..LEGS {
            for (dof, tau) in robot.legs[leg].dofs.iter().zip(torques[leg]) {
                efforts[*dof] += tau;
            }
            point_jacobian_into(
                model,
                &kin,
                Some(robot.legs[leg].body),
                robot.foot(model, &kin, leg),
                &mut J,
            );
            for (effort, column) in efforts.iter_mut().zip(&J) {
                *effort += column.dot(forces[leg]);
            }
        }
        let mut a = vec![0.0; model.nv()];
        aba_into(model, &kin, &vel, &efforts, &mut AbaWorkspace::new(model), &mut a);
        for (leg, wanted) in wanted.iter().enumerate() {
            // Acceleration of the foot by a difference along the motion.
            let h = 1e-6;
            let velocity = |h: f64| {
                let v: Vec<f64> = v.iter().zip(&a).map(|(v, a)| v + h * a).collect();
                let mut moved = vec![0.0; model.nq];
                stiction::dynamics::integrate_into(model, &q, &v, h, &mut moved);
                let (mut kin, mut vel) = (Kinematics::new(model), Velocities::new(model));
                kin.update(model, &moved);
                vel.update(model, &kin, &v);
                robot.foot_velocity(model, &kin, &vel, leg)
            };
            let found = (velocity(h) - velocity(-h)) * (0.5 / h);
            assert!((found - *wanted).norm() < 0.05 * 10.0, "leg {leg}: {found:?}, wanted {wanted:?}");
        }
    }
}

#[test]
fn what_is_no_quadruped_and_no_state_is_told_by_name() {
    let world = solo12();
    let home = world.keyframes[0].q.clone();
    let base = LocomotionParams::default();
    let make = |trunk: &str, feet, home: &[f64], params| {
        Locomotion::new(&world.model, trunk, feet, home, params).map(drop).unwrap_err().to_string()
    };
    assert!(
        make("torso", FEET, &home, base).contains("no link of the model is called `torso`; its links are")
    );
    assert!(make("FL_thigh", FEET, &home, base).contains("`FL_thigh` does not move on a free joint"));
    let knee = ["FL_thigh", "FR_foot", "HL_foot", "HR_foot"];
    assert!(make("trunk", knee, &home, base).contains("foot `FL_thigh` hangs on 2 joints"));
    assert!(make("trunk", FEET, &home[..7], base).contains("the posture has 7 numbers; the model has 19"));
    let slippery = LocomotionParams { friction: -1.0, ..base };
    assert!(make("trunk", FEET, &home, slippery).contains("friction is -1; expected a coefficient > 0"));
    let mut control = Locomotion::new(&world.model, "trunk", FEET, &home, base).unwrap();
    let mut v = vec![0.0; 18];
    v[3] = f64::NAN;
    let told = control.torques(0.0, (&home, &v), &command(0.0, 0.0, 0.0), &|_, _| 0.0).unwrap_err();
    assert_eq!(told, ControlError::NotFinite { what: "v", t: 0.0 });
}
