//! <heightmap>: a terrain from a grey image.
//!
//! As in Gazebo, the image spans `size.x` by `size.y` around `pos`, its top row at the largest y; black is
//! 0 and the brightest pixel of the image `size.z` high. Gazebo wants square images with sides of 2ⁿ + 1
//! pixels, and draws a surface; here any side serves, and the ground is solid below.

use super::Reader;
use super::pose::{required, vector};
use crate::error::LoadError;
use crate::files::read_bytes;
use crate::path::{self, Wanted};
use crate::png;
use crate::xml::Element;
use std::sync::Arc;
use stiction_collision::{HeightField, Shape};
use stiction_dynamics::spatial::{Pose, Vec3, vec3};
use stiction_world::Fate;

/// Largest image read [bytes].
const MAX_BYTES: u64 = 64 << 20;

/// How far the ground is solid below its lowest point [m].
const BASE: f64 = 1.0;

/// The field, and its pose in the frame of the <collision>.
pub(super) fn read(reader: &Reader<'_, '_>, shape: Element<'_>) -> Result<(Shape, Pose), LoadError> {
    shape.mark(Fate::Used, "");
    let uri = required(shape, "uri", "an image file (.png)")?;
    let size = vector(shape, "size", vec3(1.0, 1.0, 1.0))?;
    if [size.x, size.y, size.z].iter().any(|s| *s <= 0.0) {
        return Err(shape.structure("a <size> that is not positive; expected three lengths > 0 [m]"));
    }
    let pos = vector(shape, "pos", Vec3::ZERO)?;
    let found = path::resolve(reader.context, &reader.folder(shape), uri, Wanted::File("PNG"))?;
    let failed = |reason: String| LoadError::Mesh { place: uri.place(), path: found.clone(), reason };
    let image = read_bytes(&found, MAX_BYTES).and_then(|bytes| png::read(&bytes)).map_err(failed)?;
    let brightest = f64::from(image.pixels.iter().copied().max().unwrap_or(0).max(1));
    let rows_up = image.pixels.chunks_exact(image.width).rev().flatten();
    let heights = rows_up.map(|pixel| size.z * f64::from(*pixel) / brightest).collect();
    let field = HeightField::new(image.height, image.width, [size.x, size.y], heights, BASE);
    let field = field.map_err(|e| failed(e.to_string()))?;
    Ok((Shape::HeightField(Arc::new(field)), Pose::from_translation(pos)))
}
