//! Convex bodies as the formulas have them: supports, distances and samples of the surface, in the frame of the body.
//!
//! Nothing here is taken from the library but the vertices of its hulls.

use super::random::Random;
use std::f64::consts::TAU;
use std::fmt;
use std::sync::Arc;
use stiction_collision::{ConvexMesh, HeightField, Shape, TriangleMesh};
use stiction_dynamics::spatial::{Vec3, vec3};

pub(crate) const KINDS: [&str; 10] =
    ["plane", "sphere", "ellipsoid", "capsule", "cylinder", "cone", "box", "hull", "field", "mesh"];

/// Lengths [m] as in [`Shape`].
#[derive(Clone, Debug)]
enum Form {
    Plane,
    Sphere(f64),
    Ellipsoid(Vec3),
    Capsule(f64, f64),
    Cylinder(f64, f64),
    Cone(f64, f64),
    Box(Vec3),
    Polyhedron(Polyhedron),
}

/// Corners, and triangles by their outward normals.
#[derive(Clone, Debug)]
struct Polyhedron {
    corners: Vec<Vec3>,
    faces: Vec<(Vec3, [usize; 3])>,
    around: Vec<Vec<usize>>,
}

/// A body and the shape that stands for it.
#[derive(Clone)]
pub(crate) struct Body {
    pub(crate) kind: usize,
    pub(crate) shape: Shape,
    /// Largest distance of a point from the origin [m]; of a plane none.
    pub(crate) size: f64,
    /// Half its width where it is thinnest, or less [m].
    pub(crate) thickness: f64,
    form: Form,
}

/// A point of the surface [m] and a normal that the body has there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) point: Vec3,
    pub(crate) normal: Vec3,
    /// The body has no other normal there.
    pub(crate) smooth: bool,
    /// The least radius of curvature [m].
    pub(crate) bend: f64,
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.form {
            Form::Polyhedron(p) => write!(f, "{} of {} corners", KINDS[self.kind], p.corners.len()),
            form => write!(f, "{form:?}"),
        }
    }
}

impl Polyhedron {
    fn of(mesh: &ConvexMesh) -> Option<Self> {
        let corners = mesh.vertices().to_vec();
        let mut faces = Vec::new();
        let mut around = vec![Vec::new(); corners.len()];
        for t in mesh.triangles() {
            let t = t.map(|i| i as usize);
            let [p, q, r] = t.map(|i| corners[i]);
            let n = (q - p).cross(r - p);
            let longest = (q - p).norm().max((r - p).norm()).max((r - q).norm());
            // The normal of a sliver is rounding.
            if n.norm() < 1e-6 * longest * longest {
                return None;
            }
            t.iter().for_each(|i| around[*i].push(faces.len()));
            faces.push((n.normalized()?, t));
        }
        Some(Self { corners, faces, around })
    }

    fn heights(&self, p: Vec3) -> impl Iterator<Item = f64> + '_ {
        self.faces.iter().map(move |(n, c)| n.dot(p - self.corners[c[0]]))
    }
}

/// A length: `scale` times up to a power of ten smaller, one in four bodies up to 2000 times.
fn lengths(random: &mut Random, scale: f64) -> Vec3 {
    let decades = if random.below(4) == 0 { 3.3 } else { 0.7 };
    let mut length = || scale * 10_f64.powf(-random.between(0.0, decades));
    vec3(length(), length(), length())
}

impl Body {
    /// A body of a kind, its lengths up to `scale` [m]. `None` where chance gives no solid.
    pub(crate) fn new(kind: usize, scale: f64, random: &mut Random) -> Option<Self> {
        let l = lengths(random, scale);
        let form = match KINDS[kind] {
            "plane" => Form::Plane,
            "sphere" => Form::Sphere(l.x),
            "ellipsoid" => Form::Ellipsoid(l),
            "capsule" => Form::Capsule(l.x, l.y),
            "cylinder" => Form::Cylinder(l.x, l.y),
            "cone" => Form::Cone(l.x, l.y),
            "box" => Form::Box(l),
            "hull" => {
                let mesh = hull(l, random)?;
                let form = Form::Polyhedron(Polyhedron::of(&mesh)?);
                return Some(Self::of(kind, Shape::Convex(Arc::new(mesh)), form));
            }
            "field" => return Self::field(kind, l, random),
            _ => return Self::mesh(kind, &hull(l, random)?),
        };
        let shape = match &form {
            Form::Plane => Shape::Plane,
            Form::Sphere(radius) => Shape::Sphere { radius: *radius },
            Form::Ellipsoid(radii) => Shape::Ellipsoid { radii: *radii },
            Form::Capsule(radius, half_length) => {
                Shape::Capsule { radius: *radius, half_length: *half_length }
            }
            Form::Cylinder(radius, half_length) => {
                Shape::Cylinder { radius: *radius, half_length: *half_length }
            }
            Form::Cone(radius, half_height) => Shape::Cone { radius: *radius, half_height: *half_height },
            Form::Box(half) => Shape::Box { half: *half },
            Form::Polyhedron(_) => return None,
        };
        Some(Self::of(kind, shape, form))
    }

    fn of(kind: usize, shape: Shape, form: Form) -> Self {
        let size = match &form {
            Form::Plane => 0.0,
            _ => shape.bounding_radius(),
        };
        let thickness = match &form {
            Form::Plane => f64::INFINITY,
            Form::Sphere(r) | Form::Capsule(r, _) => *r,
            Form::Ellipsoid(l) | Form::Box(l) => l.x.min(l.y).min(l.z),
            Form::Cylinder(r, l) => r.min(*l),
            Form::Cone(r, h) => 0.5 * r.min(*h),
            Form::Polyhedron(p) => {
                let center =
                    p.corners.iter().fold(Vec3::ZERO, |sum, c| sum + *c) * (1.0 / p.corners.len() as f64);
                -p.heights(center).fold(f64::NEG_INFINITY, f64::max)
            }
        };
        Self { kind, shape, size, thickness, form }
    }

    /// The triangles of a hull.
    fn mesh(kind: usize, hull: &ConvexMesh) -> Option<Self> {
        let mesh = TriangleMesh::new(hull.vertices(), hull.triangles()).ok()?;
        Some(Self::of(kind, Shape::Mesh(Arc::new(mesh)), Form::Polyhedron(Polyhedron::of(hull)?)))
    }

    /// A hill on a rectangle: as heights are a sum of concave functions of x and of y, it is convex.
    fn field(kind: usize, l: Vec3, random: &mut Random) -> Option<Self> {
        let (rows, cols) = (2 + random.below(4), 2 + random.below(4));
        let side = [l.x, l.y];
        let hill = |k: usize, n: usize| (k as f64 / (n - 1) as f64 - 0.5).powi(2);
        let height = |i: usize| -l.z * (hill(i % cols, cols) + 1.3 * hill(i / cols, rows));
        let heights: Vec<f64> = (0..rows * cols).map(height).collect();
        let bottom = heights.iter().copied().fold(0.0, f64::min) - 0.5 * l.z;
        let at = |k: usize, n: usize, side: f64| side * (k as f64 / (n - 1) as f64 - 0.5);
        let place = |i: usize, z: f64| vec3(at(i % cols, cols, side[0]), at(i / cols, rows, side[1]), z);
        let points: Vec<Vec3> =
            (0..rows * cols).flat_map(|i| [place(i, heights[i]), place(i, bottom)]).collect();
        let field = HeightField::new(rows, cols, side, heights, 0.5 * l.z).ok()?;
        let form = Form::Polyhedron(Polyhedron::of(&ConvexMesh::from_points(&points).ok()?)?);
        Some(Self::of(kind, Shape::HeightField(Arc::new(field)), form))
    }

    /// A convex body that [`Shape::is_convex`] says is one.
    pub(crate) fn is_surface(&self) -> bool {
        !self.shape.is_convex()
    }

    /// A point farthest along `d` [m].
    pub(crate) fn support(&self, d: Vec3) -> Vec3 {
        let signed = |length: f64, d: f64| if d < 0.0 { -length } else { length };
        let along = || d * (1.0 / d.norm());
        let rim = |radius: f64| {
            let across = d.x.hypot(d.y);
            let s = if across > 0.0 { radius / across } else { 0.0 };
            vec3(d.x * s, d.y * s, 0.0)
        };
        match &self.form {
            Form::Plane => Vec3::ZERO,
            Form::Sphere(r) => along() * *r,
            Form::Ellipsoid(r) => {
                let x = vec3(r.x * d.x, r.y * d.y, r.z * d.z);
                vec3(r.x * x.x, r.y * x.y, r.z * x.z) * (1.0 / x.norm())
            }
            Form::Capsule(r, l) => along() * *r + Vec3::Z * signed(*l, d.z),
            Form::Cylinder(r, l) => rim(*r) + Vec3::Z * signed(*l, d.z),
            Form::Cone(r, h) => {
                let (base, apex) = (rim(*r) - Vec3::Z * *h, Vec3::Z * *h);
                if apex.dot(d) > base.dot(d) { apex } else { base }
            }
            Form::Box(half) => vec3(signed(half.x, d.x), signed(half.y, d.y), signed(half.z, d.z)),
            Form::Polyhedron(p) => {
                let (mut best, mut most) = (Vec3::ZERO, f64::NEG_INFINITY);
                for c in &p.corners {
                    if c.dot(d) > most {
                        (best, most) = (*c, c.dot(d));
                    }
                }
                best
            }
        }
    }

    /// How far p is outside of the body [m]; not positive inside. Of an ellipsoid to the second order.
    pub(crate) fn outside(&self, p: Vec3) -> f64 {
        let across = p.x.hypot(p.y);
        match &self.form {
            Form::Plane => p.z,
            Form::Sphere(r) => p.norm() - r,
            Form::Ellipsoid(r) => {
                let x = vec3(p.x / r.x, p.y / r.y, p.z / r.z);
                let f = x.norm();
                let slope = vec3(x.x / r.x, x.y / r.y, x.z / r.z).norm() / f;
                if f > 1.0 { (f - 1.0) / slope } else { 0.0 }
            }
            Form::Capsule(r, l) => (p - Vec3::Z * p.z.clamp(-*l, *l)).norm() - r,
            Form::Cylinder(r, l) => (across - r).max(0.0).hypot((p.z.abs() - l).max(0.0)),
            Form::Cone(r, h) => {
                let slant = [-r, 2.0 * h];
                let (x, z) = (across - r, p.z + h);
                let over = (2.0 * h * x + r * z) / r.hypot(2.0 * h);
                if over <= 0.0 && z >= 0.0 {
                    return 0.0;
                }
                let s = ((x * slant[0] + z * slant[1]) / (r * r + 4.0 * h * h)).clamp(0.0, 1.0);
                let to_slant = (x - s * slant[0]).hypot(z - s * slant[1]);
                if z < 0.0 { to_slant.min((-z).hypot(x.max(0.0))) } else { to_slant }
            }
            Form::Box(half) => (0..3).map(|i| (p[i].abs() - half[i]).max(0.0).powi(2)).sum::<f64>().sqrt(),
            Form::Polyhedron(solid) => {
                let most = solid.heights(p).fold(f64::NEG_INFINITY, f64::max);
                if most <= 0.0 {
                    return 0.0;
                }
                // Rounding may lift a corner over the plane of a triangle far from it: all triangles count.
                let all = solid.faces.iter().zip(solid.heights(p));
                all.map(|((n, t), h)| to_triangle(p, *n, h.abs(), t.map(|i| solid.corners[i])))
                    .fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// A point of the surface at random, on its faces, edges and corners alike.
    pub(crate) fn spot(&self, random: &mut Random) -> Option<Spot> {
        let spot = |point, normal: Vec3, smooth| {
            Some(Spot { point, normal: normal.normalized()?, smooth, bend: self.thickness })
        };
        let turn = random.between(0.0, TAU);
        let radial = vec3(turn.cos(), turn.sin(), 0.0);
        let (u, up) = (random.between(0.0, 1.0), if random.below(2) == 0 { Vec3::Z } else { -Vec3::Z });
        match &self.form {
            Form::Plane => spot(random.vector(1.0) - Vec3::Z * 0.0, Vec3::Z, true)
                .map(|s| Spot { point: vec3(s.point.x, s.point.y, 0.0), ..s }),
            Form::Sphere(_) | Form::Ellipsoid(_) => {
                let n = random.vector(1.0).normalized()?;
                let bend = self.thickness * (self.thickness / self.size);
                spot(self.support(n), n, true).map(|s| Spot { bend, ..s })
            }
            Form::Capsule(r, l) => {
                if random.below(2) == 0 {
                    spot(radial * *r + Vec3::Z * random.between(-*l, *l), radial, true)
                } else {
                    let n = random.vector(1.0).normalized()?;
                    spot(n * *r + Vec3::Z * l.copysign(n.z), n, true)
                }
            }
            Form::Cylinder(r, l) => match random.below(4) {
                0 => spot(radial * (*r * u.sqrt()) + up * *l, up, true),
                1 => spot(radial * *r + Vec3::Z * random.between(-*l, *l), radial, true),
                _ => {
                    let angle = self.lean(random);
                    spot(radial * *r + up * *l, radial * angle.sin() + up * angle.cos(), false)
                }
            },
            Form::Cone(r, h) => {
                // The normal of the side leans up by this from the level.
                let side = r.atan2(2.0 * h);
                let out = |angle: f64| radial * angle.cos() + Vec3::Z * angle.sin();
                let rim = radial * *r - Vec3::Z * *h;
                match random.below(5) {
                    0 => spot(radial * (*r * u.sqrt()) - Vec3::Z * *h, -Vec3::Z, true),
                    1 => spot(rim + (Vec3::Z * *h - rim) * u, out(side), true)
                        .map(|s| Spot { bend: (1.0 - u) * r, ..s }),
                    2 => spot(Vec3::Z * *h, out(random.between(side, 0.25 * TAU)), false),
                    _ => spot(rim, out(random.between(-0.25 * TAU, side)), false),
                }
            }
            Form::Box(half) => {
                let sign = [0; 3].map(|_| if random.below(2) == 0 { -1.0 } else { 1.0 });
                // Faces, edges and corners by how many coordinates are fixed.
                let fixed = [1, 2, 3][random.below(3)];
                let first = random.below(3);
                let (mut point, mut normal) = (Vec3::ZERO, Vec3::ZERO);
                for k in 0..3 {
                    let i = (first + k) % 3;
                    if k < fixed {
                        point[i] = sign[i] * half[i];
                        normal[i] = sign[i] * random.between(0.0, 1.0);
                    } else {
                        point[i] = half[i] * random.between(-1.0, 1.0);
                    }
                }
                spot(point, normal, fixed == 1)
            }
            Form::Polyhedron(p) => {
                let face = random.below(p.faces.len());
                let (n, c) = p.faces[face];
                let [a, b, _] = c.map(|i| p.corners[i]);
                match random.below(3) {
                    0 => {
                        let w = [0; 3].map(|_| random.between(0.0, 1.0));
                        let all = w[0] + w[1] + w[2];
                        let point = (0..3).fold(Vec3::ZERO, |sum, k| sum + p.corners[c[k]] * (w[k] / all));
                        spot(point, n, true)
                    }
                    1 => {
                        let other =
                            *p.around[c[0]].iter().find(|f| **f != face && p.faces[**f].1.contains(&c[1]))?;
                        let normal = n * u + p.faces[other].0 * (1.0 - u);
                        spot(a + (b - a) * random.between(0.0, 1.0), normal, false)
                    }
                    _ => {
                        let normals = p.around[c[0]].iter().map(|f| p.faces[*f].0 * random.between(0.0, 1.0));
                        spot(a, normals.fold(Vec3::ZERO, |sum, n| sum + n), false)
                    }
                }
            }
        }
    }

    /// An angle in a right angle, often near one of its ends: where flat and lying bodies are.
    fn lean(&self, random: &mut Random) -> f64 {
        let small = 10_f64.powf(-random.between(0.0, 6.0));
        match random.below(3) {
            0 => 0.25 * TAU * small,
            1 => 0.25 * TAU * (1.0 - small),
            _ => random.between(0.0, 0.25 * TAU),
        }
    }
}

/// A hull with the given half sides: a box, a prism or random points.
fn hull(l: Vec3, random: &mut Random) -> Option<ConvexMesh> {
    let stretched = |p: Vec3| vec3(p.x * l.x, p.y * l.y, p.z * l.z);
    let points: Vec<Vec3> = match random.below(3) {
        0 => (0..8).map(|i| vec3(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect(),
        1 => {
            let n = 3 + random.below(10);
            let rim = |k: usize| {
                let (s, c) = (TAU * k as f64 / n as f64).sin_cos();
                [vec3(c, s, -1.0), vec3(c, s, 1.0)]
            };
            (0..n).flat_map(rim).collect()
        }
        _ => {
            let n = 4 + random.below(16);
            (0..n).filter_map(|_| random.vector(1.0).normalized()).collect()
        }
    };
    let mesh = ConvexMesh::from_points(&points.into_iter().map(stretched).collect::<Vec<_>>()).ok()?;
    // A face of a hull may bend by a millionth of the extent: here it is flat.
    let flat = |face: &stiction_collision::Face| {
        let below = |v: &u32| face.offset - face.normal.dot(mesh.vertices()[*v as usize]);
        face.vertices.iter().all(|v| below(v) < 1e-13 * mesh.radius())
    };
    mesh.faces().iter().all(flat).then_some(mesh)
}

/// Distance of p, `height` over the plane of a triangle with the normal n, from the triangle [m].
fn to_triangle(p: Vec3, n: Vec3, height: f64, c: [Vec3; 3]) -> f64 {
    let sides = [0, 1, 2].map(|k| (c[k], c[(k + 1) % 3] - c[k]));
    if sides.iter().all(|(q, e)| e.cross(p - *q).dot(n) >= 0.0) {
        return height;
    }
    let to_side =
        |(q, e): &(Vec3, Vec3)| (p - *q - *e * ((p - *q).dot(*e) / e.norm_squared()).clamp(0.0, 1.0)).norm();
    sides.iter().map(to_side).fold(f64::INFINITY, f64::min)
}
