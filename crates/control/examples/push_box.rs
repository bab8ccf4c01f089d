//! A box is pushed to a pose with one finger: the forces of the finger are found by iterative LQR, whose gradients are those of the exact
//! contact law. Nothing says when the finger is to stick to the box and when to slide on it.
//!
//! Run it with `cargo run --release -p stiction-control --example push_box`.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use stiction::dynamics::spatial::Quat;
use stiction::models::{LoadOptions, load_str};
use stiction::world::World;
use stiction::{ContactState, Settings, Simulation, State};
use stiction_control::ilqr::{
    Gradient, IlqrParams, Point, Simulated, Stage, Tracking, differentiable, optimize,
};

const WORLD: &str = include_str!("../../scene/scenes/push-box.xml");
/// Where the box is to be [m], and how it is to be turned [rad].
const TARGET: [f64; 2] = [0.15, 0.03];
const TURN: f64 = 0.6;
/// Time step [s], steps for which a control is kept, and controls.
const STEP: f64 = 0.005;
const HOLD: usize = 4;
const KNOTS: usize = 60;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let world: World = load_str(WORLD, Path::new("push-box.xml"), Path::new(""), &LoadOptions::default())?;
    let world = Arc::new(world);
    let mut start = State::neutral(&world.model);
    start.q.copy_from_slice(&world.keyframes.first().ok_or("the file has a key: home")?.q);

    // What it is to cost: the box's pose and velocity at the end, and a little for forces on the way.
    let nv = world.model.nv();
    let mut target = Point { q: start.q.clone(), v: vec![0.0; nv] };
    target.q[..2].copy_from_slice(&TARGET);
    let turn = Quat::from_rpy(0.0, 0.0, TURN);
    target.q[3..7].copy_from_slice(&[turn.w, turn.x, turn.y, turn.z]);
    let way = Arc::new(Stage { target: target.clone(), weights: vec![0.0; 2 * nv] });
    let mut weights = vec![0.0; 2 * nv];
    (weights[0], weights[1], weights[5]) = (4000.0, 4000.0, 60.0);
    weights[nv..nv + 3].fill(10.0);
    let mut stages = vec![way; KNOTS];
    stages.push(Arc::new(Stage { target, weights }));
    let model = world.model.clone();
    let cost = Tracking { model, stages, control: vec![0.0; 2], control_weights: vec![1e-3; 2] };

    let mut settings = differentiable(Settings::default());
    settings.stepper.dt = STEP;
    let simulation = Simulation::new(world, start, settings)?;
    let mut system = Simulated::new(simulation, HOLD, Gradient::Exact { displacement: 1e-6 })?;
    // A finger that touches nothing has no gradient: it starts with a push.
    let seed = vec![vec![0.8, 0.0]; KNOTS];
    let bounds: [&[f64]; 2] = [&[-3.0, -3.0], &[3.0, 3.0]];
    let go_on = &mut |_: &_| ControlFlow::Continue(());
    let found = optimize(&mut system, &cost, bounds, &seed, &IlqrParams::default(), go_on)?;

    let (mut sticks, mut slides, mut contacts) = (0, 0, Vec::new());
    system.replay(&found.controls, |simulation, report| {
        assert!(!report.flagged(), "every step is certified");
        simulation.contacts_into(&mut contacts);
        let finger = |c: &&ContactState| c.bodies.iter().all(Option::is_some) && c.force.norm() > 0.02;
        for contact in contacts.iter().filter(finger) {
            sticks += usize::from(contact.slip.norm() < 1e-5);
            slides += usize::from(contact.slip.norm() > 1e-3);
        }
    })?;
    let q = &system.simulation().state().q;
    let turned = 2.0 * q[6].atan2(q[3]);
    let off = (q[0] - TARGET[0]).hypot(q[1] - TARGET[1]);
    assert!(off < 2e-3 && (turned - TURN).abs() < 0.02, "{off} m, {turned} rad");
    assert!(sticks > 0 && slides > 0, "{sticks} steps stick, {slides} slide");
    #[expect(clippy::print_stdout, reason = "what this program is for")]
    {
        println!(
            "cost from {:.3} to {:.4} in {} iterations",
            found.start_cost,
            found.cost,
            found.history.len()
        );
        println!("box {:.1} mm off its place, turned by {turned:.3} rad", 1e3 * off);
        println!("the finger sticks in {sticks} steps and slides in {slides} of {}", KNOTS * HOLD);
    }
    Ok(())
}
