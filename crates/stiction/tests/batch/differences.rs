//! Where lanes do not do what the step of one environment does, and what happens instead.

use stiction::batch::{Batch, BatchSettings, Pace, Path, Precision};
use stiction::contact::Judge;
use stiction::models::{LoadOptions, World, load_str};
use stiction::{Settings, Simulation, Sleep, State, StepStatus, StepperParams};

fn world(text: &str) -> (World, State) {
    let file = std::path::Path::new("differences.xml");
    let world = load_str(text, file, std::path::Path::new("."), &LoadOptions::default()).unwrap();
    let state = State::neutral(&world.model);
    (world, state)
}

/// A batch of `n` environments that tell the judge's word, and a simulation of the same tolerance that does not sleep.
fn both(world: &World, state: &State, n: usize, tolerance: f64) -> (Batch, Simulation) {
    let stepper = StepperParams { sleep: Sleep::Off, ..StepperParams::default() };
    let settings =
        BatchSettings { stepper: stepper.clone(), tolerance, judge: true, ..BatchSettings::default() };
    let batch = Batch::new(world.clone(), state, n, settings).unwrap();
    assert!(matches!(batch.pace(), Pace::Lanes(_)), "{:?}", batch.pace());
    let alone = Settings { tolerance, stepper, ..Settings::default() };
    (batch, Simulation::new(world.clone(), state.clone(), alone).unwrap())
}

/// Newton's restitution between linked bodies makes energy; a simulation bounces less there. Lanes know no such remedy
/// and leave the step: no step makes more than the tenth that is allowed, and all that a simulation remedied fell back.
#[test]
fn bounces_of_linked_bodies_are_left_to_a_step_alone() {
    let (world, mut start) = world(
        r#"<mujoco><option timestep="0.001"/><default><geom friction="0.8"/></default><worldbody>
          <geom name="ground" type="plane" size="0 0 1"/>
          <body pos="0 0 0.5"><freejoint/><geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0.1" mass="1"/>
            <body pos="0.3 0 0.1"><joint axis="0 1 0"/>
              <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 -0.2" mass="1"/></body></body>
        </worldbody></mujoco>"#,
    );
    let mut world = world;
    world.geometries.iter_mut().for_each(|g| g.material.restitution = 1.0);
    start.v[0] = 1.0;
    let (mut batch, mut sim) = both(&world, &start, 4, 1e-10);
    let (mut fell_back, mut remedied) = (0, 0);
    for step in 0..600 {
        batch.step(&[]);
        let report = sim.step();
        let (q, v) = batch.state(0);
        let largest = (sim.state().q.iter().zip(q))
            .chain(sim.state().v.iter().zip(v))
            .fold(0.0_f64, |d, (a, b)| d.max((a - b).abs()));
        assert!(largest < 1e-6, "step {step}: {largest:e}, {report:?}");
        fell_back += u32::from(batch.report(0).path == Path::FellBack);
        if report.remedy.is_some() {
            remedied += 1;
            assert_eq!(batch.report(0).path, Path::FellBack, "step {step}: {report:?}");
        }
    }
    assert!(remedied > 0 && fell_back >= remedied, "{remedied} remedied, {fell_back} fell back");
}

/// A table on four legs: the impulses have several answers, and only `auto` finds the smallest; a lane keeps those it came
/// to. The motion is the same.
#[test]
fn several_answers_move_alike() {
    let (world, start) = world(
        r#"<mujoco><worldbody><geom name="ground" type="plane" size="0 0 1"/>
          <body pos="0 0 0.1"><freejoint/><geom type="box" size="0.3 0.2 0.1" mass="3"/></body>
        </worldbody></mujoco>"#,
    );
    let (mut batch, mut sim) = both(&world, &start, 4, 1e-10);
    for step in 0..100 {
        // Pushed within its friction, then beyond it.
        let push = if step < 50 { 10.0 } else { 40.0 };
        for i in 0..4 {
            batch.generalized_mut(i)[0] = push;
        }
        sim.generalized_mut()[0] = push;
        batch.step(&[]);
        sim.step();
        let (_, v) = batch.state(2);
        for (a, b) in sim.state().v.iter().zip(v) {
            assert!((a - b).abs() < 1e-8, "step {step}: {a} and {b}");
        }
    }
    assert!(batch.state(2).1[0] > 0.1, "it slides at last");
}

/// An environment that falls back may spend as many iterations as a simulation: what one solves, the other solves.
#[test]
fn a_step_alone_may_spend_what_a_simulation_may() {
    let (world, mut start) = world(
        r#"<mujoco><worldbody><geom name="ground" type="plane" size="0 0 1"/>
          <body pos="0 0 0.12"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>
          <body pos="0 0 0.34"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1000"/></body>
        </worldbody></mujoco>"#,
    );
    start.v[3] = 0.2;
    let (mut batch, mut sim) = both(&world, &start, 4, 1e-9);
    let mut fell_back = 0;
    for step in 0..200 {
        batch.step(&[]);
        let report = sim.step();
        let lane = batch.report(1);
        fell_back += u32::from(lane.path == Path::FellBack);
        let settled = |s: &StepStatus| matches!(s, StepStatus::Converged | StepStatus::Rounding);
        assert!(!settled(&report.status) || settled(&lane.status), "step {step}: {lane:?}, {report:?}");
    }
    assert!(fell_back > 0, "no step was left to a step alone");
}

/// A far contact counts in a lane exactly where it counts in a simulation: just before, in and after the step in which a
/// falling ball meets the ground, at 40 starts between which one step lies.
#[test]
fn far_contacts_count_in_the_same_step() {
    let (world, start) = world(
        r#"<mujoco><worldbody><geom name="ground" type="plane" size="0 0 1"/>
          <body pos="0 0 0.2"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>
        </worldbody></mujoco>"#,
    );
    let (mut batch, _) = both(&world, &start, 40, 1e-10);
    let mut sims = Vec::new();
    for i in 0..40 {
        let mut state = start.clone();
        state.q[2] = 0.11 + 1e-3 * i as f64 / 40.0;
        state.v[2] = -1.0;
        batch.reset(i, &state).unwrap();
        let mut sim = both(&world, &state, 1, 1e-10).1;
        let contacts: Vec<usize> = (0..14).map(|_| sim.step().contacts).collect();
        sims.push(contacts);
    }
    let mut met = std::collections::BTreeSet::new();
    for step in 0..14 {
        batch.step(&[]);
        for (i, sim) in sims.iter().enumerate() {
            assert_eq!(batch.report(i).contacts, sim[step], "step {step}, start {i}");
            if sim[step] > 0 {
                met.insert(step);
            }
        }
    }
    assert!(met.len() > 2, "they meet in different steps: {met:?}");
}

/// `natural_map` is the judge's, who sees what a lane left undone: solved to 1 mm/s, the velocities are as far from the
/// answer as the judge says, in both precisions; and there is no such number unasked.
#[test]
fn the_judge_judges_lanes() {
    let (world, mut start) = world(
        r#"<mujoco><worldbody><geom name="ground" type="plane" size="0 0 1"/>
          <body pos="0 0 0.1"><joint type="free" damping="1e-3"/>
            <geom type="capsule" size="0.1" fromto="-.3 0 0 .3 0.1 0" mass="1"/></body>
        </worldbody></mujoco>"#,
    );
    (start.v[0], start.v[1], start.v[5]) = (0.3, 0.2, 3.0);
    for (precision, rounding) in [(Precision::Double, 1e-12), (Precision::Single, 3e-6)] {
        let settings = BatchSettings { precision, judge: true, tolerance: 1e-3, ..BatchSettings::default() };
        let mut batch = Batch::new(world.clone(), &start, 8, settings).unwrap();
        let alone = Settings { tolerance: 1e-12, ..Settings::default() };
        // What flies in a first step is stepped alone; the second is a lane's.
        batch.step(&[]);
        let (q, v) = batch.state(3);
        let second = State { t: 0.0, q: q.to_vec(), v: v.to_vec() };
        let mut sim = Simulation::new(world.clone(), second, alone).unwrap();
        batch.step(&[]);
        sim.step();
        let report = batch.report(3).clone();
        assert_eq!((report.path, report.contacts), (Path::Lane, 2));
        let certified = Judge::default().certify(sim.problem(), sim.impulses()).natural_map;
        let off =
            (sim.state().v.iter().zip(batch.state(3).1)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let judged = report.natural_map.unwrap();
        assert!(certified < 1e-11 && judged > 1e-7 && judged < 1e-3, "{certified:e}, {judged:e}");
        assert!(off < 30.0 * judged + rounding && judged < 30.0 * off + rounding, "{judged:e}, {off:e}");
    }
    let mut unasked = Batch::new(world, &start, 8, BatchSettings::default()).unwrap();
    unasked.step(&[]);
    assert_eq!(unasked.report(3).natural_map, None);
}
