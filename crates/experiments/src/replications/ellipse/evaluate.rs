//! Laws and learners, fitted to some impacts and judged by the velocities after others.

use super::set::{EllipseImpact, EllipseSet, PUBLISHED};
use nalgebra::{DMatrix, DVector};
use serde::Serialize;
use std::time::Instant;
use stiction::random::Random;
use stiction_learn::identify::CmaEs;
use stiction_learn::parallel;
use stiction_learn::planar::{Admission, PlanarImpulse, into_cone};
use stiction_learn::residual::{
    Form, GaussianProcess, PlanarResidual, Representation, mirrored_with, optimal_impulse, units,
};
use stiction_learn::score::quantile;

/// A row of the table.
#[derive(Clone, Debug, Serialize)]
pub struct EllipseRow {
    pub model: String,
    /// Root mean square of the errors of (vx, vy, ω) after the impact [m/s, m/s, rad/s].
    pub vx: f64,
    pub vy: f64,
    pub w: f64,
    /// Parts of measured velocities within the central 50 % and 90 % intervals; 0 of models that say none.
    pub coverage50: f64,
    pub coverage90: f64,
    pub n_train: usize,
    pub n_test: usize,
    /// Time of fitting and judging [s].
    pub seconds: f64,
}

/// Means and deviations of (vx, vy, ω) after an impact; deviations of 0 are unknown.
type Prediction = ([f64; 3], [f64; 3]);

/// Deviations of a normal distribution to its central 50 % and 90 %.
const NORMAL: [f64; 2] = [0.674_49, 1.644_85];
/// The coefficient of friction that impulses of learners keep to: larger than any ratio of measured impulses but a few.
const CONE: f64 = 0.6;

/// Judges the published laws, ours at the published and at fitted coefficients, the impulses that explain best, and learners:
/// `train` of the impacts to fit to and the others to judge by, chosen by the seed.
pub fn evaluate(set: &EllipseSet, train: usize, seed: u64) -> Vec<EllipseRow> {
    let order = Random::new(seed).shuffled(set.impacts.len());
    let pick = |places: &[usize]| places.iter().map(|i| &set.impacts[*i]).collect::<Vec<_>>();
    let (known, unknown) = order.split_at(train.min(order.len()));
    let (train, test) = (pick(known), pick(unknown));
    let mut rows = Vec::new();
    let mut judge =
        |name: &str, fitted: usize, clock: Instant, f: &(dyn Fn(&EllipseImpact) -> Prediction + Sync)| {
            rows.push(judged(name, (fitted, &test), clock, NORMAL, f));
        };
    for (i, law) in PUBLISHED.iter().enumerate() {
        if test.iter().all(|t| t.published.len() == PUBLISHED.len()) {
            judge(law, 0, Instant::now(), &|t| (t.published[i], [0.0; 3]));
            judge(&format!("{law}-put-right"), 0, Instant::now(), &|t| (t.put_right(i), [0.0; 3]));
        }
    }
    let law = |(friction, restitution): (f64, f64)| {
        move |t: &EllipseImpact| {
            let [pt, pn] = t.contact(friction, restitution).impulse;
            (t.after_impulse([pt, pn, 0.0]), [0.0; 3])
        }
    };
    // The coefficients of the ellipse in [Fazeli2020].
    judge("law-paper", 0, Instant::now(), &law((0.10, 0.52)));
    let clock = Instant::now();
    let fitted = fit_law(&train, seed);
    judge("law-fit", train.len(), clock, &law(fitted));
    for (name, form) in [("optimal-impulse", Form::LinearImpulse), ("optimal-wrench", Form::Wrench)] {
        // It is told the answer: the least error that impulses of this form in the cone can have.
        judge(name, 0, Instant::now(), &|t| (t.after_impulse(explained(t, form)), [0.0; 3]));
    }
    for (name, form, spin) in [
        ("gp-impulse", Form::LinearImpulse, false),
        ("gp-wrench", Form::Wrench, false),
        ("gp-impulse-and-spin", Form::LinearImpulse, true),
        ("gp-wrench-and-spin", Form::Wrench, true),
    ] {
        let clock = Instant::now();
        // A fifth is held out, and tells how many deviations wide the intervals must be.
        let (judges, teachers) = train.split_at(train.len() / 5);
        let Some(residual) = fit_processes(teachers, fitted, (form, spin), seed) else { continue };
        let predict = |t: &EllipseImpact| corrected(t, fitted, &residual);
        let widths = conformal_widths(judges, &predict);
        rows.push(judged(name, (train.len(), &test), clock, widths, &predict));
    }
    rows
}

/// Friction and restitution with the least squared error of velocities, rotation as a speed at the radius of gyration.
pub(super) fn fit_law(train: &[&EllipseImpact], seed: u64) -> (f64, f64) {
    let mut search = CmaEs::new(&[0.1, 0.5], 0.1, 0, seed);
    let error = |x: &Vec<f64>| {
        let (friction, restitution) = (x[0].max(0.0), x[1].max(0.0));
        let sum: f64 = law_errors(train, friction, restitution).iter().sum();
        sum / train.len().max(1) as f64 + (x[0] - friction).powi(2) + (x[1] - restitution).powi(2)
    };
    for _ in 0..60 {
        let points = search.ask();
        search.tell(&parallel::map(points.len(), |i| error(&points[i])));
    }
    let best = search.best().0;
    (best[0].max(0.0), best[1].max(0.0))
}

/// Squared errors of the velocities after impacts under the law, rotation as a speed at the radius of gyration [m²/s²].
pub(super) fn law_errors(impacts: &[&EllipseImpact], friction: f64, restitution: f64) -> Vec<f64> {
    let of = |t: &&EllipseImpact| {
        let c = t.contact(friction, restitution);
        let v = t.after_impulse([c.impulse[0], c.impulse[1], 0.0]);
        let d: [f64; 3] = std::array::from_fn(|i| v[i] - t.after[i]);
        d[0] * d[0] + d[1] * d[1] + (c.gyration * d[2]).powi(2)
    };
    impacts.iter().map(of).collect()
}

/// The impulse that best explains what was measured.
fn explained(t: &EllipseImpact, form: Form) -> [f64; 3] {
    let c = t.contact(CONE, 0.0);
    let [dx, dy, dw] = t.change();
    if form == Form::LinearImpulse {
        // All three velocities of the body are explained, as its rows of M⁻¹ Jᵀ say; rotation as a speed.
        let (m, k) = (c.mass, c.gyration);
        let a = DMatrix::from_row_slice(3, 2, &[1.0, 0.0, 0.0, 1.0, c.levers[0] / k, c.levers[1] / k]) / m;
        let p = optimal_impulse(&a, &DVector::from_row_slice(&[dx, dy, k * dw]), &[CONE]).impulse;
        return [p[0], p[1], 0.0];
    }
    let p = into_cone([c.mass * dx, c.mass * dy], CONE);
    let moment = c.mass * c.gyration * c.gyration * dw - (p[0] * c.levers[0] + p[1] * c.levers[1]);
    [p[0], p[1], moment]
}

/// Gaussian processes of what the optimal impulse adds to the law's, over (M_c, v_c) and, where asked, the spin.
fn fit_processes(
    train: &[&EllipseImpact],
    (friction, restitution): (f64, f64),
    (form, spin): (Form, bool),
    seed: u64,
) -> Option<PlanarResidual> {
    let (mut inputs, mut outputs) = (Vec::new(), vec![Vec::new(); form.outputs()]);
    for t in train {
        let contact = t.contact(friction, restitution);
        let ((x, sign), unit, wanted) = (mirrored_with(&contact, spin), units(&contact), explained(t, form));
        let law = [contact.impulse[0], contact.impulse[1], 0.0];
        inputs.push(x);
        for (i, outputs) in outputs.iter_mut().enumerate() {
            let mirror = if i == 1 { 1.0 } else { sign };
            outputs.push(mirror * (wanted[i] - law[i]) / unit[i]);
        }
    }
    let fit = |(i, y): (usize, &Vec<f64>)| GaussianProcess::fit(&inputs, y, seed + i as u64);
    let processes: Vec<GaussianProcess> = outputs.iter().enumerate().map(fit).collect::<Option<_>>()?;
    Some(PlanarResidual {
        form,
        representation: Representation::Processes(processes),
        spread: 1.0,
        share: 1.0,
        offset: [0.0; 3],
        spin,
    })
}

/// The mean prediction of a learner, made admissible, and deviations of its distribution.
fn corrected(
    t: &EllipseImpact,
    (friction, restitution): (f64, f64),
    residual: &PlanarResidual,
) -> Prediction {
    let contact = t.contact(friction, restitution);
    let (mean, deviation) = residual.distribution(&contact);
    let wanted = PlanarImpulse {
        point: [contact.impulse[0] + mean[0], contact.impulse[1] + mean[1]],
        moment: mean[2],
    };
    let (p, _) = contact.admit(wanted, &Admission { cone: Some(CONE), stick_below: 0.0 });
    let inertia = contact.mass * contact.gyration * contact.gyration;
    let [a, b] = contact.levers;
    let turn = ((deviation[0] * a).powi(2) + (deviation[1] * b).powi(2) + deviation[2].powi(2)).sqrt();
    let spread = [deviation[0] / contact.mass, deviation[1] / contact.mass, turn / inertia];
    (t.after_impulse([p.point[0], p.point[1], p.moment]), spread)
}

/// Quantiles 50 % and 90 % of errors in deviations: intervals of this width cover so much of impacts like `judges`
/// (split conformal prediction [Lei2018]).
fn conformal_widths(judges: &[&EllipseImpact], predict: &dyn Fn(&EllipseImpact) -> Prediction) -> [f64; 2] {
    let mut errors: Vec<f64> = Vec::with_capacity(3 * judges.len());
    for t in judges {
        let (mean, deviation) = predict(t);
        errors.extend((0..3).map(|i| (t.after[i] - mean[i]).abs() / deviation[i].max(1e-12)));
    }
    errors.sort_by(f64::total_cmp);
    if errors.is_empty() { NORMAL } else { [0.5, 0.9].map(|p| quantile(&errors, p)) }
}

fn judged(
    name: &str,
    (n_train, test): (usize, &[&EllipseImpact]),
    clock: Instant,
    widths: [f64; 2],
    predict: &(dyn Fn(&EllipseImpact) -> Prediction + Sync),
) -> EllipseRow {
    let all = parallel::map(test.len(), |i| predict(test[i]));
    let (mut squares, mut within) = ([0.0; 3], [0.0; 2]);
    for ((mean, deviation), t) in all.iter().zip(test) {
        for i in 0..3 {
            let error = t.after[i] - mean[i];
            squares[i] += error * error;
            for (within, z) in within.iter_mut().zip(widths) {
                *within += f64::from(u8::from(deviation[i] > 0.0 && error.abs() <= z * deviation[i]));
            }
        }
    }
    let n = test.len().max(1) as f64;
    let [vx, vy, w] = squares.map(|s: f64| (s / n).sqrt());
    let [coverage50, coverage90] = within.map(|c: f64| c / (3.0 * n));
    let seconds = clock.elapsed().as_secs_f64();
    EllipseRow {
        model: name.to_owned(),
        vx,
        vy,
        w,
        coverage50,
        coverage90,
        n_train,
        n_test: test.len(),
        seconds,
    }
}
