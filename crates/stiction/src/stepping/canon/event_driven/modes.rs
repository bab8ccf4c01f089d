//! Modes of closed contacts: how they are chosen, and the forces they ask for.
//!
//! Where contacts are redundant, as the four corners of a box, their forces are not determined. Those that
//! are told are the nearest to the impulses of the choice, which obey the law of contact; forces of least
//! norm need not. When such forces leave the cones, others may still be in them: a guard of forces fails
//! where the choice, made anew, is another.

use super::super::flow::Acting;
use super::super::judged::add_forces;
use super::super::mechanics::Mechanics;
use super::super::rows::{Approach, Rows};
use super::super::search::{Search, relative_velocity};
use super::stops::Stop;
use super::{ALPHA, LOOSE, NUDGE, RANK, SHORT, SLIPS, TOUCH};
use crate::params::StepperParams;
use crate::stepping::attempt::Step;
use nalgebra::{DMatrix, DVector};
use stiction_assembly::{BlockKey, ContactPoint, Face, RowParams};
use stiction_contact::ContactSolver;
use stiction_dynamics::spatial::Vec3;
use stiction_dynamics::{Model, integrate_into};
use stiction_world::World;

/// A contact that is closed.
pub(super) struct Active {
    key: ([usize; 2], u32),
    /// The direction of slip when the mode began; `None`: it sticks.
    pub(super) slides: Option<Vec3>,
    /// The force on B of the choice [N].
    chosen: Vec3,
}

/// Unknown forces of contacts: points with directions of unit forces, and the sizes of the choice [N].
#[derive(Default)]
struct Unknowns {
    directions: Vec<(usize, Vec3)>,
    chosen: Vec<f64>,
    /// Points, axes, and the accelerations along them that are to vanish [m/s²].
    rows: Vec<(usize, Vec3, f64)>,
}

/// The evaluation of (1) of [`super`], with its scratch.
pub(super) struct Modes {
    pub(super) params: StepperParams,
    pub(super) solver: Box<dyn ContactSolver>,
    pub(super) rows: Rows,
    pub(super) acting: Acting,
    pub(super) nudged: Mechanics,
    pub(super) other: Search,
    pub(super) q_nudged: Vec<f64>,
    pub(super) active: Vec<Active>,
    /// Ends of the ranges of joints, each with its mode.
    pub(super) stops: Vec<Stop>,
    /// Per active contact: its index in the points, if it is found.
    pub(super) found: Vec<Option<usize>>,
    /// Per tree: its mass times gravity, at least 1e-9 [N].
    pub(super) weights: Vec<f64>,
}

pub(super) fn key(c: &ContactPoint) -> ([usize; 2], u32) {
    (c.geometries, c.feature)
}

impl Modes {
    /// How far guards of the forces of a contact may fail: by the weight of the lighter of its two trees [N].
    pub(super) fn slack(&self, model: &Model, c: &ContactPoint) -> f64 {
        let weight = |body: Option<usize>| body.map_or(f64::INFINITY, |b| self.weights[model.bodies[b].tree]);
        LOOSE * weight(c.bodies[0]).min(weight(c.bodies[1]))
    }

    /// All forces but those of contacts, into `tau`, and M with its factor, at q and v.
    pub(super) fn find_smooth_forces(
        &mut self,
        step: &Step<'_>,
        (q, v): (&[f64], &[f64]),
    ) -> Result<(), String> {
        self.acting.at.find_forces(step.world, (q, v), &step.input.control);
        self.acting.factor_mass(step.world)?;
        let Acting { at, tau, .. } = &mut self.acting;
        tau.iter_mut().zip(at.total(&step.input.generalized)).for_each(|(tau, total)| *tau = total);
        Ok(())
    }

    /// Finds of every point of the search the rate of n · c, and of c, along the motion by v at constant v.
    fn contact_rates(&mut self, world: &World, q: &[f64], v: &[f64]) -> Result<Vec<(f64, Vec3)>, String> {
        let mut rates: Vec<(f64, Vec3)> = vec![(0.0, Vec3::ZERO); self.acting.points.len()];
        let mut there = Vec::new();
        for h in [NUDGE, -NUDGE] {
            integrate_into(&world.model, q, v, h, &mut self.q_nudged);
            self.nudged.look(world, &self.q_nudged, v);
            self.other.find_near(world, &self.nudged.kin, self.params.margin, &mut there);
            for (point, rate) in self.acting.points.iter().zip(&mut rates) {
                let same = there.iter().find(|c| key(c) == key(point));
                let Some(c) = same else { continue };
                let velocity = relative_velocity(&self.nudged.kin, &self.nudged.vel, c);
                rate.0 += c.n.dot(velocity) / (2.0 * h);
                rate.1 += velocity * (1.0 / (2.0 * h));
            }
        }
        Ok(rates)
    }

    /// Contact forces of the modes, into `forces` and `tau`.
    pub(super) fn find_contact_forces(&mut self, world: &World, q: &[f64], v: &[f64]) -> Result<(), String> {
        let Acting { at, search, points, .. } = &mut self.acting;
        search.find_near(world, &at.kin, self.params.margin, points);
        self.acting.forces.clear();
        self.acting.forces.resize(self.acting.points.len(), Vec3::ZERO);
        let place = |a: &Active| self.acting.points.iter().position(|c| key(c) == a.key);
        self.found = self.active.iter().map(place).collect();
        self.stops.iter_mut().for_each(|s| s.force = 0.0);
        let touches = self.found.iter().any(Option::is_some);
        if !touches && self.stops.iter().all(|s| s.closed.is_none()) {
            return Ok(());
        }
        let rates = if touches { self.contact_rates(world, q, v)? } else { Vec::new() };
        let n = v.len();
        let Unknowns { directions, mut chosen, rows } = self.unknowns(&rates);
        let column = |p: usize, force: Vec3| {
            let mut out = vec![0.0; n];
            let points = &self.acting.points[p..=p];
            add_forces(world, &self.acting.at.kin, points, &[force], 1.0, &mut out);
            out
        };
        let mut right: Vec<f64> = rows.iter().map(|r| -r.2).collect();
        let mut equations: Vec<Vec<f64>> = rows.iter().map(|&(p, axis, _)| column(p, axis)).collect();
        let mut columns: Vec<Vec<f64>> = directions.iter().map(|&(p, force)| column(p, force)).collect();
        for stop in &self.stops {
            let Some(force) = stop.closed else { continue };
            let mut along = vec![0.0; n];
            along[stop.end.dof] = stop.end.sign;
            equations.push(along.clone());
            columns.push(along);
            chosen.push(force);
            right.push(-2.0 * ALPHA * stop.end.opening(v) - ALPHA * ALPHA * stop.end.gap(q));
        }
        let sizes = self.least_change(columns, &equations, right, chosen)?;
        let mut sizes = sizes.iter();
        for (&(p, force), size) in directions.iter().zip(&mut sizes) {
            self.acting.forces[p] += force * *size;
        }
        for (stop, size) in self.stops.iter_mut().filter(|s| s.closed.is_some()).zip(sizes) {
            stop.force = *size;
            self.acting.tau[stop.end.dof] += stop.end.sign * size;
        }
        add_forces(
            world,
            &self.acting.at.kin,
            &self.acting.points,
            &self.acting.forces,
            1.0,
            &mut self.acting.tau,
        );
        Ok(())
    }

    /// The forces that the modes leave open, and what they ask of accelerations.
    fn unknowns(&self, rates: &[(f64, Vec3)]) -> Unknowns {
        let mut out = Unknowns::default();
        for (active, found) in self.active.iter().zip(&self.found) {
            let Some(p) = *found else { continue };
            let c = &self.acting.points[p];
            let velocity = relative_velocity(&self.acting.at.kin, &self.acting.at.vel, c);
            let opening = c.n.dot(velocity);
            out.rows.push((p, c.n, rates[p].0 + 2.0 * ALPHA * opening + ALPHA * ALPHA * c.gap));
            match active.slides {
                Some(start) => {
                    let slip = velocity - c.n * opening;
                    let turned_back = slip.dot(start) <= 0.0;
                    let along = if turned_back { start } else { slip * (1.0 / slip.norm()) };
                    out.directions.push((p, c.n - along * c.friction));
                    out.chosen.push(c.n.dot(active.chosen));
                }
                None => {
                    for axis in [c.n, c.t1, c.t2] {
                        out.directions.push((p, axis));
                        out.chosen.push(axis.dot(active.chosen));
                    }
                    for t in [c.t1, c.t2] {
                        out.rows.push((p, t, t.dot(rates[p].1) + 2.0 * ALPHA * t.dot(velocity)));
                    }
                }
            }
        }
        out
    }

    /// The sizes of forces along `columns`, nearest to the `chosen`, with which the accelerations along
    /// `equations` are those on the right.
    fn least_change(
        &self,
        columns: Vec<Vec<f64>>,
        equations: &[Vec<f64>],
        right: Vec<f64>,
        chosen: Vec<f64>,
    ) -> Result<DVector<f64>, String> {
        let mut free = self.acting.tau.clone();
        self.acting.factor.solve_in_place(&mut free);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (m, k) = (equations.len(), columns.len());
        let mut matrix = DMatrix::zeros(m, k);
        for (j, mut accelerates) in columns.into_iter().enumerate() {
            self.acting.factor.solve_in_place(&mut accelerates);
            equations.iter().enumerate().for_each(|(i, row)| matrix[(i, j)] = dot(row, &accelerates));
        }
        let chosen = DVector::from_vec(chosen);
        let right =
            DVector::from_iterator(m, right.iter().zip(equations).map(|(r, row)| r - dot(row, &free)));
        let missing = right - &matrix * &chosen;
        let svd = matrix.svd(true, true);
        let least = RANK * svd.singular_values.max();
        let change = svd.solve(&missing, least).map_err(|e| format!("contact forces of the modes: {e}"))?;
        Ok(chosen + change)
    }

    /// Modes of what touches and does not part of `search`, at q and v: bearing nothing over the short time ε
    /// is open, what moves along the surface after it slides, and the rest sticks.
    pub(super) fn choose(
        &mut self,
        step: &Step<'_>,
        (q, v): (&[f64], &[f64]),
    ) -> Result<Vec<Active>, String> {
        let world = step.world;
        self.acting.at.look(world, q, v);
        let at = &self.acting.at;
        self.acting.points.retain(|c| c.n.dot(relative_velocity(&at.kin, &at.vel, c)) <= SLIPS);
        // Joints at their stops are on them: over the short time a gap of rounding would be a velocity.
        let mut stopped = q.to_vec();
        let mut stops = std::mem::take(&mut self.stops);
        stops.iter_mut().for_each(|s| s.closed = None);
        let touching = |s: &Stop| s.end.gap(q) <= TOUCH && s.end.opening(v) <= SLIPS;
        stops.iter().filter(|s| touching(s)).for_each(|s| stopped[s.end.idx_q] = s.end.at);
        let any = stops.iter().any(touching);
        self.stops = stops;
        if self.acting.points.is_empty() && !any {
            return Ok(Vec::new());
        }
        self.find_smooth_forces(step, (q, v))?;
        let mut free = self.acting.tau.clone();
        self.acting.factor.solve_in_place(&mut free);
        free.iter_mut().zip(v).for_each(|(a, v)| *a = v + SHORT * *a);
        // J̇ v belongs to the velocities at the end of the short time.
        let turning = self.contact_rates(world, q, v)?;
        let approach = Approach { q: &stopped, v, v_free: &free };
        let points = self.pose_short(world, approach, &turning)?;
        let mut after = free.clone();
        self.rows.solve(self.solver.as_mut(), &mut after)?;
        Ok(self.bearing(world, &points, touching))
    }

    /// Poses the problem of the short time, in which what touches is closed; its points.
    fn pose_short(
        &mut self,
        world: &World,
        approach: Approach<'_>,
        turning: &[(f64, Vec3)],
    ) -> Result<Vec<ContactPoint>, String> {
        let closed =
            |c: &ContactPoint| ContactPoint { gap: 0.0, face: Face::of_one(0.0), restitution: 0.0, ..*c };
        let points: Vec<ContactPoint> = self.acting.points.iter().map(closed).collect();
        let params =
            RowParams { bouncing_speed: f64::INFINITY, ..self.params.rows(SHORT, &world.model.gravity) };
        self.rows.factor(world, &self.acting.at.kin)?;
        self.rows.pose(world, (&self.acting.at.kin, &points), approach, params, true)?;
        let posed = &mut self.rows.posed;
        for (block, what) in posed.blocks.iter().enumerate() {
            let BlockKey::Contact(c) = what.key else { continue };
            let normal = posed.normal_row(block);
            posed.problem.free_velocity[normal] += SHORT * turning[c].0;
            let rows = posed.problem.range(block);
            if rows.len() >= 3 {
                let (c, rate) = (&points[c], turning[c].1);
                posed.problem.free_velocity[rows.start] += SHORT * c.t1.dot(rate);
                posed.problem.free_velocity[rows.start + 1] += SHORT * c.t2.dot(rate);
            }
        }
        Ok(points)
    }

    /// The contacts and stops that bear something in the problem of the short time, with their modes.
    fn bearing(
        &mut self,
        world: &World,
        points: &[ContactPoint],
        touching: impl Fn(&Stop) -> bool,
    ) -> Vec<Active> {
        let (posed, impulses) = (&self.rows.posed, &self.rows.impulses);
        let mut along = Vec::new();
        posed.problem.velocities_into(impulses, &mut along);
        let mut chosen = Vec::new();
        for (block, what) in posed.blocks.iter().enumerate() {
            let normal = posed.normal_row(block);
            let c = match what.key {
                BlockKey::Contact(c) => c,
                BlockKey::Row(key) => {
                    let bears = |s: &&mut Stop| {
                        s.key() == key
                            && touching(s)
                            && impulses[normal] > LOOSE * self.weights[s.tree] * SHORT
                    };
                    let stop = self.stops.iter_mut().find(bears);
                    stop.into_iter().for_each(|s| s.closed = Some(impulses[normal] / SHORT));
                    continue;
                }
            };
            if impulses[normal] <= self.slack(&world.model, &points[c]) * SHORT {
                continue;
            }
            let (point, rows) = (&points[c], posed.problem.range(block));
            let tangential = |of: &[f64]| match rows.len() {
                0..=2 => Vec3::ZERO,
                _ => point.t1 * of[rows.start] + point.t2 * of[rows.start + 1],
            };
            let (slip, speed) = (tangential(&along), tangential(&along).norm());
            let slides = (speed > SLIPS || point.friction <= 0.0)
                .then(|| if speed > 0.0 { slip * (1.0 / speed) } else { Vec3::ZERO });
            let force = (point.n * impulses[normal] + tangential(impulses)) * (1.0 / SHORT);
            chosen.push(Active { key: key(point), slides, chosen: force });
        }
        chosen
    }

    /// Whether the modes, chosen anew at q and v, are those there are; their forces are taken. Contacts at q
    /// must have been found.
    pub(super) fn hold(&mut self, step: &Step<'_>, (q, v): (&[f64], &[f64])) -> Result<bool, String> {
        self.acting.points.retain(|c| c.gap <= TOUCH);
        let closed = |stops: &[Stop]| stops.iter().map(|s| s.closed.is_some()).collect::<Vec<_>>();
        let before = closed(&self.stops);
        let anew = self.choose(step, (q, v))?;
        let same = |a: &Active, b: &Active| a.key == b.key && a.slides.is_some() == b.slides.is_some();
        let holds = anew.len() == self.active.len()
            && before == closed(&self.stops)
            && anew.iter().all(|new| self.active.iter().any(|old| same(new, old)));
        if holds {
            for old in &mut self.active {
                anew.iter().filter(|new| new.key == old.key).for_each(|new| old.chosen = new.chosen);
            }
        }
        Ok(holds)
    }
}
