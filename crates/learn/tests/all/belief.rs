//! Beliefs over scenes: spreads that impacts make, against mechanics.

// All of this file is a test.
#![allow(clippy::unwrap_used)]

use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Vec3, vec3};
use stiction::random::Random;
use stiction::world::Material;
use stiction::{Composer, FreeBody, Settings, State, UNCOLOURED};
use stiction_learn::belief::{Discarded, LawSpread, SceneBelief};
use stiction_learn::score::mean_and_spread;
use stiction_learn::system::Case;

const RADIUS: f64 = 0.05;
const MASS: f64 = 0.2;

/// Balls without a floor under them or on one, with centres and velocities.
fn case(floor: bool, gravity: f64, balls: &[(Vec3, Vec3)], friction: f64, restitution: f64) -> Case {
    let mut scene = Composer::new("balls", vec3(0.0, 0.0, -gravity)).unwrap();
    let material = Material { friction, restitution, ..Material::default() };
    if floor {
        scene.fixed("floor", Shape::Plane, Pose::IDENTITY, material, UNCOLOURED).unwrap();
    }
    for (i, (at, velocity)) in balls.iter().enumerate() {
        let shape = Shape::Sphere { radius: RADIUS };
        let pose = Pose::from_translation(*at);
        let ball = FreeBody {
            material,
            velocity: *velocity,
            ..FreeBody::new(format!("ball{i}"), shape, MASS, pose)
        };
        scene.body(ball).unwrap();
    }
    let (world, state) = scene.finish();
    let control = vec![0.0; world.actuators.len()];
    let mut settings = Settings::default();
    settings.stepper.dt = 1e-3;
    Case { world, state, settings, control, drive: None, delay: 0.0 }
}

fn known(state: &State) -> SceneBelief {
    let still = vec![0.0; state.v.len()];
    SceneBelief::normal(state.clone(), still.clone(), still)
}

/// A ball that falls askew on a floor that grips: the mean of the impulse is that of Newton and Coulomb in closed form, and each
/// impulse's deviation σ m |v_n| spreads the velocities by σ |v_n|, the spin by σ |v_n| m r/I.
#[test]
fn an_impact_spreads_velocities_as_the_impulse_says() {
    let start = [(vec3(0.0, 0.0, RADIUS + 0.01), vec3(1.0, 0.0, -2.0))];
    let case = case(true, 0.0, &start, 0.8, 0.5);
    let mut random = Random::new(1);
    let deviation = 0.02;
    let law = LawSpread { deviation };
    let step = known(&case.state).step(&case, &law, (1, 1.0, 0.1), &mut random).unwrap();
    let (particle, mut discarded) = (&step.particles[0], Discarded::default());
    assert_eq!(particle.hit, 1);
    // A solid ball that stops to slip keeps 5/7 of its speed; it bounces with 0.5 · 2 m/s.
    let v = &particle.end.v;
    assert!((v[0] - 5.0 / 7.0).abs() < 1e-6 && (v[2] - 1.0).abs() < 1e-6, "{v:?}");
    assert!((v[4] - 5.0 / 7.0 / RADIUS).abs() < 1e-4, "{v:?}");
    let drawn: Vec<State> =
        (0..10_000).map(|_| step.belief.sample(&case.world, &mut random, &mut discarded).unwrap()).collect();
    let spread = |i: usize| mean_and_spread(&drawn.iter().map(|s| s.v[i]).collect::<Vec<_>>())[1];
    let wanted = deviation * 2.0;
    for i in 0..3 {
        assert!((spread(i) / wanted - 1.0).abs() < 0.05, "{i} {} {wanted}", spread(i));
    }
    assert!((spread(4) / (wanted * 2.5 / RADIUS) - 1.0).abs() < 0.05, "{}", spread(4));
    assert!(drawn.iter().all(|s| s.q == particle.end.q));
}

/// Two balls that meet in free space, uncertain where and how fast: whatever impulse is drawn, they keep the momentum that their
/// sample began with.
#[test]
fn two_bodies_keep_their_momentum_in_every_sample() {
    let balls = [(vec3(-0.2, 0.0, 1.0), vec3(2.0, 0.0, 0.0)), (vec3(0.2, 0.01, 1.0), vec3(-1.0, 0.0, 0.0))];
    let case = case(false, 0.0, &balls, 0.3, 0.6);
    let mut random = Random::new(2);
    let n = case.state.v.len();
    let start = SceneBelief::normal(case.state.clone(), vec![1e-3; n], vec![0.02; n]);
    let law = LawSpread { deviation: 0.3 };
    let step = start.step(&case, &law, (40, 1.0, 0.05), &mut random).unwrap();
    assert!(step.particles.iter().all(|p| p.hit == 1));
    let mut discarded = Discarded::default();
    for (component, particle) in step.belief.components.iter().zip(&step.particles) {
        let momentum = |s: &State| [0, 1, 2].map(|i| MASS * (s.v[i] + s.v[6 + i]));
        let alone = SceneBelief { components: vec![component.clone()] };
        for _ in 0..5 {
            let drawn = alone.sample(&case.world, &mut random, &mut discarded).unwrap();
            for (a, b) in momentum(&drawn).iter().zip(momentum(&particle.start)) {
                assert!((a - b).abs() < 1e-8, "{drawn:?}");
            }
        }
    }
}

/// A ball that bounces thrice: samples of an unsure law break the conditions and are counted, none gains energy, and the belief
/// grows wider from bounce to bounce; on a table the next step of a known state is over when its time is.
#[test]
fn beliefs_widen_from_contact_to_contact() {
    let start = [(vec3(0.0, 0.0, 0.3), vec3(0.5, 0.0, -1.0))];
    let case = case(true, 9.81, &start, 0.5, 0.8);
    let mut random = Random::new(3);
    let mut belief = known(&case.state);
    let law = LawSpread { deviation: 0.15 };
    let (mut spreads, mut counts) = (Vec::new(), Vec::new());
    let energy = |s: &State| {
        let spin: f64 = s.v[3..6].iter().map(|w| w * w).sum();
        let speed: f64 = s.v[..3].iter().map(|v| v * v).sum();
        0.5 * MASS * (speed + 0.4 * RADIUS * RADIUS * spin) + MASS * 9.81 * s.q[2]
    };
    let most = energy(&case.state) * (1.0 + 1e-3);
    for _ in 0..3 {
        let step = belief.step(&case, &law, (60, 2.0, 0.1), &mut random).unwrap();
        assert!(step.particles.iter().all(|p| energy(&p.start) < most));
        spreads.push(mean_and_spread(&step.particles.iter().map(|p| p.end.q[0]).collect::<Vec<_>>())[1]);
        counts.push(step.discarded.gaining_energy + step.discarded.entering);
        belief = step.belief;
    }
    assert!(spreads[0] < 1e-12 && spreads[1] > 0.01 && spreads[2] > 1.3 * spreads[1], "{spreads:?}");
    assert!(counts[0] == 0 && counts[1] > 0, "{counts:?}");
    let mut still = case.state.clone();
    still.v.fill(0.0);
    let rest = known(&still);
    let step = rest.step(&case, &law, (1, 0.05, 0.1), &mut random).unwrap();
    assert!(step.particles[0].hit == 0 && (step.particles[0].time - 0.05).abs() < 1e-9);
}
