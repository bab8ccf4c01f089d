//! Drops and bounces (scenes A1, A2).
use super::worlds::{EXACT, G, Run, cube, geometry, on_ground};
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Inertia, Pose, Quat, Sym3, Vec3, vec3};
use stiction::dynamics::{JointKind, JointSpec, Kinematics, ModelBuilder, Velocities};
use stiction::models::{LoadOptions, load_str};
use stiction::world::{Material, World};
use stiction::{Composer, FreeBody, ImpactLaw, Settings, Simulation, State, StepperParams};

fn ball(height: f64, speed: f64, restitution: f64) -> FreeBody {
    let pose = Pose::from_translation(vec3(0.0, 0.0, 0.1 + height));
    FreeBody {
        material: Material { restitution, ..Material::default() },
        velocity: vec3(0.0, 0.0, speed),
        ..FreeBody::new("ball", Shape::Sphere { radius: 0.1 }, 2.0, pose)
    }
}

/// A1: Moreau's inelastic impact: v⁺ = 0, λ = m |v| + m g h.
#[test]
fn a_dropped_ball_stays_where_it_lands() {
    for contact in EXACT {
        let mut c = on_ground(0.5, 0.0);
        c.body(ball(0.0, -1.0, 0.0)).unwrap();
        let mut run = Run::new(c, contact, 1e-3);
        run.step();
        assert!(run.velocity(0).norm() < 1e-10, "{contact}");
        let impulse = run.contacts().iter().map(|c| c.force.z).sum::<f64>() * 1e-3;
        assert!((impulse - 2.0 * (1.0 + G * 1e-3)).abs() < 1e-9, "{contact}: {impulse}");
        run.assert_exact();
    }
}

/// A cube that is not quite level lands: one motion closes all its corners, and friction has to bring that about, no more.
/// No corner presses against another, as they would where points at different heights asked for what no motion does.
#[test]
fn corners_that_land_together_do_not_press_against_each_other() {
    // No landing ends a part of the step.
    let stepper = StepperParams { dt: 1e-3, landing_interval: 0, ..StepperParams::default() };
    for tilt in [1e-6, 1e-5, 1e-4, 1e-3] {
        let mut c = on_ground(0.5, 0.0);
        let pose = Pose::new(Quat::from_rpy(0.3 * tilt, tilt, 0.4), vec3(0.0, 0.0, 0.1 + 2e-4));
        c.body(FreeBody { pose, velocity: vec3(0.0, 0.0, -1.0), ..cube(0.5, 0.0) }).unwrap();
        let (world, state) = c.finish();
        let mut run = Run::with(world, state, "auto", stepper.clone());
        run.step();
        let contacts = run.contacts();
        assert_eq!(contacts.len(), 4);
        let (mut all, mut pressed, mut sizes) = (Vec3::ZERO, 0.0, 0.0);
        for c in contacts {
            let across = c.force - c.normal * c.normal.dot(c.force);
            assert!(c.force.z > 1.0, "{tilt}: a corner is open");
            all += across;
            sizes += across.norm();
            pressed += c.force.z;
        }
        let against = (sizes - all.norm()) / pressed;
        assert!(against < 1e-6, "{tilt}: {against:e} of the load");
        run.assert_exact();
        // Nothing is left of it a step later but that the motion was a turn, by `tilt`.
        run.step();
        let (left, bent) = (run.velocity(0).norm(), 0.1 * tilt * tilt / 1e-3);
        assert!(left < 1e-9 + bent, "{tilt}: {left:e} m/s");
    }
}

/// Apexes of the bounces of a ball dropped from 1 m, above its rest height [m].
fn apexes(contact: &str, e: f64, dt: f64, seconds: f64) -> (Vec<f64>, Run) {
    let mut c = on_ground(0.5, 0.0);
    c.body(ball(1.0, 0.0, e)).unwrap();
    let mut run = Run::new(c, contact, dt);
    let (mut apexes, mut rising) = (Vec::new(), false);
    for _ in 0..(seconds / dt) as usize {
        run.step();
        let vz = run.velocity(0).z;
        if rising && vz <= 0.0 {
            apexes.push(run.position(0).z - 0.1);
        }
        rising = vz > 0.0;
    }
    (apexes, run)
}

/// A2: the k-th apex is e²ᵏ of the height, whatever the step (the sample after it is up to g h²/2 lower); after Zeno's
/// time √(2H/g)(1+e)/(1−e) the ball rests.
#[test]
fn a_bouncing_ball_keeps_e_squared_of_its_height() {
    let e = 0.8_f64;
    for contact in EXACT {
        for dt in [1e-2, 1e-3, 1e-4] {
            let sampled = G * dt * dt / 2.0 + 1e-9;
            let (apexes, run) = apexes(contact, e, dt, 2.0);
            for (k, apex) in apexes.iter().take(3).enumerate() {
                let expected = e.powi(2 * (k as i32 + 1));
                let lost = expected - apex;
                assert!((-1e-9..=sampled).contains(&lost), "{contact}, h {dt}: {apex} for {expected}");
            }
            assert!(apexes.len() >= 3);
            run.assert_exact();
        }
        let zeno = (2.0 / G).sqrt() * (1.0 + e) / (1.0 - e);
        let (_, run) = self::apexes(contact, e, 1e-3, 1.1 * zeno);
        assert!(run.velocity(0).norm() < 1e-8 && (run.position(0).z - 0.1).abs() < 2e-5, "{contact}");
    }
}

/// e = 1 gives the height back, e = 0 nothing.
#[test]
fn the_ends_of_the_scale_of_restitution() {
    let (elastic, mut run) = apexes("nsgs-accelerated", 1.0, 1e-3, 10.0);
    assert!(elastic.iter().all(|a| (a - 1.0).abs() < 5e-6), "{elastic:?}");
    assert!((run.sim.energy().total() / (2.0 * G * 1.1) - 1.0).abs() < 1e-9, "{}", run.sim.energy().total());
    let (dead, run) = apexes("nsgs-accelerated", 0.0, 1e-3, 1.0);
    assert!(dead.iter().all(|a| *a < 1e-8) && run.velocity(0).norm() < 1e-10, "{dead:?}");
}

/// Two balls that meet in the air swap their velocities and keep their energy; where they meet is where the closed
/// form says, whatever the step.
#[test]
fn balls_that_meet_in_the_air_swap_velocities() {
    for dt in [1e-2, 1e-3] {
        let mut c = on_ground(0.5, 0.0);
        for (name, x, speed) in [("left", -1.0, 2.0), ("right", 0.5, -1.0)] {
            let at = Pose::from_translation(vec3(x, 0.0, 10.0));
            c.body(FreeBody {
                pose: at,
                velocity: vec3(speed, 0.0, 0.0),
                name: name.to_owned(),
                ..ball(0.0, 0.0, 1.0)
            })
            .unwrap();
        }
        let mut run = Run::new(c, "nsgs-accelerated", dt);
        run.steps((1.0 / dt) as usize);
        // They touch 1.3 m / 3 m/s after the start, 0.2 m apart.
        let met = 1.3 / 3.0;
        let left = -1.0 + 2.0 * met - (1.0 - met);
        let right = 0.5 - met + 2.0 * (1.0 - met);
        assert!((run.position(0).x - left).abs() < 1e-9, "{} for {left}", run.position(0).x);
        assert!((run.position(7).x - right).abs() < 1e-9, "{} for {right}", run.position(7).x);
        assert!((run.position(0).z - (10.0 - 0.5 * G)).abs() < 1e-9);
        run.assert_exact();
    }
}

/// Velocities after all impacts of equal balls in a row: pair by pair, until none approach.
fn after_impacts(mut v: Vec<f64>, e: f64) -> Vec<f64> {
    while let Some(i) = (1..v.len()).find(|&i| v[i - 1] - v[i] > 1e-9) {
        let (mean, half) = (0.5 * (v[i - 1] + v[i]), 0.5 * e * (v[i - 1] - v[i]));
        (v[i - 1], v[i]) = (mean - half, mean + half);
    }
    v
}

/// A ball that is thrown at others, which all but touch, goes through the row within a step. Every impact obeys Newton's
/// law, also of those pairs that stood or parted when the step began.
#[test]
fn an_impact_goes_through_a_row_of_balls() {
    for (e, drift) in [(1.0, 0.0), (1.0, 0.3), (0.5, 0.0), (0.5, 0.3)] {
        for (contact, gap) in EXACT.iter().flat_map(|c| [(c, 1e-4), (c, 5e-4), (c, 2e-3)]) {
            // Of three balls the order of the impacts is given; at e = 1 it does not matter.
            let start = [8.0, 0.0, drift, 2.0 * drift][..if e == 1.0 { 4 } else { 3 }].to_vec();
            let mut c = on_ground(0.5, 0.0);
            for (i, v) in start.iter().enumerate() {
                let x = i as f64 * (0.2 + gap) - if i == 0 { 0.003 } else { 0.0 };
                let pose = Pose::from_translation(vec3(x, 0.0, 10.0));
                let (name, velocity) = (format!("ball {i}"), vec3(*v, 0.0, 0.0));
                c.body(FreeBody { pose, velocity, name, ..ball(0.0, 0.0, e) }).unwrap();
            }
            let mut run = Run::new(c, contact, 1e-3);
            run.steps(100);
            for (i, expected) in after_impacts(start, e).iter().enumerate() {
                let v = run.velocity(6 * i).x;
                assert!(
                    (v - expected).abs() < 1e-6,
                    "{contact}, e {e}, {drift}, {gap}: ball {i} at {v} for {expected}"
                );
            }
            run.assert_exact();
        }
    }
}

/// Two rods of 1 kg and 1 m, 20° and 30° from where they hang, whose tip meets the ground: with e = ½ and friction that
/// holds the tip, Newton's restitution makes 1.59 times the energy there was [Kane1985], and 1.06 times where friction is too
/// weak to hold it. The tip then leaves slower, with no more energy than there was; where some is lost, as fast as e says.
#[test]
fn bounces_of_linked_bodies_make_no_energy() {
    for (friction, e, energy) in [(0.7, 0.3967, 1.0), (0.3, 0.4083, 1.0), (0.0, 0.5, 0.7114)] {
        let rod = Inertia::new(1.0, vec3(0.0, 0.0, -0.5), Sym3::diagonal(1.0 / 12.0, 1.0 / 12.0, 1e-6));
        let mut b = ModelBuilder::new();
        let upper = b.link("upper", None, Pose::IDENTITY, rod);
        b.joint(upper, JointSpec::new("upper", JointKind::Hinge, -Vec3::Y));
        let lower = b.link("lower", Some(upper), Pose::from_translation(vec3(0.0, 0.0, -1.0)), rod);
        b.joint(lower, JointSpec::new("lower", JointKind::Hinge, -Vec3::Y));
        let mut world = World::new("rods", b.build(Vec3::ZERO).unwrap());
        let (first, second) = (20_f64.to_radians(), 30_f64.to_radians());
        let down = first.cos() + second.cos() + 1e-4;
        let material = Material { friction, restitution: 0.5, ..Material::default() };
        for (link, X_LG, shape) in [
            (None, Pose::from_translation(vec3(0.0, 0.0, -down)), Shape::Plane),
            (Some(lower), Pose::from_translation(vec3(0.0, 0.0, -1.0)), Shape::Sphere { radius: 1e-4 }),
        ] {
            world.geometries.push(geometry(link, X_LG, shape, material));
        }
        let mut state = State::neutral(&world.model);
        state.q.copy_from_slice(&[first, second - first]);
        state.v.copy_from_slice(&[-2.0, -2.0]);
        let falls = -(2.0 * first.sin() + 4.0 * second.sin());
        let mut run = Run::of(world, state, "auto", 1e-5);
        let before = run.sim.energy().kinetic;
        run.step();
        let v = run.sim.state().v.clone();
        let rises = v[0] * first.sin() + (v[0] + v[1]) * second.sin();
        assert!((rises + e * falls).abs() < 1e-3, "{friction}: {rises} after {falls}");
        let share = run.sim.energy().kinetic / before;
        assert!((share - energy).abs() < 1e-3 && share < 1.0 + 1e-5, "{friction}: {share}");
        run.assert_exact();
    }
}

/// Two capsules on a hinge, e = 1 and no friction, dropped: the energy never grows by a step, and the less is lost the smaller
/// the step.
#[test]
fn linked_bodies_that_bounce_elastically_keep_their_energy() {
    let lost = |h: f64| {
        let text = r#"<mujoco><worldbody><geom type="plane" size="0 0 1"/>
          <body pos="0 0 0.6" euler="0 20 10"><freejoint/>
            <geom type="capsule" size="0.02" fromto="0 0 0 -0.25 0 0" mass="0.3" contype="1" conaffinity="0"/>
            <body><joint axis="0 1 0"/>
              <geom type="capsule" size="0.02" fromto="0 0 0 0.25 0 0" mass="0.4" contype="1" conaffinity="0"/></body>
          </body></worldbody></mujoco>"#;
        let (file, here) = (std::path::Path::new("hinge.xml"), std::path::Path::new("."));
        let mut world = load_str(text, file, here, &LoadOptions::default()).unwrap();
        for g in &mut world.geometries {
            (g.material.friction, g.material.restitution) = (0.0, 1.0);
        }
        let state = State::neutral(&world.model);
        let mut run = Run::of(world, state, "auto", h);
        let start = run.sim.energy().total();
        let mut before = start;
        for _ in 0..(2.0 / h) as usize {
            run.step();
            let now = run.sim.energy().total();
            assert!(now < before + 1e-6 * start, "h {h}: {} J in one step", now - before);
            before = now;
        }
        1.0 - before / start
    };
    let losses = [1e-3, 2.5e-4, 6.25e-5].map(lost);
    assert!(losses[2] < 0.05 && losses[2] < losses[0].max(0.02), "{losses:?}");
}

/// Free bodies that collide where nothing else acts keep their linear and angular momentum to rounding, at every step, with
/// friction, elastically or not, spinning or not. Of those that stay together (e = 0) overlaps beyond the slop are taken out of
/// the positions: such a step moves momentum, and is not asked.
#[test]
fn colliding_free_bodies_keep_their_angular_momentum() {
    for (e, box_like, spin) in [(0.5, false, 0.0), (0.0, false, 30.0), (0.8, true, 40.0), (0.0, true, 25.0)] {
        for h in [8e-3, 1e-3] {
            let mut c = Composer::new("collision", Vec3::ZERO).unwrap();
            let material = Material { friction: 0.5, restitution: e, ..Material::default() };
            let shape = |r: f64| {
                if box_like {
                    Shape::Box { half: vec3(1.5 * r, r, 0.5 * r) }
                } else {
                    Shape::Sphere { radius: r }
                }
            };
            let a = FreeBody::new("a", shape(0.1), 1.0, Pose::from_translation(vec3(-0.5, 0.1, 0.02)));
            let b = FreeBody::new("b", shape(0.12), 2.0, Pose::from_translation(vec3(0.1, 0.0, 0.0)));
            let angular_velocity = vec3(0.5, 1.0, -0.7) * spin;
            c.body(FreeBody { velocity: vec3(2.0, 0.0, 0.0), angular_velocity, material, ..a }).unwrap();
            c.body(FreeBody { material, ..b }).unwrap();
            let (world, state) = c.finish();
            let model = world.model.clone();
            let mut run = Run::of(world, state, "auto", h);
            let momentum = |run: &Run| {
                let (mut kin, mut vel) = (Kinematics::new(&model), Velocities::new(&model));
                kin.update(&model, &run.sim.state().q);
                vel.update(&model, &kin, &run.sim.state().v);
                stiction::dynamics::momentum(&model, &kin, &vel)
            };
            let (mut met, mut asked) = (false, 0);
            for _ in 0..(0.8 / h) as usize {
                let before = momentum(&run);
                let report = run.sim.step();
                assert!(!report.flagged());
                met |= run.contacts().iter().any(|c| c.force != Vec3::ZERO);
                let now = momentum(&run);
                let [linear, angular] =
                    [(now.linear - before.linear).norm(), (now.angular - before.angular).norm()];
                let whole = report.penetration <= StepperParams::default().slop;
                asked += usize::from(whole);
                assert!(linear < 1e-13, "e {e}, h {h}: {linear:e}");
                assert!(!whole || angular < 1e-13, "e {e}, h {h}: {angular:e}");
            }
            assert!(met && asked as f64 * h > 0.2, "they meet");
        }
    }
}

/// Balls in a row that touch, struck by one: Newton's law on all at once throws all but the striker; impacts one after
/// another throw the last, as a cradle does, and two of three at once throw two.
#[test]
fn a_cradle_throws_as_many_as_strike() {
    let after = |impacts: ImpactLaw, strikers: usize| {
        let mut c = Composer::new("cradle", Vec3::ZERO).unwrap();
        let material = Material { friction: 0.0, restitution: 1.0, ..Material::default() };
        for k in 0..5 {
            let gap = if k < strikers { -0.0005 } else { 0.0 };
            let at = Pose::from_translation(vec3(0.1 * k as f64 + gap, 0.0, 0.0));
            let velocity = vec3(if k < strikers { 1.0 } else { 0.0 }, 0.0, 0.0);
            let ball = FreeBody::new(format!("ball {k}"), Shape::Sphere { radius: 0.05 }, 1.0, at);
            c.body(FreeBody { material, velocity, ..ball }).unwrap();
        }
        let (world, state) = c.finish();
        let stepper = StepperParams { impacts, ..StepperParams::default() };
        let settings = Settings { stepper, ..Settings::default() };
        let mut sim = Simulation::new(world, state, settings).unwrap();
        (0..20).for_each(|_| assert!(!sim.step().flagged()));
        let v = &sim.state().v;
        [0, 1, 2, 3, 4].map(|k| (v[6 * k] * 1e9).round() / 1e9)
    };
    assert_eq!(after(ImpactLaw::Sequential, 1), [0.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(after(ImpactLaw::Sequential, 2), [0.0, 0.0, 0.0, 1.0, 1.0]);
    let at_once = after(ImpactLaw::AtOnce, 1);
    assert!(at_once[0] < -0.5 && at_once[4] < 0.5, "{at_once:?}");
}

/// Balls that collide elastically and obliquely, in several steps: their energy stays to rounding, in every step.
#[test]
fn elastic_balls_keep_their_energy() {
    let mut c = Composer::new("gas", Vec3::ZERO).unwrap();
    let material = Material { friction: 0.0, restitution: 1.0, ..Material::default() };
    for k in 0..8 {
        let corner = vec3((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64);
        let at = (corner - vec3(0.5, 0.5, 0.5)) * 0.5 + vec3(0.01, 0.02, -0.03) * k as f64;
        let ball = FreeBody::new(
            format!("ball {k}"),
            Shape::Sphere { radius: 0.1 },
            1.0,
            Pose::from_translation(at),
        );
        c.body(FreeBody { material, velocity: at * -3.0, ..ball }).unwrap();
    }
    let (world, state) = c.finish();
    let mut run = Run::of(world, state, "auto", 1e-3);
    let (start, mut met) = (run.sim.energy().total(), 0);
    for _ in 0..400 {
        run.step();
        met += u32::from(run.contacts().iter().any(|c| c.force != Vec3::ZERO));
        assert!((run.sim.energy().total() / start - 1.0).abs() < 1e-10, "{} J", run.sim.energy().total());
    }
    assert!(met >= 3, "{met} steps with impacts");
}

/// Links on joints, and bodies that lie upon each other, bounce at e = 1 and keep their energy, whatever the step: a ball on a
/// vertical slide, a rod on a post, three boxes dropped as a stack.
#[test]
fn what_bounces_elastically_keeps_its_energy() {
    let elastic = |friction| Material { friction, restitution: 1.0, ..Material::default() };
    let ball_on_slide = || {
        let mut b = ModelBuilder::new();
        let at = Pose::from_translation(vec3(0.0, 0.0, 1.0));
        let ball = b.link("ball", None, at, Inertia::new(1.0, Vec3::ZERO, Sym3::diagonal(4e-3, 4e-3, 4e-3)));
        b.joint(ball, JointSpec::new("slide", JointKind::Slide, Vec3::Z));
        let mut world = World::new("ball", b.build(vec3(0.0, 0.0, -G)).unwrap());
        world.geometries.push(geometry(None, Pose::IDENTITY, Shape::Plane, elastic(0.0)));
        let sphere = Shape::Sphere { radius: 0.1 };
        world.geometries.push(geometry(Some(ball), Pose::IDENTITY, sphere, elastic(0.0)));
        let state = State::neutral(&world.model);
        (world, state)
    };
    let rod_on_post = || {
        let mut b = ModelBuilder::new();
        let rod = Inertia::new(1.0, vec3(0.25, 0.0, 0.0), Sym3::diagonal(1e-4, 1.0 / 48.0, 1.0 / 48.0));
        let rod = b.link("rod", None, Pose::from_translation(vec3(0.0, 0.0, 0.3)), rod);
        b.joint(rod, JointSpec::new("hinge", JointKind::Hinge, Vec3::Y));
        let mut world = World::new("rod", b.build(vec3(0.0, 0.0, -G)).unwrap());
        let post = Shape::Sphere { radius: 0.05 };
        world.geometries.push(geometry(
            None,
            Pose::from_translation(vec3(0.4, 0.0, 0.1)),
            post,
            elastic(0.0),
        ));
        let along = Pose::new(Quat::from_rpy(0.0, 0.5 * std::f64::consts::PI, 0.0), vec3(0.25, 0.0, 0.0));
        let capsule = Shape::Capsule { radius: 0.02, half_length: 0.25 };
        world.geometries.push(geometry(Some(rod), along, capsule, elastic(0.0)));
        let mut state = State::neutral(&world.model);
        state.q[0] = -0.8;
        (world, state)
    };
    let stack = || {
        let mut c = on_ground(0.3, 0.0);
        for (k, mass) in [1.0, 0.5, 0.8].into_iter().enumerate() {
            let at = Pose::from_translation(vec3(0.0, 0.0, 0.55 + 0.1 * k as f64));
            let shape = Shape::Box { half: vec3(0.1, 0.1, 0.05) };
            let body = FreeBody::new(format!("box {k}"), shape, mass, at);
            c.body(FreeBody { material: elastic(0.3), ..body }).unwrap();
        }
        c.finish()
    };
    for h in [5e-3, 1e-3] {
        for (world, state) in [ball_on_slide(), rod_on_post(), stack()] {
            let name = world.name.clone();
            let mut run = Run::of(world, state, "auto", h);
            let start = run.sim.energy().total();
            let (mut least, mut most) = (start, start);
            let mut bounces = 0;
            for _ in 0..(3.0 / h) as usize {
                run.step();
                let now = run.sim.energy().total();
                (least, most) = (least.min(now), most.max(now));
                bounces += u32::from(run.contacts().iter().any(|c| c.force != Vec3::ZERO));
            }
            assert!(bounces > 2, "{name} bounces");
            assert!(most - least < 1e-6 * start, "{name}, h {h}: {least} to {most} of {start} J");
            run.assert_exact();
        }
    }
}

/// Impulses explain the motion: m Δv is the impulse of the contacts of the step, of impacts and of all parts, for bodies that
/// float and spin; and their angular momentum stays to rounding through the impact.
#[test]
fn contact_forces_explain_an_impact() {
    for (e, h) in [(0.5, 8e-3), (0.5, 1e-3), (1.0, 8e-3), (1.0, 1e-3)] {
        let mut c = Composer::new("pair", Vec3::ZERO).unwrap();
        let material = Material { friction: 0.4, restitution: e, ..Material::default() };
        let spun = Pose::new(Quat::from_rpy(0.3, 0.5, 0.7), Vec3::ZERO);
        let a = FreeBody::new("a", Shape::Box { half: vec3(0.1, 0.15, 0.05) }, 1.0, spun);
        let at = Pose::from_translation(vec3(0.45, 0.05, 0.02));
        let b = FreeBody::new("b", Shape::Ellipsoid { radii: vec3(0.1, 0.15, 0.12) }, 2.0, at);
        let (va, wa) = (vec3(1.0, 0.0, 0.0), vec3(3.0, 1.0, -2.0));
        c.body(FreeBody { material, velocity: va, angular_velocity: wa, ..a }).unwrap();
        let (vb, wb) = (vec3(-0.5, 0.0, 0.0), vec3(-1.0, 4.0, 2.0));
        c.body(FreeBody { material, velocity: vb, angular_velocity: wb, ..b }).unwrap();
        let (world, state) = c.finish();
        let mut run = Run::of(world, state, "auto", h);
        let mut met = false;
        for _ in 0..(0.6 / h) as usize {
            let before = [run.velocity(0), run.velocity(6)];
            run.step();
            let mut impulse = [Vec3::ZERO; 2];
            for c in run.contacts() {
                met |= c.force.norm() > 0.0;
                for (body, force) in [(c.bodies[0], -c.force), (c.bodies[1], c.force)] {
                    if let Some(b) = body {
                        impulse[b] += force * h;
                    }
                }
            }
            for (k, mass) in [1.0, 2.0].into_iter().enumerate() {
                let change = (run.velocity(6 * k) - before[k]) * mass;
                assert!((change - impulse[k]).norm() < 1e-14, "e {e}, h {h}: {change:?} {:?}", impulse[k]);
            }
        }
        assert!(met);
    }
}

/// Contacts and certificate of a step that ends with its impact are those of the impact, told once: with shares of the step before
/// it up to all but a millionth.
#[test]
fn a_step_may_end_with_its_impact() {
    let h = 1e-3;
    for impacts in [ImpactLaw::AtOnce, ImpactLaw::Sequential] {
        for left in [0.5, 1e-3, 1e-5, 2e-6, 9e-7, 5e-7, 2e-7] {
            let mut c = on_ground(0.0, 0.0);
            let speed = 2.0;
            // The ball touches `left` of the step before its end.
            let t = h * (1.0 - left);
            c.body(ball(speed * t + 0.5 * G * t * t, -speed, 1.0)).unwrap();
            let (world, state) = c.finish();
            let stepper = StepperParams { dt: h, impacts, ..StepperParams::default() };
            let mut run = Run::with(world, state, "auto", stepper);
            run.step();
            let impulse: f64 = run.contacts().iter().map(|c| c.force.z * h).sum();
            let change = 2.0 * (run.velocity(0).z + speed + G * h);
            assert!(change > 7.0, "{impacts:?}, {left:e}: it bounces");
            let rest = 2.0 * G * h * 1e-6; // what is shorter than a millionth of the step is left out, with its weight
            assert!((impulse - change).abs() < 1e-12 + rest, "{impacts:?}, {left:e}: {impulse} of {change}");
            run.assert_exact();
        }
    }
}

/// A box that lands flat leaves flat, also if impacts follow one another: the corners of one face bounce together.
#[test]
fn what_lands_flat_leaves_flat() {
    for impacts in [ImpactLaw::AtOnce, ImpactLaw::Sequential] {
        for (e, h) in [(1.0, 4e-3), (0.5, 4e-3), (1.0, 1e-3)] {
            let mut c = on_ground(0.0, 0.0);
            let material = Material { friction: 0.0, restitution: e, ..Material::default() };
            let pose = Pose::from_translation(vec3(0.0, 0.0, 0.6));
            c.body(FreeBody { material, pose, ..cube(0.0, 0.0) }).unwrap();
            let (world, state) = c.finish();
            let stepper = StepperParams { dt: h, impacts, ..StepperParams::default() };
            let mut run = Run::with(world, state, "auto", stepper);
            let falls = (2.0 * G * 0.5_f64).sqrt();
            run.steps((1.2 * falls / G / h) as usize);
            let v = run.sim.state().v.clone();
            let spin = vec3(v[3], v[4], v[5]).norm();
            let rises = (e * falls) - G * (run.sim.state().t - falls / G);
            assert!(spin < 1e-9 && (v[2] - rises).abs() < 1e-6, "{impacts:?}, e {e}: {v:?} for {rises}");
        }
    }
}
