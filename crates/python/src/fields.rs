//! The numbers of a world that can be changed, by name: of a whole world, and of every environment of a batch.

use crate::errors::wrong;
use pyo3::prelude::*;
use stiction::batch::Fields;
use stiction::dynamics::spatial::{Inertia, Sym3, Vec3, vec3};
use stiction::world::World;

/// A kind of thing that a row of numbers belongs to.
#[derive(Clone, Copy)]
pub(crate) enum Per {
    World,
    Body,
    Dof,
    Joint,
    Actuator,
    Geometry,
    Pair,
}

/// A quantity: its name, what it is given for, and how many numbers each takes.
pub(crate) struct Quantity {
    pub(crate) name: &'static str,
    pub(crate) per: Per,
    pub(crate) columns: usize,
}

const fn quantity(name: &'static str, per: Per, columns: usize) -> Quantity {
    Quantity { name, per, columns }
}

/// In the order in which they are set: the mass scales the inertia, which may then be given.
pub(crate) const QUANTITIES: [Quantity; 17] = [
    quantity("gravity", Per::World, 3),
    quantity("mass", Per::Body, 1),
    quantity("com", Per::Body, 3),
    quantity("inertia", Per::Body, 9),
    quantity("armature", Per::Dof, 1),
    quantity("damping", Per::Dof, 1),
    quantity("dry_friction", Per::Dof, 1),
    quantity("stiffness", Per::Joint, 1),
    quantity("spring_rest", Per::Joint, 1),
    quantity("gain", Per::Actuator, 1),
    quantity("bias", Per::Actuator, 1),
    quantity("bias_length", Per::Actuator, 1),
    quantity("bias_velocity", Per::Actuator, 1),
    quantity("effort_limit", Per::Actuator, 2),
    quantity("friction", Per::Geometry, 1),
    quantity("restitution", Per::Geometry, 1),
    quantity("pair_friction", Per::Pair, 1),
];

impl Quantity {
    /// The quantity called `name`.
    pub(crate) fn named(name: &str) -> PyResult<&'static Self> {
        QUANTITIES.iter().find(|q| q.name == name).ok_or_else(|| {
            let names = QUANTITIES.iter().map(|q| q.name).collect::<Vec<_>>().join(", ");
            wrong(format_args!("no quantity is called `{name}`; there are: {names}"))
        })
    }

    /// For how many things of `world` it is given.
    pub(crate) fn count(&self, world: &World) -> usize {
        match self.per {
            Per::World => 1,
            Per::Body => world.model.bodies.len(),
            Per::Dof => world.model.nv(),
            Per::Joint => world.model.joints.len(),
            Per::Actuator => world.actuators.len(),
            Per::Geometry => world.geometries.len(),
            Per::Pair => world.pairs.len(),
        }
    }

    /// The shape of one environment's numbers.
    pub(crate) fn shape(&self, world: &World) -> Vec<usize> {
        let n = self.count(world);
        match (self.per, self.columns) {
            (Per::World, columns) => vec![columns],
            (_, 1) => vec![n],
            (_, 9) => vec![n, 3, 3],
            (_, columns) => vec![n, columns],
        }
    }

    /// The numbers of the quantity.
    pub(crate) fn get(&self, fields: &Fields) -> Vec<f64> {
        let laws = |f: fn(&stiction::world::ActuatorLaw) -> f64| fields.law.iter().map(f).collect();
        match self.name {
            "gravity" => fields.gravity.to_array().to_vec(),
            "mass" => fields.inertia.iter().map(|I| I.mass).collect(),
            "com" => fields.inertia.iter().flat_map(|I| I.com().to_array()).collect(),
            "inertia" => fields.inertia.iter().flat_map(|I| full(&I.about_com())).collect(),
            "armature" => fields.armature.clone(),
            "damping" => fields.damping.clone(),
            "dry_friction" => fields.dry_friction.clone(),
            "stiffness" => fields.stiffness.clone(),
            "spring_rest" => fields.spring_rest.clone(),
            "gain" => laws(|l| l.gain),
            "bias" => laws(|l| l.bias),
            "bias_length" => laws(|l| l.bias_length),
            "bias_velocity" => laws(|l| l.bias_velocity),
            "effort_limit" => fields
                .effort_limit
                .iter()
                .flat_map(|l| l.unwrap_or([-f64::INFINITY, f64::INFINITY]))
                .collect(),
            "friction" => fields.friction.clone(),
            "restitution" => fields.restitution.clone(),
            _ => fields.pair_friction.clone(),
        }
    }

    /// Sets its numbers, as many as [`Self::get`] gives.
    pub(crate) fn set(&self, fields: &mut Fields, x: &[f64]) -> PyResult<()> {
        let laws = fields.law.iter_mut().zip(x);
        match self.name {
            "gravity" => fields.gravity = Vec3::from([x[0], x[1], x[2]]),
            "mass" => {
                for (body, &mass) in x.iter().enumerate() {
                    let before = fields.inertia[body].mass;
                    if !(mass >= 0.0 && mass.is_finite()) {
                        return Err(wrong(format_args!(
                            "mass[{body}] is {mass}; expected a number > 0 [kg]"
                        )));
                    }
                    if mass != before {
                        if !(before > 0.0) {
                            return Err(wrong(format_args!(
                                "mass[{body}] is {mass}; the body has none, so give its inertia to a model file instead"
                            )));
                        }
                        fields.scale_mass(body, mass / before);
                    }
                }
            }
            "com" => {
                for (I, c) in fields.inertia.iter_mut().zip(x.chunks_exact(3)) {
                    *I = Inertia::new(I.mass, vec3(c[0], c[1], c[2]), I.about_com());
                }
            }
            "inertia" => {
                for (body, (I, m)) in fields.inertia.iter_mut().zip(x.chunks_exact(9)).enumerate() {
                    let about_com = symmetric(body, m)?;
                    // As it was, to the bit, where nothing else is asked for.
                    if about_com != I.about_com() {
                        *I = Inertia::new(I.mass, I.com(), about_com);
                    }
                }
            }
            "armature" => fields.armature.copy_from_slice(x),
            "damping" => fields.damping.copy_from_slice(x),
            "dry_friction" => fields.dry_friction.copy_from_slice(x),
            "stiffness" => fields.stiffness.copy_from_slice(x),
            "spring_rest" => fields.spring_rest.copy_from_slice(x),
            "gain" => laws.for_each(|(l, x)| l.gain = *x),
            "bias" => laws.for_each(|(l, x)| l.bias = *x),
            "bias_length" => laws.for_each(|(l, x)| l.bias_length = *x),
            "bias_velocity" => laws.for_each(|(l, x)| l.bias_velocity = *x),
            "effort_limit" => {
                for (i, (limit, x)) in fields.effort_limit.iter_mut().zip(x.chunks_exact(2)).enumerate() {
                    let [lower, upper] = [x[0], x[1]];
                    if !(lower <= upper) {
                        return Err(wrong(format_args!(
                            "effort_limit[{i}] is [{lower}, {upper}]; expected the lower and the upper end of a range"
                        )));
                    }
                    *limit = (lower.is_finite() || upper.is_finite()).then_some([lower, upper]);
                }
            }
            "friction" => fields.friction.copy_from_slice(x),
            "restitution" => fields.restitution.copy_from_slice(x),
            _ => fields.pair_friction.copy_from_slice(x),
        }
        Ok(())
    }
}

/// Both triangles, by rows.
pub(crate) fn full(s: &Sym3) -> [f64; 9] {
    [s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz]
}

/// The tensor of nine numbers that are one: symmetric, and of masses that are not negative.
fn symmetric(body: usize, m: &[f64]) -> PyResult<Sym3> {
    let expected = "expected a symmetric matrix whose diagonal obeys the triangle inequality [kg·m²]";
    let wrong_one = || wrong(format_args!("inertia[{body}] is {m:?}; {expected}"));
    let size = m.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * size;
    if !(m.iter().all(|x| x.is_finite()) && near(m[1], m[3]) && near(m[2], m[6]) && near(m[5], m[7])) {
        return Err(wrong_one());
    }
    let (a, b, c) = (m[0], m[4], m[8]);
    let slack = 1e-9 * size;
    if !(a >= 0.0 && b >= 0.0 && c >= 0.0 && a + b + slack >= c && b + c + slack >= a && c + a + slack >= b) {
        return Err(wrong_one());
    }
    Ok(Sym3 { xx: a, yy: b, zz: c, xy: m[1], xz: m[2], yz: m[5] })
}
