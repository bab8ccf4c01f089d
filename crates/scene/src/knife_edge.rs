//! Knife edges on bodies of a scene.

use super::spec::KnifeEdgeSpec;
use super::{Scene, SceneError};
use crate::nearest::hint;
use stiction::world::{LoopClosure, World};

impl Scene {
    /// `[[knife_edge]]` number `index`, on a moving link of `world`.
    pub(super) fn knife_edge(
        &self,
        index: usize,
        spec: &KnifeEdgeSpec,
        world: &World,
    ) -> Result<LoopClosure, SceneError> {
        let links = || world.model.links.iter().filter(|l| l.body.is_some()).map(|l| l.name.as_str());
        let moving = world.model.links.iter().position(|l| l.body.is_some() && l.name == spec.body);
        let link = moving.ok_or_else(|| {
            let (guess, all) = (hint(&spec.body, links()), links().collect::<Vec<_>>().join(", "));
            let message = format!("nothing that moves is called `{}`{guess}; there are: {all}", spec.body);
            self.mistake("knife_edge", index, "body", message)
        })?;
        let name = format!("knife edge of {}", spec.body);
        Ok(LoopClosure::knife_edge(name, link, spec.point.vec3(), spec.across.unit()))
    }
}
