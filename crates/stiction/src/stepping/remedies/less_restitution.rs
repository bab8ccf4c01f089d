//! Bounces that make energy: less of them.
//!
//! Bodies that meet alone gain nothing by bouncing. Links that joints hold together may, by Newton's restitution with
//! friction: e of one contact is of the velocity that impulses at others make [Kane1985]. Where an answer makes more than
//! a tenth of what there is, its bounces are made less, and if need be none.

use super::{Solving, mass};
use crate::remedy::Remedy;
use crate::stepping::trial::Trial;
use stiction_contact::SolveReport;

/// Share of the kinetic energy that bounces may make [–].
const GAIN: f64 = 0.1;
/// Restitution that is tried where they make more, one after the other [–].
const SHARES: [f64; 3] = [0.5, 0.25, 0.0];

/// After a solve that settled: less restitution, if it makes energy and there is an answer with less. Else the trial is as it
/// was, with v⁺.
pub(super) fn apply(s: &mut Solving<'_>, trial: &mut Trial) -> Option<Remedy> {
    s.apply(trial);
    let rigid = !s.solver.law().compliant();
    if trial.choice.restitution == 0.0
        || !trial.report.settled()
        || !rigid
        || !s.posed.bounces()
        || !gains(s, trial)
    {
        return None;
    }
    s.other.set_to(trial);
    for share in SHARES {
        trial.choice.restitution = share;
        s.posed.choose(trial.choice);
        let next = s.run(&mut trial.impulses);
        trial.report = SolveReport { iterations: trial.report.iterations + next.iterations, ..next };
        s.apply(trial);
        if next.settled() && (share == 0.0 || !gains(s, trial)) {
            let none = share == 0.0;
            return Some(if none { Remedy::WithoutRestitution } else { Remedy::LessRestitution });
        }
    }
    let iterations = trial.report.iterations;
    trial.set_to(s.other);
    s.posed.choose(trial.choice);
    trial.report.iterations = iterations;
    None
}

/// Whether impulses that obey the law make more energy than [`GAIN`], than feedback of loops gives, and than bodies at a slow
/// speed have.
fn gains(s: &mut Solving<'_>, trial: &Trial) -> bool {
    let [before, own] = s.work(trial);
    let posed = &*s.posed;
    let of = |b: usize| -posed.blocks[b].bias.feedback * trial.impulses[posed.normal_row(b)];
    let returned = trial.choice.feedback * posed.bilateral().map(of).sum::<f64>();
    let gained = before + 0.5 * own - returned.max(0.0) - mass(s.world) * s.slow.powi(2);
    gained > 0.0 && {
        let Solving { free, momentum, .. } = s;
        free.mass.mul_into(&free.v_free, momentum);
        gained > GAIN * 0.5 * free.v_free.iter().zip(&**momentum).map(|(v, p)| v * p).sum::<f64>()
    }
}
