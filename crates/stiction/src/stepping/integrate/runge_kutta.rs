//! The fifth order, for trees without stiff springs, dampers or servos.
//!
//! ```text
//!     k_i = f(y + h Σ_j a_ij k_j),   y⁺ = y + h Σ_i b_i k_i,   six stages                      (1)
//!     error estimate: v⁺ less the velocity of the fourth order that the same stages give        (2)
//! ```
//!
//! with f of [`super::system`] and a, b of [CashKarp1990]. Energy is kept to the fifth order where nothing is damped. A part
//! is not accurate where (2) is large, or where the energy grows by more than a share [`ENERGY`] that τ does not
//! explain: what is large for a heavy end of a chain of light links is little in its joints. Cost: six evaluations of
//! forward dynamics, O(nv) each, a part.

use super::system::System;
use stiction_dynamics::{kinetic_energy, potential_energy, spring_energy};

const STAGES: usize = 6;
/// a_ij of (1), the row of stage i + 1.
pub(super) const A: [&[f64]; STAGES - 1] = [
    &[0.2],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[0.3, -0.9, 1.2],
    &[-11.0 / 54.0, 2.5, -70.0 / 27.0, 35.0 / 27.0],
    &[1631.0 / 55_296.0, 175.0 / 512.0, 575.0 / 13_824.0, 44_275.0 / 110_592.0, 253.0 / 4096.0],
];
/// b_i of (1).
pub(super) const B: [f64; STAGES] = [37.0 / 378.0, 0.0, 250.0 / 621.0, 125.0 / 594.0, 0.0, 512.0 / 1771.0];
/// b_i less the weights of the fourth order, for (2).
const ESTIMATE: [f64; STAGES] = [
    37.0 / 378.0 - 2825.0 / 27_648.0,
    0.0,
    250.0 / 621.0 - 18_575.0 / 48_384.0,
    125.0 / 594.0 - 13_525.0 / 55_296.0,
    -277.0 / 14_336.0,
    512.0 / 1771.0 - 0.25,
];
/// (2) may be this share of the speed [–].
const TRUSTED: f64 = 1e-3;
/// Share of the energy in motion that a part may add without a cause, or lose where nothing is damped [–].
const ENERGY: f64 = 1e-6;
/// Rounding of a potential energy [–].
const ROUNDING: f64 = 1e-14;
/// Parts of a step, at most.
pub(super) const PARTS: u32 = 256;

/// (1) from q and v; whether that is accurate.
#[inline(always)]
pub(super) fn part(system: &mut System, h: f64) -> bool {
    let mut before = [0.0; 2];
    for stage in 0..STAGES {
        if stage > 0 {
            system.combine(A[stage - 1], h);
        }
        system.evaluate(stage);
        if stage == 0 {
            before = energy(system);
        }
    }
    system.combine(&B, h);
    system.is_small(&ESTIMATE, h, TRUSTED) && (!system.servos.is_empty() || keeps(system, before, h))
}

/// Kinetic energy, and potential energy with that of the springs, at the q and v that kinematics were last asked for [J].
#[inline(always)]
fn energy(system: &System) -> [f64; 2] {
    let model = system.model();
    [
        kinetic_energy(model, &system.kin, &system.vel, &system.v),
        potential_energy(model, &system.kin) + spring_energy(model, &system.q),
    ]
}

/// Whether the energy at the end of a part is that `before` it and what the efforts have done, up to [`ENERGY`].
#[inline(always)]
fn keeps(system: &mut System, [kinetic, potential]: [f64; 2], h: f64) -> bool {
    system.kin.update(&system.tree.model, &system.q);
    system.vel.update(&system.tree.model, &system.kin, &system.v);
    let after = energy(system);
    let (mut work, mut damped) = (0.0, false);
    for (i, (dof, tau)) in system.model().dofs.iter().zip(&system.applied).enumerate() {
        work += 0.5 * h * tau * (system.v0[i] + system.v[i]);
        damped |= dof.damping > 0.0;
    }
    let gained = after[0] - kinetic + (after[1] - potential) - work;
    let rounding = ROUNDING * (after[1].abs() + potential.abs());
    let allowed = ENERGY * (after[0] + kinetic + (after[1] - potential).abs() + work.abs()) + rounding;
    gained <= allowed && (damped || -gained <= allowed)
}
