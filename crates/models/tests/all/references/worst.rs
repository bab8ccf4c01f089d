//! The largest relative errors between two sets of numbers.

/// The largest relative error of every quantity; vectors relative to their largest entry, the
/// entries of M to √(M_ii M_jj).
#[derive(Debug)]
pub(crate) struct Worst {
    name: String,
    errors: Vec<(&'static str, f64)>,
}

impl Worst {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), errors: Vec::new() }
    }

    fn add(&mut self, what: &'static str, error: f64) {
        // A NaN must not vanish in a maximum.
        let error = if error.is_nan() { f64::INFINITY } else { error };
        match self.errors.iter_mut().find(|e| e.0 == what) {
            Some(e) => e.1 = e.1.max(error),
            None => self.errors.push((what, error)),
        }
    }

    pub(crate) fn mass_matrix(&mut self, ours: &[Vec<f64>], theirs: &[Vec<f64>]) {
        assert_eq!(ours.len(), theirs.len(), "{}: size of M", self.name);
        for (i, (a, b)) in ours.iter().zip(theirs).enumerate() {
            for (j, (x, y)) in a.iter().zip(b).enumerate() {
                let scale = (theirs[i][i] * theirs[j][j]).sqrt().max(f64::MIN_POSITIVE);
                self.add("M", (x - y).abs() / scale);
            }
        }
    }

    pub(crate) fn vector(&mut self, what: &'static str, ours: &[f64], theirs: &[f64]) {
        self.vector_above(what, ours, theirs, 1e-300);
    }

    /// Compares vectors that may vanish: relative to `floor` at least.
    pub(crate) fn vector_above(&mut self, what: &'static str, ours: &[f64], theirs: &[f64], floor: f64) {
        assert_eq!(ours.len(), theirs.len(), "{}: {what}", self.name);
        let scale = theirs.iter().fold(floor, |m: f64, x| m.max(x.abs()));
        for (x, y) in ours.iter().zip(theirs) {
            self.add(what, (x - y).abs() / scale);
        }
    }

    pub(crate) fn scalar(&mut self, what: &'static str, ours: f64, theirs: f64) {
        self.add(what, (ours - theirs).abs() / theirs.abs().max(1e-9));
    }

    pub(crate) fn errors(&self) -> &[(&'static str, f64)] {
        &self.errors
    }
}
