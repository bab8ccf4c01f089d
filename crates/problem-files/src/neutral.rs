//! What every notation of a contact problem comes down to: rows in the order of the file, the matrices by
//! entries. Readers fill it with what they have checked; here its rows become ours.

use super::node::Result;
use super::{ProblemFile, ProblemFileError, Reference};
use stiction_contact::cone::Cone;
use stiction_contact::primal::{Csr, MassFactor, Primal};
use stiction_contact::problem::ConstraintProblem;
use stiction_contact::softness::Softness;

/// (row, column, value), in any order; those of one place add up.
pub(super) type Entries = Vec<(usize, usize, f64)>;

/// A problem in the order of its file: contacts of `dim` rows each, then blocks of one row.
#[derive(Debug)]
pub(super) struct Neutral {
    pub(super) name: String,
    /// 2 or 3.
    pub(super) dim: usize,
    /// The normal is the first row of a contact, else the last.
    pub(super) normal_first: bool,
    /// Friction coefficient of every contact, >= 0.
    pub(super) mu: Vec<f64>,
    /// Sets of the blocks of one row.
    pub(super) scalar: Vec<Cone>,
    /// Block k of ours is block `order[k]` of the file; empty where the file's order is ours.
    pub(super) order: Vec<usize>,
    pub(super) form: Form,
    /// Time step [s].
    pub(super) time_step: f64,
    /// One number >= 0 per row, or none.
    pub(super) compliance: Vec<f64>,
    /// In our order of rows.
    pub(super) primal: Option<Primal>,
    /// In our order of blocks.
    pub(super) softness: Vec<Softness>,
    pub(super) reference: Option<Reference>,
}

#[derive(Debug)]
pub(super) enum Form {
    /// u = W r + q.
    Local { w: Entries, q: Vec<f64> },
    /// M v = H r + f,  u = Hᵀ v + w.
    Global { mass: Entries, h: Entries, f: Vec<f64>, w: Vec<f64> },
}

impl Neutral {
    /// A problem of contacts alone, with the normal as the first row of each.
    pub(super) fn new(name: String, dim: usize, mu: Vec<f64>, form: Form) -> Self {
        Self {
            name,
            dim,
            normal_first: true,
            mu,
            scalar: Vec::new(),
            order: Vec::new(),
            form,
            time_step: 1.0,
            compliance: Vec::new(),
            primal: None,
            softness: Vec::new(),
            reference: None,
        }
    }

    /// Rows of the file.
    pub(super) fn rows(&self) -> usize {
        self.dim * self.mu.len() + self.scalar.iter().map(Cone::dim).sum::<usize>()
    }

    /// `problem` as a file of ours has it: contacts first, the normal first. G must be there, or its factor.
    pub(super) fn of(name: &str, problem: &ConstraintProblem, impulses: Option<&[f64]>) -> Self {
        let mut formed = None;
        if !problem.blocks_formed() {
            let mut copy = problem.clone();
            assert!(copy.form_blocks().is_ok(), "only a problem with G, formed or not, can be written");
            formed = Some(copy);
        }
        let problem = formed.as_ref().unwrap_or(problem);
        let is_contact = |i: &usize| matches!(problem.cone(*i), Cone::Friction { .. });
        let (contacts, scalars): (Vec<usize>, Vec<usize>) = (0..problem.len()).partition(is_contact);
        let sources: Vec<usize> = contacts.iter().chain(&scalars).copied().collect();
        let mut order = vec![0; problem.len()];
        sources.iter().enumerate().for_each(|(file, &block)| order[block] = file);
        let mut rows = Vec::new();
        for &i in &sources {
            let range = problem.range(i);
            match problem.range(i).len() {
                3 => rows.extend([range.start + 2, range.start, range.start + 1]),
                _ => rows.extend(range),
            }
        }
        let mut file_row = vec![0; rows.len()];
        rows.iter().enumerate().for_each(|(file, &row)| file_row[row] = file);
        let gather = |x: &[f64]| rows.iter().map(|&r| x[r]).collect::<Vec<f64>>();

        let mut w = Entries::new();
        for i in 0..problem.len() {
            for k in problem.blocks.entries(i) {
                let j = problem.blocks.column_of(k);
                let width = problem.range(j).len();
                for (n, v) in problem.blocks.entry(k).iter().enumerate() {
                    let (row, column) =
                        (problem.range(i).start + n / width, problem.range(j).start + n % width);
                    w.push((file_row[row], file_row[column], *v));
                }
            }
        }
        let coefficient = |&i: &usize| if let Cone::Friction { mu } = problem.cone(i) { mu } else { 0.0 };
        let form = Form::Local { w, q: gather(&problem.free_velocity) };
        let reference = impulses.map(|x| Reference {
            solver: "stiction".into(),
            residual: f64::NAN,
            impulses: gather(x),
        });
        Self {
            scalar: scalars.iter().map(|&i| problem.cone(i)).collect(),
            order,
            time_step: problem.time_step,
            compliance: gather(&problem.compliance),
            primal: problem.primal.clone(),
            softness: problem.softness.clone(),
            reference,
            ..Self::new(name.into(), 3, contacts.iter().map(coefficient).collect(), form)
        }
    }

    /// W and q of what [`Self::of`] made.
    pub(super) fn local(&self) -> (&Entries, &[f64]) {
        match &self.form {
            Form::Local { w, q } => (w, q),
            Form::Global { .. } => unreachable!("problems are written in local form"),
        }
    }

    /// The problem in our order of rows; `file` names it in errors.
    pub(super) fn into_file(self, file: &str) -> Result<ProblemFile> {
        let primal_error = |source| ProblemFileError::Primal { file: file.into(), source };
        let shape = Shape::new(&self);
        let mut problem = match self.form {
            Form::Local { w, q } => shape.local(&w, &q),
            Form::Global { mass, h, f, w } => shape.global(&mass, h, f, &w).map_err(primal_error)?,
        };
        problem.time_step = self.time_step;
        if !self.compliance.is_empty() {
            shape.scatter(&self.compliance, &mut problem.compliance);
        }
        if self.primal.is_some() {
            problem.primal = self.primal;
        }
        problem.softness = self.softness;
        let reference = self.reference.map(|r| {
            let mut impulses = vec![0.0; shape.file_row.len()];
            shape.scatter(&r.impulses, &mut impulses);
            Reference { impulses, ..r }
        });
        Ok(ProblemFile { name: self.name, problem, reference, file_row: shape.file_row })
    }
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
    fn new(of: &Neutral) -> Self {
        let (dim, contacts, file_rows) = (of.dim, of.mu.len(), of.rows());
        let cone = |k: usize| match of.mu.get(k) {
            Some(&mu) => Cone::Friction { mu },
            None => of.scalar[k - contacts],
        };
        let blocks = contacts + of.scalar.len();
        let mut out = Self {
            dim,
            file_rows,
            cones: Vec::new(),
            start: vec![0],
            file_row: Vec::new(),
            place: vec![(0, 0); file_rows],
        };
        // Rows of a contact in the file that are our (t₁, t₂, n).
        let within: [Option<usize>; 3] = match (dim, of.normal_first) {
            (3, true) => [Some(1), Some(2), Some(0)],
            (3, false) => [Some(0), Some(1), Some(2)],
            _ => [Some(1), None, Some(0)],
        };
        for block in 0..blocks {
            let source = of.order.get(block).copied().unwrap_or(block);
            let contact = within.map(|k| k.map(|k| dim * source + k));
            let scalar = source.saturating_sub(contacts);
            let first = dim * contacts + of.scalar.iter().take(scalar).map(Cone::dim).sum::<usize>();
            let single: Vec<Option<usize>> = (first..first + cone(source).dim()).map(Some).collect();
            let rows = if source < contacts { contact.as_slice() } else { single.as_slice() };
            for (k, row) in rows.iter().enumerate() {
                if let Some(row) = *row {
                    out.place[row] = (block, k);
                }
                out.file_row.push(*row);
            }
            out.cones.push(cone(source));
            out.start.push(out.file_row.len());
        }
        out
    }

    /// Values by rows of the file into rows of the problem; rows without a source stay.
    fn scatter(&self, values: &[f64], out: &mut [f64]) {
        for (out, row) in out.iter_mut().zip(&self.file_row) {
            if let Some(row) = *row {
                *out = values[row];
            }
        }
    }

    /// u = W r + q.
    fn local(&self, entries: &Entries, q: &[f64]) -> ConstraintProblem {
        let mut problem = ConstraintProblem::default();
        let mut g = vec![0.0; self.file_row.len()];
        self.scatter(q, &mut g);
        for (i, cone) in self.cones.iter().enumerate() {
            problem.push(*cone, &g[self.start[i]..self.start[i + 1]]);
        }

        // Union of the pattern and its transpose, with the diagonal.
        let mut columns: Vec<Vec<usize>> = (0..self.cones.len()).map(|i| vec![i]).collect();
        for &(i, j, _) in entries {
            let (i, j) = (self.place[i].0, self.place[j].0);
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
        for &(i, j, v) in entries {
            let ((bi, ri), (bj, rj)) = (self.place[i], self.place[j]);
            let width = start[bj + 1] - start[bj];
            let Ok(at) = columns[bi].binary_search(&bj) else { continue };
            let entry = blocks.entries(bi).start + at;
            let value = &mut blocks.entry_mut(entry)[ri * width + rj];
            // 0 + −0 is 0: the first value of a place is taken as it is.
            *value = if *value == 0.0 { v } else { *value + v };
        }
        if self.dim == 2 {
            for (i, cone) in self.cones.iter().enumerate() {
                let Ok(at) = columns[i].binary_search(&i) else { continue };
                if let Cone::Friction { .. } = cone {
                    let entry = blocks.entries(i).start + at;
                    let normal = blocks.entry(entry)[8];
                    blocks.entry_mut(entry)[4] = normal;
                }
            }
        }
        problem
    }

    /// M v = H r + f, u = Hᵀ v + w, condensed.
    fn global(
        &self,
        mass: &Entries,
        h: Entries,
        f: Vec<f64>,
        w: &[f64],
    ) -> std::result::Result<ConstraintProblem, stiction_contact::primal::PrimalError> {
        let nv = f.len();
        let mass = csr(nv, mass.iter().copied());
        let rows_of_file = csr(self.file_rows, h.into_iter().map(|(dof, row, v)| (row, dof, v)));
        let factor = MassFactor::new(&mass, nv)?;
        let mut free_velocity = f;
        factor.solve(&mut free_velocity);
        let mut primal = Primal { nv, mass, free_velocity, ..Primal::default() };
        primal.jacobian.start.push(0);
        for row in &self.file_row {
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
                    let Some(row) = self.file_row[normal + 2] else { continue };
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
        ConstraintProblem::from_primal(&self.cones, primal, 1.0)
    }
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
