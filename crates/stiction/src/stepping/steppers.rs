//! The registry of steppers.

use super::Stepper;
use super::around::Inner;
use super::around::sleeping::Sleeping;
use super::time_stepping::TimeStepping;
use crate::params::StepperParams;
use stiction_collision::ShapeError;
use stiction_models::World;

/// One stepper of the registry.
#[derive(Clone, Copy, Debug)]
pub struct StepperEntry {
    /// Name in files, on the command line and in tables.
    pub name: &'static str,
    /// One line: the rule.
    pub summary: &'static str,
    /// Order of accuracy in h, in words.
    pub order: &'static str,
    /// Keys of REFERENCES.bib.
    pub source: &'static str,
    make: fn(&World, StepperParams) -> Result<Box<dyn Inner>, ShapeError>,
}

/// Why a stepper cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum StepperError {
    #[error("there is no stepper `{name}`; there are: {}", names())]
    Unknown { name: String },
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

const STEPPERS: [StepperEntry; 1] = [StepperEntry {
    name: "time-stepping",
    summary: "velocity-level time stepping: contacts, limits and loops as one constraint problem a step",
    order: "2 of driven robots and linkages, 5 in flight, exact of free bodies; 1 where something is hit, slides or rolls",
    source: "Moreau1988, CashKarp1990",
    make: |world, params| Ok(Box::new(TimeStepping::new(world, params)?)),
}];

/// All steppers, the default first.
pub fn steppers() -> &'static [StepperEntry] {
    &STEPPERS
}

/// The stepper called `name`, for `world`; the parameters must be valid.
pub(crate) fn make_inner(
    name: &str,
    world: &World,
    params: StepperParams,
) -> Result<Box<dyn Inner>, StepperError> {
    let entry = STEPPERS.iter().find(|e| e.name == name);
    let entry = entry.ok_or_else(|| StepperError::Unknown { name: name.to_owned() })?;
    Ok((entry.make)(world, params)?)
}

/// The stepper called `name`, for `world`, with the decorators that `params` asks for (sleep, halving, stopping at impacts);
/// the parameters must be valid.
pub fn make(name: &str, world: &World, params: StepperParams) -> Result<Box<dyn Stepper>, StepperError> {
    let inner = make_inner(name, world, params)?;
    Ok(Box::new(Sleeping::new(world, inner, &params)))
}

fn names() -> String {
    STEPPERS.iter().map(|e| e.name).collect::<Vec<_>>().join(", ")
}
