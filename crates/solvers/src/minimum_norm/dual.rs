//! The smallest point of convex sets with given sums, by Newton's method on its dual.
//!
//! ```text
//!     min ½‖x‖²,  x ∈ C,  Bᵀ x = Bᵀ x*      ⟺      x = P_C(B y),   Bᵀ P_C(B y) = Bᵀ x*         (1)
//! ```
//!
//! (1) is where θ(y) = P_C(B y)ᵀ B y − ½‖P_C(B y)‖² − x*ᵀ B y, convex and once differentiable, is least [Qi2006]. A step solves
//! (Bᵀ V B + ε) d = Bᵀ (x* − P_C(B y)), V a derivative of the projection, and is halved until θ falls. The first is
//! taken with V at x*: if that is the smallest already, it leads there. C may meet the sums on its rim alone; then y has
//! no end, and what is reached in [`STEPS`] steps is near.

use super::{Freedom, OUTSIDE, dot, norm};
use crate::trees::{Equation, TreeSystem};
use stiction_contact::{BranchSparseRows, Cone, SoftBlock};
use stiction_dynamics::spatial::vec3;

/// Newton steps, at most.
const STEPS: u32 = 30;
/// A step is shortened to this share of it at most [–].
const SHORTEST: f64 = 1e-3;
/// ε is this share of the residual's share of x*, and no less than the other, of columns of B of length one [–].
const DAMPING: f64 = 0.01;
const LEAST: f64 = 1e-10;
/// θ falls by at least this share of what its slope promises [–].
const DECREASE: f64 = 1e-4;
/// Differences of θ below this share of ‖x*‖² are not looked at [–].
const ROUNDING: f64 = 1e-12;
/// Impulses of C that are so many times as large as x* are not looked for [–].
const FARTHEST: f64 = 30.0;
/// What is on the rim is this share outside of it.
const OUT: f64 = 1e-6;
/// x* is nearly the smallest where this share of it is left [–]: in a solve that none is known before, and in others,
/// which then go on from what was small once.
const NEAR: [f64; 2] = [1e-2, 0.1];

/// See the module.
#[derive(Default)]
pub(super) struct Dual {
    y: Vec<f64>,
    step: Vec<f64>,
    /// P_C(B y) and B y.
    x: Vec<f64>,
    z: Vec<f64>,
    /// Bᵀ (x* − x).
    left: Vec<f64>,
    /// No impulses of C with these sums are smaller.
    least: f64,
    /// y of an earlier solve, or none, in the velocities of trees, and the impulses it led to. It outlives the solve.
    kept: Vec<f64>,
}

/// W with what may change of its blocks, and their rows.
struct Sums<'a> {
    system: &'a mut TreeSystem,
    row_start: &'a [usize],
    free: &'a [(usize, Freedom)],
}

impl Dual {
    /// True if y as kept shows that `given` is nearly the smallest, or it is nearly what y led to: where y has no end, that
    /// is all there is to go by.
    pub(super) fn nearly(
        &self,
        delassus_factor: &BranchSparseRows,
        row_start: &[usize],
        free: &[(usize, Freedom)],
        given: &[f64],
    ) -> bool {
        let Some((y, led_to)) = self.kept.split_at_checked(delassus_factor.coordinates()) else {
            return false;
        };
        let comparable = led_to.len() == given.len();
        let (mut apart, mut moved) = (0.0, if comparable { 0.0 } else { f64::INFINITY });
        for &(i, freedom) in free {
            let rows = row_start[i]..row_start[i + 1];
            let mut x = delassus_factor.dot(i, y).to_array();
            let x = &mut x[..rows.len()];
            freedom.project(x);
            apart += square_apart(&given[rows.clone()], x);
            if comparable {
                moved += square_apart(&given[rows.clone()], &led_to[rows]);
            }
        }
        apart.min(moved).sqrt() <= NEAR[1] * norm(given)
    }

    /// Keeps y, of columns of B that were scaled so, for the next solve, and what it has led to.
    pub(super) fn keep(&mut self, scale: &[f64], impulses: &[f64]) {
        self.kept.clear();
        self.kept.extend(self.y.iter().zip(scale).map(|(y, s)| y * s));
        self.kept.extend_from_slice(impulses);
    }

    /// What the last solve has kept, if anything.
    pub(super) fn kept_mut(&mut self) -> &mut Vec<f64> {
        &mut self.kept
    }

    /// x of (1) for x* = `given`, or nearly; false if that is nearly it, or a step cannot be found.
    pub(super) fn solve(
        &mut self,
        system: &mut TreeSystem,
        row_start: &[usize],
        free: &[(usize, Freedom)],
        given: &[f64],
        x: &mut Vec<f64>,
    ) -> bool {
        let near = NEAR[usize::from(!self.kept.is_empty())];
        self.nearest(system, row_start, free, (given, near), x)
    }

    /// Solves (1) as [`Self::solve`] does; false where x is no farther from x* than a share `near` of it.
    pub(super) fn nearest(
        &mut self,
        system: &mut TreeSystem,
        row_start: &[usize],
        free: &[(usize, Freedom)],
        (given, near): (&[f64], f64),
        x: &mut Vec<f64>,
    ) -> bool {
        let mut sums = Sums { system, row_start, free };
        let scale = norm(given);
        let near = near * scale;
        self.x.clear();
        self.x.resize(given.len(), 0.0);
        self.y.clear();
        self.y.resize(sums.system.delassus_factor().coordinates(), 0.0);
        // What is on the rim is taken for outside.
        self.z.clear();
        self.z.extend_from_slice(given);
        for &(i, _) in free {
            let rows = &mut self.z[row_start[i]..row_start[i + 1]];
            if let [x, y, _] = rows {
                (*x, *y) = (*x * (1.0 + OUT), *y * (1.0 + OUT));
            }
        }
        if !sums.factor(&self.z, LEAST) {
            return false;
        }
        self.step.clone_from(&self.y);
        sums.add_sloped(&self.z, given, &mut self.step);
        sums.solve(&mut self.step, LEAST);
        std::mem::swap(&mut self.y, &mut self.step);
        let mut value = self.evaluate(&sums, given);
        for _ in 0..STEPS {
            if square_apart(given, &self.x).sqrt() <= near {
                return false;
            }
            self.left.clear();
            self.left.resize(self.y.len(), 0.0);
            sums.add(given, &self.x, &mut self.left);
            let left = norm(&self.left);
            if left <= OUTSIDE * scale {
                break;
            }
            let epsilon = (DAMPING * left / scale).max(LEAST);
            if !sums.factor(&self.z, epsilon) {
                break;
            }
            self.step.clone_from(&self.left);
            sums.solve(&mut self.step, epsilon);
            let slope = dot(&self.left, &self.step);
            let before = value;
            // All impulses of C with these sums are at least as large as any direction says: where there are none, the step says so.
            std::mem::swap(&mut self.y, &mut self.step);
            self.evaluate(&sums, given);
            std::mem::swap(&mut self.y, &mut self.step);
            if self.least > FARTHEST * scale {
                return false;
            }
            let mut share = 1.0;
            self.y.iter_mut().zip(&self.step).for_each(|(y, d)| *y += d);
            value = self.evaluate(&sums, given);
            // Near the end θ is all rounding: there the whole step is right.
            let judged = slope > ROUNDING * scale * scale;
            while judged && share > SHORTEST && !(value <= before - DECREASE * share * slope) {
                share *= 0.5;
                self.y.iter_mut().zip(&self.step).for_each(|(y, d)| *y -= share * d);
                value = self.evaluate(&sums, given);
            }
        }
        x.clone_from(&self.x);
        true
    }

    /// θ(y); sets x and z, and `least`: the largest (−2 θ)^½ along y, for cones x*ᵀ B y/‖P_C(B y)‖.
    fn evaluate(&mut self, sums: &Sums, given: &[f64]) -> f64 {
        let (mut value, mut along, mut square, mut cones) = (0.0, 0.0, 0.0, true);
        for &(i, freedom) in sums.free {
            let rows = sums.row_start[i]..sums.row_start[i + 1];
            let by = sums.system.delassus_factor().dot(i, &self.y);
            let (z, x) = (&mut self.z[rows.clone()], &mut self.x[rows.clone()]);
            match freedom {
                Freedom::Ray([a, b, c]) => {
                    let along = by.dot(vec3(a, b, c));
                    z.copy_from_slice(&[a * along, b * along, c * along]);
                }
                Freedom::Set(cone) => {
                    cones &= !matches!(cone, Cone::Box { .. });
                    z.copy_from_slice(&by.to_array()[..z.len()]);
                }
            }
            x.copy_from_slice(z);
            freedom.project(x);
            // Of cones x·z is ‖x‖², of boxes it is more.
            let (size, work) = (dot(x, x), dot(&given[rows], z));
            value += dot(x, z) - 0.5 * size - work;
            square += size;
            along += work;
        }
        self.least = if cones { along / square.sqrt() } else { (-2.0 * value).max(0.0).sqrt() };
        value
    }
}

impl Sums<'_> {
    /// Bᵀ V B + ε, V at z.
    fn factor(&mut self, z: &[f64], epsilon: f64) -> bool {
        let mut free = self.free.iter().peekable();
        let row_start = self.row_start;
        let equations = (0..row_start.len() - 1).map(|i| {
            let &(_, freedom) = free.next_if(|f| f.0 == i)?;
            let left = slope(freedom, &z[row_start[i]..row_start[i + 1]])?;
            let own = std::array::from_fn(|r| std::array::from_fn(|c| if r == c { epsilon } else { 0.0 }));
            Some(Equation { left, own })
        });
        self.system.factor(equations)
    }

    /// x ← (Bᵀ V B + ε)⁻¹ x.
    fn solve(&mut self, x: &mut [f64], epsilon: f64) {
        x.iter_mut().for_each(|x| *x /= epsilon);
        self.system.solve_velocities(x);
    }

    /// out += Bᵀ V x, V at z.
    fn add_sloped(&self, z: &[f64], x: &[f64], out: &mut [f64]) {
        for &(i, freedom) in self.free {
            let rows = self.row_start[i]..self.row_start[i + 1];
            let Some(v) = slope(freedom, &z[rows.clone()]) else { continue };
            let rows = &x[rows];
            let x = |k: usize| rows.get(k).copied().unwrap_or(0.0);
            let row = |r: &[f64; 3]| r[0] * x(0) + r[1] * x(1) + r[2] * x(2);
            self.system.delassus_factor().add_transposed(i, vec3(row(&v[0]), row(&v[1]), row(&v[2])), out);
        }
    }

    /// out += Bᵀ (a − b).
    fn add(&self, a: &[f64], b: &[f64], out: &mut [f64]) {
        for &(i, _) in self.free {
            let first = self.row_start[i];
            let rows = self.row_start[i + 1] - first;
            let d = |k: usize| if k < rows { a[first + k] - b[first + k] } else { 0.0 };
            self.system.delassus_factor().add_transposed(i, vec3(d(0), d(1), d(2)), out);
        }
    }
}

/// ‖a − b‖²
fn square_apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

/// V at z; none where it is zero.
fn slope(freedom: Freedom, z: &[f64]) -> Option<[[f64; 3]; 3]> {
    let cone = match freedom {
        Freedom::Ray(ray) => {
            let v = std::array::from_fn(|r| std::array::from_fn(|c| ray[r] * ray[c]));
            return (dot(&ray, z) > 0.0).then_some(v);
        }
        Freedom::Set(cone) => cone,
    };
    let block = SoftBlock::Cone { cone, compliance: [1.0; 3], shift: [0.0; 3] };
    let mut back = [0.0; 3];
    back.iter_mut().zip(z).for_each(|(b, z)| *b = -z);
    block.curvature(&back[..z.len()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_contact::corpus::Random;
    use stiction_contact::{BranchSparseRows, Cone};

    /// Four cones and four sums, beside Dykstra's projections [Boyle1986].
    #[test]
    fn newton_and_projections_meet() {
        let (m, rank) = (12, 4);
        let cones = [0.3, 0.5, 0.8, 1.2].map(|mu| Cone::Friction { mu });
        let free: Vec<_> = cones.iter().enumerate().map(|(k, &c)| (k, Freedom::Set(c))).collect();
        let row_start: Vec<usize> = (0..=4).map(|k| 3 * k).collect();
        let onto = |x: &mut [f64]| free.iter().for_each(|f| f.1.project(&mut x[3 * f.0..3 * f.0 + 3]));
        let (mut far, mut near) = (0, 0);
        for seed in 1..60 {
            let mut random = Random(seed);
            let mut basis: Vec<f64> = Vec::new();
            while basis.len() < rank * m {
                let mut q: Vec<f64> = (0..m).map(|_| random.number() - 0.5).collect();
                for old in basis.chunks_exact(m) {
                    let along = dot(old, &q);
                    q.iter_mut().zip(old).for_each(|(q, o)| *q -= along * o);
                }
                let length = norm(&q);
                basis.extend(q.iter().map(|q| q / length));
            }
            let onto_sums = |x: &mut [f64], given: &[f64]| {
                for q in basis.chunks_exact(m) {
                    let along = dot(q, given) - dot(q, x);
                    x.iter_mut().zip(q).for_each(|(x, q)| *x += along * q);
                }
            };
            let mut given: Vec<f64> = (0..m).map(|_| random.number() - 0.5).collect();
            given.iter_mut().skip(2).step_by(3).for_each(|n| *n += 1.0);
            onto(&mut given);

            let mut other = vec![0.0; m];
            onto_sums(&mut other, &given);
            let mut memory = vec![0.0; m];
            for _ in 0..20_000 {
                let before: Vec<f64> = other.iter().zip(&memory).map(|(x, p)| x + p).collect();
                other.clone_from(&before);
                onto(&mut other);
                memory = before.iter().zip(&other).map(|(a, b)| a - b).collect();
                onto_sums(&mut other, &given);
            }

            let mut delassus_factor = BranchSparseRows::default();
            delassus_factor.start(std::iter::once(0..rank));
            for i in 0..4 {
                delassus_factor.push_block();
                let column =
                    |k: usize| vec3(basis[k * m + 3 * i], basis[k * m + 3 * i + 1], basis[k * m + 3 * i + 2]);
                delassus_factor.push_segment(0, None, (0..rank).rev().map(|k| (k, column(k))));
            }
            let mut system = TreeSystem::default();
            system.take(&delassus_factor);
            // What is the smallest, stays; what is not, becomes it.
            for start in [&given, &other] {
                let mut x = Vec::new();
                let mut dual = Dual::default();
                assert!(!dual.nearly(&delassus_factor, &row_start, &free, start));
                let moved = dual.solve(&mut system, &row_start, &free, start, &mut x);
                let end = if moved { &x } else { start };
                let apart = end.iter().zip(&other).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                assert!(
                    apart < if moved { 1e-6 } else { 2.0 * NEAR[0] } * norm(&given),
                    "seed {seed}: {apart}"
                );
                *(if moved { &mut far } else { &mut near }) += 1;
                // So is known next time, of this and of nothing else.
                dual.keep(&[1.0; 4], &[]);
                assert!(dual.nearly(&delassus_factor, &row_start, &free, end), "seed {seed}");
                let more: Vec<f64> = end.iter().map(|x| 1.2 * x).collect();
                assert!(!dual.nearly(&delassus_factor, &row_start, &free, &more), "seed {seed}");
                // Of what it has led to as well, where y says nothing.
                dual.keep(&[0.0; 4], end);
                assert!(dual.nearly(&delassus_factor, &row_start, &free, end), "seed {seed}");
                assert!(!dual.nearly(&delassus_factor, &row_start, &free, &more), "seed {seed}");
            }
        }
        assert!(far >= 50 && near >= 50, "{far} {near}");
    }
}
