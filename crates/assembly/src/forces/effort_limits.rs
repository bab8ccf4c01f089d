//! Actuators of one step: which limits they reach, at the velocity that the step ends with.
//!
//! The effort of a servo at v⁺ is e = P(e₀ − k c·(v⁺ − v)), with P the projection on its limits. Where it acts on one
//! dof it is expected to be
//!
//! ```text
//!     within its limits at v_f     k is part of the mass matrix                                   (1)
//!     beyond them                  e is the limit                                                 (2)
//! ```
//!
//! Contacts, limits and loops may make it otherwise: a hand that closes on something reaches its limit only because
//! it is stopped. Where e at v⁺ belies (1) or (2), the step is solved again with the servo as a bounded row of the
//! constraint problem, which is exact; it stays a row while it is at its limit.

use super::ImplicitForce;
use super::actuators::{self, at_velocity, change, clamp, is_servo};
use crate::laws::actuator::Effort;
use stiction_dynamics::MassMatrix;
use stiction_world::{Actuator, World};

/// Efforts that differ by less than this share of them are the same [–].
const ROUNDING: f64 = 1e-9;

/// See the module.
#[derive(Clone, Debug)]
pub struct Servos {
    /// What every actuator would do without its limit.
    laws: Vec<Effort>,
    /// What it is expected to do: the same, or its limit.
    efforts: Vec<Effort>,
    /// It is a row in this step.
    row: Vec<bool>,
    /// It acts on one dof, and is a row until it leaves its limit.
    promoted: Vec<bool>,
    /// Times that this step was solved again.
    again: u32,
    /// Those on one dof, in order, and the others.
    drives: Vec<Drive>,
    others: Vec<usize>,
}

/// An actuator on one dof.
#[derive(Clone, Copy, Debug)]
struct Drive {
    index: usize,
    dof: usize,
    /// Its coefficient.
    c: f64,
    /// Of the effort, infinite where there is no limit.
    range: [f64; 2],
}

impl Drive {
    /// l̇⁺ − l̇.
    #[inline]
    fn change(&self, v: &[f64], v_next: &[f64]) -> f64 {
        self.c * (v_next[self.dof] - v[self.dof])
    }

    fn is_limited(&self) -> bool {
        self.range != [f64::NEG_INFINITY, f64::INFINITY]
    }
}

impl Servos {
    pub fn new(world: &World) -> Self {
        let n = world.actuators.len();
        let drive = |(index, a): (usize, &Actuator)| {
            let [(dof, c)] = a.transmission[..] else { return None };
            let range = a.effort_limit.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
            Some(Drive { index, dof, c, range })
        };
        Self {
            drives: world.actuators.iter().enumerate().filter_map(drive).collect(),
            others: (0..n).filter(|&i| world.actuators[i].transmission.len() != 1).collect(),
            laws: vec![Effort::default(); n],
            efforts: vec![Effort::default(); n],
            row: vec![false; n],
            promoted: vec![false; n],
            again: 0,
        }
    }

    /// The efforts at the share `theta` of the step.
    pub fn evaluate(
        &mut self,
        world: &World,
        control: &[f64],
        [q, v]: [&[f64]; 2],
        q_of_dof: &[usize],
        h: f64,
        mut theta: impl FnMut(&Actuator) -> f64,
    ) {
        for (i, a) in world.actuators.iter().enumerate() {
            let u = control.get(i).copied().unwrap_or(0.0);
            let law = actuators::evaluate(a, u, q, v, q_of_dof, h, &mut theta);
            (self.laws[i], self.efforts[i]) = (law, law);
            self.row[i] = law.implicit > 0.0 && (a.transmission.len() > 1 || self.promoted[i]);
        }
    }

    /// What each exerted in a step from `v` to `v_next`, into `out`.
    pub fn exerted_into(&self, actuators: &[Actuator], v: &[f64], v_next: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(actuators.iter().zip(&self.laws).map(|(a, law)| clamp(a, at_velocity(a, law, v, v_next))));
    }

    /// Those that are rows.
    pub fn rows(&self) -> impl Iterator<Item = (ImplicitForce, Effort)> + '_ {
        let rows = self.laws.iter().enumerate().filter(|&(i, _)| self.row[i]);
        rows.map(|(i, law)| (ImplicitForce::Actuator(i), *law))
    }

    /// Three facts of actuator i: what it would do without its limit, what it is expected to do, and whether it is a row.
    pub fn of(&self, i: usize) -> (Effort, Effort, bool) {
        (self.laws[i], self.efforts[i], self.row[i])
    }

    /// Adds the gains of the others to the diagonal of M̂.
    pub fn add_gains(&self, h: f64, mass: &mut MassMatrix) {
        for &Drive { index, dof, c, .. } in self.drives.iter().filter(|d| !self.row[d.index]) {
            mass.add_diagonal(dof, self.efforts[index].inertia(c, h));
        }
    }

    /// Adds what the others are expected to exert at the velocity of the start.
    pub fn add_efforts(&self, actuators: &[Actuator], tau: &mut [f64]) {
        for &Drive { index, dof, c, .. } in self.drives.iter().filter(|d| !self.row[d.index]) {
            tau[dof] += c * self.efforts[index].start;
        }
        for &i in self.others.iter().filter(|&&i| !self.row[i]) {
            for &(dof, c) in &actuators[i].transmission {
                tau[dof] += c * self.efforts[i].start;
            }
        }
    }

    /// Adds what all exerted that are no rows, in a step from `v` to `v_next`.
    pub fn add_exerted(&self, actuators: &[Actuator], v: &[f64], v_next: &[f64], tau: &mut [f64]) {
        for ((a, effort), _) in actuators.iter().zip(&self.efforts).zip(&self.row).filter(|(_, row)| !**row) {
            let exerted = at_velocity(a, effort, v, v_next);
            a.transmission.iter().for_each(|&(dof, c)| tau[dof] += c * exerted);
        }
    }

    /// Adds what those exert that are no servos.
    pub fn add_given_efforts(&self, actuators: &[Actuator], tau: &mut [f64]) {
        for (a, effort) in actuators.iter().zip(&self.efforts).filter(|(a, _)| !is_servo(a)) {
            a.transmission.iter().for_each(|&(dof, c)| tau[dof] += c * effort.start);
        }
    }

    /// (2), for those beyond their limits at `v_free`; true if there are any.
    pub fn saturate(&mut self, v: &[f64], v_free: &[f64], h: f64, mass: &mut MassMatrix) -> bool {
        let mut any = false;
        for drive in self.drives.iter().filter(|d| !self.row[d.index]) {
            let effort = &mut self.efforts[drive.index];
            let (saturated, beyond) = effort.saturated(drive.range, drive.change(v, v_free));
            if beyond {
                mass.add_diagonal(drive.dof, -effort.inertia(drive.c, h));
                *effort = saturated;
                any = true;
            }
        }
        any
    }

    /// Makes rows of those that (1) or (2) was wrong about, the third time of all that have limits; true if the step
    /// is to be solved again.
    pub fn promote(&mut self, v: &[f64], v_next: &[f64]) -> bool {
        let mut any = false;
        for drive in self.drives.iter().filter(|d| !self.row[d.index] && d.is_limited()) {
            let (law, expected) = (&self.laws[drive.index], &self.efforts[drive.index]);
            if law.belies(expected, drive.range, drive.change(v, v_next), ROUNDING) {
                self.promoted[drive.index] = true;
                any = true;
            }
        }
        if any && self.again >= 2 {
            for drive in self.drives.iter().filter(|d| d.is_limited()) {
                self.promoted[drive.index] |= self.laws[drive.index].implicit > 0.0;
            }
        }
        self.again = if any { self.again + 1 } else { 0 };
        any
    }

    /// Those that have left their limits at the end of the step are no rows in the next.
    pub fn commit(&mut self, actuators: &[Actuator], v: &[f64], v_next: &[f64]) {
        for ((a, law), promoted) in actuators.iter().zip(&self.laws).zip(&mut self.promoted) {
            let at_limit = || law.saturated(actuators::law(a).effort_range, change(a, v, v_next)).1;
            *promoted = *promoted && at_limit();
        }
    }

    /// Those on one dof that are rows.
    pub fn promoted(&self) -> &[bool] {
        &self.promoted
    }

    /// The same, to be changed.
    pub fn promoted_mut(&mut self) -> &mut [bool] {
        &mut self.promoted
    }

    /// Which these are; as many as there are actuators.
    pub fn set_promoted(&mut self, promoted: &[bool]) {
        self.promoted.copy_from_slice(promoted);
        self.again = 0;
    }

    /// No rows but tendons, as before the first step.
    pub fn forget(&mut self) {
        self.promoted.fill(false);
        self.again = 0;
    }
}
