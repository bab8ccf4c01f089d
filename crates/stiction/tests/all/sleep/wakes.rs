//! What wakes an island, and when.
use super::scene::{ball, contacts, distance, ground, pile, settings, simulation, step, steps};
use stiction::dynamics::spatial::{Vec3, vec3};
use stiction::solvers::{self, Common};
use stiction::stepping;
use stiction::{Input, Settings, Simulation, Sleep};

/// A ball flies into what sleeps since long: in the step in which its contact enters the problem all is awake, and everything
/// goes as it does without sleep, but for what zeroing velocities of 1e-8 m/s changes. A pile of several has more than one
/// answer to the impact: it is followed until then.
#[test]
fn a_ball_wakes_what_it_hits_in_the_step_in_which_it_comes() {
    for (count, z, after) in [(1, 0.15, 400), (4, 0.7, 0)] {
        let mut sims = [Sleep::On, Sleep::Off].map(|sleep| {
            let mut c = ground(0.0);
            pile(&mut c, "box", 0.0, count);
            ball(&mut c, z);
            simulation(c, settings(sleep))
        });
        let (mut most, mut woken) = ([0.0_f64; 2], None);
        for k in 0..1000 {
            let [one, other] = sims.each_mut().map(step);
            let [marks, expected] = sims.each_mut().map(contacts).map(|all| {
                let of_ball = |c: &&stiction::ContactState| c.bodies == [Some(count - 1), Some(count)];
                all.iter().filter(of_ball).count()
            });
            if woken.is_none() {
                assert_eq!(marks, expected, "step {k}");
            }
            if marks > 0 && woken.is_none() {
                assert_eq!((one.asleep, one.contacts), (0, other.contacts), "step {k}");
                woken = Some(k);
            }
            if (200..400).contains(&k) {
                assert_eq!((one.asleep, other.asleep), (count, 0), "step {k}");
            }
            if woken.is_none_or(|w| k < w + after) {
                let apart = &mut most[usize::from(woken.is_some())];
                *apart = apart.max(distance(&sims[0].state().q, &sims[1].state().q));
            }
        }
        let woken = woken.unwrap();
        assert!((450..600).contains(&woken), "{woken}");
        assert!(sims[1].state().q[7 * count - 7].abs() > 1e-3, "it was hit");
        let [before, moving] = most;
        println!(
            "{count}: the ball came in step {woken}; before, the two were {before:.1e} m apart, then {moving:.1e} m"
        );
        assert!(before < 1e-9, "{before:e}");
        // Every step of either is right to the tolerance: velocities are n of these apart after n steps.
        let Settings { tolerance, stepper, .. } = settings(Sleep::On);
        let bound = before + 0.5 * (after * after) as f64 * stepper.dt * tolerance;
        assert!(moving <= bound, "{moving:e} {bound:e}");
    }
}

/// Of two piles one is hit; the other sleeps on, without a bit of change.
#[test]
fn who_is_not_touched_sleeps_on() {
    let mut c = ground(0.0);
    pile(&mut c, "hit", 0.0, 4);
    pile(&mut c, "spared", 30.0, 3);
    ball(&mut c, 0.7);
    let mut sim = simulation(c, settings(Sleep::Auto));
    assert_eq!(steps(&mut sim, 400).asleep, 7);
    let spared = sim.state().q[28..49].to_vec();
    assert_eq!(steps(&mut sim, 200).asleep, 3);
    let marks = contacts(&mut sim);
    let carried: f64 = (marks.iter().filter(|c| c.bodies == [None, Some(4)])).map(|c| c.force.z).sum();
    assert!((carried - 3.0 * 9.81).abs() < 1e-4, "{carried}");
    // What was thrown down sleeps again in the end.
    let asleep = steps(&mut sim, 9000).asleep;
    assert!(asleep >= 7, "{asleep}");
    assert_eq!(sim.state().q[28..49], spared);
}

fn asleep(count: usize) -> Simulation {
    let mut c = ground(0.0);
    pile(&mut c, "box", 0.0, count);
    pile(&mut c, "other", 1.0, 1);
    let mut sim = simulation(c, settings(Sleep::Auto));
    assert_eq!(steps(&mut sim, 400).asleep, count + 1);
    sim
}

/// A force wakes the island it acts on, however weak; while it lasts nothing of that sleeps.
#[test]
fn a_force_wakes() {
    let mut sim = asleep(3);
    let before = sim.state().q.clone();
    for _ in 0..300 {
        sim.apply_force(2, vec3(0.0, 0.0, 0.5), vec3(1e-3, 0.0, 0.0));
        assert_eq!(step(&mut sim).asleep, 1);
    }
    assert!(distance(&sim.state().q, &before) < 1e-8, "friction holds it");
    assert_eq!(steps(&mut sim, 200).asleep, 4);
    sim.apply_force(0, vec3(0.0, 0.0, 0.1), vec3(30.0, 0.0, 0.0));
    assert_eq!(step(&mut sim).asleep, 1);
    assert!(sim.state().v[0] > 1e-3, "{:?}", &sim.state().v[..6]);
}

/// A given state starts awake; so do islands of which somebody changes the state or the weight.
#[test]
fn what_is_set_from_outside_is_awake() {
    let mut sim = asleep(2);
    sim.set_state(sim.state().clone()).unwrap();
    assert_eq!(step(&mut sim).asleep, 0);
    assert_eq!(steps(&mut sim, 100).asleep, 3);

    let (mut world, mut state) = (sim.world().clone(), sim.state().clone());
    let mut stepper = stepping::make(&world, settings(Sleep::On).stepper).unwrap();
    let mut solver = solvers::make("nsgs-accelerated", &Common::default()).unwrap();
    let (input, h) = (Input::default(), settings(Sleep::On).stepper.dt);
    let mut step = |world: &_, state: &mut _| stepper.step(world, state, &input, h, solver.as_mut()).asleep;
    (0..200).for_each(|_| assert!(step(&world, &mut state) <= 3));
    assert_eq!(step(&world, &mut state), 3);
    state.q[14] += 1e-4; // the other pile is pushed a little
    assert_eq!(step(&world, &mut state), 2);
    (0..200).for_each(|_| assert!(step(&world, &mut state) <= 3));
    state.v[2] = -0.0;
    assert_eq!(step(&world, &mut state), 3, "no velocity is none");
    state.v[2] = 1e-9;
    assert_eq!(step(&world, &mut state), 1);
    (0..200).for_each(|_| assert!(step(&world, &mut state) <= 3));
    assert_eq!(step(&world, &mut state), 3);
    world.model.gravity = Vec3::Z * -1.6;
    assert_eq!(step(&world, &mut state), 0);
}
