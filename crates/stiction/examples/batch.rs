//! Many environments of one world, each with controls of its own, beside the same computed one at a time.
//!
//! A motor pulls a carriage along a rail with the force u; the carriage (0.5 kg) takes a box (1.5 kg) along, which its own
//! weight presses on the ground. By Coulomb's law the box stays where u ≤ μ m g, and else moves at
//!
//! ```text
//!     v = (u − μ m g) t / (M + m),     m: box, M: carriage                        (1)
//! ```
//!
//! Run it with `cargo run --release -p stiction --example batch`.

use std::path::Path;
use stiction::batch::{Batch, BatchSettings, Path as Taken};
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, vec3};
use stiction::models::{LoadOptions, load_str};
use stiction::world::{Actuator, ActuatorLaw, Material, World};
use stiction::{Composer, Settings, Simulation, State, UNCOLOURED};

const CART: &str = r#"
<robot name="cart">
  <link name="rail"/>
  <link name="carriage">
    <inertial><mass value="0.5"/><inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/></inertial>
  </link>
  <link name="box">
    <inertial><mass value="1.5"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
    <collision name="box"><geometry><box size="0.2 0.2 0.2"/></geometry></collision>
  </link>
  <joint name="along" type="prismatic"><parent link="rail"/><child link="carriage"/><origin xyz="0 0 0.1"/>
    <axis xyz="1 0 0"/><limit lower="-10" upper="10" effort="100" velocity="100"/></joint>
  <joint name="up" type="prismatic"><parent link="carriage"/><child link="box"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="100" velocity="100"/></joint>
</robot>"#;

/// Environments.
const N: usize = 64;
/// Steps of 1 ms.
const STEPS: usize = 500;
/// Natural map that every environment is solved to [m/s].
const TOLERANCE: f64 = 1e-8;
/// Coefficient of friction [–].
const MU: f64 = 0.5;
/// Acceleration of gravity [m/s²].
const G: f64 = 9.81;
/// Mass of the box, and of all that moves [kg].
const BOX: f64 = 1.5;
const ALL: f64 = 2.0;

/// The cart on a ground, and the state it starts in.
fn cart() -> Result<(World, State), Box<dyn std::error::Error>> {
    let mut cart = load_str(CART, Path::new("cart.urdf"), Path::new(""), &LoadOptions::default())?;
    let surface = Material { friction: MU, ..Material::default() };
    cart.geometries.iter_mut().for_each(|g| g.material = surface);
    let along = cart.model.joints.iter().find(|j| j.name == "along").expect("a joint of the file");
    let motor = ActuatorLaw { gain: 1.0, bias: 0.0, bias_length: 0.0, bias_velocity: 0.0 };
    cart.actuators.push(Actuator {
        name: "motor".to_owned(),
        transmission: vec![(along.idx_v, 1.0)],
        law: motor,
        effort_limit: None,
        control_limit: None,
    });
    let start = State::neutral(&cart.model);
    let mut scene = Composer::new("cart", vec3(0.0, 0.0, -G))?;
    scene.fixed("ground", Shape::Plane, Pose::IDENTITY, surface, UNCOLOURED)?;
    scene.robot(cart, &start, Pose::IDENTITY, "");
    Ok(scene.finish())
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (world, start) = cart()?;
    let controls: Vec<f64> = (0..N).map(|i| 20.0 * i as f64 / N as f64).collect(); // [N], n × nu numbers
    let settings = BatchSettings { tolerance: TOLERANCE, judge: true, ..BatchSettings::default() };
    let h = settings.stepper.dt;
    let mut batch = Batch::new(world.clone(), &start, N, settings)?;
    let (mut worst, mut in_lanes) = (0.0_f64, 0);
    for _ in 0..STEPS {
        batch.step(&controls);
        for report in batch.reports() {
            worst = worst.max(report.natural_map.ok_or("not judged")?);
            in_lanes += usize::from(report.path == Taken::Lane);
        }
    }

    let mut apart = 0.0_f64;
    for (i, &u) in controls.iter().enumerate() {
        let v = batch.state(i).1[0];
        let expected = (u - MU * BOX * G).max(0.0) * STEPS as f64 * h / ALL; // (1)
        assert!((v - expected).abs() < 1e-6, "{u} N: {v} m/s, expected {expected} m/s");
        if i % 16 == 0 {
            let settings = Settings { tolerance: TOLERANCE, ..Settings::default() };
            let mut alone = Simulation::new(world.clone(), start.clone(), settings)?;
            alone.control_mut()[0] = u;
            for _ in 0..STEPS {
                assert!(!alone.step().flagged());
            }
            let q = batch.state(i).0.iter().zip(&alone.state().q);
            apart = q.map(|(a, b)| (a - b).abs()).fold(apart, f64::max);
        }
    }
    assert!(apart < 1e-7, "a batch and a simulation differ by {apart:.1e} m");
    assert!(worst <= 10.0 * TOLERANCE, "worst natural map {worst:.1e} m/s");
    let share = in_lanes as f64 / (N * STEPS) as f64;
    #[expect(clippy::print_stdout, reason = "what this program is for")]
    {
        println!(
            "{N} environments, {STEPS} steps: {:.1} % in lanes, worst natural map {worst:.1e} m/s",
            100.0 * share
        );
        println!("farthest from the same, one at a time: {apart:.1e} m");
    }
    Ok(())
}
