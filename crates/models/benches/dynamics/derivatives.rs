//! M⁻¹ and the derivatives of dynamics, from q (and v, a or τ) to the result, in plain numbers.

use crate::states::States;
use stiction_dynamics::*;

pub(crate) const ALGORITHMS: [&str; 3] = ["minverse", "rnea_derivatives", "aba_derivatives"];
const INVERSE: usize = 0;
const RNEA: usize = 1;

/// Everything the algorithms need, ready to run.
pub(crate) struct Derivatives<'a> {
    model: &'a Model,
    states: &'a States,
    kin: Kinematics,
    vel: Velocities,
    rates: ColumnRates,
    acc: Accelerations,
    crba: CrbaWorkspace,
    M: MassMatrix,
    factor: Factor,
    inverse: InverseMass,
    of_rnea: RneaDerivatives,
    of_aba: AbaDerivatives,
}

impl<'a> Derivatives<'a> {
    pub(crate) fn new(model: &'a Model, states: &'a States) -> Self {
        Self {
            model,
            states,
            kin: Kinematics::new(model),
            vel: Velocities::new(model),
            rates: ColumnRates::new(model),
            acc: Accelerations::new(model),
            crba: CrbaWorkspace::new(model),
            M: MassMatrix::new(model),
            factor: Factor::new(model),
            inverse: InverseMass::new(model),
            of_rnea: RneaDerivatives::new(model),
            of_aba: AbaDerivatives::new(model),
        }
    }

    /// `algorithm` at state `k`.
    #[inline(always)]
    pub(crate) fn step(&mut self, algorithm: usize, k: usize) {
        let (model, n) = (self.model, self.model.nv());
        let States { q, v, a, tau, .. } = self.states;
        let (q, v) = (&q[k * model.nq..][..model.nq], &v[k * n..][..n]);
        self.kin.update(model, q);
        if algorithm == INVERSE {
            crba_into(model, &self.kin, &mut self.crba, &mut self.M);
            let _sound = self.factor.factor(&self.M);
            self.inverse.update(&self.factor);
            return;
        }
        self.vel.update(model, &self.kin, v);
        if algorithm == RNEA {
            self.rates.update(model, &self.kin, &self.vel, v);
            self.acc.update(model, &self.kin, &self.vel, &self.rates, v, &a[k * n..][..n]);
            self.of_rnea.update(model, &self.kin, &self.vel, &self.rates, &self.acc);
        } else {
            let _sound = self.of_aba.update(model, &self.kin, &self.vel, v, &tau[k * n..][..n], None);
        }
    }

    /// The result at state `k`, numbers by rows; derivatives by q and by v side by side.
    pub(crate) fn value(&mut self, algorithm: usize, k: usize) -> Vec<f64> {
        self.step(algorithm, k);
        let (by_q, by_v) = match algorithm {
            INVERSE => return self.inverse.entries.clone(),
            RNEA => (&self.of_rnea.tau_q, &self.of_rnea.tau_v),
            _ => (&self.of_aba.acceleration_q, &self.of_aba.acceleration_v),
        };
        let n = self.model.nv();
        by_q.chunks(n).zip(by_v.chunks(n)).flat_map(|(q, v)| [q, v].concat()).collect()
    }
}
