//! A tree of joints that nothing holds, by a method of the fifth order.
//!
//! ```text
//!     q̇ = rates of q at v,   v̇ = M(q)⁻¹ (τ − D v − K (q − q₀) − b(q, v))                      (1)
//!     k_i = f(y + h Σ_j a_ij k_j),   y⁺ = y + h Σ_i b_i k_i,   six stages                      (2)
//!     error estimate: v⁺ less the velocity of the fourth order that the same stages give        (3)
//! ```
//!
//! with τ what motors and others exert, held during the step; a, b of [CashKarp1990]. Energy is kept to the fifth order
//! where D = 0. Where (3) is large, or the energy grows by more than a share [`ENERGY`] that τ does not explain (what is large
//! for a heavy end of a chain of light links is little in its joints), the step is done in 2, 4, … 256 parts. Explicit: where springs or dampers are too
//! stiff for these too, the tree goes as those that are held do. Cost: six evaluations of forward dynamics, O(nv) each,
//! a part.

use crate::state::State;
use stiction_assembly::forces::actuators::rotation_vector;
use stiction_dynamics::{
    AbaWorkspace, JointKind, Kinematics, Model, Tree, Velocities, aba_into, kinetic_energy, lanes, normalize,
    potential_energy, rates_into, spring_energy,
};

const STAGES: usize = 6;
/// a_ij of (2), the row of stage i + 1.
const A: [&[f64]; STAGES - 1] = [
    &[0.2],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[0.3, -0.9, 1.2],
    &[-11.0 / 54.0, 2.5, -70.0 / 27.0, 35.0 / 27.0],
    &[1631.0 / 55_296.0, 175.0 / 512.0, 575.0 / 13_824.0, 44_275.0 / 110_592.0, 253.0 / 4096.0],
];
/// b_i of (2).
const B: [f64; STAGES] = [37.0 / 378.0, 0.0, 250.0 / 621.0, 125.0 / 594.0, 0.0, 512.0 / 1771.0];
/// Those of the fourth order in (3).
const B4: [f64; STAGES] =
    [2825.0 / 27_648.0, 0.0, 18_575.0 / 48_384.0, 13_525.0 / 55_296.0, 277.0 / 14_336.0, 0.25];
/// (3) may be this share of the speed [–].
const TRUSTED: f64 = 1e-3;
/// Speeds below which it may be more: rounding [m/s or rad/s].
const STILL: f64 = 1e-9;
/// Share of the energy in motion that a part may add without a cause, or lose where nothing is damped [–].
const ENERGY: f64 = 1e-6;
/// Rounding of a potential energy [–].
const ROUNDING: f64 = 1e-14;
/// Parts of a step, at most.
const PARTS: u32 = 256;

/// See the module.
pub(crate) struct FreeTree {
    /// Its number in the whole.
    pub(crate) number: usize,
    tree: Tree,
    kin: Kinematics,
    vel: Velocities,
    aba: AbaWorkspace,
    /// At the start of the step: coordinates, velocities, and what acts.
    q0: Vec<f64>,
    v0: Vec<f64>,
    applied: Vec<f64>,
    /// Of a stage.
    q: Vec<f64>,
    v: Vec<f64>,
    tau: Vec<f64>,
    /// k of (2), a row per stage.
    q_dot: [Vec<f64>; STAGES],
    v_dot: [Vec<f64>; STAGES],
}

impl FreeTree {
    pub(crate) fn new(model: &Model, number: usize) -> Self {
        let tree = Tree::of(model, number);
        let (nq, nv) = (tree.model.nq, tree.model.nv());
        Self {
            number,
            kin: Kinematics::new(&tree.model),
            vel: Velocities::new(&tree.model),
            aba: AbaWorkspace::new(&tree.model),
            q0: vec![0.0; nq],
            v0: vec![0.0; nv],
            applied: vec![0.0; nv],
            q: vec![0.0; nq],
            v: vec![0.0; nv],
            tau: vec![0.0; nv],
            q_dot: std::array::from_fn(|_| vec![0.0; nq]),
            v_dot: std::array::from_fn(|_| vec![0.0; nv]),
            tree,
        }
    }

    /// The tree as a model of its own.
    pub(crate) fn model(&self) -> &Model {
        &self.tree.model
    }

    /// Its dofs in the whole.
    pub(crate) fn dofs(&self) -> &[usize] {
        &self.tree.v
    }

    /// (2) under the efforts `applied`, into its places of `q_next` and `v_next`; false, with these as they were, if
    /// (3) is too large.
    pub(crate) fn advance(
        &mut self,
        state: &State,
        applied: &[f64],
        h: f64,
        q_next: &mut [f64],
        v_next: &mut [f64],
    ) -> bool {
        self.applied.iter_mut().zip(&self.tree.v).for_each(|(x, &i)| *x = applied[i]);
        let mut parts = 1;
        while !self.in_parts(state, h, parts) {
            parts *= 2;
            if parts > PARTS {
                return false;
            }
        }
        self.tree.q.iter().zip(&self.q).for_each(|(&i, x)| q_next[i] = *x);
        self.tree.v.iter().zip(&self.v).for_each(|(&i, x)| v_next[i] = *x);
        true
    }

    /// The step in so many parts, into q and v; false as soon as (3) is too large.
    fn in_parts(&mut self, state: &State, h: f64, parts: u32) -> bool {
        self.q.iter_mut().zip(&self.tree.q).for_each(|(x, &i)| *x = state.q[i]);
        self.v.iter_mut().zip(&self.tree.v).for_each(|(x, &i)| *x = state.v[i]);
        lanes::plain(
            #[inline(always)]
            || {
                // A closure of `all` would be compiled outside.
                for _ in 0..parts {
                    if !self.part(h / f64::from(parts)) {
                        return false;
                    }
                }
                true
            },
        )
    }

    /// (2) from q and v.
    #[inline(always)]
    fn part(&mut self, h: f64) -> bool {
        self.q0.copy_from_slice(&self.q);
        self.v0.copy_from_slice(&self.v);
        let mut before = [0.0; 2];
        for stage in 0..STAGES {
            if stage > 0 {
                self.combine(A[stage - 1], h);
            }
            self.evaluate(stage);
            if stage == 0 {
                before = self.energy();
            }
        }
        self.combine(&B, h);
        let (mut error, mut speed) = (0.0, 0.0);
        for i in 0..self.v.len() {
            let difference: f64 = (0..STAGES).map(|s| (B[s] - B4[s]) * self.v_dot[s][i]).sum();
            error += h * difference.abs();
            speed += self.v[i].abs() + self.v0[i].abs() + h * self.v_dot[0][i].abs();
        }
        error <= TRUSTED * (speed + STILL) && self.q.iter().all(|x| x.is_finite()) && self.keeps(before, h)
    }

    /// Kinetic energy, and potential energy with that of the springs, at the q and v that kinematics were last asked for [J].
    #[inline(always)]
    fn energy(&self) -> [f64; 2] {
        let model = &self.tree.model;
        [
            kinetic_energy(model, &self.kin, &self.vel, &self.v),
            potential_energy(model, &self.kin) + spring_energy(model, &self.q),
        ]
    }

    /// Whether the energy at the end of a part is that `before` it and what the efforts have done, up to [`ENERGY`].
    #[inline(always)]
    fn keeps(&mut self, [kinetic, potential]: [f64; 2], h: f64) -> bool {
        self.kin.update(&self.tree.model, &self.q);
        self.vel.update(&self.tree.model, &self.kin, &self.v);
        let after = self.energy();
        let model = &self.tree.model;
        let (mut work, mut damped) = (0.0, false);
        for (i, (dof, tau)) in model.dofs.iter().zip(&self.applied).enumerate() {
            work += 0.5 * h * tau * (self.v0[i] + self.v[i]);
            damped |= dof.damping > 0.0;
        }
        let gained = after[0] - kinetic + (after[1] - potential) - work;
        let rounding = ROUNDING * (after[1].abs() + potential.abs());
        let allowed = ENERGY * (after[0] + kinetic + (after[1] - potential).abs() + work.abs()) + rounding;
        gained <= allowed && (damped || -gained <= allowed)
    }

    /// q and v at the start plus h times the stages so weighted.
    #[inline(always)]
    fn combine(&mut self, weights: &[f64], h: f64) {
        let add = |to: &mut [f64], from: &[f64], stages: &[Vec<f64>]| {
            for (i, (x, x0)) in to.iter_mut().zip(from).enumerate() {
                *x = x0 + h * weights.iter().zip(stages).map(|(w, k)| w * k[i]).sum::<f64>();
            }
        };
        add(&mut self.q, &self.q0, &self.q_dot);
        add(&mut self.v, &self.v0, &self.v_dot);
        normalize(&self.tree.model, &mut self.q);
    }

    /// (1) at q and v.
    #[inline(always)]
    fn evaluate(&mut self, stage: usize) {
        let model = &self.tree.model;
        self.kin.update(model, &self.q);
        self.vel.update(model, &self.kin, &self.v);
        rates_into(model, &self.q, &self.v, &mut self.q_dot[stage]);
        for (i, dof) in model.dofs.iter().enumerate() {
            self.tau[i] = self.applied[i] - dof.damping * self.v[i];
        }
        for joint in model.joints.iter().filter(|j| j.stiffness > 0.0) {
            let (q, tau) = (&self.q[joint.idx_q..], &mut self.tau[joint.idx_v..]);
            match joint.kind {
                JointKind::Hinge | JointKind::Slide | JointKind::Screw => {
                    tau[0] -= joint.stiffness * (q[0] - joint.spring_rest);
                }
                JointKind::Ball => {
                    let turn = rotation_vector(q).to_array();
                    tau.iter_mut().zip(turn).for_each(|(t, x)| *t -= joint.stiffness * x);
                }
                JointKind::Free => {}
            }
        }
        aba_into(model, &self.kin, &self.vel, &self.tau, &mut self.aba, &mut self.v_dot[stage]);
    }
}
