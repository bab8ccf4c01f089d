//! Contact surfaces: (1)–(4) of [`super`].

use super::field::Field;
use super::geometry::{Kind, PressureGeometry, Shell};
use super::patch::{PatchElement, PressurePatch};
use super::polygon::{HalfSpace, Linear, Polygon};
use crate::aabb::Aabb;
use std::cmp::Ordering;
use stiction_dynamics::spatial::{Mat3, Pose, Vec3, vec3};

/// A polygon counts fully where the pressure falls along the normal at an angle of at most 105° to it, and not at all from 120° on:
/// the cosines of the two [–]. Between them it counts in part, so that forces are continuous as bodies turn.
const FADING: [f64; 2] = [-0.258_819_045_102_520_8, -0.5];
/// Slopes along the normal are taken as at least this share of the whole gradient [–]; forces do not depend on it.
const FLATTEST: f64 = 0.1;
/// Distances below this share of the size of a cell are rounding, and areas below its square are none [–].
const ROUNDING: f64 = 1e-12;

/// Scratch of the search for a contact surface; it grows to the largest pair.
#[derive(Clone, Debug, Default)]
pub struct PressureScratch {
    polygon: Polygon,
    candidates: Vec<usize>,
    walls: Vec<HalfSpace>,
}

/// The contact surface of A and B at their poses in W, into `out`. Empty where both are rigid or both are half-spaces
/// ([`PressureGeometry::meets`]). The patch of (B, A) is that of (A, B) with the opposite normals, to the bit.
pub fn pressure_patch(
    a: (&PressureGeometry, &Pose),
    b: (&PressureGeometry, &Pose),
    scratch: &mut PressureScratch,
    out: &mut PressurePatch,
) {
    out.clear();
    let swap = order(a, b) == Ordering::Greater;
    let (first, second) = if swap { (b, a) } else { (a, b) };
    let between = Between::new(first.1, second.1);
    match (&first.0.0, &second.0.0) {
        (Kind::Solid(f), Kind::Solid(g)) => solids(f, g, &between, scratch, out),
        (Kind::Solid(f), Kind::SoftGround(ground)) => on_ground(f, Some(ground), &between, scratch, out),
        (Kind::Solid(f), Kind::Ground) => on_ground(f, None, &between, scratch, out),
        (Kind::Solid(f), Kind::Shell(s)) => against_shell(f, s, &between, scratch, out),
        (Kind::SoftGround(ground), Kind::Shell(s)) => shell_in_ground(ground, s, &between, scratch, out),
        _ => {}
    }
    between.to_world(first.1, out);
    if swap {
        out.flip();
    }
}

/// Compliant solids before half-spaces before rigid surfaces; among equals by size, stiffness and place.
fn order(a: (&PressureGeometry, &Pose), b: (&PressureGeometry, &Pose)) -> Ordering {
    let rank = |g: &PressureGeometry| match g.0 {
        Kind::Solid(_) => 0,
        Kind::SoftGround(_) => 1,
        Kind::Shell(_) => 2,
        Kind::Ground => 3,
    };
    let place = |p: &Pose| {
        let (t, r) = (p.translation.to_array(), p.rotation.to_array());
        [t[0], t[1], t[2], r[0], r[1], r[2], r[3]]
    };
    let by_place = || {
        let (p, q) = (place(a.1), place(b.1));
        p.iter().zip(&q).map(|(x, y)| x.total_cmp(y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
    };
    (rank(a.0).cmp(&rank(b.0)))
        .then(a.0.cells().cmp(&b.0.cells()))
        .then(a.0.stiffness().total_cmp(&b.0.stiffness()))
        .then_with(by_place)
}

/// The frame of the second in that of the first.
struct Between {
    R: Mat3,
    p: Vec3,
}

impl Between {
    fn new(X_WF: &Pose, X_WS: &Pose) -> Self {
        let X_FS = X_WF.inverse() * *X_WS;
        Self { R: X_FS.rotation.to_matrix(), p: X_FS.translation }
    }

    fn point(&self, x: Vec3) -> Vec3 {
        self.R * x + self.p
    }

    fn half_space(&self, h: &HalfSpace) -> HalfSpace {
        let normal = self.R * h.normal;
        HalfSpace { normal, offset: h.offset + normal.dot(self.p) }
    }

    fn field(&self, f: &Linear) -> Linear {
        let gradient = self.R * f.gradient;
        Linear { gradient, at_origin: f.at_origin - gradient.dot(self.p) }
    }

    /// A box around a box of the second, in the first.
    fn bounds(&self, b: &Aabb) -> Aabb {
        turned(&self.R, self.point(b.center()), b.half())
    }

    /// A box around a box of the first, in the second.
    fn bounds_back(&self, b: &Aabb) -> Aabb {
        turned(&self.R.transpose(), self.R.transpose_mul(b.center() - self.p), b.half())
    }

    /// Moves what was found in the frame of the first to W.
    fn to_world(&self, X_WF: &Pose, out: &mut PressurePatch) {
        let R = X_WF.rotation.to_matrix();
        let point = |x: Vec3| R * x + X_WF.translation;
        for e in &mut out.elements {
            e.centroid = point(e.centroid);
            e.center_of_pressure = point(e.center_of_pressure);
            e.normal = R * e.normal;
        }
        out.corners.iter_mut().for_each(|x| *x = point(*x));
    }
}

fn turned(R: &Mat3, center: Vec3, half: Vec3) -> Aabb {
    let along = |r: Vec3| r.x.abs() * half.x + r.y.abs() * half.y + r.z.abs() * half.z;
    Aabb::around(center, vec3(along(R.rows[0]), along(R.rows[1]), along(R.rows[2])))
}

/// The box of what two boxes share; `None` where they share nothing.
fn shared(a: &Aabb, b: &Aabb) -> Option<Aabb> {
    let mut both = *a;
    for i in 0..3 {
        both.min[i] = a.min[i].max(b.min[i]);
        both.max[i] = a.max[i].min(b.max[i]);
    }
    (0..3).all(|i| both.min[i] <= both.max[i]).then_some(both)
}

/// A plane in a box as a polygon; false where it misses the box.
fn plane_in(polygon: &mut Polygon, bounds: &Aabb, plane: &HalfSpace) -> bool {
    let HalfSpace { normal: n, offset } = *plane;
    let (center, half) = (bounds.center(), bounds.half());
    let height = n.dot(center) - offset;
    let reach = n.x.abs() * half.x + n.y.abs() * half.y + n.z.abs() * half.z;
    let size = half.norm();
    if height.abs() > reach + ROUNDING * size {
        return false;
    }
    polygon.set_square(center - n * height, n, size * (1.0 + 1e-9));
    true
}

/// By which share a polygon counts whose normal n leaves a solid with this gradient of pressure [–].
fn share(n: Vec3, gradient: Vec3) -> f64 {
    let cosine = -n.dot(gradient) / gradient.norm();
    let [all, none] = FADING;
    ((cosine - none) / (all - none)).clamp(0.0, 1.0)
}

/// The slope of a pressure along n [Pa/m].
fn slope(n: Vec3, gradient: Vec3) -> f64 {
    n.dot(gradient).abs().max(FLATTEST * gradient.norm())
}

/// A surface of pressure: its plane, the slope of (4) [Pa/m], and the share by which it counts [–].
struct Surface {
    plane: HalfSpace,
    slope: f64,
    share: f64,
}

/// Adds the polygon, if it has an area and carries pressure, of cells of this size [m].
fn add(
    polygon: &Polygon,
    surface: &Surface,
    field: &Linear,
    (size, feature): (f64, usize),
    out: &mut PressurePatch,
) {
    let (n, share) = (surface.plane.normal, surface.share);
    let least = ROUNDING * size * ROUNDING * size;
    let Some(found) = polygon.integrals(n, field, least) else { return };
    if found.pressure.is_nan() || found.pressure <= 0.0 || share <= 0.0 {
        return;
    }
    let start = out.corners.len() as u32;
    out.corners.extend_from_slice(&polygon.corners);
    out.pressures.extend(polygon.corners.iter().map(|x| share * field.at(*x).max(0.0)));
    out.elements.push(PatchElement {
        area: found.area,
        pressure: share * found.pressure,
        slope: share * surface.slope,
        centroid: found.centroid,
        center_of_pressure: found.center_of_pressure,
        normal: n,
        feature: feature as u32,
        corners: [start, out.corners.len() as u32],
    });
}

/// The surface (1) of a pair of fields; `None` where they are equal in a volume or not at all, or face the wrong way.
fn equilibrium(f: &Linear, g: &Linear) -> Option<Surface> {
    let d = f.gradient - g.gradient;
    let length = d.norm();
    if length.is_nan() || length <= ROUNDING * (f.gradient.norm() + g.gradient.norm()) {
        return None;
    }
    let n = d * (-1.0 / length);
    let share = share(n, f.gradient).min(share(-n, g.gradient));
    // d · x + (f₀ − g₀) = 0
    let plane = HalfSpace { normal: n, offset: (f.at_origin - g.at_origin) / length };
    let (g_A, g_B) = (slope(n, f.gradient), slope(n, g.gradient));
    (share > 0.0).then_some(Surface { plane, slope: g_A * g_B / (g_A + g_B), share }) // (4)
}

/// A rigid surface with the normal n out of the solid whose pressure this is; `None` where it faces the wrong way.
fn on_rigid(plane: HalfSpace, pressure: &Linear) -> Option<Surface> {
    let n = plane.normal;
    let share = share(n, pressure.gradient);
    (share > 0.0).then(|| Surface { plane, slope: slope(n, pressure.gradient), share })
}

fn solids(f: &Field, g: &Field, between: &Between, work: &mut PressureScratch, out: &mut PressurePatch) {
    let PressureScratch { polygon, candidates, walls } = work;
    let near = between.bounds_back(&f.tree.bounds());
    candidates.clear();
    g.tree.visit(&|b: &Aabb| b.overlaps(&near), &mut |j| {
        if g.cells[j].bounds.overlaps(&near) {
            candidates.push(j);
        }
    });
    candidates.sort_unstable();
    for &j in &*candidates {
        let bounds = between.bounds(&g.cells[j].bounds);
        let other = between.field(&g.cells[j].pressure);
        walls.clear();
        f.tree.visit(&|b: &Aabb| b.overlaps(&bounds), &mut |i| {
            let cell = &f.cells[i];
            let Some(both) = shared(&cell.bounds, &bounds) else { return };
            let Some(surface) = equilibrium(&cell.pressure, &other) else { return };
            if !plane_in(polygon, &both, &surface.plane) {
                return;
            }
            if walls.is_empty() {
                walls.extend(g.walls(j).iter().map(|w| between.half_space(w)));
            }
            let size = cell.bounds.half().norm();
            let rounding = ROUNDING * size;
            let all = f.walls(i).iter().chain(&*walls);
            if all.into_iter().all(|w| polygon.cut(w, rounding)) {
                let feature = i.wrapping_mul(g.cells.len()).wrapping_add(j);
                add(polygon, &surface, &cell.pressure, (size, feature), out);
            }
        });
    }
}

/// A solid on a half-space, which is rigid or has the pressure `ground`.
fn on_ground(
    f: &Field,
    ground: Option<&Linear>,
    between: &Between,
    work: &mut PressureScratch,
    out: &mut PressurePatch,
) {
    let PressureScratch { polygon, candidates, .. } = work;
    let top = between.half_space(&HalfSpace { normal: Vec3::Z, offset: 0.0 });
    let below = |b: &Aabb| {
        let (n, half) = (top.normal, b.half());
        let reach = n.x.abs() * half.x + n.y.abs() * half.y + n.z.abs() * half.z;
        n.dot(b.center()) - top.offset <= reach
    };
    candidates.clear();
    f.tree.visit(&below, &mut |i| candidates.push(i));
    candidates.sort_unstable();
    let other = ground.map(|p| between.field(p));
    for &i in &*candidates {
        let cell = &f.cells[i];
        let size = cell.bounds.half().norm();
        let found = match &other {
            Some(pressure) => equilibrium(&cell.pressure, pressure),
            // From the solid into the ground.
            None => on_rigid(HalfSpace { normal: -top.normal, offset: -top.offset }, &cell.pressure),
        };
        let Some(surface) = found else { continue };
        let inside = plane_in(polygon, &cell.bounds, &surface.plane)
            && f.walls(i).iter().all(|w| polygon.cut(w, ROUNDING * size))
            && (ground.is_none() || polygon.cut(&top, ROUNDING * size));
        if inside {
            add(polygon, &surface, &cell.pressure, (size, i), out);
        }
    }
}

fn against_shell(
    f: &Field,
    s: &Shell,
    between: &Between,
    work: &mut PressureScratch,
    out: &mut PressurePatch,
) {
    let PressureScratch { polygon, candidates, .. } = work;
    let near = between.bounds_back(&f.tree.bounds());
    candidates.clear();
    s.tree.visit(&|b: &Aabb| b.overlaps(&near), &mut |j| {
        if s.faces[j].bounds.overlaps(&near) {
            candidates.push(j);
        }
    });
    candidates.sort_unstable();
    for &j in &*candidates {
        let face = &s.faces[j];
        let bounds = between.bounds(&face.bounds);
        // From the solid into what is rigid: against the outward normal of that.
        let n = between.R * -face.normal;
        let plane = HalfSpace { normal: n, offset: n.dot(between.point(face.corners[0])) };
        f.tree.visit(&|b: &Aabb| b.overlaps(&bounds), &mut |i| {
            let cell = &f.cells[i];
            if !cell.bounds.overlaps(&bounds) {
                return;
            }
            let Some(surface) = on_rigid(plane, &cell.pressure) else { return };
            let size = cell.bounds.half().norm();
            // The corners of the face go round against n.
            polygon.set(face.corners.iter().rev().map(|x| between.point(*x)));
            if f.walls(i).iter().all(|w| polygon.cut(w, ROUNDING * size)) {
                let feature = i.wrapping_mul(s.faces.len()).wrapping_add(j);
                add(polygon, &surface, &cell.pressure, (size, feature), out);
            }
        });
    }
}

fn shell_in_ground(
    ground: &Linear,
    s: &Shell,
    between: &Between,
    work: &mut PressureScratch,
    out: &mut PressurePatch,
) {
    let polygon = &mut work.polygon;
    let top = HalfSpace { normal: Vec3::Z, offset: 0.0 };
    work.candidates.clear();
    let below = |b: &Aabb| between.bounds(b).min.z <= 0.0;
    s.tree.visit(&below, &mut |j| work.candidates.push(j));
    work.candidates.sort_unstable();
    for &j in &work.candidates {
        let face = &s.faces[j];
        let n = between.R * -face.normal;
        let plane = HalfSpace { normal: n, offset: n.dot(between.point(face.corners[0])) };
        let Some(surface) = on_rigid(plane, ground) else { continue };
        let size = face.bounds.half().norm();
        polygon.set(face.corners.iter().rev().map(|x| between.point(*x)));
        if polygon.cut(&top, ROUNDING * size) {
            add(polygon, &surface, ground, (size, j), out);
        }
    }
}
