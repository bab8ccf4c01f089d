//! The natural map of the exact law, lane by lane; it knows no solver.
//!
//! ```text
//!     e_i = ‖λ_i − P_K(λ_i − ρ_i (c_i + Γ(c_i)))‖ / ρ_i,   ρ_i = 1/‖A_i‖_F,   e = √Σ e_i²     [m/s]
//! ```
//!
//! never less than that of CONVENTIONS.md, whose ρ_i is larger. A lane without a block leaves it out.

use super::lane::{clamp, mask};
use super::rows::Rows;
use stiction_contact::cone::MAX_ROWS;
use stiction_dynamics::Real;

/// c = (G + R) λ + g, and e.
#[inline(always)]
pub(super) fn natural_map<T: Real>(rows: &Rows<T>, lambda: &[T], c: &mut [T]) -> T {
    for ((c, G), g) in c.iter_mut().zip(rows.G.chunks_exact(rows.rows)).zip(&rows.g) {
        let mut sum = *g;
        for (G, lambda) in G.iter().zip(lambda) {
            sum += *G * *lambda;
        }
        *c = sum;
    }
    residual(rows, lambda, c)
}

/// e of given velocities.
#[inline(always)]
pub(super) fn residual<T: Real>(rows: &Rows<T>, lambda: &[T], c: &[T]) -> T {
    let Some(first) = lambda.first() else { unreachable!("asked only of problems with rows") };
    let mut sum = first.zero();
    for (block, local) in rows.blocks.iter().zip(&rows.locals) {
        let squared = if block.dim >= 3 {
            let rows = block.row..block.row + block.dim;
            let (l, c) = (&lambda[rows.clone()], &c[rows]);
            if block.dim == 3 {
                contact(local.mu, local.norm, [l[0], l[1], l[2]], [c[0], c[1], c[2]])
            } else {
                patch(local.mu, local.norm, l, c)
            }
        } else {
            let (l, c) = (lambda[block.row], c[block.row]);
            let target = l - c / local.norm;
            let projected = clamp(target, local.bounds);
            let inside = T::both(T::not(projected.less(target)), T::not(target.less(projected)));
            let e = T::select(inside, c, (l - projected) * local.norm);
            e * e
        };
        sum += T::select(mask(local.active), squared, sum.zero());
    }
    sum.sqrt()
}

/// e_i² of a contact.
#[inline(always)]
fn contact<T: Real>(mu: T, norm: T, l: [T; 3], c: [T; 3]) -> T {
    let (zero, one) = (mu.zero(), mu.one());
    // De Saxcé's correction.
    let corrected = [c[0], c[1], c[2] + mu * (c[0] * c[0] + c[1] * c[1]).sqrt()];
    let rho = one / norm;
    let x = [l[0] - rho * corrected[0], l[1] - rho * corrected[1], l[2] - rho * corrected[2]];
    let t = (x[0] * x[0] + x[1] * x[1]).sqrt();
    let inside = T::not((mu * x[2]).less(t));
    let polar = T::not((-x[2]).less(mu * t));
    // On the boundary: (μ s x_T/‖x_T‖, s).
    let s = (x[2] + mu * t) / (one + mu * mu);
    let scale = mu * s / T::select(zero.less(t), t, one);
    let mut moved = zero;
    for (k, projected) in [x[0] * scale, x[1] * scale, s].into_iter().enumerate() {
        let d = l[k] - T::select(polar, zero, projected);
        moved += d * d;
    }
    // λ − (λ − ρ ĉ) would lose ĉ to the rounding of a large λ.
    let stays = corrected[0] * corrected[0] + corrected[1] * corrected[1] + corrected[2] * corrected[2];
    let inside = T::both(inside, T::not(x[2].less(zero)));
    T::select(inside, stays, moved * norm * norm)
}

/// e_i² of a contact that resists turning. ρ ĉ + P_K°(x) is λ − P_K(x), but for what large λ_N would hide.
#[inline(always)]
fn patch<T: Real>(mu: T, norm: T, l: &[T], c: &[T]) -> T {
    let (zero, one) = (mu.zero(), mu.one());
    let rho = one / norm;
    let (mut x, mut speed, mut t) = ([zero; MAX_ROWS], zero, zero);
    for (k, (l, c)) in l.iter().zip(c).enumerate().filter(|(k, _)| *k != 2) {
        x[k] = *l - rho * *c;
        speed += *c * *c;
        t += x[k] * x[k];
    }
    // De Saxcé's correction.
    let normal = c[2] + mu * speed.sqrt();
    x[2] = l[2] - rho * normal;
    let t = t.sqrt();
    let inside = T::both(T::not((mu * x[2]).less(t)), T::not(x[2].less(zero)));
    let polar = T::not((-x[2]).less(mu * t));
    // On the boundary P_K°(x) = p (x_T/‖x_T‖, −μ).
    let p = (t - mu * x[2]) / (one + mu * mu);
    let scale = p / T::select(zero.less(t), t, one);
    let mut sum = zero;
    for (k, (l, c)) in l.iter().zip(c).enumerate() {
        let (c, beyond) = if k == 2 { (normal, -(mu * p)) } else { (*c, x[k] * scale) };
        let e = T::select(inside, c, T::select(polar, norm * *l, c + norm * beyond));
        sum += e * e;
    }
    sum
}
