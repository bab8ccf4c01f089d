//! Writing the JSON form.

use super::neutral::Neutral;
use serde_json::{Value, json};
use stiction_contact::cone::Cone;
use stiction_contact::primal::{Csr, Primal};
use stiction_contact::problem::ConstraintProblem;

/// The text of a problem file in local form; reading it back gives the same bits. `impulses` are kept as
/// the reference answer. The blocks of G must be formed.
pub fn to_json(name: &str, problem: &ConstraintProblem, impulses: Option<&[f64]>) -> String {
    let of = Neutral::of(name, problem, impulses);
    let (w, q) = of.local();
    let mut root = json!({
        "name": name,
        "formulation": "local",
        "dim": of.dim,
        "nc": of.mu.len(),
        "contact_frame": "N,T1,T2",
        "W": {
            "shape": [of.rows(), of.rows()],
            "i": w.iter().map(|e| e.0).collect::<Vec<usize>>(),
            "j": w.iter().map(|e| e.1).collect::<Vec<usize>>(),
            "v": w.iter().map(|e| e.2).collect::<Vec<f64>>(),
        },
        "q": q,
        "mu": of.mu,
        "time_step": of.time_step,
        "compliance": of.compliance,
        "scalar": of.scalar.iter().map(|c| scalar(*c)).collect::<Vec<Value>>(),
        "order": of.order,
    });
    if let Some(primal) = &of.primal {
        root["primal"] = write_primal(primal);
    }
    if !of.softness.is_empty() {
        root["softness"] = json!(of.softness);
    }
    if let Some(reference) = &of.reference {
        root["reference"] = json!({ "solver": reference.solver, "r": reference.impulses });
    }
    root.to_string()
}

/// An infinite side is null.
fn scalar(cone: Cone) -> Value {
    match cone {
        Cone::Box { lo, hi } => json!({ "kind": "box", "lo": lo, "hi": hi }),
        Cone::NonNegative => json!({ "kind": "non-negative" }),
        Cone::Patch { mu, .. } => json!({ "kind": "patch", "mu": mu, "rows": cone.dim() }),
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
