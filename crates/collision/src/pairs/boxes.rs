//! Two boxes: the separating axis theorem, then the overlap of the facing faces.
//!
//! Between two boxes with half sides a, b, R = R_AB and t = p_AB, the separation s(n) has its
//! largest value, if that is negative, at one of 15 axes [Gottschalk1996]:
//!
//! ```text
//!     aᵢ:        |tᵢ| − aᵢ − Σⱼ |Rᵢⱼ| bⱼ                                        (1)
//!     bⱼ:        |t·Rⱼ| − bⱼ − Σᵢ |Rᵢⱼ| aᵢ                                      (2)
//!     aᵢ × bⱼ:   (|t·l| − Σ aₖ|lₖ| − Σ bₖ|l·Rₖ|) / ‖l‖,  l = eᵢ × Rⱼ           (3)
//! ```
//!
//! A positive value is a lower bound of the distance, exact when the facing features are a face
//! and a corner or two edges, which shows in the overlap; else GJK decides.

use super::general;
use super::meet::{Closest, meet};
use super::witness::middle;
use crate::frame::Frame;
use crate::manifold::Manifold;
use crate::patch::{Patch, box_face};
use crate::shape::Shape;
use stiction_dynamics::spatial::{Vec3, vec3};

/// Relative to the size of the smaller box: by how much (2) must beat (1), and (3) both, so that
/// the normal of parallel boxes is not decided by rounding.
const PREFER: f64 = 1e-10;
/// Squared sine below which two edges are parallel and (3) is no axis of its own.
const PARALLEL: f64 = 1e-12;

/// Relative to the size: beyond this the overlap has lost the deepest point, and the axis is not that of the distance.
const EXACT: f64 = 5e-10;

/// A and B are boxes.
pub(crate) fn boxes(
    (a, A): (&Shape, &Frame),
    (b, B): (&Shape, &Frame),
    halves: (Vec3, Vec3),
    margin: f64,
    out: &mut Manifold,
) {
    let size = halves.0.norm().min(halves.1.norm());
    let Some((normal, distance)) = best_axis(A, halves.0, B, halves.1, PREFER * size, margin) else { return };
    let patch_a: Patch<4> = box_face(halves.0, A, A.inverse_direction(normal));
    let patch_b: Patch<4> = box_face(halves.1, B, B.inverse_direction(-normal));
    let closest = Closest { normal, distance, middle: None };
    let middle = || middle((a, A), (b, B), normal);
    let missing = meet::<4, 8>(&patch_a, &patch_b, (0.0, 0.0), (closest, middle), size, margin, out);
    if missing > EXACT * size {
        out.clear();
        general::collide(a, A, b, B, margin, out);
    }
}

/// The axis of the largest separation, in W from A to B, and its value; `None` beyond `margin`.
fn best_axis(A: &Frame, a: Vec3, B: &Frame, b: Vec3, prefer: f64, margin: f64) -> Option<(Vec3, f64)> {
    let (R, t) = (A.R.transpose() * B.R, A.inverse_point(B.origin));
    let rows = R.rows.map(Vec3::to_array);
    let boxes = Boxes {
        a: a.to_array(),
        b: b.to_array(),
        Q: rows.map(|row| row.map(f64::abs)),
        R: rows,
        t: t.to_array(),
        prefer,
        margin,
    };
    let t_B = R.transpose_mul(t).to_array();

    let (mut s, mut axis) = (f64::NEG_INFINITY, Vec3::X); // axis in A
    for i in 0..3 {
        let reach = boxes.Q[i][0] * b.x + boxes.Q[i][1] * b.y + boxes.Q[i][2] * b.z;
        let s_i = boxes.t[i].abs() - boxes.a[i] - reach; // (1)
        if s_i > margin {
            return None;
        }
        if s_i > s + prefer {
            (s, axis) = (s_i, [Vec3::X, Vec3::Y, Vec3::Z][i]);
        }
    }
    for j in 0..3 {
        let reach = boxes.Q[0][j] * a.x + boxes.Q[1][j] * a.y + boxes.Q[2][j] * a.z;
        let s_j = t_B[j].abs() - boxes.b[j] - reach; // (2)
        if s_j > margin {
            return None;
        }
        if s_j > s + prefer {
            (s, axis) = (s_j, vec3(rows[0][j], rows[1][j], rows[2][j]));
        }
    }
    let best = &mut (s, axis);
    // One by one: the compiler is told the indices.
    boxes.cross::<0, 0>(best)?;
    boxes.cross::<0, 1>(best)?;
    boxes.cross::<0, 2>(best)?;
    boxes.cross::<1, 0>(best)?;
    boxes.cross::<1, 1>(best)?;
    boxes.cross::<1, 2>(best)?;
    boxes.cross::<2, 0>(best)?;
    boxes.cross::<2, 1>(best)?;
    boxes.cross::<2, 2>(best)?;
    let (s, axis) = *best;
    let outward = if axis.dot(t) < 0.0 { -axis } else { axis };
    Some((A.direction(outward), s))
}

/// Two boxes as (1) to (3) have them; Q is |R|.
struct Boxes {
    a: [f64; 3],
    b: [f64; 3],
    R: [[f64; 3]; 3],
    Q: [[f64; 3]; 3],
    t: [f64; 3],
    prefer: f64,
    margin: f64,
}

impl Boxes {
    /// (3) for i = I, j = J; `None` beyond the margin.
    #[inline(always)]
    fn cross<const I: usize, const J: usize>(&self, (s, axis): &mut (f64, Vec3)) -> Option<()> {
        let Self { a, b, R, Q, t, .. } = self;
        let (k, l, m, n) = ((I + 1) % 3, (I + 2) % 3, (J + 1) % 3, (J + 2) % 3);
        // l = eᵢ × Rⱼ has the components 0, −R_lj, R_kj at i, k, l.
        let (l_k, l_l) = (-R[l][J], R[k][J]);
        let sine2 = l_k * l_k + l_l * l_l;
        if sine2 < PARALLEL {
            return Some(());
        }
        let reach_a = a[k] * Q[l][J] + a[l] * Q[k][J];
        let reach_b = b[m] * Q[I][n] + b[n] * Q[I][m];
        let raw = (t[k] * l_k + t[l] * l_l).abs() - reach_a - reach_b;
        // The root is needed only if this axis may win.
        let level = *s + self.prefer;
        if raw > 0.0 || level < 0.0 && raw * raw < level * level * sine2 {
            let scale = 1.0 / sine2.sqrt();
            let s_ij = raw * scale; // (3)
            if s_ij > self.margin {
                return None;
            }
            if s_ij > level {
                let mut e = [0.0; 3];
                (e[k], e[l]) = (l_k * scale, l_l * scale);
                (*s, *axis) = (s_ij, e.into());
            }
        }
        Some(())
    }
}
