//! Impulses and motions of the last step of one group, by what they belonged to, its mean forces, and servos at their limits; see
//! [`stiction_assembly::warm_start`] and [`stiction_assembly::forces::effort_limits`].

use super::numbers::load;
use super::plan::Plan;
use super::rows::{Rows, turns};
use super::slot::{Known, Slot, one, set};
use super::{Numbers64, WIDEST};
use crate::stepping::Lending;
use crate::stepping::driver::parts::Credit;
use stiction_assembly::rolling::CLOSED;
use stiction_assembly::{BlockKey, ContactMotion, RowKey};
use stiction_dynamics::spatial::{Vec3, vec3};
use stiction_dynamics::{Kinematics, Real, Velocities};

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    last: Impulses,
    /// Of the step in progress.
    next: Impulses,
    /// Per lane, steps that are saved for landings, [`crate::stepping::driver`]; `None`: as many as can be.
    credit: [Option<u32>; WIDEST],
}

#[derive(Clone, Debug, Default)]
struct Impulses {
    /// By pair and number within it.
    contacts: Vec<Contact>,
    rows: Vec<Row>,
    /// Per actuator, a bit per lane: see [`super::free::Free::start`].
    promoted: Vec<u32>,
    /// Mean forces of the constraints [N or N·m], per dof, and 1 in the lanes in which they are known.
    forces: Vec<Numbers64>,
    known: Numbers64,
}

#[derive(Clone, Copy, Debug)]
struct Contact {
    pair: usize,
    ordinal: usize,
    feature: [u32; WIDEST],
    /// In W, and its moment about the point.
    impulse: [Numbers64; 3],
    moment: [Numbers64; 3],
    /// 1 where there was none in the step before.
    young: Numbers64,
    /// The numbers of a [`ContactMotion`], steps 0 where it is not known.
    motion: [Numbers64; 11],
}

#[derive(Clone, Copy, Debug)]
struct Row {
    key: RowKey,
    impulse: Numbers64,
    young: Numbers64,
}

impl Memory {
    /// The next step of `lane` starts cold.
    pub(super) fn forget(&mut self, lane: usize) {
        for contact in &mut self.last.contacts {
            contact.impulse.iter_mut().chain(&mut contact.moment).for_each(|x| x[lane] = 0.0);
            contact.set_motion(lane, None);
        }
        self.last.rows.iter_mut().for_each(|row| row.impulse[lane] = 0.0);
        self.last.promoted.iter_mut().for_each(|bits| *bits &= !(1 << lane));
        self.last.known[lane] = 0.0;
        self.credit[lane] = None;
    }

    /// True if a contact bore something in the last step of `lane`.
    pub(super) fn bore(&self, pair: usize, feature: u32, lane: usize) -> bool {
        let contacts = &self.last.contacts;
        let first = contacts.partition_point(|c| c.pair < pair);
        let mut of_pair = contacts[first..].iter().take_while(|c| c.pair == pair);
        of_pair.any(|c| c.feature[lane] == feature && c.impulse.iter().any(|x| x[lane] != 0.0))
    }

    /// InitialGuesses a step.
    pub(super) fn begin(&mut self) {
        self.next.contacts.clear();
        self.next.rows.clear();
        self.next.promoted.clear();
        self.next.known = [0.0; WIDEST];
    }

    /// Mean forces of the constraints in the last step, and 1 in the lanes in which they are known.
    #[inline(always)]
    pub(super) fn forces<T: Real>(&self, kind: T, out: &mut [T]) -> T {
        for (out, forces) in out.iter_mut().zip(&self.last.forces) {
            *out = load(kind, forces);
        }
        load(kind, &self.last.known)
    }

    /// The credit of `lane` in the step in progress.
    fn credit_of_step(&self, plan: &Plan, lane: usize) -> Credit {
        let mut credit = Credit::new(plan.settings.stepper.landing_interval);
        credit.restore(self.credit[lane]);
        credit.save();
        credit
    }

    /// 1 in the lanes in which a landing without restitution may end a part of the step.
    #[inline(always)]
    pub(super) fn may_land<T: Real>(&self, plan: &Plan, kind: T) -> T {
        let mut may = kind;
        for lane in 0..T::LANES {
            may = may.with_lane(lane, f64::from(self.credit_of_step(plan, lane).has_one()));
        }
        may
    }

    /// Servos that begin the step as rows.
    pub(super) fn promoted(&self) -> &[u32] {
        &self.last.promoted
    }

    /// Those that will begin the next.
    pub(super) fn promoted_mut(&mut self) -> &mut Vec<u32> {
        &mut self.next.promoted
    }

    /// Ends it: what was committed is what is recalled.
    pub(super) fn end(&mut self, plan: &Plan) {
        for lane in (0..WIDEST).filter(|&lane| self.next.known[lane] == 1.0) {
            self.credit[lane] = self.credit_of_step(plan, lane).remembered();
        }
        std::mem::swap(&mut self.last, &mut self.next);
    }

    /// What `lane` remembered before the step that has ended, for one that does it again alone.
    pub(super) fn lend(&self, plan: &Plan, lane: usize, to: Lending<'_>) {
        let Impulses { contacts, rows, promoted, forces, known } = &self.next;
        for contact in contacts {
            let part = |x: &[Numbers64; 3]| vec3(x[0][lane], x[1][lane], x[2][lane]);
            let (wrench, motion) = ([part(&contact.impulse), part(&contact.moment)], contact.motion_of(lane));
            if wrench != [Vec3::ZERO; 2] || motion.is_some() {
                let geometries = plan.pairs[contact.pair].geometries;
                to.warm_starts.push_contact(geometries, contact.feature[lane], wrench, motion);
            }
        }
        for row in rows.iter().filter(|row| row.impulse[lane] != 0.0) {
            to.warm_starts.push_row(row.key, row.impulse[lane]);
        }
        for (promoted, bits) in to.servos.promoted_mut().iter_mut().zip(promoted) {
            *promoted = bits >> lane & 1 == 1;
        }
        to.last_forces.clear();
        if known[lane] == 1.0 {
            to.last_forces.extend(forces.iter().map(|f| f[lane]));
        }
    }

    /// The steps that `lane` has saved for landings.
    pub(super) fn credit(&self, lane: usize) -> Option<u32> {
        self.credit[lane]
    }

    /// Remembers for `lane` what the step did that was done alone.
    pub(super) fn take(&mut self, plan: &Plan, lane: usize, from: &Lending<'_>, credit: Option<u32>) {
        let mut last = (usize::MAX, 0);
        for (geometries, feature, [now, before], motion) in from.warm_starts.contacts() {
            let Ok(pair) = plan.pairs.binary_search_by_key(&geometries, |p| p.geometries) else { continue };
            last = (pair, if last.0 == pair { last.1 + 1 } else { 0 });
            let kept = self.last.contact(pair, last.1);
            kept.feature[lane] = feature;
            put(&mut kept.impulse, lane, now[0]);
            put(&mut kept.moment, lane, now[1]);
            kept.young[lane] = f64::from(now == before);
            kept.set_motion(lane, motion);
        }
        for (key, [now, before]) in from.warm_starts.rows() {
            let kept = self.last.row(*key);
            (kept.impulse[lane], kept.young[lane]) = (*now, f64::from(*before == 0.0));
        }
        let (bits, promoted) = (&mut self.last.promoted, from.servos.promoted());
        if promoted.contains(&true) {
            bits.resize(promoted.len(), 0);
        }
        for (bits, promoted) in bits.iter_mut().zip(promoted) {
            *bits = *bits & !(1 << lane) | u32::from(*promoted) << lane;
        }
        self.last.set_forces(lane, from.last_forces);
        self.credit[lane] = credit;
    }

    /// Recalls the contacts of `slots`, where bodies move by `vel`. A contact that is new and nearly closed
    /// takes the motion of the nearest of the same bodies, as in [`stiction_assembly::rolling`].
    #[inline(always)]
    pub(super) fn recall<T: Real>(
        &self,
        plan: &Plan,
        slots: &[Slot<T>],
        at: (&Kinematics<T>, &Velocities<T>),
        out: &mut Vec<Known<T>>,
    ) {
        out.clear();
        let contacts = &self.last.contacts;
        let mut next = 0;
        for slot in slots {
            while contacts.get(next).is_some_and(|m| m.pair < slot.pair) {
                next += 1;
            }
            let of_pair = contacts[next..].iter().take_while(|m| m.pair == slot.pair);
            let mut known = of_slot(of_pair, slot);
            let closed = slot.gap.abs().at_most(slot.gap.like(CLOSED));
            let new = T::both(T::not(known.steps.mask()), T::both(closed, slot.active.mask()));
            if T::any(new) && plan.pairs[slot.pair].spring.is_none() {
                self.inherit(plan, slot, at, slot.gap.truth(new), &mut known);
            }
            out.push(known);
        }
    }

    /// Takes the motion of the nearest contact of the same bodies, in the lanes in which `new` is 1.
    #[inline(never)]
    fn inherit<T: Real>(
        &self,
        plan: &Plan,
        slot: &Slot<T>,
        (kin, vel): (&Kinematics<T>, &Velocities<T>),
        new: T,
        known: &mut Known<T>,
    ) {
        let bodies = plan.pairs[slot.pair].bodies;
        for lane in (0..T::LANES).filter(|&lane| new.lane(lane) == 1.0) {
            let (p, mut nearest, mut least) = (one(slot.position, lane), None, f64::INFINITY);
            for contact in &self.last.contacts {
                let Some(motion) = contact.motion_of(lane) else { continue };
                let away = (motion.point - p).norm();
                if away <= least && plan.pairs[contact.pair].bodies == bodies {
                    (nearest, least) = (Some(motion), away);
                }
            }
            let Some(motion) = nearest else { continue };
            let way = |b: usize| {
                let u = vel.V[b].linear_at(slot.position - kin.reference[kin.tree_of(b)]);
                one(u, lane).norm() * plan.h()
            };
            let motion = motion.carried_to(p, bodies.into_iter().flatten().map(way).sum());
            known.set_motion(lane, &motion);
        }
    }

    /// The impulses of the rows of the plan in the last step.
    #[inline(always)]
    pub(super) fn recall_rows<T: Real>(&self, plan: &Plan, kind: T, out: &mut Vec<T>) {
        out.clear();
        for (key, _) in &plan.rows {
            let rows = &self.last.rows;
            let known = rows.binary_search_by_key(key, |row| row.key);
            out.push(known.map_or(kind, |at| load(kind, &rows[at].impulse)));
        }
    }

    /// Where the solver starts, in the frames of this step; `known` is what was recalled of the contacts.
    #[inline(always)]
    pub(super) fn guess<T: Real>(
        &self,
        plan: &Plan,
        (slots, known): (&[Slot<T>], &[Known<T>]),
        rows: &Rows<T>,
        out: &mut Vec<T>,
    ) {
        out.clear();
        for (block, cone) in rows.blocks.iter().zip(&rows.cones) {
            let (kind, there) = (cone.mu.zero(), cone.active.mask());
            match block.key {
                BlockKey::Contact(slot) => {
                    let (slot, known) = (&slots[slot], &known[slot]);
                    for axis in slot.frame {
                        out.push(T::select(there, axis.dot(known.impulse), kind));
                    }
                    if let Some(turning) = plan.pairs[slot.pair].turning {
                        for turn in turns(turning, slot.frame, cone.mu).into_iter().take(block.dim - 3) {
                            out.push(T::select(there, turn.dot(known.moment) / turn.norm_squared(), kind));
                        }
                    }
                }
                BlockKey::Row(key) => {
                    let rows = &self.last.rows;
                    let known = rows.binary_search_by_key(&key, |row| row.key);
                    let x = known.map_or(kind, |at| load(kind, &rows[at].impulse));
                    out.push(T::select(there, x, kind));
                }
            }
        }
    }

    /// Remembers the impulses `lambda`, found from the normal ones of `start`, and the mean `forces` of the constraints, of the lanes in
    /// which `good` is 1, where bodies move by `vel` after them; several calls a step add up.
    #[inline(always)]
    pub(super) fn commit<T: Real>(
        &mut self,
        plan: &Plan,
        (slots, known): (&[Slot<T>], &[Known<T>]),
        (rows, lambda): (&Rows<T>, &[T]),
        [start, forces]: [&[T]; 2],
        (kin, vel): (&Kinematics<T>, &Velocities<T>),
        good: T,
    ) {
        let lanes = || (0..T::LANES).filter(|&lane| good.lane(lane) == 1.0);
        for ((block, cone), start) in rows.blocks.iter().zip(&rows.cones).zip(start) {
            let young = |lane| f64::from(start.lane(lane) == 0.0);
            let l = &lambda[block.row..block.row + block.dim];
            match block.key {
                BlockKey::Contact(slot) => {
                    let (slot, before) = (&slots[slot], &known[slot].steps);
                    let [t1, t2, n] = slot.frame;
                    let impulse = t1 * l[0] + t2 * l[1] + n * l[2];
                    let pair = &plan.pairs[slot.pair];
                    let u = slot.velocity(pair, kin, vel);
                    let frictional = cone.mu.zero().less(cone.mu);
                    let u = Vec3::select(frictional, u, n * n.dot(u));
                    let angular = slot.angular_velocity(pair, vel);
                    let kept = self.next.contact(slot.pair, slot.ordinal);
                    for lane in lanes() {
                        let impulse = one(impulse, lane);
                        kept.feature[lane] = slot.feature[lane];
                        put(&mut kept.impulse, lane, impulse);
                        kept.young[lane] = young(lane);
                        let point = one(slot.position, lane);
                        let motion = ContactMotion {
                            point,
                            velocity: [one(u, lane), one(angular, lane)],
                            since: 0.5 * plan.h(),
                            steps: (before.lane(lane) as u32).saturating_add(1),
                        };
                        let loaded = impulse != Vec3::ZERO && pair.spring.is_none();
                        kept.set_motion(lane, loaded.then_some(motion));
                    }
                    if let Some(turning) = pair.turning {
                        let turns = turns(turning, slot.frame, cone.mu);
                        let mut moment = Vec3::zero(good);
                        for (turn, l) in turns.into_iter().zip(&l[3..]) {
                            moment += turn * *l;
                        }
                        for lane in lanes() {
                            put(&mut kept.moment, lane, one(moment, lane));
                        }
                    }
                }
                BlockKey::Row(key) => {
                    let kept = self.next.row(key);
                    for lane in lanes() {
                        (kept.impulse[lane], kept.young[lane]) = (l[0].lane(lane), young(lane));
                    }
                }
            }
        }
        self.next.forces.resize(forces.len(), [0.0; WIDEST]);
        for lane in lanes() {
            for (kept, force) in self.next.forces.iter_mut().zip(forces) {
                kept[lane] = force.lane(lane);
            }
            self.next.known[lane] = 1.0;
        }
    }
}

/// Knowledge of a slot, from that of its pair; lane by lane where features have other places than in the last step.
#[inline(always)]
fn of_slot<'a, T: Real>(contacts: impl Iterator<Item = &'a Contact>, slot: &Slot<T>) -> Known<T> {
    let kind = slot.gap.zero();
    let none = Vec3::zero(kind);
    let mut out =
        Known { impulse: none, moment: none, velocity: none, angular: none, since: kind, steps: kind };
    for known in contacts {
        if known.feature == slot.feature {
            let [_, _, _, a, b, c, d, e, f, since, steps] = &known.motion;
            return Known {
                impulse: vec3_of(kind, &known.impulse[0], &known.impulse[1], &known.impulse[2]),
                moment: vec3_of(kind, &known.moment[0], &known.moment[1], &known.moment[2]),
                velocity: vec3_of(kind, a, b, c),
                angular: vec3_of(kind, d, e, f),
                since: load(kind, since),
                steps: load(kind, steps),
            };
        }
        for lane in (0..T::LANES).filter(|&lane| known.feature[lane] == slot.feature[lane]) {
            let part = |x: &[Numbers64; 3]| vec3(x[0][lane], x[1][lane], x[2][lane]);
            set(&mut out.impulse, lane, part(&known.impulse));
            set(&mut out.moment, lane, part(&known.moment));
            if let Some(motion) = known.motion_of(lane) {
                out.set_motion(lane, &motion);
            }
        }
    }
    out
}

#[inline(always)]
fn vec3_of<T: Real>(kind: T, x: &Numbers64, y: &Numbers64, z: &Numbers64) -> Vec3<T> {
    vec3(load(kind, x), load(kind, y), load(kind, z))
}

#[inline(always)]
fn put(numbers: &mut [Numbers64; 3], lane: usize, value: Vec3) {
    for (numbers, x) in numbers.iter_mut().zip(value.to_array()) {
        numbers[lane] = x;
    }
}

impl Contact {
    fn motion_of(&self, lane: usize) -> Option<ContactMotion> {
        let motion = ContactMotion::of_numbers(&self.motion.map(|numbers| numbers[lane]));
        (motion.steps > 0).then_some(motion)
    }

    fn set_motion(&mut self, lane: usize, motion: Option<ContactMotion>) {
        let numbers = motion.map_or([0.0; 11], |m| m.numbers());
        self.motion.iter_mut().zip(numbers).for_each(|(all, x)| all[lane] = x);
    }
}

impl Impulses {
    /// Mean forces of one lane; none: unknown.
    fn set_forces(&mut self, lane: usize, forces: &[f64]) {
        self.known[lane] = f64::from(!forces.is_empty());
        self.forces.resize(self.forces.len().max(forces.len()), [0.0; WIDEST]);
        self.forces.iter_mut().zip(forces).for_each(|(kept, f)| kept[lane] = *f);
    }

    /// What is kept of a contact; nothing yet if there is none.
    fn contact(&mut self, pair: usize, ordinal: usize) -> &mut Contact {
        // Most come in order.
        let at = match self.contacts.last() {
            Some(last) if (last.pair, last.ordinal) >= (pair, ordinal) => {
                self.contacts.partition_point(|c| (c.pair, c.ordinal) < (pair, ordinal))
            }
            _ => self.contacts.len(),
        };
        if self.contacts.get(at).is_none_or(|c| (c.pair, c.ordinal) != (pair, ordinal)) {
            let none = [0.0; WIDEST];
            let feature = [u32::MAX; WIDEST];
            let none = Contact {
                pair,
                ordinal,
                feature,
                impulse: [none; 3],
                moment: [none; 3],
                young: none,
                motion: [none; 11],
            };
            self.contacts.insert(at, none);
        }
        &mut self.contacts[at]
    }

    /// The same of a single row.
    fn row(&mut self, key: RowKey) -> &mut Row {
        let at = match self.rows.last() {
            Some(last) if last.key >= key => self.rows.partition_point(|r| r.key < key),
            _ => self.rows.len(),
        };
        if self.rows.get(at).is_none_or(|r| r.key != key) {
            self.rows.insert(at, Row { key, impulse: [0.0; WIDEST], young: [0.0; WIDEST] });
        }
        &mut self.rows[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Batch, BatchSettings};
    use crate::state::State;
    use std::path::Path;
    use stiction_assembly::WarmStart;
    use stiction_assembly::forces::Servos;
    use stiction_models::{LoadOptions, load};
    use stiction_world::Dimension;

    /// What a lane lends of a standing robot bears it, and comes back as it was, to that lane alone.
    #[test]
    fn what_is_lent_comes_back() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scene/scenes/quadruped.xml");
        let mut world = load(&path, &LoadOptions::default()).unwrap();
        for g in &mut world.geometries {
            (g.material.dimension, g.material.spinning) = (Dimension::Spinning, 0.02);
        }
        let home = world.keyframes[0].clone();
        let state = State { t: 0.0, q: home.q, v: home.v };
        let mut batch = Batch::new(world, &state, 4, BatchSettings::default()).unwrap();
        let control = home.control.repeat(4);
        (0..300).for_each(|_| batch.step(&control));
        let (plan, memory, lane) = (batch.plan.clone(), &batch.pool.shard(0).memories[0], 2);
        let nu = plan.world.actuators.len();
        let lent = |memory: &Memory, lane: usize| {
            let (mut warm, mut servos, mut forces) =
                (WarmStart::default(), Servos::new(&plan.world), Vec::new());
            let lending = Lending { warm_starts: &mut warm, servos: &mut servos, last_forces: &mut forces };
            memory.lend(&plan, lane, lending);
            (warm, servos, forces)
        };
        let (mut warm, mut servos, mut forces) = lent(memory, lane);
        let mass: f64 = plan.world.model.bodies.iter().map(|b| b.inertia.mass).sum();
        let borne: f64 = warm.contacts().map(|(_, _, wrench, _)| wrench[0][0].z).sum();
        let weight = mass * plan.world.model.gravity.norm() * plan.h();
        assert_eq!(warm.contacts().count(), 4);
        assert!((borne.abs() - weight).abs() < 0.01 * weight, "{borne} of {weight}");
        assert!((forces[2].abs() * plan.h() - weight).abs() < 0.01 * weight, "{forces:?}");
        servos.promoted_mut()[nu - 1] = true;
        let mut other = Memory::default();
        let lending = Lending { warm_starts: &mut warm, servos: &mut servos, last_forces: &mut forces };
        other.take(&plan, lane, &lending, Some(3));
        other.end(&plan);
        let (again, promoted, of_constraints) = lent(&other, lane);
        assert_eq!(again.numbers(), warm.numbers());
        assert_eq!(promoted.promoted(), servos.promoted());
        assert_eq!((of_constraints, other.credit(lane)), (forces, Some(3)));
        let (none, promoted, forces) = lent(&other, lane - 1);
        assert_eq!(none.numbers(), WarmStart::default().numbers());
        assert!(!promoted.promoted().contains(&true) && forces.is_empty());
    }
}
