//! What the tests of all solvers share.

mod acceptance;
mod every;
mod facets;
mod puck;

pub(crate) use puck::{Puck, apart};

use stiction_contact::BranchSparseRows;
pub(crate) use stiction_contact::ConstraintProblem;
pub(crate) use stiction_contact::corpus::*;
pub(crate) use stiction_dynamics::spatial::{Vec3, vec3};

/// A problem of free bodies by its factor: W = J M^-½, M a diagonal, six coordinates a tree.
pub(crate) fn thin_rows(problem: &ConstraintProblem) -> BranchSparseRows {
    let primal = problem.primal.as_ref().unwrap();
    let mut delassus_factor = BranchSparseRows::default();
    delassus_factor.start((0..primal.nv / 6).map(|t| 6 * t..6 * (t + 1)));
    for i in 0..problem.len() {
        delassus_factor.push_block();
        for t in 0..primal.nv / 6 {
            let mut columns = [Vec3::ZERO; 6];
            for (k, r) in problem.range(i).enumerate() {
                for (dof, value) in primal.jacobian.entries(r).filter(|e| e.0 / 6 == t) {
                    let mut row = columns[dof % 6].to_array();
                    row[k] += value / primal.mass.value[dof].sqrt();
                    columns[dof % 6] = vec3(row[0], row[1], row[2]);
                }
            }
            if columns.iter().any(|c| *c != Vec3::ZERO) {
                delassus_factor.push_segment(
                    t,
                    Some(6 * t + 5),
                    (0..6).rev().map(|k| (6 * t + k, columns[k])),
                );
            }
        }
    }
    delassus_factor
}

/// The same problem with the factor of its G beside the blocks.
pub(crate) fn with_delassus_factor(mut problem: ConstraintProblem) -> ConstraintProblem {
    problem.delassus_factor = thin_rows(&problem);
    problem
}

/// The default numbers of all methods.
pub(crate) fn tuning() -> &'static crate::tuning::Tuning {
    static TUNING: std::sync::LazyLock<crate::tuning::Tuning> = std::sync::LazyLock::new(Default::default);
    &TUNING
}
