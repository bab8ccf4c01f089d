//! From manifolds to contact points: the only translator between geometry and mechanics.
//!
//! Surfaces with a margin touch at that distance: the gap of a contact is what is left beyond it.

use std::collections::BTreeMap;
use stiction_collision::{CollisionWorld, Manifold, ShapeError};
use stiction_dynamics::Kinematics;
use stiction_dynamics::spatial::{Motion, Pose, Vec3};
use stiction_models::{Material, PairSurface, World};

/// One contact point. The frame is (t1, t2, n), n from A to B; see CONVENTIONS.md.
#[derive(Clone, Copy, Debug)]
pub struct ContactPoint {
    /// Geometries A and B, indices into `world.geometries`.
    pub geometries: [usize; 2],
    /// Bodies that carry them; `None`: the world.
    pub bodies: [Option<usize>; 2],
    /// Stable name of the touching features within the pair.
    pub feature: u32,
    /// In W [m].
    pub position: Vec3,
    pub t1: Vec3,
    pub t2: Vec3,
    pub n: Vec3,
    /// φ [m]; negative overlaps.
    pub gap: f64,
    /// μ [–].
    pub friction: f64,
    /// e [–].
    pub restitution: f64,
}

/// Where shapes are, and how far ahead of them contacts are looked for.
pub(crate) struct ContactFinder {
    collision: CollisionWorld,
    /// Body and pose in it, of every geometry.
    mounts: Vec<(Option<usize>, Pose)>,
    materials: Vec<Material>,
    /// Pairs with rules of their own, the smaller index first.
    pairs: BTreeMap<(usize, usize), PairSurface>,
    /// Per geometry, how far ahead its margins reach [m].
    reaches: Vec<f64>,
    /// Farthest point of every geometry from its origin; infinite for planes.
    radii: Vec<f64>,
    poses: Vec<Pose>,
    margins: Vec<f64>,
    manifolds: Vec<Manifold>,
}

impl ContactFinder {
    pub(crate) fn new(world: &World) -> Result<Self, ShapeError> {
        let collision = world.collision()?;
        let mounts: Vec<_> = world.geometries.iter().map(|g| world.mount(g.link, g.X_LG)).collect();
        let n = world.geometries.len();
        let mut reaches: Vec<f64> = world.geometries.iter().map(|g| g.material.margin).collect();
        let mut pairs = BTreeMap::new();
        for pair in &world.pairs {
            let [a, b] = pair.geometries;
            pairs.insert((a.min(b), a.max(b)), pair.surface);
            for g in [a, b] {
                reaches[g] = reaches[g].max(0.5 * pair.surface.margin);
            }
        }
        Ok(Self {
            collision,
            materials: world.geometries.iter().map(|g| g.material).collect(),
            radii: world.geometries.iter().map(|g| g.shape.bounding_radius()).collect(),
            poses: mounts.iter().map(|m| m.1).collect(),
            margins: vec![0.0; n],
            manifolds: Vec::new(),
            pairs,
            reaches,
            mounts,
        })
    }

    /// Finds every contact point that could close within a step of length h, and those nearer
    /// than `margin` [m]. `V` holds body velocities about the references of `kin`.
    pub(crate) fn find(
        &mut self,
        world: &World,
        kin: &Kinematics,
        V: &[Motion],
        margin: f64,
        h: f64,
        out: &mut Vec<ContactPoint>,
    ) {
        for (g, (body, X_BG)) in self.mounts.iter().enumerate() {
            self.margins[g] = 0.5 * margin + self.reaches[g];
            let Some(b) = *body else { continue };
            let pose = kin.X_WB[b] * *X_BG;
            let r = pose.translation - kin.reference[world.model.bodies[b].tree];
            // No point of the geometry is faster than its origin plus spin times radius.
            let speed = V[b].linear_at(r).norm() + V[b].angular.norm() * self.radii[g];
            self.poses[g] = pose;
            self.margins[g] += h * speed;
        }
        self.collision.query(&self.poses, &self.margins, &mut self.manifolds);
        out.clear();
        for m in &self.manifolds {
            let own = self.pairs.get(&(m.a, m.b)).copied();
            let surface = own.unwrap_or_else(|| Material::pair(&self.materials[m.a], &self.materials[m.b]));
            let (t1, t2) = m.normal.tangents();
            for p in m.points() {
                out.push(ContactPoint {
                    geometries: [m.a, m.b],
                    bodies: [self.mounts[m.a].0, self.mounts[m.b].0],
                    feature: p.feature,
                    position: p.position,
                    t1,
                    t2,
                    n: m.normal,
                    gap: p.gap - surface.margin,
                    friction: surface.friction(),
                    restitution: surface.restitution,
                });
            }
        }
    }
}
