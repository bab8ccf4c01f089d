//! Snapshots: a simulation that is put back goes on with the same bits.

// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

use stiction::{Simulation, Snapshot, SnapshotError, State};
use stiction_lab::Scene;
use stiction_lab::scene::{BUILTIN_SCENES, Force};

const SOLVERS: [&str; 4] = ["auto", "nsgs-accelerated", "mujoco", "ncp-admm"];

fn start(scene: &str, solver: &str) -> (Simulation, Vec<Force>) {
    let mut setup = Scene::builtin(scene).unwrap().build().unwrap();
    solver.clone_into(&mut setup.settings.contact);
    let mut sim = Simulation::new(setup.world, setup.state, setup.settings).unwrap();
    sim.control_mut().copy_from_slice(&setup.control);
    (sim, setup.forces)
}

fn steps(sim: &mut Simulation, forces: &[Force], n: usize) {
    for _ in 0..n {
        forces.iter().for_each(|f| f.apply(sim));
        sim.step();
    }
}

fn bits(state: &State) -> Vec<u64> {
    std::iter::once(&state.t).chain(&state.q).chain(&state.v).map(|x| x.to_bits()).collect()
}

/// Every scene under four solvers: what runs on, what is put back in the same simulation, and what is put back through
/// a file in another one, end in the same bits.
#[test]
fn what_is_put_back_goes_on_with_the_same_bits() {
    for (scene, _) in BUILTIN_SCENES {
        let n = if *scene == "pile" { 60 } else { 200 };
        for solver in SOLVERS {
            let (mut sim, forces) = start(scene, solver);
            steps(&mut sim, &forces, n);
            sim.generalized_mut().iter_mut().for_each(|f| *f = 0.01);
            let snapshot = sim.snapshot();
            let text = serde_json::to_string(&snapshot).unwrap();
            steps(&mut sim, &forces, n);
            let end = bits(sim.state());
            sim.restore(&snapshot).unwrap();
            steps(&mut sim, &forces, n);
            assert!(bits(sim.state()) == end, "{scene}, {solver}: in the same simulation");
            let (mut other, forces) = start(scene, solver);
            let read: Snapshot = serde_json::from_str(&text).unwrap();
            assert_eq!(read, snapshot);
            other.restore(&read).unwrap();
            steps(&mut other, &forces, n);
            assert!(bits(other.state()) == end, "{scene}, {solver}: through a file");
        }
    }
}

/// Other worlds, other settings, other versions and damaged files are refused, and nothing changes.
#[test]
fn what_does_not_belong_is_refused() {
    let (mut stack, _) = start("stack", "auto");
    let (mut ball, _) = start("ball", "auto");
    let (mut other, _) = start("stack", "nsgs");
    let snapshot = stack.snapshot();
    let before = bits(ball.state());
    assert_eq!(ball.restore(&snapshot), Err(SnapshotError::Other { what: "world" }));
    assert_eq!(bits(ball.state()), before);
    assert_eq!(other.restore(&snapshot), Err(SnapshotError::Other { what: "solver, tolerance or step" }));
    let text = serde_json::to_string(&snapshot).unwrap();
    let newer: Snapshot = serde_json::from_str(&text.replacen("\"version\":4", "\"version\":9", 1)).unwrap();
    assert_eq!(stack.restore(&newer), Err(SnapshotError::Version { found: 9 }));
    let nan = f64::NAN.to_bits().to_string();
    let (head, tail) = text.split_once("\"q\":[").unwrap();
    let (_, rest) = tail.split_once(',').unwrap();
    let bad: Snapshot = serde_json::from_str(&format!("{head}\"q\":[{nan},{rest}")).unwrap();
    assert!(matches!(stack.restore(&bad), Err(SnapshotError::State(_))));
}
