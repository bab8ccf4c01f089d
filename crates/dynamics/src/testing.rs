//! Models and states for the tests of this crate.

use crate::spatial::{Inertia, Motion, Pose, Quat, Sym3, Vec3, vec3};
use crate::{CrbaWorkspace, RneaWorkspace, bias_into, crba_into, integrate_into, rnea_into};
use crate::{Factor, JointKind, JointSpec, Kinematics, MassMatrix, Model, ModelBuilder, Velocities};

pub(crate) const GRAVITY: Vec3 = vec3(0.0, 0.0, -9.81);

/// Small reproducible numbers in (−1, 1).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vec3(&mut self) -> Vec3 {
        vec3(self.roll(), self.roll(), self.roll())
    }

    pub(crate) fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.roll()).collect()
    }

    pub(crate) fn pose(&mut self) -> Pose {
        Pose::new(Quat::exp(self.vec3()), self.vec3())
    }

    pub(crate) fn inertia(&mut self) -> Inertia {
        let (a, b) = (self.vec3(), self.vec3());
        let about_com = Sym3::point_mass(a, 0.3) + Sym3::point_mass(b, 0.2) + Sym3::diagonal(0.1, 0.1, 0.1);
        Inertia::new(1.0 + 0.5 * self.roll(), self.vec3() * 0.3, about_com)
    }
}

/// A point mass m on a massless rod of length l, hinged at the origin about y, hanging down at 0.
pub(crate) fn pendulum(m: f64, l: f64) -> Model {
    let mut b = ModelBuilder::new();
    let bob = b.link("bob", None, Pose::IDENTITY, Inertia::new(m, vec3(0.0, 0.0, -l), Sym3::ZERO));
    b.joint(bob, JointSpec::new("hinge", JointKind::Hinge, Vec3::Y));
    b.build(GRAVITY).unwrap()
}

/// Two such in a row.
pub(crate) fn double_pendulum(m: f64, l: f64) -> Model {
    let mut b = ModelBuilder::new();
    let point = Inertia::new(m, vec3(0.0, 0.0, -l), Sym3::ZERO);
    let upper = b.link("upper", None, Pose::IDENTITY, point);
    b.joint(upper, JointSpec::new("shoulder", JointKind::Hinge, Vec3::Y));
    let lower = b.link("lower", Some(upper), Pose::from_translation(vec3(0.0, 0.0, -l)), point);
    b.joint(lower, JointSpec::new("elbow", JointKind::Hinge, Vec3::Y));
    b.build(GRAVITY).unwrap()
}

/// One free body.
pub(crate) fn free_body() -> Model {
    let mut b = ModelBuilder::new();
    let body = b.link("body", None, Pose::IDENTITY, Dice::new(3).inertia());
    b.joint(body, JointSpec::new("free", JointKind::Free, Vec3::Z));
    b.build(GRAVITY).unwrap()
}

/// Two trees, `n` links: every joint kind, bodies of several joints, anchors off the origin,
/// references, armature, links without joints, and massless bodies that carry others. `origin`
/// is where the trees stand.
pub(crate) fn random_trees_at(seed: u64, n: usize, origin: Vec3) -> Model {
    let (mut d, mut b) = (Dice::new(seed), ModelBuilder::new());
    let mut links: Vec<usize> = Vec::new();
    for k in 0..n {
        let parent = (k > 1).then(|| links[((d.roll() + 1.0) * 0.5 * k as f64) as usize]);
        let mut X_PL = d.pose();
        let fixed = k > 1 && k % 5 == 4;
        let massless = k > 1 && k % 6 == 2;
        let inertia = if massless { Inertia::ZERO } else { d.inertia() };
        if parent.is_none() {
            X_PL.translation += origin;
        }
        let link = b.link(format!("link{k}"), parent, X_PL, inertia);
        let kinds: &[JointKind] = match k {
            0 => &[JointKind::Free],
            1 => &[JointKind::Slide, JointKind::Hinge],
            _ if fixed => &[],
            _ if massless => &[JointKind::Hinge],
            _ if k % 7 == 3 => &[JointKind::Screw, JointKind::Slide],
            _ if k % 4 == 0 => &[JointKind::Hinge, JointKind::Slide, JointKind::Hinge],
            _ if k % 4 == 1 => &[JointKind::Ball],
            _ if k % 4 == 2 => &[JointKind::Slide],
            _ => &[JointKind::Hinge],
        };
        for (j, kind) in kinds.iter().enumerate() {
            let mut joint = JointSpec::new(format!("joint{k}.{j}"), *kind, d.vec3());
            joint.anchor = d.vec3() * 0.2;
            joint.pitch = if *kind == JointKind::Screw { 0.3 * d.roll() } else { 0.0 };
            joint.reference = 0.3 * d.roll();
            joint.armature = 0.05 * (1.0 + d.roll());
            b.joint(link, joint);
        }
        links.push(link);
        if massless {
            let tip = b.link(format!("tip{k}"), Some(link), d.pose(), d.inertia());
            b.joint(tip, JointSpec::new(format!("tip{k}"), JointKind::Hinge, d.vec3()));
        }
    }
    b.build(vec3(0.3, -0.2, -9.81)).unwrap()
}

pub(crate) fn random_trees(seed: u64, n: usize) -> Model {
    random_trees_at(seed, n, Vec3::ZERO)
}

/// Random (q, v) of a model: q from neutral by a unit step.
pub(crate) fn random_state(model: &Model, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut d = Dice::new(seed + 1000);
    let (neutral, step) = (model.neutral(), d.vector(model.nv()));
    (moved(model, &neutral, &step, 1.0), d.vector(model.nv()))
}

/// q ⊕ h v.
pub(crate) fn moved(model: &Model, q: &[f64], v: &[f64], h: f64) -> Vec<f64> {
    let mut next = vec![0.0; model.nq];
    integrate_into(model, q, v, h, &mut next);
    next
}

/// v + h a.
pub(crate) fn plus(v: &[f64], a: &[f64], h: f64) -> Vec<f64> {
    v.iter().zip(a).map(|(v, a)| v + h * a).collect()
}

/// The receipts at (q, v).
pub(crate) fn at(model: &Model, q: &[f64], v: &[f64]) -> (Kinematics, Velocities) {
    let (mut kin, mut vel) = (Kinematics::new(model), Velocities::new(model));
    kin.update(model, q);
    vel.update(model, &kin, v);
    (kin, vel)
}

/// The receipts at the neutral configuration.
pub(crate) fn at_rest(model: &Model) -> (Kinematics, Velocities) {
    at(model, &model.neutral(), &vec![0.0; model.nv()])
}

pub(crate) fn mass_matrix(model: &Model, kin: &Kinematics) -> MassMatrix {
    let mut M = MassMatrix::new(model);
    crba_into(model, kin, &mut CrbaWorkspace::new(model), &mut M);
    M
}

pub(crate) fn factored(model: &Model, M: &MassMatrix) -> Factor {
    let mut factor = Factor::new(model);
    factor.factor(M).unwrap();
    factor
}

pub(crate) fn rnea(model: &Model, kin: &Kinematics, vel: &Velocities, a: &[f64]) -> Vec<f64> {
    let mut tau = vec![0.0; model.nv()];
    rnea_into(model, kin, vel, a, &mut RneaWorkspace::new(model), &mut tau);
    tau
}

pub(crate) fn bias(model: &Model, kin: &Kinematics, vel: &Velocities) -> Vec<f64> {
    let mut tau = vec![0.0; model.nv()];
    bias_into(model, kin, vel, &mut RneaWorkspace::new(model), &mut tau);
    tau
}

/// Angular velocity and velocity of the body's centre of mass, in W.
pub(crate) fn com_motion(model: &Model, kin: &Kinematics, vel: &Velocities, body: usize) -> Motion {
    let p = kin.X_WB[body].transform(model.bodies[body].inertia.com());
    Motion::new(vel.V[body].angular, crate::point_velocity(kin, vel, body, p))
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// max |a − b| ≤ tolerance · (1 + max |b|)
#[track_caller]
pub(crate) fn assert_close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    let scale = 1.0 + b.iter().fold(0.0, |m, x| x.abs().max(m));
    for (i, (x, y)) in a.iter().zip(b).enumerate() {
        assert!((x - y).abs() <= tolerance * scale, "entry {i}: {x} is not {y} (scale {scale})");
    }
}
