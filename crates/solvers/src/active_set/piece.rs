//! Pieces of the equations of [`super`], and those of the round laws.

use crate::local::Contact;
use stiction_contact::certificate::raisim_multipliers;
use stiction_contact::cone::{MAX_ROWS, project_friction};
use stiction_contact::{Law, pieces};

/// The piece a block is on, with what (2)–(5) of [`super`] need.
#[derive(Clone, Copy)]
pub(super) enum Piece {
    /// Δλ is known.
    Fixed,
    /// c = 0 in all rows.
    Stick,
    /// (3): e, q, μ, ρ_N, ρ_T, r.
    Slide { e: [f64; 2], q: f64, mu: f64, rho_n: f64, rho_t: f64, r: f64 },
    /// Weights of Δc and of Δλ/ρ, and the right-hand side, for ρ = 1/‖A‖_F: (6), (7) or (8).
    Linear { left: [[f64; 3]; 3], own: [[f64; 3]; 3], rhs: [f64; 3] },
    /// (3) in more than two tangential directions, e in the order of the rows.
    Turn { e: [f64; MAX_ROWS - 1], q: f64, mu: f64, rho_n: f64, rho_t: f64, r: f64 },
    /// Frictionless and closed.
    Closed,
}

/// (1)–(3).
pub(super) fn piece_of(a: &[f64; 9], mu: f64, l: [f64; 3], c: [f64; 3]) -> Piece {
    let rho_n = 1.0 / a[8];
    let rho_t = 1.0 / (a[0] + a[4]);
    let tau = [l[0] - rho_t * c[0], l[1] - rho_t * c[1], l[2] - rho_n * c[2]];
    match pieces::Piece::of(mu, &tau) {
        pieces::Piece::Open => Piece::Fixed,
        pieces::Piece::Closed => Piece::Closed,
        pieces::Piece::Sticks => Piece::Stick,
        pieces::Piece::Slides { size, radius: r } => {
            Piece::Slide { e: [tau[0] / size, tau[1] / size], q: r / size, mu, rho_n, rho_t, r }
        }
    }
}

/// The piece of the natural map of a law other than the exact one.
pub(super) fn ray_of(contact: &Contact, law: Law, l: [f64; 3], c: [f64; 3]) -> Piece {
    let (a, mu, rho) = (&contact.a, contact.mu, 1.0 / contact.norm);
    // ĉ and ĉ', which is I + A_N: ⊗ (μ e, 0)/(A_NN − μ e·A_NT) with e along c_T + γ A_NT.
    let mut corrected = c;
    let mut gradient = [0.0; 2];
    if law == Law::Raisim
        && let Some(gamma) = raisim_multipliers(a, mu, l.into(), c.into()).into_iter().flatten().next()
    {
        (0..3).for_each(|k| corrected[k] += gamma * a[6 + k]);
        let t = corrected[0].hypot(corrected[1]);
        if t > 0.0 {
            let e = [corrected[0] / t, corrected[1] / t];
            let bottom = a[8] - mu * (e[0] * a[6] + e[1] * a[7]);
            gradient = e.map(|e| if bottom > 0.0 { mu * e / bottom } else { 0.0 });
        }
    }
    let x: [f64; 3] = std::array::from_fn(|k| l[k] - rho * corrected[k]);
    let t = x[0].hypot(x[1]);
    if mu * t <= -x[2] {
        return Piece::Fixed;
    }
    if mu == 0.0 {
        return Piece::Closed;
    }
    if t <= mu * x[2] {
        return Piece::Stick;
    }
    // P(x) = a (μ e, 1) with a = (μ t + x_N)/(1 + μ²).
    let e = [x[0] / t, x[1] / t];
    let share = 1.0 / (1.0 + mu * mu);
    let turn = mu * (mu * t + x[2]) * share / t;
    let along = [mu * e[0] * share, mu * e[1] * share, share];
    let mut slope = [[0.0; 3]; 3];
    for k in 0..2 {
        for m in 0..3 {
            let across = if m == 2 { 0.0 } else { f64::from(u8::from(k == m)) - e[k] * e[m] };
            slope[k][m] = mu * e[k] * along[m] + turn * across;
        }
    }
    slope[2] = along;
    let mut chained = slope;
    for row in &mut chained {
        let normal: f64 = (0..3).map(|m| row[m] * a[6 + m]).sum();
        row[0] += normal * gradient[0];
        row[1] += normal * gradient[1];
    }
    let projected = project_friction(x.into(), mu).to_array();
    let rhs = std::array::from_fn(|k| (projected[k] - l[k]) / rho);
    let own = std::array::from_fn(|k| std::array::from_fn(|m| f64::from(u8::from(k == m)) - slope[k][m]));
    Piece::Linear { left: chained, own, rhs }
}
