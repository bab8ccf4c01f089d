//! Records in the layout of a structured array of numpy: whole numbers of 32 bits, then numbers of 64, as they lie in memory.

use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use stiction::dynamics::spatial::Vec3;

/// Records being written one after another.
#[derive(Default)]
pub(crate) struct Packed(Vec<u8>);

impl Packed {
    pub(crate) fn whole(&mut self, x: i32) {
        self.0.extend(x.to_ne_bytes());
    }

    /// An index; −1: the world, or none.
    pub(crate) fn index(&mut self, i: Option<usize>) {
        self.whole(i.and_then(|i| i32::try_from(i).ok()).unwrap_or(-1));
    }

    pub(crate) fn number(&mut self, x: f64) {
        self.0.extend(x.to_ne_bytes());
    }

    pub(crate) fn numbers(&mut self, x: &[f64]) {
        x.iter().for_each(|x| self.number(*x));
    }

    pub(crate) fn vector(&mut self, v: Vec3) {
        self.numbers(&v.to_array());
    }

    /// Memory that numpy may look into.
    pub(crate) fn finish<'py>(&self, py: Python<'py>) -> Bound<'py, PyByteArray> {
        PyByteArray::new(py, &self.0)
    }
}
