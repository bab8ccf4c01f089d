//! Pictures of a simulation: colour, depth and segmentation, without a graphics card.

use crate::errors::{released, wrong};
use crate::record::frame_now;
use crate::simulation::Simulation;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use stiction::scene_of;
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
        let image = released(py, || {
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
        Ok((
            PyArray1::from_vec(py, image.rgb).reshape([height, width, 3])?,
            PyArray1::from_vec(py, image.depth).reshape([height, width])?,
            PyArray1::from_vec(py, image.segmentation).reshape([height, width])?,
        ))
    }
}
