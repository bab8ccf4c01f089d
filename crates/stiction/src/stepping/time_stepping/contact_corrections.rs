//! Impulses that a [`crate::ContactCorrection`] changes after the problem was solved, and v⁺ with them.

use super::TimeStepping;
use crate::state::State;
use crate::stepping::contact_correction::CorrectableContact;

impl TimeStepping {
    /// Lets the contact correction change impulses, and v⁺ with them.
    pub(super) fn correct_contacts_of(&mut self, state: &State) {
        let Self { room, posed, search, trial, free, .. } = self;
        room.corrected = false;
        let Some(correction) = &mut room.correction else { return };
        posed.problem.diagonal_blocks_into(&mut room.blocks);
        room.contacts.clear();
        room.impulses.clear();
        for (block, c) in posed.contacts(&search.points) {
            let range = posed.problem.range(block);
            let triple = |x: &[f64]| if c.friction > 0.0 { [x[0], x[1], x[2]] } else { [0.0, 0.0, x[0]] };
            let before = posed.jacobian.velocity(block, &state.v).to_array();
            let a = &room.blocks[block];
            let frictional = c.friction > 0.0;
            let g = |i: usize, j: usize| match frictional {
                true => a[3 * i + j],
                false if i == 2 && j == 2 => a[0],
                false => 0.0,
            };
            let impulse = triple(&trial.impulses[range]);
            room.impulses.push(impulse);
            room.contacts.push(CorrectableContact {
                geometries: c.geometries,
                bodies: c.bodies,
                position: c.position,
                axes: c.axes(),
                gap: c.gap,
                friction: c.friction,
                velocity_before: triple(&before),
                inverse_inertia: std::array::from_fn(|i| std::array::from_fn(|j| g(i, j))),
                impulse,
            });
        }
        correction.correct(&room.contacts, &mut room.impulses);
        let mut changed = false;
        for (((block, c), new), known) in
            posed.contacts(&search.points).zip(&room.impulses).zip(&room.contacts)
        {
            if *new != known.impulse {
                changed = true;
                let rows = &mut trial.impulses[posed.problem.range(block)];
                match c.friction > 0.0 {
                    true => rows[..3].copy_from_slice(new),
                    false => rows[0] = new[2],
                }
            }
        }
        if changed {
            room.corrected = true;
            free.apply_into(posed, &trial.impulses, &state.v, &mut trial.v_next);
        }
    }
}
