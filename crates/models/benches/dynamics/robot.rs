//! A robot, random states of it, and every algorithm from q (and v, a or τ) to its result.

use crate::states::{States, bundled};
use std::hint::black_box;
use std::path::Path;
use stiction_dynamics::spatial::{Inertia, Motion, Pose, Quat, Sym3, Vec3, vec3};
use stiction_dynamics::*;
use stiction_models::{LoadOptions, load};

/// Algorithms that run in lanes too; the others are in `derivatives.rs`.
pub(crate) const ALGORITHMS: [&str; 5] = ["rnea", "crba", "aba", "factor+solve", "jacobians"];
const RNEA: usize = 0;
pub(crate) const CRBA: usize = 1;
const ABA: usize = 2;
const FACTOR: usize = 3;
const JACOBIANS: usize = 4;

/// A URDF, or `chainN`: N hinges in a row.
pub(crate) fn read(name: &str) -> Result<Model, String> {
    if let Some(length) = name.strip_prefix("chain") {
        let length = length.parse().map_err(|_| format!("`{name}`: how long?"))?;
        return chain(length).map_err(|e| e.to_string());
    }
    let options = LoadOptions { visuals: false, ..LoadOptions::default() };
    load(Path::new(name), &options).map(|world| world.model).map_err(|e| e.to_string())
}

fn chain(length: usize) -> Result<Model, ModelError> {
    let mut b = ModelBuilder::new();
    let inertia = Inertia::new(1.3, vec3(0.02, -0.01, -0.15), Sym3::diagonal(0.02, 0.03, 0.01));
    let mut parent = None;
    for k in 0..length {
        let X_PL = Pose::new(Quat::from_rpy(0.1, 0.2, 0.3), vec3(0.1, 0.05, -0.3));
        let link = b.link(format!("link{k}"), parent, X_PL, inertia);
        let axis = [Vec3::X, Vec3::Y, Vec3::Z][k % 3];
        b.joint(link, JointSpec::new(format!("joint{k}"), JointKind::Hinge, axis));
        parent = Some(link);
    }
    b.build(Vec3::Z * -9.81)
}

/// Everything the algorithms need, ready to run.
pub(crate) struct Robot<T> {
    model: Model<T>,
    q: Vec<Vec<T>>,
    v: Vec<Vec<T>>,
    a: Vec<Vec<T>>,
    tau: Vec<Vec<T>>,
    poses: Poses<T>,
    kin: Kinematics<T>,
    vel: Velocities<T>,
    rnea: RneaWorkspace<T>,
    crba: CrbaWorkspace<T>,
    aba: AbaWorkspace<T>,
    M: MassMatrix<T>,
    factor: Factor<T>,
    out: Vec<T>,
}

impl<T: Real> Robot<T> {
    #[inline(always)]
    pub(crate) fn new(model: &Model, states: &States, kind: T) -> Self {
        let (nq, nv, model) = (model.nq, model.nv(), model.cast(kind));
        Self {
            q: bundled(kind, &states.q, nq),
            v: bundled(kind, &states.v, nv),
            a: bundled(kind, &states.a, nv),
            tau: bundled(kind, &states.tau, nv),
            poses: Poses::new(&model),
            kin: Kinematics::new(&model),
            vel: Velocities::new(&model),
            rnea: RneaWorkspace::new(&model),
            crba: CrbaWorkspace::new(&model),
            aba: AbaWorkspace::new(&model),
            M: MassMatrix::new(&model),
            factor: Factor::new(&model),
            out: vec![kind; nv],
            model,
        }
    }

    /// Bundles of states.
    pub(crate) fn bundles(&self) -> usize {
        self.q.len()
    }

    /// `algorithm` with the bundle `k` of states; the factors are those of the last mass matrix.
    #[inline(always)]
    pub(crate) fn step(&mut self, algorithm: usize, k: usize) {
        let Self { model, poses, kin, vel, rnea, crba, aba, M, factor, out, .. } = self;
        if matches!(algorithm, CRBA | ABA) {
            kin.update(model, &self.q[k]);
        } else if algorithm != FACTOR {
            poses.update(model, &self.q[k]);
        }
        match algorithm {
            RNEA => {
                vel.update(model, poses, &self.v[k]);
                rnea_into(model, poses, vel, &self.a[k], rnea, out);
            }
            CRBA => crba_into(model, kin, crba, M),
            ABA => {
                vel.update(model, kin, &self.v[k]);
                aba_into(model, kin, vel, &self.tau[k], aba, out);
            }
            FACTOR => {
                black_box(factor.factor(M).is_ok());
                out.copy_from_slice(&self.tau[k]);
                factor.solve_in_place(out);
            }
            _ => (),
        }
    }
}

impl Robot<f64> {
    /// The result at state `k`, numbers by rows.
    pub(crate) fn value(&mut self, algorithm: usize, k: usize) -> Vec<f64> {
        if algorithm == FACTOR {
            self.step(CRBA, 0);
        }
        self.step(algorithm, k);
        match algorithm {
            CRBA => self.M.to_dense(),
            JACOBIANS => self.last_jacobian(),
            _ => self.out.clone(),
        }
    }

    /// Jacobian of the body of the last joint, angular rows first.
    fn last_jacobian(&self) -> Vec<f64> {
        let body = self.model.joints.last().map(|j| j.body);
        let mut J = vec![Motion::ZERO; self.model.nv()];
        body_jacobian_into(&self.model, &self.poses, body, &mut J);
        let row = |of: fn(&Motion) -> f64| J.iter().map(of).collect::<Vec<f64>>();
        [
            row(|m| m.angular.x),
            row(|m| m.angular.y),
            row(|m| m.angular.z),
            row(|m| m.linear.x),
            row(|m| m.linear.y),
            row(|m| m.linear.z),
        ]
        .concat()
    }
}
