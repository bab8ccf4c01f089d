//! Couplings: sums of joint coordinates that stay what they are, or follow a curve.

/// Σ coefficient · q = offset + curve, over scalar joints; the equality a mimic joint or an MJCF joint
/// equality states.
#[derive(Clone, Debug, Default)]
pub struct Coupling {
    pub name: String,
    /// Pairs of a dof and its coefficient.
    pub terms: Vec<(usize, f64)>,
    pub offset: f64,
    pub curve: Option<Curve>,
}

/// The part of a coupling that is no straight line: a₂ z² + a₃ z³ + a₄ z⁴, z = Σ coefficient · q − reference.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// Pairs of a dof and its coefficient.
    pub terms: Vec<(usize, f64)>,
    pub reference: f64,
    /// a₂, a₃, a₄.
    pub coefficients: [f64; 3],
}

impl Curve {
    /// The second derivative of the curve at z.
    pub fn bend(&self, z: f64) -> f64 {
        let [a, b, c] = self.coefficients;
        2.0 * a + z * (6.0 * b + z * 12.0 * c)
    }

    /// The curve and its slope at z.
    pub fn at(&self, z: f64) -> (f64, f64) {
        let [a, b, c] = self.coefficients;
        (z * z * (a + z * (b + z * c)), z * (2.0 * a + z * (3.0 * b + z * 4.0 * c)))
    }
}
