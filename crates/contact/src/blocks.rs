//! A block matrix with one row and one column of blocks per constraint, absent blocks being zero.
//!
//! The pattern is symmetric; the values need not be (problems measured by others are not). Block
//! (i, j) has dimᵢ × dimⱼ numbers by rows. Columns of a block row ascend.

/// The blocks of a matrix may hold this many numbers: 4 GiB.
pub(crate) const MAX_VALUES: usize = 1 << 29;

/// A square block matrix with a symmetric pattern, sparse by rows.
#[derive(Debug, Default)]
pub struct BlockMatrix {
    /// Entries of block row i: `entry_start[i]..entry_start[i + 1]`.
    entry_start: Vec<usize>,
    /// Block column of an entry.
    column: Vec<usize>,
    /// First value of an entry, and after them the number of values.
    value_start: Vec<usize>,
    /// Entry (j, i) of an entry (i, j).
    mirror: Vec<usize>,
    /// Entry (i, i) of block row i.
    diagonal: Vec<usize>,
    values: Vec<f64>,
    /// All blocks are 3×3.
    uniform: bool,
    /// Scratch of [`Self::set_pattern`].
    cursor: Vec<usize>,
}

impl Clone for BlockMatrix {
    fn clone(&self) -> Self {
        let mut out = Self::default();
        out.clone_from(self);
        out
    }

    /// Keeps the memory.
    fn clone_from(&mut self, other: &Self) {
        let Self { entry_start, column, value_start, mirror, diagonal, values, uniform, cursor: _ } = self;
        entry_start.clone_from(&other.entry_start);
        column.clone_from(&other.column);
        value_start.clone_from(&other.value_start);
        mirror.clone_from(&other.mirror);
        diagonal.clone_from(&other.diagonal);
        values.clone_from(&other.values);
        *uniform = other.uniform;
    }
}

impl BlockMatrix {
    /// No blocks; keeps the memory.
    pub fn clear(&mut self) {
        self.entry_start.clear();
        self.column.clear();
        self.value_start.clear();
        self.mirror.clear();
        self.diagonal.clear();
    }

    /// Sets the pattern and zero values. `row_start` as in the problem; `columns_of(i, out)`
    /// appends the block columns of row i, ascending and with i among them; the pattern must be
    /// symmetric.
    pub fn set_pattern(&mut self, row_start: &[usize], columns_of: impl FnMut(usize, &mut Vec<usize>)) {
        self.reshape(row_start, columns_of);
        self.values.fill(0.0);
    }

    /// Sets the pattern as [`Self::set_pattern`] does, but leaves the values undefined, for callers that write every
    /// entry.
    pub fn reshape(&mut self, row_start: &[usize], mut columns_of: impl FnMut(usize, &mut Vec<usize>)) {
        let n = row_start.len() - 1;
        let dim = |i: usize| row_start[i + 1] - row_start[i];
        self.clear();
        self.entry_start.push(0);
        let mut values = 0;
        for i in 0..n {
            let first = self.column.len();
            columns_of(i, &mut self.column);
            for k in first..self.column.len() {
                let j = self.column[k];
                assert!(k == first || self.column[k - 1] < j, "block columns of a row must ascend");
                if j == i {
                    self.diagonal.push(k);
                }
                self.value_start.push(values);
                values += dim(i) * dim(j);
            }
            assert_eq!(self.diagonal.len(), i + 1, "every block row holds its diagonal");
            self.entry_start.push(self.column.len());
        }
        self.value_start.push(values);
        self.uniform = (0..n).all(|i| dim(i) == 3);
        self.values.resize(values, 0.0);
        // Rows ascend, so the entries (j, i) of a column i are met in ascending j: one cursor a row.
        self.mirror.resize(self.column.len(), 0);
        self.cursor.clear();
        self.cursor.extend_from_slice(&self.entry_start[..n]);
        for i in 0..n {
            for k in self.entry_start[i]..self.entry_start[i + 1] {
                let j = self.column[k];
                let m = self.cursor[j];
                assert_eq!(self.column[m], i, "the block pattern must be symmetric");
                self.mirror[k] = m;
                self.cursor[j] += 1;
            }
        }
    }

    /// Number of block rows.
    pub fn len(&self) -> usize {
        self.diagonal.len()
    }

    pub fn is_empty(&self) -> bool {
        self.diagonal.is_empty()
    }

    /// Entries of block row i, for [`Self::column_of`], [`Self::entry`] and [`Self::mirror_of`].
    #[inline]
    pub fn entries(&self, i: usize) -> std::ops::Range<usize> {
        self.entry_start[i]..self.entry_start[i + 1]
    }

    /// Block column of entry k.
    #[inline]
    pub fn column_of(&self, k: usize) -> usize {
        self.column[k]
    }

    /// The entry of the transposed place.
    #[inline]
    pub fn mirror_of(&self, k: usize) -> usize {
        self.mirror[k]
    }

    /// How many entries there are.
    #[inline]
    pub fn pairs(&self) -> usize {
        self.column.len()
    }

    /// How many numbers there are.
    #[inline]
    pub(crate) fn numbers(&self) -> usize {
        self.values.len()
    }

    /// Values of entry k, by rows.
    #[inline]
    pub fn entry(&self, k: usize) -> &[f64] {
        &self.values[self.value_start[k]..self.value_start[k + 1]]
    }

    #[inline]
    pub fn entry_mut(&mut self, k: usize) -> &mut [f64] {
        &mut self.values[self.value_start[k]..self.value_start[k + 1]]
    }

    /// Values of block (i, i), by rows.
    #[inline]
    pub fn diagonal(&self, i: usize) -> &[f64] {
        self.entry(self.diagonal[i])
    }

    /// y += G x.
    pub fn mul_add_into(&self, row_start: &[usize], x: &[f64], y: &mut [f64]) {
        if self.uniform {
            let (blocks, x) = (self.values.as_chunks::<9>().0, x.as_chunks::<3>().0);
            for (i, y) in y.as_chunks_mut::<3>().0.iter_mut().enumerate() {
                let entries = self.entries(i);
                for (&j, g) in self.column[entries.clone()].iter().zip(&blocks[entries]) {
                    let [x0, x1, x2] = x[j];
                    y[0] += g[0] * x0 + g[1] * x1 + g[2] * x2;
                    y[1] += g[3] * x0 + g[4] * x1 + g[5] * x2;
                    y[2] += g[6] * x0 + g[7] * x1 + g[8] * x2;
                }
            }
            return;
        }
        for i in 0..self.len() {
            let yi = &mut y[row_start[i]..row_start[i + 1]];
            for k in self.entries(i) {
                let j = self.column[k];
                add_product(self.entry(k), &x[row_start[j]..row_start[j + 1]], yi);
            }
        }
    }

    /// y += |G| |x|.
    pub(crate) fn absolute_mul_add_into(&self, row_start: &[usize], x: &[f64], y: &mut [f64]) {
        for i in 0..self.len() {
            let yi = &mut y[row_start[i]..row_start[i + 1]];
            for k in self.entries(i) {
                let x = &x[row_start[self.column[k]]..row_start[self.column[k] + 1]];
                for (y, row) in yi.iter_mut().zip(self.entry(k).chunks_exact(x.len())) {
                    *y += row.iter().zip(x).map(|(a, x)| (a * x).abs()).sum::<f64>();
                }
            }
        }
    }

    /// y += G[:, i] d: what a change d of the impulse of block i does to every velocity.
    #[inline]
    pub fn add_column_into(&self, row_start: &[usize], i: usize, d: &[f64], y: &mut [f64]) {
        if let (true, &[dx, dy, dz]) = (self.uniform, d) {
            let (blocks, velocities) = (self.values.as_chunks::<9>().0, y.as_chunks_mut::<3>().0);
            let entries = self.entries(i);
            for (&j, &m) in self.column[entries.clone()].iter().zip(&self.mirror[entries]) {
                let (g, v) = (&blocks[m], &mut velocities[j]);
                v[0] += g[0] * dx + g[1] * dy + g[2] * dz;
                v[1] += g[3] * dx + g[4] * dy + g[5] * dz;
                v[2] += g[6] * dx + g[7] * dy + g[8] * dz;
            }
            return;
        }
        for k in self.entries(i) {
            let j = self.column[k];
            add_product(self.entry(self.mirror[k]), d, &mut y[row_start[j]..row_start[j + 1]]);
        }
    }
}

/// y += g x, g by rows: contacts and scalar rows in their own ways, which takes half the time.
#[inline]
fn add_product(g: &[f64], x: &[f64], y: &mut [f64]) {
    match (y, x, g) {
        ([y0, y1, y2], &[x0, x1, x2], &[a, b, c, d, e, f, g, h, i]) => {
            *y0 += a * x0 + b * x1 + c * x2;
            *y1 += d * x0 + e * x1 + f * x2;
            *y2 += g * x0 + h * x1 + i * x2;
        }
        ([y0, y1, y2], &[x], &[a, b, c]) => {
            *y0 += a * x;
            *y1 += b * x;
            *y2 += c * x;
        }
        ([y], &[x0, x1, x2], &[a, b, c]) => *y += a * x0 + b * x1 + c * x2,
        ([y], &[x], &[a]) => *y += a * x,
        (y, x, g) => {
            for (row, y) in g.chunks_exact(x.len()).zip(y) {
                *y += row.iter().zip(x).map(|(g, x)| g * x).sum::<f64>();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of sizes 3, 1, 3 where the first and the last do not meet, unsymmetric values.
    #[test]
    fn products_by_rows_and_by_columns_agree_with_the_definition() {
        check([0, 3, 4, 7]);
        check([0, 3, 6, 9]);
    }

    fn check(row_start: [usize; 4]) {
        let n = row_start[3];
        let mut g = BlockMatrix::default();
        let pattern: [&[usize]; 3] = [&[0, 1], &[0, 1, 2], &[1, 2]];
        g.set_pattern(&row_start, |i, out| out.extend_from_slice(pattern[i]));
        for k in 0..7 {
            for (n, v) in g.entry_mut(k).iter_mut().enumerate() {
                *v = ((7 * k + 3 * n) as f64).sin();
            }
        }
        let x: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let mut expected = vec![0.0; n];
        for i in 0..3 {
            for k in g.entries(i) {
                let j = g.column_of(k);
                let dim = row_start[j + 1] - row_start[j];
                for (v, value) in g.entry(k).iter().enumerate() {
                    expected[row_start[i] + v / dim] += value * x[row_start[j] + v % dim];
                }
            }
        }
        let (mut product, mut columns) = (vec![0.0; n], vec![0.0; n]);
        g.mul_add_into(&row_start, &x, &mut product);
        for i in 0..3 {
            g.add_column_into(&row_start, i, &x[row_start[i]..row_start[i + 1]], &mut columns);
        }
        for got in [product, columns] {
            assert!(got.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-14), "{got:?}");
        }
        assert!(expected[0] != 0.0 && expected[n - 1] != 0.0);
    }
}
