//! Rows along one or several scalar joints, in lanes: (4), (5) and couplings of [`stiction_assembly`], and (2) to (4) of
//! [`stiction_assembly::forces::tendons`].

use super::bias::gap_bias;
use super::free::Free;
use super::lane::{mask, max, min, truth};
use super::numbers::Numbers;
use super::plan::{Line, Plan};
use super::rows::{Key, Rows};
use stiction_dynamics::Real;
use stiction_solvers::lanes::LaneCone;

impl Line {
    /// Σ c x, x by dof.
    #[inline(always)]
    fn along<T: Real>(&self, zero: T, x: impl Fn(usize) -> T) -> T {
        let mut sum = zero;
        for &(dof, c) in &self.terms {
            sum += zero.like(c) * x(dof);
        }
        sum
    }
}

impl<T: Real> Rows<T> {
    /// (4) of the assembly, for scalar joints.
    #[inline(always)]
    pub(super) fn push_limits(&mut self, plan: &Plan, free: &Free<T>, [q, v]: [&[T]; 2], sound: T) {
        let h = sound.like(plan.h());
        for &(joint, [lo, hi]) in &plan.limits {
            let j = &plan.world.model.joints[joint];
            let dof = j.idx_v;
            let v_free = free.v_free[dof];
            let reach = sound.like(plan.settings.stepper.margin) + (h + h) * max(v_free.abs(), v[dof].abs());
            let x = q[j.idx_q];
            for (side, sign, gap) in [(0, 1.0, x - sound.like(lo)), (1, -1.0, sound.like(hi) - x)] {
                let near = T::not(reach.less(gap));
                if T::any(T::both(near, mask(sound))) {
                    let active = truth(sound, near) * sound;
                    let cone = LaneCone::row([sound.zero(), sound.like(f64::INFINITY)], active);
                    let bias = gap_bias(plan, gap);
                    self.note_depth(plan, bias, active);
                    let bias = max(bias, h.zero());
                    let g = sound.like(sign) * v_free + bias;
                    self.gaps.push(bias);
                    self.push_scalar(
                        plan,
                        free,
                        Key::Limit { joint, side },
                        (dof, sign),
                        [g, g.zero()],
                        cone,
                    );
                }
            }
        }
    }

    /// (5) of the assembly.
    #[inline(always)]
    pub(super) fn push_dry_friction(&mut self, plan: &Plan, numbers: &Numbers<T>, free: &Free<T>, sound: T) {
        for (dof, numbers) in numbers.model.dofs.iter().enumerate() {
            let rough = sound.zero().less(numbers.friction);
            if T::any(rough) {
                let bound = sound.like(plan.h()) * numbers.friction;
                let cone = LaneCone::row([-bound, bound], truth(sound, rough) * sound);
                let g = [free.v_free[dof], bound.zero()];
                self.gaps.push(bound.zero());
                self.push_scalar(plan, free, Key::Dry { dof }, (dof, 1.0), g, cone);
            }
        }
    }

    #[inline(always)]
    pub(super) fn push_scalar(
        &mut self,
        plan: &Plan,
        free: &Free<T>,
        key: Key,
        (dof, sign): (usize, f64),
        [g, compliance]: [T; 2],
        cone: LaneCone<T>,
    ) {
        let (first, begin) = (self.W.len(), self.supports.len());
        for &d in &plan.chains[dof] {
            self.supports.push(d);
            self.W.push(if d == dof { g.like(sign) } else { g.zero() });
        }
        let support = (begin, self.supports.len());
        self.push_row(free, key, (first, support, Some(dof)), [g, compliance], cone);
    }

    /// A row along `sign` times a line.
    #[inline(always)]
    pub(super) fn push_line(
        &mut self,
        free: &Free<T>,
        key: Key,
        (line, sign): (&Line, f64),
        [g, compliance]: [T; 2],
        cone: LaneCone<T>,
    ) {
        let (first, begin) = (self.W.len(), self.supports.len());
        for &(dof, c) in &line.support {
            self.supports.push(dof);
            self.W.push(g.like(sign * c));
        }
        let support = (begin, self.supports.len());
        self.push_row(free, key, (first, support, line.tip), [g, compliance], cone);
    }

    #[inline(always)]
    pub(super) fn push_couplings(&mut self, plan: &Plan, free: &Free<T>, q: &[T], sound: T) {
        let (zero, stepper) = (sound.zero(), &plan.settings.stepper);
        for (index, (line, offset)) in plan.couplings.iter().enumerate() {
            let error = line.along(zero, |dof| q[plan.q_of_dof[dof]]) - zero.like(*offset);
            let rate = line.along(zero, |dof| free.v_free[dof]);
            let g = rate + zero.like(stepper.baumgarte / stepper.dt) * error;
            let cone = LaneCone::row([zero.like(f64::NEG_INFINITY), zero.like(f64::INFINITY)], sound);
            self.gaps.push(zero);
            self.push_line(free, Key::Coupling { index }, (line, 1.0), [g, zero], cone);
        }
    }

    /// Springs and dampers, limits, and dry friction.
    #[inline(always)]
    pub(super) fn push_tendons(&mut self, plan: &Plan, free: &Free<T>, [q, v]: [&[T]; 2], sound: T) {
        let (zero, one) = (sound.zero(), sound.one());
        let (h, infinite) = (zero.like(plan.h()), zero.like(f64::INFINITY));
        let tendons = || {
            plan.world.tendons.iter().zip(&plan.tendons).enumerate().filter(|(_, (_, l))| !l.terms.is_empty())
        };
        for (tendon, (t, line)) in tendons().filter(|(_, (t, _))| t.stiffness > 0.0 || t.damping > 0.0) {
            let length = line.along(zero, |dof| q[plan.q_of_dof[dof]]);
            let (rate, next) = (line.along(zero, |dof| v[dof]), line.along(zero, |dof| free.v_free[dof]));
            let mut stretch = zero;
            if let Some([low, high]) = t.slack {
                stretch = max(length - zero.like(high), zero) + min(length - zero.like(low), zero);
            }
            let always = t.slack.is_some_and(|[low, high]| low == high);
            let taut = if always { one } else { truth(zero, zero.less(stretch.abs())) };
            let K = taut * zero.like(t.stiffness);
            let start = -(K * (stretch + h * rate)) - zero.like(t.damping) * rate;
            let k = h * K + zero.like(t.damping);
            let there = zero.less(k);
            if T::any(there) {
                // Where it is none any number does, but it has to be one.
                let k = T::select(there, k, one);
                let cone = LaneCone::row([-infinite, infinite], truth(zero, there) * sound);
                let g = next - rate - start / k;
                self.gaps.push(zero);
                self.push_line(free, Key::Pull { tendon }, (line, 1.0), [g, one / (h * k)], cone);
            }
        }
        for (tendon, (t, line)) in tendons() {
            let Some([low, high]) = t.limit else { continue };
            let length = line.along(zero, |dof| q[plan.q_of_dof[dof]]);
            let (now, next) = (line.along(zero, |dof| v[dof]), line.along(zero, |dof| free.v_free[dof]));
            let reach = zero.like(plan.settings.stepper.margin) + (h + h) * max(next.abs(), now.abs());
            for (side, sign, gap) in [(0, 1.0, length - zero.like(low)), (1, -1.0, zero.like(high) - length)]
            {
                let near = T::not(reach.less(gap));
                if T::any(T::both(near, mask(sound))) {
                    let bias = gap_bias(plan, gap);
                    let active = truth(zero, near) * sound;
                    self.note_depth(plan, bias, active);
                    let bias = max(bias, zero);
                    let cone = LaneCone::row([zero, infinite], active);
                    let g = zero.like(sign) * next + bias;
                    self.gaps.push(bias);
                    self.push_line(free, Key::Stop { tendon, side }, (line, sign), [g, zero], cone);
                }
            }
        }
        for (tendon, (t, line)) in tendons().filter(|(_, (t, _))| t.friction > 0.0) {
            let bound = h * zero.like(t.friction);
            let g = line.along(zero, |dof| free.v_free[dof]);
            let cone = LaneCone::row([-bound, bound], sound);
            self.gaps.push(zero);
            self.push_line(free, Key::Drag { tendon }, (line, 1.0), [g, zero], cone);
        }
    }
}
