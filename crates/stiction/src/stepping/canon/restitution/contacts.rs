//! An impact in the coordinates of its contacts: c = c⁻ + G Λ, with G dense and bilateral rows taken out.
//!
//! ```text
//!     Λ_B = −G_BB⁺ (c_B + G_BC Λ_C),   G := G_CC − G_CB G_BB⁺ G_BC,   c⁻ := c_C − G_CB G_BB⁺ c_B                  (1)
//! ```

use super::super::rows::Rows;
use super::super::search::velocities_into;
use super::Works;
use super::friction::{Touching, frictional};
use nalgebra::{DMatrix, DVector};
use stiction_assembly::{BlockKey, ContactPoint};
use stiction_contact::Cone;

/// Singular values of G_BB below this share of the largest count as zero [–].
const RANK: f64 = 1e-10;

/// Contacts, G and c⁻ of (1).
pub(super) struct Contacts {
    pub(super) touching: Vec<Touching>,
    pub(super) delassus: DMatrix<f64>,
    pub(super) before: DVector<f64>,
    /// Rows of the posed problem that c and G hold, and those that were taken out.
    rows: Vec<usize>,
    bilateral: Vec<usize>,
    /// Λ_B of (1) as first + reaction · Λ_C.
    first: DVector<f64>,
    reaction: DMatrix<f64>,
}

impl Contacts {
    /// The contacts `points` as they were posed in `rows`, at the velocity `v`.
    pub(super) fn new(rows: &Rows, points: &[ContactPoint], v: &[f64]) -> Self {
        let problem = &rows.posed.problem;
        let all = full_delassus(rows, v.len());
        let mut c = Vec::new();
        velocities_into(&rows.posed, v, &mut c);
        let (mut touching, mut kept, mut bilateral) = (Vec::new(), Vec::new(), Vec::new());
        for (block, what) in rows.posed.blocks.iter().enumerate() {
            let range = problem.range(block);
            let first = kept.len();
            match (problem.cone(block), what.key) {
                (Cone::Free, _) => bilateral.extend(range),
                (Cone::Friction { mu }, BlockKey::Contact(p)) => {
                    kept.extend(range);
                    touching.push(Touching {
                        normal: first + 2,
                        tangents: Some([first, first + 1]),
                        friction: mu,
                        restitution: points[p].restitution,
                    });
                }
                (_, key) => {
                    kept.extend(range.take(1));
                    let restitution = match key {
                        BlockKey::Contact(p) => points[p].restitution,
                        BlockKey::Row(_) => 0.0,
                    };
                    touching.push(Touching { normal: first, tangents: None, friction: 0.0, restitution });
                }
            }
        }
        let part = |rows: &[usize], columns: &[usize]| {
            DMatrix::from_fn(rows.len(), columns.len(), |i, j| all[(rows[i], columns[j])])
        };
        let of = |rows: &[usize]| DVector::from_iterator(rows.len(), rows.iter().map(|r| c[*r]));
        let mut delassus = part(&kept, &kept);
        let mut before = of(&kept);
        let (mut first, mut reaction) =
            (DVector::zeros(bilateral.len()), DMatrix::zeros(bilateral.len(), kept.len()));
        if !bilateral.is_empty() {
            let across = part(&bilateral, &kept);
            let svd = part(&bilateral, &bilateral).svd(true, true);
            let least = RANK * svd.singular_values.max();
            if let Ok(inverse) = svd.pseudo_inverse(least) {
                first = -(&inverse * of(&bilateral));
                reaction = -(inverse * &across);
                before += across.transpose() * &first;
                delassus += across.transpose() * &reaction;
            }
        }
        Self { touching, delassus, before, rows: kept, bilateral, first, reaction }
    }

    /// Contacts with friction, three rows each, with their G and c⁻, without bilateral rows.
    #[cfg(test)]
    pub(super) fn of(delassus: DMatrix<f64>, before: DVector<f64>, coefficients: &[[f64; 2]]) -> Self {
        let touching = coefficients.iter().enumerate().map(|(i, &[friction, restitution])| Touching {
            normal: 3 * i + 2,
            tangents: Some([3 * i, 3 * i + 1]),
            friction,
            restitution,
        });
        let n = before.len();
        Self {
            touching: touching.collect(),
            delassus,
            before,
            rows: (0..n).collect(),
            bilateral: Vec::new(),
            first: DVector::zeros(0),
            reaction: DMatrix::zeros(0, n),
        }
    }

    /// ½ Λᵀ G Λ of impulses of the posed problem [J].
    pub(super) fn energy_of(&self, impulses: &[f64]) -> f64 {
        let own = DVector::from_iterator(self.rows.len(), self.rows.iter().map(|r| impulses[*r]));
        0.5 * own.dot(&(&self.delassus * &own))
    }

    /// Impulses of the posed problem of those of the contacts; bilateral rows answer to all of them and to what c_B was, if `whole`.
    pub(super) fn spread(&self, own: &DVector<f64>, whole: bool) -> Vec<f64> {
        let mut out = vec![0.0; self.rows.len() + self.bilateral.len()];
        self.rows.iter().zip(own.iter()).for_each(|(r, x)| out[*r] = *x);
        let mut reaction = &self.reaction * own;
        if whole {
            reaction += &self.first;
        }
        self.bilateral.iter().zip(reaction.iter()).for_each(|(r, x)| out[*r] = *x);
        out
    }

    /// Finds the tangential entries of `impulses` for its normal ones, at the velocity `c` before them.
    pub(super) fn frictional(&self, c: &DVector<f64>, impulses: &mut DVector<f64>) {
        frictional((&self.delassus, &self.touching), c, impulses);
    }

    /// (2) of [`super`] with a share of the coefficients: the impulses of the expansion after those of the compression, and its works.
    pub(super) fn expand(&self, compression: &[f64], share: f64) -> (Vec<f64>, Works) {
        let mut impulses = DVector::zeros(self.rows.len());
        for t in &self.touching {
            impulses[t.normal] = share * t.restitution * compression[self.rows[t.normal]];
        }
        self.frictional(&self.before, &mut impulses);
        let mut works = Works { share, ..Works::default() };
        let after = &self.before + &self.delassus * &impulses;
        self.add_works(&mut works, (&self.before, &after), &impulses);
        (self.spread(&impulses, false), works)
    }

    /// Adds ½ (c + c⁺) λ of an increment of impulses.
    pub(super) fn add_works(
        &self,
        works: &mut Works,
        (before, after): (&DVector<f64>, &DVector<f64>),
        impulses: &DVector<f64>,
    ) {
        let work = |r: usize| 0.5 * (before[r] + after[r]) * impulses[r];
        for t in &self.touching {
            works.normal += work(t.normal);
            works.friction += t.tangents.map_or(0.0, |[a, b]| work(a) + work(b));
        }
    }
}

/// J M⁻¹ Jᵀ of all rows.
fn full_delassus(rows: &Rows, nv: usize) -> DMatrix<f64> {
    let n = rows.posed.problem.rows();
    let mut out = DMatrix::zeros(n, n);
    let (mut unit, mut kick, mut column) = (vec![0.0; n], vec![0.0; nv], Vec::new());
    for r in 0..n {
        unit[r] = 1.0;
        kick.fill(0.0);
        rows.posed.jacobian.add_impulses_into(rows.posed.problem.row_start(), &unit, &mut kick);
        rows.factor.solve_in_place(&mut kick);
        velocities_into(&rows.posed, &kick, &mut column);
        out.set_column(r, &DVector::from_column_slice(&column));
        unit[r] = 0.0;
    }
    out
}
