//! What an MJCF file states acts as it says: tendons, curved couplings, carried weight, contact pairs.
use super::worlds::{EXACT, G, Run};
use std::path::Path;
use stiction::State;
use stiction::models::{LoadOptions, load_str};
use stiction::world::World;

fn world(inside: &str) -> World {
    let text = format!("<mujoco>{inside}</mujoco>");
    load_str(&text, Path::new("m.xml"), Path::new("."), &LoadOptions::default())
        .unwrap_or_else(|e| panic!("{e}"))
}

fn run(world: World, contact: &str, dt: f64) -> Run {
    let state = State::neutral(&world.model);
    Run::of(world, state, contact, dt)
}

/// Two vertical sliders of 2 kg on a tendon l = q₁ + q₂ with `attributes`.
fn on_a_tendon(attributes: &str) -> World {
    world(&format!(
        r#"<worldbody>
          <body><joint name="a" type="slide"/><geom size=".1" mass="2" contype="0" conaffinity="0"/></body>
          <body><joint name="b" type="slide"/><geom size=".1" mass="2" contype="0" conaffinity="0"/></body>
        </worldbody>
        <tendon><fixed {attributes}><joint joint="a" coef="1"/><joint joint="b" coef="1"/></fixed></tendon>"#
    ))
}

/// Each mass hangs on the effort of the tendon: K (l₀ − l) = m g, at any step.
#[test]
fn a_tendon_spring_carries_the_weight() {
    for dt in [1e-3, 0.05] {
        let spring = r#"stiffness="500" damping="40" springlength="0.2""#;
        let mut run = run(on_a_tendon(spring), "nsgs-accelerated", dt);
        run.steps((5.0 / dt) as usize);
        let (q, v) = (&run.sim.state().q, &run.sim.state().v);
        assert!((q[0] + q[1] - (0.2 - 2.0 * G / 500.0)).abs() < 1e-8 && v[0].abs() < 1e-8, "{q:?} {v:?}");
    }
    // Slack, it carries nothing.
    let mut slack = run(on_a_tendon(r#"stiffness="500" springlength="-9 9""#), "nsgs-accelerated", 1e-3);
    slack.steps(100);
    assert!((slack.sim.state().v[0] + 0.1 * G).abs() < 1e-10);
}

#[test]
fn a_tendon_stops_at_its_limit() {
    for contact in EXACT {
        let mut run = run(on_a_tendon(r#"range="-0.1 1""#), contact, 1e-3);
        run.steps(200);
        let (q, v) = (&run.sim.state().q, &run.sim.state().v);
        assert!((q[0] + q[1] + 0.1).abs() < 1e-9 && v[0].abs() < 1e-9, "{contact}: {q:?}");
        run.assert_exact();
    }
}

/// Dry friction along it holds each mass up to f, and leaves m g − f.
#[test]
fn a_tendon_holds_to_its_friction() {
    for share in [0.9, 1.1] {
        let f = 2.0 * G / share;
        let mut run = run(on_a_tendon(&format!(r#"frictionloss="{f}""#)), "nsgs-accelerated", 1e-3);
        run.steps(10);
        let expected = -0.01 * (G - f / 2.0).max(0.0);
        assert!((run.sim.state().v[1] - expected).abs() < 1e-9, "at {share}: {:?}", run.sim.state().v);
        run.assert_exact();
    }
}

/// A mass on q₂ = q₁²: energy is kept along the curve but for the error of the step, O(h).
#[test]
fn a_curved_coupling_is_kept_on_the_way_down() {
    for contact in EXACT {
        let world = world(
            r#"<worldbody>
              <body><joint name="x" type="slide" axis="1 0 0"/><geom size=".1" mass="1"/></body>
              <body pos="9 0 0"><joint name="z" type="slide"/><geom size=".1" mass="1"/></body>
            </worldbody>
            <equality><joint joint1="z" joint2="x" polycoef="0 0 1 0 0"/></equality>"#,
        );
        let mut state = State::neutral(&world.model);
        state.q = vec![0.5, 0.25];
        let mut run = Run::of(world, state, contact, 1e-3);
        run.steps(250);
        let (q, v) = (&run.sim.state().q, &run.sim.state().v);
        assert!(q[0] < 0.35 && (q[1] - q[0] * q[0]).abs() < 1e-4, "{contact}: {q:?}");
        let energy = 0.5 * (v[0] * v[0] + v[1] * v[1]) + G * q[1];
        assert!((energy / (0.25 * G) - 1.0).abs() < 0.02, "{contact}: {energy}");
        run.assert_exact();
    }
}

/// A pendulum held out whose weight is carried stays; with half of it, it starts half as fast.
#[test]
fn weight_is_carried_by_its_share() {
    for share in [0.0, 0.5, 1.0] {
        let mut run = run(
            world(&format!(
                r#"<worldbody><body><joint axis="0 1 0"/><geom size=".01" mass="1e-9"/>
                  <body pos="1 0 0" gravcomp="{share}"><geom size=".1" mass="3"/></body></body></worldbody>"#
            )),
            "nsgs-accelerated",
            1e-4,
        );
        run.steps(1);
        let expected = 1e-4 * (1.0 - share) * 3.0 * G / (3.0 * (1.0 + 0.4 * 0.01));
        assert!((run.sim.state().v[0] - expected).abs() < 1e-11, "{share}: {:?}", run.sim.state().v);
    }
}

/// A box on a plane, both of which touch nothing of themselves, under the rules of their pair alone.
#[test]
fn a_contact_pair_has_rules_of_its_own() {
    let on_plane = |pull: &str, bits: &str, contact: &str| {
        world(&format!(
            r#"<option gravity="{pull} -9.81"/><worldbody><geom name="floor" type="plane" size="1 1 1" {bits}/>
              <body name="box" pos="0 0 .1"><freejoint/><geom name="g" type="box" size=".1 .1 .1" {bits}/></body>
            </worldbody><contact>{contact}</contact>"#
        ))
    };
    let untouching = r#"contype="0" conaffinity="0" friction="0.7""#;
    for contact in EXACT {
        let pair = r#"<pair geom1="g" geom2="floor" friction="0.1"/>"#;
        let mut slides = run(on_plane("0 3", untouching, pair), contact, 1e-3);
        slides.steps(100);
        // One number is that of the first tangent, y, alone: along x the default counts.
        assert!((slides.velocity(0).y - 0.1 * (3.0 - 0.1 * G)).abs() < 1e-7, "{contact}");
        let mut sticks = run(on_plane("3 0", untouching, pair), contact, 1e-3);
        sticks.steps(100);
        assert!(sticks.velocity(0).norm() < 1e-8, "{contact}");
        slides.assert_exact();
        // A pair goes before an exclusion.
        let excluded = format!(r#"<exclude body1="box" body2="world"/>{pair}"#);
        let mut held = run(on_plane("0 3", "", &excluded), contact, 1e-3);
        held.steps(100);
        assert!((held.position(0).z - 0.1).abs() < 1e-9, "{contact}");
    }
    let mut falls = run(on_plane("3 0", untouching, ""), "nsgs-accelerated", 1e-3);
    falls.steps(100);
    assert!((falls.velocity(0).z + 0.1 * G).abs() < 1e-9);
}

/// Surfaces with margins are held apart by their sum, of a pair by what it states.
#[test]
fn margins_hold_surfaces_apart() {
    for (pair, height) in [("", 0.13), (r#"<pair geom1="g" geom2="floor" margin="0.05"/>"#, 0.15)] {
        let mut run = run(
            world(&format!(
                r#"<worldbody><geom name="floor" type="plane" size="1 1 1" margin=".01"/>
                  <body pos="0 0 .2"><freejoint/><geom name="g" type="box" size=".1 .1 .1" margin=".02" mass="1"/></body>
                </worldbody><contact>{pair}</contact>"#
            )),
            "nsgs-accelerated",
            1e-3,
        );
        run.steps(400);
        assert!((run.position(0).z - height).abs() < 1e-9, "{}", run.position(0).z);
        run.assert_exact();
    }
}
