//! One sweep, (1) and (2) of [`crate::sweep`].

use super::Block;
use crate::local::{Contact, patch};
use crate::work;
use stiction_contact::cone::MAX_ROWS;
use stiction_contact::{Cone, ConstraintProblem};
use stiction_dynamics::lanes;

/// λᵢ⁺ of (1), from a contact, its impulse and its velocity.
pub(crate) trait Answer: Fn(&Contact, [f64; 3], [f64; 3]) -> [f64; 3] {}

impl<F: Fn(&Contact, [f64; 3], [f64; 3]) -> [f64; 3]> Answer for F {}

/// Every block in order, `c` following the impulses by the blocks of G.
pub(crate) fn by_blocks(
    answer: impl Answer,
    blocks: &[Block],
    problem: &ConstraintProblem,
    lambda: &mut [f64],
    c: &mut [f64],
) {
    work::swept(blocks.len());
    let row_start = problem.row_start();
    for (i, block) in blocks.iter().enumerate() {
        let r = row_start[i];
        if let &Block::Patch(mu, norm) = block {
            let rows = problem.range(i);
            let mut a = [0.0; MAX_ROWS * MAX_ROWS];
            let a = &mut a[..rows.len() * rows.len()];
            a.copy_from_slice(problem.blocks.diagonal(i));
            for (k, row) in rows.clone().enumerate() {
                a[k * (rows.len() + 1)] += problem.compliance[row];
            }
            let mut d = patch::solve(a, norm, mu, &lambda[rows.clone()], &c[rows.clone()]);
            for (d, l) in d.iter_mut().zip(&mut lambda[rows.clone()]) {
                (*d, *l) = (*d - *l, *d);
            }
            add_column(problem, i, r, &d[..rows.len()], c);
            continue;
        }
        let rows = r..row_start[i + 1];
        let d = change(&answer, block, problem.cone(i), &mut lambda[rows.clone()], &c[rows.clone()]);
        if d != [0.0; 3] {
            add_column(problem, i, r, &d[..rows.len()], c);
        }
    }
}

/// Every block in order, by the factor of G, whose blocks have at most three rows: z = Wᵀ λ follows the impulses, and `c` is written
/// at the end.
pub(crate) fn by_factor(
    answer: impl Answer,
    blocks: &[Block],
    problem: &ConstraintProblem,
    lambda: &mut [f64],
    (z, c): (&mut Vec<f64>, &mut [f64]),
) {
    work::swept(blocks.len());
    let (delassus_factor, row_start) = (&problem.delassus_factor, problem.row_start());
    let (g, compliance) = (&problem.free_velocity, &problem.compliance);
    z.clear();
    z.resize(delassus_factor.coordinates(), 0.0);
    lanes::plain(
        #[inline(always)]
        || {
            delassus_factor.add_all_transposed(row_start, lambda, z);
            for (i, block) in blocks.iter().enumerate() {
                let rows = row_start[i]..row_start[i + 1];
                let lambda = &mut lambda[rows.clone()];
                let mut own = delassus_factor.dot(i, z).to_array();
                for (k, row) in rows.enumerate() {
                    own[k] += g[row] + compliance[row] * lambda[k];
                }
                let d = change(&answer, block, problem.cone(i), lambda, &own);
                if d != [0.0; 3] {
                    delassus_factor.add_transposed(i, d.into(), z);
                }
            }
            for i in 0..blocks.len() {
                let own = delassus_factor.dot(i, z).to_array();
                for (k, row) in (row_start[i]..row_start[i + 1]).enumerate() {
                    c[row] = own[k] + g[row] + compliance[row] * lambda[row];
                }
            }
        },
    );
}

/// λᵢ⁺ in the place of λᵢ, of a block of at most three rows with the velocities c; the difference.
#[inline(always)]
fn change(answer: &impl Answer, block: &Block, set: Cone, lambda: &mut [f64], c: &[f64]) -> [f64; 3] {
    match block {
        Block::Contact(contact) => {
            let old = [lambda[0], lambda[1], lambda[2]];
            let new = answer(contact, old, [c[0], c[1], c[2]]); // (1)
            lambda.copy_from_slice(&new);
            [new[0] - old[0], new[1] - old[1], new[2] - old[2]]
        }
        Block::Scalar(a, cone) => {
            let mut new = [lambda[0] - c[0] / a];
            cone.project(&mut new); // (2)
            let d = new[0] - lambda[0];
            lambda[0] = new[0];
            [d, 0.0, 0.0]
        }
        Block::Patch(..) => unreachable!("a patch has more rows"),
        Block::Inert => {
            lambda.fill(0.0);
            set.project(lambda);
            [0.0; 3]
        }
    }
}

/// c += (G + R)[:, i] d.
#[inline]
fn add_column(problem: &ConstraintProblem, i: usize, r: usize, d: &[f64], c: &mut [f64]) {
    problem.blocks.add_column_into(problem.row_start(), i, d, c);
    for (k, d) in d.iter().enumerate() {
        c[r + k] += problem.compliance[r + k] * d;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks_into;
    use crate::residual::StoppingResidual;
    use crate::testing::{stack, with_delassus_factor};
    use stiction_dynamics::spatial::vec3;

    /// P(λᵢ − cᵢ/‖Aᵢ‖).
    fn projected(contact: &Contact, lambda: [f64; 3], c: [f64; 3]) -> [f64; 3] {
        let mut x = std::array::from_fn(|k| lambda[k] - c[k] / contact.norm);
        Cone::Friction { mu: contact.mu }.project(&mut x);
        x
    }

    /// Three sweeps of a pushed stack: with or without blocks the same impulses and velocities.
    #[test]
    fn sweeps_need_no_blocks() {
        let problem = with_delassus_factor(stack(&[1.0, 3.0, 0.5, 2.0, 1.0], vec3(0.5, 0.2, 0.0), 0.4));
        let (mut stopping, mut blocks) = (StoppingResidual::default(), Vec::new());
        stopping.prepare(&problem);
        blocks_into(&problem, &stopping, &mut blocks);
        let mut lambda = [vec![0.0; problem.rows()], vec![0.0; problem.rows()]];
        let mut c = [problem.free_velocity.clone(), problem.free_velocity.clone()];
        let mut z = Vec::new();
        for _ in 0..3 {
            by_blocks(projected, &blocks, &problem, &mut lambda[0], &mut c[0]);
            by_factor(projected, &blocks, &problem, &mut lambda[1], (&mut z, &mut c[1]));
            for [a, b] in [[&lambda[0], &lambda[1]], [&c[0], &c[1]]] {
                assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12), "{a:?} {b:?}");
            }
        }
        assert!(lambda[0].iter().any(|&l| l > 0.0));
    }
}
