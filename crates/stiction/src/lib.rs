//! Robot simulation with contacts you can trust: exact frictional contact, certified at every step.
//!
//! ```text
//!     World, State ── Simulation::step ──▶ State⁺, StepReport, Certificate
//! ```
//!
//! A box slides over a plane until friction has stopped it, and every step is judged:
//!
//! ```
//! use stiction::collision::Shape;
//! use stiction::dynamics::spatial::{Pose, Vec3, vec3};
//! use stiction::world::Material;
//! use stiction::{Composer, FreeBody, Settings, Simulation, UNCOLOURED};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let mut scene = Composer::new("sliding box", vec3(0.0, 0.0, -9.81))?;
//!     let surface = Material { friction: 0.3, ..Material::default() };
//!     scene.fixed("ground", Shape::Plane, Pose::IDENTITY, surface, UNCOLOURED)?;
//!     let shape = Shape::Box { half: vec3(0.1, 0.1, 0.1) };
//!     let still = FreeBody::new("box", shape, 1.0, Pose::from_translation(vec3(0.0, 0.0, 0.1)));
//!     scene.body(FreeBody { material: surface, velocity: Vec3::X, ..still })?;
//!     let (world, state) = scene.finish();
//!     let mut simulation = Simulation::new(world, state, Settings::default())?;
//!     while simulation.state().t < 0.5 {
//!         simulation.step();
//!         assert!(simulation.certificate().natural_map < 2e-8); // m/s; zero: the exact contact law
//!     }
//!     let slid = simulation.state().q[0];
//!     assert!((slid - 1.0 / (2.0 * 0.3 * 9.81)).abs() <= 5e-4); // v²/(2 μ g), to v h/2
//!     Ok(())
//! }
//! ```
//!
//! # The nouns
//!
//! | noun | is |
//! |---|---|
//! | [`World`](world::World) | what does not change during a run: a tree of bodies and joints, geometries and their materials, actuators, couplings, loops; the name of every part, and a [ledger](world::Ledger) of what its file says that is not simulated |
//! | [`Composer`] | puts a world together: ground, free bodies, whole robots at chosen poses |
//! | [`State`] | what changes: time in seconds, configuration q, velocity v; how joints are counted is in `CONVENTIONS.md` |
//! | [`Settings`] | contact solver by name, its tolerance [m/s], threads, and the parameters of time stepping ([`StepperParams`]), the step h in seconds among them |
//! | [`Simulation`] | a world, a state and settings; [`step`](Simulation::step) advances by h or leaves the state as it was |
//! | [`StepReport`] | how a step ended ([`StepStatus`]), iterations, contacts, deepest overlap |
//! | [`Certificate`](contact::Certificate) | how far the impulses of the step are from the exact contact law, computed from the contact problem and the impulses alone; its natural map [m/s] is zero if and only if they satisfy it |
//! | [`Batch`](batch::Batch) | many environments of one world side by side, in lanes of `f64` or `f32` and on threads |
//! | [`Recorder`] | keeps frames of a simulation, to be shown or written |
//!
//! # A robot of one's own
//!
//! URDF, SDF and MJCF files become worlds by [`models::load`]:
//!
//! ```no_run
//! use std::path::Path;
//! use stiction::dynamics::spatial::{Pose, vec3};
//! use stiction::models::{LoadOptions, load};
//! use stiction::{Composer, Settings, Simulation, State};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let options = LoadOptions { free_base: true, ..LoadOptions::default() };
//!     let robot = load(Path::new("robot.urdf"), &options)?; // or .sdf, or .xml (MJCF)
//!     let posture = State::neutral(&robot.model);
//!     let mut scene = Composer::new("mine", vec3(0.0, 0.0, -9.81))?;
//!     scene.robot(robot, &posture, Pose::from_translation(vec3(0.0, 0.0, 0.5)), "");
//!     let (world, state) = scene.finish();
//!     let mut simulation = Simulation::new(world, state, Settings::default())?;
//!     simulation.control_mut().fill(0.0); // one number per actuator, kept from step to step
//!     println!("{:?}", simulation.step().status);
//!     Ok(())
//! }
//! ```
//!
//! Controls are set by [`Simulation::control_mut`], forces by [`Simulation::apply_force`] and
//! [`Simulation::generalized_mut`]; contact forces are read by [`Simulation::contacts_into`], efforts of actuators by
//! [`Simulation::efforts_into`]. [`Simulation::snapshot`] keeps everything that decides the future, bit for bit.
//!
//! # Other contact laws
//!
//! `Settings { contact: "mujoco".to_owned(), .. }` simulates with another law or solver; [`solvers::registry::all`] lists
//! them. Every step is judged by the exact law all the same, and by its own law in [`Simulation::own_natural_map`].
//!
//! # Where to look
//!
//! | to | see |
//! |---|---|
//! | run programs that check their results | `examples/` of this crate: `sliding_box`, `own_robot`, `batch` |
//! | compute dynamics without contacts (mass matrix, inverse dynamics, derivatives) | [`dynamics`] |
//! | ask for distances, rays, manifolds | [`collision`] |
//! | pose, solve and judge a contact problem without a robot | [`contact`], [`solvers`] |
//! | read, check and write robot files | [`models`] |
//!
//! Conventions (units, frames, the order of coordinates, symbols) are on one page, `CONVENTIONS.md`; the way of a step
//! through the crates is in `ARCHITECTURE.md`. The same input gives the same bits, for any number of threads.

// Capitals carry meaning: X_WB is a pose, J a Jacobian.
#![allow(non_snake_case)]

pub mod batch;
mod canon_params;
mod catalogue;
mod compose;
mod energy_ledger;
mod free_memory;
mod input;
mod linearization;
mod mechanism;
mod params;
mod patches;
pub mod random;
mod recorder;
pub mod recording;
mod remedy;
mod report;
mod settings;
mod simulation;
mod snapshot;
mod state;
pub mod stepping;

pub use canon_params::{
    AdaptiveParams, CanonParams, CompliantParams, EventDrivenParams, Friction, MoreauParams, OdeMethod,
    RestitutionLaw, ThetaForces, TodorovParams,
};
pub use catalogue::{SolvedBy, StepperEntry, StepperName, Steps, TakesNoSolver, UnknownStepper, steppers};
pub use compose::{ComposeError, Composer, FreeBody, UNCOLOURED};
pub use energy_ledger::EnergyLedger;
pub use free_memory::{NoMemory, check_memory, check_square, free_bytes};
pub use input::Input;
pub use linearization::{
    Linearization, LinearizationError, LinearizationNote, LinearizationParams, Parameter, RolloutError,
    RolloutGradient,
};
pub use params::{HigherOrder, ImpactLaw, Sleep, StepperParamError, StepperParams};
pub use recorder::{Recorder, frame_of, scene_of};
pub use remedy::Remedy;
pub use report::{Answers, CERTIFIED, Cause, StepExtra, StepReport, StepStatus};
pub use settings::Settings;
pub use simulation::{ContactState, Energy, SetupError, Simulation};
pub use snapshot::{Snapshot, SnapshotError};
pub use state::{State, StateError};
pub use stepping::{ContactCorrection, CorrectableContact, Memory, Quadrature, Stepper, TimeStepping};
pub use stiction_assembly::{ContactPoint, Spring};

pub use stiction_assembly as assembly;
pub use stiction_collision as collision;
pub use stiction_contact as contact;
pub use stiction_dynamics as dynamics;
pub use stiction_models as models;
#[cfg(feature = "nmdp")]
pub use stiction_nmdp as nmdp;
pub use stiction_solvers as solvers;
pub use stiction_world as world;
