//! Welds to bodies that are moved by hand: they close as the `solref` of the file says, under every law.

use super::worlds::Run;
use std::path::Path;
use stiction::State;
use stiction::models::{LoadOptions, load_str};

/// Start of the weld's error [m].
const OFF: f64 = 0.3;
/// Contact solvers: of the exact law, of its relaxation, of a polygon, and of laws that yield of themselves.
const CONTACTS: [&str; 7] = ["auto", "nsgs", "ncp-pgs", "ccp-pgs", "lcp-pgs", "sap", "mujoco"];

/// A body of 2 kg, held to a body that is moved by hand.
fn hand(equality: &str) -> stiction::world::World {
    let text = format!(
        r#"<mujoco><option gravity="0 0 0"/><worldbody><body name="hand" mocap="true"/>
        <body name="b"><freejoint/><inertial mass="2" pos="0 0 0" diaginertia="0.02 0.02 0.02"/></body></worldbody>
        <equality><weld body1="hand" body2="b" {equality}/></equality></mujoco>"#
    );
    load_str(&text, Path::new("m.xml"), Path::new("."), &LoadOptions::default()).unwrap()
}

fn off(world: &stiction::world::World) -> State {
    let mut state = State::neutral(&world.model);
    state.q[1] = OFF;
    state
}

/// x(t) = x₀ (1 + t/τ) exp(−t/τ): the impedance of the row cancels in MuJoCo's equality of one body.
#[test]
fn a_weld_to_a_hand_is_critically_damped_with_its_time_constant() {
    for contact in CONTACTS {
        let worst = |dt: f64| {
            let tau = 0.05;
            let world = hand(&format!(r#"solref="{tau} 1""#));
            let state = off(&world);
            let mut run = Run::of(world, state, contact, dt);
            let mut worst = 0.0_f64;
            while run.sim.state().t < 0.4 - 0.5 * dt {
                run.step();
                let state = run.sim.state();
                let x = state.t / tau;
                worst = worst.max((state.q[1] - OFF * (1.0 + x) * (-x).exp()).abs());
            }
            worst / OFF
        };
        let [coarse, fine] = [1e-3, 1e-4].map(worst);
        assert!(fine < 1e-3 && fine < 0.12 * coarse, "{contact}: {coarse} {fine}");
    }
}

/// A turn closes at the same pace as a way where the impedance is 1: the angle counts.
#[test]
fn a_turn_closes_with_the_time_constant() {
    let (tau, angle) = (0.05, 0.4_f64);
    let world = hand(&format!(r#"solref="{tau} 1" solimp="0.9999 0.9999 0.001""#));
    let mut state = State::neutral(&world.model);
    (state.q[3], state.q[5]) = ((0.5 * angle).cos(), (0.5 * angle).sin());
    let mut run = Run::of(world, state, "auto", 1e-4);
    while run.sim.state().t < 0.1 {
        run.step();
        let x = run.sim.state().t / tau;
        let left = 2.0 * run.sim.state().q[5].asin();
        assert!((left - angle * (1.0 + x) * (-x).exp()).abs() < 2e-3 * angle, "{left} at {x}");
    }
}

/// Springs that no step resolves neither explode nor swing up: stiff ones, ones without damping, and ones whose
/// damping alone is too much.
#[test]
fn no_spring_explodes() {
    for solref in ["1e-9 1", "0.02 0.01", "0.004 0.01", "-1e12 0", "-1e4 0", "-1 -1e9", "-1e5 -1"] {
        for impedance in ["0.9 0.95 0.001", "0.9999 0.9999 0.001", "0.2 0.5 0.1"] {
            let world = hand(&format!(r#"solref="{solref}" solimp="{impedance}""#));
            let state = off(&world);
            let mut run = Run::of(world, state, "auto", 2e-3);
            let mut farthest = |steps: usize| {
                let far = (0..steps).map(|_| {
                    run.step();
                    run.sim.state().q[1].abs()
                });
                far.fold(0.0, f64::max)
            };
            let first = farthest(100);
            let late = [1800, 100].map(&mut farthest)[1];
            assert!(first < 2.0 * OFF && late <= first, "{solref}, {impedance}: {first} {late}");
        }
    }
}

/// A weld between bodies is rigid unless it is said to yield, and a weld to a body fixed to the hand yields as well.
#[test]
fn what_yields_is_what_a_hand_moves() {
    let text = r#"<mujoco><worldbody><body name="hand" mocap="true"><body name="tool"/></body>
        <body name="stand"/><body name="a"><freejoint/><geom size="0.1"/></body>
        </worldbody><equality><weld body1="hand" body2="a"/><connect body1="a" body2="tool" anchor="0 0 0"/>
        <weld body1="a" body2="stand" solref="0.1 1"/><weld body1="a"/></equality></mujoco>"#;
    let world = load_str(text, Path::new("m.xml"), Path::new("."), &LoadOptions::default()).unwrap();
    assert_eq!(world.loops.iter().map(|l| l.yields).collect::<Vec<_>>(), [true, true, false, false]);
}
