//! Who sleeps is part of a snapshot, and of the bits that threads do not change.

use super::scene::{ball, contacts, ground, pile, settings, simulation, step, steps};
use stiction::{Settings, Simulation, Sleep, Snapshot, StepperParams};

/// Three piles, of which one is hit after half a second.
fn piles(settings: Settings) -> Simulation {
    let mut c = ground(0.0);
    pile(&mut c, "far", 3.0, 2);
    pile(&mut c, "hit", 0.0, 4);
    pile(&mut c, "farther", 6.0, 1);
    ball(&mut c, 0.7);
    simulation(c, settings)
}

/// Taken while all piles sleep, put back into a simulation that slept otherwise: every number of every later step is the same.
#[test]
fn a_snapshot_holds_who_sleeps() {
    let plain = || settings(Sleep::On).stepper;
    for stepper in
        [plain(), StepperParams { continuous: true, ..plain() }, StepperParams { adaptive: 3, ..plain() }]
    {
        let settings = Settings { stepper, ..Settings::default() };
        let mut sim = piles(settings.clone());
        steps(&mut sim, 20);
        let early = sim.snapshot();
        assert_eq!(steps(&mut sim, 280).asleep, 7);
        let text = serde_json::to_string(&sim.snapshot()).unwrap();
        let snapshot: Snapshot = serde_json::from_str(&text).unwrap();
        let mut other = piles(settings);
        steps(&mut other, 700);
        other.restore(&snapshot).unwrap();
        assert_eq!(other.snapshot(), snapshot);
        for k in 0..400 {
            let reports = [step(&mut sim), step(&mut other)];
            assert_eq!(reports[0], reports[1], "step {k}");
            assert_eq!(sim.state(), other.state(), "step {k}");
            assert_eq!(contacts(&mut sim), contacts(&mut other), "step {k}");
            assert_eq!(sim.certificate(), other.certificate(), "step {k}");
        }
        assert!(step(&mut sim).asleep == 3, "two piles sleep on");
        // From before anything slept everything falls asleep again when it did.
        sim.restore(&early).unwrap();
        other.restore(&early).unwrap();
        for _ in 0..100 {
            assert_eq!(step(&mut sim), step(&mut other));
        }
    }
}

#[test]
fn a_snapshot_of_sleepers_that_cannot_be_is_refused() {
    let mut sim = piles(settings(Sleep::On));
    assert_eq!(steps(&mut sim, 300).asleep, 7);
    let whole = serde_json::to_value(sim.snapshot()).unwrap();
    for (key, index, value) in
        [("asleep_with", 0, 7), ("asleep_with", 1, 99), ("steps_at_rest", 0, 1_000_000)]
    {
        let mut damaged = whole.clone();
        damaged["memory"][key][index] = value.into();
        let damaged: Snapshot = serde_json::from_value(damaged).unwrap();
        assert!(sim.restore(&damaged).unwrap_err().to_string().contains("who sleeps"), "{key}");
    }
    assert_eq!(step(&mut sim).asleep, 7);
}

#[test]
fn threads_change_no_bit_of_who_sleeps() {
    let mut sims = [1, 2].map(|threads| piles(Settings { threads, ..settings(Sleep::On) }));
    for k in 0..800 {
        let [a, b] = sims.each_mut().map(step);
        assert_eq!(a, b, "step {k}");
        assert_eq!(sims[0].state(), sims[1].state(), "step {k}");
    }
}
