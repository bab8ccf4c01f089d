//! Parameters of time stepping.

use crate::canon_params::{self as canon, CanonParams};
use crate::catalogue::{SolvedBy, StepperName, TakesNoSolver};
use serde::{Deserialize, Serialize};
use stiction_assembly::RowParams;
use stiction_assembly::laws::restitution;
use stiction_dynamics::spatial::Vec3;
#[cfg(feature = "nmdp")]
use stiction_nmdp::{NmdpParams, OutOfRange};

/// Defaults suit metre-sized robots at millisecond steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StepperParams {
    /// The stepper, one of [`crate::steppers`].
    pub method: StepperName,
    /// Time step h [s]; typical 0.0005 … 0.005.
    pub dt: f64,
    /// Share of a position error (overlap beyond the slop, error of a coupling or loop) removed per step, 0 … 1 [–]. Larger
    /// heals faster. Linkages that nothing touches close in two steps. Overlaps are taken out of the positions alone and never
    /// change a velocity.
    pub baumgarte: f64,
    /// Overlap left alone [m], so that resting contacts do not flicker.
    pub slop: f64,
    /// Position errors are undone no faster than this, and nor do bodies move for it [m/s].
    pub push_out_speed: f64,
    /// Distance at which a contact enters the problem even if nothing moves [m].
    pub margin: f64,
    /// Approach speed below which nothing bounces [m/s]; never less than 2 g h.
    pub restitution_threshold: f64,
    /// In which order contacts bounce.
    pub impacts: ImpactLaw,
    /// Instants of a step at which impacts of contacts with e > 0 are solved, at most; what would bounce after the last does so at
    /// once with the rest of the step. Each costs about as much as a step. 0: all impacts of a step at once.
    pub impact_instants: u32,
    /// Steps are parted at landings without restitution and where slip turns back: four times at once, and then once
    /// in so many steps. More of these are taken in the whole step, at first order. Each costs as much
    /// as three steps or more. 0: never.
    pub landing_interval: u32,
    /// A part of a step that leads to a landing ends at a gap or overlap of no more than this, unless four attempts do not get there
    /// [m or rad].
    pub landing_tolerance: f64,
    /// Sweep two bodies that move farther past each other in a step than they are thick, so that none passes through another
    /// however fast (see [`stiction_assembly::swept`]). Half-spaces are never passed through. A step in which one meets something is
    /// solved in parts; contacts, problem and certificate are those of the last. Two triangle meshes are swept only where one asks
    /// for it ([`stiction_world::Geometry::continuous`]); so is everything in batches.
    pub continuous: bool,
    /// A step that fails, does not converge or makes energy that nothing explains is done again in 2, 4, … 2ⁿ parts, n at most this; the report says in how
    /// many. 0: never. Up to 2ⁿ⁺² times the work, of such steps only. Problem and certificate are those of the last
    /// part.
    pub adaptive: u32,
    /// A step in which a tree of joints makes energy that nothing explains, and faster than at this rate, is flagged: relative to
    /// its kinetic energy before and after, and its weight times its size [1/s]. [`f64::MAX`]: it is not asked.
    pub energy_tolerance: f64,
    /// Trees that go by a method of higher order where no constraint acts upon them.
    pub higher_order: HigherOrder,
    /// Whether islands at rest sleep; where there are no robots they do of themselves.
    pub sleep: Sleep,
    /// Parameters that the NMDP steppers alone read.
    #[cfg(feature = "nmdp")]
    pub nmdp: NmdpParams,
    /// Parameters that the steppers of the canon alone read: `moreau` and those after it.
    pub canon: CanonParams,
}

/// When islands at rest sleep: nothing of them is computed until something touches them or acts on them. State and
/// contacts stay as they are, and the certificate of the step in which they fell asleep stands. An island of trees with
/// actuators, tendons, loops, couplings, dry friction or carried weight never sleeps; nor do compliant laws let any
/// sleep, nor batches ([`crate::batch`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sleep {
    /// Where there are free bodies alone, no robots.
    #[default]
    Auto,
    On,
    Off,
}

/// The law of restitution where several contacts bounce at one instant. Both are Newton's, e of the approach of each contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImpactLaw {
    /// All that touch at once, as one problem.
    #[default]
    AtOnce,
    /// Pairs of bodies one after another, the fastest approach first, as in Newton's cradle; the contacts of a pair at once.
    Sequential,
}

/// Trees of joints that go by a method of higher order in a step in which no constraint acts upon them: Runge–Kutta of order
/// five, or a Rosenbrock method of order two where springs, dampers or servos are stiff, with error estimates. Two to six
/// evaluations of forward dynamics a step. Trees with tendons, loops, couplings, dry friction or carried weight never
/// do, free bodies alone need not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HigherOrder {
    /// All, with servos or without. In batches, whose lanes do not know this, as `Passive`.
    #[default]
    Always,
    /// Trees without servos alone; others go by the rules of trees that are touched, of order one or two.
    Passive,
}

impl Default for StepperParams {
    fn default() -> Self {
        Self {
            method: StepperName::default(),
            dt: 1e-3,
            baumgarte: 0.2,
            slop: 1e-5,
            push_out_speed: 1.0,
            margin: 1e-3,
            restitution_threshold: 0.01,
            impacts: ImpactLaw::default(),
            impact_instants: 16,
            landing_interval: 16,
            landing_tolerance: 1e-8,
            continuous: true,
            adaptive: 0,
            energy_tolerance: 5.0,
            higher_order: HigherOrder::default(),
            sleep: Sleep::default(),
            #[cfg(feature = "nmdp")]
            nmdp: NmdpParams::default(),
            canon: CanonParams::default(),
        }
    }
}

/// A parameter outside its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("stepper parameter `{name}` is {value}; expected {expected}")]
pub struct StepperParamError {
    pub name: &'static str,
    pub value: f64,
    pub expected: &'static str,
}

impl StepperParams {
    /// True if the contact solver that the user chooses solves contacts; else the contact law is the stepper's own.
    pub fn takes_solver(&self) -> bool {
        let contacts = match self.method.contacts() {
            SolvedBy::InnerStepper => StepperName::of(&self.canon.adaptive.inner).map(StepperName::contacts),
            contacts => Ok(contacts),
        };
        contacts != Ok(SolvedBy::Stepper)
    }

    /// An error where `solver` is asked for in vain.
    pub fn check_takes(&self, solver: &str) -> Result<(), TakesNoSolver> {
        let error = || TakesNoSolver { stepper: self.method, solver: solver.to_owned() };
        if self.takes_solver() { Ok(()) } else { Err(error()) }
    }

    /// The numbers of the rows of a step of h [s], which may be a part of `dt`: position errors are undone as fast as by the
    /// whole.
    pub(crate) fn rows(&self, h: f64, gravity: &Vec3) -> RowParams {
        RowParams {
            h,
            margin: self.margin,
            slop: self.slop,
            correction: self.baumgarte * (h / self.dt).min(1.0),
            correction_speed: self.push_out_speed,
            bouncing_speed: self.bouncing_speed(h.max(self.dt), gravity),
            coarseness: 1.0,
        }
    }

    /// The tolerance of the contact solver [m/s], where `asked` is asked for: steppers that control their error need it for theirs.
    pub(crate) fn solver_tolerance(&self, asked: f64) -> f64 {
        match self.method.as_str() {
            "adaptive" => self.canon.adaptive.solver_tolerance(asked, self.dt),
            _ => asked,
        }
    }

    /// Approach speed below which nothing bounces [m/s].
    pub(crate) fn bouncing_speed(&self, h: f64, gravity: &Vec3) -> f64 {
        restitution::bouncing_speed(self.restitution_threshold, h, gravity.norm())
    }

    #[cfg(feature = "nmdp")]
    fn validate_nmdp(&self) -> Result<(), StepperParamError> {
        let of_nmdp =
            |e: OutOfRange| StepperParamError { name: e.name, value: e.value, expected: e.expected };
        self.nmdp.validate().map_err(of_nmdp)?;
        if self.nmdp.differences != 1 && self.method.as_str().starts_with("pbd-") {
            let (name, value) = ("nmdp.differences", f64::from(self.nmdp.differences));
            return Err(StepperParamError {
                name,
                value,
                expected: "1: displaced points know backward Euler alone; ne-nmdp-pgm and ne-nmdp-zopgm take 2",
            });
        }
        Ok(())
    }

    /// Checks every range.
    pub fn validate(&self) -> Result<(), StepperParamError> {
        #[cfg(feature = "nmdp")]
        self.validate_nmdp()?;
        let of_canon =
            |e: canon::OutOfRange| StepperParamError { name: e.name, value: e.value, expected: e.expected };
        self.canon.validate().map_err(of_canon)?;
        let check = |name, value: f64, ok: bool, expected| {
            if ok && value.is_finite() { Ok(()) } else { Err(StepperParamError { name, value, expected }) }
        };
        check("dt", self.dt, self.dt > 0.0 && self.dt <= 1.0, "a step in (0, 1] s")?;
        check("baumgarte", self.baumgarte, (0.0..=1.0).contains(&self.baumgarte), "a share in [0, 1]")?;
        check("slop", self.slop, self.slop >= 0.0, "a length >= 0 [m]")?;
        check("push_out_speed", self.push_out_speed, self.push_out_speed > 0.0, "a speed > 0 [m/s]")?;
        check("margin", self.margin, self.margin >= 0.0, "a length >= 0 [m]")?;
        check("adaptive", f64::from(self.adaptive), self.adaptive <= 10, "halvings, at most 10")?;
        let instants = self.impact_instants;
        check("impact_instants", f64::from(instants), instants <= 60, "at most 60 instants")?;
        let interval = self.landing_interval;
        check("landing_interval", f64::from(interval), interval <= 1_000_000, "at most a million steps")?;
        let near = self.landing_tolerance;
        check("landing_tolerance", near, near > 0.0 && near <= 1e-6, "a length > 0 and at most 1e-6 m [m]")?;
        let rate = self.energy_tolerance;
        check("energy_tolerance", rate, rate >= 0.0, "a rate >= 0 [1/s]")?;
        let threshold = self.restitution_threshold;
        check("restitution_threshold", threshold, threshold >= 0.0, "a speed >= 0 [m/s]")
    }
}
