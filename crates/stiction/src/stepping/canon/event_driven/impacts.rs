//! Resets: impacts of what touches, until nothing approaches, and modes anew.

use super::super::flow::Acting;
use super::super::restitution;
use super::super::rows::Approach;
use super::super::search::relative_velocity;
use super::stops::Stop;
use super::{EventDriven, SLIPS, TOUCH};
use crate::remedy::Remedy;
use crate::stepping::attempt::Step;
use stiction_assembly::{ContactPoint, RowParams};
use stiction_dynamics::integrate_into;

/// Rounds of impacts at one instant, at most.
const ROUNDS: u32 = 200;

impl EventDriven {
    /// Impacts at y, and the modes from there on.
    pub(super) fn reset(&mut self, step: &Step<'_>) -> Result<(), String> {
        let Step { world, start, .. } = *step;
        let (mut q, y) = (start.q.clone(), &mut self.course.y);
        integrate_into(&world.model, &start.q, &y[..start.v.len()], 1.0, &mut q);
        let mut v = y[start.v.len()..2 * start.v.len()].to_vec();
        let law = &mut self.law;
        law.active.clear();
        let Acting { at, search, points, .. } = &mut law.acting;
        at.look(world, &q, &v);
        search.find_near(world, &at.kin, TOUCH, points);
        points.retain(|c| c.gap <= TOUCH);
        law.stops.iter_mut().for_each(|s| s.closed = None);
        if points.is_empty() && law.stops.iter().all(|s| s.end.gap(&q) > TOUCH) {
            return Ok(());
        }
        law.rows.factor(world, &at.kin)?;
        let own = self.params.canon.event_driven;
        let instant =
            RowParams { bouncing_speed: own.rest_speed, ..self.params.rows(1.0, &world.model.gravity) }
                .at_instant(TOUCH);
        for round in 0..=ROUNDS {
            at.look(world, &q, &v);
            let approaches = |c: &ContactPoint| c.n.dot(relative_velocity(&at.kin, &at.vel, c)) < -SLIPS;
            let stops = |s: &Stop| s.end.gap(&q) <= TOUCH && s.end.opening(&v) < -SLIPS;
            if !points.iter().any(approaches) && !law.stops.iter().any(stops) {
                break;
            }
            if round == ROUNDS {
                return Err(format!("{ROUNDS} impacts at one instant do not part what touches"));
            }
            let before = v.clone();
            let approach = Approach { q: &q, v: &before, v_free: &before };
            law.rows.pose(world, (&at.kin, points), approach, instant, true)?;
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
        y[v.len()..2 * v.len()].copy_from_slice(&v);
        law.active = law.choose(step, (&q, &v))?;
        Ok(())
    }
}
