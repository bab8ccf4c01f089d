//! Which contact set stands where: what files say of it, and the sets of sites.
//!
//! | name | set | at |
//! |---|---|---|
//! | `cone` | the linearised friction cone that grows with depth ([`cone`](crate::wrench_set::cone)) | every point of every shape |
//! | `patch` | a flat face with its own friction ([`patch`](crate::wrench_set::patch)) | soles of boxes |
//! | `granular` | resistive forces of sand ([`granular`](crate::wrench_set::granular)) | soles of boxes, cylinders, cones |
//! | `learned` | radial basis functions from a file ([`learned`](crate::wrench_set::learned)) | soles of cylinders, cones |
//!
//! A set other than the cone stands for one face of a geometry, its sole; the points of the geometry that are not on it keep
//! their cones.

use crate::params::NmdpParams;
use crate::set_kind::SetKind;
use crate::sole::{Outline, Sole};
use crate::wrench_set::WrenchSet;
use crate::wrench_set::cone::{Cone, Ground};
use crate::wrench_set::granular::Granular;
use crate::wrench_set::learned::{Learned, LearnedTable};
use crate::wrench_set::learning::LearnedFileError;
use crate::wrench_set::patch::Patch;
use std::sync::Arc;
use stiction_dynamics::spatial::Vec3;

/// The site of a body: the geometries it belongs to, and how they meet.
#[derive(Clone, Copy, Debug)]
pub struct ContactSite {
    /// The geometry of the body and the plane: indices into `world.geometries`.
    pub geometry: usize,
    pub plane: usize,
    /// Number of the site on the geometry.
    pub feature: u32,
    pub body: usize,
    /// The site in the body [m].
    pub p_BS: Vec3,
    /// Radius of the ball about the site; 0 for corners and soles [m].
    pub radius: f64,
    pub ground: Ground,
    /// μ [–].
    pub friction: f64,
    /// The kind of its set; the cone unless there is a sole.
    pub set: SetKind,
    pub sole: Option<Sole>,
}

/// Makes the sets of sites.
#[derive(Clone, Debug, Default)]
pub struct ContactSets {
    learned: Option<Arc<LearnedTable>>,
}

/// Contact sets that cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SetsError {
    #[error("nmdp.learned: {0}")]
    File(#[from] LearnedFileError),
    #[error("a contact set is `learned`, and `nmdp.learned` names no file; `stiction learn sole` makes one")]
    NoFile,
}

/// A set that a site cannot have.
#[derive(Clone, Debug, PartialEq)]
pub enum NoSet {
    /// The shape has no such sole.
    Shape,
    /// The learned set is of another radius [m].
    Radius { learned: f64, found: f64 },
}

/// Radii that differ by less, relatively, are the same.
const SAME_RADIUS: f64 = 0.01;

impl ContactSets {
    /// Reads the file that `params` name, if a set needs it.
    pub fn load(params: &NmdpParams) -> Result<Self, SetsError> {
        let mut kinds = std::iter::once(&params.set).chain(params.sets.values());
        if !kinds.any(|kind| *kind == SetKind::Learned) {
            return Ok(Self::default());
        }
        let path = params.learned.as_ref().ok_or(SetsError::NoFile)?;
        Ok(Self { learned: Some(Arc::new(LearnedTable::load(path)?)) })
    }

    /// The set of `site`.
    pub fn make(&self, site: &ContactSite, params: &NmdpParams) -> Result<Box<dyn WrenchSet>, NoSet> {
        let Some(sole) = &site.sole else {
            let edges = params.edges as usize;
            return Ok(Box::new(Cone::new(site.ground, site.radius, params.contact, site.friction, edges)));
        };
        match (site.set, sole.outline) {
            (SetKind::Patch, Outline::Rectangle { half }) => {
                let counts = [params.edges as usize, params.patch.samples as usize];
                let face = (half, sole.axes);
                Ok(Box::new(Patch::new(site.ground, params.contact, face, site.friction, counts)))
            }
            (SetKind::Granular, _) => Ok(Box::new(Granular::new(site.ground, sole, &params.granular))),
            (SetKind::Learned, Outline::Disc { radius: found }) => {
                let table = self.learned.as_ref().ok_or(NoSet::Shape)?;
                let learned = table.params.radius;
                if (learned - found).abs() > SAME_RADIUS * found {
                    return Err(NoSet::Radius { learned, found });
                }
                Ok(Box::new(Learned::new(table.clone(), site.ground, sole.axes[2] * -1.0)))
            }
            _ => Err(NoSet::Shape),
        }
    }
}
