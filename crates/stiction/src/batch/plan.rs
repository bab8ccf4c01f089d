//! What a batch knows of its world before the first step: which pairs of geometries can meet and along which dofs
//! their contacts act, which actuators there are, and whether all of it can be stepped in lanes.

use super::settings::{BatchSettings, Precision};
use super::{Fields, Numbers64, WIDEST};
use crate::params::HigherOrder;
use crate::stepping::integrate::ballistic::{Body, flying_bodies};
use crate::stepping::integrate::bound_trees;
use crate::stepping::integrate::closing::Closing;
use crate::stepping::integrate::fast_rotation::{driven, turning};
use crate::stepping::time_stepping::position_correction;
use std::collections::BTreeSet;
use std::sync::Arc;
use stiction_assembly::contact_points::{ContactFinder, friction};
use stiction_assembly::forces::actuators;
use stiction_assembly::laws::restitution::bouncing_speed;
use stiction_assembly::rows;
use stiction_assembly::{RowKey, RowParams, Spring};
use stiction_collision::{Shape, ShapeError};
use stiction_dynamics::spatial::{Pose, Vec3};
use stiction_dynamics::{JointKind, Model, Real, lanes};
use stiction_world::{Dimension, Material, World};

/// Pairs of geometries beyond which contacts are found faster one environment at a time.
const MOST_PAIRS: usize = 4096;

/// See the module.
pub(super) struct Plan {
    pub(super) world: Arc<World>,
    pub(super) settings: BatchSettings,
    /// Why environments are stepped one by one, if they are.
    pub(super) obstacle: Option<String>,
    pub(super) q_of_dof: Vec<usize>,
    /// Tree of every dof.
    pub(super) tree_of_dof: Vec<usize>,
    /// Trees that go by rules of their own where nothing holds them, see [`crate::stepping::integrate::ballistic`]: not in
    /// lanes. Free bodies alone do not.
    pub(super) flyers: Vec<usize>,
    /// Where a joint may turn farther than a step can follow, `stepping/integrate/fast_rotation`: then not in lanes.
    /// Those of trees with servos or springs.
    pub(super) turning: Vec<usize>,
    pub(super) driven: Vec<usize>,
    /// Bodies alone in their trees that go by flights, and their numbers as bodies of the model.
    pub(super) flying_bodies: Vec<(usize, Body)>,
    /// Dofs of all other trees.
    pub(super) joint_dofs: Vec<usize>,
    /// Momentum of some robot is closed, [`crate::stepping::integrate::closing`].
    pub(super) closes: bool,
    pub(super) places: Vec<Place>,
    pub(super) pairs: Vec<Pair>,
    /// Pairs that are left to a step alone where both meet, see [`stiction_collision::CollisionWorld::seams`].
    pub(super) seams: Vec<[usize; 2]>,
    /// Some contacts resist turning.
    turns: bool,
    /// Per pair: coefficients of friction and of restitution.
    pub(super) surfaces: Vec<[f64; 2]>,
    /// The world's own numbers, in the order in which lanes load them, each in all lanes.
    pub(super) numbers: Vec<Numbers64>,
    /// Rows of one scalar joint or of several, in order, where they act.
    pub(super) rows: Vec<(RowKey, Line)>,
}

/// J of a row of one scalar joint or of several.
pub(super) struct Line {
    /// Dofs of its terms and their ancestors, descending, with c or 0.
    pub(super) support: Vec<(usize, f64)>,
    /// The support is the chain of this dof.
    pub(super) tip: Option<usize>,
}

impl Line {
    fn new(terms: impl Iterator<Item = (usize, f64)>, chains: &[Vec<usize>]) -> Self {
        let terms: Vec<_> = terms.collect();
        let mut dofs: Vec<usize> = terms.iter().flat_map(|t| &chains[t.0]).copied().collect();
        dofs.sort_unstable_by(|a, b| b.cmp(a));
        dofs.dedup();
        let tip = dofs.first().copied().filter(|&d| chains[d] == dofs);
        let coefficient = |dof: usize| terms.iter().filter(|t| t.0 == dof).map(|t| t.1).sum();
        let support = dofs.into_iter().map(|d| (d, coefficient(d))).collect();
        Self { support, tip }
    }

    /// J v.
    #[inline(always)]
    pub(super) fn rate<T: Real>(&self, v: &[T]) -> T {
        let mut rate = v[0].zero();
        for &(dof, c) in self.support.iter().filter(|s| s.1 != 0.0) {
            rate += rate.like(c) * v[dof];
        }
        rate
    }
}

/// A geometry on its body.
pub(super) struct Place {
    /// `None`: the world.
    pub(super) body: Option<usize>,
    pub(super) X_BG: Pose,
    /// Its share of the distance at which contacts are looked for when nothing moves [m].
    pub(super) reach: f64,
    /// Of a ball about its origin that holds it [m].
    pub(super) radius: f64,
    /// How far it may move in a step that is posed in its middle: farther, and it may be beyond what it meets [m].
    pub(super) unwatched: f64,
    /// A segment on its z axis, rounded, that holds it: half length and radius [m].
    pub(super) rounded: [f64; 2],
    /// Middle and half sides of a box in its own axes that holds it tighter, if there is one [m].
    pub(super) boxed: Option<[Vec3; 2]>,
}

/// Two geometries that can meet.
pub(super) struct Pair {
    /// The smaller index first.
    pub(super) geometries: [usize; 2],
    pub(super) bodies: [Option<usize>; 2],
    pub(super) kind: Kind,
    /// The distance at which their surfaces touch [m].
    pub(super) rest: f64,
    pub(super) spring: Option<Spring>,
    /// Friction against spinning about n and rolling about t₁ and t₂, torque over normal force [m].
    pub(super) turning: Option<[f64; 3]>,
    /// (1) of [`stiction_assembly::contact_points`], as a share of the gap from midway towards B.
    pub(super) pitch: f64,
    /// Dofs that move a point of contact, descending; with them their ancestors.
    pub(super) support: Vec<Acting>,
    /// The support is the chain of one dof.
    pub(super) chain: bool,
}

/// How a dof moves the two points of a contact: u = v_B − v_A.
#[derive(Clone, Copy)]
pub(super) struct Acting {
    pub(super) dof: usize,
    /// −1: that of A, 1: that of B, 0: both alike.
    pub(super) sign: f64,
    pub(super) tree: usize,
}

/// Which routine finds contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// A plane of the world and something with a ball about it; `plane` is its place among the two.
    Plane { plane: usize, normal: Vec3, origin: Vec3, ends: Ends },
    /// Two bounded shapes.
    Bounded,
}

/// What of a shape comes near a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Ends {
    /// The centre of a sphere.
    One { radius: f64 },
    /// The ends of a capsule.
    Two { radius: f64, half_length: f64 },
    /// Found one environment at a time.
    Other,
}

impl Plan {
    /// For a `world` whose drive limits are applied.
    pub(super) fn new(world: Arc<World>, settings: BatchSettings) -> Result<Self, ShapeError> {
        let model = &world.model;
        // Per dof: itself and its ancestors, towards the root.
        let chains: Vec<Vec<usize>> = (0..model.nv())
            .map(|d| std::iter::successors(Some(d), |&d| model.dofs[d].parent).collect())
            .collect();
        let finder = ContactFinder::new(&world, false)?;
        let places: Vec<Place> = (world.geometries.iter().zip(finder.reaches()).enumerate())
            .map(|(index, (g, reach))| {
                let (body, X_BG) = world.mount(g.link, g.X_LG);
                let radius = g.shape.bounding_radius();
                let reach = 0.5 * settings.stepper.margin + reach;
                Place {
                    body,
                    X_BG,
                    reach,
                    radius,
                    unwatched: finder.unwatched(index).max(0.5 * settings.stepper.margin),
                    rounded: rounded(&g.shape, radius),
                    boxed: boxed(&g.shape),
                }
            })
            .collect();
        let obstacle = self::obstacle(&world, &finder, &places);
        let pairs = if obstacle.is_some() { Vec::new() } else { pairs(&world, &places, &finder, &chains) };
        let line = |key: RowKey| (key, Line::new(rows::terms(&world, key).entries(), &chains));
        let surfaces = (pairs.iter())
            .map(|p| finder.surface_of(p.geometries[0], p.geometries[1]))
            .map(|s| [s.friction(), s.restitution])
            .collect();
        let bound = bound_trees(&world);
        let flying = flying_bodies(&world, HigherOrder::Passive);
        let mut flies_alone = vec![false; model.trees];
        flying.iter().for_each(|&b| flies_alone[model.bodies[b].tree] = true);
        let tree_of: Vec<_> = model.dofs.iter().map(|d| model.bodies[d.body].tree).collect();
        let flyer = |t: &usize| !(bound.contains(t) || flies_alone[*t]);
        let drives = driven(&world);
        let mut plan = Self {
            numbers: Vec::new(),
            flyers: (0..model.trees).filter(flyer).collect(),
            joint_dofs: (0..model.nv()).filter(|&d| !flies_alone[tree_of[d]]).collect(),
            closes: !Closing::new(model).is_empty(),
            driven: turning(&world).into_iter().filter(|&dof| drives[tree_of[dof]]).collect(),
            turning: turning(&world),
            tree_of_dof: tree_of,
            q_of_dof: actuators::q_of_dofs(&world),
            flying_bodies: flying.iter().map(|&b| (b, Body::new(&world, b))).collect(),
            rows: if obstacle.is_some() {
                Vec::new()
            } else {
                rows::linear(&world).into_iter().map(line).collect()
            },
            obstacle,
            seams: seams(&places, &finder, &pairs),
            places,
            turns: pairs.iter().any(|p| p.turning.is_some()),
            pairs,
            surfaces,
            settings,
            world,
        };
        let numbers = Fields::of(&plan.world).numbers(&plan);
        plan.numbers = numbers.into_iter().map(|x| [x; WIDEST]).collect();
        Ok(plan)
    }

    /// How many times as much as in double precision rounding makes of positions, about a metre.
    pub(super) fn coarser(&self) -> f64 {
        match self.settings.precision {
            Precision::Double => 1.0,
            Precision::Single => 100.0,
        }
    }

    /// Share of ‖A‖ that stands for nothing beside it [–].
    pub(super) fn nudge(&self) -> f64 {
        match self.settings.precision {
            Precision::Double => 1e-10,
            Precision::Single => 1e-6,
        }
    }

    /// The same in Newton's steps, at least: where contacts resist turning they often want impulses in more directions
    /// than there are dofs, and single precision leaves those little.
    pub(super) fn yields(&self) -> f64 {
        match self.settings.precision {
            Precision::Single if self.turns => 3e-5,
            _ => self.nudge(),
        }
    }

    /// The natural map of a start above which it is asked whether all that touches can stick [m/s]: what rests moves no faster, as far as
    /// single precision can tell.
    pub(super) fn rests(&self) -> f64 {
        match self.settings.precision {
            Precision::Double => 1e-11,
            Precision::Single => 1e-7,
        }
    }

    /// This is [`stiction_solvers::lanes::LaneSettings::closed`]; single precision rounds more than that.
    pub(super) fn closed(&self) -> f64 {
        match self.settings.precision {
            Precision::Double => 1e-8,
            Precision::Single => f64::MAX,
        }
    }

    /// A larger share stands for nothing where all that touches is asked to hold, whose impulses are open: single precision leaves little of them.
    pub(super) fn holding(&self) -> f64 {
        match self.settings.precision {
            Precision::Double => 1e-9,
            Precision::Single => 1e-4,
        }
    }

    /// Efforts that differ by less than this share of them are the same [–].
    pub(super) fn rounding(&self) -> f64 {
        match self.settings.precision {
            Precision::Double => 1e-9,
            Precision::Single => 1e-5,
        }
    }

    /// The numbers that rows are made with; gravity is that of `model`.
    #[inline(always)]
    pub(super) fn row_params<T: Real>(&self, model: &Model<T>) -> RowParams<T> {
        let (p, gravity) = (&self.settings.stepper, model.gravity.norm());
        let params = p.rows(p.dt, &self.world.model.gravity).cast(gravity);
        let threshold = gravity.like(p.restitution_threshold);
        RowParams {
            bouncing_speed: bouncing_speed(threshold, params.h, gravity),
            coarseness: gravity.like(self.coarser()),
            ..params
        }
    }

    /// Positions are not corrected more slowly than this [m/s].
    pub(super) fn corrected(&self) -> f64 {
        position_correction::SOLVED.tolerance * self.coarser()
    }

    /// Length of a step [s].
    pub(super) fn h(&self) -> f64 {
        self.settings.stepper.dt
    }
}

impl Fields {
    /// In the order in which lanes load them: [`super::numbers::Numbers::load`].
    pub(super) fn numbers(&self, plan: &Plan) -> Vec<f64> {
        let mut out = self.gravity.to_array().to_vec();
        for I in &self.inertia {
            let s = &I.second;
            out.push(I.mass);
            out.extend(I.first.to_array());
            out.extend([s.xx, s.yy, s.zz, s.xy, s.xz, s.yz]);
        }
        for i in 0..self.armature.len() {
            out.extend([self.armature[i], self.damping[i], self.dry_friction[i]]);
        }
        for (k, rest) in self.stiffness.iter().zip(&self.spring_rest) {
            out.extend([*k, *rest]);
        }
        for (law, limit) in self.law.iter().zip(&self.effort_limit) {
            out.extend([law.gain, law.bias, law.bias_length, law.bias_velocity]);
            out.extend(limit.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]));
        }
        for pair in &plan.pairs {
            let [a, b] = pair.geometries;
            let own = plan.world.pairs.iter().position(|p| {
                let [c, d] = p.geometries;
                (c.min(d), c.max(d)) == (a, b)
            });
            let surface = if let Some(k) = own {
                let mut surface = plan.world.pairs[k].surface;
                surface.set_friction(self.pair_friction[k]);
                surface
            } else {
                let of = |g: usize| {
                    let mut material = plan.world.geometries[g].material;
                    material.set_friction(self.friction[g]);
                    Material { restitution: self.restitution[g], ..material }
                };
                Material::pair(&of(a), &of(b))
            };
            out.extend([surface.friction(), surface.restitution]);
        }
        out
    }
}

/// What in `world` has no lane routine.
fn obstacle(world: &World, finder: &ContactFinder, places: &[Place]) -> Option<String> {
    let model = &world.model;
    let count = |n: usize, what: &str| (n > 0).then(|| format!("{what} ({n})"));
    let idle = world.actuators.iter().filter(|a| a.transmission.is_empty()).count();
    let curved = world.couplings.iter().filter(|c| c.curve.is_some()).count();
    let tree_of = |dof: usize| model.bodies[model.dofs[dof].body].tree;
    let lines = (world.couplings.iter().map(|c| &c.terms[..]))
        .chain(world.tendons.iter().map(|t| t.terms()))
        .chain(world.actuators.iter().map(|a| &a.transmission[..]));
    let far = lines.filter(|l| l.iter().map(|t| tree_of(t.0)).collect::<BTreeSet<_>>().len() > 2).count();
    let surfaces = |s: &Shape| matches!(s, Shape::HeightField(_) | Shape::Mesh(_));
    let geometries = || world.geometries.iter();
    let moving_plane = geometries()
        .any(|g| matches!(g.shape, Shape::Plane) && world.mount(g.link, Pose::IDENTITY).0.is_some());
    let directed = meeting(world.geometries.len(), finder)
        .filter(|&(a, b)| finder.surface_of(a, b).is_directed())
        .count();
    let balls = model.joints.iter().filter(|j| j.kind == JointKind::Ball);
    let balls = balls.filter(|j| j.limit.is_some() || j.stiffness > 0.0).count();
    geometries()
        .any(|g| g.continuous)
        .then(|| "continuous collision".to_owned())
        .or_else(|| (model.nv() == 0).then(|| "nothing that moves".to_owned()))
        .or_else(|| (!lanes::are_wide()).then(|| "a processor without AVX2".to_owned()))
        .or_else(|| count(curved, "curved couplings"))
        .or_else(|| count(far, "couplings, tendons or actuators over more than two trees"))
        .or_else(|| count(world.loops.len(), "loops"))
        .or_else(|| count(directed, "pairs whose friction has a direction"))
        .or_else(|| finder.has_pressure().then(|| "contact by pressure".to_owned()))
        .or_else(|| count(world.gravity_compensation.len(), "carried weight"))
        .or_else(|| count(idle, "actuators on no joint"))
        .or_else(|| count(geometries().filter(|g| surfaces(&g.shape)).count(), "meshes or height fields"))
        .or_else(|| moving_plane.then(|| "a plane that moves".to_owned()))
        .or_else(|| count(balls, "ball joints with a limit or a spring"))
        .or_else(|| {
            let n = meeting(world.geometries.len(), finder).count();
            (n > MOST_PAIRS).then(|| format!("{n} pairs of geometries that can meet"))
        })
        .or_else(|| {
            let poses: Vec<Pose> = places.iter().map(|p| p.X_BG).collect();
            let n = finder.collision().seams(&poses).take(MOST_PAIRS + 1).count();
            (n > MOST_PAIRS)
                .then(|| format!("more than {MOST_PAIRS} ways over the seams of flush geometries"))
        })
}

/// Pairs of `pairs` of one geometry with two flush neighbours: contacts of both at once may be of a seam.
fn seams(places: &[Place], finder: &ContactFinder, pairs: &[Pair]) -> Vec<[usize; 2]> {
    let poses: Vec<Pose> = places.iter().map(|p| p.X_BG).collect();
    let place = |a: usize, b: usize| pairs.iter().position(|p| p.geometries == [a.min(b), a.max(b)]);
    (finder.collision().seams(&poses)).filter_map(|[i, j, k]| Some([place(i, k)?, place(j, k)?])).collect()
}

fn meeting(n: usize, finder: &ContactFinder) -> impl Iterator<Item = (usize, usize)> + '_ {
    (0..n)
        .flat_map(move |a| (a + 1..n).map(move |b| (a, b)))
        .filter(|&(a, b)| finder.collision().may_meet(a, b))
}

fn pairs(world: &World, places: &[Place], finder: &ContactFinder, chains: &[Vec<usize>]) -> Vec<Pair> {
    let model = &world.model;
    let both_planes =
        |a: usize, b: usize| [a, b].iter().all(|&g| matches!(world.geometries[g].shape, Shape::Plane));
    (meeting(places.len(), finder).filter(|&(a, b)| !both_planes(a, b)))
        .map(|(a, b)| {
            let bodies = [places[a].body, places[b].body];
            let chain = |body: Option<usize>| body.map_or(&[][..], |b| &chains[model.bodies[b].dofs.end - 1]);
            let [of_a, of_b] = bodies.map(chain);
            let mut dofs: Vec<usize> = of_a.iter().chain(of_b).copied().collect();
            dofs.sort_unstable_by(|a, b| b.cmp(a));
            dofs.dedup();
            let support = (dofs.into_iter())
                .map(|dof| {
                    let sign = match (of_a.contains(&dof), of_b.contains(&dof)) {
                        (true, false) => -1.0,
                        (false, true) => 1.0,
                        _ => 0.0,
                    };
                    Acting { dof, sign, tree: model.bodies[model.dofs[dof].body].tree }
                })
                .collect();
            let surface = finder.surface_of(a, b);
            let spring = Spring::stated(&surface.compliance);
            Pair {
                geometries: [a, b],
                bodies,
                kind: kind(world, places, [a, b]),
                rest: surface.margin,
                pitch: if spring.is_none() { finder.pitch_of(a, b) } else { 0.0 },
                spring,
                turning: (surface.dimension > Dimension::Sliding).then(|| friction(&surface).1),
                support,
                chain: bodies.iter().any(Option::is_none),
            }
        })
        .collect()
}

fn kind(world: &World, places: &[Place], geometries: [usize; 2]) -> Kind {
    let shapes = geometries.map(|g| &world.geometries[g].shape);
    let Some(plane) = shapes.iter().position(|s| matches!(s, Shape::Plane)) else { return Kind::Bounded };
    let X_WP = places[geometries[plane]].X_BG;
    let ends = match shapes[1 - plane] {
        Shape::Sphere { radius } => Ends::One { radius: *radius },
        Shape::Capsule { radius, half_length } => Ends::Two { radius: *radius, half_length: *half_length },
        _ => Ends::Other,
    };
    Kind::Plane { plane, normal: X_WP.rotation.rotate(Vec3::Z), origin: X_WP.translation, ends }
}

fn rounded(shape: &Shape, radius: f64) -> [f64; 2] {
    match *shape {
        Shape::Sphere { radius } => [0.0, radius],
        Shape::Capsule { radius, half_length } => [half_length, radius],
        Shape::Cylinder { radius, half_length } if half_length > radius => [half_length, radius],
        _ => [0.0, radius],
    }
}

fn boxed(shape: &Shape) -> Option<[Vec3; 2]> {
    match shape {
        Shape::Box { half } => Some([Vec3::ZERO, *half]),
        Shape::Convex(mesh) => {
            let bounds = mesh.bounds();
            Some([(bounds.min + bounds.max) * 0.5, (bounds.max - bounds.min) * 0.5])
        }
        _ => None,
    }
}
