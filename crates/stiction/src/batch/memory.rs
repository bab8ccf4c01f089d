//! Impulses of the last step of one group, by what they belonged to, and servos at their limits; see
//! [`crate::warm_start`] and [`crate::servos`].

use super::lane::{load, mask};
use super::rows::{Key, Rows};
use super::touch::Slot;
use super::{Numbers64, WIDEST};
use stiction_dynamics::Real;
use stiction_dynamics::spatial::vec3;

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
    /// In W.
    impulse: [Numbers64; 3],
    /// 1 where there was none in the step before.
    young: Numbers64,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    key: Key,
    impulse: Numbers64,
    young: Numbers64,
}

impl Memory {
    /// The next step of `lane` starts cold.
    pub(super) fn forget(&mut self, lane: usize) {
        for contact in &mut self.last.contacts {
            contact.impulse.iter_mut().for_each(|x| x[lane] = 0.0);
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

    /// Starts a step.
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

    /// Where to start, in the frames of this step, and per block what is young.
    #[inline(always)]
    pub(super) fn recall<T: Real>(
        &self,
        slots: &[Slot<T>],
        rows: &Rows<T>,
        out: &mut Vec<T>,
        young: &mut Vec<T>,
    ) {
        out.clear();
        young.clear();
        let Impulses { contacts, rows: single, .. } = &self.last;
        let (mut next, mut next_row) = (0, 0);
        for (block, local) in rows.blocks.iter().zip(&rows.locals) {
            let (kind, there) = (local.mu.zero(), mask(local.active));
            if let Key::Contact { slot } = block.key {
                let slot = &slots[slot];
                while contacts.get(next).is_some_and(|m| m.pair < slot.pair) {
                    next += 1;
                }
                let (mut impulse, mut new) = (vec3(kind, kind, kind), kind);
                for known in contacts[next..].iter().take_while(|m| m.pair == slot.pair) {
                    if known.feature == slot.feature {
                        let [x, y, z] = &known.impulse;
                        impulse = vec3(load(kind, x), load(kind, y), load(kind, z));
                        new = load(kind, &known.young);
                        break;
                    }
                    for lane in 0..T::LANES {
                        if known.feature[lane] == slot.feature[lane] {
                            impulse.x = impulse.x.with_lane(lane, known.impulse[0][lane]);
                            impulse.y = impulse.y.with_lane(lane, known.impulse[1][lane]);
                            impulse.z = impulse.z.with_lane(lane, known.impulse[2][lane]);
                            new = new.with_lane(lane, known.young[lane]);
                        }
                    }
                }
                young.push(new);
                for axis in slot.frame {
                    out.push(T::select(there, axis.dot(impulse), kind));
                }
            } else {
                while single.get(next_row).is_some_and(|m| m.key < block.key) {
                    next_row += 1;
                }
                let [x, new] = match single.get(next_row).filter(|m| m.key == block.key) {
                    Some(row) => [load(kind, &row.impulse), load(kind, &row.young)],
                    None => [kind; 2],
                };
                young.push(new);
                out.push(T::select(there, x, kind));
            }
        }
    }

    /// Remembers the impulses `lambda`, found from the normal ones of `start`, of the lanes in which `good` is 1;
    /// several calls a step add up.
    #[inline(always)]
    pub(super) fn commit<T: Real>(
        &mut self,
        slots: &[Slot<T>],
        rows: &Rows<T>,
        lambda: &[T],
        start: &[T],
        good: T,
    ) {
        for (block, start) in rows.blocks.iter().zip(start) {
            let young = |lane| f64::from(start.lane(lane) == 0.0);
            let l = &lambda[block.row..block.row + block.dim];
            if let Key::Contact { slot } = block.key {
                let slot = &slots[slot];
                let [t1, t2, n] = slot.frame;
                let impulse = t1 * l[0] + t2 * l[1] + n * l[2];
                let kept = self.next.contact(slot.pair, slot.ordinal);
                for lane in (0..T::LANES).filter(|&lane| good.lane(lane) == 1.0) {
                    kept.feature[lane] = slot.feature[lane];
                    kept.impulse[0][lane] = impulse.x.lane(lane);
                    kept.impulse[1][lane] = impulse.y.lane(lane);
                    kept.impulse[2][lane] = impulse.z.lane(lane);
                    kept.young[lane] = young(lane);
                }
            } else {
                let kept = self.next.row(block.key);
                for lane in (0..T::LANES).filter(|&lane| good.lane(lane) == 1.0) {
                    (kept.impulse[lane], kept.young[lane]) = (l[0].lane(lane), young(lane));
                }
            }
        }
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
            let none = Contact { pair, ordinal, feature, impulse: [none; 3], young: none };
            self.contacts.insert(at, none);
        }
        &mut self.contacts[at]
    }

    /// The same of a single row.
    fn row(&mut self, key: Key) -> &mut Row {
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
