//! <hfield>: heights from a file or written out, scaled to 0 … 1 and then by `size`.
//!
//! ```text
//!     size = (x, y half sides; z height of 1; base depth below 0)                                (1)
//!     mass and inertia of the box with half sides (x, y, z/4 + base/2) about the origin          (2)
//! ```
//!
//! A `.png` is an image, of which eight bits count; any other file is int32 rows, int32 columns and float32
//! heights, rows from least y up, all little-endian.

use super::compiler::{Compiler, path};
use crate::error::LoadError;
use crate::files::read_bytes;
use crate::png;
use crate::xml::Element;
use std::sync::Arc;
use stiction_collision::{HeightField, Shape};
use stiction_dynamics::spatial::{Inertia, vec3};

/// Largest file read [bytes].
const MAX_BYTES: u64 = 256 << 20;

/// A height field and the inertia (2) at unit density.
#[derive(Clone)]
pub(crate) struct Ground {
    pub(crate) shape: Shape,
    pub(crate) inertia: Inertia,
}

/// Rows and columns, and the heights as stated, from least y up.
type Grid = (usize, usize, Vec<f32>);

pub(crate) fn read(e: Element<'_>, compiler: &Compiler) -> Result<Ground, LoadError> {
    let size = e.require("size", "four numbers > 0: half sides x, y, height, base [m]")?;
    let [x, y, z, base] = size.array::<4>()?;
    if [x, y, z, base].iter().any(|s| *s <= 0.0) {
        return Err(size.error("four numbers > 0: half sides x, y, height, base [m]"));
    }
    let (rows, cols, stated) = grid(e, compiler)?;
    let heights = normalized(stated).into_iter().map(|h| f64::from(h) * z).collect();
    let field = HeightField::new(rows, cols, [2.0 * x, 2.0 * y], heights, base);
    let field = field.map_err(|source| e.structure(format!("height field: {source}")))?;
    let half = vec3(x, y, 0.25 * z + 0.5 * base);
    let inertia = Shape::Box { half }.inertia(1.0).unwrap_or(Inertia::ZERO);
    Ok(Ground { shape: Shape::HeightField(Arc::new(field)), inertia })
}

/// Heights scaled to 0 … 1 in single precision, as MuJoCo does.
fn normalized(mut heights: Vec<f32>) -> Vec<f32> {
    let low = heights.iter().copied().fold(f32::INFINITY, f32::min);
    let high = heights.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for h in &mut heights {
        *h -= low;
        if f64::from(high - low) > 1e-14 {
            *h /= high - low;
        }
    }
    heights
}

fn grid(e: Element<'_>, compiler: &Compiler) -> Result<Grid, LoadError> {
    let count = |name: &str| -> Result<usize, LoadError> {
        let a = e.require(name, "a number of heights, or a file")?;
        usize::try_from(a.integer()?).ok().filter(|n| *n >= 2).ok_or_else(|| a.error("an integer >= 2"))
    };
    let Some(file) = e.get("file") else {
        let (rows, cols) = (count("nrow")?, count("ncol")?);
        let n = rows.saturating_mul(cols);
        if n > stiction_collision::MAX_HEIGHTS {
            let (place, what) = (e.place(), "heights".to_owned());
            return Err(LoadError::Limit { place, what, limit: stiction_collision::MAX_HEIGHTS });
        }
        let Some(a) = e.get("elevation") else { return Ok((rows, cols, vec![0.0; n])) };
        let numbers = a.numbers(n, n)?;
        // The first row written is the one of largest y.
        let rows_up = numbers.chunks_exact(cols).rev().flatten();
        return Ok((rows, cols, rows_up.map(|h| *h as f32).collect()));
    };
    let path = path(file, compiler);
    let failed = |reason| LoadError::Mesh { place: file.place(), path: path.clone(), reason };
    let bytes = read_bytes(&path, MAX_BYTES).map_err(failed)?;
    let image = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"))
        || e.get("content_type").is_some_and(|t| t.value() == "image/png");
    if !image {
        return binary(&bytes).map_err(failed);
    }
    let image = png::read(&bytes).map_err(failed)?;
    let rows_up = image.pixels.chunks_exact(image.width).rev().flatten();
    Ok((image.height, image.width, rows_up.map(|p| f32::from(*p >> 8)).collect()))
}

fn binary(bytes: &[u8]) -> Result<Grid, String> {
    let (words, rest) = bytes.as_chunks::<4>();
    let count = |i: usize| words.get(i).and_then(|w| usize::try_from(i32::from_le_bytes(*w)).ok());
    match (count(0), count(1)) {
        (Some(rows), Some(cols)) if rest.is_empty() && rows.checked_mul(cols) == Some(words.len() - 2) => {
            let heights = words.iter().skip(2).map(|w| f32::from_le_bytes(*w)).collect();
            Ok((rows, cols, heights))
        }
        _ => {
            let n = bytes.len();
            Err(format!("{n} bytes are no height field; expected a PNG, or rows, columns and their heights"))
        }
    }
}
