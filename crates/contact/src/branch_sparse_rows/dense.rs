//! Rows over one tree written out, zeros and all: where most coordinates are reached, four numbers at a time cost less
//! than lists of them.

use super::BranchSparseRows;

/// Numbers that go together.
const STRIP: usize = 4;
/// Trees of fewer coordinates have nothing to gain: those of a free body come as a run.
const LEAST: usize = 7;
/// Lists are taken for long where they have this share of the numbers there could be.
const SHARE: usize = 4;

/// Three rows per block, each of whole strips; or nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Dense {
    rows: Vec<[f64; STRIP]>,
    /// Strips of a row.
    width: usize,
}

impl Dense {
    pub(super) fn clear(&mut self) {
        self.rows.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Keeps the memory.
    pub(super) fn copy(&mut self, other: &Self) {
        self.rows.clone_from(&other.rows);
        self.width = other.width;
    }

    /// How many numbers a product needs beside one for each of so many rows.
    pub(super) fn scratch(&self, rows: usize) -> usize {
        STRIP * (self.width + rows)
    }

    /// W Wᵀ x; `scratch` is as long as [`Self::scratch`] says.
    #[inline(always)]
    pub(super) fn square_mul(&self, row_start: &[usize], x: &[f64], out: &mut [f64], scratch: &mut [f64]) {
        let (z, sums) = scratch.as_chunks_mut::<STRIP>().0.split_at_mut(self.width);
        z.fill([0.0; STRIP]);
        for (rows, range) in self.blocks().zip(row_start.windows(2)) {
            match x[range[0]..range[1]] {
                [a, b, c] if [a, b, c] != [0.0; 3] => {
                    for (z, [u, v, w]) in z.iter_mut().zip(strips(rows, self.width)) {
                        *z = add(add(add(*z, a, u), b, v), c, w);
                    }
                }
                [a] if a != 0.0 => z.iter_mut().zip(rows).for_each(|(z, u)| *z = add(*z, a, u)),
                _ => {}
            }
        }
        for (rows, range) in self.blocks().zip(row_start.windows(2)) {
            match &mut sums[range[0]..range[1]] {
                [a, b, c] => {
                    let (mut p, mut q, mut r) = ([0.0; STRIP], [0.0; STRIP], [0.0; STRIP]);
                    for (z, [u, v, w]) in z.iter().zip(strips(rows, self.width)) {
                        (p, q, r) = (multiply(p, u, z), multiply(q, v, z), multiply(r, w, z));
                    }
                    (*a, *b, *c) = (p, q, r);
                }
                [a] => {
                    let mut p = [0.0; STRIP];
                    z.iter().zip(rows).for_each(|(z, u)| p = multiply(p, u, z));
                    *a = p;
                }
                _ => {}
            }
        }
        // Only now, so that until here four numbers stay together.
        out.iter_mut().zip(sums).for_each(|(out, x)| *out = (x[0] + x[1]) + (x[2] + x[3]));
    }

    #[inline(always)]
    fn blocks(&self) -> impl Iterator<Item = &[[f64; STRIP]]> {
        self.rows.chunks_exact(3 * self.width)
    }
}

impl BranchSparseRows {
    /// Writes its rows out, where that pays.
    #[inline(always)]
    pub(super) fn write_out(&mut self) {
        let Self { dense, blocks, reached, columns, more, trees, .. } = self;
        dense.clear();
        let [tree] = trees[..] else { return };
        let coordinates = tree.end;
        if coordinates < LEAST || !more.is_empty() || SHARE * columns.len() < blocks.len() * coordinates {
            return;
        }
        let width = coordinates.div_ceil(STRIP);
        dense.width = width;
        dense.rows.resize(3 * width * blocks.len(), [0.0; STRIP]);
        let numbers = dense.rows.as_flattened_mut().chunks_exact_mut(3 * STRIP * width);
        for (block, numbers) in blocks.iter().zip(numbers) {
            let (x, rest) = numbers.split_at_mut(STRIP * width);
            let (y, z) = rest.split_at_mut(STRIP * width);
            let places = block.places.range();
            for (&at, w) in reached[places.clone()].iter().zip(&columns[places]) {
                (x[at], y[at], z[at]) = (w.x, w.y, w.z);
            }
        }
    }
}

/// Strips of three rows, side by side.
#[inline(always)]
fn strips(rows: &[[f64; STRIP]], width: usize) -> impl Iterator<Item = [&[f64; STRIP]; 3]> {
    let (x, rest) = rows.split_at(width);
    let (y, z) = rest.split_at(width);
    x.iter().zip(y).zip(z).map(|((x, y), z)| [x, y, z])
}

/// y + a x.
#[inline(always)]
fn add(y: [f64; STRIP], a: f64, x: &[f64; STRIP]) -> [f64; STRIP] {
    std::array::from_fn(|k| y[k] + a * x[k])
}

/// sum + u z.
#[inline(always)]
fn multiply(sum: [f64; STRIP], u: &[f64; STRIP], z: &[f64; STRIP]) -> [f64; STRIP] {
    std::array::from_fn(|k| sum[k] + u[k] * z[k])
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_dynamics::spatial::{Vec3, vec3};

    /// Rows written out and lists of them have the same products.
    #[test]
    fn written_out_they_do_the_same() {
        let mut noise = (0..).map(|k: u32| (f64::from(k) * 12.9898).sin());
        let mut next = || noise.next().unwrap();
        let mut lists = BranchSparseRows::default();
        lists.start(std::iter::once(0..9));
        let row_start = [0, 3, 4, 7];
        for chain in [&[8, 7, 2, 1, 0][..], &[6, 5, 4, 3, 2, 1, 0], &[4, 3, 2, 1, 0]] {
            lists.push_block();
            lists.push_segment(0, None, chain.iter().map(|&c| (c, vec3(next(), next(), next()))));
        }
        let mut rows = BranchSparseRows::default();
        rows.change_from(&lists, |part, columns| columns.extend_from_slice(part.columns));
        assert!(lists.dense.is_empty() && !rows.dense.is_empty());
        let x: Vec<f64> = (0..7).map(|_| next()).collect();
        let (mut y, mut z) = (Vec::new(), Vec::new());
        lists.square_mul_into(&row_start, &x, &mut y);
        rows.square_mul_into(&row_start, &x, &mut z);
        assert_eq!(z.len(), 7);
        assert!(y.iter().zip(&z).all(|(y, z)| (y - z).abs() < 1e-14), "{y:?} {z:?}");
        // Columns that change are no longer those written out.
        rows.segments_mut().for_each(|(_, _, columns)| columns.fill(Vec3::ZERO));
        rows.square_mul_into(&row_start, &x, &mut z);
        assert_eq!(z, [0.0; 7]);
    }
}
