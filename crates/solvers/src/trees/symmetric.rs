//! What [`super::TreeLu`] does where all D are symmetric: half of the blocks and of the products.
//!
//! ```text
//!     U_pq = A_pp⁻¹ A_pq,    A_qr ← A_qr − A_pqᵀ U_pr      for q, r after p, q no later than r            (1)
//!     x_q ← x_q − A_pqᵀ A_pp⁻¹ x_p,   then from the last to the first   x_p ← A_pp⁻¹ x_p − U_pq x_q       (2)
//! ```
//!
//! A_pq stays where it is; U_pq takes the place of A_qp.

/// C −= Aᵀ B at [C, A, B] of `values`, A of k × m and B of k × n numbers; the three do not overlap.
#[inline(always)]
pub(super) fn subtract_transposed_product(values: &mut [f64], [c, a, b]: [usize; 3], [m, k, n]: [usize; 3]) {
    if [m, k, n] == [6; 3] {
        return subtract_transposed_product_of_six(values, [c, a, b]);
    }
    for inner in 0..k {
        for row in 0..m {
            let factor = values[a + inner * m + row];
            for column in 0..n {
                values[c + row * n + column] -= factor * values[b + inner * n + column];
            }
        }
    }
}

/// The same of free bodies: of a size the compiler knows.
#[inline(always)]
fn subtract_transposed_product_of_six(values: &mut [f64], [c, a, b]: [usize; 3]) {
    let [mut left, mut right] = [[0.0; 36]; 2];
    left.copy_from_slice(&values[a..a + 36]);
    right.copy_from_slice(&values[b..b + 36]);
    let (left, right) = (left.as_chunks::<6>().0, right.as_chunks::<6>().0);
    for (r, row) in values[c..c + 36].as_chunks_mut::<6>().0.iter_mut().enumerate() {
        let mut sum = *row;
        for (factors, other) in left.iter().zip(right) {
            for k in 0..6 {
                sum[k] -= factors[r] * other[k];
            }
        }
        *row = sum;
    }
}

/// x at `to` −= Aᵀ x at `from`, A of m × n numbers.
#[inline(always)]
pub(super) fn subtract_transposed(a: &[f64], x: &mut [f64], [to, from]: [usize; 2], m: usize, n: usize) {
    for (k, row) in a[..m * n].chunks_exact(n).enumerate() {
        let factor = x[from + k];
        for (r, a) in row.iter().enumerate() {
            x[to + r] -= a * factor;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::TreeLu;
    use crate::testing::{stack, with_delassus_factor};
    use stiction_contact::corpus::Random;
    use stiction_dynamics::spatial::{Vec3, vec3};

    /// Beside the factors that know of no symmetry, of free bodies and of trees of other sizes.
    #[test]
    fn half_of_it_does_the_same() {
        let stacked =
            with_delassus_factor(stack(&[1.0, 3.0, 0.5, 2.0, 1.0, 4.0], Vec3::ZERO, 0.5)).delassus_factor;
        let mut random = Random(7);
        let mut ring = stiction_contact::BranchSparseRows::default();
        ring.start([0..2, 2..5, 5..9, 9..10].into_iter());
        for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)] {
            ring.push_block();
            for tree in [a, b] {
                let columns = ring
                    .tree(tree)
                    .rev()
                    .map(|c| (c, vec3(random.number(), random.number(), random.number())))
                    .collect::<Vec<_>>();
                ring.push_segment(tree, None, columns.into_iter());
            }
        }
        for delassus_factor in [stacked, ring] {
            let (mut whole, mut half) = (TreeLu::default(), TreeLu::default());
            let rhs: Vec<f64> = (0..delassus_factor.coordinates()).map(|_| random.number()).collect();
            let [mut x, mut y] = [rhs.clone(), rhs];
            for (lu, symmetric, x) in [(&mut whole, false, &mut x), (&mut half, true, &mut y)] {
                lu.lay_out(&delassus_factor);
                let mut random = Random(3);
                assert!(lu.start(symmetric));
                for i in 0..delassus_factor.len() {
                    let mut d = [[0.0; 3]; 3];
                    for r in 0..3 {
                        for c in 0..r {
                            (d[r][c], d[c][r]) = (0.3, 0.3);
                        }
                        d[r][r] = 2.0 + random.number();
                    }
                    lu.add(&delassus_factor, i, &d);
                }
                assert!(lu.factor());
                lu.solve(x);
            }
            assert!(x.iter().any(|x| x.abs() > 0.01));
            assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-12), "{x:?} {y:?}");
        }
    }
}
