//! Residual learners fitted to isolated impacts: what the optimal impulse adds to the law's.

use super::predict::DropModel;
use super::{Isolation, ObservedImpact, isolate};
use crate::data::Trajectory;
use crate::residual::{
    Form, GaussianProcess, PlanarResidual, Representation, mirrored, mirrored_with, optimal_impulse, units,
};
use nalgebra::{DMatrix, DVector};

/// The impulse that best explains an observed impact: (p_t, p_n) in the cone [N·s] and τ [N·m·s], zero in the point form.
pub fn explain(impact: &ObservedImpact, form: Form, cone: f64) -> [f64; 3] {
    let c = &impact.contact;
    match form {
        Form::LinearImpulse => {
            let [tt, tn, nn] = c.inverse_inertia();
            let a = DMatrix::from_row_slice(2, 2, &[tt, tn, tn, nn]);
            let b = DVector::from_row_slice(&impact.point_change());
            let p = optimal_impulse(&a, &b, &[cone]).impulse;
            [p[0], p[1], 0.0]
        }
        // With a moment every change of velocity is explained; the force keeps to its cone.
        Form::Wrench => {
            let [t, n, w] = impact.change();
            let p = crate::planar::into_cone([c.mass * t, c.mass * n], cone);
            let moment = c.mass * c.gyration * c.gyration * w - (p[0] * c.levers[0] + p[1] * c.levers[1]);
            [p[0], p[1], moment]
        }
    }
}

/// The clean impacts of several drops in the model's scene.
pub fn observed(model: &DropModel, drops: &[&Trajectory], rules: &Isolation) -> Vec<ObservedImpact> {
    drops.iter().flat_map(|drop| isolate(drop, &model.parameters, rules)).collect()
}

/// Mean and deviation of the features in some impacts.
pub fn feature_scale(impacts: &[ObservedImpact]) -> Vec<[f64; 2]> {
    let features: Vec<_> = impacts.iter().map(|i| mirrored(&i.contact).0).collect();
    let n = features.len().max(1) as f64;
    (0..crate::residual::features::PLANAR)
        .map(|j| {
            let mean = features.iter().map(|x| x[j]).sum::<f64>() / n;
            let variance = features.iter().map(|x| (x[j] - mean).powi(2)).sum::<f64>() / n;
            [mean, variance.sqrt().max(1e-6)]
        })
        .collect()
}

/// A Gaussian process for each output over `impacts`. `None` if there is no impact.
///
/// Far from the impacts it is the model's constant correction, if the model has one that knows no features, else none: the
/// parameters of such a model were fitted together with its correction, and without it are off at every contact.
pub fn fit_processes(
    model: &DropModel,
    impacts: &[ObservedImpact],
    (form, spin): (Form, bool),
    seed: u64,
) -> Option<PlanarResidual> {
    let mut offset = [0.0; 3];
    let same_form = model.residual.as_ref().filter(|r| r.form == form);
    if let Some(network) = same_form.and_then(PlanarResidual::network)
        && network.is_constant()
    {
        let n = form.outputs();
        network.evaluate(&[], &mut offset[..n], &mut vec![0.0; n]);
    }
    let mut inputs = Vec::new();
    let mut outputs = vec![Vec::new(); form.outputs()];
    for impact in impacts {
        let (x, sign) = mirrored_with(&impact.contact, spin);
        let (wanted, unit) = (explain(impact, form, model.cone), units(&impact.contact));
        let law = [impact.contact.impulse[0], impact.contact.impulse[1], 0.0];
        let mirror = [sign, 1.0, sign];
        inputs.push(x);
        for (i, outputs) in outputs.iter_mut().enumerate() {
            outputs.push(mirror[i] * (wanted[i] - law[i]) / unit[i] - offset[i]);
        }
    }
    let fit = |(i, y): (usize, &Vec<f64>)| GaussianProcess::fit(&inputs, y, seed + i as u64);
    let processes: Vec<GaussianProcess> = outputs.iter().enumerate().map(fit).collect::<Option<_>>()?;
    Some(PlanarResidual {
        form,
        representation: Representation::Processes(processes),
        spread: 1.0,
        share: 1.0,
        offset,
        spin,
    })
}
