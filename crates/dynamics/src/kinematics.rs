//! Forward kinematics: positions, and the inertias in the common frame.
//!
//! To the positions of [`Poses`] come the inertias of the bodies in world axes about the tree's
//! reference point O, which all algorithms but inverse dynamics start from:
//!
//! ```text
//!     I_BO_W = X I_BBo_B Xᵀ   with X the transform from (Bo, axes of B) to (O, axes of W)   (1)
//! ```
//!
//! Units: kg, m. Cost O(nb + nv), no allocation in [`Kinematics::update`].

use crate::model::Model;
use crate::poses::Poses;
use crate::real::Real;
use crate::spatial::Inertia;
use std::ops::Deref;

/// Positions and inertias of a model: who holds one has run [`Self::update`]. All of [`Poses`] can
/// be read from it.
///
/// Geometry and inertia are copied from the model by [`Self::new`]: after changing a model, make
/// a new one.
#[derive(Clone, Debug)]
pub struct Kinematics<T = f64> {
    /// Per body: inertia in world axes about the tree's reference point, (1).
    pub I: Vec<Inertia<T>>,
    poses: Poses<T>,
    inertia_B: Vec<Inertia<T>>,
}

impl<T: Real> Kinematics<T> {
    /// At the neutral configuration.
    pub fn new(model: &Model<T>) -> Self {
        let inertia_B: Vec<_> = model.bodies.iter().map(|b| b.inertia).collect();
        let mut kin = Self { I: inertia_B.clone(), poses: Poses::new(model), inertia_B };
        kin.transform();
        kin
    }

    /// Takes the inertias of a model that differs from the first in nothing else; counts from the next
    /// [`Self::update`] on.
    #[inline(always)]
    pub fn set_inertias(&mut self, model: &Model<T>) {
        assert_eq!(self.I.len(), model.bodies.len(), "the kinematics belong to this model");
        for (own, body) in self.inertia_B.iter_mut().zip(&model.bodies) {
            *own = body.inertia;
        }
    }

    /// Moves to the configuration `q` (length nq).
    #[inline(always)]
    pub fn update(&mut self, model: &Model<T>, q: &[T]) {
        assert_eq!(self.I.len(), model.bodies.len(), "the kinematics belong to this model");
        self.poses.update(model, q);
        self.transform();
    }

    /// Chooses the trees that [`Self::update`] moves from now on, as [`Poses::select`].
    pub fn select(&mut self, trees: impl Fn(usize) -> bool) {
        self.poses.select(trees);
    }

    #[inline(always)]
    fn transform(&mut self) {
        for bodies in &self.poses.selection.bodies {
            let r = bodies.clone();
            let frames = self.poses.R_WB[r.clone()].iter().zip(&self.poses.p_OB[r.clone()]);
            let inertias = self.I[r.clone()].iter_mut().zip(&self.inertia_B[r]);
            for ((I, I_B), (R, p)) in inertias.zip(frames) {
                *I = I_B.transformed(R, *p); // (1)
            }
        }
    }
}

impl<T> Deref for Kinematics<T> {
    type Target = Poses<T>;

    #[inline(always)]
    fn deref(&self) -> &Poses<T> {
        &self.poses
    }
}
