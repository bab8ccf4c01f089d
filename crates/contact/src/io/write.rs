//! Writing problem files.

use super::ProblemFileError;
use crate::cone::Cone;
use crate::primal::{Csr, Primal};
use crate::problem::ConstraintProblem;
use serde_json::{Value, json};
use std::path::Path;

/// Writes a problem file; see [`to_json`].
pub fn save(
    path: &Path,
    name: &str,
    problem: &ConstraintProblem,
    impulses: Option<&[f64]>,
) -> Result<(), ProblemFileError> {
    let io = |source| ProblemFileError::Io { file: path.display().to_string(), source };
    std::fs::write(path, to_json(name, problem, impulses)).map_err(io)
}

/// The text of a problem file in local form; reading it back gives the same bits. `impulses` are kept as
/// the reference answer. The blocks of G must be formed.
pub fn to_json(name: &str, problem: &ConstraintProblem, impulses: Option<&[f64]>) -> String {
    assert!(problem.blocks_formed(), "only a problem with the blocks of G can be written");
    // Contacts first, then scalar blocks; within a contact the normal first.
    let is_contact = |i: &usize| matches!(problem.cone(*i), Cone::Friction { .. });
    let (contacts, scalars): (Vec<usize>, Vec<usize>) = (0..problem.len()).partition(is_contact);
    let sources: Vec<usize> = contacts.iter().chain(&scalars).copied().collect();
    let mut order = vec![0; problem.len()];
    sources.iter().enumerate().for_each(|(file, &block)| order[block] = file);
    let mut rows = Vec::new();
    for &i in &sources {
        let r = problem.range(i).start;
        match problem.range(i).len() {
            3 => rows.extend([r + 2, r, r + 1]),
            _ => rows.push(r),
        }
    }
    let mut file_row = vec![0; rows.len()];
    rows.iter().enumerate().for_each(|(file, &row)| file_row[row] = file);
    let gather = |x: &[f64]| rows.iter().map(|&r| x[r]).collect::<Vec<f64>>();

    let (mut at_i, mut at_j, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..problem.len() {
        for k in problem.blocks.entries(i) {
            let j = problem.blocks.column_of(k);
            let width = problem.range(j).len();
            for (n, v) in problem.blocks.entry(k).iter().enumerate() {
                at_i.push(file_row[problem.range(i).start + n / width]);
                at_j.push(file_row[problem.range(j).start + n % width]);
                values.push(*v);
            }
        }
    }
    let mu: Vec<f64> = contacts
        .iter()
        .map(|&i| if let Cone::Friction { mu } = problem.cone(i) { mu } else { 0.0 })
        .collect();
    let mut root = json!({
        "name": name,
        "formulation": "local",
        "dim": 3,
        "nc": contacts.len(),
        "contact_frame": "N,T1,T2",
        "W": { "shape": [rows.len(), rows.len()], "i": at_i, "j": at_j, "v": values },
        "q": gather(&problem.free_velocity),
        "mu": mu,
        "time_step": problem.time_step,
        "compliance": gather(&problem.compliance),
        "scalar": scalars.iter().map(|&i| scalar(problem.cone(i))).collect::<Vec<Value>>(),
        "order": order,
    });
    if let Some(primal) = &problem.primal {
        root["primal"] = write_primal(primal);
    }
    if !problem.softness.is_empty() {
        root["softness"] = json!(problem.softness);
    }
    if let Some(impulses) = impulses {
        root["reference"] = json!({ "solver": "stiction", "r": gather(impulses) });
    }
    root.to_string()
}

/// An infinite side is null.
fn scalar(cone: Cone) -> Value {
    match cone {
        Cone::Box { lo, hi } => json!({ "kind": "box", "lo": lo, "hi": hi }),
        Cone::NonNegative => json!({ "kind": "non-negative" }),
        Cone::Free | Cone::Friction { .. } => json!({ "kind": "free" }),
    }
}

fn write_primal(primal: &Primal) -> Value {
    let csr = |m: &Csr| json!({ "start": m.start, "column": m.column, "value": m.value });
    json!({
        "nv": primal.nv,
        "mass": csr(&primal.mass),
        "jacobian": csr(&primal.jacobian),
        "free_velocity": primal.free_velocity,
        "bias": primal.bias,
    })
}
