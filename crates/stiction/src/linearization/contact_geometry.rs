//! How contact points move with the geometries that make them.
//!
//! The points between bodies A and B depend on where the two are, and if both move alike the points move with
//! them. What is left is one relative displacement, that of B by a twist ζ = (turn, shift at a point o) while
//! A stands still. Its six derivatives are carried as dual numbers through what the step does with a manifold
//! (margins, pitch points, faces, the bias of the gap), which is the same text for every scalar. The manifold
//! itself is differentiated
//!
//! | pair | how |
//! |---|---|
//! | plane and sphere, capsule, box, or hull | in closed form: the feature that touches is a point of its body |
//! | all others | by differences of the fourth order of the narrow phase, run again for this pair alone at displaced poses |
//!
//! The latter have a relative error of some 1e-11 on shapes whose radii of curvature are no smaller than a
//! hundredth of their size. Where differences at one and at two displacements disagree a switch may be
//! between them, as where another face becomes the one that points are clipped by: then smaller displacements
//! are tried. A feature that is gone at all of them is at a switch, and so is one whose differences never
//! agree; the contact is then taken as it is, and said to be ([`Placed::held`]).

use super::forces::Forces;
use super::parameter::Parameter;
use stiction_assembly::laws::coplanar::{Face, FacePoint, Plane};
use stiction_assembly::laws::row_params::RowParams;
use stiction_assembly::laws::yielding::Spring;
use stiction_assembly::{ContactFinder, ContactPoint};
use stiction_collision::{Manifold, Shape, collide_all};
use stiction_dynamics::differences::FOURTH_ORDER;
use stiction_dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction_dynamics::{Dual, Kinematics, Real};
use stiction_world::World;

/// A number and its derivatives by ζ.
pub(super) type Zeta = Dual<6>;

/// A contact point and its derivatives by ζ.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    pub(super) position: Vec3<Zeta>,
    pub(super) n: Vec3<Zeta>,
    /// φ.
    pub(super) gap: Zeta,
    pub(super) face: Face<Zeta>,
    /// o, about which ζ is.
    pub(super) about: Vec3,
    /// The derivatives are not known: those here are of a point that B carries.
    pub(super) held: bool,
}

/// Displacements of the differences, as a share of the size of the smaller geometry, and the sizes between
/// which that is taken [m].
const DISPLACED: f64 = 1e-4;
const SIZES: [f64; 2] = [1e-2, 1e-1];
/// Shares of these displacements that are tried, in order; by how much differences at one and two of them may
/// differ, that the first is taken and that the best of all is, per unit of normals and of positions per size
/// [–].
const SHARES: [f64; 3] = [1.0, 1.0 / 32.0, 1.0 / 1024.0];
const AGREE: [f64; 2] = [1e-6, 1e-3];
/// A manifold is the same as that of the step if points and gaps differ by no more than this [m].
const SAME: f64 = 1e-10;

/// The points of a step, in their order: where the bodies of a pair move, and where a geometry is shifted.
pub(super) struct Geometry {
    pub(super) placed: Vec<Placed>,
    pub(super) offsets: Vec<Offset>,
}

/// The points of a step where a geometry is shifted in its link: of ζ the shift is that of the geometry, and
/// the turn is none.
pub(super) struct Offset {
    pub(super) column: usize,
    /// In W.
    pub(super) along: Vec3,
    pub(super) placed: Vec<Placed>,
}

impl Geometry {
    pub(super) fn new(forces: &Forces<'_>) -> Self {
        let (world, kin, accepted) = (forces.world, forces.kin, forces.accepted);
        let (finder, points) = (accepted.facts.finder, accepted.contacts);
        let rigid = accepted.facts.rigid;
        let offset = |(p, parameter): (usize, &Parameter)| {
            let Parameter::Offset { geometry, axis } = *parameter else { return None };
            let along = axis_of_shift(world, kin, geometry, axis);
            let placed = placed(finder, points, rigid, Some(geometry));
            Some(Offset { column: forces.columns.p(p), along, placed })
        };
        Self {
            placed: placed(finder, points, rigid, None),
            offsets: forces.parameters.iter().enumerate().filter_map(offset).collect(),
        }
    }
}

/// The axis along which [`Parameter::Offset`] shifts a geometry, in W.
pub(super) fn axis_of_shift(world: &World, kin: &Kinematics, geometry: usize, axis: usize) -> Vec3 {
    let axis = [Vec3::X, Vec3::Y, Vec3::Z][axis];
    let Some(link) = world.geometries[geometry].link.map(|l| &world.model.links[l]) else { return axis };
    let axis = link.X_BL.rotation.rotate(axis);
    link.body.map_or(axis, |b| kin.X_WB[b].rotation.rotate(axis))
}

/// The points of a step, with their derivatives, in their order; by the shift of one geometry, if one is
/// named.
fn placed(
    finder: &ContactFinder,
    points: &[ContactPoint],
    rigid: bool,
    shifted: Option<usize>,
) -> Vec<Placed> {
    let mut out = Vec::with_capacity(points.len());
    for run in points.chunk_by(|p, q| p.bodies == q.bodies) {
        let first = out.len();
        let about = run[0].position;
        out.extend(run.iter().map(|p| match shifted {
            None => place(finder, p, about, rigid),
            Some(g) if p.geometries.contains(&g) => {
                place(finder, p, about, rigid).by_shift(p.geometries[0] == g)
            }
            Some(_) => Placed::still(p, about),
        }));
        if rigid {
            flatten(run, &mut out[first..]);
        }
    }
    out
}

impl Placed {
    /// The point of what does not move.
    fn still(c: &ContactPoint, about: Vec3) -> Self {
        let constant = Zeta::constant(0.0);
        let gap = Zeta::constant(c.gap);
        let (position, n) = (c.position.cast(constant), c.n.cast(constant));
        Self { position, n, gap, face: Face::of_one(gap), about, held: false }
    }

    /// The derivatives by a shift of B alone, or of A alone, in the places of those by shifts.
    fn by_shift(mut self, of_a: bool) -> Self {
        let change = |x: &mut Zeta, whole: [f64; 3]| {
            for k in 0..3 {
                x.tangent[k] = 0.0;
                if of_a {
                    x.tangent[3 + k] = whole[k] - x.tangent[3 + k]; // both are shifted, and B is shifted back
                }
            }
        };
        let none = [0.0; 3];
        let (p, n) = (&mut self.position, &mut self.n);
        for (x, e) in [&mut p.x, &mut p.y, &mut p.z].into_iter().zip([Vec3::X, Vec3::Y, Vec3::Z]) {
            change(x, e.to_array());
        }
        [&mut n.x, &mut n.y, &mut n.z].into_iter().for_each(|x| change(x, none));
        change(&mut self.gap, none);
        self.face = Face::of_one(self.gap);
        self
    }
}

/// One point before what is done with faces.
fn place(finder: &ContactFinder, c: &ContactPoint, about: Vec3, rigid: bool) -> Placed {
    let [a, b] = c.geometries;
    let (mut raw, held) = match raw(finder, c, about).filter(|_| c.patch.is_none()) {
        Some(raw) => (raw, false),
        None => (carried(c.position, c.n, c.gap, about), true),
    };
    if !held {
        let margin = finder.surface(c).margin;
        raw.gap = raw.gap - raw.gap.like(margin);
        let pitch = if rigid && c.spring.is_none() { finder.pitch_of(a, b) } else { 0.0 };
        raw.position += raw.n * (raw.gap * raw.gap.like(pitch));
    }
    let Raw { position, n, gap } = raw;
    Placed { position, n, gap, face: Face::of_one(gap), about, held }
}

/// A point of a manifold.
#[derive(Clone, Copy)]
struct Raw {
    position: Vec3<Zeta>,
    n: Vec3<Zeta>,
    gap: Zeta,
}

impl Raw {
    /// A point that stands still.
    fn still(position: Vec3, n: Vec3, gap: f64) -> Self {
        let still = Zeta::constant(0.0);
        Self { position: position.cast(still), n: n.cast(still), gap: Zeta::constant(gap) }
    }
}

/// A point that B carries.
fn carried(position: Vec3, n: Vec3, gap: f64, about: Vec3) -> Raw {
    let moves = [Vec3::X, Vec3::Y, Vec3::Z];
    let turned = |x: Vec3| moves.map(|e| e.cross(x));
    let shifted = turned(position - about);
    let mut gap = Zeta::constant(gap);
    (0..3).for_each(|k| (gap.tangent[k], gap.tangent[3 + k]) = (n.dot(shifted[k]), n.dot(moves[k])));
    Raw { position: dual(position, &[shifted, moves]), n: dual(n, &[turned(n), [Vec3::ZERO; 3]]), gap }
}

/// A vector with its derivatives by the turns and by the shifts.
fn dual(x: Vec3, by: &[[Vec3; 3]; 2]) -> Vec3<Zeta> {
    let number = |x: f64, of: fn(&Vec3) -> f64| {
        let mut tangent = [0.0; 6];
        by.iter().flatten().zip(&mut tangent).for_each(|(d, t)| *t = of(d));
        Zeta { value: x, tangent }
    };
    vec3(number(x.x, |d| d.x), number(x.y, |d| d.y), number(x.z, |d| d.z))
}

fn raw(finder: &ContactFinder, c: &ContactPoint, about: Vec3) -> Option<Raw> {
    let [a, b] = c.geometries;
    let (poses, margins) = finder.placed();
    let colliders = finder.collision().colliders();
    let shapes = [&colliders[a].shape, &colliders[b].shape];
    let (manifold, k) = find(finder.manifolds().iter().filter(|m| [m.a, m.b] == [a, b]), c.feature, c.n)?;
    let point = manifold.points()[k];
    if let Some(raw) = of_plane(shapes, (point.position, point.gap), c.n, about) {
        return Some(raw);
    }
    let pair = Pair { shapes, poses: [poses[a], poses[b]], margin: margins[a] + margins[b] };
    let same = pair.at([Vec3::ZERO; 2], about, c)?;
    let moved = (same.0 - point.position).norm().max((same.2 - point.gap).abs());
    if moved > SAME || (same.1 - c.n).norm() > SAME {
        return None; // what joins geometries changed it
    }
    by_differences(&pair, Raw::still(point.position, c.n, point.gap), about, c)
}

/// The point where the bodies of a contact are, or were, with its geometries at `poses`; `None` if it is no point of theirs.
pub(super) fn point_at(
    finder: &ContactFinder,
    c: &ContactPoint,
    poses: [Pose; 2],
    about: Vec3,
) -> Option<Vec3<Zeta>> {
    let ([a, b], (_, margins)) = (c.geometries, finder.placed());
    let colliders = finder.collision().colliders();
    let pair =
        Pair { shapes: [&colliders[a].shape, &colliders[b].shape], poses, margin: margins[a] + margins[b] };
    let (position, n, gap) = pair.at([Vec3::ZERO; 2], about, c)?;
    let raw = of_plane(pair.shapes, (position, gap), n, about);
    let raw = raw.or_else(|| by_differences(&pair, Raw::still(position, n, gap), about, c))?;
    let gap = raw.gap - raw.gap.like(finder.surface(c).margin);
    Some(raw.position + raw.n * (gap * gap.like(finder.pitch_of(a, b))))
}

/// A point with its derivatives by differences of the narrow phase.
fn by_differences(pair: &Pair<'_>, mut raw: Raw, about: Vec3, c: &ContactPoint) -> Option<Raw> {
    let size = pair.shapes[0].bounding_radius().min(pair.shapes[1].bounding_radius());
    let step = DISPLACED * size.clamp(SIZES[0], SIZES[1]);
    let turn = step / size.clamp(SIZES[0], SIZES[1]);
    for k in 0..6 {
        let unit = if k < 3 { turn } else { step };
        let mut best: Option<(f64, Slope)> = None;
        for share in SHARES {
            let Some((apart, slope)) = pair.slope(k, share * unit, (about, step / turn), c) else { continue };
            if best.is_none_or(|(least, _)| apart < least) {
                best = Some((apart, slope));
            }
            if apart <= AGREE[0] {
                break;
            }
        }
        let (_, [p, n, along]) = best.filter(|(apart, _)| *apart <= AGREE[1])?;
        let gap = along.x;
        let set = |to: &mut Vec3<Zeta>, x: Vec3| {
            (to.x.tangent[k], to.y.tangent[k], to.z.tangent[k]) = (x.x, x.y, x.z);
        };
        set(&mut raw.position, p);
        set(&mut raw.n, n);
        raw.gap.tangent[k] = gap;
    }
    Some(raw)
}

/// The manifold that has the feature, the nearest in its normal, and which of its points that is.
fn find<'a>(
    manifolds: impl Iterator<Item = &'a Manifold>,
    feature: u32,
    n: Vec3,
) -> Option<(&'a Manifold, usize)> {
    let with = |m: &'a Manifold| m.points().iter().position(|p| p.feature == feature).map(|k| (m, k));
    manifolds.filter_map(with).max_by(|a, b| a.0.normal.dot(n).total_cmp(&b.0.normal.dot(n)))
}

/// Two geometries of a step.
struct Pair<'a> {
    shapes: [&'a Shape; 2],
    poses: [Pose; 2],
    margin: f64,
}

/// Derivatives of position, normal and gap, the latter as the first of three.
type Slope = [Vec3; 3];

impl Pair<'_> {
    /// The derivatives by the `k`th number of ζ from differences of the fourth order at `length`, and how far
    /// apart differences at one and at two of it are; `size` makes lengths comparable with normals.
    fn slope(
        &self,
        k: usize,
        length: f64,
        (about, size): (Vec3, f64),
        c: &ContactPoint,
    ) -> Option<(f64, Slope)> {
        let mut e = [0.0; 3];
        e[k % 3] = 1.0;
        let e = Vec3::from(e);
        let twist = |x: f64| if k < 3 { [e * x, Vec3::ZERO] } else { [Vec3::ZERO, e * x] };
        let central = |x: f64| {
            let (ahead, back) = (self.at(twist(x), about, c)?, self.at(twist(-x), about, c)?);
            let scale = 0.5 / x;
            let gap = vec3((ahead.2 - back.2) * scale, 0.0, 0.0);
            Some([(ahead.0 - back.0) * scale, (ahead.1 - back.1) * scale, gap])
        };
        let (one, two) = (central(length)?, central(2.0 * length)?);
        // A turn moves points by as much as their size, a shift turns normals by its inverse.
        let [per_length, per_normal] = if k < 3 { [1.0 / size, 1.0] } else { [1.0, size] };
        let apart = |i: usize| (one[i] - two[i]).norm();
        let most = (apart(0).max(apart(2)) * per_length).max(apart(1) * per_normal);
        let [near, _, far, _] = FOURTH_ORDER.map(|(_, weight)| 2.0 * weight);
        Some((most, std::array::from_fn(|i| one[i] * near + two[i] * (2.0 * far))))
    }

    /// Position, normal and gap of the feature of `c` where B is displaced by [turn, shift] about `about`.
    fn at(&self, [turn, shift]: [Vec3; 2], about: Vec3, c: &ContactPoint) -> Option<(Vec3, Vec3, f64)> {
        let [X_WA, X_WB] = self.poses;
        let q = Quat::exp(turn);
        let moved = Pose {
            rotation: q * X_WB.rotation,
            translation: about + shift + q.rotate(X_WB.translation - about),
        };
        let mut out = Vec::new();
        collide_all(self.shapes[0], &X_WA, self.shapes[1], &moved, self.margin, &mut out);
        let (m, k) = find(out.iter(), c.feature, c.n)?;
        let p = m.points()[k];
        Some((p.position, m.normal, p.gap))
    }
}

/// In closed form, the contact of a plane with what touches it at a point of its own, or at a ball about one.
fn of_plane(shapes: [&Shape; 2], (midway, gap): (Vec3, f64), n: Vec3, about: Vec3) -> Option<Raw> {
    let plane = shapes.iter().position(|s| matches!(s, Shape::Plane))?;
    let radius = match shapes[1 - plane] {
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } => *radius,
        Shape::Box { .. } | Shape::Convex(_) => 0.0,
        _ => return None,
    };
    // m is the normal of the plane, c the point or the centre of the ball.
    let m = if plane == 0 { n } else { -n };
    let c = midway + m * (radius + 0.5 * gap);
    let still = |x: Vec3| x.cast(Zeta::constant(0.0));
    let moving = |x: Vec3| carried(x, Vec3::X, 0.0, about).position;
    let turning = |x: Vec3| carried(Vec3::ZERO, x, 0.0, about).n;
    let on_plane = c - m * (gap + radius);
    let (m, c, on_plane) = match plane {
        0 => (still(m), moving(c), still(on_plane)),
        _ => (turning(m), still(c), moving(on_plane)),
    };
    let r = Zeta::constant(radius);
    let gap = m.dot(c - on_plane) - r;
    let n = if plane == 0 { m } else { -m };
    Some(Raw { position: c - m * (r + gap * r.like(0.5)), n, gap })
}

/// Does what [`stiction_assembly::coplanar`] does with the points of a face.
fn flatten(run: &[ContactPoint], placed: &mut [Placed]) {
    let coarseness = Zeta::constant(1.0);
    let point = |p: &Placed| FacePoint { position: p.position, n: p.n, gap: p.gap };
    let mut firsts: Vec<usize> = Vec::new();
    for k in 0..placed.len() {
        let same = |&j: &usize| {
            firsts[j] == j
                && run[j].spring.is_none()
                && run[k].spring.is_none()
                && point(&placed[k]).is_of_face_of(&point(&placed[j]), coarseness)
        };
        let first = (0..k).find(same).unwrap_or(k);
        firsts.push(first);
    }
    for first in (0..placed.len()).filter(|&k| firsts[k] == k) {
        let mut plane = Plane::new(&point(&placed[first]));
        for (k, p) in placed.iter().enumerate() {
            plane.deepen(&point(p), firsts[k] == first);
        }
        for (k, p) in placed.iter().enumerate() {
            plane.widen(&point(p), firsts[k] == first, coarseness);
        }
        for (_, p) in placed.iter_mut().enumerate().filter(|(k, _)| firsts[*k] == first) {
            p.position = plane.flattened(&point(p), true);
            p.face = plane.face;
        }
    }
}

/// The terms that a contact asks of its normal velocity beyond J v_f: bias and compliance with their
/// derivatives, and the correction of its overlap; nothing at the instant of an impact.
pub(super) fn asked(params: &RowParams, spring: Option<Spring>, placed: &Placed) -> [Zeta; 3] {
    if params.is_instant() {
        return [Zeta::constant(0.0); 3];
    }
    let params = params.cast(placed.gap);
    match spring {
        Some(spring) => {
            let row = spring.cast(placed.gap).yielding(placed.gap, params.h);
            [row.bias, row.compliance, placed.gap.zero()]
        }
        None => {
            let bias = params.contact_bias(placed.gap, placed.face);
            [bias.gap, placed.gap.zero(), bias.correction]
        }
    }
}
