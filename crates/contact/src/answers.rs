//! All answers of a small problem: every choice of which contacts are open, stick and slide that obeys the exact law.
//!
//! ```text
//!     open     λ = 0                                                          c_N ≥ 0                        (1)
//!     stick    c = 0                                                          λ in the cone                  (2)
//!     slide    c_N = 0,  λ_T = −μ λ_N d,  d⊥ · c_T = 0,  d = (cos θ, sin θ)    λ_N ≥ 0, d · c_T ≥ 0           (3)
//! ```
//!
//! With c = (G + R) λ + g the equations of a choice are linear but for the angles θ, for which Newton's method is started from a grid of
//! directions; where impulses are not unique (hyperstatic), their least norm is taken. What is found counts if the judge's natural map
//! says that it is an answer. Joint limits are open or stick, bilateral rows stick, dry friction sticks or slides at either bound.
//!
//! Answers with the same velocities are one motion: how many dimensions of impulses give it is [`Answer::undetermined`]. Painlevé's rod has
//! up to three motions, and may have none that is near rest [Painleve1895; Stewart2000].

use crate::certificate::Judge;
use crate::cone::Cone;
use crate::problem::ConstraintProblem;
use nalgebra::{DMatrix, DVector};
use serde::Serialize;

/// How a constraint acts in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// It bears nothing.
    Open,
    /// The velocity of the contact is zero.
    Stick,
    /// Friction is μ times the normal impulse, against the slip.
    Slide,
}

/// One motion that obeys the law.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// Per block of the problem.
    pub modes: Vec<Mode>,
    /// Impulses, the smallest where they are not unique [N·s].
    pub impulses: Vec<f64>,
    /// Velocities c of the rows [m/s].
    pub velocities: Vec<f64>,
    /// Kinetic energy that the impulses add to the motion without them, ½ λᵀ G λ + λᵀ g [J].
    pub energy: f64,
    /// Dimensions in which the impulses of sticking rows may change without changing the motion [–].
    pub undetermined: usize,
}

/// Blocks of a problem that is gone through, at most.
pub const MOST_BLOCKS: usize = 4;
/// Natural map of an answer, relative to the largest of g, or 1 m/s if that is less [–].
const ACCEPTED: f64 = 1e-9;
/// Velocities that differ by less, by the same scale, are one motion [–].
const SAME: f64 = 1e-6;
/// Singular values below this share of the largest count as zero [–].
const RANK: f64 = 1e-10;
/// Newton's iterations.
const ITERATIONS: usize = 40;
/// Directions of slip tried, by how many contacts slide [–].
const DIRECTIONS: [usize; MOST_BLOCKS + 1] = [1, 16, 10, 6, 4];

/// How a block is tried: its mode, and the bound at which a box slides.
#[derive(Clone, Copy, PartialEq)]
enum Try {
    Open,
    Stick,
    Slide { mu: f64 },
    Bound(f64),
}

impl Try {
    fn mode(self) -> Mode {
        match self {
            Self::Open => Mode::Open,
            Self::Stick => Mode::Stick,
            Self::Slide { .. } | Self::Bound(_) => Mode::Slide,
        }
    }

    /// The ways of a block; sticking first.
    fn all(cone: Cone) -> Option<Vec<Self>> {
        Some(match cone {
            Cone::Free => vec![Self::Stick],
            Cone::NonNegative => vec![Self::Stick, Self::Open],
            Cone::Box { lo, hi } => vec![Self::Stick, Self::Bound(lo), Self::Bound(hi)],
            Cone::Friction { mu } => vec![Self::Stick, Self::Slide { mu }, Self::Open],
            Cone::Patch { .. } => return None,
        })
    }
}

/// The answers of `problem` by rising energy; `None` if it has more than [`MOST_BLOCKS`] blocks, or some that resist turning.
pub fn answers(problem: &ConstraintProblem) -> Option<Vec<Answer>> {
    let n = problem.len();
    if n > MOST_BLOCKS {
        return None;
    }
    let ways: Vec<Vec<Try>> = problem.cones().iter().map(|cone| Try::all(*cone)).collect::<Option<_>>()?;
    let whole = operator(problem);
    let scale = problem.free_velocity.iter().fold(1.0_f64, |most, g| most.max(g.abs()));
    let mut judge = Judge::default();
    let mut found: Vec<Answer> = Vec::new();
    let count: usize = ways.iter().map(Vec::len).product();
    for choice in 0..count {
        let mut rest = choice;
        let tries: Vec<Try> = ways
            .iter()
            .map(|ways| {
                let way = ways[rest % ways.len()];
                rest /= ways.len();
                way
            })
            .collect();
        let sliding = tries.iter().filter(|t| matches!(t, Try::Slide { .. })).count();
        let each = DIRECTIONS[sliding];
        for start in 0..each.pow(sliding as u32) {
            let Some((impulses, undetermined)) = solve(problem, &whole, &tries, (start, each)) else {
                continue;
            };
            let map = judge.certify(problem, &impulses).natural_map;
            if !(map <= ACCEPTED * scale) {
                continue;
            }
            let lambda = DVector::from_column_slice(&impulses);
            let pushed = &whole * &lambda;
            let velocities: Vec<f64> =
                pushed.iter().zip(&problem.free_velocity).map(|(a, g)| a + g).collect();
            let apart = |other: &Answer| {
                other.velocities.iter().zip(&velocities).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()))
            };
            if let Some(same) = found.iter_mut().find(|a| apart(a) <= SAME * scale) {
                same.undetermined = same.undetermined.max(undetermined);
                continue;
            }
            let energy = 0.5 * lambda.dot(&pushed)
                + lambda.iter().zip(&problem.free_velocity).map(|(l, g)| l * g).sum::<f64>();
            let modes = tries.iter().map(|t| t.mode()).collect();
            found.push(Answer { modes, impulses, velocities, energy, undetermined });
        }
    }
    found.sort_by(|a, b| a.energy.total_cmp(&b.energy));
    Some(found)
}

/// G + R, dense.
fn operator(problem: &ConstraintProblem) -> DMatrix<f64> {
    let n = problem.rows();
    let (mut unit, mut column) = (vec![0.0; n], Vec::new());
    let mut out = DMatrix::zeros(n, n);
    for j in 0..n {
        unit[j] = 1.0;
        problem.delassus_mul_into(&unit, &mut column);
        unit[j] = 0.0;
        for (i, g) in column.iter().enumerate() {
            out[(i, j)] = g + if i == j { problem.compliance[j] } else { 0.0 };
        }
    }
    out
}

/// A choice at given angles of slip: λ = fixed + Σ x_k column_k; each equation is a combination of rows of c.
struct Choice {
    fixed: DVector<f64>,
    columns: Vec<DVector<f64>>,
    equations: Vec<DVector<f64>>,
    slides: Vec<Slide>,
}

/// A sliding contact: its normal's place in x, μ, and its direction d and d⊥ as combinations of rows.
struct Slide {
    place: usize,
    mu: f64,
    d: DVector<f64>,
    across: DVector<f64>,
}

impl Choice {
    fn new(problem: &ConstraintProblem, tries: &[Try], angles: &[f64]) -> Option<Self> {
        let rows = problem.rows();
        let (columns, equations) = (Vec::new(), Vec::new());
        let mut choice = Self { fixed: DVector::zeros(rows), columns, equations, slides: Vec::new() };
        let unit = |r: usize| DVector::from_fn(rows, |i, _| if i == r { 1.0 } else { 0.0 });
        let mut angle = angles.iter();
        for (block, tried) in tries.iter().enumerate() {
            let range = problem.range(block);
            match tried {
                Try::Open => {}
                Try::Bound(at) => choice.fixed[range.start] = *at,
                Try::Stick => range.for_each(|r| {
                    choice.columns.push(unit(r));
                    choice.equations.push(unit(r));
                }),
                Try::Slide { mu } => {
                    let (s, c) = angle.next()?.sin_cos();
                    let (t1, t2, n) = (unit(range.start), unit(range.start + 1), unit(range.start + 2));
                    let (d, across) = (&t1 * c + &t2 * s, &t2 * c - &t1 * s);
                    choice.slides.push(Slide { place: choice.columns.len(), mu: *mu, d: d.clone(), across });
                    choice.columns.push(&n - d * *mu);
                    choice.equations.push(n);
                }
            }
        }
        Some(choice)
    }

    /// The linear system of x and, for each sliding contact, the change of its angle, at these impulses.
    fn system(
        &self,
        problem: &ConstraintProblem,
        whole: &DMatrix<f64>,
        impulses: &[f64],
    ) -> (DMatrix<f64>, DVector<f64>) {
        let Self { fixed, columns, equations, slides } = self;
        let m = columns.len();
        let mut matrix = DMatrix::zeros(equations.len() + slides.len(), m + slides.len());
        let mut right = DVector::zeros(matrix.nrows());
        let free = whole * fixed + DVector::from_column_slice(&problem.free_velocity);
        let c: DVector<f64> =
            whole * DVector::from_column_slice(impulses) + DVector::from_column_slice(&problem.free_velocity);
        for (i, row) in equations.iter().chain(slides.iter().map(|s| &s.across)).enumerate() {
            let weights = whole.transpose() * row;
            columns.iter().enumerate().for_each(|(j, column)| matrix[(i, j)] = weights.dot(column));
            right[i] = -row.dot(&free);
            for (k, slide) in slides.iter().enumerate() {
                // λ_T turns with the angle, and so does d⊥, by −d.
                let normal = impulses_normal(impulses, columns[slide.place].iter().copied());
                let mut rate = -slide.mu * normal * weights.dot(&slide.across);
                if i == equations.len() + k {
                    rate -= slide.d.dot(&c);
                }
                matrix[(i, m + k)] = rate;
            }
        }
        (matrix, right)
    }
}

/// λ of a choice, with the sliding contacts started from the directions of number `start` of `each` per contact; and in how many
/// dimensions it is not determined. `None` if there is none.
fn solve(
    problem: &ConstraintProblem,
    whole: &DMatrix<f64>,
    tries: &[Try],
    (start, each): (usize, usize),
) -> Option<(Vec<f64>, usize)> {
    let mut rest = start;
    let mut angles: Vec<f64> = Vec::new();
    for _ in tries.iter().filter(|t| matches!(t, Try::Slide { .. })) {
        angles.push(std::f64::consts::TAU * (rest % each) as f64 / each as f64);
        rest /= each;
    }
    let mut impulses = vec![0.0; problem.rows()];
    let mut undetermined = 0;
    for _ in 0..ITERATIONS {
        let choice = Choice::new(problem, tries, &angles)?;
        if choice.equations.is_empty() {
            return Some((choice.fixed.as_slice().to_vec(), 0));
        }
        let (matrix, right) = choice.system(problem, whole, &impulses);
        let svd = matrix.svd(true, true);
        let largest = svd.singular_values.max();
        undetermined = svd.singular_values.iter().filter(|s| **s <= RANK * largest).count();
        let x = svd.solve(&right, RANK * largest).ok()?;
        let Choice { fixed: mut next, columns, slides, .. } = choice;
        columns.iter().zip(x.iter()).for_each(|(column, x)| next += column * *x);
        if !next.iter().all(|x| x.is_finite()) {
            return None;
        }
        let turns = || x.iter().skip(columns.len());
        let turned = turns().fold(0.0_f64, |most, x| most.max(x.abs()));
        impulses.copy_from_slice(next.as_slice());
        if slides.is_empty() || turned < 1e-13 {
            break;
        }
        // Never by more than an eighth of a turn.
        let share = (std::f64::consts::FRAC_PI_4 / turned).min(1.0);
        angles.iter_mut().zip(turns()).for_each(|(angle, x)| *angle += share * x);
    }
    Some((impulses, undetermined))
}

/// The normal impulse of a sliding contact, whose column has 1 in the row of the normal and is the last of its rows.
fn impulses_normal(impulses: &[f64], column: impl Iterator<Item = f64>) -> f64 {
    let last = column.enumerate().filter(|(_, x)| *x != 0.0).last();
    last.map_or(0.0, |(r, _)| impulses[r])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus;

    fn modes(problem: &ConstraintProblem) -> Vec<Vec<Mode>> {
        answers(problem).unwrap().into_iter().map(|a| a.modes).collect()
    }

    /// One contact with G = diag(1, 1, 1): open, sticking and sliding each have one answer, as worked out by hand.
    #[test]
    fn one_contact_by_hand() {
        for (g, mode, impulse) in [
            ([1.0, 2.0, 3.0], Mode::Open, [0.0, 0.0, 0.0]),
            ([0.1, -0.2, -1.0], Mode::Stick, [-0.1, 0.2, 1.0]),
            ([3.0, 4.0, -1.0], Mode::Slide, [-0.3, -0.4, 1.0]),
        ] {
            let all = answers(&corpus::point(1.0, 0.5, g)).unwrap();
            assert_eq!(all.len(), 1, "{all:?}");
            assert_eq!(all[0].modes, [mode]);
            let off = all[0].impulses.iter().zip(impulse).map(|(a, b)| (a - b).abs());
            assert!(off.fold(0.0, f64::max) < 1e-12, "{:?}", all[0].impulses);
        }
    }

    /// Painlevé's rod has three motions while it slides slowly: it leaves the ground, it sticks at once, or it slides on.
    #[test]
    fn a_rod_of_painleve_has_three_answers() {
        let all = modes(&corpus::painleve(0.01));
        assert_eq!(all.len(), 3, "{all:?}");
        for mode in [Mode::Open, Mode::Stick, Mode::Slide] {
            assert!(all.contains(&vec![mode]), "{all:?}");
        }
    }
}
