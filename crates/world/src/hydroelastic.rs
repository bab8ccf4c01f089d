//! Contact of a surface by a field of pressure, in the words of Drake.
//!
//! Two surfaces of which one at least is compliant, and neither of which is a point contact of its own accord, meet in a surface on
//! which their pressures are equal ([`stiction_collision::PressureGeometry`]); two rigid ones meet in points. Their dissipation is
//!
//! ```text
//!     d = (E_B d_A + E_A d_B)/(E_A + E_B);   of a rigid one (E = ∞) that of the other            (1)
//! ```

use stiction_collision::{PressureGeometry, Shape, ShapeError};

/// How a surface takes part in contact by pressure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hydroelastic {
    pub kind: HydroelasticKind,
    /// Pressure where the solid is deepest, were it pressed in so far [Pa]; of what is compliant.
    pub modulus: f64,
    /// Largest edge of its faces and cells [m]; `None`: a quarter of the radius of a ball inside.
    pub resolution: Option<f64>,
    /// Depth at which a compliant half-space has its modulus [m].
    pub thickness: f64,
}

/// The part of a surface in contact by pressure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HydroelasticKind {
    /// It touches in points.
    #[default]
    None,
    /// It does not yield.
    Rigid,
    /// It yields.
    Compliant,
}

impl Default for Hydroelastic {
    /// Drake's numbers of what states none.
    fn default() -> Self {
        Self { kind: HydroelasticKind::None, modulus: 1e7, resolution: None, thickness: 10.0 }
    }
}

impl Hydroelastic {
    /// The field or surface of `shape`; `None` of what touches in points.
    ///
    /// Err where the shape has no field, or a number is out of its range.
    pub fn geometry(&self, shape: &Shape) -> Result<Option<PressureGeometry>, ShapeError> {
        match self.kind {
            HydroelasticKind::None => Ok(None),
            HydroelasticKind::Rigid => PressureGeometry::rigid(shape, self.resolution).map(Some),
            HydroelasticKind::Compliant => {
                let thickness = Some(self.thickness);
                PressureGeometry::compliant(shape, self.modulus, self.resolution, thickness).map(Some)
            }
        }
    }

    /// (1) of two surfaces that meet by pressure, each with the dissipation that it states [s/m]; `None` where no compliant one
    /// states any.
    pub fn dissipation(a: (&Self, Option<f64>), b: (&Self, Option<f64>)) -> Option<f64> {
        let of = |(own, stated): (&Self, Option<f64>)| match own.kind {
            HydroelasticKind::Compliant => Some((own.modulus, stated)),
            HydroelasticKind::None | HydroelasticKind::Rigid => None,
        };
        match (of(a), of(b)) {
            (Some((e, d)), Some((f, c))) => match (d, c) {
                (None, None) => None,
                (d, c) => Some((f * d.unwrap_or(0.0) + e * c.unwrap_or(0.0)) / (e + f)),
            },
            (Some((_, d)), None) | (None, Some((_, d))) => d,
            (None, None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::{Compliance, Material};

    #[test]
    fn dissipation_is_shared_by_the_moduli() {
        let of = |kind, modulus, dissipation| Material {
            hydroelastic: Hydroelastic { kind, modulus, ..Hydroelastic::default() },
            compliance: Compliance { dissipation, ..Compliance::default() },
            ..Material::default()
        };
        let (soft, softer) = (
            of(HydroelasticKind::Compliant, 3e6, Some(2.0)),
            of(HydroelasticKind::Compliant, 1e6, Some(6.0)),
        );
        let rigid = of(HydroelasticKind::Rigid, 1e7, Some(9.0));
        let shared = |a: &Material, b: &Material| {
            let side = |m: &Material| (m.hydroelastic, m.compliance.dissipation);
            let (a, b) = (side(a), side(b));
            Hydroelastic::dissipation((&a.0, a.1), (&b.0, b.1))
        };
        // The softer takes up three quarters of the motion.
        assert_eq!(shared(&soft, &softer), Some(5.0));
        assert_eq!(shared(&rigid, &softer), Some(6.0));
        assert_eq!(shared(&rigid, &rigid), None);
        assert!(rigid.hydroelastic.geometry(&Shape::Sphere { radius: 0.1 }).unwrap().is_some());
        assert!(Material::default().hydroelastic.geometry(&Shape::Plane).unwrap().is_none());
    }
}
