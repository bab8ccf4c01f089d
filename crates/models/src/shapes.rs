//! Small things about shapes that both formats need.

use crate::error::LoadError;
use crate::xml::Attribute;
use stiction_dynamics::spatial::Vec3;

/// Three lengths > 0, times `factor`.
pub(crate) fn half_box(attribute: Attribute<'_>, factor: f64) -> Result<Vec3, LoadError> {
    let size = attribute.vector()?;
    if size.x > 0.0 && size.y > 0.0 && size.z > 0.0 {
        Ok(size * factor)
    } else {
        Err(attribute.error("three numbers > 0"))
    }
}

/// Radius of the sphere that stands for a point, which files write as a sphere of radius 0 [m].
pub(crate) const POINT: f64 = 1e-6;
