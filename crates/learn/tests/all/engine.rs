//! The engine as a witness of planar worlds: the same die, dropped in space.

// All of this file is a test.
#![allow(clippy::unwrap_used)]

use std::sync::{Arc, Mutex};
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction::random::Random;
use stiction::world::Material;
use stiction::{Composer, ContactCorrection, CorrectableContact, FreeBody, Settings, Simulation, UNCOLOURED};
use stiction_learn::dice::DiceParameters;
use stiction_learn::planar::{PlanarState, PlanarStepper};
use stiction_learn::residual::{ContactExample, ContactResidual};

/// The engine's positions (x, z, θ) at multiples of 4 ms: a box as deep as it is wide that moves in the plane y = 0. θ turns
/// x towards z, which is the negative sense about y.
fn engine(start: PlanarState, p: &DiceParameters, frames: usize, dt: f64) -> Vec<[f64; 3]> {
    let mut scene = Composer::new("die", vec3(0.0, 0.0, -p.gravity)).unwrap();
    let surface = Material { friction: p.friction, restitution: p.restitution, ..Material::default() };
    scene.fixed("ground", Shape::Plane, Pose::IDENTITY, surface, UNCOLOURED).unwrap();
    let rotation = Quat::from_axis_angle(Vec3::Y, -start.q[2]);
    let pose = Pose::new(rotation, vec3(start.q[0], 0.0, start.q[1]));
    let shape = Shape::Box { half: vec3(p.half, p.half, p.half) };
    let die = FreeBody {
        material: surface,
        velocity: vec3(start.v[0], 0.0, start.v[1]),
        angular_velocity: vec3(0.0, -start.v[2], 0.0),
        ..FreeBody::new("die", shape, p.mass, pose)
    };
    scene.body(die).unwrap();
    let (world, state) = scene.finish();
    let mut settings = Settings::default();
    settings.stepper.dt = dt;
    settings.stepper.restitution_threshold = p.rest_speed;
    let mut simulation = Simulation::new(world, state, settings).unwrap();
    let steps = (0.004 / dt).round() as usize;
    let (mut track, mut last) = (vec![start.q], start.q[2]);
    for _ in 1..frames {
        (0..steps).for_each(|_| drop(simulation.step()));
        let q = &simulation.state().q;
        // The angle of a rotation about y from its quaternion, without jumps.
        let angle = -2.0 * q[5].atan2(q[3]);
        last = angle + std::f64::consts::TAU * ((last - angle) / std::f64::consts::TAU).round();
        track.push([q[0], q[2], last]);
    }
    track
}

/// Drops on a corner that bounce and slide: over the first impacts both worlds go the same way to 0.6 mm, the engine in
/// steps of 50 µs.
#[test]
fn planar_worlds_go_the_way_of_the_engine() {
    let p = DiceParameters { gyration: 6e-4_f64.sqrt(), ..DiceParameters::default() };
    let frames = 40;
    for (angle, spin, speed) in [(0.3, 2.0, -0.6), (0.6, -9.0, 0.5), (-0.25, 0.5, 0.1), (0.7, 15.0, -1.0)] {
        let start = PlanarState { q: [0.0, 0.12, angle], v: [speed, -1.2, spin] };
        let world = p.world();
        let mut track = vec![[0.0; 3]; frames];
        PlanarStepper::new(&world).track(start, 0.004, None, &mut track);
        let other = engine(start, &p, frames, 5e-5);
        let apart = |(a, b): (&[f64; 3], &[f64; 3])| {
            (a[0] - b[0]).abs().max((a[1] - b[1]).abs()).max(0.0245 * (a[2] - b[2]).abs())
        };
        let worst = track.iter().zip(&other).map(apart).fold(0.0, f64::max);
        assert!(worst < 6e-4, "{angle}: {worst}");
        // The die has been hit: it rises, or turns otherwise than it began.
        assert!((track[frames - 1][2] - start.q[2] - 0.16 * spin).abs() > 0.1, "nothing was hit");
    }
}

/// Notes the contacts that approach, and corrects nothing.
struct Note(Arc<Mutex<Vec<CorrectableContact>>>);

impl ContactCorrection for Note {
    fn correct(&mut self, contacts: &[CorrectableContact], _: &mut [[f64; 3]]) {
        let hit = contacts.iter().filter(|c| c.velocity_before[2] < -0.5 && c.impulse[2] > 0.0);
        self.0.lock().unwrap().extend(hit);
    }
}

/// A ball that falls on the ground at `speed`, with spin, in the engine; returns its velocity upwards after the impact.
fn bounce(speed: f64, correction: Box<dyn ContactCorrection>, restitution: f64) -> f64 {
    let mut scene = Composer::new("ball", vec3(0.0, 0.0, -9.81)).unwrap();
    let surface = Material { friction: 0.3, restitution, ..Material::default() };
    scene.fixed("ground", Shape::Plane, Pose::IDENTITY, surface, UNCOLOURED).unwrap();
    let ball = FreeBody {
        material: surface,
        velocity: vec3(0.3 * speed, 0.0, -speed),
        ..FreeBody::new(
            "ball",
            Shape::Sphere { radius: 0.05 },
            0.2,
            Pose::from_translation(vec3(0.0, 0.0, 0.06)),
        )
    };
    scene.body(ball).unwrap();
    let (world, state) = scene.finish();
    let mut simulation = Simulation::new(world, state, Settings::default()).unwrap();
    simulation.correct_contacts(Some(correction));
    let mut up = f64::NEG_INFINITY;
    for _ in 0..30 {
        simulation.step();
        up = up.max(simulation.state().v[2]);
    }
    up
}

/// A law that does not bounce learns from examples of restitution 0.6 to do so, through the engine's own seam.
#[test]
fn a_learner_corrects_contacts_of_the_engine() {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let mut random = Random::new(1);
    for _ in 0..25 {
        bounce(1.0 + 2.0 * random.unit(), Box::new(Note(notes.clone())), 0.0);
    }
    let examples: Vec<ContactExample> = notes
        .lock()
        .unwrap()
        .iter()
        .map(|c| {
            // What a bounce with e = 0.6 asks for of the normal impulse; the ball's contact has G without t–n entries.
            let normal = 1.6 * c.velocity_before[2].abs() / c.inverse_inertia[2][2];
            ContactExample { contact: *c, impulse: [c.impulse[0], c.impulse[1], normal] }
        })
        .collect();
    assert!(examples.len() >= 20, "{}", examples.len());
    let learner = ContactResidual::fit(&examples, 0.2, 1).unwrap();
    let (law, learned) =
        (bounce(2.0, Box::new(Note(Arc::default())), 0.0), bounce(2.0, Box::new(learner), 0.0));
    assert!(law < 0.1 && (learned - 1.2).abs() < 0.15, "{law} {learned}");
}
