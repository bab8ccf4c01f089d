//! Numbers over the border: what Python gives as numbers of a length that is checked, and arrays for what it gets.

use crate::errors::{wrong, wrong_length};
use numpy::{AllowTypeChange, PyArray1, PyArray2, PyArray3, PyArrayLike1, PyArrayLike2, PyArrayMethods};
use pyo3::prelude::*;
use std::ops::Deref;
use stiction::dynamics::spatial::{Force, Mat3, Motion, Pose, Quat, Vec3};

/// Anything that numpy makes one row of numbers of.
pub(crate) struct Row<'py>(PyArrayLike1<'py, f64, AllowTypeChange>);

/// Anything that numpy makes rows of numbers of.
pub(crate) struct Rows<'py>(PyArrayLike2<'py, f64, AllowTypeChange>);

impl<'py> Deref for Row<'py> {
    type Target = PyArrayLike1<'py, f64, AllowTypeChange>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<'py> Deref for Rows<'py> {
    type Target = PyArrayLike2<'py, f64, AllowTypeChange>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<'py> FromPyObject<'_, 'py> for Row<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        given.extract().map(Self).map_err(|_| unfit("one row of numbers", given))
    }
}

impl<'py> FromPyObject<'_, 'py> for Rows<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        given.extract().map(Self).map_err(|_| unfit("rows of numbers, an array of two dimensions", given))
    }
}

/// The exception for what is no such array of numbers.
fn unfit(expected: &str, given: Borrowed<'_, '_, PyAny>) -> PyErr {
    let found = match given.getattr("shape") {
        Ok(shape) => format!("an array of the shape {}", crate::errors::shown(&shape)),
        Err(_) => crate::errors::shown(&given),
    };
    wrong(format_args!("found {found}; expected {expected}"))
}

/// The numbers of `row`, of which there must be `expected`: that many `of`.
pub(crate) fn numbers(what: &str, row: &Row<'_>, expected: usize, of: &str) -> PyResult<Vec<f64>> {
    let view = row.as_array();
    if view.len() != expected {
        return Err(wrong_length(what, view.len(), expected, of));
    }
    Ok(view.iter().copied().collect())
}

/// The numbers of `rows` by rows, in the shape that is expected.
pub(crate) fn table(what: &str, rows: &Rows<'_>, expected: [usize; 2], of: &str) -> PyResult<Vec<f64>> {
    let view = rows.as_array();
    if view.shape() != expected {
        let found = view.shape();
        return Err(wrong(format_args!("{what} has the shape {found:?}; expected {expected:?}, {of}")));
    }
    Ok(view.iter().copied().collect())
}

/// A finite point or direction.
pub(crate) fn vec3(what: &str, row: &Row<'_>) -> PyResult<Vec3> {
    let x = numbers(what, row, 3, "along x, y and z")?;
    let v = Vec3::from([x[0], x[1], x[2]]);
    if v.is_finite() { Ok(v) } else { Err(wrong(format_args!("{what} is {x:?}; expected finite numbers"))) }
}

/// A unit quaternion of (w, x, y, z) of any length but zero.
pub(crate) fn quaternion(what: &str, row: &Row<'_>) -> PyResult<Quat> {
    let x = numbers(what, row, 4, "w, x, y, z")?;
    let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
    if !(norm > 0.0 && norm.is_finite()) {
        return Err(wrong(format_args!(
            "{what} is {x:?}; expected a quaternion (w, x, y, z) that is not zero"
        )));
    }
    Ok(Quat::new(x[0] / norm, x[1] / norm, x[2] / norm, x[3] / norm))
}

/// One row of numbers that cannot be written: a copy of what the engine holds.
pub(crate) fn frozen_row<'py>(py: Python<'py>, x: Vec<f64>) -> Bound<'py, PyArray1<f64>> {
    let array = row(py, x);
    array.readwrite().make_nonwriteable();
    array
}

/// One row of numbers.
pub(crate) fn row<'py>(py: Python<'py>, values: Vec<f64>) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_vec(py, values)
}

/// `values` by rows of `columns` numbers.
pub(crate) fn matrix(py: Python<'_>, values: Vec<f64>, columns: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let rows = values.len().checked_div(columns).unwrap_or(0);
    PyArray1::from_vec(py, values).reshape([rows, columns])
}

/// `values` as `count` blocks of `rows` by `columns`.
pub(crate) fn blocks(
    py: Python<'_>,
    values: Vec<f64>,
    shape: [usize; 3],
) -> PyResult<Bound<'_, PyArray3<f64>>> {
    PyArray1::from_vec(py, values).reshape(shape)
}

/// Rows of a Jacobian whose columns are points' velocities: 3 × nv.
pub(crate) fn of_points<'py>(py: Python<'py>, columns: &[Vec3]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let rows = (0..3).flat_map(|r| columns.iter().map(move |c| c.to_array()[r]));
    matrix_of(py, rows.collect(), [3, columns.len()])
}

/// Rows of a Jacobian whose columns are motions: 6 × nv, angular first.
pub(crate) fn of_motions<'py>(py: Python<'py>, columns: &[Motion]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    matrix_of(py, transposed(columns.iter().map(motion)), [6, columns.len()])
}

/// Rows of a matrix whose columns are forces: 6 × nv, moments first.
pub(crate) fn of_forces<'py>(py: Python<'py>, columns: &[Force]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    matrix_of(py, transposed(columns.iter().map(force)), [6, columns.len()])
}

/// A matrix that may have no rows or columns.
pub(crate) fn matrix_of(
    py: Python<'_>,
    values: Vec<f64>,
    shape: [usize; 2],
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    PyArray1::from_vec(py, values).reshape(shape)
}

fn transposed(columns: impl Iterator<Item = [f64; 6]> + Clone) -> Vec<f64> {
    (0..6).flat_map(|r| columns.clone().map(move |c| c[r])).collect()
}

/// A motion as six numbers (ω, v).
pub(crate) fn motion(m: &Motion) -> [f64; 6] {
    let (w, v) = (m.angular, m.linear);
    [w.x, w.y, w.z, v.x, v.y, v.z]
}

/// A force as six numbers (n, f).
pub(crate) fn force(m: &Force) -> [f64; 6] {
    let (n, f) = (m.angular, m.linear);
    [n.x, n.y, n.z, f.x, f.y, f.z]
}

/// A rotation by rows.
pub(crate) fn rotation(m: &Mat3) -> [f64; 9] {
    let [a, b, c] = m.rows;
    [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z]
}

/// Position and quaternion.
pub(crate) fn pose(X: &Pose) -> ([f64; 3], [f64; 4]) {
    (X.translation.to_array(), X.rotation.to_array())
}

/// Position and quaternion (of any length) as a pose.
pub(crate) fn pose_of(x: &[f64]) -> Pose {
    let norm = x[3..7].iter().map(|x| x * x).sum::<f64>().sqrt();
    let r = if norm > 0.0 {
        Quat::new(x[3] / norm, x[4] / norm, x[5] / norm, x[6] / norm)
    } else {
        Quat::IDENTITY
    };
    Pose::new(r, Vec3::from([x[0], x[1], x[2]]))
}
