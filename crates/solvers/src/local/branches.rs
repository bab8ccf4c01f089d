//! All answers of one contact, not only the one that is taken.
//!
//! With A definite and μ moderate there is one. Where friction can press the bodies together, A_NN < μ ‖A_NT‖,
//! "open", "stick" and "slide" may all obey the law at once: Painlevé's rod. Every slide is a positive root of
//! the quartic of [`super::quartic`] with λ_N ≥ 0; open and stick are tested.

use super::quartic::{Reduced, all_roots};
use super::{Contact, in_cone};
use stiction_contact::{Cone, ConstraintProblem};

/// Answers nearer to each other than this share of their size are one [–].
const APART: f64 = 1e-6;

/// An answer of the exact law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Branch {
    Open,
    Stick([f64; 3]),
    /// c_T = −α λ_T.
    Slide {
        impulse: [f64; 3],
        alpha: f64,
    },
}

impl Branch {
    pub fn name(&self) -> &'static str {
        match self {
            Branch::Open => "open",
            Branch::Stick(_) => "stick",
            Branch::Slide { .. } => "slide",
        }
    }

    pub fn impulse(&self) -> [f64; 3] {
        match *self {
            Branch::Open => [0.0; 3],
            Branch::Stick(impulse) | Branch::Slide { impulse, .. } => impulse,
        }
    }
}

/// The answers, those that [`super::quartic::solve`] prefers first: the first is the one it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Branches {
    found: [Branch; 6],
    count: usize,
}

impl Branches {
    pub fn all(&self) -> &[Branch] {
        &self.found[..self.count]
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// The branch that is taken; `None` if rounding hides every answer.
    pub fn chosen(&self) -> Option<Branch> {
        self.all().first().copied()
    }

    fn push(&mut self, branch: Branch) {
        self.found[self.count] = branch;
        self.count += 1;
    }
}

/// All answers for the velocity q without the contact's own impulse.
pub fn branches(contact: &Contact, q: [f64; 3]) -> Branches {
    let mut out = Branches { found: [Branch::Open; 6], count: 0 };
    if q[2] >= 0.0 {
        out.push(Branch::Open);
    }
    let stick = contact.sticking([0.0; 3], q);
    if contact.mu == 0.0 {
        if q[2] < 0.0 {
            let impulse = [0.0, 0.0, -q[2] / contact.a[8]];
            out.push(Branch::Slide { impulse, alpha: f64::INFINITY });
        }
        return out;
    }
    // The impulse of an open contact that just touches is no second answer.
    if in_cone(stick, contact.mu) && stick != [0.0; 3] {
        out.push(Branch::Stick(stick));
    }
    let reduced = Reduced::new(contact, q);
    if reduced.b == [0.0; 2] {
        return out;
    }
    let unit = if reduced.trace > 0.0 { reduced.trace } else { contact.norm };
    let (p, quartic) = reduced.quartic(unit);
    let (roots, count) = all_roots(&p, &quartic);
    for root in &roots[..count] {
        let alpha = refine(&reduced, root * unit);
        let impulse = reduced.impulse(alpha);
        if impulse[2] > 0.0 && alpha > 0.0 && out.count < out.found.len() {
            out.push(Branch::Slide { impulse, alpha });
        }
    }
    out
}

/// A contact with several answers while the impulses of all others stay.
#[derive(Clone, Debug, PartialEq)]
pub struct Several {
    pub block: usize,
    /// Open before stick before slides, as [`super::quartic::solve`] prefers them.
    pub branches: Vec<Branch>,
    /// Place in `branches` of the one nearest to the impulse given.
    pub taken: usize,
}

/// The contacts of a problem that have several answers next to the others' `impulses`: of a single contact, all
/// answers there are. The blocks must be formed.
pub fn several(problem: &ConstraintProblem, impulses: &[f64]) -> Vec<Several> {
    let (mut diagonal, mut c, mut out) = (Vec::new(), Vec::new(), Vec::new());
    problem.diagonal_blocks_into(&mut diagonal);
    problem.velocities_into(impulses, &mut c);
    let apart = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
    for (block, (&cone, a)) in problem.cones().iter().zip(&diagonal).enumerate() {
        let Cone::Friction { mu } = cone else { continue };
        let Some(contact) = Contact::new(*a, mu) else { continue };
        let take = |x: &[f64]| [x[0], x[1], x[2]];
        let (lambda, c) = (take(&impulses[problem.range(block)]), take(&c[problem.range(block)]));
        let mut found: Vec<Branch> = Vec::new();
        for branch in self::branches(&contact, contact.free_velocity(lambda, c)).all() {
            let size = apart(branch.impulse(), [0.0; 3]);
            // A slide at the edge of sticking is that stick.
            if found.iter().all(|f| apart(f.impulse(), branch.impulse()) > APART * size) {
                found.push(*branch);
            }
        }
        let distance = |k: &usize| apart(found[*k].impulse(), lambda);
        let taken = (0..found.len()).min_by(|i, j| distance(i).total_cmp(&distance(j)));
        if let (Some(taken), true) = (taken, found.len() > 1) {
            out.push(Several { block, branches: found, taken });
        }
    }
    out
}

/// Newton on ψ of [`super::quartic`], which may rise or fall through this root, while it helps.
fn refine(reduced: &Reduced, mut alpha: f64) -> f64 {
    let (mut value, mut slope) = reduced.residual(alpha);
    for _ in 0..5 {
        let next = alpha - value / slope;
        let (closer, steeper) = reduced.residual(next);
        if !(closer.abs() < value.abs() && next > 0.0) {
            break;
        }
        (alpha, value, slope) = (next, closer, steeper);
    }
    alpha
}

#[cfg(test)]
mod tests {
    use super::super::quartic;
    use super::super::tests::{problems, random_problems};
    use super::*;
    use stiction_contact::certificate::block_natural_map;
    use stiction_contact::corpus::{Random, cube, painleve};
    use stiction_contact::matrix3::{mul, spectral_norm};
    use stiction_contact::{Cone, Law};
    use stiction_dynamics::spatial::{Vec3, vec3};

    fn natural_map(a: &[f64; 9], q: [f64; 3], mu: f64, lambda: [f64; 3]) -> f64 {
        let al = mul(a, lambda);
        let c = [q[0] + al[0], q[1] + al[1], q[2] + al[2]];
        block_natural_map(Cone::Friction { mu }, a, spectral_norm(a), &lambda, &c, Law::Ncp)
    }

    /// Every branch is an answer, the first is the one taken, and there is always one.
    #[test]
    fn every_branch_obeys_the_law_and_the_first_is_taken() {
        for (a, q, mu) in problems() {
            let contact = Contact::new(a, mu).unwrap();
            let found = branches(&contact, q);
            for branch in found.all() {
                let e = natural_map(&a, q, mu, branch.impulse());
                assert!(e <= 1e-9, "{e} {branch:?} for A {a:?}, q {q:?}, mu {mu}");
            }
            let taken = quartic::solve(&contact, [0.0; 3], q);
            let chosen = found.chosen().expect("an answer exists").impulse();
            let size = 1.0 + taken.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            assert!((0..3).all(|k| (taken[k] - chosen[k]).abs() <= 1e-9 * size), "{taken:?} {found:?}");
        }
    }

    /// A uniform rod of 1 kg and half length 1 m at angle θ to the ground, touching with its lower end, seen from
    /// the ground: x along the rod's shadow. Inertia m l²/3.
    fn rod(theta: f64) -> [f64; 9] {
        let (s, c) = theta.sin_cos();
        let (x, z) = (-c, -s);
        let coupling = -3.0 * x * z;
        [1.0 + 3.0 * z * z, 0.0, coupling, 0.0, 1.0 + 3.0, 0.0, coupling, 0.0, 1.0 + 3.0 * x * x]
    }

    /// Painlevé's paradox needs 1 + 3 cos θ (cos θ − μ sin θ) < 0: μ > 4/3 at tan θ = 2. Beyond, a rod that
    /// slides uphill of its friction and separates slowly may as well wedge: open, stick and slide.
    #[test]
    fn painleves_rod_has_three_answers_beyond_four_thirds() {
        let a = rod(2.0_f64.atan());
        assert!(a[6] < 0.0);
        let q = [-10.0, 0.0, 0.01];
        let names = |mu: f64, q: [f64; 3]| {
            let found = branches(&Contact::new(a, mu).unwrap(), q);
            found.all().iter().map(Branch::name).collect::<Vec<_>>()
        };
        assert_eq!(names(1.3, q), ["open"]);
        assert_eq!(names(1.4, q), ["open", "stick", "slide"]);
        // Sliding the other way nothing is strange.
        assert_eq!(names(1.4, [10.0, 0.0, 0.01]), ["open"]);
        // Approaching, it can only wedge: Painlevé's contradiction of forces is an impact without collision.
        assert_eq!(names(1.4, [-10.0, 0.0, -0.01]), ["stick"]);
        assert_eq!(names(1.3, [-10.0, 0.0, -0.01]), ["slide"]);
    }

    /// The rod of the corpus: every answer is recognised as the one taken.
    #[test]
    fn several_answers_of_a_problem_are_counted_and_the_taken_one_named() {
        let problem = painleve(0.01);
        let found = several(&problem, &[0.0; 3]);
        assert_eq!((found.len(), found[0].branches.len(), found[0].taken), (1, 3, 0));
        for (k, branch) in found[0].branches.iter().enumerate() {
            assert_eq!(several(&problem, &branch.impulse())[0].taken, k, "{branch:?}");
        }
        assert!(several(&painleve(-0.01), &[0.0; 3]).is_empty());
        assert!(several(&cube(0.5, vec3(1.0, 0.0, 0.0), Vec3::ZERO), &[0.0; 12]).is_empty());
    }

    /// Many contacts, μ from 0.1 to 2: every answer, chosen or not, against the speeds of its problem. The inverse of
    /// an ill-conditioned block costs digits, which a second visit gives back, as the next sweep does.
    #[test]
    fn answers_24000_random_problems() {
        let mut random = Random(13);
        let (mut worst, mut worst_other, mut ambiguous) = ([0.0_f64; 2], 0.0_f64, 0);
        for (a, q, _) in random_problems(24_000, 17) {
            let mu = 0.1 + 0.95 * (1.0 + random.number());
            let contact = Contact::new(a, mu).unwrap();
            let relative = |lambda: [f64; 3]| {
                let al = mul(&a, lambda);
                let norm = |x: [f64; 3]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
                natural_map(&a, q, mu, lambda) / norm(q).max(norm([q[0] + al[0], q[1] + al[1], q[2] + al[2]]))
            };
            let first = quartic::solve(&contact, [0.0; 3], q);
            let al = mul(&a, first);
            let second = quartic::solve(&contact, first, std::array::from_fn(|k| q[k] + al[k]));
            (0..2).for_each(|k| worst[k] = worst[k].max(relative([first, second][k])));
            let found = branches(&contact, q);
            ambiguous += u32::from(found.count() > 1);
            worst_other = found.all().iter().map(|b| relative(b.impulse())).fold(worst_other, f64::max);
        }
        println!("relative natural map: {worst:?}, of all branches {worst_other:e}; several: {ambiguous}");
        assert!(worst[0] <= 5e-12 && worst[1] <= 1e-12 && worst_other <= 5e-12, "{worst:?} {worst_other:e}");
        assert!(ambiguous > 0);
    }

    /// How often a random contact has several answers: rarely at μ = 0.5, by the percent at μ = 2.
    #[test]
    fn several_answers_grow_more_frequent_with_friction() {
        let mut random = Random(11);
        let mut share = [0.0; 3];
        let count = 20_000;
        for (share, mu) in share.iter_mut().zip([0.5, 1.0, 2.0]) {
            let mut several = 0;
            for _ in 0..count {
                let b: [f64; 9] = std::array::from_fn(|_| random.number());
                let a: [f64; 9] = std::array::from_fn(|e| {
                    let own = if e % 4 == 0 { 0.01 } else { 0.0 };
                    (0..3).map(|l| b[3 * (e / 3) + l] * b[3 * (e % 3) + l]).sum::<f64>() + own
                });
                let q = std::array::from_fn(|_| random.number());
                let found = branches(&Contact::new(a, mu).unwrap(), q);
                assert!(found.count() >= 1, "no answer for A {a:?}, q {q:?}, mu {mu}");
                several += u32::from(found.count() > 1);
            }
            *share = f64::from(several) / f64::from(count);
        }
        println!("several answers at mu 0.5, 1, 2: {share:?}");
        assert!(share[0] < share[1] && share[1] < share[2], "{share:?}");
    }
}
