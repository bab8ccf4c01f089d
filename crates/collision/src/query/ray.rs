//! Rays, and where they cross the surfaces of shapes.
//!
//! A ray o + t d, ‖d‖ = 1, crosses the surface of a convex solid twice or not at all; between the two
//! it is inside. Of a polyhedron the crossings are those of the half-spaces of its faces,
//!
//! ```text
//!     t_in = max { (bᵢ − nᵢ·o)/(nᵢ·d) : nᵢ·d < 0 },   t_out = min { … : nᵢ·d > 0 }        (1)
//! ```
//!
//! of round ones roots of quadratics; a cylinder, a cone and a capsule are cut from both.

use crate::aabb::Aabb;
use crate::shape::Shape;
use crate::surface::Surface;
use stiction_dynamics::spatial::{Pose, Vec3, vec3};

/// A half-line in W.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts [m].
    pub origin: Vec3,
    /// Where it goes; of any length but zero.
    pub direction: Vec3,
    /// How far it goes [m]; may be infinite.
    pub limit: f64,
}

/// Where a ray crosses a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// From the origin of the ray [m].
    pub distance: f64,
    /// In W [m].
    pub point: Vec3,
    /// Outward unit normal of the surface in W: along the ray where it comes from inside; of a shell,
    /// towards the origin of the ray.
    pub normal: Vec3,
}

impl Shape {
    /// The first crossing of `ray` with the surface of the shape at X_WG, from outside or inside.
    /// `None` also for a ray that is not finite or has no direction.
    pub fn ray_first(&self, X_WG: &Pose, ray: &Ray) -> Option<RayHit> {
        let mut first: Option<(f64, Vec3)> = None;
        self.crossings(X_WG, ray, &mut |t, n, limit| {
            first = Some((t, n));
            *limit = t;
        });
        first.map(|(t, n)| hit(X_WG, ray, t, n))
    }

    /// Appends all crossings of `ray` with the surface of the shape at X_WG to `out`, by distance.
    pub fn ray_all(&self, X_WG: &Pose, ray: &Ray, out: &mut Vec<RayHit>) {
        let first = out.len();
        self.crossings(X_WG, ray, &mut |t, n, _| out.push(hit(X_WG, ray, t, n)));
        out[first..].sort_unstable_by(|a, b| a.distance.total_cmp(&b.distance));
        // Neighbouring triangles share the crossings of their common edge.
        let mut keep = first;
        for i in first..out.len() {
            let same = |p: &RayHit, q: &RayHit| {
                q.distance - p.distance <= 1e-12 * q.distance.max(self.size())
                    && (p.normal.dot(ray.direction) > 0.0) == (q.normal.dot(ray.direction) > 0.0)
            };
            if keep == first || !same(&out[keep - 1], &out[i]) {
                out[keep] = out[i];
                keep += 1;
            }
        }
        out.truncate(keep);
    }

    /// Calls `visit` with the distance and normal in G of crossings no farther than the limit, which
    /// it may lower.
    fn crossings(&self, X_WG: &Pose, ray: &Ray, visit: &mut dyn FnMut(f64, Vec3, &mut f64)) {
        let Some(d_W) = ray.direction.normalized() else { return };
        if !(ray.origin.is_finite() && X_WG.is_finite()) || ray.limit.is_nan() {
            return;
        }
        let (o, d) = (X_WG.inverse_transform(ray.origin), X_WG.rotation.conjugate().rotate(d_W));
        let mut limit = ray.limit;
        if let Some(surface) = Surface::of(self) {
            return surface.crossings(o, d, limit, visit);
        }
        for (t, n) in self.span(o, d).into_iter().flatten() {
            if t >= 0.0 && t <= limit {
                visit(t, n, &mut limit);
            }
        }
    }

    /// Where the line o + t d enters and leaves a convex shape, with the normals, in G.
    fn span(&self, o: Vec3, d: Vec3) -> [Option<(f64, Vec3)>; 2] {
        let mut inside = Span::ALL;
        match self {
            Self::Plane => inside.half_space(Vec3::Z, 0.0, o, d),
            Self::Sphere { radius } => inside.ball(o, d, *radius),
            Self::Box { half } => {
                for (axis, h) in [(Vec3::X, half.x), (Vec3::Y, half.y), (Vec3::Z, half.z)] {
                    inside.half_space(axis, h, o, d);
                    inside.half_space(-axis, h, o, d);
                }
            }
            Self::Capsule { radius, half_length } => return capsule(o, d, *radius, *half_length),
            Self::Cylinder { radius, half_length } => {
                inside.tube(o, d, *radius);
                inside.half_space(Vec3::Z, *half_length, o, d);
                inside.half_space(-Vec3::Z, *half_length, o, d);
            }
            Self::Ellipsoid { radii: r } => {
                let scaled = |v: Vec3| vec3(v.x / r.x, v.y / r.y, v.z / r.z);
                let s = scaled(d).norm();
                inside.ball(scaled(o), scaled(d) * (1.0 / s), 1.0);
                // t of the scaled line is s times that of the line; normals scale like gradients.
                for (t, n) in inside.ends.iter_mut().flatten() {
                    *t /= s;
                    *n = scaled(*n).normalized().unwrap_or(Vec3::Z);
                }
            }
            Self::Cone { radius, half_height } => inside.cone(o, d, *radius, *half_height),
            Self::Convex(mesh) => {
                mesh.faces().iter().for_each(|f| inside.half_space(f.normal, f.offset, o, d));
            }
            Self::HeightField(_) | Self::Mesh(_) => inside = Span::NONE,
        }
        if inside.empty { [None; 2] } else { inside.ends }
    }
}

fn hit(X_WG: &Pose, ray: &Ray, distance: f64, n: Vec3) -> RayHit {
    let d = ray.direction.normalized().unwrap_or(Vec3::Z);
    RayHit { distance, point: ray.origin + d * distance, normal: X_WG.rotation.rotate(n) }
}

/// The part of a line that is inside: where it begins and ends; `None`: never.
struct Span {
    ends: [Option<(f64, Vec3)>; 2],
    empty: bool,
}

impl Span {
    const ALL: Self = Self { ends: [None; 2], empty: false };
    const NONE: Self = Self { ends: [None; 2], empty: true };

    fn enter(&mut self, t: f64, n: Vec3) {
        if self.ends[0].is_none_or(|e| t > e.0) {
            self.ends[0] = Some((t, n));
        }
        self.check();
    }

    fn leave(&mut self, t: f64, n: Vec3) {
        if self.ends[1].is_none_or(|e| t < e.0) {
            self.ends[1] = Some((t, n));
        }
        self.check();
    }

    fn check(&mut self) {
        if let [Some((from, _)), Some((to, _))] = self.ends {
            self.empty |= from > to;
        }
    }

    /// (1): only n·x ≤ b.
    fn half_space(&mut self, n: Vec3, b: f64, o: Vec3, d: Vec3) {
        let (rate, height) = (n.dot(d), n.dot(o) - b);
        if rate == 0.0 {
            self.empty |= height > 0.0;
        } else if rate < 0.0 {
            self.enter(-height / rate, n);
        } else {
            self.leave(-height / rate, n);
        }
    }

    /// Only where a t² + 2 b t + c ≤ 0, a > 0.
    fn quadratic(&mut self, a: f64, b: f64, c: f64, normal: impl Fn(f64) -> Vec3) {
        match roots(a, b, c) {
            Some([from, to]) => {
                self.enter(from, normal(from));
                self.leave(to, normal(to));
            }
            None => self.empty = true,
        }
    }

    fn ball(&mut self, o: Vec3, d: Vec3, radius: f64) {
        // From the point nearest to the centre: far origins lose no digits.
        let near = -o.dot(d);
        let p = o + d * near;
        let half2 = (radius - p.norm()) * (radius + p.norm());
        if half2 < 0.0 {
            self.empty = true;
            return;
        }
        let normal = |t: f64| (p + d * t).normalized().unwrap_or(Vec3::Z);
        self.enter(near - half2.sqrt(), normal(-half2.sqrt()));
        self.leave(near + half2.sqrt(), normal(half2.sqrt()));
    }

    /// Only nearer to the axis z than the radius.
    fn tube(&mut self, o: Vec3, d: Vec3, radius: f64) {
        let (a, b) = (d.x * d.x + d.y * d.y, o.x * d.x + o.y * d.y);
        let c = o.x * o.x + o.y * o.y - radius * radius;
        if a < 1e-24 {
            self.empty |= c > 0.0;
        } else {
            self.quadratic(a, b, c, |t| across(o + d * t));
        }
    }

    /// x² + y² ≤ k² (h − z)², −h ≤ z ≤ h, k = r/2h: inside one of two cones, of which the slab
    /// leaves the lower.
    fn cone(&mut self, o: Vec3, d: Vec3, radius: f64, h: f64) {
        let k2 = (radius / (2.0 * h)) * (radius / (2.0 * h));
        let w = h - o.z;
        let a = d.x * d.x + d.y * d.y - k2 * d.z * d.z;
        let b = o.x * d.x + o.y * d.y + k2 * w * d.z;
        let c = o.x * o.x + o.y * o.y - k2 * w * w;
        let normal = |t: f64| {
            let p = o + d * t;
            (across(p) * (2.0 * h) + Vec3::Z * radius).normalized().unwrap_or(Vec3::Z)
        };
        self.half_space(-Vec3::Z, h, o, d);
        if a > 0.0 {
            self.quadratic(a, b, c, normal);
            self.half_space(Vec3::Z, h, o, d);
            return;
        }
        // Steeper than the side: inside the lower cone on one side of a root, the one towards its base.
        let lower = |t: &f64| o.z + t * d.z <= h;
        let root = if a < -1e-14 {
            roots(-a, -b, -c).and_then(|both| {
                if d.z < 0.0 { both.into_iter().rfind(lower) } else { both.into_iter().find(lower) }
            })
        } else {
            (b != 0.0).then(|| -0.5 * c / b).filter(lower)
        };
        match root {
            Some(t) if d.z < 0.0 => self.enter(t, normal(t)),
            Some(t) => self.leave(t, normal(t)),
            None => self.empty = true,
        }
    }
}

/// The direction away from the axis z.
fn across(p: Vec3) -> Vec3 {
    vec3(p.x, p.y, 0.0).normalized().unwrap_or(Vec3::X)
}

/// The roots of a t² + 2 b t + c, a > 0, the smaller first, without cancellation.
fn roots(a: f64, b: f64, c: f64) -> Option<[f64; 2]> {
    let discriminant = b * b - a * c;
    if discriminant < 0.0 {
        return None;
    }
    let q = -(b + discriminant.sqrt().copysign(b));
    let (x, y) = (q / a, if q == 0.0 { 0.0 } else { c / q });
    Some([x.min(y), x.max(y)])
}

/// The first and the last of the crossings with a tube and two balls that are on the capsule.
fn capsule(o: Vec3, d: Vec3, radius: f64, half_length: f64) -> [Option<(f64, Vec3)>; 2] {
    let mut all: [Option<(f64, Vec3)>; 2] = [None; 2];
    let mut consider = |span: Span, belongs: &dyn Fn(f64) -> bool| {
        for (t, n) in span.ends.into_iter().flatten().filter(|_| !span.empty) {
            if belongs(o.z + t * d.z) {
                if all[0].is_none_or(|e| t < e.0) {
                    all[0] = Some((t, n));
                }
                if all[1].is_none_or(|e| t > e.0) {
                    all[1] = Some((t, n));
                }
            }
        }
    };
    let mut side = Span::ALL;
    side.tube(o, d, radius);
    consider(side, &|z| z.abs() <= half_length);
    for sign in [1.0, -1.0] {
        let mut cap = Span::ALL;
        cap.ball(o - Vec3::Z * (sign * half_length), d, radius);
        consider(cap, &|z| z * sign >= half_length);
    }
    all
}

/// Where the line meets a triangle, if it does: [Moeller1997], edges included.
fn triangle(o: Vec3, d: Vec3, [p, q, r]: [Vec3; 3]) -> Option<f64> {
    let (e, f) = (q - p, r - p);
    let across = d.cross(f);
    let det = e.dot(across);
    if det == 0.0 {
        return None;
    }
    // A little wider, so that no ray slips through between two triangles.
    const EDGE: f64 = 1e-12;
    let s = o - p;
    let u = s.dot(across) / det;
    let beyond = s.cross(e);
    let v = d.dot(beyond) / det;
    (u >= -EDGE && v >= -EDGE && u + v <= 1.0 + EDGE).then(|| f.dot(beyond) / det)
}

/// From where on the line is in a box; infinite when it never is.
fn into_box(o: Vec3, d: Vec3, b: &Aabb) -> f64 {
    let (mut from, mut to) = (0.0_f64, f64::INFINITY);
    for i in 0..3 {
        if d[i] == 0.0 {
            if o[i] < b.min[i] || o[i] > b.max[i] {
                return f64::INFINITY;
            }
            continue;
        }
        let (x, y) = ((b.min[i] - o[i]) / d[i], (b.max[i] - o[i]) / d[i]);
        from = from.max(x.min(y));
        to = to.min(x.max(y));
    }
    // Rounding may put the box of a flat triangle beside the ray.
    if from <= to * (1.0 + 1e-12) + 1e-300 { from } else { f64::INFINITY }
}

impl Surface<'_> {
    fn crossings(&self, o: Vec3, d: Vec3, limit: f64, visit: &mut dyn FnMut(f64, Vec3, &mut f64)) {
        let solid = self.is_solid();
        let mut meet = |i: usize, mut limit: f64| {
            let corners = self.corners(i);
            if let Some(t) = triangle(o, d, corners).filter(|t| *t >= 0.0 && *t <= limit) {
                let [p, q, r] = corners;
                let n = (q - p).cross(r - p).normalized().unwrap_or(Vec3::Z);
                visit(t, if !solid && n.dot(d) > 0.0 { -n } else { n }, &mut limit);
            }
            limit
        };
        let cost = |b: &Aabb| into_box(o, d, b);
        match self {
            Self::Mesh(mesh) => mesh.tree().search(limit, &cost, &mut meet),
            Self::Field(field) => field.along(limit, &cost, &mut meet),
        }
    }
}
