//! The steppers by name: how each entry of the catalogue is made.

use super::Stepper;
use super::canon::method::{MethodStepper, Published};
use super::canon::{Adaptive, Anitescu, Compliant, EventDriven, Moreau, StewartTrinkle, Theta, Todorov};
use super::canon::{UnsupportedByCanon, Variational};
use super::driver::Driver;
#[cfg(feature = "nmdp")]
use super::nmdp::NmdpMethod;
use super::time_stepping::TimeStepping;
use crate::catalogue::UnknownStepper;
use crate::params::StepperParams;
use stiction_collision::ShapeError;
#[cfg(feature = "nmdp")]
use stiction_nmdp::{ContactSets, Method, SetsError, UnsupportedWorld};
use stiction_world::World;

/// Why a stepper cannot be made for a world.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepperError {
    #[error(transparent)]
    Name(#[from] UnknownStepper),
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[cfg(feature = "nmdp")]
    #[error(transparent)]
    World(#[from] UnsupportedWorld),
    #[cfg(feature = "nmdp")]
    #[error(transparent)]
    Sets(#[from] SetsError),
    #[error(transparent)]
    Canon(#[from] UnsupportedByCanon),
}

/// A stepper that was made, or why it was not.
type Made = Result<Box<dyn Stepper>, StepperError>;

/// The name of a stepper, and how it is made.
type Named = (&'static str, fn(&World, StepperParams) -> Made);

/// A static, as the table of solvers: compiled here alone.
static STEPPERS: &[Named] = &[
    ("time-stepping", |world, params| Ok(Box::new(TimeStepping::new(world, params)?))),
    #[cfg(feature = "nmdp")]
    nmdp::<0>(),
    #[cfg(feature = "nmdp")]
    nmdp::<1>(),
    #[cfg(feature = "nmdp")]
    nmdp::<2>(),
    #[cfg(feature = "nmdp")]
    nmdp::<3>(),
    #[cfg(feature = "nmdp")]
    nmdp::<4>(),
    published::<Theta<Moreau>>(),
    published::<Theta<StewartTrinkle>>(),
    published::<Theta<Anitescu>>(),
    published::<Theta<Todorov>>(),
    published::<Compliant>(),
    published::<EventDriven>(),
    published::<Variational>(),
    ("adaptive", adaptive),
];

const fn published<M: Published>() -> Named {
    (M::ENTRY.name, |world, params| Ok(Box::new(MethodStepper::<M>::new(world, params)?)))
}

/// Method K of those by the principle of maximal dissipation.
#[cfg(feature = "nmdp")]
const fn nmdp<const K: usize>() -> Named {
    (Method::ALL[K].name(), |world, params| {
        let sets = ContactSets::load(&params.nmdp)?;
        Ok(Box::new(NmdpMethod::stepper(world, Method::ALL[K], params, sets)?))
    })
}

/// `adaptive` around the stepper that its parameters name.
fn adaptive(world: &World, mut params: StepperParams) -> Made {
    let adaptive = params.canon.adaptive.clone();
    let order = Adaptive::order_of_inner(&mut params)?;
    Ok(Box::new(Adaptive::new(world, (named(world, &adaptive.inner, params)?, order), adaptive)?))
}

fn named(world: &World, name: &str, params: StepperParams) -> Made {
    match STEPPERS.iter().find(|(known, _)| *known == name) {
        Some((_, make)) => make(world, params),
        None => Err(UnknownStepper { name: name.to_owned() }.into()),
    }
}

/// The stepper that `params` names, for `world`, without a driver; the parameters must be valid.
pub(crate) fn make_stepper(world: &World, params: StepperParams) -> Made {
    named(world, params.method.as_str(), params)
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
