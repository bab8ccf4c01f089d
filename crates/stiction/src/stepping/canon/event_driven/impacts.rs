//! Resets: impacts of what touches, until nothing approaches, and modes anew.

use super::super::restitution;
use super::super::search::relative_velocity;
use super::stops::Stop;
use super::{EventDriven, SLIPS, TOUCH};
use crate::input::Input;
use crate::remedy::Remedy;
use stiction_assembly::{ContactPoint, RowParams};
use stiction_dynamics::integrate_into;
use stiction_world::World;

/// Rounds of impacts at one instant, at most.
const ROUNDS: u32 = 200;

impl EventDriven {
    /// Impacts at y, and the modes from there on.
    pub(super) fn reset(&mut self, world: &World, q_start: &[f64], input: &Input) -> Result<(), String> {
        let n = self.law.tau.len();
        integrate_into(&world.model, q_start, &self.y[..n], 1.0, &mut self.q);
        let mut v = self.y[n..2 * n].to_vec();
        let law = &mut self.law;
        law.active.clear();
        law.at.look(world, &self.q, &v);
        law.search.find(world, &law.at.kin, &law.still, (0.0, TOUCH), &mut law.points);
        law.points.retain(|c| c.gap <= TOUCH);
        law.stops.iter_mut().for_each(|s| s.closed = None);
        if law.points.is_empty() && law.stops.iter().all(|s| s.end.gap(&self.q) > TOUCH) {
            return Ok(());
        }
        law.rows.factor(world, &law.at.kin)?;
        let own = self.params.canon.event_driven;
        let instant =
            RowParams { bouncing_speed: own.rest_speed, ..self.params.rows(1.0, &world.model.gravity) }
                .at_instant(TOUCH);
        for round in 0..=ROUNDS {
            law.at.look(world, &self.q, &v);
            let (at, points) = (&law.at, &law.points);
            let approaches = |c: &ContactPoint| c.n.dot(relative_velocity(&at.kin, &at.vel, c)) < -SLIPS;
            let stops = |s: &Stop| s.end.gap(&self.q) <= TOUCH && s.end.opening(&v) < -SLIPS;
            if !points.iter().any(approaches) && !law.stops.iter().any(stops) {
                break;
            }
            if round == ROUNDS {
                return Err(format!("{ROUNDS} impacts at one instant do not part what touches"));
            }
            let before = v.clone();
            law.rows.pose(world, (&at.kin, points), (&self.q, &before, &before), instant, true)?;
            let hit = (&mut law.rows, &points[..]);
            let works =
                restitution::hit(own.restitution, hit, law.solver.as_mut(), own.impulse_parts, &mut v)?;
            self.ledger.normal += works.normal;
            self.ledger.friction += works.friction;
            self.ledger.limits += works.limits;
            if works.share < 1.0 {
                self.remedy = self.remedy.max(Some(Remedy::LessRestitution));
            }
        }
        self.y[n..2 * n].copy_from_slice(&v);
        law.active = law.choose(world, (&self.q, &v), input)?;
        Ok(())
    }
}
