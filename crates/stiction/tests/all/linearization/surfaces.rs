//! Derivatives by the numbers of springs, dampers, servos and surfaces, and by the places of geometries.
use super::free::settings;
use super::parameters::hold;
use super::touching::{above, walker};
use stiction::world::World;
use stiction::{LinearizationError, Parameter, Settings, Simulation};

/// The walker with springs and dampers on two of its joints, and its parameters beside those of [`super::parameters`].
fn sprung(friction: f64) -> (World, Vec<Parameter>) {
    let mut world = walker("stiffness='20' springref='0.1' damping='0.3'", friction);
    world.geometries[0].material.friction = 1e-3;
    let mut all = Vec::new();
    let joints = world.model.joints.iter().enumerate().filter(|(_, j)| j.stiffness > 0.0);
    all.extend(joints.map(|(joint, _)| Parameter::JointStiffness { joint }));
    let dofs = world.model.dofs.iter().enumerate().filter(|(_, d)| d.damping > 0.0);
    all.extend(dofs.map(|(dof, _)| Parameter::JointDamping { dof }));
    for actuator in 0..2 {
        all.extend([Parameter::BiasLength { actuator }, Parameter::BiasVelocity { actuator }]);
    }
    all.extend((0..3).map(|axis| Parameter::Offset { geometry: 3, axis }));
    all.extend((0..3).map(|axis| Parameter::Offset { geometry: 0, axis }));
    (world, all)
}

#[test]
fn springs_dampers_servos_and_places_of_geometries() {
    let mut met = [0; 3];
    for (speed, friction) in [(0.1, 1.2), (0.3, 1.2), (1.0, 0.2)] {
        let (world, all) = sprung(friction);
        let of = hold(&world, &settings(), &all, (4, 1e-7), |dice| above(&world, dice, speed));
        (0..3).for_each(|k| met[k] += of[k]);
    }
    assert!(met[0] > 1 && met[1] > 1 && met[2] > 15, "sliding, sticking, columns of size: {met:?}");
}

/// Surfaces that yield, under a law that is rigid of itself and under compliant laws.
#[test]
fn surfaces_that_yield() {
    for (contact, tolerance, wanted) in [
        ("auto", 1e-13, 4),
        ("sap", 1e-13, 4),
        ("lagged", 1e-13, 4),
        ("similar", 1e-13, 4),
        ("mujoco", 1e-13, 4),
    ] {
        let mut world = walker("damping='0.1'", 0.4);
        for geometry in &mut world.geometries {
            let compliance = &mut geometry.material.compliance;
            (compliance.stiffness, compliance.dissipation) = (Some(3e4), Some(0.5));
            if contact == "sap" {
                (compliance.relaxation, compliance.dissipation) = (Some(0.02), None);
            }
        }
        world.geometries[0].material.friction = 1e-3;
        (world.geometries[0].material.priority, world.geometries[0].material.compliance) =
            (-1, Default::default());
        let mut all = Vec::new();
        for g in 2..world.geometries.len() {
            let geometries = [g, 0];
            all.push(Parameter::Friction { geometries });
            match contact {
                "mujoco" => {
                    all.extend((0..2).map(|component| Parameter::ContactReference { geometries, component }));
                }
                "sap" => all.push(Parameter::ContactRelaxation { geometries }),
                _ => all.push(Parameter::ContactDissipation { geometries }),
            }
            if contact != "mujoco" {
                all.push(Parameter::ContactStiffness { geometries });
            }
            all.push(Parameter::Offset { geometry: g, axis: 2 });
        }
        let settings =
            Settings { contact: contact.to_owned(), tolerance, max_iterations: 20_000, ..settings() };
        let met = hold(&world, &settings, &all, (6, 1e-6), |dice| above(&world, dice, 0.6));
        assert!(met[2] >= wanted, "{contact}: {met:?}");
    }
}

/// A joint without spring or damper makes a step of another kind.
#[test]
fn what_is_not_there_is_named() {
    let world = walker("", 0.3);
    let start = above(&world, &mut stiction::random::Random::new(1), 0.1);
    let mut simulation = Simulation::new(world, start, settings()).unwrap();
    for parameter in [Parameter::JointStiffness { joint: 1 }, Parameter::JointDamping { dof: 6 }] {
        let told = simulation.linearize_by(&[parameter]);
        assert!(matches!(told, Err(LinearizationError::Parameter { .. })), "{told:?}");
    }
}
