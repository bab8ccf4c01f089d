//! Least squares of any rank: A P = Q R by Householder's reflections, the largest column first [Golub2013, 5.4.2]. Cost
//! 4/3 n³.

/// A square matrix and its factors, by columns.
#[derive(Default)]
pub(crate) struct Qr {
    n: usize,
    /// A before; R, and below it the reflections but for their first entries, after [`Self::factor`].
    columns: Vec<f64>,
    /// First entry and 2/‖v‖² of the reflections.
    heads: Vec<[f64; 2]>,
    /// Column of A in place k.
    order: Vec<usize>,
    sorted: Vec<f64>,
}

impl Qr {
    /// An n × n matrix of zeros, to be filled through [`Self::entry`].
    pub(crate) fn clear(&mut self, n: usize) {
        self.n = n;
        self.columns.clear();
        self.columns.resize(n * n, 0.0);
    }

    pub(crate) fn entry(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.columns[column * self.n + row]
    }

    pub(crate) fn factor(&mut self) {
        let n = self.n;
        self.heads.clear();
        self.order.clear();
        self.order.extend(0..n);
        for k in 0..n {
            let size = |j: usize| self.columns[j * n + k..(j + 1) * n].iter().map(|x| x * x).sum::<f64>();
            let (largest, square) =
                (k..n).map(|j| (j, size(j))).fold((k, -1.0), |a, b| if b.1 > a.1 { b } else { a });
            if largest != k {
                self.order.swap(k, largest);
                let (left, right) = self.columns.split_at_mut(largest * n);
                left[k * n..(k + 1) * n].swap_with_slice(&mut right[..n]);
            }
            let (left, right) = self.columns.split_at_mut((k + 1) * n);
            let v = &mut left[k * n + k..];
            let pivot = -square.max(0.0).sqrt().copysign(v[0]);
            let head = v[0] - pivot;
            let norm = square - v[0] * v[0] + head * head;
            let factor = if norm > 0.0 { 2.0 / norm } else { 0.0 };
            self.heads.push([head, factor]);
            v[0] = pivot;
            let tail = &v[1..];
            for column in right.chunks_exact_mut(n) {
                reflect(head, factor, tail, &mut column[k..]);
            }
        }
    }

    /// x with the least ‖A x − b‖, in place of b, of the columns alone whose pivots are above `cut` of the first.
    pub(crate) fn solve(&mut self, cut: f64, x: &mut [f64]) {
        let n = self.n;
        for (k, &[head, factor]) in self.heads.iter().enumerate() {
            reflect(head, factor, &self.columns[k * n + k + 1..(k + 1) * n], &mut x[k..]);
        }
        let pivot = |k: usize| self.columns[k * (n + 1)];
        let rank = (0..n).take_while(|&k| pivot(k).abs() > cut * pivot(0).abs()).count();
        x[rank..].fill(0.0);
        for k in (0..rank).rev() {
            x[k] /= pivot(k);
            let y = x[k];
            let above = &self.columns[k * n..k * n + k];
            x[..k].iter_mut().zip(above).for_each(|(x, r)| *x -= y * r);
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(x);
        for (&column, value) in self.order.iter().zip(&self.sorted) {
            x[column] = *value;
        }
    }
}

/// x −= factor v (v·x), v = (head, tail).
#[inline]
fn reflect(head: f64, factor: f64, tail: &[f64], x: &mut [f64]) {
    let dot = head * x[0] + tail.iter().zip(&x[1..]).map(|(v, x)| v * x).sum::<f64>();
    let share = factor * dot;
    x[0] -= share * head;
    x[1..].iter_mut().zip(tail).for_each(|(x, v)| *x -= share * v);
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_contact::corpus::Random;

    /// A = B C with n × rank factors.
    fn matrix(n: usize, rank: usize, random: &mut Random) -> Vec<f64> {
        let b: Vec<f64> = (0..2 * n * rank).map(|_| random.number()).collect();
        let entry =
            |i: usize, j: usize| (0..rank).map(|k| b[i * rank + k] * b[n * rank + j * rank + k]).sum();
        (0..n * n).map(|e| entry(e / n, e % n)).collect()
    }

    #[test]
    fn consistent_equations_of_any_rank_are_solved() {
        for (n, rank) in [(1, 1), (6, 6), (9, 4), (30, 17), (40, 40)] {
            let mut random = Random(n as u64);
            let a = matrix(n, rank, &mut random);
            let x: Vec<f64> = (0..n).map(|_| random.number()).collect();
            let product = |x: &[f64]| -> Vec<f64> {
                a.chunks(n).map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
            };
            let mut qr = Qr::default();
            qr.clear(n);
            (0..n * n).for_each(|e| *qr.entry(e / n, e % n) = a[e]);
            qr.factor();
            let b = product(&x);
            let mut y = b.clone();
            qr.solve(1e-10, &mut y);
            let error = product(&y).iter().zip(&b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(error < 1e-10, "n = {n}, rank {rank}: {error}");
            assert!(y.iter().filter(|y| **y != 0.0).count() <= rank);
        }
    }

    /// What no x reaches is orthogonal to all that A x can be.
    #[test]
    fn the_rest_is_orthogonal() {
        let (n, mut random) = (20, Random(3));
        let a = matrix(n, 11, &mut random);
        let b: Vec<f64> = (0..n).map(|_| random.number()).collect();
        let mut qr = Qr::default();
        qr.clear(n);
        (0..n * n).for_each(|e| *qr.entry(e / n, e % n) = a[e]);
        qr.factor();
        let mut x = b.clone();
        qr.solve(1e-10, &mut x);
        let rest: Vec<f64> =
            (0..n).map(|i| b[i] - (0..n).map(|j| a[i * n + j] * x[j]).sum::<f64>()).collect();
        for j in 0..n {
            let dot: f64 = (0..n).map(|i| a[i * n + j] * rest[i]).sum();
            assert!(dot.abs() < 1e-10, "{dot}");
        }
    }
}
