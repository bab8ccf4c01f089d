//! Joints that Gazebo's `JointController` turns by velocity: their first axes have a prescribed rate.
//!
//! The rate is the <initial_velocity> of the plugin, 0 where none is stated, of every joint that a <joint_name> names in
//! the model around it. A controller by force (<use_force_commands>) is a loop with gains, which is not run.

use super::coupling::{dof, joint_named};
use super::joint::SdfJoint;
use super::pose::{switch, value};
use super::scope::{Frame, Site};
use super::{Built, Reader};
use crate::error::LoadError;
use crate::words::shortened;
use crate::xml::Element;
use stiction_world::{Fate, World};

const CONTROLLERS: [&str; 2] =
    ["gz::sim::systems::JointController", "ignition::gazebo::systems::JointController"];

const NOT_MOVED: &str = "drives a joint that has no axis, or is not simulated";

/// True if `plugin` prescribes rates.
pub(crate) fn prescribes(plugin: Element<'_>) -> bool {
    let named = plugin.peek("name").is_some_and(|name| CONTROLLERS.contains(&name.value().trim()));
    let moves = plugin.parent_name() == "model" && plugin.children().any(|c| c.name() == "joint_name");
    named && moves && matches!(switch(plugin, "use_force_commands"), Ok(None | Some(false)))
}

/// Prescribes the rates in `world`.
pub(crate) fn read(
    reader: &mut Reader<'_, '_>,
    world: &mut World,
    joints: &[SdfJoint<'_>],
    built: &Built,
) -> Result<(), LoadError> {
    let models = reader.scopes.frames.iter().filter(|f| f.element.name() == "model");
    // A model that is merged has its names in the scope around it.
    let inside = |f: &Frame<'_>| Site { scope: f.scope.map_or(f.site.scope, |(scope, _)| scope), ..f.site };
    let models: Vec<(Element<'_>, Site)> = models.map(|f| (f.element, inside(f))).collect();
    for (model, site) in models {
        for plugin in model.children().filter(|c| c.name() == "plugin" && prescribes(*c)) {
            plugin.get("name");
            plugin.mark(Fate::Used, "");
            for named in plugin.children_named("joint_name") {
                let joint = joint_named(reader, site, named.content())?;
                drive(reader, world, (plugin, named), (joint, joints), built)?;
            }
        }
    }
    Ok(())
}

/// Prescribes the rate of the first axis of a joint.
fn drive(
    reader: &mut Reader<'_, '_>,
    world: &mut World,
    (plugin, named): (Element<'_>, Element<'_>),
    (joint, joints): (usize, &[SdfJoint<'_>]),
    built: &Built,
) -> Result<(), LoadError> {
    let name = shortened(named.text());
    let limits = joints.get(joint).and_then(|j| j.specs.first()).map(|(_, drive)| *drive).unwrap_or_default();
    let dof = dof(world, joints, built, joint, 0).and_then(|dof| world.model.dofs.get_mut(dof));
    let Some(dof) = dof else {
        plugin.mark(Fate::Unsupported, NOT_MOVED);
        reader.warn(
            named.place(),
            format!("the joint `{name}` is not driven: it has no axis, or is not simulated"),
        );
        return Ok(());
    };
    let stated = value(plugin, "initial_velocity")?;
    let rate = stated.map_or(Ok(0.0), |stated| stated.number())?;
    if let (Some(stated), Some(most)) = (stated, limits.velocity.filter(|most| rate.abs() > *most)) {
        return Err(stated.error(format!(
            "at most {most}, the <velocity> in the <limit> of the joint `{name}`: lower the rate or raise the limit"
        )));
    }
    if dof.rate.replace(rate).is_some() {
        return Err(named.content().error("a joint that no other controller drives"));
    }
    if limits.effort.is_some() {
        let message = format!(
            "the joint `{name}` is driven with the effort that its rate takes: its <effort> is no limit"
        );
        reader.warn(named.place(), message);
    }
    Ok(())
}
