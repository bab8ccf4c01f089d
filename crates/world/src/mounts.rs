//! Where geometries ride, and which of them may meet.

use crate::closure::Hold;
use crate::world::World;
use stiction_collision::{Collider, CollisionWorld, ShapeError};
use stiction_dynamics::spatial::Pose;

impl World {
    /// The body that carries a link (`None`: the world) and the pose in it of what is at `X_L` in
    /// the link.
    pub fn mount(&self, link: Option<usize>, X_L: Pose) -> (Option<usize>, Pose) {
        match link.and_then(|l| self.model.links.get(l)) {
            Some(link) => (link.body, link.X_BL * X_L),
            None => (None, X_L),
        }
    }

    /// One collider per geometry. What moves is owned by its body, what is fixed by its link; pairs exclude links.
    pub fn collision(&self) -> Result<CollisionWorld, ShapeError> {
        let world = self.model.bodies.len();
        let owner = |link: Option<usize>| match link {
            Some(l) => self.mount(link, Pose::IDENTITY).0.unwrap_or(world + 1 + l),
            None => world,
        };
        let part = |link: Option<usize>| link.map_or(0, |l| l + 1);
        let colliders = (self.geometries.iter())
            .map(|g| Collider { shape: g.shape.clone(), owner: owner(g.link), group: g.group, mask: g.mask })
            .collect();
        let parts = self.geometries.iter().map(|g| part(g.link)).collect();
        let pairs = self.excluded.iter().map(|&(a, b)| (part(Some(a)), part(Some(b))));
        let from_world = self.excluded_from_world.iter().map(|&l| (part(Some(l)), part(None)));
        let excluded: Vec<(usize, usize)> = pairs.chain(from_world).collect();
        let named = self.pairs.iter().map(|p| (p.geometries[0], p.geometries[1]));
        let welds = self.loops.iter().filter(|l| l.active && !l.yields && l.hold == Hold::Frame);
        let welded: Vec<_> = welds.map(|l| (owner(l.ends[0].0), owner(l.ends[1].0))).collect();
        let all = CollisionWorld::new(colliders, &[], |o| o >= world)?.with_parts(parts, &excluded);
        Ok(all.with_pairs(named).with_joined(welded))
    }
}
