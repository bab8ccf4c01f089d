//! A scene as a live session for the viewer: it runs as long as somebody looks, can be pulled, steered, set back, and
//! shown under several contact solvers at once.
//!
//! The first run is the simulation; the others are its ghosts, started from its state and given the same inputs.

mod grab;
mod past;
mod run;

use grab::Grab;
use past::Past;
use run::Run;
use stiction::dynamics::JointKind;
use stiction::recording::{Frame, Recording};
use stiction::solvers::registry;
use stiction::{SetupError, State, StepperEntry, StepperName, scene_of, steppers};
use stiction_scene::Setup;
use stiction_viewer::session::{Change, Choice, Command, Condition, Session};

/// A scene as a live session, under one or more contact solvers.
pub struct Live {
    setup: Setup,
    /// Input of the actuators.
    control: Vec<f64>,
    run: Run,
    ghosts: Vec<Run>,
    grab: Option<Grab>,
    past: Past,
    failure: Option<String>,
}

impl Live {
    /// At the first state of `setup`, whose duration does not matter.
    pub fn new(setup: Setup) -> Result<Self, SetupError> {
        let method = setup.settings.stepper.method;
        let own_law = method != StepperName::default();
        let choice = if own_law { method.as_str() } else { &setup.settings.contact };
        let run = Run::new(&setup, choice, setup.state.clone())?;
        let control = setup.control.clone();
        Ok(Self { control, run, ghosts: Vec::new(), grab: None, past: Past::default(), failure: None, setup })
    }

    fn runs(&mut self) -> impl Iterator<Item = &mut Run> {
        std::iter::once(&mut self.run).chain(&mut self.ghosts)
    }

    /// Puts every run into `state`.
    fn set_state(&mut self, state: &State) -> Result<Change, String> {
        self.failure = None;
        self.grab = None;
        for run in self.runs() {
            run.set_state(state.clone()).map_err(|e| e.to_string())?;
        }
        Ok(Change::State)
    }

    fn started(&self, solver: &str) -> Result<Run, String> {
        let state = self.run.sim.state().clone();
        Run::new(&self.setup, solver, state).map_err(|e| e.to_string())
    }

    fn steer(&mut self, actuator: usize, value: f64) -> Result<Change, String> {
        let range = self.setup.world.actuators.get(actuator).map(|a| a.control_limit);
        let range = range.ok_or_else(|| format!("there is no actuator {actuator}"))?;
        self.control[actuator] = range.map_or(value, |[lo, hi]| value.clamp(lo, hi));
        Ok(Change::Nothing)
    }

    /// Puts a joint to a value, at rest.
    fn bend(&mut self, joint: usize, value: f64) -> Result<Change, String> {
        let scalar = self.setup.world.model.joints.iter().filter(|j| j.kind.is_scalar()).nth(joint);
        let joint = scalar.ok_or_else(|| format!("no hinge or slide has number {joint}"))?;
        debug_assert!(joint.kind != JointKind::Free);
        let mut state = self.run.sim.state().clone();
        state.q[joint.idx_q] = value;
        state.v[joint.idx_v] = 0.0;
        self.set_state(&state)
    }
}

impl Session for Live {
    fn scene(&self) -> Recording {
        let mut scene = scene_of(&self.run.sim);
        if !self.ghosts.is_empty() {
            let own = scene.geometries.clone();
            let (name, bodies) = (scene.contact_model.clone(), scene.bodies.clone());
            scene.runs = vec![stiction::recording::RecordedRun { name, first: 0, count: bodies.len() }];
            for ghost in &self.ghosts {
                scene.add_run(&ghost.name(), &bodies, &own);
            }
        }
        scene
    }

    fn choices(&self) -> Vec<Choice> {
        let choice = |e: &registry::Entry| Choice {
            name: e.name.to_owned(),
            law: e.law.to_string(),
            summary: e.summary.to_owned(),
        };
        let own_law = |e: &StepperEntry| Choice {
            name: e.name.to_owned(),
            law: "mdp".to_owned(),
            summary: e.summary.to_owned(),
        };
        // The first stepper takes all of the solvers.
        registry::all().iter().map(choice).chain(steppers()[1..].iter().map(own_law)).collect()
    }

    fn step(&mut self) -> Result<(), String> {
        for (i, run) in std::iter::once(&mut self.run).chain(&mut self.ghosts).enumerate() {
            run.sim.control_mut().copy_from_slice(&self.control);
            if let Some(grab) = &mut self.grab {
                grab.pull(i, &mut run.sim);
            }
            run.step(&self.setup.forces, self.setup.motion.as_ref());
        }
        self.failure.clone_from(&self.run.failure);
        self.failure.clone().map_or(Ok(()), Err)
    }

    fn frame(&mut self) -> Frame {
        self.past.keep(self.run.sim.state(), &self.control);
        let mut frame = self.run.frame();
        let count = frame.poses.len();
        for (i, ghost) in self.ghosts.iter_mut().enumerate() {
            frame.add_run(&ghost.frame(), (i + 1) * count);
        }
        frame
    }

    fn time(&self) -> f64 {
        self.run.sim.state().t
    }

    fn condition(&self) -> Condition {
        Condition {
            solver: self.run.name(),
            ghosts: self.ghosts.iter().map(Run::name).collect(),
            control: self.control.clone(),
            held: self.grab.as_ref().map(|g| (g.body(), g.point())),
            failure: self.failure.clone(),
        }
    }

    fn obey(&mut self, command: &Command) -> Result<Change, String> {
        match command {
            Command::Reset {} => {
                self.past.clear();
                self.control.clone_from(&self.setup.control);
                self.set_state(&self.setup.state.clone())
            }
            Command::Rewind { t } => {
                let (state, control) =
                    self.past.back_to(*t).ok_or_else(|| format!("t = {t} s is not remembered"))?;
                self.control = control;
                self.set_state(&state)
            }
            Command::Solver { name } => {
                self.run = self.started(name)?;
                self.failure = None;
                Ok(Change::Scene)
            }
            Command::Ghosts { solvers } => {
                self.ghosts = solvers.iter().map(|s| self.started(s)).collect::<Result<_, _>>()?;
                Ok(Change::Scene)
            }
            Command::Grab { body, point, target } => {
                let runs = 1 + self.ghosts.len();
                self.grab = Some(Grab::new(&mut self.run.sim, runs, *body, *point, *target)?);
                Ok(Change::Nothing)
            }
            Command::Pull { target } => {
                self.grab.iter_mut().for_each(|grab| grab.aim(*target));
                Ok(Change::Nothing)
            }
            Command::Release {} => {
                self.grab = None;
                Ok(Change::Nothing)
            }
            Command::Control { actuator, value } => self.steer(*actuator, *value),
            Command::Joint { joint, value } => self.bend(*joint, *value),
            Command::Play {} | Command::Pause {} | Command::Step { .. } | Command::Speed { .. } => {
                Ok(Change::Nothing)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_scene::Scene;

    fn live(scene: &str) -> Live {
        Live::new(Scene::builtin(scene).unwrap().build().unwrap()).unwrap()
    }

    fn steps(live: &mut Live, count: usize) {
        (0..count).for_each(|_| live.step().unwrap());
    }

    fn weight(live: &Live) -> f64 {
        let bodies = &live.setup.world.model.bodies;
        9.81 * bodies.iter().map(|b| b.inertia.mass).sum::<f64>()
    }

    /// The quadruped at rest: the ground carries its weight, and its certificate is within tolerance.
    #[test]
    fn the_ground_carries_the_quadruped() {
        let mut live = live("quadruped");
        steps(&mut live, 200);
        let frame = live.frame();
        let up = frame.force_from_world()[2];
        assert!((up - weight(&live)).abs() < 1e-3 * up, "{up}");
        assert!(frame.natural_map < 1e-7, "{}", frame.natural_map);
        assert_eq!((frame.joints.len(), frame.efforts.len()), (12, 12));
    }

    /// Pulled up with the trunk, the robot rises; let go, it comes down again.
    #[test]
    fn a_body_can_be_pulled_and_let_go() {
        let mut live = live("quadruped");
        steps(&mut live, 50);
        let z = |live: &mut Live| live.frame().poses[0].0[2];
        let start = z(&mut live);
        let grab = Command::Grab { body: 0, point: [0.0; 3], target: [0.0, 0.0, start + 0.3] };
        live.obey(&grab).unwrap();
        steps(&mut live, 500);
        let lifted = z(&mut live);
        assert!(lifted > start + 0.1 && lifted < start + 0.35, "{start} {lifted}");
        live.obey(&Command::Release {}).unwrap();
        steps(&mut live, 1000);
        let end = z(&mut live);
        assert!((end - start).abs() < 0.05, "{start} {end}");
    }

    /// Light and stiff things stay numbers however hard one pulls.
    #[test]
    fn pulling_a_foot_far_away_breaks_nothing() {
        let mut live = live("quadruped");
        live.obey(&Command::Grab { body: 3, point: [0.0, 0.0, -0.2], target: [50.0, 0.0, 50.0] }).unwrap();
        steps(&mut live, 500);
        assert!(live.frame().poses.iter().all(|(p, _)| p.iter().all(|x| x.abs() < 100.0)));
    }

    #[test]
    fn what_does_not_exist_is_refused() {
        let mut live = live("ball");
        for command in [
            Command::Solver { name: "nobody".into() },
            Command::Ghosts { solvers: vec!["nobody".into()] },
            Command::Grab { body: 7, point: [0.0; 3], target: [0.0; 3] },
            Command::Control { actuator: 0, value: 1.0 },
            Command::Joint { joint: 0, value: 1.0 },
            Command::Rewind { t: -1.0 },
        ] {
            assert!(live.obey(&command).is_err(), "{command:?}");
        }
        steps(&mut live, 3);
    }

    /// Back to a shown instant, the same steps lead to the same bits as from a fresh start there.
    #[test]
    fn time_goes_back_to_what_was_shown() {
        let mut live = live("stack");
        steps(&mut live, 20);
        let shown = live.frame();
        steps(&mut live, 30);
        live.frame();
        assert_eq!(live.obey(&Command::Rewind { t: shown.t }), Ok(Change::State));
        let back = live.frame();
        assert_eq!((back.t, &back.poses), (shown.t, &shown.poses));
        assert!(back.contacts.is_empty(), "forces belong to a step, and none led here");
        live.obey(&Command::Reset {}).unwrap();
        assert_eq!(live.time(), 0.0);
    }

    /// A stepper with a contact law of its own is chosen like a solver, for the simulation and for its ghosts.
    #[test]
    fn steppers_are_chosen_like_solvers() {
        let mut live = live("robosimian-jump");
        live.obey(&Command::Solver { name: "pbd-nmdp-pgm".into() }).unwrap();
        live.obey(&Command::Ghosts { solvers: vec!["ne-mdp".into(), "nsgs".into()] }).unwrap();
        assert!(live.choices().iter().any(|c| c.name == "ne-mdp" && c.law == "mdp"));
        steps(&mut live, 20);
        let condition = live.condition();
        assert_eq!(condition.solver, "pbd-nmdp-pgm");
        assert_eq!(condition.ghosts, ["ne-mdp", "nsgs"]);
        assert_eq!(live.scene().runs.len(), 3);
    }

    /// A ghost under the same solver goes where the simulation goes; the scene tells it apart.
    #[test]
    fn ghosts_share_state_and_inputs() {
        let mut live = live("quadruped");
        steps(&mut live, 10);
        // The simulation too starts cold here: as the ghost does.
        live.obey(&Command::Solver { name: "nsgs".into() }).unwrap();
        live.obey(&Command::Ghosts { solvers: vec!["nsgs".into(), "sap".into()] }).unwrap();
        let scene = live.scene();
        assert_eq!((scene.runs.len(), scene.bodies.len()), (3, 39));
        live.obey(&Command::Control { actuator: 2, value: -1.2 }).unwrap();
        steps(&mut live, 50);
        let frame = live.frame();
        assert_eq!(frame.poses.len(), 39);
        assert_eq!(frame.poses[..13], frame.poses[13..26]);
        assert_ne!(frame.poses[..13], frame.poses[26..]);
        let mut recording = scene;
        recording.frames = vec![frame];
        assert_eq!(recording.check(), Ok(()));
    }

    #[test]
    fn joints_and_solvers_change_live() {
        let mut live = live("double-pendulum");
        assert_eq!(live.obey(&Command::Joint { joint: 1, value: 0.5 }), Ok(Change::State));
        assert_eq!(live.frame().joints[1], 0.5);
        assert_eq!(live.obey(&Command::Solver { name: "sap".into() }), Ok(Change::Scene));
        assert_eq!(live.condition().solver, "sap");
        assert_eq!(live.scene().contact_model, "sap");
        steps(&mut live, 5);
    }
}
