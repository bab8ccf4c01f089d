//! The steppers of the canon by name.

use super::adaptive::Adaptive;
use super::compliant::Compliant;
use super::contact_law::ContactLaw;
use super::event_driven::EventDriven;
use super::theta::ThetaStepper;
use super::unsupported::UnsupportedByCanon;
use super::variational::Variational;
use crate::params::StepperParams;
use crate::stepping::Stepper;
use stiction_models::World;

/// Steppers around which `adaptive` can control the error.
const INNER: &str = "moreau, stewart-trinkle, anitescu, todorov, variational";

/// Share of the accuracy up to which the gap of a contact counts as closed under `adaptive` [–].
const TOUCH: f64 = 0.1;

/// The stepper called `name`; `None` if the canon has no such.
pub(crate) fn make(
    world: &World,
    name: &str,
    params: &StepperParams,
) -> Option<Result<Box<dyn Stepper>, UnsupportedByCanon>> {
    let params = params.clone();
    let made: Result<Box<dyn Stepper>, _> = match (ContactLaw::of(name), name) {
        (Some(law), _) => ThetaStepper::new(world, law, params).map(|s| Box::new(s) as _),
        (None, "compliant") => Compliant::new(world, params).map(|s| Box::new(s) as _),
        (None, "event-driven") => EventDriven::new(world, params).map(|s| Box::new(s) as _),
        (None, "variational") => Variational::new(world, params).map(|s| Box::new(s) as _),
        (None, "adaptive") => {
            let adaptive = params.canon.adaptive.clone();
            match make_inner(world, &adaptive.inner, params) {
                Some((inner, order)) => {
                    inner.and_then(|inner| Ok(Box::new(Adaptive::new(world, (inner, order), adaptive)?) as _))
                }
                None => Err(UnsupportedByCanon::Inner { name: adaptive.inner, available: INNER }),
            }
        }
        _ => return None,
    };
    Some(made)
}

/// A stepper that was made, or why it was not.
type Made = Result<Box<dyn Stepper>, UnsupportedByCanon>;

/// The stepper called `name`, if `adaptive` can stand around it, with the order of its smooth motions.
fn make_inner(world: &World, name: &str, mut params: StepperParams) -> Option<(Made, u32)> {
    let canon = &mut params.canon;
    canon.tolerance = canon.adaptive.solver_tolerance(canon.tolerance);
    canon.moreau.touch = canon.moreau.touch.max(TOUCH * canon.adaptive.accuracy);
    let second = name == "variational" || name == "moreau" && canon.moreau.theta == 0.5;
    let made = INNER.split(", ").any(|known| known == name).then(|| make(world, name, &params))?;
    made.map(|made| (made, if second { 2 } else { 1 }))
}
