//! MJCF (stub).
use crate::error::LoadError;
use crate::load::Context;
use crate::world::World;
use crate::xml::Document;
pub(crate) fn read(document: Document, _: &Context<'_>) -> Result<World, LoadError> {
    Err(document.root().structure("MJCF is not read yet"))
}
