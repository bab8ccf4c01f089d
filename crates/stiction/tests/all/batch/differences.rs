//! Where lanes do not do what the step of one environment does, and what happens instead.

use stiction::batch::{Batch, BatchSettings, Pace, Path, Precision};
use stiction::contact::Judge;
use stiction::models::{LoadOptions, load_str};
use stiction::random::Random;
use stiction::world::World;
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

/// Where the law has several answers lanes take the one that a simulation takes: what can stick sticks. Boxes and balls' grasps of random
/// mass, friction and margin, boxes on slopes near the angle of friction and flat boxes that slide and spin until they stop, in both
/// precisions: all go where a simulation goes, and what is held stays.
#[test]
fn lanes_take_the_answer_of_a_simulation() {
    let mut random = Random::new(51);
    let mut within = |lo: f64, hi: f64| lo + (hi - lo) * random.unit();
    for k in 0..24 {
        let (mu, mass) = (within(0.2, 0.8), 10.0_f64.powf(within(-1.0, 1.0)));
        let (text, control, speed, still) = match k % 4 {
            0 | 1 => {
                let force = within(1.05, 2.0) * mass * 9.81 / (2.0 * mu);
                (grasp(mu, mass, k % 4 == 1), vec![force; 2], [0.0; 2], true)
            }
            2 => (slope(mu, mass, within(0.9, 0.99)), Vec::new(), [0.0; 2], true),
            _ => (slope(mu, mass, 0.0), Vec::new(), [within(0.1, 0.5), within(1.0, 4.0)], false),
        };
        let h = [5e-4, 1e-3, 2e-3][k / 4 % 3];
        let (world, mut start) = world(&text);
        if let [slip, spin] = speed
            && slip > 0.0
        {
            (start.v[0], start.v[5]) = (slip, spin);
        }
        let stepper = StepperParams { dt: h, sleep: Sleep::Off, ..StepperParams::default() };
        let alone = Settings { tolerance: 1e-8, stepper: stepper.clone(), ..Settings::default() };
        let mut sim = Simulation::new(world.clone(), start.clone(), alone).unwrap();
        sim.control_mut().copy_from_slice(&control);
        (0..100).for_each(|_| assert!(!sim.step().flagged(), "{k}"));
        for (precision, tolerance, near) in [
            (Precision::Double, 1e-6, 1e-5),
            (Precision::Double, 1e-8, 1e-7),
            (Precision::Single, 1e-6, 2e-5),
        ] {
            let settings =
                BatchSettings { stepper: stepper.clone(), precision, tolerance, ..BatchSettings::default() };
            let mut batch = Batch::new(world.clone(), &start, 8, settings).unwrap();
            assert!(matches!(batch.pace(), Pace::Lanes(_)), "{:?}", batch.pace());
            let controls = control.repeat(8);
            (0..100).for_each(|_| batch.step(&controls));
            let apart =
                |q: &[f64], p: &[f64]| q.iter().zip(p).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            for i in 0..8 {
                let (off, moved) =
                    (apart(batch.state(i).0, &sim.state().q), apart(batch.state(i).0, &start.q));
                assert!(off < near, "{k}, {precision:?}, {tolerance:e}: {off:e} from a simulation");
                let most = if precision == Precision::Double { 1e-9 } else { 1e-6 };
                assert!(!still || moved < most, "{k}, {precision:?}, {tolerance:e}: {moved:e}");
            }
        }
        let stops = sim.state().v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        assert!(still || h < 2e-3 || stops < 0.9 * speed[1], "{k}: {stops}");
    }
}

/// A box between two jaws of four balls each, or of one flat box.
fn grasp(mu: f64, mass: f64, flat: bool) -> String {
    let jaw = |side: f64| {
        let tips: String = if flat {
            r#"<geom type="box" size="0.02 0.04 0.04" mass="0.2"/>"#.to_owned()
        } else {
            let ball = |y: f64, z: f64| {
                format!(r#"<geom type="sphere" size="0.01" pos="{} {y} {z}" mass="0.05"/>"#, -0.01 * side)
            };
            [ball(-0.04, -0.04), ball(-0.04, 0.04), ball(0.04, -0.04), ball(0.04, 0.04)].concat()
        };
        format!(
            r#"<body pos="{} 0 0.5"><joint name="j{side}" type="slide" axis="{} 0 0"/>{tips}</body>"#,
            0.07 * side,
            -side
        )
    };
    format!(
        r#"<mujoco><default><geom friction="{mu}"/></default><worldbody>{}{}
        <body pos="0 0 0.5"><freejoint/><geom type="box" size="0.05 0.05 0.05" mass="{mass}"/></body></worldbody>
        <actuator><motor joint="j-1"/><motor joint="j1"/></actuator></mujoco>"#,
        jaw(-1.0),
        jaw(1.0)
    )
}

/// A flat box on a plane that leans by this share of the friction there is.
fn slope(mu: f64, mass: f64, share: f64) -> String {
    let (sin, cos) = (share * mu).atan().sin_cos();
    format!(
        r#"<mujoco><option gravity="{} 0 {}"/><default><geom friction="{mu}"/></default><worldbody>
        <geom name="ground" type="plane" size="0 0 1"/>
        <body pos="0 0 0.02"><freejoint/><geom type="box" size="0.1 0.05 0.02" mass="{mass}"/></body></worldbody></mujoco>"#,
        9.81 * sin,
        -9.81 * cos
    )
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
