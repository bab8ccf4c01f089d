//! Several contacts at once by Stronge's law: springs of one stiffness that are compressed and relax while positions stand still.
//!
//! ```text
//!     dF/dτ = −c_N of what approaches,   −c_N/e² of what parts,   F ≥ 0                                       (1)
//!     dc/dτ = G (F, friction by Coulomb's law)                                                                (2)
//! ```
//!
//! F²/2 is the energy in a spring: what of it was stored in compression comes back by e² [LiuZhaoBrogliato2008]. τ is time over the square root
//! of the stiffness, which does not matter. A contact with e = 0 keeps nothing. The impact has ended when all springs are relaxed and nothing
//! approaches that bounces; what is left approaching is hit again by the caller.

use super::Works;
use super::contacts::Contacts;
use nalgebra::DVector;
use std::f64::consts::PI;

/// Half-periods of the stiffest motion after which the impact must have ended.
const MOST: u32 = 2000;

/// (1) and (2): the impulses, and their works. A half-period of the stiffest motion has `increments` parts.
pub(super) fn hit(contacts: &Contacts, increments: u32) -> Result<(Vec<f64>, Works), String> {
    let n = contacts.before.len();
    let mut c = contacts.before.clone();
    let (mut impulses, mut step) = (DVector::zeros(n), DVector::zeros(n));
    let mut works = Works { share: 1.0, ..Works::default() };
    let mut forces = vec![0.0_f64; contacts.touching.len()];
    let stiffest: f64 = contacts.touching.iter().map(|t| contacts.delassus[(t.normal, t.normal)]).sum();
    let length = PI / stiffest.sqrt() / f64::from(increments);
    let slowest = contacts.touching.iter().fold(0.0_f64, |most, t| most.max(-c[t.normal])) * 1e-3;
    for _ in 0..MOST.saturating_mul(increments) {
        for (t, force) in contacts.touching.iter().zip(&mut forces) {
            let (u, e) = (c[t.normal], t.restitution);
            *force = match u < 0.0 {
                true => *force - length * u,
                false if e > 0.0 => (*force - length * u / (e * e)).max(0.0),
                false => 0.0,
            };
            step[t.normal] = *force * length;
            if let Some([a, b]) = t.tangents {
                let (most, size) = (t.friction * step[t.normal], step[a].hypot(step[b]));
                if size > most {
                    (step[a], step[b]) = (step[a] * most / size, step[b] * most / size);
                }
            }
        }
        if forces.iter().all(|f| *f == 0.0) {
            // What approaches by a thousandth of what did is left to the next round.
            if contacts.touching.iter().all(|t| c[t.normal] >= -slowest) {
                break;
            }
        }
        contacts.frictional(&c, &mut step);
        let after = &c + &contacts.delassus * &step;
        contacts.add_works(&mut works, (&c, &after), &step);
        impulses += &step;
        c = after;
    }
    if forces.iter().any(|f| *f > 0.0) {
        return Err("an impact of several contacts by Stronge's law did not end".to_owned());
    }
    Ok((contacts.spread(&impulses, true), works))
}
