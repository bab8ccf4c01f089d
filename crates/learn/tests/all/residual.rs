//! Processes fitted to isolated impacts find a correction that is known, and predict drops that were not fitted to.

// All of this file is a test.
#![allow(clippy::unwrap_used)]

use stiction::random::Random;
use stiction_learn::data::Trajectory;
use stiction_learn::dice::{DiceParameters, DropModel, GYRATION, Isolation, fit_processes, observed};
use stiction_learn::planar::{PlanarContact, PlanarCorrection, PlanarImpulse, PlanarState, PlanarStepper};
use stiction_learn::residual::{Form, units};
use stiction_learn::score::{mean_and_spread, rmse};

/// A correction that the law does not know: impacts bounce less the faster they are, and more where the corner is under the centre.
struct Truth;

impl PlanarCorrection for Truth {
    fn correct(&mut self, contact: &PlanarContact) -> PlanarImpulse {
        let speed = contact.velocity_before[1].abs();
        let under = 1.0 - (contact.levers[1] / 0.03).powi(2).min(1.0);
        let more = units(contact)[1] * (0.25 * under - 0.12 * (speed - 1.0));
        PlanarImpulse { point: [contact.impulse[0], contact.impulse[1] + more], moment: 0.0 }
    }
}

/// Drops of 0.4 s with the unknown correction, positions noisy by 0.1 mm.
fn drops(model: &DropModel, ids: std::ops::Range<u32>) -> Vec<Trajectory> {
    let world = model.world();
    ids.map(|id| {
        let mut random = Random::new(1000 + u64::from(id));
        let q = [-0.3, 0.15, 3.0 * random.signed()];
        let velocity = [-0.4 + 0.4 * random.signed(), -1.5 + 0.7 * random.signed(), 6.0 * random.signed()];
        let mut frames = vec![[0.0; 3]; 100];
        PlanarStepper::new(&world).track(
            PlanarState { q, v: velocity },
            0.004,
            Some(&mut Truth),
            &mut frames,
        );
        for q in frames.iter_mut().skip(1) {
            q[0] += 1e-4 * random.normal();
            q[1] += 1e-4 * random.normal();
            q[2] += 1e-4 / GYRATION * random.normal();
        }
        Trajectory { id, dt: 0.004, frames, velocity }
    })
    .collect()
}

/// Held-out drops are predicted much better than by the law that made them without the correction.
#[test]
fn known_corrections_are_learned_from_isolated_impacts() {
    let law = DropModel::scene(DiceParameters::default());
    let (train, test) = (drops(&law, 0..120), drops(&law, 120..180));
    let train: Vec<&Trajectory> = train.iter().collect();
    let impacts = observed(&law, &train, &Isolation::default());
    assert!(impacts.len() > 80, "{}", impacts.len());
    let error = |model: &DropModel| {
        let world = model.world();
        let of = |d: &Trajectory| rmse(&model.single(&world, d), &d.frames, GYRATION);
        mean_and_spread(&test.iter().map(of).collect::<Vec<_>>())[0]
    };
    let alone = error(&law);
    for form in [Form::LinearImpulse, Form::Wrench] {
        let learned = DropModel { residual: fit_processes(&law, &impacts, (form, false), 1), ..law.clone() };
        let with = error(&learned);
        eprintln!("{form:?}: {} impacts, law {alone:.5}, learned {with:.5}", impacts.len());
        assert!(with < 0.6 * alone, "{form:?}: {with} of {alone}");
    }
}
