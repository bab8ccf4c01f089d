//! A problem as formats of others can say it: contacts with friction, and bilateral rows where they have them.
//!
//! R joins the diagonal of W, which changes no velocity. A limit becomes a contact without friction: its
//! tangents couple to nothing, have the diagonal of its row and velocity 0, so their impulses are 0.

use super::Format;
use super::neutral::{Entries, Neutral};
use stiction_contact::cone::Cone;
use stiction_contact::problem::ConstraintProblem;

/// u = W r + q over contacts of three rows, normal first, and then `bilateral` rows with u = 0.
#[derive(Debug)]
pub(super) struct Plain {
    pub(super) name: String,
    pub(super) mu: Vec<f64>,
    pub(super) bilateral: usize,
    pub(super) w: Entries,
    pub(super) q: Vec<f64>,
    pub(super) impulses: Option<Vec<f64>>,
}

impl Plain {
    /// A sentence where the problem has rows that `bilateral` (whether bilateral rows can be said) leaves out.
    pub(super) fn of(
        name: &str,
        problem: &ConstraintProblem,
        impulses: Option<&[f64]>,
        bilateral: bool,
    ) -> Result<Self, String> {
        let count = |of: fn(&Cone) -> bool| problem.cones().iter().filter(|c| of(c)).count();
        let boxes = count(|c| matches!(c, Cone::Box { .. }));
        let free = count(|c| matches!(c, Cone::Free));
        if boxes > 0 {
            return Err(format!("{boxes} bounded rows (dry friction, motors) cannot be said in this format"));
        }
        let patches = count(|c| matches!(c, Cone::Patch { .. }));
        if patches > 0 {
            return Err(format!("{patches} contacts that resist turning cannot be said in this format"));
        }
        if free > 0 && !bilateral {
            return Err(format!(
                "{free} bilateral rows cannot be said in this format, but in FCLIB's (.hdf5)"
            ));
        }
        let of = Neutral::of(name, problem, impulses);
        let (w, q) = of.local();
        let (mut w, q) = (w.clone(), q.to_vec());
        for (row, r) in of.compliance.iter().enumerate().filter(|(_, r)| **r != 0.0) {
            w.push((row, row, *r));
        }

        // Contacts, limits as contacts, bilateral rows.
        let (contacts, mut mu) = (3 * of.mu.len(), of.mu);
        let limits = of.scalar.iter().filter(|c| matches!(c, Cone::NonNegative)).count();
        let (mut limit, mut last) = (contacts, contacts + 3 * limits);
        let mut place: Vec<usize> = (0..contacts).collect();
        for cone in &of.scalar {
            let next = if matches!(cone, Cone::NonNegative) { &mut limit } else { &mut last };
            place.push(*next);
            *next += if matches!(cone, Cone::NonNegative) { 3 } else { 1 };
        }
        mu.resize(mu.len() + limits, 0.0);
        w.iter_mut().for_each(|(i, j, _)| (*i, *j) = (place[*i], place[*j]));
        for k in 0..limits {
            let normal = contacts + 3 * k;
            let diagonal: f64 = w.iter().filter(|e| (e.0, e.1) == (normal, normal)).map(|e| e.2).sum();
            let diagonal = if diagonal > 0.0 { diagonal } else { 1.0 };
            w.extend([(normal + 1, normal + 1, diagonal), (normal + 2, normal + 2, diagonal)]);
        }
        let scatter = |x: &[f64]| {
            let mut out = vec![0.0; last];
            place.iter().zip(x).for_each(|(&to, &x)| out[to] = x);
            out
        };
        let impulses = of.reference.map(|r| scatter(&r.impulses));
        Ok(Self { name: of.name, mu, bilateral: free, w, q: scatter(&q), impulses })
    }

    /// Rows of contacts.
    pub(super) fn contact_rows(&self) -> usize {
        3 * self.mu.len()
    }
}

/// Everything in `problem` that a file of `format` cannot express, one line each.
pub fn unsaid(format: Format, problem: &ConstraintProblem) -> Vec<String> {
    let mut out = Vec::new();
    if format == Format::Json {
        return out;
    }
    let limits = problem.cones().iter().filter(|c| matches!(c, Cone::NonNegative)).count();
    if limits > 0 {
        out.push(format!("{limits} limits are written as contacts without friction"));
    }
    if problem.compliance.iter().any(|r| *r != 0.0) {
        out.push("the compliance R is added to the diagonal of W".into());
    }
    if problem.primal.is_some() {
        out.push("M and J are left out".into());
    }
    if !problem.softness.is_empty() {
        out.push("what compliant laws read is left out".into());
    }
    if problem.time_step != 1.0 {
        out.push(format!("the time step of {} s is left out", problem.time_step));
    }
    out
}
