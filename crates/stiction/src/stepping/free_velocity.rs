//! The velocity without constraint impulses, (1) and (2) of [`super::time_stepping`]: inertia, forces,
//! actuators.

use super::here::Here;
use super::integrate::fast_rotation;
use super::integrate::rolling::{RollingBodies, STILL};
use crate::state::State;
use crate::stepping::attempt::Step;
use stiction_assembly::Posed;
use stiction_assembly::forces::{Effort, GravityCompensation, ImplicitForce, Servos, actuators, tendons};
use stiction_assembly::laws::gyroscopic::midpoint_moment;
use stiction_dynamics::spatial::{Motion, vec3};
use stiction_dynamics::{
    CrbaWorkspace, Factor, JointKind, Kinematics, MassMatrix, RneaWorkspace, Velocities, bias_into,
    crba_into, lanes, motions_into,
};
use stiction_world::{Actuator, Tendon, World};

/// M̂, its factor, and v_f of one step.
pub(crate) struct FreeMotion {
    workspace: Workspace,
    /// M̂ = M + h k, and LᵀDL of it.
    pub(crate) mass: MassMatrix,
    pub(crate) factor: Factor,
    pub(crate) servos: Servos,
    pub(crate) gravity_compensation: GravityCompensation,
    /// Forces that are rows of the constraint problem in this step.
    pub(crate) implicit_forces: Vec<(ImplicitForce, Effort)>,
    /// Free bodies alone in their trees, whose gyroscopic moment is taken at the midpoint.
    pub(crate) free_bodies: Vec<usize>,
    /// Index into q of every dof of a scalar joint.
    pub(crate) q_of_dof: Vec<usize>,
    pub(crate) v_free: Vec<f64>,
    /// Motions of bodies that v_f is.
    pub(crate) motions: Vec<Motion>,
    /// v_f − v.
    pub(crate) dv: Vec<f64>,
    /// Mean forces of the constraints in the last step, where all trees are posed in the middle of the step [N or
    /// N·m]; empty: unknown.
    pub(crate) last_forces: Vec<f64>,
    /// How often these were learned from attempts at the part itself, as they were not known.
    pub(crate) learned: u32,
}

/// Attempts at a part from which unknown forces of constraints are learned. The error of the mean velocity falls by the turn of the tree
/// in a step, a hundredth and less, with each.
pub(crate) const LEARNED: u32 = 2;
/// Rounds by which v̄ is found, at most.
pub(crate) const ROUNDS: usize = 2;

/// Scratch of the algorithms of dynamics.
struct Workspace {
    vel: Velocities,
    rnea: RneaWorkspace,
    crba: CrbaWorkspace,
    /// Forces on the dofs, and implicit gains of springs and dampers on the diagonal of M̂.
    tau: Vec<f64>,
    diagonal: Vec<f64>,
    /// Velocities of which Coriolis forces and gyroscopic moments are, if not v.
    still: Vec<f64>,
    /// b at v̄ and at the next v̄, v̄, and what the impulses of the last step and the change of b change of v.
    bias: Vec<f64>,
    next_bias: Vec<f64>,
    mean: Vec<f64>,
    by_last: Vec<f64>,
    change: Vec<f64>,
}

impl FreeMotion {
    pub(crate) fn new(world: &World) -> Self {
        let model = &world.model;
        let mut carries = vec![false; model.bodies.len()];
        model.bodies.iter().filter_map(|b| b.parent).for_each(|parent| carries[parent] = true);
        let alone = |b: &usize| {
            let body = &model.bodies[*b];
            model.joints[body.joints.start].kind == JointKind::Free && !carries[*b]
        };
        let numbers = || vec![0.0; model.nv()];
        Self {
            workspace: Workspace {
                vel: Velocities::new(model),
                rnea: RneaWorkspace::new(model),
                crba: CrbaWorkspace::new(model),
                tau: numbers(),
                diagonal: numbers(),
                still: numbers(),
                bias: numbers(),
                next_bias: numbers(),
                mean: numbers(),
                by_last: numbers(),
                change: numbers(),
            },
            mass: MassMatrix::new(model),
            factor: Factor::new(model),
            servos: Servos::new(world),
            gravity_compensation: GravityCompensation::new(world),
            implicit_forces: Vec::new(),
            free_bodies: (0..model.bodies.len()).filter(alone).collect(),
            q_of_dof: actuators::q_of_dofs(world),
            v_free: numbers(),
            motions: vec![Motion::ZERO; model.bodies.len()],
            dv: numbers(),
            last_forces: Vec::new(),
            learned: 0,
        }
    }

    /// (1), (2) and the actuators, where the step is posed. Springs and servos are those of `start`, where it starts.
    pub(crate) fn find(
        &mut self,
        step: &Step<'_>,
        start: &State,
        here: &mut Here,
        rolling: &RollingBodies,
    ) -> Result<(), String> {
        let Step { world, input, start: state, h } = *step;
        let model = &world.model;
        let Self {
            workspace: Workspace { vel, rnea, crba, tau, still, bias, mean, .. }, mass, factor, ..
        } = self;
        let kin = &here.kin;
        let coriolis = rolling.still_or(&state.v, still);
        lanes::plain(
            #[inline(always)]
            || {
                vel.update(model, kin, coriolis);
                bias_into(model, kin, vel, rnea, tau);
                crba_into(model, kin, crba, mass);
            },
        );
        let at = fast_rotation::Here { kin, q: &state.q, v: &state.v, h, mass };
        here.fast.hold(model, &at, (rnea, factor), tau);
        let explicit = |b: &&usize| {
            let tree = model.bodies[**b].tree;
            kin.selects(tree) && !rolling.on[tree]
        };
        for &b in self.free_bodies.iter().filter(explicit) {
            let i = model.bodies[b].dofs.start + 3;
            let omega = vec3(state.v[i], state.v[i + 1], state.v[i + 2]);
            let moment = midpoint_moment(&model.bodies[b].inertia.about_com(), omega, h);
            tau[i..i + 3].iter_mut().zip(moment.to_array()).for_each(|(t, m)| *t += m);
        }
        if rolling.any() {
            bias.copy_from_slice(tau);
            mean.copy_from_slice(coriolis);
        }
        tau.iter_mut().for_each(|t| *t = -*t);
        tau.iter_mut().zip(&input.generalized).for_each(|(t, f)| *t += f);
        self.gravity_compensation.add(world, kin, tau);
        self.find_springs(step, start, rolling);
        let Self { workspace: Workspace { tau, diagonal, .. }, mass, .. } = self;
        for i in here.kin.selected_dofs().iter().cloned().flatten() {
            mass.add_diagonal(i, diagonal[i]);
        }
        for still in &here.asleep {
            tau[still.clone()].fill(0.0);
        }
        self.servos.add_gains(h, &mut self.mass);
        self.solve(world, state, h)?;
        if rolling.any() {
            self.turn_to_mean(step, &here.kin, rolling);
        }
        // Efforts beyond their limit stay there: one more solve without their gains.
        if self.servos.saturate(&state.v, &self.v_free, h, &mut self.mass) {
            self.solve(world, state, h)?;
        }
        lanes::plain(
            #[inline(always)]
            || motions_into(model, &here.kin, &self.v_free, &mut self.motions),
        );
        Ok(())
    }

    /// Finds the efforts of springs, dampers, servos and tendons from `start`, and their implicit parts.
    fn find_springs(&mut self, step: &Step<'_>, start: &State, rolling: &RollingBodies) {
        let Step { world, input, h, .. } = *step;
        let model = &world.model;
        let Self {
            workspace: Workspace { tau, diagonal, .. }, mass, servos, implicit_forces, q_of_dof, ..
        } = self;
        diagonal.fill(0.0);
        // Springs have the share of their damper alone.
        let of_joint = |dof: usize, _| rolling.share(&[(dof, 1.0)], h * model.dofs[dof].damping, mass);
        actuators::add_passive(model, &start.q, &start.v, h, of_joint, tau, diagonal);
        let of_servo = |a: &Actuator| {
            rolling.share(&a.transmission, -h * (a.law.bias_velocity + h * a.law.bias_length), mass)
        };
        servos.evaluate(world, &input.control, [&start.q, &start.v], q_of_dof, h, of_servo);
        implicit_forces.clear();
        implicit_forces.extend(servos.rows());
        let of_tendon = |t: &Tendon| rolling.share(t.terms(), h * t.damping, mass);
        let at_start = [&start.q[..], &start.v];
        implicit_forces.extend(tendons::tendon_forces(world, at_start, q_of_dof, h, of_tendon));
    }

    /// Takes Coriolis forces of joints at the mean velocity of the step, v̄ = (v + v⁺)/2 with the impulses of the last step:
    /// the forces alone are iterated. Where these impulses are unknown, forces are those of v, and the part is solved again.
    fn turn_to_mean(&mut self, step: &Step<'_>, kin: &Kinematics, rolling: &RollingBodies) {
        if self.last_forces.is_empty() {
            return;
        }
        let Step { world, start: state, h, .. } = *step;
        let model = &world.model;
        let Self { workspace, factor, dv, last_forces, .. } = self;
        let Workspace { vel, rnea, tau, bias, mean, next_bias, by_last, change, .. } = workspace;
        by_last.iter_mut().zip(&*last_forces).for_each(|(x, f)| *x = h * f);
        lanes::plain(
            #[inline(always)]
            || factor.solve_in_place(by_last),
        );
        mean.copy_from_slice(&state.v);
        rolling.still_into(mean);
        let mut moved = false;
        for _ in 0..ROUNDS {
            let mut differs = 0.0_f64;
            for dof in rolling.dofs_of_joints() {
                let next = state.v[dof] + 0.5 * (dv[dof] + by_last[dof]);
                differs = differs.max((next - mean[dof]).abs());
                mean[dof] = next;
            }
            if differs <= STILL {
                break;
            }
            lanes::plain(
                #[inline(always)]
                || {
                    vel.update(model, kin, mean);
                    bias_into(model, kin, vel, rnea, next_bias);
                },
            );
            change.fill(0.0);
            for dof in rolling.dofs_of_joints() {
                let less = next_bias[dof] - bias[dof];
                tau[dof] -= less;
                change[dof] = -h * less;
                bias[dof] = next_bias[dof];
            }
            lanes::plain(
                #[inline(always)]
                || factor.solve_in_place(change),
            );
            dv.iter_mut().zip(&*change).for_each(|(dv, more)| *dv += more);
            moved = true;
        }
        if moved {
            self.v_free.iter_mut().zip(&state.v).zip(&self.dv).for_each(|((f, v), dv)| *f = v + dv);
        }
    }

    /// The inertia of bodies and rotors at `here`, and v as it is: at the instant of an impact finite forces
    /// change nothing.
    pub(crate) fn find_at_instant(
        &mut self,
        world: &World,
        state: &State,
        here: &Here,
    ) -> Result<(), String> {
        let Self { workspace: Workspace { crba, .. }, mass, factor, .. } = self;
        crba_into(&world.model, &here.kin, crba, mass);
        factor.factor(mass).map_err(|e| not_definite(world, e.dof))?;
        self.implicit_forces.clear();
        self.v_free.copy_from_slice(&state.v);
        self.dv.fill(0.0);
        motions_into(&world.model, &here.kin, &self.v_free, &mut self.motions);
        Ok(())
    }

    /// Velocities of which Coriolis forces are, of a step that is posed in its middle.
    pub(crate) fn mean_velocity(&self) -> &[f64] {
        &self.workspace.mean
    }

    /// Solves (2).
    fn solve(&mut self, world: &World, state: &State, h: f64) -> Result<(), String> {
        let model = &world.model;
        let Self { factor, mass, v_free, workspace, .. } = self;
        let factored = lanes::plain(
            #[inline(always)]
            || factor.factor(mass),
        );
        factored.map_err(|e| not_definite(world, e.dof))?;
        v_free.copy_from_slice(&workspace.tau);
        self.servos.add_efforts(&world.actuators, v_free);
        v_free.iter_mut().for_each(|t| *t *= h);
        lanes::plain(
            #[inline(always)]
            || factor.solve_in_place(v_free),
        );
        self.dv.copy_from_slice(&self.v_free);
        self.v_free.iter_mut().zip(&state.v).for_each(|(f, v)| *f += v);
        if let Some(dof) = self.v_free.iter().position(|v| !v.is_finite()) {
            let joint = &model.joints[model.dofs[dof].joint].name;
            return Err(format!("the free velocity of joint `{joint}` is {}", self.v_free[dof]));
        }
        Ok(())
    }

    /// v⁺ = v_f + M̂⁻¹ Jᵀ λ into `v_next`, what changes v first: forces and impulses that all but cancel
    /// leave no rounding of v.
    pub(crate) fn apply_into(&self, posed: &Posed, impulses: &[f64], v: &[f64], v_next: &mut [f64]) {
        v_next.fill(0.0);
        posed.jacobian.add_impulses_into(posed.problem.row_start(), impulses, v_next);
        lanes::plain(
            #[inline(always)]
            || self.factor.solve_in_place(v_next),
        );
        let changes = self.dv.iter().zip(v);
        v_next.iter_mut().zip(changes).for_each(|(next, (dv, v))| *next = v + (*next + dv));
    }

    /// h Q of a step to `v_next`: given forces, carried weight, actuators that are no rows, and
    /// dampers at the mean velocity.
    pub(crate) fn outer_impulses_into(
        &self,
        step: &Step<'_>,
        kin: &Kinematics,
        v_next: &[f64],
        out: &mut [f64],
    ) {
        let Step { world, input, start: state, h } = *step;
        out.fill(0.0);
        out.iter_mut().zip(&input.generalized).for_each(|(t, f)| *t += f);
        self.gravity_compensation.add(world, kin, out);
        self.servos.add_exerted(&world.actuators, &state.v, v_next, out);
        for (i, (tau, dof)) in out.iter_mut().zip(&world.model.dofs).enumerate() {
            *tau = h * (*tau - 0.5 * dof.damping * (state.v[i] + v_next[i]));
        }
    }

    /// Remembers the mean forces of the constraints in a step of h [s].
    pub(crate) fn remember_forces(&mut self, posed: &Posed, impulses: &[f64], h: f64) {
        self.last_forces.clear();
        self.last_forces.resize(self.v_free.len(), 0.0);
        posed.jacobian.add_impulses_into(posed.problem.row_start(), impulses, &mut self.last_forces);
        self.last_forces.iter_mut().for_each(|f| *f /= h);
    }

    /// Leaves out the trees that sleep.
    pub(crate) fn select(&mut self, here: &Here) {
        self.factor.select(here.kin.selected_dofs());
        for dofs in &here.asleep {
            for still in [&mut self.workspace.tau, &mut self.v_free, &mut self.dv] {
                still[dofs.clone()].fill(0.0);
            }
        }
    }

    /// Takes the numbers of a world that differs in inertias and gravity at most.
    pub(crate) fn take_numbers(&mut self, world: &World) {
        self.gravity_compensation = GravityCompensation::new(world);
    }
}

fn not_definite(world: &World, dof: usize) -> String {
    let joint = &world.model.joints[world.model.dofs[dof].joint].name;
    format!("the mass matrix is not positive definite at joint `{joint}`")
}
