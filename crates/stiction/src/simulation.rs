//! A world, its state, a stepper and a contact solver: the thing to call `step` on.

use crate::catalogue::StepperName;
use crate::input::Input;
use crate::params::{StepperParamError, StepperParams};
use crate::patches::Patches;
use crate::recording::PatchMark;
use crate::report::{Answers, StepReport, StepStatus};
use crate::settings::Settings;
use crate::snapshot::{self, Bits, Snapshot, SnapshotError};
use crate::state::{State, StateError};
use crate::stepping::driver::certificates_at_rest::{CertificatesAtRest, NUMBERS};
use crate::stepping::driver::parts::PartDone;
use crate::stepping::{Accepted, ContactCorrection, ContactSource, Driver, Memory, NoSlopes, Slopes};
use crate::stepping::{Extension, LastPart, Part, Stepper, StepperError, make_stepper};
use std::sync::Arc;
use std::sync::OnceLock;
use stiction_assembly::forces::actuators::with_drive_limits;
use stiction_assembly::{ContactPoint, Posed};
use stiction_collision::ShapeError;
use stiction_contact::certificate::worse;
use stiction_contact::{Certificate, ConstraintProblem, ContactSolver, Judge};
use stiction_dynamics::spatial::Vec3;
use stiction_dynamics::{Kinematics, Velocities, kinetic_energy, potential_energy, spring_energy};
use stiction_solvers::registry::{self, Common, SolverError};
use stiction_world::{Dimension, World};

/// Why a simulation cannot start.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error(transparent)]
    Solver(#[from] SolverError),
    #[error(transparent)]
    Stepper(#[from] StepperParamError),
    #[error(transparent)]
    State(#[from] StateError),
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error(transparent)]
    Made(#[from] StepperError),
    #[error(
        "{solver} takes no contacts that resist spinning or rolling, as `{geometry}` does (condim 4 or 6); auto and nsgs do"
    )]
    Turning { solver: String, geometry: String },
    #[error("a step on {threads} threads; expected 1 to {MOST_THREADS}")]
    Threads { threads: usize },
    #[error("{what} `{name}` joins dofs of more than two trees; at most two are supported")]
    TooManyTrees { what: &'static str, name: String },
    #[error("{what} `{name}` acts on joint `{joint}`, a ball or free joint; only hinges and slides can")]
    NotScalar { what: &'static str, name: String, joint: String },
}

/// More are a mistake.
const MOST_THREADS: usize = 1024;

/// A contact of the last step, with its force and slip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactState {
    /// Geometries A and B, indices into `world.geometries`.
    pub geometries: [usize; 2],
    /// Bodies A and B; `None`: the world.
    pub bodies: [Option<usize>; 2],
    /// Stable name of the touching features within the pair.
    pub feature: u32,
    /// In W [m].
    pub position: Vec3,
    /// From A to B, in W.
    pub normal: Vec3,
    /// φ at the start of the step [m].
    pub gap: f64,
    /// Mean force on B over the step, in W [N].
    pub force: Vec3,
    /// Mean moment on B about the point, of friction against spinning and rolling, in W [N·m].
    pub moment: Vec3,
    /// Velocity of B relative to A at the end of the step, tangential part, in W [m/s].
    pub slip: Vec3,
    /// μ [–].
    pub friction: f64,
}

impl ContactState {
    /// The state of a contact with this impulse and moment, over steps of which there are `per_second`.
    fn new(p: &ContactPoint, [impulse, moment]: [Vec3; 2], velocity: Vec3, per_second: f64) -> Self {
        Self {
            geometries: p.geometries,
            bodies: p.bodies,
            feature: p.feature,
            position: p.position,
            normal: p.n,
            gap: p.gap,
            force: impulse * per_second,
            moment: moment * per_second,
            slip: velocity - p.n * p.n.dot(velocity),
            friction: p.friction,
        }
    }
}

/// Energy of a world [J].
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Energy {
    pub kinetic: f64,
    /// Gravity and joint springs.
    pub potential: f64,
}

impl Energy {
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

/// A world, its state, a stepper and a contact solver: the thing to call [`Self::step`] on.
pub struct Simulation {
    world: Arc<World>,
    state: State,
    driver: Driver<dyn Stepper>,
    solver: Box<dyn ContactSolver>,
    judge: Judge,
    /// Controls and forces of the next step; `generalized` is zeroed after it.
    input: Input,
    settings: Settings,
    /// For questions about the present state, which the stepper's kinematics precede.
    kin: Kinematics,
    vel: Velocities,
    /// c of the last step, for those who ask.
    velocities: Vec<f64>,
    at_rest: CertificatesAtRest,
    /// For who looks at contact surfaces; `None` until then, and inside where nothing yields by pressure.
    patches: Option<Option<Box<Patches>>>,
    /// Fingerprint of the world, once a snapshot needed it.
    fingerprint: OnceLock<u64>,
}

/// State, input, and the memory of the stepper.
pub(crate) struct Moment {
    pub(crate) state: State,
    pub(crate) input: Input,
    pub(crate) memory: Memory,
    certificates: Vec<[f64; NUMBERS]>,
}

/// The parts of a simulation that do a step of it again.
pub(crate) struct Again<'a> {
    pub(crate) world: &'a World,
    pub(crate) core: &'a mut dyn Stepper,
    pub(crate) solver: &'a mut dyn ContactSolver,
    /// The parts of the last step.
    pub(crate) parts: &'a [PartDone],
}

impl Simulation {
    /// Checks world, state and settings against each other. The world is shared: pass an `Arc` to simulate it
    /// many times.
    pub fn new(world: impl Into<Arc<World>>, state: State, settings: Settings) -> Result<Self, SetupError> {
        Self::with(world.into(), state, settings, |world, params| Ok(make_stepper(world, params)?))
    }

    /// The same with a stepper that is in no catalogue: `make` is given the world and the parameters of
    /// [`Settings::stepper`], whose sleep, halving and step h act around it.
    pub fn with_stepper<S: Stepper + 'static>(
        world: impl Into<Arc<World>>,
        state: State,
        settings: Settings,
        make: impl FnOnce(&World, StepperParams) -> Result<S, SetupError>,
    ) -> Result<Self, SetupError> {
        Self::with(world.into(), state, settings, |world, params| Ok(Box::new(make(world, params)?)))
    }

    fn with(
        world: Arc<World>,
        state: State,
        settings: Settings,
        make: impl FnOnce(&World, StepperParams) -> Result<Box<dyn Stepper>, SetupError>,
    ) -> Result<Self, SetupError> {
        let world = with_drive_limits(world);
        settings.stepper.validate()?;
        if !(1..=MOST_THREADS).contains(&settings.threads) {
            return Err(SetupError::Threads { threads: settings.threads });
        }
        state.validate(&world.model)?;
        validate_transmissions(&world)?;
        let tolerance = settings.stepper.solver_tolerance(settings.tolerance);
        let common = Common { tolerance, max_iterations: settings.max_iterations };
        let mut solver = registry::make_from(&settings.contact, &common, &settings.contact_params)?;
        check_turning(solver.as_ref(), &settings, &world)?;
        solver.use_threads(settings.threads);
        let stepper = make(&world, settings.stepper.clone())?;
        let driver = Driver::new(&world, stepper, &settings.stepper);
        let model = &world.model;
        Ok(Self {
            kin: Kinematics::new(model),
            vel: Velocities::new(model),
            velocities: Vec::new(),
            at_rest: CertificatesAtRest::new(model.trees),
            patches: None,
            fingerprint: OnceLock::new(),
            input: Input { control: vec![0.0; world.actuators.len()], generalized: vec![0.0; model.nv()] },
            judge: Judge::default(),
            world,
            state,
            driver,
            solver,
            settings,
        })
    }

    /// Advances by one time step. On failure the state stays as it was.
    pub fn step(&mut self) -> StepReport {
        let mut report = self.driver.step(
            &self.world,
            &mut self.state,
            &self.input,
            self.settings.stepper.dt,
            self.solver.as_mut(),
        );
        if self.settings.answers && report.failure().is_none() {
            let stepper = self.driver.stepper();
            let LastPart { posed, impulses, .. } = stepper.last();
            let rule = stepper.about().rule_of_choice.unwrap_or_else(|| self.solver.rule_of_choice());
            report.answers = Answers::of(&posed.problem, impulses, rule).map(Box::new);
        }
        self.input.generalized.fill(0.0);
        self.at_rest.note(&self.driver, &mut self.judge, self.solver.law());
        report
    }

    /// The judge's certificate of the last step: its problem and impulses, exact law; of a step in parts, the
    /// worst of all parts and impacts. Of what slept that of the step in which it fell asleep, from v = 0.
    pub fn certificate(&mut self) -> Certificate {
        let LastPart { posed, impulses, .. } = self.driver.stepper().last();
        let last = self.judge.certify(&posed.problem, impulses);
        let earlier = &self.driver.earlier.judged;
        self.at_rest.certificate(earlier.as_ref().map_or(last, |(earlier, _)| last.or_worse(earlier)))
    }

    /// The judge's natural map of the last step by the solver's own law [m/s]: how well it solved what it
    /// set out to solve. For a solver of the exact law, that of [`Self::certificate`].
    pub fn own_natural_map(&mut self) -> f64 {
        let LastPart { posed, impulses, .. } = self.driver.stepper().last();
        let last = self.judge.natural_map_of(&posed.problem, impulses, self.solver.law());
        let earlier = &self.driver.earlier.judged;
        self.at_rest.own(earlier.as_ref().map_or(last, |(_, earlier)| worse(last, *earlier)))
    }

    /// Contacts of the last step, open ones included, into `out`. After those of its problem follow contacts
    /// of impacts within the step and of its earlier parts, whose slip is told as zero, and last those of
    /// what slept, which do not slip.
    pub fn contacts_into(&mut self, out: &mut Vec<ContactState>) {
        out.clear();
        let LastPart { posed, impulses, contacts, .. } = self.driver.stepper().last();
        let c = &mut self.velocities;
        posed.problem.velocities_into(impulses, c);
        let per_second = 1.0 / self.settings.stepper.dt;
        for (block, p) in posed.contacts(contacts) {
            let rows = posed.problem.range(block);
            let [velocity, _] = p.wrench(&c[rows.clone()]);
            out.push(ContactState::new(p, p.wrench(&impulses[rows]), velocity, per_second));
        }
        for (contact, wrench) in self.driver.other_contacts() {
            out.push(ContactState::new(contact, wrench, Vec3::ZERO, per_second));
        }
    }

    /// How many of these are blocks of the problem, its first.
    pub(crate) fn contacts_awake(&self) -> usize {
        self.driver.stepper().last().contacts.len()
    }

    /// Effort of every actuator during the last step [N·m or N] into `out`; zero before the first.
    pub fn efforts_into(&self, out: &mut Vec<f64>) {
        self.driver.stepper().efforts_into(&self.world, out);
    }

    /// Kinetic and potential energy of the present state.
    pub fn energy(&mut self) -> Energy {
        let model = &self.world.model;
        self.kin.update(model, &self.state.q);
        self.vel.update(model, &self.kin, &self.state.v);
        Energy {
            kinetic: kinetic_energy(model, &self.kin, &self.vel, &self.state.v),
            potential: potential_energy(model, &self.kin) + spring_energy(model, &self.state.q),
        }
    }

    /// Kinematics of the present state.
    pub fn kinematics(&mut self) -> &Kinematics {
        self.kin.update(&self.world.model, &self.state.q);
        &self.kin
    }

    /// Contact surfaces of what meets by pressure, at the present poses: pressures without dissipation.
    /// Contacts are those of the step that led here; where things move fast the two are apart by a step.
    pub fn patches(&mut self) -> Vec<PatchMark> {
        // A world with surfaces that no field can be made of has no stepper, and so no simulation.
        let make = || Patches::new(&self.world).ok().flatten().map(Box::new);
        let Some(patches) = self.patches.get_or_insert_with(make) else { return Vec::new() };
        self.kin.update(&self.world.model, &self.state.q);
        patches.at(&self.world, &self.kin)
    }

    /// Adds a force [N], in W, at a point of `body` [m, in W], for the next step only.
    pub fn apply_force(&mut self, body: usize, point: Vec3, force: Vec3) {
        let model = &self.world.model;
        self.kin.update(model, &self.state.q);
        let r = point - self.kin.reference[model.bodies[body].tree];
        for dof in model.chain(Some(body)) {
            self.input.generalized[dof] += self.kin.S[dof].linear_at(r).dot(force);
        }
    }

    /// Controls of the actuators, kept from step to step.
    pub fn control_mut(&mut self) -> &mut [f64] {
        &mut self.input.control
    }

    /// Generalized forces for the next step only.
    pub fn generalized_mut(&mut self) -> &mut [f64] {
        &mut self.input.generalized
    }

    /// Replaces the state; contacts start cold, and forces that were given for the next step are forgotten.
    pub fn set_state(&mut self, state: State) -> Result<(), StateError> {
        state.validate(&self.world.model)?;
        self.state = state;
        self.input.generalized.fill(0.0);
        self.driver.earlier.clear();
        self.driver.forget();
        self.solver.forget();
        Ok(())
    }

    /// Goes on with its state, controls and settings in a world of as many coordinates and actuators; contacts start cold.
    pub fn go_on_in(&mut self, world: impl Into<Arc<World>>) -> Result<(), SetupError> {
        let world = with_drive_limits(world.into());
        self.state.validate(&world.model)?;
        validate_transmissions(&world)?;
        check_turning(self.solver.as_ref(), &self.settings, &world)?;
        let stepper = make_stepper(&world, self.settings.stepper.clone())?;
        self.driver = Driver::new(&world, stepper, &self.settings.stepper);
        self.solver.forget();
        self.velocities.clear();
        self.input.control.resize(world.actuators.len(), 0.0);
        self.input.generalized.fill(0.0);
        (self.kin, self.vel) = (Kinematics::new(&world.model), Velocities::new(&world.model));
        (self.at_rest, self.patches) = (CertificatesAtRest::new(world.model.trees), None);
        (self.fingerprint, self.world) = (OnceLock::new(), world);
        Ok(())
    }

    /// Everything that decides how this goes on from here, see [`crate::snapshot`]. The solver forgets what
    /// it remembers beyond that, as one does into which the snapshot is put back.
    pub fn snapshot(&mut self) -> Snapshot {
        self.solver.forget();
        let mut memory = Memory::default();
        self.driver.memory_into(&mut memory);
        let certificates = self.at_rest.numbers(&self.driver.islands.island);
        Snapshot {
            version: snapshot::VERSION,
            world: self.fingerprint(),
            settings: snapshot::fingerprint_of_settings(&self.settings),
            t: Bits(vec![self.state.t]),
            q: Bits(self.state.q.clone()),
            v: Bits(self.state.v.clone()),
            control: Bits(self.input.control.clone()),
            generalized: Bits(self.input.generalized.clone()),
            memory,
            certificates: certificates.iter().map(|x| Bits(x.to_vec())).collect(),
        }
    }

    /// Goes on from a snapshot of the same world and settings; on an error everything stays as it was.
    pub fn restore(&mut self, from: &Snapshot) -> Result<(), SnapshotError> {
        if from.version != snapshot::VERSION {
            return Err(SnapshotError::Version { found: from.version });
        }
        if from.world != self.fingerprint() {
            return Err(SnapshotError::Other { what: "world" });
        }
        if from.settings != snapshot::fingerprint_of_settings(&self.settings) {
            return Err(SnapshotError::Other { what: "solver, tolerance or step" });
        }
        let damaged = |what| SnapshotError::Damaged { what };
        let [t] = from.t.0[..] else { return Err(damaged("there is not one time")) };
        let state = State { t, q: from.q.0.clone(), v: from.v.0.clone() };
        state.validate(&self.world.model)?;
        let Input { control, generalized } = &self.input;
        if [from.control.0.len(), from.generalized.0.len()] != [control.len(), generalized.len()] {
            return Err(damaged("there are not as many inputs as in this world"));
        }
        let memory = &from.memory;
        if memory.saturated.len() != self.world.actuators.len() {
            return Err(damaged("there are not as many servos as in this world"));
        }
        let islands = memory.asleep_with.iter().enumerate().filter(|(t, i)| **i == Some(*t)).count();
        let certificates: Option<Vec<_>> =
            from.certificates.iter().map(|x| (&x.0[..]).try_into().ok()).collect();
        let fits = |c: &Vec<_>| c.len() == islands && self.driver.may_restore(memory);
        let Some(certificates) = certificates.filter(fits) else { return Err(damaged("who sleeps")) };
        self.state = state;
        self.input.control.copy_from_slice(&from.control.0);
        self.input.generalized.copy_from_slice(&from.generalized.0);
        self.solver.forget();
        self.driver.restore(&self.world, &self.state, &self.input, memory);
        self.at_rest.set_numbers(&self.driver, &certificates);
        Ok(())
    }

    /// Everything that decides the future, to go back to within this simulation.
    pub(crate) fn moment(&self) -> Moment {
        let mut memory = Memory::default();
        self.driver.memory_into(&mut memory);
        let certificates = self.at_rest.numbers(&self.driver.islands.island);
        Moment { state: self.state.clone(), input: self.input.clone(), memory, certificates }
    }

    /// Goes back to a moment of this simulation.
    pub(crate) fn go_back(&mut self, to: &Moment) {
        self.state.clone_from(&to.state);
        self.input.clone_from(&to.input);
        self.solver.forget();
        self.driver.restore(&self.world, &self.state, &self.input, &to.memory);
        self.at_rest.set_numbers(&self.driver, &to.certificates);
    }

    /// The stepper's name.
    pub(crate) fn stepper_name(&self) -> &'static str {
        self.driver.name()
    }

    fn fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| snapshot::fingerprint_of_world(&self.world))
    }

    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, to be shared.
    pub fn shared_world(&self) -> Arc<World> {
        Arc::clone(&self.world)
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The contact model by name: the solver's, or the stepper's where that brings its own contact law.
    pub fn contact_model(&self) -> &str {
        let method = self.settings.stepper.method;
        if method == StepperName::default() { self.solver.name() } else { method.as_str() }
    }

    /// Who solves contacts, by name: the contact solver, or the stepper where its contact law is its own.
    pub fn contacts_by(&self) -> &str {
        let stepper = &self.settings.stepper;
        if stepper.takes_solver() { self.solver.name() } else { stepper.method.as_str() }
    }

    /// Solves contacts with `solver` from now on, cold; for solvers that are in no registry.
    pub fn use_solver(&mut self, mut solver: Box<dyn ContactSolver>) -> Result<(), SetupError> {
        if let (Some(geometry), false) = (turning(&self.world), solver.takes_patches()) {
            return Err(SetupError::Turning { solver: solver.name().to_owned(), geometry });
        }
        solver.use_threads(self.settings.threads);
        self.driver.forget();
        self.solver = solver;
        Ok(())
    }

    /// The solver in use.
    pub fn solver(&self) -> &dyn ContactSolver {
        self.solver.as_ref()
    }

    /// The constraint problem of the last step, without what slept.
    pub fn problem(&self) -> &ConstraintProblem {
        &self.driver.posed().problem
    }

    /// The same, with the key and the biases of every block.
    pub fn posed(&self) -> &Posed {
        self.driver.posed()
    }

    /// Its impulses [N·s].
    pub fn impulses(&self) -> &[f64] {
        self.driver.impulses()
    }

    /// The last step as a derivative reads it, if it was accepted and the stepper keeps that.
    pub fn accepted(&self) -> Option<Accepted<'_>> {
        self.driver.stepper().accepted()
    }

    /// The stepper without its driver, to do the last step again.
    pub(crate) fn again(&mut self) -> Again<'_> {
        let Self { world, driver, solver, .. } = self;
        let (core, parts) = driver.of_last_step();
        Again { world, core, solver: solver.as_mut(), parts }
    }

    /// Whether the last step had an instant of impacts, or was parted.
    pub(crate) fn was_parted(&self) -> bool {
        self.driver.parts.len() > 1
    }

    /// The derivative of the last step, which went from `before`, by the stepper's own equations.
    pub(crate) fn slopes(&mut self, before: &Moment, h: f64) -> Result<Slopes, NoSlopes> {
        let world = Arc::clone(&self.world);
        let part = Part::whole(&world, &before.input, h);
        self.driver.stepper_mut().slopes(&part, &before.state)
    }

    /// Lets `correction` change contact impulses in every step between solving and applying them; `None`
    /// takes it away. False if the stepper has no such place.
    pub fn correct_contacts(&mut self, correction: Option<Box<dyn ContactCorrection>>) -> bool {
        self.driver.stepper_mut().extend(Extension::ContactCorrection(correction))
    }

    /// Adds a producer of contact points beside the narrow phase. False if the stepper has no such place.
    pub fn add_contact_source(&mut self, source: Box<dyn ContactSource>) -> bool {
        self.driver.stepper_mut().extend(Extension::ContactSource(source))
    }
}

/// A geometry whose contacts resist spinning or rolling.
fn turning(world: &World) -> Option<String> {
    let mut turns = world.geometries.iter().filter(|g| g.material.dimension > Dimension::Sliding);
    // Of one without a name its link says where it is.
    let called = turns.next().map(|g| match g.link.and_then(|l| world.model.links.get(l)) {
        Some(link) if g.name.is_empty() => format!("a geometry of {}", link.name),
        _ => g.name.clone(),
    });
    let mut pairs = world.pairs.iter().filter(|p| p.surface.dimension > Dimension::Sliding);
    called.or_else(|| pairs.next().map(|p| p.name.clone()))
}

/// Refuses a solver that takes no contacts which resist turning, where a geometry has them.
fn check_turning(solver: &dyn ContactSolver, settings: &Settings, world: &World) -> Result<(), SetupError> {
    let refused = turning(world).filter(|_| !solver.takes_patches());
    refused.map_or(Ok(()), |geometry| Err(SetupError::Turning { solver: settings.contact.clone(), geometry }))
}

/// Couplings, tendons and actuators act on hinges and slides, of at most two trees; actuators that ask for
/// no length also on other joints.
pub(crate) fn validate_transmissions(world: &World) -> Result<(), SetupError> {
    let model = &world.model;
    let bends = world.couplings.iter().filter_map(|c| Some((&c.name, &c.curve.as_ref()?.terms)));
    let parts = (world.couplings.iter().map(|c| ("coupling", &c.name, &c.terms[..], true)))
        .chain(bends.map(|(name, terms)| ("coupling", name, &terms[..], true)))
        .chain(world.tendons.iter().map(|t| ("tendon", &t.name, t.terms(), true)))
        .chain(
            world
                .actuators
                .iter()
                .map(|a| ("actuator", &a.name, &a.transmission[..], a.law.bias_length != 0.0)),
        );
    for (what, name, terms, needs_length) in parts {
        let mut trees: Vec<usize> = Vec::new();
        for &(dof, _) in terms {
            let joint = &model.joints[model.dofs[dof].joint];
            if needs_length && joint.kind.nq() != 1 {
                let (name, joint) = (name.clone(), joint.name.clone());
                return Err(SetupError::NotScalar { what, name, joint });
            }
            let tree = model.bodies[model.dofs[dof].body].tree;
            if !trees.contains(&tree) {
                trees.push(tree);
            }
        }
        if trees.len() > 2 {
            return Err(SetupError::TooManyTrees { what, name: name.clone() });
        }
    }
    Ok(())
}

impl StepReport {
    /// The cause, if the step was not accepted.
    pub fn failure(&self) -> Option<&str> {
        match &self.status {
            StepStatus::Failed(cause) => Some(cause),
            _ => None,
        }
    }
}
