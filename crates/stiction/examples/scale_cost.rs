//! Steps a world of a given size and says what that cost: one row of `cargo xtask bench scale`.
//!
//!     scale_cost pile|heaps|forest N [--threads T] [--contact NAME] [--settle STEPS] [--rest STEPS]
//!     scale_cost pile|heaps|forest N --write FILE
//!
//! The second writes the world as MJCF, its start as a keyframe, for others to step.
//!
//! pile: N boxes in four layers on as wide a ground as that takes, so that contacts per box do not depend on N.
//! heaps: the same in piles of 16 apart from each other. forest: N quadrupeds that stand. Every world takes the same
//! steps of 2 ms: `settle` of them, then `rest`. Progress goes to standard error, one JSON object to standard output;
//! times count steps alone, not the judge.

#[cfg(unix)]
fn main() {
    let order = order::Order::read();
    let (world, state, control) = match &*order.kind {
        "pile" => world::pile(order.n, order.n),
        "heaps" => world::pile(order.n, 16),
        "forest" => world::forest(order.n),
        kind => panic!("{kind} is not pile, heaps or forest"),
    };
    match &order.file {
        Some(file) => world::write(world, &state, control, file.as_ref()),
        None => steps::take(&order, &world, state, control),
    }
}

#[cfg(unix)]
mod order {
    /// The arguments of the command line.
    pub(super) struct Order {
        pub(super) kind: String,
        pub(super) n: usize,
        pub(super) contact: String,
        pub(super) threads: usize,
        /// Steps of the two windows.
        pub(super) settle: usize,
        pub(super) rest: usize,
        /// The file that the world is to be written to.
        pub(super) file: Option<String>,
    }

    impl Order {
        pub(super) fn read() -> Self {
            let mut arguments = std::env::args().skip(1);
            let kind = arguments.next().expect("pile, heaps or forest");
            let n = arguments.next().and_then(|n| n.parse().ok()).expect("how many");
            let contact = "auto".to_owned();
            let mut order = Self { kind, n, contact, threads: 1, settle: 1500, rest: 200, file: None };
            while let (Some(name), Some(value)) = (arguments.next(), arguments.next()) {
                let number = || value.parse::<usize>().expect("a number");
                match &*name {
                    "--contact" => order.contact.clone_from(&value),
                    "--threads" => order.threads = number(),
                    "--settle" => order.settle = number(),
                    "--rest" => order.rest = number(),
                    "--write" => order.file = Some(value.clone()),
                    _ => panic!("{name} {value} is not understood"),
                }
            }
            order
        }
    }
}

#[cfg(unix)]
mod steps {
    use super::clock::{Spent, Timed, peak_bytes};
    use super::order::Order;
    use std::time::Instant;
    use stiction::contact::Judge;
    use stiction::solvers::{self, Common};
    use stiction::stepping::{self, Driver, Stepper};
    use stiction::world::World;
    use stiction::{Input, Sleep, State, StepStatus, StepperParams};

    /// Length of a step [s].
    const DT: f64 = 2e-3;

    /// A simulation that is timed.
    struct Run<'a> {
        order: &'a Order,
        world: &'a World,
        state: State,
        input: Input,
        stepper: Driver<dyn Stepper>,
        timed: Timed,
        judge: Judge,
        /// When progress was last printed.
        told: Instant,
    }

    /// Takes the steps of both windows, and prints what they cost.
    pub(super) fn take(order: &Order, world: &World, state: State, control: Vec<f64>) {
        let params = StepperParams { dt: DT, sleep: Sleep::Off, ..StepperParams::default() };
        let mut solver = solvers::make(&order.contact, &Common::default()).expect("a solver");
        solver.use_threads(order.threads);
        let mut run = Run {
            order,
            world,
            state,
            input: Input { control, generalized: vec![0.0; world.model.nv()] },
            stepper: stepping::make(world, params).expect("shapes that are valid"),
            timed: Timed { solver, spent: Spent::default() },
            judge: Judge::default(),
            told: Instant::now(),
        };
        let (settling, resting) = (run.window("settling", order.settle), run.window("resting", order.rest));
        let Run { state, .. } = run;
        let record = serde_json::json!({
            "kind": order.kind, "n": order.n, "dt": DT, "threads": order.threads, "contact": order.contact,
            "bodies": world.model.trees, "nv": world.model.nv(),
            "settling": settling, "resting": resting, "peak_bytes": peak_bytes(),
            "checksum": state.q.iter().chain(&state.v).fold(0_u64, |sum, x| sum.rotate_left(5) ^ x.to_bits()).to_string(),
        });
        #[expect(clippy::print_stdout, reason = "what this program is for")]
        {
            println!("{record}");
        }
    }

    impl Run<'_> {
        /// The means of so many steps.
        fn window(&mut self, name: &str, steps: usize) -> serde_json::Value {
            let Self { order: Order { kind, n, threads, .. }, world, state, input, .. } = self;
            self.timed.spent = Spent::default();
            let mut stepping = Spent::default();
            let (mut natural_map, mut iterations, mut contacts, mut flagged) = (0.0_f64, 0, 0, 0);
            for k in 0..steps {
                let report = stepping.add(|| self.stepper.step(world, state, input, DT, &mut self.timed));
                assert!(report.failure().is_none(), "{report:?}");
                let certificate = self.judge.certify(&self.stepper.posed().problem, self.stepper.impulses());
                natural_map = stiction::contact::certificate::worse(natural_map, certificate.natural_map);
                iterations += report.iterations;
                contacts += report.contacts;
                flagged += usize::from(report.status != StepStatus::Converged);
                if self.told.elapsed().as_secs() >= 5 {
                    self.told = Instant::now();
                    eprintln!("    {kind} {n}, {threads} threads: {name}, step {k} of {steps}");
                }
            }
            let per_step = |x: f64| x / steps as f64;
            let spent = &self.timed.spent;
            serde_json::json!({
                "steps": steps,
                "us": per_step(1e6 * stepping.wall),
                "cpu_us": per_step(1e6 * stepping.cpu),
                "solve_us": per_step(1e6 * spent.wall),
                "solve_cpu_us": per_step(1e6 * spent.cpu),
                "iterations": per_step(f64::from(iterations)),
                "contacts_per_body": per_step(contacts as f64) / self.world.model.trees as f64,
                "natural_map": natural_map,
                "flagged": flagged,
            })
        }
    }
}

#[cfg(unix)]
mod world {
    use std::path::Path;
    use stiction::collision::Shape;
    use stiction::dynamics::spatial::{Pose, Quat, vec3};
    use stiction::models::{LoadOptions, load, to_mjcf};
    use stiction::world::{Keyframe, Material, World};
    use stiction::{Composer, FreeBody, State, UNCOLOURED};

    type Start = (World, State, Vec<f64>);

    fn composer() -> Composer {
        let mut c = Composer::new("scale", vec3(0.0, 0.0, -9.81)).expect("gravity");
        let ground = Material { friction: 0.6, ..Material::default() };
        c.fixed("ground", Shape::Plane, Pose::IDENTITY, ground, UNCOLOURED).expect("a plane");
        c
    }

    /// Boxes in four layers, in piles of `size`.
    pub(super) fn pile(n: usize, size: usize) -> Start {
        let mut c = composer();
        let material = Material { friction: 0.6, ..Material::default() };
        let side = (size as f64 / 4.0).sqrt().round() as usize;
        let piles = ((n / size) as f64).sqrt().ceil() as usize;
        for k in 0..n {
            let (pile, at) = (k / size, k % size);
            // Disorder that is the same everywhere.
            let noise = [0, 1, 2, 3, 4, 5].map(|m| (12.9898 * k as f64 + 78.233 * f64::from(m)).sin());
            let [i, j, layer] = [at % side, at / side % side, at / (side * side)].map(|i| 0.25 * i as f64);
            let apart = 0.25 * side as f64 + 2.0;
            let x = i + apart * (pile % piles) as f64 + 0.01 * noise[0];
            let y = j + apart * (pile / piles) as f64 + 0.01 * noise[1];
            let [a, b, g] = [3, 4, 5].map(|m| 0.35 * noise[m]);
            let pose = Pose::new(Quat::from_rpy(a, b, g), vec3(x, y, 0.2 + layer + 0.01 * noise[2]));
            let shape = Shape::Box { half: vec3(0.08, 0.08, 0.08) };
            c.body(FreeBody { material, ..FreeBody::new(format!("box{k}"), shape, 1.0, pose) })
                .expect("a box");
        }
        let (world, state) = c.finish();
        (world, state, Vec::new())
    }

    /// As MJCF, with the state as its only keyframe.
    pub(super) fn write(mut world: World, state: &State, control: Vec<f64>, file: &Path) {
        let (q, v) = (state.q.clone(), state.v.clone());
        world.keyframes = vec![Keyframe { name: "start".to_owned(), q, v, control }];
        let written = to_mjcf(&world, "scale");
        assert!(written.files.is_empty(), "a world of one file");
        std::fs::write(file, written.text).expect("a folder that can be written to");
    }

    /// Quadrupeds a metre apart.
    pub(super) fn forest(n: usize) -> Start {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scene/scenes/quadruped.xml");
        let mut robot = load(&path, &LoadOptions::default()).expect("our quadruped");
        robot.geometries.retain(|g| !matches!(g.shape, Shape::Plane)); // one ground is enough
        let home = robot.keyframes[0].clone();
        let state = State { t: 0.0, q: home.q, v: home.v };
        let mut c = composer();
        let side = (n as f64).sqrt().ceil() as usize;
        for k in 0..n {
            let pose = Pose::from_translation(vec3((k % side) as f64, (k / side) as f64, 0.0));
            c.robot(robot.clone(), &state, pose, &format!("{k} "));
        }
        let (world, state) = c.finish();
        (world, state, home.control.repeat(n))
    }
}

#[cfg(unix)]
mod clock {
    use nix::time::{ClockId, clock_gettime};
    use stiction::contact::{ConstraintProblem, ContactSolver, Law, Needs, SolveReport, Watch};

    /// [s], of the wall and of all threads.
    #[derive(Default)]
    pub(super) struct Spent {
        pub(super) wall: f64,
        pub(super) cpu: f64,
    }

    impl Spent {
        pub(super) fn add<T>(&mut self, work: impl FnOnce() -> T) -> T {
            let cpu = || {
                let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).expect("a clock");
                time.tv_sec() as f64 + 1e-9 * time.tv_nsec() as f64
            };
            let (before, start) = (cpu(), std::time::Instant::now());
            let result = work();
            self.wall += start.elapsed().as_secs_f64();
            self.cpu += cpu() - before;
            result
        }
    }

    /// A solver whose time is taken.
    pub(super) struct Timed {
        pub(super) solver: Box<dyn ContactSolver>,
        pub(super) spent: Spent,
    }

    impl ContactSolver for Timed {
        fn name(&self) -> &'static str {
            self.solver.name()
        }

        fn law(&self) -> Law {
            self.solver.law()
        }

        fn needs(&self) -> Needs {
            self.solver.needs()
        }

        fn takes_patches(&self) -> bool {
            self.solver.takes_patches()
        }

        fn solve_watched(
            &mut self,
            problem: &ConstraintProblem,
            impulses: &mut [f64],
            watch: &mut Watch<'_>,
        ) -> SolveReport {
            self.spent.add(|| self.solver.solve_watched(problem, impulses, watch))
        }

        fn forget(&mut self) {
            self.solver.forget();
        }
    }

    /// The most memory this process has held, where the system tells.
    pub(super) fn peak_bytes() -> Option<f64> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
        Some(1024.0 * line.split_whitespace().next()?.parse::<f64>().ok()?)
    }
}

#[cfg(not(unix))]
fn main() {}
