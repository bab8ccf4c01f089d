//! FCLIB files (.hdf5) [Acary2014].
//!
//! ```text
//!     /fclib_local     spacedim, W, V, R, vectors/{q, s, mu}:
//!                      u = W r + V λ + q,  0 = Vᵀ r + R λ + s
//!     /fclib_global    spacedim, M, H, G, vectors/{f, w, b, mu}:
//!                      M v = H r + G λ + f,  u = Hᵀ v + w,  0 = Gᵀ v + b
//!     a matrix         m, n, nzmax, nz, p, i, x as in CSparse: nz >= 0 triplets (i, p, x), −1 by columns, −2 by rows
//!     /solution        r, l: an answer; all zero in published files, where it means none
//! ```
//!
//! V, R, s, G, b belong to bilateral constraints and may be absent. Of M, files may hold one triangle. In
//! `/fclib_local_rolling` and its like, rows roll: they are refused.

use super::hdf5::{self, File, Node};
use super::neutral::{Entries, Form, Neutral};
use super::node::Result;
use super::plain::Plain;
use super::{ProblemFileError, Reference};
use stiction_contact::cone::Cone;

/// Reads a problem called `name`; `file` names it in errors.
pub(super) fn read(bytes: &[u8], file: &str, name: String) -> Result<Neutral> {
    let bad = |message| format_error(file, message);
    let tree = File::open(bytes).map_err(bad)?;
    let has = |path: &str| tree.has(path).map_err(bad);
    let Some(root) = (["fclib_local", "fclib_global"].into_iter())
        .find_map(|r| has(r).map(|h| h.then_some(r)).transpose())
    else {
        for rolling in ["fclib_local_rolling", "fclib_global_rolling"] {
            if has(rolling)? {
                return Err(ProblemFileError::Rolling { file: file.into(), formulation: rolling.into() });
            }
        }
        let (element, expected) = ("/fclib_local".into(), "that group, or /fclib_global".into());
        return Err(ProblemFileError::Missing { file: file.into(), element, expected });
    };
    let group = Group { tree: &tree, file, root: root? };

    let dim = group.whole("spacedim")?;
    if !(2..=3).contains(&dim) {
        return Err(group.wrong("spacedim", dim, "2 or 3"));
    }
    let mu = group.numbers("vectors/mu", None)?;
    if let Some(k) = mu.iter().position(|m| *m < 0.0) {
        return Err(group.wrong(&format!("vectors/mu[{k}]"), mu[k], "a coefficient of friction >= 0"));
    }
    let rows = dim * mu.len();
    let (form, bilateral) =
        if group.root == "fclib_local" { local(&group, rows)? } else { global(&group, rows)? };
    let reference = solution(&tree, file, rows, bilateral)?;
    Ok(Neutral { scalar: vec![Cone::Free; bilateral], reference, ..Neutral::new(name, dim, mu, form) })
}

/// The form, and the number of bilateral rows.
fn local(group: &Group, rows: usize) -> Result<(Form, usize)> {
    let mut w = group.matrix("W", [Some(rows), Some(rows)])?.1;
    let mut q = group.numbers("vectors/q", Some(rows))?;
    if !group.has("V")? && !group.has("R")? {
        return Ok((Form::Local { w, q }, 0));
    }
    let ([_, bilateral], v) = group.matrix("V", [Some(rows), None])?;
    for (i, j, value) in v {
        w.extend([(i, rows + j, value), (rows + j, i, value)]);
    }
    let r = group.matrix("R", [Some(bilateral), Some(bilateral)])?.1;
    w.extend(r.into_iter().map(|(i, j, value)| (rows + i, rows + j, value)));
    q.extend(group.numbers("vectors/s", Some(bilateral))?);
    Ok((Form::Local { w, q }, bilateral))
}

/// The form, and the number of bilateral rows.
fn global(group: &Group, rows: usize) -> Result<(Form, usize)> {
    let f = group.numbers("vectors/f", None)?;
    let nv = f.len();
    let mut mass = group.matrix("M", [Some(nv), Some(nv)])?.1;
    // One triangle stands for both.
    let (above, below) = (mass.iter().any(|e| e.0 < e.1), mass.iter().any(|e| e.0 > e.1));
    if above != below {
        let other: Entries = mass.iter().filter(|e| e.0 != e.1).map(|&(i, j, v)| (j, i, v)).collect();
        mass.extend(other);
    }
    let mut h = group.matrix("H", [Some(nv), Some(rows)])?.1;
    let mut w = group.numbers("vectors/w", Some(rows))?;
    let mut bilateral = 0;
    if group.has("G")? {
        let (size, g) = group.matrix("G", [Some(nv), None])?;
        bilateral = size[1];
        h.extend(g.into_iter().map(|(i, j, v)| (i, rows + j, v)));
        w.extend(group.numbers("vectors/b", Some(bilateral))?);
    }
    Ok((Form::Global { mass, h, f, w }, bilateral))
}

/// The answer of the file, unless it has none.
fn solution(tree: &File, file: &str, rows: usize, bilateral: usize) -> Result<Option<Reference>> {
    let group = Group { tree, file, root: "solution" };
    let mut impulses = Vec::new();
    for (name, count) in [("r", rows), ("l", bilateral)] {
        if count > 0 && !group.has(name)? {
            return Ok(None);
        }
        impulses.extend(if count > 0 { group.numbers(name, Some(count))? } else { Vec::new() });
    }
    let some = impulses.iter().any(|x| *x != 0.0);
    Ok(some.then(|| Reference { solver: "of the file".into(), residual: f64::NAN, impulses }))
}

fn format_error(file: &str, message: String) -> ProblemFileError {
    ProblemFileError::Format { file: file.into(), format: "an HDF5 file that can be read", message }
}

/// One of the groups of a file.
struct Group<'a> {
    tree: &'a File<'a>,
    file: &'a str,
    root: &'a str,
}

impl Group<'_> {
    fn has(&self, name: &str) -> Result<bool> {
        self.tree.has(&format!("{}/{name}", self.root)).map_err(|e| format_error(self.file, e))
    }

    fn wrong(&self, name: &str, value: impl std::fmt::Display, expected: &str) -> ProblemFileError {
        let (file, element) = (self.file.into(), format!("/{}/{name}", self.root));
        ProblemFileError::Value { file, element, value: value.to_string(), expected: expected.into() }
    }

    /// Finite numbers.
    fn numbers(&self, name: &str, count: Option<usize>) -> Result<Vec<f64>> {
        let path = format!("{}/{name}", self.root);
        let bad = |message| format_error(self.file, message);
        let Some(dataset) = self.tree.dataset(&path).map_err(bad)? else {
            let (element, expected) = (format!("/{path}"), "a dataset of numbers".into());
            return Err(ProblemFileError::Missing { file: self.file.into(), element, expected });
        };
        let numbers = dataset.numbers().map_err(|e| bad(format!("`/{path}`: {e}")))?;
        if let Some(count) = count.filter(|n| *n != numbers.len()) {
            return Err(self.wrong(name, format!("{} numbers", numbers.len()), &count.to_string()));
        }
        match numbers.iter().position(|x| !x.is_finite()) {
            Some(k) => Err(self.wrong(&format!("{name}[{k}]"), numbers[k], "a finite number")),
            None => Ok(numbers),
        }
    }

    /// Whole numbers below `limit`, at least `count` of them, of which that many count.
    fn indices(&self, name: &str, count: usize, limit: usize) -> Result<Vec<usize>> {
        let mut numbers = self.numbers(name, None)?;
        if numbers.len() < count {
            return Err(self.wrong(name, format!("{} numbers", numbers.len()), &format!("{count} at least")));
        }
        numbers.truncate(count);
        let index = |x: f64| (x >= 0.0 && x < limit as f64 && x.fract() == 0.0).then_some(x as usize);
        let place = |(k, x): (usize, &f64)| {
            index(*x).ok_or_else(|| {
                self.wrong(&format!("{name}[{k}]"), x, &format!("a whole number below {limit}"))
            })
        };
        numbers.iter().enumerate().map(place).collect()
    }

    fn whole(&self, name: &str) -> Result<usize> {
        Ok(self.indices(name, 1, u32::MAX as usize)?[0])
    }

    /// Rows and columns, which must be those expected, and the entries.
    fn matrix(&self, name: &str, expected: [Option<usize>; 2]) -> Result<([usize; 2], Entries)> {
        let of = |part: &str| format!("{name}/{part}");
        let size = [self.whole(&of("m"))?, self.whole(&of("n"))?];
        for ((found, expected), part) in size.iter().zip(expected).zip(["m", "n"]) {
            if let Some(expected) = expected.filter(|e| e != found) {
                return Err(self.wrong(&of(part), found, &expected.to_string()));
            }
        }
        let [m, n] = size;
        let nz = self.numbers(&of("nz"), Some(1))?[0];
        let x = self.numbers(&of("x"), None)?;
        let entries = if nz >= 0.0 {
            let count = nz.min(x.len() as f64 + 1.0) as usize;
            if count > x.len() {
                return Err(self.wrong(&of("nz"), nz, &format!("at most the length of x, {}", x.len())));
            }
            let (i, p) = (self.indices(&of("i"), count, m)?, self.indices(&of("p"), count, n)?);
            i.into_iter().zip(p).zip(x).map(|((i, j), v)| (i, j, v)).collect()
        } else {
            // Compressed: p are starts by columns or rows, i the other places.
            let by_columns = match nz {
                -1.0 => true,
                -2.0 => false,
                _ => return Err(self.wrong(&of("nz"), nz, "a count, -1 (by columns) or -2 (by rows)")),
            };
            let (lines, across) = if by_columns { (n, m) } else { (m, n) };
            let starts = self.indices(&of("p"), lines + 1, x.len() + 1)?;
            if !starts.is_sorted() || starts[0] != 0 {
                return Err(self.wrong(&of("p"), "out of order", "starts from 0, ascending"));
            }
            let places = self.indices(&of("i"), starts[lines], across)?;
            let mut out = Entries::new();
            for (line, range) in starts.windows(2).enumerate() {
                for k in range[0]..range[1] {
                    out.push(if by_columns { (places[k], line, x[k]) } else { (line, places[k], x[k]) });
                }
            }
            out
        };
        Ok((size, entries))
    }
}

/// A local problem; bilateral rows as V, R and s, their impulses as l.
pub(super) fn write(of: &Plain) -> std::result::Result<Vec<u8>, String> {
    let (rows, bilateral) = (of.contact_rows(), of.bilateral);
    if of.w.len().max(rows + bilateral) > i32::MAX as usize {
        return Err("more entries than FCLIB counts".into());
    }
    // W, V, Vᵀ and R, each from its own first row and column.
    let part = |below: bool, right: bool| -> Entries {
        let (row, column) = (if below { rows } else { 0 }, if right { rows } else { 0 });
        let mine = of.w.iter().filter(|e| (e.0 >= rows, e.1 >= rows) == (below, right));
        mine.map(|&(i, j, v)| (i - row, j - column, v)).collect()
    };
    let [w, v, transposed, r] = [part(false, false), part(false, true), part(true, false), part(true, true)];
    let mut mirrored: Entries = transposed.iter().map(|&(i, j, v)| (j, i, v)).collect();
    let mut sorted = v.clone();
    for list in [&mut mirrored, &mut sorted] {
        list.sort_by_key(|e| (e.0, e.1));
    }
    if mirrored != sorted {
        return Err(
            "contacts and bilateral rows act on one another unsymmetrically, which FCLIB cannot say".into()
        );
    }
    let [x_w, x_v, x_r] = [&w, &v, &r].map(|part| part.iter().map(|e| e.2).collect::<Vec<f64>>());
    let (q, s) = of.q.split_at(rows);

    let mut vectors = vec![("q", Node::Numbers(q)), ("mu", Node::Numbers(&of.mu))];
    let mut local = vec![("spacedim", Node::Whole(vec![3])), ("W", matrix([rows, rows], &w, &x_w))];
    if bilateral > 0 {
        vectors.push(("s", Node::Numbers(s)));
        local.push(("V", matrix([rows, bilateral], &v, &x_v)));
        local.push(("R", matrix([bilateral, bilateral], &r, &x_r)));
    }
    let info = [("title", of.name.as_str()), ("description", "written by stiction"), ("math_info", "")];
    local.push(("vectors", Node::Group(vectors)));
    local.push(("info", Node::Group(info.map(|(name, text)| (name, Node::Text(text))).into())));
    let mut root = vec![("fclib_local", Node::Group(local))];
    let mut u = of.q.clone();
    if let Some(impulses) = &of.impulses {
        of.w.iter().for_each(|&(i, j, v)| u[i] += v * impulses[j]);
        let (r, l) = impulses.split_at(rows);
        let mut solution = vec![("u", Node::Numbers(&u[..rows])), ("r", Node::Numbers(r))];
        solution.extend((bilateral > 0).then_some(("l", Node::Numbers(l))));
        root.push(("solution", Node::Group(solution)));
    }
    Ok(hdf5::write(root))
}

/// Triplets.
fn matrix<'a>([m, n]: [usize; 2], entries: &[(usize, usize, f64)], x: &'a [f64]) -> Node<'a> {
    let count = entries.len() as i32;
    let one = |x: i32| Node::Whole(vec![x]);
    Node::Group(vec![
        ("m", one(m as i32)),
        ("n", one(n as i32)),
        ("nzmax", one(count)),
        ("nz", one(count)),
        ("p", Node::Whole(entries.iter().map(|e| e.1 as i32).collect())),
        ("i", Node::Whole(entries.iter().map(|e| e.0 as i32).collect())),
        ("x", Node::Numbers(x)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two masses of 2 and 4 kg under a contact in x, held together in y, with one triangle of M.
    fn held() -> Vec<(&'static str, Node<'static>)> {
        let vectors = vec![
            ("f", Node::Numbers(&[4.0, -2.0, 1.0])),
            ("w", Node::Numbers(&[0.25, 0.0, 0.0])),
            ("b", Node::Numbers(&[0.5])),
            ("mu", Node::Numbers(&[0.3])),
        ];
        let mass = [(0, 0, 2.0), (1, 1, 4.0), (2, 2, 4.0), (0, 2, 1.0)];
        let h = [(1, 0, 1.0), (0, 1, 1.0), (2, 2, 1.0)];
        vec![
            ("spacedim", Node::Whole(vec![3])),
            ("M", matrix([3, 3], &mass, &[2.0, 4.0, 4.0, 1.0])),
            ("H", matrix([3, 3], &h, &[1.0, 1.0, 1.0])),
            ("G", matrix([3, 1], &[(1, 0, -1.0)], &[-1.0])),
            ("vectors", Node::Group(vectors)),
        ]
    }

    /// M⁻¹ is [4, −1; −1, 2]/7 on coordinates 0 and 2, which are the tangents, and a quarter on 1, the normal.
    #[test]
    fn one_triangle_of_m_and_bilateral_rows() {
        let bytes = hdf5::write(vec![("fclib_global", Node::Group(held()))]);
        let problem = read(&bytes, "a", "a".into()).unwrap().into_file("a").unwrap().problem;
        assert_eq!(problem.cones(), [Cone::Friction { mu: 0.3 }, Cone::Free]);
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-15);
        let expected = [4.0 / 7.0, -1.0 / 7.0, 0.0, -1.0 / 7.0, 2.0 / 7.0, 0.0, 0.0, 0.0, 0.25];
        assert!(near(problem.blocks.diagonal(0), &expected), "{:?}", problem.blocks.diagonal(0));
        assert!(
            near(problem.blocks.entry(1), &[0.0, 0.0, -0.25]) && near(problem.blocks.diagonal(1), &[0.25])
        );
        let g = [15.0 / 7.0, -2.0 / 7.0, -0.25, 1.0];
        assert!(near(&problem.free_velocity, &g), "{:?}", problem.free_velocity);
    }

    #[test]
    fn rolling_rows_are_refused() {
        for root in ["fclib_local_rolling", "fclib_global_rolling"] {
            let bytes = hdf5::write(vec![(root, Node::Group(held()))]);
            let error = read(&bytes, "a", "a".into()).unwrap_err().to_string();
            assert!(
                error.contains("rolling friction is not supported yet") && error.contains(root),
                "{error}"
            );
        }
    }
}
