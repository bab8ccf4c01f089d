//! The steppers of the canon by name.

use super::adaptive::Adaptive;
use super::compliant::Compliant;
use super::event_driven::EventDriven;
use super::method::{MethodStepper, Published};
use super::theta::{Anitescu, Moreau, StewartTrinkle, Theta, Todorov};
use super::unsupported::UnsupportedByCanon;
use super::variational::Variational;
use crate::params::StepperParams;
use crate::stepping::Stepper;
use stiction_models::World;

/// A stepper that was made, or why it was not.
type Made = Result<Box<dyn Stepper>, UnsupportedByCanon>;

/// Makes a stepper.
type Make = fn(&World, StepperParams) -> Made;

/// The methods, by the names of their entries.
const METHODS: [(&str, Make); 7] = [
    entry::<Theta<Moreau>>(),
    entry::<Theta<StewartTrinkle>>(),
    entry::<Theta<Anitescu>>(),
    entry::<Theta<Todorov>>(),
    entry::<Compliant>(),
    entry::<EventDriven>(),
    entry::<Variational>(),
];

/// Steppers around which `adaptive` can control the error.
const INNER: &str = "moreau, stewart-trinkle, anitescu, todorov, variational";

/// Share of the accuracy up to which the gap of a contact counts as closed under `adaptive` [–].
const TOUCH: f64 = 0.1;

const fn entry<M: Published>() -> (&'static str, Make) {
    (M::ENTRY.name, |world, params| Ok(Box::new(MethodStepper::<M>::new(world, params)?)))
}

/// The stepper called `name`; `None` if the canon has no such.
pub(crate) fn make(world: &World, name: &str, params: &StepperParams) -> Option<Made> {
    if name == "adaptive" {
        return Some(make_adaptive(world, params));
    }
    let (_, make) = METHODS.iter().find(|(known, _)| *known == name)?;
    Some(make(world, params.clone()))
}

/// `adaptive` around the stepper that its parameters name.
fn make_adaptive(world: &World, params: &StepperParams) -> Made {
    let (mut params, adaptive) = (params.clone(), params.canon.adaptive.clone());
    let canon = &mut params.canon;
    canon.tolerance = canon.adaptive.solver_tolerance(canon.tolerance);
    canon.moreau.touch = canon.moreau.touch.max(TOUCH * canon.adaptive.accuracy);
    let name = &adaptive.inner[..];
    let order = if name == "variational" || name == "moreau" && canon.moreau.theta == 0.5 { 2 } else { 1 };
    let known = INNER.split(", ").any(|known| known == name);
    match known.then(|| make(world, name, &params)).flatten() {
        Some(inner) => Ok(Box::new(Adaptive::new(world, (inner?, order), adaptive)?)),
        None => Err(UnsupportedByCanon::Inner { name: adaptive.inner, available: INNER }),
    }
}
