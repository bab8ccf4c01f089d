//! The shapes, each in its own frame G, and the questions asked of a single one.
//!
//! ```text
//!     support      h(d) = argmax { d·x : x ∈ shape }                       (1)
//!     bounding box of a box turned by R: half sides |R| half                (2)
//!     and of a disc of radius r with axis a: r √(1 − aᵢ²)                   (3)
//!     ellipsoid with semi-axes r, D = diag(r): h's point is D² d/‖D d‖      (4)
//! ```
//!
//! An ellipsoid is a smaller convex body rounded by its least radius of curvature,
//! ρ = min rᵢ²/max rᵢ [Schneider2014, 3.2]; like the segment in a capsule, that body is its core.

use crate::aabb::Aabb;
use crate::convex::ConvexMesh;
use crate::error::ShapeError;
use crate::height_field::HeightField;
use crate::mesh::TriangleMesh;
use std::sync::Arc;
use stiction_dynamics::spatial::{Mat3, Pose, Vec3, vec3};

/// A geometry in its own frame G; lengths in metres. All are convex but the last two.
#[derive(Clone, Debug)]
pub enum Shape {
    /// The half-space z ≤ 0: its surface is the plane z = 0, its outward normal +z.
    Plane,
    /// A ball about the origin.
    Sphere {
        /// Radius [m].
        radius: f64,
    },
    /// A box about the origin.
    Box {
        /// Half sides along x, y, z [m].
        half: Vec3,
    },
    /// All points within `radius` of the segment from −`half_length` to `half_length` on z.
    Capsule {
        /// Radius [m].
        radius: f64,
        /// Half the length of the segment, caps not counted [m].
        half_length: f64,
    },
    /// A cylinder about the origin with axis z.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Half its height [m].
        half_length: f64,
    },
    /// All points with Σ (xᵢ/radiiᵢ)² ≤ 1.
    Ellipsoid {
        /// Semi-axes along x, y, z [m].
        radii: Vec3,
    },
    /// A cone with axis z: its apex at z = `half_height`, the centre of its base at z =
    /// −`half_height`. The origin is half way up, not the centre of mass, which is at
    /// z = −`half_height`/2.
    Cone {
        /// Radius of the base [m].
        radius: f64,
        /// Half its height [m].
        half_height: f64,
    },
    /// A convex polyhedron.
    Convex(Arc<ConvexMesh>),
    /// A grid of heights, solid below.
    HeightField(Arc<HeightField>),
    /// Triangles, not convex: a solid when closed, else a shell with two sides.
    Mesh(Arc<TriangleMesh>),
}

impl Shape {
    /// The word for the kind of shape, as used in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Plane => "plane",
            Self::Sphere { .. } => "sphere",
            Self::Box { .. } => "box",
            Self::Capsule { .. } => "capsule",
            Self::Cylinder { .. } => "cylinder",
            Self::Ellipsoid { .. } => "ellipsoid",
            Self::Cone { .. } => "cone",
            Self::Convex(_) => "convex",
            Self::HeightField(_) => "height field",
            Self::Mesh(_) => "mesh",
        }
    }

    /// False for height fields and meshes.
    pub fn is_convex(&self) -> bool {
        !matches!(self, Self::HeightField(_) | Self::Mesh(_))
    }

    /// The shape with every length times `factor`, about its origin. A plane has none.
    ///
    /// # Errors
    ///
    /// If a length would not be a positive, finite number.
    pub fn scaled(&self, factor: f64) -> Result<Self, ShapeError> {
        let all = |points: &[Vec3]| points.iter().map(|p| *p * factor).collect::<Vec<_>>();
        let scaled = match self {
            Self::Plane => Self::Plane,
            Self::Sphere { radius } => Self::Sphere { radius: radius * factor },
            Self::Box { half } => Self::Box { half: *half * factor },
            Self::Capsule { radius, half_length } => {
                Self::Capsule { radius: radius * factor, half_length: half_length * factor }
            }
            Self::Cylinder { radius, half_length } => {
                Self::Cylinder { radius: radius * factor, half_length: half_length * factor }
            }
            Self::Ellipsoid { radii } => Self::Ellipsoid { radii: *radii * factor },
            Self::Cone { radius, half_height } => {
                Self::Cone { radius: radius * factor, half_height: half_height * factor }
            }
            Self::Convex(hull) => Self::Convex(Arc::new(ConvexMesh::from_points(&all(hull.vertices()))?)),
            Self::HeightField(field) => {
                let heights: Vec<f64> = field.heights().iter().map(|z| z * factor).collect();
                let lowest = field.heights().iter().copied().fold(f64::INFINITY, f64::min);
                let base = (lowest - field.bottom()) * factor;
                let size = field.size().map(|s| s * factor);
                Self::HeightField(Arc::new(HeightField::new(
                    field.rows(),
                    field.cols(),
                    size,
                    heights,
                    base,
                )?))
            }
            Self::Mesh(mesh) => {
                Self::Mesh(Arc::new(TriangleMesh::new(&all(mesh.vertices()), mesh.triangles())?))
            }
        };
        scaled.validate()?;
        Ok(scaled)
    }

    /// Err when a size is not a positive, finite number.
    pub fn validate(&self) -> Result<(), ShapeError> {
        let check = |what, value: f64| {
            // Areas are formed of lengths: their squares count.
            let fine = value > 0.0 && (value * value).is_normal();
            if fine { Ok(()) } else { Err(ShapeError::Length { shape: self.name(), what, value }) }
        };
        match self {
            Self::Plane | Self::Convex(_) | Self::HeightField(_) | Self::Mesh(_) => Ok(()),
            Self::Sphere { radius } => check("radius", *radius),
            Self::Box { half } => {
                check("half side x", half.x)?;
                check("half side y", half.y)?;
                check("half side z", half.z)
            }
            Self::Capsule { radius, half_length } | Self::Cylinder { radius, half_length } => {
                check("radius", *radius)?;
                check("half length", *half_length)
            }
            Self::Ellipsoid { radii } => {
                check("radius x", radii.x)?;
                check("radius y", radii.y)?;
                check("radius z", radii.z)
            }
            Self::Cone { radius, half_height } => {
                check("radius", *radius)?;
                check("half height", *half_height)
            }
        }
    }

    /// (1): the point of the shape farthest in `direction`, both in G [m]. The direction need not
    /// be a unit vector. Of several such points, one that depends on the direction alone.
    ///
    /// A plane reaches infinitely far except along its normal; its origin stands in for it.
    pub fn support(&self, direction: Vec3) -> Vec3 {
        let along = || direction.normalized().unwrap_or(Vec3::Z);
        match self {
            Self::Sphere { radius } => along() * *radius,
            Self::Capsule { .. } | Self::Ellipsoid { .. } => {
                self.core_support(direction) + along() * self.rounding()
            }
            _ => self.core_support(direction),
        }
    }

    /// The support of the shape without its rounding: the centre of a sphere, the segment of a
    /// capsule, the inner body of an ellipsoid, every other shape itself.
    pub(crate) fn core_support(&self, d: Vec3) -> Vec3 {
        let signed = |length: f64, d: f64| if d < 0.0 { -length } else { length };
        match self {
            Self::Plane | Self::Sphere { .. } => Vec3::ZERO,
            Self::Box { half } => vec3(signed(half.x, d.x), signed(half.y, d.y), signed(half.z, d.z)),
            Self::Capsule { half_length, .. } => vec3(0.0, 0.0, signed(*half_length, d.z)),
            Self::Cylinder { radius, half_length } => {
                let across = (d.x * d.x + d.y * d.y).sqrt();
                let s = if across > 0.0 { radius / across } else { 0.0 };
                vec3(d.x * s, d.y * s, signed(*half_length, d.z))
            }
            Self::Ellipsoid { radii } => {
                let d = d.normalized().unwrap_or(Vec3::Z);
                let scaled = vec3(radii.x * d.x, radii.y * d.y, radii.z * d.z);
                let s = scaled * (1.0 / scaled.norm());
                vec3(radii.x * s.x, radii.y * s.y, radii.z * s.z) - d * self.rounding() // (4)
            }
            Self::Cone { radius, half_height } => {
                let across = d.x.hypot(d.y);
                if 2.0 * half_height * d.z > radius * across {
                    return vec3(0.0, 0.0, *half_height);
                }
                let s = if across > 0.0 { radius / across } else { 0.0 };
                vec3(d.x * s, d.y * s, -half_height)
            }
            Self::Convex(mesh) => mesh.vertices()[mesh.support_vertex(d)],
            Self::HeightField(field) => field.support(d),
            Self::Mesh(mesh) => mesh.support(d),
        }
    }

    /// The centre in G, from which [`Self::size`] is measured.
    pub(crate) fn center(&self) -> Vec3 {
        match self {
            Self::Convex(mesh) => mesh.center(),
            Self::Cone { half_height, .. } => vec3(0.0, 0.0, -0.5 * half_height),
            Self::HeightField(field) => field.bounds().center(),
            Self::Mesh(mesh) => mesh.bounds().center(),
            _ => Vec3::ZERO,
        }
    }

    /// The largest distance of a point from the centre [m]: what tolerances refer to.
    pub(crate) fn size(&self) -> f64 {
        match self {
            Self::Convex(mesh) => mesh.radius(),
            Self::Cone { radius, half_height } => (1.5 * half_height).max(radius.hypot(0.5 * half_height)),
            Self::HeightField(field) => field.bounds().half().norm(),
            Self::Mesh(mesh) => mesh.bounds().half().norm(),
            _ => self.bounding_radius(),
        }
    }

    /// The radius that the core of [`Self::core_support`] is rounded with [m].
    pub(crate) fn rounding(&self) -> f64 {
        match self {
            Self::Sphere { radius } | Self::Capsule { radius, .. } => *radius,
            Self::Ellipsoid { radii } => {
                let (least, most) = (radii.x.min(radii.y).min(radii.z), radii.x.max(radii.y).max(radii.z));
                least * (least / most)
            }
            _ => 0.0,
        }
    }

    /// A box in W around the shape at X_WG, grown by `margin` [m] on every side. Infinite for a
    /// plane; for polyhedra, height fields and meshes, the box around their turned box.
    pub fn aabb(&self, X_WG: &Pose, margin: f64) -> Aabb {
        let R = X_WG.rotation.to_matrix();
        let grown = |center: Vec3, half: Vec3| Aabb::around(center, half + vec3(margin, margin, margin));
        let in_box = |b: Aabb| grown(X_WG.transform(b.center()), turned(&R, b.half()));
        let p = X_WG.translation;
        match self {
            Self::Plane => grown(Vec3::ZERO, vec3(f64::INFINITY, f64::INFINITY, f64::INFINITY)),
            Self::Sphere { radius } => grown(p, vec3(*radius, *radius, *radius)),
            Self::Box { half } => grown(p, turned(&R, *half)),
            Self::Capsule { radius, half_length } => {
                let along = |a: f64| half_length * a.abs() + radius;
                let a = R.column(2);
                grown(p, vec3(along(a.x), along(a.y), along(a.z)))
            }
            Self::Cylinder { radius, half_length } => {
                // (3)
                let along = |a: f64| half_length * a.abs() + radius * (1.0 - a * a).max(0.0).sqrt();
                let a = R.column(2);
                grown(p, vec3(along(a.x), along(a.y), along(a.z)))
            }
            Self::Ellipsoid { radii } => {
                let along = |r: Vec3| vec3(r.x * radii.x, r.y * radii.y, r.z * radii.z).norm();
                grown(p, vec3(along(R.rows[0]), along(R.rows[1]), along(R.rows[2])))
            }
            Self::Cone { radius, half_height } => {
                let a = R.column(2);
                let rim = |a: f64| radius * (1.0 - a * a).max(0.0).sqrt(); // (3)
                let base = grown(p - a * *half_height, vec3(rim(a.x), rim(a.y), rim(a.z)));
                base.joined(&grown(p + a * *half_height, Vec3::ZERO))
            }
            Self::Convex(mesh) => in_box(mesh.bounds()),
            Self::HeightField(field) => in_box(field.bounds()),
            Self::Mesh(mesh) => in_box(mesh.bounds()),
        }
    }

    /// The smallest radius about the origin of G that holds the shape [m]; infinite for a plane.
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Self::Plane => f64::INFINITY,
            Self::Sphere { radius } => *radius,
            Self::Box { half } => half.norm(),
            Self::Capsule { radius, half_length } => radius + half_length,
            Self::Cylinder { radius, half_length } => (radius * radius + half_length * half_length).sqrt(),
            Self::Ellipsoid { radii } => radii.x.max(radii.y).max(radii.z),
            Self::Cone { radius, half_height } => (radius * radius + half_height * half_height).sqrt(),
            Self::Convex(mesh) => mesh.bounding_radius(),
            Self::HeightField(field) => field.bounding_radius(),
            Self::Mesh(mesh) => mesh.bounding_radius(),
        }
    }
}

/// Half sides (2) of the axis-aligned box around a box with half sides `half` that is turned by `R`.
fn turned(R: &Mat3, half: Vec3) -> Vec3 {
    let along = |r: Vec3| r.x.abs() * half.x + r.y.abs() * half.y + r.z.abs() * half.z;
    vec3(along(R.rows[0]), along(R.rows[1]), along(R.rows[2]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::testing::{Lcg, every_shape, surfaces};

    #[test]
    fn a_bad_length_is_named() {
        let error = Shape::Cylinder { radius: 0.1, half_length: f64::NAN }.validate().unwrap_err();
        let text = error.to_string();
        assert!(text.contains("cylinder") && text.contains("half length") && text.contains("NaN"), "{text}");
        assert!(Shape::Sphere { radius: 0.0 }.validate().is_err());
        assert!(Shape::Box { half: vec3(1.0, -1.0, 1.0) }.validate().is_err());
        assert!(every_shape().iter().all(|s| s.validate().is_ok()));
    }

    #[test]
    fn supports_by_hand() {
        let d = vec3(3.0, 4.0, -0.1);
        let cylinder = Shape::Cylinder { radius: 1.0, half_length: 2.0 };
        assert!((cylinder.support(d) - vec3(0.6, 0.8, -2.0)).norm() < 1e-15);
        let capsule = Shape::Capsule { radius: 1.0, half_length: 2.0 };
        assert!((capsule.support(Vec3::Z) - vec3(0.0, 0.0, 3.0)).norm() < 1e-15);
        assert_eq!(Shape::Box { half: vec3(1.0, 2.0, 3.0) }.support(d), vec3(1.0, 2.0, -3.0));
    }

    /// Every support point is inside both bounds, and the box is tight except for meshes.
    #[test]
    fn bounds_hold_the_shape() {
        let mut random = Lcg::new(1);
        for shape in every_shape().iter().skip(1).chain(&surfaces()) {
            let X_WG = random.pose(1.0);
            let (tight, grown) = (shape.aabb(&X_WG, 1e-12), shape.aabb(&X_WG, 0.1));
            for _ in 0..200 {
                let p = shape.support(random.unit());
                assert!(tight.contains(X_WG.transform(p)));
                assert!(p.norm() <= shape.bounding_radius() * (1.0 + 1e-15));
            }
            let x = shape.support(X_WG.rotation.conjugate().rotate(Vec3::X));
            if !matches!(shape, Shape::Convex(_) | Shape::HeightField(_) | Shape::Mesh(_)) {
                assert!((grown.max.x - 0.1 - X_WG.transform(x).x).abs() < 1e-14);
            }
        }
    }
}
