//! What has no lane routine is stepped alone, behind the same door.

use stiction::batch::{Batch, BatchSettings, Pace, Path};
use stiction::models::{LoadOptions, load_str};
use stiction::{Settings, Simulation, State, StepStatus};

/// Two joints held together by a curve: the same bits as a simulation each.
#[test]
fn worlds_with_curved_couplings_go_alone() {
    let text = r#"<mujoco><worldbody><body><joint name="a" axis="0 1 0"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0"/>
        <body pos="0.3 0 0"><joint name="b" axis="0 1 0"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0"/></body></body></worldbody>
      <equality><joint joint1="a" joint2="b" polycoef="0 1 0.1 0 0"/></equality></mujoco>"#;
    let file = std::path::Path::new("pair.xml");
    let world = load_str(text, file, std::path::Path::new("."), &LoadOptions::default()).unwrap();
    let state = State::neutral(&world.model);
    let settings = BatchSettings { threads: 2, ..BatchSettings::default() };
    let mut batch = Batch::new(world.clone(), &state, 70, settings.clone()).unwrap();
    assert!(matches!(batch.pace(), Pace::Alone(why) if why.contains("curved couplings")));
    let tolerance = settings.tolerance;
    let alone =
        Settings { contact: "auto".to_owned(), tolerance, stepper: settings.stepper, ..Settings::default() };
    let mut sim = Simulation::new(world, state, alone).unwrap();
    for _ in 0..50 {
        batch.step(&[]);
        assert!(sim.step().failure().is_none());
    }
    for i in [0, 63, 69] {
        assert_eq!(batch.state(i), (&sim.state().q[..], &sim.state().v[..]));
        assert_eq!(batch.report(i).path, Path::Alone);
    }
}

/// Tiles beside each other, whose seams lanes know nothing of: a box slides over them as in a simulation, and its steps are left to
/// a step alone while it is over both. Tiles that are not flush are as if there were no seams.
#[test]
fn steps_over_seams_go_alone() {
    // No two sides are in one plane, only tops.
    let tile = |x: f64, top: f64| {
        let (width, depth) = (1.0 + 0.1 * x, 0.1 + 0.01 * x);
        format!(r#"<geom name="{x}" type="box" size="0.5 {width} {depth}" pos="{x} 0 {}"/>"#, top - depth)
    };
    let slider = r#"<body pos="-0.2 0 0.05"><joint type="free" damping="1e-3"/><geom type="box" size="0.1 0.1 0.05" mass="1"/></body>"#;
    let world = |floor: &str| {
        let text = format!("<mujoco><worldbody>{floor}{slider}</worldbody></mujoco>");
        let file = std::path::Path::new("tiles.xml");
        load_str(&text, file, std::path::Path::new("."), &LoadOptions::default()).unwrap()
    };
    // Steps of a hundred that fell back, the speed at the end, and how far that is from a simulation's.
    let slide = |floor: &str| {
        let world = world(floor);
        let state = State { v: vec![2.0, 0.0, 0.0, 0.0, 0.0, 0.0], ..State::neutral(&world.model) };
        let settings = BatchSettings { tolerance: 1e-9, ..BatchSettings::default() };
        let mut batch = Batch::new(world.clone(), &state, 70, settings).unwrap();
        assert!(matches!(batch.pace(), Pace::Lanes(_)), "{:?}", batch.pace());
        let mut sim =
            Simulation::new(world, state, Settings { tolerance: 1e-9, ..Settings::default() }).unwrap();
        let (mut fell_back, mut apart) = (0, 0.0_f64);
        for _ in 0..100 {
            batch.step(&[]);
            sim.step();
            fell_back += u32::from(batch.report(3).path == Path::FellBack);
            apart = sim.state().v.iter().zip(batch.state(3).1).fold(apart, |d, (a, b)| d.max((a - b).abs()));
        }
        assert!(apart < 1e-6, "{apart}");
        (fell_back, batch.state(3).1[0])
    };
    let (over_seam, speed) = slide(&(tile(-0.5, 0.0) + &tile(0.5, 0.0)));
    assert!((30..90).contains(&over_seam) && speed > 0.9, "{over_seam} {speed}");
    // Over an edge, where none of this is asked.
    slide(&(tile(-0.5, 0.0) + &tile(0.5, -0.1)));
    assert_eq!(slide(&tile(-0.5, 0.0)).0, slide(&(tile(-0.5, 0.0) + &tile(2.5, 0.0))).0);
}

/// A world in which nothing moves.
#[test]
fn worlds_at_rest_for_good_are_stepped() {
    let text = r#"<mujoco><worldbody><geom type="plane" size="0 0 1"/></worldbody></mujoco>"#;
    let file = std::path::Path::new("plane.xml");
    let world = load_str(text, file, std::path::Path::new("."), &LoadOptions::default()).unwrap();
    let mut batch =
        Batch::new(world.clone(), &State::neutral(&world.model), 3, BatchSettings::default()).unwrap();
    assert!(matches!(batch.pace(), Pace::Alone(why) if why.contains("nothing")));
    batch.step(&[]);
    assert!(batch.reports().all(|r| r.status == StepStatus::Converged && r.contacts == 0));
}
