//! Piles of boxes on a plane, and a ball that flies at one.
use stiction::UNCOLOURED;
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction::world::Material;
use stiction::{Composer, ContactState, FreeBody, Settings, Simulation, Sleep, StepReport, StepperParams};

pub(crate) const G: f64 = 9.81;

pub(crate) fn rough(friction: f64) -> Material {
    Material { friction, ..Material::default() }
}

/// The plane z = 0, turned by `tilt` [rad] about y.
pub(crate) fn ground(tilt: f64) -> Composer {
    let mut c = Composer::new("sleep", vec3(0.0, 0.0, -G)).unwrap();
    let pose = Pose::new(Quat::from_rpy(0.0, tilt, 0.0), Vec3::ZERO);
    c.fixed("ground", Shape::Plane, pose, rough(0.5), UNCOLOURED).unwrap();
    c
}

/// `count` cubes of edge 0.2 m and 1 kg, one on the other, above (x, 0).
pub(crate) fn pile(c: &mut Composer, name: &str, x: f64, count: usize) {
    for i in 0..count {
        let pose = Pose::from_translation(vec3(x, 0.0, 0.1 + 0.2 * i as f64));
        let shape = Shape::Box { half: vec3(0.1, 0.1, 0.1) };
        let body = FreeBody::new(format!("{name} {i}"), shape, 1.0, pose);
        c.body(FreeBody { material: rough(0.5), ..body }).unwrap();
    }
}

/// A ball of 0.5 kg that comes from x = −2 m and after half a second meets a pile at x = 0, at the height z [m].
pub(crate) fn ball(c: &mut Composer, z: f64) {
    let shape = Shape::Sphere { radius: 0.1 };
    let body = FreeBody::new("ball", shape, 0.5, Pose::from_translation(vec3(-2.0, 0.02, z)));
    let velocity = vec3(3.6, 0.0, 0.5 * G * 0.5);
    c.body(FreeBody { material: rough(0.5), velocity, ..body }).unwrap();
}

pub(crate) fn settings(sleep: Sleep) -> Settings {
    Settings { stepper: StepperParams { sleep, ..StepperParams::default() }, ..Settings::default() }
}

pub(crate) fn simulation(c: Composer, settings: Settings) -> Simulation {
    let (world, state) = c.finish();
    Simulation::new(world, state, settings).unwrap()
}

pub(crate) fn step(sim: &mut Simulation) -> StepReport {
    let report = sim.step();
    assert!(!report.flagged(), "{report:?}");
    report
}

/// The report of the last of so many steps.
pub(crate) fn steps(sim: &mut Simulation, count: usize) -> StepReport {
    (1..count).for_each(|_| drop(step(sim)));
    step(sim)
}

pub(crate) fn contacts(sim: &mut Simulation) -> Vec<ContactState> {
    let mut out = Vec::new();
    sim.contacts_into(&mut out);
    out
}

/// The largest difference between two lists of numbers.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
}
