//! Links whose shapes overlap before anything has moved.
//!
//! URDF has no word for pairs that must not touch, and convex hulls of neighbours once removed
//! often overlap in every posture. A rigid contact there could never be satisfied, so such pairs
//! are excluded, each with a warning. The linter looks for the same overlaps.

use crate::world::World;
use stiction_collision::ShapeError;
use stiction_dynamics::Kinematics;

/// Overlaps smaller than this are left to the contacts [m].
const TOLERANCE: f64 = 1e-6;

/// Robots with more shapes are not searched: all of them might overlap.
pub(crate) const MAX_GEOMETRIES: usize = 2000;

/// The end of what is said about every pair that is excluded.
pub(crate) const IGNORED: &str = "before anything moves: their contact is ignored";

/// Two geometries and how deep they overlap [m].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overlap {
    pub(crate) a: usize,
    pub(crate) b: usize,
    pub(crate) depth: f64,
}

/// Every pair that may touch and overlaps by more than `tolerance` with the joints at `q`.
pub(crate) fn overlaps(world: &World, q: &[f64], tolerance: f64) -> Result<Vec<Overlap>, ShapeError> {
    let mut kin = Kinematics::new(&world.model);
    kin.update(&world.model, q);
    let poses: Vec<_> = (world.geometries.iter())
        .map(|g| {
            let (body, X) = world.mount(g.link, g.X_LG);
            body.map_or(X, |b| kin.X_WB[b] * X)
        })
        .collect();
    let mut manifolds = Vec::new();
    world.collision()?.query(&poses, &vec![0.0; poses.len()], &mut manifolds);
    let deep = manifolds.iter().map(|m| {
        let depth = m.points().iter().fold(0.0_f64, |d, p| d.max(-p.gap));
        Overlap { a: m.a, b: m.b, depth }
    });
    Ok(deep.filter(|o| o.depth > tolerance).collect())
}

/// Message about a pair of links that is excluded.
pub(crate) fn message(world: &World, a: usize, b: usize, depth: f64) -> String {
    let name = |l: usize| &world.model.links[l].name;
    format!("links `{}` and `{}` overlap by {:.2} mm {IGNORED}", name(a), name(b), 1e3 * depth)
}

/// Excludes every pair of links that overlap with all joints at their reference. Returns what to
/// say about each.
pub(crate) fn exclude_overlaps(world: &mut World) -> Result<Vec<String>, ShapeError> {
    if world.geometries.len() > MAX_GEOMETRIES {
        let n = world.geometries.len();
        return Ok(vec![format!("{n} shapes: not searched for pairs that overlap before anything moves")]);
    }
    let mut messages = Vec::new();
    for Overlap { a, b, depth } in overlaps(world, &world.model.neutral(), TOLERANCE)? {
        let links = (world.geometries[a].link, world.geometries[b].link);
        let (Some(a), Some(b)) = links else { continue };
        if !world.excluded.contains(&(a, b)) {
            world.excluded.push((a, b));
            messages.push(message(world, a, b, depth));
        }
    }
    Ok(messages)
}
