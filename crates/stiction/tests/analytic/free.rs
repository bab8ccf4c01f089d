//! Motion without contact (scenes A10, A11).

use crate::worlds::{G, Run};
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Inertia, Pose, Quat, Sym3, Vec3, vec3};
use stiction::dynamics::{JointKind, JointSpec, ModelBuilder};
use stiction::models::World;
use stiction::{Composer, FreeBody, State};

/// A10: a free body spinning about its middle axis flips over and over; energy and the norm of
/// the angular momentum stay, and its direction to the order of the method.
#[test]
fn a_tumbling_body_keeps_energy_and_momentum() {
    let run_for = |dt: f64| {
        let mut c = Composer::new("tumbling", Vec3::ZERO).unwrap();
        let shape = Shape::Box { half: vec3(0.05, 0.1, 0.2) };
        let body = FreeBody::new("book", shape, 1.0, Pose::IDENTITY);
        c.body(FreeBody { angular_velocity: vec3(0.05, 10.0, 0.05), ..body }).unwrap();
        let mut run = Run::new(c, "nsgs", dt);
        let I = run.sim.world().model.bodies[0].inertia.about_com();
        let momentum = |run: &Run| {
            let (q, v) = (&run.sim.state().q, &run.sim.state().v);
            Quat::new(q[3], q[4], q[5], q[6]).rotate(I * vec3(v[3], v[4], v[5]))
        };
        let (energy, L) = (run.sim.energy().total(), momentum(&run));
        let (mut lowest, mut turned) = (f64::INFINITY, 0.0_f64);
        for _ in 0..(10.0 / dt) as usize {
            run.step();
            lowest = lowest.min(run.sim.state().v[4]);
            turned = turned.max((momentum(&run) - L).norm() / L.norm());
            assert!((momentum(&run).norm() / L.norm() - 1.0).abs() < 1e-8);
        }
        assert!((run.sim.energy().total() / energy - 1.0).abs() < 1e-8, "{}", run.sim.energy().total());
        assert!(lowest < -9.9, "the body must have flipped; lowest rate {lowest}");
        turned
    };
    let (coarse, fine) = (run_for(1e-3), run_for(5e-4));
    assert!(coarse < 0.02 && (1.5..3.0).contains(&(coarse / fine)), "{coarse} then {fine}");
}

/// Point masses of 1 kg on massless rods of 1 m, hinged about y, hanging down at zero.
fn pendulum(links: usize) -> World {
    let bob = Inertia::new(1.0, vec3(0.0, 0.0, -1.0), Sym3::ZERO);
    let mut b = ModelBuilder::new();
    let mut parent = None;
    for i in 0..links {
        let offset = if i == 0 { Vec3::ZERO } else { vec3(0.0, 0.0, -1.0) };
        let link = b.link(format!("rod {i}"), parent, Pose::from_translation(offset), bob);
        b.joint(link, JointSpec::new(format!("hinge {i}"), JointKind::Hinge, Vec3::Y));
        parent = Some(link);
    }
    World::new("pendulum", b.build(vec3(0.0, 0.0, -G)).unwrap())
}

fn released(links: usize, angle: f64, dt: f64) -> Run {
    let world = pendulum(links);
    let mut state = State::neutral(&world.model);
    state.q.fill(angle);
    Run::of(world, state, "nsgs", dt)
}

/// A11: the period of a pendulum of 1 rad is 4 √(l/g) K(sin ½) = 2π √(l/g) / agm(1, cos ½).
#[test]
fn a_pendulum_keeps_time() {
    let period = {
        let (mut a, mut b) = (1.0_f64, 0.5_f64.cos());
        for _ in 0..6 {
            (a, b) = (0.5 * (a + b), (a * b).sqrt());
        }
        std::f64::consts::TAU / G.sqrt() / a
    };
    let measured = |dt: f64| {
        let mut run = released(1, 1.0, dt);
        // Upward crossings of zero, interpolated; five periods from first to last.
        let mut crossings = Vec::new();
        while crossings.len() < 6 {
            let before = run.sim.state().q[0];
            run.step();
            let after = run.sim.state().q[0];
            if before < 0.0 && after >= 0.0 {
                crossings.push(run.sim.state().t - dt * after / (after - before));
            }
        }
        (crossings[5] - crossings[0]) / 5.0
    };
    assert!((measured(1e-3) / period - 1.0).abs() < 1e-5);
}

/// A11: the energy error of a double pendulum halves with the step.
#[test]
fn a_double_pendulum_is_first_order() {
    let worst = |dt: f64| {
        let mut run = released(2, 1.0, dt);
        let start = run.sim.energy().total();
        let mut worst = 0.0_f64;
        for _ in 0..(2.0 / dt) as usize {
            run.step();
            worst = worst.max((run.sim.energy().total() - start).abs());
        }
        worst
    };
    let (coarse, fine) = (worst(1e-3), worst(5e-4));
    assert!((1.8..2.2).contains(&(coarse / fine)), "{coarse} then {fine} J");
}
