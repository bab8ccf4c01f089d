//! Isolated impacts as a test set: the velocities after one impact, without what comes before and after in a drop.
//!
//! All models are judged by the same impacts: those with the ground that the measured scene (`arena`) isolates from the drops that judge.

use super::learn::observed;
use super::predict::DropModel;
use super::{DiceParameters, Isolation, ObservedImpact};
use crate::data::Trajectory;
use crate::planar::{PlanarCorrection, PlanarImpulse, PlanarWorld, impact_of, least_miss};
use crate::residual::Corrector;
use serde::Serialize;

/// How well a model tells the velocities after isolated impacts.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct ImpactScore {
    /// Root mean square errors of the velocity along the ground and away from it [m/s], and of the spin [rad/s].
    pub vt: f64,
    pub vn: f64,
    pub w: f64,
    pub count: usize,
}

/// The impacts with the ground that `rules` isolate from `drops`.
pub fn ground_impacts(drops: &[&Trajectory], rules: &Isolation) -> Vec<ObservedImpact> {
    let scene = DropModel::scene(DiceParameters::arena());
    observed(&scene, drops, rules).into_iter().filter(|i| i.contact.surface == 0).collect()
}

/// Judges `model`, its corrections at their means, by `impacts`.
pub fn judge_impacts(model: &DropModel, impacts: &[ObservedImpact]) -> ImpactScore {
    let world = model.world();
    let mut squares = [0.0; 3];
    for impact in impacts {
        let after = predicted(model, &world, impact);
        // The ground's tangent is along x, its normal along z.
        for (i, square) in squares.iter_mut().enumerate() {
            *square += (after[i] - impact.after.v[i]).powi(2);
        }
    }
    let [vt, vn, w] = squares.map(|s| (s / impacts.len().max(1) as f64).sqrt());
    ImpactScore { vt, vn, w, count: impacts.len() }
}

/// Velocity after the impact as the model has it.
fn predicted(model: &DropModel, world: &PlanarWorld, impact: &ObservedImpact) -> [f64; 3] {
    let before = &impact.before;
    let height = |vertex: &[f64; 2]| before.turned(*vertex)[1];
    let vertices = &world.body.vertices;
    let lowest = (0..vertices.len()).min_by(|&a, &b| height(&vertices[a]).total_cmp(&height(&vertices[b])));
    let contact = impact_of(world, before, lowest.unwrap_or(0), 0);
    let law = PlanarImpulse { point: contact.impulse, moment: 0.0 };
    let p = match &model.residual {
        Some(residual) => {
            let wanted = Corrector { residual, random: None }.correct(&contact);
            contact.admit(wanted, &world.admission).0
        }
        None => law,
    };
    let ([a, b], m) = (contact.levers, contact.mass);
    let turn = p.point[0] * a + p.point[1] * b + p.moment;
    let v = before.v;
    [v[0] + p.point[0] / m, v[1] + p.point[1] / m, v[2] + turn / (m * contact.gyration * contact.gyration)]
}

/// The least misses of the impacts: how near Coulomb's friction and Newton's restitution come to each at any coefficients ([`least_miss`]).
pub fn misses(impacts: &[ObservedImpact]) -> Vec<f64> {
    impacts.iter().map(|i| least_miss(&i.contact, i.change())).collect()
}
