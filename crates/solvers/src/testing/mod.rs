//! Small worlds of free boxes whose contact problems tests can name.

mod acceptance;

use crate::local::tests::Random;
use stiction_contact::{Cone, ConstraintProblem, Csr, Primal};
use stiction_dynamics::spatial::{Vec3, vec3};

/// Gravity [m/s²] and time step [s] of all scenes.
pub(crate) const GRAVITY: f64 = 9.81;
pub(crate) const STEP: f64 = 0.01;

/// A box with axes along the world's.
#[derive(Clone, Copy)]
pub(crate) struct Body {
    pub(crate) mass: f64,
    pub(crate) half: Vec3,
    pub(crate) position: Vec3,
    pub(crate) velocity: Vec3,
    pub(crate) spin: Vec3,
    /// Other impulses than gravity during the step [N·s].
    pub(crate) push: Vec3,
}

/// A point where B (never the ground) touches A or the ground; the normal points to B.
struct Touch {
    a: Option<usize>,
    b: usize,
    point: Vec3,
    normal: Vec3,
    mu: f64,
}

#[derive(Default)]
pub(crate) struct Scene {
    pub(crate) bodies: Vec<Body>,
    touches: Vec<Touch>,
}

impl Scene {
    pub(crate) fn body(&mut self, mass: f64, half: Vec3, position: Vec3) -> usize {
        let zero = Vec3::ZERO;
        self.bodies.push(Body { mass, half, position, velocity: zero, spin: zero, push: zero });
        self.bodies.len() - 1
    }

    pub(crate) fn touch(&mut self, a: Option<usize>, b: usize, point: Vec3, normal: Vec3, mu: f64) {
        self.touches.push(Touch { a, b, point, normal, mu });
    }

    /// Four corners of the lower face of body `b`.
    pub(crate) fn corners(&mut self, a: Option<usize>, b: usize, mu: f64) {
        let Body { half, position, .. } = self.bodies[b];
        for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            let point = position + vec3(x * half.x, y * half.y, -half.z);
            self.touch(a, b, point, Vec3::Z, mu);
        }
    }

    pub(crate) fn primal(&self) -> (Vec<Cone>, Primal) {
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
                let mut row = Vec::new();
                for (body, sign) in [(t.a, -1.0), (Some(t.b), 1.0)] {
                    let Some(body) = body else { continue };
                    let arm = (t.point - self.bodies[body].position).cross(axis) * sign;
                    let axis = axis * sign;
                    let entries = [axis.x, axis.y, axis.z, arm.x, arm.y, arm.z];
                    row.extend(entries.into_iter().enumerate().map(|(k, v)| (6 * body + k, v)));
                }
                push_row(&mut primal.jacobian, row);
                primal.bias.push(0.0);
            }
        }
        (self.touches.iter().map(|t| Cone::Friction { mu: t.mu }).collect(), primal)
    }

    pub(crate) fn problem(&self) -> ConstraintProblem {
        let (cones, primal) = self.primal();
        ConstraintProblem::from_primal(&cones, primal, STEP).unwrap()
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
pub(crate) fn one_contact(a: [f64; 9], g: [f64; 3], mu: f64) -> ConstraintProblem {
    let mut problem = ConstraintProblem::default();
    problem.push(Cone::Friction { mu }, &g);
    let (start, blocks) = problem.starts_and_blocks_mut();
    blocks.set_pattern(start, |i, out| out.push(i));
    blocks.entry_mut(0).copy_from_slice(&a);
    problem
}

/// A point of `mass` on a plane.
pub(crate) fn point(mass: f64, mu: f64, g: [f64; 3]) -> ConstraintProblem {
    let w = 1.0 / mass;
    one_contact([w, 0.0, 0.0, 0.0, w, 0.0, 0.0, 0.0, w], g, mu)
}

/// A unit cube of 1 kg on the ground, moving and spinning.
pub(crate) fn cube(mu: f64, velocity: Vec3, spin: Vec3) -> ConstraintProblem {
    let mut scene = Scene::default();
    let half = vec3(0.5, 0.5, 0.5);
    scene.body(1.0, half, vec3(0.0, 0.0, 0.5));
    scene.bodies[0].velocity = velocity;
    scene.bodies[0].spin = spin;
    scene.corners(None, 0, mu);
    scene.problem()
}

/// Unit cubes on top of each other, the lowest first; all move at `velocity`.
pub(crate) fn stack(masses: &[f64], velocity: Vec3, mu: f64) -> ConstraintProblem {
    let mut scene = Scene::default();
    for (k, &mass) in masses.iter().enumerate() {
        let b = scene.body(mass, vec3(0.5, 0.5, 0.5), vec3(0.0, 0.0, 0.5 + k as f64));
        scene.bodies[b].velocity = velocity;
        scene.corners(b.checked_sub(1), b, mu);
    }
    scene.problem()
}

/// n masses from `first` to `last` in equal ratios.
pub(crate) fn graded(n: usize, first: f64, last: f64) -> Vec<f64> {
    (0..n).map(|k| first * (last / first).powf(k as f64 / (n - 1) as f64)).collect()
}

/// A cube on a slope of angle `theta`: gravity has turned instead.
pub(crate) fn slope(theta: f64, mu: f64) -> ConstraintProblem {
    let mut scene = Scene::default();
    scene.body(1.0, vec3(0.5, 0.5, 0.5), vec3(0.0, 0.0, 0.5));
    let (s, c) = theta.sin_cos();
    scene.bodies[0].push = vec3(GRAVITY * STEP * s, 0.0, GRAVITY * STEP * (1.0 - c));
    scene.corners(None, 0, mu);
    scene.problem()
}

/// A cube dragged by a force along x of `share` of μ m g.
pub(crate) fn dragged(share: f64, mu: f64) -> ConstraintProblem {
    let mut scene = Scene::default();
    scene.body(1.0, vec3(0.5, 0.5, 0.5), vec3(0.0, 0.0, 0.5));
    scene.bodies[0].push = vec3(share * mu * GRAVITY * STEP, 0.0, 0.0);
    scene.corners(None, 0, mu);
    scene.problem()
}

/// A cube held between two pads of 0.5 kg pressed together with `force` [N], four points each.
pub(crate) fn grasp(force: f64, mu: f64) -> ConstraintProblem {
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
pub(crate) fn heap(bodies: usize, seed: u64) -> ConstraintProblem {
    let mut random = Random(seed);
    let mut scene = Scene::default();
    for k in 0..bodies {
        let mut r = || random.next();
        let half = vec3(0.5 + 0.2 * r(), 0.5 + 0.2 * r(), 0.5 + 0.2 * r());
        let b = scene.body(10_f64.powf(r()), half, vec3(r(), r(), k as f64 + 0.2 * r()));
        scene.bodies[b].velocity = vec3(r(), r(), 0.3 * r());
        scene.bodies[b].spin = vec3(r(), r(), r());
        for j in 0..4 {
            let below = if j % 2 == 0 || k == 0 { None } else { Some(k - 1) };
            let point = scene.bodies[b].position + vec3(0.5 * r(), 0.5 * r(), -0.5);
            let normal = vec3(0.3 * r(), 0.3 * r(), 1.0).normalized().unwrap();
            scene.touch(below, b, point, normal, [0.0, 0.3, 0.6, 0.9][j]);
        }
    }
    scene.problem()
}

/// The named problems of the acceptance list.
pub(crate) fn named() -> Vec<(&'static str, ConstraintProblem)> {
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
    ]
}
