//! Drake's `<drake:proximity_properties>` of a <collision>, in URDF and SDF alike: friction, springs, and contact by pressure.

use crate::error::LoadError;
use crate::xml::Attribute;
use crate::xml::Element;
use stiction_world::Fate;
use stiction_world::HydroelasticKind;
use stiction_world::{Compliance, Material, Mixing};

/// The number that a child of the given name states, in the way of the format.
pub(crate) type Stated<'d> = dyn Fn(Element<'d>, &str) -> Result<Option<Attribute<'d>>, LoadError>;

const COMPLIANT: &str = "drake:compliant_hydroelastic";
const RIGID: &str = "drake:rigid_hydroelastic";

/// Writes what `properties` say into `material`; what they leave open stays as it is.
///
/// Err where a number is out of its range, or a surface is to be rigid and compliant.
pub(crate) fn read<'d>(
    properties: Element<'d>,
    stated: &Stated<'d>,
    material: &mut Material,
) -> Result<(), LoadError> {
    let not_negative = |name: &str| stated(properties, name)?.map(Attribute::not_negative).transpose();
    let positive = |name: &str| stated(properties, name)?.map(Attribute::positive).transpose();
    let (sticking, sliding) = (not_negative("drake:mu_static")?, not_negative("drake:mu_dynamic")?);
    if let Some(friction) = sliding.or(sticking) {
        (material.friction, material.grain, material.mixing) = (friction, None, Mixing::Harmonic);
    }
    if let (Some(most), Some(least), Some(word)) = (sticking, sliding, properties.child("drake:mu_static")?) {
        if most < least {
            return Err(word.structure(format!(
                "mu_static {most} is less than mu_dynamic {least}; expected at least as much, since what sticks holds more"
            )));
        }
        word.mark(Fate::Kept, "the stepper compliant reads it; others have one coefficient, mu_dynamic");
        material.static_friction = Some(most);
    }
    let compliance = Compliance {
        stiffness: not_negative("drake:point_contact_stiffness")?,
        relaxation: not_negative("drake:relaxation_time")?,
        dissipation: not_negative("drake:hunt_crossley_dissipation")?,
    };
    material.compliance = compliance.or(material.compliance);
    let own = &mut material.hydroelastic;
    if let Some(modulus) = positive("drake:hydroelastic_modulus")? {
        own.modulus = modulus;
    }
    if let Some(edge) = positive("drake:mesh_resolution_hint")? {
        own.resolution = Some(edge);
    }
    own.kind = match (properties.child(COMPLIANT)?, properties.child(RIGID)?) {
        (Some(_), Some(rigid)) => {
            let message = format!("<{COMPLIANT}> and <{RIGID}> in one place; expected one of them, or none");
            return Err(rigid.structure(message));
        }
        (Some(_), None) => HydroelasticKind::Compliant,
        (None, Some(_)) => HydroelasticKind::Rigid,
        (None, None) => own.kind,
    };
    Ok(())
}
