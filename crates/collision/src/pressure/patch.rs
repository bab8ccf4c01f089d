//! The contact surface of a pair.

use stiction_dynamics::spatial::{Force, Vec3};

/// One polygon of a contact surface, in W.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchElement {
    /// Area [m²].
    pub area: f64,
    /// Mean pressure without dissipation, that at the centroid [Pa].
    pub pressure: f64,
    /// Slope g of the pressure along the normal, of both solids in a row [Pa/m].
    pub slope: f64,
    /// Centre of the area [m].
    pub centroid: Vec3,
    /// Where the resultant of the pressure acts [m].
    pub center_of_pressure: Vec3,
    /// Unit normal from A to B.
    pub normal: Vec3,
    /// The cells or faces that meet: the same ones have the same number in the next step.
    pub feature: u32,
    /// Corners of the polygon: those of the patch from the first to before the second index.
    pub corners: [u32; 2],
}

impl PatchElement {
    /// Stiffness k = A g of the spring that stands for it [N/m].
    pub fn stiffness(&self) -> f64 {
        self.area * self.slope
    }

    /// Gap φ = −p/g at which that spring carries the pressure [m].
    pub fn gap(&self) -> f64 {
        -self.pressure / self.slope
    }

    /// Elastic force on B [N].
    pub fn force(&self) -> Vec3 {
        self.normal * (self.area * self.pressure)
    }
}

/// A contact surface of a pair (A, B).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PressurePatch {
    pub(super) elements: Vec<PatchElement>,
    pub(super) corners: Vec<Vec3>,
    pub(super) pressures: Vec<f64>,
}

impl PressurePatch {
    /// Polygons of the surface.
    pub fn elements(&self) -> &[PatchElement] {
        &self.elements
    }

    /// Corners of a polygon [m], counter-clockwise about its normal, and the pressure at each [Pa].
    pub fn corners(&self, element: &PatchElement) -> (&[Vec3], &[f64]) {
        let [start, end] = element.corners.map(|i| i as usize);
        (&self.corners[start..end], &self.pressures[start..end])
    }

    /// The whole area [m²].
    pub fn area(&self) -> f64 {
        self.elements.iter().map(|e| e.area).sum()
    }

    /// Elastic force on B [N] and its moment about the point `about` [N·m].
    pub fn wrench(&self, about: Vec3) -> Force {
        let mut sum = Force::new(Vec3::ZERO, Vec3::ZERO);
        for e in &self.elements {
            sum += Force::at(e.center_of_pressure - about, e.force());
        }
        sum
    }

    /// Removes the polygons.
    pub fn clear(&mut self) {
        self.elements.clear();
        self.corners.clear();
        self.pressures.clear();
    }

    /// Turns it to the patch of (B, A).
    pub(super) fn flip(&mut self) {
        for e in &mut self.elements {
            e.normal = -e.normal;
            let [start, end] = e.corners.map(|i| i as usize);
            self.corners[start..end].reverse();
            self.pressures[start..end].reverse();
        }
    }
}
