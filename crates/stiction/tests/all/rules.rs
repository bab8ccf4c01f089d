//! Tests that hold by either rule of motion.

use std::cell::Cell;
use stiction::{MotionRule, StepperParams};

thread_local! {
    static RULE: Cell<MotionRule> = const { Cell::new(MotionRule::ByCase) };
}

/// Runs a test by both rules of motion.
pub(crate) fn by_both(test: impl Fn()) {
    for rule in [MotionRule::ByCase, MotionRule::Middle] {
        RULE.set(rule);
        test();
    }
}

/// `params` with the rule of [`by_both`].
pub(crate) fn ruled(params: StepperParams) -> StepperParams {
    StepperParams { motion: RULE.get(), ..params }
}

/// The value that holds by the rule of [`by_both`].
pub(crate) fn of_rule<T>(by_case: T, middle: T) -> T {
    if RULE.get() == MotionRule::Middle { middle } else { by_case }
}
