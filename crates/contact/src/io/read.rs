//! Reading problem files.

use super::node::{Node, Result};
use super::{ProblemFile, ProblemFileError, Reference};
use crate::cone::Cone;
use crate::primal::{Csr, MassFactor, Primal};
use crate::problem::ConstraintProblem;
use crate::softness::Softness;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// Larger files are refused [bytes].
const MAX_BYTES: u64 = 1 << 30;

/// Reads a problem file.
pub fn load(path: &Path) -> Result<ProblemFile> {
    let file = path.display().to_string();
    let io = |source| ProblemFileError::Io { file: path.display().to_string(), source };
    let bytes = std::fs::metadata(path).map_err(io)?.len();
    if bytes > MAX_BYTES {
        let (value, expected) = (format!("{bytes} bytes"), format!("at most {MAX_BYTES} bytes"));
        return Err(ProblemFileError::Value { file, element: "size".into(), value, expected });
    }
    parse(&std::fs::read_to_string(path).map_err(io)?, &file)
}

/// Reads the text of a problem file; `file` names it in errors.
pub fn parse(text: &str, file: &str) -> Result<ProblemFile> {
    let json = |e: serde_json::Error| ProblemFileError::Json { file: file.into(), message: e.to_string() };
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
    let shape =
        Shape::new(&node, dim.index(4).ok().filter(|d| (2..=3).contains(d)).ok_or(dim.wrong("2 or 3"))?)?;
    if let Some(frame) = node.find("contact_frame") {
        let expected = if shape.dim == 2 { "N,T" } else { "N,T1,T2" };
        if frame.text(expected)? != expected {
            return Err(frame.wrong(expected));
        }
    }
    let mut problem = match formulation {
        "local" => local(&node, &shape)?,
        _ => global(&node, &shape)?,
    };
    if let Some(h) = node.find("time_step") {
        problem.time_step = h.number()?;
        if problem.time_step <= 0.0 {
            return Err(h.wrong("a time > 0 [s]"));
        }
    }
    if let Some(r) = node.find("compliance") {
        let values = r.numbers(Some(shape.file_rows))?;
        if let Some(bad) = values.iter().position(|r| *r < 0.0) {
            return Err(r.at(bad).wrong("a compliance >= 0"));
        }
        shape.scatter(&values, &mut problem.compliance);
    }
    if let Some(primal) = node.find("primal") {
        problem.primal = Some(read_primal(&primal)?);
    }
    if let Some(softness) = node.find("softness") {
        let expected = format!("one object per block, {}, as the program writes them", problem.len());
        problem.softness = Vec::deserialize(softness.value)
            .ok()
            .filter(|s: &Vec<Softness>| s.len() == problem.len())
            .ok_or_else(|| softness.wrong(&expected))?;
    }
    let name = node.find("name").and_then(|n| n.value.as_str()).unwrap_or("unnamed").to_owned();
    let reference = node.find("reference").map(|r| reference(&r, &shape)).transpose()?;
    Ok(ProblemFile { name, problem, reference, file_row: shape.file_row })
}

/// Where the rows of the file go.
struct Shape {
    dim: usize,
    /// Rows of the file.
    file_rows: usize,
    /// Cones in the problem's order.
    cones: Vec<Cone>,
    /// First row of every block of the problem, and the number of rows.
    start: Vec<usize>,
    /// Row of the file that row r of the problem is.
    file_row: Vec<Option<usize>>,
    /// Block and row within it of a row of the file.
    place: Vec<(usize, usize)>,
}

impl Shape {
    fn new(node: &Node, dim: usize) -> Result<Self> {
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
        let contacts = mus.len();
        let mut blocks: Vec<Cone> = mus.into_iter().map(|mu| Cone::Friction { mu }).collect();
        if let Some(scalar) = node.find("scalar") {
            for k in 0..scalar.list()?.len() {
                blocks.push(scalar_cone(&scalar.at(k))?);
            }
        }
        let order: Vec<usize> = match node.find("order") {
            Some(order) => permutation(&order, blocks.len())?,
            None => (0..blocks.len()).collect(),
        };
        let file_rows = dim * contacts + blocks.len() - contacts;
        let mut out = Self {
            dim,
            file_rows,
            cones: Vec::new(),
            start: vec![0],
            file_row: Vec::new(),
            place: vec![(0, 0); file_rows],
        };
        for (block, &source) in order.iter().enumerate() {
            let rows: &[Option<usize>] = match (source < contacts, dim) {
                (true, 3) => &[Some(1), Some(2), Some(0)].map(|k| k.map(|k: usize| 3 * source + k)),
                (true, _) => &[Some(2 * source + 1), None, Some(2 * source)],
                (false, _) => &[Some(dim * contacts + source - contacts)],
            };
            for (k, row) in rows.iter().enumerate() {
                if let Some(row) = *row {
                    out.place[row] = (block, k);
                }
                out.file_row.push(*row);
            }
            out.cones.push(blocks[source]);
            out.start.push(out.file_row.len());
        }
        Ok(out)
    }

    fn planar(&self) -> bool {
        self.dim == 2
    }

    /// Values by rows of the file into rows of the problem; rows without a source stay.
    fn scatter(&self, values: &[f64], out: &mut [f64]) {
        for (out, row) in out.iter_mut().zip(&self.file_row) {
            if let Some(row) = *row {
                *out = values[row];
            }
        }
    }
}

fn scalar_cone(node: &Node) -> Result<Cone> {
    let bound = |key, infinite: f64| match node.find(key) {
        Some(b) if !b.value.is_null() => b.number(),
        _ => Ok(infinite),
    };
    let expected = "\"free\", \"non-negative\" or \"box\"";
    let kind = node.get("kind", expected)?;
    match kind.text(expected)? {
        "free" => Ok(Cone::Free),
        "non-negative" => Ok(Cone::NonNegative),
        "box" => {
            let (lo, hi) = (bound("lo", f64::NEG_INFINITY)?, bound("hi", f64::INFINITY)?);
            if lo <= hi { Ok(Cone::Box { lo, hi }) } else { Err(node.wrong("a box with lo <= hi")) }
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

/// u = W r + q.
fn local(node: &Node, shape: &Shape) -> Result<ConstraintProblem> {
    let n = shape.file_rows;
    let q = node.get("q", "one velocity per row")?.numbers(Some(n))?;
    let entries = matrix(&node.get("W", "a matrix")?, n, n)?;
    let mut problem = ConstraintProblem::default();
    let mut g = vec![0.0; shape.file_row.len()];
    shape.scatter(&q, &mut g);
    for (i, cone) in shape.cones.iter().enumerate() {
        problem.push(*cone, &g[shape.start[i]..shape.start[i + 1]]);
    }

    // Union of the pattern and its transpose, with the diagonal.
    let mut columns: Vec<Vec<usize>> = (0..shape.cones.len()).map(|i| vec![i]).collect();
    for &(i, j, _) in &entries {
        let (i, j) = (shape.place[i].0, shape.place[j].0);
        columns[i].push(j);
        columns[j].push(i);
    }
    columns.iter_mut().for_each(|c| {
        c.sort_unstable();
        c.dedup();
    });
    let (start, blocks) = problem.starts_and_blocks_mut();
    let start = start.to_vec();
    blocks.set_pattern(&start, |i, out| out.extend_from_slice(&columns[i]));
    for &(i, j, v) in &entries {
        let ((bi, ri), (bj, rj)) = (shape.place[i], shape.place[j]);
        let width = start[bj + 1] - start[bj];
        let Ok(at) = columns[bi].binary_search(&bj) else { continue };
        let entry = blocks.entries(bi).start + at;
        blocks.entry_mut(entry)[ri * width + rj] += v;
    }
    if shape.planar() {
        for (i, cone) in shape.cones.iter().enumerate() {
            let Ok(at) = columns[i].binary_search(&i) else { continue };
            if let Cone::Friction { .. } = cone {
                let entry = blocks.entries(i).start + at;
                let normal = blocks.entry(entry)[8];
                blocks.entry_mut(entry)[4] = normal;
            }
        }
    }
    Ok(problem)
}

/// M v = H r + f, u = Hᵀ v + w, condensed.
fn global(node: &Node, shape: &Shape) -> Result<ConstraintProblem> {
    let primal_error = |source| ProblemFileError::Primal { file: node.file.into(), source };
    let f = node.get("f", "one impulse per coordinate")?.numbers(None)?;
    let (nv, n) = (f.len(), shape.file_rows);
    let w = node.get("w", "one velocity per row")?.numbers(Some(n))?;
    let mass = csr(nv, matrix(&node.get("M", "a matrix")?, nv, nv)?.into_iter());
    let h = matrix(&node.get("H", "a matrix")?, nv, n)?;
    let rows_of_file = csr(n, h.into_iter().map(|(dof, row, v)| (row, dof, v)));

    let factor = MassFactor::new(&mass, nv).map_err(primal_error)?;
    let mut free_velocity = f;
    factor.solve(&mut free_velocity);
    let mut primal = Primal { nv, mass, free_velocity, ..Primal::default() };
    primal.jacobian.start.push(0);
    for row in &shape.file_row {
        match *row {
            Some(row) => {
                for (dof, v) in rows_of_file.entries(row) {
                    primal.jacobian.column.push(dof);
                    primal.jacobian.value.push(v);
                }
                primal.bias.push(w[row]);
            }
            None => {
                // The tangent a planar contact gains moves a coordinate of its own, as heavy as the normal.
                let normal = primal.jacobian.start.len() - 2;
                let mut x = vec![0.0; nv];
                let Some(row) = shape.file_row[normal + 2] else { continue };
                rows_of_file.entries(row).for_each(|(dof, v)| x[dof] += v);
                factor.solve(&mut x);
                let w_nn: f64 = rows_of_file.entries(row).map(|(dof, v)| x[dof] * v).sum();
                primal.jacobian.column.push(primal.nv);
                primal.jacobian.value.push(1.0);
                primal.mass.column.push(primal.nv);
                primal.mass.value.push(if w_nn > 0.0 { 1.0 / w_nn } else { 1.0 });
                primal.mass.start.push(primal.mass.value.len());
                primal.free_velocity.push(0.0);
                primal.bias.push(0.0);
                primal.nv += 1;
            }
        }
        primal.jacobian.start.push(primal.jacobian.value.len());
    }
    ConstraintProblem::from_primal(&shape.cones, primal, 1.0).map_err(primal_error)
}

/// Compressed rows from entries in any order.
fn csr(rows: usize, entries: impl Iterator<Item = (usize, usize, f64)>) -> Csr {
    let mut sorted: Vec<(usize, usize, f64)> = entries.collect();
    sorted.sort_by_key(|&(i, j, _)| (i, j));
    let mut out = Csr { start: vec![0; rows + 1], ..Csr::default() };
    for (i, j, v) in sorted {
        out.start[i + 1] += 1;
        out.column.push(j);
        out.value.push(v);
    }
    (0..rows).for_each(|i| out.start[i + 1] += out.start[i]);
    out
}

/// Entries (i, j, v) of a matrix of the given size.
fn matrix(node: &Node, rows: usize, columns: usize) -> Result<Vec<(usize, usize, f64)>> {
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

fn reference(node: &Node, shape: &Shape) -> Result<Reference> {
    let r = node.get("r", "one impulse per row")?.numbers(Some(shape.file_rows))?;
    let mut impulses = vec![0.0; shape.file_row.len()];
    shape.scatter(&r, &mut impulses);
    Ok(Reference {
        solver: node.find("solver").and_then(|s| s.value.as_str()).unwrap_or("unknown").to_owned(),
        residual: node.find("natural_map_residual").map_or(Ok(f64::NAN), |r| r.number())?,
        impulses,
    })
}
