//! A convex polyhedron as plain lists, and its signed distance from another by trying everything.

use stiction_collision::ConvexMesh;
use stiction_dynamics::spatial::{Pose, Vec3, vec3};

/// Corners, edges (pairs of corners), faces (normal and corners), in W.
#[derive(Clone)]
pub(crate) struct Solid {
    pub(crate) corners: Vec<Vec3>,
    pub(crate) edges: Vec<[usize; 2]>,
    /// Every edge direction once.
    pub(crate) directions: Vec<Vec3>,
    pub(crate) faces: Vec<(Vec3, Vec<usize>)>,
}

/// Signed distance, the axis from A to B that has it, and the best value of any other axis.
pub(crate) struct Witness {
    pub(crate) distance: f64,
    pub(crate) normal: Vec3,
    pub(crate) runner_up: f64,
}

impl Solid {
    pub(crate) fn of_box(half: Vec3) -> Self {
        let sign = |bit: usize| if bit == 0 { -1.0 } else { 1.0 };
        let corner =
            |i: usize| vec3(half.x * sign(i & 1), half.y * sign(i >> 1 & 1), half.z * sign(i >> 2 & 1));
        let edges = (0..8).flat_map(|i| [1, 2, 4].map(|bit| [i, i | bit])).filter(|e| e[0] != e[1]);
        let face = |axis: usize, up: usize| {
            // Around the face: the two other bits in the order 00, 01, 11, 10.
            let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
            let base = up << axis;
            let normal = [Vec3::X, Vec3::Y, Vec3::Z][axis] * sign(up);
            (normal, vec![base, base | u, base | u | v, base | v])
        };
        Self {
            corners: (0..8).map(corner).collect(),
            edges: edges.collect(),
            directions: vec![Vec3::X, Vec3::Y, Vec3::Z],
            faces: (0..6).map(|k| face(k / 2, k % 2)).collect(),
        }
    }

    /// From the triangles of a hull: independent of its merged faces.
    pub(crate) fn of_hull(mesh: &ConvexMesh) -> Self {
        let corners = mesh.vertices().to_vec();
        let (mut edges, mut faces, mut directions) = (Vec::new(), Vec::new(), Vec::<Vec3>::new());
        for t in mesh.triangles() {
            let t = t.map(|i| i as usize);
            let [p, q, r] = t.map(|i| corners[i]);
            if let Some(n) = (q - p).cross(r - p).normalized() {
                faces.push((n, t.to_vec()));
            }
            for e in [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]] {
                if e[0] < e[1] {
                    edges.push(e);
                    let d = (corners[e[1]] - corners[e[0]]).normalized().unwrap();
                    if directions.iter().all(|other| other.cross(d).norm() > 1e-9) {
                        directions.push(d);
                    }
                }
            }
        }
        Self { corners, edges, directions, faces }
    }

    pub(crate) fn placed(&self, X: &Pose) -> Self {
        let R = X.rotation;
        Self {
            corners: self.corners.iter().map(|p| X.transform(*p)).collect(),
            edges: self.edges.clone(),
            directions: self.directions.iter().map(|d| R.rotate(*d)).collect(),
            faces: self.faces.iter().map(|(n, c)| (R.rotate(*n), c.clone())).collect(),
        }
    }

    fn span(&self, n: Vec3) -> (f64, f64) {
        let heights = self.corners.iter().map(|p| p.dot(n));
        heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), h| (lo.min(h), hi.max(h)))
    }

    /// How far p is outside, over the planes of the faces [m].
    pub(crate) fn outside(&self, p: Vec3) -> f64 {
        self.faces.iter().map(|(n, c)| n.dot(p - self.corners[c[0]])).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// s(n), for both signs of n: the larger and its axis.
pub(crate) fn separation(a: &Solid, b: &Solid, n: Vec3) -> (f64, Vec3) {
    let ((a_lo, a_hi), (b_lo, b_hi)) = (a.span(n), b.span(n));
    if b_lo - a_hi >= a_lo - b_hi { (b_lo - a_hi, n) } else { (a_lo - b_hi, -n) }
}

pub(crate) fn signed_distance(a: &Solid, b: &Solid) -> Witness {
    let mut best = Witness { distance: f64::NEG_INFINITY, normal: Vec3::Z, runner_up: f64::NEG_INFINITY };
    let mut consider = |n: Vec3| {
        let (s, n) = separation(a, b, n);
        let same = n.cross(best.normal).norm() < 1e-7 && n.dot(best.normal) > 0.0;
        if s > best.distance {
            let runner_up = if same { best.runner_up } else { best.distance };
            best = Witness { distance: s, normal: n, runner_up };
        } else if !same {
            best.runner_up = best.runner_up.max(s);
        }
    };
    a.faces.iter().chain(&b.faces).for_each(|(n, _)| consider(*n));
    for u in &a.directions {
        for v in &b.directions {
            let n = u.cross(*v);
            if n.norm_squared() > 1e-16 {
                consider(n * (1.0 / n.norm()));
            }
        }
    }
    if best.distance <= 0.0 { best } else { apart(a, b) }
}

/// Distance of separated solids: the shortest way between corners and faces and between edges.
fn apart(a: &Solid, b: &Solid) -> Witness {
    let mut shortest = vec3(f64::INFINITY, 0.0, 0.0);
    let mut consider = |d: Vec3| {
        if d.norm_squared() < shortest.norm_squared() {
            shortest = d;
        }
    };
    for (solid, other, sign) in [(a, b, 1.0), (b, a, -1.0)] {
        for p in &solid.corners {
            for (n, around) in &other.faces {
                let height = n.dot(*p - other.corners[around[0]]);
                let foot = *p - *n * height;
                let corner = |k: usize| other.corners[around[k % around.len()]];
                let side = |k: usize| n.dot((corner(k + 1) - corner(k)).cross(foot - corner(k)));
                let inside = (0..around.len()).all(|k| side(k) >= 0.0);
                let turned = (0..around.len()).all(|k| side(k) <= 0.0);
                if height > 0.0 && (inside || turned) {
                    consider((foot - *p) * sign);
                }
            }
        }
    }
    for &[i, j] in &a.edges {
        for &[k, l] in &b.edges {
            consider(between_segments(a.corners[i], a.corners[j], b.corners[k], b.corners[l]));
        }
    }
    let distance = shortest.norm();
    Witness { distance, normal: shortest * (1.0 / distance), runner_up: f64::NEG_INFINITY }
}

/// The shortest vector from segment pq to segment rs: of the lines' if that lies in both, else from
/// an end of one to the other.
fn between_segments(p: Vec3, q: Vec3, r: Vec3, s: Vec3) -> Vec3 {
    let (u, v, w) = (q - p, s - r, p - r);
    let (a, b, c, d, e) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let det = a * c - b * b;
    let (x, y) = ((b * e - c * d) / det, (a * e - b * d) / det);
    if det > 1e-14 * a * c && (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y) {
        return r + v * y - p - u * x;
    }
    let to_segment = |p: Vec3, r: Vec3, v: Vec3| r + v * (v.dot(p - r) / v.dot(v)).clamp(0.0, 1.0) - p;
    let ways = [to_segment(p, r, v), to_segment(q, r, v), -to_segment(r, p, u), -to_segment(s, p, u)];
    ways.into_iter().min_by(|x, y| x.norm_squared().total_cmp(&y.norm_squared())).unwrap()
}
