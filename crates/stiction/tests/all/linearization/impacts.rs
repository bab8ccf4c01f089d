//! Steps in parts that end at impacts.
use super::bounces::{landing, scenes};
use super::free::{settings, world};
use super::parameters;
use super::touching::hold;
use stiction::random::Random;
use stiction::world::World;
use stiction::{LinearizationNote, Parameter, Simulation, State};

/// A ball, a box on its corner and a robot that land, in steps that stop there, by states and controls, and by restitution, friction, mass,
/// gravity and the places of geometries.
#[test]
fn what_lands() {
    for world in scenes() {
        let met = hold(&world, &settings(), (4, 1e-5), |dice| landing(&world, dice));
        assert!(met.parted > 0, "{met:?}");
        let mut all = vec![Parameter::Mass { body: 0 }, Parameter::Gravity { axis: 2 }];
        for g in 1..world.geometries.len() {
            all.push(Parameter::Restitution { geometries: [g, 0] });
            all.push(Parameter::Friction { geometries: [0, g] });
            all.push(Parameter::Offset { geometry: g, axis: 2 });
        }
        let met = parameters::hold(&world, &settings(), &all, (3, 1e-5), |dice| landing(&world, dice));
        assert!(met[2] > 3, "{met:?}");
    }
}

const RADIUS: f64 = 0.1;
const RESTITUTION: f64 = 0.6;

fn ball(friction: f64) -> World {
    let mut world = world(&format!(
        "<worldbody><geom type='plane' size='5 5 1' friction='{friction}'/><body><freejoint/>
          <geom type='sphere' size='{RADIUS}' mass='1' friction='{friction}'/></body></worldbody>"
    ));
    world.geometries.iter_mut().for_each(|g| g.material.restitution = RESTITUTION);
    world
}

/// Place and velocity of a ball of 1 kg that hits the ground once in the time h, from place, velocity and spin: it slides or rolls there.
fn bounced(x: &[f64; 9], friction: f64, h: f64) -> [f64; 6] {
    let [px, py, pz, vx, vy, vz, wx, wy, _] = *x;
    let g = 9.81;
    let t = (vz + (vz * vz + 2.0 * g * (pz - RADIUS)).sqrt()) / g;
    let (down, rest) = (g * t - vz, h - t);
    let slip = [vx - RADIUS * wy, vy + RADIUS * wx];
    let (speed, push) = (slip[0].hypot(slip[1]), (1.0 + RESTITUTION) * down);
    let share = (friction * push / speed).min(1.0 / 3.5); // 1/m + r²/I = 3.5
    let [ux, uy, uz] = [vx - share * slip[0], vy - share * slip[1], RESTITUTION * down];
    [
        px + vx * t + ux * rest,
        py + vy * t + uy * rest,
        RADIUS + uz * rest - 0.5 * g * rest * rest,
        ux,
        uy,
        uz - g * rest,
    ]
}

/// An oblique bounce with spin, which slides and which rolls, in closed form.
#[test]
fn a_ball_in_closed_form() {
    for (friction, seed) in [(0.1, 1), (0.1, 2), (0.9, 3), (0.9, 4)] {
        let mut dice = Random::new(seed);
        let mut start = State::neutral(&ball(friction).model);
        start.v.iter_mut().for_each(|v| *v = dice.signed());
        (start.q[2], start.v[2]) = (RADIUS + 1e-3, -1.5);
        let x: [f64; 9] = std::array::from_fn(|k| if k < 3 { start.q[k] } else { start.v[k - 3] });
        let mut simulation = Simulation::new(ball(friction), start, settings()).unwrap();
        let h = simulation.settings().stepper.dt;
        let found = simulation.linearize().unwrap();
        assert!(found.report.parts == 2 && found.notes.is_empty(), "{found:?}");
        let about = bounced(&x, friction, h);
        for i in 0..3 {
            assert!(
                (found.next.q[i] - about[i]).abs() < 1e-12 && (found.next.v[i] - about[3 + i]).abs() < 1e-12
            );
        }
        for k in 0..9 {
            let at = |e: f64| {
                let mut x = x;
                x[k] += e;
                bounced(&x, friction, h)
            };
            let e = 1e-5;
            let [near, far] = [1.0, 2.0].map(|times| [at(times * e), at(-times * e)]);
            for i in 0..6 {
                let of = |[ahead, back]: &[[f64; 6]; 2]| (ahead[i] - back[i]) / (12.0 * e);
                let about = 8.0 * of(&near) - of(&far);
                let (row, column) = (if i < 3 { i } else { i + 3 }, if k < 3 { k } else { k + 3 });
                let ours = found.a[row * 12 + column];
                assert!((ours - about).abs() < 1e-8 * (1.0 + about.abs()), "{i} by {k}: {ours} is {about}");
            }
        }
    }
}

/// The gradient of a cost of a rollout through two bounces, by the start and by restitution.
#[test]
fn a_rollout_through_two_bounces() {
    let mut dice = Random::new(5);
    let mut settings = settings();
    settings.stepper.dt = 1e-2;
    let steps = 25;
    let mut start = State::neutral(&ball(0.2).model);
    start.v.iter_mut().for_each(|v| *v = dice.signed());
    (start.q[2], start.v[2]) = (RADIUS + 0.013, -1.4);
    let weights: Vec<f64> = (0..12).map(|_| dice.signed()).collect();
    let cost = |start: &State, restitution: f64| -> (f64, u32) {
        let mut world = ball(0.2);
        world.geometries.iter_mut().for_each(|g| g.material.restitution = restitution);
        let mut simulation = Simulation::new(world, start.clone(), settings.clone()).unwrap();
        let bounces = (0..steps).map(|_| simulation.step().parts - 1).sum();
        let state = simulation.state();
        let place: f64 = (0..3).map(|k| weights[k] * state.q[k]).sum();
        (place + (0..3).map(|k| weights[6 + k] * state.v[k]).sum::<f64>(), bounces)
    };
    let mut gradients = vec![0.0; steps * 12];
    let last = &mut gradients[(steps - 1) * 12..];
    for k in [0, 1, 2, 6, 7, 8] {
        last[k] = weights[k];
    }
    let restitution = Parameter::Restitution { geometries: [1, 0] };
    let mut simulation = Simulation::new(ball(0.2), start.clone(), settings.clone()).unwrap();
    let found = simulation.rollout_vjp_by(&[], &gradients, 4, &[restitution]).unwrap();
    assert!(found.notes.is_empty() && cost(&start, RESTITUTION).1 == 2, "{:?}", found.notes);
    let slope = |at: &dyn Fn(f64) -> f64| {
        let e = 1e-4;
        (8.0 * (at(e) - at(-e)) - (at(2.0 * e) - at(-2.0 * e))) / (12.0 * e)
    };
    let by_restitution = slope(&|x| cost(&start, RESTITUTION + x).0);
    let of = |ours: f64, about: f64| (ours - about).abs() < 1e-7 * (1.0 + about.abs());
    assert!(of(found.parameters[0], by_restitution), "{:?} is {by_restitution}", found.parameters);
    for k in [0, 2, 6, 7, 8, 9, 10, 11] {
        let about = slope(&|x| {
            let mut moved = start.clone();
            *(if k < 3 { &mut moved.q[k] } else { &mut moved.v[k - 6] }) += x;
            cost(&moved, RESTITUTION).0
        });
        assert!(of(found.start[k], about), "{k}: {} is {about}", found.start[k]);
    }
}

/// Corners that land flat say that they meet together, those of bodies that are swept too: what lands on a plate at
/// 100 m/s stays there however high and fast it was.
#[test]
fn corners_that_land_flat_meet_together() {
    let flat = |ground: &str, height: f64, speed: f64, restitution: f64| {
        let mut world = world(&format!(
            "<worldbody><geom {ground}/><body><freejoint/>
              <geom type='box' size='0.02 0.03 0.01' mass='1'/></body></worldbody>"
        ));
        world.geometries.iter_mut().for_each(|g| g.material.restitution = restitution);
        let mut start = State::neutral(&world.model);
        (start.q[2], start.v[2]) = (height, -speed);
        Simulation::new(world, start, settings()).unwrap()
    };
    let mut simulation = flat("type='plane' size='5 5 1'", 0.011, 1.0, 0.5);
    let notes = simulation.linearize().unwrap().notes;
    assert!(notes.contains(&LinearizationNote::MeetTogether { contacts: 4 }), "{notes:?}");
    let mut simulation = flat("type='box' size='1 1 0.001'", 0.1, 100.0, 0.0);
    let found = simulation.linearize().unwrap();
    assert!(found.notes.contains(&LinearizationNote::MeetTogether { contacts: 4 }), "{:?}", found.notes);
    for (row, column) in [(2, 2), (2, 8), (8, 2), (8, 8)] {
        assert!(found.a[12 * row + column].abs() < 1e-9, "{row}, {column}: {:?}", found.a);
    }
}
