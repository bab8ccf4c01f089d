//! Random states of a robot, and their file.

use std::fmt::Write;
use stiction_dynamics::{JointKind, Model, Real, integrate_into, lanes};

/// Environment by environment: q, v, a and τ one after another.
pub(crate) struct States {
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) a: Vec<f64>,
    pub(crate) tau: Vec<f64>,
    pub(crate) count: usize,
}

impl States {
    /// Angles over a whole turn, positions within a metre; velocities, accelerations and efforts of order one.
    pub(crate) fn random(model: &Model, count: usize) -> Self {
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        let mut numbers = |n: usize, reach: f64| -> Vec<f64> {
            (0..n)
                .map(|_| {
                    bits =
                        bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    reach * ((bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0)
                })
                .collect()
        };
        let (nq, nv) = (model.nq, model.nv());
        let mut q = vec![0.0; nq * count];
        for q in q.chunks_exact_mut(nq) {
            let mut step = numbers(nv, std::f64::consts::PI);
            for joint in model.joints.iter().filter(|j| j.kind == JointKind::Slide) {
                step[joint.idx_v] /= std::f64::consts::PI;
            }
            integrate_into(model, &model.neutral(), &step, 1.0, q);
        }
        Self {
            q,
            v: numbers(nv * count, 1.0),
            a: numbers(nv * count, 1.0),
            tau: numbers(nv * count, 1.0),
            count,
        }
    }

    /// nq nv joints states; a line per joint; q, v, a, τ of each state.
    pub(crate) fn to_text(&self, model: &Model) -> String {
        let (nq, nv) = (model.nq, model.nv());
        let mut text = format!("{nq} {nv} {} {}\n", model.joints.len(), self.count);
        for joint in &model.joints {
            let _ = writeln!(text, "{} {} {}", joint.name, joint.kind.nq(), joint.kind.nv());
        }
        for k in 0..self.count {
            for (x, n) in [(&self.q, nq), (&self.v, nv), (&self.a, nv), (&self.tau, nv)] {
                let line: Vec<String> = x[k * n..(k + 1) * n].iter().map(f64::to_string).collect();
                text += &line.join(" ");
                text.push('\n');
            }
        }
        text
    }
}

/// `x` (environments of n numbers) in bundles of T::LANES environments.
#[inline(always)]
pub(crate) fn bundled<T: Real>(kind: T, x: &[f64], n: usize) -> Vec<Vec<T>> {
    let mut bundles = Vec::new();
    for environments in x.chunks_exact(n * T::LANES) {
        let mut bundle = Vec::with_capacity(n);
        for i in 0..n {
            bundle.push(lanes::gather(kind, environments, i, n));
        }
        bundles.push(bundle);
    }
    bundles
}
