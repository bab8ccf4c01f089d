//! Central differences of whole steps, from the same start: the witness of every linearization.

use stiction::dynamics::{difference_into, integrate_into};
use stiction::{Linearization, Simulation, State};

/// Displacements that are tried, from the largest.
const SWEEP: [f64; 5] = [1e-3, 2e-4, 4e-5, 8e-6, 1.6e-6];

/// Steps from displaced states, which start cold.
pub(crate) struct Witness<'a> {
    pub(crate) simulation: &'a mut Simulation,
    pub(crate) start: State,
    pub(crate) control: Vec<f64>,
}

impl Witness<'_> {
    /// State after a step from the start displaced by `x` times column `k`.
    fn after(&mut self, k: usize, x: f64) -> State {
        let model = &self.simulation.shared_world().model;
        let nv = model.nv();
        let mut state = self.start.clone();
        let mut control = self.control.clone();
        if k < nv {
            let mut e = vec![0.0; nv];
            e[k] = x;
            integrate_into(model, &self.start.q, &e, 1.0, &mut state.q);
        } else if k < 2 * nv {
            state.v[k - nv] += x;
        } else {
            control[k - 2 * nv] += x;
        }
        self.simulation.set_state(state).unwrap();
        self.simulation.control_mut().copy_from_slice(&control);
        let report = self.simulation.step();
        assert!(report.failure().is_none(), "{report:?}");
        self.simulation.state().clone()
    }

    /// Column `k` by a difference of the fourth order at the displacement `x`.
    fn difference(&mut self, k: usize, x: f64) -> Vec<f64> {
        let nv = self.simulation.world().model.nv();
        let mut column = vec![0.0; 2 * nv];
        for (times, weight) in [(1.0, 8.0 / 12.0), (2.0, -1.0 / 12.0)] {
            let (ahead, back) = (self.after(k, times * x), self.after(k, -times * x));
            let mut moved = vec![0.0; nv];
            difference_into(&self.simulation.shared_world().model, &back.q, &ahead.q, 1.0, &mut moved);
            for i in 0..nv {
                column[i] += weight / x * moved[i];
                column[nv + i] += weight / x * (ahead.v[i] - back.v[i]);
            }
        }
        column
    }

    /// Column `k` at the displacement where two of the sweep agree best.
    fn column(&mut self, k: usize) -> Vec<f64> {
        let all: Vec<_> = SWEEP.iter().map(|x| self.difference(k, *x)).collect();
        let apart = |w: &[Vec<f64>]| size(&less(&w[0], &w[1]));
        let best = all.windows(2).min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap();
        best[1].clone()
    }

    /// The largest relative error of a column, and which that is.
    pub(crate) fn worst(&mut self, of: &Linearization) -> (f64, usize) {
        self.worst_of(of, |witness, k, _| witness.column(k))
    }

    /// The largest error of a column beside the difference of the sweep that is nearest to it. Where answers scatter, differences do
    /// by that over their displacement, and two may agree by chance.
    pub(crate) fn worst_beside_nearest(&mut self, of: &Linearization) -> (f64, usize) {
        self.worst_of(of, |witness, k, ours| {
            let all = SWEEP.iter().map(|x| witness.difference(k, *x));
            all.min_by(|a, b| size(&less(ours, a)).total_cmp(&size(&less(ours, b)))).unwrap()
        })
    }

    fn worst_of(
        &mut self,
        of: &Linearization,
        mut column: impl FnMut(&mut Self, usize, &[f64]) -> Vec<f64>,
    ) -> (f64, usize) {
        let (nv, nu) = (of.nv, of.nu);
        let mut worst = (0.0, 0);
        for k in 0..2 * nv + nu {
            let ours: Vec<f64> = (0..2 * nv)
                .map(|i| if k < 2 * nv { of.a[i * 2 * nv + k] } else { of.b[i * nu + k - 2 * nv] })
                .collect();
            let theirs = column(self, k, &ours);
            let error = size(&less(&ours, &theirs)) / size(&theirs).max(1e-3);
            if error > worst.0 {
                worst = (error, k);
            }
        }
        worst
    }
}

fn less(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn size(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
