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

use crate::compliance::ComplianceParameters;
use crate::contact_points::ContactPoint;
use crate::forces::{Effort, ImplicitForce};
use crate::params::RowParams;
use crate::posed::Posed;
use crate::rows;
use crate::rows::loop_closure::Loops;
use crate::warm_start::WarmStart;
use stiction_contact::{Law, Material};
use stiction_dynamics::spatial::Motion;
use stiction_dynamics::{Kinematics, lanes};
use stiction_models::World;

/// What is known when rows are posed.
pub struct Posing<'a> {
    pub world: &'a World,
    /// Kinematics at `q`: where contacts and position errors are.
    pub kin: &'a Kinematics,
    /// Kinematics at which loops take their directions: `kin`, or those in the middle of a step.
    pub loop_kin: &'a Kinematics,
    /// Generalized positions and velocities at the start of the step.
    pub q: &'a [f64],
    pub v: &'a [f64],
    /// v_f, and the motions of bodies that this is, about the references of `kin`.
    pub free_velocity: &'a [f64],
    pub free_motions: &'a [Motion],
    pub params: RowParams,
    /// Actuators on several dofs or at their limits, and tendons, with an implicit part.
    pub implicit_forces: &'a [(ImplicitForce, Effort)],
    /// Index into q of every dof of a scalar joint.
    pub q_of_dof: &'a [usize],
    pub loops: &'a Loops,
    /// For a solver of a compliant law: its parameters, and the law.
    pub compliance: Option<(&'a ComplianceParameters, Law)>,
}

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
                    let cone = rows::contact::push(self, index, contact, out);
                    warm.recall_contact(contact, cone);
                }
            },
        );
        rows::limit::push(self, out, warm);
        rows::dry_friction::push(self, out, warm);
        let first = out.blocks.len();
        rows::coupling::push(self, out, warm);
        rows::loop_closure::push(self, out, warm);
        out.note_bilateral(first);
        rows::implicit_force::push(self, out, warm);
        rows::tendon::push(self, out, warm);
    }

    /// The gap of a block, where the solver's law reads it.
    #[inline(always)]
    pub(crate) fn softness_gap(&self, gap: f64) -> Option<f64> {
        self.compliance.is_some().then_some(gap)
    }

    /// Compliance of the row that was pushed last, if the law is compliant: a row of a loop between `bodies`.
    pub(crate) fn soften_loop(&self, out: &mut Posed, index: usize, bodies: [Option<usize>; 2]) {
        if let (Some((parameters, law)), Some(last)) = (self.compliance, out.problem.softness.last_mut()) {
            last.material = parameters.closure(index);
            last.weight = parameters.of_bodies(law, bodies);
        }
    }

    /// The same of a row of a joint, at `dof`.
    pub(crate) fn soften(
        &self,
        out: &mut Posed,
        dof: usize,
        material: impl Fn(&ComplianceParameters) -> Material,
    ) {
        if let (Some((parameters, law)), Some(last)) = (self.compliance, out.problem.softness.last_mut()) {
            last.material = material(parameters);
            last.weight = parameters.of_dof(law, dof);
        }
    }
}
