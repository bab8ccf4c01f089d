//! The judge of the contact crate in place of the lanes' own: problem and impulses of one lane, written out in `f64`.

use super::rows::Rows;
use stiction_assembly::BlockKey;
use stiction_contact::{Cone, ConstraintProblem, Judge};
use stiction_dynamics::Real;

/// See the module.
#[derive(Default)]
pub(super) struct Witness {
    judge: Judge,
    problem: ConstraintProblem,
    impulses: Vec<f64>,
    /// First row in lanes, per block.
    rows: Vec<usize>,
}

impl Witness {
    /// The natural map of one lane [m/s].
    #[inline(never)]
    pub(super) fn natural_map<T: Real>(&mut self, rows: &Rows<T>, lambda: &[T], lane: usize) -> f64 {
        let Self { judge, problem, impulses, rows: first } = self;
        problem.clear();
        impulses.clear();
        first.clear();
        for (block, cone) in rows.blocks.iter().zip(&rows.cones) {
            if cone.active.lane(lane) == 0.0 {
                continue;
            }
            let cone = match block.key {
                BlockKey::Contact(_) => match (cone.mu.lane(lane), block.dim) {
                    (mu, 3) => Cone::Friction { mu },
                    (mu, dim) => Cone::Patch { mu, rolls: dim == 6 },
                },
                BlockKey::Row(key) => key.cone(cone.bounds.map(|x| x.lane(lane))),
            };
            let range = block.row..block.row + block.dim;
            let g: Vec<f64> = rows.g[range.clone()].iter().map(|g| g.lane(lane)).collect();
            problem.push(cone, &g);
            impulses.extend(lambda[range].iter().map(|l| l.lane(lane)));
            first.push(block.row);
        }
        if problem.is_empty() {
            return 0.0;
        }
        let n = first.len();
        let dims: Vec<usize> = problem.cones().iter().map(|c| c.dim()).collect();
        let (start, blocks) = problem.starts_and_blocks_mut();
        blocks.set_pattern(start, |_, out| out.extend(0..n));
        for i in 0..n {
            for entry in blocks.entries(i) {
                let j = blocks.column_of(entry);
                for (k, value) in blocks.entry_mut(entry).iter_mut().enumerate() {
                    let at = (first[i] + k / dims[j]) * rows.rows + first[j] + k % dims[j];
                    *value = rows.G[at].lane(lane);
                }
            }
        }
        judge.certify(problem, impulses).natural_map
    }
}
