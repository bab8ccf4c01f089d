//! A robot of one's own: read from URDF, set on a ground, held by position servos.
//!
//! A leg stands on its foot. Its hip moves along a vertical rail, which carries no weight, so that at rest
//!
//! ```text
//!     Σ λ_N / h = m g,     m: mass of hip, thigh and shank                        (1)
//! ```
//!
//! whatever the servos do. A file is read by [`stiction::models::load`] in place of `load_str`; MJCF and SDF likewise.
//!
//! Run it with `cargo run --release -p stiction --example own_robot`.

use std::path::Path;
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, vec3};
use stiction::models::{LoadOptions, load_str};
use stiction::world::{Actuator, ActuatorLaw, Material};
use stiction::{Composer, Settings, Simulation, State, UNCOLOURED};

const LEG: &str = r#"
<robot name="leg">
  <link name="rail"/>
  <link name="hip">
    <inertial><mass value="4"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial>
  </link>
  <link name="thigh">
    <inertial><origin xyz="0 0 -0.15"/><mass value="1"/>
      <inertia ixx="0.008" ixy="0" ixz="0" iyy="0.008" iyz="0" izz="0.001"/></inertial>
  </link>
  <link name="shank">
    <inertial><origin xyz="0 0 -0.15"/><mass value="0.5"/>
      <inertia ixx="0.004" ixy="0" ixz="0" iyy="0.004" iyz="0" izz="0.0005"/></inertial>
    <collision name="foot"><origin xyz="0 0 -0.3"/><geometry><sphere radius="0.02"/></geometry></collision>
  </link>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="hip"/>
    <axis xyz="0 0 1"/><limit lower="0" upper="1" effort="100" velocity="10"/></joint>
  <joint name="hip" type="revolute"><parent link="hip"/><child link="thigh"/>
    <axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5" effort="60" velocity="20"/></joint>
  <joint name="knee" type="revolute"><parent link="thigh"/><child link="shank"/><origin xyz="0 0 -0.3"/>
    <axis xyz="0 1 0"/><limit lower="-2.5" upper="0" effort="60" velocity="20"/></joint>
</robot>"#;

/// Height of the hip at the start [m]: the foot is a little above the ground.
const HEIGHT: f64 = 0.52;
/// Posture to hold: hip, knee [rad].
const POSTURE: [f64; 2] = [0.6, -1.2];

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut robot = load_str(LEG, Path::new("leg.urdf"), Path::new(""), &LoadOptions::default())?;
    assert!(
        robot.ledger.warnings.is_empty(),
        "what a reader finds strange is told: {:?}",
        robot.ledger.warnings
    );

    let dof = |name: &str| robot.model.joints.iter().find(|j| j.name == name).map(|j| j.idx_v);
    let dofs = ["slide", "hip", "knee"].map(|name| dof(name).expect("a joint of the file"));
    let servo = |name: &str, dof: usize| Actuator {
        name: name.to_owned(),
        transmission: vec![(dof, 1.0)],
        // kp (u − q) − kv q̇, as in MuJoCo
        law: ActuatorLaw { gain: 300.0, bias: 0.0, bias_length: -300.0, bias_velocity: -15.0 },
        effort_limit: Some([-60.0, 60.0]),
        control_limit: None,
    };
    robot.actuators = vec![servo("hip", dofs[1]), servo("knee", dofs[2])];
    let mut state = State::neutral(&robot.model);
    for (dof, q) in dofs.into_iter().zip([HEIGHT, POSTURE[0], POSTURE[1]]) {
        state.q[dof] = q; // of hinges and slides, coordinates and velocities have the same indices
    }
    let weight = robot.model.moving_mass() * 9.81;

    let mut scene = Composer::new("leg on the ground", vec3(0.0, 0.0, -9.81))?;
    scene.fixed("ground", Shape::Plane, Pose::IDENTITY, Material::default(), UNCOLOURED)?;
    scene.robot(robot, &state, Pose::IDENTITY, "");
    let (world, state) = scene.finish();
    let mut simulation = Simulation::new(world, state, Settings::default())?;
    simulation.control_mut().copy_from_slice(&POSTURE);

    let mut worst = 0.0_f64;
    while simulation.state().t < 3.0 {
        let report = simulation.step();
        assert!(!report.flagged(), "t = {} s: {:?}", simulation.state().t, report.status);
        worst = worst.max(simulation.certificate().natural_map);
    }
    let (mut contacts, mut efforts) = (Vec::new(), Vec::new());
    simulation.contacts_into(&mut contacts);
    simulation.efforts_into(&mut efforts);
    // The force acts on B, along the normal from A to B; the ground pushes whichever of the two the leg is.
    let pressed: f64 = contacts.iter().map(|c| c.force.dot(c.normal)).sum();

    assert!(simulation.state().v.iter().all(|v| v.abs() < 1e-6), "at rest: {:?}", simulation.state().v);
    assert!((pressed - weight).abs() < 1e-4 * weight, "{pressed} N on the ground, weight {weight} N"); // (1)
    assert!(worst <= simulation.settings().tolerance, "worst natural map {worst:.1e} m/s");
    #[expect(clippy::print_stdout, reason = "what this program is for")]
    {
        println!("weight {weight:.3} N, force of the ground {pressed:.3} N");
        println!("servos: hip {:.3} N·m, knee {:.3} N·m", efforts[0], efforts[1]);
        println!("worst natural map of {} s: {worst:.1e} m/s", simulation.state().t.round());
    }
    Ok(())
}
