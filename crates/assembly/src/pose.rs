//! From contact points, joint limits, dry friction, couplings, loops and tendons to one constraint problem.
//!
//! With v_f the velocity without constraint impulses and h the step, c = J v_f + biases in the rows of
//!
//! | kind | file | set of λ |
//! |---|---|---|
//! | contact | [`crate::rows::contact`] | friction cone, λ_N ≥ 0 |
//! | joint limit | [`crate::rows::limit`] | λ ≥ 0 |
//! | dry friction of a joint | [`crate::rows::dry_friction`] | \|λ\| ≤ h τ_f |
//! | coupling of joints | [`crate::rows::coupling`] | free |
//! | loop closure | [`crate::rows::loop_closure`] | free |
//! | implicit force of an actuator or tendon | [`crate::rows::implicit_force`] | h times its range |
//! | limit and dry friction of a tendon | [`crate::rows::tendon`] | as of a joint |
//!
//! in this order. g is computed from the biases ([`crate::block::Bias`]) and never edited afterwards.
//!
//! At the instant of an impact positions stand still and finite forces have no impulse: the problem has the rows of contacts
//! and limits that touch, couplings and loops, whose position errors ask for nothing ([`crate::RowParams::at_instant`]).

use crate::contact_point::ContactPoint;
use crate::posed::Posed;
use crate::posing::Posing;
use crate::rows;
use crate::warm_start::WarmStart;
use stiction_dynamics::lanes;

impl Posing<'_> {
    /// Writes every block to `out`, and recalls its warm start.
    pub fn pose_into(&self, contacts: &[ContactPoint], warm: &mut WarmStart, out: &mut Posed) {
        out.clear();
        out.problem.time_step = self.params.h;
        warm.begin();
        lanes::plain(
            #[inline(always)]
            || {
                for (index, contact) in contacts.iter().enumerate() {
                    let cone = rows::contact::push(self, index, contact, warm, out);
                    warm.recall_contact(contact, cone);
                }
            },
        );
        rows::push(self, out, warm);
    }
}
