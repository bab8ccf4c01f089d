//! Pictures of a simulation: colour, depth and segmentation, without a graphics card.

use crate::errors::{released, wrong};
use crate::record::frame_now;
use crate::simulation::Simulation;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use stiction::scene_of;
use stiction::world::World;
use stiction_camera::{Image, Lens, Look, Painter};

/// Most pixels of a picture.
const MOST: usize = 64 << 20;

/// Colour, depth and segmentation.
type Picture<'py> = (Bound<'py, PyArray3<u8>>, Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<i32>>);

#[pymethods]
impl Simulation {
    /// A picture of the present state, from `eye` along `axes` or at `target`; from where all can be seen without an eye.
    #[pyo3(signature = (width, height, field_of_view, eye=None, target=None, axes=None))]
    #[expect(clippy::too_many_arguments, reason = "what a camera consists of")]
    fn _picture<'py>(
        &self,
        py: Python<'py>,
        width: usize,
        height: usize,
        field_of_view: f64,
        eye: Option<[f64; 3]>,
        target: Option<[f64; 3]>,
        axes: Option<[[f64; 3]; 3]>,
    ) -> PyResult<Picture<'py>> {
        if width == 0 || height == 0 || width.saturating_mul(height) > MOST {
            return Err(wrong(format_args!("a picture of {width} × {height} pixels; expected 1 to {MOST}")));
        }
        if !(field_of_view > 0.0 && field_of_view < 3.1) {
            return Err(wrong(format_args!(
                "field_of_view is {field_of_view}; expected an angle in (0, 3.1) rad"
            )));
        }
        let numbers = [eye, target].into_iter().flatten().chain(axes.into_iter().flatten()).flatten();
        if let Some(x) = numbers.into_iter().find(|x| !x.is_finite()) {
            return Err(wrong(format_args!("the camera stands at {x}; expected finite numbers")));
        }
        let lens = Lens { width, height, field_of_view };
        let mut guard = self.pulled(py)?;
        let inner = &mut *guard;
        let mut image = released(py, || {
            let frame = frame_now(&mut inner.sim);
            let look = match (eye, target, axes) {
                (Some(eye), Some(target), None) if eye != target => Look::at(eye, target),
                (Some(eye), None, Some(axes)) => Look { eye, axes },
                (None, None, None) => {
                    let mut scene = scene_of(&inner.sim);
                    scene.frames.push(frame.clone());
                    Look::framing(&scene, &lens)[0]
                }
                _ => {
                    return Err(wrong(
                        "a camera needs an eye and a target elsewhere, an eye and axes, or none of these",
                    ));
                }
            };
            let painter = inner.painter.get_or_insert_with(|| Painter::new(&scene_of(&inner.sim)));
            let mut image = Image::default();
            painter.paint(&frame.poses, &lens, &look, &mut image);
            Ok(image)
        })?;
        let numbers = numbers_of_drawn(inner.sim.world());
        let named = |drawn: &mut i32| {
            if let Some(number) = usize::try_from(*drawn).ok().and_then(|i| numbers.get(i)) {
                *drawn = *number;
            }
        };
        image.segmentation.iter_mut().for_each(named);
        Ok((
            PyArray1::from_vec(py, image.rgb).reshape([height, width, 3])?,
            PyArray1::from_vec(py, image.depth).reshape([height, width])?,
            PyArray1::from_vec(py, image.segmentation).reshape([height, width])?,
        ))
    }
}

/// For everything that is drawn, in the order of [`scene_of`], the index of the geometry, or of what is only drawn the number of
/// geometries and its index.
fn numbers_of_drawn(world: &World) -> Vec<i32> {
    let by_visuals = |link: Option<usize>| link.is_some() && world.visuals.iter().any(|v| v.link == link);
    let touching = world.geometries.iter().enumerate().filter(|(_, g)| !by_visuals(g.link)).map(|(i, _)| i);
    let drawn = (0..world.visuals.len()).map(|i| i + world.geometries.len());
    touching.chain(drawn).map(|i| i32::try_from(i).unwrap_or(-1)).collect()
}
