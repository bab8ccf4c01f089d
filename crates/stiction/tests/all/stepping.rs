//! What others build on a step: h as an argument, memory as a value, corrections and sources of contacts, accepted steps.

#![allow(clippy::unwrap_used, non_snake_case)]
use stiction::assembly::{Face, Posed};
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Motion, Pose, Quat, Vec3, vec3};
use stiction::dynamics::{Factor, Kinematics};
use stiction::solvers::registry::{Common, make};
use stiction::stepping::{self, About, Attempt, BlockMode, ContactSource, LastPart, Part};
use stiction::world::{Material, World};
use stiction::{
    Composer, ContactCorrection, ContactPoint, CorrectableContact, FreeBody, Input, Memory, Settings,
    Simulation, Sleep, State, StepReport, StepStatus, StepperParams, UNCOLOURED,
};

const G: f64 = 9.81;

/// A box that slides at `speed` on the ground.
fn sliding(speed: f64) -> (World, State) {
    let mut c = Composer::new("sliding", vec3(0.0, 0.0, -G)).unwrap();
    let rough = Material { friction: 0.5, ..Material::default() };
    c.fixed("ground", Shape::Plane, Pose::IDENTITY, rough, UNCOLOURED).unwrap();
    let (shape, at) = (Shape::Box { half: vec3(0.1, 0.1, 0.1) }, Pose::from_translation(vec3(0.0, 0.0, 0.1)));
    let body = FreeBody::new("box", shape, 2.0, at);
    c.body(FreeBody { velocity: vec3(speed, 0.0, 0.0), material: rough, ..body }).unwrap();
    c.finish()
}

fn simulation(speed: f64) -> Simulation {
    let (world, state) = sliding(speed);
    Simulation::new(world, state, Settings::default()).unwrap()
}

/// Scales every impulse.
struct Scaled(f64);

impl ContactCorrection for Scaled {
    fn correct(&mut self, contacts: &[CorrectableContact], corrected: &mut [[f64; 3]]) {
        for (contact, to) in contacts.iter().zip(corrected) {
            assert_eq!(contact.impulse, *to);
            assert!((contact.axes[2] - Vec3::Z).norm() < 1e-12 && contact.friction == 0.5);
            // What the contact feels: G_ii of a corner of the box, symmetric, at least 1/m.
            let a = contact.inverse_inertia;
            assert!(a[2][2] >= 0.5 - 1e-12 && (a[0][1] - a[1][0]).abs() < 1e-12, "{a:?}");
            *to = to.map(|x| self.0 * x);
        }
    }
}

/// A correction that changes nothing leaves the same bits; one that takes contact away lets the box fall, and the step and
/// its certificate say so.
#[test]
fn corrected_impulses_are_applied_and_certified() {
    let (mut plain, mut same, mut none) = (simulation(1.0), simulation(1.0), simulation(1.0));
    assert!(same.correct_contacts(Some(Box::new(Scaled(1.0)))));
    assert!(none.correct_contacts(Some(Box::new(Scaled(0.0)))));
    for _ in 0..20 {
        let reports = [plain.step(), same.step()];
        assert_eq!(reports[0], reports[1]);
        assert_eq!(plain.state(), same.state());
        assert!(!reports[1].corrected);
    }
    assert!(none.step().corrected);
    assert!((none.state().v[2] + G * 1e-3).abs() < 1e-12, "it falls: {:?}", none.state().v);
    assert!(none.certificate().natural_map > 1e-3, "{:?}", none.certificate());
    assert!(none.correct_contacts(None));
    assert!(!none.step().corrected);
}

/// An accepted step is v⁺ = v_f + M̂⁻¹ Jᵀ λ with g = J v_f + biases; a sliding box has sliding corners, a resting one
/// sticking ones.
#[test]
fn an_accepted_step_says_what_a_derivative_needs() {
    for (speed, mode) in [(1.0, BlockMode::Sliding), (0.0, BlockMode::Sticking)] {
        let mut sim = simulation(speed);
        (0..5).for_each(|_| assert!(!sim.step().flagged()));
        let a = sim.accepted().unwrap();
        let borne = a.active_set().filter(|m| *m != BlockMode::Open).collect::<Vec<_>>();
        assert!(!borne.is_empty() && borne.iter().all(|m| *m == mode), "{borne:?}");

        let mut dv = vec![0.0; 6];
        a.posed.jacobian.add_impulses_into(a.posed.problem.row_start(), a.impulses, &mut dv);
        a.factor.solve_in_place(&mut dv);
        for ((next, free), dv) in a.v_next.iter().zip(a.v_free).zip(&dv) {
            assert!((next - free - dv).abs() < 1e-14);
        }
        for (block, b) in a.posed.blocks.iter().enumerate() {
            let row = a.posed.normal_row(block);
            let free = a.posed.jacobian.velocity(block, a.v_free).z;
            assert!((b.bias.free - free).abs() < 1e-12);
            assert_eq!(a.posed.problem.free_velocity[row], b.bias.total(a.posed.choice()));
        }
        let _: &Factor = a.factor;
        assert_eq!(a.quadrature.len(), 1);
    }
}

/// A floor that no geometry makes: contacts of the box's lower corners with z = 0.3.
struct Floor;

impl ContactSource for Floor {
    fn find(&mut self, _: &World, kin: &Kinematics, _: &[Motion], _: f64, out: &mut Vec<ContactPoint>) {
        for (feature, (x, y)) in [(-0.1, -0.1), (-0.1, 0.1), (0.1, -0.1), (0.1, 0.1)].into_iter().enumerate()
        {
            let corner = kin.X_WB[0].transform(vec3(x, y, -0.1));
            let gap = corner.z - 0.3;
            out.push(ContactPoint {
                geometries: [0, 1],
                bodies: [None, Some(0)],
                feature: 1000 + feature as u32,
                position: corner,
                t1: Vec3::X,
                t2: Vec3::Y,
                n: Vec3::Z,
                gap,
                face: Face::of_one(gap),
                friction: 0.5,
                restitution: 0.0,
                bounce_depth: 0.0,
                stretch: [1.0; 2],
                turning: [0.0; 3],
                spring: None,
                patch: None,
                static_friction: None,
                redundant: false,
            });
        }
    }
}

/// The box comes to rest on contacts of another producer than the narrow phase, at the height that these say.
#[test]
fn contacts_may_come_from_elsewhere() {
    let (world, mut state) = sliding(0.2);
    state.q[2] = 0.45;
    let stepper = StepperParams::default();
    let mut sim = Simulation::new(world, state, Settings { stepper, ..Settings::default() }).unwrap();
    assert!(sim.add_contact_source(Box::new(Floor)));
    for _ in 0..500 {
        assert!(!sim.step().flagged() && sim.certificate().natural_map <= 2e-8);
    }
    assert!((sim.state().q[2] - 0.4).abs() < 1e-5 && sim.state().v.iter().all(|v| v.abs() < 1e-7));
}

/// Time steps are an argument, and memory is a value that goes through a file: from it the same bits follow.
#[test]
fn a_stepper_takes_any_h_and_goes_on_from_its_memory() {
    let (world, start) = sliding(1.0);
    let params = StepperParams { sleep: Sleep::Off, ..StepperParams::default() };
    let mut stepper = stepping::make(&world, params.clone()).unwrap();
    assert_eq!(stepper.name(), "time-stepping");
    let (mut solver, input) = (make("auto", &Common::default()).unwrap(), Input::default());
    let mut state = start.clone();
    for h in [1e-3, 5e-4, 2e-3, 2.5e-4] {
        let before = state.clone();
        let report = stepper.step(&world, &mut state, &input, h, solver.as_mut());
        assert!(!report.flagged());
        assert!((state.v[0] - (before.v[0] - 0.5 * G * h)).abs() < 1e-8, "Coulomb's deceleration");
        assert!((state.t - before.t - h).abs() < 1e-15);
    }

    let mut memory = Memory::default();
    stepper.memory_into(&mut memory);
    let text = serde_json::to_string(&memory).unwrap();
    let memory: Memory = serde_json::from_str(&text).unwrap();
    let mut other = stepping::make(&world, params).unwrap();
    other.restore(&world, &state, &input, &memory);
    let (mut a, mut b) = (state.clone(), state);
    for _ in 0..50 {
        solver.forget();
        let first = stepper.step(&world, &mut a, &input, 1e-3, solver.as_mut());
        solver.forget();
        assert_eq!(other.step(&world, &mut b, &input, 1e-3, solver.as_mut()), first);
        assert_eq!(a, b);
    }
}

/// A stepper from outside: free bodies fall by the explicit rule, and a step longer than `longest` fails.
struct Falling {
    posed: Posed,
    longest: f64,
}

impl stiction::Stepper for Falling {
    fn about(&self) -> About {
        About::of("falling")
    }

    fn attempt(
        &mut self,
        &Part { world, h, .. }: &Part<'_>,
        state: &mut State,
        _: &mut dyn stiction::contact::ContactSolver,
    ) -> Attempt {
        let status = if h > self.longest { StepStatus::NotConverged } else { StepStatus::Converged };
        state.q[2] += h * state.v[2];
        state.v[2] += h * world.model.gravity.z;
        state.t += h;
        Attempt::Done(StepReport { status, residual: h, parts: 1, ..StepReport::default() })
    }

    fn last(&self) -> LastPart<'_> {
        LastPart { posed: &self.posed, impulses: &[], contacts: &[] }
    }

    fn efforts_into(&self, _: &World, out: &mut Vec<f64>) {
        out.clear();
    }

    fn memory_into(&self, _: &mut Memory) {}

    fn restore(&mut self, _: &Memory) {}

    fn forget(&mut self) {}

    fn take_numbers(&mut self, _: &World) {}
}

/// A stepper from outside is stepped, halved and told like ours: in quarters where only those converge, and it never sleeps.
#[test]
fn a_stepper_from_outside_is_driven() {
    let (world, state) = sliding(0.0);
    let h = 8e-3;
    let fallen = |longest: f64| {
        let stepper = StepperParams { dt: h, adaptive: 3, sleep: Sleep::On, ..StepperParams::default() };
        let settings = Settings { stepper, ..Settings::default() };
        let make = |world: &World, _| Ok(Falling { posed: Posed::new(&world.model), longest });
        let mut sim = Simulation::with_stepper(world.clone(), state.clone(), settings, make).unwrap();
        let report = sim.step();
        assert!(report.failure().is_none() && report.asleep == 0, "{report:?}");
        (report.parts, state.q[2] - sim.state().q[2], sim.state().t)
    };
    for parts in [1_u32, 2, 4, 8] {
        let n = f64::from(parts);
        let (taken, depth, t) = fallen(h / n * 1.001);
        // Σ (h/n)² g k, k < n
        let explicit = (h / n).powi(2) * G * n * (n - 1.0) / 2.0;
        assert!(
            taken == parts && (depth - explicit).abs() < 1e-15 && (t - h).abs() < 1e-15,
            "{parts}: {depth:e}"
        );
    }
}

/// The step of a cube that spins and is moved out of an overlap is the same seen from any side: rounding of its gyroscopic moment, which is zero,
/// does not choose the rule by which it turns.
#[test]
fn a_cube_turns_alike_seen_from_any_side() {
    let mut c = Composer::new("cube", vec3(0.0, 0.0, -G)).unwrap();
    c.fixed("ground", Shape::Plane, Pose::IDENTITY, Material::default(), UNCOLOURED).unwrap();
    let shape = Shape::Box { half: vec3(0.1, 0.1, 0.1) };
    let body = FreeBody::new("cube", shape, 2.0, Pose::from_translation(vec3(0.0, 0.0, 0.16)));
    c.body(body).unwrap();
    let (mut world, start) = c.finish();
    // Moments as a sum over parts has them.
    let I = &mut world.model.bodies[0].inertia.second;
    (I.xx, I.xy) = (I.xx * (1.0 + 1e-15), 1e-17);
    let tilt = Quat::exp(vec3(0.7, 0.3, 0.0));
    let settings = Settings { tolerance: 1e-13, ..Settings::default() };
    let after = |heading: f64| {
        let turn = Quat::exp(vec3(0.0, 0.0, heading));
        let q = turn * tilt;
        let mut state = start.clone();
        state.q[2] = lowest(q) - 1e-3;
        state.q[3..7].copy_from_slice(&q.to_array());
        state.v[..3].copy_from_slice(&turn.rotate(vec3(0.2, -0.1, -0.1)).to_array());
        state.v[3..].copy_from_slice(&[1.0, -2.0, 3.0]);
        let mut simulation = Simulation::new(world.clone(), state, settings.clone()).unwrap();
        assert!(!simulation.step().flagged());
        let s = simulation.state();
        let q = turn.conjugate() * Quat::new(s.q[3], s.q[4], s.q[5], s.q[6]);
        (q, turn.conjugate().rotate(vec3(s.q[0], s.q[1], s.q[2])), [s.v[3], s.v[4], s.v[5]])
    };
    let (q, p, w) = after(0.0);
    for k in 1..12 {
        let (q_k, p_k, w_k) = after(0.5 * f64::from(k));
        let turned = (q.conjugate() * q_k).log().norm();
        assert!(turned < 1e-12 && (p - p_k).norm() < 1e-12, "{k}: {turned:e} rad, {:e} m", (p - p_k).norm());
        assert!(w.iter().zip(&w_k).all(|(a, b)| (a - b).abs() < 1e-9), "{w:?} {w_k:?}");
    }
}

/// Height of the centre at which a cube of 0.2 m touches the ground.
fn lowest(q: Quat) -> f64 {
    [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)]
        .map(|e| 0.1 * q.rotate(e).z.abs())
        .iter()
        .sum()
}
