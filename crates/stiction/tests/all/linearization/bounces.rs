//! Contacts that bounce within a step, and the law relaxed.
use super::free::{random_state, settings, world};
use super::parameters;
use super::touching::{above, hold, walker};
use stiction::random::Random;
use stiction::world::World;
use stiction::{LinearizationParams, Parameter, Settings, Simulation, State};

/// Settings under which what bounces does so in the problem of the step.
fn at_once() -> Settings {
    let mut settings = settings();
    (settings.stepper.impact_instants, settings.stepper.continuous) = (0, false);
    settings
}

/// A ball, a box on its corner, and a robot that lands, above ground that throws back.
pub(crate) fn scenes() -> [World; 3] {
    let body = |geom: &str| {
        world(&format!(
            "<worldbody><geom type='plane' size='5 5 1' friction='0.3'/><body pos='0 0 0.2'><freejoint/>{geom}</body></worldbody>"
        ))
    };
    let mut all = [
        body("<geom type='sphere' size='0.1' mass='1' friction='0.3'/>"),
        body("<geom type='box' size='0.1 0.06 0.04' mass='1' friction='0.3'/>"),
        walker("damping='0.1'", 0.4),
    ];
    for world in &mut all {
        world.geometries.iter_mut().for_each(|g| g.material.restitution = 0.5);
        world.geometries[0].material.restitution = 0.0;
        world.geometries[0].material.priority = -1;
    }
    all
}

/// A state that lands within the step, in one that falls at 1.5 m/s.
pub(crate) fn landing(world: &World, dice: &mut Random) -> State {
    if world.model.nv() > 6 {
        let mut state = above(world, dice, 0.5);
        state.v[2] -= 1.5;
        return state;
    }
    let mut state = random_state(world, dice, 0.5, 0.5);
    state.v[2] = -1.5;
    // The lowest point is just above the ground.
    let mut simulation = Simulation::new(world.clone(), state.clone(), at_once()).unwrap();
    let mut contacts = Vec::new();
    while simulation.state().q[2] > 0.0 {
        simulation.step();
        simulation.contacts_into(&mut contacts);
        if contacts.iter().any(|c| c.force.norm() > 0.0) {
            return state;
        }
        state = simulation.state().clone();
    }
    state
}

#[test]
fn what_bounces() {
    for world in scenes() {
        hold(&world, &at_once(), (4, 1e-5), |dice| landing(&world, dice));
        let all: Vec<Parameter> =
            (1..world.geometries.len()).map(|g| Parameter::Restitution { geometries: [g, 0] }).collect();
        let met = parameters::hold(&world, &at_once(), &all, (3, 1e-5), |dice| landing(&world, dice));
        assert!(met[2] > 0, "{met:?}");
    }
}

/// The derivative of the relaxed law approaches that of the law in proportion to κ, and feels what it does not touch.
#[test]
fn relaxed_laws_approach_the_law() {
    let world = walker("damping='0.1'", 0.6);
    let with = |simulation: &mut Simulation, smoothing: f64| {
        let params = LinearizationParams { smoothing, ..LinearizationParams::default() };
        simulation.linearize_with(&params, &[])
    };
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let mut done = 0;
    for contact in ["auto", "ccp-pgs-accelerated"] {
        for seed in 0..40 {
            let start = above(&world, &mut Random::new(seed), 0.3);
            let settings = Settings { contact: contact.to_owned(), max_iterations: 20_000, ..settings() };
            let mut simulation = Simulation::new(world.clone(), start, settings).unwrap();
            for _ in 0..3 {
                simulation.step();
            }
            let Ok(exact) = simulation.linearize() else { continue };
            let relaxed = [1e-8, 1e-9, 1e-10].map(|k| with(&mut simulation, k));
            let parts = simulation.step().parts;
            let carries = simulation.impulses().iter().any(|x| *x > 1e-3);
            // The relaxed problem is that of the whole step, without instants of landings.
            if !carries || parts > 1 || !exact.notes.is_empty() {
                continue;
            }
            let errors = relaxed.map(|relaxed| apart(&relaxed.unwrap().a, &exact.a));
            let ratio = errors[1] / errors[2];
            // Contacts that are nearly at a switch are smoothed over farther.
            if errors[2] > 1e-2 * exact.a.iter().map(|a| a * a).sum::<f64>().sqrt() {
                continue;
            }
            assert!((5.0..20.0).contains(&ratio), "{contact} {seed}: {errors:?}");
            done += 1;
        }
    }
    assert!(done > 6, "{done}");
    // A ball above the ground: nothing touches it in this step, but where it is near it is pushed.
    let mut ball = scenes().into_iter().next().unwrap();
    ball.geometries.iter_mut().for_each(|g| g.material.restitution = 0.0);
    let mut state = State::neutral(&ball.model);
    (state.q[2], state.v[2]) = (0.1 + 1e-3, -0.2);
    let mut simulation = Simulation::new(ball, state, settings()).unwrap();
    let (exact, relaxed) = (simulation.linearize().unwrap(), with(&mut simulation, 1e-3).unwrap());
    let by_height = |a: &[f64]| a[(6 + 2) * 12 + 2];
    assert!(by_height(&exact.a) == 0.0 && by_height(&relaxed.a) < -1e-3, "{}", by_height(&relaxed.a));
}
