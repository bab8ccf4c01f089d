//! The engine as a witness of planar worlds: the same die, dropped in space.

// All of this file is a test.
#![allow(clippy::unwrap_used)]

use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction::models::Material;
use stiction::{Composer, FreeBody, Settings, Simulation, UNCOLOURED};
use stiction_learn::dice::DiceParameters;
use stiction_learn::planar::{PlanarState, PlanarStepper};

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

/// Drops on a corner that bounce and slide: over the first impacts both worlds go the same way. The engine finds an impact to
/// its step, so the distance falls with the step.
#[test]
fn planar_worlds_go_the_way_of_the_engine() {
    let p = DiceParameters { gyration: 6e-4_f64.sqrt(), ..DiceParameters::default() };
    let frames = 40;
    for (angle, spin, speed) in [(0.3, 2.0, -0.6), (0.6, -9.0, 0.5), (-0.25, 0.5, 0.1), (0.7, 15.0, -1.0)] {
        let start = PlanarState { q: [0.0, 0.12, angle], v: [speed, -1.2, spin] };
        let world = p.world();
        let mut track = vec![[0.0; 3]; frames];
        PlanarStepper::new(&world).track(start, 0.004, None, &mut track);
        let worst = |dt: f64| {
            let other = engine(start, &p, frames, dt);
            let apart = |(a, b): (&[f64; 3], &[f64; 3])| {
                (a[0] - b[0]).abs().max((a[1] - b[1]).abs()).max(0.0245 * (a[2] - b[2]).abs())
            };
            track.iter().zip(&other).map(apart).fold(0.0, f64::max)
        };
        let (coarse, fine) = (worst(4e-4), worst(5e-5));
        assert!(fine < 6e-4 && fine < 0.7 * coarse + 1e-4, "{angle}: {coarse} {fine}");
        // The die has been hit: it rises, or turns otherwise than it began.
        assert!((track[frames - 1][2] - start.q[2] - 0.16 * spin).abs() > 0.1, "nothing was hit");
    }
}
