//! A gated recurrent unit [Cho2014] with a linear output, and its gradient by back-propagation through time.
//!
//! With the input u_k = (x_k, d_{k−1}), d_{−1} = 0 and h_{−1} = 0:
//!
//! ```text
//!     z = σ(A_z u + B_z h + a_z)      r = σ(A_r u + B_r h + a_r)
//!     n = tanh(A_n u + a_n + r ∘ (B_n h + b_n))
//!     h' = (1 − z) ∘ n + z ∘ h        d_k = d_{k−1} + C h' + c
//! ```
//!
//! d is a correction that grows from step to step and is told to the unit. All numbers are one vector θ; with C = 0 and c = 0
//! nothing is corrected. Written by hand: at a few hundred to thousand numbers a framework would cost more to build than it
//! saves.

use serde::{Deserialize, Serialize};
use stiction::random::Random;

/// Shape and numbers of a recurrent network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recurrent {
    inputs: usize,
    hidden: usize,
    outputs: usize,
    /// Gate by gate (z, r, n): rows of A, rows of B, a; then b_n, rows of C, c.
    pub theta: Vec<f64>,
}

/// Numbers that a step keeps for its gradient.
struct Step {
    input: Vec<f64>,
    before: Vec<f64>,
    z: Vec<f64>,
    r: Vec<f64>,
    n: Vec<f64>,
    /// B_n h + b_n.
    inner: Vec<f64>,
    after: Vec<f64>,
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

impl Recurrent {
    /// A network that corrects nothing, its gates drawn at random.
    pub fn new(inputs: usize, hidden: usize, outputs: usize, seed: u64) -> Self {
        let mut network = Self { inputs, hidden, outputs, theta: Vec::new() };
        let gates = 3 * network.gate();
        network.theta = vec![0.0; gates + hidden + outputs * (hidden + 1)];
        let mut random = Random::new(seed);
        let deviation = 1.0 / ((inputs + outputs + hidden) as f64).sqrt();
        network.theta[..gates].iter_mut().for_each(|t| *t = deviation * random.normal());
        network
    }

    fn width(&self) -> usize {
        self.inputs + self.outputs
    }

    /// Numbers of a gate.
    fn gate(&self) -> usize {
        self.hidden * (self.width() + self.hidden + 1)
    }

    /// A u + a and B h of a gate, row i.
    fn rows(&self, gate: usize, i: usize, input: &[f64], h: &[f64]) -> [f64; 2] {
        let (w, n) = (self.width(), self.hidden);
        let of = &self.theta[gate * self.gate()..(gate + 1) * self.gate()];
        let dot = |row: &[f64], x: &[f64]| row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
        let (a, rest) = of.split_at(n * w);
        let (b, bias) = rest.split_at(n * n);
        [dot(&a[i * w..(i + 1) * w], input) + bias[i], dot(&b[i * n..(i + 1) * n], h)]
    }

    fn step(&self, input: Vec<f64>, before: Vec<f64>) -> Step {
        let inner_bias = &self.theta[3 * self.gate()..];
        let (mut z, mut r, mut n, mut inner, mut after) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for i in 0..self.hidden {
            let [a, b] = self.rows(0, i, &input, &before);
            z.push(sigmoid(a + b));
            let [a, b] = self.rows(1, i, &input, &before);
            r.push(sigmoid(a + b));
            let [a, b] = self.rows(2, i, &input, &before);
            inner.push(b + inner_bias[i]);
            n.push((a + r[i] * inner[i]).tanh());
            after.push((1.0 - z[i]) * n[i] + z[i] * before[i]);
        }
        Step { input, before, z, r, n, inner, after }
    }

    /// Adds C h' + c to `d`.
    fn output_into(&self, h: &[f64], d: &mut [f64]) {
        let (n, start) = (self.hidden, 3 * self.gate() + self.hidden);
        let (c, bias) = self.theta[start..].split_at(self.outputs * n);
        for (o, d) in d.iter_mut().enumerate() {
            *d += bias[o] + c[o * n..(o + 1) * n].iter().zip(h).map(|(c, h)| c * h).sum::<f64>();
        }
    }

    fn forward(&self, inputs: &[Vec<f64>], mut each: impl FnMut(Step, &[f64])) {
        let (mut h, mut d) = (vec![0.0; self.hidden], vec![0.0; self.outputs]);
        for x in inputs {
            let step = self.step([x.as_slice(), &d].concat(), h);
            h = step.after.clone();
            self.output_into(&h, &mut d);
            each(step, &d);
        }
    }

    /// The corrections d, step by step.
    pub fn run(&self, inputs: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let mut all = Vec::with_capacity(inputs.len());
        self.forward(inputs, |_, d| all.push(d.to_vec()));
        all
    }

    /// ½ Σ ‖d_k − wanted_k‖² and its gradient by θ.
    pub fn gradient(&self, inputs: &[Vec<f64>], wanted: &[Vec<f64>]) -> (f64, Vec<f64>) {
        let mut steps = Vec::with_capacity(inputs.len());
        self.forward(inputs, |step, d| steps.push((step, d.to_vec())));
        let (w, n, gate) = (self.width(), self.hidden, self.gate());
        let start = 3 * gate + n;
        let mut gradient = vec![0.0; self.theta.len()];
        let mut loss = 0.0;
        // Of h' and of d, from the steps that follow.
        let (mut of_h, mut of_d) = (vec![0.0; n], vec![0.0; self.outputs]);
        for ((step, d), wanted) in steps.iter().zip(wanted).rev() {
            for (o, (d, wanted)) in d.iter().zip(wanted).enumerate() {
                loss += 0.5 * (d - wanted).powi(2);
                of_d[o] += d - wanted;
                gradient[start + self.outputs * n + o] += of_d[o];
                for i in 0..n {
                    gradient[start + o * n + i] += of_d[o] * step.after[i];
                    of_h[i] += of_d[o] * self.theta[start + o * n + i];
                }
            }
            // Of the arguments of the three gates and of h before.
            let mut of_before = vec![0.0; n];
            let mut of_input = vec![0.0; w];
            for i in 0..n {
                let (z, r, new) = (step.z[i], step.r[i], step.n[i]);
                let at_z = of_h[i] * (step.before[i] - new) * z * (1.0 - z);
                let at_n = of_h[i] * (1.0 - z) * (1.0 - new * new);
                let at_r = at_n * step.inner[i] * r * (1.0 - r);
                of_before[i] += of_h[i] * z;
                gradient[3 * gate + i] += at_n * r;
                // A gate's factor on A u + a, and on B h.
                for (g, [on_a, on_b]) in
                    [[at_z, at_z], [at_r, at_r], [at_n, at_n * r]].into_iter().enumerate()
                {
                    let base = g * gate;
                    for j in 0..w {
                        gradient[base + i * w + j] += on_a * step.input[j];
                        of_input[j] += on_a * self.theta[base + i * w + j];
                    }
                    for (j, of_before) in of_before.iter_mut().enumerate() {
                        let place = base + n * w + i * n + j;
                        gradient[place] += on_b * step.before[j];
                        *of_before += on_b * self.theta[place];
                    }
                    gradient[base + n * (w + n) + i] += on_a;
                }
            }
            of_h = of_before;
            // d before enters as input and as what this one adds to.
            for (of_d, of_input) in of_d.iter_mut().zip(&of_input[self.inputs..]) {
                *of_d += of_input;
            }
        }
        (loss, gradient)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gradient by back-propagation is that of central differences, in every number.
    #[test]
    fn the_gradient_is_that_of_differences() {
        let mut random = Random::new(3);
        let mut draw = |steps: usize, n: usize| -> Vec<Vec<f64>> {
            (0..steps).map(|_| (0..n).map(|_| random.normal()).collect()).collect()
        };
        let (inputs, wanted) = (draw(7, 2), draw(7, 3));
        let mut network = Recurrent::new(2, 4, 3, 9);
        let fill = draw(1, network.theta.len());
        network.theta.iter_mut().zip(&fill[0]).for_each(|(t, x)| *t += 0.4 * x);
        let (_, gradient) = network.gradient(&inputs, &wanted);
        for (i, g) in gradient.iter().enumerate() {
            let at = |x: f64| {
                let mut other = network.clone();
                other.theta[i] += x;
                other.gradient(&inputs, &wanted).0
            };
            let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((g - difference).abs() < 1e-6 * (1.0 + g.abs()), "{i}: {g} {difference}");
        }
    }
}
