//! The part of a shape's surface that faces the other: a polygon, a segment or a point.
//!
//! For a direction d out of the shape, a polyhedron offers, among the faces that touch its
//! support vertex, the one best aligned with d; a cylinder a cap, a line of its side or a point
//! of its rim, a cone likewise; a capsule the segment of its core, a sphere its centre, an ellipsoid
//! a point of its inner body (the rounding is added by whoever measures gaps).
//!
//! Every corner and side carries the code of the feature it is: two bits for the kind, 14 for
//! the index. A pair of codes names a contact point for warm starts.

use crate::convex::ConvexMesh;
use crate::frame::Frame;
use crate::shape::Shape;
use stiction_dynamics::spatial::{Vec3, vec3};

/// Corners of the largest patch; faces with more are thinned out.
pub(crate) const CORNERS: usize = 32;
/// Corners of the polygon that stands for the cap of a cylinder.
const CAP: usize = 16;
/// Cosine and sine of 20°: a cylinder offers its cap, or its side, up to this tilt.
const CAP_COSINE: f64 = 0.94;
const SIDE_SINE: f64 = 0.34;

pub(crate) const fn face_code(i: usize) -> u16 {
    (i & 0x3fff) as u16
}
pub(crate) const fn edge_code(i: usize) -> u16 {
    0x4000 | (i & 0x3fff) as u16
}
pub(crate) const fn vertex_code(i: usize) -> u16 {
    0x8000 | (i & 0x3fff) as u16
}

/// The code of a pair of features.
pub(crate) const fn pair_code(a: u16, b: u16) -> u32 {
    (a as u32) << 16 | b as u32
}

/// True for the code of a pair of faces.
pub(crate) const fn is_of_two_faces(pair: u32) -> bool {
    pair & 0xc000_c000 == 0
}

/// A corner in W, its feature code, and the code of the side to the next corner.
#[derive(Clone, Copy)]
pub(crate) struct Corner {
    pub(crate) p: Vec3,
    pub(crate) vertex: u16,
    pub(crate) edge: u16,
}

/// A polygon in W, counter-clockwise from outside; with two corners a segment, with one a point.
#[derive(Clone, Copy)]
pub(crate) struct Patch<const N: usize> {
    corners: [Corner; N],
    len: usize,
    /// Outward unit normal; meaningless for segments and points.
    pub(crate) normal: Vec3,
    pub(crate) face: u16,
    /// Radii of the surface about the ends of a segment [m].
    pub(crate) radii: [f64; 2],
}

impl<const N: usize> Patch<N> {
    #[inline]
    fn new(normal: Vec3, face: u16) -> Self {
        let nowhere = Corner { p: Vec3::ZERO, vertex: 0, edge: 0 };
        Self { corners: [nowhere; N], len: 0, normal, face, radii: [0.0; 2] }
    }

    /// The patch with these corners.
    pub(crate) fn of(normal: Vec3, face: u16, corners: &[Corner]) -> Self {
        let mut patch = Self::new(normal, face);
        corners.iter().for_each(|c| patch.push(c.p, c.vertex, c.edge));
        patch
    }

    #[inline]
    fn push(&mut self, p: Vec3, vertex: u16, edge: u16) {
        self.corners[self.len] = Corner { p, vertex, edge };
        self.len += 1;
    }

    #[inline]
    pub(crate) fn corners(&self) -> &[Corner] {
        &self.corners[..self.len]
    }
}

/// The patch of `shape` that faces the direction `d_W` out of it; N holds the corners of its
/// kind: 1 for spheres, 2 for capsules, 4 for boxes, else [`CORNERS`].
pub(crate) fn facing<const N: usize>(shape: &Shape, X: &Frame, d_W: Vec3) -> Patch<N> {
    let d = X.inverse_direction(d_W);
    match shape {
        Shape::Plane | Shape::Sphere { .. } => {
            let mut patch = Patch::new(d_W, face_code(0));
            patch.push(X.origin, vertex_code(0), edge_code(0));
            patch
        }
        Shape::Capsule { radius, half_length } => {
            capsule_axis(*radius, X.origin, X.axis() * *half_length, d_W)
        }
        Shape::Box { half } => box_face(*half, X, d),
        Shape::Cylinder { radius, half_length } => cylinder(*radius, *half_length, X, d, d_W),
        Shape::Ellipsoid { .. } => {
            let mut patch = Patch::new(d_W, face_code(0));
            patch.push(X.point(shape.core_support(d)), vertex_code(0), edge_code(0));
            patch
        }
        Shape::Cone { radius, half_height } => cone(*radius, *half_height, X, d, d_W),
        Shape::Convex(mesh) => mesh_face(mesh, X, d),
        Shape::HeightField(_) | Shape::Mesh(_) => panic!("what is not convex has no one facing patch"),
    }
}

/// The most corners that [`facing`] gives.
pub(crate) fn most_corners(shape: &Shape) -> usize {
    match shape {
        Shape::Cylinder { .. } | Shape::Cone { .. } => CAP,
        Shape::Convex(mesh) => mesh.most_corners().min(CORNERS),
        _ => 4,
    }
}

/// The axis of a capsule, of which `reach` is one half.
#[inline]
pub(crate) fn capsule_axis<const N: usize>(radius: f64, origin: Vec3, reach: Vec3, d_W: Vec3) -> Patch<N> {
    let mut patch = Patch::new(d_W, face_code(0));
    patch.push(origin - reach, vertex_code(0), edge_code(0));
    patch.push(origin + reach, vertex_code(1), edge_code(0));
    patch.radii = [radius; 2];
    patch
}

/// The line parallel to z through `offset` in G.
fn segment<const N: usize>(X: &Frame, d_W: Vec3, offset: Vec3, half_length: f64, face: u16) -> Patch<N> {
    let mut patch = Patch::new(d_W, face);
    let reach = vec3(0.0, 0.0, half_length);
    patch.push(X.point(offset - reach), vertex_code(0), edge_code(0));
    patch.push(X.point(offset + reach), vertex_code(1), edge_code(0));
    patch
}

/// The face of a box whose normal ±i is best aligned with `d` (in G). Corners are numbered by
/// the signs of x, y, z as bits; the edge along axis w by w and the signs of the other two.
#[inline]
pub(crate) fn box_face<const N: usize>(half: Vec3, X: &Frame, d: Vec3) -> Patch<N> {
    let size = [d.x.abs(), d.y.abs(), d.z.abs()];
    let i = if size[0] >= size[1] && size[0] >= size[2] {
        0
    } else if size[1] >= size[2] {
        1
    } else {
        2
    };
    match (i, d[i] >= 0.0) {
        (0, false) => box_side::<N, 0, 0>(half, X),
        (0, true) => box_side::<N, 0, 1>(half, X),
        (1, false) => box_side::<N, 1, 0>(half, X),
        (1, true) => box_side::<N, 1, 1>(half, X),
        (_, false) => box_side::<N, 2, 0>(half, X),
        (_, true) => box_side::<N, 2, 1>(half, X),
    }
}

/// The face with the normal I, or −I where not UP: the compiler is told the indices.
fn box_side<const N: usize, const I: usize, const UP: usize>(half: Vec3, X: &Frame) -> Patch<N> {
    let (u, v) = ((I + 1) % 3, (I + 2) % 3);
    let sign = |bit: usize| if bit == 1 { 1.0 } else { -1.0 };

    let normal = X.R.column(I) * sign(UP);
    let center = X.origin + normal * half[I];
    let (eu, ev) = (X.R.column(u) * half[u], X.R.column(v) * half[v]);
    let mut patch = Patch::new(normal, face_code(2 * I + UP));
    // Counter-clockwise about +I: (+ +), (− +), (− −), (+ −); the other way about −I.
    let around = [(1, 1), (0, 1), (0, 0), (1, 0)];
    for k in 0..4 {
        let at = |k: usize| if UP == 1 { around[k & 3] } else { around[(8 - k) & 3] };
        let (su, sv) = at(k);
        let next = at(k + 1);
        let vertex = UP << I | su << u | sv << v;
        // The side to the next corner runs along u or v and keeps the other sign.
        let edge = if su != next.0 { 4 * u + (sv | UP << 1) } else { 4 * v + (UP | su << 1) };
        patch.push(center + eu * sign(su) + ev * sign(sv), vertex_code(vertex), edge_code(edge));
    }
    patch
}

/// Cap, side or rim, by the angle of `d` (in G) with the axis. Codes: the caps are faces 0 and
/// 1 and the side is face 2; corner k of a cap is vertex 16 cap + k, the side's ends 32 and 33.
fn cylinder<const N: usize>(radius: f64, half_length: f64, X: &Frame, d: Vec3, d_W: Vec3) -> Patch<N> {
    let top = usize::from(d.z >= 0.0);
    let z = if top == 1 { half_length } else { -half_length };
    let (c, s) = X.toward_rim(d);
    if d.z.abs() > CAP_COSINE {
        let mut patch = Patch::new(X.axis() * z.signum(), face_code(top));
        for k in 0..CAP {
            // Counter-clockwise seen from outside is clockwise about +z on the lower cap.
            let (ck, sk) = SIXTEENTHS[if top == 1 { k } else { (CAP - k) % CAP }];
            let p = vec3(radius * (c * ck - s * sk), radius * (s * ck + c * sk), z);
            patch.push(X.point(p), vertex_code(CAP * top + k), edge_code(CAP * top + k));
        }
        return patch;
    }
    let rim = vec3(radius * c, radius * s, 0.0);
    if d.z.abs() < SIDE_SINE {
        let mut side = segment(X, d_W, rim, half_length, face_code(2));
        side.radii = [radius; 2];
        for (corner, end) in side.corners.iter_mut().zip(0..2) {
            corner.vertex = vertex_code(2 * CAP + end);
        }
        return side;
    }
    let mut patch = Patch::new(d_W, face_code(top));
    patch.push(X.point(rim + vec3(0.0, 0.0, z)), vertex_code(CAP * top), edge_code(CAP * top));
    patch
}

/// Base, line of the side, rim or apex. Codes: the base is face 0 with the vertices 0 to 15, the side
/// face 2; a line of it runs from vertex 32 to the apex, 33.
fn cone<const N: usize>(radius: f64, half_height: f64, X: &Frame, d: Vec3, d_W: Vec3) -> Patch<N> {
    let across = (d.x * d.x + d.y * d.y).sqrt();
    let (c, s) = X.toward_rim(d);
    if d.z < -CAP_COSINE {
        let mut patch = Patch::new(-X.axis(), face_code(0));
        for k in 0..CAP {
            // Counter-clockwise seen from below is clockwise about +z.
            let (ck, sk) = SIXTEENTHS[(CAP - k) % CAP];
            let p = vec3(radius * (c * ck - s * sk), radius * (s * ck + c * sk), -half_height);
            patch.push(X.point(p), vertex_code(k), edge_code(k));
        }
        return patch;
    }
    let (rim, apex) = (vec3(radius * c, radius * s, -half_height), vec3(0.0, 0.0, half_height));
    let mut patch = Patch::new(d_W, face_code(2));
    // The cosine of the angle between d and the normal of the side next to it.
    let facing_side = (2.0 * half_height * across + radius * d.z) / radius.hypot(2.0 * half_height);
    let over_apex = 2.0 * half_height * d.z > radius * across;
    if facing_side > CAP_COSINE {
        // Of curvature: none at the apex.
        patch.radii = [radius * radius.hypot(2.0 * half_height) / (2.0 * half_height), 0.0];
        patch.push(X.point(rim), vertex_code(2 * CAP), edge_code(0));
        patch.push(X.point(apex), vertex_code(2 * CAP + 1), edge_code(0));
    } else if over_apex {
        patch.push(X.point(apex), vertex_code(2 * CAP + 1), edge_code(0));
    } else {
        patch.push(X.point(rim), vertex_code(0), edge_code(0));
    }
    patch
}

/// Cosine and sine of the sixteenths of a turn.
pub(crate) const SIXTEENTHS: [(f64, f64); CAP] = {
    const A: f64 = 0.923_879_532_511_286_7;
    const B: f64 = std::f64::consts::FRAC_1_SQRT_2;
    const C: f64 = 0.382_683_432_365_089_8;
    [
        (1.0, 0.0),
        (A, C),
        (B, B),
        (C, A),
        (0.0, 1.0),
        (-C, A),
        (-B, B),
        (-A, C),
        (-1.0, 0.0),
        (-A, -C),
        (-B, -B),
        (-C, -A),
        (0.0, -1.0),
        (C, -A),
        (B, -B),
        (A, -C),
    ]
};

/// Face of a hull that looks most toward `d`, by [`ConvexMesh::face_toward`].
fn mesh_face<const N: usize>(mesh: &ConvexMesh, X: &Frame, d: Vec3) -> Patch<N> {
    let best = mesh.face_toward(d);
    let face = &mesh.faces()[best];
    let mut patch = Patch::new(X.direction(face.normal), face_code(best));
    let n = face.vertices.len();
    // Every corner, or evenly spread ones.
    let kept = n.min(N);
    for k in 0..kept {
        let i = k * n / kept;
        let v = face.vertices[i] as usize;
        patch.push(X.point(mesh.vertices()[v]), vertex_code(v), edge_code(face.edges[i] as usize));
    }
    patch
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::testing::{Lcg, every_shape};
    use stiction_dynamics::spatial::Pose;

    /// Polygons are counter-clockwise, flat, and touch the support of the shape.
    #[test]
    fn patches_face_the_direction() {
        let mut random = Lcg::new(2);
        for shape in every_shape().iter().skip(1) {
            for _ in 0..200 {
                let X_WG = random.pose(1.0);
                let X = Frame::new(&X_WG);
                let d = random.unit();
                let patch: Patch<CORNERS> = facing(shape, &X, d);
                let c = patch.corners();
                let support = X.point(shape.core_support(X.inverse_direction(d)));
                let reach = c.iter().map(|c| c.p.dot(d)).fold(f64::NEG_INFINITY, f64::max);
                assert!((reach - support.dot(d)).abs() < 1e-7, "{}", shape.name());
                for k in 0..c.len() {
                    if c.len() >= 3 {
                        let (p, q, r) = (c[k].p, c[(k + 1) % c.len()].p, c[(k + 2) % c.len()].p);
                        assert!((q - p).cross(r - q).dot(patch.normal) > 0.0);
                        assert!(patch.normal.dot(p - c[0].p).abs() < 1e-6);
                    }
                    for other in &c[..k] {
                        assert_ne!(other.vertex, c[k].vertex);
                    }
                }
            }
        }
    }

    /// The two faces at an edge of a box agree on its code and on those of its corners.
    #[test]
    fn box_edges_have_one_code() {
        let X = Frame::new(&Pose::IDENTITY);
        let half = vec3(1.0, 2.0, 3.0);
        let mut sides = Vec::new();
        for d in [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z] {
            let face: Patch<4> = box_face(half, &X, d);
            let c = face.corners();
            for k in 0..4 {
                let next = c[(k + 1) % 4];
                sides.push((c[k].edge, c[k].vertex.min(next.vertex), c[k].vertex.max(next.vertex)));
            }
        }
        sides.sort_unstable();
        assert!(sides.chunks(2).all(|pair| pair[0] == pair[1]), "{sides:x?}");
        sides.dedup();
        assert_eq!(sides.len(), 12);
        assert!(sides.windows(2).all(|w| w[0].0 != w[1].0));
    }
}
