//! Grounds whose true surface is known, and bodies on them.

use std::sync::Arc;
use stiction::collision::{HeightField, Shape, TriangleMesh};
use stiction::dynamics::spatial::{Pose, Vec3, vec3};
use stiction::world::Material;
use stiction::{Composer, ContactState, FreeBody, Settings, Simulation, Sleep, StepperParams, UNCOLOURED};

/// A strip from x = −0.5 m to 3 m and y = ±0.5 m, cells of 2.5 cm.
const COLS: usize = 141;
const ROWS: usize = 41;
pub(crate) const CELL: f64 = 0.025;
const MIDDLE: f64 = 1.25;

fn x(col: usize) -> f64 {
    CELL * col as f64 - 0.5
}

fn y(row: usize) -> f64 {
    CELL * row as f64 - 0.5
}

/// The graph of `height` over the strip, as an open mesh whose cells are cut this way and that.
pub(crate) fn mesh(height: impl Fn(f64) -> f64) -> (Shape, Pose) {
    let vertex = |k: usize| vec3(x(k % COLS), y(k / COLS), height(x(k % COLS)));
    let mut triangles = Vec::new();
    for row in 0..ROWS - 1 {
        for col in 0..COLS - 1 {
            let a = (row * COLS + col) as u32;
            let (b, c, d) = (a + 1, a + COLS as u32 + 1, a + COLS as u32);
            triangles.extend(if (row + col) % 3 == 0 {
                [[a, b, d], [b, c, d]]
            } else {
                [[a, b, c], [a, c, d]]
            });
        }
    }
    let vertices: Vec<Vec3> = (0..ROWS * COLS).map(vertex).collect();
    (Shape::Mesh(Arc::new(TriangleMesh::new(&vertices, &triangles).unwrap())), Pose::IDENTITY)
}

/// The same as a height field.
pub(crate) fn field(height: impl Fn(f64) -> f64) -> (Shape, Pose) {
    let heights: Vec<f64> = (0..ROWS * COLS).map(|k| height(x(k % COLS))).collect();
    let size = [CELL * (COLS - 1) as f64, CELL * (ROWS - 1) as f64];
    let field = HeightField::new(ROWS, COLS, size, heights, 0.1).unwrap();
    (Shape::HeightField(Arc::new(field)), Pose::from_translation(vec3(MIDDLE, 0.0, 0.0)))
}

/// Bodies of 1 kg as (shape, pose, velocity) on a ground, all of one friction.
pub(crate) fn on(
    ground: (Shape, Pose),
    bodies: &[(Shape, Pose, Vec3)],
    friction: f64,
    dt: f64,
) -> Simulation {
    let material = Material { friction, ..Material::default() };
    let mut c = Composer::new("terrain", vec3(0.0, 0.0, -9.81)).unwrap();
    c.fixed("ground", ground.0, ground.1, material, UNCOLOURED).unwrap();
    for (i, (shape, pose, velocity)) in bodies.iter().enumerate() {
        let body = FreeBody::new(format!("body {i}"), shape.clone(), 1.0, *pose);
        c.body(FreeBody { velocity: *velocity, material, ..body }).unwrap();
    }
    let (world, state) = c.finish();
    let stepper = StepperParams { dt, sleep: Sleep::Off, ..StepperParams::default() };
    Simulation::new(world, state, Settings { stepper, tolerance: 1e-10, ..Settings::default() }).unwrap()
}

pub(crate) fn step(sim: &mut Simulation) -> Vec<ContactState> {
    let report = sim.step();
    assert!(report.failure().is_none(), "{report:?}");
    let mut contacts = Vec::new();
    sim.contacts_into(&mut contacts);
    contacts
}

pub(crate) fn position(sim: &Simulation, body: usize) -> Vec3 {
    let q = &sim.state().q[7 * body..];
    vec3(q[0], q[1], q[2])
}

pub(crate) fn velocity(sim: &Simulation, body: usize) -> Vec3 {
    let v = &sim.state().v[6 * body..];
    vec3(v[0], v[1], v[2])
}
