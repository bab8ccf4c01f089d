//! Which answer, where the law has several: what can stick sticks, what slides shares its load as equal springs would.

use super::worlds::G;
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction::models::{LoadOptions, load_str};
use stiction::world::{Material, World};
use stiction::{Composer, FreeBody, Settings, Simulation, Sleep, State, StepperParams, UNCOLOURED};

fn simulation(world: World, state: State, h: f64) -> Simulation {
    let stepper = StepperParams { dt: h, sleep: Sleep::Off, ..StepperParams::default() };
    Simulation::new(world, state, Settings { stepper, ..Settings::default() }).unwrap()
}

/// A flat box or disk of 1 kg that slides and turns on a plane at rest, all turned by `turned` about the vertical.
fn slider(shape: Shape, half_height: f64, v: Vec3, spin: f64, turned: f64) -> (World, State) {
    let mut c = Composer::new("slider", vec3(0.0, 0.0, -G)).unwrap();
    let rough = Material { friction: 0.3, ..Material::default() };
    c.fixed("ground", Shape::Plane, Pose::IDENTITY, rough, UNCOLOURED).unwrap();
    let turn = Quat::from_rpy(0.0, 0.0, turned);
    let pose = Pose::new(turn, vec3(0.0, 0.0, half_height));
    let body = FreeBody::new("slider", shape, 1.0, pose);
    let angular_velocity = vec3(0.0, 0.0, spin);
    c.body(FreeBody { velocity: turn.rotate(v), angular_velocity, material: rough, ..body }).unwrap();
    c.finish()
}

/// Yaw of a free body at rest in its coordinates [rad].
fn yaw(sim: &Simulation) -> f64 {
    let q = &sim.state().q;
    2.0 * q[6].atan2(q[3])
}

/// A box that slides on four corners and turns: second order in h to where the same equations go with the normals of equal springs
/// under a rigid box, N = a + b x + c y, 2.655045 rad by an eighth-order integrator (DOP853, relative tolerance 1e-11).
#[test]
fn a_box_that_slides_and_turns_converges() {
    let end = |h: f64| {
        let shape = Shape::Box { half: vec3(0.1, 0.05, 0.025) };
        let (world, state) = slider(shape, 0.025, vec3(1.5, 0.3, 0.0), 12.0, 0.0);
        let mut sim = simulation(world, state, h);
        (0..(0.6 / h).round() as usize).for_each(|_| assert!(!sim.step().flagged()));
        yaw(&sim) - 2.655_045
    };
    let errors = [2e-3, 1e-3, 5e-4].map(end);
    for pair in errors.windows(2) {
        assert!((pair[0] / pair[1] - 4.0).abs() < 0.3, "second order: {errors:?}");
    }
    assert!(errors[2].abs() < 3e-5, "to the reference: {errors:?}");
}

/// A disk that slides and spins: its path converges, and is the same one turned.
#[test]
fn the_path_of_a_disk_converges_whichever_way_it_goes() {
    let end = |h: f64, turned: f64| {
        let shape = Shape::Cylinder { radius: 0.1, half_length: 0.02 };
        let (world, state) = slider(shape, 0.02, vec3(1.0, 0.0, 0.0), 20.0, turned);
        let mut sim = simulation(world, state, h);
        (0..(0.8 / h).round() as usize).for_each(|_| assert!(!sim.step().flagged()));
        let q = &sim.state().q;
        let (sin, cos) = turned.sin_cos();
        [cos * q[0] + sin * q[1], cos * q[1] - sin * q[0]]
    };
    let apart = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    let ends = [2e-3, 1e-3, 5e-4].map(|h| end(h, 0.0));
    let steps = [apart(ends[0], ends[1]), apart(ends[1], ends[2])];
    assert!(steps[1] < 1.5e-3 && steps[1] < 0.7 * steps[0], "{ends:?}");
    assert!(apart(end(1e-3, 0.3), ends[1]) < 1e-3, "{:?}, {:?}", end(1e-3, 0.3), ends[1]);
}

/// Boxes of many sizes, pressed by a twentieth more than they need and up, at steps of 1 to 50 ms: none slips.
#[test]
fn what_is_held_is_held_at_any_step() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../scene/scenes/gripper.xml");
    let hand = std::fs::read_to_string(path).unwrap();
    for k in 0..20 {
        let part =
            |n: u32, from: f64, to: f64| from + (to - from) * (f64::from(k * n + n) * 0.618_034).fract();
        let (mass, margin) = (part(1, 0.5, 20.0), part(3, 1.05, 1.5));
        let (width, height) = (part(5, 0.02, 0.1), part(7, 0.02, 0.1));
        // The pads' friction is 0.5, as that of the pair.
        let press = margin * mass * G / (2.0 * 0.5);
        let object = format!(
            r#"<body name="object"><freejoint/><geom type="box" size="0.05 {width} {height}" mass="{mass}" friction="0.5"/></body></worldbody>"#
        );
        let text = hand.replace("</worldbody>", &object);
        let file = std::path::Path::new("hand.xml");
        let world = load_str(&text, file, std::path::Path::new("."), &LoadOptions::default()).unwrap();
        for h in [1e-3, 5e-3, 1e-2, 2e-2, 5e-2] {
            let mut sim = simulation(world.clone(), State::neutral(&world.model), h);
            sim.control_mut().fill(press);
            for _ in 0..(0.2 / h) as usize {
                let report = sim.step();
                assert!(!report.flagged(), "{k}, h {h}: {report:?}");
            }
            let fastest = sim.state().v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            let q = &sim.state().q;
            assert!(fastest < 1e-6 && q[4].abs() < 1e-6, "object {k} at h {h}: {:?}", sim.state());
        }
    }
}

/// A robot whose wheels turn against each other turns in place: by symmetry its middle stays.
#[test]
fn a_skid_steered_robot_turns_in_place() {
    let wheel = |name: &str, x: f64, y: f64| {
        format!(
            r#"<body pos="{x} {y} 0"><joint name="{name}" axis="0 1 0"/>
              <geom type="cylinder" size="0.07 0.025" quat="1 1 0 0" mass="0.4" friction="0.6"/></body>"#
        )
    };
    let wheels: String = [("a", 0.14, 0.15), ("b", -0.14, 0.15), ("c", 0.14, -0.15), ("d", -0.14, -0.15)]
        .map(|(n, x, y)| wheel(n, x, y))
        .concat();
    let motors: String = ["a", "b", "c", "d"].map(|n| format!(r#"<velocity joint="{n}" kv="20"/>"#)).concat();
    let text = format!(
        r#"<mujoco><worldbody><geom type="plane" size="9 9 1" friction="0.6"/>
          <body pos="0 0 0.071"><freejoint/><geom type="box" size="0.2 0.1 0.04" mass="6"/>{wheels}</body></worldbody>
          <actuator>{motors}</actuator></mujoco>"#
    );
    let file = std::path::Path::new("skid.xml");
    let world = load_str(&text, file, std::path::Path::new("."), &LoadOptions::default()).unwrap();
    let state = State::neutral(&world.model);
    let mut sim = simulation(world, state, 1e-3);
    sim.control_mut().copy_from_slice(&[-4.0, -4.0, 4.0, 4.0]);
    for _ in 0..3000 {
        assert!(!sim.step().flagged());
    }
    let q = &sim.state().q;
    assert!(q[0].hypot(q[1]) < 1e-6 && yaw(&sim).abs() > 0.5, "{q:?}");
}
