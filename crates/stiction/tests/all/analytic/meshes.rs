//! What of a mesh touches: an L of two unit squares and its notch, in which a ball of radius 0.3 m lies or does not.

use super::worlds::Run;
use std::path::Path;
use stiction::State;
use stiction::collision::Decomposition;
use stiction::models::{HullCache, LoadOptions, Meshes, load_str};

/// (x, z) of the L, extruded from y = −1 to 1; the notch is x > 1, z > 1.
const CORNERS: [[f64; 2]; 6] = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];

/// Vertices and faces of the L, as MJCF writes them.
fn l_shape() -> (String, String) {
    let row = |y: f64| CORNERS.map(|[x, z]| format!("{x} {y} {z} ")).concat();
    let mut faces = Vec::new();
    for i in 1..5 {
        faces.extend([[0, i, i + 1], [6, i + 7, i + 6]]);
    }
    for (i, j) in (0..6).map(|i| (i, (i + 1) % 6)) {
        faces.extend([[i, i + 6, j + 6], [i, j + 6, j]]);
    }
    let faces = faces.concat().iter().map(usize::to_string).collect::<Vec<_>>();
    (row(-1.0) + &row(1.0), faces.join(" "))
}

/// Where (x, z) a ball is that falls above the notch for a second; and how many shapes the L has.
fn fall(meshes: Meshes) -> ([f64; 2], usize) {
    let (vertices, faces) = l_shape();
    let text = format!(
        r#"<mujoco><asset><mesh name="l" vertex="{vertices}" face="{faces}"/></asset><worldbody>
             <geom name="l" type="mesh" mesh="l"/>
             <body pos="1.4 0 2.2"><freejoint/><geom size="0.3" mass="1"/></body></worldbody></mujoco>"#
    );
    let options = LoadOptions { meshes, ..LoadOptions::default() };
    let world = load_str(&text, Path::new("l.xml"), Path::new("."), &options).unwrap();
    let shapes = world.geometries.len() - 1;
    let state = State::neutral(&world.model);
    let mut run = Run::of(world, state, "nsgs-accelerated", 1e-3);
    run.steps(1000);
    let q = &run.sim.state().q;
    ([q[0], q[2]], shapes)
}

#[test]
fn a_notch_holds_a_ball_unless_its_hull_fills_it() {
    let ([x, z], shapes) = fall(Meshes::Triangles);
    assert!(shapes == 1 && (x - 1.4).abs() < 1e-6 && (z - 1.3).abs() < 1e-6, "{x} {z}");
    let parts = Meshes::Decompose { how: Decomposition::default(), cache: HullCache::Off };
    let ([x, z], shapes) = fall(parts);
    assert!(shapes >= 2 && (x - 1.4).abs() < 0.05 && (z - 1.3).abs() < 0.01, "{shapes} parts: {x} {z}");
    let ([x, z], shapes) = fall(Meshes::Hull);
    assert!(shapes == 1 && x > 2.0, "{x} {z}");
}
