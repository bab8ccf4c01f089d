//! Derivatives by parameters of the world against steps of worlds that differ in them.
use super::free::{settings, world};
use super::touching::{above, walker};
use stiction::dynamics::difference_into;
use stiction::random::Random;
use stiction::stepping::BlockMode;
use stiction::world::World;
use stiction::{LinearizationError, LinearizationNote, Parameter, Settings, Simulation, State};

/// Shares of a parameter's size by which it is changed, from the largest.
const SWEEP: [f64; 3] = [1e-3, 2e-4, 4e-5];
/// Differences that agree to this share count [–].
const AGREE: f64 = 1e-6;

/// The world with a parameter increased by `x`.
fn changed(world: &World, parameter: Parameter, x: f64) -> World {
    let mut world = world.clone();
    match parameter {
        // Of two coefficients the larger counts, and that of geometry 0 is small.
        Parameter::Friction { geometries: [a, b] } => world.geometries[a.max(b)].material.friction += x,
        Parameter::Gravity { axis } => {
            let g = &mut world.model.gravity;
            *[&mut g.x, &mut g.y, &mut g.z][axis] += x;
        }
        Parameter::Mass { body } => {
            let inertia = &mut world.model.bodies[body].inertia;
            let share = 1.0 + x / inertia.mass;
            (inertia.mass, inertia.first) = (inertia.mass * share, inertia.first * share);
            let I = &mut inertia.second;
            for entry in [&mut I.xx, &mut I.xy, &mut I.yy, &mut I.xz, &mut I.yz, &mut I.zz] {
                *entry *= share;
            }
        }
        Parameter::Inertial { body, component } => {
            let inertia = &mut world.model.bodies[body].inertia;
            let (h, I) = (&mut inertia.first, &mut inertia.second);
            let entries: [&mut f64; 10] = [
                &mut inertia.mass,
                &mut h.x,
                &mut h.y,
                &mut h.z,
                &mut I.xx,
                &mut I.xy,
                &mut I.yy,
                &mut I.xz,
                &mut I.yz,
                &mut I.zz,
            ];
            *entries.into_iter().nth(component).unwrap() += x;
        }
        Parameter::Gain { actuator } => world.actuators[actuator].law.gain += x,
        Parameter::BiasLength { actuator } => world.actuators[actuator].law.bias_length += x,
        Parameter::BiasVelocity { actuator } => world.actuators[actuator].law.bias_velocity += x,
        Parameter::JointStiffness { joint } => world.model.joints[joint].stiffness += x,
        Parameter::JointDamping { dof } => world.model.dofs[dof].damping += x,
        Parameter::Offset { geometry, axis } => {
            let p = &mut world.geometries[geometry].X_LG.translation;
            *[&mut p.x, &mut p.y, &mut p.z][axis] += x;
        }
        // The priority of the second decides.
        Parameter::Restitution { geometries: [g, _] } => world.geometries[g].material.restitution += x,
        Parameter::ContactReference { geometries: [g, _], component } => {
            world.geometries[g].material.softness.reference[component] += x;
        }
        Parameter::ContactStiffness { geometries }
        | Parameter::ContactRelaxation { geometries }
        | Parameter::ContactDissipation { geometries } => {
            let compliance = &mut world.geometries[geometries[0]].material.compliance;
            let number = match parameter {
                Parameter::ContactStiffness { .. } => &mut compliance.stiffness,
                Parameter::ContactRelaxation { .. } => &mut compliance.relaxation,
                _ => &mut compliance.dissipation,
            };
            *number.as_mut().unwrap() += x;
        }
    }
    world
}

/// How much a parameter is changed at most.
fn size(world: &World, parameter: Parameter) -> f64 {
    match parameter {
        Parameter::Friction { .. } => 0.3,
        Parameter::Gravity { .. } => 1.0,
        Parameter::Mass { body } => world.model.bodies[body].inertia.mass,
        Parameter::Inertial { body, component } => {
            world.model.bodies[body].inertia.mass * [1.0, 0.1, 0.01][component.div_ceil(3).min(2)]
        }
        Parameter::Gain { actuator } => world.actuators[actuator].law.gain,
        Parameter::BiasLength { actuator } => world.actuators[actuator].law.bias_length.abs(),
        Parameter::BiasVelocity { actuator } => world.actuators[actuator].law.bias_velocity.abs(),
        Parameter::JointStiffness { joint } => world.model.joints[joint].stiffness,
        Parameter::JointDamping { dof } => world.model.dofs[dof].damping,
        Parameter::Offset { .. } => 1e-3,
        Parameter::Restitution { .. } => 0.1,
        Parameter::ContactReference { geometries: [g, _], component } => {
            world.geometries[g].material.softness.reference[component]
        }
        Parameter::ContactStiffness { geometries: [g, _] } => {
            world.geometries[g].material.compliance.stiffness.unwrap()
        }
        Parameter::ContactRelaxation { geometries: [g, _] } => {
            world.geometries[g].material.compliance.relaxation.unwrap()
        }
        Parameter::ContactDissipation { geometries: [g, _] } => {
            world.geometries[g].material.compliance.dissipation.unwrap()
        }
    }
}

/// State and impulses after a step.
fn after(world: World, settings: &Settings, start: &State, control: &[f64]) -> (State, Vec<f64>) {
    let mut simulation = Simulation::new(world, start.clone(), settings.clone()).unwrap();
    simulation.control_mut().copy_from_slice(control);
    assert!(simulation.step().failure().is_none());
    (simulation.state().clone(), simulation.impulses().to_vec())
}

/// The derivative of (q⁺, v⁺) by a difference of the fourth order, and of the impulses by one of the second.
fn difference(
    world: &World,
    settings: &Settings,
    (start, control): (&State, &[f64]),
    parameter: Parameter,
    x: f64,
) -> (Vec<f64>, Vec<f64>) {
    let nv = world.model.nv();
    let (mut column, mut impulses) = (vec![0.0; 2 * nv], Vec::new());
    for (times, weight) in [(1.0, 8.0 / 12.0), (2.0, -1.0 / 12.0)] {
        let [(ahead, more), (back, less)] =
            [times * x, -times * x].map(|x| after(changed(world, parameter, x), settings, start, control));
        let mut moved = vec![0.0; nv];
        difference_into(&world.model, &back.q, &ahead.q, 1.0, &mut moved);
        for i in 0..nv {
            column[i] += weight / x * moved[i];
            column[nv + i] += weight / x * (ahead.v[i] - back.v[i]);
        }
        if impulses.is_empty() {
            impulses = more.iter().zip(&less).map(|(a, b)| (a - b) / (2.0 * x)).collect();
        }
    }
    (column, impulses)
}

fn norm(x: impl IntoIterator<Item = f64>) -> f64 {
    x.into_iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    norm(a.iter().zip(b).map(|(a, b)| a - b))
}

/// Compares all columns in so many states; counts blocks that slide and that stick, and columns of size.
pub(crate) fn hold(
    world: &World,
    settings: &Settings,
    parameters: &[Parameter],
    (wanted, most): (usize, f64),
    draw: impl Fn(&mut Random) -> State,
) -> [usize; 3] {
    let mut met = [0; 3];
    let mut done = 0;
    for seed in 0..20 * wanted as u64 {
        let mut dice = Random::new(seed + 1);
        let start = draw(&mut dice);
        let mut simulation = Simulation::new(world.clone(), start.clone(), settings.clone()).unwrap();
        let control: Vec<f64> = simulation.control_mut().iter_mut().map(|_| 0.3 * dice.signed()).collect();
        simulation.control_mut().copy_from_slice(&control);
        let found = match simulation.linearize_by(parameters) {
            Err(LinearizationError::HeldBack) => continue,
            other => other.unwrap(),
        };
        let smooth = |n: &LinearizationNote| matches!(n, LinearizationNote::Hyperstatic { .. });
        if !found.notes.iter().all(smooth) {
            continue;
        }
        simulation.step();
        let modes: Vec<_> = simulation.accepted().unwrap().active_set().collect();
        let (n, np, rows) = (2 * found.nv, parameters.len(), simulation.impulses().len());
        assert_eq!((found.c.len(), found.dlambda_dparameters.len()), (n * np, rows * np));
        for (p, &parameter) in parameters.iter().enumerate() {
            let scale = size(world, parameter);
            let of = |x: f64| difference(world, settings, (&start, &control), parameter, x * scale);
            let all = SWEEP.map(of);
            let best =
                all.windows(2).min_by(|a, b| apart(&a[0].0, &a[1].0).total_cmp(&apart(&b[0].0, &b[1].0)));
            let [before, (column, impulses)] = best.unwrap() else { unreachable!() };
            let about = 1.0 + scale * norm(column.iter().copied());
            if scale * apart(&before.0, column) > AGREE * about {
                continue; // A switch is near.
            }
            let ours: Vec<f64> = (0..n).map(|i| found.c[i * np + p]).collect();
            let error = scale * apart(&ours, column);
            assert!(error < most * about, "seed {seed}: {parameter:?} is off by {error:.1e}; {modes:?}");
            met[2] += usize::from(scale * norm(column.iter().copied()) > 1e-5);
            if smooth_impulses(&found.notes) && impulses.len() == rows {
                let ours: Vec<f64> = (0..rows).map(|i| found.dlambda_dparameters[i * np + p]).collect();
                let error = scale * apart(&ours, impulses);
                let about = 1e-2 + scale * norm(impulses.iter().copied());
                assert!(
                    error < 1e-5 * about,
                    "seed {seed}: impulses by {parameter:?} are off by {error:.1e}"
                );
            }
        }
        met[0] += modes.iter().filter(|m| **m == BlockMode::Sliding).count();
        met[1] += modes.iter().filter(|m| **m == BlockMode::Sticking).count();
        done += 1;
        if done == wanted {
            return met;
        }
    }
    panic!("{done} of {wanted} states were smooth");
}

fn smooth_impulses(notes: &[LinearizationNote]) -> bool {
    notes.is_empty()
}

/// The walker, whose ground has hardly any friction of its own; all its parameters.
fn robot(friction: f64) -> (World, Vec<Parameter>) {
    let mut world = walker("damping='0.1'", friction);
    world.geometries[0].material.friction = 1e-3;
    let mut all: Vec<Parameter> =
        (2..world.geometries.len()).map(|g| Parameter::Friction { geometries: [0, g] }).collect();
    all.extend((0..3).map(|axis| Parameter::Gravity { axis }));
    all.extend((0..world.model.bodies.len()).map(|body| Parameter::Mass { body }));
    all.extend((0..10).map(|component| Parameter::Inertial { body: 1, component }));
    all.extend((0..world.actuators.len()).map(|actuator| Parameter::Gain { actuator }));
    (world, all)
}

#[test]
fn a_robot_on_its_feet_by_all_its_parameters() {
    let (mut met, mut settings) = ([0; 3], settings());
    settings.stepper.dt = 1e-3;
    for (speed, friction, states) in [(0.3, 1.2, 30), (1.0, 0.2, 5)] {
        let (world, all) = robot(friction);
        let of = hold(&world, &settings, &all, (states, 1e-7), |dice| above(&world, dice, speed));
        (0..3).for_each(|k| met[k] += of[k]);
    }
    assert!(met[0] > 2 && met[1] > 2 && met[2] > 50, "sliding, sticking, columns of size: {met:?}");
}

#[test]
fn other_laws_by_friction_and_mass() {
    for contact in ["ccp-ipm", "lcp-pgs-accelerated"] {
        let (world, all) = robot(0.3);
        let (contact, tolerance) = (contact.to_owned(), 1e-11);
        let settings = Settings { contact, tolerance, max_iterations: 20_000, ..settings() };
        let few: Vec<Parameter> =
            all.into_iter().filter(|p| !matches!(p, Parameter::Inertial { .. })).collect();
        let met = hold(&world, &settings, &few, (4, 1e-6), |dice| above(&world, dice, 0.6));
        assert!(met[2] > 10, "{}: {met:?}", settings.contact);
    }
}

/// A spinning slab that nothing touches: neither where it goes nor its moment changes with its density, but its way does with gravity. What its inertial
/// parameters do one by one is refused: a free body flies about its centre of mass, which moves with them.
#[test]
fn a_slab_that_spins() {
    let world = world(
        "<worldbody><body pos='0 0 2'><freejoint/><geom type='box' size='0.1 0.2 0.05' pos='0.02 0 0.01' mass='1'/></body></worldbody>",
    );
    let all = [Parameter::Mass { body: 0 }, Parameter::Gravity { axis: 2 }];
    let spinning = |dice: &mut Random| {
        let mut state = State::neutral(&world.model);
        state.v.iter_mut().for_each(|v| *v = 3.0 * dice.signed());
        state
    };
    let met = hold(&world, &settings(), &all, (3, 1e-7), spinning);
    assert_eq!(met[2], 3, "gravity's columns: {met:?}");
    let mut simulation = Simulation::new(world.clone(), spinning(&mut Random::new(1)), settings()).unwrap();
    let inertial = Parameter::Inertial { body: 0, component: 4 };
    let told = simulation.linearize_by(&[inertial]).unwrap_err().to_string();
    assert!(told.contains("about its centre of mass"), "{told}");
}

/// The gradient of a rollout by parameters is that of a difference of its cost, to the first order in the step: what
/// slid in the last step is memory, too, by which steps are not differentiated.
#[test]
fn rollouts_have_gradients_by_parameters() {
    for dt in [2e-3, 1e-3] {
        let off = rollout_off_by(dt);
        assert!(off < 0.32 * dt, "{dt}: {off:e} of the largest");
    }
}

/// The largest error of the gradient of a rollout by steps of `dt` [s], as a share of the largest number.
fn rollout_off_by(dt: f64) -> f64 {
    let (world, all) = robot(0.2);
    let (steps, nv, nu) = ((0.012 / dt).round() as usize, world.model.nv(), world.actuators.len());
    let start = above(&world, &mut Random::new(3), 1.0);
    let controls: Vec<f64> = (0..steps * nu).map(|k| 0.1 * (k as f64 * dt / 2e-3).sin()).collect();
    let weights: Vec<f64> = (0..2 * nv).map(|k| (k as f64).cos()).collect();
    let mut settings = settings();
    (settings.stepper.dt, settings.stepper.push_out_speed) = (dt, 10.0);
    // The cost is linear in the velocities at the end, of which the first nv weights are of no use.
    let cost = |world: World| {
        let mut simulation = Simulation::new(world, start.clone(), settings.clone()).unwrap();
        for k in 0..steps {
            simulation.control_mut().copy_from_slice(&controls[k * nu..(k + 1) * nu]);
            assert!(simulation.step().failure().is_none());
        }
        simulation.state().v.iter().zip(&weights[nv..]).map(|(v, w)| v * w).sum::<f64>()
    };
    let mut gradients = vec![0.0; steps * 2 * nv];
    gradients[(steps - 1) * 2 * nv + nv..].copy_from_slice(&weights[nv..]);
    let mut simulation = Simulation::new(world.clone(), start.clone(), settings.clone()).unwrap();
    let found = simulation.rollout_vjp_by(&controls, &gradients, 3, &all).unwrap();
    assert_eq!(found.parameters.len(), all.len());
    let (mut compared, mut off, mut largest) = (0, 0.0_f64, 0.0_f64);
    for (&parameter, ours) in all.iter().zip(&found.parameters) {
        let scale = size(&world, parameter);
        let of = |x: f64| {
            let [ahead, back] = [x, -x].map(|x| cost(changed(&world, parameter, x * scale)));
            (ahead - back) / (2.0 * x)
        };
        let (about, finer) = (of(1e-4), of(2e-5));
        if (about - finer).abs() > 1e-4 * (1e-3 + about.abs()) {
            continue; // A switch is near.
        }
        off = off.max((ours * scale - finer).abs());
        largest = largest.max(finer.abs());
        compared += usize::from(finer.abs() > 1e-5);
    }
    assert!(compared > 5, "{compared}");
    off / largest
}

#[test]
fn parameters_that_do_not_exist_or_do_not_fit_are_named() {
    let (world, _) = robot(0.3);
    let start = above(&world, &mut Random::new(1), 0.1);
    let told = |contact: &str, parameter: Parameter| {
        let settings = Settings { contact: contact.to_owned(), ..settings() };
        let mut simulation = Simulation::new(world.clone(), start.clone(), settings).unwrap();
        simulation.linearize_by(&[parameter]).unwrap_err().to_string()
    };
    let body = told("auto", Parameter::Mass { body: 99 });
    assert!(body.contains("Mass { body: 99 }") && body.contains("counted from 0"), "{body}");
    let friction = told("mujoco-pyramidal", Parameter::Friction { geometries: [0, 2] });
    assert!(friction.contains("weights depend on it"), "{friction}");
}
