//! Every lane of every algorithm against the plain number of the same format: bit for bit, whatever NaN is in
//! another lane.
//!
//! All lane types of the crate, with the plainest instructions there are; one type once more with AVX2, if the
//! processor has it. Each type costs a compilation of everything, hence functions that are not inlined into each
//! other, the largest, the inverse of M and the derivatives, in one type of either format only, and a program for
//! either format, so that two are compiled at once.

// Not every program uses all of it.
#![allow(dead_code, unused_macros, unused_imports)]

use stiction_dynamics::lanes::gather;
use stiction_dynamics::spatial::{Inertia, Pose, Quat, Sym3, Vec3, vec3};
use stiction_dynamics::*;

/// A free trunk with two limbs: a ball, a slide and a screw, and a body of two hinges with a foot. Beside it an arm
/// of seven hinges with two fingers.
pub(crate) fn model() -> Model {
    let mut b = ModelBuilder::new();
    let box_ = Inertia::new(1.5, vec3(0.05, -0.1, 0.2), Sym3::diagonal(0.1, 0.2, 0.15));
    let trunk = b.link("trunk", None, Pose::IDENTITY, box_);
    b.joint(trunk, JointSpec::new("free", JointKind::Free, Vec3::Z));
    let at = |x, y| Pose::new(Quat::from_rpy(0.3, -0.2, 0.9), vec3(x, y, -0.1));
    let arm = b.link("arm", Some(trunk), at(0.3, 0.1), box_);
    b.joint(arm, JointSpec::new("shoulder", JointKind::Ball, Vec3::Z));
    let hand = b.link("hand", Some(arm), at(0.0, 0.4), box_);
    b.joint(hand, JointSpec::new("reach", JointKind::Slide, vec3(1.0, 1.0, 0.0)));
    b.joint(hand, JointSpec::screw("drill", vec3(0.2, 0.0, 1.0), 0.3).at(vec3(0.1, 0.0, 0.0)));
    let leg = b.link("leg", Some(trunk), at(-0.3, 0.1), box_);
    b.joint(leg, JointSpec::new("hip x", JointKind::Hinge, Vec3::X));
    let mut hip_y = JointSpec::new("hip y", JointKind::Hinge, Vec3::Y);
    (hip_y.anchor, hip_y.armature, hip_y.reference) = (vec3(0.0, 0.02, 0.03), 0.01, 0.2);
    b.joint(leg, hip_y);
    let foot = b.link("foot", Some(leg), at(0.0, 0.2), box_);
    b.joint(foot, JointSpec::new("ankle", JointKind::Hinge, Vec3::Y));
    let mut wrist = None;
    for k in 0..7 {
        let link = b.link(format!("arm {k}"), wrist, at(0.1, 0.2), box_);
        b.joint(link, JointSpec::new(format!("turn {k}"), JointKind::Hinge, [Vec3::Z, Vec3::Y][k % 2]));
        wrist = Some(link);
    }
    for k in 0..2 {
        let finger = b.link(format!("finger {k}"), wrist, at(0.1, 0.0), box_);
        b.joint(finger, JointSpec::new(format!("grip {k}"), JointKind::Slide, Vec3::Y));
    }
    b.build(vec3(0.0, 0.0, -9.81)).expect("the model is sound")
}

/// Configuration, velocity and efforts of one environment.
#[derive(Clone)]
pub(crate) struct Inputs {
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) u: Vec<f64>,
    /// Added to the last diagonal entry of M.
    extra: f64,
}

/// (q, v, u) of environment `lane`.
pub(crate) fn inputs(model: &Model, lane: usize) -> Inputs {
    let number = |k: usize| (7.3 * (k as f64) + 1.7 * (lane as f64)).sin();
    let v: Vec<f64> = (0..model.nv()).map(number).collect();
    let u: Vec<f64> = (0..model.nv()).map(|k| 3.0 * number(k + 100)).collect();
    let mut q = vec![0.0; model.nq];
    integrate_into(model, &model.neutral(), &u, 0.7, &mut q);
    Inputs { q, v, u, extra: 0.0 }
}

/// Results of an algorithm by name, environment by environment.
pub(crate) type Outputs = Vec<(&'static str, Vec<Vec<f64>>)>;
/// Results, and what the factorisation said.
pub(crate) type Outcome = (Outputs, Result<(), NotPositive>);

/// One environment per lane of `T`, and the receipts that algorithms take.
struct Bundle<T> {
    model: Model<T>,
    q: Vec<T>,
    v: Vec<T>,
    u: Vec<T>,
    extra: T,
    kin: Kinematics<T>,
    vel: Velocities<T>,
}

impl<T: Real> Bundle<T> {
    #[inline(never)]
    fn new(kind: T, model: &Model, environments: &[Inputs]) -> Self {
        let bundle = |of: fn(&Inputs) -> &[f64]| -> Vec<T> {
            let n = of(&environments[0]).len();
            let numbers: Vec<f64> = environments.iter().flat_map(of).copied().collect();
            (0..n).map(|i| gather(kind, &numbers, i, n)).collect()
        };
        let (q, v, u) = (bundle(|x| &x.q), bundle(|x| &x.v), bundle(|x| &x.u));
        let extra = bundle(|x| std::slice::from_ref(&x.extra))[0];
        let model = model.cast(kind);
        let (mut kin, mut vel) = (Kinematics::new(&model), Velocities::new(&model));
        kin.update(&model, &q);
        vel.update(&model, &kin, &v);
        Self { model, q, v, u, extra, kin, vel }
    }

    #[inline(never)]
    fn kinematics(&self) -> Vec<T> {
        let mut out = Vec::new();
        for (X, V) in self.kin.X_WB.iter().zip(&self.vel.V) {
            let (r, p, w) = (X.rotation, X.translation, V.angular);
            out.extend([r.w, r.x, r.y, r.z, p.x, p.y, p.z, w.x, w.y, w.z]);
        }
        out
    }

    /// Results of inverse dynamics: gravity, Coriolis and centrifugal efforts; and the efforts that give
    /// accelerations u.
    #[inline(never)]
    fn rnea(&self) -> Vec<T> {
        let Self { model, kin, vel, u, .. } = self;
        let (mut workspace, mut bias, mut tau) = (RneaWorkspace::new(model), u.clone(), u.clone());
        bias_into(model, kin, vel, &mut workspace, &mut bias);
        rnea_into(model, kin, vel, u, &mut workspace, &mut tau);
        [bias, tau].concat()
    }

    #[inline(never)]
    fn crba(&self) -> MassMatrix<T> {
        let mut M = MassMatrix::new(&self.model);
        crba_into(&self.model, &self.kin, &mut CrbaWorkspace::new(&self.model), &mut M);
        M
    }

    #[inline(never)]
    fn aba(&self) -> Vec<T> {
        let mut a = self.u.clone();
        aba_into(&self.model, &self.kin, &self.vel, &self.u, &mut AbaWorkspace::new(&self.model), &mut a);
        a
    }

    #[inline(never)]
    fn factor(&self, mut M: MassMatrix<T>) -> (Factor<T>, Result<(), NotPositive>) {
        M.add_diagonal(self.model.nv() - 1, self.extra);
        let mut factor = Factor::new(&self.model);
        let said = factor.factor(&M);
        (factor, said)
    }

    #[inline(never)]
    fn solve(&self, factor: &Factor<T>) -> Vec<T> {
        let mut x = self.u.clone();
        factor.solve_in_place(&mut x);
        x
    }

    #[inline(never)]
    fn integrate(&self) -> Vec<T> {
        let mut next = self.q.clone();
        integrate_into(&self.model, &self.q, &self.v, self.extra.like(0.01), &mut next);
        next
    }

    #[inline(never)]
    fn inverse(&self, factor: &Factor<T>) -> Vec<T> {
        let mut inverse = InverseMass::new(&self.model);
        inverse.update(factor);
        inverse.entries
    }

    #[inline(never)]
    fn derivatives(&self) -> Vec<T> {
        let mut d = AbaDerivatives::new(&self.model);
        let _said = d.update(&self.model, &self.kin, &self.vel, &self.v, &self.u, None);
        let of_inverse = d.inverse_dynamics;
        [d.acceleration_q, d.acceleration_v, of_inverse.tau_q, of_inverse.tau_v].concat()
    }
}

fn by_lane<T: Real>(x: &[T]) -> Vec<Vec<f64>> {
    (0..T::LANES).map(|lane| x.iter().map(|x| x.lane(lane)).collect()).collect()
}

/// The algorithms of a step, in as many environments as `kind` has lanes.
pub(crate) fn common<T: Real>(kind: T, model: &Model, environments: &[Inputs]) -> Outcome {
    let b = Bundle::new(kind, model, environments);
    let M = b.crba();
    let mut out: Outputs = vec![("crba", by_lane(&M.to_dense()))];
    let (factor, said) = b.factor(M);
    out.push(("solve", by_lane(&b.solve(&factor))));
    out.push(("kinematics", by_lane(&b.kinematics())));
    out.push(("rnea", by_lane(&b.rnea())));
    out.push(("aba", by_lane(&b.aba())));
    out.push(("integrate", by_lane(&b.integrate())));
    (out, said)
}

/// [`common`], and the largest algorithms.
pub(crate) fn all<T: Real>(kind: T, model: &Model, environments: &[Inputs]) -> Outcome {
    let (mut out, said) = common(kind, model, environments);
    let b = Bundle::new(kind, model, environments);
    out.push(("inverse", by_lane(&b.inverse(&b.factor(b.crba()).0))));
    out.push(("derivatives", by_lane(&b.derivatives())));
    (out, said)
}

const POISONED: usize = 1;

/// Sixteen environments. In the second everything that can be is NaN, in the third an angle is absurd.
fn environments(model: &Model) -> Vec<Inputs> {
    let mut all: Vec<_> = (0..16).map(|lane| inputs(model, lane)).collect();
    let Inputs { q, v, u, .. } = &mut all[POISONED];
    [q, v, u].into_iter().for_each(|x| x.fill(f64::NAN));
    let hip = model.joint_named("hip x").expect("the model has hips");
    all[2].q[model.joints[hip].idx_q] = 1e9;
    all
}

pub(crate) type Algorithms = fn(&Model, &[Inputs]) -> Outcome;

/// `lanes` environments at once against `plain`, one by one. In the last M is not positive.
pub(crate) fn compare(lanes: usize, bundled: impl Fn(&Model, &[Inputs]) -> Outcome, plain: Algorithms) {
    let model = model();
    let mut environments = environments(&model);
    environments.truncate(lanes);
    environments[lanes - 1].extra = -1e3;
    let (out, said) = bundled(&model, &environments);
    let failed = said.expect_err("one lane has NaN and another a negative pivot");
    assert_eq!(failed.lanes, 1 << POISONED | 1 << (lanes - 1));
    for (lane, inputs) in environments.iter().enumerate() {
        let (expected, said) = plain(&model, std::slice::from_ref(inputs));
        assert_eq!(said.is_err(), lane == POISONED || lane == lanes - 1, "lane {lane}");
        for ((name, out), (_, expected)) in out.iter().zip(&expected) {
            assert_eq!(out[lane].len(), expected[0].len(), "{name}");
            for (k, (x, expected)) in out[lane].iter().zip(&expected[0]).enumerate() {
                let same = x == expected || (x.is_nan() && expected.is_nan());
                assert!(same, "{name}, lane {lane} of {lanes}, number {k}: {x} {expected}");
                assert!(x.is_finite() || lane == POISONED, "{name}, lane {lane} of {lanes}: {x}");
            }
        }
        let poison = out.iter().all(|(_, out)| out[lane].iter().any(|x| x.is_nan()));
        assert_eq!(poison, lane == POISONED, "what is fed NaN says NaN");
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! plainest {
    ($simd:ident => $work:expr) => {{
        let $simd = Level::new().as_sse2().expect("every x86-64 has SSE2");
        $work
    }};
}
#[cfg(not(target_arch = "x86_64"))]
macro_rules! plainest {
    ($simd:ident => $work:expr) => {
        fearless_simd::dispatch!(Level::new(), $simd => $work)
    };
}

pub(crate) use plainest;
