//! Layers of boxes side by side: every box bears on up to four, with four times as many rows as motions.

use stiction::collision::Shape;
use stiction::contact::corpus::Random;
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction::solvers::Params;
use stiction::world::Material;
use stiction::{Composer, FreeBody, Settings, Simulation, Sleep, StepperParams, UNCOLOURED};

/// Half an edge [m].
const HALF: f64 = 0.05;

/// 4 × 4 × 4 cubes turned about the vertical, a little apart along it and so near each other across it that neighbours
/// overlap at first.
fn packed() -> Simulation {
    let material = Material { friction: 0.5, ..Material::default() };
    let mut c = Composer::new("packed", vec3(0.0, 0.0, -9.81)).unwrap();
    c.fixed("floor", Shape::Plane, Pose::IDENTITY, material, UNCOLOURED).unwrap();
    let mut random = Random(8);
    for k in 0..64 {
        let [i, j, layer] = [k % 4, k / 4 % 4, k / 16].map(|n| n as f64);
        let turn = Quat::from_axis_angle(Vec3::Z, 0.4 * random.number());
        let [x, y] = [i, j].map(|n| 2.15 * HALF * n + 0.01 * random.number());
        let pose = Pose::new(turn, vec3(x, y, 1.2 * HALF + 2.6 * HALF * layer));
        let shape = Shape::Box { half: vec3(HALF, HALF, HALF) };
        c.body(FreeBody { material, ..FreeBody::new(format!("box {k}"), shape, 0.5, pose) }).unwrap();
    }
    let (world, state) = c.finish();
    let stepper = StepperParams { dt: 1e-3, sleep: Sleep::Off, ..StepperParams::default() };
    let mut settings = Settings { stepper, ..Settings::default() };
    // A whole layer is hit at once: more than the default budget of a step.
    settings.contact_params = Params::parse(&["effort=exact"]).unwrap();
    Simulation::new(world, state, settings).unwrap()
}

/// The layers fall on each other, in three steps all contacts of a layer at once; then they lie still.
#[test]
fn layers_land_and_lie_still() {
    let mut sim = packed();
    let mut solved = 0;
    for step in 0..400 {
        let report = sim.step();
        assert!(!report.flagged(), "step {step}: {report:?}");
        let map = sim.certificate().natural_map;
        assert!(map <= 1e-8, "step {step}: {map:e} m/s");
        solved += usize::from(step >= 300 && report.iterations > 0);
    }
    assert!(solved <= 30, "solved in {solved} of the last 100 steps");
    let fastest = sim.state().v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    assert!(fastest < 1e-6, "{fastest:e}");
}
