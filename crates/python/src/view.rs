//! Poses and velocities of all frames of a world in one array, computed once for a state.
//!
//! Bodies are the world and the links, as MuJoCo counts them, and so are the quantities: `cvel` and `cinert` are about the
//! centre of mass of the tree of links that a body belongs to, in world axes.

use crate::errors::{guarded, wrong};
use crate::numbers::{Row, Rows, numbers, pose_of, quaternion, table, vec3};
use crate::simulation::Simulation;
use crate::world::World;
use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use stiction::dynamics::spatial::{Pose, Quat, Vec3};
use stiction::dynamics::{JointKind, Kinematics, Velocities};

/// A frame on a body of ours, on the world, or on a body that is moved by hand.
#[derive(Clone, Copy)]
struct Frame {
    body: Option<usize>,
    /// The number of the body that is moved by hand, in which `X_BF` is then.
    by_hand: Option<usize>,
    X_BF: Pose,
    /// The link in the same.
    X_LB: Pose,
}

/// A body as MuJoCo counts them.
struct Link {
    frame: Frame,
    parent: usize,
    root: usize,
    mass: f64,
    com: Vec3,
    inertia: stiction::dynamics::spatial::Sym3,
}

/// The quantities, in the order in which they lie in the array, and how many numbers each has.
const OF_BODIES: [(&str, usize); 9] = [
    ("xpos", 3),
    ("xquat", 4),
    ("xmat", 9),
    ("xipos", 3),
    ("subtree_com", 3),
    ("cvel", 6),
    ("cinert", 10),
    ("subtree_linvel", 3),
    ("subtree_angmom", 3),
];

/// The memory of the view of one state after another.
struct Seen {
    q: Vec<u64>,
    mass: Vec<f64>,
    /// Drawings (false) and sites (true) that were moved within their links.
    placed: BTreeMap<(bool, usize), Pose>,
    kin: Kinematics,
    vel: Velocities,
}

/// All frames of a world: `values` is refreshed from a simulation of it.
#[pyclass(frozen, module = "stiction._stiction")]
pub(crate) struct FrameView {
    links: Vec<Link>,
    /// Links that stand in the world and may be moved by hand.
    roots: Vec<usize>,
    geometries: Vec<Frame>,
    sites: Vec<Frame>,
    cameras: Vec<Frame>,
    world: Py<World>,
    values: Py<PyArray1<f64>>,
    /// Positions and quaternions of bodies that are moved by hand, which whoever moves them writes.
    moved: Py<PyArray1<f64>>,
    external: Py<PyArray1<f64>>,
    /// Rates and accelerations that [`Self::motions_of`] writes.
    motions: Py<PyArray1<f64>>,
    seen: Mutex<Seen>,
}

/// A state, and what was changed of the world that it is in.
struct Known<'a> {
    q: &'a [f64],
    kin: &'a Kinematics,
    vel: &'a Velocities,
    mass: &'a [f64],
    placed: &'a BTreeMap<(bool, usize), Pose>,
    by_hand: &'a [Pose],
}

/// Numbers being written one after another.
struct Writer<'a> {
    to: &'a mut [f64],
    at: usize,
}

impl Writer<'_> {
    fn put(&mut self, x: &[f64]) {
        if let Some(to) = self.to.get_mut(self.at..self.at + x.len()) {
            to.copy_from_slice(x);
        }
        self.at += x.len();
    }

    fn vector(&mut self, v: Vec3) {
        self.put(&v.to_array());
    }
}

#[pymethods]
impl FrameView {
    /// With `memory` the arrays are those of another view.
    #[new]
    #[pyo3(signature = (world, memory=None))]
    fn new(py: Python<'_>, world: Py<World>, memory: Option<&Self>) -> PyResult<Self> {
        let of = &world.get().world;
        let model = &of.model;
        let mut roots = of.extras.mocap.clone();
        let fixed = |l: &usize| model.links[*l].parent.is_none() && model.links[*l].body.is_none();
        roots.extend((0..model.links.len()).filter(|l| fixed(l) && !of.extras.mocap.contains(l)));
        // Which of them a link hangs on.
        let by_hand = |link: Option<usize>| {
            let mut up = std::iter::successors(link, |l| model.links[*l].parent);
            up.find_map(|l| roots.iter().position(|m| *m == l))
        };
        let placed = |link: Option<usize>, body: Option<usize>, X_BF: Pose| {
            let by_hand = by_hand(link).filter(|_| body.is_none());
            let from = by_hand.map_or(Pose::IDENTITY, |m| model.links[roots[m]].X_BL.inverse());
            let X_LB = from * link.map_or(Pose::IDENTITY, |l| model.links[l].X_BL);
            Frame { body, by_hand, X_BF: from * X_BF, X_LB }
        };
        let mut links = vec![Link {
            frame: Frame { body: None, by_hand: None, X_BF: Pose::IDENTITY, X_LB: Pose::IDENTITY },
            parent: 0,
            root: 0,
            mass: 0.0,
            com: Vec3::ZERO,
            inertia: Default::default(),
        }];
        for (l, link) in model.links.iter().enumerate() {
            let frame = placed(Some(l), link.body, link.X_BL);
            let (parent, own) = (link.parent.map_or(0, |p| p + 1), links.len());
            let root = if parent == 0 { own } else { links.get(parent).map_or(own, |l| l.root) };
            let I = &link.inertia;
            let (mass, com, inertia) = (I.mass, I.com(), I.about_com());
            links.push(Link { frame, parent, root, mass, com, inertia });
        }
        let frame = |link: Option<usize>, X_LF: Pose| {
            let (body, X_BF) = of.mount(link, X_LF);
            placed(link, body, X_BF)
        };
        let drawn = &of.extras.drawn;
        let mut geometries = Vec::new();
        let mut next = 0;
        for (i, g) in of.geometries.iter().enumerate() {
            while let Some(d) = drawn.get(next).filter(|d| d.before <= i) {
                geometries.push(frame(d.link, d.X_LG));
                next += 1;
            }
            geometries.push(frame(g.link, g.X_LG));
        }
        geometries.extend(drawn.get(next..).unwrap_or_default().iter().map(|d| frame(d.link, d.X_LG)));
        let sites: Vec<Frame> = of.extras.sites.iter().map(|s| frame(s.link, s.X_LS)).collect();
        let cameras: Vec<Frame> = of.extras.cameras.iter().map(|c| frame(c.link, c.X_LC)).collect();
        let each: usize = OF_BODIES.iter().map(|(_, n)| n).sum();
        let posed = geometries.len() + sites.len() + cameras.len();
        let all = each * links.len() + 12 * posed + 6 * model.joints.len() + 6 * model.nv();
        let seen = Mutex::new(Seen {
            q: Vec::new(),
            placed: BTreeMap::new(),
            mass: links.iter().map(|l| l.mass).collect(),
            kin: Kinematics::new(model),
            vel: Velocities::new(model),
        });
        let poses = roots.iter().map(|m| crate::numbers::pose(&model.links[*m].X_BL));
        let poses: Vec<f64> = poses.flat_map(|(p, r)| p.into_iter().chain(r)).collect();
        let (lengths, six) = ([all, 6 * links.len(), poses.len()], 6 * links.len());
        let (values, external, moved) = match memory {
            Some(other) => (other.values(py), other.external(py), other.moved(py)),
            None => {
                let zeros = |n| PyArray1::zeros(py, n, false).unbind();
                (zeros(all), zeros(six), PyArray1::from_vec(py, poses).unbind())
            }
        };
        if [&values, &external, &moved].map(|a| a.bind(py).len()) != lengths {
            return Err(wrong("worlds whose frames share memory have as many of each kind"));
        }
        let motions = match memory {
            Some(other) => other.motions(py),
            None => PyArray1::zeros(py, 6 * model.nv() + 22 * links.len(), false).unbind(),
        };
        Ok(Self { links, roots, geometries, sites, cameras, values, moved, external, motions, seen, world })
    }

    /// The numbers, in the order of [`Self::layout`].
    #[getter]
    fn values(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        self.values.clone_ref(py)
    }

    /// The links that stand in the world and may be moved by hand: first those that the file says so of.
    #[getter]
    fn roots(&self) -> Vec<usize> {
        self.roots.clone()
    }

    /// Moves a frame of a drawing or of a site within its link.
    fn place(&self, kind: &str, i: usize, position: Row<'_>, turn: Row<'_>) -> PyResult<()> {
        let frames = match kind {
            "geom" => &self.geometries,
            "site" => &self.sites,
            _ => return Err(wrong(format_args!("no frame is called {kind}; there are: geom, site"))),
        };
        let frame = frames.get(i).ok_or_else(|| wrong(format_args!("there is no {kind} {i}")))?;
        let X = Pose::new(quaternion("quat", &turn)?, vec3("pos", &position)?);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.placed.insert((kind == "site", i), frame.X_LB * X);
        seen.q.clear();
        Ok(())
    }

    /// Position and quaternion of every one of [`Self::roots`], 7 numbers each, which can be written.
    #[getter]
    fn moved(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        self.moved.clone_ref(py)
    }

    /// The numbers that [`Self::external_forces`] writes, six for each body.
    #[getter]
    fn external(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        self.external.clone_ref(py)
    }

    /// Writes moments and forces of contacts and of `applied` (bodies, 6: force at the centre of mass, then moment) on every
    /// body, about the centre of mass of its tree, in world axes. The values must be those of the present state.
    fn external_forces(&self, py: Python<'_>, simulation: &Simulation, applied: Rows<'_>) -> PyResult<()> {
        let n = self.links.len();
        let applied = table("applied", &applied, [n, 6], "a row for each body")?;
        let contacts = simulation.present_contacts(py)?;
        let world = &self.world.get().world;
        let values = self.values.bind(py).try_readonly().map_err(wrong)?;
        let values = values.as_slice().map_err(wrong)?;
        let vector = |at: usize| Vec3::from([values[at], values[at + 1], values[at + 2]]);
        let (centres, coms) = (16 * n, 19 * n);
        let mut out = self.external.bind(py).try_readwrite().map_err(wrong)?;
        let out = out.as_slice_mut().map_err(wrong)?;
        out.fill(0.0);
        let mut add = |body: usize, moment: Vec3, force: Vec3| {
            if body > 0 {
                let six = moment.to_array().into_iter().chain(force.to_array());
                out[6 * body..].iter_mut().zip(six).for_each(|(to, x)| *to += x);
            }
        };
        for (i, x) in applied.chunks_exact(6).enumerate().filter(|(_, x)| x.iter().any(|x| *x != 0.0)) {
            let (force, moment) = (Vec3::from([x[0], x[1], x[2]]), Vec3::from([x[3], x[4], x[5]]));
            let arm = vector(centres + 3 * i) - vector(coms + 3 * self.links[i].root);
            add(i, moment + arm.cross(force), force);
        }
        for contact in &contacts {
            for (g, sign) in contact.geometries.iter().zip([-1.0, 1.0]) {
                let body = world.geometries[*g].link.map_or(0, |l| l + 1);
                let (force, moment) = (contact.force * sign, contact.moment * sign);
                let arm = contact.position - vector(coms + 3 * self.links[body].root);
                add(body, moment + arm.cross(force), force);
            }
        }
        Ok(())
    }

    /// The numbers that [`Self::motions_of`] writes: rates of the columns of v, six each, then of every body the acceleration, the ten
    /// numbers of the inertia of what hangs on it, and the force from what carries it.
    #[getter]
    fn motions(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        self.motions.clone_ref(py)
    }

    /// Writes accelerations of bodies on top of free fall, and what follows from them, about the centre of mass of their trees. The
    /// values must be those of the present state, and so must the external forces.
    fn motions_of(
        &self,
        py: Python<'_>,
        simulation: &Simulation,
        acceleration: Row<'_>,
        gravity: Row<'_>,
    ) -> PyResult<()> {
        let n = self.links.len();
        let inner = simulation.pulled(py)?;
        let (world, v) = (inner.sim.shared_world(), &inner.sim.state().v);
        let model = &world.model;
        let qacc = numbers("acceleration", &acceleration, model.nv(), "one for each velocity")?;
        let gravity = vec3("gravity", &gravity)?;
        let values = self.values.bind(py).try_readonly().map_err(wrong)?;
        let values = values.as_slice().map_err(wrong)?;
        let external = self.external.bind(py).try_readonly().map_err(wrong)?;
        let external = external.as_slice().map_err(wrong)?;
        let mut out = self.motions.bind(py).try_readwrite().map_err(wrong)?;
        let out = out.as_slice_mut().map_err(wrong)?;
        let six = |from: &[f64], i: usize| Twist::of(&from[6 * i..6 * i + 6]);
        let cvel = &values[22 * n..28 * n];
        let cinert = &values[28 * n..38 * n];
        let cdof = &values[values.len() - 6 * model.nv()..];
        let (rates, rest) = out.split_at_mut(6 * model.nv());
        let (cacc, rest) = rest.split_at_mut(6 * n);
        let (crb, forces) = rest.split_at_mut(10 * n);
        Twist { about: Vec3::ZERO, along: gravity * -1.0 }.put(&mut cacc[..6]);
        crb.copy_from_slice(cinert);
        forces.fill(0.0);
        for (i, link) in self.links.iter().enumerate().skip(1) {
            let (mut twist, mut a) = (six(cvel, link.parent), six(cacc, link.parent));
            let moves = link.frame.body.filter(|_| self.links[link.parent].frame.body != link.frame.body);
            for joint in moves.map_or(0..0, |b| model.bodies[b].joints.clone()).map(|j| &model.joints[j]) {
                let free = joint.kind == JointKind::Free;
                for part in if free { [0..3, 3..6] } else { [0..joint.kind.nv(), 0..0] } {
                    let before = twist;
                    for dof in part.map(|k| joint.idx_v + k) {
                        let S = six(cdof, dof);
                        let still = free && dof < joint.idx_v + 3;
                        let rate = if still { Twist::default() } else { before.cross(S) };
                        rate.put(&mut rates[6 * dof..6 * dof + 6]);
                        twist = twist.plus(S, v[dof]);
                        a = a.plus(S, qacc[dof]).plus(rate, v[dof]);
                    }
                }
            }
            a.put(&mut cacc[6 * i..6 * i + 6]);
            let own = six(cvel, i);
            let inertia = &cinert[10 * i..10 * i + 10];
            let force = own.cross_force(own.times(inertia)).plus(a.times(inertia), 1.0);
            force.plus(six(external, i), -1.0).put(&mut forces[6 * i..6 * i + 6]);
        }
        for i in (1..n).rev() {
            let up = self.links[i].parent;
            for k in 0..6 {
                forces[6 * up + k] += forces[6 * i + k];
            }
            for k in 0..10 {
                crb[10 * up + k] += crb[10 * i + k];
            }
        }
        crb[..10].fill(0.0);
        Ok(())
    }

    /// Gives bodies other masses.
    fn set_masses(&self, masses: Row<'_>) -> PyResult<()> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.mass = numbers("masses", &masses, self.links.len(), "one for each body")?;
        seen.q.clear();
        Ok(())
    }

    /// Names of the quantities with the rows and the columns of each.
    fn layout(&self) -> Vec<(String, usize, usize)> {
        let model = self.world.get().model();
        let bodies = OF_BODIES.iter().map(|(name, n)| ((*name).to_owned(), self.links.len(), *n));
        let frames =
            [("geom", self.geometries.len()), ("site", self.sites.len()), ("cam", self.cameras.len())];
        let frames =
            frames.iter().flat_map(|(of, n)| [(format!("{of}_xpos"), *n, 3), (format!("{of}_xmat"), *n, 9)]);
        let joints =
            [("xanchor", model.joints.len(), 3), ("xaxis", model.joints.len(), 3), ("cdof", model.nv(), 6)];
        let joints = joints.iter().map(|(name, rows, columns)| ((*name).to_owned(), *rows, *columns));
        bodies.chain(frames).chain(joints).collect()
    }

    /// Computes everything of the present state of a simulation of this world, if that is another than before or `again`.
    #[pyo3(signature = (simulation, again=false))]
    fn refresh(&self, py: Python<'_>, simulation: &Simulation, again: bool) -> PyResult<bool> {
        let inner = simulation.pulled(py)?;
        // Links may stand elsewhere than when this was made.
        let world = inner.sim.shared_world();
        let (model, own) = (&world.model, self.world.get().model());
        let state = inner.sim.state();
        if (model.nq, model.nv(), model.links.len()) != (own.nq, own.nv(), own.links.len()) {
            return Err(wrong("the simulation is of another world"));
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let moved = self.moved.bind(py).try_readonly().map_err(wrong)?;
        let moved = moved.as_slice().map_err(wrong)?;
        let numbers = || state.q.iter().chain(&state.v).chain(moved).map(|x| x.to_bits());
        // What never moves has no numbers: the first says that something was computed.
        let bits = || std::iter::once(0).chain(numbers());
        let same =
            seen.q.len() == 1 + model.nq + model.nv() + moved.len() && seen.q.iter().copied().eq(bits());
        if same && !again {
            return Ok(false);
        }
        if seen.q.is_empty() {
            // Numbers or places of links are others: nothing of what was computed before holds.
            (seen.kin, seen.vel) = (Kinematics::new(model), Velocities::new(model));
        }
        seen.q = bits().collect();
        let mut values = self.values.bind(py).try_readwrite().map_err(wrong)?;
        let to = values.as_slice_mut().map_err(wrong)?;
        guarded(|| {
            let Seen { kin, vel, mass, placed, .. } = &mut *seen;
            kin.update(model, &state.q);
            vel.update(model, kin, &state.v);
            let by_hand: Vec<Pose> = moved.chunks_exact(7).map(pose_of).collect();
            let of = Known { q: &state.q, kin, vel, mass, placed, by_hand: &by_hand };
            self.write(model, &of, &mut Writer { to, at: 0 });
            Ok(!same)
        })
    }
}

/// A motion or a force: about and along.
#[derive(Clone, Copy, Default)]
struct Twist {
    about: Vec3,
    along: Vec3,
}

impl Twist {
    fn of(x: &[f64]) -> Self {
        Self { about: Vec3::from([x[0], x[1], x[2]]), along: Vec3::from([x[3], x[4], x[5]]) }
    }

    fn put(self, to: &mut [f64]) {
        to[..3].copy_from_slice(&self.about.to_array());
        to[3..].copy_from_slice(&self.along.to_array());
    }

    fn plus(self, other: Self, share: f64) -> Self {
        Self { about: self.about + other.about * share, along: self.along + other.along * share }
    }

    /// The rate of a motion that is fixed in what moves so.
    fn cross(self, motion: Self) -> Self {
        Self {
            about: self.about.cross(motion.about),
            along: self.about.cross(motion.along) + self.along.cross(motion.about),
        }
    }

    /// The rate of a force, or of a momentum, that is fixed in what moves so.
    fn cross_force(self, force: Self) -> Self {
        Self {
            about: self.about.cross(force.about) + self.along.cross(force.along),
            along: self.about.cross(force.along),
        }
    }

    /// The momentum of this motion: `inertia` is MuJoCo's ten numbers.
    fn times(self, inertia: &[f64]) -> Self {
        let [xx, yy, zz, xy, xz, yz, hx, hy, hz, m] = std::array::from_fn(|k| inertia[k]);
        let (w, h) = (self.about, Vec3::from([hx, hy, hz]));
        let turning =
            [xx * w.x + xy * w.y + xz * w.z, xy * w.x + yy * w.y + yz * w.z, xz * w.x + yz * w.y + zz * w.z];
        Self { about: Vec3::from(turning) + h.cross(self.along), along: self.along * m - h.cross(w) }
    }
}

/// Where the point of each joint is before the joint and those that follow it move the body, as MuJoCo counts.
fn anchors(model: &stiction::dynamics::Model, kin: &Kinematics, q: &[f64]) -> Vec<(Vec3, Quat)> {
    let mut out = vec![(Vec3::ZERO, Quat::IDENTITY); model.joints.len()];
    for body in &model.bodies {
        let mut X: Option<Pose> = None;
        for j in body.joints.clone().rev() {
            let (joint, S) = (&model.joints[j], kin.S[model.joints[j].idx_v]);
            let after = X.unwrap_or(kin.X_WB[joint.body]);
            let x = q[joint.idx_q] - joint.reference;
            let before = match joint.kind {
                JointKind::Slide => Pose::new(after.rotation, after.translation - S.linear * x),
                JointKind::Hinge | JointKind::Screw => {
                    let at = after.transform(joint.anchor);
                    let back = Quat::from_axis_angle(S.angular, -x);
                    let along = if joint.kind == JointKind::Screw {
                        S.angular * (joint.pitch * x)
                    } else {
                        Vec3::ZERO
                    };
                    Pose::new(back * after.rotation, at - along + back.rotate(after.translation - at))
                }
                JointKind::Ball => {
                    let at = after.transform(joint.anchor);
                    let [w, x, y, z] = std::array::from_fn(|k| q[joint.idx_q + k]);
                    let unturned = after.rotation * Quat::new(w, x, y, z).conjugate();
                    Pose::new(unturned, at - unturned.rotate(joint.anchor))
                }
                JointKind::Free => after,
            };
            out[j] = (before.transform(joint.anchor), before.rotation);
            X = Some(before);
        }
    }
    out
}

impl FrameView {
    fn write(&self, model: &stiction::dynamics::Model, of: &Known<'_>, out: &mut Writer<'_>) {
        let Known { q, kin, vel, mass: own, placed, by_hand } = *of;
        let posed = |f: &Frame| match (f.body, f.by_hand.and_then(|m| by_hand.get(m))) {
            (Some(b), _) => kin.X_WB[b] * f.X_BF,
            (None, Some(X)) => *X * f.X_BF,
            (None, None) => f.X_BF,
        };
        let poses: Vec<Pose> = self.links.iter().map(|l| posed(&l.frame)).collect();
        let centres: Vec<Vec3> = self.links.iter().zip(&poses).map(|(l, X)| X.transform(l.com)).collect();
        // Angular velocity, and velocity of a point.
        let moving = |l: &Link, p: Vec3| {
            l.frame.body.map_or((Vec3::ZERO, Vec3::ZERO), |b| {
                let V = vel.V[b];
                (V.angular, V.linear_at(p - kin.reference[kin.tree_of(b)]))
            })
        };
        let n = self.links.len();
        let (mut mass, mut first) = (vec![0.0; n], vec![Vec3::ZERO; n]);
        let (mut p, mut L) = (vec![Vec3::ZERO; n], vec![Vec3::ZERO; n]);
        for (i, link) in self.links.iter().enumerate() {
            let c = centres[i];
            let (w, v) = moving(link, c);
            let w_L = poses[i].rotation.conjugate().rotate(w);
            mass[i] = own[i];
            first[i] = c * own[i];
            p[i] = v * own[i];
            L[i] = poses[i].rotation.rotate(link.inertia * w_L) + c.cross(p[i]);
        }
        for i in (1..n).rev() {
            let up = self.links[i].parent;
            mass[up] += mass[i];
            first[up] = first[up] + first[i];
            p[up] = p[up] + p[i];
            L[up] = L[up] + L[i];
        }
        let com: Vec<Vec3> =
            (0..n).map(|i| if mass[i] > 0.0 { first[i] * (1.0 / mass[i]) } else { centres[i] }).collect();
        poses.iter().for_each(|X| out.vector(X.translation));
        poses.iter().for_each(|X| out.put(&X.rotation.to_array()));
        poses.iter().for_each(|X| out.put(&crate::numbers::rotation(&X.rotation.to_matrix())));
        centres.iter().for_each(|c| out.vector(*c));
        com.iter().for_each(|c| out.vector(*c));
        for link in &self.links {
            let (w, v) = moving(link, com[link.root]);
            out.vector(w);
            out.vector(v);
        }
        for (i, link) in self.links.iter().enumerate() {
            if i == 0 {
                out.put(&[0.0; 10]);
                continue;
            }
            let c = centres[i] - com[link.root];
            let R = poses[i].rotation.to_matrix();
            let I = stiction::dynamics::spatial::Inertia::new(own[i], link.com, link.inertia);
            let turned = I.transformed(&R, poses[i].translation).about_com();
            let m = own[i];
            out.put(&[
                turned.xx + m * (c.y * c.y + c.z * c.z),
                turned.yy + m * (c.x * c.x + c.z * c.z),
                turned.zz + m * (c.x * c.x + c.y * c.y),
                turned.xy - m * c.x * c.y,
                turned.xz - m * c.x * c.z,
                turned.yz - m * c.y * c.z,
            ]);
            out.vector(c * m);
            out.put(&[m]);
        }
        for i in 0..n {
            out.vector(if mass[i] > 0.0 { p[i] * (1.0 / mass[i]) } else { Vec3::ZERO });
        }
        for i in 0..n {
            out.vector(L[i] - com[i].cross(p[i]));
        }
        let none = BTreeMap::new();
        for (frames, placed, sites) in
            [(&self.geometries, placed, false), (&self.sites, placed, true), (&self.cameras, &none, false)]
        {
            let poses = frames.iter().enumerate().map(|(i, f)| match placed.get(&(sites, i)) {
                Some(X_BF) => posed(&Frame { X_BF: *X_BF, ..*f }),
                None => posed(f),
            });
            let poses: Vec<Pose> = poses.collect();
            poses.iter().for_each(|X| out.vector(X.translation));
            poses.iter().for_each(|X| out.put(&crate::numbers::rotation(&X.rotation.to_matrix())));
        }
        let anchors = anchors(model, kin, q);
        anchors.iter().for_each(|(p, _)| out.vector(*p));
        for (joint, (_, before)) in model.joints.iter().zip(&anchors) {
            let S = kin.S[joint.idx_v];
            out.vector(match joint.kind {
                JointKind::Hinge | JointKind::Screw => S.angular,
                JointKind::Slide => S.linear,
                JointKind::Ball => before.rotate(Vec3::Z),
                JointKind::Free => Vec3::Z,
            });
        }
        for (i, S) in kin.S.iter().enumerate() {
            let body = model.dofs[i].body;
            let on = self.links.iter().find(|l| l.frame.body == Some(body));
            let at = on.map_or(Vec3::ZERO, |l| com[l.root]);
            out.vector(S.angular);
            out.vector(S.linear_at(at - kin.reference[kin.tree_of(body)]));
        }
    }
}
