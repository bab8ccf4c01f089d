//! Moving on the configuration manifold: q ⊕ h v and its inverse.
//!
//! ```text
//!     scalar joints: q + h v                                            (1)
//!     ball:          q · exp(h ω),   ω in body axes                     (2)
//!     free:          p + h v_lin, in world axes, and (2)                (3)
//! ```
//!
//! and the rates of the coordinates themselves, for methods that add them up:
//!
//! ```text
//!     q̇ = v of scalar joints, ½ q (0, ω) of quaternions                 (4)
//! ```
//!
//! exp is exact for constant ω; quaternions are renormalised at every step, so that they do not
//! drift off the unit sphere.

use crate::model::{JointKind, Model};
use crate::real::Real;
use crate::spatial::{Quat, Vec3, vec3};
use std::ops::Range;

/// q_next = q ⊕ h v; h in seconds.
#[inline(always)]
pub fn integrate_into<T: Real>(model: &Model<T>, q: &[T], v: &[T], h: T, q_next: &mut [T]) {
    integrate_joints_into(model, 0..model.joints.len(), q, v, h, q_next);
}

/// Integrates as [`integrate_into`] does, but only some joints; the coordinates of others stay as they are in
/// `q_next`.
#[inline(always)]
pub fn integrate_joints_into<T: Real>(
    model: &Model<T>,
    joints: Range<usize>,
    q: &[T],
    v: &[T],
    h: T,
    q_next: &mut [T],
) {
    assert_eq!((q.len(), q_next.len()), (model.nq, model.nq), "q has nq coordinates");
    assert_eq!(v.len(), model.nv(), "v has nv coordinates");
    for joint in &model.joints[joints] {
        let (q, v) = (&q[joint.idx_q..], &v[joint.idx_v..]);
        let next = &mut q_next[joint.idx_q..];
        match joint.kind {
            JointKind::Hinge | JointKind::Slide | JointKind::Screw => next[0] = q[0] + v[0] * h,
            JointKind::Ball => turn(q, v, h, next),
            JointKind::Free => {
                for k in 0..3 {
                    next[k] = q[k] + v[k] * h;
                }
                turn(&q[3..], &v[3..], h, &mut next[3..]);
            }
        }
    }
}

/// (4): `q_dot` has nq numbers.
#[inline(always)]
pub fn rates_into<T: Real>(model: &Model<T>, q: &[T], v: &[T], q_dot: &mut [T]) {
    assert_eq!((q.len(), q_dot.len()), (model.nq, model.nq), "q has nq coordinates");
    assert_eq!(v.len(), model.nv(), "v has nv coordinates");
    for joint in &model.joints {
        let (q, v) = (&q[joint.idx_q..], &v[joint.idx_v..]);
        let out = &mut q_dot[joint.idx_q..];
        match joint.kind {
            JointKind::Hinge | JointKind::Slide | JointKind::Screw => out[0] = v[0],
            JointKind::Ball => spin(q, v, out),
            JointKind::Free => {
                out[..3].copy_from_slice(&v[..3]);
                spin(&q[3..], &v[3..], &mut out[3..]);
            }
        }
    }
}

/// The v that takes q0 to q1 in the time h: q1 = q0 ⊕ h v, turning less than half a turn.
pub fn difference_into<T: Real>(model: &Model<T>, q0: &[T], q1: &[T], h: T, v: &mut [T]) {
    assert_eq!((q0.len(), q1.len()), (model.nq, model.nq), "q has nq coordinates");
    assert_eq!(v.len(), model.nv(), "v has nv coordinates");
    for joint in &model.joints {
        let (q0, q1) = (&q0[joint.idx_q..], &q1[joint.idx_q..]);
        let v = &mut v[joint.idx_v..];
        match joint.kind {
            JointKind::Hinge | JointKind::Slide | JointKind::Screw => v[0] = (q1[0] - q0[0]) / h,
            JointKind::Ball => unturn(q0, q1, h, v),
            JointKind::Free => {
                for k in 0..3 {
                    v[k] = (q1[k] - q0[k]) / h;
                }
                unturn(&q0[3..], &q1[3..], h, &mut v[3..]);
            }
        }
    }
}

/// Makes every quaternion of `q` unit; a zero one becomes NaN.
pub fn normalize<T: Real>(model: &Model<T>, q: &mut [T]) {
    assert_eq!(q.len(), model.nq, "q has nq coordinates");
    for joint in &model.joints {
        match joint.kind {
            JointKind::Hinge | JointKind::Slide | JointKind::Screw => {}
            JointKind::Ball => {
                let x = read(&q[joint.idx_q..]).renormalized();
                write(x, &mut q[joint.idx_q..]);
            }
            JointKind::Free => {
                let x = read(&q[joint.idx_q + 3..]).renormalized();
                write(x, &mut q[joint.idx_q + 3..]);
            }
        }
    }
}

/// Turns a unit quaternion by (2).
#[inline(always)]
fn turn<T: Real>(q: &[T], w: &[T], h: T, next: &mut [T]) {
    let step = Quat::exp(vec3(w[0], w[1], w[2]) * h);
    write((read(q) * step).renormalized(), next);
}

/// (4) of a quaternion.
#[inline(always)]
fn spin<T: Real>(q: &[T], w: &[T], q_dot: &mut [T]) {
    let half = q[0].like(0.5);
    let turn = Quat { w: w[0].zero(), x: w[0] * half, y: w[1] * half, z: w[2] * half };
    write(read(q) * turn, q_dot);
}

/// ω = log(q0⁻¹ q1) / h, lane by lane.
fn unturn<T: Real>(q0: &[T], q1: &[T], h: T, w: &mut [T]) {
    let turn = read(q0).renormalized().conjugate() * read(q1).renormalized();
    let mut r = Vec3::zero(h);
    for l in 0..T::LANES {
        let log = Quat::new(turn.w.lane(l), turn.x.lane(l), turn.y.lane(l), turn.z.lane(l)).log();
        r = vec3(r.x.with_lane(l, log.x), r.y.with_lane(l, log.y), r.z.with_lane(l, log.z));
    }
    (w[0], w[1], w[2]) = (r.x / h, r.y / h, r.z / h);
}

#[inline(always)]
fn read<T: Real>(q: &[T]) -> Quat<T> {
    Quat { w: q[0], x: q[1], y: q[2], z: q[3] }
}

#[inline(always)]
fn write<T: Real>(x: Quat<T>, q: &mut [T]) {
    (q[0], q[1], q[2], q[3]) = (x.w, x.x, x.y, x.z);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    #[test]
    fn difference_undoes_integrate() {
        let model = random_trees(60, 20);
        let (q, v) = random_state(&model, 60);
        for h in [1e-3, 0.5, -0.2] {
            let mut back = vec![0.0; model.nv()];
            difference_into(&model, &q, &moved(&model, &q, &v, h), h, &mut back);
            assert_close(&back, &v, 1e-15 / f64::abs(h) + 1e-14);
        }
    }

    /// Ten thousand steps turn the quaternion but do not stretch it; a constant ω is exact.
    #[test]
    fn quaternions_stay_unit() {
        let (model, h) = (free_body(), 1e-3);
        let v = [1.0, -2.0, 0.5, 3.0, -4.0, 5.0];
        let q0 = moved(&model, &model.neutral(), &v, 0.3);
        let mut q = q0.clone();
        for _ in 0..10_000 {
            q = moved(&model, &q, &v, h);
        }
        assert!((dot(&q[3..], &q[3..]) - 1.0).abs() < 1e-15);
        let direct = moved(&model, &q0, &v, 10.0);
        let same = dot(&q[3..], &direct[3..]).signum();
        assert_close(&q[3..], &direct[3..].iter().map(|x| x * same).collect::<Vec<_>>(), 1e-12);
    }

    /// q ⊕ h v and q ⊕ −h v differ by 2 h q̇.
    #[test]
    fn rates_are_those_of_the_coordinates() {
        let (model, h) = (random_trees(62, 16), 1e-5);
        let (q, v) = random_state(&model, 62);
        let mut rates = vec![0.0; model.nq];
        rates_into(&model, &q, &v, &mut rates);
        let (ahead, behind) = (moved(&model, &q, &v, h), moved(&model, &q, &v, -h));
        let slope: Vec<f64> = ahead.iter().zip(&behind).map(|(a, b)| (a - b) * (0.5 / h)).collect();
        assert_close(&rates, &slope, 1e-8);
    }

    #[test]
    fn normalize_touches_quaternions_only() {
        let model = random_trees(61, 12);
        let (q, _) = random_state(&model, 61);
        let mut scaled = q.clone();
        for j in &model.joints {
            let at = match j.kind {
                JointKind::Ball => j.idx_q,
                JointKind::Free => j.idx_q + 3,
                _ => continue,
            };
            scaled[at..at + 4].iter_mut().for_each(|x| *x *= 1.7);
        }
        normalize(&model, &mut scaled);
        assert_close(&scaled, &q, 1e-15);
    }
}
