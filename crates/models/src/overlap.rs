//! Links whose shapes overlap before anything has moved.
//!
//! URDF has no word for pairs that must not touch, and convex hulls of neighbours once removed
//! often overlap in every posture. A rigid contact there could never be satisfied, so such pairs
//! are excluded, each with a warning.

use crate::world::World;
use stiction_collision::ShapeError;
use stiction_dynamics::Kinematics;

/// Overlaps smaller than this are left to the contacts [m].
const TOLERANCE: f64 = 1e-6;

/// Robots with more shapes are not searched: all of them might overlap.
const MAX_GEOMETRIES: usize = 2000;

/// Excludes every pair of links that overlap with all joints at their reference. Returns what to
/// say about each.
pub(crate) fn exclude_overlaps(world: &mut World) -> Result<Vec<String>, ShapeError> {
    if world.geometries.len() > MAX_GEOMETRIES {
        let n = world.geometries.len();
        return Ok(vec![format!("{n} shapes: not searched for pairs that overlap before anything moves")]);
    }
    let mut kin = Kinematics::new(&world.model);
    kin.update(&world.model, &world.model.neutral());
    let poses: Vec<_> = (world.geometries.iter())
        .map(|g| {
            let (body, X) = world.mount(g.link, g.X_LG);
            body.map_or(X, |b| kin.X_WB[b] * X)
        })
        .collect();
    let mut manifolds = Vec::new();
    world.collision()?.query(&poses, &vec![0.0; poses.len()], &mut manifolds);
    let mut messages = Vec::new();
    for m in &manifolds {
        let depth = m.points().iter().fold(0.0_f64, |d, p| d.max(-p.gap));
        let links = (world.geometries[m.a].link, world.geometries[m.b].link);
        let (Some(a), Some(b)) = links else { continue };
        if depth <= TOLERANCE || world.excluded.contains(&(a, b)) {
            continue;
        }
        world.excluded.push((a, b));
        messages.push(format!(
            "links `{}` and `{}` overlap by {:.2} mm before anything moves: their contact is ignored",
            world.model.links[a].name,
            world.model.links[b].name,
            1e3 * depth
        ));
    }
    Ok(messages)
}
