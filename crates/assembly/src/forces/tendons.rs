//! Springs and dampers of tendons, whose length l = cᵀq several joints share: (3) of [`crate::laws::spring`].

use crate::forces::{Effort, ImplicitForce};
use crate::laws::spring::TendonSpring;
use stiction_world::{Tendon, World};

/// The law of a tendon's spring and damper.
pub fn law(t: &Tendon) -> TendonSpring {
    let slack = t.slack.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    TendonSpring { stiffness: t.stiffness, damping: t.damping, slack }
}

/// The efforts of every tendon that pulls, at the share `theta` of a step of h [s].
pub fn tendon_forces<'a>(
    world: &'a World,
    [q, v]: [&'a [f64]; 2],
    q_of_dof: &'a [usize],
    h: f64,
    theta: impl Fn(&Tendon) -> f64 + 'a,
) -> impl Iterator<Item = (ImplicitForce, Effort)> + 'a {
    let effort = move |t: &Tendon| {
        let (length, rate) = length_and_rate(t.terms(), q, v, q_of_dof);
        law(t).effort_at_share(length, rate, h, theta(t))
    };
    let tendons = world.tendons.iter().enumerate().filter(|(_, t)| !t.terms().is_empty());
    tendons.map(move |(i, t)| (ImplicitForce::Tendon(i), effort(t))).filter(|(_, e)| e.implicit > 0.0)
}

/// l, and its rate at v [m, m/s].
pub fn length_and_rate(terms: &[(usize, f64)], q: &[f64], v: &[f64], q_of_dof: &[usize]) -> (f64, f64) {
    terms
        .iter()
        .fold((0.0, 0.0), |(length, rate), &(dof, c)| (length + c * q[q_of_dof[dof]], rate + c * v[dof]))
}
