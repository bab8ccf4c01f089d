//! Two bodies about a contact that is known, and what the library makes of them.

use super::body::{Body, KINDS, Spot};
use super::random::Random;
use std::f64::consts::{PI, TAU};
use std::fmt;
use stiction_collision::{Manifold, collide_all};
use stiction_dynamics::spatial::{Mat3, Pose, Quat, Vec3, vec3};

/// Directions that the search for smaller depths starts from.
const DIRECTIONS: usize = 100;
/// The best so many of them are refined.
const REFINED: usize = 2;
/// Attempts for every length of a step, from the first to the last [rad].
const ATTEMPTS: usize = 12;
const STEPS: [f64; 2] = [0.1, 1e-11];
/// Rounding of coordinates, relative to their size.
const ROUNDING: f64 = 2e-15;

/// Relative to the smaller body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Errors {
    pub(crate) witness: f64,
    pub(crate) gap: f64,
    pub(crate) normal: f64,
    pub(crate) exchange: f64,
}

/// The larger; NaN if one is.
fn larger(x: f64, y: f64) -> f64 {
    if x.is_nan() || y <= x { x } else { y }
}

impl Errors {
    pub(crate) fn most(&self, o: &Self) -> Self {
        Self {
            witness: larger(self.witness, o.witness),
            gap: larger(self.gap, o.gap),
            normal: larger(self.normal, o.normal),
            exchange: larger(self.exchange, o.exchange),
        }
    }

    pub(crate) fn largest(&self) -> f64 {
        larger(larger(self.witness, self.gap), larger(self.normal, self.exchange))
    }
}

/// B at its place by A's, in W, about a contact with the normal n and the gap [m].
#[derive(Clone)]
pub(crate) struct Pair {
    a: Body,
    b: Body,
    X_WA: Pose,
    X_WB: Pose,
    n: Vec3,
    gap: f64,
    /// One of the bodies has only this normal at the contact.
    smooth: bool,
    /// The size of the smaller body [m].
    size: f64,
    /// Errors that rounding makes of coordinates, relative to the smaller body, and of normals.
    rounding: [f64; 2],
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { a, b, X_WA, X_WB, n, gap, smooth, size, .. } = self;
        write!(
            f,
            "{} {}: gap {gap:e} n {n:?} smooth {smooth} size {size:e}\n  ",
            KINDS[a.kind], KINDS[b.kind]
        )?;
        write!(f, "{a:?}\n  {X_WA:?}\n  {b:?}\n  {X_WB:?}\n")
    }
}

impl Pair {
    /// Bodies of two kinds with sizes from 1e-3 to 1e3 m. `None` where chance gives no body.
    pub(crate) fn new(i: usize, j: usize, random: &mut Random) -> Option<Self> {
        let scale = 10_f64.powf(random.between(-3.0, 3.0));
        let ratio = 10_f64.powf(random.between(-1.0, 1.0) * if random.below(4) == 0 { 3.0 } else { 1.0 });
        let a = Body::new(i, scale, random)?;
        let b = Body::new(j, (scale * ratio).clamp(1e-3, 1e3), random)?;
        let (here, there) = (a.spot(random)?, b.spot(random)?);
        let sizes = [a.size, b.size].map(|s| if s > 0.0 { s } else { f64::INFINITY });
        let size = sizes[0].min(sizes[1]);
        let thickness = a.thickness.min(b.thickness);
        let gap = match random.below(6) {
            0 => 0.0,
            1 => size * 10_f64.powf(-random.between(2.0, 9.0)),
            2 => size * 10_f64.powf(-random.between(1.0, 3.0)),
            3 => -thickness * 10_f64.powf(-random.between(1.0, 3.0)),
            _ => -thickness * 10_f64.powf(-random.between(3.0, 9.0)),
        };
        // A plane is a body as large as what is on it.
        let here = if a.size > 0.0 { here } else { Spot { point: here.point * size, ..here } };
        let far = if random.below(8) == 0 { 1e4 } else { scale };
        let X_WA = random.pose(far);
        let twist = Quat::from_axis_angle(Vec3::Z, random.between(-PI, PI));
        let R_AB = upright(here.normal) * twist * upright(-there.normal).conjugate();
        let p_A = here.point + here.normal * gap;
        let X_WB = X_WA * Pose::new(R_AB, p_A - R_AB.rotate(there.point));
        let extent = a.size.max(b.size) + X_WA.translation.norm().max(X_WB.translation.norm());
        // Where bodies are apart the normal is that of the way between them.
        let bend = here.bend.min(there.bend).min(if gap > 0.0 { gap } else { f64::INFINITY });
        Some(Self {
            n: X_WA.rotation.rotate(here.normal),
            gap,
            smooth: here.smooth || there.smooth,
            size,
            rounding: [ROUNDING * extent / size, ROUNDING * extent / bend],
            a,
            b,
            X_WA,
            X_WB,
        })
    }

    pub(crate) fn errors(&self, random: &mut Random) -> Errors {
        let margin = 1e-3 * self.size + self.gap.max(0.0);
        let mut found = Vec::new();
        collide_all(&self.a.shape, &self.X_WA, &self.b.shape, &self.X_WB, margin, &mut found);
        let mut back = Vec::new();
        collide_all(&self.b.shape, &self.X_WB, &self.a.shape, &self.X_WA, margin, &mut back);
        let deepest = |m: &&Manifold| m.deepest().unwrap_or(f64::INFINITY);
        let Some(best) = found.iter().min_by(|p, q| deepest(p).total_cmp(&deepest(q))) else {
            // Where a body is sharp, an overlap may lead through it and out again.
            let through = self.gap < 0.0 && self.shallowest(&[self.n], random) > margin;
            return Errors { gap: if through { 0.0 } else { f64::INFINITY }, ..Errors::default() };
        };
        let beyond = |error: f64| (error - self.rounding[0]).max(0.0);
        let witness = found.iter().map(|m| self.outside(m)).fold(0.0, larger);
        let phi = deepest(&best);
        let own = (phi - self.along(best.normal)).abs();
        let mut less = self.along(self.n) - phi;
        if self.gap < 0.0 {
            less = less.max(self.shallowest(&[self.n, best.normal], random) - phi);
        }
        let shallow = self.gap.abs() < 1e-3 * self.size;
        let beaten = phi - self.along(self.n) > 1e-9 * self.size;
        let known = self.gap > 1e-3 * self.size || self.smooth && shallow && !beaten;
        let off = (best.normal - self.n).norm();
        Errors {
            witness: beyond(witness / self.size),
            // Triangle by triangle the depth of a surface is no more than a bound.
            gap: beyond(if self.is_of_surface() && self.gap < 1e-6 * self.size {
                0.0
            } else {
                own.max(less) / self.size
            }),
            normal: if known { (off - self.rounding[1]).max(0.0) } else { 0.0 },
            exchange: exchanged(&found, &back),
        }
    }

    fn is_of_surface(&self) -> bool {
        self.a.is_surface() || self.b.is_surface()
    }

    /// How far the points of a manifold are outside of the bodies they are on [m].
    fn outside(&self, m: &Manifold) -> f64 {
        let of = |p: &stiction_collision::ManifoldPoint| {
            let half = m.normal * (0.5 * p.gap);
            let on_a = self.a.outside(self.X_WA.inverse_transform(p.position - half));
            let on_b = self.b.outside(self.X_WB.inverse_transform(p.position + half));
            // Contacts of a surface with normals within 5° have one, which turns a gap by so much.
            let turned =
                if self.is_of_surface() { 0.5 * p.gap.abs() * (5.0 * PI / 180.0).sin() } else { 0.0 };
            larger(on_a, on_b) - turned
        };
        m.points().iter().map(of).fold(0.0, larger)
    }

    /// s(n) [m].
    fn along(&self, n: Vec3) -> f64 {
        let on = |body: &Body, X: &Pose, n: Vec3| X.transform(body.support(X.rotation.conjugate().rotate(n)));
        n.dot(on(&self.b, &self.X_WB, -n) - on(&self.a, &self.X_WA, n))
    }

    /// The largest s(n) that a search over all directions finds [m].
    fn shallowest(&self, starts: &[Vec3], random: &mut Random) -> f64 {
        if self.a.size == 0.0 {
            return self.along(self.X_WA.rotation.rotate(Vec3::Z));
        }
        // Evenly spread over the sphere: a spiral by the golden ratio.
        let golden = TAU * 0.618_033_988_749_895;
        let spread = (0..DIRECTIONS).map(|k| {
            let z = 1.0 - (2 * k + 1) as f64 / DIRECTIONS as f64;
            let (s, c) = (golden * k as f64).sin_cos();
            vec3(c, s, 0.0) * (1.0 - z * z).sqrt() + Vec3::Z * z
        });
        let mut tried: Vec<(f64, Vec3)> = spread.map(|n| (self.along(n), n)).collect();
        tried.sort_by(|p, q| q.0.total_cmp(&p.0));
        tried.truncate(REFINED);
        tried.extend(starts.iter().map(|n| (self.along(*n), *n)));
        tried.into_iter().map(|(s, n)| self.refined(s, n, random)).fold(f64::NEG_INFINITY, f64::max)
    }

    fn refined(&self, mut best: f64, mut n: Vec3, random: &mut Random) -> f64 {
        let mut step = STEPS[0];
        while step > STEPS[1] {
            let mut rises = false;
            for _ in 0..ATTEMPTS {
                let Some(next) = (n + random.vector(step)).normalized() else { continue };
                let s = self.along(next);
                if s > best {
                    (best, n, rises) = (s, next, true);
                    break;
                }
            }
            step *= if rises { 1.5 } else { 0.4 };
        }
        best
    }
}

/// A rotation that takes z to n.
fn upright(n: Vec3) -> Quat {
    let (t1, t2) = n.tangents();
    Quat::from_matrix(&Mat3::from_columns(t1, t2, n))
}

/// 0 where the manifolds are the same with A and B exchanged, else 1.
fn exchanged(found: &[Manifold], back: &[Manifold]) -> f64 {
    let same = |m: &Manifold, t: &Manifold| {
        m.normal == -t.normal
            && m.points().len() == t.points().len()
            && m.points().iter().zip(t.points()).all(|(p, q)| {
                p.position == q.position && p.gap == q.gap && p.feature == q.feature.rotate_left(16)
            })
    };
    let all = found.len() == back.len() && found.iter().zip(back).all(|(m, t)| same(m, t));
    if all { 0.0 } else { 1.0 }
}
