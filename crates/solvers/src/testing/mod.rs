//! What the tests of all solvers share.

mod acceptance;
mod every;
mod facets;
mod puck;

pub(crate) use puck::{Puck, apart};

pub(crate) use stiction_contact::ConstraintProblem;
use stiction_contact::ThinRows;
pub(crate) use stiction_contact::corpus::*;
pub(crate) use stiction_dynamics::spatial::{Vec3, vec3};

/// A problem of free bodies by its factor: W = J M^-½, M a diagonal, six coordinates a tree.
pub(crate) fn thin_rows(problem: &ConstraintProblem) -> ThinRows {
    let primal = problem.primal.as_ref().unwrap();
    let mut thin = ThinRows::default();
    thin.start((0..primal.nv / 6).map(|t| 6 * t..6 * (t + 1)));
    for i in 0..problem.len() {
        thin.push_block();
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
                thin.push_segment(t, Some(6 * t + 5), (0..6).rev().map(|k| (6 * t + k, columns[k])));
            }
        }
    }
    thin
}

/// The same problem with the factor of its G beside the blocks.
pub(crate) fn with_thin(mut problem: ConstraintProblem) -> ConstraintProblem {
    problem.thin = thin_rows(&problem);
    problem
}
