//! Springs and dampers of tendons, whose length l = cᵀq several joints share.
//!
//! ```text
//!     e = e₀ − k (l̇⁺ − l̇),   e₀ = −K (s + h l̇) − D l̇,   k = h K + D                                  (1)
//! ```
//!
//! s is how far l is out of the range in which the spring is slack.

use crate::forces::{Effort, ImplicitForce};
use stiction_models::{Tendon, World};

/// (1), of every tendon that pulls.
pub fn tendon_forces<'a>(
    world: &'a World,
    q: &'a [f64],
    v: &'a [f64],
    q_of_dof: &'a [usize],
    h: f64,
) -> impl Iterator<Item = (ImplicitForce, Effort)> + 'a {
    let effort = move |t: &Tendon| {
        let (length, rate) = length_and_rate(t.terms(), q, v, q_of_dof);
        let stretch = t.stretch(length);
        let always = t.slack.is_some_and(|[low, high]| low == high);
        let K = if stretch != 0.0 || always { t.stiffness } else { 0.0 };
        let start = -K * (stretch + h * rate) - t.damping * rate;
        Effort { start, implicit: h * K + t.damping }
    };
    let tendons = world.tendons.iter().enumerate().filter(|(_, t)| !t.terms().is_empty());
    tendons.map(move |(i, t)| (ImplicitForce::Tendon(i), effort(t))).filter(|(_, e)| e.implicit > 0.0)
}

/// l, and its rate at v [m, m/s].
pub(crate) fn length_and_rate(
    terms: &[(usize, f64)],
    q: &[f64],
    v: &[f64],
    q_of_dof: &[usize],
) -> (f64, f64) {
    terms
        .iter()
        .fold((0.0, 0.0), |(length, rate), &(dof, c)| (length + c * q[q_of_dof[dof]], rate + c * v[dof]))
}
