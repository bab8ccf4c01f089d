//! Impacts one after another.
//!
//! Newton's law of restitution on all contacts at once, e of the approach of each, is what a step does by default: of balls in a
//! row that touch, struck by one, it throws all but the striker. Where sound passes from ball to ball faster than they part, as
//! in a cradle, impacts follow one another instead. Before the step, therefore, while some contact with e > 0 that touches, or
//! would within the step, approaches faster than bodies bounce,
//!
//! ```text
//!     i: the fastest approach,   K ∋ λ_i ⟂ c_i⁺ + Γ(c_i⁺) ∈ K*  with  c_iN⁺ + e c_iN for its normal velocity,   v ← v + M̂⁻¹ J_iᵀ λ_i   (1)
//! ```
//!
//! each as if it were alone. The step then starts with the velocity that is left, at which nothing that bounces approaches. Its
//! problem and certificate are those of what follows the impacts. Of contacts that are met within the step the way to there is
//! not told from the way after it.

use super::TimeStepping;
use crate::input::Input;
use crate::params::ImpactLaw;
use crate::state::State;
use stiction_contact::{Cone, ContactSolver};
use stiction_models::World;
use stiction_solvers::local::{Contact, quartic};

/// Impacts of a step, at most, per contact.
const IMPACTS: usize = 200;

impl TimeStepping {
    /// The velocity after the impacts (1); `None` where there are none, or [`ImpactLaw::AtOnce`] is asked for.
    pub(super) fn impacts_one_by_one(
        &mut self,
        world: &World,
        state: &State,
        input: &Input,
        h: f64,
        solver: &dyn ContactSolver,
    ) -> Result<Option<Vec<f64>>, String> {
        if self.params.impacts != ImpactLaw::Sequential || solver.needs().softness {
            return Ok(None);
        }
        self.free.find(world, state, input, h, (&mut self.here, &mut self.advance.trapezoidal))?;
        self.find_contacts(world, h);
        self.pose(world, state, h, solver)?;
        let (slowest, slop) = (self.params.bouncing_speed(h, &world.model.gravity), self.params.slop);
        let Self { posed, search, free, .. } = self;
        let problem = &posed.problem;
        let mut blocks = Vec::new();
        problem.diagonal_blocks_into(&mut blocks);
        let (mut c, mut impulse, mut change) =
            (vec![0.0; problem.rows()], vec![0.0; problem.rows()], Vec::new());
        let mut total = impulse.clone();
        for block in 0..problem.len() {
            let along = posed.jacobian.velocity(block, &state.v).to_array();
            c[problem.range(block)].iter_mut().zip(along).for_each(|(c, along)| *c = along);
        }
        let bouncing: Vec<(usize, f64, f64)> = posed
            .contacts(&search.points)
            .filter(|(_, p)| p.restitution > 0.0)
            .map(|(block, p)| (block, p.restitution, p.gap))
            .collect();
        let normal = |block: usize| problem.range(block).start + problem.cone(block).normal();
        for _ in 0..IMPACTS * bouncing.len() {
            let touches = |c: &[f64], block: usize, gap: f64| gap <= slop.max(-h * c[normal(block)]);
            let approach = |c: &[f64], &(block, _, gap): &(usize, f64, f64)| {
                if touches(c, block, gap) { -c[normal(block)] } else { 0.0 }
            };
            let fastest = bouncing.iter().map(|b| (approach(&c, b), b));
            let fastest = fastest.fold((slowest, None), |best, (speed, b)| {
                if speed > best.0 * (1.0 + 1e-9) { (speed, Some(b)) } else { best }
            });
            let (speed, Some(&(block, e, _))) = fastest else { break };
            let rows = problem.range(block);
            impulse.fill(0.0);
            let struck = match problem.cone(block) {
                Cone::Friction { mu } => Contact::new(blocks[block], mu).map(|contact| {
                    let own = &c[rows.clone()];
                    let shifted = [own[0], own[1], own[2] - e * speed];
                    impulse[rows.clone()].copy_from_slice(&quartic::solve(&contact, [0.0; 3], shifted));
                }),
                _ => (blocks[block][0] > 0.0).then(|| {
                    impulse[rows.start] = (1.0 + e) * speed / blocks[block][0];
                }),
            };
            if struck.is_none() {
                break;
            }
            problem.delassus_mul_into(&impulse, &mut change);
            c.iter_mut().zip(&change).for_each(|(c, d)| *c += d);
            total.iter_mut().zip(&impulse).for_each(|(t, l)| *t += l);
        }
        if total.iter().all(|l| *l == 0.0) {
            return Ok(None);
        }
        let mut v = vec![0.0; state.v.len()];
        posed.jacobian.add_impulses_into(problem.row_start(), &total, &mut v);
        free.factor.solve_in_place(&mut v);
        v.iter_mut().zip(&state.v).for_each(|(v, before)| *v += before);
        Ok(Some(v))
    }
}
