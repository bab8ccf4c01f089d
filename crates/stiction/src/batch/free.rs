//! The motion without contacts of as many environments as there are lanes: (1) and (2) of [`crate::stepping::time_stepping`].

use super::numbers::Numbers;
use super::plan::Plan;
pub(super) use crate::stepping::free_velocity::ROUNDS;
use crate::stepping::integrate::fast_rotation::{FAR, LOST};
use crate::stepping::integrate::rolling::{self, STILL};
use stiction_assembly::forces::tendons;
use stiction_assembly::laws::actuator::Effort;
use stiction_assembly::laws::spring::{damper, share, spring};
use stiction_dynamics::spatial::{Inertia, Sym3, Vec3, vec3};
use stiction_dynamics::{
    CrbaWorkspace, Factor, Kinematics, MassMatrix, Model, Real, RneaWorkspace, Velocities, bias_into,
    crba_into, motions_into,
};

/// Positions, velocities and the mass matrix with its implicit parts.
pub(super) struct Free<T> {
    pub(super) kin: Kinematics<T>,
    /// Of v; after [`Self::look_ahead`] of v_f.
    pub(super) vel: Velocities<T>,
    pub(super) factor: Factor<T>,
    pub(super) v_free: Vec<T>,
    rnea: RneaWorkspace<T>,
    crba: CrbaWorkspace<T>,
    mass: MassMatrix<T>,
    tau: Vec<T>,
    diagonal: Vec<T>,
    /// v̄, b at it and at the next v̄, and changes of v.
    mean: Vec<T>,
    bias: Vec<T>,
    next_bias: Vec<T>,
    change: Vec<T>,
    /// Change of v by the impulses of the last step, known once the rounds of v̄ have begun.
    by_last: Vec<T>,
    begun: bool,
    /// 1 in the lanes in which v̄ moves from round to round, and in which v_f is found.
    moving: T,
    found: T,
    /// Efforts of actuators without their limits, and those that they are expected to exert; see
    /// [`stiction_assembly::forces::effort_limits`].
    laws: Vec<Effort<T>>,
    efforts: Vec<Effort<T>>,
    /// Efforts of actuators that are rows, k = 0 where they are none.
    pub(super) rows: Vec<Effort<T>>,
    /// Efforts of tendons, which are rows.
    pub(super) tendons: Vec<Effort<T>>,
    /// Per actuator, 1 where it is a row of the constraint problem: see [`stiction_assembly::forces::effort_limits`].
    promoted: Vec<T>,
}

/// The step of as many environments as there are lanes: from q and v, posed at others in its middle.
pub(super) struct Start<'a, T> {
    pub(super) q: &'a [T],
    pub(super) v: &'a [T],
    pub(super) q_middle: &'a [T],
    pub(super) v_middle: &'a [T],
    pub(super) control: &'a [T],
    pub(super) force: &'a [T],
    /// Mean forces of the constraints in the last step.
    pub(super) last_forces: &'a [T],
}

impl<T: Real> Free<T> {
    pub(super) fn new(kind: T, plan: &Plan, model: &Model<T>) -> Self {
        let none = Effort { start: kind, implicit: kind };
        Self {
            kin: Kinematics::new(model),
            vel: Velocities::new(model),
            factor: Factor::new(model),
            v_free: vec![kind; model.nv()],
            rnea: RneaWorkspace::new(model),
            crba: CrbaWorkspace::new(model),
            mass: MassMatrix::new(model),
            tau: vec![kind; model.nv()],
            diagonal: vec![kind; model.nv()],
            mean: vec![kind; model.nv()],
            bias: vec![kind; model.nv()],
            next_bias: vec![kind; model.nv()],
            change: vec![kind; model.nv()],
            by_last: vec![kind; model.nv()],
            begun: false,
            moving: kind,
            found: kind,
            laws: vec![none; plan.world.actuators.len()],
            efforts: vec![none; plan.world.actuators.len()],
            rows: vec![none; plan.world.actuators.len()],
            tendons: vec![none; plan.world.tendons.len()],
            promoted: vec![kind; plan.world.actuators.len()],
        }
    }

    /// The bodies of `model` have inertias of their own.
    #[inline(always)]
    pub(super) fn set_inertias(&mut self, model: &Model<T>) {
        self.kin.set_inertias(model);
    }

    /// M̂, and the forces without constraints at v.
    #[inline(always)]
    pub(super) fn find_forces(&mut self, plan: &Plan, numbers: &Numbers<T>, of: &Start<'_, T>) {
        let (model, h) = (&numbers.model, of.q[0].like(plan.h()));
        self.kin.update(model, of.q_middle);
        self.mean.copy_from_slice(of.v_middle);
        // Flights turn bodies.
        for (b, _) in &plan.flying_bodies {
            self.mean[model.bodies[*b].dofs.clone()].fill(h.zero());
        }
        (self.moving, self.found, self.begun) = (h.one(), h.zero(), false);
        self.vel.update(model, &self.kin, &self.mean);
        bias_into(model, &self.kin, &self.vel, &mut self.rnea, &mut self.bias);
        crba_into(model, &self.kin, &mut self.crba, &mut self.mass);
        for ((tau, bias), force) in self.tau.iter_mut().zip(&self.bias).zip(of.force) {
            *tau = *force - *bias;
        }
        self.add_passive(model, of.q, of.v, h);
        self.evaluate(plan, numbers, of, h);
        self.pull(plan, of, h);
        for (i, diagonal) in self.diagonal.iter().enumerate() {
            self.mass.add_diagonal(i, *diagonal);
        }
        for (a, effort) in plan.world.actuators.iter().zip(&self.efforts) {
            let (dof, c) = a.transmission[0];
            self.mass.add_diagonal(dof, effort.inertia(h.like(c), h));
        }
    }

    /// The lanes in which v_f is finite, and nothing turns too far.
    #[inline(always)]
    pub(super) fn is_sound(&self, plan: &Plan, v: &[T]) -> T::Mask {
        let h = v[0].like(plan.h());
        let mut sound = T::not(h.like(FAR).less(farthest(plan, v, h)));
        for v in &self.v_free {
            sound = T::both(sound, v.finite());
        }
        sound
    }

    /// 1 in the lanes in which a joint of a tree with servos or springs turns too far by the velocities at the end of
    /// the step.
    #[inline(always)]
    pub(super) fn is_lost(&self, plan: &Plan, v_next: &[T], kind: T) -> T {
        let (h, mut farthest) = (kind.like(plan.h()), kind);
        for &i in &plan.driven {
            farthest = farthest.max((h * v_next[i]).abs());
        }
        kind.truth(kind.like(LOST).less(farthest))
    }

    /// A round of the mean velocity of the step, of which Coriolis forces of joints are, with the impulses of the last
    /// step, as [`crate::stepping::free_velocity`] does; false if it was the last.
    #[inline(always)]
    pub(super) fn turn_to_mean(&mut self, plan: &Plan, model: &Model<T>, of: &Start<'_, T>) -> bool {
        if plan.joint_dofs.is_empty() {
            return false;
        }
        let Self {
            kin,
            vel,
            factor,
            v_free,
            rnea,
            tau,
            bias,
            next_bias,
            mean,
            by_last,
            change,
            moving,
            begun,
            ..
        } = self;
        let h = of.v[0].like(plan.h());
        if !std::mem::replace(begun, true) {
            for (x, f) in by_last.iter_mut().zip(of.last_forces) {
                *x = h * *f;
            }
            factor.solve_in_place(by_last);
        }
        let mut differs = h.zero();
        for &dof in &plan.joint_dofs {
            let v = of.v_middle[dof];
            let next = v + h.like(0.5) * ((v_free[dof] - v) + by_last[dof]);
            let next = T::select(moving.mask(), next, mean[dof]);
            differs = differs.max((next - mean[dof]).abs());
            mean[dof] = next;
        }
        *moving *= h.truth(h.like(STILL).less(differs));
        if !T::any(moving.mask()) {
            return false;
        }
        vel.update(model, kin, mean);
        bias_into(model, kin, vel, rnea, next_bias);
        for x in change.iter_mut() {
            *x = h.zero();
        }
        for &dof in &plan.joint_dofs {
            let less = T::select(moving.mask(), next_bias[dof] - bias[dof], h.zero());
            tau[dof] -= less;
            change[dof] = -(h * less);
            bias[dof] += less;
        }
        factor.solve_in_place(change);
        for (v, more) in v_free.iter_mut().zip(&*change) {
            *v += *more;
        }
        true
    }

    /// What will meet depends on how the bodies would go on.
    #[inline(always)]
    pub(super) fn look_ahead(&mut self, model: &Model<T>) {
        motions_into(model, &self.kin, &self.v_free, &mut self.vel.V);
    }

    /// [`Self::vel`] is that of `v`.
    #[inline(always)]
    pub(super) fn move_by(&mut self, model: &Model<T>, v: &[T]) {
        motions_into(model, &self.kin, v, &mut self.vel.V);
    }

    /// Springs and dampers.
    #[inline(always)]
    fn add_passive(&mut self, model: &Model<T>, q: &[T], v: &[T], h: T) {
        let Self { mass, tau, diagonal, .. } = self;
        let theta = |i: usize| share(h * model.dofs[i].damping / mass.row(i)[0]);
        for (i, dof) in model.dofs.iter().enumerate() {
            diagonal[i] = h.zero();
            if T::any(h.zero().less(dof.damping)) {
                let damper = damper(dof.damping, v[i], h, theta(i));
                tau[i] += damper.effort;
                diagonal[i] = damper.inertia;
            }
        }
        for joint in model.joints.iter().filter(|j| j.kind.is_scalar()) {
            let (i, k) = (joint.idx_v, joint.stiffness);
            if T::any(h.zero().less(k)) {
                let spring = spring(k, q[joint.idx_q] - joint.spring_rest, v[i], h, theta(i));
                tau[i] += spring.effort;
                diagonal[i] += spring.inertia;
            }
        }
    }

    /// The efforts of actuators: (1) of [`stiction_assembly::laws::actuator`].
    #[inline(always)]
    fn evaluate(&mut self, plan: &Plan, numbers: &Numbers<T>, of: &Start<'_, T>, h: T) {
        let actuators = plan.world.actuators.iter().zip(&numbers.actuators).zip(of.control);
        for (i, ((a, law), control)) in actuators.enumerate() {
            let (mut length, mut rate, mut inverse) = (h.zero(), h.zero(), h.zero());
            for &(dof, c) in &a.transmission {
                let c = h.like(c);
                length += c * of.q[plan.q_of_dof[dof]];
                rate += c * of.v[dof];
                inverse += c * c / self.mass.row(dof)[0];
            }
            let [damping, stiffness] = law.damping_and_stiffness(h);
            let effort = law.at_share(*control, length, rate, h, share((damping + stiffness) * inverse));
            self.laws[i] = effort;
            let row = T::both(h.zero().less(effort.implicit), self.promoted[i].mask());
            let zero = Effort { start: h.zero(), implicit: h.zero() };
            self.efforts[i] = Effort::select(row, zero, effort);
            self.rows[i] = Effort::select(row, effort, zero);
        }
    }

    /// The efforts of tendons.
    #[inline(always)]
    fn pull(&mut self, plan: &Plan, of: &Start<'_, T>, h: T) {
        for (tendon, effort) in plan.world.tendons.iter().zip(&mut self.tendons) {
            let (mut length, mut rate, mut inverse) = (h.zero(), h.zero(), h.zero());
            for &(dof, c) in tendon.terms() {
                let c = h.like(c);
                length += c * of.q[plan.q_of_dof[dof]];
                rate += c * of.v[dof];
                inverse += c * c / self.mass.row(dof)[0];
            }
            let law = tendons::law(tendon).cast(h);
            *effort = law.effort_at_share(length, rate, h, share(h * law.damping * inverse));
        }
    }

    /// Mean forces of the constraints, whose impulses change v by `change` [N or N·m].
    #[inline(always)]
    pub(super) fn forces(&self, plan: &Plan, change: &[T], out: &mut [T]) {
        self.mass.mul_into(change, out);
        for f in out.iter_mut() {
            *f *= f.like(1.0 / plan.h());
        }
    }

    /// All impulses but weight and bias on the dofs of free roots, where constraints have the mean `forces` and v changes to `v_next`.
    #[inline(always)]
    pub(super) fn impulses(
        &self,
        plan: &Plan,
        model: &Model<T>,
        of: &Start<'_, T>,
        (forces, v_next): (&[T], &[T]),
        out: &mut [T],
    ) {
        let h = forces[0].like(plan.h());
        for (i, (out, dof)) in out.iter_mut().zip(&model.dofs).enumerate() {
            let damper = h.like(0.5) * dof.damping * (of.v[i] + v_next[i]);
            *out = h * (of.force[i] + forces[i] - damper);
        }
        for (a, effort) in plan.world.actuators.iter().zip(&self.efforts) {
            for &(dof, c) in &a.transmission {
                let (c, change) = (h.like(c), v_next[dof] - of.v[dof]);
                out[dof] += h * c * effort.start - effort.inertia(c, h) * change;
            }
        }
    }

    /// v_f where it is not found yet, and where M̂ is positive definite.
    #[inline(always)]
    pub(super) fn solve(&mut self, plan: &Plan, v: &[T], h: T) -> T::Mask {
        let failed = self.factor.factor(&self.mass).map_or_else(|e| e.lanes, |()| 0);
        let mut sound = h.one();
        for lane in 0..T::LANES {
            if failed >> lane & 1 == 1 {
                sound = sound.with_lane(lane, 0.0);
            }
        }
        self.change.copy_from_slice(&self.tau);
        for (a, effort) in plan.world.actuators.iter().zip(&self.efforts) {
            for &(dof, c) in &a.transmission {
                self.change[dof] += h.like(c) * effort.start;
            }
        }
        for x in &mut self.change {
            *x *= h;
        }
        self.factor.solve_in_place(&mut self.change);
        for ((x, change), v) in self.v_free.iter_mut().zip(&self.change).zip(v) {
            *x = T::select(self.found.mask(), *x, *change + *v);
        }
        self.found = h.one();
        sound.mask()
    }

    /// Efforts beyond their limit stay there, and v_f is to be found again; true if there are any.
    #[inline(always)]
    pub(super) fn saturate(&mut self, plan: &Plan, numbers: &Numbers<T>, v: &[T], h: T) -> bool {
        let mut any = false;
        for (i, (a, law)) in plan.world.actuators.iter().zip(&numbers.actuators).enumerate() {
            let (dof, c) = (a.transmission[0].0, h.like(a.transmission[0].1));
            let effort = self.efforts[i];
            let (saturated, beyond) = effort.saturated(law.effort_range, c * (self.v_free[dof] - v[dof]));
            if T::any(beyond) {
                self.mass.add_diagonal(dof, -T::select(beyond, effort.inertia(c, h), h.zero()));
                self.efforts[i] = saturated;
                self.found = T::select(beyond, h.zero(), self.found);
                any = true;
            }
        }
        any
    }

    /// Which servos are rows in the step to come: a bit per lane for each actuator; none if empty. Those on several dofs
    /// always are.
    #[inline(always)]
    pub(super) fn start(&mut self, plan: &Plan, promoted: &[u32]) {
        for (i, row) in self.promoted.iter_mut().enumerate() {
            if plan.world.actuators[i].transmission.len() > 1 {
                *row = row.one();
                continue;
            }
            let bits = promoted.get(i).map_or(0, |bits| *bits);
            *row = row.zero();
            if bits != 0 {
                for lane in (0..T::LANES).filter(|lane| bits >> lane & 1 == 1) {
                    *row = row.with_lane(lane, 1.0);
                }
            }
        }
    }

    /// 1 in the lanes in which `v_next` belies what servos were expected to do: those become rows.
    #[inline(always)]
    pub(super) fn promote(&mut self, plan: &Plan, numbers: &Numbers<T>, v: &[T], v_next: &[T], here: T) -> T {
        let (zero, rounding) = (here.zero(), here.like(plan.rounding()));
        let mut belied = zero;
        for (i, (a, law)) in plan.world.actuators.iter().zip(&numbers.actuators).enumerate() {
            let (dof, c) = a.transmission[0];
            let change = zero.like(c) * (v_next[dof] - v[dof]);
            let wrong = self.laws[i].belies(&self.efforts[i], law.effort_range, change, rounding);
            let wrong = T::both(T::both(wrong, T::not(self.promoted[i].mask())), here.mask());
            if T::any(wrong) {
                belied = T::select(wrong, zero.one(), belied);
                self.promoted[i] = T::select(wrong, zero.one(), self.promoted[i]);
            }
        }
        belied
    }

    /// Which servos stay rows: those still at their limits at the end of the step, in the `good` lanes.
    #[inline(always)]
    pub(super) fn commit(
        &self,
        plan: &Plan,
        numbers: &Numbers<T>,
        v: &[T],
        v_next: &[T],
        good: T,
        out: &mut Vec<u32>,
    ) {
        let zero = good.zero();
        for (i, (a, law)) in plan.world.actuators.iter().zip(&numbers.actuators).enumerate() {
            if !T::any(self.promoted[i].mask()) || a.transmission.len() > 1 {
                continue;
            }
            let (dof, c) = a.transmission[0];
            let (_, beyond) = self.laws[i].saturated(law.effort_range, zero.like(c) * (v_next[dof] - v[dof]));
            let stays = zero.truth(T::both(beyond, T::both(self.promoted[i].mask(), good.mask())));
            out.resize(plan.world.actuators.len(), 0);
            for lane in (0..T::LANES).filter(|&lane| stays.lane(lane) == 1.0) {
                out[i] |= 1 << lane;
            }
        }
    }
}

/// The farthest that anything turns in a step [rad], where a joint or body that turns too far is infinitely far.
#[inline(always)]
fn farthest<T: Real>(plan: &Plan, v: &[T], h: T) -> T {
    let mut farthest = h.zero();
    for &i in &plan.turning {
        farthest = farthest.max((h * v[i]).abs());
    }
    for (b, _) in &plan.flying_bodies {
        let i = plan.world.model.bodies[*b].dofs.start + 3;
        let turn = h * vec3(v[i], v[i + 1], v[i + 2]).norm();
        let far = T::not(turn.less(h.like(rolling::FAR)));
        farthest = T::select(far, h.like(f64::INFINITY), farthest);
    }
    farthest
}

/// Moves free bodies for t [s] without weight, lane by lane.
#[inline(always)]
pub(super) fn fly<T: Real>(plan: &Plan, model: &Model<T>, [q, v]: [&mut [T]; 2], t: f64) {
    for (b, body) in &plan.flying_bodies {
        let (i, k, I) = (body.idx_v, body.idx_q, &model.bodies[*b].inertia);
        for lane in 0..T::LANES {
            let body = body.with_inertia(&inertia_of(I, lane));
            let at = std::array::from_fn::<_, 7, _>(|j| q[k + j].lane(lane));
            let moves = std::array::from_fn::<_, 6, _>(|j| v[i + j].lane(lane));
            let [q_next, v_next] = body.flight([&at[..], &moves[..]], t);
            for (x, next) in q[k..k + 7].iter_mut().zip(q_next) {
                *x = x.with_lane(lane, next);
            }
            for (x, next) in v[i..i + 6].iter_mut().zip(v_next) {
                *x = x.with_lane(lane, next);
            }
        }
    }
}

/// Inertia of one lane.
fn inertia_of<T: Real>(I: &Inertia<T>, lane: usize) -> Inertia {
    let number = |x: T| x.lane(lane);
    let first = Vec3::from([I.first.x, I.first.y, I.first.z].map(number));
    let s = &I.second;
    let [xx, yy, zz] = [s.xx, s.yy, s.zz].map(number);
    let [xy, xz, yz] = [s.xy, s.xz, s.yz].map(number);
    Inertia { mass: number(I.mass), first, second: Sym3 { xx, yy, zz, xy, xz, yz } }
}
