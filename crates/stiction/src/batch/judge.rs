//! The natural map of the exact law, lane by lane; it knows no solver.
//!
//! ```text
//!     e_i = ‖λ_i − P_K(λ_i − ρ_i (c_i + Γ(c_i)))‖ / ρ_i,   ρ_i = 1/‖A_i‖_F,   e = √Σ e_i²     [m/s]
//! ```
//!
//! never less than that of CONVENTIONS.md, whose ρ_i is larger. A lane without a block leaves it out.

use super::lane::{clamp, mask};
use super::rows::Rows;
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
        let squared = if block.dim == 3 {
            let (l, c) = (&lambda[block.row..block.row + 3], &c[block.row..block.row + 3]);
            contact(local.mu, local.norm, [l[0], l[1], l[2]], [c[0], c[1], c[2]])
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
