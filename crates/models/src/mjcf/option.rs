//! <option>: gravity, time step, and the flags that switch parts of the mechanics off.

use crate::error::LoadError;
use crate::xml::Element;
use stiction_dynamics::spatial::{Vec3, vec3};
use stiction_world::Fate;

/// Settings of <option>.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) gravity: Vec3,
    pub(crate) time_step: f64,
    pub(crate) impratio: f64,
    pub(crate) contact: bool,
    pub(crate) limit: bool,
    pub(crate) equality: bool,
    pub(crate) friction_loss: bool,
    pub(crate) spring: bool,
    pub(crate) damper: bool,
    pub(crate) clamp_control: bool,
    /// Parent and child do not touch.
    pub(crate) filter_parent: bool,
}

const SWITCH: [(&str, bool); 2] = [("enable", true), ("disable", false)];

impl Settings {
    pub(crate) fn read(root: Element<'_>) -> Result<Self, LoadError> {
        let mut s = Self {
            gravity: vec3(0.0, 0.0, -9.81),
            time_step: 0.002,
            impratio: 1.0,
            contact: true,
            limit: true,
            equality: true,
            friction_loss: true,
            spring: true,
            damper: true,
            clamp_control: true,
            filter_parent: true,
        };
        let mut weight = true;
        for option in root.children_named("option") {
            if let Some(a) = option.get("gravity") {
                s.gravity = a.vector()?;
            }
            if let Some(a) = option.get("timestep") {
                s.time_step = a.positive()?;
            }
            if let Some(a) = option.get("impratio") {
                s.impratio = a.positive()?;
                a.mark(Fate::Softness, "for the law `mujoco`");
            }
            for (name, note) in [
                ("density", "the fluid's forces are not simulated yet"),
                ("viscosity", "the fluid's forces are not simulated yet"),
                ("wind", "the fluid's forces are not simulated yet"),
            ] {
                if let Some(a) = option.peek(name) {
                    let nothing = a.numbers(1, 3)?.iter().all(|x| *x == 0.0);
                    let mark =
                        if nothing { (Fate::Kept, "0, as without it") } else { (Fate::Unsupported, note) };
                    a.mark(mark.0, mark.1);
                }
            }
            for flag in option.children_named("flag") {
                let switch = |name: &str, value: &mut bool| -> Result<(), LoadError> {
                    if let Some(a) = flag.get(name) {
                        *value = a.keyword(&SWITCH)?;
                    }
                    Ok(())
                };
                switch("gravity", &mut weight)?;
                switch("contact", &mut s.contact)?;
                switch("limit", &mut s.limit)?;
                switch("equality", &mut s.equality)?;
                switch("frictionloss", &mut s.friction_loss)?;
                switch("spring", &mut s.spring)?;
                switch("damper", &mut s.damper)?;
                switch("clampctrl", &mut s.clamp_control)?;
                switch("filterparent", &mut s.filter_parent)?;
                if let Some(a) = flag.get("constraint")
                    && !a.keyword(&SWITCH)?
                {
                    (s.contact, s.limit, s.equality, s.friction_loss) = (false, false, false, false);
                }
                if let Some(a) = flag.get("sensor")
                    && !a.keyword(&SWITCH)?
                {
                    a.mark(Fate::Unsupported, "sensors are read on request");
                }
                if let Some(a) = flag.get("actuation")
                    && !a.keyword(&SWITCH)?
                {
                    a.mark(Fate::Unsupported, "leave the controls at 0 instead");
                }
            }
        }
        if !weight {
            s.gravity = Vec3::ZERO;
        }
        Ok(s)
    }
}
