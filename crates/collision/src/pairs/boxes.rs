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
use crate::frame::Frame;
use crate::manifold::Manifold;
use crate::patch::{Patch, box_face};
use crate::shape::Shape;
use stiction_dynamics::spatial::{Mat3, Vec3, vec3};

/// Relative to the size of the smaller box: by how much (2) must beat (1), and (3) both, so that
/// the normal of parallel boxes is not decided by rounding.
const PREFER: f64 = 1e-8;
/// Squared sine below which two edges are parallel and (3) is no axis of its own.
const PARALLEL: f64 = 1e-12;

/// Relative to the size: the overlap has lost the deepest point; the axis is not that of the distance.
const LOST: f64 = 1e-6;
const EXACT: f64 = 1e-10;

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
    // Of two overlapping boxes, the middle of the supports is at most a face away from the truth;
    // it is used when rounding has lost the overlap.
    let middle = (patch_a.corners()[0].p + patch_b.corners()[0].p) * 0.5;
    let closest = Closest { normal, distance, middle };
    let missing = meet::<4, 8>(&patch_a, &patch_b, (0.0, 0.0), closest, size, margin, out);
    let touching = distance <= 0.0;
    if missing > if touching { LOST } else { EXACT } * size {
        out.clear();
        general::collide(a, A, b, B, margin, out);
    }
}

/// The axis of the largest separation, in W from A to B, and its value; `None` beyond `margin`.
fn best_axis(A: &Frame, a: Vec3, B: &Frame, b: Vec3, prefer: f64, margin: f64) -> Option<(Vec3, f64)> {
    let R = A.R.transpose() * B.R;
    let t = A.inverse_point(B.origin);
    let size = |r: Vec3| vec3(r.x.abs(), r.y.abs(), r.z.abs());
    let Q = Mat3 { rows: R.rows.map(size) };
    let t_B = R.transpose_mul(t);

    let (mut s, mut axis) = (f64::NEG_INFINITY, Vec3::X); // axis in A
    for i in 0..3 {
        let s_i = t[i].abs() - a[i] - Q.rows[i].dot(b); // (1)
        if s_i > margin {
            return None;
        }
        if s_i > s + prefer {
            (s, axis) = (s_i, [Vec3::X, Vec3::Y, Vec3::Z][i]);
        }
    }
    for j in 0..3 {
        let s_j = t_B[j].abs() - b[j] - Q.column(j).dot(a); // (2)
        if s_j > margin {
            return None;
        }
        if s_j > s + prefer {
            (s, axis) = (s_j, R.column(j));
        }
    }
    for i in 0..3 {
        let (k, l) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (m, n) = ((j + 1) % 3, (j + 2) % 3);
            // l = eᵢ × Rⱼ has the components 0, −R_lj, R_kj at i, k, l.
            let (l_k, l_l) = (-R.rows[l][j], R.rows[k][j]);
            let sine2 = l_k * l_k + l_l * l_l;
            if sine2 < PARALLEL {
                continue;
            }
            let reach_a = a[k] * Q.rows[l][j] + a[l] * Q.rows[k][j];
            let reach_b = b[m] * Q.rows[i][n] + b[n] * Q.rows[i][m];
            let raw = (t[k] * l_k + t[l] * l_l).abs() - reach_a - reach_b;
            // The root is needed only if this axis may win.
            let level = s + prefer;
            if raw > 0.0 || level < 0.0 && raw * raw < level * level * sine2 {
                let scale = 1.0 / sine2.sqrt();
                let s_ij = raw * scale; // (3)
                if s_ij > margin {
                    return None;
                }
                if s_ij > level {
                    let mut e = Vec3::ZERO;
                    e[k] = l_k * scale;
                    e[l] = l_l * scale;
                    (s, axis) = (s_ij, e);
                }
            }
        }
    }
    let outward = if axis.dot(t) < 0.0 { -axis } else { axis };
    Some((A.direction(outward), s))
}
