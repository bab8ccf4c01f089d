//! Steppers by name.

use super::Stepper;
use super::canon::{self, UnsupportedByCanon};
use super::driver::Driver;
use super::nmdp::NmdpMethod;
use super::time_stepping::TimeStepping;
use crate::params::StepperParams;
use stiction_collision::ShapeError;
use stiction_models::World;
use stiction_nmdp::{ContactSets, Method, SetsError, UnsupportedWorld};

/// Why a stepper cannot be made for a world.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepperError {
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error(transparent)]
    World(#[from] UnsupportedWorld),
    #[error(transparent)]
    Sets(#[from] SetsError),
    #[error(transparent)]
    Canon(#[from] UnsupportedByCanon),
}

/// The stepper that `params` names, for `world`, without a driver; the parameters must be valid.
pub(crate) fn make_stepper(world: &World, params: StepperParams) -> Result<Box<dyn Stepper>, StepperError> {
    let name = params.method.as_str();
    if let Some(method) = Method::of(name) {
        let sets = ContactSets::load(&params.nmdp)?;
        return Ok(Box::new(NmdpMethod::stepper(world, method, params, sets)?));
    }
    if let Some(made) = canon::make(world, name, &params) {
        return Ok(made?);
    }
    match name {
        "time-stepping" => Ok(Box::new(TimeStepping::new(world, params)?)),
        name => unreachable!("`{name}` is in the catalogue, and nothing makes it"),
    }
}

/// The stepper that `params` names, for `world`, under a driver that halves, parts and lets sleep as they
/// say; the parameters must be valid.
pub fn make(world: &World, params: StepperParams) -> Result<Driver<dyn Stepper>, StepperError> {
    Ok(Driver::new(world, make_stepper(world, params.clone())?, &params))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{StepperName, steppers};

    /// Everything in the catalogue can be made, and goes by its name.
    #[test]
    fn the_catalogue_is_made() {
        let (world, _) =
            crate::Composer::new("empty", stiction_dynamics::spatial::Vec3::ZERO).unwrap().finish();
        for entry in steppers() {
            let params =
                StepperParams { method: StepperName::of(entry.name).unwrap(), ..StepperParams::default() };
            assert_eq!(make(&world, params).unwrap().name(), entry.name);
        }
        let error = StepperName::of("rk4").unwrap_err().to_string();
        assert!(error.contains("`rk4`; there are: time-stepping"), "{error}");
    }
}
