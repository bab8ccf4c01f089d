//! The catalogue of steppers: names, and what each is.

use serde::{Deserialize, Deserializer, Serialize};

/// One stepper of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepperEntry {
    /// Name in files, on the command line and in tables.
    pub name: &'static str,
    /// One line: the rule.
    pub summary: &'static str,
    /// Order of accuracy in h, in words.
    pub order: &'static str,
    /// Who chooses the steps that the motion is computed with.
    pub steps: Steps,
    /// Whether it takes a contact solver.
    pub contacts: SolvedBy,
    /// Keys of REFERENCES.bib.
    pub source: &'static str,
}

/// Who chooses steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// The user: errors fall with the step.
    Given,
    /// The stepper, within every step, by a tolerance on its error.
    Controlled,
}

/// Who solves the contacts of a stepper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolvedBy {
    /// The contact solver that the user chooses.
    ContactSolver,
    /// The stepper, whose contact law is its own.
    Stepper,
    /// The stepper it is around decides.
    InnerStepper,
}

/// A contact solver was asked for, and the stepper has a contact law of its own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the stepper `{stepper}` has a contact law of its own and takes no contact solver: leave `{solver}` out, or choose a stepper \
     that takes one: {}",
    that_take_solvers()
)]
pub struct TakesNoSolver {
    pub stepper: StepperName,
    pub solver: String,
}

/// There is no stepper of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no stepper `{name}`; there are: {}", names())]
pub struct UnknownStepper {
    pub name: String,
}

static STEPPERS: &[StepperEntry] = &[
    StepperEntry {
        name: "time-stepping",
        summary: "velocity-level time stepping: contacts, limits and loops as one constraint problem a step",
        order: "2, contacts, landings and bounces included; 5 in flight; 1 of contacts that yield and of landings beyond `landing_interval`",
        steps: Steps::Given,
        contacts: SolvedBy::ContactSolver,
        source: "Moreau1988, CashKarp1990",
    },
    #[cfg(feature = "nmdp")]
    StepperEntry {
        name: "ne-mdp",
        summary: "forces in sets that grow with depth, of least kinetic energy, under dynamics linearised at the start",
        order: "1",
        steps: Steps::Given,
        contacts: SolvedBy::Stepper,
        source: "Pan2021, DrumwrightShell2010",
    },
    #[cfg(feature = "nmdp")]
    StepperEntry {
        name: "ne-nmdp-pgm",
        summary: "backward Euler with such forces at the end of the step, by projected gradients",
        order: "1",
        steps: Steps::Given,
        contacts: SolvedBy::Stepper,
        source: "Pan2021",
    },
    #[cfg(feature = "nmdp")]
    StepperEntry {
        name: "ne-nmdp-zopgm",
        summary: "the same without derivatives of the sets",
        order: "1",
        steps: Steps::Given,
        contacts: SolvedBy::Stepper,
        source: "Pan2021",
    },
    #[cfg(feature = "nmdp")]
    StepperEntry {
        name: "pbd-nmdp-pgm",
        summary: "the same on points of the bodies, position-based dynamics",
        order: "1",
        steps: Steps::Given,
        contacts: SolvedBy::Stepper,
        source: "Pan2021, PanManocha2018",
    },
    #[cfg(feature = "nmdp")]
    StepperEntry {
        name: "pbd-nmdp-zopgm",
        summary: "the same on points of the bodies, without derivatives of the sets",
        order: "1",
        steps: Steps::Given,
        contacts: SolvedBy::Stepper,
        source: "Pan2021, PanManocha2018",
    },
    StepperEntry {
        name: "moreau",
        summary: "the theta method on velocities with Newton's impact law; overlaps stay",
        order: "2 at theta = 1/2 where nothing is hit, else 1",
        steps: Steps::Given,
        contacts: SolvedBy::ContactSolver,
        source: "Moreau1988, Jean1999",
    },
    StepperEntry {
        name: "stewart-trinkle",
        summary: "semi-implicit Euler with the linear complementarity problem of polygonal friction; nothing bounces",
        order: "1",
        steps: Steps::Given,
        contacts: SolvedBy::Stepper,
        source: "StewartTrinkle1996",
    },
    StepperEntry {
        name: "anitescu",
        summary: "the convex relaxation of the same; what slides rises",
        order: "1",
        steps: Steps::Given,
        contacts: SolvedBy::Stepper,
        source: "Anitescu2006",
    },
    StepperEntry {
        name: "todorov",
        summary: "its regularised dual with stabilised contact velocities and implicit damping inertia; contacts yield",
        order: "1",
        steps: Steps::Given,
        contacts: SolvedBy::Stepper,
        source: "Todorov2014",
    },
    StepperEntry {
        name: "compliant",
        summary: "contacts as springs and dampers, an ordinary differential equation with error control",
        order: "5, with contacts that change as accurate as its tolerance",
        steps: Steps::Controlled,
        contacts: SolvedBy::Stepper,
        source: "HuntCrossley1975, DormandPrince1980, HairerWanner1996",
    },
    StepperEntry {
        name: "event-driven",
        summary: "smooth motion in modes of contact between events, which are found as roots; impacts reset velocities",
        order: "5",
        steps: Steps::Controlled,
        contacts: SolvedBy::Stepper,
        source: "DormandPrince1980",
    },
    StepperEntry {
        name: "variational",
        summary: "the midpoint rule of discrete mechanics, impacts between steps; symplectic",
        order: "2, 1 where something is hit",
        steps: Steps::Given,
        contacts: SolvedBy::ContactSolver,
        source: "MarsdenWest2001",
    },
    StepperEntry {
        name: "adaptive",
        summary: "another stepper with its error controlled by doubling steps, hard contact included",
        order: "that of the other",
        steps: Steps::Controlled,
        contacts: SolvedBy::InnerStepper,
        source: "CENIC2025",
    },
];

/// The entry of the stepper `name`, for constants: a name that is in no entry is an error of the compiler.
pub(crate) const fn entry(name: &str) -> &'static StepperEntry {
    let mut k = 0;
    while k < STEPPERS.len() {
        if equal(STEPPERS[k].name.as_bytes(), name.as_bytes()) {
            return &STEPPERS[k];
        }
        k += 1;
    }
    panic!("the catalogue has no entry of that name")
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut k = 0;
    while k < a.len() && k < b.len() && a[k] == b[k] {
        k += 1;
    }
    k == a.len() && k == b.len()
}

/// All steppers, the default first.
pub fn steppers() -> &'static [StepperEntry] {
    STEPPERS
}

/// The name of a stepper of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct StepperName(&'static str);

impl StepperName {
    /// The stepper called `name`.
    pub fn of(name: &str) -> Result<Self, UnknownStepper> {
        let entry = STEPPERS.iter().find(|e| e.name == name);
        entry.map(|e| Self(e.name)).ok_or_else(|| UnknownStepper { name: name.to_owned() })
    }

    /// Whether it takes a contact solver.
    pub fn contacts(self) -> SolvedBy {
        STEPPERS.iter().find(|e| e.name == self.0).map_or(SolvedBy::ContactSolver, |e| e.contacts)
    }

    /// In files, on the command line and in tables.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

/// The first of the catalogue.
impl Default for StepperName {
    fn default() -> Self {
        Self(STEPPERS[0].name)
    }
}

impl<'de> Deserialize<'de> for StepperName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::of(&name).map_err(serde::de::Error::custom)
    }
}

impl std::fmt::Display for StepperName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

fn that_take_solvers() -> String {
    let takes = STEPPERS.iter().filter(|e| e.contacts == SolvedBy::ContactSolver);
    takes.map(|e| e.name).collect::<Vec<_>>().join(", ")
}

fn names() -> String {
    STEPPERS.iter().map(|e| e.name).collect::<Vec<_>>().join(", ")
}
