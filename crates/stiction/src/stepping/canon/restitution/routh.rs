//! Routh's equation of one contact: velocities over the normal impulse, with Coulomb's friction all along.
//!
//! ```text
//!     dc/dλ_N = G_N − μ G_T c_T/‖c_T‖   while it slips,   c_T = 0 while friction can hold it                   (1)
//!     compression  to c_N = 0,   expansion to ∫ c_N dλ_N = −e² ∫ c_N dλ_N of the compression                 (2)
//! ```
//!
//! An increment takes friction from the mean slip, which is of the second order, and exact while the slip keeps its direction, as it does
//! in a plane; where the slip ends within an increment it is parted there. Both ends of (2) are met within an increment.

use super::Works;
use super::contacts::Contacts;
use nalgebra::DVector;

/// Bisections of the length of an increment.
const BISECTIONS: u32 = 60;
/// Increments, at most, of those that a compression without friction takes.
const MOST: u32 = 200;

/// (1) and (2): the impulses, and their works.
pub(super) fn hit(contacts: &Contacts, increments: u32) -> Result<(Vec<f64>, Works), String> {
    let normal = contacts.touching[0].normal;
    let e = contacts.touching[0].restitution;
    let (mut c, mut impulses) = (contacts.before.clone(), DVector::zeros(contacts.before.len()));
    let mut works = Works { share: 1.0, ..Works::default() };
    let length = -c[normal] / contacts.delassus[(normal, normal)] / f64::from(increments);
    let mut take = |c: &mut DVector<f64>, length: f64, works: &mut Works| {
        let step = increment(contacts, c, length);
        let after = &*c + &contacts.delassus * &step;
        contacts.add_works(works, (c, &after), &step);
        impulses += step;
        *c = after;
    };
    let velocity = |c: &DVector<f64>, length: f64| {
        c[normal] + (contacts.delassus.row(normal) * increment(contacts, c, length))[0]
    };
    let mut left = MOST.saturating_mul(increments);
    while c[normal] < 0.0 && left > 0 {
        left -= 1;
        let whole = until_slip_ends(contacts, &c, length);
        let ends = velocity(&c, whole) >= 0.0;
        let length = if ends { longest(whole, |x| velocity(&c, x) < 0.0) } else { whole };
        take(&mut c, length, &mut works);
        if ends {
            c[normal] = 0.0;
            break;
        }
    }
    let stored = -works.normal * e * e;
    let compressed = works.normal;
    while works.normal - compressed < stored && left > 0 {
        left -= 1;
        let whole = until_slip_ends(contacts, &c, length);
        let released = |x: f64| works.normal - compressed + 0.5 * (c[normal] + velocity(&c, x)) * x;
        let ends = released(whole) >= stored;
        let length = if ends { longest(whole, |x| released(x) < stored) } else { whole };
        take(&mut c, length, &mut works);
        if ends {
            break;
        }
    }
    if left == 0 {
        return Err("an impact by Stronge's law did not end".to_owned());
    }
    Ok((contacts.spread(&impulses, true), works))
}

/// The impulses of an increment of the normal impulse `length` at the velocity c: (1).
fn increment(contacts: &Contacts, c: &DVector<f64>, length: f64) -> DVector<f64> {
    let touching = &contacts.touching[0];
    let mut step = DVector::zeros(c.len());
    step[touching.normal] = length;
    contacts.frictional(c, &mut step);
    let Some([a, b]) = touching.tangents else { return step };
    let after = c + &contacts.delassus * &step;
    let mean = [0.5 * (c[a] + after[a]), 0.5 * (c[b] + after[b])];
    let (slip, friction) = (mean[0].hypot(mean[1]), touching.friction * length);
    let same_way = c[a] * after[a] + c[b] * after[b] > 0.0;
    if same_way && slip > 0.0 && step[a].hypot(step[b]) >= friction * (1.0 - 1e-9) {
        (step[a], step[b]) = (-friction * mean[0] / slip, -friction * mean[1] / slip);
    }
    step
}

/// `length`, or the part of it at which what slips comes to stick.
fn until_slip_ends(contacts: &Contacts, c: &DVector<f64>, length: f64) -> f64 {
    let touching = &contacts.touching[0];
    let Some([a, b]) = touching.tangents else { return length };
    let slips = |x: f64| {
        let mut step = DVector::zeros(c.len());
        step[touching.normal] = x;
        contacts.frictional(c, &mut step);
        step[a].hypot(step[b]) >= touching.friction * x * (1.0 - 1e-9)
    };
    let tiny = 1e-9 * length;
    if slips(length) || !slips(tiny) { length } else { longest(length, slips).max(tiny) }
}

/// The largest x up to `most` of which `holds` is true, where it is true of small ones.
fn longest(most: f64, holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, most);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        *(if holds(middle) { &mut low } else { &mut high }) = middle;
    }
    high
}
