//! Corrections of couplings and loops that some velocity can do.
//!
//! Loops may be redundant, and their second-order drift is then nothing that any velocity could undo. The velocities y, W y
//! nearest to the wanted corrections b are sought in the metric of M,
//!
//! ```text
//!     y = argmin Σ (W_i y − b_i)²/‖W_i‖² + ε ‖y‖²     by conjugate gradients [Hestenes1952]         (1)
//! ```
//!
//! and b' = W y is asked for instead, which is in the range of J wherever they stop: rows without an answer never arise, and
//! ε keeps the bodies slow where a linkage is close to locking.

use std::ops::Range;
use stiction_contact::ConstraintProblem;
use stiction_dynamics::spatial::Vec3;

/// Steps of (1), and the share of the gradient that is left when it is good enough [–].
const STEPS: usize = 32;
const LEFT: f64 = 1e-6;
/// ε of (1) [–]: directions in which a unit of motion moves the rows by less than √ε are left alone.
const DAMPING: f64 = 1e-3;

/// (1); keeps the memory.
#[derive(Clone, Debug, Default)]
pub struct Consistent {
    /// 1/‖W_i‖, zero for rows that nothing moves, and for those that yield.
    scale: Vec<f64>,
    /// (b_i − W_i y)/‖W_i‖.
    left: Vec<f64>,
    y: Vec<f64>,
    direction: Vec<f64>,
    gradient: Vec<f64>,
    image: Vec<f64>,
}

impl Consistent {
    /// b' of the scalar blocks `blocks`, for which b is `feedback`, in its place.
    pub fn find(&mut self, blocks: Range<usize>, feedback: &mut [f64], problem: &ConstraintProblem) {
        let W = &problem.delassus_factor;
        let norm = |i: usize| W.terms(i).map(|(_, w)| w.x * w.x).sum::<f64>().sqrt();
        self.scale.clear();
        // Rows that yield do not stand in the way.
        let rigid = |i: usize| problem.compliance[problem.range(i).start] == 0.0;
        let scale = |i: usize| Some(norm(i)).filter(|w| *w > 0.0 && rigid(i)).map_or(0.0, |w| 1.0 / w);
        self.scale.extend(blocks.clone().map(scale));
        self.left.clear();
        self.left.extend(feedback.iter().zip(&self.scale).map(|(b, s)| b * s));
        let dofs = W.coordinates();
        for x in [&mut self.y, &mut self.direction, &mut self.gradient] {
            x.clear();
            x.resize(dofs, 0.0);
        }
        let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        let (mut first, mut before) = (0.0, 0.0);
        for step in 0..STEPS {
            self.gradient.iter_mut().zip(&self.y).for_each(|(g, y)| *g = -DAMPING * y);
            for ((i, s), r) in blocks.clone().zip(&self.scale).zip(&self.left) {
                W.add_transposed(i, Vec3::X * (s * r), &mut self.gradient);
            }
            let now = square(&self.gradient);
            if step == 0 {
                (first, before) = (now, f64::INFINITY);
            }
            if now <= LEFT * LEFT * first {
                break;
            }
            self.direction.iter_mut().zip(&self.gradient).for_each(|(d, g)| *d = g + now / before * *d);
            before = now;
            self.image.clear();
            let of = |(i, s): (usize, &f64)| s * W.dot(i, &self.direction).x;
            self.image.extend(blocks.clone().zip(&self.scale).map(of));
            let length = now / (square(&self.image) + DAMPING * square(&self.direction));
            self.y.iter_mut().zip(&self.direction).for_each(|(y, d)| *y += length * d);
            self.left.iter_mut().zip(&self.image).for_each(|(r, x)| *r -= length * x);
        }
        // W y is what of b is not left.
        for ((b, s), left) in feedback.iter_mut().zip(&self.scale).zip(&self.left) {
            *b = if *s > 0.0 { *b - left / s } else { 0.0 };
        }
    }
}
