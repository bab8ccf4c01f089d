//! Promises of the façade: restoring a state restores the run; a failed step leaves no trace; bad
//! input is an error with a name in it.

// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Quat, vec3};
use stiction::models::Material;
use stiction::{Composer, FreeBody, Settings, Simulation, State, StepperParams, UNCOLOURED};

fn tumbling_box(settings: Settings) -> Simulation {
    let mut c = Composer::new("tumbling box", vec3(0.0, 0.0, -9.81)).unwrap();
    let rough = Material { friction: 0.5, ..Material::default() };
    c.fixed("ground", Shape::Plane, Pose::IDENTITY, rough, UNCOLOURED).unwrap();
    let pose = Pose::new(Quat::from_rpy(0.3, 0.5, 0.1), vec3(0.0, 0.0, 0.3));
    let shape = Shape::Box { half: vec3(0.1, 0.15, 0.05) };
    let mut body = FreeBody { material: rough, ..FreeBody::new("box", shape, 2.0, pose) };
    body.velocity = vec3(1.0, 0.2, 0.0);
    body.angular_velocity = vec3(3.0, -1.0, 2.0);
    c.body(body).unwrap();
    let (world, state) = c.finish();
    Simulation::new(world, state, settings).unwrap()
}

#[test]
fn the_same_input_gives_the_same_bits() {
    let (mut a, mut b) = (tumbling_box(Settings::default()), tumbling_box(Settings::default()));
    for _ in 0..800 {
        a.step();
        b.step();
    }
    assert_eq!(a.state(), b.state());
    assert!(a.state().q[2] < 0.2, "the box must have fallen");
}

#[test]
fn a_state_survives_json_and_continues_with_the_same_bits() {
    let mut a = tumbling_box(Settings::default());
    (0..300).for_each(|_| drop(a.step()));
    let text = serde_json::to_string(a.state()).unwrap();
    let restored: State = serde_json::from_str(&text).unwrap();
    let mut b = tumbling_box(Settings::default());
    b.set_state(restored.clone()).unwrap();
    a.set_state(restored).unwrap();
    for _ in 0..300 {
        a.step();
        b.step();
    }
    assert_eq!(a.state(), b.state());
}

#[test]
fn a_step_that_fails_leaves_the_state_and_names_the_joint() {
    let mut sim = tumbling_box(Settings::default());
    let before = sim.state().clone();
    sim.generalized_mut()[1] = f64::NAN;
    let report = sim.step();
    assert!(report.failure().unwrap().contains("`box`"), "{report:?}");
    assert_eq!(sim.state(), &before);
    assert!(sim.step().failure().is_none(), "the next step works again");
}

#[test]
fn bad_settings_and_states_are_named() {
    let sim = tumbling_box(Settings::default());
    let rebuild = |state: State, settings: Settings| {
        Simulation::new(sim.world().clone(), state, settings).map(drop).unwrap_err().to_string()
    };
    let fine = sim.state().clone();
    let dt = |dt| Settings { stepper: StepperParams { dt, ..Default::default() }, ..Settings::default() };
    assert!(rebuild(fine.clone(), dt(-1.0)).contains("`dt` is -1"));
    assert!(rebuild(fine.clone(), dt(f64::NAN)).contains("`dt` is NaN"));
    let unknown = Settings { contact: "nsgz".into(), ..Settings::default() };
    assert!(rebuild(fine.clone(), unknown).contains("nsgs"));
    let short = State { q: vec![0.0; 3], ..fine.clone() };
    assert!(rebuild(short, Settings::default()).contains("q has 3 numbers; this model needs 7"));
    let mut skewed = fine.clone();
    skewed.q[3] = 2.0;
    assert!(rebuild(skewed, Settings::default()).contains("quaternion"));
    let mut lost = fine;
    lost.v[4] = f64::INFINITY;
    assert!(rebuild(lost, Settings::default()).contains("v[4] (joint `box`)"));
}
