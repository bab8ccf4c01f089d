//! Where the bodies are, and how each dof moves them.
//!
//! Everything is in world axes, about one point O per tree: the place, at this instant, of the
//! origin of the tree's root body. In that common frame the algorithms need no transforms, and a
//! joint is nothing but its columns S [Jain2010, ch. 5; Featherstone2008, ch. 4]:
//!
//! ```text
//!     R_WB = R_WP R_PB(q)        p_OB = p_OP + R_WP p_PB(q)             (1)
//!     rotation about axis a through point c:  S = (a, (c − O) × a)      (2)
//!     translation along a:                    S = (0, a)                (3)
//!     screw of pitch p:                       S = (a, (c − O) × a + p a) (4)
//!     V_B = Σ_{i moves B} S_i v_i,  velocity of the body-fixed point now at O
//! ```
//!
//! Positions are kept relative to O and the world position of O is added last: a robot far from
//! the world origin has the same mass matrix, to the last digits, as one at the origin.
//!
//! Ball and free quaternions are normalised here; a zero one gives NaN. Units: m, rad. Cost
//! O(nb + nv), no allocation in [`Poses::update`].

use crate::model::{Body, JointKind, Model};
use crate::real::Real;
use crate::selection::Selection;
use crate::spatial::{Mat3, Motion, Pose, Quat, Vec3, vec3};
use crate::topology::Topology;
use std::ops::Range;

/// Positions of a model: who holds one has run [`Self::update`].
///
/// Geometry is copied from the model by [`Self::new`]: after changing a model, make a new one.
/// [`crate::Kinematics`] has the inertias too.
#[derive(Clone, Debug)]
pub struct Poses<T = f64> {
    /// Per body.
    pub X_WB: Vec<Pose<T>>,
    /// Per body: the rotation of `X_WB`.
    pub R_WB: Vec<Mat3<T>>,
    /// Per dof: motion per unit v, world axes, about the tree's reference point.
    pub S: Vec<Motion<T>>,
    /// Per tree: the reference point O in W [m].
    pub reference: Vec<Vec3<T>>,
    /// Per body: origin from the tree's reference point, world axes [m].
    pub(crate) p_OB: Vec<Vec3<T>>,
    pub(crate) topology: Topology,
    pub(crate) selection: Selection,
    joints: Joints<T>,
}

/// The joints, prepared.
#[derive(Clone, Debug)]
struct Joints<T> {
    /// Per body.
    places: Vec<Place>,
    steps: Vec<Step<T>>,
    /// Per tree: where the origin of its root is with the joints at reference, in W.
    base: Vec<Vec3<T>>,
    hinges: Hinges<T>,
    /// Dof and pitch of every screw.
    screws: Vec<(usize, T)>,
}

/// The turns of all hinges and screws, whose sines and cosines are best computed together.
#[derive(Clone, Debug)]
struct Hinges<T> {
    /// Per hinge or screw: coordinate in q, and its value at reference.
    coordinate: Vec<(usize, T)>,
    /// Per hinge: ½ (q − reference), its sine and cosine. Plain numbers are padded to whole fours.
    half: Vec<T>,
    sin: Vec<T>,
    cos: Vec<T>,
}

/// Where a body is in the tree, side by side for the loop.
#[derive(Clone, Copy, Debug)]
struct Place {
    parent: Option<usize>,
    tree: usize,
    /// First step of the body.
    first: usize,
    /// It has a parent, and one hinge through its origin.
    simple: bool,
}

/// A joint, prepared: from frame A (the parent, or what the body's earlier joints made of it) to
/// B. Constant rotation and translation of the body are folded into its first joint.
#[derive(Clone, Debug)]
struct Step<T> {
    kind: JointKind,
    idx_q: usize,
    idx_v: usize,
    /// Number among all hinges and screws, if the step is one.
    hinge: usize,
    reference: T,
    /// Travel per angle of a screw [m/rad].
    pitch: T,
    /// R_AB with the joint at its reference.
    rest: Quat<T>,
    /// `rest` times the pure quaternion of the axis: a hinge is cos(½q) rest + sin(½q) swing.
    swing: Quat<T>,
    /// A point of the axis, in A (of a root: from `base`).
    anchor_A: Vec3<T>,
    axis_A: Vec3<T>,
    anchor_B: Vec3<T>,
    axis_B: Vec3<T>,
    /// False when `anchor_B` is zero: the origin of B lies on the axis.
    offset: bool,
}

/// The frame reached so far along a body's joints.
#[derive(Clone, Copy)]
struct Frame<T> {
    quat: Quat<T>,
    R: Mat3<T>,
    p: Vec3<T>,
}

/// The arrays of [`Poses`] as slices: those per body have one length, checked once.
struct Slices<'a, T> {
    X_WB: &'a mut [Pose<T>],
    R_WB: &'a mut [Mat3<T>],
    p_OB: &'a mut [Vec3<T>],
    S: &'a mut [Motion<T>],
    reference: &'a mut [Vec3<T>],
}

impl<T: Real> Poses<T> {
    /// At the neutral configuration.
    pub fn new(model: &Model<T>) -> Self {
        let kind = model.kind();
        let (nb, zero) = (model.bodies.len(), Vec3::zero(kind));
        let mut steps = Vec::with_capacity(model.joints.len());
        let (mut coordinate, mut screws) = (Vec::new(), Vec::new());
        for body in &model.bodies {
            for joint in &model.joints[body.joints.clone()] {
                let first = steps.len() == body.joints.start;
                let rest = if first { body.X_PB.rotation } else { Quat::identity(kind) };
                let p = if first && body.parent.is_some() { body.X_PB.translation } else { zero };
                let a = joint.axis;
                steps.push(Step {
                    kind: joint.kind,
                    idx_q: joint.idx_q,
                    idx_v: joint.idx_v,
                    hinge: coordinate.len(),
                    reference: joint.reference,
                    pitch: joint.pitch,
                    rest,
                    swing: rest * Quat { w: kind.zero(), x: a.x, y: a.y, z: a.z },
                    anchor_A: p + rest.rotate(joint.anchor),
                    axis_A: rest.rotate(a),
                    anchor_B: joint.anchor,
                    axis_B: a,
                    offset: (0..T::LANES).any(|l| joint.anchor.norm_squared().lane(l) != 0.0),
                });
                if matches!(joint.kind, JointKind::Hinge | JointKind::Screw) {
                    coordinate.push((joint.idx_q, joint.reference));
                }
                if joint.kind == JointKind::Screw {
                    screws.push((joint.idx_v, joint.pitch));
                }
            }
        }
        let place = |b: &Body<T>| Place {
            parent: b.parent,
            tree: b.tree,
            first: b.joints.start,
            simple: b.parent.is_some()
                && matches!(&steps[b.joints.clone()], [Step { kind: JointKind::Hinge, offset: false, .. }]),
        };
        let padded = coordinate.len().next_multiple_of(if T::LANES == 1 { 4 } else { 1 });
        let joints = Joints {
            places: model.bodies.iter().map(place).collect(),
            base: (model.bodies.iter()).filter(|b| b.parent.is_none()).map(|b| b.X_PB.translation).collect(),
            hinges: Hinges {
                half: vec![kind; padded],
                sin: vec![kind; padded],
                cos: vec![kind; padded],
                coordinate,
            },
            screws,
            steps,
        };
        let mut poses = Self {
            X_WB: vec![Pose::identity(kind); nb],
            R_WB: vec![Quat::identity(kind).to_matrix(); nb],
            S: vec![Motion::zero(kind); model.nv()],
            reference: vec![zero; model.trees],
            p_OB: vec![zero; nb],
            topology: Topology::new(model),
            selection: Selection::all(nb, model.nv(), model.joints.len(), model.trees),
            joints,
        };
        poses.update(model, &model.neutral());
        poses
    }

    /// Moves to the configuration `q` (length nq).
    #[inline(always)]
    pub fn update(&mut self, model: &Model<T>, q: &[T]) {
        assert_eq!(q.len(), model.nq, "q has nq coordinates");
        assert_eq!(self.X_WB.len(), model.bodies.len(), "the poses belong to this model");
        let Self { X_WB, R_WB, S, reference, p_OB, topology, selection, joints } = self;
        joints.hinges.update(q);
        let n = X_WB.len();
        let (places, R_WB, p_OB) = (&joints.places[..n], &mut R_WB[..n], &mut p_OB[..n]);
        let mut slices = Slices { X_WB, R_WB, p_OB, S, reference };
        for bodies in &selection.bodies {
            assert!(bodies.end <= n, "selected bodies are bodies");
            for b in bodies.clone() {
                let place = &places[b];
                match place.parent {
                    Some(parent) if place.simple => slices.turn(b, parent, place, joints),
                    _ => slices.compose(b, place, joints, topology, q),
                }
            }
        }
        // (4): until here screws are hinges.
        for (i, pitch) in joints.screws.iter().filter(|(i, _)| selection.goes_dof(*i)) {
            let S = &mut self.S[*i];
            S.linear += S.angular * *pitch;
        }
    }

    /// Chooses the trees that [`Self::update`] moves from now on, at first all. The numbers of the others stay as
    /// they are, also
    /// in [`crate::Kinematics`], and [`crate::Velocities`], [`crate::bias_into`] and [`crate::crba_into`] leave out
    /// what these poses do. Allocates the first time only.
    pub fn select(&mut self, trees: impl Fn(usize) -> bool) {
        self.selection.set(&self.topology, trees);
    }

    /// Whether the tree is one that moves.
    #[inline]
    pub fn selects(&self, tree: usize) -> bool {
        self.selection.goes(tree)
    }

    /// The dofs of the trees that move.
    #[inline]
    pub fn selected_dofs(&self) -> &[Range<usize>] {
        &self.selection.dofs
    }

    /// The joints of the trees that move.
    #[inline]
    pub fn selected_joints(&self) -> &[Range<usize>] {
        &self.selection.joints
    }

    /// The tree of `body`, an index into [`Self::reference`].
    pub fn tree_of(&self, body: usize) -> usize {
        self.topology.tree[body]
    }
}

impl<T: Real> Slices<'_, T> {
    /// A body with one hinge through its origin, which most are: [`Self::compose`], without detours.
    #[inline(always)]
    fn turn(&mut self, b: usize, parent: usize, place: &Place, joints: &Joints<T>) {
        let step = &joints.steps[place.first];
        let p = self.p_OB[parent] + self.R_WB[parent] * step.anchor_A;
        let quat = self.X_WB[parent].rotation * joints.hinges.turn(step);
        let R = quat.to_matrix();
        let axis = R * step.axis_B;
        self.S[step.idx_v] = Motion::new(axis, p.cross(axis));
        self.put(b, place, Frame { quat, R, p });
    }

    /// Any body: joint by joint from its parent.
    #[inline(always)]
    fn compose(&mut self, b: usize, place: &Place, joints: &Joints<T>, topology: &Topology, q: &[T]) {
        let kind = q[0].zero();
        let zero = Vec3::zero(kind);
        let mut frame = match place.parent {
            Some(p) => Frame { quat: self.X_WB[p].rotation, R: self.R_WB[p], p: self.p_OB[p] },
            None => {
                let quat = Quat::identity(kind);
                Frame { quat, R: quat.to_matrix(), p: zero }
            }
        };
        for step in &joints.steps[topology.joints[b].clone()] {
            step.apply(&mut frame, q, &joints.hinges, self.S);
        }
        // A root's own origin is the reference point, known only now.
        let mut shift = zero;
        if place.parent.is_none() {
            let step = &joints.steps[place.first];
            let base = if step.kind == JointKind::Free {
                vec3(q[step.idx_q], q[step.idx_q + 1], q[step.idx_q + 2])
            } else {
                joints.base[place.tree]
            };
            shift = frame.p;
            self.reference[place.tree] = base + shift;
            frame.p = zero;
        }
        // (2): `apply` left c in the place of (c − O) × a.
        for i in topology.dofs[b].clone() {
            if topology.turns[i] {
                let S = &mut self.S[i];
                S.linear = (S.linear - shift).cross(S.angular);
            }
        }
        self.put(b, place, frame);
    }

    #[inline(always)]
    fn put(&mut self, b: usize, place: &Place, frame: Frame<T>) {
        let O = self.reference[place.tree];
        self.p_OB[b] = frame.p;
        self.R_WB[b] = frame.R;
        self.X_WB[b] = Pose { rotation: frame.quat, translation: O + frame.p };
    }
}

impl<T: Real> Hinges<T> {
    #[inline(always)]
    fn update(&mut self, q: &[T]) {
        for (half, (idx_q, reference)) in self.half.iter_mut().zip(&self.coordinate) {
            *half = (q[*idx_q] - *reference) * reference.like(0.5);
        }
        T::sin_cos_into(&self.half, &mut self.sin, &mut self.cos);
    }

    /// Rotation of the hinge or screw `step`, from A to B.
    #[inline(always)]
    fn turn(&self, step: &Step<T>) -> Quat<T> {
        step.rest * self.cos[step.hinge] + step.swing * self.sin[step.hinge]
    }
}

impl<T: Real> Step<T> {
    /// (1): `frame` goes from A to B; a rotation leaves its axis and a point of it in `S`.
    #[inline(always)]
    fn apply(&self, frame: &mut Frame<T>, q: &[T], hinges: &Hinges<T>, S: &mut [Motion<T>]) {
        let (q, i) = (&q[self.idx_q..], self.idx_v);
        let zero = Vec3::zero(self.reference);
        match self.kind {
            JointKind::Hinge => {
                let on_axis = frame.p + frame.R * self.anchor_A;
                frame.quat = frame.quat * hinges.turn(self);
                frame.R = frame.quat.to_matrix();
                frame.p = if self.offset { on_axis - frame.R * self.anchor_B } else { on_axis };
                S[i] = Motion::new(frame.R * self.axis_B, on_axis);
            }
            JointKind::Screw => {
                let on_axis = frame.p + frame.R * self.anchor_A;
                frame.quat = frame.quat * hinges.turn(self);
                frame.R = frame.quat.to_matrix();
                let axis = frame.R * self.axis_B;
                let travel = (q[0] - self.reference) * self.pitch;
                frame.p = on_axis - frame.R * self.anchor_B + axis * travel;
                S[i] = Motion::new(axis, on_axis);
            }
            JointKind::Slide => {
                let axis = frame.R * self.axis_A;
                frame.p += frame.R * self.anchor_A;
                frame.quat = frame.quat * self.rest;
                frame.R = frame.quat.to_matrix();
                frame.p = frame.p - frame.R * self.anchor_B + axis * (q[0] - self.reference);
                S[i] = Motion::new(zero, axis);
            }
            JointKind::Ball => {
                let turn = Quat { w: q[0], x: q[1], y: q[2], z: q[3] }.renormalized();
                let centre = frame.p + frame.R * self.anchor_A;
                frame.quat = frame.quat * (self.rest * turn);
                frame.R = frame.quat.to_matrix();
                frame.p = centre - frame.R * self.anchor_B;
                for (S, axis) in S[i..i + 3].iter_mut().zip(frame.R.transpose().rows) {
                    *S = Motion::new(axis, centre);
                }
            }
            JointKind::Free => {
                let (o, l) = (self.reference.zero(), self.reference.one());
                frame.quat = Quat { w: q[3], x: q[4], y: q[5], z: q[6] }.renormalized();
                frame.R = frame.quat.to_matrix();
                for (S, unit) in S[i..i + 3].iter_mut().zip([vec3(l, o, o), vec3(o, l, o), vec3(o, o, l)]) {
                    *S = Motion::new(zero, unit);
                }
                for (S, axis) in S[i + 3..i + 6].iter_mut().zip(frame.R.transpose().rows) {
                    *S = Motion::new(axis, zero);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, moved, random_state, random_trees};
    use crate::{JointSpec, ModelBuilder};

    /// Poses are those found by composing one `Pose` per joint, quaternions only.
    #[test]
    fn poses_are_products_of_joint_poses() {
        let model = random_trees(1, 20);
        let (q, v) = random_state(&model, 1);
        let (kin, _) = at(&model, &q, &v);
        let mut X_WB: Vec<Pose> = Vec::new();
        for body in &model.bodies {
            let mut X = body.parent.map_or(Pose::IDENTITY, |p| X_WB[p]) * body.X_PB;
            for j in &model.joints[body.joints.clone()] {
                let q = &q[j.idx_q..];
                let turned = |r: Quat| Pose::new(r, j.anchor - r.rotate(j.anchor));
                match j.kind {
                    JointKind::Hinge => X = X * turned(Quat::from_axis_angle(j.axis, q[0] - j.reference)),
                    JointKind::Screw => {
                        let turn = turned(Quat::from_axis_angle(j.axis, q[0] - j.reference));
                        X = X * turn * Pose::from_translation(j.axis * (j.pitch * (q[0] - j.reference)));
                    }
                    JointKind::Slide => X = X * Pose::from_translation(j.axis * (q[0] - j.reference)),
                    JointKind::Ball => X = X * turned(Quat::new(q[0], q[1], q[2], q[3])),
                    JointKind::Free => {
                        X = Pose::new(Quat::new(q[3], q[4], q[5], q[6]), vec3(q[0], q[1], q[2]));
                    }
                }
            }
            X_WB.push(X);
        }
        for ((a, b), R) in kin.X_WB.iter().zip(&X_WB).zip(&kin.R_WB) {
            assert!((a.translation - b.translation).norm() < 1e-13);
            for e in [Vec3::X, Vec3::Y, Vec3::Z] {
                assert!((a.rotation.rotate(e) - b.rotation.rotate(e)).norm() < 1e-13);
                assert!((a.rotation.rotate(e) - *R * e).norm() < 1e-13);
            }
        }
    }

    /// S_i v_i moves body points as a finite difference does: every dof, every body.
    #[test]
    fn columns_are_velocities_per_unit_v() {
        let (model, h) = (random_trees(2, 16), 1e-6);
        let (q, _) = random_state(&model, 2);
        let (kin, _) = at(&model, &q, &vec![0.0; model.nv()]);
        for i in 0..model.nv() {
            let mut v = vec![0.0; model.nv()];
            v[i] = 1.0;
            let (ahead, _) = at(&model, &moved(&model, &q, &v, h), &v);
            let (behind, _) = at(&model, &moved(&model, &q, &v, -h), &v);
            for b in 0..model.bodies.len() {
                let moves = model.chain(Some(b)).any(|j| j == i);
                let S = if moves { kin.S[i] } else { Motion::ZERO };
                for p_B in [Vec3::ZERO, vec3(0.5, -0.3, 1.0)] {
                    let rate = (ahead.X_WB[b].transform(p_B) - behind.X_WB[b].transform(p_B)) * (0.5 / h);
                    let r = kin.X_WB[b].transform(p_B) - kin.reference[kin.tree_of(b)];
                    assert!((S.linear_at(r) - rate).norm() < 1e-8, "dof {i}, body {b}");
                }
            }
        }
    }

    /// The reference point is the origin of the root, though that lies off the joint axis.
    #[test]
    fn reference_is_the_origin_of_the_root() {
        let mut b = ModelBuilder::new();
        let link = b.link(
            "door",
            None,
            Pose::from_translation(Vec3::X),
            crate::spatial::Inertia::new(1.0, Vec3::X, crate::spatial::Sym3::ZERO),
        );
        let mut hinge = JointSpec::new("hinge", JointKind::Hinge, Vec3::Z);
        hinge.anchor = vec3(0.0, -1.0, 0.0);
        b.joint(link, hinge);
        let model = b.build(Vec3::ZERO).unwrap();
        let (kin, _) = at(&model, &[std::f64::consts::FRAC_PI_2], &[0.0]);
        assert!((kin.reference[0] - vec3(0.0, -1.0, 0.0)).norm() < 1e-15);
        assert!((kin.S[0].linear - vec3(0.0, -1.0, 0.0)).norm() < 1e-15);
    }
}
