//! A box slides on a plane until friction has stopped it.
//!
//! ```text
//!     v_k = v₀ − k μ g h                                                          (1)
//!     distance = v₀² / (2 μ g), to within v₀ h/2 of the first-order step          (2)
//! ```
//!
//! Run it with `cargo run --release -p stiction --example sliding_box`.

use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Vec3, vec3};
use stiction::world::Material;
use stiction::{Composer, FreeBody, Settings, Simulation, UNCOLOURED};

/// Coefficient of friction [–].
const MU: f64 = 0.3;
/// Acceleration of gravity [m/s²].
const G: f64 = 9.81;
/// Velocity at the start [m/s].
const V0: f64 = 1.0;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let surface = Material { friction: MU, ..Material::default() };
    let mut scene = Composer::new("sliding box", vec3(0.0, 0.0, -G))?;
    scene.fixed("ground", Shape::Plane, Pose::IDENTITY, surface, UNCOLOURED)?;
    let shape = Shape::Box { half: vec3(0.1, 0.1, 0.1) };
    let start = Pose::from_translation(vec3(0.0, 0.0, 0.1));
    let still = FreeBody::new("box", shape, 1.0, start);
    scene.body(FreeBody { material: surface, velocity: Vec3::X * V0, ..still })?;
    let (world, state) = scene.finish();
    let mut simulation = Simulation::new(world, state, Settings::default())?;

    let h = simulation.settings().stepper.dt;
    let (mut worst, mut k) = (0.0_f64, 0.0);
    while simulation.state().t < 0.5 {
        let report = simulation.step();
        k += 1.0;
        assert!(!report.flagged(), "step {k}: {:?}", report.status);
        worst = worst.max(simulation.certificate().natural_map);
        let expected = (V0 - k * MU * G * h).max(0.0); // (1)
        let v = simulation.state().v[0];
        assert!((v - expected).abs() < 1e-8, "step {k}: {v} m/s, expected {expected} m/s");
    }

    let (distance, expected) = (simulation.state().q[0], V0 * V0 / (2.0 * MU * G));
    assert!((distance - expected).abs() <= 0.5 * V0 * h, "{distance} m, expected {expected} m"); // (2)
    assert!(worst <= simulation.settings().tolerance, "worst natural map {worst:.1e} m/s");
    #[expect(clippy::print_stdout, reason = "what this program is for")]
    {
        println!("slid {distance:.4} m, v₀²/(2 μ g) = {expected:.4} m; worst natural map {worst:.1e} m/s");
    }
    Ok(())
}
