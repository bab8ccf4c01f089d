//! Impulses of the last step of one group, by what they belonged to, and servos at their limits; see
//! [`stiction_assembly::warm_start`] and [`stiction_assembly::forces::effort_limits`].

use super::numbers::load;
use super::plan::Plan;
use super::rows::{Rows, turns};
use super::slot::{Slot, one};
use super::{Numbers64, WIDEST};
use stiction_assembly::forces::Servos;
use stiction_assembly::{BlockKey, ContactMotion, RowKey, WarmStart};
use stiction_dynamics::Real;
use stiction_dynamics::spatial::{Vec3, vec3};

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    last: Impulses,
    /// Of the step in progress.
    next: Impulses,
}

#[derive(Clone, Debug, Default)]
struct Impulses {
    /// By pair and number within it.
    contacts: Vec<Contact>,
    rows: Vec<Row>,
    /// Per actuator, a bit per lane: see [`super::free::Free::start`].
    promoted: Vec<u32>,
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
        }
        self.last.rows.iter_mut().for_each(|row| row.impulse[lane] = 0.0);
        self.last.promoted.iter_mut().for_each(|bits| *bits &= !(1 << lane));
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
    pub(super) fn end(&mut self) {
        std::mem::swap(&mut self.last, &mut self.next);
    }

    /// What `lane` remembered before the step that has ended, for one that does it again alone.
    pub(super) fn lend(&self, plan: &Plan, lane: usize, (to, servos): (&mut WarmStart, &mut Servos)) {
        let Impulses { contacts, rows, promoted } = &self.next;
        for contact in contacts {
            let part = |x: &[Numbers64; 3]| vec3(x[0][lane], x[1][lane], x[2][lane]);
            let wrench = [part(&contact.impulse), part(&contact.moment)];
            if wrench != [Vec3::ZERO; 2] {
                let motion = contact.motion_of(lane);
                to.push_contact(plan.pairs[contact.pair].geometries, contact.feature[lane], wrench, motion);
            }
        }
        for row in rows.iter().filter(|row| row.impulse[lane] != 0.0) {
            to.push_row(row.key, row.impulse[lane]);
        }
        for (promoted, bits) in servos.promoted_mut().iter_mut().zip(promoted) {
            *promoted = bits >> lane & 1 == 1;
        }
    }

    /// Remembers for `lane` what the step did that was done alone.
    pub(super) fn take(&mut self, plan: &Plan, lane: usize, (from, servos): (&WarmStart, &Servos)) {
        let mut last = (usize::MAX, 0);
        for (geometries, feature, [now, before], motion) in from.contacts() {
            let Ok(pair) = plan.pairs.binary_search_by_key(&geometries, |p| p.geometries) else { continue };
            last = (pair, if last.0 == pair { last.1 + 1 } else { 0 });
            let kept = self.last.contact(pair, last.1);
            kept.feature[lane] = feature;
            put(&mut kept.impulse, lane, now[0]);
            put(&mut kept.moment, lane, now[1]);
            kept.young[lane] = f64::from(now == before);
            kept.set_motion(lane, motion);
        }
        for (key, [now, before]) in from.rows() {
            let kept = self.last.row(*key);
            (kept.impulse[lane], kept.young[lane]) = (*now, f64::from(*before == 0.0));
        }
        let (bits, promoted) = (&mut self.last.promoted, servos.promoted());
        if promoted.contains(&true) {
            bits.resize(promoted.len(), 0);
        }
        for (bits, promoted) in bits.iter_mut().zip(promoted) {
            *bits = *bits & !(1 << lane) | u32::from(*promoted) << lane;
        }
    }

    /// Where to start, in the frames of this step, and per block what is young.
    #[inline(always)]
    pub(super) fn recall<T: Real>(
        &self,
        plan: &Plan,
        slots: &[Slot<T>],
        rows: &Rows<T>,
        out: &mut Vec<T>,
        young: &mut Vec<T>,
    ) {
        out.clear();
        young.clear();
        let Impulses { contacts, rows: single, .. } = &self.last;
        let (mut next, mut next_row) = (0, 0);
        for (block, cone) in rows.blocks.iter().zip(&rows.cones) {
            let (kind, there) = (cone.mu.zero(), cone.active.mask());
            match block.key {
                BlockKey::Contact(slot) => {
                    let slot = &slots[slot];
                    while contacts.get(next).is_some_and(|m| m.pair < slot.pair) {
                        next += 1;
                    }
                    let known = contacts[next..].iter().take_while(|m| m.pair == slot.pair);
                    let ([impulse, moment], new) = of_slot(known, slot, block.dim > 3, kind);
                    young.push(new);
                    for axis in slot.frame {
                        out.push(T::select(there, axis.dot(impulse), kind));
                    }
                    if let Some(turning) = plan.pairs[slot.pair].turning {
                        for turn in turns(turning, slot.frame, cone.mu).into_iter().take(block.dim - 3) {
                            out.push(T::select(there, turn.dot(moment) / turn.norm_squared(), kind));
                        }
                    }
                }
                BlockKey::Row(key) => {
                    while single.get(next_row).is_some_and(|m| m.key < key) {
                        next_row += 1;
                    }
                    let [x, new] = match single.get(next_row).filter(|m| m.key == key) {
                        Some(row) => [load(kind, &row.impulse), load(kind, &row.young)],
                        None => [kind; 2],
                    };
                    young.push(new);
                    out.push(T::select(there, x, kind));
                }
            }
        }
    }

    /// Remembers the impulses `lambda`, found from the normal ones of `start`, of the lanes in which `good` is 1;
    /// several calls a step add up.
    #[inline(always)]
    pub(super) fn commit<T: Real>(
        &mut self,
        plan: &Plan,
        slots: &[Slot<T>],
        rows: &Rows<T>,
        lambda: &[T],
        start: &[T],
        good: T,
    ) {
        // What rolls goes alone, [`Rows::rolls`].
        let at_rest = |point: Vec3| ContactMotion {
            point,
            velocity: [Vec3::ZERO; 2],
            since: plan.h(),
            steps: u32::MAX,
        };
        for ((block, cone), start) in rows.blocks.iter().zip(&rows.cones).zip(start) {
            let young = |lane| f64::from(start.lane(lane) == 0.0);
            let l = &lambda[block.row..block.row + block.dim];
            match block.key {
                BlockKey::Contact(slot) => {
                    let slot = &slots[slot];
                    let [t1, t2, n] = slot.frame;
                    let impulse = t1 * l[0] + t2 * l[1] + n * l[2];
                    let kept = self.next.contact(slot.pair, slot.ordinal);
                    for lane in (0..T::LANES).filter(|&lane| good.lane(lane) == 1.0) {
                        kept.feature[lane] = slot.feature[lane];
                        put(&mut kept.impulse, lane, one(impulse, lane));
                        kept.young[lane] = young(lane);
                        kept.set_motion(lane, Some(at_rest(one(slot.position, lane))));
                    }
                    if let Some(turning) = plan.pairs[slot.pair].turning {
                        let turns = turns(turning, slot.frame, cone.mu);
                        let mut moment = Vec3::zero(good);
                        for (turn, l) in turns.into_iter().zip(&l[3..]) {
                            moment += turn * *l;
                        }
                        for lane in (0..T::LANES).filter(|&lane| good.lane(lane) == 1.0) {
                            put(&mut kept.moment, lane, one(moment, lane));
                        }
                    }
                }
                BlockKey::Row(key) => {
                    let kept = self.next.row(key);
                    for lane in (0..T::LANES).filter(|&lane| good.lane(lane) == 1.0) {
                        (kept.impulse[lane], kept.young[lane]) = (l[0].lane(lane), young(lane));
                    }
                }
            }
        }
    }
}

/// Impulse of a slot, of what is known of its pair, its moment where it `turns`, and 1 where it is young; lane by lane
/// where features have other places than in the last step.
#[inline(always)]
fn of_slot<'a, T: Real>(
    known: impl Iterator<Item = &'a Contact>,
    slot: &Slot<T>,
    turns: bool,
    kind: T,
) -> ([Vec3<T>; 2], T) {
    let (mut wrench, mut young) = ([Vec3::zero(kind); 2], kind);
    let parts = 1 + usize::from(turns);
    for known in known {
        let numbers = [&known.impulse, &known.moment];
        if known.feature == slot.feature {
            for (out, numbers) in wrench.iter_mut().zip(numbers).take(parts) {
                *out = vec3_of(kind, numbers);
            }
            return (wrench, load(kind, &known.young));
        }
        for lane in (0..T::LANES).filter(|&lane| known.feature[lane] == slot.feature[lane]) {
            for (out, numbers) in wrench.iter_mut().zip(numbers).take(parts) {
                for (x, numbers) in [&mut out.x, &mut out.y, &mut out.z].into_iter().zip(numbers) {
                    *x = x.with_lane(lane, numbers[lane]);
                }
            }
            young = young.with_lane(lane, known.young[lane]);
        }
    }
    (wrench, young)
}

#[inline(always)]
fn vec3_of<T: Real>(kind: T, [x, y, z]: &[Numbers64; 3]) -> Vec3<T> {
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
            let (mut warm, mut servos) = (WarmStart::default(), Servos::new(&plan.world));
            memory.lend(&plan, lane, (&mut warm, &mut servos));
            (warm, servos)
        };
        let (warm, mut servos) = lent(memory, lane);
        let mass: f64 = plan.world.model.bodies.iter().map(|b| b.inertia.mass).sum();
        let borne: f64 = warm.contacts().map(|(_, _, wrench, _)| wrench[0][0].z).sum();
        let weight = mass * plan.world.model.gravity.norm() * plan.h();
        assert_eq!(warm.contacts().count(), 4);
        assert!((borne.abs() - weight).abs() < 0.01 * weight, "{borne} of {weight}");
        servos.promoted_mut()[nu - 1] = true;
        let mut other = Memory::default();
        other.take(&plan, lane, (&warm, &servos));
        other.end();
        let (again, promoted) = lent(&other, lane);
        assert_eq!(again.numbers(), warm.numbers());
        assert_eq!(promoted.promoted(), servos.promoted());
        let (none, promoted) = lent(&other, lane - 1);
        assert_eq!(none.numbers(), WarmStart::default().numbers());
        assert!(!promoted.promoted().contains(&true));
    }
}
