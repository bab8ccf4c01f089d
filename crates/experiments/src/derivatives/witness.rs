//! Central differences of whole steps, where all of them meet the same contacts in the same modes.

use stiction::dynamics::{difference_into, integrate_into};
use stiction::stepping::BlockMode;
use stiction::{Linearization, Quadrature, Simulation, State};

/// Displacements that are tried, from the largest [m, rad, m/s, rad/s or units of a control].
const SWEEP: [f64; 6] = [1e-3, 2e-4, 4e-5, 8e-6, 1.6e-6, 3.2e-7];
/// Weights of the fourth order at one and at two displacements.
const WEIGHTS: [f64; 2] = [8.0 / 12.0, -1.0 / 12.0];

/// Columns that differ by less than this share are the same but for rounding, at the least displacement [–].
const SAME: f64 = 3e-5;

/// The piece of the step map that a step was on: modes of blocks and rules of trees of its last part, and its parts.
type Piece = (Vec<BlockMode>, Vec<Quadrature>, u32);

/// An error of a derivative, and what the differences that it is the error beside are known to, both relative [–].
#[derive(Clone, Copy, Default)]
pub(super) struct Compared {
    pub(super) error: f64,
    pub(super) known: f64,
}

/// Steps from displaced states, which start cold.
pub(super) struct Witness<'a> {
    sim: &'a mut Simulation,
    start: State,
    control: Vec<f64>,
}

impl<'a> Witness<'a> {
    pub(super) fn new(sim: &'a mut Simulation, start: State, control: Vec<f64>) -> Self {
        Self { sim, start, control }
    }

    /// State after a step from the start displaced by `x` times column `k`, and on which piece it was.
    fn after(&mut self, k: usize, x: f64) -> Option<(State, Piece)> {
        let world = self.sim.shared_world();
        let (model, nv) = (&world.model, world.model.nv());
        let (mut state, mut control) = (self.start.clone(), self.control.clone());
        match k {
            _ if k < nv => {
                let mut e = vec![0.0; nv];
                e[k] = x;
                integrate_into(model, &self.start.q, &e, 1.0, &mut state.q);
            }
            _ if k < 2 * nv => state.v[k - nv] += x,
            _ => control[k - 2 * nv] += x,
        }
        self.sim.set_state(state).ok()?;
        self.sim.control_mut().copy_from_slice(&control);
        let report = self.sim.step();
        if report.failure().is_some() {
            return None;
        }
        let accepted = self.sim.accepted()?;
        let modes = accepted.active_set().filter(|m| *m != BlockMode::Open).collect();
        let piece = (modes, accepted.quadrature.to_vec(), report.parts);
        Some((self.sim.state().clone(), piece))
    }

    /// Column `k` by a difference of the fourth order at the displacement `x`, if all is on the piece `of`.
    fn difference(&mut self, k: usize, x: f64, of: &Piece) -> Option<Vec<f64>> {
        let world = self.sim.shared_world();
        let nv = world.model.nv();
        let mut column = vec![0.0; 2 * nv];
        for (times, weight) in [1.0, 2.0].into_iter().zip(WEIGHTS) {
            let ((ahead, one), (back, other)) = (self.after(k, times * x)?, self.after(k, -times * x)?);
            if one != *of || other != *of {
                return None;
            }
            let mut moved = vec![0.0; nv];
            difference_into(&world.model, &back.q, &ahead.q, 1.0, &mut moved);
            for i in 0..nv {
                column[i] += weight / x * moved[i];
                column[nv + i] += weight / x * (ahead.v[i] - back.v[i]);
            }
        }
        Some(column)
    }

    /// The largest relative error of these columns; `None` if a switch is too near for differences.
    pub(super) fn worst(&mut self, of: &Linearization, columns: &[usize]) -> Option<Compared> {
        let (nv, nu) = (of.nv, of.nu);
        let (_, piece) = self.after(0, 0.0)?;
        let mut worst = Compared::default();
        for &k in columns {
            let all: Vec<_> =
                SWEEP.iter().filter_map(|x| Some((*x, self.difference(k, *x, &piece)?))).collect();
            let (lengths, all): (Vec<f64>, Vec<_>) = all.into_iter().unzip();
            // Larger displacements than those from which on all agree reach over a kink that modes do not tell, as where an overlap
            // begins to be undone.
            let agree = |a: &Vec<f64>, b: &Vec<f64>| {
                distance(a, b) <= SAME * distance(a, &vec![0.0; a.len()]).max(1.0)
            };
            let first = (0..all.len()).find(|&s| all[s..].iter().all(|d| agree(&all[s], d)))?;
            // A solver's answers are known to its tolerance, which differences divide by their displacement: the smallest tell how much that
            // is. Two may agree better than that by chance.
            let apart = |s: usize| distance(&all[s], &all[s + 1]);
            let last = all.len().checked_sub(2).filter(|last| *last >= first)?;
            let noise = (first.max(last.saturating_sub(1))..=last)
                .fold(0.0_f64, |most, s| most.max(apart(s) * lengths[s + 1]));
            let best = (first..=last).min_by(|a, b| apart(*a).total_cmp(&apart(*b)))?;
            let known = apart(best) + noise / lengths[best + 1];
            let ours: Vec<f64> = (0..2 * nv)
                .map(|i| if k < 2 * nv { of.a[i * 2 * nv + k] } else { of.b[i * nu + k - 2 * nv] })
                .collect();
            let size = distance(&ours, &vec![0.0; ours.len()]).max(1.0);
            let error = distance(&ours, &all[best + 1]) / size;
            if error >= worst.error {
                worst = Compared { error, known: known / size };
            }
        }
        Some(worst)
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}
