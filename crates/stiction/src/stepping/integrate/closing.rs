//! The rigid motion that makes the momentum of a floating robot what its impulses say.
//!
//! A step in its middle solves M(q_m) (v⁺ − v) = impulses, but the momentum of a robot is that of M(q) at its start
//! and of M(q⁺) at its end. v⁺ gets the rigid motion of the whole robot for which
//!
//! ```text
//!     P(q⁺, v⁺) − P(q, v) = Σ impulses, each at its point of the middle + h m g at the centre of mass of the middle    (1)
//! ```
//!
//! with P linear and angular momentum: one 6×6 with the composite inertia at q⁺. It is of third order in h, and
//! changes neither forces nor what is at rest. The impulses of joints, stops, servos and dry friction inside of a
//! robot cancel in (1): what acts on its free root in generalized coordinates is the sum of all.

use super::Quadrature;
use stiction_dynamics::spatial::{Force, Inertia, Mat3, Motion, Vec3, vec3};
use stiction_dynamics::{JointKind, Kinematics, Model, Real, motions_into};

/// The floating robots of a world.
pub(crate) struct Closing<T = f64> {
    trees: Vec<Floating>,
    /// P(q, v) of each at the start of a step.
    before: Vec<Force<T>>,
    motions: Vec<Motion<T>>,
}

/// A tree with joints beyond its free root.
struct Floating {
    tree: usize,
    root: usize,
    idx_v: usize,
    bodies: Vec<usize>,
}

impl<T: Real> Closing<T> {
    pub(crate) fn new(model: &Model<T>) -> Self {
        let floating = |tree: usize| {
            let bodies: Vec<_> = (0..model.bodies.len()).filter(|&b| model.bodies[b].tree == tree).collect();
            let root = *bodies.first()?;
            let joint = &model.joints[model.bodies[root].joints.start];
            let dofs = &model.dofs[joint.idx_v..joint.idx_v + joint.kind.nv()];
            let plain = !dofs.iter().any(|d| T::any(d.armature.zero().less(d.armature)));
            let floats = joint.kind == JointKind::Free && bodies.len() > 1 && plain;
            floats.then_some(Floating { tree, root, idx_v: joint.idx_v, bodies })
        };
        Self {
            trees: (0..model.trees).filter_map(floating).collect(),
            before: Vec::new(),
            motions: vec![Motion::zero(model.kind()); model.bodies.len()],
        }
    }

    /// Whether (1) holds of itself for all trees.
    pub(crate) fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// Finds P(q, v) at the start of a step.
    #[inline(always)]
    pub(crate) fn begin(&mut self, model: &Model<T>, start: &Kinematics<T>, v: &[T]) {
        let Self { trees, before, motions } = self;
        motions_into(model, start, v, motions);
        before.clear();
        before.extend(trees.iter().map(|t| t.momentum(start, motions)));
    }

    /// (1) of the trees whose rule is that of the middle, in a step of h [s], with kinematics in the middle and at the end, and all
    /// impulses but weight in generalized coordinates.
    #[inline(always)]
    pub(crate) fn close(
        &mut self,
        (model, h): (&Model<T>, T),
        [middle, end]: [&Kinematics<T>; 2],
        (rules, impulses): (&[Quadrature], &[T]),
        v_next: &mut [T],
    ) {
        let Self { trees, before, motions } = self;
        motions_into(model, end, v_next, motions);
        for (floating, before) in trees.iter().zip(before) {
            if rules[floating.tree] == Quadrature::Middle {
                let whole = *before + floating.impulse(model.gravity * h, middle, impulses);
                floating.add_momentum(whole - floating.momentum(end, motions), end, v_next);
            }
        }
    }
}

impl Floating {
    /// Momentum about the origin of W.
    #[inline(always)]
    fn momentum<T: Real>(&self, kin: &Kinematics<T>, motions: &[Motion<T>]) -> Force<T> {
        let mut sum = Force::zero(kin.I[self.root].mass);
        for &b in &self.bodies {
            sum += kin.I[b] * motions[b];
        }
        about_origin(sum, kin.reference[self.tree])
    }

    /// The sum of all impulses about the origin of W, `weight` being that of a unit of mass.
    #[inline(always)]
    fn impulse<T: Real>(&self, weight: Vec3<T>, kin: &Kinematics<T>, impulses: &[T]) -> Force<T> {
        let of = |i: usize| vec3(impulses[i], impulses[i + 1], impulses[i + 2]);
        let [push, turn] = [of(self.idx_v), of(self.idx_v + 3)];
        let root = kin.X_WB[self.root].translation;
        let given = Force { angular: kin.R_WB[self.root] * turn + root.cross(push), linear: push };
        let whole = self.inertia(kin);
        let falls = Force { angular: whole.first.cross(weight), linear: weight * whole.mass };
        given + about_origin(falls, kin.reference[self.tree])
    }

    /// Inertia of all bodies about the reference point of the tree.
    #[inline(always)]
    fn inertia<T: Real>(&self, kin: &Kinematics<T>) -> Inertia<T> {
        let mut sum = Inertia::zero(kin.I[self.root].mass);
        for &b in &self.bodies {
            sum += kin.I[b];
        }
        sum
    }

    /// Adds the rigid motion with this momentum about the origin of W.
    #[inline(always)]
    fn add_momentum<T: Real>(&self, momentum: Force<T>, kin: &Kinematics<T>, v_next: &mut [T]) {
        let whole = self.inertia(kin);
        let com = kin.reference[self.tree] + whole.com();
        let spin = momentum.angular - com.cross(momentum.linear);
        let (mass, inverse) = (whole.mass, inverse(whole.about_com().to_mat3()));
        let (w, v_com) = (inverse * spin, momentum.linear * (mass.one() / mass));
        let pose = &kin.X_WB[self.root];
        let v = v_com + w.cross(pose.translation - com);
        let turned = kin.R_WB[self.root].transpose() * w;
        let more = [v.x, v.y, v.z, turned.x, turned.y, turned.z];
        for (v, more) in v_next[self.idx_v..self.idx_v + 6].iter_mut().zip(more) {
            *v += more;
        }
    }
}

/// The inverse; zero where there is none.
#[inline(always)]
fn inverse<T: Real>(m: Mat3<T>) -> Mat3<T> {
    let [a, b, c] = m.rows;
    let (bc, ca, ab) = (b.cross(c), c.cross(a), a.cross(b));
    let det = a.dot(bc);
    let inverse = det.one() / det;
    let inverse = T::select(inverse.finite(), inverse, det.zero());
    Mat3::from_columns(bc * inverse, ca * inverse, ab * inverse)
}

/// A momentum or impulse about `reference`, about the origin of W.
#[inline(always)]
fn about_origin<T: Real>(f: Force<T>, reference: Vec3<T>) -> Force<T> {
    Force { angular: f.angular + reference.cross(f.linear), linear: f.linear }
}
