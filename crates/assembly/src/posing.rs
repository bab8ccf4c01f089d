//! What is known when rows are posed; what is made of it is [`crate::pose`].

use crate::compliance::ComplianceParameters;
use crate::forces::{Effort, ImplicitForce};
use crate::laws::row_params::RowParams;
use crate::loops::Loops;
use crate::posed::Posed;
use crate::row_key::RowKey;
use stiction_contact::{Law, Material};
use stiction_dynamics::Kinematics;
use stiction_dynamics::spatial::Motion;
use stiction_world::World;

/// What is known when rows are posed.
pub struct Posing<'a> {
    pub world: &'a World,
    /// Kinematics at `q`: where contacts and position errors are.
    pub kin: &'a Kinematics,
    /// The middle of the step, where rows of linkages that turn are taken; `None`: nothing turns.
    pub middle: Option<Middle<'a>>,
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
    /// Trees that are posed in the middle of the step; `None`: no tree is.
    pub rolling: Option<Rolling<'a>>,
    /// For a solver of a compliant law: its parameters, and the law.
    pub compliance: Option<(&'a ComplianceParameters, Law)>,
}

/// Trees whose `q`, `v` and `kin` are those of the middle of the step, [`crate::rolling`].
#[derive(Clone, Copy)]
pub struct Rolling<'a> {
    /// Whether a tree does, by its number.
    pub on: &'a [bool],
    /// Who is known to slide or to stick, by the number of a contact; empty: nobody.
    pub slips: &'a [Slip],
    /// The law is Coulomb's: friction depends on the direction of the slip alone.
    pub coulomb: bool,
    /// Start of the step.
    pub start: Start<'a>,
}

/// How the slip of a contact goes on in a step, as a first solve of it showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Slip {
    #[default]
    Unknown,
    /// It may end in the step: (2) of [`crate::rolling`] says when.
    Slides,
    /// It ends in the step.
    Sticks,
}

/// Start of a step that is posed in its middle.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    pub kin: &'a Kinematics,
    pub q: &'a [f64],
    /// Stops that the part of a step leads to: they do not act.
    pub left_out: &'a [RowKey],
}

/// Rows that turn in a step: kinematics and positions at its start, and where J is.
#[derive(Clone, Copy)]
pub(crate) struct Turning<'a> {
    pub(crate) kin: [&'a Kinematics; 2],
    pub(crate) q: [&'a [f64]; 2],
}

/// The middle of a step.
#[derive(Clone, Copy)]
pub struct Middle<'a> {
    pub kin: &'a Kinematics,
    pub q: &'a [f64],
    /// Per tree: it turns, and with it all that loops and couplings tie to it.
    pub turning: &'a [bool],
}

impl Posing<'_> {
    /// Start and middle of the step, if the row that ties `trees` turns.
    pub(crate) fn turning_of(&self, mut trees: impl Iterator<Item = usize>) -> Option<Turning<'_>> {
        if let Some(Rolling { start, on, .. }) = self.rolling {
            let turns = trees.any(|t| on[t]);
            return turns.then_some(Turning { kin: [start.kin, self.kin], q: [start.q, self.q] });
        }
        let m = self.middle.filter(|m| trees.any(|t| m.turning[t]))?;
        Some(Turning { kin: [self.kin, m.kin], q: [self.q, m.q] })
    }

    /// Start of the step, if a row of `tree` is posed in its middle.
    pub(crate) fn start_of(&self, tree: usize) -> Option<Start<'_>> {
        self.rolling.filter(|r| r.on[tree]).map(|r| r.start)
    }

    /// The solver's law is MuJoCo's.
    pub(crate) fn is_mujoco(&self) -> bool {
        self.compliance.is_some_and(|(_, law)| matches!(law, Law::Mujoco | Law::MujocoPyramidal))
    }

    /// The gap of a block, where the solver's law reads it.
    #[inline(always)]
    pub(crate) fn softness_gap(&self, gap: f64) -> Option<f64> {
        self.compliance.is_some().then_some(gap)
    }

    /// Compliance of the row that was pushed last, if the law is compliant: a row of loop `index`, which turns or moves its ends,
    /// and whose rows are in `error` together.
    pub(crate) fn soften_loop(&self, out: &mut Posed, index: usize, turns: bool, error: f64) {
        if let (Some((parameters, law)), Some(last)) = (self.compliance, out.problem.softness.last_mut()) {
            last.material = parameters.closure(index);
            let weight = parameters.of_links(law, self.world.loops[index].ends.map(|e| e.0), turns);
            // MuJoCo's rows are of half the angle.
            last.weight = if turns { 4.0 * weight } else { weight };
            last.error = error;
        }
    }

    /// Weight of the row that was pushed last, which couples the joints of `dofs`, if the law is compliant.
    pub(crate) fn soften_coupling(&self, out: &mut Posed, dofs: impl Iterator<Item = usize>) {
        if let (Some((parameters, law)), Some(last)) = (self.compliance, out.problem.softness.last_mut()) {
            last.weight = dofs.map(|dof| parameters.of_dof(law, dof)).sum();
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
