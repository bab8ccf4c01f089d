//! Environments are apart: from threads, from neighbours, from what failed.

use super::scene::{Dice, quadruped};
use stiction::batch::{Batch, BatchSettings, Precision};
use stiction::{State, StepStatus};

const PRECISIONS: [Precision; 2] = [Precision::Double, Precision::Single];

fn batch(n: usize, precision: Precision, threads: usize) -> (Batch, State, Vec<f64>) {
    let (world, home, control) = quadruped();
    let settings = BatchSettings { precision, threads, ..BatchSettings::default() };
    (Batch::new(world, &home, n, settings).unwrap(), home, control)
}

fn states(batch: &Batch) -> (Vec<f64>, Vec<f64>) {
    let model = &batch.world().model;
    let (mut q, mut v) = (vec![0.0; batch.len() * model.nq], vec![0.0; batch.len() * model.nv()]);
    batch.states_into(&mut q, &mut v);
    (q, v)
}

fn shaken(home: &State, dice: &mut Dice, by: f64) -> State {
    let mut state = home.clone();
    state.v.iter_mut().for_each(|v| *v += by * dice.signed());
    state
}

#[test]
fn threads_change_no_bit() {
    for way in PRECISIONS {
        let run = |threads: usize| {
            let (mut batch, home, control) = batch(150, way, threads);
            let mut dice = Dice(1);
            for i in 0..batch.len() {
                batch.reset(i, &shaken(&home, &mut dice, 0.3)).unwrap();
            }
            for _ in 0..20 {
                let noisy = (0..batch.len()).flat_map(|_| control.clone());
                let controls: Vec<f64> = noisy.map(|u| u + 0.05 * dice.signed()).collect();
                batch.step(&controls);
            }
            states(&batch)
        };
        let one = run(1);
        assert_eq!(one, run(2), "{way:?}");
        assert_eq!(one, run(3), "{way:?}");
    }
}

/// The third of nine, beside calm neighbours, beside wild ones, and beside some whose targets are not numbers.
#[test]
fn neighbours_change_no_bit() {
    for way in PRECISIONS {
        let run = |wild: f64, poison: bool| {
            let (mut batch, home, control) = batch(9, way, 1);
            let (mut dice, mut own) = (Dice(2), Dice(3));
            for i in 0..9 {
                let by = if i == 2 { 0.3 } else { wild };
                let dice = if i == 2 { &mut own } else { &mut dice };
                let mut state = shaken(&home, dice, by);
                if i != 2 && wild > 1.0 {
                    state.q[2] -= 0.05; // deep in the ground
                }
                batch.reset(i, &state).unwrap();
            }
            let mut seen = Vec::new();
            for _ in 0..40 {
                let mut controls = control.repeat(9);
                if poison {
                    controls[..control.len()].fill(f64::NAN);
                    controls[3 * control.len()..5 * control.len()].fill(f64::NAN);
                }
                batch.step(&controls);
                let (q, v) = batch.state(2);
                seen.push([q, v].concat());
            }
            seen
        };
        let calm = run(0.1, false);
        assert_eq!(calm, run(20.0, false), "{way:?}");
        assert_eq!(calm, run(20.0, true), "{way:?}");
    }
}

/// A target that is not a number fails its environment and no other; it stays where it was, and goes on later.
#[test]
fn a_failure_stays_where_it_is() {
    for way in PRECISIONS {
        let (mut batch, home, control) = batch(6, way, 1);
        let mut controls = control.repeat(6);
        controls[3 * control.len()] = f64::NAN;
        for _ in 0..3 {
            batch.step(&controls);
        }
        for i in 0..6 {
            let report = batch.report(i);
            if i == 3 {
                assert!(
                    matches!(&report.status, StepStatus::Failed(why) if why.contains("NaN")),
                    "{report:?}"
                );
                assert_eq!(batch.state(3), (&home.q[..], &home.v[..]));
            } else {
                assert_eq!(report.status, StepStatus::Converged);
            }
        }
        batch.step(&control.repeat(6));
        assert_eq!(batch.report(3).status, StepStatus::Converged);
        assert_eq!(batch.report(3).contacts, 4);
    }
}

/// A reset environment moves as a new one does; the others do not notice.
#[test]
fn a_reset_is_a_fresh_start() {
    for way in PRECISIONS {
        let (mut first, home, control) = batch(8, way, 1);
        let (mut second, ..) = batch(8, way, 1);
        let start = shaken(&home, &mut Dice(4), 0.2);
        let controls = control.repeat(8);
        for batch in [&mut first, &mut second] {
            batch.reset(1, &start).unwrap();
            batch.step(&controls);
        }
        for _ in 0..10 {
            first.step(&controls);
            second.step(&controls);
        }
        second.reset(5, &start).unwrap();
        for step in 0..10 {
            first.step(&controls);
            second.step(&controls);
            for i in (0..8).filter(|i| *i != 5) {
                assert_eq!(first.state(i), second.state(i), "step {step}, environment {i}");
            }
        }
        let (mut fresh, ..) = batch(8, way, 1);
        fresh.reset(5, &start).unwrap();
        (0..10).for_each(|_| fresh.step(&controls));
        assert_eq!(fresh.state(5), second.state(5));
    }
}
