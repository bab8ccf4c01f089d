//! Residuals (1)–(5) of [`super`], of one block.

use super::{exact, friction_distances, worse};
use crate::cone::{Cone, MAX_ROWS, de_saxce, get, project_friction};
use crate::law::Law;
use crate::matrix3::{self, Block3};
use crate::polygon::Polygon;
use crate::problem::ConstraintProblem;
use crate::soft::SoftBlock;
use crate::spectral_norm::spectral_norm;
use stiction_dynamics::spatial::{Vec3, vec3};

/// (G + R)_ii, by rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Diagonal {
    /// The block by rows; of a patch (six rows at most) the three rows of its force, (t₁, t₂, n).
    values: Block3,
    dim: usize,
    /// ‖(G + R)_ii‖₂.
    norm: f64,
}

impl Diagonal {
    /// Diagonal block i, whose leading three rows are `values`.
    pub(super) fn of(problem: &ConstraintProblem, i: usize, values: Block3) -> Self {
        let dim = problem.cone(i).dim();
        let norm = match dim {
            1 => values[0].abs(),
            3 => matrix3::spectral_norm(&values),
            _ => spectral_norm(&problem.patch(i)),
        };
        Self { values, dim: dim.min(3), norm }
    }

    /// (G + R)_NN of the last row.
    fn normal(&self) -> f64 {
        self.values[self.dim * self.dim - 1]
    }
}

/// The largest ‖(G + R)_ii‖₂ or 1: the scale of a block without one of its own.
pub(super) fn largest_norm(all: &[Diagonal]) -> f64 {
    let largest = all.iter().map(|d| d.norm).fold(0.0, worse);
    if largest == 0.0 { 1.0 } else { largest }
}

/// (4): ‖λ − P_K(λ − ρ ĉ)‖/ρ with ρ = 1/`norm` and the correction of `law`. `diagonal` is
/// (G + R)_ii by rows; a scalar block has its number first. Never decreases when `norm` grows, for
/// admissible λ: a bound of ‖(G + R)_ii‖ gives a bound of (4).
#[inline]
pub fn block_natural_map(
    cone: Cone,
    diagonal: &Block3,
    norm: f64,
    lambda: &[f64],
    c: &[f64],
    law: Law,
) -> f64 {
    match cone {
        Cone::Friction { mu } => {
            let (lambda, c) = (get(lambda), get(c));
            let distance = |corrected: Vec3| moved(lambda, corrected, norm, |x| project_friction(x, mu));
            match law {
                Law::Ncp => exact::contact(mu, norm, lambda, c),
                Law::Ccp => distance(c),
                Law::Pyramid => {
                    moved(lambda, c, norm, |x| normal_and_polygon(x, Polygon::Square, mu * lambda.z))
                }
                Law::Facets { facets } => moved(lambda, c, norm, |x| {
                    normal_and_polygon(x, Polygon::Regular { facets }, mu * lambda.z)
                }),
                Law::PolyhedralCcp { facets } => {
                    moved(lambda, c, norm, |x| Polygon::Regular { facets }.project_cone(x, mu))
                }
                Law::Raisim => {
                    let normal = vec3(diagonal[6], diagonal[7], diagonal[8]);
                    let [first, second] = raisim_multipliers(diagonal, mu, lambda, c)
                        .map(|g| g.map(|g| distance(c + normal * g)));
                    match (first, second) {
                        (Some(a), Some(b)) if b < a => b,
                        (Some(a), _) => a,
                        (None, b) => b.unwrap_or(f64::NAN),
                    }
                }
                // A compliant law has put its own velocity in place of c.
                Law::Mujoco | Law::MujocoPyramidal | Law::Sap | Law::Lagged | Law::Similar => distance(c),
            }
        }
        Cone::Patch { mu, .. } => {
            if !law.takes_patches() {
                return f64::NAN; // what these laws make of a patch is nowhere said
            }
            exact::patch(mu, norm, lambda, c, law == Law::Ncp)
        }
        Cone::Free => exact::row([f64::NEG_INFINITY, f64::INFINITY], norm, lambda[0], c[0]),
        Cone::NonNegative => exact::row([0.0, f64::INFINITY], norm, lambda[0], c[0]),
        Cone::Box { lo, hi } => exact::row([lo, hi], norm, lambda[0], c[0]),
    }
}

fn norm_of(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// ‖λ − P(λ − ρ ĉ)‖/ρ, ρ = 1/`norm`.
#[inline]
fn moved(lambda: Vec3, corrected: Vec3, norm: f64, project: impl Fn(Vec3) -> Vec3) -> f64 {
    let target = lambda - corrected * (1.0 / norm);
    let projected = project(target);
    // λ − (λ − ρ ĉ) would lose ĉ to the rounding of a large λ.
    if projected == target { corrected.norm() } else { (lambda - projected).norm() * norm }
}

/// The normal on [0, ∞), the tangents on the polygon of the radius that the present normal allows.
fn normal_and_polygon(x: Vec3, polygon: Polygon, radius: f64) -> Vec3 {
    let radius = if radius < 0.0 { 0.0 } else { radius };
    let [t1, t2] = polygon.project([x.x, x.y], radius);
    vec3(t1, t2, if x.z < 0.0 { 0.0 } else { x.z })
}

/// (4) of a block under a compliant law; `own` is its part R₀ of the problem's compliance. With −F the
/// gradient of a convex function, the natural map of λ = F(u) is ‖u − w‖, where w − F(w)/ρ = u − λ/ρ; one
/// Newton step from u finds w near a solution: ‖(ρ 1 − F'(u))⁻¹ (λ − F(u))‖.
pub fn soft_natural_map(
    soft: &SoftBlock,
    cone: Cone,
    norm: f64,
    lambda: &[f64],
    c: &[f64],
    own: &[f64],
) -> f64 {
    let mut velocity = [0.0; MAX_ROWS];
    for (k, v) in velocity.iter_mut().enumerate().take(lambda.len()) {
        *v = c[k] - own[k] * lambda[k];
    }
    let rows = &mut velocity[..lambda.len()];
    // The velocity of the law that takes the place of c, and the scale with its compliance.
    let mut set = |compliance: &dyn Fn(usize) -> f64, shift: &[f64]| {
        let mut stiffest = 0.0;
        for (k, (v, s)) in rows.iter_mut().zip(shift).enumerate() {
            *v += compliance(k) * lambda[k] + s;
            stiffest = worse(stiffest, compliance(k));
        }
        block_natural_map(cone, &[0.0; 9], norm + stiffest, lambda, rows, Law::Ccp)
    };
    match *soft {
        SoftBlock::Inert => block_natural_map(cone, &[0.0; 9], norm, lambda, c, Law::Ccp),
        SoftBlock::Cone { compliance, shift, .. } => set(&|k| compliance[k], &shift),
        SoftBlock::Patch { compliance: [t, n], shift, .. } => set(&|k| if k == 2 { n } else { t }, &shift),
        _ if lambda.len() > 3 => one_newton_step::<MAX_ROWS>(soft, norm, lambda, rows),
        _ => one_newton_step::<3>(soft, norm, lambda, rows),
    }
}

/// ‖(ρ 1 − F'(u))⁻¹ (λ − F(u))‖ at the velocity u of the rows.
fn one_newton_step<const N: usize>(soft: &SoftBlock, norm: f64, lambda: &[f64], velocity: &[f64]) -> f64 {
    let answer = soft.impulse(velocity);
    let mut apart = [0.0; N];
    apart.iter_mut().zip(lambda.iter().zip(answer)).for_each(|(x, (l, a))| *x = norm * (l - a));
    let slope = soft.curvature::<N>(velocity).unwrap_or([[0.0; N]; N]).map(|row| row.map(|x| norm * x));
    if lambda.len() == 1 {
        return (apart[0] / (1.0 + slope[0][0])).abs();
    }
    norm_of(&matrix3::solve_one_plus(slope, apart))
}

/// (4) of a block with its own ρ; a zero diagonal takes ρ from `fallback`, so that both a wrong
/// impulse and a wrong velocity still count.
pub(super) fn natural_map_of_block(
    problem: &ConstraintProblem,
    i: usize,
    diagonal: &Diagonal,
    fallback: f64,
    lambda: &[f64],
    c: &[f64],
    law: Law,
) -> f64 {
    let cone = problem.cone(i);
    match SoftBlock::new(law, problem, i, &diagonal.values) {
        Some(soft) => {
            let norm = if diagonal.norm == 0.0 { fallback } else { diagonal.norm };
            soft_natural_map(&soft, cone, norm, lambda, c, &problem.compliance[problem.range(i)])
        }
        None => natural_map(cone, diagonal, fallback, lambda, c, law),
    }
}

/// Natural map of one block under a rigid law [m/s].
pub(super) fn natural_map(
    cone: Cone,
    diagonal: &Diagonal,
    fallback: f64,
    lambda: &[f64],
    c: &[f64],
    law: Law,
) -> f64 {
    let norm = if diagonal.norm == 0.0 { fallback } else { diagonal.norm };
    block_natural_map(cone, &diagonal.values, norm, lambda, c, law)
}

/// Multipliers γ of the plane c_N = 0 that RaiSim's law admits [LeLidec2024, (8)–(10)].
///
/// RaiSim minimises ½λᵀGλ + λᵀg̃ over the cone cut by c_N = 0. With the plane's multiplier γ the
/// optimality conditions read K ∋ λ ⟂ c + γ G_N ∈ K*, and for a sliding contact
///
/// ```text
///     γ G_NN = μ ‖c_T + γ G_NT‖,   γ ≥ 0.                             (a)
/// ```
///
/// For G_NT = 0 this is Γ of De Saxcé. (a) is a quadratic; it has one admissible root if
/// G_NN > μ‖G_NT‖ and none or two otherwise. Without a root the multiplier is read off the
/// impulse: γ = μ γ₂/G_NN with c_T = −γ₂ (λ_T/‖λ_T‖ + μ G_NT/G_NN) in the least-squares sense, and
/// De Saxcé's for no impulse. "There is a multiplier" makes the smallest residual the right one.
pub fn raisim_multipliers(a: &Block3, mu: f64, lambda: Vec3, c: Vec3) -> [Option<f64>; 2] {
    let (g_nn, b) = (a[8], [a[6], a[7]]);
    let slip = c.x * c.x + c.y * c.y;
    if !(g_nn > 0.0) || mu == 0.0 || slip == 0.0 {
        return [Some(0.0), None];
    }
    let (bb, cb) = (b[0] * b[0] + b[1] * b[1], c.x * b[0] + c.y * b[1]);
    let m2 = mu * mu;
    // (a) squared: A γ² − 2 B γ − C = 0.
    let (qa, qb, qc) = (g_nn * g_nn - m2 * bb, m2 * cb, m2 * slip);
    let root = (qb * qb + qa * qc).sqrt();
    let first = if qb >= 0.0 { (qb + root) / qa } else { qc / (root - qb) };
    if qa > 0.0 || first.is_nan() && slip.is_nan() {
        return [Some(first), None];
    }
    let second = -qc / (qa * first);
    let admissible = |gamma: f64| (gamma >= 0.0 && gamma.is_finite()).then_some(gamma);
    let (first, second) = (admissible(first), admissible(second));
    if first.is_some() || second.is_some() {
        return [first, second];
    }
    let t = lambda.x.hypot(lambda.y);
    if t > 0.0 {
        let d = [lambda.x / t + mu * b[0] / g_nn, lambda.y / t + mu * b[1] / g_nn];
        let along = -(c.x * d[0] + c.y * d[1]) / (d[0] * d[0] + d[1] * d[1]);
        return [Some(worse(0.0, along) * mu / g_nn), None];
    }
    [Some(mu * slip.sqrt() / g_nn), None]
}

/// (1)–(3) before the division by h: distance from the set [N·s], distance from the dual set
/// [m/s], |⟨λ, ĉ⟩| [J].
///
/// A box has no dual cone. A bounded side answers any velocity; what is left is the energy by which
/// λ falls short of the extreme impulse min_{x ∈ box} c x. An unbounded side must not move.
pub(super) fn primal_dual_power(cone: Cone, lambda: &[f64], c: &[f64]) -> [f64; 3] {
    match cone {
        Cone::Friction { mu } => {
            let (lambda, c) = (get(lambda), get(c));
            let corrected = c + de_saxce(c, mu);
            let (p, d) = friction_distances(lambda, corrected, mu);
            [p, d, lambda.dot(corrected).abs()]
        }
        Cone::Patch { .. } => {
            let mut corrected = [0.0; MAX_ROWS];
            let corrected = &mut corrected[..c.len()];
            corrected.copy_from_slice(c);
            cone.add_correction(corrected);
            let apart = |x: &[f64], project: &dyn Fn(&mut [f64])| {
                let mut inside = [0.0; MAX_ROWS];
                let inside = &mut inside[..x.len()];
                inside.copy_from_slice(x);
                project(inside);
                inside.iter_mut().zip(x).for_each(|(p, x)| *p -= x);
                norm_of(inside)
            };
            let power: f64 = lambda.iter().zip(&*corrected).map(|(l, c)| l * c).sum();
            let p = apart(lambda, &|x| cone.project(x));
            [p, apart(corrected, &|x| cone.project_dual(x)), power.abs()]
        }
        Cone::NonNegative => [worse(0.0, -lambda[0]), worse(0.0, -c[0]), (lambda[0] * c[0]).abs()],
        Cone::Free => [0.0 * lambda[0], c[0].abs(), (lambda[0] * c[0]).abs()],
        Cone::Box { lo, hi } => {
            let p = worse(0.0, worse(lo - lambda[0], lambda[0] - hi));
            let extreme = if c[0] > 0.0 { lo } else { hi };
            if c[0] == 0.0 {
                [p, 0.0, 0.0]
            } else if extreme.is_finite() {
                [p, 0.0 * c[0], (c[0] * (lambda[0] - extreme)).abs()]
            } else {
                [p, c[0].abs(), (lambda[0] * c[0]).abs()]
            }
        }
    }
}

/// (5) of blocks that can open; zero for the others.
pub(super) fn signorini(cone: Cone, diagonal: &Diagonal, lambda: &[f64], c: &[f64]) -> f64 {
    if !cone.opens() {
        return 0.0 * c[0];
    }
    let (l, c) = (lambda[cone.normal()] * diagonal.normal(), c[cone.normal()]);
    if l.is_nan() || c.is_nan() { f64::NAN } else { l.min(c).abs() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Random;

    /// RaiSim's sliding optimum by brute force over the ellipse has no residual by its own law and a
    /// clear one by the exact law.
    #[test]
    fn raisims_optimum_obeys_raisims_law() {
        let a = [1.0, 0.1, 0.3, 0.1, 0.8, -0.2, 0.3, -0.2, 1.2];
        let (q, mu) = ([1.0, -0.4, -0.6], 0.5);
        let energy = |theta: f64| {
            let (s, co) = theta.sin_cos();
            let r = -q[2] / (a[8] / mu + a[6] * co + a[7] * s);
            let l = [r * co, r * s, r / mu];
            let c: [f64; 3] =
                std::array::from_fn(|i| q[i] + (0..3).map(|j| a[3 * i + j] * l[j]).sum::<f64>());
            (0.5 * (0..3).map(|i| l[i] * (c[i] + q[i])).sum::<f64>(), l, c)
        };
        let mut best = (f64::INFINITY, 0.0);
        for k in 0..20_000 {
            let theta = f64::from(k) * std::f64::consts::TAU / 20_000.0;
            let e = energy(theta).0;
            if e < best.0 {
                best = (e, theta);
            }
        }
        let (_, l, c) = energy(best.1);
        let diagonal = Diagonal { values: a, dim: 3, norm: matrix3::spectral_norm(&a) };
        let cone = Cone::Friction { mu };
        let own = natural_map(cone, &diagonal, 1.0, &l, &c, Law::Raisim);
        let exact = natural_map(cone, &diagonal, 1.0, &l, &c, Law::Ncp);
        assert!(own < 1e-4 && exact > 5e-3, "own {own}, exact {exact}");
    }

    /// The natural map of a patch is ‖λ − P_K(λ − ρ ĉ)‖/ρ wherever that lies; and where it slides and spins about a
    /// lever arm of
    /// kilometres, so that 1/ρ is 3e8, its answer still has none.
    #[test]
    fn patches_keep_their_digits() {
        let mut random = Random(4);
        for k in 0..1000 {
            let rolls = k % 2 == 0;
            let cone = Cone::Patch { mu: [0.0, 1e-3, 0.5, 2.0][k / 2 % 4], rolls };
            let mut next = || std::array::from_fn::<f64, MAX_ROWS, _>(|_| random.number());
            let (lambda, c, dim) = (next(), next(), cone.dim());
            let norm = 3.0;
            let mut corrected = c;
            cone.add_correction(&mut corrected[..dim]);
            let mut x: [f64; MAX_ROWS] = std::array::from_fn(|i| lambda[i] - corrected[i] / norm);
            cone.project(&mut x[..dim]);
            let expected =
                norm * x.iter().zip(lambda).take(dim).map(|(x, l)| (x - l).powi(2)).sum::<f64>().sqrt();
            let e = block_natural_map(cone, &[0.0; 9], norm, &lambda[..dim], &c[..dim], Law::Ncp);
            assert!((e - expected).abs() < 1e-12 * (1.0 + expected), "{k}: {e} {expected}");
        }
        let (mu, n) = (1e-5, 1.8);
        let cone = Cone::Patch { mu, rolls: false };
        let of = |short: f64| {
            let lambda = [0.0, -0.6 * mu * n, n * (1.0 - short), -0.8 * mu * n];
            block_natural_map(cone, &[0.0; 9], 3e8, &lambda, &[0.0, 2100.0, 0.0, 2800.0], Law::Ncp)
        };
        assert!(of(0.0) < 1e-11 && of(1e-9) > 1e-6, "{:e} {:e}", of(0.0), of(1e-9));
    }

    /// ρ of a patch is 1/‖(G + R)_ii‖₂: 1/4 of diag(1, 1, 1, 4), whose Frobenius norm is √19. The impulse (0, 0, 1, 1) lies
    /// outside of K_½, and with c = 0 its natural map is 4 times its distance from the cone, (1 − ½)/√(1 + ¼).
    #[test]
    fn patches_are_scaled_by_the_2_norm() {
        let mut problem = ConstraintProblem::default();
        problem.push(Cone::Patch { mu: 0.5, rolls: false }, &[0.0, 0.0, -1.0, -4.0]);
        let (start, blocks) = problem.starts_and_blocks_mut();
        blocks.set_pattern(start, |i, out| out.push(i));
        for (k, a) in [1.0, 1.0, 1.0, 4.0].into_iter().enumerate() {
            blocks.entry_mut(0)[5 * k] = a;
        }
        let e = super::super::certify(&problem, &[0.0, 0.0, 1.0, 1.0]).natural_map;
        assert!((e - 4.0 * 0.5 / 1.25_f64.sqrt()).abs() < 1e-14, "{e}");
    }

    /// A point of 1 kg slides along (cos θ, sin θ) at 1 m/s and arrives with 0.1 m/s, μ = 0.5. The square
    /// answers with a corner, the polygon with its nearest corner, the cone over it so that c_N > 0.
    #[test]
    fn polygons_dissipate_by_their_corners() {
        let (diagonal, cone) = ([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], Cone::Friction { mu: 0.5 });
        let (sin, cos) = 0.5_f64.sin_cos();
        let e = |law, l: [f64; 3]| {
            let c = [cos + l[0], sin + l[1], l[2] - 0.1];
            block_natural_map(cone, &diagonal, 1.0, &l, &c, law)
        };
        let square = [-0.05, -0.05, 0.1];
        assert!(e(Law::Pyramid, square) < 1e-15 && e(Law::Ncp, square) > 0.01);
        let eight = Law::Facets { facets: 8 };
        let corner = Polygon::Regular { facets: 8 }.corner(5); // 0.5 rad + π is nearest to 225°
        let facets = [0.05 * corner[0], 0.05 * corner[1], 0.1];
        assert!(e(eight, facets) < 1e-15 && e(Law::Facets { facets: 4 }, facets) > 0.01);
        // λ = α (μ d, 1) with (μ d, 1)·c = 0.
        let d = Polygon::Regular { facets: 4 }.corner(2);
        let alpha = -(0.5 * (d[0] * cos + d[1] * sin) - 0.1) / 1.25;
        let lifted = [0.5 * alpha * d[0], 0.5 * alpha * d[1], alpha];
        assert!(e(Law::PolyhedralCcp { facets: 4 }, lifted) < 1e-15 && e(eight, lifted) > 0.1);
        for law in [Law::Pyramid, eight, Law::PolyhedralCcp { facets: 8 }] {
            for k in 0..3 {
                let (mut l, mut c) = ([0.1; 3], [0.2; 3]);
                l[k] = f64::NAN;
                assert!(block_natural_map(cone, &diagonal, 1.0, &l, &[0.2; 3], law).is_nan());
                c[k] = f64::NAN;
                assert!(block_natural_map(cone, &diagonal, 1.0, &[0.1; 3], &c, law).is_nan());
            }
        }
    }

    #[test]
    fn boxes_answer_by_their_sides() {
        let dry = Cone::Box { lo: -2.0, hi: 2.0 };
        assert_eq!(primal_dual_power(dry, &[-2.0], &[0.7]), [0.0, 0.0, 0.0]);
        assert_eq!(primal_dual_power(dry, &[1.0], &[0.5]), [0.0, 0.0, 1.5]);
        let open = Cone::Box { lo: 0.0, hi: f64::INFINITY };
        assert_eq!(primal_dual_power(open, &[3.0], &[-0.5]), [0.0, 0.5, 1.5]);
        assert_eq!(primal_dual_power(dry, &[3.0], &[0.0])[0], 1.0);
    }
}
