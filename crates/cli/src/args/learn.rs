//! Arguments of `stiction learn`.

use super::SceneArgs;
use super::numbers::positive;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct LearnArgs {
    #[command(subcommand)]
    pub(crate) what: LearnCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LearnCommand {
    /// Fit models to drops of a die between plates and judge them by other drops
    Dice(DiceArgs),
    /// Find the distribution of the scene's parameters from drops, by Metropolis and Hastings' chains
    Posterior(PosteriorArgs),
    /// Propagate a belief over the state of a drop from contact to contact, and count what is measured beside it
    Belief(BeliefArgs),
    /// Propagate a belief over the state of any scene from contact to contact
    Propagate(Box<PropagateArgs>),
    /// Fit laws and learners to single impacts of an ellipse and judge them by the velocities after others
    Ellipse(EllipseArgs),
    /// Fit friction, restitution, size and inertia of a cube to whole tosses and judge them by other tosses
    Cube(TossArgs),
    /// Fit the same of two boxes on a hinge, and the hinge's friction
    Elbow(TossArgs),
    /// Fit friction and compliance of the ground to landings of the biped Cassie and judge them by other landings
    Cassie(CassieArgs),
    /// Find parameters of any scene that explain measured trajectories, and their distribution
    Identify(Box<IdentifyArgs>),
    /// Learn the contact set of a round sole in sand, for the NMDP steppers, from a finer one
    Sole(SoleArgs),
}

/// Options that all of these commands have.
#[derive(Debug, Args)]
pub(crate) struct CommonArgs {
    /// Seed of random numbers: the same one gives the same results
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Print JSON, and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

/// The drops, and how work on them goes on.
#[derive(Debug, Args)]
pub(crate) struct DropArgs {
    /// Folder of dice_measured_*.csv and, if there are any, dice_pybullet_*.csv
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Numbers of the drops to fit to, such as 1-300,350
    #[arg(long, value_name = "NUMBERS", default_value = "1-400")]
    pub(crate) train: String,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// Keep what was fitted in this folder, and go on from what is there
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  stiction learn dice --data DIR --train 1-300 --test 301-400
  stiction learn dice --data DIR --train 1-400 --test 401-500 --json
  stiction learn dice --data DIR --train 1-400 --splits 5 --sizes 5,25,100,300 --out out/dice   learning curves")]
pub(crate) struct DiceArgs {
    #[command(flatten)]
    pub(crate) drops: DropArgs,
    /// Numbers of the drops to judge by; without: those of --train that --splits leaves out
    #[arg(long, value_name = "NUMBERS")]
    pub(crate) test: Option<String>,
    /// Split the drops of --train anew so often, a quarter of them to judge by
    #[arg(long, value_name = "N", conflicts_with = "test", value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) splits: Option<u16>,
    /// With --splits: how many drops to fit to, several separated by commas; without: all that are left
    #[arg(long, value_name = "COUNTS", requires = "splits", value_delimiter = ',')]
    pub(crate) sizes: Vec<usize>,
    /// Models, separated by commas; `list` shows them
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) models: Vec<String>,
    /// Trajectories of an ensemble
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(2..=10_000))]
    pub(crate) members: u16,
    /// Speed below which a corrected impulse sticks [m/s]; 0 switches it off
    #[arg(long, value_name = "M/S", default_value_t = 0.05)]
    pub(crate) stick_below: f64,
    /// Number that is made least when networks are trained on whole trajectories: the `energy-score` of ensembles, or the expected
    /// `error`, equation 5 of the paper
    #[arg(long, value_name = "NAME", default_value = "energy-score", value_parser = ["energy-score", "error"])]
    pub(crate) objective: String,
    /// With --splits: draw RMSE over the number of drops: FILE.svg and FILE-dark.svg; FILE.png or FILE.pdf: that one too
    #[arg(long, value_name = "FILE", requires = "splits")]
    pub(crate) figure: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  stiction learn posterior --data DIR                                 friction and restitution of the published scene
  stiction learn posterior --data DIR --proposal-variance 0.05        the same with the published proposal
  stiction learn posterior --data DIR --scene arena --parameters friction,restitution,wall_restitution")]
pub(crate) struct PosteriorArgs {
    #[command(flatten)]
    pub(crate) drops: DropArgs,
    /// Parameters of the scene, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "friction,restitution")]
    pub(crate) parameters: Vec<String>,
    /// `paper`: level ground and nothing else; `arena`: with wall, plates and the age of the first velocity
    #[arg(long, value_name = "SCENE", default_value = "paper", value_parser = ["paper", "arena"])]
    pub(crate) scene: String,
    #[command(flatten)]
    pub(crate) chains: ChainArgs,
    /// With --json: the samples too
    #[arg(long, requires = "json")]
    pub(crate) samples_too: bool,
    /// Draw the samples of the first two parameters: FILE.svg and FILE-dark.svg; FILE.png or FILE.pdf: that one too
    #[arg(long, value_name = "FILE")]
    pub(crate) figure: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  stiction learn cassie --data data/cassie_impact --robot data/robots/cassie_mjcf/scene.xml --json")]
pub(crate) struct CassieArgs {
    /// Folder of cassie_impact_*.csv
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// MJCF model of Cassie with a floor; without: robots/cassie_mjcf/scene.xml beside the folder of the data
    #[arg(long, value_name = "FILE")]
    pub(crate) robot: Option<PathBuf>,
    /// Landings to fit to; the others judge
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub(crate) train: usize,
    /// Random choices of the landings to fit to
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) splits: u16,
    /// Generations of a search
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) generations: u16,
    /// Step [s]
    #[arg(long, value_name = "SECONDS", default_value_t = 5e-4)]
    pub(crate) dt: f64,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Metropolis and Hastings' chains.
#[derive(Debug, Args)]
pub(crate) struct ChainArgs {
    /// Samples of a chain
    #[arg(long, value_name = "N", default_value_t = 3000)]
    pub(crate) samples: usize,
    /// Samples at the start of a chain that are left out
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) burn_in: usize,
    /// Variance of a proposal that stays the same (published: 0.05); without, it is adapted during burn-in
    #[arg(long, value_name = "V")]
    pub(crate) proposal_variance: Option<f64>,
    /// Chains
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) chains: u16,
    /// Temperatures of every chain, 1, 2, 4, …: with hotter companions it crosses between the peaks of a rugged distribution
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=12))]
    pub(crate) temperatures: u16,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  stiction run ball.toml --out seen.csv
  stiction learn identify ball.toml --data seen.csv --parameter ground.restitution=0..1 --parameter ball.mass=0.1..2
  stiction learn identify ball.toml --data seen.csv --parameter list                     the names of this scene")]
pub(crate) struct IdentifyArgs {
    #[command(flatten)]
    pub(crate) scene: SceneArgs,
    /// Contact solver (see `stiction solvers`)
    #[arg(long, value_name = "NAME")]
    pub(crate) contact: Option<String>,
    /// Measured trajectory, .csv or .npz: the column `t [s]` and such columns of positions and velocities as `run --out` writes; may be
    /// repeated
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) data: Vec<PathBuf>,
    /// Where trajectories start: in the state of the scene, or in their first row, which then says all coordinates
    #[arg(long, value_name = "WHERE", default_value = "scene", value_parser = ["scene", "data"])]
    pub(crate) start: String,
    /// A parameter and where it is looked for; may be repeated; `list` shows the names
    #[arg(long, value_name = "NAME=LOW..HIGH", required = true)]
    pub(crate) parameter: Vec<String>,
    /// Standard deviation of the noise of every column, in its unit; without, it is found, unit by unit
    #[arg(long, value_name = "SIGMA")]
    pub(crate) noise: Option<f64>,
    /// Generations of a search for the most likely values, at most
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) generations: u16,
    /// Searches that follow the first, each with twice the points of the one before
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(0..=10))]
    pub(crate) restarts: u16,
    #[command(flatten)]
    pub(crate) chains: ChainArgs,
    /// The most likely values alone, without their distribution
    #[arg(long)]
    pub(crate) no_posterior: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// Keep the chains in this folder, and go on from what is there
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// With --json: the samples too
    #[arg(long, requires = "json")]
    pub(crate) samples_too: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  stiction learn belief --data DIR --train 1-300 --drop 310 --figure out/belief")]
pub(crate) struct BeliefArgs {
    #[command(flatten)]
    pub(crate) drops: DropArgs,
    /// Number of the drop that is predicted; not one of --train
    #[arg(long, value_name = "N")]
    pub(crate) drop: u32,
    /// Contacts to go through
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=20))]
    pub(crate) contacts: u16,
    /// Samples of every step
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) samples: u16,
    /// The learner (see `stiction learn dice --models list`)
    #[arg(long, value_name = "NAME", default_value = "constant-impulse")]
    pub(crate) model: String,
    /// Draw the measured path and the samples at the contacts: FILE.svg and FILE-dark.svg; FILE.png or FILE.pdf: that one too
    #[arg(long, value_name = "FILE")]
    pub(crate) figure: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  stiction learn propagate ball.toml --velocity-deviation 0.02 --contacts 3
  stiction learn propagate robot.xml --impulse-deviation 0.1 --samples 500 --json
  stiction learn propagate ball.toml --residual fitted.json                what a learner says of each impact")]
pub(crate) struct PropagateArgs {
    #[command(flatten)]
    pub(crate) scene: SceneArgs,
    /// Contact solver (see `stiction solvers`)
    #[arg(long, value_name = "NAME")]
    pub(crate) contact: Option<String>,
    /// Standard deviation of every position at the start [m, rad]
    #[arg(long, value_name = "SIGMA", default_value_t = 0.0)]
    pub(crate) position_deviation: f64,
    /// Standard deviation of every velocity at the start [m/s, rad/s]
    #[arg(long, value_name = "SIGMA", default_value_t = 0.0)]
    pub(crate) velocity_deviation: f64,
    /// Standard deviation of the impulse of a contact that is hit, over the impulse that stops its approach [-]
    #[arg(long, value_name = "SIGMA", default_value_t = 0.1)]
    pub(crate) impulse_deviation: f64,
    /// Take means and deviations of impulses from this fitted model (`ContactResidual.save` in Python)
    #[arg(long, value_name = "FILE", conflicts_with = "impulse_deviation")]
    pub(crate) residual: Option<PathBuf>,
    /// Contact events to go through
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) contacts: u16,
    /// Samples of every step
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(2..=10_000))]
    pub(crate) samples: u16,
    /// Time after which a sample without a contact event is taken as it is [s]
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    pub(crate) horizon: f64,
    /// Speed of approach from which a contact is hit [m/s]
    #[arg(long, value_name = "M/S", default_value_t = 0.05)]
    pub(crate) approach: f64,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  stiction learn ellipse --data DIR --splits 5")]
pub(crate) struct EllipseArgs {
    /// Folder of ellipse_impacts_*.csv and, if there are any, ellipse_models_*.csv
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Impacts to fit to; the others judge
    #[arg(long, value_name = "N", default_value_t = 900)]
    pub(crate) train: usize,
    /// Random choices of the impacts to fit to
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) splits: u16,
    /// Find the distribution of friction and restitution instead, and the share of impacts that the law explains
    #[arg(long)]
    pub(crate) posterior: bool,
    /// With --posterior: draw it: FILE.svg and FILE-dark.svg; FILE.png or FILE.pdf: that one too
    #[arg(long, value_name = "FILE", requires = "posterior")]
    pub(crate) figure: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  stiction learn cube --data data/cube_toss --splits 3 --json
  stiction learn elbow --data data/elbow_toss --generations 60")]
pub(crate) struct TossArgs {
    /// Folder of cube_toss_*.csv or elbow_toss_*.csv
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Tosses to fit to; the others judge
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub(crate) train: usize,
    /// Random choices of the tosses to fit to
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) splits: u16,
    /// First frames of a toss that are fitted to; all frames judge
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = clap::value_parser!(u16).range(2..=10_000))]
    pub(crate) frames: u16,
    /// Generations of the search
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) generations: u16,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  stiction learn sole --radius 0.05 --out sole.json
  stiction run sand --stepper-param nmdp.sets.foot_fl=learned --stepper-param nmdp.learned=sole.json")]
pub(crate) struct SoleArgs {
    /// The file, which `nmdp.learned` of a scene names
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Radius of the sole [m]
    #[arg(long, value_name = "METRES", default_value_t = 0.05)]
    pub(crate) radius: f64,
    /// Strength of the sand, as `nmdp.granular.strength` [N/m³]
    #[arg(long, value_name = "N/M3", default_value_t = 5e5, value_parser = positive)]
    pub(crate) strength: f64,
    /// Rings of elements of the finer set
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u8).range(1..=50))]
    pub(crate) rings: u8,
    /// Azimuths of its motions
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u8).range(3..=64))]
    pub(crate) azimuths: u8,
    /// Deepest sample [m]
    #[arg(long, value_name = "METRES", default_value_t = 0.06)]
    pub(crate) depth: f64,
    /// Steepest sample: the sine of the tilt [–]
    #[arg(long, value_name = "SINE", default_value_t = 0.5)]
    pub(crate) tilt: f64,
    /// Samples along the depth, and along the tilt in two directions
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u8).range(3..=41))]
    pub(crate) samples: u8,
    /// Print JSON, and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}
