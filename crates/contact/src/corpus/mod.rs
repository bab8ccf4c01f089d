//! Contact problems that anyone can name: boxes that rest, slide, stick, are dragged, held and stacked, with
//! mass ratios up to 10⁶; heaps at random; all kinds of rows together.
//!
//! Every problem is one step of rigid boxes from a state in closed form, with M and J kept. Tests, experiments
//! and comparisons of solvers draw on the same list, [`named`]; the crate of problem files
//! adds problems of our scenes, large ones, a loop and Painlevé's rod.

mod built;

pub use built::{cubes_apart, linkage, painleve, wall};

use crate::cone::Cone;
use crate::primal::{Csr, Primal};
use crate::problem::ConstraintProblem;
use crate::softness::Softness;
use stiction_dynamics::spatial::{Vec3, vec3};

/// Deterministic numbers in [−1, 1): splitmix64.
pub struct Random(pub u64);

impl Random {
    /// The next number; the generator never ends.
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// Gravity [m/s²] and time step [s] of all scenes.
pub const GRAVITY: f64 = 9.81;
pub const STEP: f64 = 0.01;

/// A box with axes along the world's.
#[derive(Clone, Copy)]
pub struct Body {
    pub mass: f64,
    pub half: Vec3,
    pub position: Vec3,
    pub velocity: Vec3,
    pub spin: Vec3,
    /// Other impulses than gravity during the step [N·s].
    pub push: Vec3,
}

/// A point where B (never the ground) touches A or the ground; the normal points to B.
#[derive(Clone, Copy)]
struct Touch {
    a: Option<usize>,
    b: usize,
    point: Vec3,
    normal: Vec3,
    mu: f64,
}

#[derive(Default)]
pub struct Scene {
    pub bodies: Vec<Body>,
    touches: Vec<Touch>,
}

impl Scene {
    pub fn body(&mut self, mass: f64, half: Vec3, position: Vec3) -> usize {
        let zero = Vec3::ZERO;
        self.bodies.push(Body { mass, half, position, velocity: zero, spin: zero, push: zero });
        self.bodies.len() - 1
    }

    pub fn touch(&mut self, a: Option<usize>, b: usize, point: Vec3, normal: Vec3, mu: f64) {
        self.touches.push(Touch { a, b, point, normal, mu });
    }

    /// Four corners of the lower face of body `b`.
    pub fn corners(&mut self, a: Option<usize>, b: usize, mu: f64) {
        let Body { half, position, .. } = self.bodies[b];
        for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            let point = position + vec3(x * half.x, y * half.y, -half.z);
            self.touch(a, b, point, Vec3::Z, mu);
        }
    }

    pub fn primal(&self) -> (Vec<Cone>, Primal) {
        let nv = 6 * self.bodies.len();
        let mut primal = Primal { nv, ..Primal::default() };
        primal.mass.start.push(0);
        for (b, body) in self.bodies.iter().enumerate() {
            let (m, h) = (body.mass, body.half);
            let inertia =
                vec3(h.y * h.y + h.z * h.z, h.x * h.x + h.z * h.z, h.x * h.x + h.y * h.y) * (m / 3.0);
            let diagonal = [m, m, m, inertia.x, inertia.y, inertia.z];
            for (k, d) in diagonal.into_iter().enumerate() {
                push_row(&mut primal.mass, [(6 * b + k, d)]);
            }
            let v = body.velocity + body.push * (1.0 / m) - vec3(0.0, 0.0, GRAVITY * STEP);
            primal.free_velocity.extend([v.x, v.y, v.z, body.spin.x, body.spin.y, body.spin.z]);
        }
        primal.jacobian.start.push(0);
        for t in &self.touches {
            let (t1, t2) = t.normal.tangents();
            for axis in [t1, t2, t.normal] {
                push_row(&mut primal.jacobian, self.relative(t.a, t.b, t.point, axis));
                primal.bias.push(0.0);
            }
        }
        (self.touches.iter().map(|t| Cone::Friction { mu: t.mu }).collect(), primal)
    }

    /// Row of J: velocity of B's point relative to A's, along `axis`.
    fn relative(&self, a: Option<usize>, b: usize, point: Vec3, axis: Vec3) -> Vec<(usize, f64)> {
        let mut row = Vec::new();
        for (body, sign) in [(a, -1.0), (Some(b), 1.0)] {
            let Some(body) = body else { continue };
            let arm = (point - self.bodies[body].position).cross(axis) * sign;
            let axis = axis * sign;
            let entries = [axis.x, axis.y, axis.z, arm.x, arm.y, arm.z];
            row.extend(entries.into_iter().enumerate().map(|(k, v)| (6 * body + k, v)));
        }
        row
    }

    /// The problem of one step, with what compliant laws read: surfaces that touch, of the default material.
    pub fn problem(&self) -> ConstraintProblem {
        let (cones, primal) = self.primal();
        let before: Vec<f64> =
            self.bodies.iter().flat_map(|b| [b.velocity, b.spin]).flat_map(Vec3::to_array).collect();
        let mut velocity = vec![0.0; primal.jacobian.rows()];
        primal.jacobian.mul_add_into(&before, &mut velocity);
        let mut problem = ConstraintProblem::from_primal(&cones, primal, STEP).expect("masses are positive");
        for c in velocity.as_chunks::<3>().0 {
            problem.softness.push(Softness { velocity: *c, ..Softness::default() });
        }
        problem
    }
}

fn push_row(matrix: &mut Csr, entries: impl IntoIterator<Item = (usize, f64)>) {
    for (column, value) in entries {
        matrix.column.push(column);
        matrix.value.push(value);
    }
    matrix.start.push(matrix.value.len());
}

/// One contact with (G)_ii = `a`, arriving with `g`.
pub fn one_contact(a: [f64; 9], g: [f64; 3], mu: f64) -> ConstraintProblem {
    let mut problem = ConstraintProblem::default();
    problem.push(Cone::Friction { mu }, &g);
    let (start, blocks) = problem.starts_and_blocks_mut();
    blocks.set_pattern(start, |i, out| out.push(i));
    blocks.entry_mut(0).copy_from_slice(&a);
    problem
}

/// A point of `mass` on a plane.
pub fn point(mass: f64, mu: f64, g: [f64; 3]) -> ConstraintProblem {
    let w = 1.0 / mass;
    one_contact([w, 0.0, 0.0, 0.0, w, 0.0, 0.0, 0.0, w], g, mu)
}

/// A unit cube of 1 kg on the ground, moving and spinning.
pub fn cube(mu: f64, velocity: Vec3, spin: Vec3) -> ConstraintProblem {
    let mut scene = Scene::default();
    let half = vec3(0.5, 0.5, 0.5);
    scene.body(1.0, half, vec3(0.0, 0.0, 0.5));
    scene.bodies[0].velocity = velocity;
    scene.bodies[0].spin = spin;
    scene.corners(None, 0, mu);
    scene.problem()
}

/// Unit cubes on top of each other, the lowest first; all move at `velocity`.
pub fn stack(masses: &[f64], velocity: Vec3, mu: f64) -> ConstraintProblem {
    let mut scene = Scene::default();
    for (k, &mass) in masses.iter().enumerate() {
        let b = scene.body(mass, vec3(0.5, 0.5, 0.5), vec3(0.0, 0.0, 0.5 + k as f64));
        scene.bodies[b].velocity = velocity;
        scene.corners(b.checked_sub(1), b, mu);
    }
    scene.problem()
}

/// n masses from `first` to `last` in equal ratios.
pub fn graded(n: usize, first: f64, last: f64) -> Vec<f64> {
    (0..n).map(|k| first * (last / first).powf(k as f64 / (n - 1) as f64)).collect()
}

/// A cube on a slope of angle `theta`: gravity has turned instead.
pub fn slope(theta: f64, mu: f64) -> ConstraintProblem {
    let mut scene = Scene::default();
    scene.body(1.0, vec3(0.5, 0.5, 0.5), vec3(0.0, 0.0, 0.5));
    let (s, c) = theta.sin_cos();
    scene.bodies[0].push = vec3(GRAVITY * STEP * s, 0.0, GRAVITY * STEP * (1.0 - c));
    scene.corners(None, 0, mu);
    scene.problem()
}

/// A cube dragged by a force along x of `share` of μ m g.
pub fn dragged(share: f64, mu: f64) -> ConstraintProblem {
    let mut scene = Scene::default();
    scene.body(1.0, vec3(0.5, 0.5, 0.5), vec3(0.0, 0.0, 0.5));
    scene.bodies[0].push = vec3(share * mu * GRAVITY * STEP, 0.0, 0.0);
    scene.corners(None, 0, mu);
    scene.problem()
}

/// A cube held between two pads of 0.5 kg pressed together with `force` [N], four points each.
pub fn grasp(force: f64, mu: f64) -> ConstraintProblem {
    let mut scene = Scene::default();
    let half = vec3(0.05, 0.05, 0.05);
    let cube = scene.body(1.0, half, Vec3::ZERO);
    for side in [-1.0, 1.0] {
        let pad = scene.body(0.5, half, vec3(0.1 * side, 0.0, 0.0));
        // The hand carries the pads.
        scene.bodies[pad].push = vec3(-side * force * STEP, 0.0, 0.5 * GRAVITY * STEP);
        for (y, z) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            let point = vec3(0.05 * side, 0.05 * y, 0.05 * z);
            scene.touch(Some(pad), cube, point, vec3(-side, 0.0, 0.0), mu);
        }
    }
    scene.problem()
}

/// A heap: boxes of random mass touch the ground and each other at random points.
pub fn heap(bodies: usize, seed: u64) -> ConstraintProblem {
    let mut random = Random(seed);
    let mut scene = Scene::default();
    for k in 0..bodies {
        let mut r = || random.number();
        let half = vec3(0.5 + 0.2 * r(), 0.5 + 0.2 * r(), 0.5 + 0.2 * r());
        let b = scene.body(10_f64.powf(r()), half, vec3(r(), r(), k as f64 + 0.2 * r()));
        scene.bodies[b].velocity = vec3(r(), r(), 0.3 * r());
        scene.bodies[b].spin = vec3(r(), r(), r());
        for j in 0..4 {
            let below = if j % 2 == 0 || k == 0 { None } else { Some(k - 1) };
            let point = scene.bodies[b].position + vec3(0.5 * r(), 0.5 * r(), -0.5);
            let normal = vec3(0.3 * r(), 0.3 * r(), 1.0).normalized().unwrap_or(Vec3::Z);
            scene.touch(below, b, point, normal, [0.0, 0.3, 0.6, 0.9][j]);
        }
    }
    scene.problem()
}

/// All sets in one problem: a box on the ground with a bilateral row, a limit, a dry-friction row and
/// a compliant row on its coordinates.
pub fn mixed(seed: u64) -> ConstraintProblem {
    let mut random = Random(seed);
    let mut scene = Scene::default();
    scene.body(1.0, vec3(0.5, 0.4, 0.3), vec3(0.0, 0.0, 0.3));
    scene.bodies[0].velocity = vec3(random.number(), random.number(), -0.2);
    scene.bodies[0].spin = vec3(random.number(), random.number(), random.number());
    scene.corners(None, 0, 0.4);
    let (mut cones, mut primal) = scene.primal();
    let scalars = [
        Cone::Free,
        Cone::NonNegative,
        Cone::Box { lo: -0.05, hi: 0.05 },
        Cone::Box { lo: f64::NEG_INFINITY, hi: 0.1 },
        Cone::Box { lo: 0.02, hi: 0.02 },
        Cone::NonNegative,
    ];
    for (k, cone) in scalars.into_iter().enumerate() {
        push_row(&mut primal.jacobian, (0..6).map(|d| (d, if d == k { 1.0 } else { 0.2 * random.number() })));
        primal.bias.push(0.1 * random.number());
        cones.push(cone);
    }
    let mut problem = ConstraintProblem::from_primal(&cones, primal, STEP).expect("masses are positive");
    let last = problem.rows() - 1;
    problem.compliance[last] = 0.5;
    problem.compliance[2] = 0.01;
    problem
}

/// The named problems of the acceptance list.
pub fn named() -> Vec<(&'static str, ConstraintProblem)> {
    let o = Vec3::ZERO;
    vec![
        ("cube rests", cube(0.5, o, o)),
        ("cube slides", cube(0.5, vec3(1.0, 0.3, 0.0), o)),
        ("cube slides 6 m/s", cube(0.5, vec3(6.0, 0.0, 0.0), o)),
        ("cube slides and spins", cube(0.5, vec3(1.0, 0.0, 0.0), vec3(0.0, 0.0, 3.0))),
        ("cube falls askew", cube(0.8, vec3(0.5, 0.0, -1.0), vec3(1.0, -2.0, 0.5))),
        ("slope sticks", slope(0.46, 0.5)),
        ("slope slides", slope(0.47, 0.5)),
        ("dragged, sticks", dragged(0.9, 0.5)),
        ("dragged, slides", dragged(1.1, 0.5)),
        ("grasp holds", grasp(10.0, 0.6)),
        ("grasp slips", grasp(10.0, 0.4)),
        ("stack of 5", stack(&[1.0; 5], o, 0.5)),
        ("stack of 5, pushed", stack(&[1.0; 5], vec3(1.0, 0.0, 0.0), 0.5)),
        ("stack of 5, 1 to 1e2", stack(&graded(5, 1.0, 1e2), o, 0.5)),
        ("stack of 5, 1 to 1e4", stack(&graded(5, 1.0, 1e4), o, 0.5)),
        ("stack of 5, 1 to 1e4, pushed", stack(&graded(5, 1.0, 1e4), vec3(1.0, 0.0, 0.0), 0.5)),
        ("stack of 5, 1e4 to 1, pushed", stack(&graded(5, 1e4, 1.0), vec3(1.0, 0.0, 0.0), 0.5)),
        ("four light, 1e4 on top", stack(&[1.0, 1.0, 1.0, 1.0, 1e4], o, 0.5)),
        ("stack of 10, 1e-3 to 1e3", stack(&graded(10, 1e-3, 1e3), o, 0.5)),
        ("stack of 10, 1e3 to 1e-3", stack(&graded(10, 1e3, 1e-3), o, 0.5)),
        ("stack of 10, mixed", stack(&[1.0, 1e3, 1e-3, 10.0, 1e-2, 1e3, 1e-3, 1.0, 100.0, 0.1], o, 0.5)),
        ("two cubes, 1e6", stack(&[1e-3, 1e3], o, 0.9)),
        ("two cubes, 1e6, pushed", stack(&[1e-3, 1e3], vec3(1.0, 0.0, 0.0), 0.5)),
        ("heap of 4", heap(4, 1)),
        ("heap of 10", heap(10, 2)),
        ("heap of 20", heap(20, 3)),
        ("all kinds of rows", mixed(1)),
    ]
}
