//! State of the URDF writer.

use super::Notes;
use super::files::MeshFiles;
use super::xml::Xml;
use stiction_world::World;

/// State that the parts of the writer share.
pub(crate) struct Writer<'w> {
    pub(crate) world: &'w World,
    pub(crate) xml: Xml,
    pub(crate) notes: Notes,
    pub(crate) meshes: MeshFiles,
    pub(crate) links: Vec<String>,
    pub(crate) joints: Vec<String>,
    pub(crate) geoms: Vec<String>,
}
