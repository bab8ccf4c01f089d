//! Contact points of a step: from the narrow phase, and from other producers.

use crate::params::StepperParams;
use crate::stepping::contact_source::ContactSource;
use crate::stepping::free_velocity::FreeMotion;
use crate::stepping::here::Here;
use stiction_assembly::{ContactFinder, ContactPoint, Lookahead, WarmStart};
use stiction_collision::ShapeError;
use stiction_dynamics::spatial::Vec3;
use stiction_models::World;

/// Where contact points come from.
pub(crate) struct ContactSearch {
    pub(crate) finder: ContactFinder,
    sources: Vec<Box<dyn ContactSource>>,
    /// Per geometry; `None`: the world's.
    tree_of_geometry: Vec<Option<usize>>,
    pub(crate) points: Vec<ContactPoint>,
    /// Length of the whole step [s] while fast bodies are swept: they are not looked ahead for.
    pub(crate) swept: Option<f64>,
}

impl ContactSearch {
    pub(crate) fn new(world: &World, params: &StepperParams) -> Result<Self, ShapeError> {
        let finder = ContactFinder::new(world, params.continuous)?;
        let tree = |body: Option<usize>| body.map(|b| world.model.bodies[b].tree);
        let tree_of_geometry = world.geometries.iter().map(|g| tree(world.mount(g.link, g.X_LG).0)).collect();
        Ok(Self { finder, sources: Vec::new(), tree_of_geometry, points: Vec::new(), swept: None })
    }

    /// Geometries of trees that sleep stay where they are.
    pub(crate) fn let_rest(&mut self, sleeps: &[bool]) {
        self.finder.let_rest(|g| self.tree_of_geometry[g].is_some_and(|t| sleeps[t]));
    }

    pub(crate) fn add(&mut self, source: Box<dyn ContactSource>) {
        self.sources.push(source);
    }

    /// Contacts that may close in a step of h [s].
    pub(crate) fn find(
        &mut self,
        world: &World,
        (here, free): (&Here, &FreeMotion),
        (h, margin): (f64, f64),
        warm: &WarmStart,
    ) {
        let ahead = Lookahead { margin, h, continuous: self.swept, rigid: here.rigid };
        self.finder.find(world, &here.kin, &free.motions, ahead, &mut self.points);
        // Corners beyond those that span an area count where something leans on them.
        self.points.retain(|c| !c.redundant || warm.wrench_of(c) != [Vec3::ZERO; 2]);
        if !self.sources.is_empty() {
            for source in &mut self.sources {
                source.find(world, &here.kin, &free.motions, h, &mut self.points);
            }
            self.points.sort_by_key(|c| c.geometries);
        }
    }
}
