//! Impulses of the last accepted step, by what they belonged to.
//!
//! A contact is recognised by its two geometries and its feature; its impulse is kept in world
//! axes, because the tangents of its frame may have turned. Scalar rows are recognised by name.

use crate::contacts::ContactPoint;
use crate::tendons::Pull;
use stiction_dynamics::spatial::Vec3;

/// What a scalar row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RowKey {
    Limit { joint: usize, side: usize },
    Friction { dof: usize },
    Coupling { index: usize },
    Pull(Pull),
    TendonLimit { tendon: usize, side: usize },
    TendonFriction { tendon: usize },
}

#[derive(Clone, Copy, Debug)]
struct Remembered {
    geometries: [usize; 2],
    feature: u32,
    impulse: Vec3,
}

/// See the module. Recall walks the memory in the order it was written; both orders ascend.
#[derive(Clone, Debug, Default)]
pub(crate) struct WarmStart {
    contacts: Vec<Remembered>,
    rows: Vec<(RowKey, f64)>,
    /// First remembered contact whose pair may still be asked for.
    next_contact: usize,
    next_row: usize,
    /// Keys of the rows of the step in progress, in order.
    keys: Vec<RowKey>,
}

impl WarmStart {
    /// Forgets everything: the next step starts cold.
    pub(crate) fn clear(&mut self) {
        self.contacts.clear();
        self.rows.clear();
    }

    /// Starts the recall of a new step.
    pub(crate) fn begin(&mut self) {
        self.next_contact = 0;
        self.next_row = 0;
        self.keys.clear();
    }

    /// Appends the remembered impulse of a contact, or zero, in its present frame.
    pub(crate) fn recall_contact(&mut self, c: &ContactPoint, impulses: &mut Vec<f64>) {
        while self.contacts.get(self.next_contact).is_some_and(|m| m.geometries < c.geometries) {
            self.next_contact += 1;
        }
        let impulse = (self.contacts[self.next_contact..].iter())
            .take_while(|m| m.geometries == c.geometries)
            .find(|m| m.feature == c.feature)
            .map_or(Vec3::ZERO, |m| m.impulse);
        if c.friction > 0.0 {
            impulses.extend([c.t1.dot(impulse), c.t2.dot(impulse)]);
        }
        impulses.push(c.n.dot(impulse));
    }

    /// Appends the remembered impulse of a scalar row, or zero.
    pub(crate) fn recall(&mut self, key: RowKey, impulses: &mut Vec<f64>) {
        while self.rows.get(self.next_row).is_some_and(|m| m.0 < key) {
            self.next_row += 1;
        }
        let known = self.rows.get(self.next_row).filter(|m| m.0 == key);
        impulses.push(known.map_or(0.0, |m| m.1));
        self.keys.push(key);
    }

    /// Remembers the impulses of an accepted step.
    pub(crate) fn commit(&mut self, contacts: &[ContactPoint], impulses: &[f64]) {
        self.contacts.clear();
        let mut row = 0;
        for c in contacts {
            let impulse = if c.friction > 0.0 {
                c.t1 * impulses[row] + c.t2 * impulses[row + 1] + c.n * impulses[row + 2]
            } else {
                c.n * impulses[row]
            };
            row += if c.friction > 0.0 { 3 } else { 1 };
            self.contacts.push(Remembered { geometries: c.geometries, feature: c.feature, impulse });
        }
        self.rows.clear();
        self.rows.extend(self.keys.iter().copied().zip(impulses[row..].iter().copied()));
    }
}
