//! Compliant contacts sink as deep as their laws say.

use stiction::assembly::compliance::ComplianceParameters;
use stiction::collision::Shape;
use stiction::contact::{self, Law};
use stiction::dynamics::spatial::{Pose, vec3};
use stiction::{Composer, FreeBody, Settings, Simulation, models};

fn ball(material: models::Material, contact: &str) -> Simulation {
    let mut composer = Composer::new("ball".to_owned(), vec3(0.0, 0.0, -10.0)).unwrap();
    let floor = models::Material::default();
    composer.fixed("floor", Shape::Plane, Pose::IDENTITY, floor, [1.0; 4]).unwrap();
    let pose = Pose::from_translation(vec3(0.0, 0.0, 0.1));
    let body = FreeBody::new("ball", Shape::Sphere { radius: 0.1 }, 2.0, pose);
    composer.body(FreeBody { material, ..body }).unwrap();
    let (world, state) = composer.finish();
    let settings = Settings { contact: contact.to_owned(), ..Settings::default() };
    Simulation::new(world, state, settings).unwrap()
}

/// 20 N on a spring of 10⁴ N/m: 2 mm; MuJoCo: φ = −g (1 − d)/d · m ŵ/(K d) with solref (0.02, 1).
#[test]
fn a_ball_sinks_as_deep_as_its_file_says() {
    let compliance =
        models::Compliance { stiffness: Some(1e4), relaxation: Some(0.01), dissipation: Some(1.0) };
    let soft = models::Material { compliance, ..models::Material::default() };
    for (contact, deep) in [("sap", 2e-3), ("lagged", 2e-3), ("similar", 2e-3)] {
        let mut sim = ball(soft, contact);
        (0..2000).for_each(|_| assert!(sim.step().failure().is_none()));
        let sunk = 0.1 - sim.state().q[2];
        assert!((sunk - deep).abs() < 1e-6, "{contact}: {sunk}");
    }
    let mut sim = ball(soft, "mujoco");
    assert_eq!(ComplianceParameters::new(sim.world()).of_bodies(Law::Mujoco, [Some(0), None]), 0.5);
    (0..2000).for_each(|_| assert!(sim.step().failure().is_none()));
    let sunk = 0.1 - sim.state().q[2];
    let d = stiction::contact::soft::mujoco::impedance(contact::Material::default().solimp, sunk);
    let stiffness = 1.0 / (0.95 * 0.02_f64).powi(2);
    assert!((sunk - 10.0 * (1.0 - d) / d / (stiffness * d)).abs() < 1e-8, "{sunk}");
}
