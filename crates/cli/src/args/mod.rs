//! What the command line understands. The texts here are its manual.

mod laboratory;
#[cfg(feature = "full")]
mod learn;
mod numbers;

#[cfg(feature = "full")]
pub(crate) use laboratory::{ExperimentArgs, ShrinkArgs, StressArgs};
pub(crate) use laboratory::{SolveArgs, SolversArgs};
#[cfg(feature = "full")]
pub(crate) use learn::{
    BeliefArgs, CassieArgs, ChainArgs, DiceArgs, DropArgs, EllipseArgs, IdentifyArgs, LearnArgs,
    LearnCommand, PosteriorArgs, PropagateArgs, SoleArgs, TossArgs,
};

use clap::{Args, Parser, Subcommand, ValueEnum};
pub(crate) use numbers::{CameraPlace, JointValue};
use numbers::{not_negative, positive};
use std::net::IpAddr;
use std::path::PathBuf;
use stiction::Sleep;
use stiction::models::LoadOptions;
use stiction::models::check::Severity;
use stiction::solvers::Effort;
use stiction_lab::dump::When;
use stiction_problem_files::Format;
use stiction_scene::spec::MeshKind;

/// Robot simulation with contacts you can trust: exact frictional contact, certified at every step.
#[derive(Debug, Parser)]
#[command(name = "stiction", version, propagate_version = true, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  stiction run quadruped                          simulate our quadruped, write out/quadruped.html to look at
  stiction view quadruped                         the same live in your browser: pull it, steer it, change the solver
  stiction run robot.urdf --free-base --hold      your robot, standing in its posture on a plane
  stiction run scene.toml --contact raisim-ds     your scene, under another contact law
  stiction solvers ncp-pgs                        what can be set of a contact solver, with --contact-param KEY=VALUE
  stiction compare cube-slide --contact all       one scene, every contact solver
  stiction solve problem.json --solver all        a recorded contact problem
  stiction inspect robot.urdf                     the tree, masses, and what was not understood
  stiction convert world.sdf world.xml            the same world for MuJoCo, or as .urdf
  stiction convert problem.dat problem.hdf5       the same contact problem for FCLIB

Exit codes: 0 done; 1 a run, a solve or a claim failed; 2 the input was wrong; 130 interrupted (Ctrl-C), 143 by SIGTERM.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulate a scene or a robot and certify every step
    Run(RunArgs),
    /// Show a scene live in the browser: pull bodies, move joints, change the contact solver, set models side by side
    View(ViewArgs),
    /// Paint a run as pictures or as a video, without a browser
    Render(RenderArgs),
    /// Open a replay written by `run` or `compare`
    Replay(ReplayArgs),
    /// Simulate one scene with several contact solvers and set them side by side
    Compare(CompareArgs),
    /// Solve a recorded contact problem
    Solve(SolveArgs),
    /// Find the smallest part of a contact problem on which a solver still fails
    #[cfg(feature = "full")]
    Shrink(ShrinkArgs),
    /// Find the smallest part of a contact problem on which a solver still fails: only in the whole program, `--features full`
    #[cfg(not(feature = "full"))]
    #[command(disable_help_flag = true)]
    Shrink(AnyArgs),
    /// Show what a robot file holds, and its dynamics at one state
    Inspect(InspectArgs),
    /// Write a robot or a contact problem as a file of another format
    Convert(ConvertArgs),
    /// Find what silently ruins a simulation: impossible inertias, wrong units, overlaps, limits
    Check(CheckArgs),
    /// Repeat an experiment of the literature
    #[cfg(feature = "full")]
    Experiment(ExperimentArgs),
    /// Repeat an experiment of the literature: only in the whole program, `--features full`
    #[cfg(not(feature = "full"))]
    #[command(disable_help_flag = true)]
    Experiment(AnyArgs),
    /// Learn what contact laws cannot know from data: parameters, corrections of impulses, beliefs
    #[cfg(feature = "full")]
    Learn(LearnArgs),
    /// Learn what contact laws cannot know from data: only in the whole program, `--features full`
    #[cfg(not(feature = "full"))]
    #[command(disable_help_flag = true)]
    Learn(AnyArgs),
    /// Step random worlds and judge every step: does anything go wrong in silence?
    #[cfg(feature = "full")]
    Stress(StressArgs),
    /// Step random worlds and judge every step: does anything go wrong in silence? Only in the whole program, `--features full`
    #[cfg(not(feature = "full"))]
    #[command(disable_help_flag = true)]
    Stress(AnyArgs),
    /// List the built-in scenes
    Scenes(ListArgs),
    /// List the contact solvers and the laws they solve, or show the parameters of one
    Solvers(SolversArgs),
    /// List the steppers, and of what order they are
    Steppers(ListArgs),
}

/// The words of a command that is not built in.
#[cfg(not(feature = "full"))]
#[derive(Debug, Args)]
pub(crate) struct AnyArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _words: Vec<std::ffi::OsString>,
}

/// What is simulated, and what of it is changed for this run.
#[derive(Debug, Args)]
pub(crate) struct SceneArgs {
    /// A built-in scene (see `stiction scenes`), a scene file (.toml) or a robot (.urdf, .sdf, .xml)
    pub(crate) scene: String,
    /// Set a parameter of the contact solver (see `stiction solvers NAME`); may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) contact_param: Vec<String>,
    /// How much a step of the solver `auto` may cost; `stiction solvers auto` tells what its parameters do
    #[arg(long, value_name = "HOW_MUCH", value_enum)]
    pub(crate) effort: Option<EffortChoice>,
    /// Stepper (see `stiction steppers`); `compare` takes several, separated by commas, or `all`
    #[arg(long, value_name = "NAME")]
    pub(crate) stepper: Option<String>,
    /// Set a parameter of the stepper, a key of `[stepper]` in docs/scenes.md such as `nmdp.set`; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) stepper_param: Vec<String>,
    /// Time step [s]
    #[arg(long, value_name = "SECONDS", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) dt: Option<f64>,
    /// Simulated time [s]
    #[arg(long, value_name = "SECONDS", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) duration: Option<f64>,
    /// Residual at which the contact solver stops [m/s]
    #[arg(long, value_name = "M/S", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,
    /// Iterations the contact solver may spend in a step
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) max_iterations: Option<u32>,
    /// Threads a step may use, for many robots or piles at once: the same bits for any number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Islands at rest sleep until something touches them: `auto` where there are no robots
    #[arg(long, value_name = "WHEN", value_enum)]
    pub(crate) sleep: Option<SleepChoice>,
    /// MJCF: contacts that state no stiffness are rigid, or yield as the file says it for the law `mujoco`
    #[arg(long, value_name = "HOW", value_enum)]
    pub(crate) compliance: Option<ComplianceChoice>,
    /// Robot file: the base moves freely (URDF)
    #[arg(long)]
    pub(crate) free_base: bool,
    #[command(flatten)]
    pub(crate) files: FileArgs,
    /// Robot file: add the plane z = 0 (without: only under one robot with a free base whose file has no ground)
    #[arg(long)]
    pub(crate) ground: bool,
    /// Robot file: keep the starting posture with servos on joints that no actuator drives
    #[arg(long)]
    pub(crate) hold: bool,
    /// With --hold: stiffness of every servo [N·m/rad or N/m] (without: 10 Hz with what the joint carries)
    #[arg(long, value_name = "K", value_parser = positive, allow_negative_numbers = true, requires = "hold")]
    pub(crate) stiffness: Option<f64>,
    /// With --hold: damping of every servo [N·m·s/rad or N·s/m] (without: critical)
    #[arg(long, value_name = "D", value_parser = not_negative, allow_negative_numbers = true, requires = "hold")]
    pub(crate) damping: Option<f64>,
    /// Robot file: where a joint starts [rad or m], over the keyframe; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) joint: Vec<JointValue>,
    /// Robot file: keyframe to start from (without: `home`, `standing`, `stand` or `half_sitting`, else the first, else the neutral
    /// posture)
    #[arg(long, value_name = "NAME")]
    pub(crate) keyframe: Option<String>,
}

/// How contacts yield under laws that read springs.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ComplianceChoice {
    /// Rigid, where no stiffness is stated
    Rigid,
    /// Springs, as the solref and solimp of the file say it for the law `mujoco`
    File,
}

/// When islands sleep.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SleepChoice {
    Auto,
    On,
    Off,
}

/// How much a step may cost.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum EffortChoice {
    /// Large islands that are hit in every step end near the answer, early
    Fast,
    /// To the tolerance where islands are small or calm, within a bounded time elsewhere
    Balanced,
    /// To the tolerance, whatever it costs
    Exact,
}

impl From<EffortChoice> for Effort {
    fn from(choice: EffortChoice) -> Self {
        match choice {
            EffortChoice::Fast => Self::Fast,
            EffortChoice::Balanced => Self::Balanced,
            EffortChoice::Exact => Self::Exact,
        }
    }
}

impl From<SleepChoice> for Sleep {
    fn from(choice: SleepChoice) -> Self {
        match choice {
            SleepChoice::Auto => Self::Auto,
            SleepChoice::On => Self::On,
            SleepChoice::Off => Self::Off,
        }
    }
}

/// What a robot file needs beside it.
#[derive(Debug, Args)]
pub(crate) struct FileArgs {
    /// Robot file: a folder of packages or models, for package:// and model://; may be repeated
    #[arg(long, value_name = "DIR")]
    pub(crate) package_path: Vec<PathBuf>,
    /// URDF: the .srdf beside it, for pairs that never touch and postures
    #[arg(long, value_name = "FILE")]
    pub(crate) srdf: Option<PathBuf>,
    /// Robot file: what of its meshes touches
    #[arg(long, value_name = "WHAT", value_enum, default_value = "hull")]
    pub(crate) meshes: MeshChoice,
}

/// What of a mesh touches.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum MeshChoice {
    /// Its convex hull
    Hull,
    /// Convex parts; made once and remembered in ~/.cache/stiction
    Decompose,
    /// Every triangle
    Triangles,
}

impl From<MeshChoice> for MeshKind {
    fn from(choice: MeshChoice) -> Self {
        match choice {
            MeshChoice::Hull => Self::Hull,
            MeshChoice::Decompose => Self::Decompose,
            MeshChoice::Triangles => Self::Triangles,
        }
    }
}

impl FileArgs {
    /// How a robot file is read.
    pub(crate) fn load_options(&self, free_base: bool) -> LoadOptions {
        LoadOptions {
            free_base,
            package_dirs: self.package_path.clone(),
            srdf: self.srdf.clone(),
            meshes: MeshKind::from(self.meshes).into(),
            ..LoadOptions::default()
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  stiction run quadruped
  stiction run slope --duration 60 --json
  stiction run robot.xml --contact nsgs --tolerance 1e-10 --out trajectory.npz --replay robot.html

Without --out, --replay, --dump-problems or --json a replay goes to out/NAME.html; of a robot file NAME is its path, as in
out/go2-scene.xml.html. Ctrl-C ends the run and still writes its files.")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) scene: SceneArgs,
    /// Contact solver (see `stiction solvers`)
    #[arg(long, value_name = "NAME")]
    pub(crate) contact: Option<String>,
    /// Write state, energy and certificate of every step: .npz, .parquet or .csv
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write what the run looks like: a page for any browser, .html, or a recording for Foxglove and `replay`, .mcap
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// Write contact problems of the run to this folder, for `stiction solve` and `stiction shrink`
    #[arg(long, value_name = "DIR")]
    pub(crate) dump_problems: Option<PathBuf>,
    /// With --dump-problems: `worst` (by the certificate), `hardest` (most iterations), `not-converged`, or `every N` steps
    #[arg(long, value_name = "WHICH", default_value = "worst", requires = "dump_problems")]
    pub(crate) when: When,
    /// With --dump-problems: `json` (holds everything), `fclib`, `siconos` or `npz` (ContactBench)
    #[arg(long, value_name = "FORMAT", default_value = "json", requires = "dump_problems")]
    pub(crate) dump_format: Format,
    /// Print the summary as JSON, and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    /// Do not judge the steps
    #[arg(long)]
    pub(crate) no_certify: bool,
    /// Take so many steps before the run, which then starts anew: for times that the first touch of memory is not part of
    #[arg(long, value_name = "STEPS", default_value_t = 0)]
    pub(crate) warm_up: u64,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  stiction view quadruped
  stiction view robosimian-jump --stepper pbd-nmdp-pgm      ghosts of `ne-mdp` and others beside it, in the page
  stiction view robot.urdf --free-base --hold --contact raisim-ds
  stiction view stack --no-open --port 8080      on a server: forward the port, open the printed address

The address holds a secret token: who does not have it sees and drives nothing. The simulation rests while no page is
open.")]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    pub(crate) scene: SceneArgs,
    /// Contact solver to start with (see `stiction solvers`)
    #[arg(long, value_name = "NAME")]
    pub(crate) contact: Option<String>,
    #[command(flatten)]
    pub(crate) serve: ServeArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  stiction render quadruped --frames out/quadruped
  stiction render humanoid --video out/humanoid.mp4 --size 1280x720 --fps 30      needs ffmpeg
  stiction render quadruped --frames out/side --camera side --follow trunk
  stiction render ball --frames out/near --camera 1,-1,0.5,0,0,0.2                from, and at")]
pub(crate) struct RenderArgs {
    #[command(flatten)]
    pub(crate) scene: SceneArgs,
    /// Contact solver (see `stiction solvers`)
    #[arg(long, value_name = "NAME")]
    pub(crate) contact: Option<String>,
    /// Write every frame as DIR/00000.png and so on
    #[arg(long, value_name = "DIR", conflicts_with = "video")]
    pub(crate) frames: Option<PathBuf>,
    /// Write a video: .mp4 or another ending that ffmpeg knows
    #[arg(long, value_name = "FILE")]
    pub(crate) video: Option<PathBuf>,
    /// Frames a second
    #[arg(long, value_name = "N", default_value = "60", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) fps: f64,
    /// Pixels
    #[arg(long, value_name = "WxH", default_value = "960x540")]
    pub(crate) size: Size,
    /// From where: home, front, side or top of what moves, or the eye in world axes as X,Y,Z, with three more numbers for
    /// what it looks at [m]
    #[arg(long, value_name = "WHERE", allow_hyphen_values = true, conflicts_with = "browser")]
    pub(crate) camera: Option<CameraPlace>,
    /// Go along with this body
    #[arg(long, value_name = "BODY", conflicts_with = "browser")]
    pub(crate) follow: Option<String>,
    /// Let a headless Chromium ($CHROMIUM, or found by name) take the pictures: the page of `view`, with force arrows and
    /// friction cones; without a graphics card a second or so each
    #[arg(long)]
    pub(crate) browser: bool,
}

/// Of a picture [pixels]; even, as videos want it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Size {
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl std::str::FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sizes = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
        let fits = |n: usize| (16..=8192).contains(&n) && n.is_multiple_of(2);
        match sizes {
            Some((width, height)) if fits(width) && fits(height) => Ok(Self { width, height }),
            _ => Err(format!("`{text}`; expected WIDTHxHEIGHT, even numbers from 16 to 8192, as in 960x540")),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// A replay (.html), or a recording that stiction wrote (.mcap)
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) serve: ServeArgs,
}

/// Where a page is served.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Address to listen at; others than this machine's own let the network in, which needs the token still
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    pub(crate) host: IpAddr,
    /// Port to listen at; without: a free one
    #[arg(long, value_name = "N", default_value = "0", hide_default_value = true)]
    pub(crate) port: u16,
    /// Do not open a browser
    #[arg(long)]
    pub(crate) no_open: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  stiction compare cube-slide --contact all
  stiction compare cube-slide --stepper all                 one contact solver, every stepper that takes the scene
  stiction compare stack --contact nsgs,ccp-pgs --report out/stack.html
  stiction compare quadruped --contact all --replay out/quadruped.html")]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) scene: SceneArgs,
    /// Contact solvers, separated by commas, or `all`
    #[arg(long, value_name = "NAMES", default_value = "all")]
    pub(crate) contact: String,
    /// Write the table and a figure per quantity as one page: .html
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Write a replay of all runs, side by side or as ghosts in one place: .html
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// Print the summaries as JSON, and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  stiction inspect robot.urdf --free-base
  stiction inspect quadruped --keyframe home
  stiction inspect robot.xml --state state.json --json      state.json: {\"q\": [...], \"v\": [...]}")]
pub(crate) struct InspectArgs {
    /// A robot (.urdf, .sdf, .xml), or one of ours by name
    pub(crate) model: String,
    /// Look at this keyframe of the file (without: the neutral posture)
    #[arg(long, value_name = "NAME", conflicts_with = "state")]
    pub(crate) keyframe: Option<String>,
    /// Look at the state of this file: {"q": [...], "v": [...]}
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// URDF: the base moves freely
    #[arg(long)]
    pub(crate) free_base: bool,
    /// Say with which friction and restitution two shapes meet and why, and nothing else
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pub(crate) surface: Option<Vec<String>>,
    #[command(flatten)]
    pub(crate) files: FileArgs,
    /// Print tree, mass matrix, bias and energies as JSON, and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  stiction convert world.sdf world.xml
  stiction convert robot.xml robot.urdf --force
  stiction convert out/pile-000412.json pile.hdf5      a contact problem for FCLIB and Siconos

Meshes go to a folder beside OUT, named after it. What the format of OUT cannot say is printed.")]
pub(crate) struct ConvertArgs {
    /// A robot (.urdf, .sdf, .xml), one of ours by name, or a contact problem (.json, .hdf5, .h5, .dat, .npz)
    #[arg(value_name = "IN")]
    pub(crate) input: String,
    /// What is written: MJCF (.xml, .mjcf) or URDF (.urdf); of a problem our .json, FCLIB (.hdf5, .h5), Siconos (.dat) or
    /// ContactBench (.npz)
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Overwrite files that are there already
    #[arg(long)]
    pub(crate) force: bool,
    /// URDF: the base moves freely
    #[arg(long)]
    pub(crate) free_base: bool,
    #[command(flatten)]
    pub(crate) files: FileArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  stiction check robot.urdf
  stiction check models/ --deny warnings --allow shape-missing      every model below a folder, as for CI
  stiction check robot.urdf --fix mended.urdf                       a copy with what is safe to mend mended
  stiction check --rules                                            every rule, and what to do about it

--fix mends axes that are not of length 1, shapes of size 0, and moments of inertia that miss the triangle
inequality by rounding; never masses, limits, signs or names.

Exit codes: 0 nothing denied was found; 1 something was; 2 a file cannot be read.")]
pub(crate) struct CheckArgs {
    /// Robots (.urdf, .xml, .sdf), folders of them, or scenes (.toml), of which the models are checked
    #[arg(required_unless_present = "rules")]
    pub(crate) models: Vec<PathBuf>,
    /// From which severity on findings make the exit code 1
    #[arg(long, value_name = "SEVERITY", value_enum, default_value = "errors")]
    pub(crate) deny: Deny,
    /// Leave out the findings of this rule
    #[arg(long, value_name = "CODE")]
    pub(crate) allow: Vec<String>,
    /// Write a mended copy of the one file given, and say what was changed and what was left
    #[arg(long, value_name = "FILE")]
    pub(crate) fix: Option<PathBuf>,
    /// URDF: the base moves freely
    #[arg(long)]
    pub(crate) free_base: bool,
    #[command(flatten)]
    pub(crate) files: FileArgs,
    /// Show every finding, not only the first of each rule
    #[arg(long)]
    pub(crate) all: bool,
    /// List the rules
    #[arg(long)]
    pub(crate) rules: bool,
    /// Print JSON, and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

/// Least severity that is denied.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Deny {
    Errors,
    Warnings,
    Notes,
}

impl Deny {
    pub(crate) fn severity(self) -> Severity {
        match self {
            Self::Errors => Severity::Error,
            Self::Warnings => Severity::Warning,
            Self::Notes => Severity::Note,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Print JSON, and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
        assert!(positive("1e-3").is_ok() && positive("0").is_err() && positive("inf").is_err());
    }
}
