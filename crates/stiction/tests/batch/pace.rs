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
    let mut batch = Batch::new(world.clone(), &state, 70, settings).unwrap();
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
