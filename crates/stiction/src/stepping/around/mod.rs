//! Decorators: what may be done around a step of any stepper.
//!
//! | decorator | when | what it does |
//! |---|---|---|
//! | [`sleeping`] | islands at rest | leaves them out of the step until something touches them |
//! | [`halving`] | a step failed or did not converge | does it again in 2, 4, … parts |
//! | [`stop_at_impact`] | a contact bounces, or a fast body would pass through another | ends the step at the impact, and goes on from there |

pub(crate) mod certificates_at_rest;
pub(crate) mod halving;
pub(crate) mod islands_at_rest;
pub(crate) mod sleeping;
pub(crate) mod stop_at_impact;
