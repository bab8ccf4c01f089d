//! Points of one face: what two bodies touch each other with in one plane.
//!
//! Two rigid bodies that stick at several points do so by one motion, of three numbers across the normal n and three
//! about it. That the velocities wanted at the points belong to one such motion is asked of where they stand, and of
//! their gaps. Points p_i and p_j at different heights along n, as between faces that are not yet parallel, whose gaps
//! φ are both to close, contradict each other by n·(p_i − p_j) (φ_i − φ_j)/h; so do gaps of which some count and some
//! do not. What little that is, friction can only answer by impulses that press the points against each other, up to
//! the edge of their cones, and otherwise in the next step. Points of one face therefore stand in one plane across n,
//! that of the deepest, unless they are all near it anyway, and their gaps count from its (see (3) of
//! [`crate::laws::gap`]): of a face that is flat, these are what one motion closes.
//!
//! Points are of one face if they belong to the same two bodies and have the same normal, and differ in height by no more
//! than the larger of their gaps: they are moved no farther than the surfaces are apart. What yields is left alone.

use crate::contact_point::ContactPoint;
use crate::laws::coplanar::{FacePoint, Plane};

/// Positions are those of 64-bit numbers.
const COARSENESS: f64 = 1.0;

/// The point, as far as faces are concerned.
#[inline]
fn point(p: &ContactPoint) -> FacePoint {
    FacePoint { position: p.position, n: p.n, gap: p.gap }
}

/// True if the points, of the same two bodies, are of one face, and neither yields.
#[inline]
fn of_one_face(p: &ContactPoint, q: &ContactPoint) -> bool {
    p.spring.is_none() && q.spring.is_none() && point(q).is_of_face_of(&point(p), COARSENESS)
}

/// Puts the points of every face in one plane, and notes what they share. `firsts` is scratch.
pub fn flatten(points: &mut [ContactPoint], firsts: &mut Vec<usize>) {
    for run in points.chunk_by_mut(|p, q| p.bodies == q.bodies) {
        if run.len() > 1 {
            flatten_run(run, firsts);
        }
    }
}

/// Flattens the faces of points of the same two bodies.
fn flatten_run(points: &mut [ContactPoint], firsts: &mut Vec<usize>) {
    if let [first, others @ ..] = &*points
        && others.iter().all(|p| of_one_face(first, p))
    {
        return flatten_face(points, 0, |_| true);
    }
    // The first point of the face that each is of.
    firsts.clear();
    for (k, point) in points.iter().enumerate() {
        let same = |&j: &usize| firsts[j] == j && of_one_face(&points[j], point);
        firsts.push((0..k).find(same).unwrap_or(k));
    }
    for first in (0..points.len()).filter(|&k| firsts[k] == k) {
        flatten_face(points, first, |k| firsts[k] == first);
    }
}

/// Flattens the face of the points that are `of_face`; the first of these is `first`.
#[inline]
fn flatten_face(points: &mut [ContactPoint], first: usize, of_face: impl Fn(usize) -> bool) {
    let mut plane = Plane::new(&point(&points[first]));
    for (k, p) in points.iter().enumerate() {
        plane.deepen(&point(p), of_face(k));
    }
    for (k, p) in points.iter().enumerate() {
        plane.widen(&point(p), of_face(k), COARSENESS);
    }
    for (_, p) in points.iter_mut().enumerate().filter(|(k, _)| of_face(*k)) {
        p.position = plane.flattened(&point(p), true);
        p.face = plane.face;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::coplanar::{Face, NEAR};
    use crate::laws::yielding::Spring;
    use stiction_dynamics::spatial::{Quat, Vec3, vec3};

    /// Points midway between the corners of a slab, turned by `turn`, and the plane under it.
    fn corners(turn: Quat, height: f64) -> Vec<ContactPoint> {
        let corner = |x: f64, y: f64| {
            let corner = turn.rotate(vec3(x, y, 0.0)) + vec3(0.0, 0.0, height);
            let gap = corner.z;
            ContactPoint {
                geometries: [0, 1],
                bodies: [None, Some(0)],
                feature: 0,
                position: vec3(corner.x, corner.y, 0.5 * gap),
                t1: Vec3::X,
                t2: Vec3::Y,
                n: Vec3::Z,
                gap,
                face: Face::of_one(gap),
                friction: 0.5,
                restitution: 0.0,
                bounce_depth: 0.0,
                stretch: [1.0; 2],
                turning: [0.0; 3],
                spring: None,
                patch: None,
                static_friction: None,
                redundant: false,
            }
        };
        [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]].map(|[x, y]| corner(x, y)).to_vec()
    }

    /// How far the velocities that close the gaps of two points are from those of one motion [m²/s], h = 1 s.
    fn contradiction(points: &[ContactPoint]) -> f64 {
        let wanted = |p: &ContactPoint| p.n * (p.face.deepest - p.gap);
        let pairs = points.iter().flat_map(|p| points.iter().map(move |q| (p, q)));
        pairs.map(|(p, q)| (p.position - q.position).dot(wanted(p) - wanted(q)).abs()).fold(0.0, f64::max)
    }

    /// What one motion closes: the distances of the points do not change.
    #[test]
    fn a_flat_face_closes_by_one_motion() {
        let mut points = corners(Quat::from_rpy(0.02, 0.05, 0.3), 0.01);
        points.iter_mut().for_each(|p| p.face.deepest = 0.0);
        assert!(contradiction(&points) > 1e-5);
        let before = points.clone();
        flatten(&mut points, &mut Vec::new());
        assert!(contradiction(&points) < 1e-17);
        let least = before.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
        for (p, was) in points.iter().zip(&before) {
            assert_eq!((p.gap, p.face.deepest), (was.gap, least));
            // It has moved along the normal, and is still between the surfaces.
            assert!((p.position - was.position).cross(p.n).norm() == 0.0);
            assert!(p.position.z >= 0.0 && p.position.z <= p.gap);
        }
    }

    /// Two steps of a stair, whose points come in turn, are two faces, and each is flat.
    #[test]
    fn steps_of_a_stair_are_faces_of_their_own() {
        let mut points = corners(Quat::from_rpy(0.02, 0.05, 0.3), 0.02);
        [0, 2].into_iter().for_each(|k| points[k].position.z -= 0.2);
        let before = points.clone();
        flatten(&mut points, &mut Vec::new());
        for step in [[0, 2], [1, 3]] {
            let least = before[step[0]].gap.min(before[step[1]].gap);
            let [p, q] = step.map(|k| &points[k]);
            assert!((p.position.z - q.position.z).abs() < 1e-17);
            assert_eq!([p.face.deepest, q.face.deepest], [least; 2]);
        }
        assert!(points[1].position.z - points[0].position.z > 0.19);
    }

    /// Of those near the deepest the farthest says what the face spreads by; where all are near it nothing moves.
    #[test]
    fn only_what_is_near_spreads() {
        let mut points = corners(Quat::from_rpy(0.0, 0.0, 0.0), 1e-3);
        for (p, more) in points.iter_mut().zip([0.0, 0.2, 0.9, 50.0]) {
            p.gap += more * NEAR;
            p.position.z = 0.5 * p.gap;
        }
        let before = points.clone();
        flatten(&mut points, &mut Vec::new());
        assert!(points.iter().all(|p| (p.face.spread - 0.9 * NEAR).abs() < 1e-15));
        assert!(points.iter().all(|p| (p.position.z - before[0].position.z).abs() < 1e-18));
        let mut points = before[..3].to_vec();
        flatten(&mut points, &mut Vec::new());
        assert!(points.iter().zip(&before).all(|(p, was)| p.position == was.position));
        assert!(points.iter().all(|p| (p.face.spread - 0.9 * NEAR).abs() < 1e-15));
    }

    /// Other heights, other normals, other bodies and what yields are no part of the face.
    #[test]
    fn what_is_elsewhere_stays() {
        let mut points = corners(Quat::from_rpy(0.0, 1e-3, 0.0), 1e-3);
        points[0].position.z -= 0.2;
        points[2].n = vec3(1e-6, 0.0, 1.0);
        points[3].bodies[0] = Some(7);
        let before = points.clone();
        flatten(&mut points, &mut Vec::new());
        for (p, was) in points.iter().zip(&before) {
            assert_eq!((p.position, p.face), (was.position, was.face));
        }
        let mut points = corners(Quat::from_rpy(0.0, 1e-3, 0.0), 1e-3);
        let spring = Spring { stiffness: 1e4, relaxation: 0.0, dissipation: 0.0 };
        points.iter_mut().for_each(|p| p.spring = Some(spring));
        let before = points[0].position;
        flatten(&mut points, &mut Vec::new());
        assert_eq!(points[0].position, before);
    }
}
