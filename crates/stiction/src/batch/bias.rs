//! What is added to the free velocity of a contact along its normal, in lanes: (1) to (3'') of [`stiction_assembly`].

use super::lane::{max, min, truth};
use super::numbers::Numbers;
use super::plan::Plan;
use super::touch::Slot;
use stiction_assembly::coplanar::NEAR;
use stiction_assembly::stabilisation::{LEVEL, SHARED, TOUCH};
use stiction_dynamics::Real;

/// (1') of the assembly, or (1) or (2) where a face overlaps by more.
#[inline(always)]
pub(super) fn face_bias<T: Real>(plan: &Plan, slot: &Slot<T>) -> T {
    let Slot { gap, deepest, spread, .. } = *slot;
    let (zero, one, apart) = (gap.zero(), gap.one(), gap - deepest);
    let share = min(max(spread / gap.like(plan.coarser() * LEVEL) - one, zero), one);
    let share = T::select(gap.like(plan.coarser() * NEAR).less(apart), one, share);
    let bias = gap_bias(plan, deepest) + share * apart / gap.like(plan.h());
    let deep = deepest.less(-gap.like(SHARED));
    if T::any(deep) { T::select(deep, gap_bias(plan, gap), bias) } else { bias }
}

/// (1) and (2) of the assembly.
#[inline(always)]
pub(super) fn gap_bias<T: Real>(plan: &Plan, gap: T) -> T {
    let p = &plan.settings.stepper;
    let h = gap.like(p.dt);
    let touch = gap.like(plan.coarser() * TOUCH);
    let apart = gap / h * min(gap / touch - gap.one(), gap.one());
    let depth = max(-gap - gap.like(p.slop), gap.zero());
    let push = min(gap.like(p.baumgarte) * depth / h, gap.like(p.push_out_speed));
    T::select(touch.less(gap), apart, -push)
}

/// (3) and (3'') of the assembly where they hold, else `bias`; and 1 where the contact bounces in this step.
/// φ, ℓ/e: the gap, and how deep the two may overlap. J_N v, J_N v_f: the speeds before and without impulses.
#[inline(always)]
pub(super) fn bounce<T: Real>(
    plan: &Plan,
    numbers: &Numbers<T>,
    [gap, leeway]: [T; 2],
    [before, free]: [T; 2],
    restitution: T,
    bias: T,
) -> (T, T) {
    let (zero, one, h) = (gap.zero(), gap.one(), gap.like(plan.h()));
    let (half, two) = (gap.like(0.5), gap.like(2.0));
    let gravity = numbers.model.gravity.norm();
    let threshold = max(gap.like(plan.settings.stepper.restitution_threshold), two * h * gravity);
    let rough = zero.less(restitution);
    let fast = T::both(rough, before.less(-threshold));
    let gain = free - before;
    // Not in this step.
    let misses = T::both((h * threshold).less(gap), T::not((gap + half * h * (before + free)).less(zero)));
    let parts = T::both(rough, threshold.less(before));
    let later = T::both(rough, T::not(T::both(T::not(parts), T::not(misses))));
    let leeway = T::select(zero.less(gap), restitution * leeway, zero);
    let apart = max(max((gap + leeway) / h, restitution * before), -free);
    // After the share `met` of it.
    let above = max(gap, zero);
    let root = max(before * before - two * gain / h * above, zero).sqrt();
    let met = min(two * above / (h * (root - before)), one);
    let meeting = before + met * gain;
    let parting = (one - met) * gain - restitution * meeting;
    let off = T::both(zero.less(parting), T::not((parting - restitution * meeting).less(zero)));
    let now = T::both(T::both(fast, T::not(later)), off);
    let out = T::select(later, apart, bias);
    (T::select(now, -parting, out), T::select(now, one, truth(one, parts)))
}
