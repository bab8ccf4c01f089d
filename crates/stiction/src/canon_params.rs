//! Parameters of the steppers of the canon.

use serde::{Deserialize, Serialize};

/// Numbers of `moreau`, `stewart-trinkle`, `anitescu` and `todorov`. Each reads the table of its own name beside `facets` and
/// `tolerance`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CanonParams {
    /// Corners of the polygons that stand for friction discs in `stewart-trinkle` and `anitescu`, an even number; 4 … 64 [–].
    pub facets: u32,
    /// The contact problems that steppers solve by a method of their own are solved to this natural map [m/s].
    pub tolerance: f64,
    /// Numbers of `moreau`.
    pub moreau: MoreauParams,
    /// Numbers of `todorov`.
    pub todorov: TodorovParams,
    /// Numbers of `compliant`.
    pub compliant: CompliantParams,
    /// Numbers of `event-driven`.
    pub event_driven: EventDrivenParams,
    /// Numbers of `adaptive`.
    pub adaptive: AdaptiveParams,
}

impl Default for CanonParams {
    fn default() -> Self {
        Self {
            facets: 8,
            tolerance: 1e-10,
            moreau: MoreauParams::default(),
            todorov: TodorovParams::default(),
            compliant: CompliantParams::default(),
            event_driven: EventDrivenParams::default(),
            adaptive: AdaptiveParams::default(),
        }
    }
}

/// Numbers of Moreau and Jean's method.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MoreauParams {
    /// Share θ of the end of the step in forces and velocities, ½ … 1 [–]: ½ is of second order where nothing is hit, 1 damps.
    pub theta: f64,
    /// A contact takes part where φ + γ h φ̇ ≤ 0: the share γ of the step that gaps are looked ahead for, 0 … 1 [–].
    pub gamma: f64,
    /// A contact that is nearer than this takes part as one that touches [m]: it holds what rounding or a drift of positions lifts.
    pub touch: f64,
    /// Where inertia and forces of a step are taken.
    pub forces: ThetaForces,
    /// Newton iterations on the nonlinear forces of a step, at most; 1 is the linearly implicit method [–].
    pub newton: u32,
    /// Newton's restitution of the velocity along the surface, −1 … 1 [–].
    pub tangential_restitution: f64,
}

impl Default for MoreauParams {
    fn default() -> Self {
        Self {
            theta: 0.5,
            gamma: 0.5,
            touch: 1e-12,
            forces: ThetaForces::default(),
            newton: 10,
            tangential_restitution: 0.0,
        }
    }
}

/// Where the θ-method takes inertia and forces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThetaForces {
    /// At the share θ of the step, both.
    #[default]
    Midpoint,
    /// Forces by the shares θ and 1 − θ at both ends, the mass matrix of the end.
    Ends,
}

/// Numbers of Todorov's step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TodorovParams {
    /// Implicit damping inertia b, as a share of the diagonal of the mass matrix, ≥ 0 [–].
    pub damping_inertia: f64,
    /// Impulse regularisation ε > 0, the share of the diagonal of A that is added to it [–].
    pub regularization: f64,
    /// Error-reduction time constant κ > 0 [s].
    pub time_constant: f64,
    /// Contacts take part up to this gap [m]. At zero no force acts at a distance.
    pub margin: f64,
}

impl Default for TodorovParams {
    fn default() -> Self {
        Self { damping_inertia: 0.0, regularization: 0.01, time_constant: 0.02, margin: 0.0 }
    }
}

/// Numbers of springs, dampers and regularised friction, and of their integration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CompliantParams {
    /// k of f = k δ^p (1 + d δ̇), where surfaces state none [N/m^p].
    pub stiffness: f64,
    /// p: 1 is a linear spring, 1.5 Hertz's [–].
    pub exponent: f64,
    /// Hunt and Crossley's d, where surfaces state no stiffness [s/m].
    pub dissipation: f64,
    /// How friction grows from zero at rest.
    pub friction: Friction,
    /// Slip at which friction is at its largest [m/s]. What is held creeps at a part of it.
    pub slip_speed: f64,
    /// Static over dynamic friction, ≥ 1 [–].
    pub static_ratio: f64,
    /// The method of integration: `implicit` where contacts are stiff.
    pub method: OdeMethod,
    /// Error of an internal step, relative to positions about the start of the step and to velocities [–].
    pub relative_tolerance: f64,
    /// The least that it is held to [m, rad, m/s or rad/s].
    pub absolute_tolerance: f64,
}

impl Default for CompliantParams {
    fn default() -> Self {
        Self {
            stiffness: 1e5,
            exponent: 1.0,
            dissipation: 1.0,
            friction: Friction::default(),
            slip_speed: 1e-3,
            static_ratio: 1.0,
            method: OdeMethod::Implicit,
            relative_tolerance: 1e-6,
            absolute_tolerance: 1e-8,
        }
    }
}

/// A method of integration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OdeMethod {
    /// Dormand and Prince's method of order 5.
    #[default]
    Explicit,
    /// Radau IIA of order 5.
    Implicit,
}

/// How regularised friction depends on the slip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Friction {
    /// Straight lines.
    Piecewise,
    /// Stribeck's curve of polynomials of the fifth degree.
    #[default]
    Stribeck,
}

/// Numbers of modes and events.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EventDrivenParams {
    /// By which law bodies part after an impact.
    pub restitution: RestitutionLaw,
    /// Parts into which `stronge` divides the compression of an impact [–].
    pub impulse_parts: u32,
    /// Contacts that approach slower than this do not bounce, so that bouncing ends [m/s].
    pub rest_speed: f64,
    /// Error of an internal step, relative to positions about the start of the step and to velocities [–].
    pub relative_tolerance: f64,
    /// The least that it is held to [m, rad, m/s or rad/s].
    pub absolute_tolerance: f64,
    /// Events within one step, at most.
    pub most_events: u32,
}

impl Default for EventDrivenParams {
    fn default() -> Self {
        Self {
            restitution: RestitutionLaw::default(),
            impulse_parts: 200,
            rest_speed: 1e-3,
            relative_tolerance: 1e-9,
            absolute_tolerance: 1e-11,
            most_events: 1000,
        }
    }
}

/// A law of restitution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RestitutionLaw {
    /// Normal velocities after and before are in the ratio −e, all contacts at once.
    #[default]
    Newton,
    /// Normal impulses of expansion and compression are in the ratio e.
    Poisson,
    /// Normal works of expansion and compression are in the ratio −e²; friction follows Coulomb's law within the impact.
    Stronge,
}

/// Numbers of error control around another stepper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdaptiveParams {
    /// The stepper around which errors are controlled.
    pub inner: String,
    /// The error that a motion gathers over `horizon`, of positions, and of velocities times `horizon` [m or rad].
    pub accuracy: f64,
    /// The time over which errors gather: the length of the motion that is to be accurate [s].
    pub horizon: f64,
    /// Steps are divided down to this share of the whole [–].
    pub least: f64,
    /// Parts of one step that may be tried, at most; a step that needs more fails.
    pub most_parts: u32,
}

impl Default for AdaptiveParams {
    fn default() -> Self {
        Self { inner: "moreau".to_owned(), accuracy: 1e-5, horizon: 1.0, least: 1e-10, most_parts: 200_000 }
    }
}

impl AdaptiveParams {
    /// The tolerance of contact solvers [m/s] that goes with the accuracy in parts as long as steps of `dt` [s], at most
    /// `asked`.
    pub(crate) fn solver_tolerance(&self, asked: f64, dt: f64) -> f64 {
        asked.min(1e-3 * self.accuracy * (dt / self.horizon).min(1.0))
    }
}

/// A parameter outside its range: its name, value, and the range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OutOfRange {
    pub(crate) name: &'static str,
    pub(crate) value: f64,
    pub(crate) expected: &'static str,
}

impl CanonParams {
    /// Checks every range.
    pub(crate) fn validate(&self) -> Result<(), OutOfRange> {
        let check = |name, value: f64, ok: bool, expected| {
            if ok && value.is_finite() { Ok(()) } else { Err(OutOfRange { name, value, expected }) }
        };
        let facets = self.facets;
        let even = (4..=64).contains(&facets) && facets.is_multiple_of(2);
        check("canon.facets", f64::from(facets), even, "an even number of corners, 4 to 64")?;
        check("canon.tolerance", self.tolerance, self.tolerance > 0.0, "a speed > 0 [m/s]")?;
        let MoreauParams { theta, gamma, touch, forces: _, newton, tangential_restitution: e } = self.moreau;
        check("canon.moreau.touch", touch, touch >= 0.0, "a length >= 0 [m]")?;
        check("canon.moreau.theta", theta, (0.5..=1.0).contains(&theta), "a share in [0.5, 1]")?;
        check("canon.moreau.gamma", gamma, (0.0..=1.0).contains(&gamma), "a share in [0, 1]")?;
        check("canon.moreau.newton", f64::from(newton), (1..=50).contains(&newton), "1 to 50 iterations")?;
        let name = "canon.moreau.tangential_restitution";
        check(name, e, (-1.0..=1.0).contains(&e), "a number in [-1, 1]")?;
        let TodorovParams { damping_inertia, regularization, time_constant, margin } = self.todorov;
        check("canon.todorov.damping_inertia", damping_inertia, damping_inertia >= 0.0, "a share >= 0")?;
        check("canon.todorov.regularization", regularization, regularization > 0.0, "a share > 0")?;
        check("canon.todorov.time_constant", time_constant, time_constant > 0.0, "a time > 0 [s]")?;
        check("canon.todorov.margin", margin, margin >= 0.0, "a length >= 0 [m]")?;
        let c = &self.compliant;
        check("canon.compliant.stiffness", c.stiffness, c.stiffness > 0.0, "a stiffness > 0")?;
        let exponent = (1.0..=3.0).contains(&c.exponent);
        check("canon.compliant.exponent", c.exponent, exponent, "an exponent in [1, 3]")?;
        check("canon.compliant.dissipation", c.dissipation, c.dissipation >= 0.0, "a number >= 0 [s/m]")?;
        check("canon.compliant.slip_speed", c.slip_speed, c.slip_speed > 0.0, "a speed > 0 [m/s]")?;
        check("canon.compliant.static_ratio", c.static_ratio, c.static_ratio >= 1.0, "a ratio >= 1")?;
        let (relative, absolute) = (c.relative_tolerance, c.absolute_tolerance);
        let small = relative > 0.0 && relative <= 0.1;
        check("canon.compliant.relative_tolerance", relative, small, "a share in (0, 0.1]")?;
        check("canon.compliant.absolute_tolerance", absolute, absolute > 0.0, "a number > 0")?;
        let EventDrivenParams {
            restitution: _,
            impulse_parts,
            rest_speed,
            relative_tolerance: relative,
            absolute_tolerance: absolute,
            most_events,
        } = self.event_driven;
        check("canon.event_driven.rest_speed", rest_speed, rest_speed > 0.0, "a speed > 0 [m/s]")?;
        let small = relative > 0.0 && relative <= 0.1;
        check("canon.event_driven.relative_tolerance", relative, small, "a share in (0, 0.1]")?;
        check("canon.event_driven.absolute_tolerance", absolute, absolute > 0.0, "a number > 0")?;
        let name = "canon.event_driven.impulse_parts";
        check(name, f64::from(impulse_parts), (4..=100_000).contains(&impulse_parts), "4 to 100000 parts")?;
        check("canon.event_driven.most_events", f64::from(most_events), most_events > 0, "at least 1")?;
        let AdaptiveParams { inner: _, accuracy, horizon, least, most_parts } = self.adaptive;
        check("canon.adaptive.accuracy", accuracy, accuracy > 0.0, "a number > 0")?;
        check("canon.adaptive.horizon", horizon, horizon > 0.0, "a time > 0 [s]")?;
        check("canon.adaptive.most_parts", f64::from(most_parts), most_parts > 0, "at least 1")?;
        check("canon.adaptive.least", least, least > 0.0 && least <= 0.5, "a share in (0, 0.5]")
    }
}
