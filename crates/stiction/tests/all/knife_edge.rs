//! Knife edges, the non-holonomic constraint of blades and of wheels that do not skid: Chaplygin's sleigh against its closed form.
//!
//! ```text
//!     v = C tanh s,   ω = (C/k) sech s,   θ = (k/a) (gd s − gd s₀),   s = a C t/k² + s₀
//!     k² = (I + m a²)/m,   C² = v² + k² ω²
//! ```
//!
//! with the velocity v of the edge along itself, the centre of mass a before the edge, and gd s = 2 atan(tanh(s/2)).

#![allow(clippy::unwrap_used)]

use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Vec3, vec3};
use stiction::dynamics::{Kinematics, Velocities, point_velocity};
use stiction::world::{LoopClosure, World};
use stiction::{Composer, FreeBody, Settings, Simulation, Sleep, State, StepperName};

const AHEAD: f64 = 0.3;
const MASS: f64 = 2.0;
const HALF: [f64; 2] = [0.4, 0.2];
/// Velocity along the edge [m/s], and turning [rad/s], at the start.
const START: [f64; 2] = [0.2, 1.5];
const SECONDS: f64 = 1.6;

/// A plate that slides without gravity, its edge at `AHEAD` behind the centre; at the start the edge moves sideways by `skid` [m/s].
fn sleigh(skid: f64) -> (World, State) {
    let mut scene = Composer::new("sleigh", Vec3::ZERO).unwrap();
    let shape = Shape::Box { half: vec3(HALF[0], HALF[1], 0.01) };
    let body = FreeBody::new("plate", shape, MASS, Pose::IDENTITY);
    let [v, w] = START;
    let velocity = vec3(v, AHEAD * w + skid, 0.0);
    scene.body(FreeBody { velocity, angular_velocity: vec3(0.0, 0.0, w), ..body }).unwrap();
    let (mut world, state) = scene.finish();
    let plate = world.model.links.iter().position(|l| l.name == "plate").unwrap();
    world.loops.push(LoopClosure::knife_edge("edge", plate, vec3(-AHEAD, 0.0, 0.0), Vec3::Y));
    (world, state)
}

fn simulation(method: &str, steps: u32, skid: f64) -> Simulation {
    let (world, state) = sleigh(skid);
    let mut settings = Settings { tolerance: 1e-13, ..Settings::default() };
    settings.stepper.dt = SECONDS / f64::from(steps);
    settings.stepper.sleep = Sleep::Off;
    settings.stepper.method = StepperName::of(method).unwrap();
    Simulation::new(world, state, settings).unwrap()
}

/// The velocity of the edge across itself [m/s].
fn across(sim: &Simulation) -> f64 {
    let (model, state) = (&sim.world().model, sim.state());
    let (mut kin, mut vel) = (Kinematics::new(model), Velocities::new(model));
    kin.update(model, &state.q);
    vel.update(model, &kin, &state.v);
    let place = kin.X_WB[0];
    let edge = point_velocity(&kin, &vel, 0, place.transform(vec3(-AHEAD, 0.0, 0.0)));
    edge.dot(place.rotation.rotate(Vec3::Y))
}

fn heading(state: &State) -> f64 {
    2.0 * state.q[6].atan2(state.q[3])
}

/// Heading, and turning, at the end.
fn closed_form() -> [f64; 2] {
    let inertia = MASS / 3.0 * (HALF[0].powi(2) + HALF[1].powi(2));
    let k = (inertia / MASS + AHEAD * AHEAD).sqrt();
    let [v, w] = START;
    let c = v.hypot(k * w);
    let start = (v / c).atanh();
    let end = AHEAD * c * SECONDS / (k * k) + start;
    let gd = |s: f64| 2.0 * (0.5 * s).tanh().atan();
    [k / AHEAD * (gd(end) - gd(start)), c / k / end.cosh()]
}

/// To the second order by the midpoint rules, to the first by the others; the edge does no work where energy is kept.
#[test]
fn the_sleigh_goes_by_its_closed_form() {
    let exact = closed_form();
    for (method, ratio) in [
        ("time-stepping", 4.0),
        ("moreau", 4.0),
        ("stewart-trinkle", 2.0),
        ("anitescu", 2.0),
        ("todorov", 2.0),
    ] {
        let errors = [100, 200].map(|steps| {
            let mut sim = simulation(method, steps, 0.0);
            let start = sim.energy().total();
            for _ in 0..steps {
                let report = sim.step();
                assert!(!report.flagged(), "{method}: {report:?}");
                if let Some(ledger) = report.ledger {
                    assert!((ledger.explained() - ledger.change()).abs() < 1e-10 * start, "{ledger:?}");
                }
            }
            let kept = (sim.energy().total() - start).abs() / start;
            assert!(ratio < 3.0 || kept < 1e-4, "{method}: energy off by {kept:e}");
            let state = sim.state();
            (heading(state) - exact[0]).abs().max((state.v[5] - exact[1]).abs())
        });
        let falls = errors[0] / errors[1];
        assert!(errors[0] < 0.05 && falls > 0.8 * ratio && falls < 1.3 * ratio, "{method}: {errors:?}");
    }
}

/// A sleigh that starts with a skid has none after two steps, nor later.
#[test]
fn a_skid_is_gone() {
    for (method, most) in [("time-stepping", 1e-3), ("moreau", 1e-3), ("stewart-trinkle", 1e-2)] {
        let mut sim = simulation(method, 200, 0.3);
        assert!(across(&sim) > 0.29);
        for step in 0..50 {
            sim.step();
            let skids = across(&sim).abs();
            assert!(step < 2 || skids < most, "{method}: {skids} m/s after step {step}");
        }
    }
}

/// Steppers that know no loops refuse edges by name.
#[test]
fn an_edge_is_refused_by_name() {
    let (world, state) = sleigh(0.0);
    let mut settings = Settings::default();
    settings.stepper.method = StepperName::of("compliant").unwrap();
    let words = Simulation::new(world, state, settings).err().unwrap().to_string();
    assert!(words.contains("compliant") && words.contains("edge"), "{words}");
}
