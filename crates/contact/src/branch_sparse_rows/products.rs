//! Products of two blocks of rows, (1) of [`super`], and of absolute numbers.

use super::{BranchSparseRows, Segment, vector};
use stiction_dynamics::spatial::{Mat3, Vec3};

impl BranchSparseRows {
    /// y += |W| |Wᵀ| |x|; what follows its rows is scratch.
    pub(crate) fn absolute_square_mul_add_into(&self, row_start: &[usize], x: &[f64], y: &mut Vec<f64>) {
        let rows = x.len();
        y.resize(rows + self.coordinates(), 0.0);
        let (out, momentum) = y.split_at_mut(rows);
        let abs = |x: Vec3| Vec3 { x: x.x.abs(), y: x.y.abs(), z: x.z.abs() };
        for (i, range) in row_start.windows(2).enumerate() {
            let x = abs(vector(&x[range[0]..range[1]]));
            self.terms(i).for_each(|(coordinate, w)| momentum[coordinate] += abs(w).dot(x));
        }
        for (i, rows) in self.more_rows(row_start) {
            let x = abs(vector(&x[rows]));
            self.more_terms(i).for_each(|(coordinate, w)| momentum[coordinate] += abs(w).dot(x));
        }
        let add = |sum: Vec3, out: &mut [f64]| out.iter_mut().zip(sum.to_array()).for_each(|(y, s)| *y += s);
        for (i, range) in row_start.windows(2).enumerate() {
            let sum = self.terms(i).fold(Vec3::ZERO, |sum, (d, w)| sum + abs(w) * momentum[d]);
            add(sum, &mut out[range[0]..range[1].min(range[0] + 3)]);
        }
        for (i, rows) in self.more_rows(row_start) {
            let sum = self.more_terms(i).fold(Vec3::ZERO, |sum, (d, w)| sum + abs(w) * momentum[d]);
            add(sum, &mut out[rows]);
        }
        y.truncate(rows);
    }

    /// Block G_ij by (1), of the first three rows of both.
    #[inline]
    pub(crate) fn product(&self, i: usize, j: usize) -> Mat3 {
        let mut sum = Mat3::ZERO;
        for a in self.segments_of(i) {
            for b in self.segments_of(j) {
                if a.tree == b.tree {
                    sum = sum + self.segment_product(a, b, &self.columns, &self.columns);
                }
            }
        }
        sum
    }

    /// Block G_ij by rows, by (1), of blocks that have `dims` rows; one of them may be a patch.
    pub fn product_into(&self, i: usize, j: usize, dims: [usize; 2], out: &mut [f64]) {
        if dims.iter().all(|d| *d <= 3) {
            return write(&self.product(i, j), dims[0], dims[1], out);
        }
        let columns = |part: usize| if part == 0 { &self.columns } else { &self.more };
        for (p, q) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            if 3 * p >= dims[0] || 3 * q >= dims[1] {
                continue;
            }
            let mut sum = Mat3::ZERO;
            for a in self.segments_of(i) {
                for b in self.segments_of(j).iter().filter(|b| a.tree == b.tree) {
                    sum = sum + self.segment_product(a, b, columns(p), columns(q));
                }
            }
            for (k, row) in sum.rows.iter().enumerate().take(dims[0] - 3 * p) {
                let start = (3 * p + k) * dims[1] + 3 * q;
                let n = (dims[1] - 3 * q).min(3);
                out[start..start + n].copy_from_slice(&row.to_array()[..n]);
            }
        }
    }

    /// The part of the product in one tree.
    #[inline]
    fn segment_product(&self, a: &Segment, b: &Segment, of_a: &[Vec3], of_b: &[Vec3]) -> Mat3 {
        let (da, db) = (&self.reached[a.places.range()], &self.reached[b.places.range()]);
        let (wa, wb) = (&of_a[a.places.range()], &of_b[b.places.range()]);
        if a.tip.is_some() && b.tip.is_some() {
            // Two chains have in common how they end.
            let common = da.iter().rev().zip(db.iter().rev()).take_while(|(p, q)| p == q).count();
            return outer_sum(&wa[wa.len() - common..], &wb[wb.len() - common..]);
        }
        let mut sum = Mat3::ZERO;
        let (mut p, mut q) = (0, 0);
        while p < da.len() && q < db.len() {
            match da[p].cmp(&db[q]) {
                std::cmp::Ordering::Greater => p += 1,
                std::cmp::Ordering::Less => q += 1,
                std::cmp::Ordering::Equal => {
                    sum = sum + outer_sum(&wa[p..=p], &wb[q..=q]);
                    p += 1;
                    q += 1;
                }
            }
        }
        sum
    }
}

/// Σ x yᵀ, in nine registers.
#[inline]
fn outer_sum(x: &[Vec3], y: &[Vec3]) -> Mat3 {
    let (mut a, mut b, mut c) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    for (x, y) in x.iter().zip(y) {
        a += *y * x.x;
        b += *y * x.y;
        c += *y * x.z;
    }
    Mat3 { rows: [a, b, c] }
}

/// The leading di × dj entries of `m`, by rows.
#[inline]
pub(super) fn write(m: &Mat3, di: usize, dj: usize, out: &mut [f64]) {
    if let Ok(out) = <&mut [f64; 9]>::try_from(&mut *out) {
        let [a, b, c] = m.rows;
        *out = [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z];
        return;
    }
    for (row, out) in m.rows.iter().zip(out.chunks_exact_mut(dj)).take(di) {
        out.copy_from_slice(&row.to_array()[..dj]);
    }
}
