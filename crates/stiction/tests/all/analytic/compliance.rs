//! Compliant contacts sink as deep as their laws say.

use stiction::assembly::compliance::ComplianceParameters;
use stiction::collision::Shape;
use stiction::contact::{self, Law};
use stiction::dynamics::spatial::{Pose, vec3};
use stiction::{Composer, FreeBody, Settings, Simulation, models, world};

fn ball(material: world::Material, contact: &str) -> Simulation {
    let mut composer = Composer::new("ball".to_owned(), vec3(0.0, 0.0, -10.0)).unwrap();
    let floor = world::Material::default();
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
        world::Compliance { stiffness: Some(1e4), relaxation: Some(0.01), dissipation: Some(1.0) };
    let soft = world::Material { compliance, ..world::Material::default() };
    for (contact, deep) in [("sap", 2e-3), ("lagged", 2e-3), ("similar", 2e-3)] {
        let mut sim = ball(soft, contact);
        (0..2000).for_each(|_| assert!(sim.step().failure().is_none()));
        let sunk = 0.1 - sim.state().q[2];
        assert!((sunk - deep).abs() < 1e-6, "{contact}: {sunk}");
    }
    let mut sim = ball(soft, "mujoco");
    assert_eq!(ComplianceParameters::new(sim.world()).of_geometries(Law::Mujoco, [0, 1]), 0.5);
    (0..2000).for_each(|_| assert!(sim.step().failure().is_none()));
    let sunk = 0.1 - sim.state().q[2];
    let d = stiction::contact::soft::mujoco::impedance(contact::Material::default().solimp, sunk);
    let stiffness = 1.0 / (0.95 * 0.02_f64).powi(2);
    assert!((sunk - 10.0 * (1.0 - d) / d / (stiffness * d)).abs() < 1e-8, "{sunk}");
}

/// Weights of links and joints as MuJoCo 4.0 computes them, `body_invweight0` and `dof_invweight0`: of a slide in the world with
/// an armature; of an arm with an armature, and of a tool that is fixed to its second link.
#[test]
fn weights_are_those_of_mujoco() {
    let text = r#"<mujoco><worldbody><geom type="plane" size="5 5 1"/>
        <body pos="0 0 1"><joint type="slide" axis="0 0 1" armature="0.3"/><geom type="sphere" size="0.1" mass="1.5"/></body>
        <body pos="2 0 1"><joint axis="0 1 0" armature="0.05"/>
          <inertial pos="0.2 0 0" mass="0.5" diaginertia="0.001 0.01 0.01"/><geom type="sphere" size="0.1" mass="0"/>
          <body pos="0.4 0 0"><joint axis="0 1 0"/>
            <inertial pos="0 0 -0.2" mass="1" diaginertia="0.004 0.004 0.004"/><geom type="sphere" size="0.1" mass="0"/>
            <body pos="0.1 0 0"><inertial pos="0 0.3 0" mass="0.2" diaginertia="0.001 0.001 0.001"/>
              <geom type="sphere" size="0.1" mass="0"/></body></body></body>
        </worldbody></mujoco>"#;
    let folder = std::path::Path::new(".");
    let world =
        models::load_str(text, &folder.join("w.xml"), folder, &models::LoadOptions::default()).unwrap();
    let weights = ComplianceParameters::new(&world);
    let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-12 * b, "{a} {b}");
    let links = [
        [2.0 / 3.0, 0.0],
        [0.049_266_247_379_455_03, 1.231_656_184_486_373_6],
        [0.482_180_293_501_048_1, 7.127_882_599_580_715],
        [0.251_572_327_044_025_3, 7.127_882_599_580_715],
    ];
    for (geometry, [moves, turns]) in links.into_iter().enumerate() {
        let link = world.geometries[geometry + 1].link;
        near(weights.of_links(Law::Mujoco, [link, None], false), moves);
        if turns > 0.0 {
            near(weights.of_links(Law::Mujoco, [None, link], true), turns);
        }
    }
    for (dof, weight) in [2.0 / 3.0, 3.694_968_553_459_120_6, 26.336_477_987_421_39].into_iter().enumerate() {
        near(weights.of_dof(Law::Mujoco, dof), weight);
    }
    assert_eq!(weights.of_links(Law::Sap, [world.geometries[1].link, None], false), 0.0);
}
