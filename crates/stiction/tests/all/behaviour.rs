//! Promises of the façade: restoring a state restores the run; a failed step leaves no trace; bad
//! input is an error with a name in it.

// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

use stiction::collision::Shape;
use stiction::contact::{ConstraintProblem, ContactSolver, Law, Needs, SolveReport, Watch};
use stiction::dynamics::spatial::{Pose, Quat, vec3};
use stiction::solvers::{self, Common};
use stiction::world::Material;
use stiction::{Composer, FreeBody, Input, Settings, Simulation, State, StepperParams, UNCOLOURED, stepping};

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

/// Nine towers of three boxes that fall over: many islands, which grow and break up.
fn towers(settings: Settings) -> Simulation {
    let mut c = Composer::new("towers", vec3(0.0, 0.0, -9.81)).unwrap();
    let rough = Material { friction: 0.5, ..Material::default() };
    c.fixed("ground", Shape::Plane, Pose::IDENTITY, rough, UNCOLOURED).unwrap();
    for k in 0..27 {
        let (tower, floor) = (k / 3, f64::from(k % 3));
        let place = vec3(f64::from(tower % 3), f64::from(tower / 3), 0.11 + 0.21 * floor);
        let tilt = 0.1 * f64::from(k).sin();
        let pose = Pose::new(Quat::from_rpy(tilt, 0.5 * tilt, f64::from(tower)), place);
        let shape = Shape::Box { half: vec3(0.08, 0.1, 0.1) };
        let mut body = FreeBody { material: rough, ..FreeBody::new(format!("box {k}"), shape, 1.0, pose) };
        body.velocity = vec3(0.3 * floor, 0.1 * f64::from(tower % 4), 0.0);
        c.body(body).unwrap();
    }
    let (world, state) = c.finish();
    Simulation::new(world, state, settings).unwrap()
}

#[test]
fn threads_change_no_bit() {
    for contact in ["auto", "raisim-ds-accelerated", "sap"] {
        let on = |threads| towers(Settings { contact: contact.to_owned(), threads, ..Settings::default() });
        let mut sims = [1, 2, 3].map(on);
        for step in 0..400 {
            let reports = sims.each_mut().map(Simulation::step);
            let [alone, others @ ..] = &sims;
            assert!(others.iter().all(|sim| sim.state() == alone.state()), "{contact}, step {step}");
            assert!(reports[0].failure().is_none() && (step < 300 || reports[0].contacts > 50));
        }
        // Nor does a snapshot care.
        let snapshot = sims[0].snapshot();
        sims[2].restore(&snapshot).unwrap();
    }
    let refused = |threads| {
        let (world, state) = Composer::new("empty", vec3(0.0, 0.0, 0.0)).unwrap().finish();
        Simulation::new(world, state, Settings { threads, ..Settings::default() }).map(drop)
    };
    assert!(refused(0).unwrap_err().to_string().contains("0 threads; expected 1 to 1024"));
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

/// Nsgs, asking for everything a problem can hold.
struct Curious(Box<dyn ContactSolver>);

impl ContactSolver for Curious {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn law(&self) -> Law {
        self.0.law()
    }

    fn needs(&self) -> Needs {
        Needs { primal: true, softness: true, ..Needs::default() }
    }

    fn solve_watched(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        self.0.solve_watched(problem, impulses, watch)
    }
}

/// M, J and v_free that a solver asked for make the same problem: G = J M⁻¹ Jᵀ, g = J v_free + bias.
#[test]
fn what_a_solver_asks_for_is_the_same_problem() {
    let mut sim = tumbling_box(Settings::default());
    (0..250).for_each(|_| drop(sim.step()));
    let (world, mut state) = (sim.world().clone(), sim.state().clone());
    let mut driver = stepping::make(&world, StepperParams::default()).unwrap();
    let mut solver = Curious(solvers::make("nsgs-accelerated", &Common::default()).unwrap());
    driver.step(&world, &mut state, &Input::default(), 1e-3, &mut solver);
    let problem = &driver.posed().problem;
    assert!(!problem.is_empty() && problem.softness.len() == problem.len());

    let primal = problem.primal.clone().unwrap();
    let other = ConstraintProblem::from_primal(problem.cones(), primal, problem.time_step).unwrap();
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-10 * b.abs().max(1.0));
    assert!(near(&other.free_velocity, &problem.free_velocity));
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let impulses: Vec<f64> = (0..problem.rows()).map(|k| (k as f64).sin()).collect();
    other.delassus_mul_into(&impulses, &mut a);
    problem.delassus_mul_into(&impulses, &mut b);
    assert!(near(&a, &b), "{a:?} {b:?}");
    for (softness, contact) in problem.softness.iter().zip(driver.stepper().last().contacts) {
        assert_eq!(softness.gap, contact.gap);
        assert!(softness.gap < 0.0 || (softness.bias - softness.gap / 1e-3).abs() < 1e-12);
    }
}
