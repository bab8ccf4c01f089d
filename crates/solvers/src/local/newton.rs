//! One contact by Newton's method on Alart and Curnier's equations [AlartCurnier1991].
//!
//! From the present impulse; where [`MOST`] steps do not end at rounding, the quartic answers.

use super::{Contact, quartic};
use crate::ncp_newton::{Block, Function, Slope};
use stiction_contact::Cone;
use stiction_contact::matrix3::{inverse, mul};

/// Newton steps per contact and sweep.
const MOST: u32 = 15;
/// ‖F‖ that counts as zero, of the largest impulse [–].
const ROUNDING: f64 = 1e-14;

/// The impulse, given the present impulse and velocity of the contact.
pub fn solve(contact: &Contact, lambda: [f64; 3], c: [f64; 3]) -> [f64; 3] {
    let a = &contact.a;
    let function = Function::AlartCurnier;
    let block = Block::new(0, Cone::Friction { mu: contact.mu }, a[8], a[0] + a[4]);
    let q = contact.free_velocity(lambda, c);
    let mut l = lambda;
    for _ in 0..MOST {
        let al = mul(a, l);
        let c: [f64; 3] = std::array::from_fn(|k| al[k] + q[k]);
        let f = block.value(function, 0.0, &l, &c);
        let size = l.iter().chain(&[q[2] / a[8]]).fold(0.0_f64, |m, x| m.max(x.abs()));
        if f.iter().all(|f| f.abs() <= ROUNDING * size) {
            Cone::Friction { mu: contact.mu }.project(&mut l);
            return l;
        }
        let Slope { by_velocity, by_impulse } = block.slope(function, 0.0, &l, &c);
        let matrix: [f64; 9] = std::array::from_fn(|e| {
            let (i, j) = (e / 3, e % 3);
            by_impulse[i][j] + (0..3).map(|k| by_velocity[i][k] * a[3 * k + j]).sum::<f64>()
        });
        let Some(inverse) = inverse(&matrix, 1e-14) else { break };
        let step = mul(&inverse, f);
        (0..3).for_each(|k| l[k] -= step[k]);
    }
    quartic::solve(contact, lambda, c)
}
