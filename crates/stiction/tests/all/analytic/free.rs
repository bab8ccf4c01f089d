//! Motion without contact (scenes A10, A11).

use super::worlds::{G, Run, on_ground};
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Inertia, Pose, Quat, Sym3, Vec3, vec3};
use stiction::dynamics::{JointKind, JointSpec, Kinematics, ModelBuilder, Velocities};
use stiction::world::World;
use stiction::{Composer, FreeBody, State, StepStatus, StepperParams};

/// A10: a free body spinning about its middle axis flips over and over; energy and angular momentum stay, and how it turns
/// is of second order.
#[test]
fn a_tumbling_body_keeps_energy_and_momentum() {
    let run_for = |dt: f64| {
        let mut c = Composer::new("tumbling", Vec3::ZERO).unwrap();
        let shape = Shape::Box { half: vec3(0.05, 0.1, 0.2) };
        let body = FreeBody::new("book", shape, 1.0, Pose::IDENTITY);
        c.body(FreeBody { angular_velocity: vec3(0.05, 10.0, 0.05), ..body }).unwrap();
        let mut run = Run::new(c, "nsgs-accelerated", dt);
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
        assert!(turned < 1e-12, "the angular momentum turned by {turned:e}");
        let q = &run.sim.state().q;
        vec3(q[4], q[5], q[6]) * q[6].signum() // q and −q are one turn
    };
    let ends = [1e-3, 5e-4, 2.5e-4].map(run_for);
    let ratio = (ends[0] - ends[1]).norm() / (ends[1] - ends[2]).norm();
    assert!((3.5..5.0).contains(&ratio), "{ratio}: {ends:?}");
}

/// A body thrown and spinning about an axis that is not through its origin: its centre of mass is on the parabola,
/// whatever the step, and its energy stays.
#[test]
fn the_centre_of_mass_of_a_thrown_body_follows_the_parabola() {
    for com in [Vec3::ZERO, vec3(0.1, -0.2, 0.05)] {
        let mut c = on_ground(0.5, 0.0);
        let body = FreeBody::new("hammer", Shape::Sphere { radius: 0.01 }, 1.0, Pose::IDENTITY);
        c.body(FreeBody { velocity: vec3(1.0, 0.5, 6.0), angular_velocity: vec3(1.0, 4.0, -2.0), ..body })
            .unwrap();
        let (mut world, mut state) = c.finish();
        state.q[2] = 1.0;
        world.model.bodies[0].inertia = Inertia::new(2.0, com, Sym3::diagonal(0.02, 0.03, 0.04));
        let mut run = Run::of(world, state, "nsgs-accelerated", 1e-2);
        let centre = |run: &Run| {
            let q = &run.sim.state().q;
            vec3(q[0], q[1], q[2]) + Quat::new(q[3], q[4], q[5], q[6]).rotate(com)
        };
        let v = run.sim.state().v.clone();
        let (p0, v0) = (centre(&run), vec3(v[0], v[1], v[2]) + vec3(v[3], v[4], v[5]).cross(com));
        let energy = run.sim.energy().total();
        for _ in 0..100 {
            run.step();
            let t = run.sim.state().t;
            let expected = p0 + v0 * t - Vec3::Z * (0.5 * G * t * t);
            assert!((centre(&run) - expected).norm() < 1e-11, "{com:?}, {t}");
        }
        assert!((run.sim.energy().total() / energy - 1.0).abs() < 1e-10, "{com:?}");
    }
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
    Run::of(world, state, "nsgs-accelerated", dt)
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
    assert!((measured(1e-3) / period - 1.0).abs() < 1e-7);
}

/// The largest error of the energy of a double pendulum over `seconds`, a share of 2 m g l.
fn energy_error(angle: f64, dt: f64, seconds: f64) -> f64 {
    let mut run = released(2, angle, dt);
    let start = run.sim.energy().total();
    let mut worst = 0.0_f64;
    for _ in 0..(seconds / dt).round() as usize {
        run.step();
        worst = worst.max((run.sim.energy().total() - start).abs());
    }
    worst / (2.0 * G)
}

/// A11: the energy error of a double pendulum falls with the fifth power of the step; released from the horizontal it
/// stays under 1e-4 at steps of 10 ms. MuJoCo's Runge–Kutta of the fourth order: 1.0e-4.
#[test]
fn a_double_pendulum_is_of_the_fifth_order() {
    let (coarse, fine) = (energy_error(1.0, 1e-2, 2.0), energy_error(1.0, 5e-3, 2.0));
    assert!((24.0..80.0).contains(&(coarse / fine)), "{coarse} then {fine}");
    let horizontal = energy_error(std::f64::consts::FRAC_PI_2, 1e-2, 10.0);
    assert!(horizontal < 1e-4, "{horizontal}");
}

/// A light bob on a short rod below a heavy one, whirling: what a whole step cannot follow is done in parts, and the energy stays.
#[test]
fn whips_are_followed() {
    let mut world = pendulum(2);
    world.model.bodies[1].inertia =
        Inertia::new(1e-4, vec3(0.0, 0.0, -0.1), Sym3::diagonal(1e-9, 1e-9, 1e-9));
    let mut state = State::neutral(&world.model);
    state.v.copy_from_slice(&[10.0, -60.0]);
    let mut run = Run::of(world, state, "nsgs-accelerated", 1e-2);
    let start = run.sim.energy().total();
    for _ in 0..500 {
        run.step();
        let lost = (run.sim.energy().total() / start - 1.0).abs();
        assert!(lost < 1e-3, "{lost}, {:?}", run.sim.state());
    }
}

/// Bodies joined by hinges and balls, of no weight, without geometry.
fn chain(friction: f64) -> World {
    let solid = |m| Inertia::new(m, vec3(0.1, 0.05, -0.2), Sym3::diagonal(0.02, 0.03, 0.04));
    let mut b = ModelBuilder::new();
    let trunk = b.link("trunk", None, Pose::IDENTITY, solid(3.0));
    b.joint(trunk, JointSpec::free("base"));
    for (i, axis) in [Vec3::X, Vec3::Y, vec3(0.6, 0.0, 0.8)].into_iter().enumerate() {
        let at = Pose::from_translation(vec3(0.2, 0.1 * i as f64 - 0.1, 0.0));
        let limb = b.link(format!("limb {i}"), Some(trunk), at, solid(1.0));
        b.joint(limb, JointSpec { friction, ..JointSpec::hinge(format!("hip {i}"), axis) });
        let shin =
            b.link(format!("shin {i}"), Some(limb), Pose::from_translation(vec3(0.0, 0.0, -0.4)), solid(0.5));
        b.joint(shin, JointSpec::ball(format!("knee {i}")));
    }
    World::new("chain", b.build(Vec3::ZERO).unwrap())
}

/// Tumbling freely, energy and momentum stay.
#[test]
fn a_floating_chain_keeps_energy_and_momentum() {
    let world = chain(0.0);
    let mut state = State::neutral(&world.model);
    state.v.iter_mut().enumerate().for_each(|(i, v)| *v = (3 * i) as f64 % 5.0 - 2.0);
    let mut run = Run::of(world, state, "nsgs-accelerated", 1e-3);
    let momentum = |run: &mut Run| {
        let (world, state) = (run.sim.world().clone(), run.sim.state().clone());
        let mut kin = Kinematics::new(&world.model);
        kin.update(&world.model, &state.q);
        let mut vel = Velocities::new(&world.model);
        vel.update(&world.model, &kin, &state.v);
        stiction::dynamics::momentum(&world.model, &kin, &vel)
    };
    let (energy, p) = (run.sim.energy().total(), momentum(&mut run));
    run.steps(10_000);
    let q = momentum(&mut run);
    assert!((run.sim.energy().total() / energy - 1.0).abs() < 1e-8, "{energy}, {}", run.sim.energy().total());
    assert!((q.linear - p.linear).norm() < 1e-8 * p.linear.norm());
    assert!((q.angular - p.angular).norm() < 1e-8 * p.angular.norm());
}

/// At speeds that no step follows, a joint turning by 2000 rad a step or by far more, the energy with which a step leaves
/// where it started is what the step before left with, and so is the linear momentum: whether nothing holds the chain, or
/// joints with dry friction.
#[test]
fn a_chain_that_tumbles_absurdly_fast_keeps_its_energy() {
    for (speed, friction) in [(1e6, 0.0), (1e6, 1e-9), (1e8, 0.0), (1e8, 1e-9)] {
        let world = chain(friction);
        let model = world.model.clone();
        let mut state = State::neutral(&model);
        state.v.iter_mut().enumerate().for_each(|(i, v)| *v = speed * ((3 * i) as f64 % 5.0 - 2.0));
        let mut run = Run::of(world, state.clone(), "nsgs-accelerated", 1e-3);
        let measure = |q: &[f64], v: &[f64]| {
            let (mut kin, mut vel) = (Kinematics::new(&model), Velocities::new(&model));
            kin.update(&model, q);
            vel.update(&model, &kin, v);
            let momentum = stiction::dynamics::momentum(&model, &kin, &vel).linear;
            (stiction::dynamics::kinetic_energy(&model, &kin, &vel, v), momentum)
        };
        let mut known = None;
        for _ in 0..200 {
            let q = run.sim.state().q.clone();
            run.step();
            let (energy, p) = measure(&q, &run.sim.state().v);
            let (energy_0, p_0) = *known.get_or_insert((energy, p));
            assert!((energy / energy_0 - 1.0).abs() < 1e-6, "{speed}, {friction}: {energy} {energy_0}");
            assert!((p - p_0).norm() < 1e-6 * p_0.norm(), "{speed}, {friction}: {p:?} {p_0:?}");
        }
    }
}

/// A mass on a spring with and without a damper, against the closed form; a stiff one goes to rest and stays there.
#[test]
fn a_mass_on_a_spring_swings_as_it_should() {
    let oscillator = |stiffness: f64, damping: f64| {
        let mut b = ModelBuilder::new();
        let mass = b.link("mass", None, Pose::IDENTITY, Inertia::new(2.0, Vec3::ZERO, Sym3::ZERO));
        let spring = JointSpec::slide("spring", Vec3::X);
        b.joint(mass, JointSpec { stiffness, damping, ..spring });
        let world = World::new("oscillator", b.build(Vec3::ZERO).unwrap());
        let state = State { t: 0.0, q: vec![0.3], v: vec![0.0] };
        Run::of(world, state, "nsgs-accelerated", 5e-3)
    };
    for damping in [0.0, 1.0] {
        let mut run = oscillator(200.0, damping);
        run.steps(2000);
        let (t, decay) = (run.sim.state().t, damping / 4.0);
        let w = (100.0 - decay * decay).sqrt();
        let expected = 0.3 * (-decay * t).exp() * ((w * t).cos() + decay / w * (w * t).sin());
        assert!((run.sim.state().q[0] - expected).abs() < 1e-6, "{} for {expected}", run.sim.state().q[0]);
    }
    for (stiffness, damping) in [(1e8, 0.0), (1e3, 1e5), (0.0, 1e6), (1e5, 10.0)] {
        let mut run = oscillator(stiffness, damping);
        for _ in 0..2000 {
            run.step();
            assert!(run.sim.state().q[0].abs() <= 0.3 + 1e-12, "{stiffness}, {damping}");
        }
        assert!(run.sim.state().v[0].abs() < 1e-2, "{stiffness}, {damping}: {:?}", run.sim.state());
    }
}

/// Five light links with half a ton at the end, held at one end, and dry friction in every joint [N·m].
fn heavy_end(friction: f64, dt: f64, adaptive: u32) -> Run {
    let mut b = ModelBuilder::new();
    let rod = Inertia::new(0.05, vec3(0.05, 0.0, 0.0), Sym3::diagonal(1e-6, 4e-5, 4e-5));
    let mut last = None;
    for k in 0..5 {
        let at = Pose::from_translation(if k == 0 { Vec3::ZERO } else { vec3(0.1, 0.0, 0.0) });
        let heavy = Inertia::new(500.0, vec3(0.12, 0.0, 0.0), Sym3::diagonal(2.0, 2.0, 2.0));
        let link = b.link(format!("link {k}"), last, at, if k == 4 { heavy } else { rod });
        b.joint(link, JointSpec { friction, ..JointSpec::hinge(format!("joint {k}"), Vec3::Y) });
        last = Some(link);
    }
    let world = World::new("heavy end", b.build(vec3(0.0, 0.0, -G)).unwrap());
    let state = State::neutral(&world.model);
    Run::with(world, state, "auto", StepperParams { dt, adaptive, ..StepperParams::default() })
}

/// Five links of 50 g with 500 kg at their end swing: what is large for the end is little in the joints, and an error of the
/// joints that seems small made a thousand times the energy. It stays, to a hundred-thousandth in two seconds.
#[test]
fn a_heavy_end_of_a_light_chain_keeps_its_energy() {
    let mut run = heavy_end(0.0, 1e-3, 0);
    let (start, scale) = (run.sim.energy().total(), 500.0 * G * 0.5);
    run.steps(2000);
    let gained = run.sim.energy().total() - start;
    assert!(gained.abs() < 1e-5 * scale, "{gained} J");
}

/// With dry friction the chain goes by a rule of the first order, which makes energy: the steps tell how much, up to what
/// friction took, and those that make much are flagged, or done again in parts.
#[test]
fn a_step_tells_the_energy_that_it_made() {
    let friction = 1e-2;
    let mut made = [0.0; 2];
    for (adaptive, made) in [0, 5].into_iter().zip(&mut made) {
        let mut run = heavy_end(friction, 4e-3, adaptive);
        let (start, mut way, mut flagged, mut parts) = (run.sim.energy().total(), 0.0, 0, 0);
        for _ in 0..200 {
            let before = run.sim.state().q.clone();
            let report = run.sim.step();
            assert!(report.failure().is_none());
            *made += report.energy_error;
            flagged += u32::from(report.status == StepStatus::GainedEnergy);
            parts = parts.max(report.parts);
            assert_eq!(report.flagged(), report.energy_error_rate > 5.0, "{report:?}");
            way += run.sim.state().q.iter().zip(&before).map(|(a, b)| (a - b).abs()).sum::<f64>();
        }
        let unexplained = run.sim.energy().total() - start - *made;
        assert!(
            unexplained <= 1.0 && unexplained >= -1.0 - 2.0 * friction * way,
            "{unexplained} J, {way} rad"
        );
        match adaptive {
            0 => assert!(flagged > 20 && parts == 1, "{flagged}"),
            _ => assert!(parts > 1),
        }
    }
    assert!(made[0] > 500.0 && made[1].abs() < 0.2 * made[0], "{made:?}");
}
