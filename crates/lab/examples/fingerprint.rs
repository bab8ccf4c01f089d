//! Fingerprints of simulations: a hash of the bits of q and v, of impulses, residuals and derivatives, a line
//! for each run.
//!
//! `cargo xtask fingerprint` compares them with the committed ones: a change that keeps every bit leaves them
//! as they are.

// Printing is what this program is for.
#![allow(clippy::print_stdout)]

use stiction::{ImpactLaw, Settings, Simulation, Sleep, StepReport, StepStatus, StepperName};
use stiction_scene::RobotOptions;
use stiction_scene::{BUILTIN_SCENES, Scene, Setup};

/// Steps of every built-in scene.
const STEPS: usize = 200;
/// Scenes that every stepper simulates, and their steps.
const OF_ALL: [&str; 5] = ["ball", "cube-slide", "double-pendulum", "quadruped", "two-cubes"];
const STEPS_OF_ALL: usize = 12;

fn main() {
    for (name, _) in BUILTIN_SCENES {
        print(name, run(setup(name), STEPS, 0));
    }
    for entry in stiction::steppers() {
        for name in OF_ALL {
            let mut setup = setup(name);
            setup.settings.stepper.method = StepperName::of(entry.name).expect("it is in the catalogue");
            print(&format!("{} of {name}", entry.name), run(setup, STEPS_OF_ALL, 4));
        }
    }
    let rough = |settings: &mut Settings| {
        settings.set_contact("nsgs");
        (settings.max_iterations, settings.stepper.adaptive, settings.stepper.dt) = (8, 3, 4e-3);
    };
    print("stack, halved", run(changed("mass-ratio-stack", rough), 20, 0));
    print("toss, halved", run(changed("cube-toss", rough), 200, 0));
    print("humanoid, halved", run(changed("humanoid", rough), 60, 0));
    print("ball, long steps", run(changed("ball", |s| s.stepper.dt = 0.02), 200, 0));
    print(
        "ball, impacts at once",
        run(changed("ball", |s| (s.stepper.dt, s.stepper.impact_instants) = (0.02, 0)), 100, 0),
    );
    print("toss, pairs", run(changed("cube-toss", |s| s.stepper.impacts = ImpactLaw::Sequential), 400, 0));
    print("toss, derivatives", run(changed("cube-toss", |s| s.stepper.dt = 0.01), 100, 5));
    print("stack, asleep", run(changed("stack", |s| s.stepper.sleep = Sleep::On), 600, 0));
    print("stack, pushed awake", run_pushed(changed("stack", |s| s.stepper.sleep = Sleep::On), 600));
    print("two cubes, compliant law", run(changed("two-cubes", |s| s.set_contact("sap")), 100, 5));
    print("quadruped, relaxed law", run(changed("quadruped", |s| s.set_contact("ccp-pgs")), 60, 10));
    print("pile, fast", run(fast("pile"), 60, 0));
    print("stack, woken", run(dropped("mass-ratio-stack"), 620, 0));
    print("grasp, derivatives", run(setup("grasp"), 60, 10));
    print("humanoid, derivatives", run(setup("humanoid"), 30, 10));
}

fn setup(name: &str) -> Setup {
    let scene = Scene::find(name, &RobotOptions::default());
    scene.and_then(|scene| scene.build()).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn changed(name: &str, change: impl FnOnce(&mut Settings)) -> Setup {
    let mut setup = setup(name);
    change(&mut setup.settings);
    setup
}

/// The scene, in which bodies start at 40 m/s to and fro along x.
fn fast(name: &str) -> Setup {
    let mut setup = setup(name);
    setup
        .state
        .v
        .iter_mut()
        .step_by(6)
        .enumerate()
        .for_each(|(i, v)| *v = if i % 2 == 0 { 40.0 } else { -40.0 });
    setup
}

/// The scene, whose last body starts 1.2 m higher.
fn dropped(name: &str) -> Setup {
    let mut setup = setup(name);
    let nq = setup.state.q.len();
    setup.state.q[nq - 5] += 1.2;
    setup
}

fn print(name: &str, hash: u64) {
    println!("{name}\t{hash:016x}");
}

/// Bits, byte by byte (FNV-1a).
struct Hash(u64);

impl Hash {
    fn add(&mut self, numbers: &[f64]) {
        for byte in numbers.iter().flat_map(|x| x.to_bits().to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn add_text(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.add(&[f64::from(byte)]));
    }

    /// State, contacts and certificate after a step.
    fn add_step(&mut self, sim: &mut Simulation, report: &StepReport) {
        let state = sim.state().clone();
        self.add(&[state.t]);
        self.add(&state.q);
        self.add(&state.v);
        let impulses = sim.impulses().to_vec();
        self.add(&impulses);
        let mut contacts = Vec::new();
        sim.contacts_into(&mut contacts);
        for c in &contacts {
            self.add(&[c.gap, c.force.x, c.force.y, c.force.z, c.slip.x, c.slip.y, c.slip.z]);
        }
        let own = sim.own_natural_map();
        self.add(&[
            sim.certificate().natural_map,
            own,
            report.residual,
            report.penetration,
            report.energy_error,
        ]);
        let counts = [report.iterations, report.parts, report.contacts as u32, report.asleep as u32];
        self.add(&counts.map(f64::from));
        let status = match &report.status {
            StepStatus::Failed(cause) => cause.clone(),
            status => format!("{status:?}"),
        };
        self.add_text(&format!("{status}{:?}{:?}", report.remedy, report.bound_met));
        if let Some(ledger) = &report.ledger {
            self.add_text(&format!("{ledger:?}"));
        }
        let mut efforts = Vec::new();
        sim.efforts_into(&mut efforts);
        self.add(&efforts);
    }

    /// The derivatives of the step that follows.
    fn add_derivative(&mut self, sim: &mut Simulation) {
        match sim.linearize() {
            Ok(found) => {
                for numbers in [&found.a, &found.b, &found.dlambda] {
                    self.add(numbers);
                }
                self.add_text(&format!("{:?}", found.notes));
            }
            Err(why) => self.add_text(&why.to_string()),
        }
    }
}

/// The hash of a run of `steps`; every `derivatives`-th step is differentiated, if that is not 0.
fn run(setup: Setup, steps: usize, derivatives: usize) -> u64 {
    run_with(setup, steps, derivatives, |_, _| {})
}

/// The hash of a run in which the last body is pushed at the 400th step.
fn run_pushed(setup: Setup, steps: usize) -> u64 {
    run_with(setup, steps, 0, |sim, step| {
        if step == 400 {
            let nv = sim.generalized_mut().len();
            sim.generalized_mut()[nv - 6] = 3.0;
        }
    })
}

fn run_with(setup: Setup, steps: usize, derivatives: usize, push: impl Fn(&mut Simulation, usize)) -> u64 {
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    let mut sim = match Simulation::new(setup.world, setup.state, setup.settings) {
        Ok(sim) => sim,
        Err(refusal) => {
            hash.add_text(&refusal.to_string());
            return hash.0;
        }
    };
    sim.control_mut().copy_from_slice(&setup.control);
    for step in 0..steps {
        setup.forces.iter().for_each(|force| force.apply(&mut sim));
        if let Some(motion) = &setup.motion {
            motion.apply(&mut sim);
        }
        push(&mut sim, step);
        if derivatives > 0 && step % derivatives == derivatives - 1 {
            hash.add_derivative(&mut sim);
        }
        let report = sim.step();
        hash.add_step(&mut sim, &report);
    }
    hash.0
}
