//! Forces that were given for the next call of `step`: they act in all of its steps.
//!
//! Efforts of joints stay what they are. A force stays what it is in the world, and its point goes with the body, so that
//! both are turned into efforts anew in every step.

use crate::errors::wrong;
use pyo3::PyResult;
use serde::{Deserialize, Serialize};
use stiction::dynamics::spatial::{Force, Vec3};
use stiction::dynamics::{Kinematics, Model};

/// A moment and a force on a body, in world axes.
#[derive(Clone, Copy)]
pub(crate) struct Push {
    pub(crate) body: usize,
    /// Where the force acts, in the body.
    pub(crate) point: Vec3,
    pub(crate) force: Force,
}

impl Push {
    /// tau += Jᵀ F.
    pub(crate) fn add(&self, model: &Model, kin: &Kinematics, tau: &mut [f64]) {
        let r = kin.X_WB[self.body].transform(self.point) - kin.reference[model.bodies[self.body].tree];
        let about = Force::new(self.force.angular + r.cross(self.force.linear), self.force.linear);
        for dof in model.chain(Some(self.body)) {
            tau[dof] += kin.S[dof].dot(about);
        }
    }
}

/// Forces on one environment.
#[derive(Clone, Default)]
pub(crate) struct Held {
    /// Empty: none.
    efforts: Vec<f64>,
    pushes: Vec<Push>,
}

impl Held {
    pub(crate) fn is_empty(&self) -> bool {
        self.efforts.is_empty() && self.pushes.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.efforts.clear();
        self.pushes.clear();
    }

    /// Replaces everything by efforts of joints.
    pub(crate) fn set_efforts(&mut self, efforts: &[f64]) {
        self.clear();
        if efforts.iter().any(|x| *x != 0.0) {
            self.efforts.extend_from_slice(efforts);
        }
    }

    pub(crate) fn add_efforts(&mut self, efforts: &[f64]) {
        if efforts.iter().all(|x| *x == 0.0) {
            return;
        }
        if self.efforts.is_empty() {
            self.efforts.resize(efforts.len(), 0.0);
        }
        self.efforts.iter_mut().zip(efforts).for_each(|(to, x)| *to += x);
    }

    pub(crate) fn push(&mut self, push: Push) {
        self.pushes.push(push);
    }

    /// The efforts of everything at a pose.
    pub(crate) fn at(&self, model: &Model, kin: &Kinematics) -> Vec<f64> {
        let mut tau = self.efforts.clone();
        tau.resize(model.nv(), 0.0);
        self.pushes.iter().for_each(|push| push.add(model, kin, &mut tau));
        tau
    }

    /// Bits that [`Self::read`] makes the same forces of; nothing where all are efforts of joints.
    pub(crate) fn written(&self) -> Option<Written> {
        (!self.pushes.is_empty()).then(|| Written {
            efforts: self.efforts.iter().map(|x| x.to_bits()).collect(),
            pushes: self.pushes.iter().map(|p| (p.body, bits(p))).collect(),
        })
    }

    /// The forces that were written, of a model of `bodies` bodies and `nv` velocities.
    pub(crate) fn read(written: &Written, bodies: usize, nv: usize) -> PyResult<Self> {
        let fits =
            [0, nv].contains(&written.efforts.len()) && written.pushes.iter().all(|(b, _)| *b < bodies);
        if !fits {
            return Err(wrong("no snapshot: its forces are those of another model"));
        }
        let vector = |x: &[u64]| Vec3::from([x[0], x[1], x[2]].map(f64::from_bits));
        let pushes = written.pushes.iter().map(|(body, x)| Push {
            body: *body,
            point: vector(&x[..3]),
            force: Force::new(vector(&x[3..6]), vector(&x[6..])),
        });
        Ok(Self {
            efforts: written.efforts.iter().map(|x| f64::from_bits(*x)).collect(),
            pushes: pushes.collect(),
        })
    }
}

fn bits(push: &Push) -> [u64; 9] {
    let (p, n, f) = (push.point, push.force.angular, push.force.linear);
    [p.x, p.y, p.z, n.x, n.y, n.z, f.x, f.y, f.z].map(f64::to_bits)
}

/// Forces behind a snapshot, bit by bit.
#[derive(Serialize, Deserialize)]
pub(crate) struct Written {
    efforts: Vec<u64>,
    pushes: Vec<(usize, [u64; 9])>,
}
