//! Our JSON, which is also the neutral form in which the FCLIB and Siconos collections are passed on.
//!
//! `formulation` (local, global), `dim`, `mu`, `contact_frame` ("N,T1,T2"), W and q or M, H, f and w. Matrices are
//! `{shape, dense}` by rows or `{shape, i, j, v}`. Keys of our own: `time_step` [s]; `compliance`, one number per
//! row; `scalar`, blocks of one row after the contacts, and patches of four or six in our order of rows; `order`, our
//! block order; `primal`; `softness`, one object per block in our order; `reference`, an answer.

use super::neutral::{Entries, Form, Neutral};
use super::node::{Node, Result};
use super::{ProblemFile, ProblemFileError, Reference};
use serde::Deserialize;
use serde_json::Value;
use stiction_contact::cone::Cone;
use stiction_contact::primal::{Csr, Primal};
use stiction_contact::softness::Softness;

/// Reads the text of a problem file in JSON; `file` names it in errors.
pub fn parse(text: &str, file: &str) -> Result<ProblemFile> {
    let json = |e: serde_json::Error| ProblemFileError::Format {
        file: file.into(),
        format: "JSON",
        message: e.to_string(),
    };
    let root: Value = serde_json::from_str(text).map_err(json)?;
    let node = Node::root(file, &root);
    let formulation = node.get("formulation", "\"local\" or \"global\"")?.text("\"local\" or \"global\"")?;
    match formulation {
        "local" | "global" => {}
        _ if formulation.contains("rolling") => {
            return Err(ProblemFileError::Rolling { file: file.into(), formulation: formulation.into() });
        }
        _ => return Err(node.get("formulation", "")?.wrong("\"local\" or \"global\"")),
    }
    let dim = node.get("dim", "2 or 3")?;
    let dim = dim.index(4).ok().filter(|d| (2..=3).contains(d)).ok_or(dim.wrong("2 or 3"))?;
    let (mu, scalar, order) = blocks(&node)?;
    if let Some(frame) = node.find("contact_frame") {
        let expected = if dim == 2 { "N,T" } else { "N,T1,T2" };
        if frame.text(expected)? != expected {
            return Err(frame.wrong(expected));
        }
    }
    let rows = dim * mu.len() + scalar.iter().map(Cone::dim).sum::<usize>();
    let form = match formulation {
        "local" => {
            let q = node.get("q", "one velocity per row")?.numbers(Some(rows))?;
            Form::Local { w: matrix(&node.get("W", "a matrix")?, rows, rows)?, q }
        }
        _ => {
            let f = node.get("f", "one impulse per coordinate")?.numbers(None)?;
            let w = node.get("w", "one velocity per row")?.numbers(Some(rows))?;
            let mass = matrix(&node.get("M", "a matrix")?, f.len(), f.len())?;
            Form::Global { mass, h: matrix(&node.get("H", "a matrix")?, f.len(), rows)?, f, w }
        }
    };
    let name = node.find("name").and_then(|n| n.value.as_str()).unwrap_or("unnamed").to_owned();
    let blocks = mu.len() + scalar.len();
    let mut out = Neutral { scalar, order, ..Neutral::new(name, dim, mu, form) };
    if let Some(h) = node.find("time_step") {
        out.time_step = h.number()?;
        if out.time_step <= 0.0 {
            return Err(h.wrong("a time > 0 [s]"));
        }
    }
    if let Some(r) = node.find("compliance") {
        out.compliance = r.numbers(Some(rows))?;
        if let Some(bad) = out.compliance.iter().position(|r| *r < 0.0) {
            return Err(r.at(bad).wrong("a compliance >= 0"));
        }
    }
    if let Some(primal) = node.find("primal") {
        out.primal = Some(read_primal(&primal)?);
    }
    if let Some(softness) = node.find("softness") {
        let expected = format!("one object per block, {blocks}, as the program writes them");
        out.softness = Vec::deserialize(softness.value)
            .ok()
            .filter(|s: &Vec<Softness>| s.len() == blocks)
            .ok_or_else(|| softness.wrong(&expected))?;
    }
    out.reference = node.find("reference").map(|r| reference(&r, rows)).transpose()?;
    out.into_file(file)
}

/// Coefficients of friction, blocks of one row, and our order of all.
fn blocks(node: &Node) -> Result<(Vec<f64>, Vec<Cone>, Vec<usize>)> {
    let mu = node.get("mu", "one coefficient per contact")?;
    let mus = mu.numbers(None)?;
    if let Some(bad) = mus.iter().position(|m| *m < 0.0) {
        return Err(mu.at(bad).wrong("a coefficient of friction >= 0"));
    }
    if let Some(nc) = node.find("nc")
        && nc.index(usize::MAX)? != mus.len()
    {
        return Err(nc.wrong(&format!("the length of `mu`, {}", mus.len())));
    }
    let mut scalars = Vec::new();
    if let Some(scalar) = node.find("scalar") {
        for k in 0..scalar.list()?.len() {
            scalars.push(scalar_cone(&scalar.at(k))?);
        }
    }
    let order = match node.find("order") {
        Some(order) => permutation(&order, mus.len() + scalars.len())?,
        None => Vec::new(),
    };
    Ok((mus, scalars, order))
}

fn scalar_cone(node: &Node) -> Result<Cone> {
    let bound = |key, infinite: f64| match node.find(key) {
        Some(b) if !b.value.is_null() => b.number(),
        _ => Ok(infinite),
    };
    let expected = "\"free\", \"non-negative\", \"box\" or \"patch\"";
    let kind = node.get("kind", expected)?;
    match kind.text(expected)? {
        "free" => Ok(Cone::Free),
        "non-negative" => Ok(Cone::NonNegative),
        "box" => {
            let (lo, hi) = (bound("lo", f64::NEG_INFINITY)?, bound("hi", f64::INFINITY)?);
            if lo <= hi { Ok(Cone::Box { lo, hi }) } else { Err(node.wrong("a box with lo <= hi")) }
        }
        "patch" => {
            let mu = node.get("mu", "a coefficient of friction")?;
            let rows = node.get("rows", "4 or 6")?;
            let rolls = match rows.index(7)? {
                4 => false,
                6 => true,
                _ => return Err(rows.wrong("4 or 6")),
            };
            let value = mu.number()?;
            if value >= 0.0 {
                Ok(Cone::Patch { mu: value, rolls })
            } else {
                Err(mu.wrong("a coefficient >= 0"))
            }
        }
        _ => Err(kind.wrong(expected)),
    }
}

fn permutation(node: &Node, n: usize) -> Result<Vec<usize>> {
    let order = node.indices(n)?;
    let mut seen = vec![false; n];
    order.iter().for_each(|&k| seen[k] = true);
    if order.len() == n && seen.iter().all(|s| *s) {
        Ok(order)
    } else {
        Err(node.wrong(&format!("every block from 0 to {} once", n.saturating_sub(1))))
    }
}

/// Entries (i, j, v) of a matrix of the given size.
fn matrix(node: &Node, rows: usize, columns: usize) -> Result<Entries> {
    let shape = node.get("shape", "[rows, columns]")?;
    if shape.indices(usize::MAX)? != [rows, columns] {
        return Err(shape.wrong(&format!("[{rows}, {columns}]")));
    }
    if let Some(dense) = node.find("dense") {
        if dense.list()?.len() != rows {
            return Err(dense.wrong(&format!("{rows} rows")));
        }
        let mut out = Vec::new();
        for i in 0..rows {
            let row = dense.at(i).numbers(Some(columns))?;
            out.extend(row.into_iter().enumerate().filter(|(_, v)| *v != 0.0).map(|(j, v)| (i, j, v)));
        }
        return Ok(out);
    }
    let v = node.get("v", "the values of the entries, or `dense`")?.numbers(None)?;
    let index = |key, limit| -> Result<Vec<usize>> {
        let node = node.get(key, "the places of the entries")?;
        let indices = node.indices(limit)?;
        if indices.len() == v.len() { Ok(indices) } else { Err(node.wrong(&format!("{} numbers", v.len()))) }
    };
    let (i, j) = (index("i", rows)?, index("j", columns)?);
    Ok(i.into_iter().zip(j).zip(v).map(|((i, j), v)| (i, j, v)).collect())
}

fn read_primal(node: &Node) -> Result<Primal> {
    let csr = |key| -> Result<Csr> {
        let node = node.get(key, "a matrix by compressed rows")?;
        Ok(Csr {
            start: node.get("start", "row starts")?.indices(usize::MAX)?,
            column: node.get("column", "columns")?.indices(usize::MAX)?,
            value: node.get("value", "values")?.numbers(None)?,
        })
    };
    let primal = Primal {
        nv: node.get("nv", "the number of coordinates")?.index(usize::MAX)?,
        mass: csr("mass")?,
        jacobian: csr("jacobian")?,
        free_velocity: node.get("free_velocity", "one velocity per coordinate")?.numbers(None)?,
        bias: node.get("bias", "one velocity per row")?.numbers(None)?,
    };
    primal.validate().map_err(|source| ProblemFileError::Primal { file: node.file.into(), source })?;
    Ok(primal)
}

fn reference(node: &Node, rows: usize) -> Result<Reference> {
    Ok(Reference {
        solver: node.find("solver").and_then(|s| s.value.as_str()).unwrap_or("unknown").to_owned(),
        residual: node.find("natural_map_residual").map_or(Ok(f64::NAN), |r| r.number())?,
        impulses: node.get("r", "one impulse per row")?.numbers(Some(rows))?,
    })
}
