//! The second order, for trees with stiff springs, dampers or servos: linearly implicit in these.
//!
//! ```text
//!     k_i = f(y + h Σ_{j<i} α_ij k_j) + h A Σ_{j≤i} γ_ij k_j,   y⁺ = y + h Σ_i b_i k_i,   two stages       (1)
//!     (M + γ h D + γ² h² K) v̇_i = M v̇(stage) − h D s_v − h K (s_q + γ (v_i + h s_v)),  s = Σ_{j<i} γ_ij k_j   (2)
//! ```
//!
//! with f of [`super::system`] and ROS2 of [Verwer1999] with γ = 1 − 1/√2: a W-method, of the second order whatever A is, and
//! L-stable where A is the Jacobian of what is stiff. Here A is that of springs, dampers and servos alone, all on single
//! dofs, so that (2) has the sparsity of the tree: D and K are diagonal. A servo at its limit at the start of a part is
//! not in A. The error estimate is the difference to y + h k_1, of the first order. What a stiff servo does in a moment, as
//! after a new command, is not resolved further than to a part of [`PARTS`], which is accepted if its estimate is within [`ROUGH`]. Cost of a part:
//! two evaluations of forward dynamics, O(nv) each, one mass matrix and its factor.

use super::system::System;
use stiction_dynamics::{CrbaWorkspace, Dof, Factor, JointKind, MassMatrix, crba_into, rates_into};

const STAGES: usize = 2;
/// α_ij of (1), the row of stage i + 1.
pub(super) const ALPHA: [&[f64]; STAGES - 1] = [&[1.0]];
/// γ_ij of (1) on the diagonal, and below it, the row of stage i + 1.
pub(super) const GAMMA: f64 = 1.0 - std::f64::consts::FRAC_1_SQRT_2;
pub(super) const BELOW: [&[f64]; STAGES - 1] = [&[-2.0 * GAMMA]];
/// b_i of (1).
pub(super) const B: [f64; STAGES] = [0.5, 0.5];
/// b_i less the weights of the first order.
const ESTIMATE: [f64; STAGES] = [-0.5, 0.5];
/// The error estimate may be this share of the speed [–].
const TRUSTED: f64 = 1e-2;
/// Share of the speed that the error estimate may be in the least part [–].
const ROUGH: f64 = 0.1;
/// Parts of a step, at most.
pub(super) const PARTS: u32 = 64;

/// Memory of the method.
pub(super) struct Workspace {
    crba: CrbaWorkspace,
    /// M, and the matrix of (2).
    mass: MassMatrix,
    shifted: MassMatrix,
    pub(super) factor: Factor,
    /// D and K of every dof, with those of servos; and those that A of this part has.
    gains: Vec<[f64; 2]>,
    pub(super) taken: Vec<[f64; 2]>,
    /// Displacements of every stage along the dofs, by the time.
    pub(super) turns: [Vec<f64>; STAGES],
    /// s of (2), a right-hand side, and what (1) adds to q̇.
    s_v: Vec<f64>,
    s_q: Vec<f64>,
    rest: Vec<f64>,
    rates: Vec<f64>,
}

impl Workspace {
    pub(super) fn new(system: &System) -> Self {
        let model = system.model();
        let of_dof = |dof: &Dof| {
            let joint = &model.joints[dof.joint];
            [dof.damping, if joint.kind == JointKind::Free { 0.0 } else { joint.stiffness }]
        };
        let mut gains: Vec<_> = model.dofs.iter().map(of_dof).collect();
        for servo in &system.servos {
            gains[servo.dof].iter_mut().zip(servo.gains()).for_each(|(g, more)| *g += more);
        }
        let numbers = || vec![0.0; model.nv()];
        Self {
            crba: CrbaWorkspace::new(model),
            mass: MassMatrix::new(model),
            shifted: MassMatrix::new(model),
            factor: Factor::new(model),
            taken: gains.clone(),
            gains,
            turns: std::array::from_fn(|_| numbers()),
            s_v: numbers(),
            s_q: numbers(),
            rest: numbers(),
            rates: vec![0.0; model.nq],
        }
    }

    /// h D + h² K of a dof.
    pub(super) fn gain_over(&self, dof: usize, h: f64) -> f64 {
        let [damper, spring] = self.gains[dof];
        h * damper + h * h * spring
    }

    /// (1) from q and v; whether that is accurate, or accurate enough for the `least` part.
    #[inline(always)]
    pub(super) fn part(&mut self, system: &mut System, h: f64, least: bool) -> bool {
        for stage in 0..STAGES {
            if stage > 0 {
                system.combine(ALPHA[stage - 1], h);
            }
            system.evaluate(stage);
            if stage == 0 && !self.factor(system, h) {
                return false;
            }
            self.sum_before(system, stage);
            self.solve(system, stage, h);
        }
        system.combine(&B, h);
        system.is_small(&ESTIMATE, h, if least { ROUGH } else { TRUSTED })
    }

    /// The matrix of (2) at the start; false if it has no factor.
    fn factor(&mut self, system: &mut System, h: f64) -> bool {
        crba_into(system.model(), &system.kin, &mut self.crba, &mut self.mass);
        self.taken.copy_from_slice(&self.gains);
        for servo in &mut system.servos {
            servo.within = servo.effort(&system.q0, &system.v0).1;
            if !servo.within {
                self.taken[servo.dof].iter_mut().zip(servo.gains()).for_each(|(g, less)| *g -= less);
            }
        }
        self.shifted.set_to(&self.mass);
        let step = GAMMA * h;
        for (dof, [damper, spring]) in self.taken.iter().enumerate() {
            self.shifted.add_diagonal(dof, step * (damper + step * spring));
        }
        self.factor.factor(&self.shifted).is_ok()
    }

    /// s of (2).
    fn sum_before(&mut self, system: &System, stage: usize) {
        let weights = if stage > 0 { BELOW[stage - 1] } else { &[] };
        for i in 0..self.s_v.len() {
            let sum = |of: &[Vec<f64>]| weights.iter().zip(of).map(|(w, k)| w * k[i]).sum::<f64>();
            (self.s_v[i], self.s_q[i]) = (sum(&system.v_dot), sum(&self.turns));
        }
    }

    /// k of the stage, (1) and (2), in place of f; and what servos exert with it.
    fn solve(&mut self, system: &mut System, stage: usize, h: f64) {
        let Self { mass, factor, taken, turns, s_v, s_q, rest, rates, .. } = self;
        mass.mul_into(&system.v_dot[stage], rest);
        for (i, [damper, spring]) in taken.iter().enumerate() {
            let turn = s_q[i] + GAMMA * (system.v[i] + h * s_v[i]);
            rest[i] -= h * (damper * s_v[i] + spring * turn);
        }
        factor.solve_in_place(rest);
        system.v_dot[stage].copy_from_slice(rest);
        // From here on, h (s_v + γ v̇) of the stage.
        rest.iter_mut().zip(&*s_v).for_each(|(k, s)| *k = h * (s + GAMMA * *k));
        for (i, turn) in turns[stage].iter_mut().enumerate() {
            *turn = system.v[i] + rest[i];
        }
        rates_into(system.model(), &system.q0, rest, rates);
        system.q_dot[stage].iter_mut().zip(&*rates).for_each(|(k, more)| *k += more);
        for servo in system.servos.iter_mut().filter(|s| s.within) {
            let i = servo.dof;
            let [damper, spring] = servo.gains();
            let more = damper * rest[i] + h * spring * (s_q[i] + GAMMA * turns[stage][i]);
            servo.stages[stage] -= more / servo.c;
        }
    }
}
