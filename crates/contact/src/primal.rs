//! What stands behind the Delassus matrix: M, J and v_free, for solvers that work on velocities.

use thiserror::Error;

/// A matrix by compressed rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Csr {
    /// Entries of row i: `start[i]..start[i + 1]`.
    pub start: Vec<usize>,
    pub column: Vec<usize>,
    pub value: Vec<f64>,
}

impl Csr {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// (column, value) of row i.
    #[inline]
    pub fn entries(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.start[i]..self.start[i + 1];
        self.column[range.clone()].iter().copied().zip(self.value[range].iter().copied())
    }

    /// y += A x.
    pub fn mul_add_into(&self, x: &[f64], y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y += self.entries(i).map(|(j, a)| a * x[j]).sum::<f64>();
        }
    }

    /// y += Aᵀ x.
    pub fn transpose_mul_add_into(&self, x: &[f64], y: &mut [f64]) {
        for (i, x) in x.iter().enumerate() {
            for (j, a) in self.entries(i) {
                y[j] += a * x;
            }
        }
    }

    fn validate(&self, what: &'static str, columns: usize) -> Result<(), PrimalError> {
        let n = self.value.len();
        let ascending = self.start.windows(2).all(|w| w[0] <= w[1]);
        if self.column.len() != n
            || self.start.first() != Some(&0)
            || self.start.last() != Some(&n)
            || !ascending
        {
            return Err(PrimalError::Structure { what });
        }
        if let Some(&value) = self.column.iter().find(|&&c| c >= columns) {
            return Err(PrimalError::Column { what, value, columns });
        }
        match self.value.iter().find(|v| !v.is_finite()) {
            Some(&value) => Err(PrimalError::NotFinite { what, value }),
            None => Ok(()),
        }
    }
}

/// Find v⁺ with M (v⁺ − v_free) = Jᵀ λ and c = J v⁺ + bias, the same problem as
/// (1) of [`crate::problem`]. Units follow the coordinates of the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Primal {
    /// Velocity coordinates.
    pub nv: usize,
    /// M, both triangles, symmetric positive definite; implicit damping included.
    pub mass: Csr,
    /// J, one row per row of λ.
    pub jacobian: Csr,
    /// v_free.
    pub free_velocity: Vec<f64>,
    /// Stabilisation: g = J v_free + bias [m/s].
    pub bias: Vec<f64>,
}

/// Why M and J do not make a problem.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PrimalError {
    #[error("{what}: {value}; expected {expected}")]
    Size { what: &'static str, value: usize, expected: usize },
    #[error("{what}: row starts and entries do not fit together")]
    Structure { what: &'static str },
    #[error("{what}: column {value}; expected less than {columns}")]
    Column { what: &'static str, value: usize, columns: usize },
    #[error("{what}: {value}; expected finite numbers")]
    NotFinite { what: &'static str, value: f64 },
    #[error("the mass matrix is not positive definite at coordinate {dof}")]
    Indefinite { dof: usize },
    #[error("{size} velocity coordinates hang together; at most {limit} are factored densely")]
    TooLarge { size: usize, limit: usize },
    #[error("the problem holds no factored mass matrix")]
    Missing,
}

impl Primal {
    /// A copy that keeps only the given rows of J.
    pub(crate) fn rows(&self, rows: &[usize]) -> Self {
        let mut jacobian = Csr { start: vec![0], ..Csr::default() };
        for &row in rows {
            for (column, value) in self.jacobian.entries(row) {
                jacobian.column.push(column);
                jacobian.value.push(value);
            }
            jacobian.start.push(jacobian.value.len());
        }
        Self { jacobian, bias: rows.iter().map(|&r| self.bias[r]).collect(), ..self.clone() }
    }

    /// Checks sizes, indices and finiteness.
    pub fn validate(&self) -> Result<(), PrimalError> {
        let size = |what, value, expected| match value == expected {
            true => Ok(()),
            false => Err(PrimalError::Size { what, value, expected }),
        };
        self.mass.validate("mass matrix", self.nv)?;
        self.jacobian.validate("Jacobian", self.nv)?;
        size("rows of the mass matrix", self.mass.rows(), self.nv)?;
        size("free velocities", self.free_velocity.len(), self.nv)?;
        size("bias velocities", self.bias.len(), self.jacobian.rows())?;
        match self.free_velocity.iter().chain(&self.bias).find(|v| !v.is_finite()) {
            Some(&value) => Err(PrimalError::NotFinite { what: "velocities", value }),
            None => Ok(()),
        }
    }
}

/// M = L Lᵀ, one dense Cholesky factor per set of coordinates that M couples.
#[derive(Clone, Debug, Default)]
pub struct MassFactor {
    component: Vec<usize>,
    local: Vec<usize>,
    members: Vec<Vec<usize>>,
    /// L by rows, square, per component.
    factor: Vec<Vec<f64>>,
}

impl MassFactor {
    /// Coordinates that hang together are factored densely; more than this are refused.
    pub const LIMIT: usize = 8000;

    /// Factors `mass` of `n` coordinates; only its symmetric part counts.
    pub fn new(mass: &Csr, n: usize) -> Result<Self, PrimalError> {
        let mut root: Vec<usize> = (0..n).collect();
        for i in 0..n {
            for (j, _) in mass.entries(i) {
                let (a, b) = (find(&mut root, i), find(&mut root, j));
                root[a.max(b)] = a.min(b);
            }
        }
        let mut out =
            Self { component: vec![0; n], local: vec![0; n], members: Vec::new(), factor: Vec::new() };
        for i in 0..n {
            let r = find(&mut root, i);
            if r == i {
                out.component[i] = out.members.len();
                out.members.push(Vec::new());
            }
            out.component[i] = out.component[r];
            let members = &mut out.members[out.component[i]];
            out.local[i] = members.len();
            members.push(i);
        }
        for members in &out.members {
            let m = members.len();
            if m > Self::LIMIT {
                return Err(PrimalError::TooLarge { size: m, limit: Self::LIMIT });
            }
            let mut dense = vec![0.0; m * m];
            for (row, &i) in members.iter().enumerate() {
                for (j, v) in mass.entries(i) {
                    dense[row * m + out.local[j]] += 0.5 * v;
                    dense[out.local[j] * m + row] += 0.5 * v;
                }
            }
            cholesky(&mut dense, m).map_err(|at| PrimalError::Indefinite { dof: members[at] })?;
            out.factor.push(dense);
        }
        Ok(out)
    }

    pub(crate) fn components(&self) -> usize {
        self.members.len()
    }

    pub(crate) fn component_of(&self, dof: usize) -> usize {
        self.component[dof]
    }

    pub(crate) fn local_of(&self, dof: usize) -> usize {
        self.local[dof]
    }

    pub(crate) fn size_of(&self, component: usize) -> usize {
        self.members[component].len()
    }

    /// x ← L⁻¹ x on one component.
    pub(crate) fn forward(&self, component: usize, x: &mut [f64]) {
        let (l, n) = (&self.factor[component], x.len());
        for i in 0..n {
            let sum: f64 = l[i * n..i * n + i].iter().zip(&x[..i]).map(|(l, x)| l * x).sum();
            x[i] = (x[i] - sum) / l[i * n + i];
        }
    }

    /// x ← L⁻ᵀ x on one component.
    fn backward(&self, component: usize, x: &mut [f64]) {
        let (l, n) = (&self.factor[component], x.len());
        for i in (0..n).rev() {
            x[i] /= l[i * n + i];
            let xi = x[i];
            for (x, l) in x[..i].iter_mut().zip(&l[i * n..i * n + i]) {
                *x -= l * xi;
            }
        }
    }

    /// x ← M⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        for (c, members) in self.members.iter().enumerate() {
            let mut piece: Vec<f64> = members.iter().map(|&i| x[i]).collect();
            self.forward(c, &mut piece);
            self.backward(c, &mut piece);
            members.iter().zip(piece).for_each(|(&i, v)| x[i] = v);
        }
    }
}

/// Root of a union–find forest, halving paths.
fn find(root: &mut [usize], mut i: usize) -> usize {
    while root[i] != i {
        root[i] = root[root[i]];
        i = root[i];
    }
    i
}

/// A ← L in the lower triangle; the coordinate at which A stops being positive definite otherwise.
fn cholesky(a: &mut [f64], n: usize) -> Result<(), usize> {
    for i in 0..n {
        let (above, row) = a.split_at_mut(i * n);
        for j in 0..i {
            let lj = &above[j * n..j * n + j + 1];
            let sum: f64 = lj[..j].iter().zip(&row[..j]).map(|(a, b)| a * b).sum();
            row[j] = (row[j] - sum) / lj[j];
        }
        let sum: f64 = row[..i].iter().map(|x| x * x).sum();
        let d = row[i] - sum;
        if !(d > 0.0) {
            return Err(i);
        }
        row[i] = d.sqrt();
    }
    Ok(())
}
