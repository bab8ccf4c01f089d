//! One contact by De Saxcé's fixed point.
//!
//! ```text
//!     λ ← P_K(λ − ρ (c + Γ(c))),   c = A λ + q,   ρ = 1/‖A‖_F              (1)  [DeSaxce1998]
//! ```
//!
//! until λ moves by less than rounding, at most [`MOST`] times: linear, the slower the more the eigenvalues of
//! A differ, and whatever it leaves is the next sweep's.

use super::Contact;
use stiction_contact::cone::{de_saxce, get, project_friction};
use stiction_contact::matrix3::mul;

/// Iterations of (1) per contact and sweep.
const MOST: u32 = 50;

/// The impulse (1) comes to, given the present impulse and velocity of the contact.
pub fn solve(contact: &Contact, lambda: [f64; 3], c: [f64; 3]) -> [f64; 3] {
    let q = contact.free_velocity(lambda, c);
    let rho = 1.0 / contact.norm;
    let mut l = get(&lambda);
    for _ in 0..MOST {
        let a = mul(&contact.a, l.to_array());
        let c = get(&[a[0] + q[0], a[1] + q[1], a[2] + q[2]]);
        let next = project_friction(l - (c + de_saxce(c, contact.mu)) * rho, contact.mu);
        let moved = (next - l).norm();
        l = next;
        if moved <= f64::EPSILON * l.norm() {
            break;
        }
    }
    l.to_array()
}
