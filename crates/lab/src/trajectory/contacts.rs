//! Contacts of every step of a trajectory: ragged, one entry a contact, and where those of each row start.

use stiction::ContactState;

/// Entries that are kept, at most: 8 GB of them.
const MOST: usize = 50_000_000;

/// Contacts of all rows one after another, open ones included; frames and signs of CONVENTIONS.md.
#[derive(Clone, Debug, PartialEq)]
pub struct Contacts {
    /// Row r has the entries `offsets[r]..offsets[r + 1]`.
    pub offsets: Vec<u32>,
    /// The row of every entry.
    pub row: Vec<u32>,
    /// Time of that row [s].
    pub t: Vec<f64>,
    /// Geometries A and B, two an entry, indices into `about.geometries`.
    pub geometries: Vec<i32>,
    /// Bodies A and B, two an entry, indices into `about.bodies`; −1: the world.
    pub bodies: Vec<i32>,
    /// Where the force acts, W [m], three an entry.
    pub position: Vec<f64>,
    /// From A to B, W, three an entry.
    pub normal: Vec<f64>,
    /// Mean force on B over the step, W [N], three an entry.
    pub force: Vec<f64>,
    /// Mean moment on B about the position, W [N·m], three an entry.
    pub moment: Vec<f64>,
    /// Distance at the start of the step, negative where bodies overlap [m].
    pub gap: Vec<f64>,
    /// Tangential velocity of B relative to A at the end of the step, W [m/s], three an entry.
    pub slip: Vec<f64>,
    /// Coulomb's coefficient [–].
    pub friction: Vec<f64>,
    /// Contacts that found no room.
    pub left_out: u64,
}

impl Default for Contacts {
    /// Before the first row.
    fn default() -> Self {
        Self {
            offsets: vec![0],
            row: Vec::new(),
            t: Vec::new(),
            geometries: Vec::new(),
            bodies: Vec::new(),
            position: Vec::new(),
            normal: Vec::new(),
            force: Vec::new(),
            moment: Vec::new(),
            gap: Vec::new(),
            slip: Vec::new(),
            friction: Vec::new(),
            left_out: 0,
        }
    }
}

impl Contacts {
    /// Entries so far.
    pub fn len(&self) -> usize {
        self.gap.len()
    }

    pub fn is_empty(&self) -> bool {
        self.gap.is_empty()
    }

    /// The next row, of the step that ended at `t` [s].
    pub(super) fn push_row(&mut self, t: f64, contacts: &[ContactState]) {
        let row = self.offsets.len() as u32 - 1;
        let room = MOST.saturating_sub(self.len()).min(contacts.len());
        self.left_out += (contacts.len() - room) as u64;
        let index = |i: usize| i32::try_from(i).unwrap_or(i32::MAX);
        for c in &contacts[..room] {
            self.row.push(row);
            self.t.push(t);
            self.geometries.extend(c.geometries.map(index));
            self.bodies.extend(c.bodies.map(|b| b.map_or(-1, index)));
            self.position.extend(c.position.to_array());
            self.normal.extend(c.normal.to_array());
            self.force.extend(c.force.to_array());
            self.moment.extend(c.moment.to_array());
            self.gap.push(c.gap);
            self.slip.extend(c.slip.to_array());
            self.friction.push(c.friction);
        }
        self.offsets.push(self.len() as u32);
    }
}
