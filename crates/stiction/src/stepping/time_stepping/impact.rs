//! Impacts at their instant: velocities jump while positions stand still.
//!
//! With v⁻ the velocity before, M and J at the configuration of the impact, and e the coefficient of
//! restitution of each contact that touches (limits, couplings and loops: e = 0),
//!
//! ```text
//!     M (v⁺ − v⁻) = Jᵀ Λ                                                                      (1)
//!     K ∋ Λ ⟂ c + Γ(c) ∈ K*,   c_N = J_N v⁺ + e J_N v⁻  where J_N v⁻ < −v_thr, else J_N v⁺       (2)
//!     ΔE = ½ Λᵀ J (v⁻ + v⁺) ≤ 0                                                               (3)
//! ```
//!
//! (2) is Newton's law of restitution with Coulomb friction in all contacts at once [Moreau1988]. Equal and
//! opposite impulses at one point keep linear and angular momentum to rounding. Without friction and with one
//! e (2) implies (3); otherwise it may not [Kane1985]. Then the impact takes the largest share of all its
//! restitutions that obeys (3); with none of them, e = 0, (3) always holds, since no contact does positive
//! work.
//!
//! [`ImpactLaw::Sequential`] solves (1) to (3) of the contacts of one pair of bodies after another, the
//! fastest approach first, until none approaches faster than v_thr: so do impacts follow one another where
//! sound passes through bodies faster than they part, as in Newton's cradle. The contacts of one pair bounce
//! together.

use super::TimeStepping;
use super::energy_error::EnergyFound;
use crate::params::ImpactLaw;
use crate::remedy::Remedy;
use crate::report::StepReport;
use crate::state::State;
use crate::stepping::LeavesOut;
use crate::stepping::attempt::{Attempt, Event, Part};
use stiction_assembly::{BlockKey, Choice};
use stiction_contact::ContactSolver;
use stiction_dynamics::spatial::Vec3;
use stiction_world::World;

/// Contacts and limits nearer than this touch at the instant of an impact [m or rad].
pub(super) const CLOSED: f64 = 1e-6;
/// Energy that (3) lets pass, of the kinetic energy of the impulses alone, ½ Λᵀ G Λ: what the tolerance of
/// the solver leaves [–].
const SLACK: f64 = 1e-7;
/// Solves of (2) by which the largest share of restitution is found, at most.
const SOLVES: usize = 12;
/// Contacts that part no faster after an impact stay closed, and those that approach no faster are not hit [m/s].
const STAYS: f64 = 1e-6;
/// Impacts of one instant that follow one another, at most, per contact; the last takes all that is left at
/// once.
const IMPACTS: usize = 200;

impl TimeStepping {
    /// The next impact as an attempt of a part in which nothing moves.
    pub(super) fn strike(
        &mut self,
        part: &Part<'_>,
        done: usize,
        state: &mut State,
        solver: &mut dyn ContactSolver,
    ) -> Attempt {
        match self.next_impact(part.world, state, done, part.h, solver) {
            Ok(Some(report)) => Attempt::Done(report),
            Ok(None) => {
                self.clear_problem();
                Attempt::Event(Event::Parted, StepReport::default())
            }
            Err(cause) => Attempt::Failed(cause.into()),
        }
    }

    /// (1) to (3): the velocity of `state` after the next impact of what touches there and approaches, if
    /// there is one; `done` came before it. `h` is the length of a whole step, of which v_thr depends [s].
    fn next_impact(
        &mut self,
        world: &World,
        state: &mut State,
        done: usize,
        h: f64,
        solver: &mut dyn ContactSolver,
    ) -> Result<Option<StepReport>, String> {
        if done == 0 {
            self.search.note_landing();
        }
        let at_once = self.params.impacts == ImpactLaw::AtOnce;
        if at_once && done > 0 {
            return Ok(None);
        }
        self.here.look(world, state, 0.0, true);
        self.rolling.give_up();
        self.free.find_at_instant(world, state, &self.here)?;
        self.search.find_touching(world, (&self.here, &self.free), CLOSED);
        self.pose_impact(world, state, h, solver)?;
        let slow = self.params.bouncing_speed(h, &world.model.gravity);
        let slow = if done == 0 { STAYS } else { slow };
        let Some(pair) = self.fastest_approach(slow) else {
            if done > 0 {
                self.trial.v_next.copy_from_slice(&state.v);
                self.start_motions_anew(world);
            }
            return Ok(None);
        };
        if let Some(pair) = pair
            && !at_once
            && done < IMPACTS * self.search.points.len()
        {
            self.search.points.retain(|c| c.bodies == pair);
            self.pose_impact(world, state, h, solver)?;
        }
        self.solve(world, state, solver)?; // (1), (2)
        self.lose_energy(world, state, solver)?; // (3)
        self.correct_contacts_of(state);
        state.v.copy_from_slice(&self.trial.v_next);
        if at_once {
            self.start_motions_anew(world);
        }
        self.energy_error.found = EnergyFound::default();
        Ok(Some(self.report(0, self.remedy, None)))
    }

    /// The fastest of the contacts and stops that approach faster than `slow` [m/s or rad/s]: the pair of bodies of a
    /// contact.
    fn fastest_approach(&self, slow: f64) -> Option<Option<[Option<usize>; 2]>> {
        let opens = |i: &usize| self.posed.problem.cone(*i).opens();
        let blocks = (0..self.posed.blocks.len()).filter(opens);
        let (block, speed) = blocks
            .map(|i| (i, -self.posed.blocks[i].bias.free))
            .reduce(|best, next| if next.1 > best.1 { next } else { best })?;
        let pair = match self.posed.blocks[block].key {
            BlockKey::Contact(index) => Some(self.search.points[index].bodies),
            BlockKey::Row(_) => None,
        };
        (speed > slow).then_some(pair)
    }

    /// The contacts that the impacts left closed last from their instant on, with the velocities after it; others are new.
    fn start_motions_anew(&mut self, world: &World) {
        let Self { warm, search, posed, trial, here, rolling, free, .. } = self;
        warm.clear_contacts();
        free.last_forces.clear();
        for (block, contact) in posed.contacts(&search.points) {
            let parts = posed.jacobian.row_velocity(block, posed.problem.cone(block).normal(), &trial.v_next);
            if parts > STAYS {
                continue;
            }
            let motion = rolling.motion((world, &here.kin), posed, (block, contact), &trial.v_next, (0.0, 1));
            warm.push_contact(contact.geometries, contact.feature, [Vec3::ZERO; 2], motion);
        }
    }

    fn pose_impact(
        &mut self,
        world: &World,
        state: &State,
        h: f64,
        solver: &dyn ContactSolver,
    ) -> Result<(), String> {
        let params = self.params.rows(h, &world.model.gravity).at_instant(CLOSED);
        std::mem::swap(&mut self.warm, &mut self.no_warm_starts);
        let posed = self.pose_with(params, world, (state, state), solver);
        std::mem::swap(&mut self.warm, &mut self.no_warm_starts);
        self.posed.problem.time_step = h;
        posed
    }

    /// (3): the largest share of restitution that makes no energy, by regula falsi.
    fn lose_energy(
        &mut self,
        world: &World,
        state: &State,
        solver: &mut dyn ContactSolver,
    ) -> Result<(), String> {
        let gained = self.energy_gained(state);
        if gained <= 0.0 || !self.posed.bounces() || self.trial.choice.restitution == 0.0 {
            return Ok(());
        }
        let (mut high, mut low) = ((self.trial.choice.restitution, gained), None::<(f64, f64)>);
        let mut share = 0.0;
        for _ in 0..SOLVES {
            self.trial.choice = Choice { restitution: share, ..self.trial.choice };
            self.posed.choose(self.trial.choice);
            self.solve(world, state, solver)?;
            let gained = self.energy_gained(state);
            if gained > 0.0 {
                high = (share, gained);
            } else {
                low = Some((share, gained));
                self.room.best.set_to(&self.trial);
            }
            let Some(low) = low else { break };
            share = low.0 + (high.0 - low.0) * (low.1 / (low.1 - high.1)).clamp(0.05, 0.95);
        }
        if low.is_some() {
            self.trial.set_to(&self.room.best);
            self.posed.choose(self.trial.choice);
        }
        self.remedy = self.remedy.max(Some(Remedy::LessRestitution));
        Ok(())
    }

    /// ΔE of (3), less what is rounding [J].
    fn energy_gained(&mut self, state: &State) -> f64 {
        let Self { posed, trial, room, .. } = self;
        let momentum = &mut room.momentum;
        momentum.clear();
        momentum.resize(state.v.len(), 0.0);
        posed.jacobian.add_impulses_into(posed.problem.row_start(), &trial.impulses, momentum);
        let (mut gained, mut size) = (0.0, 0.0);
        for ((p, v), next) in momentum.iter().zip(&state.v).zip(&trial.v_next) {
            gained += 0.5 * p * (v + next);
            size += 0.5 * p * (next - v);
        }
        gained - SLACK * size.abs()
    }
}
