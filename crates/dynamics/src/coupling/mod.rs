//! Joints that move together, in reduced coordinates.
//!
//! Gears, belts and mimics make coordinates of scalar joints affine in those of others,
//!
//! ```text
//!     q_i = Σ_j r_ij q_j + c_i                                          (1)
//! ```
//!
//! and the others may again follow others. Resolved until only independent coordinates stand on
//! the right: q = Γ(q_r), v = G v_r, v̇ = G v̇_r with constant G, and by d'Alembert's principle
//!
//! ```text
//!     Gᵀ M G v̇_r + Gᵀ (C v + g) = Gᵀ τ                                  (2)
//! ```
//!
//! Armature is part of M: a rotor on either side of a gear counts by the square of its ratio. The
//! simulator keeps couplings as constraint rows; this is for controllers and analysis. Units of
//! r_ij: those of q_i per q_j. Gᵀ M G is dense, by rows. Nothing allocates after set-up.

mod dynamics;
mod gear;
#[cfg(test)]
mod tests;

pub use dynamics::{
    ReducedWorkspace, reduced_bias_into, reduced_forward_dynamics_into, reduced_inverse_dynamics_into,
};
pub use gear::{Gear, GearError};

use crate::mass_matrix::MassMatrix;
use crate::model::Model;
use gear::{index_gears, resolution_order, within_limit};
use std::ops::Range;

/// Γ and G of (2).
#[derive(Clone, Debug)]
pub struct Reduction {
    /// Per dof: its entries of G.
    rows: Vec<Range<usize>>,
    /// Entries of G by rows: reduced dof and coefficient.
    entries: Vec<(usize, f64)>,
    /// Joints that keep their coordinates: where in q, where in q_r, how many.
    kept: Vec<(usize, usize, usize)>,
    /// Joints that follow: coordinate in q, dof, offset.
    geared: Vec<(usize, usize, f64)>,
    /// Per reduced dof of a scalar joint: its coordinate in q_r.
    coordinate: Vec<usize>,
    nq: usize,
    nv: usize,
}

impl Reduction {
    /// Resolves chains of gears; joints without a gear are independent, in the order of the model.
    pub fn new(model: &Model, gears: &[Gear]) -> Result<Self, GearError> {
        let gear_of = index_gears(model, gears)?;
        let mut it = Self {
            rows: vec![0..0; model.nv()],
            entries: Vec::new(),
            kept: Vec::new(),
            geared: Vec::new(),
            coordinate: Vec::new(),
            nq: 0,
            nv: 0,
        };
        for (joint, gear) in model.joints.iter().zip(&gear_of) {
            if gear.is_none() {
                it.keep(joint.idx_q, joint.kind.nq(), joint.idx_v, joint.kind.nv());
            }
        }
        let mut offset = vec![0.0; model.joints.len()];
        for g in resolution_order(model, gears, &gear_of)? {
            let joint = &model.joints[gears[g].joint];
            let (mut row, mut c) = (Vec::new(), gears[g].offset);
            for &(leader, ratio) in &gears[g].terms {
                let leads = it.rows[model.joints[leader].idx_v].clone();
                row.extend(it.entries[leads].iter().map(|&(k, x)| (k, ratio * x)));
                c += ratio * offset[leader];
                within_limit(row.len())?;
            }
            let first = it.entries.len();
            merge_into(row, &mut it.entries);
            within_limit(it.entries.len())?;
            let resolved = it.entries[first..].iter().map(|e| ("its ratio, resolved,", e.1));
            for (what, value) in resolved.chain([("its offset, resolved,", c)]) {
                if !value.is_finite() {
                    return Err(GearError::Value { joint: joint.name.clone(), what, value });
                }
            }
            it.rows[joint.idx_v] = first..it.entries.len();
            it.geared.push((joint.idx_q, joint.idx_v, c));
            offset[gears[g].joint] = c;
        }
        within_limit(it.nv.saturating_mul(it.nv))?;
        Ok(it)
    }

    /// Length of q_r.
    pub fn nq(&self) -> usize {
        self.nq
    }

    /// Length of v_r.
    pub fn nv(&self) -> usize {
        self.nv
    }

    /// Row `dof` of G: (reduced dof, coefficient).
    pub fn row(&self, dof: usize) -> &[(usize, f64)] {
        &self.entries[self.rows[dof].clone()]
    }

    /// q = Γ(q_r).
    pub fn configuration_into(&self, q_r: &[f64], q: &mut [f64]) {
        assert_eq!(q_r.len(), self.nq, "q_r has the reduction's nq coordinates");
        for &(at, from, n) in &self.kept {
            q[at..at + n].copy_from_slice(&q_r[from..from + n]);
        }
        for &(at, dof, c) in &self.geared {
            q[at] = self.row(dof).iter().fold(c, |sum, &(k, x)| sum + x * q_r[self.coordinate[k]]);
        }
    }

    /// The independent coordinates of `q`, whether or not it keeps to the gears.
    pub fn independent_into(&self, q: &[f64], q_r: &mut [f64]) {
        assert_eq!(q_r.len(), self.nq, "q_r has the reduction's nq coordinates");
        for &(from, at, n) in &self.kept {
            q_r[at..at + n].copy_from_slice(&q[from..from + n]);
        }
    }

    /// v = G v_r; accelerations likewise.
    pub fn expand_into(&self, v_r: &[f64], v: &mut [f64]) {
        assert_eq!((v_r.len(), v.len()), (self.nv, self.rows.len()), "v_r and v have their nv coordinates");
        for (i, v) in v.iter_mut().enumerate() {
            *v = self.row(i).iter().map(|&(k, x)| x * v_r[k]).sum();
        }
    }

    /// τ_r = Gᵀ τ; any other covector likewise.
    pub fn project_into(&self, tau: &[f64], tau_r: &mut [f64]) {
        assert_eq!(
            (tau.len(), tau_r.len()),
            (self.rows.len(), self.nv),
            "tau and tau_r have their nv coordinates"
        );
        tau_r.fill(0.0);
        for (i, tau) in tau.iter().enumerate() {
            for &(k, x) in self.row(i) {
                tau_r[k] += x * tau;
            }
        }
    }

    /// Gᵀ M G, dense, nv × nv of the reduction.
    pub fn mass_matrix_into(&self, M: &MassMatrix, M_r: &mut [f64]) {
        let n = self.nv;
        assert_eq!(M_r.len(), n * n, "M_r has nv × nv entries");
        M_r.fill(0.0);
        for i in 0..self.rows.len() {
            for (m, &j) in M.row(i).iter().zip(M.columns(i)) {
                for &(k, x) in self.row(i) {
                    for &(l, y) in self.row(j as usize) {
                        let term = x * m * y;
                        M_r[k * n + l] += term;
                        if j as usize != i {
                            M_r[l * n + k] += term;
                        }
                    }
                }
            }
        }
    }

    fn keep(&mut self, idx_q: usize, nq: usize, idx_v: usize, nv: usize) {
        self.kept.push((idx_q, self.nq, nq));
        for i in 0..nv {
            self.rows[idx_v + i] = self.entries.len()..self.entries.len() + 1;
            self.entries.push((self.nv + i, 1.0));
            self.coordinate.push(self.nq);
        }
        self.nq += nq;
        self.nv += nv;
    }
}

/// Appends the row, entries of one reduced dof added up, in order.
fn merge_into(mut row: Vec<(usize, f64)>, entries: &mut Vec<(usize, f64)>) {
    row.sort_by_key(|e| e.0);
    let first = entries.len();
    for (k, x) in row {
        match entries[first..].last_mut() {
            Some(last) if last.0 == k => last.1 += x,
            _ => entries.push((k, x)),
        }
    }
}
