//! Links whose shapes overlap before anything has moved.
//!
//! URDF has no word for pairs that must not touch, and convex hulls of neighbours once removed
//! often overlap in every posture. A rigid contact there could never be satisfied, so such pairs
//! are excluded, each with a warning. Pairs that overlap in the neutral posture alone stay pairs, for a
//! hand must not go through a thigh; they are told. The linter looks for the same overlaps.

use std::collections::{BTreeMap, BTreeSet};
use stiction_collision::{Manifold, ShapeError};
use stiction_dynamics::Kinematics;
use stiction_world::World;

/// Overlaps smaller than this are left to the contacts [m].
const TOLERANCE: f64 = 1e-6;

/// Surfaces no farther apart than this are one surface [m].
const FLUSH: f64 = 1e-5;

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

/// Contacts of all that may touch with the joints at `q`, gaps of up to `margin` [m] among them.
fn contacts(world: &World, q: &[f64], margin: f64) -> Result<Vec<Manifold>, ShapeError> {
    let mut kin = Kinematics::new(&world.model);
    kin.update(&world.model, q);
    let poses: Vec<_> = (world.geometries.iter())
        .map(|g| {
            let (body, X) = world.mount(g.link, g.X_LG);
            body.map_or(X, |b| kin.X_WB[b] * X)
        })
        .collect();
    let (margins, mut manifolds) = (vec![0.5 * margin; poses.len()], Vec::new());
    world.collision()?.query(&poses, &margins, world.model.gravity, &mut manifolds);
    Ok(manifolds)
}

/// Pairs of links, the smaller first, that may touch and are flush or overlap before anything has moved.
pub(crate) fn near(world: &World) -> Result<BTreeSet<(usize, usize)>, ShapeError> {
    let links = |m: &Manifold| {
        let [a, b] = [m.a, m.b].map(|g| world.geometries.get(g).and_then(|g| g.link));
        a.zip(b).map(|(a, b)| (a.min(b), a.max(b)))
    };
    Ok(contacts(world, &world.model.neutral(), FLUSH)?.iter().filter_map(links).collect())
}

/// Every pair that may touch and overlaps by more than `tolerance` with the joints at `q`.
pub(crate) fn overlaps(world: &World, q: &[f64], tolerance: f64) -> Result<Vec<Overlap>, ShapeError> {
    let manifolds = contacts(world, q, 0.0)?;
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

/// Postures in which a pair that overlaps at the start is looked at again.
const POSTURES: usize = 48;
/// Range in which joints without limits are looked at [rad or m].
const UNLIMITED: f64 = std::f64::consts::PI;

/// Excludes every pair of links that overlap with all joints at their reference and cannot part: in no posture of a sample
/// are they apart. Returns what to say about each, and about those that overlap and can part, which stay pairs.
pub(crate) fn exclude_overlaps(world: &mut World) -> Result<Vec<String>, ShapeError> {
    if world.geometries.len() > MAX_GEOMETRIES {
        let n = world.geometries.len();
        return Ok(vec![format!("{n} shapes: not searched for pairs that overlap before anything moves")]);
    }
    let of_links = |world: &World, o: &Overlap| {
        let links = (world.geometries[o.a].link, world.geometries[o.b].link);
        links.0.zip(links.1).map(|(a, b)| (a.min(b), a.max(b)))
    };
    let mut deepest: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for overlap in overlaps(world, &world.model.neutral(), TOLERANCE)? {
        if let Some(pair) = of_links(world, &overlap) {
            let depth = deepest.entry(pair).or_insert(0.0);
            *depth = depth.max(overlap.depth);
        }
    }
    let mut held: BTreeSet<(usize, usize)> = deepest.keys().copied().collect();
    for posture in 0..POSTURES {
        if held.is_empty() {
            break;
        }
        let here = overlaps(world, &posture_of(world, posture), TOLERANCE)?;
        let here: BTreeSet<_> = here.iter().filter_map(|o| of_links(world, o)).collect();
        held.retain(|pair| here.contains(pair));
    }
    let mut messages = Vec::new();
    for ((a, b), depth) in deepest {
        if world.excluded.contains(&(a, b)) || world.excluded.contains(&(b, a)) {
            continue;
        }
        if held.contains(&(a, b)) {
            world.excluded.push((a, b));
            messages.push(message(world, a, b, depth));
        } else {
            let name = |l: usize| &world.model.links[l].name;
            messages.push(format!(
                "links `{}` and `{}` overlap by {:.2} mm with all joints at 0, and can part: they touch, and are pushed apart",
                name(a),
                name(b),
                1e3 * depth
            ));
        }
    }
    Ok(messages)
}

/// The n-th of a sequence of postures that fills the ranges of the joints evenly: multiples of the golden ratio, a joint
/// further apart than the one before.
fn posture_of(world: &World, n: usize) -> Vec<f64> {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let mut q = world.model.neutral();
    for (j, joint) in world.model.joints.iter().enumerate().filter(|(_, joint)| joint.kind.is_scalar()) {
        let [low, high] = joint.limit.unwrap_or([-UNLIMITED, UNLIMITED]);
        let share = (GOLDEN * (n + 1) as f64 * (1.0 + j as f64 * GOLDEN)).fract();
        if let (Some(slot), true) = (q.get_mut(joint.idx_q), (high - low).is_finite()) {
            *slot = low + share * (high - low);
        }
    }
    // Twice, for who follows a follower.
    let place = |dof: usize| Some(world.model.joints.get(world.model.dofs.get(dof)?.joint)?.idx_q);
    for coupling in world.couplings.iter().chain(&world.couplings).filter(|c| c.curve.is_none()) {
        let [(follower, own), others @ ..] = &coupling.terms[..] else { continue };
        let rest: f64 = others.iter().filter_map(|(dof, c)| Some(c * q.get(place(*dof)?)?)).sum();
        if let (Some(slot), true) = (place(*follower).and_then(|i| q.get_mut(i)), *own != 0.0) {
            *slot = (coupling.offset - rest) / own;
        }
    }
    q
}
