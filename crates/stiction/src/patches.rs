//! Contact surfaces of pressure fields at the present poses, for who looks at a simulation.

use crate::recording::PatchMark;
use stiction_assembly::{ContactFinder, ContactPoint, FoundPatch, Lookahead, PatchDetail};
use stiction_collision::ShapeError;
use stiction_dynamics::Kinematics;
use stiction_dynamics::spatial::Motion;
use stiction_world::{HydroelasticKind, World};

/// Finds the polygons of what meets by pressure, apart from any step.
pub(crate) struct Patches {
    finder: ContactFinder,
    /// All bodies at rest: a look at poses needs no more.
    motions: Vec<Motion>,
    /// Scratch.
    points: Vec<ContactPoint>,
}

impl Patches {
    /// `None` of a world in which nothing yields by pressure.
    pub(crate) fn new(world: &World) -> Result<Option<Self>, ShapeError> {
        if world.geometries.iter().all(|g| g.material.hydroelastic.kind != HydroelasticKind::Compliant) {
            return Ok(None);
        }
        let finder = ContactFinder::new(world, false)?;
        let motions = vec![Motion::ZERO; world.model.bodies.len()];
        Ok(finder.has_pressure().then_some(Self { finder, motions, points: Vec::new() }))
    }

    /// The patches at kinematics `kin`.
    pub(crate) fn at(&mut self, world: &World, kin: &Kinematics) -> Vec<PatchMark> {
        let patches = PatchDetail::Representative;
        let ahead = Lookahead { margin: 0.0, h: 0.0, continuous: None, middle: false, rigid: false, patches };
        self.finder.find(world, kin, &self.motions, ahead, &mut self.points);
        self.finder.found_patches().iter().map(|found| mark(world, found)).collect()
    }
}

fn mark(world: &World, FoundPatch { geometries, patch }: &FoundPatch) -> PatchMark {
    let body = |g: usize| world.mount(world.geometries[g].link, world.geometries[g].X_LG).0;
    let mut mark = PatchMark { bodies: geometries.map(body), ..PatchMark::default() };
    for element in patch.elements() {
        let (corners, pressures) = patch.corners(element);
        mark.polygons.push(corners.len());
        mark.corners.extend(corners.iter().zip(pressures).map(|(x, p)| (x.to_array(), *p)));
    }
    mark
}
